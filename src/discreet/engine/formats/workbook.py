"""Workbooks of Excel and LibreOffice, by python-calamine: one sheet is one table.

Rules of this module:
- the first row of a sheet that has a cell names the columns; a row without a cell is none;
- a number is a double, and what its own format says is a day, a moment, a time of day or a length
  of time is that; a formula is what was last computed of it, an error is missing;
- an empty text is missing: a sheet has no other mark of a cell without one;
- calamine stops at a number that its format says is a day, and that no calendar has: its row alone
  is lost. It opens no sheet with an error that it does not know (`#SPILL!`): each is made one that
  it knows, before it is handed over;
- where it panics it prints lines to standard error, which one cell of one row may cause: nothing
  that it prints is heard, and a panic is an error like another.

Decision 96.
"""

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BytesIO
from threading import Lock
from typing import Any
from zipfile import ZipFile

from .listed import Cells

_ERROR = re.compile(
    rb"""(<(?:\w+:)?c\s[^>]*\bt=["']e["'][^>]*>(?:\s*<(?:\w+:)?f\b(?:[^>]*/>|[^>]*>[^<]*</(?:\w+:)?f>))?"""
    rb"""\s*<(?:\w+:)?v>)[^<]*(</(?:\w+:)?v>)"""
)
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")


class WorkbookReader:
    """Reads sheets of workbooks."""

    def tables(self, path: str) -> list[str]:
        """Return the names of the sheets."""
        with _unheard():
            return list(_opened(path).sheet_names)

    def names(self, path: str, table: str) -> list[str]:
        """Return the texts of the first row, and whole numbers in it as their digits."""
        with _unheard():
            return [name for name in map(_name, next(_rows(path, table), [])) if name]

    def read(self, path: str, table: str, names: Sequence[str]) -> tuple[int, dict[str, Cells]]:
        """Return how many rows a sheet has, and the cells of those of these columns it has."""
        with _unheard():
            return self._read(path, table, names)

    def _read(self, path: str, table: str, names: Sequence[str]) -> tuple[int, dict[str, Cells]]:
        rows = _rows(path, table)
        header = [*map(_name, next(rows, []))]
        places = {name: header.index(name) for name in names if name in header}
        cells: dict[str, Cells] = {name: [] for name in places}
        number = 0
        for row in rows:
            number += 1
            for name, place in places.items():
                cells[name].append(None if row[place] == "" else row[place])
        return number, cells


_hearing = Lock()
_unheard_by: list[int] = []  # who does not listen now; the first has what standard error was


@contextmanager
def _unheard() -> Iterator[None]:
    """Let nothing be heard on standard error, and make an error of a panic.

    Raises:
        ValueError: the library panicked, which is no Exception.
    """
    with _hearing:
        _unheard_by.append(_silenced() if not _unheard_by else -1)
    try:
        yield
    except (Exception, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException:  # noqa: BLE001 - a panic of Rust is no Exception
        raise ValueError("the reader broke down") from None
    finally:
        with _hearing:
            if (was := _unheard_by.pop()) >= 0:  # the last one to leave
                os.dup2(was, 2)
                os.close(was)


def _silenced() -> int:
    """Send standard error nowhere, and return what it was; -1 where there is none."""
    with suppress(AttributeError, OSError, ValueError):  # there is none, or it is closed
        sys.stderr.flush()
    try:
        was = os.dup(2)
    except OSError:
        return -1
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    return was


def _opened(source: Any) -> Any:
    from python_calamine import CalamineWorkbook

    return CalamineWorkbook.from_object(source)


def _rows(path: str, table: str) -> Iterator[Sequence[Any]]:
    """Return the rows of a sheet that have a cell, if calamine can make them."""
    from python_calamine import CalamineError

    try:
        rows = _opened(path).get_sheet_by_name(table).iter_rows()
    except CalamineError:
        rows = _opened(_with_known_errors(path)).get_sheet_by_name(table).iter_rows()
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException:  # noqa: BLE001, S112 - a panic of Rust is no Exception
            continue
        if any(cell != "" for cell in row):
            yield row


def _with_known_errors(path: str) -> BytesIO:
    """Return a workbook in which each cell that is an error is one of the oldest."""
    made = BytesIO()
    with ZipFile(path) as archive, ZipFile(made, "w") as copy:
        for member in archive.infolist():
            raw = archive.read(member)
            if _SHEET.fullmatch(member.filename):
                raw = _ERROR.sub(rb"\1#N/A\2", raw)
            copy.writestr(member.filename, raw)
    made.seek(0)
    return made


def _name(cell: object) -> str:
    """Return the name that a cell of the first row is; "" of others."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return cell if isinstance(cell, str) else ""
