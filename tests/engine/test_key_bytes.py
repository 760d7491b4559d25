"""Text that may be no text is compared with keys byte by byte, and no file's word is taken for it."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dp
from discreet.engine.duckdb.engine import DuckEngine
from discreet.engine.memory import MemoryEngine
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


def counted(engine, source, unit, keys=tuple(KEYS), **declared):
    limits = {} if unit == "row" else {"max_groups": 2, "max_rows_per_group": 3}
    table = dp.table(source, name="t", unit=unit, keys={"k": keys}, **declared)
    return opened(engine.prepare(table, asked(table, limits)).count(3))


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
