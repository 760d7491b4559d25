"""Which public key a cell is, whatever object it is: the table of docs/cells.md, in Python.

`matching` says the same in a query, for columns that have a type.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import cast

from ..expressions.literals import day_of
from ..schema import Key, Rest, Table, rest_of
from ..schema.csv_options import CsvOptions
from . import spelled
from .declared_cells import declared, how_written
from .reading import Clock, Day, Moment, Plain, key_text, number, plain
from .written_times import are_written, day_text


def matcher_of(table: Table, column: str) -> Callable[[object], int | None]:
    """Return the function that says which key of a table's column a cell is, or None.

    What is missing, and what is no key, goes where `schema.keys` says. Found keys are matched by
    their text alone, as they were found.
    """
    csv = how_written(table, column)
    if csv is None:
        return _matcher_of(table, column)
    keys = () if column in table.unknown else table.listed(column)
    read = _same if column in table.spelled or not keys else _reader(keys, csv)
    match = _matcher_of(table, column)

    def match_declared(cell: object) -> int | None:
        held = declared(cell, csv)
        return match(read(held) if isinstance(held, str) else held)

    return match_declared


def _reader(keys: tuple[Key, ...], csv: CsvOptions) -> Callable[[str], object]:
    """Return how text of a declared form is read before it is compared with keys."""
    if not isinstance(keys[0], str):
        return lambda text: _NO_NUMBER if (n := spelled.double(text, csv)) is None else n
    return (lambda text: day_text(text, csv)) if are_written(keys, csv) else _same


_NO_NUMBER = "x"  # which is there, and no key


def _same(text: str) -> object:
    return text


def _matcher_of(table: Table, column: str) -> Callable[[object], int | None]:
    rest = rest_of(table, column)
    if column in table.unknown:
        places = {str(key): place for place, key in enumerate(table.keys[column])}

        def match_or_rest(cell: object) -> int | None:
            text = key_text(cell)
            return rest.missing if text is None else places.get(text, rest.other)

        return match_or_rest
    match = _spelled(table, column) if column in table.spelled else matcher(table.listed(column))
    if rest == Rest(None, None):
        return match

    def match_or_named(cell: object) -> int | None:
        place = match(cell)
        if place is not None:
            return place
        return rest.missing if plain(cell) is None else rest.other

    return match_or_named


def _spelled(table: Table, column: str) -> Callable[[object], int | None]:
    """Return the same for a column whose keys are said in several ways."""
    texts = table.texts(column)
    match = matcher(tuple(text for text, _ in texts))

    def place_of(cell: object) -> int | None:
        match_number = match(cell)
        return None if match_number is None else texts[match_number][1]

    return place_of


def matcher(keys: tuple[Key, ...]) -> Callable[[object], int | None]:
    """Return the function that says which public key a cell is, or None.

    Whole numbers, True and False are matched as numbers. Text matches the same text; it matches a
    number, a truth value, a day, a moment or a time that it spells. Where a cell fits several keys,
    it is the first.
    """
    if not isinstance(keys[0], str):
        numbers = {cast("float", key): place for place, key in reversed([*enumerate(keys)])}
        return lambda cell: numbers.get(cast("float", number(cell)))
    spellings = _spellings(cast("tuple[str, ...]", keys))

    def match(cell: object) -> int | None:
        held = plain(cell)
        if isinstance(held, str):
            return spellings.get(held)
        places = [spellings.get(form) for form in _forms(held)]
        return min((place for place in places if place is not None), default=None)

    return match


def _spellings(keys: tuple[str, ...]) -> dict[object, int]:
    """Return the place of every value that a key spells; the first key wins."""
    spellings: dict[object, int] = {}
    for place, key in enumerate(keys):
        forms: list[object] = [key]
        forms += [("number", spelled.exactly(key)), ("double", spelled.double(key))]
        forms += [("day", day_of(key)), ("moment", spelled.moment(key))]
        forms += [("clock", spelled.clock(key))]
        for form in forms:
            if isinstance(form, str) or cast("tuple[str, object]", form)[1] is not None:
                spellings.setdefault(form, place)
    return spellings


def _forms(held: Plain | None) -> list[object]:
    """Return the values that a key may spell to match a cell that is no text."""
    if isinstance(held, float):
        return [("double", held)]
    if isinstance(held, (bool, int, Fraction)):
        return [("number", Fraction(held))]
    if isinstance(held, Day):
        return [("day", held.days)]
    if isinstance(held, Moment):
        return [("day", held.nanoseconds // spelled.DAY), ("moment", held.nanoseconds)]
    if isinstance(held, Clock):
        return [("clock", held.nanoseconds)]
    return []
