"""Keys that nobody knows beforehand: a column whose keys are found in the data, at a price.

Rules of this module:
- nothing here looks at data; what is declared says how keys are looked for, and what is shown of
  them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..errors import InputError, as_given, shown
from ..exact.number import Number, rational, text_of, whole
from ..fix import BLANK, Set, write
from ..text import piece, prompt
from .keys import Key, check_name, checked_keys, is_storable

OTHER = "other"
LONGEST = 80
MOST_GROUPS = 10_000
_MOST_LETTERS = 1_000
_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Unknown:
    """A column whose keys are found in the data; `discreet.unknown` makes it.

    Attributes:
        max_groups: how many keys of one unit count, when they are looked for and in each question.
        longest: how many letters a key may have; a longer one is never shown.
        share: the part of the plan's loss that finding takes.
        other: what all keys together are called that are not shown; a cell with this text is one
            of them.
        missing: what a missing cell is called as a key; None where its row is in no group.
    """

    max_groups: int
    longest: int = LONGEST
    share: Fraction = _HALF
    other: str = OTHER
    missing: str | None = None

    def plain(self) -> dict[str, object]:
        """Return the declaration as plain data."""
        found: dict[str, object] = {
            "max_groups": self.max_groups,
            "longest": self.longest,
            "share": str(self.share),
            "other": self.other,
        }
        return found if self.missing is None else {**found, "missing": self.missing}

    def __str__(self) -> str:
        return f"unknown, at most {self.max_groups:,} of one unit"

    def __repr__(self) -> str:
        return prompt("Unknown", str(self))

    def _repr_html_(self) -> str:
        return piece(str(self))


def unknown(
    *,
    max_groups: int,
    longest: int = LONGEST,
    share: Number = "1/2",
    other: str = OTHER,
    missing: str | None = None,
) -> Unknown:
    """Declare that nobody knows the keys of a column: those that many units have are found.

    A key that is shown is text from the data, as it stands there. Keys are compared as bytes.

    Args:
        max_groups: how many keys of one unit count: films that one person has seen, for example.
            More show more keys of busy units and cost all the others little; questions by this
            column have it as their own max_groups if they name none.
        longest: how many letters a key may have; longer ones are never shown.
        share: the part of the plan's loss that finding takes, above 0 and below 1.
        other: the name of one more group, of all rows whose key is not shown.
        missing: a name for missing cells, which then are a key like others; without it a row whose
            cell is missing is in no group.

    Raises:
        InputError: a number out of range, or a name that is no text.

    Example:
        >>> unknown(max_groups=30)
        <Unknown unknown, at most 30 of one unit>
    """
    part = rational(share, "share")
    if not 0 < part < 1:
        raise InputError(
            f"share = {text_of(part)} must be above 0 and below 1.",
            why="finding keys takes this part of the loss, and the questions the rest",
            fix=write(share="1/2"),
        )
    groups = whole(max_groups, "max_groups", least=1)
    letters = whole(longest, "longest", least=1)
    for name, found, most in (("max_groups", groups, MOST_GROUPS), ("longest", letters, 1_000)):
        if found > most:
            raise InputError(
                f"{name} = {found:,} is more than {most:,}.",
                why="no useful release needs so much, and each costs time or room",
                fix=Set({name: BLANK}),
            )
    _check_text(other, "other")
    if missing is not None:
        _check_text(missing, "missing")
        if missing == other:
            raise InputError(
                f"other and missing are both called {shown(other)}.",
                why="a group has one name, and a name one group",
                fix=write(missing="?"),
            )
    return Unknown(groups, letters, part, other, missing)


def unknown_of(plain: Mapping[str, Any]) -> Unknown:
    """Return the declaration that `Unknown.plain()` wrote."""
    return unknown(**plain)


def _check_text(text: object, name: str) -> None:
    if isinstance(text, str) and text.strip() and len(text) <= _MOST_LETTERS and is_storable(text):
        return
    raise InputError(
        f"{name} = {as_given(text)} cannot name a group.",
        why="it stands among the keys of a release: Unicode text of at least one letter",
        fix=Set({name: name}),
    )


def keys_of(column: str, given: object) -> tuple[Key, ...]:
    """Return the public keys of a column; none where they are to be found."""
    check_name(column, "keys")
    return () if isinstance(given, Unknown) else checked_keys(column, given)
