"""The language of rows: what is read is written in one way, and nothing else of SQL is read."""

import pytest

from discreet import bounds, derived, table
from discreet.engine.evaluate import evaluate, normal
from discreet.errors import InputError
from discreet.expressions import KnownNames, expression, typed
from discreet.expressions.parser import MAX_PARTS
from engine.expression_worlds import Maker

HINTS = {"x": "number", "y": "number", "s": "text", "t": "text", "d": "day", "m": "day"}
NAMES = KnownNames(hints={**HINTS, "b": "truth"})


def value(text, **row):
    return evaluate(typed(expression(text), NAMES), lambda name, _kind: row[name])


@pytest.mark.parametrize(
    ("typed_so", "written"),
    [
        ("(age>=18) and not (a = 1 OR b=2)", "age >= 18 AND NOT (a = 1 OR b = 2)"),
        ("a!=.5", "a <> 0.5"),
        ("a - (b - c) - d > 1E3", "a - (b - c) - d > 1000"),
        ("- - 5 = -(x)", "-(-5) = -x"),
        ("NOT x IN (1,2)", "x NOT IN (1, 2)"),
        ("x not between 1 and 2", "x NOT BETWEEN 1 AND 2"),
        ("\"select\" = 'it''s'", "\"select\" = 'it''s'"),
        ("CASE WHEN a THEN 1 END", "CASE WHEN a THEN 1 END"),
        ("t >= timestamp '2020-01-01T10:00'", "t >= TIMESTAMP '2020-01-01 10:00:00'"),
        ("2e20 = a * 1e-7", "2e20 = a * 1e-7"),
        ("FLOOR(a/10)", "floor(a / 10)"),
    ],
)
def test_an_expression_has_one_way_to_be_written(typed_so, written):
    assert str(expression(typed_so)) == written == str(expression(written))


def is_short(text):
    """Whether an expression is read; else it is refused by its number of parts."""
    try:
        expression(text)
    except InputError as error:
        if f"more than {MAX_PARTS} parts" not in error.what:
            raise
        return False
    return True


@pytest.mark.claim("C50")
@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("part", range(10))
def test_the_canonical_text_is_the_same_tree(part):
    """A thousand random expressions in ten parts: read again they are what they were."""
    maker = Maker(part)
    drawn = [(kind, maker.one(kind, 4)) for kind in ["number", "truth", "text", "day"] * 30]
    short = [(kind, text) for kind, text in drawn if is_short(text)]
    assert len(short) >= 100
    for kind, text in short:
        found = expression(text)

        assert expression(found.text) == found
        assert expression(found.text).part == found.part
        assert typed(found, NAMES, kind).kind == kind


ATTACKS = [
    *("(SELECT max(x) FROM t) > 1", "x IN (SELECT x FROM t)", "EXISTS (SELECT 1)", "x > ALL (1)"),
    *("x > AVG(x) OVER ()", "SUM(x) > 1", "COUNT(*) > 1", "row_number() OVER (ORDER BY x) = 1"),
    *("MAX(x) = x", "lag(x) > 1", "rank() > 1", "median(x) < x", "first(x) = 1", "rowid = 1 OR f()"),
    *("random() < 0.5", "now() > d", "current_date() > d", "uuid() = s", "getenv('HOME') = s"),
    *("read_text('/etc/passwd') = s", "read_csv('x') = s", "glob('*') = s", "pg_sleep(10) IS NULL"),
    *("sleep(10) = 1", "pg_read_file('x') = s", "current_setting('x') = s", "error('x') = s"),
    *("nextval('s') = 1", "version() = s", "query('x') = s", "s = chr(65)", "eval('x') = 1"),
    *("TRUE; DROP TABLE t", "TRUE; ;", "TRUE -- x", "TRUE /* x", "TRUE /*! x */", "TRUE /* /* */ x */", "x = 1 # y", "-- \n TRUE"),
    *("x::INT = 1", "CAST(x AS INT) = 1", "TRY_CAST(x AS INT) = 1", "s COLLATE NOCASE = 'a'"),
    *("s LIKE 'a_'", "s LIKE 'a%b'", "s LIKE '%'", "s LIKE t", "s LIKE 'a' ESCAPE 'b'", "s ILIKE 'a'", "s SIMILAR TO 'a'", "s ~ 'a'", "regexp_matches(s, 'a.')"),
    *("upper(x + 1) = 'A'", "lower(s) = 1", "length(s) = '1'", "left(s, 0) = 'a'", "substr(s, x, 1) = 'a'", "s || t = 'ab'", "s[1] = 'a'"),
    *("x % 2 = 0", "x // 2 = 1", "x ^ 2 = 4", "x ** 0.25 = 4", "-x ** 2 = 4", "x ** 2 ** 2 = 4", "x ** 9 = 4", "x & 1 = 1", "x << 1 = 2", "~x = 1"),
    *("floor(x, 2) = 1", "floor(x TO DAY) = d", "abs() = 1", "x BETWEEN ASYMMETRIC 3 AND 1"),
    *("round(x, y) = 1", "round(x, 0.5) = 1", "round(x, 99) = 1", "coalesce(x) = 1"),
    *("abs(DISTINCT x) = 1", "abs(x ORDER BY y) = 1", "abs(x) FILTER (WHERE b) = 1", "abs(*) = 1"),
    *("x = NULL", "NULL", "x IN (NULL)", "x IN ()", "x IN (y)", "x = ANY (1)", "x IS DISTINCT 1"),
    *("1 IS TRUE", "x IS NOT 1", "s < 'a'", "1 = 'a'", "(b OR b) = 1", "1 AND b"),
    *("1e400 > x", "x > 1e-200", "x > 1__000", "x > 1_", "x > 0x10", "x > 1e", "x > 1.2.3", "DATE '2020-02-30' = d"),
    *("DATE '0000-01-01' = d", "TIMESTAMP 'x' = m", "INTERVAL '1 day' IS NULL", "'a", '"x = 1', "$x = 1"),
    *("? = 1", ":x = 1", "@x = 1", "`x = 1", "{fn now()} = d", "x.1 = 1", "x.y() = 1", "[x = 1", "x.abs().", "x.", "x.dt.", "df[", "np.", "CAST(x AS", "EXTRACT(YEAR FROM", "x::", "t.* = 1", "* = 1", "x, y"),
    *("x =", "= x", "x > > 1", "(x > 1", "x > 1)", "NOT", "x BETWEEN 1", "CASE END", "CASE x WHEN 1"),
    *("CASE WHEN b THEN 1 ELSE 'a' END = 1", "least('a', s) = 'a'", "band(x, 3, 1) = 1", "log2(x) > 1"),
    *("contains(s, t)", "starts_with(s, '')", "lambda x: x", "x -> x + 1", "[x] = [1]", "x = 1\x00"),
    *("x = 1 UNION SELECT 1", "x = 1 LIMIT 1", "x = 1 GROUP BY x", "x AS y", "WITH a AS (x) x = 1"),
    *("(" * 60 + "b" + ")" * 60, "NOT " * 700 + "b", "x" * 5000, "x+" * 100 + "1 = x", "x \udc80 = 1"),
]  # fmt: skip


@pytest.mark.claim("C50")
@pytest.mark.parametrize("text", ATTACKS, ids=range(len(ATTACKS)))
def test_what_is_no_question_about_one_row_is_refused(text):
    """Sub-queries, windows, functions that read or wait, second statements, odd arguments."""
    with pytest.raises(InputError) as told:
        typed(expression(text), NAMES, "truth")

    assert len(str(told.value).splitlines()) == 3


def test_there_are_a_hundred_attacks_and_more():
    assert len(set(ATTACKS)) > 120


@pytest.mark.parametrize(
    "text", ["NOT " * 300 + "x > 0", "+".join(["x"] * 250) + " > 0", "x" + " * 2" * 250 + " > 0"]
)
def test_parts_that_stand_in_one_another_without_brackets_are_refused_as_too_deep(text):
    """Whoever walks through them would come to the end of Python's own patience."""
    with pytest.raises(InputError, match="nested more than 120 deep"):
        expression(text)


def test_the_place_is_marked():
    with pytest.raises(InputError) as told:
        expression("income > AVG(income) OVER ()")

    assert "income > »AVG«(income) OVER ()" in told.value.what


PEOPLE = table(
    "people.csv",
    unit="row",
    columns={"age": bounds(0, 110), "born": bounds("1900-01-01", "2010-12-31")},
    keys={"state": ["MA", "NY"], "employed": [True, False], "code": ["01", "02"]},
)


@pytest.mark.parametrize(
    ("text", "place", "fix"),
    [
        ('state = "MA"', "»MA«", "write 'MA'"),
        ("state IN (MA, NY)", "»MA«", "write 'MA'"),
        ('town = "Bonn"', "»town«", "write 'Bonn' if that is text"),
        ("wage > '1990-01-01'", "»wage > '1990-01-01'«", "write DATE '1990-01-01'"),
        ("age >= '18'", "»age >= '18'«", "write 18"),
        ("year(born) = '1990'", "»'1990'«", "write 1990"),
        ("born > 1990", "»born« > 1990", "with year(born) or days(born)"),
        ("born - 1 > DATE '2000-01-01'", "»born«", "DATE '2026-11-03'"),
        ("hired > 1990-01-31", "»1990-01-31«", "write DATE '1990-01-31'"),
        ("born > DATE '1990-13-01'", "»'1990-13-01'«", "such as DATE '2026-11-03'"),
        ("born < current_date", "»current_date«", "write a public value"),
        ("state = 1", "»state« = 1", "as in state = 'MA'"),
        ("age", "»age«", "as in age >= 18"),
        ("NOT age", "»age«", "as in age >= 18"),
        ("age <> 18 <> 65", "»<>« 65", "two comparisons with AND"),
        ("age => 18", "»=>«", "write >="),
        ("age > 30,000", "»,«", "without commas"),
        ("age > 30__000", "»_«", "write the number in full"),
        ("state = 'O'Brien'", "»'«", "'O''Brien'"),
        ("state = \u201cMA\u201d", "»\u201c«", "straight marks"),
        ("state IS missing", "»missing«", "write NULL"),
        ("state = 'M\x00A'", "M»\\x00«A", "leave this character out"),
        ("age > 18 AND", "»«", "leave AND out"),
        ("age 18", "»18«", "write AND, OR or an operator before 18"),
        ("state IN ('MA',)", "»)«", "leave the last comma out"),
        ("state IN 'MA'", "»'MA'«", "write ('MA')"),
        ("age IS 18", "»18«", "write = 18"),
        ("age > 18)", "»)«", "leave ) out"),
        ("(age > 18", "»«", "write ) at the end"),
        ("age > 18, employed", "»,«", "AND or OR in the place of the comma"),
        ("age > 18.000.000", "».000«", "with one point"),
        ("age>18and employed", "»a«", "write a blank before AND"),
        ("age BETWEEN 18 TO 65", "»TO«", "as in BETWEEN 18 AND 65"),
        ("age // 0.1 = 1", "»div(age, 0.1)«", "write floor(age / 0.1)"),
        ("born - INTERVAL 1 YEAR > DATE '2000-01-01'", "»INTERVAL«", "the day itself"),
        ("WHERE age > 18", "»WHERE«", "without WHERE"),
        ("age > (SELECT 1)", "»SELECT«", "there are no sub-queries"),
        ("max(age, 3) > 1", "»max«", "greatest(age, 3)"),
        ("date_trunc('month', born) = 1", "»1«", "days with DATE"),
    ],
)
def test_what_people_write_first_is_refused_with_what_to_write(text, place, fix):
    """Nothing that could never be true is taken without a word."""
    with pytest.raises(InputError) as told:
        PEOPLE.where(text)

    assert place in told.value.what
    assert fix in str(told.value).splitlines()[2]


@pytest.mark.parametrize(
    "text",
    [
        *("state = 'MA'", "born = DATE '1990-01-01'", "year(born) > 1990", "employed = 1"),
        *(
            "age > 1990 - 10 - 10",
            "age > 1990-1-1",
            "employed",
            "code = 1",
            "age = '18'",
            "state = MA2",
            '"current_date" > 3',
        ),
        *("born IS NULL", "coalesce(born, DATE '2000-01-01') > DATE '1990-01-01'"),
    ],
)
def test_what_may_be_true_is_taken(text):
    PEOPLE.where(text)


@pytest.mark.parametrize(
    ("text", "row", "expected"),
    [
        ("x / 0", {"x": 1.0}, None),
        ("x * 1e100", {"x": 1e100}, None),
        ("x * 1e-100", {"x": 1e-100}, 0.0),
        ("round(x)", {"x": -2.5}, -2.0),
        ("round(x, 2)", {"x": 1e149}, None),
        ("band(x, 0, 18, 65)", {"x": 17.0}, 0.0),
        ("band(x, 0, 18, 65)", {"x": -1.0}, None),
        ("weekday(d)", {"d": 0}, 4.0),
        ("b OR x > 1", {"b": None, "x": 2.0}, True),
        ("b AND x > 1", {"b": None, "x": 2.0}, None),
        ("least(x, y)", {"x": 1.0, "y": None}, None),
        ("x IN (1, 2)", {"x": None}, None),
        ("CASE WHEN b THEN 1 ELSE 2 END", {"b": None}, 2.0),
    ],
)
def test_what_operators_give(text, row, expected):
    assert value(text, **row) == expected


def test_numbers_beyond_the_language_are_null_or_zero():
    assert [normal(x) for x in (1e150, 1.1e150, -1e-150, -9e-151, None)] == [
        *(1e150, None, -1e-150, 0, None)
    ]


def test_a_derived_column_has_a_name_of_its_own():
    people = table([], unit="row", keys={"age": [1, 2]})
    for name in ("age", "old"):
        with pytest.raises(InputError, match="is a column of the data already"):
            people.where("old = 1").derive({name: derived("age + 1", keys=[1])})


def test_derived_columns_see_each_other_and_survive_plain_data():
    from discreet.schema import table_of

    people = table([], unit="row", keys={"state": ["MA"]}).derive(
        tens=derived("floor(age/10)", keys=range(3)), old=derived("tens >= 2", keys=[True])
    )
    found = people.where("state = 'MA'").where("age > 1 OR old")

    assert found.condition.expression.text == "state = 'MA' AND (age > 1 OR old)"
    assert table_of(found.plain()).plain() == found.plain()
    assert table_of(found.plain()).derived == found.derived


def test_a_saved_release_of_derived_keys_verifies(tmp_path):
    """Whole numbers that are derived are whole numbers in every file."""
    import discreet as dp

    rows = [{"age": age} for age in range(90)]
    people = table(rows, unit="row", name="p").where("age >= 18")
    people = people.derive(tens=derived("floor(age / 10)", keys=range(2, 9)))
    plan = dp.plan(people, dp.count(by="tens", where="age < 80"), spend=dp.zcdp(1))
    book = dp.ledger(tmp_path / "book", budget=dp.zcdp(1))
    dp.run(plan, ledger=book).save(tmp_path / "out")

    assert "table.parquet" in str(dp.verify(tmp_path / "out", ledger=book))


@pytest.mark.claim("C339")
@pytest.mark.parametrize("no", ["", "NOT "])
@pytest.mark.parametrize(
    ("column", "lower", "upper"),
    [
        ("x", "1", "3"),
        ("x", "-3", "-1"),
        ("x", "2e-20", "0.1"),
        ("x", "9", "10"),
        ("d", "DATE '2019-12-31'", "DATE '2020-01-01'"),
    ],
)
def test_an_interval_the_wrong_way_round_is_refused(column, lower, upper, no):
    """F9: nothing is between 3 and 1, and a count of it was charged as any."""
    typed(expression(f"{column} {no}BETWEEN {lower} AND {upper}"), NAMES)
    typed(expression(f"{column} {no}BETWEEN {lower} AND {lower}"), NAMES)
    typed(expression(f"x {no}BETWEEN 3 AND y"), NAMES)

    with pytest.raises(InputError, match="the wrong way round"):
        typed(expression(f"{column} {no}BETWEEN {upper} AND {lower}"), NAMES)
