"""What a reader must know of sources whose types or names hang on their cells: the same for all.

Which rows do not count by the declaration alone, whatever the data holds; no data is looked at.

Rules of this module:
- no cell is looked at, and nothing that one cell can change: of a pandas frame which dtypes were
  declared, of a list that it is one;
- no library is imported: a dtype is known by the name of its class;
- each sentence says what would be left out, and never what was;
- one sentence for each way: a missing unit, a link without a partner, letters of another form.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from os import PathLike
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, cast
from unicodedata import normalize

from ..errors import InputError, shown
from ..expressions import Typed
from ..text import listed
from .csv_options import DEFAULT
from .derived import formulas, value_tree

if TYPE_CHECKING:
    from .joins import Join
    from .table import Table


_BY_CELLS = {"DatetimeTZDtype", "PeriodDtype", "IntervalDtype"}  # of pandas, beside NumPy's
_CSV = (".csv", ".tsv", ".txt")
_PACKED = tuple(
    f"{kind}{packed}" for kind in _CSV for packed in (".gz", ".zst", ".bz2", ".xz", ".zip")
)
_DOUBLES = (".sav", ".zsav", ".dta", ".sas7bdat")  # files whose numbers are doubles, cell by cell
_OF_TABLES = {"lists", "lines", "records", "cells"}
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
        2^53 or more are missing, and "doubles", such columns of files whose numbers are doubles;
        "lists", sources that are lists of dicts; "lines", CSV files of
        which a line is a row, and "records", others, which are all "cells"; "forms", columns of
        such files that are read as days or moments, and "texts", such columns of lists and of
        pandas; "numbers" and "digits", the same of columns that are read as numbers; "letters",
        declared texts that are not ASCII, where the encoding of such files is not declared. A
        declaration without its source has what it was read with.
    """
    if table.source is None:
        return {kind: [*names] for kind, names in table.read_as.items()}
    trees = _trees(table, asked)
    sources = [(table.name, table.source), *((one.name, one.source) for one in table.joins)]
    is_by_line = table.csv.quote and not table.csv.multiline
    files = [name for name, one in sources if _is_csv(one)]
    timed = [(name, _source_of(table, name)) for name in _timed(table, trees)]
    counted = [(name, _source_of(table, name)) for name in _counted(table, trees)]
    found = {
        "far": list(dict.fromkeys(name for _, one in sources for name in _far(table, one))),
        "doubles": list(
            dict.fromkeys(name for _, one in sources for name in _in_files(table, one))
        ),
        "lists": [name for name, one in sources if _is_list(one)],
        "lines" if is_by_line else "records": files,
        "cells": files,
        "forms": [name for name, one in timed if _is_csv(one)],
        "texts": [name for name, one in timed if _is_by_cell(one, name)],
        "numbers": [name for name, one in counted if _is_csv(one)],
        "digits": [name for name, one in counted if _is_by_cell(one, name)],
        "letters": _letters(table, trees) if files else [],
    }
    return {kind: names for kind, names in found.items() if names}


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
        "a declaration says of its sources what discreet never writes.",
        why="it lists names of columns and tables by what is missing in them",
        fix="use the file as discreet wrote it",
    )


def _is_of(read: Mapping[str, Sequence[str]], tables: set[str]) -> bool:
    """Say whether each name stands once, and those of tables are among these."""
    of_tables = (name for kind in _OF_TABLES for name in read.get(kind, ()))
    return all(len({*names}) == len(names) for names in read.values()) and tables.issuperset(
        of_tables
    )


_ENDS = "A line of a CSV file ends as its first line does: in LF, or in CR LF."
_STRAY = "A quotation mark that stays open can take all rows behind it with it."


def cells_said(table: "Table", asked: Iterable[Typed] = ()) -> Iterator[str]:
    """Return what counts as missing in the sources of a table, whatever they hold; mostly none."""
    yield from left_out(table)
    read = how_read(table, asked)
    yield from _far_said(read)
    for name in read.get("lists", ()):
        yield (
            f"{name} is a list of dicts, of which no names are public: a declared column that "
            "no row has counts as missing."
        )
    for kind in ("lines", "records"):
        if kind in read:
            unless = ", and no line break in a cell unless csv says multiline" * (kind == "lines")
            yield (
                f"In {listed(tuple(read[kind]), _SHOWN)} a row counts if it has as many cells as "
                f"the first line{unless}."
            )
            yield _ENDS
            if kind == "records" and table.csv.multiline:
                yield _STRAY
    if "cells" in read:
        yield _written_said(table, read)
    if "digits" in read:
        where = listed(tuple(read["digits"]), _SHOWN)
        yield f"Where a cell of {where} is text, it is read as 1234.5, or counts as missing."
    for kind in ("forms", "texts"):
        if kind in read:
            yield _forms_said(table, listed(tuple(read[kind]), _SHOWN), in_files=kind == "forms")


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


def _written_said(table: "Table", read: Mapping[str, Sequence[str]]) -> str:
    """Return how the cells of CSV files are read: their letters, and their numbers."""
    csv, files = table.csv, read["cells"]
    number = f"{csv.currency}1{csv.thousands}234{csv.point}5"
    numbers = f" and numbers as {number}" if "numbers" in read else ""
    where = listed(tuple(files), _SHOWN) + ", all of them alike," * (len(files) > 1)
    encoding = csv.encoding.replace("utf", "UTF")
    said = f"In {where} text is read as {encoding}{numbers}: a cell written otherwise counts as"
    if "letters" in read:
        letters = listed(tuple(read["letters"]), _SHOWN)
        unless = f"and so does {letters} in a file of another encoding, unless csv says encoding"
        return f"{said} missing, {unless}."
    is_wide = csv.encoding in ("utf-8", "utf-16")  # in the others every byte is some letter
    return f"{said} missing{'' if is_wide else ', or as other text'}."


def _trees(table: "Table", asked: Iterable[Typed]) -> list[Typed]:
    """Return all that is made of rows: conditions, derived columns, and counts of days."""
    trees = [*asked, *(one.tree for one in formulas(table))]
    return trees + [tree for name in table.columns if (tree := value_tree(table, name))]


def _timed(table: "Table", trees: Iterable[Typed]) -> list[str]:
    """Return the columns of the data that are read as days or moments."""
    read = [one for tree in trees for one in tree.columns() if one.kind in ("day", "moment")]
    return [name for name in dict.fromkeys(one.value for one in read) if name not in table.derived]


def _counted(table: "Table", trees: Iterable[Typed]) -> list[str]:
    """Return the columns of the data that are read as numbers."""
    names = [name for name, one in table.columns.items() if one.kind == "number"]
    names += [
        name for name, keys in table.keys.items() if any(type(key) is not str for key in keys)
    ]
    names += [one.value for tree in trees for one in tree.columns() if one.kind == "number"]
    made = {*table.derived, *table.unknown}
    return [name for name in dict.fromkeys(names) if name not in made]


def _letters(table: "Table", trees: Iterable[Typed]) -> list[str]:
    """Return the declared texts that are not ASCII, of CSV files whose encoding nobody declared."""
    if table.csv.encoding != DEFAULT.encoding:
        return []
    texts = [table.csv.currency, table.csv.thousands, *table.csv.missing]
    for name in table.keys.keys() - {*table.derived, *table.unknown}:
        if _is_csv(_source_of(table, name)):
            texts += [str(key) for key in table.listed(name)]
            texts += [way for ways in table.spelled.get(name, ()) for way in ways]
    for tree in trees:
        if any(_is_csv(_source_of(table, one.value)) for one in tree.columns()):
            texts += _compared(tree)
    return sorted({text for text in texts if not text.isascii()})


def _compared(tree: Typed) -> Iterator[str]:
    """Return the texts that a tree compares with what it reads, not those that it gives."""
    for one in tree.args:
        if (one.op, one.kind) == ("literal", "text") and tree.op not in ("case", "coalesce"):
            yield one.value
        yield from _compared(one)


def _source_of(table: "Table", name: str) -> object:
    """Return what a column is read of."""
    return next((one.source for one in table.joins if name in one.gives), table.source)


def _is_by_cell(source: object, name: str) -> bool:
    """Say whether each cell of a column is of its own kind."""
    return _is_list(source) or _is_inferred_in(source, name) or _ends(source, _DOUBLES)


def _is_inferred_in(source: object, name: str) -> bool:
    """Say whether a column is one of pandas whose cells choose its dtype."""
    if type(source).__module__.partition(".")[0] != "pandas" or not hasattr(source, "columns"):
        return False
    frame = cast("Any", source)
    dtypes = dict(zip(frame.columns, frame.dtypes, strict=True))
    return name in dtypes and is_inferred(dtypes[name])


def _forms_said(table: "Table", where: str, *, in_files: bool) -> str:
    csv, other = table.csv, "other text counts as missing there"
    other = other if in_files else "other text, and a period of more than a day, is missing there"
    if in_files and (csv.days or csv.times):
        days, times = csv.days or "2026-11-03", csv.times or "10:30:00"
        return f"Days are read as {days} and times as {times} in {where}: {other}."
    unless = ", unless csv says how days and times are written" if in_files else ""
    return (
        f"Days and moments are read as 2026-11-03 and 2026-11-03 10:30:00 in {where}: "
        f"{other}{unless}."
    )


def _far(table: "Table", source: object) -> list[str]:
    """Return the columns of units, keys and links of which no dtype was declared."""
    if type(source).__module__.partition(".")[0] != "pandas" or not hasattr(source, "columns"):
        return []
    frame = cast("Any", source)
    wanted = _told_apart(table)
    pairs = zip(frame.columns, frame.dtypes, strict=True)
    return [name for name, dtype in pairs if name in wanted and is_inferred(dtype)]


def _in_files(table: "Table", source: object) -> list[str]:
    """Return the columns of units, keys and links of a table of which a source is such files.

    No file is opened: where others are joined, those of the others are among them.
    """
    if not _ends(source, _DOUBLES):
        return []
    given = {name for one in table.joins if one.source is not source for name in one.gives}
    return sorted(name for name in _told_apart(table) - given if name is not None)


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


def _is_csv(source: object) -> bool:
    """Say whether a source is CSV files, by their names."""
    return _ends(source, _CSV) or _ends(source, (".zip",))


def _ends(source: object, endings: tuple[str, ...]) -> bool:
    """Say whether a source is paths of which one has one of these endings."""
    paths = [source] if isinstance(source, (str, PathLike)) else source if _is_paths(source) else []
    names = [str(path).lower().rstrip("*") for path in cast("Any", paths)]
    plain = [
        name[: -len(PurePath(name).suffix)] if name.endswith(_PACKED) else name for name in names
    ]
    return any(name.endswith(endings) for name in plain)


def _is_list(source: object) -> bool:
    """Say whether a source is a list of dicts, of which none is looked at but the first."""
    is_one = isinstance(source, Sequence) and not isinstance(source, (str, bytes))
    return is_one and not _is_paths(source)


def _is_paths(source: object) -> bool:
    is_some = isinstance(source, Sequence) and not isinstance(source, (str, bytes)) and source
    return bool(is_some) and isinstance(cast("Any", source)[0], (str, PathLike))


def left_out(table: "Table") -> Iterator[str]:
    """Return which rows of a table do not count, in sentences; none where a row is the unit.

    Args:
        table: what is declared.
    """
    if table.unit.column is not None:
        yield f"A row whose {shown(table.unit.column)} is missing does not count."
    for one in table.joins:
        yield _without_partner(one)
    if table.joins:
        yield "What rows are joined by is compared as it is written: 7 is not 0007."
    apart = [text for text in _declared(table) if normalize("NFC", text) != text]
    if apart:
        yield (
            f"In {listed([*dict.fromkeys(apart)], _SHOWN)} a letter and its accent are two signs, "
            "as declared: a cell that has both as one sign is another text."
        )


def _without_partner(one: "Join") -> str:
    name = shown(one.name)
    if one.kind == "own":
        return (
            f"A row whose unit has no row in {name} does not count; where it has several there, it "
            "counts as often."
        )
    return f"A row without an owner in {name} does not count; with several, it counts for each."


def _declared(table: "Table") -> list[str]:
    """Return the keys of the data that are text, with the other ways to write them."""
    made, texts = {*table.derived, *table.unknown}, list[str]()
    for name in [one for one in table.keys if one not in made]:
        texts += [key for key in table.listed(name) if isinstance(key, str)]
        texts += chain.from_iterable(table.spelled.get(name, ()))
    return texts
