"""The second look between an engine and the door: what an engine does wrong moves nothing too far."""

import itertools
import random
from collections import Counter

import duckdb
import pandas as pd
import pyarrow as pa
import pytest
from sqlglot import exp, parse_one

from discreet.aggregate import Aggregate, Ball, Coarse, Coordinate, Measure, Point, Term
from discreet.engine import memory
from discreet.engine.duckdb.engine import DuckEngine
from discreet.engine.guard import Limits, fit
from discreet.engine.memory import MemoryEngine
from discreet.engine.sql import bounding, columns, grid
from discreet.engine.sql.dialect import DUCKDB
from discreet.engine.sql.faster.speed import Speed
from discreet.engine.sql.guard import (
    looked_along,
    only_leaves_out,
    quick_query,
    unfit_query,
    within,
)
from discreet.engine.sql.query import counting
from discreet.schema import ROW, bounds, table, unit
from discreet.sensitivity import Sensitivity, reach, row_sensitivity
from discreet.statistic.count import count, count_units
from discreet.statistic.histogram import histogram
from discreet.statistic.mean import mean
from discreet.statistic.sum import sum_
from discreet.statistic.variance import variance
from engine.speeds import at
from engine.test_one_person import is_within
from engine.unguarded import chooses_none, keeps_all, unguarded

COLUMNS = {"x": bounds(-5, 5, step=1), "y": bounds(-5, 5, step=1)}
KEYS = {"k": ["a", "b", "c"]}
OTHERS = [{"who": f"p{i % 9}", "k": "abc"[i % 3], "x": i % 11 - 5, "y": -i % 7} for i in range(60)]
ONE = [{"who": "ann", "k": "abc"[i % 3], "x": 1e9, "y": -1e300 * (-1) ** i} for i in range(40)]
LIMITED = {"max_groups": 2, "max_rows_per_group": 2}
PEOPLE = unit("who", max_rows=3)


def asked(found, **limits):
    statistics = [
        count("k", **limits), count_units("k", **limits), sum_("x", "k", **limits),
        mean("y", "k", **limits), mean(["x", "y"], "k", ball=3, **limits),
        mean(["x", "y"], **limits), histogram("x", "k", bins=3, **limits),
        histogram("y", bins=[-5, 0, 1, 5], **limits), variance("x", "k", **limits),
    ]  # fmt: skip
    return (*(a for one in statistics for a in one.aggregates(found)), squares(found, **limits))


def squares(found, **limits):
    """Products of degree two: x y, x^2 on a coarser grid with y, and y^2 of a point in a ball."""
    ball = Coordinate(Point(("x", "y"), Ball((0, 0), 6)), 1)
    coarse = Coarse("x", 3)
    measures = (
        Measure("cells", ("x", "y"), (Term(1, ("x", "y")), Term(1))),
        Measure("cells", (coarse, "y"), (Term(2, (coarse, coarse)), Term(-1, ("y",)))),
        Measure("cells", (ball,), (Term(1, (ball, ball)), Term(3, (ball,)))),
    )
    most = (26, 23, 54)  # of one row: 25 + 1, 2 * 9 + 5, 36 + 18
    kept = limits.get("max_groups"), limits.get("max_rows_per_group")
    rows = row_sensitivity(found, reach(found, ("k",), *kept), 1)
    sensitivity = Sensitivity(
        sum(most) * rows.l1, sum(m * m for m in most) * rows.l2_squared, max(most) * rows.linf
    )
    return Aggregate(("k",), measures, sensitivity, None, *kept)


def counted(engine, rows, whose, limits):
    source = pd.DataFrame(rows) if engine is DuckEngine else rows
    found = table(source, name="t", unit=whose, columns=COLUMNS, keys=KEYS)
    aggregates = asked(found, **limits)
    vectors = engine().prepare(found, aggregates).count(7)
    return aggregates, [one.opened_by_the_door() for one in vectors]


def holds(engine, whose, limits):
    """Whether one more unit, or one more row where that is the unit, moves all as declared."""
    more = ONE[:1] if whose == ROW else ONE
    aggregates, before = counted(engine, OTHERS, whose, limits)
    _, after = counted(engine, OTHERS + more, whose, limits)
    return is_within(aggregates, before, after)


WHOM = [(ROW, {}), (PEOPLE, {}), (PEOPLE, LIMITED), (unit("who"), LIMITED)]


def forgets_limits(patch):
    """P0a: the choice of rows lets everything pass."""
    patch.setattr(bounding, "first_of", lambda _names, wanted, *_rest: wanted)
    patch.setattr(bounding, "first_by_content", lambda _names, wanted, *_rest: wanted)
    patch.setattr(bounding, "at_once", lambda _grouping, wanted, *_rest: wanted.select("0 AS m"))
    keeps_all(patch)
    chooses_none(patch)
    patch.setattr(bounding.pruned, "below", lambda wanted, _cuts: wanted)
    patch.setattr(bounding.one_row, "of_units", lambda _names, wanted: wanted)
    patch.setattr(memory, "_first", lambda items, *_rest: list(items))


def enlarges_values(patch):
    """A value a million times too large comes out of the grid."""
    made = grid._within
    patch.setattr(
        grid, "_within",
        lambda *parts: exp.Mul(
            this=exp.paren(exp.cast(made(*parts), "BIGINT")), expression=exp.Literal.number(10**6)
        ),
    )  # fmt: skip
    read = memory.in_steps
    patch.setattr(
        memory, "in_steps",
        lambda cell, found: None if (v := read(cell, found)) is None else v * 10**6,
    )  # fmt: skip


def misplaces_groups(patch):
    """Rows get a group beyond the last one, or below the first."""
    made = columns.Names.group
    patch.setattr(
        columns.Names, "group",
        lambda self, by, position: exp.Sub(
            this=exp.paren(exp.Mul(this=exp.paren(made(self, by, position)),
                                   expression=exp.Literal.number(7))),
            expression=exp.Literal.number(5),
        ),
    )  # fmt: skip


def misplaces_bins(patch):
    """Rows get a bin beyond the last one."""
    made = grid.Places.place
    patch.setattr(
        grid.Places, "place",
        lambda self, value: exp.Add(this=exp.paren(made(self, value)),
                                    expression=exp.Literal.number(2)),
    )  # fmt: skip


def lengthens_points(patch):
    """Points leave their ball."""
    patch.setattr(grid, "_moved", lambda cell, *_rest: exp.paren(exp.Mul(
        this=cell.copy(), expression=exp.Literal.number(100))))  # fmt: skip
    patch.setattr(memory.Point, "read", lambda self, found: [
        100 * (found[c] or 0) if self.ball else found[c] or 0 for c in self.columns])  # fmt: skip


def doubles_rows(patch):
    """Each row of a unit comes twice, after its rows were limited in all."""
    made = bounding.grouped

    def twice(names, grouping):
        found = made(names, grouping)
        columns = [one.alias_or_name for one in found.selects]
        both = exp.union(found, found.copy(), distinct=False)
        return exp.select(*columns).from_(both.subquery("d"))

    patch.setattr(bounding, "grouped", twice)
    kept = memory.MemoryPrepared._kept_of
    patch.setattr(
        memory.MemoryPrepared,
        "_kept_of",
        lambda self, *given: kept(self, *given) * (1 if self.table.unit == ROW else 2),
    )


FAULTS = [
    forgets_limits,
    doubles_rows,
    enlarges_values,
    misplaces_groups,
    misplaces_bins,
    lengthens_points,
]
SEEN = {  # where the fault would do harm without the second look
    "forgets_limits": [PEOPLE, unit("who")],
    "doubles_rows": [PEOPLE],
    "enlarges_values": [ROW, PEOPLE],
    "lengthens_points": [ROW, PEOPLE],
}


@pytest.mark.claim("C35")
@pytest.mark.parametrize("engine", [MemoryEngine, DuckEngine], ids=["memory", "duckdb"])
@pytest.mark.parametrize(("whose", "limits"), WHOM, ids=["row", "3 rows", "3 rows, 2 x 2", "2 x 2"])
@pytest.mark.parametrize("fault", [None, *FAULTS], ids=lambda f: f.__name__ if f else "none")
def test_no_fault_of_an_engine_moves_a_vector_too_far(fault, whose, limits, engine, monkeypatch):
    """Whatever goes wrong before it, the second look keeps one unit within its limits."""
    if fault:
        fault(monkeypatch)

    assert holds(engine, whose, limits)


@pytest.mark.claim("C35")
@pytest.mark.parametrize("engine", [MemoryEngine, DuckEngine], ids=["memory", "duckdb"])
@pytest.mark.parametrize(
    "fault", [f for f in FAULTS if f.__name__ in SEEN], ids=lambda f: f.__name__
)
def test_without_the_second_look_the_same_faults_do_harm(fault, engine, monkeypatch):
    """The test above has power: each fault is one that only the second look stops."""
    fault(monkeypatch)
    unguarded(monkeypatch)

    for whose, limits in WHOM:
        if whose in SEEN[fault.__name__] and not (whose == PEOPLE and limits):
            assert not holds(engine, whose, limits)


OF_UNITS = {  # alone in a release, and whether a unit can be beyond a limit
    "in all": (count_units, False),
    "in each group": (lambda: count_units("k"), False),
    "in as many groups as there are": (lambda: count_units("k", max_groups=3), False),
    "in two groups": (lambda: count_units("k", max_groups=2), True),
    "in one group": (lambda: count_units("k", max_groups=1), True),
    "by one row": (lambda: count("k", max_groups=1, max_rows_per_group=1), True),
}


@pytest.mark.claim("C35")
@pytest.mark.parametrize("fault", [None, *FAULTS], ids=lambda f: f.__name__ if f else "none")
@pytest.mark.parametrize("asked_of", OF_UNITS)
def test_distinct_units_are_looked_at_where_they_can_be_beyond_a_limit(
    asked_of, fault, monkeypatch
):
    """What counts each unit once in each group that there is needs no look."""
    question, can_be_beyond = OF_UNITS[asked_of]
    if fault:
        fault(monkeypatch)
    vectors = []
    for rows in (OTHERS, OTHERS + ONE):
        declared = table(pd.DataFrame(rows), name="t", unit=unit("who"), columns=COLUMNS, keys=KEYS)
        aggregates = question().aggregates(declared)
        prepared = DuckEngine().prepare(declared, aggregates)
        vectors.append([one.opened_by_the_door() for one in prepared.count(7)])

    assert ("discreet_unfit" in prepared._text) == can_be_beyond
    assert is_within(aggregates, *vectors)


@pytest.mark.claim("C35")
def test_what_needs_no_look_stands_beside_what_does():
    """In one release, with a filter and without; which rows stay, each engine decides."""
    declared = table(pd.DataFrame(OTHERS), name="t", unit=PEOPLE, columns=COLUMNS, keys=KEYS)
    statistics = [count_units(), count(), count_units(where="x > 0"), mean("x"), count_units("k")]
    aggregates = [a for one in statistics for a in one.aggregates(declared)]
    of_rows = table(OTHERS, name="t", unit=PEOPLE, columns=COLUMNS, keys=KEYS)

    engines = (DuckEngine(), declared), (MemoryEngine(), of_rows)
    vectors = [engine.prepare(of, tuple(aggregates)).count(7) for engine, of in engines]

    ours, theirs = ([one.opened_by_the_door() for one in each] for each in vectors)
    assert ours[0] == theirs[0] == (9,)
    assert ours[-1] == theirs[-1] == (3, 3, 3)


@pytest.mark.exhaustive
@pytest.mark.claim("C35")
@pytest.mark.parametrize("engine", [MemoryEngine, DuckEngine], ids=["memory", "duckdb"])
@pytest.mark.parametrize(("whose", "limits"), WHOM[1:], ids=["3 rows", "3 rows, 2 x 2", "2 x 2"])
def test_each_look_leaves_out_whom_bounding_should_have_limited(whose, limits, engine, monkeypatch):
    """Bounding broken on purpose moves no vector at all; each, where the second look is left out."""
    few = [{"who": "bob", "k": "b", "x": 2, "y": 1}]
    forgets_limits(monkeypatch)
    _, alone = counted(engine, few, whose, limits)

    assert counted(engine, few + ONE, whose, limits)[1] == alone
    assert all(map(any, alone))

    unguarded(monkeypatch)
    _, moved = counted(engine, few + ONE, whose, limits)

    assert all(before != after for before, after in zip(alone, moved, strict=True))


@pytest.mark.claim("C589")
def test_a_look_along_leaves_out_whom_bounding_should_have_limited(monkeypatch):
    """As Spark looks, tried on DuckDB: bounding broken moves nothing, and that without a look does."""
    few = [{"who": "bob", "k": "b", "x": 2, "y": 1}]
    declared = table(pd.DataFrame(OTHERS), name="t", unit=PEOPLE, columns=COLUMNS, keys=KEYS)
    aggregates, expected = counted(DuckEngine, OTHERS, PEOPLE, {})
    with at(Speed(looks_along=True)):
        prepared = DuckEngine().prepare(declared, aggregates)
        within = [one.opened_by_the_door() for one in prepared.count(7)]
        forgets_limits(monkeypatch)
        _, alone = counted(DuckEngine, few, PEOPLE, {})
        _, beside = counted(DuckEngine, few + ONE, PEOPLE, {})
        unguarded(monkeypatch)
        _, moved = counted(DuckEngine, few + ONE, PEOPLE, {})

    assert "discreet_unfit_of" not in prepared._text
    assert "w <= 3" in prepared._text
    assert within == expected
    assert beside == alone
    assert all(before != after for before, after in zip(alone, moved, strict=True))


@pytest.mark.claim("C589")
@pytest.mark.parametrize(("rows", "is_left"), [(2, True), (3, True), (4, False), (9, False)])
def test_a_unit_with_more_rows_than_may_be_is_left_out_whole(rows, is_left):
    """All of its rows or none, at the limit too; of other units each row."""
    made = "SELECT u, g FROM (VALUES ('a', 1), ('a', 2)) AS v(u, g) UNION ALL "
    made += f"SELECT 'b' AS u, g FROM RANGE({rows}) AS r(g)"
    query = looked_along(parse_one(f"SELECT u, g FROM ({made}) AS m"), 3)
    answer = duckdb.sql(f"SELECT u, COUNT(*) FROM ({query.sql('duckdb')}) GROUP BY u ORDER BY u")

    assert answer.fetchall() == [("a", 2), *([("b", rows)] if is_left else [])]


@pytest.mark.claim("C35")
def test_groupings_share_a_look_where_they_only_leave_rows_out(monkeypatch):
    """By its query, which is looked at too: what comes twice is not what was looked at."""

    def looks():
        found = table(OTHERS, name="t", unit=PEOPLE, columns=COLUMNS, keys=KEYS | {"j": [1, 2, 3]})
        statistics = [count("k"), count("k", **LIMITED), mean("x", "j"), count(["k", "j"])]
        asked = [a for one in statistics for a in one.aggregates(found)]
        kinds = {"who": "VARCHAR", "k": "VARCHAR", "j": "INTEGER", "x": "DOUBLE"}
        query = counting(found, asked, kinds=kinds, source=exp.to_table("t")).query
        return [one.alias for one in query.find_all(exp.CTE) if "unfit" in one.alias]

    assert looks() == ["discreet_unfit_of_3", "discreet_unfit_1"]

    doubles_rows(monkeypatch)

    assert looks() == [f"discreet_unfit_{number}" for number in range(4)]


@pytest.mark.claim("C35")
@pytest.mark.parametrize(
    "other",
    [
        "SELECT u, g FROM r, s", "SELECT u, g FROM r JOIN s ON TRUE", "SELECT u, g FROM s",
        "SELECT u, UNNEST([g, 1]) AS g FROM r", "SELECT g AS u, g FROM r", "SELECT * FROM r",
        "SELECT 'a' || u AS u, g FROM r", "SELECT s.u, g FROM r", "SELECT u, u, g FROM r", "SELECT g FROM r",
        "SELECT DISTINCT u, g FROM r", "SELECT u, g FROM r GROUP BY u, g", "SELECT u, g FROM (SELECT u FROM r)",
        "SELECT u, g FROM r AS s", "SELECT u, g FROM a.r", "SELECT u, g FROM r LIMIT 1",
        "WITH r AS (SELECT 1 AS u) SELECT u, g FROM r", "SELECT u, SUM(g) AS g FROM r",
        "SELECT u, (SELECT 1) AS g FROM r", "SELECT u, g FROM r LATERAL VIEW EXPLODE(x) t AS y",
    ],
)  # fmt: skip
def test_a_query_that_may_do_more_than_leave_rows_out_is_looked_at_itself(other):
    """Whatever is not known to leave each row as one row of its unit; what is known, is."""
    plain = "SELECT u, CAST(i AS INT) * 2 + 1 AS g, q0 FROM r WHERE NOT i IS NULL"

    assert only_leaves_out(parse_one(plain), "r")
    assert not only_leaves_out(
        parse_one(other, dialect="spark" if "LATERAL" in other else "duckdb"), "r"
    )


@pytest.mark.claim("C35")
def test_a_unit_within_its_limits_is_never_left_out():
    """The second look takes nothing away where nothing went wrong: the guard is no second limit."""
    for whose, limits in WHOM[1:]:
        for kind in (MemoryEngine, DuckEngine):
            aggregates, vectors = counted(kind, OTHERS, whose, limits)
            assert sum(vectors[1]) >= 9  # nobody of nine is missing from count_units
            assert len(aggregates) == len(vectors)


ROWS_BY_GROUP = {
    "within": [2, 1],
    "a group more": [1, 1, 1],
    "a row more": [2, 2],
    "a pair more": [3],
}
BEYOND = [
    (Limits(groups=2, rows=3, rows_per_group=2), {"a group more", "a row more", "a pair more"}),
    (Limits(groups=2, rows=4, rows_per_group=2), {"a group more", "a pair more"}),
    (Limits(groups=3, rows=3, rows_per_group=3), {"a row more"}),
    (Limits(groups=9, rows=3, rows_per_group=None), {"a row more"}),
    (Limits(groups=2, rows=None, rows_per_group=None), {"a group more"}),
    (Limits(groups=9, rows=None, rows_per_group=2), {"a pair more"}),
    (Limits(groups=2, rows=3, rows_per_group=3), {"a group more", "a row more"}),
    (Limits(groups=1, rows=3, rows_per_group=3), {"within", "a group more", "a row more"}),
    (Limits(groups=1, rows=None, rows_per_group=2), ROWS_BY_GROUP.keys()),
]


@pytest.mark.claim("C35")
@pytest.mark.parametrize(("limits", "beyond"), BEYOND)
def test_a_unit_that_is_one_beyond_a_limit_is_left_out_alone(limits, beyond):
    """Each limit by itself, to the last row, in Python and as a query; and rows of no unit."""
    rows = [
        (who, group)
        for who, counts in ROWS_BY_GROUP.items()
        for group, count_of in enumerate(counts)
        for _ in range(count_of)
    ]
    connection = duckdb.connect()
    connection.execute("CREATE TABLE kept (u TEXT, g INT)")
    connection.executemany("INSERT INTO kept VALUES (?, ?)", [*rows, *[(None, 0)] * 9])

    looked = exp.select("u").distinct().from_("kept").where(within("unfit"))
    looked = looked.with_("unfit", unfit_query("kept", limits))
    found = {who for (who,) in connection.execute(looked.sql(dialect="duckdb")).fetchall()}

    assert found == ROWS_BY_GROUP.keys() - beyond
    assert fit(ROWS_BY_GROUP, limits) == found


def whatever(place):
    """A number of places that are taken, where they are chosen as nobody would."""
    return lambda number: exp.Count(this=exp.Distinct(expressions=[place(number)]))


def by_sign(number):
    above = exp.GT(this=number, expression=exp.Literal.number(0))
    return exp.Case().when(above, "1").else_("0")


TAKEN = {
    "not asked": None,
    "duckdb": DUCKDB.speed.takes,
    "all in one": whatever(lambda _number: exp.Literal.number(5)),
    "all in none": whatever(lambda _number: exp.null()),
    "all in two": whatever(by_sign),
}


@pytest.mark.exhaustive
@pytest.mark.claim("C35")
@pytest.mark.parametrize("taken", TAKEN.values(), ids=TAKEN)
def test_the_query_finds_whom_the_reference_finds(taken):
    """With a quick look before it, whatever the places of the groups are, and without;
    groups of any number: negative ones, the last one, and none;
    who has rows without a group, which count nowhere, may be left out without need.
    """
    numbers = [0, 1, 64, 65, 128, -1, -64, -(2**31), 2**31 - 1, None]
    chance = random.Random(5)
    worlds = {
        who: [chance.choice(numbers[: 1 + who % 10]) for _ in range(1 + chance.randrange(9))]
        for who in range(600)
    }
    counts = {who: Counter(groups).values() for who, groups in worlds.items()}
    connection = duckdb.connect()
    connection.execute("CREATE TABLE kept (u INT, g INT)")
    listed = [(who, group) for who, groups in worlds.items() for group in groups]
    connection.register("listed", pa.table(dict(zip("ug", zip(*listed, strict=True), strict=True))))
    connection.execute("INSERT INTO kept FROM listed")
    connection.execute("INSERT INTO kept SELECT NULL, i FROM range(9) t(i)")
    odd = {who for who, groups in worlds.items() if None in groups}
    for limits in itertools.starmap(
        Limits, itertools.product([1, 2, 3, 9], [None, 2, 4, 7], [None, 1, 2, 4])
    ):
        quick = quick_query("kept", limits, taken)
        query = unfit_query("kept", limits, "quick" if quick else None)
        query = query.with_("quick", quick) if quick else query
        found = {who for (who,) in connection.execute(query.sql(dialect="duckdb")).fetchall()}
        expected = worlds.keys() - fit(counts, limits)

        assert expected <= found
        assert found - expected <= (odd if limits.groups == 1 else set())


@pytest.mark.claim("C35")
def test_a_quick_look_is_taken_where_it_can_help():
    """Where rows are limited group by group, or only groups are, and no limit implies the others."""
    for limits, is_quick in [
        (Limits(groups=5, rows=15, rows_per_group=3), True),
        (Limits(groups=5, rows=None, rows_per_group=3), True),
        (Limits(groups=1, rows=3, rows_per_group=3), False),
        (Limits(groups=5, rows=None, rows_per_group=None), True),
        (Limits(groups=5, rows=15, rows_per_group=None), False),
        (Limits(groups=1, rows=None, rows_per_group=None), False),
        (Limits(groups=5, rows=3, rows_per_group=3), False),
    ]:
        assert (quick_query("kept", limits, DUCKDB.speed.takes) is not None) is is_quick
