"""Rows are moved into a ball by whole numbers alone: never longer than its radius, on every engine.

The planted faults: rounding away from zero, a length rounded down, a ball that is forgotten, and a
sensitivity that leaves out the count or takes the radius for its square.
"""

from dataclasses import replace
from itertools import combinations_with_replacement, product
from math import isqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dp
from adversarial.moves import exceeds, move
from discreet import aggregate
from discreet.aggregate import Ball
from discreet.engine.duckdb.engine import DuckEngine
from discreet.engine.memory import MemoryEngine
from discreet.engine.sql import cells, grid
from discreet.errors import InputError
from engine.sources import opened
from engine.test_one_person import is_within
from engine.unguarded import unguarded

MOVED = Ball.moved


def moved(ball, steps, *, up=0, short=0):
    """What `Ball.moved` says, with a rounding or a length that can be wrong."""
    point = [2 * v - middle for v, middle in zip(steps, ball.middle, strict=True)]
    squares = sum(u * u for u in point)
    root = isqrt(squares) + (isqrt(squares) ** 2 < squares) - short
    length = max(ball.radius, root)
    return [
        (abs(u) * ball.radius + up * (length - 1)) // length * (1 if u > 0 else -1) for u in point
    ]


FAULTS = {
    "nothing": moved,
    "rounds away from zero": lambda ball, steps: moved(ball, steps, up=1),
    "a length rounded down": lambda ball, steps: moved(ball, steps, short=1),
    "forgets the ball": lambda ball, steps: [
        2 * v - m for v, m in zip(steps, ball.middle, strict=True)
    ],
}


def is_kept(move_into):
    """Whether every point of a small grid comes to lie in each ball, and stays where it was if in it."""
    for radius, (x, y) in product(range(1, 13), product(range(-12, 13), repeat=2)):
        found = move_into(Ball((0, 1), radius), (x, y))
        point = (2 * x, 2 * y - 1)
        inside = point[0] ** 2 + point[1] ** 2 <= radius**2
        if found[0] ** 2 + found[1] ** 2 > radius**2 or (inside and tuple(found) != point):
            return False
        if any(a * b < 0 or abs(a) > abs(b) for a, b in zip(found, point, strict=True)):
            return False
    return True


@pytest.mark.claim("C34")
def test_no_point_is_longer_than_the_radius_and_one_inside_stays():
    """Every point of a grid, every small radius; no coordinate grows or changes its sign."""
    assert is_kept(Ball.moved)


@pytest.mark.claim("C34")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_move_is_caught(fault):
    """The check has power: it refuses each broken rounding, and accepts the one that is not."""
    assert is_kept(FAULTS[fault]) == (fault == "nothing")


STEPS = st.integers(-(2**50), 2**50)


@pytest.mark.claim("C34")
@given(point=st.lists(STEPS, min_size=2, max_size=5), radius=st.integers(1, 2**51))
def test_large_points_are_moved_too(point, radius):
    """Up to the ends of the grid, in whole numbers: nearest below the radius, not far below it."""
    found = Ball((0,) * len(point), radius).moved(point)
    squares, was = sum(u * u for u in found), sum(4 * v * v for v in point)

    assert squares <= radius**2
    if was > radius**2:
        shorter = radius * isqrt(was) // (isqrt(was) + 1) - len(point)  # ceiling and truncations
        assert squares >= max(0, shorter) ** 2


def declared(source, unit="row", neighbors="add_remove", *, ends=(-2, 2), columns="xy", keys="AB"):
    return dp.table(
        source,
        name="t",
        unit=unit,
        columns={name: dp.bounds(*ends, step=1) for name in columns},
        keys={"k": list(keys)},
        neighbors=neighbors,
    )


def counted(engine, rows, statistic, *, salt=1, **how):
    import pyarrow as pa

    source = list(rows) if engine is MemoryEngine else pa.Table.from_pylist(rows, schema=SCHEMA)
    table = declared(source, **how)
    return opened(engine().prepare(table, statistic.aggregates(table)).count(salt))[0]


def schema():
    import pyarrow as pa

    texts = [(name, pa.string()) for name in ("who", "k")]
    return pa.schema([*texts, *((name, pa.float64()) for name in "xyz")])


SCHEMA = schema()
ENGINES = pytest.mark.parametrize("engine", [MemoryEngine, DuckEngine], ids=lambda e: e.__name__)


def row(x, y, k="A", who="ann", z=0.0):
    return {"who": who, "k": k, "x": x, "y": y, "z": z}


@pytest.mark.slow
@ENGINES
def test_without_noise_the_sums_are_those_worked_out_by_hand(engine):
    """Half steps from the middle; inside and on the ball as they are, outside shortened."""
    inside, on, outside, beyond = row(1, 0), row(0, 2), row(2, 2), row(99, 1)
    missing = [row(None, 1), row(float("nan"), 0), row(2, 2, k=None)]
    ball = dp.mean(["x", "y"], ball=2)  # 4 half steps
    weight = ball.count_weight(declared([]))  # 16 / sqrt 2 is 11.3, its root 3.4

    rows = [inside, on, outside, beyond, row(-2, -2)]
    apart = [{**one, "k": key} for one, key in zip(rows, "ABCDE", strict=True)]
    by_key = dp.mean(["x", "y"], "k", ball=2)

    assert weight == 3
    assert counted(engine, [*apart, *missing], by_key, keys="ABCDEF") == (
        *(2, 0, weight),
        *(0, 4, weight),
        *(2, 2, weight),  # (4, 4) is 5.7 long: 16 // 6
        *(3, 1, weight),  # clamped to (4, 2), which is 4.5 long: 16 // 5, 8 // 5
        *(-2, -2, weight),
        *(0, 0, 0),
    )
    whole = counted(engine, [*rows, *missing], ball)
    assert whole == (5 + 2, 5 + 2, 6 * weight)  # the row without a key counts in the whole


@ENGINES
def test_without_a_ball_each_column_counts_in_a_step_of_its_own(engine):
    """A row counts where both cells are usable; widths become alike."""
    rows = [row(1, -2), row(2, 2), row(None, 2), row(-2, None)]

    assert counted(engine, rows, dp.mean(["x", "y"])) == (6, 0, 2 * 4)  # root of 32 / sqrt 2
    assert counted(engine, rows, dp.mean(["y"])) == (4, 3 * 4)


NARROW, WIDE = (-(2**20), 2**20), (-(2**49), 2**49)


@pytest.mark.exhaustive
@pytest.mark.claim("C34")
@settings(max_examples=20)
@given(data=st.data())
@pytest.mark.slow
@pytest.mark.parametrize("ends", [(-3, 4), NARROW, WIDE, (2**51 - 9, 2**51)], ids=str)
def test_duckdb_moves_points_as_the_reference_does(ends, data):
    """Bit for bit, in 64 bits and in 128, at the ends of the grid, around roots that are whole."""
    low, high = ends
    half = (high - low) // 2
    radius = data.draw(st.integers(1, half))
    middle = (low + high) // 2
    near = st.integers(-2, 2)
    cells_ = st.one_of(
        st.integers(low, high),
        st.sampled_from([low, high]),
        near.map(lambda more: min(high, max(low, middle + radius + more))),
        near.map(lambda more: middle + more),
    )
    rows = [
        row(*xyz[:2], z=xyz[2])
        for xyz in data.draw(st.lists(st.tuples(*[cells_] * 3), min_size=20))
    ]
    asked = dp.mean(["x", "y", "z"], ball=radius)
    how = {"ends": ends, "columns": "xyz"}

    assert counted(DuckEngine, rows, asked, **how) == counted(MemoryEngine, rows, asked, **how)


@pytest.mark.exhaustive
@pytest.mark.claim("C34")
@pytest.mark.parametrize("off", [-9, -1, 0, 1, 9])
def test_no_float_decides_how_far_a_row_moves_the_vector(off, monkeypatch):
    """A root that is guessed far off leaves the row out; one that is near is found all the same."""
    guess = grid._guess
    monkeypatch.setattr(grid, "_guess", lambda s, kind: exp_add(guess(s, kind), cells.whole(off)))
    asked = dp.mean(["x", "y"], ball=20)

    *found, rows = counted(DuckEngine, [row(40, 40)], asked, ends=(-40, 40))

    assert found == {-9: [0, 0], 9: [26, 26]}.get(off, [28, 28])  # (80, 80) is 113.1 long
    assert (rows > 0) == (off != -9)


def exp_add(one, other):
    from sqlglot import exp

    return exp.Add(this=exp.paren(one), expression=exp.paren(other))


CELLS = [(x, y) for x in range(-2, 3) for y in range(-2, 3)]
FEW = [(-2, 0), (2, 0), (0, 1), (2, 2), (-2, -2), (None, 1)]


def furthest(statistic, unit, neighbors, most, keys="AB", count=MemoryEngine):
    """The largest moves of one unit over all tables of few rows: others' rows add nothing to them."""
    cells_ = CELLS if most == 1 else FEW
    rows = [row(x, y, k) for k in keys for x, y in cells_]
    tables = [one for n in range(most + 1) for one in combinations_with_replacement(rows, n)]
    how = {"unit": unit, "neighbors": neighbors, "keys": keys}
    vectors = {counted(count, list(one), statistic, **how) for one in tables}
    nobody = (0,) * len(next(iter(vectors)))
    pairs = product(vectors, [nobody] if neighbors == "add_remove" else vectors)
    moves = [move(one, other) for one, other in pairs]
    return tuple(max(each) for each in zip(*moves, strict=True))


UNITS = [("row", 1), (dp.unit("who", max_rows=2), 2)]


@pytest.mark.exhaustive
@pytest.mark.claim("C07")
@pytest.mark.slow
@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize(("unit", "most"), UNITS, ids=str)
@pytest.mark.parametrize("by", [None, "k"])
@pytest.mark.parametrize("ball", [None, 1, 2])
def test_the_furthest_move_in_a_ball_is_the_declared_one(ball, by, unit, most, neighbors):
    """In squares and in one cell exactly; the sum of sizes is at most declared (roots round)."""
    asked = dp.mean(["x", "y"], by, ball=ball)
    (found,) = asked.aggregates(declared([], unit, neighbors))
    said = found.sensitivity

    moved_by = furthest(asked, unit, neighbors, most)

    assert moved_by[0] <= said.l1
    assert moved_by[1:] == (said.l2_squared, said.linf)


def broken(found, fault, radius):
    said, rows = found.sensitivity, 1
    squares = {
        "nothing": said.l2_squared,
        "leaves out the count": radius**2,
        "takes the radius for its square": 2 * radius,
        "one less": said.l2_squared - rows,
    }
    return replace(said, l2_squared=squares[fault])


@pytest.mark.claim("C07")
@pytest.mark.parametrize(
    "fault",
    ["nothing", "leaves out the count", "takes the radius for its square", "one less"],
)
def test_a_sensitivity_that_is_too_small_is_caught(fault):
    """The check has power in squares."""
    asked = dp.mean(["x", "y"], ball=2)
    (found,) = asked.aggregates(declared([]))
    moved_by = furthest(asked, "row", "add_remove", 1)

    assert exceeds(moved_by, broken(found, fault, 4)) == (fault != "nothing")


@pytest.mark.claim("C07")
@pytest.mark.parametrize("fault", FAULTS)
def test_an_engine_that_moves_rows_wrongly_is_caught(fault, monkeypatch):
    """One unit, before and after: the reference with a broken ball moves the vector too far."""
    unguarded(monkeypatch)
    monkeypatch.setattr(aggregate.Ball, "moved", FAULTS[fault])
    asked = dp.mean(["x", "y"], ball=1)
    aggregates = asked.aggregates(declared([]))
    others = [row(i % 3, -i % 2, who=f"p{i}") for i in range(9)]

    held = all(
        is_within(
            aggregates,
            [counted(MemoryEngine, [*others, row(x, y)], asked)],
            [counted(MemoryEngine, others, asked)],
        )
        for x, y in CELLS
    )

    assert held == (fault == "nothing")


@pytest.mark.slow
def test_many_columns_are_one_query():
    """Sixty columns, of which one cell is missing: no engine's limit on nesting is met."""
    import pyarrow as pa

    names = [f"c{i}" for i in range(60)]
    rows = [{name: float((i * j) % 7 - 3) for j, name in enumerate(names)} for i in range(9)]
    rows[4]["c30"] = None
    for ball in (None, 5):
        asked = dp.mean(names, ball=ball)
        one, other = (
            declared(rows, columns=names),
            declared(pa.Table.from_pylist(rows), columns=names),
        )
        aggregates = asked.aggregates(one)

        expected = opened(MemoryEngine().prepare(one, aggregates).count(1))

        assert opened(DuckEngine().prepare(other, aggregates).count(1)) == expected
        assert expected[0][-1] == 8 * asked.count_weight(one)


@pytest.mark.claim("C18")
def test_what_may_pass_128_bits_is_refused_before_anything_is_read():
    """Lengths of 2^52 half steps and more; at the last grid that passes, sums are exact."""
    far = {"ends": (-(2**51), 2**51)}
    with pytest.raises(InputError, match=r"longer than 2\^51"):
        dp.mean(["x", "y"], ball=1).aggregates(declared([], **far))

    rows = [row(0, 0), row(2**51, 2**51)] * 9
    asked = dp.mean(["x", "y"], ball=2**49)
    for engine in (MemoryEngine, DuckEngine):
        found = counted(engine, rows, asked, ends=(0, 2**51))
        assert (found[0], found[1]) == (0, 0)
