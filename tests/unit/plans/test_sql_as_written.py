"""SELECT as people write it: each form that is taken gives the numbers that DuckDB gives."""

import duckdb
import pyarrow as pa
import pytest

import discreet as dp
from discreet.errors import InputError

ROWS = {
    "id": [1, 1, 2, 3, 3, 4, 5, 6, 7, 8],
    "state": ["MA", "MA", "NY", "NY", "MA", "NY", "MA", "NY", "NY", "MA"],
    "sex": [1, 1, 2, 2, 2, 1, 1, 2, 2, 1],
    "age": [20, 31, None, 44, 45, 63, 71, 18, 22, None],
    "income": [10, 20, 30, None, 50, 60, 70, 80, 90, 100],
}
PEOPLE = (
    dp.table(
        pa.table(ROWS),
        name="people",
        unit=dp.unit("id", max_rows=3),
        keys={"state": ["MA", "NY"], "sex": [1, 2]},
        columns={"income": dp.bounds(0, 200, step=1), "age": dp.bounds(0, 120, step=1)},
    )
    .derive(decade=dp.derived("floor(age / 20)", keys=range(5)))
    .derive(double=dp.derived("income * 2", bounds=dp.bounds(0, 400, step=1)))
)
FORMS = [  # of findings R4, and more of the same kinds
    "SELECT state, COUNT(*) FROM people GROUP BY 1",
    "SELECT sex, state, COUNT(*) FROM people GROUP BY ALL",
    "SELECT COUNT(*) FROM people GROUP BY ALL",
    "SELECT p.sex, COUNT(*) FROM people AS p WHERE p.age >= 18 GROUP BY p.sex",
    'SELECT "p"."sex", SUM("p"."income") FROM people "p" GROUP BY "p"."sex"',
    "SELECT p.state AS s, COUNT(*) AS n FROM people p GROUP BY s",
    "SELECT floor(age / 20) AS d, COUNT(*) FROM people WHERE age > 0 GROUP BY d",
    "SELECT COUNT(1) FROM people",
    "SELECT COUNT(age), COUNT(id), COUNT(income + age) FROM people",
    "SELECT sex, COUNT(DISTINCT id) FROM people GROUP BY (sex)",
    "SELECT COUNT(DISTINCT CASE WHEN age > 30 THEN id END) FROM people",
    "SELECT SUM(CASE WHEN age > 30 THEN 1 ELSE 0 END) FROM people",
    "SELECT SUM(CASE WHEN age > 30 THEN 0 ELSE 1 END) FROM people",
    "SELECT SUM(CASE WHEN age > 30 THEN 1 END), SUM(1) FROM people",
    "SELECT SUM(CASE WHEN sex = 1 THEN income ELSE 0 END) FROM people",
    "SELECT AVG(CASE WHEN sex = 1 THEN income END) FROM people",
    "SELECT SUM((age > 30)::int), COUNT_IF(age > 40) FROM people",
    "SELECT COUNT(CASE WHEN age > 30 THEN 1 END) FROM people",
    "SELECT COUNT(CASE WHEN sex = 1 THEN age END) FILTER (WHERE income > 15) FROM people",
    "SELECT sex, COUNT(*) AS n FROM people GROUP BY sex ORDER BY n DESC, 1 NULLS LAST",
    "SELECT sex, MEAN(income) FROM people GROUP BY sex ORDER BY sex ASC",
    "WITH adults AS (SELECT * FROM people WHERE age >= 30) "
    "SELECT state, COUNT(*) FROM adults GROUP BY state",
    "WITH a AS (SELECT state AS s, floor(age / 20) AS d, income * 2 AS m, id FROM people "
    "WHERE age >= 18), b AS (SELECT * FROM a WHERE s = 'MA') "
    "SELECT d, COUNT(*), SUM(m), COUNT(DISTINCT id) FROM b WHERE d < 3 GROUP BY d",
    "WITH a AS (SELECT *, income * 2 AS m FROM people) SELECT SUM(m) FROM a",
    "WITH people AS (SELECT sex AS state, state AS sex FROM people) "
    "SELECT state, COUNT(*) FROM people WHERE sex = 'MA' GROUP BY state",
    "SELECT t.sex, COUNT(*) FROM (SELECT sex, age FROM people WHERE age > 30) AS t "
    "WHERE t.age < 70 GROUP BY t.sex",
    "SELECT SUM(m) FROM (SELECT q.income * 2 m FROM people q WHERE q.sex = 1) t",
]
QUANTILES = {
    "PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY income)": ("PERCENTILE_CONT", ["0.25"]),
    "PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY income DESC)": ("PERCENTILE_CONT", ["0.75"]),
    "PERCENTILE_DISC(0.25) WITHIN GROUP (ORDER BY income ASC)": ("", ["0.25"]),
    "QUANTILE_CONT(income, 0.25)": ("QUANTILE_CONT", ["0.25"]),
    "QUANTILE_DISC(income, 0.25)": ("", ["0.25"]),
}


def released(text, folder, table=PEOPLE):
    """Return the numbers of a text, by their keys, and their names.

    Each question is paid as much as its noise can be narrow: it is 0 but with probability below
    10^-20, of means at most some steps wide.
    """
    declared, *questions = dp.sql(text, table)
    numbers, names = {}, []
    for place, question in enumerate(questions):
        plan = narrowest(declared, question)
        book = dp.ledger(folder / f"{place}.ledger", budget=plan.spend)
        rows = dp.run(plan, ledger=book).table()
        names.append(place)
        for row in rows:
            key = tuple(str(row[name]) for name in question.ask.by)
            numbers.setdefault(key, {})[place] = row["value"]
    return numbers, names


def narrowest(declared, question):
    for power in range(9, 0, -1):
        try:
            return dp.plan(declared, question, spend=dp.zcdp(10**power))
        except InputError:
            continue
    raise AssertionError


def told(value):
    return None if value is None else round(float(value), 6)


def in_sql(text):
    """Return the rows that DuckDB gives."""
    data = duckdb.connect()
    data.register("people", pa.table(ROWS))
    return data.execute(text).fetchall()


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.claim("C440")
@pytest.mark.parametrize("text", FORMS, ids=range(len(FORMS)))
def test_a_form_that_is_taken_gives_the_numbers_of_sql(text, tmp_path):
    """Each row that DuckDB gives, number by number: of sums and counts exactly."""
    numbers, names = released(text, tmp_path)
    expected = in_sql(text)

    assert expected
    for row in expected:
        values = [told(value) for value in row[len(row) - len(names) :]]
        shown = row[: len(row) - len(names)]
        key = {str(int(part)) if isinstance(part, float) else str(part) for part in shown}
        (mine,) = (of for by, of in numbers.items() if {*by} == key)
        assert [told(mine[name]) for name in names] == values


@pytest.mark.claim("C440")
@pytest.mark.parametrize("function", QUANTILES)
def test_a_quantile_that_sql_interpolates_is_said(function):
    """In the plan, before anything is paid; what tells a row's value says nothing."""
    word, at = QUANTILES[function]
    asked = dp.sql(f"SELECT {function} FROM people", PEOPLE)
    text = " ".join(str(dp.plan(*asked, spend=dp.zcdp("1/50"))).split())

    assert asked[1].plain() == {"statistic": "quantile", "column": "income", "at": at}
    assert ("may lie between two rows in SQL" in text) == bool(word)
    assert f"{word} may lie" in text or not word


@pytest.mark.claim("C440")
def test_a_number_that_is_selected_twice_is_told_once():
    """COUNT(*) and COUNT(1) are one question, and are paid for once."""
    asked = dp.sql("SELECT COUNT(*), COUNT(1), SUM(1), AVG(age), MEAN(age) FROM people", PEOPLE)

    assert [question.plain() for question in asked[1:]] == [
        {"statistic": "count"},
        {"statistic": "mean", "column": "age"},
    ]


@pytest.mark.claim("C440")
def test_an_order_is_left_out_and_said():
    """It changes no question and no digest, and the plan says so."""
    plain = dp.sql("SELECT sex, COUNT(*) FROM people GROUP BY sex", PEOPLE)
    sorted_ = dp.sql("SELECT sex, COUNT(*) n FROM people GROUP BY sex ORDER BY n", PEOPLE)
    plans = [dp.plan(*asked, spend=dp.zcdp("1/50")) for asked in (plain, sorted_)]

    assert plans[0].digest == plans[1].digest
    assert ["ORDER BY is left out" in str(plan) for plan in plans] == [False, True]


@pytest.mark.claim("C440")
@pytest.mark.parametrize(
    ("text", "place", "fix"),
    [
        (
            "SELECT state, COUNT(*) FROM people GROUP BY state ORDER BY 2 DESC LIMIT 1",
            "»LIMIT«",
            'discreet.choose("state")',
        ),
        (
            "SELECT state, sex, SUM(income) s FROM people GROUP BY 1, 2 ORDER BY s DESC LIMIT 3",
            "»LIMIT«",
            'discreet.top_k(["state", "sex"], k=3, most="income")',
        ),
        (
            "SELECT sex, COUNT(*) FILTER (WHERE age > 3) n FROM people GROUP BY 1 ORDER BY n DESC "
            "LIMIT 1",
            "»LIMIT«",
            'discreet.choose("sex", where="age > 3")',
        ),
        ("SELECT sex, COUNT(*) n FROM people GROUP BY 1 ORDER BY n LIMIT 1", "»LIMIT«", "public"),
        ("SELECT COUNT(*) n FROM people ORDER BY n DESC LIMIT 1", "»LIMIT«", "leave LIMIT out"),
        ("SELECT COUNT(*) FROM people ORDER BY age", "»age«", "leave ORDER BY out"),
        ("SELECT COUNT(*) FROM people ORDER BY SUM(age)", "»SUM«", "add it to what is selected"),
        ("SELECT sex, COUNT(*) FROM people GROUP BY 1 HAVING COUNT(*) < 3", "»HAVING«", "public"),
        (
            "SELECT floor(size / 10) AS d, COUNT(*) FROM people GROUP BY d",
            "»floor(size / 10)«",
            'table.derive(d=discreet.derived("floor(size / 10)"',
        ),
        (
            "SELECT PERCENTILE_DISC(0.25) WITHIN GROUP (ORDER BY age DESC) FROM people",
            "»DESC«",
            "PERCENTILE_DISC(0.75) WITHIN GROUP (ORDER BY age)",
        ),
        ("SELECT COUNT(*) FROM (SELECT sex FROM people) t WHERE age > 3", "»age«", "add age"),
        (
            "SELECT COUNT(*) FROM (SELECT sex, COUNT(*) FROM people GROUP BY sex) t",
            "»COUNT«",
            "not in a sub-query",
        ),
        ("SELECT COUNT(*) FROM (SELECT DISTINCT sex FROM people) t", "»DISTINCT«", "leave DISTINCT"),
        ("SELECT COUNT(*) FROM (SELECT * FROM people LIMIT 3) t", "»LIMIT«", "with WHERE"),
        ("WITH a AS (SELECT *, 1 + age AS age FROM people) SELECT 1", "»1«", "another name"),
        ("WITH RECURSIVE a AS (SELECT * FROM people) SELECT COUNT(*) FROM a", "»RECURSIVE«", "leave"),
        ("SELECT COUNT(*) FROM people a, people b", "»people« b", "name it once"),
        ("SELECT QUANTILE(age, 0.9) FROM people", "»QUANTILE«", "QUANTILE_CONT(age, 0.9)"),
        ("SELECT APPROX_QUANTILE(age, .25) FROM people", "»APPROX", "QUANTILE_CONT(age, .25)"),
        (
            "SELECT age > 9 AS a, COUNT(*) FROM people GROUP BY ROLLUP (a)",
            "»COUNT(*)«",
            "declare a with table.derive, then add a",
        ),
        ("SELECT COUNT(*) FROM people WHERE id IN (SELECT id FROM people)", "»SELECT«", "no sub"),
        ("SELECT AVG(CASE WHEN sex = 1 THEN size ELSE 0 END) FROM people", "»CASE", "table.derive(x="),
    ],
)  # fmt: skip
def test_what_is_refused_says_what_to_type(text, place, fix):
    """With the place marked, in three lines."""
    with pytest.raises(InputError) as refused:
        dp.sql(text, PEOPLE)

    assert len(str(refused.value).splitlines()) == 3
    assert place in refused.value.what
    assert fix in refused.value.fix


@pytest.mark.claim("C440")
@pytest.mark.parametrize("text", ["SELECT COUNT(*) FROM i WHERE age > 3", "SELECT SUM(age) FROM i"])
def test_a_chain_of_sub_queries_is_as_long_as_its_parts_are(text):
    """Nine that each write a column twice are 2^9 parts: refused before they are written out."""
    chain, before = [], "people"
    for name in "abcdefghi":
        chain.append(f"{name} AS (SELECT age + age AS age FROM {before})")
        before = name
    with pytest.raises(InputError, match="more than 600 parts"):
        dp.sql(f"WITH {', '.join(chain)} {text}", PEOPLE)


@pytest.mark.claim("C440")
def test_count_big_of_t_sql_is_count():
    """It counts in numbers of 64 bits, which ours are."""
    texts = [f"SELECT sex, {name}(*) FROM people GROUP BY sex" for name in ("COUNT_BIG", "COUNT")]

    big, plain = (dp.sql(text, PEOPLE) for text in texts)
    assert str(big[1:]) == str(plain[1:])
