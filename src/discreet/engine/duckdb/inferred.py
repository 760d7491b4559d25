"""pandas columns whose dtype hangs on their cells: each cell is read by itself, as of objects.

One missing cell makes float64 of int64, one text makes objects of either: so all of them are of one
kind here, and what differs between dtypes is made alike.

Rules of this module:
- a number is a double here, whatever dtype holds it: a column of NumPy's numbers can do no better
  once a cell is missing;
- as anything but a value, one of 2^53 or more in size is missing: doubles merge those, so that two
  units would be one in float64 and two in int64;
- equal cells of a column that has a dtype are read once; objects are never compared.

Decision 65.
"""

from typing import Any, cast

import numpy as np

from ...schema import Table
from .. import reading
from ..declared_cells import codes, how_written
from .frames import Columns, Used, read_objects

_NEVER = {"text", "day", "moment"}  # roles in which no number is anything
_BASES = cast("Any", type.__dict__["__mro__"]).__get__  # not overruled by a class of classes


def read_inferred(series: Any, used: Used, table: Table) -> Columns:
    """Return a column as numbers, places of keys, units and texts, each in its role."""
    dtype = series.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "biufc":
        return _of_numbers(_doubles(series.to_numpy()), used, table)
    if getattr(dtype, "kind", "O") in "mM":
        return of_distinct(*_ticks(series), used, table)
    if dtype.name == "str":
        distinct = _texts(series)
        if distinct is not None:
            return of_distinct(*distinct, used, table)
    return _of_cells(list(_objects(series)), used, table)


def _of_cells(cells: list[object], used: Used, table: Table) -> Columns:
    """Return cells that are read one by one."""
    columns: Columns = {}
    for role in used.roles:
        read = real if role in ("value", "any") else near
        alone = Used(used.name, used.place, (role,))
        columns |= read_objects([read(cell) for cell in cells], alone, table)
    return columns


def of_distinct(cells: list[object], codes: Any, used: Used, table: Table) -> Columns:
    """Return a column of which each cell is one of some, or missing where its number is below 0."""
    found = _of_cells([*cells, None], used, table)  # the last one is what -1 takes
    return {name: array[codes] for name, array in found.items()}


def _of_numbers(numbers: Any, used: Used, table: Table) -> Columns:
    """Return a column of doubles."""
    import pandas as pd

    columns: Columns = {}
    codes, cells = None, []
    for role in used.roles:
        alone = Used(used.name, used.place, (role,))
        if role == "value":
            columns[used.called(role)] = _without_codes(numbers, used, table)
        elif role in _NEVER:
            columns |= of_distinct([], np.full(len(numbers), -1), alone, table)
        else:
            if codes is None:
                codes, distinct = pd.factorize(numbers)
                cells = distinct.tolist()
            columns |= of_distinct(cells, codes, alone, table)
    return columns


def _without_codes(numbers: Any, used: Used, table: Table) -> Any:
    """Return numbers, NaN for those that a declaration says are codes of missing cells."""
    csv = how_written(table, used.name)
    listed = [*map(float, codes(csv))] if csv is not None else []  # exact: the nearest doubles
    return np.where(np.isin(numbers, listed), np.nan, numbers) if listed else numbers


def _doubles(array: Any) -> Any:
    """Return numbers as the nearest doubles; a complex one that has no real value as NaN."""
    with np.errstate(all="ignore"):
        if array.dtype.kind == "c":
            array = np.where(array.imag == 0, array.real, np.nan)
        plain = array.astype("f8", copy=False)
    return plain if plain.strides == (plain.itemsize,) else plain.copy()  # one row has any stride


def _ticks(series: Any) -> tuple[list[object], Any]:
    """Return the distinct moments or lengths of time, and which of them each cell is."""
    import pandas as pd

    if isinstance(series.dtype, pd.DatetimeTZDtype):
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    array = series.to_numpy()
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    codes, distinct = pd.factorize(array.view("i8"))
    return list(distinct.view(array.dtype)), codes


def _texts(series: Any) -> tuple[list[object], Any] | None:
    """Return the distinct texts, and which of them each cell is; None where one is no text."""
    import pandas as pd

    try:
        codes, distinct = pd.factorize(series.array)
        return list(distinct.to_numpy(dtype=np.object_)), codes
    except UnicodeDecodeError:
        return None


def _objects(series: Any) -> Any:
    """Return the cells as objects; bytes that are no text are missing."""
    try:
        return series.to_numpy(dtype=np.object_)
    except UnicodeDecodeError:
        import pyarrow as pa

        raw = series.array.__arrow_array__().cast(pa.large_binary()).to_pylist()
        return [None if cell is None else _decoded(cell) for cell in raw]


def _decoded(cell: bytes) -> str | None:
    try:
        return cell.decode()
    except UnicodeDecodeError:
        return None


def near(cell: object) -> object:
    """Return a cell as it is told apart: a number as a double, missing from 2^53 on.

    Example:
        >>> near(1), near(True), near(0.5), near(2**53), near("1")
        (1, 1, 0.5, None, '1')
    """
    cell = real(cell)
    held = reading.plain(cell)
    if not isinstance(held, (bool, int, float)):
        return cell
    if not -reading.FAR < held < reading.FAR:
        return None
    return int(held) if held == int(held) else held


def real(cell: object) -> object:
    """Return a number of NumPy's other kinds, or a complex one, as a double; others as they are."""
    try:
        bases = _BASES(type(cell))
        if any(base is np.longdouble for base in bases):
            return float(np.longdouble(cast("Any", cell)))  # exact: the nearest, as in a column
        for kind in (np.complexfloating, complex):
            if any(base is kind for base in bases):
                part = np.generic if kind is np.complexfloating else complex
                whole, rest = (cast("Any", getattr(part, n)).__get__(cell) for n in _PARTS)
                return float(whole) if rest == 0 else None  # exact: as above
    except Exception:  # noqa: BLE001 - an object that was not made whole
        return None
    return cell


_PARTS = ("real", "imag")
