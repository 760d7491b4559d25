"""Avro files, by fastavro: a record is a row; days, times and decimals are made here.

Rules of this module:
- fastavro is told of no logical type, because it stops at a day that no calendar has: the schema in
  the head of the file is handed to it without them, and what they say is done here, cell by cell;
- out of range is missing, and so are lists, records and maps, and text that is no UTF-8;
- a column of several types, of which one is a day or the like, is not there: nobody knows which of
  them a number is.

Decision 96.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np

from ...errors import EngineError, shown
from .listed import Cells

_HEAD = {
    "type": "record",
    "name": "org.apache.avro.file.Header",
    "fields": [
        {"name": "magic", "type": {"type": "fixed", "name": "magic", "size": 4}},
        {"name": "meta", "type": {"type": "map", "values": "bytes"}},
        {"name": "sync", "type": {"type": "fixed", "name": "sync", "size": 16}},
    ],
}
_PACKED_BY = {"snappy": "cramjam"}  # packages beside fastavro
_UNPACKED = {"null", "deflate", "bzip2", "xz", "snappy"}
_KINDS = (str, bool, int, float, bytes)
_EPOCH = datetime(1970, 1, 1)
_MOST_BYTES = 800  # of a decimal: some 1,900 digits

Make = Callable[[Any], object]
Schema = Any  # as JSON has it


class AvroReader:
    """Reads Avro files."""

    def tables(self, _path: str) -> list[str]:
        """Return none: such a file is one table."""
        return []

    def names(self, path: str, _table: str) -> list[str]:
        """Return the names of the fields of its records."""
        with Path(path).open("rb") as file:
            head = _head(file)
        _check_packed(path, head["meta"].get("avro.codec", b"null").decode())
        return [*_columns(head)]

    def read(self, path: str, _table: str, names: Sequence[str]) -> tuple[int, dict[str, Cells]]:
        """Return how many rows a file has, and the cells of those of these columns it has."""
        import fastavro

        number = 0
        with Path(path).open("rb") as file:
            head = _head(file)
            makers = {name: make for name, make in _columns(head).items() if name in names}
            cells: dict[str, Cells] = {name: [] for name in makers}
            whole: Any = _Joined(BytesIO(_plain_head(head)), file)
            rows: Any = fastavro.reader(whole, handle_unicode_errors="surrogateescape")
            for row in rows:
                number += 1
                for name, make in makers.items():
                    cell = row[name]
                    cells[name].append(make(cell) if isinstance(cell, _KINDS) else None)
        return number, cells


@dataclass(frozen=True, slots=True)
class _Joined:
    """A file that begins with another head."""

    head: BytesIO
    rest: IO[bytes]

    def read(self, size: int = -1) -> bytes:
        """Return bytes of the head, and then of the rest."""
        start = self.head.read(size)
        if size < 0:
            return start + self.rest.read()
        return start + self.rest.read(size - len(start)) if len(start) < size else start


def _head(file: IO[bytes]) -> Any:
    """Return the head of a file, which then stands behind it."""
    import fastavro

    return fastavro.schemaless_reader(file, _HEAD, None)


def _plain_head(head: Any) -> bytes:
    """Return a head whose schema has no logical types."""
    import fastavro

    schema = json.dumps(_without(json.loads(head["meta"]["avro.schema"]))).encode()
    made = BytesIO()
    fastavro.schemaless_writer(
        made, _HEAD, {**head, "meta": {**head["meta"], "avro.schema": schema}}
    )
    return made.getvalue()


def _without(schema: Schema) -> Schema:
    if isinstance(schema, list):
        return [_without(part) for part in schema]
    if isinstance(schema, dict):
        return {name: _without(part) for name, part in schema.items() if name != "logicalType"}
    return schema


def _check_packed(path: str, codec: str) -> None:
    package = _PACKED_BY.get(codec)
    if codec not in _UNPACKED or (package is not None and find_spec(package) is None):
        raise EngineError(
            f"{shown(Path(path).name)} is packed by {shown(codec)}.",
            kind="cannot-open",
            why="fastavro unpacks deflate, bzip2 and xz by itself, and snappy with cramjam",
            fix="install cramjam with pip, or write the file again with deflate; nothing was "
            "charged",
        )


def _columns(head: Any) -> dict[str, Make]:
    """Return what makes the cells of each column."""
    schema = json.loads(head["meta"]["avro.schema"])
    if not isinstance(schema, dict) or schema.get("type") != "record":
        return {}
    known = dict(_named(schema))
    made = ((field["name"], _maker(field["type"], known)) for field in schema["fields"])
    return {name: make for name, make in made if make is not None}


def _named(schema: Schema) -> Iterator[tuple[str, Schema]]:
    """Return the types that have a name, wherever they stand."""
    if isinstance(schema, dict) and isinstance(schema.get("name"), str) and "type" in schema:
        yield schema["name"], schema
    parts = schema.values() if isinstance(schema, dict) else schema
    for part in parts if isinstance(schema, (dict, list)) else ():
        yield from _named(part)


def _maker(schema: Schema, known: Mapping[str, Schema]) -> Make | None:
    """Return what makes the cells of a type; None where nobody knows of which type a cell is."""
    branches = schema if isinstance(schema, list) else [schema]
    made = [_logical(branch, known) for branch in branches if branch != "null"]
    if len(made) == 1:
        return made[0] or _same
    return None if any(made) else _same


def _logical(schema: Schema, known: Mapping[str, Schema]) -> Make | None:
    schema = known.get(schema, schema) if isinstance(schema, str) else schema
    if isinstance(schema, dict) and isinstance(schema.get("type"), (dict, list)):
        return _maker(schema["type"], known)
    kind = schema.get("logicalType") if isinstance(schema, dict) else None
    if kind == "decimal":
        return _decimals(schema.get("scale", 0))
    return _MAKERS.get(kind) if isinstance(kind, str) else None


def _same(cell: object) -> object:
    return cell


def _decimals(scale: int) -> Make:
    def made(cell: bytes) -> object:
        if len(cell) > _MOST_BYTES:
            return None
        unscaled = int.from_bytes(cell, "big", signed=True)
        digits = tuple(map(int, str(abs(unscaled))))
        return Decimal((int(unscaled < 0), digits, -scale))

    return made


def _day(days: int) -> object:
    with suppress(ValueError, OverflowError):
        return date.fromordinal(days + _EPOCH.toordinal())
    return None


def _moments(each: int) -> Make:
    """Return what makes a moment of a count of what a second has `each` of."""

    def made(count: int) -> object:
        with suppress(OverflowError):
            return _EPOCH + timedelta(microseconds=count * (10**6 // each))
        return None

    return made


def _times(each: int) -> Make:
    def made(count: int) -> object:
        microseconds = count * (10**6 // each)
        if not 0 <= microseconds < 86_400 * 10**6:
            return None
        return (_EPOCH + timedelta(microseconds=microseconds)).time()

    return made


def _nanoseconds(count: int) -> object:
    return np.datetime64(count, "ns")


_MAKERS: dict[str, Make] = {
    "date": _day,
    "time-millis": _times(10**3),
    "time-micros": _times(10**6),
    "timestamp-nanos": _nanoseconds,
    "local-timestamp-nanos": _nanoseconds,
    **{
        f"{zone}timestamp-{unit}": _moments(each)
        for zone in ("", "local-")
        for unit, each in (("millis", 10**3), ("micros", 10**6))
    },
}
