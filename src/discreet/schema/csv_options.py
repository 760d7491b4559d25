"""How the text of a CSV file is to be read, where it is not written as most are.

Rules of this module:
- what is not said is read as RFC 4180 and Python's `csv` write it, in UTF-8, a point before
  decimals;
- every option is public and part of the declaration: a plan and a release repeat it;
- a column may be written in its own way: what it does not say is as in its file, and its missing
  words stand beside those of the file.

Decisions 97, 106.
"""

import codecs
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from typing import Any, cast

from ..errors import InputError, shown
from ..fix import Set, Way, write
from .fixed_width import Places, check_alone, fixed_places
from .time_forms import checked_form

ENCODINGS = ("utf-8", "latin-1", "windows-1252", "iso-8859-15", "utf-16")
_SEPARATORS = (",", ";", "\t", "|")
_QUOTES = ('"', "'", "")
_DECIMALS = (".", ",")
_THOUSANDS = (",", ".", " ", "'", "_", "\u00a0", "\u2009", "\u202f", "\u2019")
_SEPARATOR_WORDS = {
    "tab": "\t",
    "\\t": "\t",
    "comma": ",",
    "semicolon": ";",
    "bar": "|",
    "pipe": "|",
}
_DECIMAL_WORDS = {"comma": ",", "point": ".", "dot": ".", "period": "."}
_BOM = {"utf-8-sig": "utf-8", "utf-16-le": "utf-16"}  # a mark at the start is read anyhow
_OURS = {  # what other readers call an option
    **dict.fromkeys(("sep", "delimiter", "delim", "field_delimiter"), "separator"),
    **dict.fromkeys(("quotechar", "quote_char", "quoting"), "quote"),
    **dict.fromkeys(("na_values", "null_values", "nullstr", "na", "null"), "missing"),
    **dict.fromkeys(("decimal_separator", "dec", "decimal_comma", "decimal_point"), "decimal"),
    **dict.fromkeys(("thousands_separator", "group", "grouping"), "thousands"),
    **dict.fromkeys(("skipinitialspace", "strip", "strip_white"), "trim"),
    **dict.fromkeys(("layout", "positions", "fixed_width"), "fixed"),
    **dict.fromkeys(("newlines_in_values", "multi_line"), "multiline"),
    **dict.fromkeys(("date_format", "dateformat", "day_format", "dates", "date"), "days"),
    **dict.fromkeys(("time_format", "timeformat", "timestampformat", "timestamp_format"), "times"),
}
_WITHOUT = {  # what other readers have and this one does not: why
    **dict.fromkeys(
        ("header", "names", "has_header", "column_names"),
        "the first line of a CSV file names its columns",
    ),
    **dict.fromkeys(
        ("skip", "skiprows", "skip_rows", "skipfooter", "nrows"),
        "every line behind the first one is a row",
    ),
    **dict.fromkeys(
        ("colspecs", "widths"),
        "fixed says the first and the last place of each column, counted from 1, as in "
        "{'age': [1, 3]}",
    ),
    **dict.fromkeys(
        ("dtype", "schema", "types"), "cells are text, and are read as what they are compared with"
    ),
}
OF_COLUMNS = ("decimal", "thousands", "currency", "missing", "days", "times")
_MOST_WORDS = 100
_LONGEST = 100
_LONGEST_SIGN = 3
_OF_NUMBERS = set("0123456789+-.,eE_ \"'")


@dataclass(frozen=True, slots=True)
class CsvOptions:
    """How the cells of a CSV file are written.

    Attributes:
        separator: between cells; by default told by the first line: comma, semicolon, tab or bar.
        quote: around cells that hold separators; "" for none.
        decimal: before the decimals of a number; None where nobody said it, which is a point.
        thousands: between groups of three digits; "" for none.
        currency: a sign that may stand before a number, and after it: "$", for example.
        encoding: one of ENCODINGS.
        missing: the words that mean a missing cell; "" is the empty cell.
        trim: whether blanks around a cell are left out.
        multiline: whether a quoted cell may hold line ends. Then one stray quotation mark can take
            other rows with it, so that "one row is protected" holds only if quotes are paired.
        days: how a day is written, as in "%d.%m.%Y"; "" for 2026-11-03.
        times: how a time is written, as in "%I:%M%p", with its day or without; "" for 10:30:00.
        fixed: the columns of lines without separators, each with its first and its last place.
        columns: the columns that are written in their own way, each with all its options.
        point: what stands before the decimals of a number.
        says_cells: whether it says anything of how cells are written, be they of a CSV file or not.
    """

    separator: str | None = None
    quote: str = '"'
    decimal: str | None = None
    thousands: str = ""
    currency: str = ""
    encoding: str = "utf-8"
    missing: tuple[str, ...] = ("",)
    trim: bool = False
    multiline: bool = False
    days: str = ""
    times: str = ""
    fixed: Places = ()
    columns: tuple[tuple[str, "CsvOptions"], ...] = ()
    point: str = field(default=".", init=False, repr=False, compare=False)
    says_cells: bool = field(default=False, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", self.decimal or ".")
        named = (*OF_COLUMNS, "trim", "columns")
        says_cells = any(getattr(self, name) != _DEFAULTS[name] for name in named)
        object.__setattr__(self, "says_cells", says_cells)

    def plain(self) -> dict[str, object]:
        """Return what differs from the default, as plain data."""
        options: dict[str, object] = {}
        for name, default in _DEFAULTS.items():
            value = getattr(self, name)
            if value != default and name not in ("columns", "fixed"):
                options[name] = list(value) if isinstance(value, tuple) else value
        if self.fixed:
            options["fixed"] = {name: [first, last] for name, first, last in self.fixed}
        if self.columns:
            options["columns"] = {name: self._own(csv) for name, csv in self.columns}
        return options

    def of(self, column: str) -> "CsvOptions":
        """Return how the cells of a column are written."""
        return next((csv for name, csv in self.columns if name == column), self)

    def _own(self, csv: "CsvOptions") -> dict[str, object]:
        """Return what differs in a column, as plain data; of missing words those more."""
        pairs = ((name, getattr(csv, name)) for name in OF_COLUMNS if name != "missing")
        own: dict[str, object] = {n: value for n, value in pairs if value != getattr(self, n)}
        words = [word for word in csv.missing if word not in self.missing]
        return {**own, "missing": words} if words else own

    def own_words(self) -> list[str]:
        """Return how each column is written that is in its own way, in words for people."""
        return [
            f"{shown(name)} ({', '.join(_in_words(self._own(csv)))})" for name, csv in self.columns
        ]

    def words(self) -> list[str]:
        """Return how cells of all columns are written where it is not as usual, in such words."""
        plain = self.plain()
        own = {name: plain[name] for name in (*OF_COLUMNS, "trim") if name in plain}
        return _in_words({**own, "trim": "blanks"} if self.trim else own)


def _in_words(options: Mapping[str, object]) -> list[str]:
    return [
        f"{option} {', '.join(map(_word, value)) if isinstance(value, list) else value}"
        for option, value in options.items()
    ]


def _word(word: str) -> str:
    return shown(word) if word else "the empty text"


_DEFAULTS = {one.name: one.default for one in fields(CsvOptions) if one.init}
DEFAULT = CsvOptions()


def called_here(name: str) -> str:
    """Return what an option is called here, by its name or by that of another reader; "" for none.

    Example:
        >>> called_here("date"), called_here("sep"), called_here("skiprows")
        ('days', 'separator', '')
    """
    return name if name in _DEFAULTS else _OURS.get(name.casefold(), "")


def csv_options(argument: object) -> CsvOptions:
    """Return the options that a person wrote as a dict.

    Raises:
        InputError: an unknown name, or a value that an option cannot have.

    Example:
        >>> csv_options({"decimal": ",", "thousands": "."}).plain()
        {'decimal': ',', 'thousands': '.'}
    """
    if argument is None:
        return DEFAULT
    if not isinstance(argument, Mapping):
        raise InputError(
            f"csv is a {type(argument).__name__}, not a dict.",
            kind="csv-option",
            why="its entries say how the cells of a CSV file are written",
            fix=write(", for example", csv={"decimal": ","}),
        )
    for name in argument:
        if name not in _DEFAULTS:
            ours = _OURS.get(str(name).casefold(), "")
            raise InputError(
                f"csv has no option {shown(name)}.",
                kind="csv-option",
                why=_WITHOUT.get(str(name).casefold(), f"its options are {', '.join(_DEFAULTS)}"),
                fix=f"write {ours} in place of {shown(name)}"
                if ours and ours not in argument
                else f"leave {shown(name)} out of csv",
            )
    try:
        options: dict[str, Any] = {
            name: _checked(name, value) for name, value in argument.items() if name != "columns"
        }
        csv = CsvOptions(**options)
        _check_together(csv)
        if csv.fixed:
            check_alone(argument)
    except InputError as error:
        fix = tuple(_keeping(way, argument) for way in error.ways)
        raise InputError(error.what, kind=error.kind, why=error.why, fix=fix) from None
    return csv if "columns" not in argument else _with_columns(csv, argument["columns"])


def _with_columns(csv: CsvOptions, columns: object) -> CsvOptions:
    """Return options with those of columns, sorted by name; what says nothing of its own is none.

    Raises:
        InputError: it is no dict of dicts, or says what is said of a whole file.
    """
    is_named = isinstance(columns, Mapping) and all(
        isinstance(name, str) and isinstance(options, Mapping) for name, options in columns.items()
    )
    if not is_named:
        raise InputError(
            "csv columns is not a dict of dicts.",
            kind="csv-option",
            why="of each column that is written in its own way it says how",
            fix=write(", for example", csv={"columns": {"price": {"decimal": ","}}}),
        )
    own = []
    for name, options in sorted(cast("Mapping[str, Mapping[str, object]]", columns).items()):
        written = _of_column(csv, name, options)
        if written != csv:
            own.append((name, written))
    return replace(csv, columns=tuple(own))


def _of_column(csv: CsvOptions, column: str, options: Mapping[str, object]) -> CsvOptions:
    for option in options:
        if option not in OF_COLUMNS:
            raise InputError(
                f"csv says {shown(option)} of the column {shown(column)} alone.",
                kind="csv-option",
                why=f"a column may have its own {', '.join(OF_COLUMNS)}; all else is one in a file",
                fix=f"write {shown(option)} beside columns, or leave it out",
            )
    try:
        checked: dict[str, Any] = {name: _checked(name, value) for name, value in options.items()}
        words = (*csv.missing, *checked.get("missing", ()))
        own = replace(csv, **{**checked, "missing": tuple(dict.fromkeys(words))})
        _check_together(own)
    except InputError as error:
        ways = tuple(_in_column(way, column) for way in error.ways)
        raise InputError(error.what, kind=error.kind, why=error.why, fix=ways) from None
    return own


def _in_column(way: Way, column: str) -> Way:
    """Return the advice to write an option, of a column alone."""
    if not isinstance(way, Set) or "csv" not in way.settings:
        return way
    return replace(way, settings={"csv": {"columns": {column: way.settings["csv"]}}})


def _keeping(way: Way, options: Mapping[str, object]) -> Way:
    """Return the advice to write one option with the others that were written."""
    wanted = way.settings.get("csv") if isinstance(way, Set) else None
    if not isinstance(way, Set) or not isinstance(wanted, Mapping):
        return way
    others = {
        name: option
        for name, option in options.items()
        if isinstance(option, (str, bool, list, dict))
    }
    return replace(way, settings={"csv": {**others, **wanted}})


def _checked(name: str, value: object) -> object:
    if name == "missing":
        return _words(value)
    if name == "fixed":
        return fixed_places(value)
    if name in ("trim", "multiline"):
        return _one_of(name, value, (True, False))
    if name == "currency":
        return _currency(value)
    if name in ("days", "times"):
        return checked_form(name, value)
    if name == "encoding":
        value = _encoding(value)
    if name == "decimal" and isinstance(value, str):
        value = _DECIMAL_WORDS.get(value.casefold(), value)
    if name == "separator" and isinstance(value, str):
        value = _SEPARATOR_WORDS.get(value.casefold(), value)
    allowed: dict[str, tuple[object, ...]] = {
        "separator": (None, *_SEPARATORS),
        "quote": _QUOTES,
        "decimal": _DECIMALS,
        "thousands": ("", *_THOUSANDS),
        "encoding": ENCODINGS,
    }
    return _one_of(name, value, allowed[name])


def _encoding(value: object) -> object:
    """Return the encoding that a name means: utf8, latin1 and cp1252 have one meaning each."""
    with suppress(LookupError, TypeError, ValueError):
        name = codecs.lookup(value).name if isinstance(value, str) else ""
        return next(
            (encoding for encoding in ENCODINGS if codecs.lookup(encoding).name == name),
            _BOM.get(name, value),
        )
    return value


def _one_of(name: str, value: object, allowed: tuple[object, ...]) -> object:
    for choice in allowed:
        if type(value) is type(choice) and value == choice:
            return choice
    listed = ", ".join(repr(choice) for choice in allowed if choice is not None)
    raise InputError(
        f"csv {name} = {shown(repr(value))} is no form that discreet reads.",
        kind="csv-option",
        why=f"it is one of {listed}",
        fix=f"leave {name} out of csv, or convert the file",
    )


def _currency(value: object) -> str:
    is_short = isinstance(value, str) and len(value) <= _LONGEST_SIGN and value.isprintable()
    if is_short and not set(text := str(value)) & _OF_NUMBERS:
        return text
    raise InputError(
        f"csv currency = {shown(repr(value))} is no sign of a currency.",
        kind="csv-option",
        why="it is a text of at most three characters, without digits, signs, points and blanks",
        fix=write(", for example", csv={"currency": "$"}),
    )


def _words(value: object) -> tuple[str, ...]:
    words = None if isinstance(value, str) or not isinstance(value, Iterable) else [*value]
    if words is not None:  # a code may be written as the number that it is
        words = [str(word) if type(word) is int else word for word in words]
    if words is None or not all(isinstance(word, str) and len(word) <= _LONGEST for word in words):
        raise InputError(
            "csv missing is not a list of short words.",
            kind="csv-option",
            why=f"it lists what a missing cell says, each in at most {_LONGEST} characters",
            fix=write(", for example", csv={"missing": ["", "NA"]}),
        )
    if len(words) > _MOST_WORDS:
        raise InputError(
            f"csv missing lists more than {_MOST_WORDS} words.",
            kind="csv-option",
            why="each of them is compared with every cell",
            fix=write(", for example", csv={"missing": ["", "NA"]}),
        )
    return tuple(dict.fromkeys(cast("list[str]", words)))


def _check_together(csv: CsvOptions) -> None:
    if csv.point == csv.thousands:
        raise InputError(
            f"csv decimal and thousands are both {csv.point!r}.",
            kind="csv-option",
            why="then 1,500 could be one and a half or fifteen hundred",
            fix=write(", for example", csv={"decimal": ",", "thousands": "."}),
        )
    if csv.quote and csv.quote in (csv.thousands, csv.separator):
        raise InputError(
            f"csv quote is {csv.quote!r}, but that sign already separates cells or thousands.",
            kind="csv-option",
            why="a sign can have one meaning only",
            fix=write(", for example", csv={"quote": ""}),
        )
    if csv.multiline and not csv.quote:
        raise InputError(
            "csv multiline needs a quote.",
            kind="csv-option",
            why="a line end is part of a cell only between quotation marks",
            fix="leave multiline out, or leave quote out",
        )
