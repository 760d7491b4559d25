"""Measures of degree two: both engines add up the same, and what might not fit is refused before."""

from itertools import product
from math import isqrt

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dp
from discreet import sums
from discreet.aggregate import Aggregate, Ball, Coarse, Coordinate, Measure, Point, Term
from discreet.engine.duckdb.engine import DuckEngine
from discreet.engine.memory import MemoryEngine
from discreet.engine.protocol import groupings
from discreet.engine.sql.rollup import parts_of
from discreet.errors import InputError, InternalError
from discreet.schema import ROW, bounds, table, unit
from discreet.sensitivity import Sensitivity
from discreet.sums import ROWS, Added, added, check_sums, largest
from shares import in_parts

ONE = Sensitivity(1, 1, 1)
PLAIN, FREE = Point(("x", "y")), Coordinate(Point(("x", "y")), 1)
ROUND = Coordinate(Point(("y", "x"), Ball((3, 0), 9)), 0)
VALUES = ["x", "y", Coarse("x", 3), Coarse("y", 1_000), FREE, Coordinate(PLAIN, 0), ROUND]
COLUMNS = {"x": bounds(-4, 4, step="0.5"), "y": bounds(-1, 4, step=1)}
ENGINES = pytest.mark.parametrize("engine", [MemoryEngine, DuckEngine])
FIELDS = pa.schema(
    [("u", pa.string()), ("k", pa.string()), ("x", pa.float64()), ("y", pa.float64())]
)


def declared(rows, engine, columns=COLUMNS, whose=ROW):
    source = pa.Table.from_pylist(rows, FIELDS) if engine is DuckEngine else rows
    return table(source, name="t", unit=whose, columns=columns, keys={"k": ["a", "b"]})


def counted(engine, rows, measures, by=(), salt=3, **how):
    found = declared(rows, engine, **how)
    limits = {} if found.unit == ROW else {"max_groups": 2, "max_rows_per_group": 2}
    one = Aggregate(by, tuple(measures), ONE, **limits)
    (values,) = engine().prepare(found, (one,)).count(salt)
    return values.opened_by_the_door()


def row(x, y, k="a", u="ann"):
    return {"u": u, "k": k, "x": x, "y": y}


@ENGINES
def test_products_are_added_where_all_values_are_usable(engine):
    """By hand: x counts in halves; a row in which a value of the measure is missing adds nothing."""
    rows = [row(1.5, 2), row(-99, 3), row(None, 4), row(2, None), row(None, None), row(0, -7)]
    measures = [
        Measure("cells", ("x", "y"), (Term(1, ("x", "y")),)),  # 3*2 - 8*3 + 0*-1
        Measure("cells", ("x", "y"), (Term(1),)),  # three rows
        Measure("cells", ("x", "y"), (Term(2, ("x",)), Term(-5))),  # 2 (3 - 8 + 0) - 15
        Measure("cells", ("x",), (Term(1, ("x", "x")),)),  # 9 + 64 + 16 + 0
        Measure("cells", (FREE,), (Term(1, (FREE, FREE)),)),  # 4 + 9 + 1
        Measure("cells", ("y", "x"), (Term(1, ("y", "x")), Term(1, ("y", "y")))),  # -18 + 14
    ]

    assert counted(engine, rows, measures) == (-18, 3, -25, 89, 14, -4)


@ENGINES
def test_a_coarse_cell_is_the_nearest_point_halves_up(engine):
    """Bounds -4 to 4 in three parts: points at -4, -4/3, 4/3 and 4; in 16, each step is one."""
    coarse = Coarse("x", 3)
    for x, at in [(-9, 0), (-3, 0), (-2.5, 1), (0, 2), (2.5, 2), (3, 3), (9, 3), (None, 0)]:
        (found,) = counted(
            engine, [row(x, 0)], [Measure("cells", (coarse,), (Term(1, (coarse,)),))]
        )
        assert found == at
    same = Coarse("x", 16)
    terms = (Term(1, (same, "x")),)
    assert counted(engine, [row(1.5, 0)], [Measure("cells", (same, "x"), terms)]) == (11 * 3,)


cells = st.sampled_from([None, -99.0, -4.0, -1.0, -0.5, 0.0, 0.25, 1.0, 2.5, 3.0, 4.0, 1e300])
some_rows = st.lists(
    st.builds(row, cells, cells, st.sampled_from(["a", "b", "c", None]), st.sampled_from("pqr")),
    max_size=12,
)


@st.composite
def measures(draw):
    values = tuple(draw(st.lists(st.sampled_from(VALUES), min_size=1, max_size=3, unique=True)))
    of = st.lists(st.sampled_from(values), max_size=2).map(tuple)
    terms = draw(st.lists(st.builds(Term, st.integers(-3, 3), of), max_size=4))
    return Measure("cells", values, tuple(terms))


@pytest.mark.slow
@in_parts(5)
@settings(max_examples=30)
@given(rows=some_rows, asked=st.lists(measures(), min_size=1, max_size=4), data=st.data())
def test_random_polynomials_are_those_of_the_reference(rows, asked, data):
    """Any terms of any values, by group and in whole, of rows and of units with limits."""
    by = data.draw(st.sampled_from([(), ("k",)]))
    whose = data.draw(st.sampled_from([ROW, unit("u", max_rows=2)]))
    rows = rows if whose == ROW else rows[:2]  # nothing is left out, so that hashes do not matter

    one, other = (counted(e, rows, asked, by, whose=whose) for e in (MemoryEngine, DuckEngine))

    assert one == other


def test_a_sum_that_several_measures_need_is_made_once():
    """Three polynomials of one cell are three sums, however often each is named."""
    found = declared([], MemoryEngine)
    lines = [
        Measure("cells", ("x",), (Term(a, ("x", "x")), Term(b, ("x",)), Term(c)))
        for a, b, c in [(1, 2, 3), (4, 0, 6), (7, 8, 9)]
    ]
    asked = (Aggregate((), tuple(lines[:2]), ONE), Aggregate((), (lines[2],), ONE))
    ((grouping, of),) = groupings(found, asked).items()

    (part,) = parts_of(found, grouping, of)

    assert sorted(len(need.values) for need in part.needs) == [0, 1, 2]


WIDE = {"x": bounds(-(2**38), 2**38, step=1), "y": bounds(0, 2**52, step=1)}


@ENGINES
def test_products_pass_64_bits(engine):
    """Seventy of 2^76, and of -2^76, are added without wrapping."""
    of = Measure("cells", ("x",), (Term(3, ("x", "x")),))
    mixed = Measure("cells", ("x", FREE), (Term(-1, ("x", "x")),))
    rows = [row(-(2.0**40), 1)] * 70

    assert counted(engine, rows, [of, mixed], columns=WIDE) == (210 * 2**76, -70 * 2**76)


def furthest(one, columns):
    """By brute force: the size of a product, at all corners and the middle of what its values are."""
    found = 0
    for x, y in product(*([b.lower_step, 0, b.upper_step] for b in columns.values())):
        steps = {
            name: min(max(v, columns[name].lower_step), columns[name].upper_step)
            for name, v in zip(columns, (x, y), strict=True)
        }
        total = 1
        for value in one.values:
            if isinstance(value, Coordinate):
                total *= value.point.read(steps)[value.place]
            elif isinstance(value, Coarse):
                of = columns[value.column]
                total *= value.of(steps[value.column], of.lower_step, of.upper_step)
            else:
                total *= steps[value]
        found = max(found, abs(total))
    return found


BOXES = [(-4, 4, -1, 4), (1, 3, -9, -2), (-2, 0, 0, 5), (3, 9, -7, 7)]


@pytest.mark.parametrize("box", BOXES, ids=str)
def test_what_a_row_adds_is_never_more_than_is_proved(box):
    """The size of each product, exactly for columns and never below for points in a ball."""
    low, high, left, right = box
    columns = {"x": bounds(low, high, step=1), "y": bounds(left, right, step=1)}
    found = declared([], MemoryEngine, columns)
    ball = Coordinate(Point(("x", "y"), Ball((low + high, left + right), 5)), 0)
    values = ["x", "y", Coarse("x", 7), FREE, ball]
    for pair in [(), *((v,) for v in values), *product(values, repeat=2)]:
        one = Added("cells", pair, ())
        most = largest(found, one)
        assert furthest(one, columns) <= most
        if len(set(pair)) < 2 and not set(pair) & {ball, FREE}:
            assert furthest(one, columns) == most


@pytest.mark.claim("C18")
@pytest.mark.parametrize("fits", [True, False])
def test_sums_are_refused_exactly_where_they_may_pass_128_bits(fits):
    """The widest square that fits for 10^15 rows, and the next one; in `prepare` and in `plan`."""
    widest = isqrt((2**127 - 1) // ROWS)
    high = widest if fits else widest + 1
    found = declared([], MemoryEngine, {"x": bounds(0, high, step=1), "y": bounds(0, 1, step=1)})
    asked = (Aggregate((), (Measure("cells", ("x",), (Term(1, ("x", "x")),)),), ONE),)

    if fits:
        assert ROWS * largest(found, added(asked[0].measures[0])[0][1]) < 2**127
        MemoryEngine().prepare(found, asked)
        return
    with pytest.raises(InputError, match="more than 128 bits"):
        check_sums(found, asked)
    for engine in (MemoryEngine, DuckEngine):
        with pytest.raises(InputError, match="more than 128 bits"):
            engine().prepare(declared([row(1, 1)], engine, found.columns), asked)


@pytest.mark.claim("C18")
def test_a_plan_refuses_sums_that_may_not_fit(monkeypatch):
    """Before anything is charged: a sum of a column, were there so many rows."""
    people = dp.table([], name="t", unit="row", columns={"x": bounds(0, 2**52, step=1)})
    dp.plan(people, dp.sum("x"), spend=dp.pure(1))

    monkeypatch.setattr(sums, "ROWS", 2**76)

    with pytest.raises(InputError, match="more than 128 bits"):
        dp.plan(people, dp.sum("x"), spend=dp.pure(1))


@pytest.mark.parametrize(
    "planted",
    [
        Measure("cells", ("x",), (Term(1, ("x", "x", "x")),)),
        Measure("cells", ("x",), (Term(1, ("y",)),)),
    ],
)
def test_what_is_no_polynomial_of_degree_two_is_refused(planted):
    """A third factor, and a value whose missing cells the measure does not know."""
    with pytest.raises(InternalError, match="degree two"):
        added(planted)


def test_a_sum_at_the_limit_is_exact_on_duckdb():
    """Partial sums near 2^126 of both signs: the type that the query adds up in holds them."""
    connection = duckdb.connect()
    (found,) = connection.execute(
        "SELECT SUM(v) FROM (VALUES (?::INT128), (?::INT128)) t(v)",
        [2**126, 2**126 - 1],
    ).fetchone()
    assert int(found) == 2**127 - 1
