"""Whether intervals cover as often as they say, alone and all at once: by the chances of the noise.

Of a question whose numbers each have noise of their own: how far noise may go before the interval
that is shown misses is found by halving, on each side, at public bounds and between them; how often
it goes further is what the law says. Numbers of separate noise miss independently.

Rules of this module:
- nothing is counted and nothing is drawn: the numbers that are answered are made up.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction

from ..aggregate import Aggregate, Noisy
from ..derive.derived import intervals
from ..document.document import Document, Released
from ..errors import DiscreetError
from ..exact.enclosure import enclosed
from ..noise.law import Law
from ..plans.line import Line
from ..plans.plan import Plan
from ..releases.document import compose

_WHEN = "2026-01-01T00:00:00+00:00"
_MOST, _BITS = 200, 192
_SURE = Fraction(1, 10**9)


def asked(plan: Plan) -> list[int]:
    """Return the places of the questions whose intervals can be looked at so."""
    return [place for place, line in enumerate(plan.lines) if _is_plain(plan, line)]


def _is_plain(plan: Plan, line: Line) -> bool:
    if len(line.aggregates) != 1 or line.shared is not None or plan.table.facts.rows is not None:
        return False
    aggregate, ask = line.aggregates[0], line.statistic.ask
    is_bare = aggregate.transform is None and aggregate.choice is None and aggregate.sparse is None
    is_alone = len(aggregate.measures) == 1 and aggregate.bins is None and ask.publish is None
    adds_up = line.statistic.telling().chart == "amounts"
    return is_bare and is_alone and adds_up and aggregate.size(plan.table) <= _MOST


def missing(plan: Plan, place: int) -> Iterator[str]:
    """Yield how intervals of a question miss more often than they say."""
    line = plan.lines[place]
    cells = line.aggregates[0].size(plan.table)
    for together in (False, True):
        level = plan.alpha if together else plan.level(line)
        if together and plan.together:
            continue
        chances = [
            _missed(plan, place, truth, line.laws[0], together=together) for truth in _truths(line)
        ]
        chance = max(chances)
        whole = 1 - (1 - chance) ** cells if together else chance
        if whole > level + _SURE:
            how = f"all {cells} intervals at once miss" if together else "an interval misses"
            share = f"{float(whole):.4g}, above {float(level):.4g}"
            yield f"{line.asked.label}: {how} with a chance of {share}"


def _truths(line: Line) -> tuple[int, ...]:
    bounds = line.asked.plain().get("between")
    if isinstance(bounds, (list, tuple)):
        return int(bounds[0]), (int(bounds[0]) + int(bounds[1])) // 2, int(bounds[1])
    return (1_000,)


def _missed(plan: Plan, place: int, truth: int, law: Law, *, together: bool) -> Fraction:
    """Return how likely the interval of one number misses, for noise of its law alone."""
    value = _answer(plan, place, truth, together=False)[0]

    def misses(z: int) -> bool:
        _, low, high = _answer(plan, place, truth + z, together=together)
        return not (low is None or high is None or low <= value <= high)  # type: ignore[operator]

    far = law.half_width(Fraction(1, 10**7)) + 1
    ends = [_edge(misses, sign, far) for sign in (1, -1)]
    tails = [enclosed(lambda end=end: law.tail(end), _BITS)[0] for end in ends if end is not None]  # type: ignore[misc]
    return sum(tails, Fraction(0))


def _edge(misses: Callable[[int], bool], sign: int, far: int) -> int | None:
    """Return the least noise, in size, with which an interval misses on one side; None if never."""
    if not misses(sign * far):
        return None
    low, high = 0, far
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if misses(sign * middle) else (middle, high)
    return high


def _answer(plan: Plan, place: int, number: int, *, together: bool) -> tuple[object, ...]:
    """Return the value and the interval of the first number, if all numbers are this one."""
    noisy = [
        _filled(plan, aggregate, number if at == place else 0)
        for at, line in enumerate(plan.lines)
        for aggregate in line.aggregates
    ]
    document = compose(plan, noisy, request="audit", created=_WHEN, ledger=None)
    released = _joint(document, place) if together else document.statistics[place]
    columns = released.answer.rows.columns
    return tuple(column[0] for column in columns[-3:])


def _filled(plan: Plan, aggregate: Aggregate, number: int) -> Noisy:
    """Return a vector of which each number is this one; of a choice, the first places."""
    size = aggregate.size(plan.table)
    if aggregate.choice is not None:
        return Noisy((0,) * size if aggregate.choice.rank else tuple(range(size)))
    return Noisy((), ()) if aggregate.sparse is not None else Noisy((number,) * size)


def _joint(document: Document, place: int) -> Released:
    try:
        label = document.statistics[place].label
        return intervals(document, label, together=True).document.statistics[0]
    except DiscreetError:
        return document.statistics[place]
