"""One group over another group of the same statistic, and its change against it in percent.

Rules of this module:
- a baseline is a group, several together, or their median; what is compared with it is every other
  group, so that no noise is in both and no number is taken over itself;
- a ratio to a sum has the interval of `ratio`; a ratio is shown where its baseline is so large that
  one of nothing would hardly ever be (`post.thresholds`), of a median each number of the baseline;
- a change is 100 times (the ratio less 1), and no more: its ends are those of the ratio, moved;
- means and their like do not add up, and are compared by their intervals (`baselines_of_means`).

Proof for a median. Of a baseline of m groups, number i is over its line with chance p(i), and is
then held by an interval at a level at which it is over the line and missed with at most
(alpha / 2m) p(i) (`post.thresholds`). Their noise is separate: all are over their lines, and one of
them is missed, with at most alpha / 2 times the product of the p(i), which is the chance that all
are. Where none is missed the median lies between the median of the low ends and that of the high
ends, because a median grows with each number. The number above has noise of its own, and misses
with at most alpha / 2, whatever the baseline is. So a ratio misses with at most alpha given that
all of its baseline are over their lines. (C460)

Decisions 100 and 103.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import median as median_of
from typing import Any

from ..document.accessors import has_linear
from ..document.document import Document, Released
from ..errors import InputError, shown
from ..exact.number import Number
from ..post.interval import down, up
from ..report.additive import (
    Groups,
    Numbers,
    Part,
    compared_of,
    numbers_of,
    parts_of,
    selected,
    several,
)
from ..statistic.ask import Publish
from .derivation import Keys, Side, derivation
from .derived import DerivedColumn, DerivedNumbers, chance_of, derived, plainly, said, sharing
from .differences import selection_text
from .narrow import rule_of, shown_by
from .ratios import (
    RatioNoise,
    allowed_at,
    few_said,
    level_of,
    ratios_of,
    refuse_bottom,
)

One = tuple[float | None, float | None, float | None]
Chosen = Mapping[str, frozenset[Part]]
_WORDS = {
    "within": "Show only what is as narrow: 25% of it, or a number.",
    "baseline": "What each other group is compared with.",
    "median": "The median of the baseline's groups, not their sum.",
}


@derivation("relative", of=1, words=_WORDS)
def relative(
    document: Document,
    name: str,
    baseline: Side,
    *,
    median: bool = False,
    only: Keys = None,
    within: Number | str | None = None,
    alpha: Number | None = None,
    together: bool = False,
) -> DerivedNumbers:
    """Return each group divided by a baseline, separately in each group of the other axes; free.
    1.2 means a fifth more than the baseline.

    Args:
        name: the statistic: a count, or a sum or a mean of a column that is never below 0.
        baseline: a key, or a dict of axes and keys: {"year": 2019}; several keys are added up.
        median: whether to compare with the median of the baseline's groups, instead of their sum.
        only: the groups to compare; by default all groups outside of the baseline.
        within: the largest distance between a shown number and an end of its interval: "25%" of the
            number, or a number.
        alpha: the chance that an interval misses; by default the release's own.
        together: whether all intervals hold at once, with probability 1 - alpha.

    Returns: derived numbers, with value, low and high for each other group: the number of the
        group, divided by the number of the baseline.

    Raises:
        InputError: there is no such statistic, axis or key, or no key is left beside the baseline.

    Source: Fieller 1954, with the exact law of the noise.

    Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so your
        numbers, will differ.

        >>> release.relative("count by ward", "A").values
        [0.692]
    """
    sides, rule = _sides(document, name, baseline, only, median=median), rule_of(within)
    chance = chance_of(document, alpha)
    return _told("relative", document, sides, (chance, rule), together=together)


@derivation("change", of=1, words=_WORDS)
def change(
    document: Document,
    name: str,
    baseline: Side,
    *,
    median: bool = False,
    only: Keys = None,
    within: Number | str | None = None,
    alpha: Number | None = None,
    together: bool = False,
) -> DerivedNumbers:
    """Return the change of each group against a baseline, in percent of the baseline; free.

    Args:
        name: the statistic: a count, or a sum or a mean of a column that is never below 0.
        baseline: a key, or a dict of axes and keys: {"year": 2019}; several keys are added up.
        median: whether to compare with the median of the baseline's groups, instead of their sum.
        only: the groups to compare; by default all groups outside of the baseline.
        within: the largest distance between a shown number and an end of its interval: "25%" of the
            number, or 10 for 10 points.
        alpha: the chance that an interval misses; by default the release's own.
        together: whether all intervals hold at once, with probability 1 - alpha.

    Returns: derived numbers, with value, low and high for each other group, in percent of the
        baseline: -30.8 is about a third less.

    Raises:
        InputError: there is no such statistic, axis or key, or no key is left beside the baseline.

    Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so your
        numbers, will differ.

        >>> release.change("count by ward", "A").values
        [-30.8]
    """
    sides, rule = _sides(document, name, baseline, only, median=median), rule_of(within)
    chance = chance_of(document, alpha)
    return _told("change", document, sides, (chance, rule), together=together)


@dataclass(frozen=True, slots=True)
class Sides:
    """What is compared, and with what.

    Attributes:
        document, released: the release, and the statistic.
        numbers: its integers, where they add up.
        base: the keys of the baseline, by axis.
        chosen: which keys are compared.
        tops: each group that is compared, its keys of all other axes, and the row of its number.
        bottoms: by the keys of all other axes, the rows of the baseline's numbers.
        median: whether the median of the baseline is meant.
    """

    document: Document
    released: Released
    numbers: Numbers | None
    base: Chosen
    chosen: Chosen
    tops: Sequence[tuple[tuple[Part, ...], tuple[Part, ...], int]]
    bottoms: Groups
    median: bool

    @property
    def each(self) -> int:
        """How many numbers are in each baseline."""
        return len(next(iter(self.bottoms.values())))

    @property
    def apart(self) -> bool:
        """Whether no two of what is compared have a baseline together."""
        return len(self.tops) == len(self.bottoms)


def _sides(document: Document, name: str, baseline: Side, only: Keys, *, median: bool) -> Sides:
    """Return both sides of the comparison, or raise InputError."""
    released, numbers = compared_of(document, name), None
    if released.answer.adds_up or has_linear(released):
        numbers = numbers_of(document, name)
        refuse_bottom(document, numbers, name)
    base = selected(released, baseline, "baseline")
    chosen = selected(released, {} if only is None else only)
    if chosen.keys() >= base.keys() and all(base[axis] & chosen[axis] for axis in base):
        raise _itself(name)
    names = [axis.name for axis in released.answer.axes]
    rest = [at for at, axis in enumerate(names) if axis not in base]
    bottoms: Groups = {}
    tops = []
    for row, parts in enumerate(parts_of(released)):
        of, by_axis = tuple(parts[at] for at in rest), dict(zip(names, parts, strict=True))
        if all(by_axis[axis] in keys for axis, keys in base.items()):
            bottoms.setdefault(of, []).append(row)
        elif all(by_axis[axis] in keys for axis, keys in chosen.items()):
            tops.append((parts, of, row))
    if not tops:
        raise _itself(name)
    sides = Sides(document, released, numbers, base, chosen, tops, bottoms, median)
    if numbers is None:
        from .baselines_of_means import check_means

        check_means(sides)
    return sides


def _told(
    kind: str,
    document: Document,
    sides: Sides,
    asked: tuple[Fraction, Publish | None],
    *,
    together: bool,
) -> DerivedNumbers:
    """Return the ratios, or the changes that they are, with how they are made again."""
    (alpha, rule), percent = asked, kind == "change"
    level = level_of(len(sides.tops), alpha, together=together, separate=_separate(sides))

    def made(at: Fraction) -> DerivedColumn:
        ratios = _compared(sides, at)
        if not percent:
            return ratios
        return _columns(
            [_in_percent(*row) for row in zip(ratios.values, ratios.low, ratios.high, strict=True)]
        )

    shown = shown_by(rule, made, (alpha, level), together=together, apart=_separate(sides))
    name, base = sides.released.label, selection_text(sides.base)
    base = ("the median of " if sides.median else "") + base
    named: dict[str, Any] = {"derive": kind, "of": name, "baseline": plainly(sides.base)}
    named |= {**({"median": True} if sides.median else {}), **shown.recipe}
    return derived(
        document,
        f"{_AS[percent][0]}{name}{_AS[percent][1]}{base}",
        named | said(only=sides.chosen, alpha=alpha, together=together),
        axes=sides.released.answer.axes,
        index=[sides.tops[place][0] for place in shown.places],
        numbers=shown.numbers,
        measure="percent" if percent else "ratio",
        notes=[*shown.notes, *few_said(shown.numbers), *_in_several(sides)],
    )


_AS = {False: ("", " relative to "), True: ("change in percent of ", " against ")}


def _in_several(sides: Sides) -> list[str]:
    """Return the sentence on units that are in several groups of a baseline."""
    if sides.numbers is None:
        return []
    return several(sides.document, sides.numbers, 1 if sides.median else sides.each)


def _itself(name: str) -> InputError:
    return InputError(
        f"a number of {shown(name)} would be taken over itself.",
        kind="not-comparable",
        why="its noise would be above and below: what is compared is not in the baseline",
        fix="leave in baseline fewer keys, and in only none of them",
    )


def _separate(sides: Sides) -> bool:
    """Tell whether no two of the numbers that are made share any noise."""
    return sides.apart and (
        sides.numbers is not None or sharing(sides.document, sides.released.label) == 1
    )


def _compared(sides: Sides, level: Fraction) -> DerivedColumn:
    """Return the ratios and their ends, each at a level."""
    if sides.numbers is None:
        from .baselines_of_means import over_means

        return _columns(over_means(sides, level))
    noisy, law = sides.numbers.noisy, sides.numbers.law
    if sides.median:
        return _columns(_over_medians(sides, sides.numbers, level))
    sums = {of: sum(noisy[row] for row in rows) for of, rows in sides.bottoms.items()}
    known = RatioNoise([(law, 1)], [(law, sides.each)], 1.0)
    both = [noisy[row] for _, _, row in sides.tops], [sums[of] for _, of, _ in sides.tops]
    return ratios_of(known, both, level, cut=True)


def _columns(numbers: Sequence[One]) -> DerivedColumn:
    return DerivedColumn(*map(list, zip(*numbers, strict=True)))


def _over_medians(sides: Sides, numbers: Numbers, level: Fraction) -> list[One]:
    """Return ratios to the median of each baseline."""
    half = numbers.law.half_width(level / 2)
    medians = dict(zip(sides.bottoms, _medians(sides, numbers, level / 2), strict=True))
    return [_over(numbers.noisy[row], half, medians[of]) for _, of, row in sides.tops]


_Median = tuple[Fraction, Fraction, Fraction] | None  # low end, value, high end


def _medians(sides: Sides, numbers: Numbers, level: Fraction) -> list[_Median]:
    """Return the median of each baseline with its ends; None where one is below the line."""
    import numpy as np

    law = numbers.law
    made: list[_Median] = []
    bottoms = [[numbers.noisy[row] for row in rows] for rows in sides.bottoms.values()]
    flat = np.array([n for part in bottoms for n in part], dtype=float)
    allowed = allowed_at([(law, 1)], flat, level / sides.each)
    levels = iter([allowed.levels[at] for at in allowed.which.tolist()])
    for part in bottoms:
        at = [next(levels) for _ in part]
        if not all(at):
            made.append(None)
            continue
        halves = [law.half_width(one) for one in at]
        low = [n - half for n, half in zip(part, halves, strict=True)]
        high = [n + half for n, half in zip(part, halves, strict=True)]
        made.append((_middle(low), _middle(part), _middle(high)))
    return made


def _middle(numbers: Sequence[int]) -> Fraction:
    return Fraction(median_of(map(Fraction, numbers)))


def _over(a: int, half: int, base: _Median) -> One:
    """Return a number over a median, and the ends: at least 0, as the truth is."""
    if base is None or base[0] <= 0:
        return None, 0.0, None
    least, middle, most = base
    low, high = max(a - half, 0) / most, max(a + half, 0) / least
    value = min(max(a / middle, low), high)
    return float(value), _down(low), _up(high)


def _in_percent(value: float | None, low: float | None, high: float | None) -> One:
    """Return a ratio and its ends as a change in percent, ends outward."""
    moved = [None if x is None else 100 * (Fraction(x) - 1) for x in (value, low, high)]
    told, start, end = moved
    return (
        None if told is None else float(told),
        None if start is None else _down(start),
        None if end is None else _up(end),
    )


def _down(x: Fraction) -> float:
    return down(x.numerator, x.denominator)


def _up(x: Fraction) -> float:
    return up(x.numerator, x.denominator)
