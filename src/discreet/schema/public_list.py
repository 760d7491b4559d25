"""A public list in a file: keys, or a hierarchy of them; and that this file is not the data.

Rules of this module:
- keys that are taken from the data publish its values, whatever noise is added to the counts: a
  list in a file of the data is refused before one of its values is shown or counted;
- one file is known by device and number, so that links and other spellings of its path are seen; a
  copy is another file;
- a list of keys says each once; a column of a table of people says some several times, and is
  refused: so is most of what was copied from the data;
- cells are text, byte by byte, as keys of text are; no message quotes one.

Decision 98.
"""

import csv
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from glob import escape, glob
from hashlib import sha256
from io import StringIO
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, Any

from ..errors import InputError, as_given, shown
from ..fix import Way, call, write

if TYPE_CHECKING:
    from .table import Table

_MOST = 200_000_000  # bytes of a file
_SEPARATORS = ",;\t|"

Place = tuple[int, int]  # the device and the number of a file


@dataclass(frozen=True, slots=True)
class PublicList:
    """Where public values were listed: the name of the file, its column, and the file's hash.

    Two lists that say the same are one plan, whatever their files are called: none of this is part
    of a plan's digest, but the values are.
    """

    file: str
    column: str
    sha256: str
    place: Place | None = field(default=None, compare=False, repr=False)
    path: str = field(default="", compare=False, repr=False)

    def plain(self) -> dict[str, str]:
        """Return what is said of it as plain data."""
        return {"file": self.file, "column": self.column, "sha256": self.sha256}

    def words(self, name: str, number: int) -> str:
        """Return in one sentence where the keys of a column were listed."""
        return (
            f"Keys of {name}: the {number:,} values of {self.column} in {self.file}, "
            f"SHA-256 {self.sha256}."
        )


def list_of_plain(plain: Mapping[str, Any]) -> PublicList:
    """Return what `PublicList.plain()` wrote."""
    return PublicList(str(plain["file"]), str(plain["column"]), str(plain["sha256"]))


def text_of_list(path: Path, what: str, *ways: Way, form: str = "CSV") -> tuple[str, PublicList]:
    """Return the text of a public file, and where it lies.

    Args:
        path: where it is; `~` is the caller's folder.
        what: what it is for messages: "list of keys".
        ways: what else can be done than to give another path.
        form: the kind of file, for messages.

    Raises:
        InputError: it cannot be read as text.
    """
    try:
        with open(path.expanduser(), "rb", opener=_opened) as file:
            there = os.fstat(file.fileno())
            is_plain = S_ISREG(there.st_mode) and there.st_size <= _MOST
            content = file.read(_MOST) if is_plain else b"\xff"
        text = content.decode("utf-8-sig")
    except (OSError, ValueError, RuntimeError):
        raise unreadable(path, what, *ways, form=form) from None
    digest = sha256(content).hexdigest()
    return text, PublicList(path.name, "", digest, (there.st_dev, there.st_ino), str(path))


def unreadable(path: Path, what: str, *ways: Way, form: str = "CSV") -> InputError:
    """Return the refusal of a public file that is no file of its form on this machine."""
    return InputError(
        f"the {what} {shown(path.name)} cannot be read.",
        kind="no-such-file",
        why=f"it must be a {form} file in UTF-8, of at most {_MOST:,} bytes",
        fix=("give the path of such a file", *ways),
    )


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # a pipe would make `open` wait


def keys_in(file: object, column: object) -> tuple[list[str], PublicList]:
    """Return the values that a column of a public CSV file lists, and where.

    Raises:
        InputError: no such file or column, an empty cell, or a value that stands there twice.
    """
    if not isinstance(file, (str, os.PathLike)) or not isinstance(column, str):
        raise InputError(
            f"keys of file = {as_given(file)} and column = {as_given(column)} are no list.",
            kind="keys-file",
            why="a list of keys is one column of a public CSV file, whose first row names it",
            fix=write(keys={"zip": call("discreet.keys", file="zips.csv", column="zip")}),
        )
    path = Path(os.fspath(file))
    text, whole = text_of_list(path, "list of keys")
    values = _column(text, column, path.name)
    if len({*values}) < len(values):
        raise InputError(
            f"the column {shown(column)} of {shown(path.name)} contains a value twice.",
            kind="keys-file",
            why="a list of keys says each once; a column that does not may be of people, and the "
            "values of people are no public list",
            fix="write each public value once in a file of its own; it must not come from the data",
        )
    return values, replace(whole, column=column)


def _column(text: str, column: str, name: str) -> list[str]:
    """Return the cells below a header, of the first separator by which there is such a header."""
    try:
        lines = next(filter(None, (_rows(text, sign, column) for sign in _SEPARATORS)), None)
    except csv.Error:
        lines = None
    if lines is None:
        raise InputError(
            f"the list of keys {shown(name)} does not have exactly one column {shown(column)}.",
            kind="keys-file",
            why="the first row of the file names its columns, each once, and one lists the keys",
            fix=f"write {shown(column)} above the keys, or write column as the file names it",
        )
    place = lines[0].index(column)
    values = [line[place] if len(line) > place else "" for line in lines[1:] if line]
    if "" in values or not values:
        raise InputError(
            f"the column {shown(column)} of {shown(name)} has a row without a value."
            if values
            else f"the column {shown(column)} of {shown(name)} lists no key.",
            kind="keys-file",
            why="a cell without a value equals no key",
            fix="list one key a row; rows whose cell is missing are named by missing",
        )
    return values


def _rows(text: str, separator: str, column: str) -> list[list[str]] | None:
    """Return the rows of a text, if its first one names a column once; else None."""
    rows = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)
    header = next(rows, [])
    return [header, *rows] if header.count(column) == 1 else None


def list_at(path: Path) -> PublicList:
    """Return where a public list lies, which is not opened."""
    return PublicList(path.name, "", "", _place(str(path)))


def _place(path: str) -> Place | None:
    """Return the device and the number of a file; None of what is not there."""
    try:
        there = os.stat(path)  # noqa: PTH116 - a path as it is opened
    except (OSError, ValueError):
        return None
    return there.st_dev, there.st_ino


Lists = Mapping[str, PublicList]  # by the column whose keys are listed


def refuse_data(lists: Lists, source: object, name: str) -> None:
    """Refuse a public list that lies in a file of the data, as far as paths say where that lies.

    Args:
        lists: where public values were listed.
        source: of the data; of what is no path its engine says which files it reads.
        name: what the data is called.

    Raises:
        InputError: one of them is a file of the data.
    """
    sources = source if isinstance(source, (list, tuple)) else [source]
    named = [each for each in sources if isinstance(each, (str, os.PathLike))]
    refuse_files(lists, (path for each in named for path in _files_of(os.fspath(each))), name)


def refuse_files(lists: Lists, paths: Iterable[str], name: str) -> None:
    """Refuse a public list that is one of some files of the data."""
    places = {of.place: (column, of) for column, of in lists.items() if of.place is not None}
    for path in paths if places else ():
        place = _place(path)
        if place in places:
            raise _of_data(*places[place], name)


def _of_data(column: str, listed: PublicList, name: str) -> InputError:
    return InputError(
        f"the keys of {shown(column)} are listed in {shown(listed.file)}, which is the data "
        f"{shown(name)}.",
        kind="keys-from-the-data",
        why="each key is released, with or without rows: keys from the data publish what is in "
        "it, whatever noise there is",
        fix=(
            "write the public values to a file of their own, from public knowledge",
            "declare the column with discreet.unknown, which finds keys at a price",
        ),
    )


def refuse_lists(table: "Table") -> None:
    """Refuse a table of which a public list lies in its own data, or in a table that is joined."""
    refuse_data(table.lists, table.source, table.name)
    for join in table.joins:
        refuse_data(table.lists, join.source, join.name)


def _files_of(path: str) -> Iterator[str]:
    """Return the files that a path names as a source: itself, and those of a glob or a folder."""
    text = os.path.expanduser(path)  # noqa: PTH111 - it may be no path at all
    yield from (path, text)
    with suppress(OSError, ValueError):
        yield from glob(text, recursive=True)  # noqa: PTH207
        if os.path.isdir(text):  # noqa: PTH112
            inside = os.path.join(escape(text), "**", "*")  # noqa: PTH118
            yield from (name for name in glob(inside, recursive=True) if _may_be_data(name))  # noqa: PTH207


def _may_be_data(name: str) -> bool:
    """Tell whether a file of a folder may be data: a list of keys beside it is none."""
    return not name.lower().endswith((".csv", ".tsv", ".txt"))
