"""Parts of a query that are put together by Python's operators: one parent for each tree."""

from dataclasses import replace

import pytest
from sqlglot import exp

from discreet.engine.sql.cells import Reader
from discreet.engine.sql.columns import plain_cell
from discreet.engine.sql.dialect import DUCKDB
from discreet.engine.sql.expression_cells import Read
from discreet.engine.sql.expression_sql import Layers
from discreet.engine.sql.faster.speed import SLOW
from discreet.engine.sql.tree import Operand, if_, number, par
from discreet.expressions import Typed
from discreet.schema.csv_options import DEFAULT

pytestmark = pytest.mark.claim("C312")

FORMS = {
    "x + y": lambda x, y: x + y,
    "x - 3": lambda x, _: x - 3,
    "x * y": lambda x, y: x * y,
    "x // -2": lambda x, _: x // -2,
    "-x": lambda x, _: -x,
    "NOT x": lambda x, _: ~x,
    "x < y": lambda x, y: x < y,
    "x <= 1": lambda x, _: x <= 1,
    "x > y": lambda x, y: x > y,
    "x >= 1": lambda x, _: x >= 1,
    "x = y": lambda x, y: x == y,
    "x <> 0": lambda x, _: x != 0,
    "x AND y": lambda x, y: x & y,
    "x OR y": lambda x, y: x | y,
    "(x + x) * (x + x)": lambda x, _: par(x + x) * par(x + x),
    "CASE WHEN x < 0 THEN 1 ELSE x END": lambda x, _: if_(x < 0, number(1), x),
    "CASE WHEN x THEN CAST(x AS DOUBLE) END": lambda x, _: if_(x, x.cast("DOUBLE")),
}


def parts():
    return Operand(exp.column("x")), Operand(exp.column("y"))


@pytest.mark.parametrize("text", FORMS)
def test_an_operator_is_what_it_is_in_sql(text):
    """No parenthesis but those that are put, and no node in two places."""
    tree = FORMS[text](*parts()).take()

    nodes = list(tree.walk())
    assert tree.sql("duckdb") == text
    assert len({id(node) for node in nodes}) == len(nodes)
    assert all(child.parent is node for node in nodes for child in node.iter_expressions())


def test_the_first_use_takes_the_tree_and_later_ones_copy_it():
    """One that may have a parent elsewhere is copied at once."""
    tree = exp.column("x")
    own, shared = Operand(tree), Operand(tree, is_used=True)

    assert own.take() is tree
    assert own.take() is not tree
    assert shared.take() is not tree


def test_a_day_that_is_read_several_times_is_in_one_place_each_time():
    """All parts of the calendar of one day, layer by layer."""
    reader = Reader(replace(DUCKDB, speed=SLOW), DEFAULT)
    layers = Layers(Read(reader, plain_cell, {"d": "DATE"}), {}, lambda text: text)
    day = Typed("column", "day", value="d")
    for number_, op in enumerate(("year", "month", "day", "weekday")):
        layers.place(f"v{number_}", layers.of(Typed(op, "number", (day,))))

    trees = [tree for columns in layers.columns for tree in columns.values()]
    nodes = [node for tree in trees for node in tree.walk()]
    assert len({id(node) for node in nodes}) == len(nodes)
    assert all(tree.parent is None for tree in trees)
    assert all(child.parent is node for node in nodes for child in node.iter_expressions())
