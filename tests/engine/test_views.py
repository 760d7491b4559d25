"""Views and relations: each row must be made of one row, and no cell may stop it."""

import duckdb
import pytest

from discreet.engine.duckdb import row_by_row
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError
from discreet.schema import bounds, table
from discreet.statistic.count import count
from discreet.statistic.sum import sum_

MANY = [
    "SELECT DISTINCT k, v FROM t", "SELECT k, sum(v) AS v FROM t GROUP BY k", "SELECT k, v FROM t LIMIT 5",
    "SELECT k, v FROM t GROUP BY ALL", "SELECT k, v FROM t LIMIT 50%", "SELECT k, v FROM t OFFSET 1",
    "SELECT k, max(v) OVER () AS v FROM t", "SELECT k, row_number() OVER () AS v FROM t",
    "SELECT k, (SELECT max(v) FROM t) AS v FROM t", "SELECT k, v FROM t WHERE v > (SELECT avg(v) FROM t)",
    "SELECT k, v FROM t WHERE k IN (SELECT k FROM t)", "SELECT k, v FROM t WHERE EXISTS (SELECT 1 FROM t)",
    "SELECT a.k, b.v FROM t a JOIN t b ON a.k = b.k", "SELECT a.k, a.v FROM t a, t b",
    "SELECT k, v FROM t UNION ALL SELECT k, v FROM t", "SELECT k, v FROM t EXCEPT SELECT 'a', 1",
    "SELECT k, v FROM (SELECT k, v FROM t)", "WITH w AS (SELECT * FROM t) SELECT k, v FROM w",
    "SELECT k, v FROM t QUALIFY row_number() OVER (ORDER BY v) = 1", "SELECT k, v FROM t USING SAMPLE 5",
    "SELECT k, v FROM t TABLESAMPLE 50%", "SELECT 'a' AS k, v FROM range(9) r(v)", "SELECT 'a' AS k, 1 AS v",
    "SELECT k, unnest([1, 2, 3]) AS v FROM t", "SELECT k, random() AS v FROM t", "SELECT k, ours(v) AS v FROM t",
    "SELECT k, rowid AS v, unnest(range(v::INT)) FROM t", "SELECT COLUMNS(*) FROM t", "VALUES ('a', 1)",
    "SELECT k, rowid AS v FROM t", "SELECT k, v FROM t WHERE RowId % 2 = 0", "SELECT repeat(k, 9) AS k, v FROM t",
    "SELECT k, CASE WHEN json_serialize_plan('SELECT * FROM t') = '' THEN 1 END AS v FROM t",
    "SELECT k, array_length([v], 2) AS v FROM t", "SELECT k, list_sum([v]) AS v FROM t",
    "SELECT k, getvariable('m') AS v FROM t", "SELECT k, nextval('s') + v AS v FROM t",
    "SELECT k, list_reduce([v], lambda x, y: x + y) AS v FROM t", "PIVOT t ON k USING sum(v)",
    "SELECT k, sum(v) FILTER (v > 1) AS v FROM t GROUP BY k", "SELECT k, nextval('s') AS v FROM t",
]  # fmt: skip
ONE = [
    "SELECT k, v FROM t", "SELECT * FROM t", "FROM t", "SELECT k, v + 1 AS v FROM t WHERE k <> 'b'",
    "SELECT * EXCLUDE (z) FROM t", "SELECT * REPLACE (v * 2 AS v) FROM t", "SELECT lower(k) AS k, v FROM t",
    "SELECT k, CASE WHEN v > 1 THEN 1 ELSE 0 END AS v FROM t", "SELECT k, coalesce(v, 0) AS v FROM t",
    "SELECT k, v FROM t ORDER BY v", "SELECT k, v FROM t WHERE v BETWEEN 0 AND 3 OR v IS NULL",
    "SELECT k, year(DATE '2026-01-01') AS v FROM t", "SELECT k, nullif(v, 2) AS v FROM t",
    "SELECT regexp_extract(k, '.') AS k, round(v, 1) AS v FROM t", "SELECT k, v FROM t WHERE k IN ('a', 'b')",
    "SELECT upper(lower(k)) AS k, v FROM u", "SELECT k, if(v > 1, 1, 0) AS v FROM t",
]  # fmt: skip


@pytest.fixture
def database():
    found = duckdb.connect()
    found.execute(
        "CREATE TABLE t AS SELECT chr((97 + i % 2)::INT) k, i::DOUBLE v, 0 z FROM range(9) r(i)"
    )
    found.execute("CREATE VIEW u AS SELECT k, v, z FROM t WHERE v >= 0")
    found.execute("CREATE SEQUENCE s")
    found.create_function("ours", lambda v: v, ["DOUBLE"], "DOUBLE")
    return found


def answers(source, name="w", **how):
    found = table(
        source,
        name=name,
        unit="row",
        keys={"k": ["a", "b"]},
        columns={"v": bounds(0, 9, step=1)},
        **how,
    )
    aggregates = (*count("k").aggregates(found), *sum_("v").aggregates(found))
    vectors = engine_for(source).prepare(found, aggregates).count(1)
    return [vector.opened_by_the_door() for vector in vectors]


@pytest.mark.exhaustive
@pytest.mark.claim("C39")
@pytest.mark.parametrize("query", MANY)
def test_a_view_that_makes_a_row_of_several_is_refused(query, database):
    """P3: and the same query as a relation, and as a view over a view."""
    made = []
    try:
        database.execute(f"CREATE VIEW w AS {query}")
        database.execute("CREATE VIEW w2 AS SELECT * FROM w")
        made = [(database, "w"), (database, "w2")]
    except duckdb.Error:  # DuckDB makes no view of it
        pass
    for source, name in [*made, (database.sql(query), "t")]:
        with pytest.raises(InputError) as caught:
            answers(source, name)
        assert 'vouched="?"' in caught.value.fix or "column" in str(caught.value)


@pytest.mark.exhaustive
@pytest.mark.claim("C39")
@pytest.mark.parametrize("query", ONE)
def test_a_view_that_makes_each_row_of_one_is_counted(query, database):
    """With the answer that the same rows have as a table."""
    database.execute(f"CREATE VIEW w AS {query}")
    database.execute("CREATE TABLE copy AS SELECT k, v FROM w")

    expected = answers(database, "copy")

    assert answers(database) == expected
    assert answers(database.sql(query), "t") == expected


FAILING = {
    "a cast": "CAST(c AS DOUBLE)",
    "an overflow": "CAST(9223372036854775807 + length(c) AS DOUBLE)",
    "a format": "strptime(c, '%Y')::VARCHAR::DOUBLE",
    "a place in a list": "CAST(string_split(c, ',')[1] AS DOUBLE)",
}


@pytest.mark.claim("C39")
@pytest.mark.parametrize("expression", FAILING.values(), ids=FAILING)
def test_a_cell_that_a_view_fails_on_is_missing_and_the_others_count(expression, database):
    """P1 of a view: the row with it costs itself alone."""
    database.execute("CREATE TABLE raw AS SELECT 'a' AS k, '1' AS c FROM range(5)")
    database.execute(f"CREATE VIEW w AS SELECT k, {expression} AS v FROM raw")
    (before, _), total = answers(database)
    database.execute("INSERT INTO raw VALUES ('a', 'strange')")

    assert answers(database) == [(before + 1, 0), total]


def test_a_filter_that_fails_leaves_its_row_out(database):
    """In WHERE, too."""
    database.execute("CREATE TABLE raw AS SELECT 'a' AS k, '1' AS c, 1 AS v FROM range(5)")
    database.execute("CREATE VIEW w AS SELECT k, v FROM raw WHERE CAST(c AS INT) = 1")
    database.execute("INSERT INTO raw VALUES ('a', 'strange', 1)")

    assert answers(database) == [(5, 0), (5,)]


def test_a_table_of_a_database_of_another_kind_is_not_known(database, monkeypatch):
    """What an extension makes of SQLite or Postgres can stop a query; here DuckDB's own is another."""
    other = row_by_row._TABLES.replace("'duckdb'", "'sqlite'")
    monkeypatch.setattr(row_by_row, "_TABLES", other)

    with pytest.raises(InputError, match="database of another kind"):
        answers(database, "t")
    assert answers(database, "t", vouched="its types are those of DuckDB")


def test_what_is_vouched_for_is_counted_and_the_words_stay(database):
    """In plain data, so in every release."""
    database.execute("CREATE VIEW w AS SELECT k, v FROM t LIMIT 1000")
    words = "t has fewer rows than the limit"

    assert answers(database, vouched=words) == answers(database, "t")
    assert table(database, name="w", unit="row", vouched=words).plain()["vouched"] == words


def test_a_table_with_a_name_of_ours_under_a_vouched_view_is_refused(database):
    """The view is read as it is, and would read the public keys in the place of its own table."""
    database.execute("CREATE TABLE Discreet_keys_0 AS SELECT * FROM t")
    database.execute("CREATE VIEW w AS SELECT DISTINCT k, v FROM discreet_keys_0")
    database.execute("CREATE VIEW w2 AS SELECT k, v FROM discreet_keys_0")

    with pytest.raises(InputError, match="discreet_keys_0"):
        answers(database, "w", vouched="its rows are distinct")
    assert answers(database, "w2") == answers(database, "Discreet_keys_0")


def test_a_function_that_a_user_puts_in_place_of_ours_is_refused(database):
    """A macro by the name of a function of one row, which looks at all of them."""
    database.execute("CREATE MACRO lower(k) AS (SELECT max(v) FROM t)::VARCHAR")
    database.execute("CREATE VIEW w AS SELECT lower(k) AS k, v FROM t")

    for name in ("w", "t"):
        with pytest.raises(InputError, match="a macro with the name"):
            answers(database, name)


@pytest.mark.exhaustive
@pytest.mark.claim("C39")
@pytest.mark.parametrize(
    "order", ["unnest([1, 2, 3])", "(SELECT max(v) FROM t)", "CAST(k AS INT)", "v DESC"]
)
def test_an_order_decides_nothing(order, database):
    """It is left out: it could make rows, look at others, or fail on a cell."""
    query = f"SELECT k, v FROM t ORDER BY {order}"
    database.execute(f"CREATE VIEW w AS {query}")
    database.execute("CREATE VIEW w2 AS SELECT * FROM w WHERE v >= 0")

    assert answers(database) == answers(database, "w2") == answers(database, "t")


@pytest.mark.claim("C39")
def test_a_name_means_what_it_means_to_duckdb(database):
    """In a view of another schema, of another database, and whatever its case."""
    database.execute("CREATE SCHEMA s2; CREATE TABLE s2.t2 AS SELECT 'b' k, 1.0 v FROM range(7)")
    database.execute("CREATE VIEW s2.w AS SELECT * FROM s2.T2")
    assert answers(database, "s2.w") == [(0, 7), (7,)]
    database.execute("USE s2; CREATE VIEW inner_view AS SELECT * FROM t2; USE main")
    assert answers(database, "s2.inner_view") == [(0, 7), (7,)]
    database.execute("CREATE TABLE t2 AS SELECT 'a' k, 1.0 v FROM range(2)")
    with pytest.raises(InputError, match="a name of several tables"):
        answers(database, "s2.inner_view")
    database.execute('CREATE TEMP VIEW "X" AS SELECT k, max(v) OVER () AS v FROM t')
    database.execute("CREATE TABLE x AS SELECT 'a' k, 1.0 v FROM range(2)")
    with pytest.raises(InputError, match="not seen to make each"):
        answers(database.sql("SELECT * FROM x"), "t")


def test_a_relation_is_read_of_its_own_database(database):
    """Names mean what they meant where the relation was made; a temporary table is seen."""
    database.execute("CREATE TEMP TABLE here AS SELECT 'a' AS k, 1.0 AS v FROM range(3)")

    assert answers(database.table("here"), "t") == [(3, 0), (3,)]
