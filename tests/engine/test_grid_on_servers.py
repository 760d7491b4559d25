"""Numbers laid on a grid, and whole numbers placed among keys, on a server that raises on overflow.

Each cell stands beside what the reference makes of it, at the ends of every range and of doubles.
"""

import math
from fractions import Fraction

import pytest
from psycopg.errors import NumericValueOutOfRange
from sqlglot import exp

import discreet as dp
from discreet.engine.choose import engine_for
from discreet.engine.read_row import in_steps
from discreet.engine.sql import grid
from discreet.engine.sql.runs import Run
from engine.sources import opened
from servers import filled

pytestmark = pytest.mark.claim("C83")

BOUNDS = [
    dp.bounds(0, 100, step="0.01"),
    dp.bounds(-5, 5, step="1/3", missing=2),
    dp.bounds(-2, 2, step=1),
    dp.bounds(-12, 9, step=3),
    dp.bounds(0, 7, step="7/5"),
    dp.bounds(-7, 0, step=7),
    dp.bounds(-9, -3, step=3),
    dp.bounds(3, 9, step="3/2", missing=3),
    dp.bounds(-(2**52), 2**52, step=1),
    dp.bounds(0, 2**104, step=2**52),
    dp.bounds(-(2**104), 0, step=2**52),
    dp.bounds(0, Fraction(2**31, 2**52), step=Fraction(1, 2**52)),
    dp.bounds(0, (2**52 - 1) * 2**20, step=2**52 - 1),
    dp.bounds("1990-01-01", "2024-12-31"),
]
ODD = [0.0, 5e-324, 1e-310, 2.0**-1022, 2.0**-201, 2.0**-200, 2.0**-199, 2.0**-53, 0.5, 1.0]
ODD += [
    0.005,
    0.015,
    1 / 3,
    1 / 6,
    49.995,
    2.0**52,
    2.0**53 + 2,
    2.0**110,
    1e307,
    1.7976931348623157e308,
]
ODD += [math.inf]


def cells(bounds):
    """Doubles at both ends, half a step from them and beside, and the strangest ones."""
    step = bounds.step
    ends = [end + away * step for end in (bounds.lower, bounds.upper) for away in (-1, 0, 1)]
    near = [
        float(end + part * step) for end in ends for part in (0, Fraction(1, 2), Fraction(-1, 2))
    ]
    near += [math.nextafter(one, to) for one in near for to in (-math.inf, math.inf)]
    return [*near, *ODD, *(-one for one in ODD), math.nan, None]


def laid(bounds, cells_, lay=grid.on_grid_by_ends):
    """What the server makes of cells, one by one."""
    source = filled({"n": "int", "v": "float8"}, [*enumerate(cells_)])
    said = lay(exp.column("v"), bounds)
    query = exp.select(said).from_("t").order_by("n").sql(dialect="postgres")
    return [found for (found,) in source.execute(query).fetchall()]


@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
def test_a_server_lays_every_double_on_its_grid(bounds):
    """As the reference does; none raises."""
    there = cells(bounds)
    expected = [in_steps(cell, bounds) for cell in there]

    assert laid(bounds, there) == expected
    assert bounds.lower_step in expected
    assert bounds.upper_step in expected


@pytest.mark.parametrize("is_low", [True, False], ids=["lower", "upper"])
@pytest.mark.parametrize("away", [-1, 1])
def test_an_end_that_is_one_step_away_would_be_seen(away, is_low, monkeypatch):
    """The test above has power: on either side of both ends, where doubles tell steps apart."""
    honest = grid._least
    for bounds in BOUNDS[:4]:
        there, moved = cells(bounds), bounds.lower_step if is_low else bounds.upper_step
        monkeypatch.setattr(
            grid, "_least", lambda of, step, at=moved: honest(of, step + away * (step == at))
        )

        assert laid(bounds, there) != [in_steps(cell, bounds) for cell in there]


def test_arithmetic_beyond_the_ends_would_be_seen(monkeypatch):
    """A server raises where a quotient is less than any double, and a product above all."""
    with pytest.raises(NumericValueOutOfRange):
        laid(BOUNDS[0], [1e307], grid.on_grid)
    monkeypatch.setattr(grid, "_TINY", "0")
    with pytest.raises(NumericValueOutOfRange):
        laid(dp.bounds(-12, 9, step=3), [5e-324])


KEYS = {  # the type of the column: lists of consecutive keys
    "smallint": [range(-(2**15), -(2**15) + 3), range(2**15 - 3, 2**15), range(-1, 2)],
    "int": [range(-(2**31), -(2**31) + 3), range(2**31 - 3, 2**31), range(7, 8)],
    "bigint": [range(-(2**53) + 1, -(2**53) + 4), range(2**53 - 6, 2**53 - 3), range(2)],
}
EXTREMES = {"smallint": 2**15, "int": 2**31, "bigint": 2**63}
NAMED = [(), ("other",), ("missing",), ("other", "missing")]


def placed(kind, keys, whose, named):
    """Counts and sums by key of the reference, and of the server."""
    end = EXTREMES[kind]
    near = [*range(keys[0] - 2, keys[-1] + 3), -end, end - 1, 0, None]
    rows = [
        {"u": n % 5, "g": g, "v": float(n % 3)}
        for n, g in enumerate(near * 3)
        if g is None or -end <= g < end
    ]
    names = {name: keys[-1] + 1 + place for place, name in enumerate(named)}  # beside the keys
    listed = dp.keys(*keys, **names) if named else keys
    limits = {"max_groups": 2, "max_rows_per_group": 1} if whose != "row" else {}

    def of(source):
        found = dp.table(
            source,
            name="t",
            unit=whose,
            keys={"g": listed},
            columns={"v": dp.bounds(0, 2, step=1)},
        )
        asked = dp.mean("v", "g", **limits).aggregates(found)
        return opened(engine_for(source).prepare(found, asked).count(5))

    columns = {"u": "bigint", "g": kind, "v": "float8"}
    return of(rows), of(filled(columns, [(*row.values(),) for row in rows]))


@pytest.mark.parametrize("named", NAMED, ids=str)
@pytest.mark.parametrize("kind", KEYS)
def test_consecutive_keys_are_found_at_the_ends_of_each_type(kind, named):
    """Cells beside the keys, at the ends of the type and missing; with a place for others, or none."""
    for keys in KEYS[kind]:
        for whose in ("row", dp.unit("u", sampling="portable")):
            expected, found = placed(kind, keys, whose, named)

            assert found == expected
            assert any(map(any, expected))


def test_a_range_of_keys_that_begins_a_key_too_early_would_be_seen(monkeypatch):
    """The test above has power: the cell before the first key is no longer of the others."""
    honest = Run.has

    def early(self, raw):
        found = honest(self, raw)
        found.set("low", exp.Sub(this=found.args["low"], expression=exp.Literal.number(1)))
        return found

    monkeypatch.setattr(Run, "has", early)
    expected, found = placed("int", range(-1, 2), "row", ("other",))

    assert found != expected
