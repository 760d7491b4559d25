"""SQL as another way to write questions: what it asks, and that it can ask nothing else."""

import pytest

import discreet as dp
from discreet.errors import InputError

PEOPLE = dp.table(
    "people.csv",
    unit=dp.unit("id", max_rows=3),
    keys={"state": ["MA", "NY"], "sex": [1, 2], "date of birth": ["2000-01-01"]},
    columns={"income": dp.bounds(0, 100_000), "age": dp.bounds(0, 120)},
).derive(
    monthly=dp.derived("income / 12", bounds=dp.bounds(0, 9_000)),
    decade=dp.derived("floor(age / 20)", keys=range(5)),
    old=dp.derived("CASE WHEN age > 60 THEN 'old' ELSE 'young' END", keys=["old", "young"]),
)

ASKED = {  # a text: the questions that it asks
    "SELECT COUNT(*) FROM people": [dp.count()],
    'select count ( * ) from "people.csv" ;': [dp.count()],
    "SELECT state, COUNT(*) AS n, AVG(income) FROM people GROUP BY state": [
        dp.count(by="state"), dp.mean("income", by="state")
    ],
    "SELECT COUNT(DISTINCT id), SUM(age) FROM people": [dp.count_units(), dp.sum("age")],
    "SELECT VAR_POP(age), STDDEV_POP(age), MEDIAN(age), QUANTILE_CONT(age, 0.9) FROM people": [
        dp.variance("age"), dp.std("age"), dp.quantile("age", ["0.5", "0.9"])
    ],
    "SELECT VAR_SAMP(age), VARIANCE(age), STDDEV_SAMP(age), STDDEV(age) FROM people": [
        dp.variance("age", sample=True), dp.std("age", sample=True),
    ],
    "SELECT COVAR_SAMP(age, income) FROM people": [dp.covariance(["age", "income"], sample=True)],
    "SELECT COVAR_POP(age, income), CORR(age, income), REGR_SLOPE(income, age) FROM people": [
        dp.covariance(["age", "income"]), dp.correlation(["age", "income"]),
        dp.regression("income", on=["age"]),
    ],
    "SELECT sum(income/12) FILTER (WHERE age>=18 AND (sex=1 OR age<3)) FROM people": [
        dp.sum("monthly", where="age >= 18 AND (sex = 1 OR age < 3)")
    ],
    'SELECT "date of birth", count(*) FROM people GROUP BY "date of birth", sex': [
        dp.count(by=["date of birth", "sex"])
    ],
    "SELECT floor(age/20) AS d, COUNT(*) n FROM people GROUP BY floor(age / 20), state": [
        dp.count(by=["decade", "state"])
    ],
    "SELECT CASE WHEN age>60 THEN 'old' ELSE 'young' END, count(*) FROM people "
    "GROUP BY CASE WHEN age > 60 THEN 'old' ELSE 'young' END": [dp.count(by="old")],
    "SELECT avg(age) FROM people GROUP BY CUBE(state, sex)": [
        dp.mean("age", by=["state", "sex"]), dp.mean("age", by="state"), dp.mean("age", by="sex"),
        dp.mean("age"),
    ],
    "SELECT sum(age) FROM people GROUP BY ROLLUP(state, sex)": [
        dp.sum("age", by=["state", "sex"]), dp.sum("age", by="state"), dp.sum("age")
    ],
    "SELECT sum(age) FROM people GROUP BY state, GROUPING SETS ((sex, old), CUBE(old), sex)": [
        dp.sum("age", by=["state", "sex", "old"]), dp.sum("age", by=["state", "old"]),
        dp.sum("age", by="state"), dp.sum("age", by=["state", "sex"]),
    ],
    "SELECT count(*) FROM people GROUP BY GROUPING SETS ((state, sex))": [
        dp.count(by=["state", "sex"])
    ],
}  # fmt: skip


@pytest.mark.claim("C53", "C385")
@pytest.mark.parametrize("text", ASKED, ids=range(len(ASKED)))
def test_a_select_is_the_questions_that_it_asks(text):
    """The same plain data, so the same plan, digest and price."""
    table, *questions = dp.sql(text, PEOPLE)

    assert [one.plain() for one in questions] == [one.plain() for one in ASKED[text]]
    assert table == PEOPLE


@pytest.mark.claim("C53")
def test_where_is_the_condition_of_the_table():
    """In its one way to be written; one that was declared before stays."""
    table, question = dp.sql("SELECT COUNT(*) FROM people WHERE (age>=18)", PEOPLE.where("sex = 1"))
    plan = dp.plan(table, question, spend=dp.zcdp("1/50"))
    by_hand = PEOPLE.where("sex = 1").where("age >= 18")

    assert table.condition.expression.text == "sex = 1 AND age >= 18"
    assert plan.digest == dp.plan(by_hand, dp.count(), spend=dp.zcdp("1/50")).digest


ATTACKS = [
    *("SELECT * FROM people", "SELECT people.* FROM people", "SELECT income FROM people", "SELECT 1"),
    *("SELECT state FROM people GROUP BY state", "SELECT COUNT(*)", "SELECT FROM people", "COUNT(*)"),
    *("SELECT COUNT(*) FROM people; DROP TABLE people", "SELECT COUNT(*) FROM people;;;", "", " ; "),
    *("SELECT COUNT(*) -- FROM people", "-- SELECT COUNT(*) FROM people", "SELECT COUNT(*) /*! x */ FROM people", "/* */ SELECT 1"),
    *("SELECT COUNT(*) FROM people # x", "SELECT COUNT(*) FROM other", "SELECT COUNT(*) FROM People"),
    *("SELECT COUNT(*) FROM people p q", "SELECT q.age, COUNT(*) FROM people AS p", "SELECT COUNT(*) FROM a.people"),
    *("SELECT COUNT(*) FROM (SELECT 1)", "SELECT (SELECT MAX(income) FROM people) FROM people"),
    *("SELECT COUNT(*) FROM people WHERE age > (SELECT AVG(age) FROM people)", "VALUES (1)"),
    *("SELECT COUNT(*) FROM people WHERE EXISTS (SELECT 1)", "SELECT COUNT(*) FROM people, other"),
    *("SELECT COUNT(*) FROM people WHERE id IN (SELECT id FROM vips)", "TABLE people", "FROM people"),
    *("SELECT COUNT(*) FROM people JOIN o ON id = o.id", "SELECT COUNT(*) FROM people LEFT JOIN o"),
    *("SELECT COUNT(*) FROM people CROSS JOIN people", "SELECT COUNT(*) FROM people NATURAL JOIN o"),
    *("SELECT COUNT(*) FROM people UNION SELECT 1", "SELECT COUNT(*) FROM people EXCEPT SELECT 1"),
    *("WITH a AS (SELECT 1) SELECT COUNT(*) FROM people", "SELECT DISTINCT COUNT(*) FROM people GROUP BY state"),
    *("SELECT ALL FROM people", "SELECT TOP 3 COUNT(*) FROM people", "INSERT INTO people"),
    *("SELECT COUNT(*) INTO x FROM people", "SELECT COUNT(*) FROM people FOR UPDATE", "DELETE FROM people"),
    *("SELECT COUNT(*) FROM people ORDER BY age", "SELECT COUNT(*) FROM people LIMIT 1", "DROP TABLE people"),
    *("SELECT COUNT(*) FROM people GROUP BY state HAVING COUNT(*) < 3", "EXPLAIN SELECT COUNT(*) FROM people"),
    *("SELECT COUNT(*) FROM people OFFSET 1", "SELECT COUNT(*) FROM people QUALIFY 1", "PRAGMA x"),
    *("SELECT COUNT(*) FROM people WINDOW w AS ()", "SELECT COUNT(*) OVER () FROM people", "COPY people TO 'x'"),
    *("SELECT AVG(income) OVER (PARTITION BY id) FROM people", "SELECT COUNT(*) FROM people USING SAMPLE 3"),
    *("SELECT ROW_NUMBER() OVER () FROM people", "SELECT LAG(income) FROM people", "ATTACH 'x'"),
    *("SELECT MIN(income) FROM people", "SELECT MAX(income) FROM people", "SELECT MODE(age) FROM people"),
    *("SELECT FIRST(age) FROM people", "SELECT ANY_VALUE(age) FROM people", "SELECT LIST(age) FROM people"),
    *("SELECT STRING_AGG(id, ',') FROM people", "SELECT ARRAY_AGG(age) FROM people", "SELECT HASH(age) FROM people"),
    *("SELECT VARIANCE() FROM people", "SELECT STDDEV(age, 1) FROM people", "SELECT COVAR_SAMP(age) FROM people"),
    *("SELECT COUNT(age, id) FROM people", "SELECT COUNT(NULL) FROM people", "SELECT COUNT(DISTINCT age) FROM people"),
    *("SELECT COUNT() FROM people", "SELECT COUNT(*, *) FROM people", "SELECT COUNT(DISTINCT id, age) FROM people"),
    *("SELECT SUM(DISTINCT age) FROM people", "SELECT SUM(ALL age) FROM people", "SELECT SUM() FROM people"),
    *("SELECT SUM(age, income) FROM people", "SELECT SUM(*) FROM people", "SELECT SUM(age ORDER BY id) FROM people"),
    *("SELECT SUM(age * income) FROM people", "SELECT AVG(age) + 1 FROM people", "SELECT -SUM(age) FROM people"),
    *("SELECT SUM(AVG(age)) FROM people", "SELECT SUM(age) IGNORE NULLS FROM people", "SELECT (COUNT(*)) FROM people"),
    *("SELECT QUANTILE_CONT(age) FROM people", "SELECT QUANTILE_CONT(age, income) FROM people"),
    *("SELECT QUANTILE_CONT(age, 0.5, 1) FROM people", "SELECT QUANTILE_CONT(age, 2) FROM people"),
    *("SELECT PERCENTILE_CONT(2) WITHIN GROUP (ORDER BY age) FROM people", "SELECT CORR(age) FROM people"),
    *("SELECT COUNT(*) FILTER (age > 3) FROM people", "SELECT COUNT(*) FILTER (WHERE SUM(age) > 3) FROM people"),
    *("SELECT COUNT(*) FILTER (WHERE age) > 3 FROM people", "SELECT COUNT(*) FROM people WHERE age AND 1"),
    *("SELECT COUNT(*) FROM people WHERE pg_sleep(10) IS NULL", "SELECT pg_sleep(10) FROM people"),
    *("SELECT COUNT(*) FROM people WHERE random() < 0.5", "SELECT read_text('/etc/passwd') FROM people"),
    *("SELECT COUNT(*) FROM read_csv('x')", "SELECT COUNT(*) FROM 'people.csv'", "SELECT COUNT(*) FROM people.csv"),
    *("SELECT COUNT(*) FROM people GROUP BY 1", "SELECT COUNT(*) FROM people GROUP BY ALL, state", "SELECT COUNT(*) FROM people GROUP BY"),
    *("SELECT COUNT(*) FROM people GROUP BY floor(other / 10)", "SELECT COUNT(*) FROM people GROUP BY state, CUBE(sex)"),
    *("SELECT COUNT(*) FROM people GROUP BY GROUPING SETS (state, ())", "SELECT COUNT(*) FROM people GROUP BY (state"),
    *("SELECT COUNT(*) FROM people GROUP BY CUBE(a, b, c, d, e, f, g, h, i, j, k)", "SELECT COUNT(*) FROM people GROUP BY CUBE()"),
    *("SELECT AVG(age) FROM people GROUP BY CUBE(a, b, c, d, e, f, g)", "SELECT COUNT(*) FROM people GROUP BY GROUPING(state)"),
    *("SELECT state, COUNT(*) FROM people", "SELECT sex, COUNT(*) FROM people GROUP BY state", "SELECT COUNT(*) n m FROM people"),
    *("SELECT COUNT(*), FROM people", "SELECT COUNT(*) FROM people WHERE", "SELECT COUNT(* FROM people", "SELECT COUNT(*) AS FROM people"),
    *("SELECT CASE WHEN age > 3 THEN 1 END FROM people", "SELECT CAST(age AS INT) FROM people", "SELECT age::INT FROM people"),
    *("SELECT COUNT(*) FROM people WHERE age > ?", "SELECT COUNT(*) FROM people WHERE age = $1", "SELECT {fn now()} FROM people"),
    *("SELECT COUNT(*) FROM people TABLESAMPLE (1)", "SELECT COUNT(*) FROM people AT (VERSION => 1)", "SELECT COUNT(*) FROM ONLY people"),
    *("SELECT COUNT(*) FROM people WHERE s LIKE '%'", "SELECT COUNT(*) FROM people WHERE age = 1 COLLATE \"C\"", "SELECT"),
    *("S\x00ELECT COUNT(*) FROM people", "SELECT COUNT(*) FROM people" + " " * 5000 + "x", "SELECT COUNT(*) FROM people \udc80"),
]  # fmt: skip


@pytest.mark.claim("C53")
@pytest.mark.parametrize("text", ATTACKS, ids=range(len(ATTACKS)))
def test_what_a_release_cannot_hold_is_refused(text):
    """In three lines, before a plan is made: nothing of it reaches an engine."""
    with pytest.raises(InputError) as told:
        dp.plan(*dp.sql(text, PEOPLE), spend=dp.zcdp("1/50"))

    assert len(str(told.value).splitlines()) == 3


def test_there_are_more_than_a_hundred_attacks():
    assert len(set(ATTACKS)) > 110


@pytest.mark.parametrize(
    ("text", "place", "fix"),
    [
        ("SELECT MAX(income) FROM people", "»MAX«", "write QUANTILE_CONT(income, 0.99)"),
        ("SELECT COUNT(*) FROM persons", "»persons«", "write FROM people"),
        ("SELECT COUNT(*) FROM people ORDER BY 2", "»2«", "leave ORDER BY out"),
        ("SELECT SUM(size*2) FROM people", "»size*2«", 'discreet.derived("size * 2"'),
        ("SELECT MIN(age) FROM people", "»MIN«", "write QUANTILE_CONT(age, 0.01)"),
        ("SELECT COUNT(DISTINCT age) FROM people", "»DISTINCT«", "COUNT(DISTINCT id)"),
        (
            "SELECT state, sex, COUNT(*) FROM people GROUP BY sex",
            "»state«",
            "add state to GROUP BY",
        ),
        ("SELECT age, COUNT(*) FROM people", "»age«", "write AVG(age)"),
        ("SELECT q.sex, COUNT(*) FROM people p GROUP BY 1", "»q«", "write p.sex"),
        ("SELECT COUNT(*) FROM people, o", "»o«", "declare it with discreet.join"),
        ("SELECT COUNT(*) FROM people GROUP BY 1", "»1«", "write the name of the column"),
        ("SELECT state, COUNT(*) FROM people GROUP BY 2", "»2«", "write the name of the column"),
        ("SELECT state COUNT(*) FROM people", "»COUNT«", "write a comma before COUNT"),
        ("SELECT AVG(age), FROM people", "»FROM«", "leave the last comma out"),
        ("SELECT AVG(age FROM people", "»FROM«", "write ) before FROM"),
        ("SELECT AVG(*) FROM people", "»*«", "a column with public bounds"),
        ("SELECT COUNT() FROM people", "»)«", "write COUNT(*)"),
        ("SELECT COUNT(*) FILTER (age > 3) FROM people", "»age«", "write WHERE before age"),
        ("SELECT SUM(CASE WHEN age > 3 THEN 2 END) FROM people", "»CASE", "table.derive(x="),
        ("SELECT APPROX_QUANTILE(age, 0.5) FROM people", "»APPROX", "QUANTILE_CONT(age, 0.5)"),
        ("SELECT SUM_IF(age, age > 3) FROM people", "»SUM_IF«", "FILTER (WHERE"),
        ("SELECT ROW_NUMBER() OVER () FROM people", "»ROW_NUMBER«", "GROUP BY"),
        ("SELECT MODE(state) FROM people", "»MODE«", "COUNT(*), with GROUP BY state"),
        ("SELECT TOP 3 state FROM people", "»TOP«", "the first of the released numbers"),
        ("SELECT people.age, COUNT(*) FROM people", "»people.age«", "write AVG(age)"),
        (
            "SELECT COUNT(*) FROM people WHERE state ILIKE 'm%'",
            "»ILIKE«",
            "starts_with(lower(state), 'm')",
        ),
        ("SELECT COUNT(*) FROM people WHERE age > 3 & sex = 1", "»3 & sex«", "write AND"),
        ("SELECT COUNT(*) FROM people WHERE age BETWEEN 3 AND", "»«", "BETWEEN 18 AND 65"),
        ("SELECT COUNT(*) FROM people WHERE GROUP BY state", "»GROUP«", "leave WHERE out"),
        ("SELECT COUNT(*) FROM people WHERE d > INTERVAL 1 DAY", "»INTERVAL«", "DATE '2026-11-03'"),
        ("SELECT COUNT(*) FROM people GROUP BY abs(age)", "»abs(age)«", '"abs(age)", keys=['),
        ("SELECT abs(age), COUNT(*) FROM people", "»abs(age)«", ", and GROUP BY x"),
        ("SELECT SUM(age) / COUNT(*) FROM people", "»/«", "ask for the number alone"),
        ("SELECT round(AVG(age)) FROM people", "»round«", "without this function"),
        ("WITH a AS (SELECT 1) SELECT 1", "»1«", "write FROM before 1"),
        ("SELECT COUNT(*) FROM people WHERE age >", "»«", "write a column or a value behind >"),
        ('SELECT COUNT(*) FROM people WHERE state = "MA"', "»MA«", "write 'MA'"),
    ],
)
def test_a_refusal_marks_the_place_and_says_what_to_type(text, place, fix):
    """Who writes SQL for the first time here gets on."""
    with pytest.raises(InputError) as told:
        dp.sql(text, PEOPLE)

    assert place in told.value.what
    assert fix in told.value.fix


@pytest.mark.parametrize("wrong", [(None, PEOPLE), (3, PEOPLE), ("SELECT COUNT(*) FROM p", "p")])
def test_things_of_another_kind_are_refused(wrong):
    """A text and a table, and nothing else."""
    with pytest.raises(InputError):
        dp.sql(*wrong)


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("SELECT COUNT(*) FROM 'people.csv'", "write FROM people"),
        ("COUNT(*) FROM people", "write SELECT COUNT(*) FROM people"),
        ("SELECT FROM people", "write SELECT COUNT(*) FROM people"),
        ("FROM people", "write SELECT COUNT(*) FROM people"),
        ("SELECT", "write SELECT COUNT(*) FROM people"),
        ("SELECT 1", "write SELECT COUNT(*) FROM people"),
        ("DELETE FROM people", "write SELECT COUNT(*) FROM people"),
        ("SELECT COUNT(*)", "write FROM people"),
        ("SELECT COUNT(*) FROM", "write FROM people"),
        ("SELECT state, COUNT(*) GROUP BY state", "write FROM people before GROUP"),
        ("SELECT COUNT(*) WHERE age > 3", "write FROM people before WHERE"),
    ],
)
def test_what_is_missing_is_told_as_the_line_to_type(text, fix):
    """A file's name in the place of the table's, and a question of which a word is missing."""
    with pytest.raises(InputError) as refused:
        dp.sql(text, PEOPLE)

    assert str(refused.value).rstrip().endswith(f"fix: {fix}")
