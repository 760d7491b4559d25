"""E6: over all tiny tables, the furthest that one unit moves a vector is what was declared."""

from itertools import combinations_with_replacement, product

import pytest

from discreet.engine.memory import MemoryEngine
from discreet.schema import bounds, table, unit
from discreet.statistic.count import count, count_units
from discreet.statistic.histogram import histogram
from discreet.statistic.mean import mean
from discreet.statistic.sum import sum_

KEYS = ["A", "B", "C", "D"]
CELLS = [*((key, value) for key in KEYS for value in (-9.0, 9.0)), ("B", None), ("?", 1.0)]


def declared(rows, neighbors, lower, upper, most):
    return table(
        rows,
        unit=unit("who", max_rows=most),
        columns={"v": bounds(lower, upper, step=1)},
        keys={"k": KEYS},
        neighbors=neighbors,
    )


def vector_of(aggregate, person, how):
    """What one person's rows add: as others' rows do not matter, this is all of the movement."""
    rows = [{"who": "x", "k": k, "v": v} for k, v in person]
    (found,) = MemoryEngine().prepare(declared(rows, *how), (aggregate,)).count(1)
    return found.opened_by_the_door()


STATISTICS = {
    "count": count(),
    "count by": count("k"),
    "count by, few groups": count("k", max_groups=1, max_rows_per_group=2),
    "units": count_units(),
    "units by": count_units("k", max_groups=2),
    "sum": sum_("v"),
    "sum by": sum_("v", "k", max_rows_per_group=1),
    "mean": mean("v"),
    "mean by": mean("v", "k", max_rows_per_group=1),
    "mean of a list": mean(["v"]),
    "mean of a list by": mean(["v"], "k", max_rows_per_group=1),
    "bins": histogram("v", bins=2),
    "bins by": histogram("v", "k", bins=2),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize(("neighbors", "most"), [("add_remove", 3), ("replace", 2)])
@pytest.mark.parametrize("range_", [(-2, 3), (1, 4), (-4, -1), (0, 3)], ids=str)
@pytest.mark.parametrize("name", STATISTICS)
def test_the_furthest_move_is_the_declared_one(name, range_, neighbors, most):
    """Exactly, in all three measures; over every person of up to two or three rows."""
    how = (neighbors, *range_, most)
    (aggregate,) = STATISTICS[name].aggregates(declared([], *how))
    people = [p for n in range(most + 1) for p in combinations_with_replacement(CELLS, n)]
    vectors = {vector_of(aggregate, person, how) for person in people}
    nobody = (0,) * len(next(iter(vectors)))

    pairs = product(vectors, [nobody] if neighbors == "add_remove" else vectors)
    moves = [[abs(a - b) for a, b in zip(one, other, strict=True)] for one, other in pairs]
    furthest = {
        "l1": max(sum(move) for move in moves),
        "l2_squared": max(sum(m * m for m in move) for move in moves),
        "linf": max(max(move) for move in moves),
    }

    said = {measure: getattr(aggregate.sensitivity, measure) for measure in furthest}
    assert furthest == said
