"""Marks beside numbers: the mark of a number that is not there, and an office's own flags.

Rules of this module:
- a number that is not shown by a rule of publication, one of which there are too few rows to say,
  and one that nobody asked for are three things, and none of them is 0;
- flags follow from numbers as they are shown; days and moments, and ranks of choices, have none.

Decision 130.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from statistics import NormalDist
from typing import TYPE_CHECKING

from ..schema import About
from .accessors import has_choice, kinds_of
from .document import Document, Released
from .numbers import Figure

if TYPE_CHECKING:
    from ..schema.reliability import Flag

HIDDEN, TOO_FEW, NOT_ASKED = "[c]", "[x]", "[z]"  # the shorthand of statistical spreadsheets
WORDS = {
    HIDDEN: "not shown, by a rule of publication that looks at noisy numbers alone; it is not 0",
    TOO_FEW: "not available: there are too few rows to say; its interval is all that is known",
    NOT_ASKED: "not applicable: this was not asked for this group",
}

_BELOW = 1 - Fraction(1, 10**9)  # a quantile in doubles, made smaller: a number is flagged earlier


def flags(document: Document, released: Released, about: About) -> Iterator["Flag | None"]:
    """Return the flag of each number of a question, in the order of its rows.

    Args:
        document: the release.
        released: the question, with its numbers as they are shown.
        about: the publisher's words.
    """
    flag_of = flagging(document, released, about)
    columns = released.answer.rows.columns[-3:]
    yield from (flag_of(*numbers) for numbers in zip(*columns, strict=True))


def flagging(
    document: Document, released: Released, about: About
) -> Callable[[object, object, object], "Flag | None"]:
    """Return what gives a number of a question its flag: by its value, and the interval's ends."""
    rule = about.reliability
    if rule is None or has_choice(released) or kinds_of(document, released)[0] != "number":
        return lambda *_: None
    quantile = quantile_of(Fraction(document.alpha))

    def flag_of(value: object, low: object, high: object) -> "Flag | None":
        if value is None:
            return None
        if low is None or high is None:  # an interval without end
            return rule.flags[-1]
        return rule.flag_of(_exact(value), _exact(low), _exact(high), quantile)

    return flag_of


def flag_words(about: About) -> list[tuple[str, str]]:
    """Return each flag that an office declares, and its meaning with its threshold."""
    rule = about.reliability
    if rule is None:
        return []
    measure = {"cv": "a coefficient of variation", "half_width": "a half-width"}[rule.by]
    return [
        (flag.flag, f"{flag.words} ({measure} of the interval from {flag.plain()['from']} on)")
        for flag in rule.flags
    ]


def quantile_of(alpha: Fraction) -> Fraction:
    """Return how many deviations the half-width of a normal law's interval has, rounded down.

    Example:
        >>> print(f"{float(quantile_of(Fraction(1, 20))):.4f}")
        1.9600
    """
    return Fraction(-NormalDist().inv_cdf(float(alpha) / 2)) * _BELOW


def _exact(number: object) -> Fraction:
    figure: Figure = number  # type: ignore[assignment]  # of a column of numbers
    return Fraction(figure)
