"""Which parts of a query PostgreSQL is told apart from what reads them, by OFFSET 0."""

import pytest
import sqlglot
from sqlglot import exp

import discreet as dp
from discreet.engine.postgres import connection
from discreet.engine.postgres.dialect import POSTGRES
from discreet.engine.select_engine import engine_for
from discreet.engine.sql.dialect_rewrites import spoken
from servers import filled

pytestmark = pytest.mark.claim("C51")

MADE = "(SELECT x + 1 AS a, x AS b FROM t) AS s"
PASSED = "(SELECT a, b FROM (SELECT x + 1 AS a, x AS b FROM t) AS s) AS r"
CASES = {  # a query: which of its parts, from the outermost on, are told apart
    f"SELECT a, b, b FROM {MADE}": [False],
    f"SELECT a * a AS c FROM {MADE}": [True],
    f"SELECT a FROM {MADE} WHERE a > 0": [True],
    f"SELECT *, a FROM {MADE}": [True],
    f"SELECT COUNT(*), SUM(a) FROM {MADE}": [False],
    f"SELECT a * a AS c FROM {PASSED}": [True, False],
    f"SELECT a, b FROM {PASSED}": [False, False],
    "WITH r AS (SELECT x + 1 AS a FROM t) SELECT a * a AS c FROM (SELECT a FROM r) AS s": [True],
    "WITH r AS (SELECT x + 1 AS a FROM t) SELECT a * a AS c FROM (SELECT * FROM r) AS s": [True],
    "WITH r AS MATERIALIZED (SELECT x + 1 AS a FROM t) SELECT a * a AS c FROM (SELECT a FROM r)"
    " AS s": [False],
    "SELECT a * a AS c FROM (SELECT a FROM (SELECT x AS a, RANK() OVER (ORDER BY x) AS n FROM t)"
    " AS s) AS r": [False, False],
    "SELECT a * a AS c FROM (SELECT x AS a FROM t UNION ALL SELECT x FROM t) AS s": [True],
    "SELECT a, a FROM (SELECT a, SUM(b) AS n FROM t GROUP BY a) AS s": [True],
    "SELECT a FROM t WHERE a IN (SELECT a FROM s)": [True],
    "SELECT a * a AS c FROM (SELECT a FROM t UNION ALL SELECT a FROM s) AS s": [False],
    "SELECT a * a AS c FROM (SELECT a FROM t UNION ALL SELECT a + 1 AS a FROM s) AS s": [True],
    "SELECT a * a AS c FROM (SELECT * FROM t UNION ALL SELECT * FROM s) AS s": [True],
    "SELECT a * a AS c FROM (SELECT CAST(x AS INT) AS a FROM t) AS s": [False],
    "SELECT a * a AS c FROM (SELECT CAST(x AS DOUBLE) AS a FROM t) AS s": [True],
    "SELECT a * a AS c FROM (SELECT CAST(x + 1 AS INT) AS a FROM t) AS s": [True],
    "SELECT a * a AS c FROM (SELECT b AS a, x + 1 AS b FROM t) AS s": [False],
    "WITH r AS (SELECT x AS a, x + 1 AS b FROM t) SELECT a * a AS c FROM (SELECT a, b FROM r) AS s": [
        False
    ],
    "WITH r AS (SELECT x AS a, x + 1 AS b FROM t) SELECT b * b AS c FROM (SELECT * FROM r) AS s": [
        True
    ],
    "WITH r AS (SELECT x + 1 AS a FROM t) SELECT a * a AS c FROM (SELECT v.a FROM v, r) AS s": [
        False
    ],
    "WITH r AS (SELECT x + 1 AS a FROM t) SELECT a * a AS c FROM (SELECT a FROM v, r) AS s": [True],
}


def fenced(text):
    query = spoken(sqlglot.parse_one(text, read="duckdb"), POSTGRES)
    return query, [bool(part.this.args.get("offset")) for part in query.find_all(exp.Subquery)]


@pytest.mark.parametrize("text", CASES)
def test_a_part_is_told_apart_where_an_expression_of_it_is_named_twice(text):
    assert fenced(text)[1] == CASES[text]


@pytest.mark.parametrize("step", ["a + a AS a", "*, a + a AS a", "a + a AS a, a AS b"])
@pytest.mark.parametrize("is_passed", [False, True])
def test_no_chain_of_parts_doubles_what_the_server_plans(step, is_passed):
    """Of twelve parts that each name the one below twice; unfenced that would be 4096 times x."""
    source = filled({"x": "bigint"}, [(1,)])
    text = "SELECT x + 1 AS a FROM t"
    for number in range(12):
        named = step.replace("*, a + a AS a", f"*, a{number} + a{number} AS a{number + 1}")
        below = text if number or named == step else "SELECT x + 1 AS a0 FROM t"
        text = f"SELECT {named} FROM ({below}) AS s{number}"
        if is_passed:
            names = "*" if named != step else "a"
            text = f"SELECT {names} FROM ({text}) AS p{number}"
    plain = sqlglot.parse_one(text, read="duckdb").sql("postgres")
    told = fenced(text)[0].sql("postgres")
    planned, unfenced = (
        "".join(line for (line,) in source.execute(f"EXPLAIN VERBOSE {one}").fetchall())
        for one in (told, plain)
    )

    assert planned.count("t.x") < 200
    assert unfenced.count("t.x") > 4_000
    assert source.execute(told).fetchall() == source.execute(plain).fetchall()


@pytest.mark.of_speed
@pytest.mark.parametrize("word", [None, "each row is one of t"])
def test_an_expression_of_a_view_is_worked_out_once(word, monkeypatch):
    """A view makes its cells, so that what reads them stays apart; a table has made them."""
    source, told = filled({"u": "bigint", "g": "int", "v": "float8"}, [(1, 1, 0.5)]), []
    source.execute("CREATE VIEW w AS SELECT u, g, v * 2 + 3.25 AS v FROM t")
    found = dp.table(
        source,
        name="w" if word else "t",
        vouched=word,
        unit=dp.unit("u"),
        keys={"g": range(3)},
        columns={"v": dp.bounds(0, 9, step="0.25")},
    )
    said = connection.statement
    monkeypatch.setattr(connection, "statement", lambda *of: told.append(said(*of)) or told[-1])
    asked = dp.mean("v", "g", max_groups=1, max_rows_per_group=1).aggregates(found)
    engine_for(source).prepare(found, asked).count(3)
    salt = told[-1].parameters
    query = told[-1].text.replace("$1", f"'{salt[0]}'")
    plan = "".join(line for (line,) in source.execute(f"EXPLAIN VERBOSE {query}").fetchall())

    assert plan.count("'3.25'") == (1 if word else 0)
