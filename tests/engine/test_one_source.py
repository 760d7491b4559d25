"""Facts and the table that names their owners are two sources, and facts name no unit.

What the plan says of an owner is true then: a row of a unit in any table that names it brings no
fact that others refer to. Which spellings of one source are seen is listed here, with copies, which
are not: of those the plan's first line says what holds.
"""

import os

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import discreet as dp
from discreet.engine.choose import engine_for
from discreet.engine.files import files
from discreet.engine.one_source import marks_of
from discreet.engine.source import is_paths
from discreet.errors import InputError
from servers import connected

pytestmark = pytest.mark.claim("C210")

ROWS = [{"pid": f"p{n % 9}", "home": f"h{n % 3}", "income": n % 10} for n in range(30)]
FACTS = pa.Table.from_pylist(ROWS)
OWNERS = FACTS.rename_columns(["person", "home", "income"])


def prepared(facts, owners, *, names=("facts", "owners"), second=None):
    """Open a join: facts, whose rows belong to whom another table names over the home."""
    joins = [dp.owner(owners, name=names[1], on="home", gives=["person"])]
    joins += [] if second is None else [dp.join(second, name="second", key="pid", gives=["w"])]
    table = dp.table(
        facts,
        name=names[0],
        unit=dp.unit("person", max_rows=2),
        columns={"income": dp.bounds(0, 9, step=1), "w": dp.bounds(0, 9, step=1)},
    ).joined(*joins)
    return engine_for(facts).prepare(table, dp.sum("income").aggregates(table))


def of_numpy():
    held = {name: np.array([row[name] for row in ROWS], dtype=object) for name in ROWS[0]}
    frame = pd.DataFrame(held, copy=False)
    return frame, frame.rename(columns={"pid": "person"})


def of_files(folder, write, end):
    write(FACTS, folder / f"facts{end}")
    (folder / f"link{end}").symlink_to(folder / f"facts{end}")
    os.link(folder / f"facts{end}", folder / f"hard{end}")


def of_duckdb():
    source = duckdb.connect()
    source.register("made", FACTS)
    source.execute("CREATE TABLE facts AS SELECT * FROM made")
    source.execute("CREATE VIEW owners AS SELECT pid AS person, home FROM facts")
    source.execute("CREATE VIEW further AS SELECT * FROM owners WHERE home <> 'h9'")
    return source


def of_parquet(folder):
    of_files(folder, pq.write_table, ".parquet")
    return folder


SAME = {
    "one Arrow table": lambda _: (FACTS, FACTS),
    "an Arrow table, renamed": lambda _: (FACTS, OWNERS),
    "a slice of an Arrow table": lambda _: (FACTS, OWNERS.slice(3, 9)),
    "one pandas frame": lambda _: (frame := FACTS.to_pandas(), frame),
    "a pandas frame, renamed": lambda _: (
        frame := FACTS.to_pandas(),
        frame.rename(columns={"pid": "person"}),
    ),
    "a pandas frame of objects, renamed": lambda _: of_numpy(),
    "a Polars frame, renamed": lambda _: (
        frame := pl.from_arrow(FACTS),
        frame.rename({"pid": "person"}),
    ),
    "a Polars frame and its Arrow table": lambda _: (FACTS, pl.from_arrow(OWNERS)),
    "one list": lambda _: (ROWS, ROWS),
    "a part of a list": lambda _: (ROWS, ROWS[5:]),
    "one file": lambda at: (str(of_parquet(at) / "facts.parquet"), str(at / "facts.parquet")),
    "a symbolic link": lambda at: (str(of_parquet(at) / "facts.parquet"), str(at / "link.parquet")),
    "a hard link": lambda at: (str(of_parquet(at) / "facts.parquet"), str(at / "hard.parquet")),
    "a list with the file": lambda at: (
        str(of_parquet(at) / "facts.parquet"),
        [str(at / "hard.parquet")],
    ),
    "a glob": lambda at: (str(of_parquet(at) / "facts.parquet"), str(at / "h*.parquet")),
    "a data set of the file": lambda at: (
        str(of_parquet(at) / "facts.parquet"),
        ds.dataset(at / "link.parquet"),
    ),
    "another way of writing a path": lambda at: (
        str(of_parquet(at) / "facts.parquet"),
        f"{at}/../{at.name}/facts.parquet",
    ),
}


@pytest.mark.parametrize("spelling", SAME)
def test_one_source_in_two_roles_is_refused(spelling, tmp_path):
    """P1: the same table as its own owner moved 342 where 18 was priced."""
    facts, owners = SAME[spelling](tmp_path)

    with pytest.raises(InputError, match=r"are one source|no column 'person'"):
        prepared(facts, owners)

    one, other = (dp.table(source, name="t", unit="row") for source in (facts, owners))
    assert marks_of(one.source, reached(one)) & marks_of(other.source, reached(other))


def reached(table):
    """The files of a table, if it is files."""
    return files(table, ()).paths if is_paths(table.source) else ()


@pytest.mark.parametrize("name", ["owners", "further", "main.facts", "facts"])
def test_one_table_of_a_database_is_refused_by_every_name(name):
    """A view over the facts, a view over that, and the table with its schema."""
    source = of_duckdb()

    with pytest.raises(InputError, match=r"are one source|no column 'person'"):
        prepared(source, source, names=("facts", name))


@pytest.mark.parametrize("name", ["owners", "part", "people"])
def test_one_table_of_a_server_is_refused_by_every_name(name):
    """A view, which somebody vouches for, and a partition."""
    source = connected()
    for text in (
        "DROP TABLE IF EXISTS people CASCADE",
        "CREATE TABLE people (pid text, home text, income int) PARTITION BY LIST (home)",
        "CREATE TABLE part PARTITION OF people DEFAULT",
        "CREATE VIEW owners AS SELECT pid AS person, home FROM people",
    ):
        source.execute(text)
    source.commit()
    joins = dp.owner(source, name=name, on="home", gives=["person"])
    with pytest.raises(InputError, match=r"are one source|no column"):
        table = dp.table(
            source,
            name="people",
            vouched="a view of one table",
            unit=dp.unit("person", max_rows=2),
            columns={"income": dp.bounds(0, 9, step=1)},
        ).joined(joins)
        engine_for(source).prepare(table, dp.sum("income").aggregates(table))


def test_facts_that_are_a_units_own_second_table_are_refused():
    """A unit's row in its second table would be a fact to which others refer."""
    second = [{**row, "w": 1} for row in ROWS]
    owners = [{"person": "a", "home": "h1"}, {"person": "b", "home": "h1"}]

    with pytest.raises(InputError, match="facts and second are one source"):
        prepared(second, owners, second=second)


@pytest.mark.parametrize("way", ["csv", "parquet", "frame", "duckdb"])
def test_facts_that_name_a_unit_themselves_are_refused(way, tmp_path):
    """It was shadowed without a word by what the owners' table gives."""
    facts = FACTS.rename_columns(["person", "home", "income"])
    owners = pa.table({"person": ["a", "b"], "home": ["h1", "h2"]})
    source = facts
    if way == "csv":
        csv.write_csv(facts, tmp_path / "f.csv")
        source = tmp_path / "f.csv"
    elif way == "parquet":
        pq.write_table(facts, tmp_path / "f.parquet")
        source = str(tmp_path / "f.parquet")
    elif way == "duckdb":
        source = duckdb.connect()
        for name, table in (("facts", facts), ("owners", owners)):
            source.register("made", table)
            source.execute(f"CREATE TABLE {name} AS SELECT * FROM made")
            source.unregister("made")
        owners = source

    with pytest.raises(InputError, match="facts has a column 'person', which owners gives"):
        prepared(source, owners)


def test_a_column_that_two_tables_have_is_refused():
    """P6: what a second table gives replaced a column of the first one without a word."""
    people = pa.table({"pid": ["a"], "income": [9]})
    table = dp.table(
        FACTS,
        name="facts",
        unit=dp.unit("pid", max_rows=2),
        columns={"income": dp.bounds(0, 9, step=1)},
    ).joined(dp.join(people, name="people", gives=["income"]))

    with pytest.raises(InputError, match="facts has a column 'income', which people gives"):
        engine_for(FACTS).prepare(table, dp.sum("income").aggregates(table))


def test_a_list_has_no_names_that_could_refuse_a_join():
    """One row with a key more decides nothing."""
    owners = [{"person": "a", "home": "h1"}]

    assert prepared(ROWS, owners)
    assert prepared([*ROWS, {"person": "x"}], owners)


def test_the_first_line_of_a_plan_says_to_whom_a_fact_belongs():
    """Two units may refer to one fact: that line stands before all others."""
    owners = pa.table({"person": ["a", "b"], "home": ["h1", "h1"]})
    table = dp.table(
        FACTS,
        name="visits",
        unit=dp.unit("person", max_rows=2),
        columns={"income": dp.bounds(0, 9, step=1)},
    ).joined(dp.owner(owners, name="orders", on="home", gives=["person"]))
    said = str(dp.plan(table, dp.sum("income"), spend=dp.pure(1))).split("\n")

    assert said[1].startswith("Two units may refer to one row of visits, by their rows in orders:")


def test_rows_of_one_unit_may_lie_in_one_source():
    """A unit's own second table may be the first one: each row is joined with its own."""
    table = dp.table(FACTS, name="facts", unit=dp.unit("pid", max_rows=9)).joined(
        dp.join(OWNERS, name="again", key="person", gives=["person"])
    )

    assert engine_for(FACTS).prepare(table, dp.count().aggregates(table))


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "numpy", "dataset"])
def test_facts_of_a_file_and_owners_of_a_frame_are_two_sources(tmp_path, kind):
    """A frame says something else than True or False where it is compared with a path."""
    facts, owners = FACTS.drop_columns(["pid"]), OWNERS.drop_columns(["income"])
    csv.write_csv(facts, tmp_path / "facts.csv")
    pq.write_table(owners, tmp_path / "owners.parquet")
    made = {
        "pandas": owners.to_pandas,
        "polars": lambda: pl.from_arrow(owners),
        "arrow": lambda: owners,
        "numpy": lambda: owners.to_pandas().astype(object),
        "dataset": lambda: ds.dataset(tmp_path / "owners.parquet"),
    }[kind]()

    (exact,) = prepared(str(tmp_path / "facts.csv"), made).count(3)
    assert sum(exact.opened_by_the_door()) > 0
