"""Conditions that filters test on cells as they are: of every row what the language says of it."""

import math
import struct
from dataclasses import replace
from datetime import date, datetime

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlglot import exp

from discreet import count, table
from discreet.engine import evaluate
from discreet.engine.duckdb.typed_files import stored_kinds, stored_schema
from discreet.engine.files import files
from discreet.engine.select_engine import engine_for
from discreet.engine.sql.cells import Reader
from discreet.engine.sql.columns import plain_cell
from discreet.engine.sql.dialect import DUCKDB, of_text
from discreet.engine.sql.expression_cells import Read
from discreet.engine.sql.expression_sql import Layers
from discreet.engine.sql.faster.predicate_pushdown import sifted
from discreet.engine.sql.faster.speed import SLOW
from discreet.expressions import Typed
from discreet.schema.csv_options import DEFAULT
from engine.expression_worlds import NUMBERS
from engine.sources import opened

pytestmark = pytest.mark.of_speed

FAR = datetime(9999, 12, 31, 23, 59, 59, 999999)
MOMENTS = [None, datetime(1, 1, 1), FAR, datetime(1969, 12, 31, 23, 59, 59, 500000)]
MOMENTS += [datetime(2000, 2, 29), datetime(2000, 2, 29, 12, 30), datetime(2000, 3, 1)]
WIDE = [None, 0, -1, 1, 18, 2**53 - 1, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)]
CELLS = {
    "x": (pa.float64(), [*NUMBERS, -1e150, 1e-200, -1e-150]),
    "f": (pa.float32(), [None, 0.0, -0.0, 1.0, 2.5, math.nan, math.inf, -math.inf, 1e-40]),
    "w": (pa.int64(), WIDE),
    "n": (pa.uint8(), [None, 0, 1, 18, 255]),
    "g": (pa.uint64(), [None, 0, 18, 2**53, 2**64 - 1]),
    "b": (pa.bool_(), [None, True, False]),
    "s": (pa.string(), [None, "", "a", "A", "a ", "a\0", "é", "é", "👍🏽", "18"]),
    "d": (pa.date32(), [None, date(1, 1, 1), date(9999, 12, 31), date(2000, 2, 29)]),
    "m": (pa.timestamp("us"), MOMENTS),
}
_DOUBLES = ["0", "1", "-1", "2.5", "1e150", "-1e150", "1e-150", "-1e-150"]
_WHOLE = ["0", "1", "-1", "18", "18.5", "9007199254740992", "9007199254740991"]
LITERALS = {
    "x": _DOUBLES,
    "f": _DOUBLES,
    "w": _WHOLE,
    "n": _WHOLE,
    "g": _WHOLE,
    "b": ["0", "1"],
    "s": ["''", "'a'", "'A'", "'é'", "'👍🏽'"],
    "d": ["DATE '2000-02-29'", "DATE '0001-01-01'", "DATE '9999-12-31'"],
    "m": ["DATE '2000-02-29'", "DATE '9999-12-31'", "TIMESTAMP '2000-02-29 12:30:00'"],
}
SIGNS = ["=", "<>", "<", "<=", ">", ">="]
FLIPPED = dict(zip(SIGNS, ["=", "<>", ">", ">=", "<", "<="], strict=True))


def conditions():
    """Each column with each of its literals by each sign, both ways round; some together."""
    for name, literals in LITERALS.items():
        signs = ["=", "<>"] if name == "s" else SIGNS
        for place, literal in enumerate(literals):
            for at, sign in enumerate(signs):
                turned = (place + at) % 3 == 0
                yield f"{literal} {FLIPPED[sign]} {name}" if turned else f"{name} {sign} {literal}"
        kind = [one for one in literals if not one.startswith("TIME")]
        yield f"{name} IN ({', '.join(kind[1:])})"
        yield f"{name} IN ({', '.join(kind)})"
    for name, written in (("d", True), ("m", True), ("s", True), ("d", False)):
        for year in ("0", "1", "2", "2000", "2000.5", "9998", "9999", "10000", "-1"):
            for sign in SIGNS if written else ["=", "<="]:
                of = f"year({name})" if written else f"year(CASE WHEN x > 1 THEN {name} END)"
                yield f"{of} {sign} {year}"
    yield "year(d) IN (1, 1999, 2000) OR 2000 = year(m)"
    yield f"s IN ({', '.join(repr(str(n)) for n in range(20))}, 'a ')"
    yield "s IN ('a', 'a', 'É') AND x > -5"
    yield "s IN ('') OR s IN ('A') OR (s IN ('a ', 'a', '18') AND d IN (DATE '2000-02-29'))"
    yield "(x > 1 AND w < 100) OR (s = 'a' AND NOT d < DATE '2000-02-29')"
    yield "x >= 0 OR x < 1 OR s IN ('a', 'é') OR abs(x) > 1"
    yield "x < 1e100 AND (x > -5 OR n >= 1 OR m >= DATE '2000-03-01')"


def rows():
    """Each cell once beside others, so that parts of a file hold some and no others."""
    many = max(len(cells) for _, cells in CELLS.values())
    columns = {
        name: [cells[i % len(cells)] for i in range(many)] for name, (_, cells) in CELLS.items()
    }
    schema = pa.schema([("i", pa.int32()), *((name, kind) for name, (kind, _) in CELLS.items())])
    return pa.table({"i": list(range(many)), **columns}, schema=schema)


def of_table(data, _folder):
    source = duckdb.connect()
    source.register("given", data)
    source.execute("CREATE TABLE t AS SELECT * FROM given")
    source.execute("SET default_collation = 'NOCASE'")
    return source, "t"


def of_parquet(data, folder):
    pq.write_table(data, folder / "t.parquet", row_group_size=3)
    return duckdb.connect(), f"'{folder / 't.parquet'}'"


def above(place, layers):
    """The query that works out one layer after the other."""
    query = f"SELECT * FROM {place} AS s"
    for one in layers.columns:
        more = [_sql(exp.alias_(said, name)) for name, said in one.items()]
        query = f"SELECT {', '.join(['*', *more])} FROM ({query}) AS s"
    return query


def _sql(said):
    return said.sql(dialect="duckdb")


def passing(source, place, kinds, tree, said):
    """The rows that a filter leaves, in a query of nothing else."""
    layers = Layers(Read(Reader(said, DEFAULT), plain_cell, kinds), {}, said.as_bytes)
    holds = sifted(layers, tree)
    query = f"SELECT i FROM ({above(place, layers)}) WHERE {_sql(holds.said)}"
    return sorted(i for (i,) in source.execute(query).fetchall())


@pytest.mark.exhaustive
@pytest.mark.claim("C187")
@pytest.mark.parametrize("make", [of_table, of_parquet])
def test_a_filter_leaves_the_rows_of_which_a_condition_is_true(make, tmp_path):
    """Of columns of many types, by every sign, as the reference says: and no others."""
    data = rows()
    told = data.to_pylist()
    given = table(told, unit="row", keys={"i": range(40)}, name="t")
    source, place = make(data, tmp_path)
    described = source.execute(f"DESCRIBE FROM {place}").fetchall()
    kinds = {name: kind for name, kind, *_ in described}
    said = of_text(DUCKDB) if make is of_parquet else DUCKDB
    for where in conditions():
        (one,) = count(where=where).aggregates(given)
        expected = [row["i"] for row in told if evaluate.test(one.where, given, row) == 1]

        assert passing(source, place, kinds, one.where, said) == expected, where


@pytest.mark.claim("C187")
def test_what_a_file_says_of_its_numbers_is_not_asked_about_nan(tmp_path):
    """A file that names NaN as its least number, as old writers do, is read as one that does not."""
    data = pa.table({"i": range(4), "x": [1.25, 2.5, math.nan, 7.75]})
    pq.write_table(data, tmp_path / "t.parquet", compression="none", use_dictionary=False)
    path = tmp_path / "t.parquet"
    least, most, nan = (struct.pack("<d", one) for one in (1.25, 7.75, math.nan))
    whole = path.read_bytes()
    footer = whole[-8 - struct.unpack("<I", whole[-8:-4])[0] :]
    for one in (least, most):
        assert one in footer
        footer = footer.replace(one, nan)
    path.write_bytes(whole[: len(whole) - len(footer)] + footer)
    for where, expected in (("x >= 1", [0, 1, 3]), ("x < 5", [0, 1]), ("x <> 2.5", [0, 3])):
        given = table(str(path), unit="row", keys={"i": range(4)}, name="t")
        asked = count(by="i", where=where).aggregates(given)
        (counts,) = opened(engine_for(given.source).prepare(given, asked).count(0))

        assert [i for i, one in enumerate(counts) if one] == expected


@pytest.mark.claim("C187")
def test_the_engines_own_calendar_is_that_of_whole_numbers():
    """YEAR, MONTH and DAY of every day from 0001-01-01 to 9999-12-31."""
    layers, quick = (
        Layers(Read(Reader(dialect, DEFAULT), plain_cell, {"d": "DATE"}), {}, _same)
        for dialect in (replace(DUCKDB, speed=SLOW), DUCKDB)
    )
    wrong = []
    for op in ("year", "month", "day"):
        tree = Typed(op, "number", (Typed("column", "day", value="d"),))
        one, other = layers.of(tree), quick.of(tree)
        wrong.append(f"COUNT_IF({_sql(one.said)} IS DISTINCT FROM {_sql(other.said)})")
    days = "SELECT DATE '1970-01-01' + CAST(i AS INT) AS d FROM range(-719162, 2932897) t(i)"
    query = f"SELECT COUNT(*), {', '.join(wrong)} FROM ({above(f'({days})', layers)})"

    assert duckdb.sql(query).fetchall() == [(3_652_059, 0, 0, 0)]


def _same(cell):
    return cell


@pytest.mark.claim("C39")
def test_moments_in_milliseconds_are_read_by_pyarrow_and_no_others(tmp_path):
    """DuckDB would convert them, and stop at one that is out of range."""
    units = ("s", "ms", "us", "ns")
    columns = {unit: pa.array([0], pa.timestamp(unit)) for unit in units}
    pq.write_table(pa.table({**columns, "x": [1.5]}), tmp_path / "t.parquet")
    found = files(table(str(tmp_path / "t.parquet"), unit="row"), ())

    wide, moments = stored_kinds(stored_schema(duckdb.connect(), found))

    assert set(moments) == {"s", "ms"}
    assert not wide
    unread = engine_for(found.paths[0]).prepare(table(found.paths[0], unit="row"), ())
    assert unread.schema()["ms"] == "TIMESTAMP"
