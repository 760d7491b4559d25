"""What a reader must know of sources whose types or names hang on their cells: the same for all.

Rules of this module:
- no cell is looked at, and nothing that one cell can change: of a pandas frame which dtypes were
  declared, of a list that it is one;
- no library is imported: a dtype is known by the name of its class.
"""

from collections.abc import Iterator, Sequence
from os import PathLike
from typing import Any, cast

from ..text import listed
from .table import Table

_BY_CELLS = {"DatetimeTZDtype", "PeriodDtype", "IntervalDtype"}  # of pandas, beside NumPy's
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


def cells_said(table: Table) -> Iterator[str]:
    """Return what counts as missing in the sources of a table, whatever they hold; mostly none."""
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
