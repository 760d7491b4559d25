"""Flags of reliability: which numbers an office marks, in its own words and by its own thresholds.

Rules of this module:
- a flag follows from a released value and its interval alone, so that it costs nothing;
- the half-width is the larger distance from the value to an end of its interval, and a number that
  stands exactly at a threshold is flagged: what is in doubt is said to be less reliable;
- all is decided in exact fractions: every machine flags the same numbers;
- an interval covers the noise and no sampling error, and so does a flag.

Decision 130.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, get_args

from ..errors import InputError, as_given, shown
from ..exact.number import rational, text_of
from ..fix import Rename, Set, leave_out, nearest_name
from .keys import is_storable

By = Literal["cv", "half_width"]
_SAYS, _OF_FLAG = ("by", "flags"), ("from", "flag", "words", "status")
_MOST_FLAGS, _MOST_LETTERS, _MOST_WORDS = 20, 12, 400
_OURS = ("[c]", "[x]", "[z]", "none")  # marks of numbers that are not there, and of no flag
_RUNS = ("=", "+", "-", "@")  # what a spreadsheet takes for the beginning of a formula
_AT = "about.reliability"
_EXAMPLE = 'write flags = [{ from = "25%", flag = "*", words = "use with caution" }]'


@dataclass(frozen=True, slots=True)
class Flag:
    """One mark.

    Attributes:
        start: from how much on numbers bear it.
        relative: whether that is a part of the value.
        flag: the mark: "E".
        words: its meaning: "use with caution".
        status: the code of it in SDMX's list of observation statuses: "U"; "" for none.
    """

    start: Fraction
    relative: bool
    flag: str
    words: str
    status: str = ""

    def plain(self) -> dict[str, str]:
        """Return it as plain data."""
        start = f"{text_of(100 * self.start)}%" if self.relative else text_of(self.start)
        words = {"from": start, "flag": self.flag, "words": self.words, "status": self.status}
        return {name: text for name, text in words.items() if text}


@dataclass(frozen=True, slots=True)
class Reliability:
    """Which numbers bear which mark; the marks stand in the order of their thresholds.

    Attributes:
        by: the measure of the thresholds: "cv", the half-width over the value and over the normal
            quantile of the interval; or "half_width".
        flags: the marks.
    """

    by: By
    flags: tuple[Flag, ...]

    def plain(self) -> dict[str, Any]:
        """Return what is said, as plain data."""
        return {"by": self.by, "flags": [flag.plain() for flag in self.flags]}

    def flag_of(
        self, value: Fraction, low: Fraction, high: Fraction, quantile: Fraction
    ) -> Flag | None:
        """Return the mark of a number; None where it has none.

        Args:
            value: the number.
            low, high: the ends of its interval.
            quantile: of a normal law, as many deviations as a half-width has.

        Example:
            >>> rule = reliability({"flags": [{"from": "25%", "flag": "*", "words": "caution"}]})
            >>> [rule.flag_of(*map(Fraction, of), Fraction(2)) for of in [(100, 60, 140)]]
            [None]
            >>> rule.flag_of(*map(Fraction, (100, 50, 140)), Fraction(2)).flag
            '*'
        """
        width = max(high - value, value - low)
        reached = [flag for flag in self.flags if self._reaches(flag, abs(value), width, quantile)]
        return reached[-1] if reached else None

    def _reaches(self, flag: Flag, size: Fraction, width: Fraction, quantile: Fraction) -> bool:
        if width == 0:  # an exact number, also an exact 0
            return flag.start == 0
        unit = quantile if self.by == "cv" else Fraction(1)
        return width >= flag.start * unit * (size if flag.relative else 1)


def reliability(argument: object) -> Reliability:
    """Return the marks that an office declares, from its plain data.

    Raises:
        InputError: a name that is not known, a threshold that is no number, or none that rises.

    Example:
        >>> reliability({"flags": [{"from": "25%", "flag": "*", "words": "caution"}]}).by
        'cv'
    """
    if isinstance(argument, Reliability):
        return argument
    parts = _named(argument, _SAYS, "it says by, and flags")
    by = parts.get("by", "cv")
    if by not in get_args(By):
        raise InputError(
            f"by = {as_given(by)} is no measure by which numbers are flagged.",
            kind="publishers-words",
            why="a coefficient of variation and a half-width follow from an interval",
            fix=(Set({"by": "cv"}), Set({"by": "half_width"})),
            at="by",
        )
    listed = parts.get("flags", ())
    if not isinstance(listed, (list, tuple)) or not 0 < len(listed) <= _MOST_FLAGS:
        raise _refused(f"flags = {as_given(listed)} lists no flags.", f"1 to {_MOST_FLAGS} do")
    flags = tuple(sorted(map(_flag, listed), key=lambda flag: flag.start))
    _check_flags(by, flags)
    return Reliability(by, flags)


def _check_flags(by: str, flags: Sequence[Flag]) -> None:
    """Refuse marks of which it cannot be told which a number bears."""
    marks = [flag.flag for flag in flags]
    if len({flag.start for flag in flags}) < len(flags) or len({*marks}) < len(flags):
        raise _refused("two flags have one threshold, or one mark.", "a number bears one of them")
    if any(flag.relative != flags[0].relative for flag in flags if flag.start):
        raise _refused(
            "some thresholds are in percent, and others are not.",
            "a half-width of 10 and one of 10 % of the value have no order",
        )
    if by == "cv" and any(flag.start and not flag.relative for flag in flags):
        raise _refused(
            "the threshold of a coefficient of variation is not in percent.",
            "it is a part of the value; 0.25 could mean either",
        )


def _flag(argument: object) -> Flag:
    parts = _named(argument, _OF_FLAG, f"it says {', '.join(_OF_FLAG)}")
    typed = parts.get("from", "")
    relative = isinstance(typed, str) and typed.rstrip().endswith("%")
    text = str(typed).rstrip().removesuffix("%").rstrip() if relative else typed
    start = rational(text, "from")
    if start < 0:
        raise _refused(f"from = {as_given(typed)} is below 0.", "no interval is so narrow")
    mark = _text("flag", parts.get("flag", ""), _MOST_LETTERS)
    if mark in _OURS:
        raise _refused(f"flag = {as_given(mark)} is taken.", "it says that there is no number")
    words = _text("words", parts.get("words", ""), _MOST_WORDS)
    status = parts.get("status", "")
    if status != "" and not (isinstance(status, str) and status.isalpha() and len(status) <= 2):
        raise _refused(
            f"status = {as_given(status)} is no status of an observation.",
            'the list of SDMX has letters: "U" for low reliability, "E" for an estimate',
        )
    part = start / 100 if relative else start  # exact: rationals
    return Flag(part, relative, mark, words, status)


def _named(argument: object, known: Sequence[str], why: str) -> Mapping[str, Any]:
    if not isinstance(argument, Mapping):
        raise _refused(f"{as_given(argument)} says nothing of reliability.", why)
    for name in map(str, argument):
        if name not in known:
            near = nearest_name(name, known)
            raise InputError(
                f"{_AT} has no {shown(name)}.",
                kind="publishers-words",
                why=why,
                fix=Rename(name, near) if near else leave_out(name),
            )
    return argument


def _text(name: str, value: object, most: int) -> str:
    fits = isinstance(value, str) and 0 < len(value) <= most and is_storable(value)
    if not fits or not str(value).isprintable() or str(value).startswith(_RUNS):
        raise _refused(
            f"{name} = {as_given(value)} is no text of a flag.",
            f"it has 1 to {most} letters and begins as no formula does",
        )
    return str(value)


def _refused(what: str, why: str) -> InputError:
    return InputError(what, kind="publishers-words", why=why, fix=_EXAMPLE, at="flags")
