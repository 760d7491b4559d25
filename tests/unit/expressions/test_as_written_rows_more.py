"""The language of rows takes what other people write: 125 more, of dialects, Python, R and Stata."""

import random
from contextlib import suppress

import pytest

from discreet import bounds, count, plan, table, zcdp
from discreet.engine.evaluate import evaluate
from discreet.errors import InputError
from discreet.expressions import KnownNames, expression, settled, typed
from discreet.expressions.tokens import tokens
from unit.as_written import check_kept, check_refused

TABLE = table(
    "people.csv",
    unit="row",
    columns={
        **dict.fromkeys(("age", "hours"), bounds(0, 110, step=1)),
        "income": bounds(0, 10**6, step="0.01"),
        **dict.fromkeys(("discount", "weight", "height"), bounds(0, 300, step="0.01")),
        "change": bounds(-10, 10),
        **dict.fromkeys(("born", "shipped", "received"), bounds("1900-01-01", "2010-12-31")),
        "seen": bounds("2020-01-01 00:00:00", "2026-12-31 00:00:00"),
    },
    keys={"sex": [1, 2], "state": ["MA", "NY"], "employed": [True, False]},
)
_DAY = "born >= DATE '1990-05-01'"
_MONTH = "date_trunc('month', born) = DATE '1990-05-01'"
_BANDS = "CASE WHEN age < 18 THEN 'a' WHEN age < 65 THEN 'b' ELSE 'c' END = 'b'"
TAKEN = [
    # SQL: days, constants, functions of other dialects
    ("shipped <= DATE '1998-12-01' - INTERVAL '90' DAY", "shipped <= DATE '1998-09-02'"),
    ("shipped <= date '1998-12-01' - interval '90' day (3)", "shipped <= DATE '1998-09-02'"),
    ("shipped < DATE '1994-01-01' + INTERVAL '1' YEAR", "shipped < DATE '1995-01-01'"),
    ("shipped < date '1995-01-01' + interval '3 months'", "shipped < DATE '1995-04-01'"),
    ("shipped < DATE '1995-01-01' + INTERVAL 2 WEEK", "shipped < DATE '1995-01-15'"),
    ("seen < TIMESTAMP '2024-01-01 00:00:00' - INTERVAL '1 hour'",
     "seen < TIMESTAMP '2023-12-31 23:00:00'"),
    ("discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01", "discount BETWEEN 0.05 AND 0.07"),
    ("income > 2 * 1000 - 1", "income > 1999"),
    ("income / 12.0 > 1000", "income / 12 > 1000"),
    ("change > -(2 + 3)", "change > -5"),
    ("age > 1 / 4", "age > 0.25"),
    ("received - shipped > 30", "days(received) - days(shipped) > 30"),
    ("DATEDIFF(received, shipped) > 30", "days(received) - days(shipped) > 30"),
    ("DATEDIFF(day, shipped, received) > 30", "days(received) - days(shipped) > 30"),
    ("date_diff('day', shipped, received) > 30", "days(received) - days(shipped) > 30"),
    ("DATE_DIFF(received, shipped, DAY) > 30", "days(received) - days(shipped) > 30"),
    ("DATE_TRUNC('month', born) = DATE '1990-05-01'", _MONTH),
    ("date_trunc('MONTH', born) = '1990-05-01'", _MONTH),
    ("DATE_TRUNC(born, MONTH) = DATE '1990-05-01'", _MONTH),
    ("date_trunc('hour', seen) = '2024-01-01'",
     "date_trunc('hour', seen) = TIMESTAMP '2024-01-01 00:00:00'"),
    ("DATE(seen) = '2024-01-01'", "CAST(seen AS DATE) = DATE '2024-01-01'"),
    ("seen >= '2024-01-01'", "seen >= TIMESTAMP '2024-01-01 00:00:00'"),
    ("seen >= TIMESTAMP '2024-01-01'", "seen >= TIMESTAMP '2024-01-01 00:00:00'"),
    ("seen >= '2024-01-01T10:00'", "seen >= TIMESTAMP '2024-01-01 10:00:00'"),
    ("born >= '1990-05-01'", _DAY),
    ("'1990-05-01' <= born", "DATE '1990-05-01' <= born"),
    ("born BETWEEN '1990-05-01' AND '1999-12-31'",
     "born BETWEEN DATE '1990-05-01' AND DATE '1999-12-31'"),
    ("born IN ('1990-05-01')", "born IN (DATE '1990-05-01')"),
    ("born >= TO_DATE('1990-05-01', 'YYYY-MM-DD')", _DAY),
    ("born >= MAKE_DATE(1990, 5, 1)", _DAY),
    ("born >= DATEFROMPARTS(1990, 5, 1)", _DAY),
    ("region IS NULL", "region IS NULL"),
    ("NOT (region IS NULL)", "region IS NOT NULL"),
    ("employed IS UNKNOWN", "employed IS NULL"),
    ("POSITION('A' IN state) > 0", "contains(state, 'A')"),
    ("STRPOS(state, 'A') > 0", "contains(state, 'A')"),
    ("INSTR(state, 'A') >= 1", "contains(state, 'A')"),
    ("CHARINDEX('A', state) = 0", "NOT contains(state, 'A')"),
    ("TRIM(BOTH ' ' FROM state) = 'MA'", "trim(state) = 'MA'"),
    ("SUBSTRING(state FROM 1 FOR 1) = 'M'", "substr(state, 1, 1) = 'M'"),
    ("SQRT(income) > 100", "sqrt(income) > 100"),
    ("SQUARE(age) > 100", "age * age > 100"),
    ("ZEROIFNULL(age) > 0", "coalesce(age, 0) > 0"),
    ("NVL2(age, 1, 0) = 1", "CASE WHEN age IS NOT NULL THEN 1 ELSE 0 END = 1"),
    # Python
    ("df['age'].between(18, 65, inclusive='left')", "age >= 18 AND age < 65"),
    ("df.age.between(18, 65, inclusive='both')", "age BETWEEN 18 AND 65"),
    ("df['income'].div(12) > 1000", "income / 12 > 1000"),
    ("df['age'].floordiv(10) == 3", "div(age, 10) = 3"),
    ("df['age'].add(1).mul(2) > 18", "(age + 1) * 2 > 18"),
    ("df['age'].clip(lower=0, upper=90) > 1", "least(greatest(age, 0), 90) > 1"),
    ("df['age'].clip(upper=90) > 1", "least(age, 90) > 1"),
    ("df['age'].fillna(value=0) > 1", "coalesce(age, 0) > 1"),
    ("df['state'].str[:1] == 'M'", "left(state, 1) = 'M'"),
    ("df['state'].str[1:3] == 'A'", "substr(state, 2, 2) = 'A'"),
    ("df['state'].str.slice(0, 1) == 'M'", "left(state, 1) = 'M'"),
    ("df['state'].str.contains('A.', regex=False)", "contains(state, 'A.')"),
    ('df["state"].str.lower().isin(["ma", "ny"])', "lower(state) IN ('ma', 'ny')"),
    ("df['seen'].dt.date == '2024-01-01'", "CAST(seen AS DATE) = DATE '2024-01-01'"),
    ("df['born'] >= pd.to_datetime('1990-05-01')", _DAY),
    ("df['born'] >= pd.Timestamp('1990-05-01')", _DAY),
    ("df['born'] >= datetime(1990, 5, 1)", _DAY),
    ("df['born'] >= datetime.date(1990, 5, 1)", _DAY),
    ('pl.col("born") >= pl.date(1990, 5, 1)', _DAY),
    ('pl.col("state").is_in(["MA", "NY"])', "state IN ('MA', 'NY')"),
    ('pl.col("state").str.starts_with("M")', "starts_with(state, 'M')"),
    ('pl.col("state").str.contains("A", literal=True)', "contains(state, 'A')"),
    ('pl.col("state").str.to_lowercase() == "ma"', "lower(state) = 'ma'"),
    ('pl.col("age").is_between(18, 65, closed="left")', "age >= 18 AND age < 65"),
    ('pl.col("born").dt.truncate("1mo") == pl.date(1990, 5, 1)', _MONTH),
    ('pl.when(pl.col("age") < 18).then(1).otherwise(0) == 1',
     "CASE WHEN age < 18 THEN 1 ELSE 0 END = 1"),
    ("pl.when(age < 18).then('a').when(age < 65).then('b').otherwise('c') == 'b'", _BANDS),
    ('pl.when(pl.col("age") < 18).then(None).otherwise(pl.lit(1)) == 1',
     "CASE WHEN age < 18 THEN NULL ELSE 1 END = 1"),
    ('pl.coalesce("age", 0) > 3', "coalesce(age, 0) > 3"),
    ('pl.col("age").eq_missing(18)', "coalesce(age = 18, FALSE)"),
    ('(pl.col("age") > 18).and_(pl.col("sex") == 1)', "age > 18 AND sex = 1"),
    ('pl.all_horizontal(pl.col("age") > 18, pl.col("sex") == 1)', "age > 18 AND sex = 1"),
    ('F.when(F.col("age") > 18, 1).otherwise(0) == 1', "CASE WHEN age > 18 THEN 1 ELSE 0 END = 1"),
    ('F.year("born") == 1990', "year(born) = 1990"),
    ('F.lower(F.col("state")) == "ma"', "lower(state) = 'ma'"),
    ('F.col("state").like("M%")', "starts_with(state, 'M')"),
    ('F.col("state").isin("MA", "NY")', "state IN ('MA', 'NY')"),
    ("F.lit(3) < F.col('age')", "3 < age"),
    # R and Stata
    ("!is.na(age)", "age IS NOT NULL"),
    ("age %in% c(18, 19)", "age IN (18, 19)"),
    ('state %in% c("MA", "NY")', "state IN ('MA', 'NY')"),
    ('state %in% c("MA") & age >= 18 | sex == 1', "state IN ('MA') AND age >= 18 OR sex = 1"),
    ("between(age, 18, 65) & !is.na(income)", "age BETWEEN 18 AND 65 AND income IS NOT NULL"),
    ("dplyr::between(age, 18, 65)", "age BETWEEN 18 AND 65"),
    ("age %% 2 == 0", "mod(age, 2) = 0"),
    ("age %/% 10 == 3", "div(age, 10) = 3"),
    ("df$age > 18", "age > 18"),
    ("age == 18L", "age = 18"),
    ("case_when(age < 18 ~ 'a', age < 65 ~ 'b', TRUE ~ 'c') == 'b'", _BANDS),
    ('case_when(age < 18 ~ "a", age < 65 ~ "b", .default = "c") == "b"', _BANDS),
    ('str_detect(state, "A")', "contains(state, 'A')"),
    ('grepl("A", state)', "contains(state, 'A')"),
    ('grepl("A.", state, fixed = TRUE)', "contains(state, 'A.')"),
    ('born >= as.Date("1990-05-01")', _DAY),
    ("as.integer(age) == 18", "CAST(age AS INTEGER) = 18"),
    ("na_if(age, 99) > 3", "CASE WHEN age = 99 THEN NULL ELSE age END > 3"),
    ("replace_na(age, 0) > 3", "coalesce(age, 0) > 3"),
    ("pmax(age, hours) > 3", "greatest(age, hours) > 3"),
    ("nchar(state) == 2", "length(state) = 2"),
    ("xor(sex == 1, employed)", "(sex = 1) <> employed"),
    ("!missing(age)", "age IS NOT NULL"),
    ("inlist(age, 18, 19)", "age IN (18, 19)"),
    ('inlist(state, "MA", "NY") & age < 65', "state IN ('MA', 'NY') AND age < 65"),
    ("inrange(age, 18, 65)", "age BETWEEN 18 AND 65"),
    ("born >= mdy(5, 1, 1990)", _DAY),
    ("cond(missing(age), 0, age) > 3", "CASE WHEN age IS NULL THEN 0 ELSE age END > 3"),
]  # fmt: skip
REFUSED = [
    ("if_else(age >= 18, 1, 0) == 1",
     ["CASE WHEN age >= 18 THEN 1 WHEN NOT (age >= 18) THEN 0 END",
      "CASE WHEN age >= 18 THEN 1 ELSE 0 END"]),
    ("(received - shipped).dt.days > 3",
     ["days(received) - days(shipped)", "floor((seconds(received) - seconds(shipped)) / 86400)"]),
    ("!employed", ["NOT employed", "NOT coalesce(employed, FALSE)"]),
    ("!age == 18", ["!(age >= 18)"]),
    ("!(age %in% c(18))", ["age NOT IN (18)", "NOT coalesce(age IN (18), FALSE)"]),
    ("shipped < DATE '2020-01-31' + INTERVAL '1 month'", ["DATE '2026-11-03'"]),
    ("age ge 18", [">= > <= < = or <>"]),
    ("age < .", ["x IS NULL or x IS NOT NULL"]),
    ("position('A' IN state) = 2", ["contains(s, 'a')"]),
    ("state.str[0] == 'M'", [":"]),
    ("state.str.slice(1, 3) == 'A'", [""]),
    ("TIMESTAMPDIFF(YEAR, born, DATE '2024-01-01') >= 18", ["days(born) - days(DATE '2024-01-01')"]),
    ("df['state'].str.contains('A', case=False)", ["contains(lower(df['state']), 'a')"]),
    ("age > $1", ["the public value itself"]),
    ("age > :limit", ["the public value itself"]),
]  # fmt: skip
NAMES = KnownNames(hints={"x": "number", "d": "day", "e": "day", "m": "moment", "s": "text"})


def value(text, **row):
    return evaluate(typed(settled(expression(text), NAMES), NAMES), lambda name, _kind: row[name])


@pytest.mark.claim("C482")
@pytest.mark.parametrize(("text", "written"), TAKEN)
def test_what_has_one_meaning_is_kept_in_one_way(text, written):
    """One text, and the same tree as the text that it is kept as."""
    check_kept(TABLE, text, written)


@pytest.mark.claim("C482")
@pytest.mark.parametrize(("text", "lines"), REFUSED)
def test_what_has_two_is_refused_with_what_to_write(text, lines):
    """In three lines, of which the last one can be typed."""
    check_refused(TABLE, text, lines)


@pytest.mark.claim("C482")
def test_a_question_knows_one_text_of_a_day():
    """Two spellings of a question's condition make one plan, to its digest."""
    asked = [
        plan(TABLE, count(where=f"born > {day}"), spend=zcdp("1/50"))
        for day in ("'1990-05-01'", "DATE '1990-05-01'")
    ]

    assert asked[0].plain() == asked[1].plain()


@pytest.mark.claim("C481")
@pytest.mark.parametrize(
    ("text", "row", "expected"),
    [
        ("x BETWEEN 0.06 - 0.01 AND 0.06 + 0.01", {"x": 0.07}, True),
        ("x BETWEEN 0.06 - 0.01 AND 0.06 + 0.01", {"x": 0.05}, True),
        ("x = 0.1 + 0.2", {"x": 0.3}, True),
        ("x = 0.1 * 3", {"x": 0.3}, True),
        ("x + 1 / 0", {"x": 1.0}, None),
        ("x + 1e150 * 10", {"x": 1.0}, None),
        ("1e-150 / 10 + x", {"x": 1.0}, 1.0),
        ("sqrt(x)", {"x": 2.25}, 1.5),
        ("sqrt(x)", {"x": -2.25}, None),
        ("sqrt(x)", {"x": 0.0}, 0.0),
        ("days(date_trunc('month', d))", {"d": 30}, 0.0),
        ("days(date_trunc('quarter', d))", {"d": 89}, 0.0),
        ("days(date_trunc('quarter', d))", {"d": 90}, 90.0),
        ("days(date_trunc('week', d))", {"d": 0}, -3.0),
        ("days(date_trunc('year', d))", {"d": -1}, -365.0),
        ("seconds(date_trunc('hour', m))", {"m": -1}, -3600.0),
        ("days(date_trunc('day', d))", {"d": None}, None),
        ("d - e", {"d": 5, "e": 7}, -2.0),
    ],
)
def test_what_they_give(text, row, expected):
    """Constants are worked out exactly, and each function is total."""
    assert value(text, **row) == expected


@pytest.mark.claim("C481")
def test_numbers_that_are_typed_are_added_up_exactly():
    """Every sum, difference and product of two decimals of two places is the decimal itself."""
    for one in range(1, 120, 7):
        for other in range(1, 120, 11):
            texts = (f"{one / 100:.2f}", f"{other / 100:.2f}")
            assert str(expression(f"x > {texts[0]} + {texts[1]}")) == str(
                expression(f"x > {(one + other) / 100:.2f}")
            )
            assert str(expression(f"x > {texts[0]} * {texts[1]}")) == str(
                expression(f"x > {one * other / 10**4:.4f}")
            )


@pytest.mark.slow
@pytest.mark.claim("C482")
def test_what_is_written_half_is_refused_and_nothing_else_fails():
    """Words left out, put twice, exchanged: three lines, or an expression that is written again."""
    chance = random.Random(5)
    known = [[token.text for token in tokens(text) if token.text] for text, _ in TAKEN]
    words = sorted({word for listed in known for word in listed})

    for _ in range(3_000):
        said = [*chance.choice(known)]
        for _ in range(chance.choice([1, 1, 2])):
            place = chance.randrange(len(said) or 1)
            how = chance.choice(["out", "other", "more", "end"])
            said[place : len(said) if how == "end" else place + (how != "more")] = (
                [chance.choice(words)] if how in ("other", "more") else []
            )
        with suppress(InputError):
            TABLE.where(" ".join(said))
    for text in (
        "date_trunc()",
        "born >= to_datetime(",
        "born >= to_datetime()",
        "substr(",
        "when(",
    ):
        with pytest.raises(InputError):
            TABLE.where(text)
