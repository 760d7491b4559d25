"""Joins of private tables: no unit moves a vector too far, alike on every engine and source.

Three tables: visits, orders that say whose a visit is, and people. A unit's rows in all of them
come or go, and with an owner the visits that only its orders refer to.
"""

import csv
import random
import sys
from dataclasses import replace

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlglot import exp, parse_one

import discreet as dp
from adversarial.moves import counted, exceeds, move
from discreet.engine import joined_rows, memory
from discreet.engine.choose import engine_for
from discreet.engine.parts import parts_of
from discreet.engine.postgres.dialect import POSTGRES
from discreet.engine.spark.dialect import SPARK
from discreet.engine.sql.cells import Reader
from discreet.engine.sql.joined import Scanned, joined
from discreet.engine.sql.query import counting
from discreet.engine.sql.spoken import spoken
from discreet.errors import InputError, InternalError
from engine.sources import opened
from engine.unguarded import unguarded
from servers import connected

KINDS = ("own", "owner", "both")
PEOPLE = ("ann", "Ann", "bob", "carl")
COLUMNS = {
    "visits": {"who": "VARCHAR", "visit": "INTEGER", "ward": "VARCHAR", "cost": "DOUBLE"},
    "orders": {"visit": "VARCHAR", "who": "VARCHAR", "kind": "INTEGER"},
    "people": {"id": "VARCHAR", "age": "DOUBLE"},
}


def world(seed):
    """Rows of the three tables, some of which have several owners, some no partner."""
    chance = random.Random(seed)

    def visit():
        return chance.choice([1, 2, 3, 4, None])

    def who():
        return chance.choice([*PEOPLE, None])

    return {
        "visits": [
            {
                "who": who(),
                "visit": visit(),
                "ward": chance.choice("AB"),
                "cost": chance.randrange(7),
            }
            for _ in range(chance.randrange(1, 12))
        ],
        "orders": [
            {"visit": str(visit()), "who": who(), "kind": chance.randrange(2)}
            for _ in range(chance.randrange(8))
        ],
        "people": [
            {"id": who(), "age": chance.choice([1, 5, 9, None])} for _ in range(chance.randrange(8))
        ],
    }


def table_of(kind, made, *, most=2, neighbors="add_remove", sources=None):
    """The declaration of one kind of join over a world, or over the same in other sources."""
    there = sources or made
    joins = []
    if kind != "owner":
        joins.append(dp.join(there["people"], name="people", key="id", gives=["age"]))
    if kind != "own":
        joins.append(dp.owner(there["orders"], name="orders", on="visit", gives=["who", "kind"]))
    found = dp.table(
        there["visits"],
        name="visits",
        unit=dp.unit("who", max_rows=most, sampling="portable"),
        columns={"cost": dp.bounds(0, 5, step=1), "age": dp.bounds(0, 9, step=1)},
        keys={"ward": ["A", "B"]},
        neighbors=neighbors,
    ).joined(*joins)
    return found.where("cost <> 3") if kind == "own" else found.where("kind = 1 OR cost > 1")


def questions(kind):
    asked = [
        dp.count(by="ward"),
        dp.count_units(by="ward", max_groups=1),
        dp.sum("cost", by="ward"),
    ]
    asked += [dp.count(where="cost > 2")]
    return asked if kind == "owner" else [*asked, dp.mean("age"), dp.histogram("age", bins=3)]


def asked_of(kind, found):
    return tuple(a for one in questions(kind) for a in one.aggregates(found))


def counts(kind, made, salt=1, **how):
    found = table_of(kind, made, **how)
    wanted = asked_of(kind, found)
    return wanted, opened(engine_for(found.source).prepare(found, wanted).count(salt))


def without(made, kind, gone, chance):
    """The world without a unit, and with or without the visits that nobody else owns."""
    if kind == "own":
        return {
            "visits": [row for row in made["visits"] if row["who"] != gone],
            "orders": made["orders"],
            "people": [row for row in made["people"] if row["id"] != gone],
        }
    theirs = [row for row in made["orders"] if row["who"] != gone]
    reached = {row["visit"] for row in theirs if row["who"] is not None}
    return {
        "visits": [
            v for v in made["visits"] if str(v["visit"]) in reached or chance.random() < 0.5
        ],
        "orders": theirs,
        "people": [row for row in made["people"] if row["id"] != gone],
    }


def exchanged(made, kind, gone, chance):
    """The world with a newcomer's rows in a unit's place; it may own visits of others, too."""
    found, new = without(made, kind, gone, chance), world(chance.randrange(10**6))
    found["people"] = [*({**row, "id": "new"} for row in new["people"]), *found["people"]]
    if kind == "own":
        found["visits"] = [*({**row, "who": "new"} for row in new["visits"]), *found["visits"]]
        return found
    reached = {row["visit"] for row in found["orders"] if row["who"] is not None}
    found["visits"] = [
        *(row for row in new["visits"] if str(row["visit"]) not in reached),
        *found["visits"],
    ]
    found["orders"] = [*({**row, "who": "new"} for row in new["orders"]), *found["orders"]]
    return found


def too_far(kind, neighbors, seeds, **how):
    """The worlds in which one unit moves a vector further than declared."""
    found = []
    for seed in seeds:
        chance, made = random.Random(seed), world(seed)
        change = without if neighbors == "add_remove" else exchanged
        wanted, before = counts(kind, made, seed, neighbors=neighbors, **how)
        for gone in PEOPLE:
            other = change(made, kind, gone, chance)
            other = {name: chance.sample(rows, len(rows)) for name, rows in other.items()}
            _, after = counts(kind, other, seed, neighbors=neighbors, **how)
            pairs = zip(wanted, counted(wanted, before), counted(wanted, after), strict=True)
            if any(exceeds(move(one, two), a.sensitivity) for a, one, two in pairs):
                found.append((seed, gone))
    return found


@pytest.mark.claim("C120")
@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize("kind", KINDS)
def test_one_unit_moves_no_joined_vector_too_far(kind, neighbors):
    """Its rows in all tables come or go, or are exchanged, with what only they refer to."""
    assert too_far(kind, neighbors, range(25)) == []


def _first_owner(rows, one):
    return [some[:1] for some in _PARTNERS(rows, one)]


_PARTNERS = joined_rows._partners
_JOINED = joined_rows.joined_rows


def _limited_first(table):
    """Each table's rows of a unit are limited, and the result is not."""

    def few(rows, name):
        seen = {}
        for row in rows:
            seen.setdefault(row[name], []).append(row)
        return [row for some in seen.values() for row in some[: table.unit.max_rows]]

    joins = tuple(replace(one, source=few(one.source, one.key)) for one in table.joins)
    return _JOINED(replace(table, source=few(table.source, "who"), joins=joins))


def _copied(items, limit, part_of, place_of):
    """A public table with a double key, joined behind the limit: some rows are there twice."""
    kept = _FIRST(items, limit, part_of, place_of)
    return [*kept, *(row for row in kept if getattr(row, "keys", {}).get("ward") == 0)]


_FIRST = memory._first


def _as_they_come(items, _limit, _part_of, _place_of):
    return list(items)


@pytest.mark.claim("C120")
@pytest.mark.parametrize(
    ("kind", "planted"),
    [
        ("owner", {(joined_rows, "_partners"): _first_owner}),
        (
            "own",
            {(memory, "joined_rows"): _limited_first, (memory, "_first"): _as_they_come},
        ),
        ("own", {(memory, "_first"): _copied}),
    ],
    ids=["first owner wins", "bounded before the join", "a public table with a double key"],
)
def test_a_fault_of_joining_is_found(kind, planted, monkeypatch):
    """The check has power: each is found in some of a few worlds, without the last guard."""
    for (module, name), faulty in planted.items():
        monkeypatch.setattr(module, name, faulty)
    if kind == "own":
        unguarded(monkeypatch)
    assert too_far(kind, "add_remove", range(40))


@pytest.mark.claim("C120")
def test_a_join_by_what_several_units_share_would_be_found(monkeypatch):
    """Why a household is refused: declared past the check, one unit moves the rows of others."""
    monkeypatch.setattr(
        sys.modules["discreet.schema.table"],
        "checked_joins",
        lambda given, _unit, _unknown: tuple(replace(one, on="ward", key="ward") for one in given),
    )
    made = world(1)
    made["people"] = [{"ward": "A", "age": 5, "id": "ann"}]
    made["visits"] = [{"who": n, "visit": 1, "ward": "A", "cost": 1} for n in range(9)]
    wanted, before = counts("own", made)
    _, after = counts("own", {**made, "people": []})

    assert exceeds(move(before[0], after[0]), wanted[0].sensitivity)


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


SEED = 5
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


@pytest.mark.claim("C120")
@pytest.mark.parametrize("way", WAYS)
def test_every_engine_and_source_joins_like_the_reference(way, tmp_path):
    """Text by its bytes, whole numbers as their digits; what is missing has no partner."""
    made = world(SEED)
    sources = WAYS[way](made, tmp_path)
    for kind in KINDS if way in ("DuckDB", "Postgres") else ["both"]:
        expected = counts(kind, made)[1]

        assert sum(expected[0]) >= 3
        assert counts(kind, made, sources=sources)[1] == expected


@pytest.mark.claim("C120")
@pytest.mark.parametrize(
    ("dialect", "compared"),
    [
        (SPARK, "TRY_VALIDATE_UTF8(s.`visit`)"),
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


@pytest.mark.claim("C120")
@pytest.mark.parametrize("way", ["list", "frames", "DuckDB", "Postgres"])
def test_a_text_has_no_partner_but_itself(way):
    """Case, blanks, normal forms, letters that look alike: each text finds its own row alone."""
    visits = [{"who": f"u{n}", "visit": text, "n": n} for n, text in enumerate(HOSTILE)]
    orders = [{"visit": text, "who": f"u{n}", "m": n} for n, text in enumerate(HOSTILE)]
    rows = {"visits": [*visits, {"who": "x", "visit": None, "n": 0}], "orders": orders}
    rows["orders"] = [*orders, {"visit": None, "who": "x", "m": 0}]
    kinds = {
        "visits": {"who": "text", "visit": "text", "n": "int"},
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
@pytest.mark.parametrize(
    ("of_owner", "of_people"),
    [(["who"], ["age"]), (["who", "visit"], ["age"]), (["who"], ["age", "visit"])],
    ids=["nobody else", "the owner's table", "a second table"],
)
def test_the_first_table_alone_says_to_whom_a_row_refers(of_owner, of_people):
    """Whatever other tables give under that name; and views of one connection are joined alike."""
    rows = {
        "f": [{"visit": n % 3, "who": "z", "x": n} for n in range(6)],
        "o": [{"visit": 0, "who": "a"}, {"visit": 1, "who": "b"}, {"visit": 1, "who": "a"}],
        "p": [{"who": "a", "visit": 7, "age": 1}, {"who": "b", "visit": 5, "age": 2}],
    }
    kinds = {name: dict.fromkeys(some[0], "INT") | {"who": "TEXT"} for name, some in rows.items()}
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
            dp.owner(sources["o"], name="o", on="visit", gives=of_owner),
            dp.join(sources["p"], name="p", gives=of_people),
        )
        wanted = tuple(a for name in ("x", "visit", "age") for a in dp.sum(name).aggregates(table))
        found.append(opened(engine_for(table.source).prepare(table, wanted).count(1)))

    assert found[0] == found[1]
    assert found[0][0] == (0 + 3 + 2 * (1 + 4),)


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
    with pytest.raises(InputError, match="does not lie where"):
        prepared(pd.DataFrame(rows), rows)


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
