"""Rows chosen by the hash of Spark itself: evenly, by one unit's content and the salt alone.

It runs where Spark is installed: `make spark`.
"""

import random
from datetime import date

import pytest

import discreet as dp
from discreet.engine.select_engine import engine_for
from engine.own_hash import FAR, SMALL, TEXTS, follows_the_salt, is_even, moves_little
from servers import spark

pytestmark = [pytest.mark.slow, pytest.mark.claim("C199")]

UNITS = {"bigint": FAR, "smallint": SMALL, "string": TEXTS, "date": [date.min, date.max]}


def placed(kind, rows):
    """A frame whose rows lie in several parts."""
    return spark().createDataFrame(rows, f"u {kind}, g int, v double").coalesce(3)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("kind", "name"), [("bigint", int), ("string", str)])
def test_each_group_and_each_cell_is_kept_equally_often(kind, name):
    """False alarms: 2e-8."""
    is_even(placed, kind, name)


def test_another_salt_keeps_other_rows_and_another_order_the_same():
    """500 units of 3 groups: two salts agree in about a third of them."""
    follows_the_salt(placed)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", UNITS)
def test_one_unit_moves_no_vector_too_far_whatever_its_cells(kind):
    """Units at the ends of each type; nothing raises, in both relations."""
    moves_little(placed, kind, UNITS[kind])


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
