"""JSON lines, by the standard library: each line is an object, and each object a row.

Rules of this module:
- a line is read by itself; one that is no object is no row;
- no names are public, because each row has its own: a column that a row does not name is missing
  there, as in a list of dicts;
- whole numbers are exact, other numbers the nearest double; of more digits than a cell may have
  they are missing, and so are lists and objects;
- bytes that are no UTF-8, and halves of characters, make their cell missing.

Decision 96.
"""

import json
from collections.abc import Generator, Sequence
from contextlib import closing
from typing import Any

from ..csv.header import opened
from .listed import Cells

_MOST_DIGITS = 2_001  # a sign with them
_KINDS = (str, bool, int, float)


class JsonLinesReader:
    """Reads files of JSON lines."""

    def tables(self, _path: str) -> list[str]:
        """Return none: such a file is one table."""
        return []

    def names(self, path: str, _table: str) -> list[str]:
        """Return the names that the first row has: for a draft, and for nothing else."""
        with closing(_rows(path)) as rows:
            return [*next(rows, {})]

    def read(self, path: str, _table: str, names: Sequence[str]) -> tuple[int, dict[str, Cells]]:
        """Return how many rows a file has, and their cells of these columns."""
        cells: dict[str, Cells] = {name: [] for name in names}
        number = 0
        with closing(_rows(path)) as rows:
            for row in rows:
                number += 1
                for name, column in cells.items():
                    cell = row.get(name)
                    column.append(cell if isinstance(cell, _KINDS) else None)
        return number, cells


def _rows(path: str) -> Generator[dict[str, Any], None, None]:
    decoder = json.JSONDecoder(parse_int=_whole)
    with closing(opened(path)) as file:
        for line in file:
            row = _row(line, decoder)
            if row is not None:
                yield row


def _row(line: bytes, decoder: json.JSONDecoder) -> dict[str, Any] | None:
    text = line.decode("utf-8", "surrogateescape").removeprefix("\ufeff").strip(" \t\r\n")
    try:
        row = decoder.decode(text)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _whole(digits: str) -> int | None:
    return int(digits) if len(digits) <= _MOST_DIGITS else None
