"""Which way tells a quantile nearest, and from how many bins: what nobody said, by public facts.

Rules of this module:
- it sees the loss, the bounds, and sizes that are public: `rows=` of the question, or the rows of
  the table shared out evenly over its groups; never data;
- where no size is public, groups of `ROWS` rows are compared, and bounds are cut as finely as ever,
  unless no such group would then be told;
- a method that somebody named is taken, and so are bins that somebody gave;
- what is left open is another way only where its value is clearly nearer than a curve's; a choice,
  which tells no number of rows, only under pure loss, and where it is clearly nearer than all;
- a wanted error is in ranks, which coarser bins would keep for less: it leaves nothing open, and is
  kept by a curve;
- a curve that nobody named leans to the end that its quantiles lie nearer to, where that has less
  noise in ranks with its number of bins, and its loss is not pure.

How near a value is, `post/value_error.py` says. All this decides only what is asked: intervals hold
for any data.

Decisions 91, 152 and 156.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from ..errors import InputError
from ..exact.number import rounded
from ..noise.law import Law
from ..post.value_error import UNTOLD, error_of_choice, error_of_vector
from ..schema import Table
from ..sensitivity import Sensitivity
from ..statistic.chosen_quantile import ChosenQuantile
from ..statistic.edges import BINS, Cuts
from ..statistic.leaning import leans, tells_more
from ..statistic.quantile import Quantile
from ..statistic.statistic import Statistic
from .line import Line
from .within import ROWS, level_of

if TYPE_CHECKING:
    from .plan import Plan

Way = Quantile | ChosenQuantile

_CLEARLY = Fraction(4, 5)  # of the error: from here on another way is taken
_COUNTS = (8, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, BINS)
_CURVES = (16, 64, 256, BINS)
_FEWER = 32  # bins that a plan proposes
_WIDE = Fraction(1, 50)  # of the rows of a group: an interval of more ranks is called wide
_LESS = Fraction(3, 5)


def settled(plan: "Plan") -> list[Statistic]:
    """Return the questions of a plan, with each that left its method or its bins open decided."""
    asked = [line.asked for line in plan.lines]
    known = {str(question.plain()) for question in asked}
    for place, line in enumerate(plan.lines):
        if isinstance(line.asked, Quantile):
            best = _settled(plan, line, line.asked)
            if str(best.plain()) not in known:
                asked[place] = best
    return asked


def _settled(plan: "Plan", line: Line, question: Quantile) -> Way:
    """Return a question as it is best asked; as it is where nothing is clearly better."""
    way = _best(plan, line, question)
    if question.method or not leans(question.at):
        return way
    if isinstance(way, Quantile) and way.method != "histogram":  # named: another loss keeps it
        return replace(way, method=_curve(plan, way, way.at))
    return way


def _curve(plan: "Plan", way: Way, at: tuple[Fraction, ...]) -> Literal["curve", "tail"]:
    """Return which curve has less noise in the ranks of quantiles."""
    bins = len(way.cuts.edges(plan.table, way.column)) - 1
    return "tail" if plan.spend.kind != "pure" and tells_more(bins, at) else "curve"


def _best(plan: "Plan", line: Line, question: Quantile) -> Way:
    """Return the nearest of the ways in which a question can be asked."""
    is_settled = question.method == "tail" or (question.method and not question.cuts.is_open)
    if is_settled or question.ask.within is not None:
        return question
    rows = rows_of(plan.table, question)
    bought = _buying(plan, line)
    now = _near(question, bought(question), plan.table, rows or ROWS)
    most = _CLEARLY * now if question.cuts.is_open else now
    best: tuple[Fraction, Way] = (most, question)
    is_sized = rows is not None or now >= UNTOLD
    for way in _ways(plan, question, is_sized=is_sized):
        try:
            error = _near(way, bought(way), plan.table, rows or ROWS)
        except InputError:  # a loss that no choice is made for, an alpha, too many cells
            continue
        if error < best[0] * (_CLEARLY if isinstance(way, ChosenQuantile) else 1):
            best = error, way
    return best[1]


def _ways(plan: "Plan", question: Quantile, *, is_sized: bool) -> Iterator[Way]:
    """Yield the ways in which an open question can be asked."""
    width = plan.table.columns[question.column].width + 1
    finest = Cuts(min(BINS, width))
    if question.method != "curve":
        counts = [Cuts(n) for n in _COUNTS if n < width] if is_sized else []
        for cuts in [*counts, finest] if question.cuts.is_open else [question.cuts]:
            yield replace(question, cuts=cuts, method="histogram")
    if question.method != "histogram" and question.cuts.is_open and is_sized:
        for cuts in [Cuts(n) for n in _CURVES if n < min(width, BINS)]:
            yield replace(question, cuts=cuts, method="curve")
    chosen = question.instead() if question.method is None else None
    if chosen is not None and plan.spend.kind == "pure":
        yield chosen


def _buying(plan: "Plan", line: Line) -> Callable[[Way], tuple[Law, ...]]:
    """Return what says which noise a way gets at the price of a line; found once where alike."""
    laws: dict[tuple[bool, int, Sensitivity], tuple[Law, ...]] = {}

    def bought(way: Way) -> tuple[Law, ...]:
        aggregates = way.aggregates(plan.table)
        level_of(way, plan.table, aggregates, plan.alpha)
        alike = isinstance(way, Quantile), len(aggregates), aggregates[0].paid
        if alike not in laws:
            goal = replace(plan.goal(line), statistic=way, aggregates=aggregates)
            laws[alike] = goal.divided(line.share.times(Fraction(1, len(aggregates))))[1]
        return laws[alike]

    return bought


def rows_of(table: Table, question: Way) -> int | None:
    """Return how many rows a group is likely to have, where that is public; else None."""
    if question.ask.rows is not None or table.facts.rows is None:
        return question.ask.rows
    is_part = question.ask.where is not None or table.condition is not None
    if is_part or any(column in table.unknown for column in question.ask.by):
        return None
    return max(1, table.facts.rows // table.groups(question.ask.by))


def _near(way: Way, laws: tuple[Law, ...], table: Table, rows: int) -> Fraction:
    """Return about how far off a value is, as a part of the bounds: half of all are nearer."""
    bins = len(way.cuts.edges(table, way.column)) - 1
    if isinstance(way, ChosenQuantile):
        return error_of_choice(laws[1].size_up(), way.at, bins, rows)
    return error_of_vector(laws[0].variance(), way.at, way.kernel(bins), way.beside, rows)


def nearer(plan: "Plan", line: Line) -> Iterator[str]:
    """Yield what a plan says of a quantile: what fewer bins give, and whose value lies nearer."""
    question = line.asked
    if not isinstance(question, Way) or line.shared or question.ask.within is not None:
        return
    bought = _buying(plan, line)
    try:
        yield from _fewer(plan, line, question, bought)
        if isinstance(question, Quantile):
            yield from _upright(plan, line, question, bought)
            yield from _nearer(plan, line, question, bought)
    except InputError:  # a loss that no choice is made for, or an alpha
        return


def _nearer(
    plan: "Plan", line: Line, question: Quantile, bought: Callable[[Way], tuple[Law, ...]]
) -> Iterator[str]:
    """Yield where the value of a choice lies nearer, though its interval is wider."""
    chosen, rows = question.instead(), rows_of(plan.table, question) or ROWS
    if chosen is None:
        return
    laws = bought(chosen)
    now = _near(question, line.laws, plan.table, rows)
    near = _near(chosen, laws, plan.table, rows)
    half = chosen.expected(plan.table, laws, plan.level(line)).half_width
    times = now / near  # exact: rationals
    if times > 1 / _CLEARLY and half >= _half(plan, line):  # exact: rationals
        yield (
            f'{question.label}: with method = "choice" its value lies about {rounded(times, 2)} '
            f"times nearer at the same price, of some {rows:,} rows, and its interval is wider, "
            f"±{rounded(half)} ranks."
        )


def _upright(
    plan: "Plan", line: Line, question: Quantile, bought: Callable[[Way], tuple[Law, ...]]
) -> Iterator[str]:
    """Yield what a curve gives in place of one that leans, paid by sums of sizes."""
    if question.method != "tail" or plan.spend.kind != "pure":
        return
    way = replace(question, method="curve")
    now = _half(plan, line)
    half = way.expected(plan.table, bought(way), plan.level(line)).half_width
    if half < now:
        yield (
            f'{question.label}: method = "curve" is nearer at the same price under pure epsilon, '
            f"±{rounded(half)} ranks in place of ±{rounded(now)}."
        )


def _fewer(
    plan: "Plan", line: Line, question: Way, bought: Callable[[Way], tuple[Law, ...]]
) -> Iterator[str]:
    """Yield what fewer bins would give, where nobody said how many and the interval is wide."""
    bins = len(question.cuts.edges(plan.table, question.column)) - 1
    if rows_of(plan.table, question) or not question.cuts.is_open or bins <= _FEWER:
        return
    now = _half(plan, line)
    if now <= _WIDE * ROWS:
        return
    of, fewer, shares = question.column, Cuts(_FEWER), _shares(question)
    way = Quantile(of, shares, fewer, question.ask, question.name, "histogram")
    half = way.expected(plan.table, bought(way), plan.level(line)).half_width
    if half <= _LESS * now:
        yield (
            f'{question.label} ±{rounded(half)} ranks with bins = {_FEWER}, method = "histogram" '
            "at the same price; with rows = of a group a plan chooses how many."
        )


def asked_apart(plan: "Plan") -> Iterator[str]:
    """Yield which quantiles of a plan one question would tell from one vector, and how near."""
    alike: dict[object, list[tuple[Line, Way]]] = {}
    for line in plan.lines:
        question = line.asked
        if isinstance(question, Way) and question.ask.within is None:
            rows = replace(question.ask, weight=1, rows=None)
            alike.setdefault((question.column, rows), []).append((line, question))
    for several in alike.values():
        if len(several) > 1:
            yield _as_one(plan, several)


def _as_one(plan: "Plan", several: list[tuple[Line, Way]]) -> str:
    """Return the question that tells several quantiles at once, at the price of all of them."""
    (line, first), *_ = several
    shares = sorted({share for _, question in several for share in _shares(question)})
    vectors = [question for _, question in several if isinstance(question, Quantile)]
    way = vectors[0] if vectors else first
    method = way.method if isinstance(way, Quantile) else "histogram"
    if method == "tail":
        method = _curve(plan, way, tuple(shares))
    one = Quantile(first.column, tuple(shares), way.cuts, first.ask, "quantile", method)
    price = line.share
    for other, _ in several[1:]:
        price = price.plus(other.share)
    goal = replace(plan.goal(line), statistic=one, aggregates=one.aggregates(plan.table))
    half = one.expected(plan.table, goal.divided(price)[1], plan.level(line)).half_width
    widest = max(_half(plan, other) for other, _ in several)
    names = " and ".join(question.label for _, question in several)
    return (
        f"{names} are paid for one by one, and may cross: {one.label} is one question for the same "
        f"price, ±{rounded(half)} ranks in place of ±{rounded(widest)}."
    )


def _shares(question: Way) -> tuple[Fraction, ...]:
    return question.at if isinstance(question, Quantile) else (question.at,)


def _half(plan: "Plan", line: Line) -> Fraction:
    return line.statistic.expected(plan.table, line.laws, plan.level(line)).half_width
