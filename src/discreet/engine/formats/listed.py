"""Which files of other programs are read, by their endings, and with which package.

Rules of this module:
- a format is one line of FORMATS, and a module of this room that reads it;
- a format is listed only if no cell can stop its reader, and if a row is a row whatever stands
  below it; for what is not, REFUSED says the call that reads it into a frame;
- no package is imported here: a module is, where a file of its kind is met.

Decision 87.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

Cells = list[object]


class FileReader(Protocol):
    """What reads the files of a format."""

    def names(self, path: str) -> list[str]:
        """Return the names of the columns of a file; no cell is looked at."""

    def read(self, path: str, names: Sequence[str]) -> tuple[int, dict[str, Cells]]:
        """Return how many rows a file has, and the cells of those of these columns it has."""


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
    """

    name: str
    endings: tuple[str, ...]
    package: str
    module: str
    extra: str
    reader: Callable[[], FileReader]
    names_itself: bool = True


def _statistical() -> FileReader:
    from .statistical import StatisticalReader

    return StatisticalReader()


_ALL = (
    CellFormat(
        "statistical",
        (".sav", ".zsav", ".dta", ".sas7bdat"),
        "pyreadstat",
        "pyreadstat",
        "statistics",
        _statistical,
    ),
)
FORMATS: dict[str, CellFormat] = {form.name: form for form in _ALL}
ENDINGS = tuple(ending for form in _ALL for ending in form.endings)
NAMED = tuple(ending for form in _ALL if form.names_itself for ending in form.endings)

_FRAMES = (  # what reads files that are not read here, and gives a frame
    ((".por",), "pyreadstat.read_por({})[0]"),
    ((".xpt",), "pyreadstat.read_xport({})[0]"),
    ((".xlsx", ".xlsm", ".xls", ".xlsb", ".ods"), "pandas.read_excel({})"),
    ((".orc",), "pyarrow.orc.read_table({})"),
    ((".json",), "pandas.read_json({})"),
    ((".jsonl", ".ndjson"), "pandas.read_json({}, lines=True)"),
    ((".avro",), "polars.read_avro({})"),
    ((".duckdb", ".ddb"), "duckdb.connect({}, read_only=True)"),
    ((".rds", ".rdata", ".rda"), "pyreadr.read_r({}).popitem()[1]"),
    ((".xml",), "pandas.read_xml({})"),
)
_UNTRIED = "that no cell of such a file stops its reader, or hides a row, has not been shown"
_WHY = {".por": _UNTRIED, ".xpt": _UNTRIED}


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
