"""Sealed vectors from an answer in columns of NumPy, for an engine that can hand them over so.

A Python object for each number of a large answer took as long as to count 200,000 rows.

Rules of this module:
- columns are taken as arrays only where each holds whole numbers of at most 64 bits: of wider ones
  NumPy would make doubles;
- nothing is added up in 64 bits: sums are made of Python's whole numbers, which have no end;
- as of rows, a cell that is not of the vector is left out, a row of no part is in none, and NULL
  adds nothing.

Decision 150.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from ....aggregate import Aggregate, Exact
from ....schema import Table
from ....sums import added
from ..rollup import Part, counted

Columns: TypeAlias = Sequence[Any]  # arrays, one for each column, all of one length
_WHOLE = frozenset(("INTEGER", "BIGINT"))


def columns_of(answer: Any) -> Columns | None:
    """Return the columns of an answer of DuckDB, NULL being 0; None where one may be too wide."""
    if not {str(column[1]) for column in answer.description} <= _WHOLE:
        return None
    return [np.ma.filled(column, 0) for column in answer.fetchnumpy().values()]


def vectors_of(
    table: Table, aggregates: Sequence[Aggregate], parts: Sequence[Part], columns: Columns
) -> tuple[Exact, ...]:
    """Return one sealed vector per aggregate, from the columns (part, cell, sums ...)."""
    vector_of = {}
    for part, own in zip(parts, _of_parts(columns, len(parts)), strict=True):
        alike: dict[object, Exact] = {}  # all tables of a cube are sums of one vector
        for aggregate in part.aggregates:
            form = aggregate.measures if aggregate.sparse is None else id(aggregate)
            if form not in alike:
                alike[form] = _vector(table, aggregate, part, own)
            vector_of[id(aggregate)] = alike[form]
    return tuple(vector_of[id(aggregate)] for aggregate in aggregates)


def _of_parts(columns: Columns, parts: int) -> Iterator[Columns]:
    """Yield the cells and sums of each part, in the order of the answer."""
    numbers, *read = columns
    if not len(numbers) or (numbers[0] == numbers).all():
        nothing = [column[:0] for column in read]
        for part in range(parts):
            yield read if len(numbers) and numbers[0] == part else nothing
        return
    order = np.argsort(numbers, kind="stable")
    ends = np.searchsorted(numbers[order], np.arange(parts + 1))
    for low, high in pairwise(ends):
        yield [column[order[low:high]] for column in read]


def _vector(table: Table, aggregate: Aggregate, part: Part, columns: Columns) -> Exact:
    cells, *sums = columns
    groups, bins, _ = aggregate.shape(table)
    size = groups * bins if aggregate.sparse is None else aggregate.size(table)
    is_cell = (cells >= 0) & (cells < size)
    if not is_cell.all():
        cells, sums = cells[is_cell], [column[is_cell] for column in sums]
    column_of = dict(zip(part.needs, sums, strict=False))  # the widest part may have more
    totals = []
    for measure in aggregate.measures:
        terms = [(factor, column_of[counted(table, term)]) for factor, term in added(measure)]
        totals.append(_total(terms, len(cells)))
    if aggregate.sparse is not None:
        of_cell = dict(zip(cells.tolist(), totals[0].tolist(), strict=True))
        return Exact(tuple(of_cell.values()), tuple(of_cell))
    is_narrow = all(total.dtype != object for total in totals)
    vector = np.zeros((size, len(totals)), dtype=np.int64 if is_narrow else object)
    for at, total in enumerate(totals):
        vector[cells, at] = total
    return Exact(tuple(vector.ravel().tolist()))


def _total(terms: Sequence[tuple[int, Any]], many: int) -> Any:
    """Return the numbers of columns, added up with their factors: of Python's, where added."""
    if len(terms) == 1 and terms[0][0] == 1:
        return terms[0][1]
    total = np.zeros(many, dtype=object)
    for factor, column in terms:
        total = total + factor * column.astype(object)
    return total
