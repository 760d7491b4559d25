"""Rows chosen by the hash of PostgreSQL itself: evenly, by one unit's content and the salt alone."""

import random

import pytest

import discreet as dp
from adversarial.moves import exceeds, move
from discreet.engine.choose import engine_for
from engine.sources import opened
from servers import filled

pytestmark = pytest.mark.claim("C141")

FAR = [0, 1, -1, 2**31, -(2**31), 2**53 + 1, 2**63 - 1, -(2**63)]
UNITS = {"bigint": FAR, "text": ["", "a", "A", "é", "a|b", "%s"], "uuid": ["0" * 32, "f" * 32]}
UNITS |= {
    "smallint": [0, 1, -1, 2**15 - 1, -(2**15)],
    "date": ["infinity", "0001-01-01", "2026-11-03"],
}
CELLS = [None, 0.0, 1.0, -1.0, 1e307, float("nan"), -2.0, 2.0]


def counted(source, *asked, salt=3, neighbors="add_remove"):
    table = dp.table(
        source,
        unit=dp.unit("u"),
        keys={"g": [0, 1, 2]},
        columns={"v": dp.bounds(-2, 2, step=1)},
        name="t",
        neighbors=neighbors,
    )
    aggregates = tuple(a for one in asked for a in one.aggregates(table))
    return aggregates, opened(engine_for(source).prepare(table, aggregates).count(salt))


ONE = {"max_groups": 1, "max_rows_per_group": 1}


@pytest.mark.parametrize("kind", ["bigint", "text"])
def test_each_group_and_each_cell_is_kept_equally_often(kind):
    """Of 3 groups each in 1/3 of 3,000 units, and of 5 cells of a group, one missing, each in 1/5.

    False alarms: shares are binomial, of deviations 26 and 22; 6 deviations, 2e-8 together.
    """
    rows = [(u, g, None) for u in range(3_000) for g in range(3)]
    _, (groups,) = counted(
        filled({"u": kind, "g": "int", "v": "float8"}, rows), dp.count("g", **ONE)
    )
    assert sum(groups) == 3_000
    assert all(abs(one - 1_000) < 6 * 26 for one in groups)

    rows = [(u, 0, v) for u in range(3_000) for v in (None, -2, -1, 1, 2)]
    source = filled({"u": kind, "g": "int", "v": "float8"}, rows)
    _, found = counted(source, dp.histogram("v", "g", bins=4, **ONE), dp.count("g", **ONE))
    bins, (total, *_) = found[0][:4], found[1]
    assert total == 3_000
    assert all(abs(one - 600) < 6 * 22 for one in (bins[0], bins[1], total - sum(bins)))


def test_another_salt_keeps_other_rows_and_another_order_the_same():
    """500 units of 3 groups: two salts agree in about a third of them."""
    rows = [(u, g, float(g)) for u in range(500) for g in range(3)]
    kinds = {"u": "bigint", "g": "int", "v": "float8"}
    one, other = filled(kinds, rows), filled(kinds, rows[::-1])
    asked = dp.count("g", **ONE), dp.mean("v", "g", max_groups=2, max_rows_per_group=1)

    found = {salt: counted(one, *asked, salt=salt)[1] for salt in (0, 1, 2**64 - 1)}

    assert len({repr(vectors) for vectors in found.values()}) == 3
    assert all(counted(other, *asked, salt=salt)[1] == vectors for salt, vectors in found.items())


@pytest.mark.parametrize("kind", UNITS)
def test_one_unit_moves_no_vector_too_far_whatever_its_cells(kind):
    """Units at the ends of each type; nothing raises, in both relations."""
    pick, kinds = random.Random(kind), {"u": kind, "g": "int", "v": "float8"}
    rows = [
        (pick.choice(UNITS[kind]), pick.choice([0, 1, 2, 9, None]), pick.choice(CELLS))
        for _ in range(90)
    ]
    limits = {"max_groups": 2, "max_rows_per_group": 2}
    asked = dp.count("g", **limits), dp.mean("v", "g", **limits), dp.count_units("g", **ONE)
    asked += (dp.variance("v", "g", where="v IS NULL OR v > -2", **limits),)
    source = filled(kinds, rows)
    gone = UNITS[kind][-1]
    less = filled(kinds, [row for row in rows if row[0] != gone][::-1])

    for salt in (0, 2**64 - 1):
        aggregates, before = counted(source, *asked, salt=salt)
        _, after = counted(less, *asked, salt=salt)
        assert before != after
        for aggregate, a, b in zip(aggregates, before, after, strict=True):
            assert not exceeds(move(a, b), aggregate.sensitivity)
