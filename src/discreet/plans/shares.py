"""What each question gets of a spend: first the errors that were wanted, then weights.

Rules of this module:
- a question with a wanted error gets its least price; the others share what is left, by weight;
- shares have few digits, rounded down, and add up to no more than the whole;
- of the kinds of noise that a spend buys, the narrowest is taken, and the cheapest where all
  errors are wanted ones; both laws in one plan only where that is more than 1 % better;
- what a question with a wanted error needs is found once for each kind of loss;
- questions of the same weight, whose vectors one unit moves alike, have the same noise.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from ..aggregate import Aggregate
from ..errors import InputError
from ..exact.enclosure import sqrt_up
from ..exact.number import few_up, rounded, text_of
from ..fix import leave_out, write
from ..noise.law import Law
from ..privacy.loss import Loss, call_of, total
from ..schema import Table
from ..statistic.shared_vector import Joined
from ..statistic.statistic import Statistic
from ..sums import check_sums
from .line import Line, acts_in, cost_in
from .pick_laws import BETTER, best, rank, undominated
from .price import Act, candidates, cost_of
from .search import least_near
from .within import Goal, level_of, numbers_of, wider

Whole = Callable[[Loss], Loss]

_FACTOR = range(100, 1000)  # three digits of how much wider errors must be
_GUESSES = 2  # of it, before it is looked for
_NAMED = 2  # questions that a refusal names
_MARGIN = Fraction(1, 10**6)
_HARDLY = Fraction(1, 1000)  # of a delta: an epsilon where errors are so wide that it pays alone


@dataclass(frozen=True, slots=True)
class Goals:
    """The questions of a plan, some with wanted errors, and what was worked out of them.

    Attributes:
        goals: the questions.
        share: whether they may have one vector together.
        together: whether all intervals of the plan hold at once; each then has its own vector.
    """

    goals: tuple[Goal, ...]
    share: bool = True
    together: bool = False
    _kept: dict[str, dict[int, tuple[Law, ...]]] = field(default_factory=dict, compare=False)
    _joined: dict[str, dict[int, tuple[Joined, Act]]] = field(default_factory=dict, compare=False)
    _costs: dict[str, dict[int, Loss]] = field(default_factory=dict, compare=False)
    _lines: dict[str, dict[int, Line]] = field(default_factory=dict, compare=False)

    @property
    def asked(self) -> list[Statistic]:
        """The questions themselves."""
        return [goal.statistic for goal in self.goals]

    @property
    def all_wanted(self) -> bool:
        """Whether each has a wanted error."""
        return all((goal.statistic.ask.within or goal.statistic.ask.spend) for goal in self.goals)

    @property
    def wanted(self) -> "Goals":
        """Those with a wanted error."""
        wanted = tuple(
            goal for goal in self.goals if (goal.statistic.ask.within or goal.statistic.ask.spend)
        )
        return self if self.all_wanted else Goals(wanted, self.share, self.together)

    def kept(self, kind: str) -> dict[int, tuple[Law, ...]]:
        """Return the noise of each question that has a wanted error, by its number."""
        if kind not in self._kept:
            wanted = [
                n
                for n, goal in enumerate(self.goals)
                if (goal.statistic.ask.within or goal.statistic.ask.spend)
            ]
            self._kept[kind] = {n: self.goals[n].laws(kind) for n in wanted}
        return self._kept[kind]

    def joined(self, kind: str) -> dict[int, tuple[Joined, Act]]:
        """Return the questions that have one vector together, each with the noise of the vector."""
        if kind not in self._joined:
            wanted = self.kept(kind)
            self._joined[kind] = {}
            if self.share and not self.together and len(wanted) > 1:
                from .shared_vectors import joined

                self._joined[kind] = {
                    n: (question, act)
                    for act, questions in joined(self.goals, kind, wanted)
                    for n, question in questions.items()
                }
        return self._joined[kind]

    def costs(self, kind: str) -> dict[int, Loss]:
        """Return what keeping each wanted error costs, by the question's number.

        What a shared vector costs is divided as its questions would cost apart.
        """
        if kind not in self._costs:
            noise = self.kept(kind).items()
            costs = {n: cost_in(kind, laws, self.goals[n].counted(kind)) for n, laws in noise}
            for n, (_, act) in self.joined(kind).items():
                costs[n] = costs[n].times(act.part)
            self._costs[kind] = costs
        return self._costs[kind]

    def lines(self, kind: str) -> dict[int, Line]:
        """Return each question that has a wanted error with its noise, by its number."""
        if kind not in self._lines:
            self._lines[kind] = self._made(kind)
        return self._lines[kind]

    def _made(self, kind: str) -> dict[int, Line]:
        lines, costs = {}, self.costs(kind)
        for n, laws in self.kept(kind).items():
            goal = self.goals[n]
            lines[n] = Line(goal.statistic, goal.counted(kind), laws, costs[n].few_up())
        for n, (question, act) in self.joined(kind).items():
            parts = question.aggregates(self.goals[n].table)
            lines[n] = Line(question, parts, (act.law,) * len(parts), costs[n].few_up(), act)
        return lines

    @property
    def unmet(self) -> list[int]:
        """The places of those without a wanted error."""
        return [
            n
            for n, goal in enumerate(self.goals)
            if not (goal.statistic.ask.within or goal.statistic.ask.spend)
        ]

    def shared(self, places: Iterable[int], left: Loss) -> dict[int, Line]:
        """Return questions without a wanted error with their shares of what is left, by weight.

        Noise is found once for all whose weight and vectors are alike.

        Args:
            places: of the questions; what is left is for all that have no wanted error.
            left: the loss.
        """
        weights = sum(self.goals[n].statistic.ask.weight for n in self.unmet)
        shares: dict[object, tuple[Loss, tuple[Law, ...]]] = {}
        lines = {}
        for n in places:
            goal = self.goals[n]
            weight, counted = goal.statistic.ask.weight, goal.counted(left.kind)
            parts = goal.statistic.shares(goal.table, left.kind)
            alike = (
                weight,
                parts,
                *((aggregate.paid, aggregate.choice is None) for aggregate in counted),
            )
            if alike not in shares:
                count = len(counted) if parts is None else 1
                each = left.times(Fraction(weight, count * weights)).few_down()
                shares[alike] = goal.divided(each)
            share, laws = shares[alike]
            lines[n] = Line(goal.statistic, counted, laws, share)
        return lines

    def wider(self, factor: Fraction) -> "Goals":
        """Return the same questions with all wanted errors so many times as wide."""
        goals = (replace(goal, statistic=wider(goal.statistic, factor)) for goal in self.goals)
        return Goals(tuple(goals), self.share, self.together)


def kept_line(goal: Goal, laws: tuple[Law, ...], kind: str) -> Line:
    """Return a question with the noise that keeps its wanted error."""
    counted = goal.counted(kind)
    return Line(goal.statistic, counted, laws, cost_in(kind, laws, counted).few_up())


def goals_of(
    table: Table, asked: Sequence[Statistic], alpha: Fraction, *, share: bool, together: bool
) -> Goals:
    """Return the questions of a plan, each with the chance at which its intervals are meant.

    Raises:
        InputError: sums that could be too large, or intervals that cannot hold together.
    """
    pairs = [(statistic, statistic.aggregates(table)) for statistic in asked]
    check_sums(table, [aggregate for _, aggregates in pairs for aggregate in aggregates])
    among = [_apart(statistic, table, made) for statistic, made in pairs] if together else None
    goals = tuple(
        Goal(statistic, table, m, level_of(statistic, table, m, alpha, among))
        for statistic, m in pairs
    )
    return Goals(goals, share, together)


def _apart(statistic: Statistic, table: Table, aggregates: Sequence[Aggregate]) -> tuple[int, int]:
    """Return which numbers have noise of their own, or say what to ask of the others."""
    try:
        return numbers_of(statistic, table, aggregates)
    except InputError as error:
        raise InputError(
            error.what,
            kind=error.kind,
            why=error.why,
            fix="write together for each of the other questions, and not for the whole plan",
        ) from None


def lines_of(asked: Goals, spend: Loss, *, whole: Whole | None = None) -> tuple[Line, ...]:
    """Return each question with its noise, from the spend of a plan.

    Args:
        asked: the questions.
        spend: the loss of all of them.
        whole: what a plan spends that leaves so much for the questions, where they are not all.

    Raises:
        InputError: the wanted errors cost more; it says which part of it is whose, and how much
            wider all of them must be.
    """
    if any(goal.statistic.ask.spend for goal in asked.goals):
        _refuse_own(asked, spend)
    bought = candidates(spend)
    tried = [_lines(asked, loss) for loss in bought]
    choices = [lines for lines in tried if lines is not None]
    if spend.kind != "approx" and choices:  # one law has this loss, and the best of one is it
        return choices[0]
    from .two_laws import of_both_laws

    both = of_both_laws(asked, spend, bought)
    if not choices and both is None:
        raise _too_dear(asked, spend, whole or (lambda loss: loss))
    if asked.all_wanted:
        return best(choices, both, lambda lines: _price(lines, spend))
    choices = undominated(choices)
    choices += _alone(asked, spend, choices)
    return best(choices, both, lambda lines: rank(lines, asked))


def least_spend(asked: Goals, kind: str, delta: Fraction | None) -> Loss:
    """Return the least spend, of few digits, that keeps all wanted errors.

    Args:
        asked: questions; what those without a wanted error cost is not counted.
        kind: the kind of loss that is asked for.
        delta: where given, the least epsilon is asked for, in noise of one law, or of both where
            that saves more than 1 %.
    """
    if delta is None:
        whole = total([*asked.costs(kind).values()])
        return Loss(whole.kind, tuple([few_up(number) for number in whole.numbers]))
    kinds = [loss.kind for loss in candidates(Loss("approx", (Fraction(1), delta)))]
    least = Loss("approx", (Fraction(0), delta))
    spends = [cost_of([*asked.costs(kind).values()], least) for kind in kinds]
    epsilon = few_up(min(loss.epsilon for loss in spends) or delta * _HARDLY)
    spend = Loss("approx", (epsilon, delta))
    goals = asked.wanted
    while all(_lines(goals, loss) is None for loss in candidates(spend)):
        epsilon = few_up(epsilon * (1 + _MARGIN))
        spend = Loss("approx", (epsilon, delta))
    from .two_laws import of_both_laws

    both = of_both_laws(goals, spend)
    less = _cost(both, spend).few_up() if both else spend
    return less if less.epsilon <= epsilon * BETTER else spend


def least_factor(asked: Goals, spend: Loss) -> Fraction:
    """Return how many times as wide all wanted errors must be, to fit a spend: three digits, up."""
    from .two_laws import of_both_laws

    if any(goal.statistic.ask.spend for goal in asked.goals):
        _refuse_own(asked, spend)
    bought = candidates(spend)

    def fits(factor: Fraction) -> bool:
        try:
            relaxed = asked.wider(factor)
            is_kept = any(_lines(relaxed, loss) is not None for loss in bought)
            return is_kept or of_both_laws(relaxed, spend, bought) is not None
        except InputError:  # no noise is so narrow, or so wide
            return factor > 1

    return least_near(fits, _guess(asked, spend), _FACTOR)


def _refuse_own(asked: Goals, spend: Loss) -> None:
    """Refuse losses of single questions that are of another kind, or more than the spend."""
    own = [goal.statistic for goal in asked.goals if goal.statistic.ask.spend]
    losses = [statistic.ask.spend for statistic in own if statistic.ask.spend]
    for statistic, loss in zip(own, losses, strict=True):
        if loss.kind != spend.ideal.kind:
            raise InputError(
                f"{statistic.label} has {loss} of its own; the plan spends {spend}.",
                kind="other-loss-kind",
                why="losses of one kind add up; an epsilon of one question is no rho of all",
                fix=(
                    leave_out("spend", of="ask", note=", or write weight in its place"),
                    write(of="plan", spend=call_of(loss.kind, *map(text_of, loss.numbers))),
                ),
                at="spend",
            )
    if losses and not (whole := total(losses)).fits(spend.ideal):
        raise InputError(
            f"the losses of single questions are {whole} together; the plan spends {spend}.",
            kind="spend-too-small",
            why="a plan spends no more than it says",
            fix=write(of="plan", spend=call_of(whole.kind, *map(text_of, whole.numbers))),
            at="spend",
        )


def _guess(asked: Goals, spend: Loss) -> Fraction:
    """Return about how many times as wide errors must be: prices fall with it, or its square."""
    guess, questions, bought = Fraction(1), asked, candidates(spend)
    for _ in range(_GUESSES):
        steps = [_times_too_dear(questions, loss) for loss in bought]
        nearest = steps.index(min(steps))
        guess, bought = few_up(guess * steps[nearest]), [bought[nearest]]
        questions = asked.wider(guess)
    return guess


def _times_too_dear(asked: Goals, spend: Loss) -> Fraction:
    """Return about how many times too narrow errors are, in one kind of loss."""
    try:
        costs = [cost.numbers[0] for cost in asked.costs(spend.kind).values()]
    except InputError:  # no noise is so narrow, or so wide
        return Fraction(1)
    over = sum(costs, Fraction(0)) / spend.numbers[0]  # exact: rationals
    return over if spend.kind == "pure" else Fraction(sqrt_up(over))


def _lines(asked: Goals, spend: Loss) -> tuple[Line, ...] | None:
    """Return the questions with their noise at one kind of loss, or None if it is not enough."""
    left, rest, every = spend, asked.unmet, dict[int, Line]()
    if len(rest) < len(asked.goals):  # some have wanted errors
        for cost in asked.costs(spend.kind).values():
            if not cost.fits(left):
                return None
            left = left.minus(cost)
        every = asked.lines(spend.kind)
    if rest and left.is_zero():
        return None
    every = every | asked.shared(rest, left)
    return tuple(every[n] for n in range(len(asked.goals)))


def _alone(asked: Goals, spend: Loss, choices: list[tuple[Line, ...]]) -> list[tuple[Line, ...]]:
    """Return what one vector buys by its own exact curve, where that is less noise."""
    goal = asked.goals[0]
    if spend.kind != "approx" or len(asked.goals) + len(goal.aggregates) > 2 or not spend.delta:
        return []
    moved = goal.aggregates[0].paid
    laws = [lines[0].laws[0] for lines in choices if lines[0].share.kind != "pure"]
    if moved.linf != 1 or not laws:
        return []
    narrow = [
        lines[0].laws[0].half_width(goal.alpha) for lines in choices if lines[0].laws[0] not in laws
    ]
    laws += [
        type(laws[0]).widest(width, goal.alpha) for width in narrow
    ]  # beyond it, it is not chosen
    below = min(law.size_up() for law in laws)
    law = laws[0].alone(spend.few_down(), moved=moved.l2_squared, below=below)
    return [] if law is None else [(kept_line(goal, (law,), "gdp"),)]


def _price(lines: tuple[Line, ...], spend: Loss) -> tuple[Fraction, bool, Fraction]:
    first, *others = _cost(lines, spend).numbers
    return first, False, sum(others, Fraction(0))


def _cost(lines: tuple[Line, ...], spend: Loss) -> Loss:
    return cost_of(acts_in(lines), spend)


def _too_dear(asked: Goals, spend: Loss, whole: Whole) -> InputError:
    """Return the error that the wanted errors cost more than the spend."""
    from .two_laws import parts_of

    kinds = [loss.kind for loss in candidates(spend)]
    cost = min(
        (cost_of([*asked.costs(kind).values()], spend) for kind in kinds),
        key=lambda loss: loss.numbers,
    )
    unmet = [
        goal.statistic.label
        for goal in asked.goals
        if not (goal.statistic.ask.within or goal.statistic.ask.spend)
    ]
    nothing = f", and nothing is left for {unmet[0]}" if unmet and cost.fits(spend) else ""
    factor = text_of(least_factor(asked, spend))
    delta = spend.named.get("delta")
    enough = least_spend(asked, spend.kind, delta)
    lines = lines_of(asked.wanted, enough)
    parts = dict(enumerate(parts_of(lines, delta)))
    most = sorted(parts, key=lambda n: parts[n], reverse=True)[:_NAMED]
    eaters = [
        f"{lines[n].asked.label} takes {rounded(100 * parts[n], 2)} % "  # exact: rationals
        "of the cost"
        for n in most
    ]
    needed = whole(enough)
    plenty = _with_as_much_for(unmet, asked, needed)
    wider, more = "", ""
    if unmet:
        wider = f", or more: {unmet[0]} has only what is left"
        more = f": {text_of(needed.numbers[0])} keeps the wanted errors, the rest is for {unmet[0]}"
    finding = " with finding the keys" if needed != enough else ""
    return InputError(
        f"the wanted errors cost {needed}{finding}; spend is {whole(spend)}.",
        kind="spend-too-small", why=f"{' and '.join(eaters)}{nothing}",
        fix=(
            f"write within= {factor} times as wide everywhere{wider}",
            write(more, of="plan", spend=call_of(plenty.kind, *map(text_of, plenty.numbers))),
        ),
        at="spend",
    )  # fmt: skip


def _with_as_much_for(unmet: Sequence[str], asked: Goals, cost: Loss) -> Loss:
    """Return a spend that keeps the wanted errors, with their average for each other question."""
    wanted = len(asked.goals) - len(unmet)
    first, *others = cost.numbers
    most = few_up(first * len(asked.goals) / wanted) if unmet else first  # exact: rationals
    return Loss(cost.kind, (most, *others))
