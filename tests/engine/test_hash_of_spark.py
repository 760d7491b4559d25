"""Rows chosen by the hash of Spark itself: evenly, by one unit's content and the salt alone.

It runs where Spark is installed: `make spark`.
"""

import random
from datetime import date

import pytest

import discreet as dp
from adversarial.moves import exceeds, move
from discreet.engine.choose import engine_for
from engine.test_hash_of_postgres import CELLS, FAR, ONE, counted
from servers import spark

pytestmark = [pytest.mark.slow, pytest.mark.claim("C199")]

UNITS = {"bigint": FAR, "string": ["", "a", "A", "é", "a|b", "%s"]}
UNITS |= {"smallint": [0, 1, -1, 2**15 - 1, -(2**15)], "date": [date.min, date.max]}


def placed(kind, rows):
    """A frame whose rows lie in several parts."""
    return spark().createDataFrame(rows, f"u {kind}, g int, v double").coalesce(3)


def bins(source):
    """In how many units each of 5 cells was kept, one of them missing."""
    _, found = counted(source, dp.histogram("v", "g", bins=4, **ONE), dp.count("g", **ONE))
    inside, (total, *_) = found[0][:4], found[1]
    return total, [inside[0], inside[1], total - sum(inside)]


@pytest.mark.parametrize("kind", ["bigint", "string"])
def test_each_group_and_each_cell_is_kept_equally_often(kind):
    """Of 3 groups each in 1/3 of 3,000 units, and of 5 cells of a group, one missing, each in 1/5.

    False alarms: shares are binomial, of deviations 26 and 22; 6 deviations, 2e-8 together.
    """
    name = int if kind == "bigint" else str
    rows = [(name(u), g, None) for u in range(3_000) for g in range(3)]
    _, (groups,) = counted(placed(kind, rows), dp.count("g", **ONE))
    assert sum(groups) == 3_000
    assert all(abs(one - 1_000) < 6 * 26 for one in groups)

    cells = None, -2.0, -1.0, 1.0, 2.0
    total, found = bins(placed(kind, [(name(u), 0, v) for u in range(3_000) for v in cells]))
    assert total == 3_000
    assert all(abs(one - 600) < 6 * 22 for one in found)


def test_another_salt_keeps_other_rows_and_another_order_the_same():
    """500 units of 3 groups: two salts agree in about a third of them."""
    rows = [(u, g, float(g)) for u in range(500) for g in range(3)]
    one, other = placed("bigint", rows), placed("bigint", rows[::-1])
    asked = dp.count("g", **ONE), dp.mean("v", "g", max_groups=2, max_rows_per_group=1)

    found = {salt: counted(one, *asked, salt=salt)[1] for salt in (0, 1, 2**64 - 1)}

    assert len({repr(vectors) for vectors in found.values()}) == 3
    assert all(counted(other, *asked, salt=salt)[1] == vectors for salt, vectors in found.items())


@pytest.mark.parametrize("kind", UNITS)
def test_one_unit_moves_no_vector_too_far_whatever_its_cells(kind):
    """Units at the ends of each type; nothing raises."""
    pick = random.Random(kind)
    rows = [
        (pick.choice(UNITS[kind]), pick.choice([0, 1, 2, 9, None]), pick.choice(CELLS))
        for _ in range(90)
    ]
    limits = {"max_groups": 2, "max_rows_per_group": 2}
    asked = dp.count("g", **limits), dp.mean("v", "g", **limits), dp.count_units("g", **ONE)
    asked += (dp.variance("v", "g", where="v IS NULL OR v > -2", **limits),)
    gone = UNITS[kind][-1]
    source, less = placed(kind, rows), placed(kind, [row for row in rows if row[0] != gone][::-1])

    for salt in (0, 2**64 - 1):
        aggregates, before = counted(source, *asked, salt=salt)
        _, after = counted(less, *asked, salt=salt)
        assert before != after
        for aggregate, a, b in zip(aggregates, before, after, strict=True):
            assert not exceeds(move(a, b), aggregate.sensitivity)


def test_sums_in_two_parts_are_those_of_the_reference():
    """Values of either sign whose sum may pass 63 bits; a row is the unit, so that all stay."""
    pick = random.Random(1)
    rows = [(u, 0, pick.uniform(-4e6, 4e6)) for u in range(300)]

    def found(source):
        table = dp.table(source, unit="row", columns={"v": dp.bounds(-3e6, 3e6, step="0.1")},
                         name="t")  # fmt: skip
        (one,) = dp.sum("v").aggregates(table)
        return engine_for(source).prepare(table, (one,)).count(1)[0].opened_by_the_door()

    assert found(placed("bigint", rows)) == found([dict(zip("ugv", r, strict=True)) for r in rows])
