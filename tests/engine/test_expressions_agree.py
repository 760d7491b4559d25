"""Random expressions over hostile rows: the reference and the query give the same, cell by cell."""

import csv
import math
from datetime import date, datetime

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet import bounds, count, derived, table
from discreet.engine import evaluate as reference
from discreet.engine.memory import MemoryEngine
from discreet.engine.select_engine import engine_for
from discreet.engine.sql import expression_sql
from discreet.statistic.sum import sum_
from engine.expression_worlds import Maker, rows
from engine.sources import opened
from servers import filled

KEYS = {"i": range(120), "s": ["a"], "t": ["a"], "b": [True], "d": ["2000-02-29"]}
KEYS |= {"m": ["2000-02-29"]}
SCHEMA = {"i": pa.int32(), "x": pa.float64(), "y": pa.float64(), "s": pa.string()}
SCHEMA |= {"t": pa.string(), "d": pa.date32(), "m": pa.timestamp("us"), "b": pa.bool_()}
COUNT = 120


def numbered(seed):
    return [{"i": number, **row} for number, row in enumerate(rows(COUNT, seed))]


def declared(source):
    """The table, with what tells the type of each column."""
    any_ = bounds(0, 1, step=1)
    return table(source, unit="row", columns={"x": any_, "y": any_}, keys=KEYS, name="t")


def asked(source, seed, many, make=Maker):
    """A table and questions that tell of each row what expressions give for it."""
    maker = make(seed)
    found = declared(source)
    questions = []
    for number in range(many):
        name = f"n{number}"
        made = derived(maker.number(3), bounds=bounds(-(10**6), 10**6, step="0.001"))
        found = found.derive({name: made})
        questions += [sum_(name, by="i"), count(by="i", where=f"{name} IS NULL")]
        questions.append(count(by="i", where=maker.truth(3)))
        questions.append(count(by="i", where=f"({maker.truth(2)}) IS NULL"))
        questions.append(count(by="i", where=f"{maker.text(2)} = 'a'"))
    return found, tuple(a for one in questions for a in one.aggregates(found))


def compare(source, data, seed, many):
    expected_of, aggregates = asked(data, seed, many)
    given = asked(source, seed, many)[0]
    expected = opened(MemoryEngine().prepare(expected_of, aggregates).count(0))
    assert opened(engine_for(source).prepare(given, aggregates).count(0)) == expected
    assert any(any(vector) for vector in expected)


def arrow(data):
    return pa.Table.from_pylist(data, schema=pa.schema(SCHEMA))


def of_database(data, _folder):
    source = duckdb.connect()
    source.register("given", arrow(data))
    source.execute("CREATE TABLE t AS SELECT * FROM given")
    source.execute("SET default_collation = 'NOCASE'")
    return source, data


def of_parquet(data, folder):
    pq.write_table(arrow(data), folder / "t.parquet", row_group_size=10)
    return str(folder / "t.parquet"), data


def of_csv(data, folder):
    """A file of text, and the same text as rows."""
    told = [{name: _said(cell) for name, cell in row.items()} for row in data]
    with (folder / "t.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, SCHEMA, quoting=csv.QUOTE_MINIMAL)
        writer.writeheader()
        writer.writerows(told)
    return str(folder / "t.csv"), [{n: c or None for n, c in row.items()} for row in told]


def _said(cell):
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    if isinstance(cell, (date, bool)):
        return str(cell)
    return "" if cell is None else str(cell)


def of_objects(data, _folder):
    import pandas as pd

    return pd.DataFrame(
        {name: pd.Series([r[name] for r in data], dtype=object) for name in SCHEMA}
    ), data


def of_polars(data, _folder):
    import polars as pl

    return pl.from_arrow(arrow(data)), data


def of_postgres(data, _folder):
    """A table of a server, and the rows as they are."""
    kinds = {"i": "integer", "x": "double precision", "y": "double precision", "s": "text"}
    kinds |= {"t": "text", "d": "date", "m": "timestamp", "b": "boolean"}
    return filled(kinds, [tuple(row[name] for name in kinds) for row in data]), data


SOURCES = [of_postgres, of_database, of_parquet, of_csv, of_objects, of_polars]


@pytest.mark.exhaustive("expressions agree")
@pytest.mark.claim("C51")
@pytest.mark.slow
@pytest.mark.parametrize("make", SOURCES)
def test_expressions_agree_on_every_source(make, tmp_path):
    """Numbers, conditions and texts, row by row, on tables, Parquet, CSV and frames."""
    for seed in range(2):
        source, data = make(numbered(seed), tmp_path)

        compare(source, data, seed, 20)


@pytest.mark.exhaustive("expressions agree")
@pytest.mark.claim("C401")
@pytest.mark.parametrize("make", SOURCES)
def test_functions_of_text_agree_on_every_source(make, tmp_path):
    """Letters beyond ASCII, marks that join, blanks of other kinds: as in the reference."""
    cells = [
        "Ab",
        " a ",
        "\u00a0a",
        "\ta",
        "Éé",
        "e\u0301",
        "İı",
        "ß",
        "ǅ",
        "👍🏽",
        "a" * 300,
        "Å",
        None,
    ]
    data = [
        {"i": n, "x": 1.0, "y": 2.0, "s": cell, "t": cell, "d": None, "m": None, "b": True}
        for n, cell in enumerate(cells)
    ]
    source, told = make(data, tmp_path)
    functions = ["lower(s)", "upper(s)", "trim(s)", "left(s, 1)", "right(s, 2)", "substr(s, 2, 1)"]
    literals = [cell for cell in cells if cell] + [
        "ab",
        "AB",
        "a",
        "A",
        "é",
        "É",
        "b",
        "🏽",
        "\u0301",
    ]
    put = [f"{function} = '{literal}'" for function in functions for literal in literals]
    put += [f"length({function}) = {n}" for function in functions for n in (0, 1, 2, 3)]
    put += [f"ends_with(s, '{literal}')" for literal in literals]
    questions = [count(by="i", where=where) for where in put]

    def found(rows_):
        given = declared(rows_)
        aggregates = tuple(a for one in questions for a in one.aggregates(given))
        engine = MemoryEngine() if isinstance(rows_, list) else engine_for(rows_)
        return opened(engine.prepare(given, aggregates).count(0))

    expected = found(told)
    assert found(source) == expected
    assert sum(any(vector) for vector in expected) > 60


@pytest.mark.claim("C401")
@pytest.mark.parametrize("make", SOURCES)
def test_what_is_made_of_text_is_a_key_on_every_source(make, tmp_path):
    """Groups by a text in small letters, and by its length: two spellings are one key."""
    data = [
        {"i": n, "x": 1.0, "y": 2.0, "s": cell, "t": cell, "d": None, "m": None, "b": True}
        for n, cell in enumerate(["Ab", "aB ", "AB", "É", "é", None, "c"])
    ]
    source, told = make(data, tmp_path)
    low = derived("lower(trim(s))", keys=["ab", "é", "É"])
    size = derived("length(s)", keys=[1, 2, 3])

    def found(rows_):
        given = declared(rows_).derive(low=low, size=size)
        questions = [
            count(by="low"),
            count(by="size"),
            count(by=["low", "size"], where="1 <= i < 6"),
        ]
        aggregates = tuple(a for one in questions for a in one.aggregates(given))
        engine = MemoryEngine() if isinstance(rows_, list) else engine_for(rows_)
        return opened(engine.prepare(given, aggregates).count(0))

    assert found(source) == found(told)
    assert found(told)[0] == (3, 1, 1)


@pytest.mark.claim("C163")
@pytest.mark.parametrize("usual", [5.0, 0.0])
def test_what_a_file_says_of_a_column_does_not_decide_about_a_row(usual, tmp_path):
    """One number and NaN: Parquet names one value as the least and the largest of the column."""
    data = [{"k": "a", "x": math.nan if n % 3 == 0 else usual} for n in range(30)]
    pq.write_table(pa.Table.from_pylist(data), tmp_path / "t.parquet")
    put = [
        f"x = {usual:g}",
        f"x <> {usual + 1:g}",
        "x < 9",
        "NOT x > 9",
        "x * x < 1e9",
        "x IS NULL",
    ]
    put += ["abs(x) + 1 > 0", "x - x = 0", "coalesce(x, 7) <> 7"]

    def found(source):
        given = table(source, unit="row", columns={"x": bounds(-9, 9, step=1)}, name="t")
        questions = [one for where in put for one in (count(where=where), sum_("x", where=where))]
        wanted = [(given, tuple(a for one in questions for a in one.aggregates(given)))]
        wanted += [(given.where(where), count().aggregates(given)) for where in put]
        return [opened(engine_for(source).prepare(*one).count(0)) for one in wanted]

    assert found(str(tmp_path / "t.parquet")) == found(data)


@pytest.mark.slow
@pytest.mark.parametrize("op", ["<=", "coalesce"])
def test_a_wrong_operator_would_be_seen(monkeypatch, tmp_path, op):
    """The comparison has power: a comparison or a choice that is a little off is found."""
    wrong = {"<=": lambda v: v[0] < v[1], "coalesce": lambda v: v[0]}
    place = reference._OF_VALUES if op in reference._OF_VALUES else reference._THREE_VALUED
    monkeypatch.setitem(place, op, wrong[op])
    source, data = of_database(numbered(0), tmp_path)

    with pytest.raises(AssertionError):
        compare(source, data, 0, 20)


@pytest.mark.claim("C51")
def test_nothing_of_a_text_is_emitted():
    """A text that looks like SQL is a literal, and a column with quotation marks a name."""
    source = duckdb.connect()
    source.execute("""CREATE TABLE t AS SELECT 1 AS i, 'x'' OR 1=1 --' AS "a""b" """)
    found = table(source, unit="row", keys={"i": [1]}, name="t")
    question = count(by="i", where="""\"a""b\" = 'x'' OR 1=1 --'""")

    aggregates = question.aggregates(found)
    assert opened(engine_for(source).prepare(found, aggregates).count(0)) == [(1,)]


def test_every_operator_is_in_both():
    """What the reference works out, the query does, and nothing else."""
    ours = {*reference._ARITHMETIC, *reference._OF_VALUES, *reference._THREE_VALUED}
    ours |= {"search", "log"}

    assert ours == {*expression_sql.MAKERS}


@pytest.mark.exhaustive("expressions agree")
@pytest.mark.claim("C443")
@pytest.mark.parametrize("make", SOURCES)
def test_weeks_and_days_of_the_year_agree_on_every_source(make, tmp_path):
    """The first and last days of years, of 0001 and 9999, too, and days that are missing."""
    years = (1, 4, 1900, 2000, 2004, 2008, 2009, 2015, 2016, 2020, 2021, 9998, 9999)
    ends = [
        date(year, *day) for year in years for day in ((1, 1), (1, 3), (2, 28), (12, 28), (12, 31))
    ]
    data = [
        {"i": n, "x": 1.0, "y": 2.0, "s": "a", "t": "a", "d": day, "m": None, "b": True}
        for n, day in enumerate([*ends, None])
    ]
    source, told = make(data, tmp_path)

    def counted(rows_, engine):
        given = declared(rows_)
        questions = []
        for name in ("dayofyear", "isoweek", "isoyear"):
            made = derived(f"{name}(d)", bounds=bounds(0, 9999, step=1))
            given = given.derive({name: made})
            questions += [sum_(name, by="i"), count(by="i", where=f"{name} IS NULL")]
        aggregates = tuple(vector for asked in questions for vector in asked.aggregates(given))
        return opened(engine(rows_).prepare(given, aggregates).count(0))

    expected = counted(told, lambda _: MemoryEngine())
    assert counted(source, engine_for) == expected
    assert all(map(any, expected))


@pytest.mark.exhaustive("expressions agree")
@pytest.mark.claim("C480")
@pytest.mark.parametrize("make", SOURCES)
def test_whether_an_undeclared_cell_is_missing_is_one_on_every_source(make, tmp_path):
    """Numbers, texts, days, moments and truth values of which nothing is declared: NaN is none."""
    source, told = make(numbered(7), tmp_path)
    names = ["x", "y", "s", "t", "d", "m", "b"]
    put = [f"{name} IS {no}NULL" for name in names for no in ("", "NOT ")]
    put += ["x IS NULL AND y > 0", "y IS NOT NULL OR s = 'a'"]

    def found(rows_):
        given = table(rows_, unit="row", keys={"i": range(120)}, name="t")
        looks = " OR ".join(f"{name} IS NULL" for name in names)
        given = given.where(f"i >= 0 OR {looks}")  # a list has no public names: it tells them
        aggregates = tuple(a for where in put for a in count(by="i", where=where).aggregates(given))
        engine = MemoryEngine() if isinstance(rows_, list) else engine_for(rows_)
        return opened(engine.prepare(given, aggregates).count(0))

    expected = found(told)
    assert found(source) == expected
    assert all(0 < sum(vector) < 120 for vector in expected)


@pytest.mark.exhaustive("expressions agree")
@pytest.mark.claim("C481")
@pytest.mark.parametrize("make", SOURCES)
def test_when_a_month_or_an_hour_began_agrees_on_every_source(make, tmp_path):
    """Weeks, quarters of leap years, the first and the last days that there are."""
    days = [date(y, *of) for y in (1, 1900, 2000, 2023, 2024, 9999)
            for of in ((1, 1), (2, 28), (3, 31), (4, 1), (7, 1), (10, 1), (12, 31))]  # fmt: skip
    data = [
        {"i": n, "x": 1.0, "y": 2.0, "s": "a", "t": "a", "d": day, "b": True,
         "m": day and datetime(day.year, day.month, day.day, 23, 59, n % 60)}
        for n, day in enumerate([*days, None])
    ]  # fmt: skip
    source, told = make(data, tmp_path)
    units = ["week", "month", "quarter", "year"]

    def counted(rows_, engine):
        given = declared(rows_)
        questions = []
        for unit in (*units, "hour", "minute"):
            of = f"days(date_trunc('{unit}', d))" if unit in units else (
                f"seconds(m) - seconds(date_trunc('{unit}', m))")  # fmt: skip
            given = given.derive({unit: derived(of, bounds=bounds(-(10**6), 3 * 10**6, step=1))})
            questions.append(sum_(unit, by="i"))
        aggregates = tuple(vector for asked in questions for vector in asked.aggregates(given))
        return opened(engine(rows_).prepare(given, aggregates).count(0))

    expected = counted(told, lambda _: MemoryEngine())
    assert counted(source, engine_for) == expected
    assert all(map(any, expected))
    begun = [(day.replace(day=1).toordinal() - date(1970, 1, 1).toordinal()) for day in days]
    assert list(expected[1][: len(days)]) == begun
