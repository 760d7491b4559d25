"""Which files a source names, and of what kind they are.

Files that stand still while they are counted; else what was counted is dropped.

Rules of this module:
- only ordinary files on this machine; a glob or a folder is expanded here, sorted, and nothing else
  is reached;
- each file is read once: two names that lead to one file are refused;
- nothing is guessed from cells: the kind of a file is told by its ending;
- what the system says of each file when it is opened is compared before its rows are read and after
  the last of them: a file that is exchanged or written into meanwhile may give a person two names,
  each with limits of its own, in two passes or in two parts of one;
- it is asked after the charge, and that some file changed is all that is told.

It sees neither a folder that is exchanged and put back in between, nor a program that writes by
mapped memory (docs/limits.md): who does that holds the data.
"""

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from glob import escape, glob
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar, cast

from ..aggregate import Aggregate
from ..errors import EngineError, InputError, shown
from ..fix import BLANK, Do, Variable, call, leave_out, of_join, write
from ..paths import at_home
from ..schema import Table
from ..schema.fixed_width import ENDINGS as FIXED
from .csv.header import CsvHeader, header, unreadable
from .csv.packed import KINDS, PACKED, check_archive, needs_package
from .formats.listed import ENDINGS, FORMATS, NAMED, call_for
from .protocol import used_columns
from .remote import is_address
from .source import files_of

_CSV = (*(f"{kind}{packed}" for packed in PACKED for kind in KINDS), ".zip")
_PARQUET = (".parquet", ".pq")
_ARROW = (".arrow", ".feather", ".ipc")
_ORC = (".orc",)
_DUCKDB = (".duckdb", ".ddb")
TYPED = _PARQUET + _ARROW + _ORC
_BY_ARROW = ("arrow", "orc")
NOT_CSV = TYPED + ENDINGS + _DUCKDB
SELF_NAMED = _PARQUET + NAMED + _DUCKDB  # such a file keeps its names apart from its rows
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_MOST_TABLES = 12
_HIVE = re.compile(r"[^/\\=]+=[^/\\]*")


@dataclass(frozen=True, slots=True)
class Files:
    """Files of one kind.

    Attributes:
        kind: "csv", "parquet", "arrow", "orc" or "duckdb"; or the name of a format that is read
            cell by cell.
        paths: where they are.
        headers: of CSV files, one each.
        is_hive: whether folders are named `column=value`, and are columns so.
    """

    kind: str
    paths: list[str]
    headers: tuple[CsvHeader, ...] = ()
    is_hive: bool = False

    def reached(self) -> list[str]:
        """Return the paths that DuckDB must be allowed: as they are, and as it is handed them."""
        logs = [f"{path}.wal" for path in self.paths] if self.kind == "duckdb" else []
        return sorted({*self.paths, *map(escape, self.paths), *logs})  # DuckDB looks for its log


def files(table: Table, aggregates: Iterable[Aggregate]) -> Files:
    """Return the files that a source names, after looking at names and headers only.

    Raises:
        InputError: no such file, one named twice, an address of another machine, an unknown kind,
            no header.
        EngineError: a file cannot be opened.
    """
    source = table.source
    names = source if isinstance(source, (list, tuple)) else [source]
    roots = [os.fspath(cast("str", name)) for name in names]
    roots = [at_home(root) if root.startswith("~") else root for root in roots]
    paths = [path for root in roots for path in _expanded(root)]
    fixed = FIXED if table.csv.fixed else ()
    kinds = {"csv" if path.lower().endswith(fixed) else _kind(path) for path in paths}
    if len(kinds) > 1:
        raise InputError(
            "the source mixes files of several kinds: CSV, Parquet and Arrow.",
            kind="source-unclear",
            why="all files of one table are read in the same way",
            fix="name files of one kind",
        )
    for path in paths:
        _check_readable(path)
        if path.lower().endswith(".zip"):
            check_archive(path)
    if len(paths) > 1:
        _check_once(paths)
    kind = kinds.pop()
    holds = kind == "duckdb" or (kind in FORMATS and FORMATS[kind].holds)
    if table.part is not None and not holds:
        raise _one_table(paths[0])
    if kind != "csv":
        return Files(kind, paths, is_hive=any(_is_hive(root, roots) for root in paths))
    needed = set(used_columns(table, aggregates))
    with nullcontext() if table.declared_by == "table" else settings_of(table):
        return Files(kind, paths, tuple(header(path, needed, table.csv) for path in paths))


def _one_table(path: str) -> InputError:
    return InputError(
        f"{shown(Path(path).name)} is one table, and table says which of several is read.",
        kind="source-unclear",
        why="it says so of a workbook or of a database, whose tables or sheets have names",
        fix=leave_out("table", of="table"),
    )


def table_in(table: Table, file: str, tables: Sequence[str], holds: str) -> str:
    """Return the table of a file that is read: the one that is named, or the only one.

    Args:
        table: what is declared.
        file: what the file is called.
        tables: the names of its tables.
        holds: what its tables are called.

    Raises:
        InputError: it is not there; or there are several, and none is named.
    """
    if table.part in tables:
        return table.part or ""
    if table.part is None and len(tables) == 1:
        return tables[0]
    names = ", ".join(shown(part, 30) for part in tables[:_MOST_TABLES])
    alike = [part for part in tables if part.casefold() == str(table.part).casefold()]
    name = next(iter([*alike, *tables]), "")
    listed = f"it has {names}{', ...' * (len(tables) > _MOST_TABLES)}" if tables else "it has none"
    raise InputError(
        f"{shown(file)} has several {holds}s, and nothing says which of them is read."
        if table.part is None and tables
        else f"{shown(file)} has no {holds} {shown(table.part or 'to read')}.",
        kind="source-unclear",
        why=f"one {holds} is one table, by its name, with its case: {listed}",
        fix=write(of="table", table=name) if name else f"name a file that has a {holds}",
    )


@contextmanager
def settings_of(table: Table) -> Iterator[None]:
    """Let what is refused say what to write in the join that declares this table."""
    try:
        yield
    except InputError as error:
        if table.declared_by == "table":
            raise
        ways = of_join(error.ways, table.declared_by, table.name)
        raise InputError(error.what, kind=error.kind, why=error.why, fix=ways) from None


def _address(path: str) -> InputError:
    """Return the error for an address, of which nothing is shown that may be a password."""
    if is_address(path):
        return InputError(
            "the source is the address of a server, not a connection to it.",
            kind="address-not-a-file",
            why="who connects, and with which password, is yours to say; a plan file may name it",
            fix=Do(
                call("discreet.table", Variable("psycopg.connect()"), name="visits", unit=BLANK),
                "with what connects to it, and the name of the table there",
            ),
        )
    scheme, colon, _ = path.partition(":")
    return InputError(
        f"{shown(scheme)}{colon and ':...'} is an address, not a file of this machine.",
        kind="address-not-a-file",
        why="data is read from files that are here; no address is ever opened",
        fix="copy the data to this machine, and give the path of the copy",
    )


def _expanded(path: str) -> list[str]:
    if _ADDRESS.match(path) or "\x00" in path:
        raise _address(path)
    # os.path says no, where Path raises, to a name that the system refuses: one too long, say.
    names = [path] if os.path.exists(path) else sorted(glob(path, recursive=True))  # noqa: PTH110, PTH207
    if os.path.isdir(path):  # noqa: PTH112
        inside = os.path.join(escape(path), "**", "*")  # noqa: PTH118
        names = [name for name in sorted(glob(inside, recursive=True)) if _is_data(name)]  # noqa: PTH207
    whole = [os.path.abspath(name) for name in names if os.path.isfile(name)]  # noqa: PTH100, PTH113
    if not whole:
        raise InputError(
            f"there is no file {shown(path)}."
            if not os.path.isdir(path)  # noqa: PTH112
            else f"{shown(path)} is a folder without Parquet or Arrow files.",
            kind="no-such-file",
            why="a source names files that are there",
            fix="check the path, or the glob",
        )
    return whole


def _is_data(path: str) -> bool:
    """Say whether a file of a folder is data: not hidden, and of a kind that names its columns."""
    name = os.path.basename(path)  # noqa: PTH119
    return name.lower().endswith(TYPED) and not name.startswith((".", "_"))


def _is_hive(path: str, roots: Sequence[str]) -> bool:
    """Say whether a folder between what was named and a file is `column=value`."""
    for root in roots:
        start = os.path.abspath(root)  # noqa: PTH100
        if path.startswith(start + os.sep):
            inner = Path(path).relative_to(start).parts[:-1]
            return any(_HIVE.fullmatch(folder) for folder in inner)
    return False


def _kind(path: str) -> str:
    name = path.lower()
    others = [(form.name, form.endings) for form in FORMATS.values()]
    typed = [("arrow", _ARROW), ("orc", _ORC), ("duckdb", _DUCKDB)]
    for kind, endings in [("parquet", _PARQUET), *others, ("csv", _CSV), *typed]:
        if name.endswith(endings):
            if kind in _BY_ARROW or kind in FORMATS or name.endswith(".zst"):
                _check_package(path, kind)
            return kind
    raise _unknown(path)


def _unknown(path: str) -> InputError:
    """Return the error for a file whose ending is none that is read, with what reads it."""
    name = Path(path).name
    call_of = call_for(shown(name))
    if call_of is not None:
        text, why = call_of
        return InputError(
            f"{shown(name)} is not read as a file.",
            kind="file-kind",
            why=why,
            fix=f"pass what reads it as the source: {text}",
        )
    if path.lower().endswith(FIXED):
        return InputError(
            f"{shown(name)} names no columns, as a file of fixed width.",
            kind="csv-option",
            why="nothing in it says where a column begins: its code book does",
            fix=write(of="table", csv={"fixed": {"age": [1, 3], "sex": [4, 4]}}),
        )
    packed = ", ".join(PACKED[1:])
    endings = ", ".join((*KINDS, *_PARQUET, *_ARROW, *ENDINGS))
    return InputError(
        f"{shown(name)} is not a CSV, Parquet or Arrow file by its name.",
        kind="file-kind",
        why=f"the kind of a file is told by its ending: {endings}; of CSV also with {packed}",
        fix="rename or convert the file",
    )


def _check_package(path: str, kind: str) -> None:
    missing = needs_package(path.lower())
    if kind in _BY_ARROW and find_spec("pyarrow") is None:
        missing = "pyarrow"
    if missing is None and kind in FORMATS and find_spec(FORMATS[kind].module) is None:
        missing = FORMATS[kind].package
    if missing:
        raise InputError(
            f"{shown(Path(path).name)} cannot be read without the package {missing}.",
            kind="package-missing",
            why=f"files of this kind are read by {missing}, which is not installed",
            fix=f"install {missing} with pip",
        )


def _check_readable(path: str) -> None:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116
            raise unreadable(path)
        with Path(path).open("rb"):
            pass
    except OSError:
        raise unreadable(path) from None


def _check_once(paths: Sequence[str]) -> None:
    """Refuse two names of one file: by device and number, so that links are seen."""
    seen: dict[tuple[int, int], str] = {}
    for path in paths:
        status = os.stat(path)  # noqa: PTH116
        other = seen.setdefault((status.st_dev, status.st_ino), path)
        if other is not path:
            names = " and ".join(shown(Path(twin).name) for twin in (other, path))
            raise InputError(
                f"{names} are one file."
                if other != path
                else f"{names.split(' and ')[0]} is named twice.",
                kind="same-source",
                why="its rows would count twice for the price of once",
                fix="name each file once; a link is a second name of its file",
            )


Stats = tuple[tuple[int, ...], ...] | None  # of each file: size, times, place, device
Found = TypeVar("Found")


def stats_of(paths: Sequence[str]) -> Stats:
    """Return what the system says of each file; None where it says nothing."""
    try:
        statuses = [os.stat(path) for path in paths]  # noqa: PTH116 - a path as it was opened
    except OSError:
        return None
    return tuple((s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino, s.st_dev) for s in statuses)


def still(
    table: Table, paths: Sequence[str], tables: Sequence[tuple[Table, Sequence[str]]] = ()
) -> Callable[[Callable[[], Found]], Found]:
    """Return what reads a source that was just opened, and raises where its files move.

    Args:
        table, paths: a declaration with its source, and the files of that.
        tables: of a join, each of its tables, with its files.

    Raises:
        EngineError: a file is not there any more, as where a data set was made of it before.
    """
    each = tables or ((table, paths),)
    watched = [path for part, listed in each for path in listed or files_of(part.source)]
    before = stats_of(watched)
    if before is None:
        raise EngineError(
            f"{shown(table.name)} cannot be opened.",
            kind="cannot-open",
            why="a file of it is not there, or the system says nothing of it",
            fix="put the file back, or make the data set again of those that are there",
        )

    def read(act: Callable[[], Found]) -> Found:
        _check(watched, before)
        try:
            answer = act()
        except EngineError:
            _check(watched, before)  # which says more of why
            raise
        _check(watched, before)
        return answer

    return read


def _check(paths: Sequence[str], before: Stats) -> None:
    """Raise EngineError unless the system says of the files what it said before."""
    if stats_of(paths) != before:
        raise EngineError(
            "a file of the data was changed or taken away while it was counted.",
            kind="data-changed",
            why="a person may have another name in what is there now, and would count twice",
            fix="let the files stand still meanwhile, or count a copy of them",
        ) from None
