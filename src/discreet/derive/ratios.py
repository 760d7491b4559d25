"""Ratios and shares of released numbers, with intervals that cover (Fieller 1954).

Rules of this module:
- a ratio is shown where its bottom is so large that one of nothing would hardly ever be
  (`post.thresholds`), and its interval then misses with at most alpha, given that it is shown;
- where the bottom cannot be told from 0 an interval of a ratio has no end, and a share is 0 to 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil, isnan, log
from typing import cast

from ..document.document import Document
from ..errors import InputError, shown
from ..exact.number import Number, whole
from ..fix import Do, call
from ..noise.law import Law
from ..post.fieller import End, Parts, Ratio, sum_tail
from ..post.thresholds import for_interval, levels
from ..post.together import level_for
from ..report.additive import Groups, Numbers, Part, axes_in, numbers_of, selected, several
from ..schema import table_of
from ..statistic.ask import known_rows
from ..statistic.catalog import statistic_of
from .derivation import Axes, Keys, derivation
from .derived import DerivedColumn, DerivedNumbers, axes_of, chance_of, derived, rounded, said

_ROUNDING = 2.0**-40  # of an end: more than all rounding on the way to it
_APART = 0.8  # from one level to the next
_OF_ALL = (
    ", so that these are shares of all such pairs of a unit and a group, and no shares of units; "
    "known= takes how many units there are, where that is public"
)
One = tuple[float | None, End, End]
Levels = Sequence[Fraction]


@dataclass(frozen=True, slots=True)
class _Known:
    """Ratios of one pair of noises."""

    top: Parts
    bottom: Parts
    worth: float

    def intervals(
        self, a: Sequence[int], b: Sequence[int], allowed: Sequence[Fraction]
    ) -> tuple[list[End], list[End]]:
        """Return the ends of the intervals of many ratios, each at its level; 0: not told."""
        import numpy as np

        low, high = np.full(len(a), np.nan), np.full(len(a), np.nan)
        at: dict[Fraction, list[int]] = {}
        for place, level in enumerate(allowed):
            at.setdefault(level, []).append(place)
        for level, places in at.items():
            if level:
                found = Ratio(self.top, self.bottom, self.worth, level)
                pairs = [a[place] for place in places], [b[place] for place in places]
                low[places], high[places] = found.intervals(*pairs)
        return _ends(low.tolist()), _ends(high.tolist())


def _ends(found: Sequence[float]) -> list[End]:
    return [None if isnan(end) else end for end in found]


@derivation("ratio", of=2)
def ratio(
    document: Document,
    name: str,
    other: str,
    by: Axes = None,
    *,
    only: Keys = None,
    alpha: Number | None = None,
    together: bool = False,
) -> DerivedNumbers:
    """Return a count or sum over another, such as a rate; free, and none where too few are.

    Args:
        name, other: what is divided, and by what: a count, or a sum of what is never below 0.
        by: the axes that stay; without, all that both have.
        only, alpha, together: as for `total`.

    Raises:
        InputError: there is no such statistic, axis or key, or it cannot be divided by.
    """
    top, bottom = numbers_of(document, name), numbers_of(document, other)
    chance = chance_of(document, alpha)
    _refuse_bottom(document, bottom, name)
    common = [axis for axis in top.axes if axis in bottom.axes]
    kept = axes_in(top.released, common if by is None else by, chooses=True)
    chosen = selected(top.released, {} if only is None else only)
    below = tuple(axis for axis in kept if axis in bottom.axes)
    narrowed = {axis: parts for axis, parts in chosen.items() if axis in bottom.axes}
    over, under = top.folded(kept, chosen), bottom.folded(below, narrowed)
    separate = len(below) == len(kept)
    level = _level(len(over), chance, together=together, separate=separate)
    places, sums = [kept.index(axis) for axis in below], _sums(under)
    pairs = [(sum(part), sums[tuple(group[at] for at in places)]) for group, part in over.items()]
    worth = float(top.step / bottom.step)
    known = _Known(_noise(top.law, over), _noise(bottom.law, under), worth)
    ratios = _ratios(known, pairs, level, cut=_never_negative(document, top))
    recipe = {"derive": "ratio", "of": name, "other": other}
    recipe |= said(by=kept, only=chosen, alpha=chance, together=together)
    return derived(
        document,
        f"{name} over {other}",
        recipe,
        axes=axes_of(top.released, kept),
        index=list(over),
        numbers=_columns(ratios),
        measure="ratio",
        notes=[*_notes(ratios), *_several(document, (top, over), (bottom, under))],
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
    """Return each count's share of the total, or of the total of its group of `by`; free.

    Args:
        name, by, alpha, together: as for `total`.
        known: instead of a noisy total, how many there are in all, where that is public. The
            table's own `rows=` is taken where neighbors replace a row and each row is in a group.

    Raises:
        InputError: there is no such statistic or axis, or it is no count.
    """
    numbers, chance = numbers_of(document, name), chance_of(document, alpha)
    if not numbers.counted:
        raise InputError(
            f"{shown(name)} has no shares.",
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
    level = _level(len(parts), chance, together=together, separate=False)
    own, rest = [(numbers.law, 1)], [(numbers.law, each - 1)]
    odds = (_Known(own, rest, 1.0), _Known(rest, own, 1.0))
    sums = _sums(groups)
    totals = [sums[tuple(part[at] for at in places)] for part in parts]
    allowed = _allowed([(numbers.law, each)], totals, level)
    shares = _shares(odds, numbers.noisy, totals, allowed)
    recipe = {"derive": "share", "of": name, **said(by=within, alpha=chance, together=together)}
    inside = f", within {' and '.join(within)}" if within else ""
    return derived(
        document,
        f"share of {name}{inside}",
        recipe,
        axes=numbers.released.answer.axes,
        index=parts,
        numbers=_columns(shares),
        measure="share",
        notes=[*_notes(shares), *several(document, numbers, each, _OF_ALL)],
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
    half = numbers.law.half_width(level)
    low, values, high = (
        [
            min(max((n + off) * numbers.step / known, Fraction(0)), Fraction(1))
            for n in numbers.noisy
        ]
        for off in (-half, 0, half)
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


def _ratios(
    known: _Known, pairs: Sequence[tuple[int, int]], level: Fraction, *, cut: bool
) -> list[One]:
    allowed = _allowed(known.bottom, [b for _, b in pairs], level)
    ratios: list[One] = []
    ends = known.intervals([a for a, _ in pairs], [b for _, b in pairs], allowed)
    for (a, b), start, end in zip(pairs, *ends, strict=True):
        if start is None or end is None:
            ratios.append((None, 0.0 if cut else None, None))
            continue
        low, high = _outward(start, -1), _outward(end, 1)
        low, high = (max(low, 0.0), max(high, 0.0)) if cut else (low, high)
        ratios.append((min(max(a / b * known.worth, low), high), low, high))
    return ratios


def _shares(
    odds: tuple[_Known, _Known], noisy: Sequence[int], totals: Sequence[int], allowed: Levels
) -> list[One]:
    """Return a / (a + rest): from the odds a / rest, or where a is larger, rest / a."""
    sides = [(a, whole - a) for a, whole in zip(noisy, totals, strict=True)]
    smaller = [a <= rest for a, rest in sides]
    least, most = [min(side) for side in sides], [max(side) for side in sides]
    ends: list[tuple[End, End]] = [(None, None)] * len(sides)
    for known, mine in ((odds[0], True), (odds[1], False)):
        places = [at for at, is_first in enumerate(smaller) if is_first is mine]
        made = known.intervals(
            [least[at] for at in places],
            [most[at] for at in places],
            [allowed[at] for at in places],
        )
        for at, low, high in zip(places, *made, strict=True):
            ends[at] = low, high
    return [_share(*one) for one in zip(sides, allowed, ends, strict=True)]


def _share(side: tuple[int, int], level: Fraction, ends: tuple[End, End]) -> One:
    """Return a / (a + rest) and its ends, from the interval of the smaller over the larger."""
    (a, rest), (start, end), low, high = side, ends, 0.0, 1.0
    if level and a <= rest:
        low, high = _portion(start), 1.0 if end is None else _portion(end)
    elif level:
        low, high = 0.0 if end is None else 1 - _portion(end), 1 - _portion(start)
    low, high = max(0.0, _outward(low, -1)), min(1.0, _outward(high, 1))
    is_shown = (low > 0 or high < 1) and a + rest > 0
    return (min(max(a / (a + rest), low), high) if is_shown else None), low, high


def _portion(odds: End) -> float:
    return 0.0 if odds is None or odds <= 0 else odds / (1 + odds)


def _outward(end: float, sign: int) -> float:
    return end + sign * _ROUNDING * (abs(end) + _ROUNDING)


def _allowed(bottom: Parts, counts: Sequence[int], level: Fraction) -> list[Fraction]:
    """Return the level of each interval, so that it holds given that it is shown; 0: not shown."""
    import numpy as np

    allowed = levels(np.array(counts, dtype=float), sum_tail(bottom), level)
    clear = float(for_interval(level))
    return [_rounded(x, clear) for x in allowed.tolist()]


@lru_cache(maxsize=4096)
def _rounded(level: float, clear: float) -> Fraction:
    """Return a level rounded down to one of few, since each takes a while."""
    if level <= 0:
        return Fraction(0)
    return Fraction(clear * _APART ** ceil(log(level / clear) / log(_APART) - 1e-9))


def _level(many: int, alpha: Fraction, *, together: bool, separate: bool) -> Fraction:
    """Return the level of each of so many, which hold together where that is wanted."""
    if not together:
        return alpha
    return level_for(many, alpha) if separate else alpha / many


def _noise(law: Law, groups: Groups) -> Parts:
    return [(law, _each(groups))]


def _sums(groups: Groups) -> dict[tuple[Part, ...], int]:
    """Return the sum of each group, added up once: many numbers may be compared with it."""
    return {group: sum(part) for group, part in groups.items()}


def _never_negative(document: Document, numbers: Numbers) -> bool:
    """Tell whether a truth cannot be below 0: a count, or a sum of a column that cannot."""
    if numbers.counted:
        return True
    column = numbers.released.question["column"]
    return bool(table_of(document.plan["table"]).columns[column].lower >= 0)


def _refuse_bottom(document: Document, bottom: Numbers, name: str) -> None:
    if not _never_negative(document, bottom):
        raise InputError(
            f"nothing can be divided by {shown(bottom.name)}.",
            why="a column that may be below 0 can add up to 0, and a ratio to that means nothing",
            fix=f"divide {shown(name)} by a count, or by a sum of what is at least 0",
        )


def _refuse_one(name: str, each: int) -> None:
    if each < 2:
        raise InputError(
            f"each number of {shown(name)} is all of its group.",
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


def _columns(ratios: Sequence[One]) -> DerivedColumn:
    values, low, high = zip(*ratios, strict=True)
    return DerivedColumn(values, low, high)


def _notes(ratios: Sequence[One]) -> list[str]:
    few = sum(value is None for value, _, _ in ratios)
    return [f"{few:,} of {len(ratios):,} are of too few to say."] if few else []
