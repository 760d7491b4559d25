"""One question of a plan, with its noise.

What is counted of the data: vectors that differ by their matrix alone are one count.

Rules of this module:
- a law has six digits, or eight where they are exact, and is no narrower than its share buys.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ..aggregate import Aggregate, Noisy, Sizes
from ..errors import InternalError
from ..noise import registry
from ..noise.law import Law
from ..privacy.loss import Kind, Loss
from ..sensitivity import Sensitivity
from ..statistic.shared_vector import Joined
from ..statistic.statistic import Statistic
from ..text import prompt
from .price import Act, added, cost_of


def counts(aggregates: Sequence[Aggregate]) -> tuple[Aggregate, ...]:
    """Return what an engine counts for these vectors, each but once."""
    return tuple(
        dict.fromkeys(_bare(aggregate) for aggregate in aggregates if aggregate.sizes is None)
    )


def sizes_in(aggregates: Sequence[Aggregate]) -> tuple[Sizes, ...]:
    """Return what is made of pairs of unit and key for these vectors, each but once."""
    return tuple(
        dict.fromkeys(aggregate.sizes for aggregate in aggregates if aggregate.sizes is not None)
    )


def places(aggregates: Sequence[Aggregate]) -> tuple[int, ...]:
    """Return of which of the counts, and then of the sizes, each vector is made."""
    counted = [aggregate.sizes or _bare(aggregate) for aggregate in aggregates]
    sizes = [aggregate for aggregate in counted if isinstance(aggregate, Sizes)]
    vectors = [aggregate for aggregate in counted if not isinstance(aggregate, Sizes)]
    known = {aggregate: place for place, aggregate in enumerate(dict.fromkeys([*vectors, *sizes]))}
    return tuple(known[aggregate] for aggregate in counted)


def _bare(aggregate: Aggregate) -> Aggregate:
    any_ = Sensitivity(1, 1, 1)  # of what passes no door
    return replace(aggregate, transform=None, sensitivity=any_, choice=None)


@dataclass(frozen=True, slots=True)
class Line:
    """One question of a plan: what is counted, with which noise, and its share of the spend.

    Its vectors may be parts of one that is shared, which others have parts of, too.
    """

    statistic: Statistic
    aggregates: tuple[Aggregate, ...]
    laws: tuple[Law, ...]
    share: Loss
    shared: Act | None = None

    def __repr__(self) -> str:
        return prompt("Line", f"{self.statistic.label} at {self.share}")

    @property
    def asked(self) -> Statistic:
        """The question as it was asked, by itself."""
        return self.statistic.asked if isinstance(self.statistic, Joined) else self.statistic

    @property
    def acts(self) -> tuple[Act, ...]:
        """The noise of each vector with its sensitivity, from which its price follows."""
        return acts_of(self.laws, self.aggregates)

    @property
    def costs(self) -> tuple[Loss, ...]:
        """What the noise of each vector costs, exactly, in the kind of loss that was shared."""
        pairs = zip(self.laws, self.aggregates, strict=True)
        return tuple(cost_in(self.share.kind, (law,), (aggregate,)) for law, aggregate in pairs)

    @property
    def cost(self) -> Loss:
        """What the noise costs, in the kind of loss that was shared, in few digits."""
        return self.share if self.shared else cost_of(self.acts, self.share)


def kind_of(lines: Iterable[Line]) -> Kind | None:
    """Return the kind of loss that questions share, or None where they have noise of both laws."""
    kinds = {line.share.kind for line in lines}
    return kinds.pop() if len(kinds) == 1 else None


def acts_in(lines: Iterable[Line]) -> list[Act]:
    """Return the noise of all vectors of questions, in the order of their first parts.

    The parts of one that is shared stand together, where the first of its questions stands.
    """
    acts = []
    for place, line in enumerate(lines):
        if line.shared is None:
            parts = enumerate(zip(line.aggregates, line.laws, strict=True))
            label = line.statistic.label
            acts += [Act(law, of.paid, label, (of,), ((place, at),)) for at, (of, law) in parts]
        elif place == line.shared.questions[0]:
            acts.append(line.shared)
    return acts


def given_to(
    lines: Sequence[Line], place: int, noisy: Sequence[Sequence[Noisy]]
) -> Sequence[Noisy]:
    """Return the noisy vectors that a question is answered from.

    Args:
        lines: all questions.
        place: of the one.
        noisy: the vectors of each. A mean that shares the count of others has that count last.
    """
    shared = lines[place].shared
    if shared is None:
        return noisy[place]
    questions = [(at, lines[at].statistic) for at in shared.questions]
    holder = next(
        at for at, statistic in questions if isinstance(statistic, Joined) and statistic.has_rows
    )
    return noisy[place] if holder == place else [*noisy[place], noisy[holder][-1]]


def law_for(loss: Loss, counted: Aggregate) -> Law:
    """Return the noise, or the choice, that makes a vector cost exactly this loss."""
    moved, chooses = counted.paid, counted.choice is not None
    return registry.law_for(loss, l1=moved.l1, l2_squared=moved.l2_squared, chooses=chooses)


def acts_of(laws: tuple[Law, ...], aggregates: tuple[Aggregate, ...]) -> tuple[Act, ...]:
    """Return noise on each of some vectors, as acts that say what they cost."""
    return tuple(map(Act, laws, (aggregate.paid for aggregate in aggregates)))


def cost_in(kind: str, laws: tuple[Law, ...], aggregates: tuple[Aggregate, ...]) -> Loss:
    """Return what noise on some vectors costs, exactly, in a kind of loss that it was found for."""
    cost = added(acts_of(laws, aggregates), kind)
    if cost is None:
        raise InternalError(
            f"noise that was found for a loss of kind {kind} has no loss of that kind.",
            kind="internal-fault",
            why="a law is calibrated to the kinds in which it knows its price",
            fix="please report it, with the plan",
        )
    return cost
