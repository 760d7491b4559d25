"""A count and means of one grouping as one vector, where that keeps their errors at a lower price.

Rules of this module:
- only questions with wanted errors are joined, of the same groups, limits and rows, whose columns
  are complete: then a mean is of the rows that the count counts, and no question changes;
- each wanted error is kept by the shared noise as it would be alone; what is joined is more than
  one part in a hundred cheaper than apart, in the kind of loss that is spent;
- Laplace noise is not shared: its prices add up by size and not by square, so that a count of its
  own costs more than it saves.

What is least. Let the count have noise of half-width x, and a column of width W (in half steps, as
all here) be allowed H: its mean is off by the noise of its sum and, at an end of its bounds, by W
of that of the count. So the sum's noise may have the square H^2 - W^2 x^2, and the price is, but
for a factor, C = 1 / x^2 and T = sum of W^2 / (H^2 - W^2 x^2) together; in the replace relation
max(4 T, 2 (T + C)). Both are convex in x^2, and x is at most what the count is allowed.

Decision 43.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor, isqrt
from typing import TYPE_CHECKING

from ..errors import InputError
from ..noise.law import Law
from ..noise.registry import law_in
from ..post.thresholds import for_interval
from ..privacy.loss import Loss
from ..statistic.ask import Ask, known_rows
from ..statistic.shared_vector import Joined, Joint
from ..sums import check_sums
from .price import Act, added

if TYPE_CHECKING:
    from .within import Goal

_CHEAPER = Fraction(99, 100)  # of the price apart: from there on nothing is joined
_FINE = 1_024  # each number of the vector is worth at least so many of its noise's smallest part
_PLACES = 4_096  # of x^2, among which the least price is looked for
_ROOT = 60  # bits of a square root
_FAR = 10**6  # a half-width at which two chances are compared
_MOST = 2**40  # that a row adds


def joined(
    goals: Sequence["Goal"], kind: str, apart: Mapping[int, tuple[Law, ...]]
) -> Iterator[tuple[Act, dict[int, Joined]]]:
    """Yield each vector that several questions share, and these as they are answered from it.

    Args:
        goals: the questions of a plan.
        kind: of the loss in which they are priced.
        apart: the noise of each that has a wanted error, without sharing.
    """
    if kind == "pure":
        return
    for places in together(goals, [*apart]):
        shared = _shared(goals, places, kind, apart)
        if shared is not None and shared[0].part <= _CHEAPER:
            yield shared


def together(goals: Sequence["Goal"], wanted: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the questions that may have one vector, if that is cheaper: at most one count of each.

    Args:
        goals: the questions of a plan.
        wanted: those that have a wanted error.
    """
    alike: dict[object, list[int]] = {}
    for place in wanted:
        if (grouping := _grouping(goals[place])) is not None:
            alike.setdefault(grouping, []).append(place)
    for places in alike.values():
        counts = [at for at in places if _column(goals[at]) is None]
        chosen = [at for at in places if at not in counts[1:]]
        if len(chosen) > 1 and len(chosen) > len(counts[:1]):
            yield tuple(chosen)


@dataclass(frozen=True, slots=True)
class Room:
    """What a question asks of a vector that it shares.

    Attributes:
        half: the widest half-width: of the count's noise; or of a mean, in half steps.
        width: of the column; 0 for the count.
    """

    half: Fraction
    width: int


def room_of(goal: "Goal", allowed: Fraction) -> Room:
    """Return what a question asks of a vector that it shares, where it may err so much."""
    column = _column(goal)
    if column is None:
        return Room((floor(allowed) + Fraction(1, 2)) * _ends(goal.alpha), 0)
    bounds = goal.table.columns[column]
    return Room(2 * allowed / bounds.step, bounds.width)  # exact: rationals


def factor_of_shared(
    goals: Sequence["Goal"], places: tuple[int, ...], kind: str
) -> Fraction | None:
    """Return what questions cost as one vector, over the least price in them."""
    apart = {place: goals[place].laws(kind) for place in places}
    shared = _shared(goals, places, kind, apart)
    if shared is None:
        return None
    asked = [room_of(goals[place], _allowed(goals[place], apart[place])) for place in places]
    squares = [(room.half**2, room.width**2) for room in asked if room.width]
    ends = [room.half**2 for room in asked if not room.width]
    neighbors = goals[places[0]].table.neighbors
    x2 = _least(min([*ends, _last(squares)]), squares, neighbors)
    return _price([shared[0]], kind) / _shared_price(x2, squares, neighbors)  # exact: rationals


def _grouping(goal: "Goal") -> object | None:
    """Return what questions must have alike to be joined; None for one that is never."""
    ask, table, column = goal.statistic.ask, goal.table, _column(goal)
    ask_alone = ask.together or ask.publish or ask.spend
    if not goal.statistic.telling().joined or ask_alone:
        return None
    if any(key in table.unknown for key in ask.by):
        return None
    if column is not None and table.columns[column].missing is None:
        return None
    if column is not None and known_rows(table, ask, (column,)):  # such a mean needs no count
        return None
    return ask.by, ask.max_groups, ask.max_rows_per_group, ask.where


def _column(goal: "Goal") -> str | None:
    column = goal.statistic.plain().get("column")
    return column if isinstance(column, str) else None


def _shared(
    goals: Sequence["Goal"],
    places: tuple[int, ...],
    kind: str,
    apart: Mapping[int, tuple[Law, ...]],
) -> tuple[Act, dict[int, Joined]] | None:
    """Return questions as one vector, with the least noise that keeps their errors."""
    table, ask = goals[places[0]].table, goals[places[0]].statistic.ask
    most = {place: _allowed(goals[place], apart[place]) for place in places}
    joint = _joint(goals, most, replace(ask, within=None, rows=None, weight=1))
    if joint is None:
        return None
    asked = dict(_answered(goals, places, joint))
    parts = {place: question.aggregates(table) for place, question in asked.items()}
    every = [(part, (place, at)) for place in places for at, part in enumerate(parts[place])]
    try:
        check_sums(table, [part for part, _ in every])
        kept = [
            law_in(kind).widest(*question.widest(table, most[place], goals[place].alpha))
            for place, question in asked.items()
        ]
    except InputError:  # no law has this noise, or sums could be too large
        return None
    law = min(kept, key=lambda noise: noise.size_up())
    alone = [
        Act(law, aggregate.sensitivity)
        for place in places
        for law, aggregate in zip(apart[place], goals[place].counted(kind), strict=True)
    ]
    label = " + ".join(question.label for question in asked.values())
    vector, at = tuple(part for part, _ in every), tuple(place for _, place in every)
    act = Act(law, joint.moved(table), label, vector, at)
    return replace(act, part=_price([act], kind) / _price(alone, kind)), asked  # exact: rationals


def _answered(
    goals: Sequence["Goal"], places: tuple[int, ...], joint: Joint
) -> Iterator[tuple[int, Joined]]:
    """Yield questions as they are answered from one vector; the first has the rows, or a count."""
    columns = {place: _column(goals[place]) for place in places}
    holder = next((place for place in places if columns[place] is None), places[0])
    for place in places:
        statistic = goals[place].statistic
        yield place, Joined(statistic, joint, columns[place], has_rows=place == holder)


def _price(acts: Sequence[Act], kind: str) -> Fraction:
    cost = added(acts, kind)
    return Fraction(0) if cost is None else _number(cost)


def _number(loss: Loss) -> Fraction:
    (number,) = loss.numbers
    return number


def _allowed(goal: "Goal", apart: tuple[Law, ...]) -> Fraction:
    """Return the widest half-width, in rows or in the measure of a column times its rows."""
    return goal.most(goal.statistic.expected(goal.table, apart, goal.alpha))


def _joint(goals: Sequence["Goal"], most: Mapping[int, Fraction], ask: Ask) -> Joint | None:
    """Return how much each number adds to the vector, so that its price is nearly least."""
    table = goals[next(iter(most))].table
    end: Fraction | None = None
    squares: dict[str, tuple[Fraction, int]] = {}
    for place, allowed in most.items():
        column = _column(goals[place])
        asked = room_of(goals[place], allowed)
        if column is None:
            end = asked.half**2
        else:
            squares[column] = asked.half**2, asked.width**2
    if not all(half for half, _ in squares.values()):
        return None
    last = _last([*squares.values()])
    x2 = _least(min(last, end or last), [*squares.values()], table.neighbors)
    sizes = {name: _root(half - width * x2) for name, (half, width) in squares.items()}
    scale = _FINE * max(_root(x2), *sizes.values())
    times = {name: round(scale / size) for name, size in sizes.items()}  # exact: rationals
    rows = round(scale / _root(x2))  # exact: rationals
    widest = max(times[name] * table.columns[name].width for name in times)
    if max(rows, widest) > _MOST:
        return None
    return Joint(ask, tuple(times), tuple(times.values()), rows)


def _ends(alpha: Fraction) -> Fraction:
    """Return how much wider Gaussian noise is at the chance that means are asked at."""
    wide = law_in("gdp").widest(_FAR, alpha).half_width(for_interval(alpha))
    return Fraction(wide, _FAR)


def _last(squares: Sequence[tuple[Fraction, int]]) -> Fraction:
    """Return about the largest x^2 that leaves each sum some noise."""
    ends = [half / width for half, width in squares]  # exact: rationals
    return min(ends) * Fraction(_PLACES - 1, _PLACES)


def _shared_price(
    x2: Fraction, squares: Sequence[tuple[Fraction, int]], neighbors: str
) -> Fraction:
    """Return the price at an x^2, but for a factor."""
    parts = [width / (half - width * x2) for half, width in squares]  # exact: rationals
    sums = sum(parts, Fraction(0))
    if neighbors == "add_remove":
        return sums + 1 / x2  # exact: rationals
    return max(4 * sums, 2 * (sums + 1 / x2))  # exact: rationals


def _least(end: Fraction, squares: Sequence[tuple[Fraction, int]], neighbors: str) -> Fraction:
    """Return about the x^2 of the least price, by halving: the price is convex in it."""

    def price(place: int) -> Fraction:
        return _shared_price(end * place / _PLACES, squares, neighbors)  # exact: rationals

    low, high = 1, _PLACES
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if price(middle + 1) < price(middle) else (low, middle)
    return end * low / _PLACES  # exact: rationals


def _root(square: Fraction) -> Fraction:
    """Return a square root, above 0, to about 60 bits behind the point."""
    return Fraction(max(1, isqrt(floor(square * 4**_ROOT))), 2**_ROOT)
