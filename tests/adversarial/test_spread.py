"""On all tiny tables, no unit moves two numbers that are chosen from further apart than declared.

Of bins in groups, each group is chosen in by itself, and what counts is all groups together.

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


@pytest.mark.exhaustive
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


SHARES = {"add_remove": ["0.5"], "replace": ["0.3"]}
RANKED = [(*case, share) for case in CASES for share in SHARES[case[-1]]]
RANKED += [("row", "narrow", "replace", "0.5"), ("at most 1", "narrow", "add_remove", "0.3")]


def ranked(which, shape, neighbors, share):
    """One quantile by a choice, of all rows and by group, with limits that a unit can fill here."""
    found = declared(which, shape, neighbors)
    limits = [{}] if which == "row" else [{}, {"max_groups": 1}, {"max_rows_per_group": 1}]
    if which == "by group":
        limits = [{"max_rows_per_group": 1}, {"max_rows_per_group": 2, "max_groups": 1}]
    every = [
        aggregates_of({**plain, "by": by, **limit}, found)[1]
        for plain in [{"statistic": "quantile", "at": [share], "bins": 3, "method": "choice"}]
        for plain in [{**plain, "column": "signed"}]
        for by in ([], ["ward"])
        for limit in limits
    ]
    return tuple(one for one in every if rows_needed(found, one) <= 3)


def apart(aggregate, one, other):
    """For each group how far two of its bins' numbers move apart."""
    bins = aggregate.bins.count
    for start in range(0, len(one), bins):
        before, after = (
            aggregate.choice.rank.numbers(found[start : start + bins], 1) for found in (one, other)
        )
        moves = [y - x for x, y in zip(before, after, strict=True)]
        yield max(moves) - min(moves)


@pytest.mark.exhaustive
@pytest.mark.claim("C125")
@pytest.mark.slow
@pytest.mark.parametrize(("which", "shape", "neighbors", "share"), RANKED)
def test_no_unit_moves_bins_of_all_groups_further_apart_than_declared(
    which, shape, neighbors, share
):
    """In the group that it moves furthest, and in all together; one row reaches it of medians."""
    aggregates = ranked(which, shape, neighbors, share)
    vectors = [in_memory(which, shape, rows, aggregates) for rows in tables(which, shape)]
    for position, one in enumerate(aggregates):
        every = list(dict.fromkeys(found[position].opened_by_the_door() for found in vectors))
        starts = every if neighbors == "replace" else every[:1]
        moved = [list(apart(one, a, b)) for a in starts for b in every]
        assert max(map(max, moved)) <= one.choice.spread
        assert max(map(sum, moved)) <= one.choice.whole
        if which == "row" and one.by and share == "0.5":
            assert max(map(sum, moved)) == one.choice.whole
