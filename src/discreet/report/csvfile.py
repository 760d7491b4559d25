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
from collections.abc import Iterable, Sequence
from io import StringIO

from ..errors import InputError
from .figures import Cell
from .tidy import Kind, Tidy

# = + - @, and every character that Unicode calls a form of them (NFKC), tab, CR, LF
_RUNS = "=+\\-@\t\r\n＝＋－＠﹦﹢﹣﹫⁺⁻⁼₊₋₌﬩−"
_INVISIBLE = "\\s\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\x00-\x1f"
_SEPARATORS = ";|\t\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029"
_DANGER = rf"(?=['{_INVISIBLE}]*[{_RUNS}])"  # apostrophes too: adding some changes nothing
_ADD = re.compile(rf"(^|[{_SEPARATORS}])('*){_DANGER}")
_TAKE = re.compile(rf"(^|[{_SEPARATORS}])('*)'{_DANGER}")
_ONLY_APOSTROPHES = re.compile("'*")


def csv_text(table: Tidy) -> str:
    """Return the table as CSV text.

    Example:
        >>> table = Tidy("t", ("ward", "value"), ("text", "whole"), [("=1+1", 3)])
        >>> print(*csv_text(table).splitlines(), sep="\\n")
        "ward","value"
        "'=1+1",3
    """
    text = StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
    writer.writerow([_guarded(name) for name in table.columns])
    writer.writerows([_written(cell) for cell in row] for row in table.rows)
    return text.getvalue()


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


def _written(cell: Cell) -> str | int | float:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if cell is None:
        return ""
    return _guarded(cell) if isinstance(cell, str) else cell


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
