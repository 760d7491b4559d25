"""The first line of a CSV file: names, separator and line end; the rest is for after the charge.

How a file is opened, unpacked, and how its lines are cut (`lines`).

What a cell of a CSV file says, which `csv_cut` has found: as parts of a query, and in Python.

Rules of this module:
- no more than the first line is read (two where the first is Excel's `sep=;`), and at most 1 MB;
- no message shows what stands there: the first row of a file without a header holds cells;
- a cell between quotation marks loses them, and each doubled one inside becomes one; a quotation
  mark elsewhere is a letter;
- a cell that says a missing word, or holds a byte that was no text, is missing.
"""

import codecs
import csv
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from sqlglot import exp

from ...errors import EngineError, InputError, shown
from ...fix import leave_out, nearest_name, write
from ...schema import CsvOptions
from ..sql.tree import called, to_type, whole
from .packed import UNPACK

BLANKS = " \t"  # what is left out around a cell that is trimmed
LOST = 0x1A  # in place of what is no text
_SEPARATORS = (",", ";", "\t", "|")
_LONGEST = 1_000_000  # bytes
_DIGITS = 4  # of a name; with more it may be a number of somebody
_ORDERS = (b"\xff\xfe", b"\xfe\xff")  # marks of UTF-16
_EXCEL = "sep="


@dataclass(frozen=True, slots=True)
class LineLayout:
    """How the lines of a file are cut.

    Attributes:
        separator: between cells, one byte.
        line_end: LF or CR LF.
        skipped: how many lines stand before the first row: the header, and a line `sep=;`.
        options: what the declaration says.
    """

    separator: bytes
    line_end: bytes
    skipped: int
    options: CsvOptions


@dataclass(frozen=True, slots=True)
class CsvHeader:
    """The names of a file's columns, and how its lines are cut."""

    names: tuple[str, ...]
    layout: LineLayout


@dataclass(frozen=True, slots=True)
class _Start:
    """How a file begins: the line of its names, after Excel's line of the separator, if any.

    Attributes:
        is_spelled: whether the bytes of these lines are text in the file's encoding.
        is_marked: whether the file begins with the mark of UTF-8.
        other: what the file is by its first bytes, where it is no text: "a Parquet file".
    """

    lines: tuple[str, ...]
    line_end: bytes
    is_wide: bool
    is_torn: bool
    is_spelled: bool
    is_marked: bool
    other: str = ""


def twice_named(path: str, options: CsvOptions) -> list[str]:
    """Return the names that stand twice in the first line of a file."""
    names = header(path, set(), options).names
    return [name for name, number in Counter(names).items() if number > 1]


def header(path: str, needed: set[str], options: CsvOptions) -> CsvHeader:
    """Return what the first line of a file says: by the first separator that shows all names.

    Raises:
        InputError: there is no header, a name is there twice, or none of the names is needed.
        EngineError: the file cannot be opened.
    """
    start = _start(path, options.encoding)
    if start is None:
        raise unreadable(path)
    if options.fixed:  # its first line is a row, and is not looked at
        _check_places(path, options, needed)
        names = tuple(name for name, *_ in options.fixed)
        return CsvHeader(names, LineLayout(b"", b"\n", 0, options))
    _check_start(path, start, options)
    separators = [options.separator] if options.separator else list(_SEPARATORS)
    lines = start.lines
    if len(lines) > 1:
        separators = [lines[0][-1]]
    record = _named(path, lines[-1], separators, needed, options)
    if options.separator:
        _check_separator(path, lines[-1], record[1], needed, options)
    layout = LineLayout(record[0].encode(), start.line_end, len(lines), options)
    return CsvHeader(_checked(path, record[1], needed), layout)


def _check_places(path: str, options: CsvOptions, needed: set[str]) -> None:
    """Refuse a column of which nothing says where it stands.

    Raises:
        InputError: it is not in the layout.
    """
    missing = sorted(needed - {name for name, *_ in options.fixed})
    if missing:
        raise InputError(
            f"csv fixed does not say where {shown(missing[0])} stands in {shown(Path(path).name)}.",
            kind="csv-option", why="in a file of fixed width a column is what stands at its places",
            fix=f"add {shown(missing[0])} to fixed, or check its spelling; a joined file that is "
            "written otherwise has a csv of its own, {} where nothing is to be said",
        )  # fmt: skip


def told_options(path: str) -> dict[str, str | None]:
    """Return the options that the first line of a file asks for; None where only a person can tell.

    An encoding where its bytes are not UTF-8; where a semicolon separates the names, the sign
    before decimals, and the encoding of a line that is ASCII.
    """
    start = _start(path, "utf-8")
    if start is None or start.other:
        return {}
    encoding = "utf-16" if start.is_wide else "utf-8" if start.is_spelled else "windows-1252"
    start = _start(path, encoding) or start
    separators = [start.lines[0][-1]] if len(start.lines) > 1 else _SEPARATORS
    records = [(sign, _split(start.lines[-1], sign, CsvOptions())) for sign in separators]
    separator, _ = max(records, key=lambda record: len(record[1]))
    options: dict[str, str | None] = {"encoding": encoding} if encoding != "utf-8" else {}
    if separator != ";":
        return options
    unsaid = {"encoding": None} if start.lines[-1].isascii() and not start.is_marked else {}
    return {**unsaid, **options, "decimal": None}


def check_decimal(name: str, headers: Iterable[CsvHeader], options: CsvOptions) -> None:
    """Refuse numbers between semicolons that nobody declared: a comma may be before decimals.

    Raises:
        InputError: the first line told a semicolon, and nothing says how decimals are written.
    """
    is_told = options.separator is None and options.decimal is None
    if is_told and any(header.layout.separator == b";" for header in headers):
        raise InputError(
            f"{shown(name)} has semicolons between its cells, and nothing says how its decimals "
            "are written.", kind="csv-form",
            why="programs that write semicolons often write 2,5 for two and a half; read with a "
            "point it would be missing, and 2.500 would be 2.5",
            fix=(
                write(of="table", csv={**options.plain(), "decimal": ","}),
                write(of="table", csv={**options.plain(), "decimal": "."}),
            ),
        )  # fmt: skip


def check_written(name: str, names: Container[str], options: CsvOptions) -> None:
    """Refuse to be told how a column is written that is not there: another one would be meant.

    Args:
        name: of the table.
        names: of all columns that it has.
        options: how they are written.

    Raises:
        InputError: no column has that name.
    """
    for column, _ in options.columns:
        if column not in names:
            raise InputError(
                f"csv says how {shown(column)} is written, and {shown(name)} has no such column.",
                kind="no-such-column", why="names are matched exactly, with their case and blanks",
                fix=f"leave {shown(column)} out of csv columns, or name the column that is meant",
            )  # fmt: skip


def unreadable(path: str) -> EngineError:
    """Return the error for a file that the system or its own damage keeps closed."""
    return EngineError(
        f"{shown(Path(path).name)} cannot be opened.", kind="cannot-open",
        why="the system refused it, or it is damaged",
        fix="check the file and its permissions; nothing was charged",
    )  # fmt: skip


def _check_start(path: str, start: _Start, options: CsvOptions) -> None:
    """Refuse a file whose first bytes say that it is written in another way."""
    if start.is_wide and options.encoding == "utf-8":
        raise InputError(
            f"{shown(Path(path).name)} is written in UTF-16.", kind="csv-encoding",
            why="its first two bytes say so; it is read as UTF-8 unless the table says otherwise",
            fix=write(of="table", csv={**options.plain(), "encoding": "utf-16"}),
        )  # fmt: skip
    if start.is_marked and options.encoding != "utf-8":
        raise InputError(
            f"{shown(Path(path).name)} is written in UTF-8, and csv says {options.encoding}.",
            kind="csv-encoding",
            why="its first three bytes say so; read otherwise letters beyond ASCII would be others",
            fix=write(of="table", csv={**options.plain(), "encoding": "utf-8"}),
        )
    if start.other:
        raise InputError(
            f"{shown(Path(path).name)} is no CSV file: by its first bytes it is {start.other}.",
            kind="file-kind",
            why="a CSV file is text; of anything else no row would be found, for the same price",
            fix=_TURNED.get(start.other, "write it as CSV or Parquet with the program it is of"),
        )
    if options.encoding == "utf-16" and not start.is_wide:
        raise InputError(
            f"{shown(Path(path).name)} does not begin with a mark of the order of bytes.",
            why="UTF-16 has two orders, and its first two bytes say which; without them its rows "
            "cannot be read after the charge, and a file in another encoding would look alike",
            kind="csv-encoding", fix="convert it to UTF-8, or leave encoding out if it is UTF-8",
        )  # fmt: skip
    if not start.is_spelled:
        raise InputError(
            f"the first line of {shown(Path(path).name)} is not written in {options.encoding}.",
            kind="csv-encoding",
            why="a letter in a name has another code there; each cell with it would be missing",
            fix=write(of="table", csv={**options.plain(), "encoding": "windows-1252"}),
        )
    if start.is_torn:
        raise InputError(
            f"the first line of {shown(Path(path).name)} holds a carriage return.", kind="csv-form",
            why="a file has one line end, LF or CR LF, and its first line tells which",
            fix="convert its line ends, or convert the file to Parquet",
        )  # fmt: skip


def opened(path: str) -> IO[bytes]:
    """Open a file, unpacked as its ending says."""
    unpack = UNPACK.get(Path(path).suffix.lower())
    return Path(path).open("rb") if unpack is None else cast("IO[bytes]", unpack(path))


def _start(path: str, encoding: str) -> _Start | None:
    """Return how a file begins; None if it cannot be read.

    The rows that were read with the header stay here: no error is raised where they are.
    """
    with suppress(Exception), opened(path) as file:
        read = b""
        while len(read) < _LONGEST and read.count(b"\n") < 2:
            more = file.read(min(_LONGEST, 1 << 13))
            if not more:
                break
            read += more
        text = read.decode(encoding, "replace").removeprefix("\ufeff")
        first = text.partition("\n")[0]
        end = "\r\n" if first.endswith("\r") else "\n"
        lines = text.split(end, 2)[:2]
        is_excel = lines[0].startswith(_EXCEL) and len(lines[0]) == len(_EXCEL) + 1
        return _Start(
            other=_other(read, lines[0]),
            lines=tuple(lines if is_excel else lines[:1]),
            line_end=end.encode(),
            is_wide=read[:2] in _ORDERS,
            is_torn="\r" in first.removesuffix("\r"),
            is_spelled=_is_text(read.partition(b"\n")[0], encoding),
            is_marked=read.startswith(codecs.BOM_UTF8),
        )
    return None


def _is_text(line: bytes, encoding: str) -> bool:
    if encoding == "utf-16":  # a line feed has two bytes there
        return True
    try:
        line.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _other(read: bytes, line: str) -> str:
    """Return what a file is by its first bytes; "" for text."""
    is_binary = any(byte < _CONTROL for byte in read[:1024])  # a column may be called PAR1, too
    signs = _SIGNS if is_binary else ()
    kind = next((name for at, sign, name in signs if read[at : at + len(sign)] == sign), "")
    is_stata = read[:1] in _STATA and read[1:2] in (b"\x01", b"\x02") and read[2:3] == b"\x01"
    if kind or is_stata:
        return kind or "a Stata file"
    return "no text, but bytes" if "\x00" in line else ""


_CONTROL = 9  # bytes below it are in no text
_STATA = [bytes([number]) for number in range(105, 120)]  # versions of its old formats
_SIGNS = (  # where, what stands there, and what the file is then
    (0, b"PAR1", "a Parquet file"),
    (0, b"ARROW1", "an Arrow file"),
    (0, b"FEA1", "an Arrow file"),
    (0, b"PK\x03\x04", "an Excel file or another archive"),
    (0, b"\xd0\xcf\x11\xe0", "an old Excel file"),
    (0, b"SQLite format 3", "a SQLite database"),
    (8, b"DUCK", "a DuckDB database"),
    (0, b"<stata_dta>", "a Stata file"),
    (0, b"$FL2", "an SPSS file"),
    (0, b"$FL3", "an SPSS file"),
    (12, b"\xc2\xea\x81\x60", "a SAS file"),
    (0, b"\x1f\x8b", "a packed file: gzip"),
    (0, b"\x28\xb5\x2f\xfd", "a packed file: zstandard"),
    (0, b"BZh", "a packed file: bzip2"),
    (0, b"\xfd7zXZ", "a packed file: xz"),
    (0, b"ORC\n", "an ORC file"),
    (0, b"Obj\x01", "an Avro file"),
    (0, b"\x89HDF", "an HDF5 file"),
    (0, b"RDX3", "an R file"),
)
_TURNED = {
    "a Parquet file": "give it its own ending: .parquet",
    "an Arrow file": "give it its own ending: .arrow",
    "a DuckDB database": "connect to it, and pass the connection with the name of the table",
    "a packed file: gzip": "give it its own ending: .csv.gz",
    "a packed file: zstandard": "give it its own ending: .csv.zst",
    "a packed file: bzip2": "give it its own ending: .csv.bz2",
    "a packed file: xz": "give it its own ending: .csv.xz",
    "a Stata file": "give it its own ending: .dta",
    "an SPSS file": "give it its own ending: .sav",
    "a SAS file": "give it its own ending: .sas7bdat",
}


def _named(
    path: str, line: str, separators: Sequence[str], needed: set[str], options: CsvOptions
) -> tuple[str, list[str]]:
    """Return the separator and the names."""
    quote = options.quote
    if quote and line.count(quote) % 2:
        raise InputError(
            f"{shown(Path(path).name)} opens a quotation mark in its first line that stays open.",
            kind="csv-form",
            why="before the charge no more than the first line is looked at, so a name in a CSV "
            "file cannot hold a line feed",
            fix="rename the column, or convert the file to Parquet",
        )
    records = [(separator, _split(line, separator, options)) for separator in separators]
    fitting = [record for record in records if needed <= set(record[1])]
    return max(fitting or records, key=lambda record: len(record[1]))


def _check_separator(
    path: str, line: str, names: Sequence[str], needed: set[str], options: CsvOptions
) -> None:
    """Refuse a declared separator by which the names are not there, and by another one are."""
    missing = needed - set(names)
    others = {name: option for name, option in options.plain().items() if name != "separator"}
    for sign in _SEPARATORS if options.separator and missing else ():
        if needed <= set(_split(line, sign, options)):
            raise InputError(
                f"{shown(Path(path).name)} has {_SIGN_NAMES[sign]} between its names, and csv says "
                f"{_SIGN_NAMES[options.separator or sign]}.", kind="csv-form",
                why=f"by what csv says there is no column {shown(min(missing))}",
                fix=write(of="table", csv=others) if others else leave_out("csv", of="table"),
            )  # fmt: skip


_SIGN_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


def _split(line: str, separator: str, options: CsvOptions) -> list[str]:
    quote, trim = options.quote, options.trim
    how: dict[str, Any] = {"delimiter": separator, "strict": not trim, "skipinitialspace": trim}
    how |= {"quotechar": quote} if quote else {"quoting": csv.QUOTE_NONE}
    with suppress(csv.Error):
        names = next(csv.reader([line], **how), [])
        return [name.strip(BLANKS) for name in names] if trim else names
    return []


def _meant(needed: set[str], names: Sequence[str]) -> str:
    """Return which name was meant; nothing where a first row may be somebody's."""
    if any(not name[:1].isalpha() or sum(map(str.isdigit, name)) > _DIGITS for name in names):
        return ""
    near = {name: nearest_name(name, names) for name in sorted(needed)}
    return ", and ".join(
        f"write {shown(own)} in place of {shown(n)}" for n, own in near.items() if own
    )


def _checked(path: str, names: Sequence[str], needed: set[str]) -> tuple[str, ...]:
    if not any(names):
        raise InputError(
            f"{shown(Path(path).name)} has no header.", kind="no-header",
            why="the first row of a CSV file names its columns",
            fix="write the names of the columns into the first row",
        )  # fmt: skip
    if needed and not {name.casefold() for name in needed} & {name.casefold() for name in names}:
        raise InputError(
            f"{shown(Path(path).name)} has none of the columns that are asked for: "
            f"{shown(', '.join(sorted(needed)))}.", kind="no-such-column",
            why="the first row of each CSV file names its columns; if it holds data instead, the "
            "rows would belong to no column",
            fix=_meant(needed, names)
            or "check that the first row of the file names its columns, and how it does",
        )  # fmt: skip
    twice = {name for name in names if names.count(name) > 1}
    if twice & needed:
        raise InputError(
            f"{shown(Path(path).name)} names the column {shown(min(twice & needed))} twice.",
            kind="column-twice", why="then a name does not say which column is meant",
            fix="give each column a name of its own in the first row",
        )  # fmt: skip
    return tuple(names)


def rows_query(
    source: str, names: Sequence[str], used: Sequence[str], csv: CsvOptions
) -> exp.Select:
    """Return the rows of files that have this header: the columns that are used, as x0, x1, ...

    DuckDB does not tell names apart that differ in the case of ASCII letters; numbers it does.

    Args:
        source: the table of cells: c0 ... their texts, and q0 ... whether they were quoted.
        names: the names of the header.
        used: those that are wanted; one that the header does not have is missing in every row.
        csv: how the cells are written.
    """
    query = exp.select(exp.alias_(whole(1), "one")).from_(source)
    there = places_of(names, used)
    for number, name in enumerate(used):
        cell: exp.Expression = to_type(exp.null(), "TEXT")
        if name in there:
            place = list(there).index(name)
            cell = _plain(exp.column(f"c{place}"), exp.column(f"q{place}"), csv)
            if csv.trim or any(csv.missing) or csv.columns:
                cell = said(cell, csv.of(name))
        query.select(exp.alias_(cell, f"x{number}"), copy=False)
    return query


def places_of(names: Sequence[str], used: Sequence[str]) -> dict[str, int]:
    """Return where in the header each used column is that is there."""
    return {name: names.index(name) for name in used if name in names}


def _plain(cell: exp.Expression, was_quoted: exp.Expression, csv: CsvOptions) -> exp.Expression:
    """Return a cell without quotation marks around it, and with one for each doubled one inside."""
    if not csv.quote:
        return trimmed(cell) if csv.trim else cell
    quote, twice = exp.Literal.string(csv.quote), exp.Literal.string(2 * csv.quote)
    if not csv.trim:
        return exp.Case().when(was_quoted, called("REPLACE", cell, twice, quote)).else_(cell.copy())
    outside = trimmed(cell)
    length = called("LENGTH", outside.copy())
    within = called(
        "SUBSTRING", outside.copy(), whole(2), exp.Sub(this=length, expression=whole(2))
    )
    starts = called("STARTS_WITH", outside.copy(), quote)
    ends = called("ENDS_WITH", outside.copy(), quote.copy())
    plain = called("REPLACE", within, twice, quote.copy())
    return trimmed(exp.Case().when(exp.and_(starts, ends), plain).else_(outside.copy()))


def trimmed(cell: exp.Expression) -> exp.Expression:
    """Return a text without the blanks around it."""
    return called("TRIM", cell, exp.Literal.string(BLANKS))


def said(cell: exp.Expression, csv: CsvOptions, *, is_cut: bool = True) -> exp.Expression:
    """Return a cell; NULL for a missing word: the empty one `csv_cut` leaves out where it can.

    Args:
        is_cut: whether `csv_cut` has made the cell.
    """
    words = [exp.Literal.string(word) for word in csv.missing if word or csv.trim or not is_cut]
    if not words:
        return cell
    return exp.Case().when(cell.isin(*words), exp.null()).else_(cell.copy())


def cell_of(raw: str, csv: CsvOptions) -> str | None:
    """Return what a cell says that stands so in the file; None if it is missing.

    Example:
        >>> cell_of('"a ""b"" c"', CsvOptions()), cell_of("", CsvOptions())
        ('a "b" c', None)
    """
    text = raw.strip(BLANKS) if csv.trim else raw
    if csv.quote and len(text) > 1 and text.startswith(csv.quote) and text.endswith(csv.quote):
        text = text[1:-1].replace(2 * csv.quote, csv.quote)
    text = text.strip(BLANKS) if csv.trim else text
    return None if text in csv.missing or chr(LOST) in text else text
