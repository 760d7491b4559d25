"""Joins of private tables are the same on every engine and source, whatever the cells are."""

import csv

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlglot import exp, parse_one

import discreet as dp
from discreet.engine.parts import parts_of
from discreet.engine.postgres.dialect import POSTGRES
from discreet.engine.select_engine import engine_for
from discreet.engine.spark.dialect import SPARK
from discreet.engine.sql.cells import Reader
from discreet.engine.sql.dialect_rewrites import spoken
from discreet.engine.sql.joined import Scanned, joined
from discreet.engine.sql.query import counting
from discreet.errors import InputError, InternalError
from engine.joined_worlds import COLUMNS, KINDS, SEED, asked_of, counts, table_of, world
from engine.sources import opened
from servers import connected


def on_files(made, folder, ending):
    """Each table as a file: CSV, or Parquet with a type for each column."""
    found = {}
    for name, kinds in COLUMNS.items():
        path = found[name] = folder / f"{name}.{ending}"
        rows = [[row[column] for column in kinds] for row in made[name]]
        if ending == "csv":
            with path.open("w", newline="") as file:
                csv.writer(file).writerows([[*kinds], *rows])
            continue
        kind = {"VARCHAR": pa.string(), "INTEGER": pa.int32(), "DOUBLE": pa.float64()}
        schema = pa.schema([(column, kind[of]) for column, of in kinds.items()])
        pq.write_table(pa.Table.from_pylist(made[name], schema=schema), path)
    return {name: str(path) for name, path in found.items()}


def on_duckdb(made):
    """A database that takes texts for equal that differ by case alone."""
    connection = duckdb.connect()
    connection.execute("SET default_collation = 'NOCASE'")
    filled(connection, made, COLUMNS)
    return dict.fromkeys(COLUMNS, connection)


def filled(connection, made, kinds, mark="?"):
    for name, columns in kinds.items():
        listed = ", ".join(f'"{column}" {kind}' for column, kind in columns.items())
        connection.execute(f"CREATE TABLE {name} ({listed})")
        for row in made[name]:
            marks = ", ".join([mark] * len(columns))
            connection.execute(
                f"INSERT INTO {name} VALUES ({marks})", [row[column] for column in columns]
            )


def on_postgres(made):
    connection = connected()
    kinds = {"VARCHAR": 'text COLLATE "und-x-icu"', "INTEGER": "int", "DOUBLE": "float8"}
    columns = {n: {c: kinds[of] for c, of in found.items()} for n, found in COLUMNS.items()}
    filled(connection, made, columns, "%s")
    return dict.fromkeys(COLUMNS, connection)


WAYS = {
    "frames of objects": lambda made, _: {
        name: pd.DataFrame(made[name], columns=[*COLUMNS[name]], dtype=object) for name in COLUMNS
    },
    "Polars frames of objects": lambda made, _: {
        name: pl.DataFrame(
            {c: pl.Series([row[c] for row in made[name]], dtype=pl.Object) for c in columns}
        )
        for name, columns in COLUMNS.items()
    },
    "CSV": lambda made, folder: on_files(made, folder, "csv"),
    "Parquet": lambda made, folder: on_files(made, folder, "parquet"),
    "a file and a frame": lambda made, folder: {
        **on_files(made, folder, "parquet"),
        "people": pa.Table.from_pylist(
            made["people"], schema=pa.schema([("id", pa.string()), ("age", pa.float64())])
        ),
    },
    "DuckDB": lambda made, _: on_duckdb(made),
    "Postgres": lambda made, _: on_postgres(made),
}


@pytest.mark.exhaustive
@pytest.mark.claim("C120")
@pytest.mark.parametrize("way", WAYS)
def test_every_engine_and_source_joins_like_the_reference(way, tmp_path):
    """Text by its bytes, whole numbers as their digits; what is missing has no partner."""
    made = world(SEED)
    sources = WAYS[way](made, tmp_path)
    kinds = {"DuckDB": KINDS, "Postgres": KINDS, "Polars frames of objects": ["own"]}
    for kind in kinds.get(way, ["both"]):  # where objects of Polars lie nobody says: no owner
        expected = counts(kind, made)[1]

        assert sum(expected[0]) >= 3
        assert counts(kind, made, sources=sources)[1] == expected


@pytest.mark.claim("C120")
@pytest.mark.parametrize(
    ("dialect", "compared"),
    [
        (SPARK, "THEN s.`visit` END))) <= 64 THEN TRY_VALIDATE_UTF8((CASE WHEN"),
        (POSTGRES, 'p0.l1 COLLATE "C" = p1.l1 COLLATE "C"'),
    ],
    ids=["spark", "postgres"],
)
def test_a_server_is_told_to_compare_bytes(dialect, compared):
    """What is sent: one query, whose links are read as text; whole numbers are compared as such."""
    table = table_of("both", {name: [] for name in COLUMNS})
    wanted = asked_of("both", table)
    found = [
        Scanned(
            part, exp.to_table(part.table.name), {**COLUMNS[part.table.name], "visit": "VARCHAR"}
        )
        for part in parts_of(table, wanted)
    ]
    whole = joined(table, found, Reader(dialect, table.csv))
    how = {"kinds": whole.kinds, "source": whole.address, "cell": whole.cell, "dialect": dialect}
    said = spoken(counting(table, wanted, **how).query, dialect).sql(dialect=dialect.name)

    assert compared in said
    assert said.count("JOIN (SELECT") == 2
    assert {one.name for one in parse_one(said, dialect=dialect.name).find_all(exp.Table)} >= set(
        COLUMNS
    )
    for one in found:
        one.kinds["visit"] = "INTEGER"
    assert compared not in joined(table, found, Reader(dialect, table.csv)).address.sql(
        dialect.name
    )


HOSTILE = [
    *(
        "a",
        "A",
        "a ",
        " a",
        "",
        "\u00e9",
        "e\u0301",
        "\u1e9e",
        "ss",
        "\u00df",
        "1",
        "01",
        "1.0",
        "+1",
    ),
    *("Day 5", "n", "NULL", "nan", "'", '"', "\ud7ff", "\U0001f600", "\u0430", "%", "_", "\\"),
]


@pytest.mark.exhaustive
@pytest.mark.claim("C120")
@pytest.mark.parametrize("way", ["list", "frames", "DuckDB", "Postgres"])
def test_a_text_has_no_partner_but_itself(way):
    """Case, blanks, normal forms, letters that look alike: each text finds its own row alone."""
    visits = [{"wrote": f"u{n}", "visit": text, "n": n} for n, text in enumerate(HOSTILE)]
    orders = [{"visit": text, "who": f"u{n}", "m": n} for n, text in enumerate(HOSTILE)]
    rows = {"visits": [*visits, {"wrote": "x", "visit": None, "n": 0}], "orders": orders}
    rows["orders"] = [*orders, {"visit": None, "who": "x", "m": 0}]
    kinds = {
        "visits": {"wrote": "text", "visit": "text", "n": "int"},
        "orders": {"visit": "text", "who": "text", "m": "int"},
    }
    sources = rows
    if way == "frames":
        sources = {name: pd.DataFrame(some) for name, some in rows.items()}
    elif way != "list":
        connection = duckdb.connect() if way == "DuckDB" else connected()
        if way == "DuckDB":
            connection.execute("SET default_collation = 'NOCASE.NOACCENT'")
        filled(connection, rows, kinds, "?" if way == "DuckDB" else "%s")
        sources = dict.fromkeys(rows, connection)
    table = dp.table(
        sources["visits"],
        name="visits",
        unit=dp.unit("who", max_rows=100),
        columns={"n": dp.bounds(0, 99, step=1)},
    ).joined(dp.owner(sources["orders"], name="orders", on="visit", gives=["who", "m"]))
    wanted = dp.count().aggregates(table)
    asked = dp.count(where="n = m").aggregates(table)

    found = opened(engine_for(table.source).prepare(table, (*wanted, *asked)).count(1))
    assert found == [(len(HOSTILE),), (len(HOSTILE),)]


@pytest.mark.claim("C120")
def test_the_first_table_alone_says_to_whom_a_row_refers():
    """Whatever other tables hold under that name; and views of one connection are joined alike."""
    rows = {
        "f": [{"visit": n % 3, "x": n} for n in range(6)],
        "o": [{"visit": 0, "who": "a"}, {"visit": 1, "who": "b"}, {"visit": 1, "who": "a"}],
        "p": [{"who": "a", "visit": 7, "age": 1}, {"who": "b", "visit": 5, "age": 2}],
    }
    kinds = {
        name: {column: "TEXT" if column == "who" else "INT" for column in some[0]}
        for name, some in rows.items()
    }
    source = duckdb.connect()
    filled(
        source,
        {f"{name}0": some for name, some in rows.items()},
        {f"{n}0": k for n, k in kinds.items()},
    )
    for name in rows:
        source.execute(f"CREATE VIEW {name} AS SELECT * FROM {name}0")
    found = []
    for sources in (rows, dict.fromkeys(rows, source)):
        table = dp.table(
            sources["f"],
            name="f",
            unit=dp.unit("who", max_rows=9),
            columns={name: dp.bounds(0, 9, step=1) for name in ("x", "visit", "age")},
        ).joined(
            dp.owner(sources["o"], name="o", on="visit", gives=["who"]),
            dp.join(sources["p"], name="p", gives=["age"]),
        )
        wanted = tuple(a for name in ("x", "visit", "age") for a in dp.sum(name).aggregates(table))
        found.append(opened(engine_for(table.source).prepare(table, wanted).count(1)))

    assert found[0] == found[1]
    assert found[0][0] == (0 + 3 + 2 * (1 + 4),)


@pytest.mark.claim("C120")
@pytest.mark.parametrize("way", ["list", "frame"])
def test_no_table_of_a_unit_says_to_whom_a_row_refers(way):
    """Facts without the column are nobody's where another table gives it: its rows are the units'."""
    rows = {
        "f": [{"x": 1}, {"x": 2}],
        "o": [{"visit": 7, "who": "a"}, {"visit": 5, "who": "b"}],
        "p": [{"who": "a", "visit": 7}, {"who": "b", "visit": 5}],
    }
    made = {n: pd.DataFrame(some) if way == "frame" else some for n, some in rows.items()}
    columns = {name: dp.bounds(0, 9, step=1) for name in ("x", "visit")}
    table = dp.table(made["f"], name="f", unit=dp.unit("who", max_rows=9), columns=columns)

    joined = table.joined(
        dp.owner(made["o"], name="o", on="visit", gives=["who"]),
        dp.join(made["p"], name="p", gives=["visit"]),
    )
    asked = dp.sum("x").aggregates(joined)

    if way == "list":  # of which no names are public: it is missing in each row, and nobody's
        (vector,) = opened(engine_for(joined.source).prepare(joined, asked).count(1))
        assert vector == (0,)
    else:
        with pytest.raises(InputError, match="f has no column 'visit'"):
            engine_for(joined.source).prepare(joined, asked)


@pytest.mark.claim("C120")
def test_whole_numbers_find_each_other_whatever_their_type_is():
    """2^53 + 1 is no double; text of the same digits is equal, other text is not."""
    numbers = [2**53 + 1, 2**53, -1, 0, 7]
    source = duckdb.connect()
    source.execute("CREATE TABLE v (who HUGEINT, n INT)")
    source.execute("CREATE TABLE o (who BIGINT, m INT)")
    source.execute("CREATE TABLE p (who VARCHAR, l INT)")
    for n, number in enumerate(numbers):
        for name, cell in (("v", number), ("o", number), ("p", str(number))):
            source.execute(f"INSERT INTO {name} VALUES (?, ?)", [cell, n])
    source.execute("INSERT INTO p VALUES ('07', 0), ('7.0', 0), (' 7', 0), ('-0', 3)")
    joins = [
        dp.join(source, name=name, gives=[column]) for name, column in (("o", "m"), ("p", "l"))
    ]
    table = dp.table(
        source,
        name="v",
        unit=dp.unit("who", max_rows=9),
        columns={name: dp.bounds(0, 9, step=1) for name in "nm"},
    ).joined(*joins)
    wanted = [dp.count(), dp.count(where="n = m AND m = l")]
    prepared = engine_for(source).prepare(
        table, tuple(a for w in wanted for a in w.aggregates(table))
    )

    assert opened(prepared.count(1)) == [(5,), (5,)]


@pytest.mark.claim("C120")
def test_what_cannot_be_joined_is_refused_before_the_charge():
    """A type that engines compare in their own ways, two places, a column that is not there."""
    source = duckdb.connect()
    source.execute("CREATE TABLE v (who DOUBLE, n INT)")
    source.execute("CREATE TABLE w (who TEXT, n INT)")
    source.execute("CREATE TABLE o (who DOUBLE, m INT, day DATE)")

    def prepared(first, second, called="v", **how):
        one = dp.join(second, **{"name": "o", "gives": ["m"], **how})
        bounds = {name: dp.bounds(0, 9, step=1) for name in one.gives}
        table = dp.table(first, name=called, unit=dp.unit("who", max_rows=9), columns=bounds)
        table = table.joined(one)
        asked = tuple(a for name in one.gives for a in dp.sum(name).aggregates(table))
        return engine_for(first).prepare(table, asked)

    with pytest.raises(InputError, match="of type DOUBLE, by which no rows are joined"):
        prepared(source, source)
    with pytest.raises(InputError, match="of type DATE, by which no rows"):
        prepared(source, source, "w", key="day")
    with pytest.raises(InputError, match="o has no column 'x'"):
        prepared(source, source, "w", gives=["x"])
    rows = [{"who": 1, "n": 1, "m": 2}]
    for first, second in ((source, "o.csv"), (source, duckdb.connect()), (rows, "o.csv")):
        with pytest.raises(InputError, match="o does not lie where v does"):
            prepared(first, second)
    for first, second in ((pd.DataFrame(rows), rows), (rows, "o")):
        with pytest.raises(InputError, match="does not lie where") as error:
            prepared(first, second)
        assert error.value.fix.startswith("bring both to one place")


@pytest.mark.claim("C120")
@pytest.mark.parametrize(
    ("first", "made"),
    [
        ("v", lambda: dp.join("o", gives=["n"])),
        ("v", lambda: dp.join("o", gives=["n"], key="p")),
        ("f", lambda: dp.owner("o", on="m", key="p", gives=["who", "n"])),
    ],
)
def test_a_table_of_a_connection_that_is_named_alone_is_joined_by_its_fix(first, made):
    """A newcomer names the second table as the first one; what the fix types is taken."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE v AS SELECT range AS who FROM range(9)")
    connection.execute("CREATE TABLE f AS SELECT range AS m FROM range(9)")
    connection.execute("CREATE TABLE o AS SELECT range AS who, range AS p, 3 AS n FROM range(9)")
    table = dp.table(connection, name=first, unit=dp.unit("who", max_rows=9), keys={"n": [3]})

    def counted(one):
        joined = table.joined(one)
        question = dp.count("n", max_groups=1, max_rows_per_group=9).aggregates(joined)
        (exact,) = engine_for(connection).prepare(joined, question).count(5)
        return [*exact.opened_by_the_door()]

    with pytest.raises(InputError, match=f"o does not lie where {first} does") as error:
        counted(made())
    typed = error.value.fix.removeprefix("write ")
    assert counted(eval(typed, {"discreet": dp, "connection": connection})) == [9]


@pytest.mark.exhaustive
@pytest.mark.claim("C37")
@pytest.mark.parametrize("way", ["list", "CSV", "a file and a frame", "DuckDB", "Postgres"])
def test_a_repeat_sees_a_change_in_every_table(way, tmp_path):
    """The fingerprint covers all tables that are read, columns that nobody uses among them."""
    sources = WAYS.get(way, lambda made, _: made)
    made, prints = world(3), []
    changes = [{}, *({name: made[name][:-1]} for name in COLUMNS)]
    changes.append({"orders": [{**row, "kind": 1 - row["kind"]} for row in made["orders"]]})
    for number, change in enumerate([*changes, {}]):
        folder = tmp_path / str(number)
        folder.mkdir()
        found = table_of("both", made, sources=sources({**made, **change}, folder))
        wanted = dp.count().aggregates(found)
        prints.append(engine_for(found.source).prepare(found, wanted).fingerprint(b"k" * 32))

    assert prints[0] == prints[-1]
    assert len(set(prints)) == len(changes)


def test_a_link_that_is_looked_for_in_its_own_table_is_no_query(monkeypatch):
    """Joined with itself, a table would be joined with all rows of the others."""
    made = world(7)
    monkeypatch.setattr("discreet.engine.sql.joined.place_of_link", lambda _table, number: number)
    with pytest.raises(InternalError, match="was looked for in table 1"):
        counts("owner", made, sources=on_duckdb(made))
