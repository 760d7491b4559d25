"""Keys that nobody knows beforehand: a column whose keys are found in the data, at a price.

Rules of this module:
- nothing here looks at data; what is declared says how keys are looked for, and what is shown of
  them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from ..errors import InputError, as_given, shown
from ..exact.number import Number, rational, text_of, whole
from ..expressions import Typed
from ..fix import BLANK, Set, name_columns, write
from ..text import pasted, piece, prompt
from .keys import Key, check_name, checked_keys, is_storable

OTHER = "other"
BETWEEN = " | "  # the texts of a key that is made of several columns
LONGEST = 80
MOST_GROUPS = 10_000
_MOST_LETTERS = 1_000


@dataclass(frozen=True, slots=True)
class Unknown:
    """A column whose keys discreet finds in the data; `discreet.unknown` makes it.

    Attributes:
        max_groups: the largest number of keys in which one unit counts, in the search for keys and
            in each question.
        longest: the largest number of letters of a key; a longer key is never shown.
        share: the part of the plan's loss that pays for finding keys; None if you declared no
            share.
        other: the name of the group of all hidden keys; a cell with this text belongs to this
            group.
        missing: the key of missing cells; None if a row with a missing cell is in no group.
        of: the columns whose cells make a key; empty if a key is one cell of this column.
    """

    max_groups: int
    longest: int = LONGEST
    share: Fraction | None = None
    other: str = OTHER
    missing: str | None = None
    of: tuple[str, ...] = ()

    @property
    def tree(self) -> Typed | None:
        """How the keys of several columns are made of a row; None where a cell is the key."""
        return _tree(self.of, self.missing) if self.of else None

    def parts(self, key: str) -> tuple[str, ...]:
        """Return the texts that a key was made of, one for each column.

        Example:
            >>> dp.unknown(max_groups=9, of=["start", "end"]).parts("Bonn | East||West")
            ('Bonn', 'East|West')
        """
        return tuple(part.replace("||", "|") for part in key.split(BETWEEN)) if self.of else (key,)

    def plain(self) -> dict[str, object]:
        """Return the declaration as plain data."""
        plain: dict[str, object] = {
            "max_groups": self.max_groups,
            "longest": self.longest,
            "other": self.other,
        }
        if self.share is not None:
            plain["share"] = str(self.share)
        if self.missing is not None:
            plain["missing"] = self.missing
        return {**plain, "of": list(self.of)} if self.of else plain

    def __str__(self) -> str:
        made = f", made of {' and '.join(self.of)}" if self.of else ""
        return f"unknown, at most {self.max_groups:,} of one unit{made}"

    def __repr__(self) -> str:
        options = {
            "max_groups": self.max_groups,
            "longest": None if self.longest == LONGEST else self.longest,
            "share": None if self.share is None else str(self.share),
            "other": None if self.other == OTHER else self.other,
            "missing": self.missing,
            "of": [*self.of] or None,
        }
        set_here = {name: option for name, option in options.items() if option is not None}
        return pasted(prompt("Unknown", str(self)), "discreet.unknown", **set_here)

    def _repr_html_(self) -> str:
        return piece(str(self))


def unknown(
    *,
    max_groups: int,
    longest: int = LONGEST,
    share: Number | None = None,
    other: str = OTHER,
    missing: str | None = None,
    of: Sequence[str] = (),
) -> Unknown:
    """Declare that nobody knows the keys of a column: discreet finds the keys that many units have.

    A shown key is text from the data, unchanged. Keys are compared as bytes.

    Args:
        max_groups: the largest number of keys in which one unit counts: for example, of films that
            one person has seen. A larger number shows more keys of busy units, and costs keys of
            other units little. This number is also the default `max_groups` of questions by the
            column.
        longest: the largest number of letters of a key; a longer key is never shown.
        share: the part of the plan's loss that pays for finding keys, above 0 and below 1. Columns
            without a share take half of the remaining loss, in equal parts; a single column takes
            one half.
        other: the name of one more group, for all rows whose key is not shown.
        missing: a name for missing cells, which are then a key like any other. Without a name, a
            row with a missing cell is in no group.
        of: the names of the columns, if a key is made of several columns. The key joins the texts
            of these columns with " | ". A bar inside a text is doubled, so two different keys never
            look alike (`parts` takes a key apart).

    Returns: a stand-in for a list of keys, for `keys` of `discreet.table`.

    Raises:
        InputError: a number is out of range, or a name is not text.

    Example:
        >>> dp.unknown(max_groups=30)
        discreet.unknown(max_groups=30)
    """
    part = None if share is None else rational(share, "share")
    if part is not None and not 0 < part < 1:
        raise InputError(
            f"share = {text_of(part)} must be above 0 and below 1.",
            kind="out-of-range",
            why="finding keys takes this part of the loss, and the questions the rest",
            fix=write(share="1/2"),
        )
    groups = whole(max_groups, "max_groups", least=1)
    letters = whole(longest, "longest", least=1)
    for name, number, most in (("max_groups", groups, MOST_GROUPS), ("longest", letters, 1_000)):
        if number > most:
            raise InputError(
                f"{name} = {number:,} is more than {most:,}.",
                kind="unknown-keys-wrong",
                why="no useful release needs so much, and each costs time or room",
                fix=Set({name: BLANK}),
            )
    _check_text(other, "other")
    if missing is not None:
        _check_text(missing, "missing")
        if missing == other:
            raise InputError(
                f"other and missing are both called {shown(other)}.",
                kind="unknown-keys-wrong",
                why="a group has one name, and a name one group",
                fix=write(missing="unknown" if other != "unknown" else "no value"),
            )
    return Unknown(groups, letters, part, other, missing, _checked_parts(of))


def unknown_of(plain: Mapping[str, Any]) -> Unknown:
    """Return the declaration that `Unknown.plain()` wrote."""
    return unknown(**plain)


def _checked_parts(of: object) -> tuple[str, ...]:
    """Return the columns that a key is made of, or raise InputError."""
    parts = tuple(of) if isinstance(of, (list, tuple)) else (of,)
    names = [part for part in parts if isinstance(part, str) and part.strip()]
    if len(names) == len(parts) == len(set(names)) != 1:
        return tuple(names)
    raise InputError(
        f"of = {as_given(of)} does not name several columns.",
        kind="unknown-keys-wrong",
        why="a key is made of two columns or more; one of one column is found under its own name",
        fix=name_columns("of", of, least=2, most=max(2, len(parts))),
    )


def unknown_in(public: Mapping[str, object]) -> Mapping[str, Unknown]:
    """Return which columns of a table have keys that nobody knows, or raise InputError.

    Where keys are made of several columns, each part is a column of the data.
    """
    unknown = {name: entry for name, entry in public.items() if isinstance(entry, Unknown)}
    for name, entry in unknown.items():
        made = {name, *(other for other, declared in unknown.items() if declared.of)}
        part = next((part for part in entry.of if part in made), None)
        if part is not None:
            raise InputError(
                f"the keys of {shown(name)} are made of {shown(part)}, which is no column.",
                kind="unknown-keys-wrong",
                why="a key is made of columns of the data, and has a name of its own",
                fix="name columns of the data there",
            )
    return MappingProxyType(unknown)


@lru_cache(maxsize=64)
def _tree(of: tuple[str, ...], missing: str | None) -> Typed:
    """Return how a key is made of columns: their labels, with BETWEEN between them."""
    parts = [Typed("column", "label", value=name) for name in of]
    if missing is not None:
        named = Typed("literal", "text", value=missing)
        parts = [Typed("coalesce", "text", (part, named)) for part in parts]
    return Typed("compose", "text", tuple(parts))


def composed(texts: Sequence[str]) -> str:
    """Return the key that texts make: injective, because a bar of theirs never stands alone.

    Example:
        >>> composed(["a | b", "c"]), composed(["a", "b | c"])
        ('a || b | c', 'a | b || c')
    """
    return BETWEEN.join(text.replace("|", "||") for text in texts)


def _check_text(text: object, name: str) -> None:
    if isinstance(text, str) and text.strip() and len(text) <= _MOST_LETTERS and is_storable(text):
        return
    raise InputError(
        f"{name} = {as_given(text)} cannot name a group.",
        kind="unknown-keys-wrong",
        why="it stands among the keys of a release: Unicode text of at least one letter",
        fix=Set({name: name}),
    )


def keys_of(column: str, argument: object) -> tuple[Key, ...]:
    """Return the public keys of a column; none where they are to be found."""
    check_name(column, "keys")
    return () if isinstance(argument, Unknown) else checked_keys(column, argument)
