"""The language of rows takes what people write, where it has one meaning: 144 tried."""

import pytest

from discreet import bounds, table
from discreet.engine.evaluate import evaluate
from discreet.errors import InputError
from discreet.expressions import KnownNames, expression, typed

TABLE = table(
    "people.csv",
    unit="row",
    columns={
        "age": bounds(0, 110, step=1),
        "income": bounds(0, 10**6, step="0.01"),
        "change": bounds(-10, 10),
        "born": bounds("1900-01-01", "2010-12-31"),
        "seen": bounds("2020-01-01 00:00:00", "2026-12-31 00:00:00"),
    },
    keys={"sex": [1, 2], "state": ["MA", "NY"], "employed": [True, False]},
)
TAKEN = [
    # as SQL is written
    ("age >= 18", "age >= 18"),
    ("age>=18 and sex=1", "age >= 18 AND sex = 1"),
    ("sex != 1", "sex <> 1"),
    ("sex <> 1", "sex <> 1"),
    ("state in ('MA', 'NY')", "state IN ('MA', 'NY')"),
    ("state not in ('MA')", "state NOT IN ('MA')"),
    ("age between 18 and 65", "age BETWEEN 18 AND 65"),
    ("age not between 18 and 65", "age NOT BETWEEN 18 AND 65"),
    ("age is null", "age IS NULL"),
    ("age is not null", "age IS NOT NULL"),
    ("age ISNULL", "age IS NULL"),
    ("age NOTNULL", "age IS NOT NULL"),
    ("not (age < 18 or sex = 2)", "NOT (age < 18 OR sex = 2)"),
    ("employed = TRUE", "employed = TRUE"),
    ("employed IS TRUE", "coalesce(employed, FALSE)"),
    ("employed IS NOT TRUE", "NOT coalesce(employed, FALSE)"),
    ("employed IS FALSE", "NOT coalesce(employed, TRUE)"),
    ("employed IS NOT FALSE", "coalesce(employed, TRUE)"),
    ("sex IS DISTINCT FROM 1", "NOT coalesce(sex = 1, FALSE)"),
    ("sex IS NOT DISTINCT FROM 1", "coalesce(sex = 1, FALSE)"),
    ("sex IS DISTINCT FROM age", "coalesce(sex <> age, (sex IS NULL) <> (age IS NULL))"),
    ("sex <=> 1", "coalesce(sex = 1, FALSE)"),
    ("state LIKE 'M%'", "starts_with(state, 'M')"),
    ("state LIKE '%A'", "ends_with(state, 'A')"),
    ("state LIKE '%A%'", "contains(state, 'A')"),
    ("state NOT LIKE 'M%'", "NOT starts_with(state, 'M')"),
    ("state LIKE 'MA'", "state = 'MA'"),
    ("CASE WHEN age >= 18 THEN 1 ELSE 0 END = 1", "CASE WHEN age >= 18 THEN 1 ELSE 0 END = 1"),
    ("CASE sex WHEN 1 THEN 'm' ELSE 'f' END = 'm'", "CASE WHEN sex = 1 THEN 'm' ELSE 'f' END = 'm'"),
    ("if(age >= 18, 1, 0) = 1", "CASE WHEN age >= 18 THEN 1 ELSE 0 END = 1"),
    ("IIF(age >= 18, 'a', 'c') = 'a'", "CASE WHEN age >= 18 THEN 'a' ELSE 'c' END = 'a'"),
    ("iff(age >= 18, 1, NULL) = 1", "CASE WHEN age >= 18 THEN 1 ELSE NULL END = 1"),
    ("ifnull(age, 0) > 1", "coalesce(age, 0) > 1"),
    ("NVL(age, 0) > 1", "coalesce(age, 0) > 1"),
    ("COALESCE(age, 0) > 1", "coalesce(age, 0) > 1"),
    ("ISNULL(age, 0) > 1", "coalesce(age, 0) > 1"),
    ("isnull(age)", "age IS NULL"),
    ("NULLIF(age, 99) > 1", "CASE WHEN age = 99 THEN NULL ELSE age END > 1"),
    ("ceil(income) > 1", "ceil(income) > 1"),
    ("CEILING(income) > 1", "ceil(income) > 1"),
    ("FLOOR(age / 10) = 3", "floor(age / 10) = 3"),
    ("trunc(change / 2) = 1", "trunc(change / 2) = 1"),
    ("SIGN(change) = -1", "sign(change) = -1"),
    ("ROUND(income, 1) > 1", "round(income, 1) > 1"),
    ("ABS(change) > 1", "abs(change) > 1"),
    ("POWER(age, 2) > 400", "age * age > 400"),
    ("age ** 2 > 400", "age * age > 400"),
    ("pow(age, 3) > 400", "age * age * age > 400"),
    ("age % 2 = 0", "mod(age, 2) = 0"),
    ("mod(age, 2) = 0", "mod(age, 2) = 0"),
    ("age MOD 2 = 0", "mod(age, 2) = 0"),
    ("age // 10 = 3", "div(age, 10) = 3"),
    ("age DIV 10 = 3", "div(age, 10) = 3"),
    ("ln(income) > 1", "log2(income) * 0.6931471805599453 > 1"),
    ("LEAST(age, 90) > 1", "least(age, 90) > 1"),
    ("EXTRACT(YEAR FROM born) = 1990", "year(born) = 1990"),
    ("extract(month from born) = 1", "month(born) = 1"),
    ("EXTRACT(hour FROM seen) < 12", "hour(seen) < 12"),
    ("EXTRACT(ISODOW FROM born) = 1", "weekday(born) = 1"),
    ("date_part('year', born) = 1990", "year(born) = 1990"),
    ("YEAR(born) = 1990", "year(born) = 1990"),
    ("QUARTER(born) = 1", "quarter(born) = 1"),
    ("MINUTE(seen) = 30", "minute(seen) = 30"),
    ("SECOND(seen) = 30", "second(seen) = 30"),
    ("DAYOFMONTH(born) = 1", "day(born) = 1"),
    ("born >= DATE '1990-01-01'", "born >= DATE '1990-01-01'"),
    ("born >= DATE('1990-01-01')", "born >= DATE '1990-01-01'"),
    ("born >= '1990-01-01'::date", "born >= DATE '1990-01-01'"),
    ("born >= CAST('1990-01-01' AS DATE)", "born >= DATE '1990-01-01'"),
    ("born >= to_date('1990-01-01')", "born >= DATE '1990-01-01'"),
    ("seen::date = DATE '2020-01-01'", "CAST(seen AS DATE) = DATE '2020-01-01'"),
    ("CAST(age AS INT) = 18", "CAST(age AS INTEGER) = 18"),
    ("age::int = 18", "CAST(age AS INTEGER) = 18"),
    ("CAST(income AS DOUBLE PRECISION) > 1", "CAST(income AS DOUBLE) > 1"),
    ("CAST(employed AS BOOLEAN)", "CAST(employed AS BOOLEAN)"),
    ("lower(state) = 'ma'", "lower(state) = 'ma'"),
    ("UPPER(state) = 'MA'", "upper(state) = 'MA'"),
    ("trim(state) = 'MA'", "trim(state) = 'MA'"),
    ("LENGTH(state) = 2", "length(state) = 2"),
    ("char_length(state) = 2", "length(state) = 2"),
    ("left(state, 1) = 'M'", "left(state, 1) = 'M'"),
    ("RIGHT(state, 1) = 'A'", "right(state, 1) = 'A'"),
    ("substr(state, 1, 1) = 'M'", "substr(state, 1, 1) = 'M'"),
    ("SUBSTRING(state, 2, 1) = 'A'", "substr(state, 2, 1) = 'A'"),
    ("startswith(state, 'M')", "starts_with(state, 'M')"),
    ("ends_with(state, 'A')", "ends_with(state, 'A')"),
    ("t.age >= 18", "age >= 18"),
    ("people.age >= 18", "age >= 18"),
    ("`age` >= 18", "age >= 18"),
    ('"age" >= 18', "age >= 18"),
    ("age >= 18;", "age >= 18"),
    ("age >= 18 /* adults */", "age >= 18"),
    ("income > 1_000", "income > 1000"),
    # as data frames in Python are asked
    ("age == 18", "age = 18"),
    ("age >= 18 && sex == 1", "age >= 18 AND sex = 1"),
    ("18 <= age < 65", "18 <= age AND age < 65"),
    ("65 > age >= 18", "65 > age AND age >= 18"),
    ("(age >= 18) & (sex == 1)", "age >= 18 AND sex = 1"),
    ("(age < 18) | (age > 65)", "age < 18 OR age > 65"),
    ("age in [18, 19]", "age IN (18, 19)"),
    ("state.isin(['MA', 'NY'])", "state IN ('MA', 'NY')"),
    ("age.between(18, 65)", "age BETWEEN 18 AND 65"),
    ("age.isna()", "age IS NULL"),
    ("age.notna()", "age IS NOT NULL"),
    ("~age.isna()", "age IS NOT NULL"),
    ("age is None", "age IS NULL"),
    ("age is not None", "age IS NOT NULL"),
    ("age.fillna(0) > 1", "coalesce(age, 0) > 1"),
    ("df.age >= 18", "age >= 18"),
    ("df['age'] >= 18", "age >= 18"),
    ("pl.col('age') >= 18", "age >= 18"),
    ('(pl.col("age") > 18) & pl.col("sex").is_in([1])', "age > 18 AND sex IN (1)"),
    ("np.where(age >= 18, 1, 0) == 1", "CASE WHEN age >= 18 THEN 1 ELSE 0 END = 1"),
    ("age.clip(0, 90) > 1", "least(greatest(age, 0), 90) > 1"),
    ("born.dt.year == 1990", "year(born) = 1990"),
    ("pl.col('born').dt.month() == 1", "month(born) = 1"),
    ("state.str.startswith('M')", "starts_with(state, 'M')"),
    ("state.str.endswith('A')", "ends_with(state, 'A')"),
    ("state.str.contains('A')", "contains(state, 'A')"),
    ("state.str.lower() == 'ma'", "lower(state) = 'ma'"),
    ("age.astype(int) == 18", "CAST(age AS INTEGER) = 18"),
    ("int(age) == 18", "CAST(age AS INTEGER) = 18"),
    ("age \u2265 18", "age >= 18"),
]  # fmt: skip
REFUSED = [  # what is written, and the lines that say each meaning
    ("change % 3 = 1", ["change - 3 * floor(change / 3)", "change - 3 * trunc(change / 3)"]),
    ("change // 3 = 1", ["floor(change / 3)", "trunc(change / 3)"]),
    ("age ^ 2 > 400", ["x ** 2"]),
    ("CAST(income AS INTEGER) = 5", ["round(income)", "floor(income)", "trunc(income)"]),
    ("income::int = 5", ["round(income)", "floor(income)", "trunc(income)"]),
    ("~(age == 18)", ["NOT age = 18", "NOT coalesce(age = 18, FALSE)"]),
    ("(age >= 18) & (sex != 1)", ["sex <> 1", "NOT coalesce(sex = 1, FALSE)"]),
    ("~state.isin(['MA'])", ["state NOT IN ('MA')", "NOT coalesce(state IN ('MA'), FALSE)"]),
    ("age == 18 & sex == 1", ["(age >= 18) & (sex = 1)"]),
    ("state || 'x' = 'MAx'", ["OR"]),
    ("state ILIKE 'm%'", ["starts_with(lower(state), 'm')"]),
    ("state LIKE 'M_'", ["starts_with(state, 'a')"]),
    ("state LIKE 'M%A'", ["starts_with(state, 'M') AND ends_with(state, 'A') AND length(state) >= 2"]),
    ("CAST(income AS DECIMAL(9, 2)) > 1", ["CAST(income AS DOUBLE)", "round(income, 2)"]),
    ("CAST(age AS VARCHAR) = '18'", ["age = 1"]),
    ("born.dt.weekday == 0", ["weekday(born)", "weekday(born) - 1"]),
    ("EXTRACT(DOW FROM born) = 0", ["weekday(born)", "weekday(born) - 1"]),
    ("-age ** 2 < 0", ["-(x ** 2)", "(-x) ** 2"]),
    ("income.round() > 5", ["round(income)"]),
    ("age > 18 -- adults", ["/* */"]),
    ("log(income) > 5", ["log2(income)", "log10(income)"]),
]  # fmt: skip

NAMES = KnownNames(
    hints={**dict.fromkeys("xy", "number"), "s": "text", "d": "day", "m": "moment", "b": "truth"},
    bounds={"n": (0, 9, 1)},
)


def value(text, **row):
    return evaluate(typed(expression(text), NAMES), lambda name, _kind: row[name])


@pytest.mark.claim("C400")
@pytest.mark.parametrize(("text", "written"), TAKEN)
def test_what_has_one_meaning_is_taken_and_written_in_one_way(text, written):
    """SQL's dialects, pandas and Polars: one text in the digest, which is read as the same tree."""
    found = TABLE.where(text).condition

    assert found == TABLE.where(written).condition
    assert found.expression.text == written


@pytest.mark.claim("C400")
@pytest.mark.parametrize(("text", "lines"), REFUSED)
def test_what_has_two_meanings_is_refused_with_a_line_for_each(text, lines):
    """Three lines, raised before anything is read; what it says to type is there."""
    with pytest.raises(InputError) as told:
        TABLE.where(text)

    assert len(str(told.value).splitlines()) == 3
    assert all(line in str(told.value).splitlines()[2] for line in lines)


GENERAL = "starts_with(name, 'a'), contains(name, 'a') or starts_with(lower(name), 'a')"


@pytest.mark.claim("C400")
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("state NOT ILIKE '%Ma%'", "NOT contains(lower(state), 'ma')"),
        ("state ILIKE '%a'", "ends_with(lower(state), 'a')"),
        ("state ILIKE 'Ma'", "lower(state) = 'ma'"),
        ("state NOT ILIKE 'Ma'", "lower(state) <> 'ma'"),
        *((f"state ILIKE '{pattern}'", GENERAL) for pattern in ("%", "%%", "m_", "É%", "")),
        ("state SIMILAR TO 'm%'", GENERAL),
    ],
)
def test_a_pattern_of_any_case_is_refused_with_the_line_that_says_it(text, line):
    """Of letters of ASCII, with signs for more at its ends alone: in the words of the column."""
    with pytest.raises(InputError) as told:
        TABLE.where(text)

    assert str(told.value).splitlines()[2].strip() == f"fix: write {line}"
    assert line == GENERAL or TABLE.where(line).condition is not None


@pytest.mark.claim("C400")
def test_days_less_a_day_are_refused_with_what_counts_them():
    """SQL's dialects give days, or an interval; data frames an interval."""
    with pytest.raises(InputError, match="days\\(born, DATE '2026-11-03'\\) counts days between"):
        TABLE.where("born - DATE '2020-01-01' > 3")


@pytest.mark.claim("C400")
def test_at_least_95_are_taken_and_the_lines_of_the_rest_work():
    """Each line that a refusal types is of the language, where it stands for a condition."""
    lines = [line for _, some in REFUSED for line in some]
    of_any = {"name": "text", "s": "text", "x": "number"}
    known = KnownNames(
        hints={**dict.fromkeys(("income", "age", "change", "sex"), "number"), **of_any}
        | {"state": "text", "born": "day"},
        bounds={"x": (1, 9, 1), "income": (1, 9, 1)},
    )

    for line in lines:
        if line not in ("OR", "/* */"):
            typed(expression(line), known)
    assert len(TAKEN) >= 95
    assert len(dict(TAKEN)) + len(dict(REFUSED)) == 144


@pytest.mark.claim("C401")
@pytest.mark.parametrize(
    ("text", "row", "expected"),
    [
        ("ceil(x)", {"x": -2.5}, -2.0),
        ("trunc(x)", {"x": -2.5}, -2.0),
        ("trunc(x)", {"x": 2.5}, 2.0),
        ("trunc(x)", {"x": None}, None),
        ("sign(x)", {"x": -3.0}, -1.0),
        ("sign(x)", {"x": 0.0}, 0.0),
        ("sign(x)", {"x": None}, None),
        ("mod(n, 3)", {"n": 7.0}, 1.0),
        ("mod(n, n)", {"n": 0.0}, None),
        ("div(n, 3)", {"n": 7.0}, 2.0),
        ("mod(n, 3)", {"n": -7.0}, 2.0),
        ("div(n, 3)", {"n": 9007199254740991.0}, 3002399751580330.0),
        ("quarter(d)", {"d": 89}, 1.0),
        ("quarter(d)", {"d": 90}, 2.0),
        ("minute(m)", {"m": -1}, 59.0),
        ("second(m)", {"m": -1}, 59.0),
        ("minute(m)", {"m": 3600 * 5 + 60 * 7 + 8}, 7.0),
        ("CAST(b AS INTEGER) + 1", {"b": 1.0}, 2.0),
        ("CAST(x > 1 AS INTEGER)", {"x": 1.0}, 0.0),
        ("CAST(x > 1 AS INTEGER)", {"x": None}, None),
        ("x IS DISTINCT FROM y", {"x": None, "y": None}, False),
        ("x IS DISTINCT FROM y", {"x": None, "y": 1.0}, True),
        ("x IS NOT DISTINCT FROM y", {"x": None, "y": None}, True),
        ("x IS NOT DISTINCT FROM 1", {"x": None}, False),
        ("b IS NOT FALSE", {"b": None}, True),
        ("b IS FALSE", {"b": None}, False),
        ("1 < x < 3", {"x": 3.0}, False),
        ("x ** 3", {"x": -2.0}, -8.0),
        ("lower(s)", {"s": "ÄbC ß"}, "Äbc ß"),
        ("upper(s)", {"s": "ÄbC ß"}, "ÄBC ß"),
        ("trim(s)", {"s": " \ta  "}, "\ta"),
        ("length(s)", {"s": "é👍"}, 2.0),
        ("left(s, 2)", {"s": "a"}, "a"),
        ("right(s, 2)", {"s": "abc"}, "bc"),
        ("substr(s, 2, 1)", {"s": "abc"}, "b"),
        ("substr(s, 9, 1)", {"s": "abc"}, ""),
        ("ends_with(s, 'bc')", {"s": "abc"}, True),
        ("ends_with(s, 'abcd')", {"s": "abc"}, False),
    ],
)
def test_what_the_new_functions_give(text, row, expected):
    """Each is total: a value or None, whatever the row holds."""
    assert value(text, **row) == expected


@pytest.mark.claim("C402")
@pytest.mark.parametrize(
    "text",
    [
        "trunc(" * 12 + "x" + ")" * 12 + " > 1",
        "x" + " % 2" * 12 + " = 1",
        "x" + " ** 8" * 0 + "".join(f"*(x ** {n})" for n in (8,) * 80) + " > 1",
        "pow(" * 5 + "x" + ", 8)" * 5 + " > 1",
        "(" * 12 + "x" + " IS DISTINCT FROM y)" * 12,
        "x.clip(0, 1)" + ".clip(0, 1)" * 39 + ".astype(str)" * 90 + " > 1",
        "<=".join(["abs(x)"] * 300),
    ],
)
def test_what_is_written_out_is_counted_before_it_is_made(text):
    """A short text that would be a huge query is refused."""
    with pytest.raises(InputError):
        typed(expression(text), NAMES)
