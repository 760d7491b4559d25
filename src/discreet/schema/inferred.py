"""What a reader must know of sources whose types or names hang on their cells: the same for all.

Which rows do not count by the declaration alone, whatever the data holds; no data is looked at.

Rules of this module:
- no cell is looked at, and nothing that one cell can change: of a pandas frame which dtypes were
  declared, of a list that it is one;
- no library is imported: a dtype is known by the name of its class;
- each sentence says what would be left out, and never what was;
- one sentence for each way: a missing unit, a link without a partner, letters of another form.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, cast
from unicodedata import normalize

from ..errors import InputError, shown
from ..expressions import Typed
from ..text import listed
from .bounds import value_tree
from .csv_options import DEFAULT, CsvOptions
from .derived import formulas
from .fixed_width import ENDINGS as FIXED

if TYPE_CHECKING:
    from .joins import Join
    from .table import Table


_BY_CELLS = {"DatetimeTZDtype", "PeriodDtype", "IntervalDtype"}  # of pandas, beside NumPy's
_KINDS_OF_CSV, _PACKED = (".csv", ".tsv", ".txt", *FIXED), ("", ".gz", ".zst", ".bz2", ".xz")
_CSV = (*(f"{kind}{packed}" for kind in _KINDS_OF_CSV for packed in _PACKED), ".zip")
_DOUBLES = (  # files whose numbers are doubles, cell by cell
    *(".sav", ".zsav", ".dta", ".sas7bdat"),
    *(".xlsx", ".xlsm", ".xls", ".ods"),
)
_EXACT = (".sqlite", ".sqlite3", ".db", ".db3", ".s3db", ".avro")  # the same of exact numbers
_JSON = tuple(f"{kind}{packed}" for kind in (".jsonl", ".ndjson") for packed in (*_PACKED, ".zip"))
_OF_TABLES = {"lists", "lines", "records", "cells", "objects", "written"}
_OF_COLUMNS = {"far", "doubles", "forms", "texts", "numbers", "digits"}
_KINDS = _OF_TABLES | _OF_COLUMNS | {"letters"}
_SHOWN = 8
_LONG = 16  # digits of 2^53


def is_inferred(dtype: Any) -> bool:
    """Say whether pandas chooses a dtype by the cells of a column, so that one cell changes it.

    NumPy's are chosen so, and `str`; `Int64`, `boolean`, `string` and Arrow's were declared. A
    category is as its categories are.
    """
    kind = type(dtype)
    if kind.__module__.partition(".")[0] == "numpy" or kind.__name__ in _BY_CELLS:
        return True
    if kind.__name__ == "StringDtype":
        return isinstance(dtype.na_value, float)
    if kind.__name__ == "CategoricalDtype":
        return dtype.categories is not None and is_inferred(dtype.categories.dtype)
    return kind.__name__ == "SparseDtype" and is_inferred(dtype.subtype)


def how_read(table: "Table", asked: Iterable[Typed] = ()) -> dict[str, list[str]]:
    """Return what the sources of a table are where cells or rows count as missing because of it.

    Args:
        table: what is declared.
        asked: the conditions of questions.

    Returns: mostly nothing; else names by kind: "far", columns of pandas in which whole numbers of
        2^53 or more are missing; "lists", sources that are lists of dicts, and "objects", files of
        JSON lines; "lines", CSV files of
        which a line is a row, and "records", others, which are all "cells"; "forms", columns of
        such files that are read as days or moments, and "texts", such columns of lists and of
        pandas; "numbers" and "digits", the same of columns that are read as numbers; "letters",
        declared texts that are not ASCII, where the encoding of such files is not declared;
        "written", sources of no lines whose text is read in a declared form. A declaration without
        its source has what it was read with.
    """
    if table.source is None:
        return {kind: [*names] for kind, names in table.read_as.items()}
    sources = [(table.name, table.source), *((part.name, part.source) for part in table.joins)]
    kinds = {id(source): kind_of_source(source) for _, source in sources}
    options = options_of(table) if table.joins else {table.name: table.csv}
    if not any(kinds.values()):  # each column has a type of its own
        written = [name for name, _ in sources if options[name].says_cells]
        return {"written": written} if written else {}
    trees = _trees(table, asked)
    files = [name for name, source in sources if kinds[id(source)] == "csv"]
    frames = [source for _, source in sources if kinds[id(source)] == "pandas"]
    by_line = {name for name, csv in options.items() if csv.quote and not csv.multiline}
    timed = _timed(table, trees) if trees else []
    counted = _counted(table, trees)
    of_columns = dict.fromkeys((*timed, *counted), table.source)
    if table.joins:
        of_columns = {name: _source_of(table, name) for name in of_columns}
    of_files = {name for name, source in of_columns.items() if kinds[id(source)] == "csv"}
    by_cell = {
        name
        for name in of_columns.keys() - of_files
        if kinds[id(of_columns[name])] and _is_by_cell(of_columns[name], name)
    }
    read = {
        "far": list(dict.fromkeys(name for source in frames for name in _far(table, source))),
        "doubles": _in_files(table) if "cells" in kinds.values() else [],
        "lists": [name for name, source in sources if kinds[id(source)] == "list"],
        "objects": [name for name, source in sources if kinds[id(source)] == "json"],
        "lines": [name for name in files if name in by_line],
        "records": [name for name in files if name not in by_line],
        "cells": files,
        "forms": [name for name in timed if name in of_files],
        "texts": [name for name in timed if name in by_cell],
        "numbers": [name for name in counted if name in of_files],
        "digits": [name for name in counted if name in by_cell],
        "letters": _letters(table, trees, options.values()) if files else [],
        "written": [name for name, _ in sources if name not in files and options[name].says_cells],
    }
    return {kind: names for kind, names in read.items() if names}


def read_as_of(plain: Any, tables: Iterable[str]) -> Mapping[str, Sequence[str]]:
    """Return what `how_read` wrote into a declaration whose tables have these names.

    Raises:
        InputError: it is no such thing.
    """
    is_names = isinstance(plain, dict) and all(
        isinstance(names, list) and names and all(isinstance(name, str) for name in names)
        for names in plain.values()
    )
    if is_names and plain.keys() <= _KINDS and _is_of(plain, set(tables)):
        return cast("dict[str, list[str]]", plain)
    raise InputError(
        "a declaration describes its sources as discreet never does.",
        kind="declaration-changed",
        why="it lists names of columns and tables by what is missing in them",
        fix="use the file as discreet wrote it",
    )


def _is_of(read: Mapping[str, Sequence[str]], tables: set[str]) -> bool:
    """Say whether each name stands once, and those of tables are among these."""
    of_tables = (name for kind in _OF_TABLES for name in read.get(kind, ()))
    return all(len({*names}) == len(names) for names in read.values()) and tables.issuperset(
        of_tables
    )


def options_of(table: "Table") -> dict[str, CsvOptions]:
    """Return how the CSV cells of each table are written, by its name."""
    joins = ((join.name, table.csv if join.csv is None else join.csv) for join in table.joins)
    return {table.name: table.csv, **dict(joins)}


_ENDS = "A line of a CSV file ends as its first line does: in LF, or in CR LF."
_STRAY = "A quotation mark that stays open can take all rows behind it with it."


def cells_said(table: "Table", asked: Iterable[Typed] = ()) -> Iterator[str]:
    """Return what counts as missing in the sources of a table, whatever they hold; mostly none."""
    yield from left_out(table)
    read = how_read(table, asked)
    yield from _far_said(read)
    yield from _without_names(read)
    fixed = {name for name, csv in options_of(table).items() if csv.fixed}
    for kind in ("lines", "records"):
        yield from _at_places_said([name for name in read.get(kind, ()) if name in fixed])
        if not fixed.issuperset(read.get(kind, ())):
            unless = ", and no line break in a cell unless csv says multiline" * (kind == "lines")
            yield (
                f"In {listed(tuple(n for n in read[kind] if n not in fixed), _SHOWN)} a row counts "
                f"if it has as many cells as the first line{unless}."
            )
    if "cells" in read:
        yield from _written_said(table, read)
    if not {"written", "digits", "forms", "texts"}.isdisjoint(read):
        from .forms_said import forms_said

        yield from forms_said(table, read)


def _at_places_said(names: Sequence[str]) -> Iterator[str]:
    """Return what rows and cells are in files of fixed width."""
    if names:
        yield (
            f"In {listed(tuple(names), _SHOWN)} each line is a row, and a cell is what stands at "
            "the places of its column, in characters, without the blanks around it."
        )


def _without_names(read: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Return which sources have no public names."""
    for name in read.get("lists", ()):
        yield (
            f"{name} is a list of dicts, of which no names are public: a declared column that "
            "no row has counts as missing."
        )
    for name in read.get("objects", ()):
        yield (
            f"In {name} a line counts if it is an object of JSON; no names are public there: a "
            "declared column that no line has counts as missing."
        )


def _far_said(read: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Return in which columns whole numbers that doubles merge count as missing."""
    far = tuple(read.get("far", ()))
    if far:
        yield (
            f"Whole numbers of 2^53 or more count as missing in the pandas column"
            f"{'s' if len(far) > 1 else ''} {listed(far, _SHOWN)}, unless they are text or Int64."
        )
    if "doubles" in read:
        where = listed(tuple(read["doubles"]), _SHOWN)
        yield f"Whole numbers of 2^53 or more count as missing in {where}, unless they are text."


def _written_said(table: "Table", read: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Return how the cells of CSV files are read: their letters, and their numbers.

    One sentence for all files whose cells are written alike.
    """
    options = options_of(table) if table.joins else {table.name: table.csv}
    alike = defaultdict[tuple[str, str], list[str]](list)
    if any(not options[name].fixed for name in read["cells"]):
        yield _ENDS
    if any(options[name].multiline for name in read.get("records", ())):
        yield _STRAY
    for name in read["cells"]:
        alike[options[name].encoding, number_form(options[name])].append(name)
        own = options[name].own_words() if options[name].columns else ()
        if own:
            yield f"Written in their own way are cells of {listed(own, _SHOWN)}."
    named = read.get("numbers", ())
    written = map(table.csv_of, named) if table.joins else [table.csv] * bool(named)
    numbers = {number_form(csv) for csv in written}
    for (encoding, number), files in alike.items():
        letters = read.get("letters", ()) if encoding == DEFAULT.encoding else ()
        yield _cells_of(files, encoding, number if number in numbers else "", letters)


def number_form(csv: CsvOptions) -> str:
    """Return how a number is written, and which way of people who write commas is not it."""
    written = f"{csv.currency}1{csv.thousands}234{csv.point}5"
    is_half_said = csv.point == "," and not csv.thousands
    return f"{written} (1.234,5 is missing unless csv says thousands)" if is_half_said else written


def _cells_of(files: Sequence[str], encoding: str, number: str, letters: Sequence[str]) -> str:
    numbers = f" and numbers as {number}" if number else ""
    where = listed(tuple(files), _SHOWN) + ", all of them alike," * (len(files) > 1)
    name = encoding.replace("utf", "UTF")
    start = f"In {where} text is read as {name}{numbers}: a cell written otherwise counts as"
    if letters:
        unless = "in a file of another encoding, unless csv says encoding"
        return f"{start} missing, and so does {listed(tuple(letters), _SHOWN)} {unless}."
    is_wide = encoding in ("utf-8", "utf-16")  # in the others every byte is some letter
    return f"{start} missing{'' if is_wide else ', or as other text'}."


def _trees(table: "Table", asked: Iterable[Typed]) -> list[Typed]:
    """Return all that is made of rows: conditions, derived columns, and counts of days."""
    trees = [*asked]
    if table.derived or table.condition:
        trees += [formula.tree for formula in formulas(table)]
    return trees + [tree for name in table.columns if (tree := value_tree(table, name))]


def _timed(table: "Table", trees: Iterable[Typed]) -> list[str]:
    """Return the columns of the data that are read as days or moments."""
    read = [
        column for tree in trees for column in tree.columns() if column.kind in ("day", "moment")
    ]
    return [
        name for name in dict.fromkeys(column.value for column in read) if name not in table.derived
    ]


def _counted(table: "Table", trees: Iterable[Typed]) -> list[str]:
    """Return the columns of the data that are read as numbers."""
    names = [name for name, limits in table.columns.items() if limits.kind == "number"]
    names += [name for name, keys in table.keys.items() if {*map(type, keys)} - {str}]
    names += [
        column.value for tree in trees for column in tree.columns() if column.kind == "number"
    ]
    made = {*table.derived, *table.unknown}
    return [name for name in dict.fromkeys(names) if name not in made]


def _letters(table: "Table", trees: Iterable[Typed], options: Iterable[CsvOptions]) -> list[str]:
    """Return the declared texts that are not ASCII, of CSV files whose encoding nobody declared."""
    texts = list[str]()
    for csv in options:
        if csv.encoding == DEFAULT.encoding:
            texts += [csv.currency, csv.thousands, *csv.missing]
    for name in table.keys.keys() - {*table.derived, *table.unknown}:
        if _is_undeclared(table, name) if table.joins else table.csv.encoding == DEFAULT.encoding:
            texts += [str(key) for key in table.listed(name)]
            texts += [way for ways in table.spelled.get(name, ()) for way in ways]
    for tree in trees:
        if any(_is_undeclared(table, column.value) for column in tree.columns()):
            texts += _compared(tree)
    return sorted({text for text in texts if not text.isascii()})


def _is_undeclared(table: "Table", name: str) -> bool:
    """Say whether a column is read of CSV files whose encoding nobody declared."""
    return (
        kind_of_source(_source_of(table, name)) == "csv"
        and table.csv_of(name).encoding == DEFAULT.encoding
    )


def _compared(tree: Typed) -> Iterator[str]:
    """Return the texts that a tree compares with what it reads, not those that it gives."""
    for argument in tree.args:
        if (argument.op, argument.kind) == ("literal", "text") and tree.op not in (
            "case",
            "coalesce",
        ):
            yield argument.value
        yield from _compared(argument)


def _source_of(table: "Table", name: str) -> object:
    """Return what a column is read of."""
    return next((join.source for join in table.joins if name in join.gives), table.source)


def _is_by_cell(source: object, name: str) -> bool:
    """Say whether each cell of a column is of its own kind: in a list, or as pandas has inferred.

    Args:
        source: a list of dicts, or a frame of pandas.
        name: of a column.
    """
    if kind_of_source(source) in ("list", "cells", "exact", "json"):
        return True
    frame = cast("Any", source)
    dtypes = dict(zip(frame.columns, frame.dtypes, strict=True))
    return name in dtypes and is_inferred(dtypes[name])


def _far(table: "Table", source: object) -> list[str]:
    """Return the columns of a pandas frame, of units, keys and links, without a declared dtype."""
    frame, wanted = cast("Any", source), _told_apart(table)
    pairs = zip(frame.columns, frame.dtypes, strict=True)
    return [name for name, dtype in pairs if name in wanted and is_inferred(dtype)]


def _in_files(table: "Table") -> list[str]:
    """Return the columns of files whose numbers are doubles, of units, keys and links.

    No file is opened: of a join, all its columns are named but those that another table gives.
    """
    others = [one for one in table.joins if kind_of_source(one.source) != "cells"]
    elsewhere = {name for one in others for name in one.gives}
    return sorted(name for name in _told_apart(table) - elsewhere if name is not None)


def _told_apart(table: "Table") -> set[str | None]:
    """Return the columns whose cells are told apart: of units, links, and keys that may be far."""
    keyed = [name for name in table.keys if name in table.unknown or _can_be_far(table, name)]
    wanted = {table.unit.column, *keyed} - {*table.derived}
    wanted |= {part for one in table.unknown.values() for part in one.of}
    return wanted | {name for one in table.joins for name in (one.on, one.key)}


def _can_be_far(table: "Table", name: str) -> bool:
    """Say whether a far whole number would be of a public key, or of one for missing cells."""
    keys = [str(key) for key in table.listed(name)]
    return name in table.missing or any(len(key) >= _LONG and key[-1].isdigit() for key in keys)


def kind_of_source(
    source: object,
) -> Literal["csv", "cells", "exact", "json", "list", "pandas", ""]:
    """Return what a source is.

    CSV files, or files read cell by cell, by their names: of doubles, of exact numbers, or of JSON
    lines; dicts, of which the first is looked at; a frame of pandas; "" for all others.
    """
    if isinstance(source, (str, PathLike)) or _is_paths(source):
        paths = [source] if isinstance(source, (str, PathLike)) else cast("Any", source)
        names = [str(path).lower().rstrip("*") for path in paths]
        if any(name.endswith(_DOUBLES) for name in names):
            return "cells"
        if any(name.endswith((*_EXACT, *_JSON)) for name in names):
            return "json" if any(name.endswith(_JSON) for name in names) else "exact"
        return "csv" if any(name.endswith(_CSV) for name in names) else ""
    if isinstance(source, Sequence) and not isinstance(source, bytes):
        return "list"
    is_pandas = type(source).__module__.partition(".")[0] == "pandas"
    return "pandas" if is_pandas and hasattr(source, "columns") else ""


def check_csv(source: object, csv: CsvOptions) -> CsvOptions:
    """Return how cells are written, or refuse to be told it of a source that has no such cells.

    Raises:
        InputError: places of a line, where there are none; or it is of a server.
    """
    if csv.fixed and source is not None and kind_of_source(source) != "csv":
        raise InputError(
            "csv says the places of columns, and the source is no file of text.",
            kind="csv-option",
            why="columns of another source have their names there",
            fix="leave fixed out of csv",
        )
    if csv.says_cells and _is_of_server(source):
        name = csv.columns[0][0] if csv.columns else "age"
        raise InputError(
            "csv says how text is written, and the source is a table of a server.",
            kind="csv-option",
            why="there a text that is not written so raises, and the server's log would quote it",
            fix=f"leave csv out, and derive a column: NULLIF({shown(name)}, -9) is missing where "
            f"{shown(name)} is -9; cast text in the table, with the data's owner",
        )
    return csv


def _is_of_server(source: object) -> bool:
    """Say whether a source is a connection to a server, a frame there, or an address of one."""
    modules = [base.__module__.partition(".")[0] for base in type(source).__mro__]
    return not {"psycopg", "pyspark"}.isdisjoint(modules) or type(source).__name__ == "Address"


def _is_paths(source: object) -> bool:
    is_some = isinstance(source, Sequence) and not isinstance(source, (str, bytes)) and source
    return bool(is_some) and isinstance(cast("Any", source)[0], (str, PathLike))


def left_out(table: "Table") -> Iterator[str]:
    """Return which rows of a table do not count, in sentences; none where a row is the unit.

    Args:
        table: what is declared.
    """
    for name, part in [(table.name, table.part), *((one.name, one.part) for one in table.joins)]:
        if part is not None and not name.startswith(part):
            yield f"Of {shown(name)} it is {shown(part)} that is read."
    if table.unit.column is not None:
        yield f"A row whose {shown(table.unit.column)} is missing does not count."
    for join in table.joins:
        yield _without_partner(join)
    if table.joins:
        yield "What rows are joined by is compared as it is written: 7 is not 0007."
    texts = _declared(table)
    is_plain = all(map(str.isascii, texts))  # a million keys are told so at once
    apart = [] if is_plain else [text for text in texts if normalize("NFC", text) != text]
    if apart:
        yield (
            f"In {listed([*dict.fromkeys(apart)], _SHOWN)} a letter and its accent are two signs, "
            "as declared: a cell that has both as one sign is another text."
        )


def _without_partner(join: "Join") -> str:
    name = shown(join.name)
    if join.kind == "own":
        return (
            f"A row whose unit has no row in {name} does not count; where it has several there, it "
            "counts as often."
        )
    return f"A row without an owner in {name} does not count; with several, it counts for each."


def _declared(table: "Table") -> list[str]:
    """Return the keys of the data that are text, with the other ways to write them."""
    made, texts = {*table.derived, *table.unknown}, list[str]()
    for name in [column for column in table.keys if column not in made]:
        keys = table.listed(name)  # all of one type (`checked_keys`)
        texts += cast("Sequence[str]", keys) if isinstance(next(iter(keys), 0), str) else ()
        texts += chain.from_iterable(table.spelled.get(name, ()))
    return texts


def sizes_said(table: "Table") -> str:
    """Return in one sentence which sizes are public, where some are."""
    sizes = table.facts.plain() if table.unit.column else {"rows": table.facts.rows}
    known = " and ".join(f"{size:,} {what}" for what, size in sizes.items())
    return f"Public: {known} (typed, not checked)."
