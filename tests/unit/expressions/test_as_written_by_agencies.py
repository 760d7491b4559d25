"""Kinds that a sixth list brought: what SAS, SPSS, Stata, data.table and tables of Excel have of their own.

The list was written before the grammar was looked at: 182 conditions, 78 taken as they stood, 93 since.
"""

import pytest

from discreet import sql
from discreet.engine.evaluate import evaluate
from discreet.errors import InputError
from discreet.expressions import KnownNames, expression, settled, typed
from unit.as_written import check_kept, check_refused
from unit.expressions.test_as_written_by_analysts import TABLE

TAKEN = [
    # R
    ("age %between% c(18, 65)", "age BETWEEN 18 AND 65"),
    ("age %between% list(18, 65)", "age BETWEEN 18 AND 65"),
    ('city %like% "bos"', "contains(city, 'bos')"),
    ('city %like% "^bos"', "starts_with(city, 'bos')"),
    ('is.element(city, c("boston", "nyc"))', "city IN ('boston', 'nyc')"),
    ('is.element(city, "nyc")', "city IN ('nyc')"),
    ("is.element(month(born), 6:8)", "month(born) BETWEEN 6 AND 8"),
    ("is.element(month(born), seq(6, 8))", "month(born) BETWEEN 6 AND 8"),
    ("base::is.element(city, 'nyc') & base::is.na(age)", "city IN ('nyc') AND age IS NULL"),
    ("(age + 1) %in% c(21, 30)", "age + 1 IN (21, 30)"),
    ("-age %in% c(21, 30)", "-age IN (21, 30)"),
    ("age ** 2 %in% c(4)", "age * age IN (4)"),
    ("(age * 2) %% 3 == 0", "mod(age * 2, 3) = 0"),
    ("age %between% c(-1, 65)", "age BETWEEN -1 AND 65"),
    ("inrange(age, 18, 65)", "age BETWEEN 18 AND 65"),
    ("is.element(month(born), c(6:8, 12))", "month(born) IN (6, 7, 8, 12)"),
    ("month(born) %in% c(12, 1:2, 1)", "month(born) IN (12, 1, 2)"),
    ("hour(seen) %in% seq(8, 17, by = 1)", "hour(seen) BETWEEN 8 AND 17"),
    ("data.table::between(age, 18, 65)", "age BETWEEN 18 AND 65"),
    ("data.table::fifelse(is.na(age), 0, 1) == 1", "CASE WHEN age IS NULL THEN 0 ELSE 1 END = 1"),
    # SAS, SPSS and Stata
    ("month(born) in (1:3)", "month(born) BETWEEN 1 AND 3"),
    (
        "born is not null and month(born) NOT IN (1:3, 12)",
        "born IS NOT NULL AND month(born) NOT IN (1, 2, 3, 12)",
    ),
    ("born >= '01JAN1990'd and born < '01JAN1991'd",
     "born >= DATE '1990-01-01' AND born < DATE '1991-01-01'"),
    ("born >= '01JAN1990'd", "born >= DATE '1990-01-01'"),
    ('born in ("1jan1990"d, "02Feb1990"d)', "born IN (DATE '1990-01-01', DATE '1990-02-02')"),
    ("CHAR.UPCASE(city) = 'BOS'", "upper(city) = 'BOS'"),
    ("qtr(born) = 1", "quarter(born) = 1"),
    ("XDATE.YEAR(born) = 1990", "year(born) = 1990"),
    ('CHAR.INDEX(city, "bos") > 0', "contains(city, 'bos')"),
    ('ustrlower(city) = \'boston\'', "lower(city) = 'boston'"),
    # Python
    ("df['city'].isin({'boston', 'nyc'})", "city IN ('boston', 'nyc')"),
    ("age in {18, 19}", "age IN (18, 19)"),
    ("born.dt.month.isin(range(6, 9))", "month(born) BETWEEN 6 AND 8"),
    # tables of a spreadsheet
    ("=people[@age]>18", "age > 18"),
    ("data.age::int > 18", "CAST(age AS INTEGER) > 18"),
    ("=people[@[age]]+people[@hours]>18", "age + hours > 18"),
    ("=DAYS([@hired],[@born])>365", "days(hired) - days(born) > 365"),
    ("=DAYS([@hired],DATE(1990,1,1))>365", "days(hired, DATE '1990-01-01') > 365"),
    ('=DATEVALUE("1990-01-01")<=[@born]', "DATE '1990-01-01' <= born"),
]  # fmt: skip
REFUSED = [  # each with lines that are conditions of the table, or name what to do
    ("age in (18:65)", ["age BETWEEN 18 AND 65", "floor(age) = age"]),
    ("age %in% c(18:25, 30)", ["age BETWEEN 18 AND 25 OR age IN (30)"]),
    ("age NOT IN (1, 18:25)", ["NOT (age BETWEEN 18 AND 25 OR age IN (1))"]),
    ("month(born) %in% c(1:3, age)", ["month(born) BETWEEN 1 AND 3 OR month(born) IN (age)"]),
    ("month(born) %in% c(1:300, 2)", ["month(born) BETWEEN 1 AND 300 OR month(born) IN (2)"]),
    ("month(born) %in% 3:1", ["write 1:3"]),
    ("month(born) %in% c(3:1, 12)", ["write 1:3"]),
    ("hour(seen) %in% seq(8, 17, by = 2)", ["x IN (8, 10, 12)"]),
    ("age %between% c(18)", ["age BETWEEN 18 AND 65"]),
    (
        "age %between% c(hours, 65)",
        ["age BETWEEN hours AND 65", "(hours IS NULL OR age >= hours) AND age <= 65"],
    ),
    (
        "data.table::between(age, 18, hours)",
        ["age BETWEEN 18 AND hours", "age >= 18 AND (hours IS NULL OR age <= hours)"],
    ),
    ("data.table::inrange(age, hours, 65)", ["age BETWEEN hours AND 65"]),
    ("inrange(age, 18, hours)", ["age BETWEEN 18 AND hours"]),
    ("age %between% c(18, NA)", ["write age >= 18"]),
    ("age %between% list(NA, 65)", ["write age <= 65"]),
    ("data.table::between(age, 18, NA)", ["write age >= 18"]),
    ("age %in% c(18, NA)", ["x IS NULL"]),
    ("data.table::between(age, 18, 65, FALSE)", ["age > 18 AND age < 65"]),
    ("age + 1 %in% c(21, 30)", ["(age + 1) %in% c(21, 30)", "age + (1 %in% c(21, 30))"]),
    ("age / 10 %between% c(1, 3)", ["(age / 10) %between% c(1, 3)"]),
    ("age - hours * 2 %in% 3:5", ["(age - hours * 2) %in% 3:5", "age - hours * (2 %in% 3:5)"]),
    ("age * 2 %% 3 == 0", ["(age * 2) %% 3", "age * (2 %% 3)"]),
    ("age %inrange% list(18, 66)", ["age BETWEEN 18 AND 66"]),
    ("age %nin% c(1, 2)", ["age NOT IN (1, 2)", "NOT coalesce(age IN (1, 2), FALSE)"]),
    ("month(born) %notin% c(1, 2)", ["month(born) NOT IN (1, 2)"]),
    ("Hmisc::cut2(age, g = 3) == 1", ["cut2 alone, without Hmisc::"]),
    ("zip::varchar(5) = '02138'", ["leave ( and what follows out"]),
    ('city =: "bos"', ["starts_with(city, 'bos')"]),
    ("city in: ('bos', 'ny')", ["starts_with(city, 'bos') OR starts_with(city, 'ny')"]),
    ("'01JAN90'd <= born", ["DATE '1990-01-01'"]),
    ("'31FEB1990'd <= born", ["DATE '1990-01-01'"]),
    ("'05-MAR-1991'd <= born", ["DATE '1991-03-05'"]),
    ("seen > '01JAN1990:10:00:00'dt", ["TIMESTAMP '1990-01-01 10:00:00'"]),
    ("=[@born]>DATE(26,1,3)", ["DATE(1926, 1, 3)"]),
    ("td(01jan1990) <= born", ["DATE '1990-01-01'"]),
    ("MISSING(age) = 0", ["write FALSE in its place"]),
    ("ANY(age, 18, 19)", ["age IN (18, 19)"]),
    ("any(age > 18)", ["the condition alone"]),
    ("NMISS(age, hours) = 0", ["age IS NOT NULL AND hours IS NOT NULL"]),
    ('PRXMATCH("/bos/", city)', ["starts_with(city, 'a')", "contains(city, 'a')"]),
    ("input(zip, 8.) > 2000", ["CAST(zip AS DOUBLE)"]),
    ('intnx("month", born, 0) = born', ["date_trunc('month', born)"]),
    ("age ^= 18", ["<>", "IS DISTINCT FROM"]),
    ("age ~= 18", ["<>", "IS DISTINCT FROM"]),
    ('age == 18 if sex == "f"', ["AND in the place of IF"]),
    ("sum(age, hours) > 50", ["age + hours"]),
    ("df['born'].dt.strftime('%Y') == '1990'", ["year(born)"]),
    ('=ISNUMBER(SEARCH("BOS",[@city]))', ["contains(lower([@city]), 'bos')"]),
    ("=IFNA([@age],0)>18", ["coalesce([@age], 0)"]),
    ("=people[[#This Row],[age]]>18", ["[@age]"]),
]


@pytest.mark.claim("C626")
@pytest.mark.parametrize(("text", "written"), TAKEN)
def test_what_has_one_meaning_is_taken_and_written_in_one_way(text, written):
    """Read again it is the same tree."""
    check_kept(TABLE, text, written)


@pytest.mark.claim("C626")
@pytest.mark.parametrize(("text", "lines"), REFUSED)
def test_what_has_two_or_none_is_refused_with_what_to_write(text, lines):
    """Three lines, of the columns that stand in the text."""
    check_refused(TABLE, text, lines)


@pytest.mark.claim("C626")
@pytest.mark.parametrize(
    ("text", "row", "expected"),
    [
        ("x %between% c(1, 3)", {"x": 3.0}, True),
        ("x %between% c(1, 3)", {"x": None}, None),
        ("month(d) in (1:3, 12)", {"d": 0}, True),  # 1970-01-01
        ("month(d) in (2:3, 12)", {"d": 0}, False),
        ("d <= '01JAN1970'd and d >= '01JAN1970'd", {"d": 0}, True),
        ("=DAYS(e,d)=1", {"d": 0, "e": 1}, True),
    ],
)
def test_what_is_taken_means_what_its_language_says(text, row, expected):
    """Both ends of a range are in it; the days of a formula are those from the second to the first."""
    known = KnownNames(hints={"x": "number", "d": "day", "e": "day"})
    tree = typed(settled(expression(text), known), known)

    assert evaluate(tree, lambda name, _kind: row[name]) == expected


def _key(value):
    """Where SAS has a value among all: a missing one before the others."""
    return (value is not None, value or 0)


@pytest.mark.claim("C626")
@pytest.mark.parametrize(
    ("text", "of_sas", "is_taken"),
    [
        ("d < '02JAN1970'd", lambda d, _e: d < _key(1), False),
        ("d <= '02JAN1970'd", lambda d, _e: d <= _key(1), False),
        ("d > '02JAN1970'd", lambda d, _e: d > _key(1), True),
        ("d >= '02JAN1970'd", lambda d, _e: d >= _key(1), True),
        ("d = '02JAN1970'd", lambda d, _e: d == _key(1), True),
        ("d <> '02JAN1970'd", lambda d, _e: d != _key(1), False),
        ("'02JAN1970'd < d", lambda d, _e: _key(1) < d, True),
        ("'02JAN1970'd > d", lambda d, _e: _key(1) > d, False),
        ("d in ('02JAN1970'd)", lambda d, _e: d == _key(1), True),
        ("d not in ('02JAN1970'd)", lambda d, _e: d != _key(1), False),
        ("NOT d >= '02JAN1970'd", lambda d, _e: d < _key(1), False),
        ("NOT (d >= '02JAN1970'd AND e > d)", lambda d, e: not (d >= _key(1) and e > d), False),
        ("d >= '01JAN1970'd AND d < '03JAN1970'd", lambda d, _e: _key(0) <= d < _key(2), True),
        ("d >= '01JAN1970'd AND d < e", lambda d, e: _key(0) <= d < e, True),
        ("d >= '01JAN1970'd OR d IS NULL OR d < e", lambda d, _e: d >= _key(0) or not d[0], True),
        ("d BETWEEN '01JAN1970'd AND e", lambda d, e: _key(0) <= d <= e, True),
        ("e IS NOT NULL AND NOT e = '02JAN1970'd", lambda _d, e: e[0] and e != _key(1), True),
        ("NOT (d IS NOT NULL AND d > '02JAN1970'd)", lambda d, _e: not d > _key(1), False),
        ("month(d) not in (2:3)", lambda _d, _e: True, False),
        (
            "CASE WHEN d < '02JAN1970'd THEN 1 ELSE 0 END = 1 AND d IS NOT NULL",
            lambda d, _e: _key(0) <= d < _key(1),
            True,
        ),
        (
            "coalesce(d, '01JAN1970'd) = '01JAN1970'd AND (d < '02JAN1970'd OR d IS NULL)",
            lambda d, _e: d < _key(1),
            True,
        ),
        (
            "days(d) / 2 IS NOT NULL AND days(d) / 2 <> 1 AND d > '01JAN1900'd",
            lambda d, _e: d[0] and d != _key(2),
            True,
        ),
    ],
)
def test_what_is_spelled_as_in_sas_counts_the_rows_that_sas_counts(text, of_sas, is_taken):
    """As it stands where it is taken; else by the second line of the refusal."""
    known = KnownNames(hints={"d": "day", "e": "day"})
    if not is_taken:
        with pytest.raises(InputError, match=r"add AND [de] IS NOT NULL") as told:
            expression(text)
        text = str(told.value).partition("; or write ")[2]
    tree = typed(settled(expression(text), known), known)
    for d in (None, 0, 1, 2):
        for e in (None, 0, 1, 2):
            counted = evaluate(tree, lambda name, _kind, row={"d": d, "e": e}: row[name]) is True

            assert counted == of_sas(_key(d), _key(e)), (text, d, e)


@pytest.mark.claim("C626")
@pytest.mark.parametrize(
    "text",
    [
        "CASE WHEN d < '02JAN1970'd THEN 1 ELSE 0 END = 1",
        "coalesce(d, '01JAN1970'd) = '01JAN1970'd AND d < '02JAN1970'd",
        "d > '01JAN1970'd OR d < '02JAN1970'd",
        "days(d) / 2 < 3 AND d IS NOT NULL AND d > '01JAN1970'd",
    ],
)
def test_a_comparison_is_taken_only_beside_what_is_false_of_a_missing_cell(text):
    """A part of coalesce or CASE may be true of one; a quotient may be missing where no cell is."""
    with pytest.raises(InputError, match="rows with a missing cell have two meanings"):
        expression(text)


@pytest.mark.claim("C626")
@pytest.mark.parametrize(
    ("text", "of_sas"),
    [
        ("d < e", lambda d, e: d < e),
        ("d <= e", lambda d, e: d <= e),
        ("e > d", lambda d, e: e > d),
        ("e >= d", lambda d, e: e >= d),
        ("d = e", lambda d, e: d == e),
        ("d <> e", lambda d, e: d != e),
    ],
)
def test_two_columns_are_compared_as_in_sas_by_the_line_of_the_refusal(text, of_sas):
    """Beside a day of SAS that is true of every row of the test, and says whose language it is."""
    known = KnownNames(hints={"d": "day", "e": "day", "f": "day"})
    whole = f"f >= '01JAN1970'd AND {text}"
    with pytest.raises(InputError, match="two meanings") as told:
        expression(whole)
    line = str(told.value).partition("; or write ")[2]
    tree = typed(settled(expression(line), known), known)
    for d in (None, 0, 1):
        for e in (None, 0, 1):
            counted = evaluate(tree, lambda name, _kind, row={"d": d, "e": e}: row[name]) is True

            assert counted == of_sas(_key(d), _key(e)), (line, d, e)


@pytest.mark.claim("C626")
@pytest.mark.parametrize(
    "text",
    ["age %between%", "age %between% c(1", "age %between% c(18:65)", "%like% 'a'", "city %like%",
     'city %like% ""', "city %like% 3", "is.element()", "is.element(age)", "is.element(age, c())",
     "is.element(age, c(1", "age in (1:", "age in (:3)", "age in (1:x)", "month(born) in (1:2:3)",
     "age in {}", "age in {1", "age}", "{age}", "city in {'a': 1}", "age %in% seq(1)", "age %in% seq(1, 2,",
     "df.age.isin(range(9, 3))", "df.age.isin(range(", "data.table::", "data.table::x", "xdate.week(born)",
     "'1jan1990'd 'x'", "base::", "base::is.", "age %nin%", "%nin% c(1)",
     ") %nin% c(1)", "age + 1 %in%", "age + 1 %in% c(", "age * 2 %%", "age %between% c(,)", "is.element(age, seq(",
     "inrange()", "inrange(age, 1)", "data.table::between(age, 1, 2, 3, 4)", "''d = born", "NOT born = '01JAN1990'd",
     "=people[@", "=DAYS()", "=DAYS([@age],1)>1", "=ISNUMBER(SEARCH())", "x::y(1)"],
)  # fmt: skip
def test_half_of_a_form_is_refused_in_three_lines(text):
    """None of them is an error of another kind."""
    with pytest.raises(InputError) as told:
        TABLE.where(text)

    assert len(str(told.value).splitlines()) == 3


@pytest.mark.claim("C440")
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("SELECT COUNT(*) FROM people SAMPLE (10)", "ask of all rows"),
        ("SELECT COUNT(*) FROM people SAMPLE BLOCK (10)", "ask of all rows"),
        ("SELECT COUNT(*) FROM people USING SAMPLE 10%", "ask of all rows"),
        ("SELECT TOP (5) state, COUNT(*) FROM people GROUP BY state", "show the first of the"),
        ("SELECT COUNT(*) AS n INTO out FROM people", "discreet sql --release"),
        (
            "SELECT QUANTILE_CONT(income, [0.25, 0.5]) FROM people",
            "QUANTILE_CONT(income, 0.25), QUANTILE_CONT(income, 0.5)",
        ),
        ("SELECT state, 100.0 * COUNT(*) FROM people GROUP BY state", "leave 100.0 out"),
        ("SELECT HISTOGRAM(income) FROM people", 'discreet.histogram("income", bins=20)'),
        ("SELECT state, N(income) FROM people GROUP BY state", "COUNT(income)"),
        ("SELECT FREQ(state) FROM people", "COUNT(*), with GROUP BY state"),
    ],
)
def test_a_select_of_other_engines_is_refused_with_what_to_write(text, line):
    """In three lines."""
    with pytest.raises(InputError, match="why: ") as told:
        sql(text, TABLE)

    assert line in str(told.value).splitlines()[2]


@pytest.mark.claim("C440")
def test_sample_may_be_the_second_name_of_a_table():
    """Only before what says how many rows are drawn it is another thing."""
    table, asked = sql("SELECT COUNT(*) FROM people sample WHERE sample.age > 18", TABLE)

    assert (table.condition.expression.text, asked.plain()) == ("age > 18", {"statistic": "count"})
