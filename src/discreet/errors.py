"""All exceptions of discreet: one class for each person who must act.

Rules of this module:
- a message has three parts: what happened, why, and what to type next;
- it may speak of the schema, the parameters and the public keys, never of a row or a count of rows;
- the exit code of the command line belongs to the class;
- each raise names its kind, `errors.md` explains it, and tools/house.py looks.

Decision 127.
"""

from collections.abc import Callable, Iterable
from datetime import date, time
from decimal import Decimal
from fractions import Fraction
from typing import Self

from .fix import Fix, Say, Ways, at_fault, in_python, ways_of

_FEW = 8
_NAMES = 300  # letters of all names in a refusal
_AS_TEXT = (Fraction, Decimal, date, time)


class DiscreetError(Exception):
    """Base of all errors of discreet; its text is three lines.

    Args:
        what: a sentence about what happened, with both numbers.
        why: the reason, as a clause.
        kind: the kind of this error, for `discreet explain`; "" for none.
        fix: the next step: a text, or data that Python, plan files and the command line each spell
            (see `fix`).
        at: the setting at fault, if the fix begins with another setting.

    Attributes:
        kind: its kind, such as "bounds-missing".
        ways: the fix as data.
        at: the setting at fault, one name for each depth; () where there is none.
    """

    exit_code = 1

    def __init__(
        self,
        what: str,
        *,
        why: str,
        fix: Fix,
        kind: str = "",
        at: str | tuple[str | int, ...] = "",
    ) -> None:
        super().__init__(what)
        self.kind = kind
        self.what = _one_line(what)
        self.why = _one_line(why)
        self.ways = ways_of(fix)
        self.fix = _one_line(in_python(self.ways))
        self.at = (at,) if isinstance(at, str) and at else tuple(at) or at_fault(self.ways)

    def spelled(self, spell: Callable[[Ways], str], place: str = "") -> Self:
        """Return this error with its fix as a face spells it, after the place that it is about."""
        if place:
            self.what = f"{_one_line(place)}: {self.what}"
        self.fix = _one_line(spell(self.ways))
        self.ways = (Say(self.fix),)
        return self

    def plain(self) -> dict[str, str]:
        """Return the three parts by name."""
        return {"what": self.what, "why": self.why, "fix": self.fix}

    def __str__(self) -> str:
        return f"{self.what}\n  why: {self.why}\n  fix: {self.fix}"


class InputError(DiscreetError, ValueError):
    """The caller must act: a parameter, a plan file or a declared schema is wrong."""

    exit_code = 2


class UnknownNameError(InputError, AttributeError):
    """The caller must act: `discreet` has no such name; `hasattr` says so, too."""


class CallError(InputError, TypeError):
    """The caller must act: a public function takes no such setting, or lacks one."""


class BudgetError(DiscreetError):
    """The budget's owner must act: a plan does not fit into what is left."""

    exit_code = 3


class LedgerError(DiscreetError):
    """The keeper of the ledger must act: the ledger file is missing, unreadable, locked or
    changed."""

    exit_code = 4


class EngineError(DiscreetError):
    """The operator of the engine must act: the data could not be read or counted."""

    exit_code = 5


class VerifyError(DiscreetError):
    """The publisher of a release must act: the release differs from the plan, the payment or the
    stored answer."""

    exit_code = 6


class InternalError(DiscreetError):
    """The authors of discreet must act: this error should be impossible; please report it."""

    exit_code = 70


def shown(text: object, limit: int = 80) -> str:
    """Return a caller's own text so that a terminal can show it: escaped and cut to `limit`."""
    plain = visible(str(text))
    return plain if len(plain) <= limit else plain[: limit - 1] + "…"


def names_shown(names: Iterable[object], between: str = ", ") -> str:
    """Return names in a refusal, one behind the other, cut where they are very many."""
    return shown(between.join(map(str, names)), _NAMES)


def visible(text: str) -> str:
    """Return text that cannot steer a terminal: control and direction characters are escaped."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def as_given(value: object, *, bare: bool = False) -> str:
    """Return what a caller gave, as Python writes it; of what can hold data, its type alone.

    Text that is not empty stands without quotation marks where `bare` is true.
    """
    if bare and isinstance(value, str) and value.strip():
        return shown(value)
    listed = isinstance(value, (list, tuple)) and len(value) <= _FEW
    if _is_plain(value) or (listed and all(map(_is_plain, value))):  # type: ignore[call-overload]
        try:
            return shown(value if isinstance(value, _AS_TEXT) else repr(value))
        except ValueError:  # Python refuses to write so long a number
            return "a number of very many digits"
    name = shown(type(value).__name__)
    return f"{'an' if name[:1] in 'AEIOUaeiou' else 'a'} {name}"


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, (bool, int, float, str, bytes, *_AS_TEXT))


def _one_line(text: str) -> str:
    return " ".join(text.split("\n"))
