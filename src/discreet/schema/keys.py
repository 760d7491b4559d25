"""The public values of a column grouped by; groups never come from the data.

Where rows of no listed key go: the one rule that every engine, and the reference, follows.

Rules of this module:
- a missing cell has a group of its own where one is named, else it is in that of every other row;
- on declared keys there is such a group where one is named. On keys that were found there always is
  one, for text that is none of them; a missing cell is then in no group, unless it has a name.

Decision 41.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from itertools import chain, islice
from math import isfinite, isnan
from operator import lt
from typing import TYPE_CHECKING, Any, cast, overload

from ..errors import InputError, as_given, shown
from ..fix import BLANK, Way, call, leave_out, name_columns, write
from ..text import pasted, prompt

if TYPE_CHECKING:
    from os import PathLike

    from .public_list import PublicList
    from .table import Table


Key = str | int | bool
_KINDS = {bool: "True or False", int: "a whole number", str: "text"}

Spellings = tuple[tuple[str, ...], ...]

MAX_KEYS = 10_000_000
_PLAIN = ({int}, {str}, {bool})  # what keys are of, if they are no others
_TYPED = 160  # letters of a list that is pasted
MAX_WHOLE = 2**53 - 1  # from 2^53 on, neighbors are one double


@dataclass(frozen=True, slots=True)
class WithOther:
    """Public values with names for rows of no value: for a missing cell, then for every other row.

    Attributes:
        keys: those that cells are compared with, and then these names.
        has_missing: whether there is one for a missing cell.
        has_other: whether there is one for every other row, which stands last.
        spellings: of each value, in how many other ways cells say it; none where they say it in
            one.
        listed: the file that lists them; None where they were typed.
    """

    keys: tuple[Key, ...]
    has_missing: bool = False
    has_other: bool = True
    spellings: Spellings = ()
    listed: "PublicList | None" = None

    def __repr__(self) -> str:
        rest = len(self.keys) - self.has_other - self.has_missing
        names = {"missing": self.keys[rest]} if self.has_missing else {}
        names |= {"other": self.keys[-1]} if self.has_other else {}
        short = prompt("WithOther", f"{rest:,} keys")
        if self.listed is not None and self.listed.path:
            file: dict[str, object] = {"file": self.listed.path, "column": self.listed.column}
            return pasted(short, "discreet.keys", **file, **names)
        listed: object = keys_typed(self.keys[:rest])
        if self.spellings:
            pairs = zip(self.keys[:rest], self.spellings, strict=True)
            listed = {key: [*texts] for key, texts in pairs}
        return pasted(short, "discreet.keys", listed, **names)


def keys_typed(keys: tuple[Key, ...], listed: "PublicList | None" = None) -> object:
    """Return public values as a person types them: a range of whole numbers, a file, or a list."""
    if listed is not None and listed.path:
        return WithOther(keys, has_other=False, listed=listed)
    first = keys[0]
    if type(first) is int and len(keys) > 2 and keys == (*range(first, first + len(keys)),):
        return range(first, first + len(keys))
    return [*keys]


@overload
def keys(*values: object) -> tuple[Key, ...]: ...


@overload
def keys(*values: object, other: Key, missing: Key | None = None) -> WithOther: ...


@overload
def keys(*values: object, missing: Key) -> WithOther: ...


@overload
def keys(
    *,
    file: "str | PathLike[str]",
    column: str,
    other: Key | None = None,
    missing: Key | None = None,
) -> WithOther: ...


def keys(
    *values: object,
    other: Key | None = None,
    missing: Key | None = None,
    file: "str | PathLike[str] | None" = None,
    column: str | None = None,
) -> tuple[Key, ...] | WithOther:
    """Declare the public values of a column that you group by.

    Args:
        values: text, whole numbers, True and False, days, moments (in UTC) or times of day; or one
            list or range of them. Days, moments and times are kept as text: 2026-11-03. If cells
            write one value in several ways, pass a dict: {"yes": ["Yes", "YES", "1"], "no": ["No",
            "0"]}. Each name is a key, and a cell may also contain the name.
        other: the name of one more key, for all rows whose cell is missing or not on the list. This
            key costs nothing. With the key, margins add up, and you notice a mistyped key.
        missing: the name of a group of its own, for the rows whose cell is missing.
        file, column: a public CSV file (UTF-8) and the name of its column that lists the values, in
            place of `values`. The column has each value once, as text. discreet refuses the data
            itself as a list.

    Returns: the keys, for `keys` of `discreet.table`.

    Raises:
        InputError: there is no key, a key is listed twice, or the keys have several types.

    Example:
        >>> dp.keys("A", "B"), dp.keys(range(1, 4))
        (('A', 'B'), (1, 2, 3))
    """
    if file is not None or column is not None:
        return with_names(
            "the column", _of_file(values, file, column), other=other, missing=missing
        )
    argument = values[0] if len(values) == 1 else values
    if isinstance(argument, Mapping):
        return with_names(
            "the column", with_spellings("the column", argument), other=other, missing=missing
        )
    public = checked_keys(
        "the column", values if isinstance(argument, (str, int, date)) else argument
    )
    return with_names("the column", public, other=other, missing=missing)


def _of_file(values: tuple[object, ...], file: object, column: object) -> WithOther:
    from .public_list import keys_in

    if values:
        raise InputError(
            "keys are given, and a file that lists them.",
            kind="settings-clash",
            why="the public values of a column are said in one place",
            fix=leave_out("file", "column"),
        )
    texts, listed = keys_in(file, column)
    return WithOther(checked_keys("the column", texts), has_other=False, listed=listed)


def with_names(
    column: str,
    listed: tuple[Key, ...] | WithOther,
    *,
    other: object = None,
    missing: object = None,
) -> tuple[Key, ...] | WithOther:
    """Return public values with names for rows of no value, or raise InputError."""
    spellings = listed.spellings if isinstance(listed, WithOther) else ()
    public = first = listed.keys if isinstance(listed, WithOther) else listed
    for setting, name in (("missing", missing), ("other", other)):
        if name is not None:
            public = _with_name(column, public, setting, name, {*public, *chain(*spellings)})
    if public == first:
        return listed
    file = listed.listed if isinstance(listed, WithOther) else None
    return WithOther(public, missing is not None, other is not None, spellings, file)


def with_spellings(column: str, spelled: Mapping[Any, Any]) -> WithOther:
    """Return public values that cells say in several ways, or raise InputError.

    Example:
        >>> with_spellings("smoker", {"yes": ["Yes", 1], "no": ["yes, not"]}).spellings
        (('Yes', '1'), ('yes, not',))
    """
    names = [*spelled]
    for key, texts in spelled.items():
        is_listed = isinstance(texts, (list, tuple)) and isinstance(key, str)
        if not is_listed or any(type(_of_numpy(text)) is bool for text in texts):
            raise InputError(
                f"the keys of {shown(column)} are a dict, and {as_given(key)} lists no texts.",
                kind="keys-wrong",
                why="of each key, which is text, it lists how else cells say it",
                fix=_as_texts(column, spelled),
            )
    spellings = tuple(
        tuple(str(text) for text in dict.fromkeys(_keys(column, list(texts))) if text != name)
        for name, texts in spelled.items()
    )
    public = checked_keys(column, names)
    counts = Counter(chain(public, *spellings))
    twice = next((text for text, number in counts.items() if number > 1), None)
    if twice is not None:
        raise InputError(
            f"{shown(twice)} says two keys of {shown(column)}.",
            kind="keys-wrong",
            why="each row may count for one key only; a name of a key is said by cells, too",
            fix=f"leave {shown(twice)} out of one of them",
        )
    return WithOther(public, has_other=False, spellings=spellings)


def _as_texts(column: str, spelled: Mapping[Any, Any]) -> Way:
    """Return the advice to write a dict of keys as texts; without lists its names are the keys."""
    if not all(isinstance(texts, (list, tuple, Set)) for texts in spelled.values()):
        listed = [*map(str, spelled)]
        return write(", and say what they are called in labels", keys={column: listed})
    ways = {
        str(name): [str(_whole(text)).lower() if type(text) is bool else text for text in texts]
        for name, texts in spelled.items()
    }
    return write(keys={column: ways if len(str(ways)) <= _TYPED else {"yes": ["Yes", "1"]}})


def _with_name(
    column: str, listed: tuple[Key, ...], setting: str, name: object, taken: Set[object]
) -> tuple[Key, ...]:
    what = "every other row" if setting == "other" else "rows whose cell is missing"
    if type(name) is not type(listed[0]):
        raise InputError(
            f"{setting} = {as_given(name)} is not like the keys of {shown(column)}.",
            kind="keys-wrong",
            why=f"a column of a release has one type: {_KINDS[type(listed[0])]}",
            fix=f"name {what} by {_KINDS[type(listed[0])]} that is no key",
        )
    if name in taken:
        raise InputError(
            f"{setting} = {as_given(name)} is a key of {shown(column)} already.",
            kind="keys-wrong",
            why=f"{what} have a group of their own, which needs a name of its own",
            fix=f"name {what} by what is no key",
        )
    return checked_keys(column, [*listed, name])


def checked_keys(column: str, values: object) -> tuple[Key, ...]:
    """Return the public values of a column, or raise InputError."""
    check_name(column, "keys")
    values = values.keys if isinstance(values, WithOther) else values
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InputError(
            f"the keys of {shown(column)} are not a list.",
            kind="keys-wrong",
            why="every public value that a group can have must be listed",
            fix=write(keys={column: ["?", "?"]}),
        )
    if isinstance(values, Set):
        raise InputError(
            f"the keys of {shown(column)} are a set.",
            kind="keys-wrong",
            why="a set has no order that stays, so the same plan would not be known as a repeat",
            fix=write(", with the set in place of the ?", keys={column: call("sorted", BLANK)}),
        )
    if isinstance(values, range) and values[MAX_KEYS:]:
        _check_number(column, MAX_KEYS + 1)
    entries = list(islice(values, MAX_KEYS + 1))
    _check_number(column, len(entries))
    types = set(map(type, entries))
    rises = types in _PLAIN and all(map(lt, entries, islice(entries, 1, None)))
    public = entries
    if not _are_keys(entries, types, rises=rises):
        public, rises = _keys(column, entries), False
        types = set(map(type, public))
    if len(types) > 1:
        kinds = ", ".join(sorted(kind.__name__ for kind in types))
        raise InputError(
            f"the keys of {shown(column)} are of several types: {kinds}.",
            kind="keys-wrong",
            why="one column is matched in one way: as text, as whole numbers, or as truth values",
            fix=write(", all as text", keys={column: ["?", "?"]}),
        )
    if not rises and len(set(public)) < len(public):  # what rises holds nothing twice
        raise _listed_twice(column, public)
    return tuple(public)


def _listed_twice(column: str, public: list[Key]) -> InputError:
    """Return the error of keys that are listed twice, with each once where that can be typed."""
    twice = Counter(public).most_common(1)[0][0]
    once = list(dict.fromkeys(public))
    return InputError(
        f"the key {shown(twice)} of {shown(column)} is listed twice.",
        kind="keys-wrong",
        why="each row may count for one key only",
        fix=write(keys={column: once})
        if len(str(once)) <= _TYPED
        else f"remove the second {shown(twice)} from the keys of {shown(column)}",
    )


def _are_keys(entries: list[Any], types: set[type], *, rises: bool) -> bool:
    """Tell, without a look at each, whether values are keys as they are, all of one type.

    Args:
        entries: the values.
        types: theirs.
        rises: whether each is above the one before.
    """
    if types == {str}:
        return is_storable("".join(entries))
    ends = (entries[0], entries[-1]) if rises else entries
    return types == {bool} or (types == {int} and max(map(abs, ends)) <= MAX_WHOLE)


def _check_number(column: str, number: int) -> None:
    if number == 0:
        raise InputError(
            f"the keys of {shown(column)} are an empty list.",
            kind="keys-wrong",
            why="without a public value there is no group to count",
            fix=write(keys={column: ["?", "?"]}),
        )
    if number > MAX_KEYS:
        raise InputError(
            f"the keys of {shown(column)} are more than {MAX_KEYS:,}.",
            kind="keys-too-many",
            why="every public value is released, with or without rows",
            fix=write(", with fewer of them, or group them before", keys={column: ["?", "?"]}),
        )


def _key(column: str, value: object) -> Key:
    plain = _whole(_of_numpy(value))
    if isinstance(plain, datetime):
        moment = plain if plain.tzinfo is None else plain.astimezone(UTC).replace(tzinfo=None)
        return moment.isoformat(" ")
    if isinstance(plain, (date, time)):
        return plain.isoformat()
    if isinstance(plain, (str, bool)) or (isinstance(plain, int) and abs(plain) <= MAX_WHOLE):
        return _storable(column, plain)
    if isinstance(plain, int):
        raise InputError(
            f"a key of {shown(column)} is 2^53 or beyond.",
            kind="keys-wrong",
            why="from there on, engines that read numbers as doubles take neighbors for one",
            fix=write(", all as text", keys={column: ["?", "?"]}),
        )
    raise InputError(
        f"a key of {shown(column)} is of type {type(plain).__name__}.",
        kind="keys-wrong",
        why="keys are text, whole numbers below 2^53, True or False, days or times; other types "
        "match differently in different engines",
        fix=write(", all as text", keys={column: ["?", "?"]}),
    )


def _is_missing(value: object) -> bool:
    """Tell whether a value stands for a cell without one: None, NaN, NA or NaT."""
    is_nan = isinstance(value, float) and isnan(value)
    return value is None or is_nan or type(value).__name__ in ("NAType", "NaTType")


def _keys(column: str, entries: list[Any]) -> list[Key]:
    """Return values as keys, one by one; a missing cell among them is none, but may have a name."""
    rest = [_key(column, entry) for entry in entries if not _is_missing(entry)]
    if len(rest) == len(entries):
        return rest
    kinds = {*map(type, rest)}
    if kinds == {int}:
        name: Key = -1 if -1 not in rest else 1 + max(key for key in rest if isinstance(key, int))
    else:
        name = "unknown"
    raise InputError(
        f"the keys of {shown(column)} list a missing cell.",
        kind="keys-wrong",
        why="a cell without a value equals no key; such rows are counted where they have a name",
        fix=write(keys={column: call("discreet.keys", *rest, missing=name)})
        if rest and kinds in ({int}, {str})
        else write(", all as text", keys={column: ["?", "?"]}),
    )


def _of_numpy(value: object) -> object:
    """Return a scalar of NumPy as Python's; its moments to the microsecond, which Python has."""
    if getattr(value, "ndim", None) != 0:
        return value
    scalar = cast("Any", value)
    return (scalar.astype("M8[us]") if scalar.dtype.kind == "M" else scalar).item()


def _whole(value: object) -> object:
    """Return a whole number that was written with a point, 1.0, as one; all else as it is."""
    if isinstance(value, (float, Decimal)) and isfinite(value) and value == int(value):
        return int(value)
    return value


def _storable(column: str, key: Key) -> Key:
    """Refuse text that no file or engine can hold."""
    if isinstance(key, str) and not is_storable(key):
        raise InputError(
            f"the key {shown(key)} of {shown(column)} is not Unicode text.",
            kind="keys-wrong",
            why="it holds half of a character, which UTF-8 cannot store",
            fix="write the whole character, or leave the key out",
        )
    return key


def is_storable(text: str) -> bool:
    """Say whether UTF-8 can store a text: no half of a surrogate pair is in it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


_SETTINGS = {"a question": "column", "unit": "column"}  # what is called otherwise in a message


def check_name(column: object, where: str, *, alone: bool = False) -> None:
    """Refuse what cannot be a column name; `alone` where a setting called column is this name."""
    if not isinstance(column, str) or not column or "\x00" in column or not is_storable(column):
        raise InputError(
            f"{as_given(column)} in {where} is not a column name.",
            kind="column-name",
            why="a column name is Unicode text of at least one character, without NUL",
            fix=name_columns(_SETTINGS.get(where, where), column)
            if alone
            else f"give the column its name in {where}",
        )


@dataclass(frozen=True, slots=True)
class Rest:
    """The places among a column's keys of a missing cell and of a cell that is no key; or None."""

    missing: int | None
    other: int | None


def rest_of(table: "Table", column: str) -> Rest:
    """Return where the rows of a column go whose cell is missing, or on no list."""
    keys, declared = table.keys[column], table.unknown.get(column)
    last = len(keys) - 1
    if declared is not None:
        if declared.missing is None:
            return Rest(None, last)
        return Rest(keys.index(declared.missing) if declared.missing in keys else last, last)
    other = last if column in table.others else None
    return Rest(len(table.listed(column)) if column in table.missing else other, other)
