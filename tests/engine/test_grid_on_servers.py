"""Numbers laid on a grid on a server that raises on overflow.

Each cell stands beside what the reference makes of it, at the ends of every range and of doubles.
"""

import math
from fractions import Fraction

import pytest
from psycopg.errors import NumericValueOutOfRange
from sqlglot import exp

import discreet as dp
from discreet.engine.memory import in_steps
from discreet.engine.sql import grid
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
