"""How a column is matched with keys that cells say in several ways: each way has its key's place.

Rules of this module:
- from the place on there is one key: groups, limits and orders are made of places, so that a unit
  which says a key in three ways is in one group;
- of a column that has a type, two ways that are one value there are one, if they say one key; the
  name of a key that the column cannot hold is said by no cell.
"""

from dataclasses import replace

from ...schema import Table
from .cells import NOTHING, OBJECTS, Reader, is_text
from .matching import Match, by_type, check_spelled, match_of, refused


def spelled_match(table: Table, column: str, kind: str, reader: Reader) -> Match:
    """Return how a column of this type is matched with its keys, each in all its ways.

    Raises:
        InputError: a way that no cell of this type can be, or one that says two keys there.
    """
    if kind in (OBJECTS, NOTHING):
        return match_of(column, table.listed(column), kind, reader)
    ways = table.texts(column)
    if is_text(kind):
        texts = tuple(text for text, _ in ways)
        found = match_of(column, texts, kind, reader)
        return replace(found, places=[place for _, place in ways])
    names = {*table.listed(column)}
    kept = [way for way in ways if way[0] not in names or _holds(way[0], kind, reader)]
    typed = by_type(tuple(text for text, _ in kept), kind, reader) if kept else None
    if typed is None:
        raise refused(column, kind, "text")
    first: dict[tuple[object, int], tuple[str, object]] = {}
    for (text, place), value in zip(kept, typed.keys, strict=True):
        first.setdefault((text if value is None else value, place), (text, value))
    values = [value for _, value in first.values()]
    check_spelled(column, tuple(text for text, _ in first.values()), kind, values)
    return replace(typed, keys=values, places=[place for _, place in first])


def _holds(name: str, kind: str, reader: Reader) -> bool:
    """Say whether a cell of this type can say a name."""
    typed = by_type((name,), kind, reader)
    return typed is None or typed.keys[0] is not None
