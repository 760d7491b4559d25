"""`discreet expression`: what is shown of an expression is what engines work out; no data is read."""

import duckdb
import pytest

import discreet as dp
from discreet.engine.evaluate import evaluate, read_as
from discreet.engine.explain_expression import told
from discreet.errors import InputError
from discreet.expressions import expression, typed
from discreet.schema import names_of
from engine.expression_worlds import Maker
from engine.test_expressions_agree import arrow, declared, numbered
from servers import connected

TEXTS = ["age >= 18 AND state IN ('MA', 'NY')", "floor(x * y)", "year(d) = 2000 OR hour(m) > 3"]


def has_one_type(reads):
    """Tell whether columns of one type each suit: m is no day there, and b no number."""
    names = [name for name, _ in reads]
    return len(names) == len({*names}) and not {("m", "a day"), ("b", "a number")} & {*reads}


@pytest.mark.claim("C51")
def test_the_query_that_is_shown_gives_what_the_reference_does(turns):
    """It is run as it stands, on DuckDB, of a table whose columns have the types that suit."""
    maker, data = Maker(5), numbered(1)
    source = duckdb.connect()
    source.register("t", arrow(data))

    known = declared(data)
    start, step = turns(5)
    texts = [maker.number(2) for _ in range(40)]
    for text in [text for text in texts[start::step] if has_one_type(told(text, known).reads)]:
        tree = typed(expression(text), names_of(known))
        expected = [
            evaluate(tree, lambda name, kind, row=row: read_as(row[name], kind)) for row in data
        ]
        assert [
            v for (v,) in source.sql(told(text, known).queries["DuckDB"]).fetchall()
        ] == expected, text


@pytest.mark.slow
def test_what_is_shown_of_a_server_runs_there():
    """PostgreSQL plans each of them."""
    source = connected()
    source.execute(
        "CREATE TABLE t (age float8, state text, x float8, y float8, d date, m timestamp)"
    )

    for text in TEXTS:
        assert source.execute(told(text).queries["PostgreSQL"]).fetchall() == []


def test_a_column_is_told_as_what_it_is_read_as():
    """One that is read in two ways has no type, so that only text can be both."""
    found = told("year(d) > 3 OR s = 'a' OR (x > 1 AND b)")
    assert found.gives == "true or false"
    assert found.reads == (
        ("b", "true or false"), ("d", "a day"), ("s", "text"), ("x", "a number")
    )  # fmt: skip
    both = told("x = 1 OR x = 'a'")
    assert both.queries["Spark"].startswith("not there: a column that has a type")
    assert "TRY_CAST" in both.queries["DuckDB"]


def test_a_plan_says_what_is_declared_of_columns():
    """Its derived columns can be named, and are read down to the data."""
    table = dp.table([], unit="row", columns={"pay": dp.bounds(1, 1000)}).derive(
        year=dp.derived("pay * 12", bounds=dp.bounds(0, 12_000))
    )

    assert told("log2(pay) + year", table).reads == (("pay", "a number"),)
    with pytest.raises(InputError, match="nothing says what x is"):
        told("x", table)
