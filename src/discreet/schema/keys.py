"""The public values of a column grouped by; groups never come from the data."""

from collections.abc import Iterable
from datetime import date

from ..errors import InputError, shown

Key = str | int | bool

MAX_KEYS = 10_000_000


def keys(*values: object) -> tuple[Key, ...]:
    """Declare the public values of a column grouped by.

    Args:
        values: text, whole numbers, True and False, or dates; or one list or range of them.

    Raises:
        InputError: none, one twice, or values of several types.

    Example:
        >>> keys("A", "B"), keys(range(1, 4))
        (('A', 'B'), (1, 2, 3))
    """
    one = values[0] if len(values) == 1 else values
    return checked_keys("the column", values if isinstance(one, (str, int, date)) else one)


def checked_keys(column: str, values: object) -> tuple[Key, ...]:
    """Return the public values of a column, or raise InputError."""
    check_name(column, "keys")
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InputError(
            f"the keys of {shown(column)} are not a list.",
            why="every public value that a group can have must be listed",
            fix=f'write keys={{{shown(column)!r}: ["A", "B"]}}',
        )
    found = [_key(column, value) for value in values]
    kinds = {type(value) for value in found}
    if not found or len(kinds) > 1 or len(found) > MAX_KEYS:
        raise InputError(
            f"the keys of {shown(column)} must be between 1 and {MAX_KEYS} values of one type.",
            why=f"{len(found)} were given, of {len(kinds)} types",
            fix=f'write them all as text: keys={{{shown(column)!r}: ["1", "2"]}}',
        )
    if len(set(found)) < len(found):
        twice = next(value for i, value in enumerate(found) if value in found[:i])
        raise InputError(
            f"the key {shown(twice)} of {shown(column)} is listed twice.",
            why="each row may count for one key only",
            fix=f"remove the second {shown(twice)} from the keys of {shown(column)}",
        )
    return tuple(found)


def _key(column: str, value: object) -> Key:
    item = getattr(value, "item", None)  # a NumPy scalar
    plain = item() if callable(item) else value
    if isinstance(plain, date):
        return plain.isoformat()
    if isinstance(plain, (str, bool)) or (isinstance(plain, int) and abs(plain) <= 2**53):
        return plain
    raise InputError(
        f"a key of {shown(column)} is of type {type(plain).__name__}.",
        why="keys are text, whole numbers of at most 2^53, True or False, or dates; other types "
        "match differently in different engines",
        fix=f'write it as text: keys={{{shown(column)!r}: ["..."]}}',
    )


def check_name(column: object, where: str) -> None:
    """Refuse what cannot be a column name."""
    if not isinstance(column, str) or not column or "\x00" in column:
        raise InputError(
            f"{shown(column)} in {where} is not a column name.",
            why="a column name is text of at least one character, without NUL",
            fix=f"write the name of a column in {where}",
        )
