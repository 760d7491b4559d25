"""What the choice of rows by a server's own hash must keep, tried on whatever server places them.

Each function takes what places rows on the server: `placed(kind, rows)` returns a source of three
columns, a unit `u` of that kind, a group `g` and a value `v`.
"""

import random

import discreet as dp
from adversarial.moves import exceeds, move
from discreet.engine.select_engine import engine_for
from engine.sources import opened

FAR = [0, 1, -1, 2**31, -(2**31), 2**53 + 1, 2**63 - 1, -(2**63)]
SMALL = [0, 1, -1, 2**15 - 1, -(2**15)]
TEXTS = ["", "a", "A", "é", "a|b", "%s"]
ONE = {"max_groups": 1, "max_rows_per_group": 1}

_GROUPS = [0, 1, 2, 9, None]  # of which the first three are keys
_CELLS = [None, 0.0, 1.0, -1.0, 1e307, float("nan"), -2.0, 2.0]


def counted(source, *asked, salt=3, neighbors="add_remove"):
    """The aggregates of questions, and what the server counts of each."""
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


def is_even(placed, kind, name=int):
    """Of 3 groups each is kept in 1/3 of 3,000 units, and of 5 cells, one missing, each in 1/5.

    False alarms: shares are binomial, of deviations 26 and 22; 6 deviations, 2e-8 together.
    """
    rows = [(name(u), g, None) for u in range(3_000) for g in range(3)]
    _, (groups,) = counted(placed(kind, rows), dp.count("g", **ONE))
    assert sum(groups) == 3_000
    assert all(abs(one - 1_000) < 6 * 26 for one in groups)

    cells = None, -2.0, -1.0, 1.0, 2.0
    source = placed(kind, [(name(u), 0, v) for u in range(3_000) for v in cells])
    _, found = counted(source, dp.histogram("v", "g", bins=4, **ONE), dp.count("g", **ONE))
    bins, (total, *_) = found[0][:4], found[1]
    assert total == 3_000
    assert all(abs(one - 600) < 6 * 22 for one in (bins[0], bins[1], total - sum(bins)))


def follows_the_salt(placed):
    """Another salt keeps other rows, and another order the same: of 500 units of 3 groups."""
    rows = [(u, g, float(g)) for u in range(500) for g in range(3)]
    one, other = placed("bigint", rows), placed("bigint", rows[::-1])
    asked = dp.count("g", **ONE), dp.mean("v", "g", max_groups=2, max_rows_per_group=1)

    found = {salt: counted(one, *asked, salt=salt)[1] for salt in (0, 1, 2**64 - 1)}

    assert len({repr(vectors) for vectors in found.values()}) == 3
    assert all(counted(other, *asked, salt=salt)[1] == vectors for salt, vectors in found.items())


def moves_little(placed, kind, units):
    """One unit of units at the ends of a type moves no vector too far, in both relations.

    Its rows are taken away, or other rows of its own stand in their place. Nothing raises.
    """
    pick = random.Random(kind)

    def row(unit):
        return unit, pick.choice(_GROUPS), pick.choice(_CELLS)

    rows = [row(pick.choice(units)) for _ in range(90)]
    one = units[-1]
    rest = [row for row in rows if row[0] != one][::-1]
    source, less, other = (
        placed(kind, found) for found in (rows, rest, rest + [row(one) for _ in range(9)])
    )

    for salt in (0, 2**64 - 1):
        _stays_near(source, less, salt, "add_remove")
        _stays_near(source, other, salt, "replace")


def _stays_near(source, neighbor, salt, neighbors):
    limits = {"max_groups": 2, "max_rows_per_group": 2}
    asked = dp.count("g", **limits), dp.mean("v", "g", **limits), dp.count_units("g", **ONE)
    asked += (dp.variance("v", "g", where="v IS NULL OR v > -2", **limits),)

    aggregates, before = counted(source, *asked, salt=salt, neighbors=neighbors)
    _, after = counted(neighbor, *asked, salt=salt, neighbors=neighbors)

    assert before != after
    for aggregate, a, b in zip(aggregates, before, after, strict=True):
        assert not exceeds(move(a, b), aggregate.sensitivity)
