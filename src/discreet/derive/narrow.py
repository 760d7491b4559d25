"""Derived numbers that are shown where their own intervals are narrow enough.

An office publishes a change, or a ratio, where it is precise: within 10 points, or a quarter of it.
The rule looks at released numbers alone, so that it is free, and protects nobody: what it leaves
out follows from the release. Which numbers are shown depends on their noise, so that plain
intervals of what is shown may miss more often than they say. Here, of the intervals that are shown
at most alpha miss, in expectation: the false coverage rate.

Proof. Of K numbers R are shown. Intervals at a smaller level hold those at a larger one.
With H = 1 + 1/2 + ... + 1/K and c = alpha / (K H), the interval of each shown number is made at the
level c R. Let p be the least level at which number i is missed, if it is shown; Pr[p <= a] <= a.
Number i adds the mean of [p <= c R] / R to the false coverage rate. With p in ((j - 1) c, j c] it
adds at most 1 / j, because R is at least j; so it adds at most the sum over j of
Pr[(j - 1) c < p <= j c] / j, which is, summed by parts, at most the sum of c j / (j (j + 1)) over j
below K and c K / K: that is c H = alpha / K. There are K of them, whatever noise they share
(Benjamini and Yekutieli 2005, Theorem 4). Where each number has noise of its own, c = alpha / K
(`post.selected`). (C475)

Rules of this module:
- what is left out is left out: it is not said to be anything;
- a rule looks at the interval that a number has by itself, at the alpha that was asked for.

Decision 103.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import fsum

from ..exact.number import Number, text_of
from ..statistic.ask import Publish, Within, within_of
from .derived import DerivedColumn

_ROUNDING = 2.0**-40
End = int | float | None
Made = Callable[[Fraction], DerivedColumn]


@dataclass(frozen=True, slots=True)
class NarrowNumbers:
    """The numbers that are shown.

    Attributes:
        places: which they are, of all.
        numbers: they alone, with the intervals that their rule keeps.
        notes: sentences that a reader of the numbers must know.
        recipe: the rule, as plain data.
    """

    places: list[int]
    numbers: DerivedColumn
    notes: list[str]
    recipe: dict[str, str | int]


def rule_of(within: Number | Within | None) -> Publish | None:
    """Return the rule that was asked for; None where all numbers are shown.

    Raises:
        InputError: it is no error above 0.
    """
    return None if within is None else Publish(within=within_of(within))


def shown_by(
    rule: Publish | None,
    made: Made,
    levels: tuple[Fraction, Fraction],
    *,
    together: bool,
    apart: bool,
) -> NarrowNumbers:
    """Return the numbers that a rule shows, with the intervals that it keeps.

    Args:
        rule: it; None shows all.
        made: the numbers, at the level at which each interval misses.
        levels: the chance that was asked for, and that of each interval where all are shown.
        together: whether all intervals hold at once.
        apart: whether each number has noise of its own.
    """
    alpha, level = levels
    if rule is None:
        numbers = made(level)
        return NarrowNumbers(list(range(len(numbers.values))), numbers, [], {})
    plain = made(alpha)
    places = [at for at in range(len(plain.values)) if _is_shown(rule, plain, at)]
    of = level if together else _level(alpha, len(places), len(plain.values), apart=apart)
    numbers = _chosen(plain if of == alpha else made(of), plain, places)
    notes = _said(rule, alpha, len(places), len(plain.values), together=together)
    return NarrowNumbers(places, numbers, notes, rule.plain())


def _is_shown(rule: Publish, plain: DerivedColumn, at: int) -> bool:
    value, low, high = plain.values[at], plain.low[at], plain.high[at]
    if value is None or low is None or high is None:
        return False
    return rule.shows(value, None, max(value - low, high - value))


def _level(alpha: Fraction, shown: int, among: int, *, apart: bool) -> Fraction:
    """Return the level of each interval of so many that are shown."""
    if not shown:
        return alpha
    level = alpha * shown / among
    return level if apart else level / _harmonic(among)


@lru_cache(maxsize=64)
def _harmonic(many: int) -> Fraction:
    """Return at least 1 + 1/2 + ... + 1 / many."""
    return Fraction(fsum(1 / j for j in range(1, many + 1)) * (1 + _ROUNDING))


def _chosen(numbers: DerivedColumn, plain: DerivedColumn, places: Sequence[int]) -> DerivedColumn:
    """Return some numbers, between ends that hold their plain intervals, too."""
    values = [plain.values[at] for at in places]
    low = [_outer(min, numbers.low[at], plain.low[at]) for at in places]
    high = [_outer(max, numbers.high[at], plain.high[at]) for at in places]
    return DerivedColumn(values, low, high)


def _outer(outer: Callable[[float, float], float], end: End, other: End) -> End:
    return None if end is None or other is None else outer(end, other)


def _said(rule: Publish, alpha: Fraction, shown: int, among: int, *, together: bool) -> list[str]:
    """Return how many are shown, by which rule, and what their intervals keep."""
    within = rule.within or Within(Fraction(1))
    of = " of the value" if within.relative else ""
    sure = f"{text_of(100 * (1 - alpha))} %"
    if together:
        kept = "all intervals hold at once, those that are shown among them"
    else:
        kept = f"of the intervals that are shown at least {sure} hold, in expectation"
    return [
        f"{shown:,} of {among:,} numbers are shown: where the own interval reaches at most "
        f"{within.plain()}{of} off; {kept}.",
        "What is left out follows from the release: this hides nothing.",
    ]
