"""Ratios and shares of released numbers, with intervals that cover (Fieller 1954).

Rules of this module:
- a ratio is shown where its bottom is so large that one of nothing would hardly ever be
  (`post.thresholds`), and its interval then misses with at most alpha, given that it is shown;
- where the bottom cannot be told from 0 an interval of a ratio has no end, and a share is 0 to 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from math import ceil, log
from typing import Any, cast

from ..document.document import Document
from ..errors import InputError, shown
from ..exact.number import Number, whole
from ..fix import Do, call
from ..noise.law import Law
from ..post.fieller import Parts, Ratio, sum_tail
from ..post.thresholds import for_interval, levels
from ..post.together import level_for
from ..report.additive import Groups, Numbers, Part, axes_in, numbers_of, selected, several
from ..schema import table_of
from ..statistic.ask import known_rows
from ..statistic.catalog import statistic_of
from .derivation import Axes, Keys, derivation
from .derived import (
    DerivedColumn,
    DerivedNumbers,
    axes_of,
    chance_of,
    derived,
    rounded,
    said,
    scaled,
)
from .narrow import rule_of, shown_by

_ROUNDING = 2.0**-40  # of an end: more than all rounding on the way to it
_APART = 0.8  # from one level to the next
_OF_ALL = (
    ", so that these are shares of all such pairs of a unit and a group, and no shares of units; "
    "known= takes how many units there are, where that is public"
)
_EXACT = 2.0**53  # whole numbers up to here are doubles
Vector = Any  # numpy array of float64


@dataclass(frozen=True, slots=True)
class Allowed:
    """The level of each interval: few of them, and which each has; 0: not shown."""

    levels: Sequence[Fraction]
    which: Vector

    @property
    def shown(self) -> Vector:
        """Whether each is shown."""
        import numpy as np

        return np.array([level > 0 for level in self.levels], dtype=bool)[self.which]

    def at(self, places: Vector) -> "Allowed":
        """Return those of some intervals."""
        return Allowed(self.levels, self.which[places])


@dataclass(frozen=True, slots=True)
class RatioNoise:
    """Ratios of one pair of noises."""

    top: Parts
    bottom: Parts
    worth: float

    def intervals(self, a: Vector, b: Vector, allowed: Allowed) -> tuple[Vector, Vector]:
        """Return the ends of the intervals of many ratios, each at its level; not a number: none.

        Where the level is 0, nothing is told.
        """
        import numpy as np

        low, high = np.full(len(a), np.nan), np.full(len(a), np.nan)
        for number, level in enumerate(allowed.levels):
            places = np.flatnonzero(allowed.which == number)
            if level and places.size:
                noise = Ratio(self.top, self.bottom, self.worth, level)
                low[places], high[places] = noise.intervals(a[places], b[places])
        return low, high


@derivation("ratio", of=2, words={"within": "Show only what is as narrow: 25% of it, or a number."})
def ratio(
    document: Document,
    name: str,
    other: str,
    by: Axes = None,
    *,
    only: Keys = None,
    within: Number | str | None = None,
    alpha: Number | None = None,
    together: bool = False,
) -> DerivedNumbers:
    """Return a count or sum divided by another, such as a rate; free. A group with too few rows has
    no value.

    Args:
        name, other: the statistic to divide, and the divisor: a count, or a sum of a column that is
            never below 0.
        by: the axes that stay; by default all axes of both statistics.
        within: the largest distance between a shown number and an end of its interval: "25%" of the
            number, or a number.
        only: the keys to add up, by axis: {"ward": ["A", "B"]}; for bins, the two ends.
        alpha: the chance that an interval misses; by default the release's own.
        together: whether all intervals hold at once, with probability 1 - alpha.

    Returns: derived numbers, with value, low and high for each group: a quotient, such as 0.5 for a
        half; None if there are too few rows.

    Raises:
        InputError: there is no such statistic, axis or key, or discreet does not divide by this
            statistic.

    Source: Fieller 1954, with the exact law of the noise.

    Example: a rehearsal, whose numbers say nothing.

        >>> visits = [{"ward": ward, "cost": cost} for ward in "AB" for cost in (10, 30)] * 500
        >>> public = {"columns": {"cost": dp.bounds(0, 100, step=1)}, "keys": {"ward": ["A", "B"]}}
        >>> table = dp.table(visits, name="visits", unit="row", **public)
        >>> asked = dp.count(by="ward"), dp.sum("cost", by="ward")
        >>> trial = dp.rehearse(dp.plan(table, *asked, spend=dp.zcdp(1)))
        >>> trial.ratio("sum cost by ward", "count by ward").table().columns
        ('ward', 'value', 'low', 'high')
    """
    top, bottom = numbers_of(document, name), numbers_of(document, other)
    chance = chance_of(document, alpha)
    if top.released is bottom.released:
        raise _itself(name)
    refuse_bottom(document, bottom, name)
    common = [axis for axis in top.axes if axis in bottom.axes]
    kept = axes_in(top.released, common if by is None else by, chooses=True)
    chosen = selected(top.released, {} if only is None else only)
    below = tuple(axis for axis in kept if axis in bottom.axes)
    narrowed = {axis: parts for axis, parts in chosen.items() if axis in bottom.axes}
    over, under = top.folded(kept, chosen), bottom.folded(below, narrowed)
    separate = len(below) == len(kept)
    level = level_of(len(over), chance, together=together, separate=separate)
    places, sums = [kept.index(axis) for axis in below], _sums(under)
    tops = list(map(sum, over.values()))
    bottoms = [sums[group] for group in _picked(list(over), places)]
    worth = float(top.step / bottom.step)
    known = RatioNoise(_noise(top.law, over), _noise(bottom.law, under), worth)
    cut, rule = _never_negative(document, top), rule_of(within)
    made = partial(ratios_of, known, (tops, bottoms), cut=cut)
    shown = shown_by(rule, made, (chance, level), together=together, apart=separate)
    recipe = {"derive": "ratio", "of": name, "other": other, **shown.recipe}
    recipe |= said(by=kept, only=chosen, alpha=chance, together=together)
    index = list(over)
    return derived(
        document,
        f"{name} over {other}",
        recipe,
        axes=axes_of(top.released, kept),
        index=[index[place] for place in shown.places],
        numbers=shown.numbers,
        measure="ratio",
        notes=[
            *shown.notes,
            *few_said(shown.numbers),
            *_several(document, (top, over), (bottom, under)),
        ],
    )


@derivation("share", of=1)
def share(
    document: Document,
    name: str,
    by: Axes = None,
    *,
    known: int | None = None,
    alpha: Number | None = None,
    together: bool = False,
) -> DerivedNumbers:
    """Return each count as a share of the total, or of the total of its group of `by`; free.

    Args:
        name: the statistic: "count by ward and sex".
        by: the axes whose groups have shares that add up to 1; by default all shares together add
            up to 1.
        known: the public number of all rows, instead of a noisy total. By default, `share` takes
            the table's own `rows=` if `neighbors` is "replace" and each row is in a group.
        alpha: the chance that an interval misses; by default the release's own.
        together: whether all intervals hold at once, with probability 1 - alpha.

    Returns: derived numbers, with value, low and high for each group, from 0 to 1.

    Raises:
        InputError: there is no such statistic or axis, or the statistic is not a count.

    Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so your
        numbers, will differ.

        >>> release.share("count by ward").values
        [0.591, 0.409]
    """
    import numpy as np

    numbers, chance = numbers_of(document, name), chance_of(document, alpha)
    if not numbers.counted:
        raise InputError(
            f"{shown(name)} has no shares.",
            kind="does-not-add-up",
            why="a sum may be below 0 in one group and above in another",
            fix="take the ratio of two sums, which says what part one is of the other",
        )
    within = axes_in(numbers.released, () if by is None else by)
    rows = None if within else _public_rows(document, numbers)
    if known is not None or rows is not None:
        rows = rows if known is None else whole(known, "known", least=1)
        return _of_known(document, numbers, cast("int", rows), chance, together=together)
    groups = numbers.folded(within, {})
    each = _each(groups)
    _refuse_one(name, each)
    places = [numbers.axes.index(axis) for axis in within]
    parts = numbers.parts()
    level = level_of(len(parts), chance, together=together, separate=False)
    own, rest = [(numbers.law, 1)], [(numbers.law, each - 1)]
    odds = (RatioNoise(own, rest, 1.0), RatioNoise(rest, own, 1.0))
    sums = _sums(groups)
    totals = [sums[group] for group in _picked(parts, places)]
    allowed = allowed_at([(numbers.law, each)], np.array(totals, dtype=float), level)
    shares = _shares(odds, numbers.noisy, totals, allowed)
    recipe = {"derive": "share", "of": name, **said(by=within, alpha=chance, together=together)}
    inside = f", within {' and '.join(within)}" if within else ""
    return derived(
        document,
        f"share of {name}{inside}",
        recipe,
        axes=numbers.released.answer.axes,
        index=parts,
        numbers=shares,
        measure="share",
        notes=[*few_said(shares), *several(document, numbers, each, _OF_ALL)],
    )


def _public_rows(document: Document, numbers: Numbers) -> int | None:
    """Return the public number of rows, where each of exactly as many is counted in one number."""
    table, asked = table_of(document.plan["table"]), statistic_of(numbers.released.question)
    axes, released = numbers.released.answer.axes, numbers.released.answer
    binned = [axis.name for axis in axes if axis.kind == "bin"]
    all_keys = all(axis.name in table.others for axis in axes if axis.kind == "key")
    if released.measure != "rows" or not axes or not all_keys:
        return None
    return known_rows(table, replace(asked.ask, by=()), binned)


def _of_known(
    document: Document, numbers: Numbers, known: int, chance: Fraction, *, together: bool
) -> DerivedNumbers:
    """Return each number's share of a public number: its own interval, over that number."""
    level = level_for(len(numbers.noisy), chance) if together else chance
    worths = [numbers.step / known] * len(numbers.noisy)
    low, values, high = (
        [min(max(share, Fraction(0)), Fraction(1)) for share in column]
        for column in scaled(numbers, worths, level)
    )
    recipe = {"derive": "share", "of": numbers.name, "known": known}
    return derived(
        document,
        f"share of {numbers.name} in {known:,}",
        recipe | said(alpha=chance, together=together),
        axes=numbers.released.answer.axes,
        index=numbers.parts(),
        numbers=rounded(values, low, high),
        measure="share",
        notes=[f"{known:,} is public: typed, not checked."],
    )


def ratios_of(
    known: RatioNoise, sides: tuple[Sequence[int], Sequence[int]], level: Fraction, *, cut: bool
) -> DerivedColumn:
    """Return ratios of noisy numbers with their ends, each where its bottom is clear of 0.

    Args:
        known: the noise of both.
        sides: the numbers, tops and bottoms.
        level: the chance that an interval that is shown misses.
        cut: whether no truth is below 0.
    """
    import numpy as np

    tops, bottoms = sides
    a, b = np.array(tops, dtype=float), np.array(bottoms, dtype=float)
    low, high = known.intervals(a, b, allowed_at(known.bottom, b, level))
    untold = np.isnan(low) | np.isnan(high)
    low, high = _outward(low, -1), _outward(high, 1)
    if cut:
        low, high = np.maximum(low, 0.0), np.maximum(high, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.minimum(np.maximum(_quotients(tops, bottoms) * known.worth, low), high)
    low[untold], high[untold], values[untold] = 0.0 if cut else np.nan, np.nan, np.nan
    return _columns(values, low, high)


def _shares(
    odds: tuple[RatioNoise, RatioNoise],
    noisy: Sequence[int],
    totals: Sequence[int],
    allowed: Allowed,
) -> DerivedColumn:
    """Return a / (a + rest): from the odds a / rest, or where a is larger, rest / a."""
    import numpy as np

    rests = [whole - part for part, whole in zip(noisy, totals, strict=True)]
    a, rest = np.array(noisy, dtype=float), np.array(rests, dtype=float)
    least, most, is_first = np.minimum(a, rest), np.maximum(a, rest), a <= rest
    low, high = np.zeros(len(a)), np.ones(len(a))
    for known, mine in ((odds[0], True), (odds[1], False)):
        places = np.flatnonzero((is_first == mine) & allowed.shown)
        ends = known.intervals(least[places], most[places], allowed.at(places))
        start, end = _portions(ends[0], 0.0), _portions(ends[1], 1.0)
        low[places], high[places] = (start, end) if mine else (1 - end, 1 - start)
    low, high = np.maximum(0.0, _outward(low, -1)), np.minimum(1.0, _outward(high, 1))
    untold = ~(((low > 0) | (high < 1)) & (np.array(totals, dtype=float) > 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.minimum(np.maximum(_quotients(noisy, totals), low), high)
    values[untold] = np.nan
    return _columns(values, low, high)


def _quotients(tops: Sequence[int], bottoms: Sequence[int]) -> Vector:
    """Return the double nearest to each quotient of whole numbers; what 0 divides is 0."""
    import numpy as np

    a, b = np.array(tops, dtype=float), np.array(bottoms, dtype=float)
    if np.abs(a).max(initial=0) < _EXACT and np.abs(b).max(initial=0) < _EXACT:
        return a / np.where(b == 0, np.inf, b)
    return np.array([x / y if y else 0.0 for x, y in zip(tops, bottoms, strict=True)])


def _portions(odds: Vector, untold: float) -> Vector:
    """Return part over whole of each part over the rest; where that has no end, what is said."""
    import numpy as np

    some = np.maximum(odds, 0.0)
    return np.where(np.isnan(odds), untold, some / (1 + some))


def _outward(ends: Vector, sign: int) -> Vector:
    return ends + sign * _ROUNDING * (abs(ends) + _ROUNDING)


def _columns(values: Vector, low: Vector, high: Vector) -> DerivedColumn:
    """Return numbers as Python has them; what is not a number is None."""
    import numpy as np

    columns: list[list[float | None]] = []
    for numbers in (values, low, high):
        cells = numbers.tolist()
        for at in np.flatnonzero(np.isnan(numbers)).tolist():
            cells[at] = None
        columns.append(cells)
    return DerivedColumn(*columns)


def allowed_at(bottom: Parts, counts: Vector, level: Fraction) -> Allowed:
    """Return the level of each interval, so that it holds given that it is shown; 0: not shown."""
    import numpy as np

    distinct, which = np.unique(counts, return_inverse=True)
    exact, clear = levels(distinct, sum_tail(bottom), level), float(for_interval(level))
    kinds, kind = np.unique(exact, return_inverse=True)
    rounded_down = [_rounded(x, clear) for x in kinds.tolist()]
    few = sorted(set(rounded_down))
    places = {number: at for at, number in enumerate(few)}
    return Allowed(few, np.array([places[x] for x in rounded_down], dtype=int)[kind][which])


@lru_cache(maxsize=4096)
def _rounded(level: float, clear: float) -> Fraction:
    """Return a level rounded down to one of few, since each takes a while."""
    if level <= 0:
        return Fraction(0)
    return Fraction(clear * _APART ** ceil(log(level / clear) / log(_APART) - 1e-9))


def level_of(many: int, alpha: Fraction, *, together: bool, separate: bool) -> Fraction:
    """Return the level of each of so many, which hold together where that is wanted."""
    if not together:
        return alpha
    return level_for(many, alpha) if separate else alpha / many


def _noise(law: Law, groups: Groups) -> Parts:
    return [(law, _each(groups))]


def _sums(groups: Groups) -> dict[tuple[Part, ...], int]:
    """Return the sum of each group, added up once: many numbers may be compared with it."""
    return {group: sum(part) for group, part in groups.items()}


def _picked(
    groups: Sequence[tuple[Part, ...]], places: Sequence[int]
) -> Sequence[tuple[Part, ...]]:
    """Return of each group what it belongs to on some axes."""
    if not places or not groups:
        return [()] * len(groups)
    if len(places) == len(groups[0]):
        return groups
    return [tuple([group[at] for at in places]) for group in groups]


def _never_negative(document: Document, numbers: Numbers) -> bool:
    """Tell whether a truth cannot be below 0: a count, or a sum of a column that cannot."""
    if numbers.counted:
        return True
    column = numbers.released.question["column"]
    return bool(table_of(document.plan["table"]).columns[column].lower >= 0)


def _itself(name: str) -> InputError:
    return InputError(
        f"{shown(name)} would be divided by itself.",
        kind="not-comparable",
        why="it is 1, whatever the noise is",
        fix=Do(call("release.share", name), ", for the part of each group"),
    )


def refuse_bottom(document: Document, bottom: Numbers, name: str) -> None:
    """Raise InputError where what is divided by can be below 0."""
    if not _never_negative(document, bottom):
        raise InputError(
            f"nothing can be divided by {shown(bottom.name)}.",
            kind="not-comparable",
            why="a column that may be below 0 can add up to 0, and a ratio to that means nothing",
            fix=f"divide {shown(name)} by a count, or by a sum of what is at least 0",
        )


def _refuse_one(name: str, each: int) -> None:
    if each < 2:
        raise InputError(
            f"each number of {shown(name)} is the whole of its group.",
            kind="not-comparable",
            why="a share is a part of several numbers",
            fix=Do(call("release.share", name), ", of all of them"),
        )


def _several(document: Document, *sides: tuple[Numbers, Groups]) -> list[str]:
    """Return the sentence on units in several groups, of either side of a ratio."""
    return [
        *dict.fromkeys(
            s for numbers, groups in sides for s in several(document, numbers, _each(groups))
        )
    ]


def _each(groups: Groups) -> int:
    return len(next(iter(groups.values())))


def few_said(numbers: DerivedColumn) -> list[str]:
    """Return the sentence on numbers that are of too few to be told; none where all are."""
    few = sum(value is None for value in numbers.values)
    return [f"{few:,} of {len(numbers.values):,} are of too few to say."] if few else []
