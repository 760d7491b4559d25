"""Conditions that no row can meet are said in the plan, before they are paid for."""

import random
from itertools import product

import pytest

import discreet as dp
from discreet.engine.evaluate import evaluate
from discreet.expressions import KnownNames, contradicted, expression, typed

NAMES = KnownNames(hints={"x": "number", "y": "number", "d": "day", "s": "text", "t": "moment"})
NEVER = [
    ("v > 5 AND v < 3", "v"),
    ("v > 5 AND v < 5", "v"),
    ("v > 5 AND v <= 5", "v"),
    ("5 < v AND 3 > v", "v"),
    ("v = 1 AND v = 2", "v"),
    ("v = 1 AND v <> 1", "v"),
    ("v BETWEEN 1 AND 3 AND v BETWEEN 4 AND 6", "v"),
    ("v BETWEEN 1 AND 3 AND NOT v BETWEEN 0 AND 4", "v"),
    ("v IN (1, 2) AND v > 2", "v"),
    ("v IN (1, 2) AND NOT v IN (2, 1, 0)", "v"),
    ("(v > 5 OR v > 7) AND v < 3", "v"),
    ("(v = 1 OR v = 2) AND v = 3", "v"),
    ("NOT (v <= 5 OR v >= 3)", "v"),
    ("(v < 0 OR (v > 4 AND w > 1)) AND (v BETWEEN 1 AND 3 AND x = 1)", "v"),
    ("(v < 2 OR v > 4) AND (v > 1 OR v < 0) AND v = 3", "v"),
    ("v IS NULL AND v > 3", "v"),
    ("v IS NULL AND NOT v IS NULL", "v"),
    ("s = 'a' AND s = 'b'", "s"),
    ("s IN ('a', 'b') AND s = 'c'", "s"),
    ("d > DATE '2024-01-01' AND d < DATE '2024-01-02'", "d"),
    ("t > TIMESTAMP '2024-01-01 00:00:00' AND t < TIMESTAMP '2024-01-01 00:00:01'", "t"),
    ("v + 1 > 3 AND v + 1 < 2", "v"),
    ("v > w AND NOT v > w", "v and w"),
    ("x = 1 AND (v > 5 AND v < 3)", "v"),
    ("(v > 5 AND v < 3) OR (w > 5 AND w < 3)", "v and w"),
]
OPEN = [
    "v > 3 AND v < 5",
    "v >= 5 AND v <= 5",
    "v > 5 OR v < 3",
    "NOT (v > 5 AND v < 3)",
    "v > 1 AND v < 2",
    "d > DATE '2024-01-01' AND d < DATE '2024-01-03'",
    "v > 5 AND w < 3",
    "v + 1 > 3 AND v < 2.5",
    "(v > 5 OR w > 5) AND v < 3",
    "(v = 1 OR v > 5) AND v = 6",
    "v IS NULL OR v > 3",
    "NOT v IS NULL AND v > 3",
    "s <> 'a' AND s <> 'b'",
    "(v IS NULL OR v = 1) AND v = 1",
]


def declared(where):
    columns = {name: dp.bounds(0, 10) for name in ("v", "w", "x")}
    return dp.table([{"v": 1}], unit="row", name="rows", columns=columns).where(where)


def lines(plan):
    text = " ".join(str(plan).split())
    return text.partition("No row can meet what is asked of ")[2].partition(" together")[0]


@pytest.mark.claim("C352")
@pytest.mark.parametrize(("where", "names"), NEVER)
def test_a_condition_that_no_row_meets_is_said_in_the_plan(where, names):
    """Of the table, of a question, and of both together."""
    assert lines(dp.plan(declared(where), dp.count(), spend=dp.zcdp(1))) == names
    plan = dp.plan(declared("x >= 0"), dp.count(where=where), spend=dp.zcdp(1))
    assert lines(plan) == names


@pytest.mark.claim("C352")
def test_a_table_and_a_question_are_read_together():
    plan = dp.plan(declared("v > 5"), dp.count(where="v < 3"), dp.count(), spend=dp.zcdp(1))
    assert lines(plan) == "v"
    assert lines(dp.plan(declared("v > 5"), dp.count(where="v > 7"), spend=dp.zcdp(1))) == ""


@pytest.mark.claim("C352")
@pytest.mark.parametrize("where", OPEN)
def test_a_condition_that_some_row_meets_is_not(where):
    assert lines(dp.plan(declared(where), dp.count(), spend=dp.zcdp(1))) == ""


def made(chance, depth):
    if depth == 0 or chance.random() < 0.2:
        name, number = chance.choice("xy"), chance.randrange(4)
        kind = chance.randrange(5)
        if kind == 0:
            return f"{name} IN ({number}, {chance.randrange(4)})"
        if kind == 1:
            return f"{name} BETWEEN {number} AND {number + chance.randrange(2)}"
        if kind == 2:
            return f"{name} IS NULL"
        return f"{name} {chance.choice(['<', '<=', '>', '>=', '=', '<>'])} {number}"
    op = chance.choice(["AND", "AND", "OR", "NOT"])
    if op == "NOT":
        return f"NOT ({made(chance, depth - 1)})"
    return f"({made(chance, depth - 1)}) {op} ({made(chance, depth - 1)})"


@pytest.mark.claim("C352")
@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_what_is_said_of_random_conditions_is_true(part):
    """500 of them: where it is said, none of 100 rows meets it; and most are said."""
    chance, cells = random.Random(part), [None, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.5]
    is_said = is_never = 0
    for _ in range(500):
        tree = typed(expression(made(chance, 3)), NAMES, "truth")
        met = any(
            evaluate(tree, lambda name, _kind, row=row: row[name]) == 1
            for row in ({"x": x, "y": y} for x, y in product(cells, cells))
        )
        is_told = bool(contradicted([tree]))
        assert not (met and is_told), tree
        is_said, is_never = is_said + is_told, is_never + (not met)
    assert is_said > is_never * 0.6 > 30
