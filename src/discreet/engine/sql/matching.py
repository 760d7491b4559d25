"""Which public key a cell is, where its column has a type: `key_matcher` in SQL.

A public key in the one way in which all keys of a column's type are written.

How a column is matched with keys that cells say in several ways: each way has its key's place.

Rules of this module:
- a key is turned into the type of the column once, before the charge; what cannot be, could match
  no cell and is refused;
- rows are grouped by what `raw` makes of a cell, and the few groups are then compared with the
  keys;
- both sides of a comparison have one type, so that no engine casts a cell in its own way;
- what the type cannot hold is None: no cell could equal it;
- from the place on there is one key: groups, limits and orders are made of places, so that a unit
  which says a key in three ways is in one group;
- of a column that has a type, two ways that are one value there are one, if they say one key; the
  name of a key that the column cannot hold is said by no cell.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, cast

import numpy as np
from sqlglot import exp

from ...errors import InputError, shown
from ...expressions.literals import day_of
from ...schema import Key, Table
from .. import spelled
from ..written_times import are_written
from .cells import (
    DECIMALS,
    LINES,
    NOTHING,
    OBJECTS,
    PADDED,
    WHOLE,
    Reader,
    check_kind,
    decimals,
    is_text,
    key_text,
)
from .cells import FLOATS as _FLOATS
from .faster.consecutive_keys import Run
from .tree import Operand, called, floored, to_type
from .written_times import day_text

_UUID_DIGITS = (8, 4, 4, 4, 12)
MICRO = 1_000  # nanoseconds


def digits_of(number: Fraction | None, most: int, places: int) -> str | None:
    """Return a number with so many decimals; None if it has more, or more digits, or is none."""
    if number is None:
        return None
    scaled = number * 10**places
    if scaled.denominator != 1 or (most and abs(scaled) >= 10**most):
        return None
    sign, digits = (
        "-" * (scaled < 0),
        spelled.digits_of(abs(scaled.numerator)).rjust(places + 1, "0"),
    )
    return f"{sign}{digits[: len(digits) - places]}.{digits[len(digits) - places :]}".rstrip(".")


def clock_of(nanoseconds: int | None, kind: str) -> str | None:
    """Return a time of day in the one way in which all keys of a column are written."""
    if nanoseconds is None or (kind == "TIME" and nanoseconds % MICRO):
        return None
    seconds, fraction = divmod(nanoseconds, spelled.SECOND)
    minutes, second = divmod(seconds, 60)
    digits = f"{fraction:09d}"[: 6 if kind == "TIME" else 9]
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{second:02d}.{digits}"


def is_uuid(key: str) -> bool:
    """Say whether a text is a UUID as engines write it."""
    parts = key.split("-")
    return tuple(map(len, parts)) == _UUID_DIGITS and not set(key) - set("0123456789abcdef-")


As = Callable[[exp.Expression], exp.Expression]

_COUNTED = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT"}  # with a sign, of at most 64 bits
_CLOCKS = {"TIME", "TIME_NS"}
_MOMENTS = {
    "TIMESTAMP": MICRO,
    "TIMESTAMP_S": MICRO,
    "TIMESTAMP_MS": MICRO,
    "TIMESTAMP_NS": 1,
    "TIMESTAMP WITH TIME ZONE": MICRO,
    "TIMESTAMPTZ_NS": 1,
}


@dataclass(frozen=True, slots=True)
class Match:
    """How the cells of one column find their public keys.

    Attributes:
        raw: from a cell to what rows are grouped by.
        compared: from a raw cell to what is compared with a key.
        public: from a listed key to what it is compared as.
        as_bytes: what a raw cell and a listed key are compared as, instead of these, where they are
            text whose bytes are compared. Nothing is believed that a file states of its texts:
            DuckDB would leave out a part of it whose smallest and largest text, as it states them,
            tell that no key is equal.
        keys: the keys in the type of the column, in their order; None for one that cannot occur.
        empty: NumPy's letters for their type where none can occur.
        run: the keys again, where positions are counted and no key is joined.
        places: of each of the keys its position, where several are one key.
    """

    raw: As
    compared: As
    public: As
    keys: Sequence[object]
    empty: str = "i8"
    as_bytes: As | None = None
    run: Run | None = None
    places: Sequence[int] | None = None

    def equal(self, raw: exp.Expression, key: exp.Expression) -> exp.Expression:
        """Return the condition that a raw cell is a listed key."""
        if self.as_bytes is not None:
            text = to_type(key, "TEXT")  # a table without a key has no type
            return exp.EQ(this=self.as_bytes(raw), expression=self.as_bytes(text))
        return exp.EQ(this=self.compared(raw), expression=self.public(key))

    def table(self) -> dict[str, Any]:
        """Return the keys that can occur, with their positions, as columns for an engine."""
        there = [place for place, key in enumerate(self.keys) if key is not None]
        values = [self.keys[place] for place in there]
        kinds = {type(value) for value in values}
        kind = (
            "i8" if kinds == {int} else "f8" if kinds == {float} else "O" if kinds else self.empty
        )
        positions = there if self.places is None else [self.places[place] for place in there]
        return {"key": np.array(values, dtype=kind), "position": np.array(positions, np.int32)}


def match_of_found(
    column: str, keys: tuple[Key, ...], kind: str, reader: Reader, longest: int
) -> Match:
    """Return how a column is matched with keys that were found in it: by their text alone.

    The last key is that of all other cells, and no cell is compared with it. While keys are looked
    for none is listed: each text of up to `longest` letters, of four bytes at most, may be one.
    """
    if kind == OBJECTS:
        return Match(_same, _same, _same, range(len(keys)))
    check_kind(column, kind)
    texts = (*keys[:-1], None)
    if is_text(kind):
        return Match(
            partial(reader.raw_text, kind=kind, most=max(_bytes_of_longest(keys), 4 * longest)),
            lambda raw: reader.text(raw, kind),
            _same,
            texts,
            "O",
            as_bytes=_bytes_of(kind, reader),
        )
    return Match(_same, lambda raw: key_text(raw, kind, reader), _same, texts, "O")


def match_of(column: str, keys: tuple[Key, ...], kind: str, reader: Reader) -> Match:
    """Return how a column of this type is matched with its keys.

    Raises:
        InputError: a key that no cell of this type can equal, or two that equal the same cells.
    """
    if kind == OBJECTS:
        return Match(_same, _same, _same, range(len(keys)))
    if kind == NOTHING:
        return Match(_nothing, _same, _same, [None] * len(keys))
    if not isinstance(keys[0], str):
        return _by_number(column, [int(key) for key in keys], kind, reader)
    texts = cast("tuple[str, ...]", keys)
    if is_text(kind):
        if kind == PADDED:
            _check_ends(column, texts)
        plain = partial(reader.raw_text, kind=kind, most=_bytes_of_longest(texts))
        is_told = kind == LINES and bool(reader.csv.days or reader.csv.times)
        written = is_told and are_written(texts, reader.csv)
        return Match(
            (lambda cell: plain(day_text(cell, reader.csv, reader.dialect))) if written else plain,
            _same if kind == LINES else lambda raw: reader.text(raw, kind),
            _same,
            texts,
            as_bytes=None if kind == LINES else _bytes_of(kind, reader),
        )
    match = by_type(texts, kind, reader)
    if match is None:
        raise refused(column, kind, "text")
    check_spelled(column, texts, kind, match.keys)
    return match


def _check_ends(column: str, keys: tuple[str, ...]) -> None:
    """Refuse keys of a column of fixed length that end in a blank, which no value there does."""
    padded = next((key for key in keys if key.endswith(" ")), None)
    if padded is not None:
        raise InputError(
            f"the key {shown(padded)!r} of {shown(column)} ends in a blank.",
            kind="keys-not-as-stored",
            why=f"the column is of type {PADDED}: blanks at the end of its cells only fill them up",
            fix=f"write the keys of {shown(column)} without blanks at their ends",
        )


def _bytes_of_longest(keys: Sequence[Key]) -> int:
    return max((len(str(key).encode()) for key in keys), default=0)


def _bytes_of(kind: str, reader: Reader) -> As | None:
    """Return how keys are compared with texts, where their bytes may be no text."""
    if kind == LINES or not reader.dialect.speed.byte_keys:
        return None
    return lambda cell: reader.dialect.as_bytes(reader.untold(cell))


def _same(cell: exp.Expression) -> exp.Expression:
    return cell


def _nothing(_cell: exp.Expression) -> exp.Expression:
    return to_type(exp.null(), "INT")


def _by_number(column: str, keys: list[int], kind: str, reader: Reader) -> Match:
    is_exact = kind in WHOLE | {"BOOLEAN", DECIMALS} or decimals(kind)[0] > 0
    if not (is_exact or kind in _FLOATS or kind == LINES):
        raise refused(column, kind, "whole numbers or truth values")

    def number(raw: exp.Expression) -> exp.Expression:
        return reader.number(raw, kind)

    is_run = keys == [*range(keys[0], keys[0] + len(keys))] and kind in _COUNTED
    run = Run(keys[0], len(keys)) if is_run and reader.dialect.speed.counts_places else None
    doubles = [*map(float, keys)]  # exact: whole numbers below 2^53
    raw = reader.spelled_key if kind == LINES else _same
    return Match(raw, number, _as_double, doubles, run=run)


def _as_double(key: exp.Expression) -> exp.Expression:
    return to_type(key, "DOUBLE")


def by_type(keys: tuple[str, ...], kind: str, reader: Reader) -> Match | None:
    """Return how text keys are read for a column that holds no text."""
    if kind in WHOLE | {"BOOLEAN"} or decimals(kind)[0]:
        digits = [digits_of(spelled.exactly(key), *decimals(kind)) for key in keys]
        return Match(*_exactly(kind, reader), digits)
    if kind in _FLOATS:
        doubles = [spelled.double(key) for key in keys]
        return Match(_same, lambda raw: reader.number(raw, kind), _as_double, doubles)
    if kind == "DATE":
        days = [key if day_of(key) is not None else None for key in keys]
        return Match(_same, _same, lambda key: to_type(key, "DATE"), days)
    if kind in _CLOCKS:
        clocks = [clock_of(spelled.clock(key), kind) for key in keys]
        return Match(_same, _same, lambda key: to_type(key, kind, dialect="duckdb"), clocks)
    if kind == "UUID":
        return Match(_same, _as_text, _same, [key if is_uuid(key) else None for key in keys])
    return _by_moment(keys, kind, reader) if kind in _MOMENTS else None


def _exactly(kind: str, reader: Reader) -> tuple[As, As, As]:
    """Return how exact numbers are grouped, and what they and their keys are compared as.

    Decimals as such, because engines write them in ways of their own: .25 or 0.25, 0 or 0E-18.
    """
    if decimals(kind)[0]:
        return reader.untold, _same, lambda key: to_type(key, kind)
    is_truth = kind == "BOOLEAN"
    return _same, lambda raw: _as_text(to_type(raw, "INT") if is_truth else raw), _same


def _as_text(raw: exp.Expression) -> exp.Expression:
    return to_type(raw, "TEXT")


def _by_moment(keys: tuple[str, ...], kind: str, reader: Reader) -> Match:
    """Return how days or moments are matched with a column of moments: by counts from 1970."""
    step = _MOMENTS[kind]
    raw = _ticks(kind, reader)
    days = [day_of(key) for key in keys]
    if None not in days:
        return Match(
            raw, lambda count: floored(Operand(count), spelled.DAY // step).take(), _same, days
        )
    moments = [spelled.moment(key) for key in keys]
    ticks = [None if m is None or m % step else m // step for m in moments]
    return Match(raw, _same, _same, ticks)


def _ticks(kind: str, reader: Reader) -> As:
    """Return the function that counts a moment from 1970, in micro- or nanoseconds."""
    own = reader.dialect.moment
    if own is not None:
        return lambda cell: own(cell, kind)
    counted = "EPOCH_US" if _MOMENTS[kind] == MICRO else "EPOCH_NS"
    if kind not in ("TIMESTAMP_S", "TIMESTAMP_MS"):
        return lambda cell: called(counted, cell)
    moment = exp.DataType.build("TIMESTAMP", dialect="duckdb")  # the others reach too far from 1970
    return lambda cell: called(counted, exp.TryCast(this=cell, to=moment.copy()))


def check_spelled(column: str, keys: tuple[str, ...], kind: str, typed: Sequence[object]) -> None:
    """Refuse text keys that are no value of a column's type, or two that are one there."""
    if kind in _MOMENTS and len({day_of(key) is None for key in keys}) == 2:
        raise InputError(
            f"the keys of {shown(column)} are days and moments, mixed.",
            kind="keys-not-as-stored",
            why="a moment of a day would fit two of them",
            fix='write all of them as "2026-11-03", or all as "2026-11-03 10:30:00"',
        )
    for key, value in zip(keys, typed, strict=True):
        if value is None:
            raise InputError(
                f"the key {shown(key)} of {shown(column)} can be no cell of type {shown(kind)}.",
                kind="keys-not-as-stored",
                why="keys are matched by value, and this text spells none that the type holds",
                fix=f"remove {shown(key)} from the keys of {shown(column)}, or write it as the "
                "column holds it: a number, 2026-11-03, or 10:30:00",
            )
    places: dict[object, str] = {}
    for key, value in zip(keys, typed, strict=True):
        if value in places:
            raise InputError(
                f"the keys {shown(places[value])} and {shown(key)} of {shown(column)} are one "
                "value.",
                kind="keys-not-as-stored",
                why=f"the column is of type {shown(kind)}, where both spell the same; each row may "
                "count for one key only",
                fix=f"remove {shown(key)} from the keys of {shown(column)}",
            )
        places[value] = key


def refused(column: str, kind: str, keys: str) -> InputError:
    """Return the error for keys that no cell of a column's type equals."""
    name = "ENUM" if kind.startswith("ENUM") else shown(kind)
    why = "no cell of that type equals such a key, so that every answer would be noise around 0"
    fix = "write the keys as the column holds them, or cast the column to text before"
    if is_text(kind):
        why = "a column that has the type of text is matched as text, and holds no number"
        fix = 'write the keys as text, for example ["0", "1"], or cast the column to numbers before'
    return InputError(
        f"{shown(column)} is of type {name}, and its keys are {keys}.",
        kind="column-type",
        why=why,
        fix=fix,
    )


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
        match = match_of(column, texts, kind, reader)
        return replace(match, places=[place for _, place in ways])
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
