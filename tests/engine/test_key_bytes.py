"""Text that may be no text is compared with keys byte by byte, and no file's word is taken for it."""

from dataclasses import replace
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dp
from discreet.engine.duckdb import engine
from discreet.engine.duckdb.engine import DuckEngine
from discreet.engine.memory import MemoryEngine
from discreet.errors import EngineError
from discreet.finding.pairs import Pairs
from engine.sources import native_hash, opened

KEYS = ["\x01 first", "middle", "\U0010ffff last"]
ODD = [
    b"\xff",
    b"\x00\xff",
    b"middle\xff",
    b"\xc0\x80",
    b"\xed\xa0\x80",
    b"\xff" * 40,
    b"\xf8 last",
]
CELLS = [*(key.encode() for key in KEYS), b"none", b"", None, *ODD]
ROWS = [(f"p{n % 40}", CELLS[n * 7 % len(CELLS)]) for n in range(400)]


def as_text(cells):
    """Bytes in a column of text, which no writer has looked at."""
    made = pa.array(cells, pa.binary())
    return pa.Array.from_buffers(pa.string(), len(made), made.buffers())


def frame(rows):
    return pa.table({"u": [unit for unit, _ in rows], "k": as_text([cell for _, cell in rows])})


def written(folder, rows, **how):
    path = folder / "t.parquet"
    pq.write_table(frame(rows), path, **how)
    return path


def asked(declared, limits):
    counts = dp.count("k", **limits), dp.count_units("k", **limits)
    return tuple(a for one in counts for a in one.aggregates(declared))


def counted(by, source, unit, keys=tuple(KEYS), **declared):
    limits = {} if unit == "row" else {"max_groups": 2, "max_rows_per_group": 3}
    table = dp.table(source, name="t", unit=unit, keys={"k": keys}, **declared)
    return opened(by.prepare(table, asked(table, limits)).count(3))


@pytest.mark.exhaustive
@pytest.mark.claim("C39")
@pytest.mark.parametrize("unit", ["row", dp.unit("u"), dp.unit("u", max_rows=7)])
@pytest.mark.parametrize("keys", [KEYS, dp.keys(KEYS, other="rest"), dp.keys(KEYS, missing="gone")])
def test_bytes_that_are_no_text_are_no_key(unit, keys):
    """They neither stop the count nor take the place of a key, and are as good as missing."""
    read = [(u, None if cell in ODD else cell) for u, cell in ROWS]
    rows = [{"u": u, "k": None if cell is None else cell.decode()} for u, cell in read]

    found = counted(DuckEngine(), frame(ROWS), unit, keys)

    assert found == counted(MemoryEngine(hash_of=native_hash), rows, unit, keys)
    assert sum(found[0])


@pytest.mark.claim("C39")
@pytest.mark.parametrize("unit", ["row", dp.unit("u")])
def test_what_a_file_states_of_its_texts_leaves_out_no_row(tmp_path, unit):
    """The smallest and the largest text that the file states are below all keys."""
    path = written(tmp_path, [(f"p{n}", b"middle") for n in range(30)], use_dictionary=False)
    before = counted(DuckEngine(), path, unit)
    data = path.read_bytes()
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    assert data.count(b"middle", start) >= 2  # as they are stated at the end
    path.write_bytes(data[:start] + data[start:].replace(b"middle", b"\x00iddle"))

    assert counted(DuckEngine(), path, unit) == before
    assert before[0] == (0, 30, 0)


@pytest.mark.claim("C39")
@pytest.mark.parametrize("unit", ["row", dp.unit("u")])
def test_what_a_file_states_of_its_decimals_leaves_out_no_row(tmp_path, unit):
    """The smallest and the largest decimal that the file states are below the only key."""
    cell = Decimal(int.from_bytes(b"zzzz")).scaleb(-2)
    path, key = tmp_path / "t.parquet", f"{cell}"
    columns = {"u": pa.array(range(30)), "k": pa.array([cell] * 30, pa.decimal128(10, 2))}
    pq.write_table(pa.table(columns), path, use_dictionary=False)
    before = counted(DuckEngine(), path, unit, [key])
    data = path.read_bytes()
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    assert data.count(b"zzzz", start) >= 2
    path.write_bytes(data[:start] + data[start:].replace(b"zzzz", b"aaaa"))

    assert counted(DuckEngine(), path, unit, [key]) == before
    assert before[0] == (30,)


@pytest.mark.exhaustive
@pytest.mark.claim("C39")
@pytest.mark.parametrize("unit", ["row", dp.unit("u"), dp.unit("u", max_rows=7)])
@pytest.mark.parametrize("how", [{"row_group_size": 50}, {"use_dictionary": False}], ids=str)
def test_a_parquet_file_is_read_as_its_bytes_are(tmp_path, unit, how):
    """A text that is a key but for its odd bytes is missing; without them it would be that key."""
    path = written(tmp_path, ROWS, **how)

    assert counted(DuckEngine(), path, unit) == counted(DuckEngine(), frame(ROWS), unit)


@pytest.mark.exhaustive
@pytest.mark.claim("C39")
@pytest.mark.claim("C163")
@pytest.mark.parametrize("unit", ["row", dp.unit("u", max_rows=1)])
def test_what_a_file_states_of_its_texts_decides_no_filter(tmp_path, unit):
    """It states one text, which is none of them, as the smallest and the largest."""
    path = written(tmp_path, [(f"p{n}", b"middle") for n in range(30)], use_dictionary=False)
    data = path.read_bytes()
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    path.write_bytes(data[:start] + data[start:].replace(b"middle", b"zzzzzz"))
    put = {
        **dict.fromkeys(["k = 'middle'", "k IN ('middle', 'a', 'b')", "k <> 'zzzzzz'"], 30),
        **dict.fromkeys(["k = 'zzzzzz'", "k IN ('zzzzzz', 'a', 'b')", "k <> 'middle'"], 0),
        **dict.fromkeys(["NOT k = 'zzzzzz'", "starts_with(k, 'm')", "contains(k, 'd')"], 30),
        **dict.fromkeys(["NOT k = 'middle'", "CASE WHEN k = 'zzzzzz' THEN TRUE END"], 0),
        f"k IN ('middle', {', '.join(repr(str(n)) for n in range(20))})": 30,
        f"k IN ('middle', {', '.join(repr(str(n)) for n in range(15))})": 30,
        **dict.fromkeys(["k IN ('middle')", "k IN ('middle', 'middle')"], 30),
        "k IN ('middle', 'a', 'b', 'c', 'd') AND u <> 'p1'": 29,
        "k IN ('middle', 'a') AND (k IN ('middle', 'b', 'c', 'd', 'e') OR u = 'p1')": 30,
        "k IN ('zzzzzz', 'a', 'b', 'c', 'd') OR u = 'p1'": 1,
    }
    table = dp.table(path, name="t", unit=unit)
    for where, expected in put.items():
        filtered = table.where(where)
        both = [(filtered, dp.count().aggregates(filtered))]
        both += [(table, dp.count(where=where).aggregates(table))]
        for one in both:
            assert opened(DuckEngine().prepare(*one).count(3)) == [(expected,)], where


FILTERS = [
    "k <> 'none'",
    "NOT k = 'middle'",
    "k IN ('middle', 'none', '')",
    "NOT starts_with(k, 'm')",
]
FILTERS += [
    "k <> 'none' AND u <> 'p1'",
    "k IS NULL",
    "CASE WHEN k = 'none' THEN u ELSE k END <> 'p2'",
]


@pytest.mark.exhaustive
@pytest.mark.claim("C39")
@pytest.mark.claim("C187")
@pytest.mark.parametrize("unit", ["row", dp.unit("u", max_rows=3)])
@pytest.mark.parametrize("encoding", ["PLAIN", "RLE_DICTIONARY", "DELTA_BYTE_ARRAY"])
def test_text_that_is_none_passes_no_filter_that_missing_text_does_not(tmp_path, unit, encoding):
    """In a file of each encoding and in a frame, as the reference has it of NULL."""
    odd = [(f"p{n}".encode() + b"\xff" * (n % 5 == 0), ROWS[n][1]) for n in range(len(ROWS))]
    data = pa.table({"u": as_text([u for u, _ in odd]), "k": as_text([cell for _, cell in odd])})
    is_dictionary = encoding == "RLE_DICTIONARY"
    how = {} if is_dictionary else {"column_encoding": encoding}
    pq.write_table(data, tmp_path / "t.parquet", use_dictionary=is_dictionary, **how)
    read = [(n % 5, u, None if cell in ODD else cell) for n, (u, cell) in enumerate(odd)]
    rows = [{"u": u.decode() if n else None, "k": c and c.decode()} for n, u, c in read]

    for where in FILTERS:
        keys = {"k": dp.keys(KEYS, missing="gone"), "u": ["p1"]}
        table = dp.table(rows, name="t", unit=unit, keys=keys)
        aggregates = dp.count("k", where=where).aggregates(table)
        expected = opened(MemoryEngine(hash_of=native_hash).prepare(table, aggregates).count(3))
        for source in (tmp_path / "t.parquet", data):
            of = replace(table, source=source)
            assert opened(DuckEngine().prepare(of, aggregates).count(3)) == expected, where
        assert sum(expected[0])


@pytest.mark.claim("C39")
@pytest.mark.claim("C07")
def test_a_name_without_its_odd_bytes_is_not_the_name_of_somebody_else(tmp_path):
    """Else two persons were one unit, and one of them could change which row of the other stays."""
    names = [b"p%d" % (n % 20) + b"\xff" * (n % 2) for n in range(200)]
    rows = pa.table({"u": as_text(names), "k": [KEYS[n * 7 % 3] for n in range(200)]})
    told = rows.filter([b"\xff" not in name for name in names])
    for name, data in (("all", rows), ("told", told)):
        pq.write_table(data, tmp_path / f"{name}.parquet")
    limits = {"max_groups": 1, "max_rows_per_group": 1}

    def of(source):
        table = dp.table(source, name="t", unit=dp.unit("u"), keys={"k": KEYS})
        return opened(
            DuckEngine().prepare(table, dp.count("k", **limits).aggregates(table)).count(1)
        )

    assert of(tmp_path / "all.parquet") == of(tmp_path / "told.parquet")
    assert sum(of(tmp_path / "told.parquet")[0]) == 10


@pytest.mark.claim("C39")
@pytest.mark.parametrize("unit", [dp.unit("u"), dp.unit("u", max_rows=7)])
def test_so_is_it_in_each_of_several_passes(tmp_path, unit, monkeypatch):
    """The first pass that stops at such a text has the files read anew; the others go on so."""
    named = [(u.encode() + b"\xff" * (n % 13 == 0), cell) for n, (u, cell) in enumerate(ROWS)]
    data = pa.table({"u": as_text([u for u, _ in named]), "k": as_text([c for _, c in named])})
    pq.write_table(data, tmp_path / "t.parquet", row_group_size=37)
    read = [(n % 13, u, None if cell in ODD else cell) for n, (u, cell) in enumerate(ROWS)]
    rows = [{"u": u if n else None, "k": c and c.decode()} for n, u, c in read]
    expected = counted(MemoryEngine(hash_of=native_hash), rows, unit)

    for passes in (1, 3):
        monkeypatch.setattr(engine, "enough", lambda *_, passes=passes: passes)
        assert counted(DuckEngine(), tmp_path / "t.parquet", unit) == expected

    assert sum(expected[0])


@pytest.mark.claim("C39")
def test_keys_are_found_in_a_file_with_text_that_is_none(tmp_path):
    """What is no text is no key, and no unit."""
    found = []
    for source in (written(tmp_path, ROWS), frame(ROWS)):
        table = dp.table(source, name="t", unit=dp.unit("u"), keys={"k": dp.unknown(max_groups=3)})
        pool = DuckEngine().pooling(table, Pairs("k", (60, 42, 34))).read(3)
        sums = pool.sums(frozenset()).opened_by_the_door()
        found.append(dict(zip(pool.names(frozenset(range(len(sums)))), sorted(sums), strict=True)))

    assert found[0] == found[1]
    assert set(found[0]) == {*KEYS, "none", ""}


@pytest.mark.claim("C39")
def test_so_are_the_tables_of_a_join(tmp_path):
    """Whichever of them holds such text."""
    place = written(tmp_path, [(f"p{n}", CELLS[n % len(CELLS)]) for n in range(40)])
    rows = [{"id": f"p{n % 40}"} for n in range(200)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "rows.parquet")
    found = []
    for source in (place, frame([(f"p{n}", CELLS[n % len(CELLS)]) for n in range(40)])):
        table = dp.table(
            tmp_path / "rows.parquet", unit=dp.unit("id", max_rows=2), keys={"k": KEYS}
        ).joined(dp.join(source, name="places", key="u", on="id", gives=["k"]))
        found += opened(DuckEngine().prepare(table, dp.count("k").aggregates(table)).count(1))

    assert found[0] == found[1]
    assert sum(found[0])


@pytest.mark.claim("C39")
@pytest.mark.parametrize("name", ["file_row_number", "File_Index"])
def test_a_column_may_have_the_name_of_a_place(tmp_path, name):
    """DuckDB would take it for the place of a row, by which both readings are joined."""
    data = frame(ROWS)
    path = tmp_path / "t.parquet"
    pq.write_table(data.append_column(name, pa.array([0] * len(ROWS))), path)

    assert counted(DuckEngine(), path, "row") == counted(DuckEngine(), data, "row")


@pytest.mark.claim("C39")
def test_a_folder_whose_name_says_no_text_is_refused_before_the_charge(tmp_path):
    """DuckDB reads %FF as one byte, and stopped when the release was paid for."""
    for name in ("a", "%C3%A9", "%FF"):
        (tmp_path / f"k={name}").mkdir()
        rows = frame([("p", b"a")]).drop_columns(["k"])
        pq.write_table(rows, tmp_path / f"k={name}" / "t.parquet")
    table = dp.table(tmp_path, name="t", unit="row", keys={"k": ["a", "\u00e9"]})
    with pytest.raises(EngineError, match="nothing was charged") as caught:
        DuckEngine().prepare(table, asked(table, {}))
    assert "FF" not in str(caught.value)

    (tmp_path / "k=%FF" / "t.parquet").unlink()
    (tmp_path / "k=%FF").rmdir()
    found = DuckEngine().prepare(table, dp.count("k").aggregates(table)).count(1)
    assert opened(found) == [(1, 1)]
