"""Rows chosen by the hash of PostgreSQL itself: evenly, by one unit's content and the salt alone."""

import pytest

from engine.own_hash import FAR, SMALL, TEXTS, follows_the_salt, is_even, moves_little
from servers import filled

pytestmark = pytest.mark.claim("C141")

UNITS = {"bigint": FAR, "smallint": SMALL, "text": TEXTS, "uuid": ["0" * 32, "f" * 32]}
UNITS |= {"date": ["infinity", "0001-01-01", "2026-11-03"]}


def placed(kind, rows):
    """A connection with a table of rows."""
    return filled({"u": kind, "g": "int", "v": "float8"}, rows)


@pytest.mark.parametrize("kind", ["bigint", "text"])
def test_each_group_and_each_cell_is_kept_equally_often(kind):
    """False alarms: 2e-8."""
    is_even(placed, kind)


def test_another_salt_keeps_other_rows_and_another_order_the_same():
    """500 units of 3 groups: two salts agree in about a third of them."""
    follows_the_salt(placed)


@pytest.mark.parametrize("kind", UNITS)
def test_one_unit_moves_no_vector_too_far_whatever_its_cells(kind):
    """Units at the ends of each type; nothing raises, in both relations."""
    moves_little(placed, kind, UNITS[kind])
