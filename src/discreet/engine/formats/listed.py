"""Which files of other programs are read, by their endings, and with which package.

Rules of this module:
- a format is one line of FORMATS, and a module of this room that reads it;
- a format is listed only if no cell can stop its reader, and if a row is a row whatever stands
  below it; for what is not, REFUSED says the call that reads it into a frame;
- no package is imported here: a module is, where a file of its kind is met;
- a file may hold several tables (sheets of a workbook, tables of a database): `table` says which.

Decisions 87, 96, 161.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..csv.packed import PACKED

Cells = list[object]
Labels = Mapping[str, Mapping[float, str]]  # what codes are called: of a column, by number


class FileReader(Protocol):
    """What reads the files of a format; `table` is "" where a file is one table."""

    def tables(self, path: str) -> list[str]:
        """Return the names of the tables of a file; none where a file is one table."""

    def names(self, path: str, table: str) -> list[str]:
        """Return the names of the columns; no cell is looked at."""

    def read(self, path: str, table: str, names: Sequence[str]) -> tuple[int, dict[str, Cells]]:
        """Return how many rows there are, and the cells of those of these columns it has."""


@dataclass(frozen=True, slots=True)
class CellFormat:
    """A format whose cells are read one by one.

    Attributes:
        name: what it is called: the kind of a file.
        endings: what the names of its files end in, in lower case.
        package: what reads it, as `pip` calls it.
        module: the name of that package in Python.
        extra: which extra of discreet installs it.
        reader: imports what reads it.
        names_itself: whether its names stand apart from its rows.
        names_by_row: whether each row names its own cells: no names are public.
        is_exact: whether its whole numbers are exact, and not doubles.
        holds: what its tables are called; "" where a file is one table.
        labels: the names of codes in a file, by column; None of a format of no codes.
    """

    name: str
    endings: tuple[str, ...]
    package: str
    module: str
    extra: str
    reader: Callable[[], FileReader]
    names_itself: bool = True
    names_by_row: bool = False
    is_exact: bool = False
    holds: str = ""
    labels: Callable[[str, Sequence[str]], Labels] | None = None


def _statistical() -> FileReader:
    from .statistical import StatisticalReader

    return StatisticalReader()


def _labels(path: str, names: Sequence[str]) -> Labels:
    from .statistical import labels_of

    return labels_of(path, names)


def _workbook() -> FileReader:
    from .workbook import WorkbookReader

    return WorkbookReader()


def _sqlite() -> FileReader:
    from .sqlite import SqliteReader

    return SqliteReader()


def _json_lines() -> FileReader:
    from .json_lines import JsonLinesReader

    return JsonLinesReader()


def _avro() -> FileReader:
    from .avro import AvroReader

    return AvroReader()


_JSON = tuple(f"{kind}{packed}" for packed in PACKED for kind in (".jsonl", ".ndjson"))
_ALL = (
    CellFormat(
        "statistical",
        (".sav", ".zsav", ".dta", ".sas7bdat"),
        "pyreadstat",
        "pyreadstat",
        "statistics",
        _statistical,
        labels=_labels,
    ),
    CellFormat(
        "workbook",
        (".xlsx", ".xlsm", ".xls", ".ods"),
        "python-calamine",
        "python_calamine",
        "workbooks",
        _workbook,
        names_itself=False,
        holds="sheet",
    ),
    CellFormat(
        "sqlite",
        (".sqlite", ".sqlite3", ".db", ".db3", ".s3db"),
        "sqlite3",
        "sqlite3",
        "",
        _sqlite,
        is_exact=True,
        holds="table",
    ),
    CellFormat(
        "json",
        _JSON,
        "json",
        "json",
        "",
        _json_lines,
        names_itself=False,
        names_by_row=True,
        is_exact=True,
    ),
    CellFormat("avro", (".avro",), "fastavro", "fastavro", "avro", _avro, is_exact=True),
)
FORMATS: dict[str, CellFormat] = {form.name: form for form in _ALL}
ENDINGS = tuple(ending for form in _ALL for ending in form.endings)
NAMED = tuple(ending for form in _ALL if form.names_itself for ending in form.endings)

_FRAMES = (  # what reads files that are not read here, and gives a frame
    ((".por",), "pyreadstat.read_por({})[0]"),
    ((".xpt",), "pyreadstat.read_xport({})[0]"),
    ((".xlsb",), "pandas.read_excel({})"),
    ((".json",), "pandas.read_json({})"),
    ((".rds", ".rdata", ".rda"), "pyreadr.read_r({}).popitem()[1]"),
    ((".xml",), "pandas.read_xml({})"),
)
_UNTRIED = "that no cell of such a file stops its reader, or hides a row, has not been shown"
_FILLED = "it is filled with blanks at its end: a row below one of blanks alone brings that, too"
_WHY = {**dict.fromkeys((".por", ".xlsb"), _UNTRIED), ".xpt": _FILLED}


def call_for(path: str) -> tuple[str, str] | None:
    """Return the call that reads a file into a frame, and why it is not read here; None of others.

    Example:
        >>> call_for("a.xpt")[0]
        "pyreadstat.read_xport('a.xpt')[0]"
    """
    for endings, text in _FRAMES:
        ending = next((end for end in endings if path.lower().endswith(end)), None)
        if ending is not None:
            why = _WHY.get(ending, "files of this kind are read by a library of their own")
            return text.format(repr(path)), why
    return None
