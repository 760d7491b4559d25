"""Days and moments as values: from every source alike, bounded, and told as days with their intervals."""

import re
from datetime import date, datetime
from fractions import Fraction

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dp
from adversarial.moves import exceeds, move
from discreet.cli.cli import main
from discreet.document.numbers import spoken
from discreet.engine.explain_expression import meanings
from discreet.engine.memory import MemoryEngine
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError
from discreet.plan_file.plan_file import read_plan_file
from discreet.schema import bounds, end_text, table_of
from engine.sources import native_hash, opened
from servers import filled

pytestmark = pytest.mark.claim("C151")

REFERENCE = MemoryEngine(hash_of=native_hash)
DAYS = [None, date(1, 1, 1), date(1899, 12, 31), date(1990, 1, 1), date(2000, 2, 29)]
DAYS += [date(2024, 12, 31), date(9999, 12, 31)]
MOMENTS = [None, datetime(1, 1, 1), datetime(1969, 12, 31, 23, 59, 59, 999999)]
MOMENTS += [datetime(2000, 2, 29, 12, 30), datetime(2024, 12, 31, 23, 59, 59), datetime(2000, 1, 1)]
ROWS = [
    {"who": f"p{n % 30}", "sex": "FM"[n % 2], "born": DAYS[n % 7], "seen": MOMENTS[n * n % 6]}
    for n in range(120)
]
SCHEMA = pa.schema(
    {"who": pa.string(), "sex": pa.string(), "born": pa.date32(), "seen": pa.timestamp("us")}
)
BORN = bounds("1990-01-01", "2024-12-31")
SEEN = bounds("2000-01-01 00:00:00", "2024-12-31 23:59:59", missing="2000-01-01 00:00:00")


def declared(source, **how):
    return dp.table(
        source,
        columns={"born": BORN, "seen": SEEN},
        keys={"sex": ["F", "M"]},
        name="people",
        **({"unit": dp.unit("who", max_rows=2)} | how),
    ).derive(
        grown=dp.derived("CASE WHEN born < DATE '2000-01-01' THEN born END", bounds=BORN),
        last=dp.derived("coalesce(seen, TIMESTAMP '2024-01-01 00:00:00')", bounds=SEEN),
    )


QUESTIONS = [
    dp.mean("born", by="sex"),
    dp.mean("seen", by="sex", where="born >= DATE '1990-01-01'"),
    dp.histogram("born", bins=["1990-01-01", "2000-03-01", "2024-12-31"]),
    dp.histogram("seen", bins=3),
    dp.quantile("born", ["0.1", "0.5"], bins=64),
    dp.share_below("seen", "2010-01-01 00:00:00"),
    dp.variance("grown"),
    dp.mean("last"),
    dp.median("born", method="choice"),
]


def counted(source, engine=None, **how):
    table = declared(source, **how)
    asked = tuple(found for one in QUESTIONS for found in one.aggregates(table))
    return opened((engine or engine_for(source)).prepare(table, asked).count(11))


def arrow(_folder=None):
    return pa.Table.from_pylist(ROWS, schema=SCHEMA)


def as_table(_folder):
    source = duckdb.connect()
    source.register("given", arrow())
    source.execute("CREATE TABLE people AS SELECT * FROM given")
    source.unregister("given")
    return source


def as_parquet(folder):
    pq.write_table(arrow(), folder / "people.parquet")
    return str(folder / "people.parquet")


def as_csv(folder):
    said = [{name: "" if cell is None else cell for name, cell in row.items()} for row in ROWS]
    pd.DataFrame(said).to_csv(folder / "people.csv", index=False)
    return str(folder / "people.csv")


SOURCES = {
    "arrow": arrow,
    "a DuckDB table": as_table,
    "Parquet": as_parquet,
    "CSV": as_csv,
    "Polars": lambda _: pl.from_arrow(arrow()),
    "objects": lambda _: pd.DataFrame({n: pd.Series([r[n] for r in ROWS], dtype=object) for n in SCHEMA.names}),
}  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("unit", ["row", dp.unit("who", max_rows=2)], ids=str)
def test_days_and_moments_are_counted_alike_from_every_source(kind, unit, tmp_path):
    """Integer for integer, with days beyond the bounds and missing ones."""
    assert counted(SOURCES[kind](tmp_path), unit=unit) == counted(ROWS, REFERENCE, unit=unit)


@pytest.mark.exhaustive
@pytest.mark.parametrize("sampling", ["row", dp.unit("who", max_rows=2, sampling="portable")], ids=str)  # fmt: skip
def test_postgres_counts_them_alike(sampling):
    """By the server, as the reference does; text that may be a day is refused there."""
    kinds = {"who": "text", "sex": "text", "born": "date", "seen": "timestamp"}
    source = filled(kinds, [tuple(row.values()) for row in ROWS], name="people")

    assert counted(source, unit=sampling) == counted(ROWS, MemoryEngine(), unit=sampling)
    with pytest.raises(InputError, match="cannot be read on a server"):
        text = {**kinds, "born": "text"}
        counted(filled(text, [("p", "F", "1990-01-01", None)], name="people"), unit="row")


BEYOND = ["infinity", "-infinity", "4713-01-01 BC", "0044-03-15 BC", "10000-01-01"]


def count_of_rows(source):
    table = dp.table(source, unit="row", columns={"born": BORN}, name="people")
    (asked,) = dp.mean("born").aggregates(table)
    low, high = opened(engine_for(source).prepare(table, (asked,)).count(1))[0]
    return (low + high) // BORN.width


def test_days_beyond_the_years_1_to_9999_and_infinite_ones_are_missing():
    """On servers and in DuckDB; those within are moved to the nearer bound."""
    days = [*BEYOND, "0001-01-01", "9999-12-31", "2000-02-29"]
    ours = duckdb.connect()
    ours.execute("CREATE TABLE people (born DATE)")
    for day in days:
        said = day.replace("4713-01-01 BC", "4713-01-01 (BC)").replace("15 BC", "15 (BC)")
        ours.execute("INSERT INTO people VALUES (CAST(? AS DATE))", [said])

    assert count_of_rows(ours) == 3
    assert count_of_rows(filled({"born": "date"}, [(d,) for d in days], name="people")) == 3
    assert count_of_rows([{"born": text} for text in (*days, "2000-02-30", "x")]) == 3


@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
def test_no_day_moves_a_vector_further_than_declared(neighbors):
    """Whatever stands in one unit's cells, missing ones and days beyond the bounds too."""
    table = declared([], neighbors=neighbors)
    asked = tuple(found for one in QUESTIONS for found in one.aggregates(table))

    def vectors(day, moment):
        own = [] if day == () else [{"who": "own", "sex": "F", "born": day, "seen": moment}] * 2
        rows = declared([*own, *ROWS[:20]], neighbors=neighbors)
        found = opened(MemoryEngine().prepare(rows, asked).count(1))
        return [
            a.transform.applied(v) if a.transform else v for a, v in zip(asked, found, strict=True)
        ]

    every = [vectors(day, moment) for day in (*DAYS, "x") for moment in MOMENTS[:4]]
    others = [vectors((), None)] if neighbors == "add_remove" else every[::5]
    for one in every:
        for other in others:
            for aggregate, a, b in zip(asked, one, other, strict=True):
                assert not exceeds(move(a, b), aggregate.sensitivity)


def test_answers_are_told_as_days_and_their_ends_are_rounded_outward():
    """At a prompt, in the report and in a picture; tables hold the numbers."""
    asked = [one for one in QUESTIONS if one.label != "variance grown"]
    release = dp.rehearse(dp.plan(declared(ROWS), *asked, spend=dp.zcdp(9)))
    told = " ".join(str(release["mean born by sex"]).split())

    for row in release["mean born by sex"]:
        assert str(date(1970, 1, 1).fromordinal(719163 + round(row["value"]))) in told
        assert f"{end_text(Fraction(int(np.floor(row['low']))), 'day')} to" in told
        assert end_text(Fraction(int(np.ceil(row["high"]))), "day") in told
    bins = " ".join(str(release["histogram born"]).split())
    assert "1990-01-01 to 2000-03-01" in bins
    assert "-" in str(release["median born, chosen"]).split("born, chosen")[-1]
    late = release.total("histogram born", only={"born": ("2000-03-01", "2024-12-31")})
    assert [row["value"] for row in late] == release["histogram born"].values[1:]
    parts = " ".join(str(release.share("histogram born")).split())
    assert "1990-01-01 to 2000-03-01 0." in parts
    below = " ".join(str(release["share_below seen at 2010-01-01 00:00:00"]).split())
    assert "2010-01-01 00:00:00 0." in below
    assert release["mean born by sex"].plot().axes[0].get_xticklabels()[0].get_text()[4] == "-"
    assert "answers and intervals follow" in str(dp.verify(release))


def test_a_saved_release_says_so_on_its_page_and_beside_its_table(tmp_path):
    """The report tells days; who reads the table is told what its numbers count.

    The mean of 2,000 made-up days lies in these three years but for six of its deviations: 1e-9.
    """
    plan = dp.plan(declared(ROWS), dp.mean("born"), dp.mean("seen"), spend=dp.zcdp(9))
    folder = dp.rehearse(plan).save(tmp_path / "r.release")
    page = (folder / "report.html").read_text(encoding="utf-8")

    assert "1990-01-01 to 2024-12-31 in days" in page
    assert len(re.findall("200[678]-", page)) >= 3
    assert "days from 1970-01-01" in (folder / "README.txt").read_text(encoding="utf-8")
    assert "ok: table.csv" in str(dp.verify(folder))


def test_the_last_day_there_is_ends_an_interval():
    """Rounded outward it would be a day without a name."""
    assert spoken(2932896.0, 2932895.5, 2932896.0, "day")[2] == "9999-12-31"
    assert spoken(None, -719162.0, 2932896.0, "day")[1:] == ("0001-01-01", "9999-12-31")


def test_a_plan_file_has_days_of_its_own(tmp_path, capsys, monkeypatch):
    """As TOML writes them or as text; `discreet check` says what a cell is."""
    as_csv(tmp_path)
    (tmp_path / "people.toml").write_text(
        """\
        [data]
        source = "people.csv"
        unit = "row"
        [columns]
        born = { lower = 1990-01-01, upper = "2024-12-31" }
        [derive.grown]
        expression = "CASE WHEN born < DATE '2000-01-01' THEN born END"
        lower = 1980-01-01
        upper = 2000-01-01
        [spend]
        rho = 9
        [[ask]]
        statistic = "histogram"
        column = "born"
        bins = [1990-01-01, 2000-01-01, "2024-12-31"]
        [[ask]]
        statistic = "median"
        column = "grown"
        [[ask]]
        statistic = "share_below"
        column = "born"
        at = 2000-01-01
        """,
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    plan = read_plan_file(tmp_path / "people.toml").plan

    assert plan.table.columns["born"] == BORN
    assert table_of(plan.table.plain()).columns == plan.table.columns
    assert [line.statistic.label for line in plan.lines][2] == "share_below born at 2000-01-01"
    assert main(["check", "people.toml", "1850-05-05"]) == 0
    assert "the day 1990-01-01, moved to its bound" in " ".join(capsys.readouterr().out.split())
    release = dp.run(plan, ledger=dp.ledger(tmp_path / "l", budget=dp.zcdp(9)))
    assert "answers and intervals follow" in str(dp.verify(release))


def test_a_moment_that_is_missing_counts_as_what_its_bounds_say():
    (_, seen) = meanings(dp.table([], unit="row", columns={"born": BORN, "seen": SEEN}), "")
    assert seen.said == "missing, which counts as the moment 2000-01-01 00:00:00"


WRONG = {
    "of two kinds": lambda: bounds("1990-01-01", 5),
    "no day": lambda: bounds("1990-02-30", "2000-01-01"),
    "with a step": lambda: bounds("1990-01-01", "2000-01-01", step=7),
    "the wrong way round": lambda: bounds("2000-01-01", "1990-01-01"),
    "in a zone": lambda: bounds(datetime.fromisoformat("2000-01-01T00:00:00+01:00"), "2001-01-01"),
    "added up": lambda: dp.sum("born").aggregates(declared([])),
    "averaged with numbers": lambda: dp.mean(["born", "seen"]).aggregates(declared([])),
    "cut at numbers": lambda: dp.histogram("born", bins=[0, 1]).aggregates(declared([])),
    "below a number": lambda: dp.share_below("born", 10_000).aggregates(declared([])),
    "numbers for days": lambda: declared([]).derive(
        x=dp.derived("days(born)", bounds=bounds("1990-01-01", "1991-01-01"))
    ),
    "days for numbers": lambda: declared([]).derive(
        x=dp.derived("coalesce(born, DATE '1990-01-01')", bounds=bounds(0, 1))
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_range_of_days_is_refused_with_a_way_out(case):
    with pytest.raises(InputError) as caught:
        WRONG[case]()
    assert len(str(caught.value).splitlines()) == 3


def test_a_typed_column_of_days_under_bounds_of_numbers_says_what_to_write():
    source = arrow()
    table = dp.table(source, unit="row", columns={"born": bounds(0, 9)}, name="people")
    with pytest.raises(InputError, match="write bounds as days"):
        engine_for(source).prepare(table, dp.mean("born").aggregates(table))


def test_days_under_bounds_of_moments_are_told_what_to_write():
    """No expression was typed, so none is spoken of."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE people AS SELECT DATE '2001-02-03' AS born")
    times = dp.bounds("1990-01-01 00:00:00", "2020-01-01 00:00:00")
    table = dp.table(connection, unit="row", name="people", columns={"born": times})
    with pytest.raises(InputError, match="of type DATE, and is read as a moment") as refused:
        engine_for(connection).prepare(
            table, dp.plan(table, dp.mean("born"), spend=dp.pure(1)).lines[0].aggregates
        )
    assert "as days, such as 2020-01-31" in str(refused.value)
