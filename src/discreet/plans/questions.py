"""The questions of a plan, and what keeping their wanted errors costs.

Rules of this module:
- what a question with a wanted error needs is found once for each kind of loss;
- questions of the same weight, whose vectors one unit moves alike, have the same noise.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from ..noise.law import Law
from ..privacy.loss import Loss
from ..schema import Table
from ..statistic.statistic import Statistic
from .line import Line, Terms, cost_in
from .shared_vectors import Block, blocks
from .within import Goal, goals_of, wider


@dataclass(frozen=True, slots=True)
class Questions:
    """The questions of a plan, some with wanted errors."""

    goals: tuple[Goal, ...]
    share: bool = True
    _kept: dict[str, dict[int, tuple[Law, ...]]] = field(default_factory=dict, compare=False)
    _blocks: dict[str, tuple[Block, ...]] = field(default_factory=dict, compare=False)
    _costs: dict[str, dict[int, Loss]] = field(default_factory=dict, compare=False)
    _lines: dict[str, dict[int, Line]] = field(default_factory=dict, compare=False)

    @property
    def asked(self) -> list[Statistic]:
        """The questions themselves."""
        return [goal.statistic for goal in self.goals]

    @property
    def all_wanted(self) -> bool:
        """Whether each has a wanted error."""
        return all(goal.statistic.ask.within for goal in self.goals)

    @property
    def wanted(self) -> "Questions":
        """Those with a wanted error."""
        wanted = tuple(goal for goal in self.goals if goal.statistic.ask.within)
        return self if self.all_wanted else Questions(wanted, self.share)

    def kept(self, kind: str) -> dict[int, tuple[Law, ...]]:
        """Return the noise of each question that has a wanted error, by its number."""
        if kind not in self._kept:
            wanted = [n for n, goal in enumerate(self.goals) if goal.statistic.ask.within]
            self._kept[kind] = {n: self.goals[n].laws(kind) for n in wanted}
        return self._kept[kind]

    def blocks(self, kind: str) -> tuple[Block, ...]:
        """Return the questions that have one vector together."""
        if kind not in self._blocks:
            found = blocks(self.goals, kind, self.kept(kind)) if self.share else ()
            self._blocks[kind] = tuple(found)
        return self._blocks[kind]

    def costs(self, kind: str) -> dict[int, Loss]:
        """Return what keeping each wanted error costs, by the question's number.

        What a shared vector costs is divided as its questions would cost apart.
        """
        if kind not in self._costs:
            found = self.kept(kind).items()
            costs = {n: cost_in(kind, laws, self.goals[n].counted(kind)) for n, laws in found}
            for block in self.blocks(kind):
                for n in block.places:
                    costs[n] = costs[n].times(block.part)
            self._costs[kind] = costs
        return self._costs[kind]

    def lines(self, kind: str) -> dict[int, Line]:
        """Return each question that has a wanted error with its noise, by its number."""
        if kind not in self._lines:
            self._lines[kind] = self._made(kind)
        return self._lines[kind]

    def _made(self, kind: str) -> dict[int, Line]:
        found, costs = {}, self.costs(kind)
        for n, laws in self.kept(kind).items():
            goal = self.goals[n]
            found[n] = Line(goal.statistic, goal.counted(kind), laws, costs[n].few_up())
        for block in self.blocks(kind):
            for n in block.places:
                question = block.question(self.goals, n)
                parts = question.aggregates(self.goals[n].table)
                laws = (block.law,) * len(parts)
                found[n] = Line(question, parts, laws, costs[n].few_up(), block)
        return found

    @property
    def unmet(self) -> list[int]:
        """The places of those without a wanted error."""
        return [n for n, goal in enumerate(self.goals) if not goal.statistic.ask.within]

    def shared(self, places: Iterable[int], left: Loss) -> dict[int, Line]:
        """Return questions without a wanted error with their shares of what is left, by weight.

        Noise is found once for all whose weight and vectors are alike.

        Args:
            places: of the questions; what is left is for all that have no wanted error.
            left: the loss.
        """
        weights = sum(self.goals[n].statistic.ask.weight for n in self.unmet)
        shares: dict[object, tuple[Loss, tuple[Law, ...]]] = {}
        found = {}
        for n in places:
            goal = self.goals[n]
            weight, counted = goal.statistic.ask.weight, goal.counted(left.kind)
            parts = goal.statistic.shares(goal.table, left.kind)
            alike = (weight, parts, *((one.paid, one.choice is None) for one in counted))
            if alike not in shares:
                count = len(counted) if parts is None else 1
                each = left.times(Fraction(weight, count * weights)).few_down()
                shares[alike] = goal.divided(each)
            share, laws = shares[alike]
            found[n] = Line(goal.statistic, counted, laws, share)
        return found

    def wider(self, factor: Fraction) -> "Questions":
        """Return the same questions with all wanted errors so many times as wide."""
        goals = (replace(goal, statistic=wider(goal.statistic, factor)) for goal in self.goals)
        return Questions(tuple(goals), self.share)


def kept_line(goal: Goal, laws: tuple[Law, ...], kind: str) -> Line:
    """Return a question with the noise that keeps its wanted error."""
    counted = goal.counted(kind)
    return Line(goal.statistic, counted, laws, cost_in(kind, laws, counted).few_up())


def questions_of(
    table: Table, asked: Sequence[Statistic], alpha: Fraction, terms: Terms
) -> Questions:
    """Return the questions of a table, for intervals that miss with a chance of alpha.

    Raises:
        InputError: sums that could be too large, or intervals that cannot hold together.
    """
    share = terms.share and not terms.together
    return Questions(goals_of(table, asked, alpha, together=terms.together), share)
