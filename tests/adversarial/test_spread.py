"""On all tiny tables, no unit moves two numbers that are chosen from further apart than declared.

The tables are those of `test_tight`: every few rows that one unit can have, among rows of others.
"""

import numpy as np
import pytest

from adversarial.moves import aggregates_of
from adversarial.test_tight import COLUMNS, declared, in_memory, rows_needed, tables
from discreet.statistic.catalog import LISTED

CASES = [
    (which, "narrow", neighbors)
    for which in ("row", "at most 1", "at most 2", "by group")
    for neighbors in ("add_remove", "replace")
]


def asked(which, shape, neighbors):
    """Choices by rows and by each column's sum, with limits that a unit can fill here."""
    found = declared(which, shape, neighbors)
    limits = [{}] if which == "row" else [{}, {"max_groups": 1}, {"max_rows_per_group": 1}]
    if which == "by group":
        limits = [{"max_rows_per_group": 1}, {"max_rows_per_group": 2, "max_groups": 1}]
    every = [
        aggregate
        for options in ({}, *({"most": column} for column in COLUMNS))
        for limit in limits
        for plain in [{"statistic": "choose", "by": ["ward"], **options, **limit}]
        for aggregate in aggregates_of(plain, found)
    ]
    return [one for one in every if rows_needed(found, one) <= 3]


def spreads(which, shape, neighbors, aggregates):
    """For each aggregate the largest difference of two moves, over all pairs of neighbors."""
    vectors = [in_memory(which, shape, rows, aggregates) for rows in tables(which, shape)]
    found = []
    for position in range(len(aggregates)):
        every = dict.fromkeys(one[position].opened_by_the_door() for one in vectors)
        lists = np.array(list(every), dtype=np.int64)
        starts = lists if neighbors == "replace" else lists[:1]
        moves = [lists - start for start in starts]
        found.append(max(int((m.max(axis=1) - m.min(axis=1)).max()) for m in moves))
    return found


@pytest.mark.claim("C60")
@pytest.mark.slow
@pytest.mark.parametrize(("which", "shape", "neighbors"), CASES)
def test_no_unit_moves_two_numbers_further_apart_than_declared(which, shape, neighbors):
    """And where nothing but rows is compared, one unit does move them so far."""
    aggregates = tuple(asked(which, shape, neighbors))
    found = spreads(which, shape, neighbors, aggregates)
    said = [one.choice.spread for one in aggregates]

    assert LISTED["choose"].chooses
    assert len(aggregates) >= 3
    assert all(a <= b for a, b in zip(found, said, strict=True))
    rows = [one.measures[0].kind == "rows" for one in aggregates]
    tight = [a == b for a, b, alone in zip(found, said, rows, strict=True) if alone]
    assert all(tight)
