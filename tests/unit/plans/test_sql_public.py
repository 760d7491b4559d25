"""Groups and bounds of expressions in SQL that follow from their text and from the declaration."""

import itertools
import random
from datetime import date, datetime, timedelta

import duckdb
import pyarrow as pa
import pytest

import discreet as dp
from discreet.engine.evaluate import evaluate
from discreet.errors import InputError

CHANCE = random.Random(7)
DAYS = [date(1999, 11, 3) + timedelta(days=n) for n in range(0, 800, 13)]
ROWS = [
    {
        "id": number,
        "state": CHANCE.choice(["MA", "NY", None]),
        "sex": CHANCE.choice([1, 2]),
        "age": CHANCE.choice([None, *range(121)]),
        "hours": CHANCE.choice([None, 0, 0.5, 7.5, 40.0]),
        "born": CHANCE.choice([None, *DAYS]),
        "seen": datetime(2020, 3, 1, CHANCE.randrange(24), CHANCE.randrange(60))
        + timedelta(days=CHANCE.randrange(700)),
        "works": CHANCE.choice([0, 1]),
    }
    for number in range(600)
]
TYPES = pa.schema(
    [
        ("id", pa.int64()), ("state", pa.string()), ("sex", pa.int64()), ("age", pa.int64()),
        ("hours", pa.float64()), ("born", pa.date32()), ("seen", pa.timestamp("us")),
        ("works", pa.int64()),
    ]
)  # fmt: skip
DATA = pa.Table.from_pylist(ROWS, schema=TYPES)
PEOPLE = dp.table(
    DATA,
    name="people",
    unit="row",
    keys={"state": ["MA", "NY"], "sex": [1, 2], "works": [0, 1]},
    columns={
        "age": dp.bounds(0, 120, step=1),
        "hours": dp.bounds(0, 80, step="0.5"),
        "born": dp.bounds("1999-11-03", "2002-01-31"),
        "seen": dp.bounds("2020-03-01 00:00:00", "2022-02-01 00:00:00"),
    },
)
GROUPED = {  # and how many groups that makes
    "CASE WHEN age < 18 THEN 'child' WHEN age < 65 THEN 'adult' ELSE 'old' END": 3,
    "CASE sex WHEN 1 THEN 'm' ELSE 'f' END": 2,
    "CASE WHEN age < 18 THEN 0 WHEN age < 65 THEN 18 ELSE 65 END": 3,
    "age >= 18": 2,
    "(age >= 18)": 2,
    "NOT works = 1": 2,
    "state = 'MA' AND works = 1": 2,
    "(state IS NULL)": 2,
    "coalesce(state, 'unknown')": 3,
    "coalesce(sex, 9)": 3,
    "floor(age / 10)": 13,
    "floor(age / 10) * 10": 13,
    "10 * floor(age / 20)": 7,
    "trunc(hours / 8)": 11,
    "age // 25": 5,
    "mod(age, 7)": 7,
    "120 - age": 121,
    "year(born)": 4,
    "EXTRACT(YEAR FROM seen)": 3,
    "2024 - year(born)": 4,
    "month(seen)": 12,
    "quarter(born)": 4,
    "hour(seen)": 24,
    "isodow(born)": 7,
    "date_trunc('month', born)": 27,
    "date_trunc('year', born)": 4,
    "date_trunc('week', born)": 118,
    "date_trunc('quarter', seen)": 9,
    "CAST(seen AS DATE)": 703,
}
MEASURED = {  # and lower and upper bound
    "CASE WHEN works = 1 THEN 1.0 ELSE 0.0 END": (0, 1),
    "(age >= 18)::int": (0, 1),
    "works::int": (0, 1),
    "hours * 2": (0, 160),
    "hours / 4": (0, 20),
    "120 - age": (0, 120),
    "-age": (-120, 0),
    "age + hours": (0, 200),
    "hours - age": (-120, 80),
    "2024 - year(born)": (22, 25),
    "CASE WHEN sex = 1 THEN hours ELSE age END": (0, 120),
    "coalesce(hours, -1)": (-1, 80),
    "round(hours / 3)": (0, 27),
}


def made(text):
    declared, *_ = dp.sql(text, PEOPLE)
    (name,) = declared.derived
    return declared, name


def values(declared, name):
    """Return what the column is of each row, by the reference."""
    tree = declared.derived[name].tree
    return [evaluate(tree, lambda column, _kind, row=row: cell(row[column])) for row in ROWS]


def cell(held):
    epoch = datetime(1970, 1, 1)
    if isinstance(held, datetime):
        return (held - epoch) // timedelta(seconds=1)
    if isinstance(held, date):
        return held.toordinal() - epoch.toordinal()
    return float(held) if isinstance(held, int) else held


@pytest.mark.exhaustive
@pytest.mark.claim("C422")
@pytest.mark.parametrize("text", GROUPED)
def test_groups_that_follow_are_those_of_sql(text, tmp_path):
    """With noise of 0 each group that DuckDB counts is a key, with its number; none is left out.

    That a count has noise has a chance of 2 exp(-1,000).
    """
    asked = f"SELECT {text} AS g, COUNT(*) FROM people GROUP BY g"
    declared, question = dp.sql(asked, PEOPLE)
    plan = dp.plan(declared, question, spend=dp.zcdp(1000))
    release = dp.run(plan, ledger=dp.ledger(tmp_path / "b.ledger", budget=dp.zcdp(10**5)))
    mine = {str(row["g"]): row["value"] for row in release["count by g"]}
    data = duckdb.connect()
    data.register("people", DATA)
    theirs = data.execute(asked).fetchall()

    assert len(mine) == GROUPED[text]
    for key, number in ((key, number) for key, number in theirs if key is not None):
        day = key.date() if isinstance(key, datetime) else key
        assert mine[str(int(day) if isinstance(day, float) else day)] == number
    assert f"The {len(mine)} groups of g follow" in " ".join(str(plan).split())


@pytest.mark.claim("C422")
@pytest.mark.parametrize("text", MEASURED)
def test_bounds_that_follow_hold_each_row_and_no_row_leaves_the_grid(text):
    """Of declared cells, each value is a multiple of the step within the bounds."""
    declared, name = made(f"SELECT AVG({text}) FROM people")
    bounds = declared.columns[name]
    numbers = [float(value) for value in values(declared, name) if value is not None]

    assert (bounds.lower, bounds.upper) == MEASURED[text]
    assert all(bounds.lower <= number <= bounds.upper for number in numbers)
    steps = [number / float(bounds.step) for number in numbers]
    assert all(abs(step - round(step)) < 1e-9 for step in steps)
    assert min(numbers) < max(numbers)


@pytest.mark.claim("C422")
def test_a_plan_is_that_of_the_column_declared_by_hand():
    """To its digest: name, expression and keys, bounds are the same."""
    text = "SELECT floor(age / 40) AS band, AVG(hours * 2) FROM people WHERE age > 3 GROUP BY band"
    asked = dp.sql(text, PEOPLE)
    by_hand = PEOPLE.where("age > 3").derive(
        {
            "band": dp.derived("floor(age / 40)", keys=range(4)),
            "hours * 2": dp.derived("hours * 2", bounds=dp.bounds(0, 160, step=1)),
        }
    )
    plans = [
        dp.plan(*asked, spend=dp.zcdp("1/50")),
        dp.plan(by_hand, dp.mean("hours * 2", by="band"), spend=dp.zcdp("1/50")),
    ]

    assert plans[0].digest == plans[1].digest


@pytest.mark.claim("C422")
def test_one_expression_is_one_column():
    """Grouped by, named twice, measured: it is made once, with keys and bounds."""
    text = "SELECT year(born) y, AVG(year(born)), COUNT(*) FROM people GROUP BY year(born)"
    declared, *questions = dp.sql(text, PEOPLE)

    assert [*declared.derived] == ["y"]
    assert declared.keys["y"] == (1999, 2000, 2001, 2002)
    assert declared.columns["y"].plain() | {"lower": "1999", "upper": "2002"} == (
        declared.columns["y"].plain()
    )
    assert [question.plain() for question in questions] == [
        {"statistic": "mean", "column": "y", "by": ["y"]},
        {"statistic": "count", "by": ["y"]},
    ]


@pytest.mark.claim("C422")
@pytest.mark.parametrize(
    "text",
    [
        "SELECT hours / 3 AS h, COUNT(*) FROM people GROUP BY h",
        "SELECT other, COUNT(*) FROM people GROUP BY floor(other / 10)",
        "SELECT lower(state) s, COUNT(*) FROM people GROUP BY s",
        "SELECT date_trunc('hour', seen) s, COUNT(*) FROM people GROUP BY s",
        "SELECT CASE WHEN age < 9 THEN 'child' ELSE name END AS s, COUNT(*) FROM people GROUP BY s",
        "SELECT CASE WHEN age < 9 THEN 18 ELSE 65 END + 1 AS s, COUNT(*) FROM people GROUP BY s",
        "SELECT AVG(age * hours) FROM people",
        "SELECT AVG(other * 2) FROM people",
        "SELECT AVG(CASE WHEN sex = 1 THEN 1 ELSE 1 END) FROM people",
        "SELECT floor(age / 10) AS sex, COUNT(*) FROM people GROUP BY sex",
    ],
)
def test_what_does_not_follow_is_refused(text):
    with pytest.raises(InputError) as refused:
        dp.sql(text, PEOPLE)

    assert len(str(refused.value).splitlines()) == 3


@pytest.mark.claim("C422")
@pytest.mark.parametrize("keys", [["a", "b"], ["2020-01-01", "x"]])
def test_a_day_has_days_as_keys(keys):
    """No row could match another text, and noise alone would be paid for."""
    with pytest.raises(InputError, match="list days"):
        PEOPLE.derive(m=dp.derived("date_trunc('month', seen)", keys=keys))


@pytest.mark.claim("C422")
def test_keys_follow_from_the_declaration_and_not_from_the_data():
    """The same keys, of whatever rows; fewer declared days make fewer groups."""
    text = "SELECT year(born) y, coalesce(state, 'none') s, COUNT(*) FROM people GROUP BY 1, 2"
    keys = [
        dp.sql(text, dp.table(rows, name="people", unit="row", keys={"state": ["MA", "NY"]},
                              columns={"born": dp.bounds("1999-11-03", last)}))[0].keys
        for rows, last in itertools.product(
            ([], [{"born": "1805-01-01", "state": "TX"}]), ("2002-01-31", "2000-01-01")
        )
    ]  # fmt: skip

    assert keys[0] == keys[2]
    assert keys[1] == keys[3]
    assert keys[0]["y"] == (1999, 2000, 2001, 2002)
    assert keys[1]["y"] == (1999, 2000)
    assert keys[0]["s"] == ("MA", "NY", "none")
