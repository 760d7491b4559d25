"""GROUP BY CUBE, ROLLUP and GROUPING SETS: counts that add up, of the rows that SQL counts."""

import duckdb
import pyarrow as pa
import pytest

import discreet as dp
from discreet.errors import InputError

SURVEY = {
    "state": ["MA", "NY", "VT", None, "MA", "MA", "NY", None],
    "sex": [1, 2, 1, 2, None, 1, 3, 1],
    "age": [30, 40, 50, 60, 70, 80, 90, 100],
}
KEYS = {"state": dp.keys("MA", "NY", other="else"), "sex": dp.keys(1, 2, other=9)}
LISTED = {"state": ["MA", "NY"], "sex": [1, 2]}
AGES = {"age": dp.bounds(0, 120)}
GROUPINGS = [
    "CUBE(state, sex)",
    "ROLLUP(state, sex)",
    "state, CUBE(sex)",
    "GROUPING SETS ((state, sex), state, ())",
    "GROUPING SETS (state, sex)",
    "ROLLUP((state, sex))",
]


def people(keys):
    return dp.table(pa.table(SURVEY), name="people", unit="row", keys=keys, columns=AGES)


def plain(text, table):
    return [one.plain() for one in dp.sql(text, table)[1:]]


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.claim("C385")
@pytest.mark.parametrize("grouping", GROUPINGS)
@pytest.mark.parametrize("listed", [False, True])
def test_each_number_is_that_of_sql(grouping, listed, tmp_path):
    """Over all rows where other rows have a group, and over listed keys where WHERE says so.

    At rho = 10^9 noise is 0 but with probability below 10^-100.
    """
    where = " WHERE state IN ('MA', 'NY') AND sex IN (1, 2)" if listed else ""
    made = dp.sql(
        f"SELECT COUNT(*) FROM people{where} GROUP BY {grouping}",
        people(LISTED if listed else KEYS),
    )
    plan = dp.plan(*made, spend=dp.zcdp(500))
    book = dp.ledger(tmp_path / "book.ledger", budget=dp.zcdp(500))
    told = {
        frozenset((n, str(row[n])) for n in ("state", "sex") if row.get(n) is not None): row[
            "value"
        ]
        for row in dp.run(plan, ledger=book).table()
    }

    expected = in_sql(grouping, where)
    assert expected
    assert {row: told[row] for row in expected} == expected


def in_sql(grouping, where):
    """Return what DuckDB counts in each group of all groupings."""
    data = duckdb.connect()
    data.execute("CREATE TABLE every (state TEXT, sex INT)")
    rows = [*zip(SURVEY["state"], SURVEY["sex"], strict=True)]
    data.executemany("INSERT INTO every VALUES (?, ?)", rows)
    data.execute(f"CREATE VIEW raw AS SELECT * FROM every{where}")
    data.execute(
        "CREATE VIEW people AS SELECT CASE WHEN state IN ('MA', 'NY') THEN state ELSE 'else' END AS "
        "state, CASE WHEN sex IN (1, 2) THEN sex::TEXT ELSE '9' END AS sex FROM raw"
    )
    found = data.execute(f"SELECT state, sex, COUNT(*) FROM people GROUP BY {grouping}").fetchall()
    return {
        frozenset(
            (n, x) for n, x in zip(("state", "sex"), row, strict=False) if x is not None
        ): row[2]
        for row in found
    }


@pytest.mark.claim("C385")
@pytest.mark.parametrize(
    ("grouping", "asked"),
    [
        ("CUBE(state, sex)", {"statistic": "cube", "by": ["state", "sex"]}),
        ("ROLLUP(state, sex)", {"statistic": "tables", "by": [["state", "sex"]]}),
        ("sex, CUBE(state)", {"statistic": "tables", "by": [["sex", "state"]]}),
        ("GROUPING SETS (state, sex, ())", {"statistic": "tables", "by": [["state"], ["sex"]]}),
        ("GROUPING SETS (CUBE(sex), state)", {"statistic": "tables", "by": [["sex"], ["state"]]}),
        ("ROLLUP(sex)", {"statistic": "cube", "by": ["sex"]}),
        (
            "GROUPING SETS ((state, sex), (sex, state))",
            {"statistic": "count", "by": ["state", "sex"]},
        ),
    ],
)
def test_a_count_of_several_groupings_is_one_question(grouping, asked):
    """It pays once; FILTER is its condition; other numbers are asked by grouping."""
    text = f"SELECT COUNT(*) FILTER (WHERE age > 50), AVG(age) FROM people GROUP BY {grouping}"
    found = plain(text, people(KEYS))

    assert [one for one in found if one["statistic"] != "mean"] == [{**asked, "where": "age > 50"}]
    assert any(one["statistic"] == "mean" for one in found)


@pytest.mark.claim("C385")
@pytest.mark.parametrize(
    ("where", "refused"),
    [
        ("", True),
        ("WHERE sex IN (1, 2)", True),
        ("WHERE sex IN (1, 2) OR state IN ('MA', 'NY')", True),
        ("WHERE state IN ('MA', 'NY') AND NOT sex IN (1, 2)", True),
        ("WHERE state IN ('MA', 'VT') AND sex = 1", True),
        ("WHERE state = 'MA' AND sex = age", True),
        ("WHERE state IN ('MA') AND sex = 1", False),
        ("WHERE age > 3 AND state IN ('MA', 'NY') AND sex IN (1, 2)", False),
    ],
)
def test_other_rows_than_those_of_sql_are_refused(where, refused):
    """The line that SQL takes is in the fix."""
    text = f"SELECT COUNT(*) FROM people {where} GROUP BY CUBE(state, sex)"
    if not refused:
        assert plain(text, people(LISTED)) == [{"statistic": "cube", "by": ["state", "sex"]}]
        return
    with pytest.raises(InputError) as told:
        dp.sql(text, people(LISTED))

    assert len(str(told.value).splitlines()) == 3
    assert "IN (" in told.value.fix
    assert "a key of all other rows" in told.value.fix


@pytest.mark.claim("C385")
def test_the_condition_of_the_fix_is_taken():
    """Of keys that are texts, whole numbers below 0, and truth values."""
    table = people({"state": ["MA", "O'B"], "sex": [-1, 2], "f": [True, False]})
    with pytest.raises(InputError) as told:
        dp.sql("SELECT COUNT(*) FROM people GROUP BY CUBE(state, sex, f)", table)
    condition = told.value.fix.removeprefix("add ").partition(" to WHERE")[0]

    text = f"SELECT COUNT(*) FROM people WHERE {condition} GROUP BY CUBE(state, sex, f)"
    assert plain(text, table) == [{"statistic": "cube", "by": ["state", "sex", "f"]}]


@pytest.mark.claim("C386")
@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (
            "MEDIAN(age), QUANTILE_CONT(age, 0.25), QUANTILE_CONT(age, 0.75)",
            ["0.25", "0.5", "0.75"],
        ),
        ("QUANTILE_CONT(age, 0.9), COUNT(*), MEDIAN(age), MEDIAN(age)", ["0.5", "0.9"]),
    ],
)
def test_quantiles_of_one_column_are_one_question(asked, expected):
    """In the place of the first, so that none crosses another and one curve is paid for."""
    found = plain(f"SELECT {asked} FROM people GROUP BY sex", people(KEYS))

    curve = {"statistic": "quantile", "column": "age", "at": expected, "by": ["sex"]}
    assert [one for one in found if one["statistic"] != "count"] == [curve]


@pytest.mark.claim("C386")
def test_quantiles_of_other_rows_stay_apart():
    """A FILTER is another curve; one quantile alone stays what it is."""
    asked = "MEDIAN(age), QUANTILE_CONT(age, 0.9) FILTER (WHERE sex = 1), MEDIAN(age)"
    found = plain(f"SELECT {asked} FROM people", people(KEYS))

    assert [one["statistic"] for one in found] == ["median", "quantile"]
