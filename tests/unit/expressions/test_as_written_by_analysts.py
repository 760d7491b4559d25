"""Kinds that a fifth list brought: 219 conditions of analysts, 132 taken as they stood, 146 since.

The list was written before the grammar was looked at: Excel, R, pandas, Polars, PySpark, Postgres,
BigQuery, Spark SQL, Stata and Python.
"""

import pytest

from discreet import bounds, sql, table
from discreet.engine.evaluate import evaluate
from discreet.errors import InputError
from discreet.expressions import KnownNames, expression, settled, typed
from unit.as_written import check_kept, check_refused

TABLE = table(
    "people.csv",
    unit="row",
    columns={
        "age": bounds(0, 120, step=1),
        "income": bounds(0, 10**6, step="0.01"),
        "hours": bounds(0, 99, step=1),
        "born": bounds("1900-01-01", "2024-12-31"),
        "None": bounds(0, 9, step=1),
        "hired": bounds("1950-01-01", "2026-12-31"),
        "seen": bounds("2020-01-01 00:00:00", "2026-01-01 00:00:00"),
    },
    keys={"state": ["MA", "NY"], "city": ["boston", "nyc"], "zip": ["02138", "10001"]},
)
_KNOWN = "CASE WHEN age >= 18 THEN 'a' WHEN NOT age >= 18 THEN 'b' ELSE 'c' END = 'a'"
_NESTED = "CASE WHEN age > 18 THEN 1 ELSE CASE WHEN hours > 2 THEN NULL ELSE 0 END END = 1"
_NAMED = 'CASE WHEN age > 18 THEN "None" ELSE hours END'
TAKEN = [
    # what is sought without a sign of patterns
    ("REGEXP_CONTAINS(city, r'^bos')", "starts_with(city, 'bos')"),
    ("REGEXP_CONTAINS(city, 'bos')", "contains(city, 'bos')"),
    ("regexp_matches(city, 'bos')", "contains(city, 'bos')"),
    ('regexm(city, "^bos")', "starts_with(city, 'bos')"),
    ('F.col("city").rlike("^bos")', "starts_with(city, 'bos')"),
    ("df['city'].str.match('bos')", "starts_with(city, 'bos')"),
    ("df.city.str.contains(r'^bos')", "starts_with(city, 'bos')"),
    ("POSITION('bos' IN city) = 1", "starts_with(city, 'bos')"),
    ("INSTR(city, 'bos') = 1", "starts_with(city, 'bos')"),
    # BigQuery
    ("city IN UNNEST(['boston', 'nyc'])", "city IN ('boston', 'nyc')"),
    ("age NOT IN UNNEST([1, 2])", "age NOT IN (1, 2)"),
    ("SAFE_DIVIDE(income, hours) > 20", "income / hours > 20"),
    ("SAFE_CAST(zip AS FLOAT64) > 100", "CAST(zip AS DOUBLE) > 100"),
    ("TIMESTAMP_TRUNC(seen, HOUR) = seen", "date_trunc('hour', seen) = seen"),
    # Python and R
    ("math.floor(age / 10) == 3", "floor(age / 10) = 3"),
    ('pd.to_numeric(df.zip, errors="coerce") > 100', "CAST(zip AS DOUBLE) > 100"),
    ('df.zip.str[:3] == "021"', "left(zip, 3) = '021'"),
    ("(1 if age > 18 else 0) == 1", "CASE WHEN age > 18 THEN 1 ELSE 0 END = 1"),
    ("(None if age > 18 else 0) IS NULL", "CASE WHEN age > 18 THEN NULL ELSE 0 END IS NULL"),
    ("(1 if age > 18 else None if hours > 2 else 0) == 1", _NESTED),
    ('CASE WHEN age > 18 THEN "None" ELSE hours END > 2', f"{_NAMED} > 2"),
    ('if_else(age >= 18, "a", "b", missing = "c") == "a"', _KNOWN),
    # Snowflake and BigQuery
    ("DAYOFWEEKISO(seen) = 1", "weekday(seen) = 1"),
    ("SAFE.SUBSTR(zip, 1, 3) = '021'", "substr(zip, 1, 3) = '021'"),
    ("index(city, 'bos') > 0", "contains(city, 'bos')"),
    # formulas
    ("=INT([@age]/10)=3", "floor(age / 10) = 3"),
    ("=FLOOR([@age],10)=30", "floor(age / 10) * 10 = 30"),
    ("=CEILING([@age],10)=30", "ceil(age / 10) * 10 = 30"),
    ("=ROUNDDOWN([@age]/10,0)=3", "trunc(age / 10) = 3"),
    ('=ISNUMBER(FIND("bos",[@city]))', "contains(city, 'bos')"),
]
REFUSED = [  # each with lines that are conditions of the table
    ("city ~ '^bos'", ["starts_with(city, 'bos')", "city = 'bos'"]),
    ("city RLIKE 'bos'", ["contains(city, 'bos')", "city = 'bos'"]),
    ("city NOT REGEXP 'bos'", ["contains(city, 'bos')", "city = 'bos'"]),
    ("rlike(city, 'it''s')", ["contains(city, 'it''s')", "city = 'it''s'"]),
    ('=IF([@city]="","x",[@city])="x"', ["ISBLANK([@city])", "length([@city]) = 0"]),
    ('=AND(age>=18, city<>"")', ["NOT(ISBLANK(city))", "length(city) <> 0"]),
    ('"bos" in city', ["contains(city, 'bos')"]),
    ("'bos' not in city", ["NOT contains(city, 'bos')"]),
    ("age %>% between(18, 65)", ["between(age, 18, 65)"]),
    ("age |> between(18, 65)", ["between(age, 18, 65)"]),
    ("DATE_DIFF(hired, born, YEAR) > 18", ["days(hired) - days(born)", "year(hired) - year(born)"]),
    ("DATEDIFF(year, born, hired) > 18", ["days(hired) - days(born)", "year(hired) - year(born)"]),
    ("AGE(hired, born) > 18", ["days(hired) - days(born)"]),
    ("FORMAT_DATE('%Y', born) = '1990'", ["year(born)"]),
    ('=TEXT([@born],"yyyy")="1990"', ["year(born)"]),
    ("=IFERROR([@income]/[@hours],0)>20", ["coalesce([@income]/[@hours], 0)"]),
    ('=OR([@state]={"MA","NY"})', ["x IN (1, 2)"]),
    ("age == None", ["x IS NULL"]),
    ("(None if age > 18 else None) = 1", ["a value behind one THEN or ELSE"]),
    ("city LIKE '[bB]oston'", ["left(city, 1) IN ('a', 'b')", "contains(city, '[bB]oston')"]),
    ('intck("year", born, hired) > 18', ["days(hired) - days(born)", "year(hired) - year(born)"]),
    ("year(datepart(seen)) = 2024", ["CAST(seen AS DATE)"]),
    ("CONVERT(date, seen) > '2024-01-01'", ["CAST(seen AS DATE)"]),
    ("TRY_TO_NUMBER(zip) > 100", ["CAST(zip AS DOUBLE)"]),
    ("RANGE(age, 18, 65)", ["age BETWEEN 18 AND 65"]),
    ("df.born.dt.is_leap_year", ["mod(year(born), 4) = 0"]),
    ("WEEKNUM(seen) = 3", ["isoweek(seen)"]),
    ("bool(employed)", ["the column itself"]),
]


@pytest.mark.claim("C601")
@pytest.mark.parametrize(("text", "written"), TAKEN)
def test_what_has_one_meaning_is_taken_and_written_in_one_way(text, written):
    """Read again it is the same tree."""
    check_kept(TABLE, text, written)


@pytest.mark.claim("C601")
@pytest.mark.parametrize(("text", "lines"), REFUSED)
def test_what_has_two_is_refused_with_what_to_write(text, lines):
    """Three lines, of the columns that stand in the text."""
    check_refused(TABLE, text, lines)


@pytest.mark.claim("C601")
def test_the_lines_that_refusals_type_are_read():
    """Each is read where it stands for a part, or for a condition."""
    names = {"x": "number", "born": "day", "hired": "day", "city": "text"}
    known = KnownNames(
        hints=names
        | {"seen": "moment", "d": "day", "age": "number", "income": "number", "hours": "number"}
    )
    lines = [
        line for _, some in REFUSED for line in some if line.split()[-1] not in ("itself", "ELSE")
    ]

    assert [typed(settled(expression(line), known), known).kind for line in lines]


@pytest.mark.claim("C601")
@pytest.mark.parametrize(
    ("text", "row", "expected"),
    [
        ("x if x > 1 else 7", {"x": None}, 7.0),
        ("x if x > 1 else 7", {"x": 2.0}, 2.0),
        ('if_else(x > 1, "a", "b", missing = "c")', {"x": None}, "c"),
        ('if_else(x > 1, "a", "b", missing = "c")', {"x": 0.0}, "b"),
        ("=0+INT(x)", {"x": -2.5}, -3.0),
        ("=0+FLOOR(x, 10)", {"x": -25.0}, -30.0),
        ("=0+CEILING(x, 10)", {"x": -25.0}, -20.0),
        ("=0+ROUNDDOWN(x, 0)", {"x": -2.5}, -2.0),
        ("SAFE_DIVIDE(x, 0)", {"x": 2.5}, None),
        ("x IN UNNEST([1, 2])", {"x": 2.0}, True),
    ],
)
def test_what_is_taken_means_what_its_language_says(text, row, expected):
    """Below 0 as Excel counts; where nothing is known as Python, dplyr and BigQuery have it."""
    known = KnownNames(hints={"x": "number"})
    tree = typed(settled(expression(text), known), known)

    assert evaluate(tree, lambda name, _kind: row[name]) == expected


@pytest.mark.claim("C601")
@pytest.mark.parametrize(
    "text",
    ["age if", "age if age > 1", "age if age > 1 else", "city ~", "city ~ ''", "city RLIKE '^'",
     "rlike(city)", "regexp_contains(city)", "regexp_contains(city, '')", "city IN UNNEST",
     "city IN UNNEST([)", "city IN UNNEST(['a'", "=ISNUMBER()", "=ISNUMBER([@age])",
     "=ISNUMBER(FIND(1,[@city]))", "=ISNUMBER(FIND())", "=FLOOR([@age],0)=1", "=ROUNDDOWN([@age],2)=1",
     "=INT()=1", "to_numeric() > 1", "to_numeric(zip, errors='raise') > 1", "r''", "x r'a'",
     "if_else(age > 1, 1)", "if_else(NULL, 1, 2, 3) == 1", "city.str.match()", "zip.str["],
)  # fmt: skip
def test_half_of_a_form_is_refused_in_three_lines(text):
    """None of them is an error of another kind."""
    with pytest.raises(InputError) as told:
        TABLE.where(text)

    assert len(str(told.value).splitlines()) == 3


@pytest.mark.claim("C440")
@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("SELECT COUNT(*) FROM [dbo].[people]", "write FROM people"),
        ("SELECT AVG(income)::numeric(10,2) FROM people", "ask for the number alone"),
        ("SELECT COUNT(*) FROM people TABLESAMPLE BERNOULLI (10)", "leave TABLESAMPLE out"),
        ("SELECT APPROX_PERCENTILE(income, 0.9) FROM people", "write QUANTILE_CONT(income, 0.9)"),
        ("SELECT GROUPING(state) FROM people GROUP BY ROLLUP(state)", "leave it out"),
    ],
)
def test_a_select_of_other_engines_is_refused_with_what_to_write(text, lines):
    """In three lines; they had typed what was refused again."""
    with pytest.raises(InputError, match="why: ") as told:
        sql(text, TABLE)

    assert lines in str(told.value).splitlines()[2]


@pytest.mark.claim("C440")
def test_comments_of_sql_and_with_rollup_are_read():
    """-- is a comment up to the end of its line; WITH ROLLUP is ROLLUP of all columns."""
    listed = "WHERE state IN ('MA', 'NY')"
    plain = sql(f"SELECT state, COUNT(*) FROM people {listed} GROUP BY ROLLUP (state)", TABLE)
    mysql = sql(f"SELECT state, COUNT(*) FROM people {listed} GROUP BY state WITH ROLLUP", TABLE)
    text = (
        f"-- by state\nSELECT state, -- it's\n COUNT(*) FROM people {listed} GROUP BY state -- end"
    )

    assert [asked.plain() for asked in mysql[1:]] == [asked.plain() for asked in plain[1:]]
    assert [asked.plain() for asked in sql(text, TABLE)[1:]] == [
        {"statistic": "count", "by": ["state"]}
    ]
    assert [
        *sql("SELECT COUNT(*) FROM people WHERE city = '--'", TABLE)[0].condition.tree.columns()
    ]
