"""Facts and the table that names their owners are two sources, and facts name no unit.

What the plan says of an owner is true then: a row of a unit in any table that names it brings no
fact that others refer to. Which spellings of one source are seen is listed here, with copies, which
are not: of those the plan's first line says what holds.
"""

import os
from collections import deque
from collections.abc import Sequence

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
from discreet.engine.files import files
from discreet.engine.one_source import place_of
from discreet.engine.select_engine import engine_for
from discreet.engine.source import is_paths
from discreet.errors import InputError
from servers import connected

pytestmark = pytest.mark.claim("C210")

ROWS = [{"pid": f"p{n % 9}", "home": f"h{n % 3}", "income": n % 10} for n in range(30)]
FACTS = pa.Table.from_pylist(ROWS)
OWNERS = FACTS.rename_columns(["person", "home", "income"])


def prepared(facts, owners, *, names=("facts", "owners"), second=None, vouched=None):
    """Open a join: facts, whose rows belong to whom another table names over the home."""
    joins = [dp.owner(owners, name=names[1], on="home", gives=["person"])]
    joins += [] if second is None else [dp.join(second, name="second", key="pid", gives=["w"])]
    table = dp.table(
        facts,
        name=names[0],
        vouched=vouched,
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


def named_twice():
    frame = FACTS.to_pandas().assign(x=1, y=2)
    owners = frame.copy(deep=False)
    owners.columns = ["person", "home", "income", "z", "z"]
    return frame, owners


def with_a_gap(dtype):
    rows = [{"person": n, "home": n % 3, "income": 1} for n in range(40)]
    rows.append({"person": None, "home": None, "income": None})
    frame = pd.DataFrame(rows).astype(dtype)
    return frame[["home", "income"]], frame.iloc[:-1]


def sparse():
    """One whose cells are all the one that fills it, so that no cell lies anywhere."""
    held = {name: pd.arrays.SparseArray([0] * 30) for name in ("person", "home", "income")}
    frame = pd.DataFrame(held)
    return frame[["home", "income"]], frame


def pieces():
    frame = FACTS.to_pandas()[["pid"]]
    cuts = pd.arrays.IntervalArray.from_breaks(range(31))
    frame = frame.assign(home=cuts, income=pd.period_range("2020-01", periods=30, freq="M"))
    return frame[["home", "income"]], frame.rename(columns={"pid": "person"})


def of_polars(more):
    frame = pl.from_arrow(OWNERS).with_columns(more=more)
    return frame.drop("person"), frame


def numbered():
    frame = pl.from_arrow(OWNERS).with_columns(pl.col("home").cast(pl.Categorical))
    return frame.select("home", pl.lit(1).alias("income")), frame.select("person", "home")


def several_pieces():
    """Each column in two pieces, of which an export of a column would make one, elsewhere."""
    parts = [pl.from_arrow(OWNERS.slice(*cut)) for cut in ((0, 10), (10, 20))]
    frame = pl.concat(parts, rechunk=False)
    return frame.select("home", "income"), frame.select("person", "home")


def relations(path):
    source = duckdb.connect(path)
    source.execute("CREATE TABLE facts AS SELECT * FROM FACTS")
    source.execute("CREATE VIEW owners AS SELECT pid AS person, home FROM facts")
    return source.sql("SELECT home, income FROM facts"), source.table("owners")


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
    "a pandas frame in which two columns have one name": lambda _: named_twice(),
    "a pandas frame with a missing cell, without its last row": lambda _: with_a_gap("Int64"),
    "a pandas frame of sparse columns": lambda _: sparse(),
    "a pandas frame of pieces": lambda _: pieces(),
    "a Polars frame with numbers of 128 bits": lambda _: of_polars(pl.lit(1).cast(pl.Int128)),
    "a Polars frame of numbered text": lambda _: numbered(),
    "a Polars frame of several pieces": lambda _: several_pieces(),
    "an Arrow table in which cells are missing": lambda _: (
        FACTS.append_column("gap", pa.nulls(30, pa.int8())).select(["gap", "home", "income"]),
        OWNERS.select(["person", "home"]),
    ),
    "two relations of a file": lambda at: relations(at / "d.duckdb"),
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


@pytest.mark.exhaustive
@pytest.mark.parametrize("spelling", SAME)
def test_one_source_in_two_roles_is_refused(spelling, tmp_path):
    """P1: the same table as its own owner moved 342 where 18 was priced."""
    facts, owners = SAME[spelling](tmp_path)

    with pytest.raises(InputError, match=r"are one source|no column 'person'|have one name"):
        prepared(facts, owners)

    if spelling == "two relations of a file":
        return  # they are told apart by the tables that they are made of
    one, other = (dp.table(source, name="t", unit="row") for source in (facts, owners))
    places = [place_of(each.source, reached(each)) for each in (one, other)]
    assert places[0].is_one_with(places[1])


def reached(table):
    """The files of a table, if it is files."""
    return files(table, ()).paths if is_paths(table.source) else ()


class Stream:
    """What offers the Arrow stream, and says nothing else."""

    def __init__(self, held):
        self.held = held

    def __arrow_c_stream__(self, requested_schema=None):
        return self.held.__arrow_c_stream__(requested_schema)


class Anew(Sequence):
    """A list that makes its rows when they are asked for."""

    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, place):
        return dict(self.rows[place])


HOME = FACTS.select(["home", "income"])
UNSEEN = {
    "two relations of a table in memory": lambda at: relations(":memory:"),
    "a data set in memory": lambda at: (ds.dataset(HOME), OWNERS),
    "a data set of data sets in memory": lambda at: (
        ds.dataset([ds.dataset(of_parquet(at) / "facts.parquet"), ds.dataset(FACTS)]),
        OWNERS,
    ),
    "a stream": lambda at: (Stream(HOME), OWNERS),
    "a stream beside a file": lambda at: (
        str(of_parquet(at) / "facts.parquet"),
        Stream(OWNERS.select(["person", "home"])),
    ),
    "a stream beside a stream": lambda at: (Stream(HOME), Stream(OWNERS)),
    "a reader": lambda at: (HOME.to_reader(), OWNERS),
    "a lazy frame": lambda at: (pl.from_arrow(HOME).lazy(), pl.from_arrow(OWNERS)),
    "two frames with a column of objects": lambda at: tuple(
        pl.DataFrame(each.to_pylist()).with_columns(pl.Series("o", [1] * 30, dtype=pl.Object))
        for each in (HOME, OWNERS)
    ),
    "two empty frames with a column of objects": lambda at: tuple(
        pl.DataFrame(each.to_pylist())[:0].with_columns(pl.Series("o", [], dtype=pl.Object))
        for each in (HOME, OWNERS)
    ),
    "two frames with a column that is made anew at each look": lambda at: tuple(
        pl.DataFrame(each.to_pylist()).with_columns(
            c=pl.struct(pl.lit("a").cast(pl.Categorical).alias("x"))
        )
        for each in (HOME, OWNERS)
    ),
    "rows that are made anew": lambda at: (ROWS, Anew([{"person": 1, "home": "h1"}])),
    "two relations of frames": lambda at: (
        duckdb.sql("SELECT home, income FROM FACTS"),
        duckdb.sql("SELECT person, home FROM OWNERS"),
    ),
}


@pytest.mark.exhaustive
@pytest.mark.claim("C335")
@pytest.mark.parametrize("spelling", UNSEEN)
def test_what_does_not_say_where_it_lies_is_refused(spelling, tmp_path):
    """F2: a stream, a reader or a relation of the owners' table moved 526 where 18 was priced."""
    facts, owners = UNSEEN[spelling](tmp_path)

    with pytest.raises(InputError, match=r"could be one source: (facts|owners) ") as refusal:
        prepared(facts, owners, vouched="each row is one of a person")

    assert "fix: " in str(refusal.value)


def on_a_connection(facts, owners):
    """A connection with two views that somebody vouches for."""
    source = duckdb.connect()
    source.register("made", FACTS)
    source.execute("CREATE TABLE people AS SELECT pid AS person, home, income FROM made")
    source.execute("CREATE TABLE others AS SELECT home, income FROM made")
    source.execute("CREATE MACRO all_people() AS TABLE SELECT * FROM people")
    source.execute(f"CREATE VIEW facts AS {facts}")
    source.execute(f"CREATE VIEW owners AS {owners}")
    return source


@pytest.mark.exhaustive
@pytest.mark.claim("C335")
@pytest.mark.parametrize(
    "facts",
    [
        "SELECT home, income FROM all_people()",
        "SELECT home, income FROM query_table('people')",
        "SELECT home, income FROM query('SELECT * FROM people')",
        "SELECT home, income FROM '{at}/p.csv'",
        "SELECT home, income FROM read_csv('{at}/p.csv')",
        "WITH q AS (SELECT * FROM all_people()) SELECT home, income FROM q",
        "SELECT home, income FROM (SELECT * FROM '{at}/p.csv' SEMI JOIN others USING (home))",
        "SELECT home, income FROM query_table('people') SEMI JOIN others USING (home)",
    ],
)
def test_a_view_whose_tables_cannot_be_named_is_refused(facts, tmp_path):
    """A view over a function, a macro or a file, beside a view of the table that it reads."""
    csv.write_csv(OWNERS, tmp_path / "p.csv")
    facts = facts.format(at=tmp_path)
    source = on_a_connection(facts, facts.replace("home, income", "person, home"))

    with pytest.raises(InputError, match="could be one source: facts is made of tables"):
        prepared(source, source, vouched="each row is one of a person")


@pytest.mark.claim("C335")
@pytest.mark.parametrize(
    "facts",
    [
        "WITH q AS (SELECT * FROM others) SELECT * FROM q",
        "WITH others AS (SELECT * FROM others) SELECT * FROM others",
        "SELECT home, max(income) AS income FROM others GROUP BY home",
    ],
)
def test_a_view_that_names_its_tables_is_told_apart(facts):
    """Vouched views over other tables, and one over the owners' own."""
    source = on_a_connection(facts, "SELECT person, home FROM people LIMIT 9")
    assert prepared(source, source, vouched="each row is one of a person")

    source = on_a_connection(facts.replace("others", "people"), "SELECT person, home FROM people")
    with pytest.raises(InputError, match=r"are one source|has a column 'person'"):
        prepared(source, source, vouched="each row is one of a person")


def two_tables(*paths):
    """Relations of two tables, in a database each or in one."""
    made = []
    for name, path in zip(("HOME", "OWNERS"), paths, strict=True):
        source = path if isinstance(path, duckdb.DuckDBPyConnection) else duckdb.connect(path)
        source.execute(f"CREATE TABLE {name}_stored AS SELECT * FROM {name}")
        made.append(source.table(f"{name}_stored"))
    return made


APART = {
    "two relations of two tables": lambda at: two_tables(*2 * [duckdb.connect()]),
    "two relations of two files": lambda at: two_tables(at / "a.duckdb", at / "b.duckdb"),
    "a relation and a frame": lambda at: (two_tables(*2 * [duckdb.connect()])[0], OWNERS),
    "a frame of objects beside a file": lambda at: (
        str(of_parquet(at) / "facts.parquet"),
        pl.DataFrame({"person": ["a"], "home": ["h1"]}).with_columns(
            pl.Series("o", [object()], dtype=pl.Object)
        ),
    ),
    "lists that share what is no row": lambda at: ([None, *ROWS], [None, {"person": "a"}]),
    "two lists that are empty or hold no row": lambda at: ([None], [None]),
}


@pytest.mark.exhaustive
@pytest.mark.claim("C335")
@pytest.mark.parametrize("spelling", APART)
def test_what_can_be_told_apart_is_counted(spelling, tmp_path):
    """Where one of two does not say where it lies, the other can be of a kind that it is not."""
    facts, owners = APART[spelling](tmp_path)

    assert prepared(facts, owners)


def of_pandas(dtype):
    return lambda cells: pd.DataFrame({"more": cells}).astype(dtype)


def cast_to(dtype):
    def make(cells):
        held = pl.col("more").cast(pl.Int64)
        held = held.cast(pl.String) if dtype == pl.Categorical else held
        return pl.DataFrame({"more": cells}).select(held.cast(dtype))

    return make


MAKERS = {
    **{name: of_pandas(name) for name in ("Int64", "Float64", "string", "category", "object")},
    "sparse": lambda cells: pd.DataFrame({"more": pd.arrays.SparseArray(cells)}),
    "interval": lambda cells: pd.DataFrame({"more": pd.arrays.IntervalArray.from_breaks(cells)}),
    **{
        str(kind): cast_to(kind)
        for kind in (pl.Int64, pl.String, pl.Categorical, pl.Decimal(9, 2), pl.Date)
    },
    "a list": lambda cells: pl.DataFrame({"more": [[cell] for cell in cells]}),
    "a constant": lambda cells: pl.DataFrame({"x": cells}).with_columns(more=pl.lit(2)),
    "all missing": lambda cells: pl.concat(
        [pl.DataFrame({"x": cells}), pl.DataFrame(schema={"more": pl.Int64})], how="diagonal"
    ),
    "arrow": lambda cells: pa.table({"more": cells}),
}


@pytest.mark.claim("C336")
@pytest.mark.parametrize("gap", [False, True], ids=["full", "with a missing cell"])
@pytest.mark.parametrize("kind", MAKERS)
def test_frames_that_share_nothing_are_never_one_source(kind, gap):
    """F3: what lay for a moment where another frame's cells had lain was taken for them."""
    for rows in (50, 51, 53, 60):
        cells = [float(n) for n in range(rows)]
        cells[3] = None if gap and kind != "interval" else 3.0
        other = [*cells[: rows - 3], 90.0, 91.0, 92.0]
        facts, owners = (place_of(MAKERS[kind](each)) for each in (cells, other))

        assert not facts.is_one_with(owners)
        assert not facts.could_be(owners)


@pytest.mark.claim("C336")
@pytest.mark.parametrize("gap", [False, True], ids=["full", "with a missing cell"])
@pytest.mark.parametrize("kind", sorted(MAKERS.keys() - {"sparse"}))  # its part is a copy
def test_whether_a_part_of_a_frame_is_seen_hangs_on_no_cell(kind, gap):
    """A column with and without a missing cell is alike: its part is seen to be of it."""
    cells = [float(n) for n in range(50)]
    cells[3] = None if gap and kind != "interval" else 3.0
    frame = MAKERS[kind](cells)
    part = frame[:-1] if kind != "arrow" else frame.slice(0, 49)

    assert place_of(frame).is_one_with(place_of(part))


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["owners", "further", "main.facts", "facts"])
def test_one_table_of_a_database_is_refused_by_every_name(name):
    """A view over the facts, a view over that, and the table with its schema."""
    source = of_duckdb()

    with pytest.raises(InputError, match=r"are one source|no column 'person'|have one name"):
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
    with pytest.raises(InputError, match=r"are one source|no column|have one name"):
        table = dp.table(
            source,
            name="people",
            vouched="a view of one table",
            unit=dp.unit("person", max_rows=2),
            columns={"income": dp.bounds(0, 9, step=1)},
        ).joined(joins)
        engine_for(source).prepare(table, dp.sum("income").aggregates(table))


@pytest.mark.claim("C335")
def test_a_view_of_a_server_over_a_function_is_refused():
    """A function of the user's can read any table, and the catalog does not say which."""
    source = connected()
    for text in (
        "DROP TABLE IF EXISTS people CASCADE",
        "CREATE TABLE people (person text, home text, income int)",
        "CREATE FUNCTION all_people() RETURNS SETOF people LANGUAGE sql AS 'SELECT * FROM people'",
        "CREATE VIEW facts AS SELECT home, income FROM all_people()",
        "CREATE VIEW spelled AS SELECT lower(home) AS home, person FROM people",
        "CREATE TABLE others (home text, income int)",
    ):
        source.execute(text)
    source.commit()

    with pytest.raises(InputError, match="could be one source: facts is made of tables"):
        prepared(source, source, names=("facts", "people"), vouched="a view")
    assert prepared(source, source, names=("others", "spelled"), vouched="a view")


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


@pytest.mark.claim("C337")
@pytest.mark.parametrize("rows", [[], [None], [None, None], [None, 3], [3, "x"], [[1], [2]]])
def test_a_list_is_a_list_of_rows_whatever_stands_in_it(rows):
    """F4: with one row that is a dict it was counted, and without one refused as unreadable."""
    for listed in (rows, [*rows, {"pid": "p"}], deque([*rows, {"pid": "p"}])):
        table = dp.table(listed, name="t", unit=dp.unit("pid", max_rows=1))
        (exact,) = engine_for(listed).prepare(table, dp.count().aggregates(table)).count(3)

        assert sum(exact.opened_by_the_door()) == len(listed) - len(rows)


@pytest.mark.claim("C337")
@pytest.mark.parametrize("source", [range(3), bytearray(b"ab"), {"a": 1}, 3])
def test_what_can_hold_no_row_is_refused_by_its_type(source):
    """No cell decides: these can hold no dict."""
    with pytest.raises(InputError, match="cannot be read"):
        engine_for(source)


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
