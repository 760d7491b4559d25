"""Whole numbers placed among consecutive keys by a difference, where engines raise on overflow."""

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlglot import exp

import discreet as dp
from discreet.engine.select_engine import engine_for
from discreet.engine.sql.faster.consecutive_keys import Run
from discreet.engine.sql.query import counting
from discreet.errors import EngineError
from engine.sources import opened
from servers import filled

pytestmark = pytest.mark.claim("C83")

BITS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
KEYS = {  # the type of the column: lists of consecutive keys
    "tinyint": [range(-(2**7), 2**7), range(-1, 2)],
    "smallint": [range(-(2**15), -(2**15) + 3), range(2**15 - 3, 2**15), range(-1, 2)],
    "int": [range(-(2**31), -(2**31) + 3), range(2**31 - 3, 2**31), range(7, 8)],
    "bigint": [range(-(2**53) + 1, -(2**53) + 4), range(2**53 - 6, 2**53 - 3), range(2)],
}
NAMED = [(), ("other",), ("missing",), ("other", "missing")]
UNITS = ["row", dp.unit("u", sampling="portable")]


def cells(kind, keys):
    """Cells at both ends of the keys and of their type, some of them missing: each several times."""
    end = 2 ** (BITS[kind] - 1)
    near = [*range(keys[0] - 2, keys[0] + 2), *range(keys[-1] - 1, keys[-1] + 3), -end, end - 1, 0]
    return [cell for cell in near if -end <= cell < end] * 3 + [None] * 3


def on_postgres(kind, rows, _folder):
    return filled({"u": "bigint", "g": kind, "v": "float8"}, [(*row.values(),) for row in rows])


def in_a_table(kind, rows, _folder):
    source, found = duckdb.connect(), pa.Table.from_pylist(rows)
    source.execute(f"CREATE TABLE t (u BIGINT, g {kind}, v DOUBLE)")
    source.register("found", found)
    source.execute("INSERT INTO t FROM found")
    return source


def in_parquet(kind, rows, folder):
    """With a dictionary, whose cells DuckDB works out at once, whichever of them are asked for."""
    schema = pa.schema([("u", pa.int64()), ("g", f"int{BITS[kind]}"), ("v", pa.float64())])
    pq.write_table(pa.Table.from_pylist(rows * 400, schema=schema), f"{folder}/t.parquet")
    return f"{folder}/t.parquet"


def counted(source, listed, whose):
    """Counts and sums by key."""
    limits = {"max_groups": 2, "max_rows_per_group": 1} if whose != "row" else {}
    found = dp.table(
        source, name="t", unit=whose, keys={"g": listed}, columns={"v": dp.bounds(0, 2, step=1)}
    )
    asked = dp.mean("v", "g", **limits).aggregates(found)
    return opened(engine_for(source).prepare(found, asked).count(5))


def placed(made, kind, keys, whose, named, folder):
    """What the reference counts, and what the engine does."""
    rows = [{"u": n % 5, "g": g, "v": float(n % 3)} for n, g in enumerate(cells(kind, keys))]
    names = {name: keys[-1] + 1 + place for place, name in enumerate(named)}  # beside the keys
    listed = dp.keys(*keys, **names) if named else keys
    many = 400 if made is in_parquet else 1
    return counted(rows * many, listed, whose), counted(made(kind, rows, folder), listed, whose)


MADE = {
    **{f"postgres {kind}": (on_postgres, kind) for kind in KEYS if kind != "tinyint"},
    **{f"table {kind}": (in_a_table, kind) for kind in KEYS},
    **{f"parquet {kind}": (in_parquet, kind) for kind in KEYS},
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("named", NAMED, ids=str)
@pytest.mark.parametrize(("made", "kind"), MADE.values(), ids=[*MADE])
def test_consecutive_keys_are_found_at_the_ends_of_each_type(made, kind, named, tmp_path):
    """Cells beside the keys, at the ends of the type and missing; with a place for others, or none."""
    for keys in KEYS[kind]:
        for whose in UNITS:
            expected, found = placed(made, kind, keys, whose, named, tmp_path)

            assert found == expected
            assert any(map(any, expected))


@pytest.mark.of_speed
def test_a_range_of_keys_that_begins_a_key_too_early_would_be_seen(monkeypatch, tmp_path):
    """The test above has power: the cell before the first key is no longer of the others."""
    honest = Run.has

    def early(self, raw):
        found = honest(self, raw)
        found.set("low", exp.Sub(this=found.args["low"], expression=exp.Literal.number(1)))
        return found

    monkeypatch.setattr(Run, "has", early)
    for made in (on_postgres, in_a_table):
        expected, found = placed(made, "int", range(-1, 2), "row", ("other",), tmp_path)

        assert found != expected


@pytest.mark.of_speed
def test_a_difference_in_the_type_of_a_small_cell_would_be_seen(monkeypatch, tmp_path):
    """The test above has power: 127 is 255 above the first key, and no number of 8 bits."""
    monkeypatch.setattr(
        Run, "position", lambda self, raw: exp.Sub(this=raw, expression=exp.Literal.number(-128))
    )
    with pytest.raises(EngineError):
        placed(in_a_table, "tinyint", range(-(2**7), 2**7), "row", (), tmp_path)


@pytest.mark.exhaustive
@pytest.mark.of_speed
@pytest.mark.parametrize("max_rows", [None, 3])
@pytest.mark.parametrize("by", [["g"], ["g", "h"], ["h", "g"]], ids=str)
def test_no_cell_stops_a_count_where_it_is_not_left_out_before(by, max_rows):
    """No engine has promised to number the groups of those rows alone that it leaves."""
    cells = [-(2**31), -1, 0, 1, 2, 3, 2**31 - 1, None]
    rows = [{"u": n, "g": g, "h": h} for n, g in enumerate(cells) for h in cells]
    source, found = duckdb.connect(), pa.Table.from_pylist(rows)
    source.register("found", found)
    source.execute("CREATE TABLE t AS SELECT u, g::INT AS g, h::INT AS h FROM found")
    whose, keys = dp.unit("u", max_rows=max_rows), {"g": range(3), "h": range(700)}
    table = dp.table(source, name="t", unit=whose, keys=keys)
    asked = dp.count(by, max_groups=2, max_rows_per_group=1).aggregates(table)
    kinds = {"u": "BIGINT", "g": "INTEGER", "h": "INTEGER"}
    query = counting(table, asked, kinds=kinds, source=exp.to_table("t")).query

    (read,) = (one for one in query.find_all(exp.Table) if one.name == "discreet_cells")
    read.parent_select.set("where", None)

    assert source.execute(query.sql(dialect="duckdb"), {"salt": 5}).fetchall()
