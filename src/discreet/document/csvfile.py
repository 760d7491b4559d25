"""The long table as CSV that no spreadsheet can run, and back.

Rules of this module:
- UTF-8, comma, a header row, lines that end with CR LF; text is always quoted, numbers never;
- a text that a spreadsheet could take for a formula gets an apostrophe in front: one that begins
  with = + - @ (also in their wide and small forms), tab, CR or LF, blanks in front or not; also
  behind a semicolon, a bar, a tab or a line break inside the text, because a spreadsheet that is
  set to another separator starts a new cell there;
- so that nothing is lost: apostrophes that already stand there get one more, and a text without
  characters is written as one apostrophe, while a cell that does not exist is left empty;
- `csv_rows` takes away exactly what `csv_text` added.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO

from ..errors import InputError
from .numbers import Cell
from .rows import Column, Rows, kinds, laid_out
from .tidy import Kind, Tidy

# = + - @, and every character that Unicode calls a form of them (NFKC), tab, CR, LF
_RUNS = "=+\\-@\t\r\n＝＋－＠﹦﹢﹣﹫⁺⁻⁼₊₋₌﬩−"
_INVISIBLE = "\\s\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\x00-\x1f"
_SEPARATORS = ";|\t\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029"
_DANGER = rf"(?=['{_INVISIBLE}]*[{_RUNS}])"  # apostrophes too: adding some changes nothing
_ADD = re.compile(rf"(^|[{_SEPARATORS}])('*){_DANGER}")
_TAKE = re.compile(rf"(^|[{_SEPARATORS}])('*)'{_DANGER}")
_ONLY_APOSTROPHES = re.compile("'*")
_MARKS = re.compile(rf"[{_RUNS}'\"]")  # without one, and without an empty text, all is harmless
_HARMLESS = re.compile(rf"[^'\"{_INVISIBLE}{_RUNS}{_SEPARATORS}][^\"{_SEPARATORS}]*")


def csv_text(table: Tidy) -> str:
    """Return the table as CSV text.

    Example:
        >>> table = Tidy("t", ("ward", "value"), ("text", "whole"), [("=1+1", 3)])
        >>> print(*csv_text(table).splitlines(), sep="\\n")
        "ward","value"
        "'=1+1",3
    """
    return "".join(csv_blocks(table))


def csv_blocks(table: Tidy) -> Iterator[str]:
    """Return the parts that make up the CSV text, so that a long one is never whole in memory."""
    yield _lines([[name] for name in table.columns])
    rows = table.rows if isinstance(table.rows, Rows) else Rows(list(zip(*table.rows, strict=True)))
    for block in rows.blocks():
        yield _lines(block.columns)


def _lines(columns: Sequence[Column]) -> str:
    return laid_out(list(map(_written, columns)), "\r\n") + "\r\n"


def csv_rows(text: str, kinds: Sequence[Kind]) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
    """Return the columns and rows that `csv_text` wrote.

    Args:
        text: the CSV text, read with newline="".
        kinds: what each column holds, as in `Tidy.kinds`.

    Raises:
        InputError: the text is not such a table.
    """
    try:
        header, *rows = csv.reader(StringIO(text, newline=""), strict=True)
        return tuple(map(_bare, header)), [_read(row, kinds) for row in rows]
    except (ValueError, csv.Error):
        raise InputError(
            "this CSV is not a table that discreet wrote.",
            why="its rows do not have the columns, numbers and quotes of one",
            fix="read table.csv of the release as it was saved",
        ) from None


def _written(column: Column) -> Column:
    """Return the cells of a column as CSV; numbers as they are, since Python writes them so."""
    found = kinds(column) - {type(None)}
    if not found - {int, float}:
        return ['""' if cell is None else cell for cell in column] if None in column else column
    if found == {str} and not (None in column or "" in column or _MARKS.search("".join(column))):
        return ('"' + '"\n"'.join(column) + '"').split("\n")
    if found == {str}:
        texts = set(column) - {None}
        quoted = {
            text: f'"{text}"' if _HARMLESS.fullmatch(text) else _quoted(text) for text in texts
        }
        return list(map((quoted | {None: '""'}).__getitem__, column))
    if found == {bool}:
        return list(map({True: '"true"', False: '"false"', None: '""'}.__getitem__, column))
    return list(map(_cell_written, column))


def _cell_written(cell: Cell) -> str:
    if isinstance(cell, bool):
        return '"true"' if cell else '"false"'
    if cell is None:
        return '""'
    return _quoted(cell) if isinstance(cell, str) else str(cell)


def _quoted(text: str) -> str:
    return '"' + _guarded(text).replace('"', '""') + '"'


def _guarded(text: str) -> str:
    if _ONLY_APOSTROPHES.fullmatch(text):
        return "'" + text
    return _ADD.sub(r"\1'\2", text)


def _bare(text: str) -> str:
    if _ONLY_APOSTROPHES.fullmatch(text):
        return text[1:]
    return _TAKE.sub(r"\1\2", text)


def _read(row: Iterable[str], kinds: Sequence[Kind]) -> tuple[Cell, ...]:
    return tuple(_cell(text, kind) for text, kind in zip(row, kinds, strict=True))


def _cell(text: str, kind: Kind) -> Cell:
    if not text:
        return None
    if kind == "text":
        return _bare(text)
    if kind == "flag":
        return {"true": True, "false": False}[text]
    if kind == "whole" or re.fullmatch(r"-?\d+", text):
        return int(text)
    return float(text)
