"""Files of this machine, read up to a limit.

A folder for what is being written, beside where it will go.

The long table as CSV that no spreadsheet can run, and back.

Rules of this module:
- only a regular file is read: a device has no end, and a pipe may never begin;
- no more than the limit is read, and a byte behind it is a refusal;
- what is still there at the end is removed, and so is what a killed process of this user left: it
  may hold numbers that are not published yet;
- a folder that a living process works in is locked, and stays; the lock ends with the process;
- where the system has no such locks, nothing is removed that another process made;
- UTF-8, comma, a header row, lines that end with CR LF; text is always quoted, numbers never;
- a text that a spreadsheet could take for a formula gets an apostrophe in front: one that begins
  with = + - @ (also in their wide and small forms), tab, CR or LF, blanks in front or not; also
  behind a semicolon, a bar, a tab or a line break inside the text, because a spreadsheet that is
  set to another separator starts a new cell there;
- so that nothing is lost: apostrophes that already stand there get one more, and a text without
  characters is written as one apostrophe, while a cell that does not exist is left empty;
- `csv_rows` takes away exactly what `csv_blocks` added.
"""

import csv
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from errno import EINVAL
from io import StringIO
from pathlib import Path
from stat import S_ISREG
from typing import IO

from ..errors import InputError
from .numbers import Cell
from .rows import Column, Rows, kinds, laid_out
from .tidy import Kind, Tidy

_PIECE = 2**20  # bytes that are read at once
_AT_ONCE = getattr(os, "O_NONBLOCK", 0)  # a pipe without a writer would make `open` wait


class RefusedFile(OSError):  # noqa: N818 - the word that callers read
    """A file that is there and is not read; `strerror` says why, as a clause."""

    def __init__(self, why: str) -> None:
        super().__init__(EINVAL, why)


def regular(path: Path, most: int) -> bytes:
    """Return the content of a regular file.

    Args:
        path: where it is; a link is followed.
        most: how many bytes it may have.

    Raises:
        Refused: it is no regular file, or longer than that.
        OSError: the operating system does not give it.
        ValueError: it cannot be a path.
    """
    with opened(path) as file:
        too_long = os.fstat(file.fileno()).st_size > most
        content = b"" if too_long else at_most(file, most + 1)
        if too_long or len(content) > most:
            raise RefusedFile(f"it is longer than {most:,} bytes")
        return content


def at_most(file: IO[bytes], most: int) -> bytes:
    """Return the first bytes of a file; of a short one no more room is taken than it has."""
    pieces, left = list[bytes](), most
    while left and (piece := file.read(min(left, _PIECE))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a regular file; raises as `regular`, but does not look at its length."""
    with open(path, "rb", opener=_opened) as file:
        if not S_ISREG(os.fstat(file.fileno()).st_mode):
            raise RefusedFile("it is a device or a pipe, not a file")
        yield file


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags | _AT_ONCE)


def why_not(error: OSError | ValueError) -> str:
    """Return why a file was not read, as a clause that quotes nothing of it."""
    if isinstance(error, RefusedFile):
        return str(error.strerror)
    reason = getattr(error, "strerror", None) or "no such path"
    return f"the operating system says: {reason}"


try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_PREFIX = ".discreet-"
_LETTERS = 8  # that make the name of each folder its own


@contextmanager
def scratch(parent: Path) -> Iterator[Path]:
    """Give an empty folder in another one, on the same disk, that goes away at the end.

    Raises:
        OSError: it cannot be made.
    """
    _sweep(parent)
    made, lock = _made(parent)
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _sweep(parent: Path) -> None:
    """Remove what killed processes of this user have left."""
    with suppress(OSError):
        for entry in os.scandir(parent):
            lock = _locked(Path(entry.path), wait=False) if _is_ours(entry) else None
            if lock is not None:
                shutil.rmtree(entry.path, ignore_errors=True)
                os.close(lock)


def _is_ours(entry: "os.DirEntry[str]") -> bool:
    """Tell whether a folder has a name that `scratch` gives, and is this user's."""
    named = entry.name.startswith(_PREFIX) and len(entry.name) == len(_PREFIX) + _LETTERS
    with suppress(OSError):
        return (
            named
            and entry.is_dir(follow_symlinks=False)
            and entry.stat(follow_symlinks=False).st_uid == getattr(os, "getuid", int)()
        )
    return False


def _made(parent: Path) -> tuple[Path, int | None]:
    """Return a new folder, and what holds its lock, where there are locks."""
    while True:
        made = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        lock = _locked(made, wait=True)
        if made.exists():  # else another process took it for one that was left
            return made, lock
        if lock is not None:
            os.close(lock)


def _locked(folder: Path, *, wait: bool) -> int | None:
    """Lock a folder, and return what holds the lock; None where another has it, or none can be."""
    if fcntl is None:
        return None
    with suppress(OSError):
        held = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except OSError:
            os.close(held)
        else:
            return held
    return None


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


def csv_blocks(table: Tidy) -> Iterator[str]:
    """Return the parts that make up the CSV text, so that a long one is never whole in memory.

    Example:
        >>> table = Tidy("t", ("ward", "value"), ("text", "whole"), [("=1+1", 3)])
        >>> print(*"".join(csv_blocks(table)).splitlines(), sep="\\n")
        "ward","value"
        "'=1+1",3
    """
    yield _lines([[name] for name in table.columns], [{str}] * len(table.columns))
    rows = table.rows if isinstance(table.rows, Rows) else Rows(list(zip(*table.rows, strict=True)))
    types = list(map(rows.kinds, range(len(rows.columns))))
    for block in rows.blocks():
        yield _lines(block.columns, types)


def _lines(columns: Sequence[Column], types: Sequence[set[type]]) -> str:
    return laid_out(list(map(_written, columns, types)), "\r\n") + "\r\n"


def csv_rows(text: str, kinds: Sequence[Kind]) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
    """Return the columns and rows that `csv_blocks` wrote.

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
            kind="not-a-release",
            why="its rows do not have the columns, numbers and quotes of one",
            fix="read table.csv of the release as it was saved",
        ) from None


def _written(column: Column, whole: set[type]) -> Column:
    """Return the cells of a column as CSV; numbers as they are, since Python writes them so.

    Args:
        column: the cells, or some of a longer column.
        whole: the types that the whole column has.
    """
    types = (whole if len(whole) == 1 else kinds(column)) - {type(None)}
    if not types - {int, float}:
        gaps = type(None) in whole and None in column
        return ['""' if cell is None else cell for cell in column] if gaps else column
    if types == {str} and column[0] is not None and column.count(column[0]) == len(column):
        return [_cell_written(column[0])] * len(column)
    if types == {str} and not (None in column or "" in column or _MARKS.search("".join(column))):
        return ('"' + '"\n"'.join(column) + '"').split("\n")
    if types == {str}:
        texts = set(column) - {None}
        quoted = {
            text: f'"{text}"' if _HARMLESS.fullmatch(text) else _quoted(text) for text in texts
        }
        return list(map((quoted | {None: '""'}).__getitem__, column))
    if types == {bool}:
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
