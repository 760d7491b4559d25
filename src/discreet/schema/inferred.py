"""What a reader must know of sources whose types or names hang on their cells: the same for all.

Rules of this module:
- no cell is looked at, and nothing that one cell can change: of a pandas frame which dtypes were
  declared, of a list that it is one;
- no library is imported: a dtype is known by the name of its class.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, cast

from ..expressions import Typed
from ..text import listed
from .derived import formulas, value_tree
from .table import Table

_BY_CELLS = {"DatetimeTZDtype", "PeriodDtype", "IntervalDtype"}  # of pandas, beside NumPy's
_TYPED = (".parquet", ".pq", ".arrow", ".feather", ".ipc")  # files that say what a column is
_SHOWN = 8


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


def cells_said(table: Table, asked: Iterable[Typed] = ()) -> Iterator[str]:
    """Return what counts as missing in the sources of a table, whatever they hold; mostly none.

    Args:
        table: what is declared.
        asked: the conditions of questions.
    """
    sources = [(table.name, table.source), *((one.name, one.source) for one in table.joins)]
    far = [name for _, source in sources for name in _far(table, source)]
    if far:
        yield (
            f"Whole numbers of 2^53 or more count as missing in the pandas column"
            f"{'s' if len(set(far)) > 1 else ''} {listed(tuple(dict.fromkeys(far)), _SHOWN)}: "
            "give ids as text or Int64."
        )
    for name, source in sources:
        if _is_list(source):
            yield (
                f"{name} is a list of dicts, of which no names are public: a declared column that "
                "no row has counts as missing."
            )
    timed = [(name, _source_of(table, name)) for name in _timed(table, asked)]
    for in_files in (True, False):
        names = [n for n, of in timed if _is_file(of) == in_files and _is_written(of, n)]
        if names:
            yield _forms_said(table, listed(names, _SHOWN), in_files=in_files)


def _timed(table: Table, asked: Iterable[Typed]) -> list[str]:
    """Return the columns of the data that are read as days or moments."""
    trees = [*asked, *(one.tree for one in formulas(table))]
    trees += [tree for name in table.columns if (tree := value_tree(table, name))]
    read = [one for tree in trees for one in tree.columns() if one.kind in ("day", "moment")]
    return [name for name in dict.fromkeys(one.value for one in read) if name not in table.derived]


def _source_of(table: Table, name: str) -> object:
    """Return what a column is read of; of several files or rows the first."""
    source = next((one.source for one in table.joins if name in one.gives), table.source)
    return source[0] if isinstance(source, (list, tuple)) and source else source


def _is_file(source: object) -> bool:
    return isinstance(source, (str, PathLike))


def _is_written(source: object, name: str) -> bool:
    """Say whether a column may be text without a type, by the source that has it."""
    if _is_file(source):
        return not str(source).casefold().endswith(_TYPED)
    if type(source).__module__.partition(".")[0] == "pandas" and hasattr(source, "dtypes"):
        dtypes = dict(zip(cast("Any", source).columns, cast("Any", source).dtypes, strict=True))
        return name in dtypes and not re.search("date|time", str(dtypes[name]))
    return isinstance(source, Mapping)


def _forms_said(table: Table, where: str, *, in_files: bool) -> str:
    csv, other = table.csv, "other text counts as missing there"
    if in_files and (csv.days or csv.times):
        days, times = csv.days or "2026-11-03", csv.times or "10:30:00"
        return f"Days are read as {days} and times as {times} in {where}: {other}."
    unless = ", unless csv says how days and times are written" if in_files else ""
    return (
        f"Days and moments are read as 2026-11-03 and 2026-11-03 10:30:00 in {where}: "
        f"{other}{unless}."
    )


def _far(table: Table, source: object) -> list[str]:
    """Return the columns of units, keys and links of which no dtype was declared."""
    if type(source).__module__.partition(".")[0] != "pandas" or not hasattr(source, "columns"):
        return []
    frame = cast("Any", source)
    wanted = {table.unit.column, *table.keys} - {*table.derived}
    wanted |= {part for one in table.unknown.values() for part in one.of}
    wanted |= {name for one in table.joins for name in (one.on, one.key)}
    pairs = zip(frame.columns, frame.dtypes, strict=True)
    return [name for name, dtype in pairs if name in wanted and is_inferred(dtype)]


def _is_list(source: object) -> bool:
    if isinstance(source, (str, bytes)) or not isinstance(source, Sequence):
        return False
    return not source or not all(isinstance(one, (str, PathLike)) for one in source)
