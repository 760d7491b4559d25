"""pandas columns as NumPy arrays, or as Arrow's where pandas keeps them so.

Rules of this module:
- a dtype that was declared decides; one that pandas chooses by the cells does not: its column is
  read cell by cell (`inferred`); a dtype that is neither is named and refused (`kinds`).
"""

from typing import Any, cast

import numpy as np

from ...schema import Table, is_inferred
from .. import reading
from ..source import library_of
from ..sql.cells import OBJECTS
from .frames import NO_COLUMNS, Columns, Frame, Used, check_names
from .inferred import read_inferred

_LENGTH = "INTERVAL"


def pandas_frame(table: Table, used: tuple[Used, ...]) -> Frame:
    """Return a pandas frame as DuckDB is handed it."""
    source = cast("Any", table.source)
    check_names(table, getattr(source, "columns", ()), used)
    there = tuple(column for column in used if column.name in source.columns)
    kinds = {column.name: kind for column in there if (kind := _kind(source[column.name].dtype))}
    handed = [column for column in there if kinds.get(column.name) in (None, OBJECTS, _LENGTH)]

    def made(part: Any) -> object:
        columns: Columns = {}
        for column in handed:
            columns |= _columns(part[column.name], column, table)
        return _together(columns or {NO_COLUMNS: np.zeros(len(part), dtype=np.bool_)})

    return Frame(there, made(source.iloc[:0]), lambda: made(source), kinds)


def _kind(dtype: Any) -> str | None:
    """Return the kind of a column whose type DuckDB does not see, and None of others."""
    import pandas as pd

    if is_inferred(dtype):
        return OBJECTS
    if isinstance(dtype, pd.CategoricalDtype):
        return _kind(dtype.categories.dtype)
    if isinstance(dtype, pd.SparseDtype):
        return _kind(dtype.subtype)
    if isinstance(dtype, pd.ArrowDtype):
        from .frames import kind_of

        return kind_of(dtype.pyarrow_dtype)
    is_plain = isinstance(dtype, pd.StringDtype) or _is_masked(dtype)
    return None if is_plain else str(dtype)


def _is_masked(dtype: Any) -> bool:
    """Say whether it is one of pandas' own types of numbers or truth values that may be missing."""
    import pandas as pd

    is_arrow = isinstance(dtype, pd.ArrowDtype)  # it has NumPy's type, too, and no mask
    return library_of(dtype) == "pandas" and hasattr(dtype, "numpy_dtype") and not is_arrow


def _columns(series: Any, used: Used, table: Table) -> Columns:
    """Return a column as it is handed over, under one name or one a role."""
    import pandas as pd

    if isinstance(series.dtype, pd.CategoricalDtype):
        codes = series.cat.codes.to_numpy()
        listed = _columns(pd.Series(series.cat.categories), used, table)
        return {name: _taken(_as_numpy(array), codes) for name, array in listed.items()}
    if isinstance(series.dtype, pd.SparseDtype):
        return _columns(series.sparse.to_dense(), used, table)
    if is_inferred(series.dtype):
        return read_inferred(series, used, table)
    return {used.called(): _array(series)}


def _array(series: Any) -> Any:
    """Return a column that has a type as an array that DuckDB reads."""
    import pandas as pd

    dtype = series.dtype
    if _is_masked(dtype):
        plain = series.to_numpy(dtype=dtype.numpy_dtype, na_value=dtype.numpy_dtype.type(0))
        return np.ma.array(plain, mask=series.isna().to_numpy())
    if isinstance(dtype, pd.ArrowDtype) or dtype.storage == "pyarrow":
        from .frames import plain_column

        return plain_column(series.array.__arrow_array__())
    return _texts(series.to_numpy(dtype=np.object_))


def _texts(objects: Any) -> Any:
    """Return text as objects that DuckDB reads; None where it has no UTF-8."""
    array = np.empty(len(objects), dtype=np.object_)
    array[:] = [
        cell if isinstance(cell := reading.plain(value), str) else None for value in objects
    ]
    return array


def _as_numpy(array: Any) -> Any:
    if isinstance(array, np.ndarray):
        return array
    plain = array.to_numpy(zero_copy_only=False)
    return _texts(plain) if plain.dtype == np.object_ else plain


def _taken(values: Any, codes: Any) -> Any:
    """Return the value of each code; missing where the code is below 0."""
    if not len(values):
        return np.ma.array(np.zeros(len(codes), dtype=np.int8), mask=True)
    picked = values[codes]
    if picked.dtype == np.object_:
        picked[codes < 0] = None
        return picked
    return np.ma.array(picked, mask=np.ma.getmaskarray(picked) | (codes < 0))


def _together(columns: Columns) -> object:
    """Return the columns as one table: NumPy's, or Arrow's if one of them is."""
    if all(isinstance(array, np.ndarray) for array in columns.values()):
        return columns
    import pyarrow as pa

    return pa.table({name: _as_arrow(array) for name, array in columns.items()})


def _as_arrow(array: Any) -> Any:
    import pyarrow as pa

    if not isinstance(array, np.ndarray):
        return array
    kind = pa.string() if array.dtype == np.object_ else None  # all objects here are text
    plain, missing = np.ma.getdata(array), np.ma.getmaskarray(array)
    if plain.dtype.kind == "M":  # beside a mask, Arrow would read NaT as a moment
        missing = missing | np.isnat(plain)
    return pa.array(plain, mask=missing, type=kind)
