"""Files of SPSS, Stata and SAS, by pyreadstat: numbers, text, days, moments and times of day.

Rules of this module:
- pyreadstat is told that each byte is a letter (ISO 8859-1), so that no byte of a cell or a label
  can stop it; what the bytes mean is decided here, cell by cell: UTF-8, else Windows-1252, else
  missing;
- days and moments are numbers in such files, and the format of their column says so: they are made
  here, because pyreadstat stops at one that is out of range; out of range is missing;
- what the file says is missing (`.a`, user-missing codes) is missing, and so is an empty text: such
  files have no other mark for a text that is missing;
- cells are codes; what a file calls its codes is told apart (`labels_of`), a code by itself.

Decisions 87, 161.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from math import floor, isfinite
from pathlib import Path
from typing import Any

from ..reading import FAR
from .listed import Cells, Labels

_EVERY_BYTE = "ISO-8859-1"
_SPSS, _OTHERS = datetime(1582, 10, 14), datetime(1960, 1, 1)  # what days are counted from
_DAY = 86_400
_SPSS_DAYS = {"DATE", "ADATE", "EDATE", "JDATE", "SDATE"}
_SPSS_MOMENTS = {"DATETIME", "YMDHMS"}
_SAS_DAYS = re.compile(
    r"(DATE|WEEKDATE|WEEKDATX|(MMDDYY|DDMMYY|YYMMDD)[BCDNPS]?|(IS|E|B)8601DA)[0-9.]*"
)
_SAS_MOMENTS = re.compile(r"(DATETIME|DATEAMPM|MDYAMPM|(IS|E|B)8601DT|B8601DN)[0-9.]*")
_SAS_TIMES = re.compile(r"(TIME|HHMM|TOD|TIMEAMPM|(IS|E|B)8601TM)[0-9.]*")

Made = Callable[[float], object]


class StatisticalReader:
    """Reads files of SPSS, Stata and SAS."""

    def tables(self, _path: str) -> list[str]:
        """Return none: such a file is one table."""
        return []

    def names(self, path: str, _table: str) -> list[str]:
        """Return the names of the columns, as they are declared in the head of the file."""
        return [name for name in map(text_of, _head(path).column_names) if name is not None]

    def read(self, path: str, _table: str, names: Sequence[str]) -> tuple[int, dict[str, Cells]]:
        """Return how many rows a file has, and the cells of those of these columns it has."""
        head = _head(path)
        raw = {
            name: letters
            for letters in head.column_names
            if (name := text_of(letters)) is not None and name in names
        }
        listed = [*raw.values()] or head.column_names[:1]  # one has as many cells as there are rows
        columns, _ = _reader(path)(
            path,
            usecols=listed,
            encoding=_EVERY_BYTE,
            output_format="dict",
            disable_datetime_conversion=True,
        )
        rows = len(columns[listed[0]])
        formats = head.original_variable_types
        return rows, {
            name: _cells(columns[letters], _made(path, formats.get(letters) or ""))
            for name, letters in raw.items()
        }


def labels_of(path: str, names: Sequence[str]) -> Labels:
    """Return what a file calls the codes of columns: texts by number.

    Labels of texts, of days and of times are left out, and so are labels that are no text.
    """
    head = _head(path)
    formats = head.original_variable_types
    labels: dict[str, Mapping[float, str]] = {}
    for letters, of in head.variable_value_labels.items():
        name = text_of(letters)
        if name is not None and name in names and _made(path, formats.get(letters) or "") is None:
            labels[name] = {
                code: text
                for code, label in of.items()
                if isinstance(code, (int, float)) and abs(code) < FAR and (text := text_of(label))
            }
    return labels


def _reader(path: str) -> Any:
    import pyreadstat

    readers = {".dta": pyreadstat.read_dta, ".sas7bdat": pyreadstat.read_sas7bdat}
    return readers.get(Path(path).suffix.lower(), pyreadstat.read_sav)


def _head(path: str) -> Any:
    read = _reader(path)
    return read(path, metadataonly=True, encoding=_EVERY_BYTE, output_format="dict")[1]


def text_of(letters: str) -> str | None:
    """Return the text of bytes that were read as a letter each; None where they are no text.

    Example:
        >>> text_of("\\u00c3\\u00a9"), text_of("\\u00e9"), text_of("\\u0081")
        ('é', 'é', None)
    """
    if letters.isascii():
        return letters
    for encoding in ("utf-8", "cp1252"):
        try:
            return letters.encode(_EVERY_BYTE).decode(encoding)
        except UnicodeError:
            continue
    return None


def _cells(raw: Sequence[object], made: Made | None) -> Cells:
    """Return the cells of a column: texts as they are, numbers as what the column makes of them.

    Equal ones are made once.
    """
    known: dict[object, object] = {}
    cells: Cells = []
    for cell in raw:
        if isinstance(cell, str):
            cells.append(text_of(cell) or None)  # a text that is missing is an empty one there
        elif made is None or cell is None:
            cells.append(cell)
        else:
            if cell not in known:
                known[cell] = _cell(cell, made)
            cells.append(known[cell])
    return cells


def _cell(cell: object, made: Made) -> object:
    return made(cell) if isinstance(cell, (int, float)) and isfinite(cell) else None


def _made(path: str, form: str) -> Made | None:
    """Return what makes days or times of a column's numbers, by its format; else None."""
    ending = Path(path).suffix.lower()
    if ending == ".dta":
        return _of_stata(form)
    if ending == ".sas7bdat":
        return _of_sas(form.upper())
    word = form.upper().rstrip("0123456789.")
    if word in _SPSS_DAYS:
        return lambda cell: _day(cell // _DAY, _SPSS)
    if word in _SPSS_MOMENTS:
        return lambda cell: _moment(_microseconds(cell), _SPSS)
    return _time_of_seconds if word == "TIME" else None


def _of_stata(form: str) -> Made | None:
    plain = form.replace("-", "", 1)
    if plain.startswith(("%td", "%d")):
        return lambda cell: _day(cell, _OTHERS)
    if plain.startswith(("%tcHH:MM", "%tchh:mm")):
        return lambda cell: _time(_microseconds(cell, 10**3))
    if plain.startswith("%tc"):
        return lambda cell: _moment(_microseconds(cell, 10**3), _OTHERS)
    return None


def _of_sas(form: str) -> Made | None:
    if _SAS_DAYS.fullmatch(form):
        return lambda cell: _day(cell, _OTHERS)
    if _SAS_MOMENTS.fullmatch(form):
        return lambda cell: _moment(_microseconds(cell), _OTHERS)
    return _time_of_seconds if _SAS_TIMES.fullmatch(form) else None


def _microseconds(cell: float, each: int = 10**6) -> int:
    """Return how many microseconds a count of seconds is, or of what has `each` of them."""
    above, below = cell.as_integer_ratio()
    return (2 * above * each + below) // (2 * below)


def _day(days: float, start: datetime) -> date | None:
    place = start.toordinal() + floor(days)
    return date.fromordinal(place) if 1 <= place <= date.max.toordinal() else None


def _moment(microseconds: int, start: datetime) -> datetime | None:
    try:
        return start + timedelta(microseconds=microseconds)
    except OverflowError:
        return None


def _time_of_seconds(cell: float) -> time | None:
    return _time(_microseconds(cell))


def _time(microseconds: int) -> time | None:
    if not 0 <= microseconds < _DAY * 10**6:
        return None
    return (_OTHERS + timedelta(microseconds=microseconds)).time()
