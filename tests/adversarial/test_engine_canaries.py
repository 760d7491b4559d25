"""Canaries: secrets in the data occur in no error, no warning, no traceback, no file left behind."""

import gc
import stat
import tempfile
import traceback
import warnings
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from adversarial.rivers import Torn
from discreet.engine import protocol as waist
from discreet.engine.duckdb.engine import DuckEngine
from discreet.engine.select_engine import engine_for
from discreet.errors import DiscreetError, EngineError, InputError
from discreet.schema import bounds, table, unit
from discreet.statistic.count import count
from discreet.statistic.mean import mean

SECRETS = ["Xq7canary3f9", "917265403881", "1e+05", "Miller", "canary\nrow"]
ROWS = [{"who": s, "ward": s, "cost": s} for s in SECRETS] * 30


def declared(source):
    return table(
        source,
        name="t",
        unit=unit("who", max_rows=2),
        columns={"cost": bounds(0, 9, step=1)},
        keys={"ward": ["A"]},
        vouched="the view has fewer rows than its limit",
    )


def asked(found):
    return (*count("ward").aggregates(found), *mean("cost").aggregates(found))


def all_text_of(error):
    """Everything that a log could show of an error: texts, causes, notes, frames with locals."""
    shown, seen = [], []
    todo = [error]
    while todo:
        one = todo.pop()
        if one is None or one in seen:
            continue
        seen.append(one)
        shown += [repr(one), str(one), *getattr(one, "__notes__", []), *map(repr, one.args)]
        shown += traceback.TracebackException.from_exception(one, capture_locals=True).format()
        todo += [one.__cause__, one.__context__]
    return "\n".join(shown)


def failing_view():
    """A view that is vouched for, and cannot cast all cells: DuckDB's own message quotes one."""
    source = duckdb.connect()
    source.execute("CREATE TABLE raw (who VARCHAR, ward VARCHAR, cost VARCHAR)")
    for row in ROWS:
        source.execute("INSERT INTO raw VALUES (?, ?, ?)", list(row.values()))
    source.execute("CREATE VIEW t AS SELECT who, ward, CAST(who AS INT) AS cost FROM raw LIMIT 999")
    return source


def cut_parquet(folder):
    """A Parquet file whose footer is whole, and whose pages are not."""
    rows = [{**row, "cost": 917265403881.0} for row in ROWS]
    pq.write_table(pa.Table.from_pylist(rows), folder / "a.parquet", compression="none")
    content = bytearray((folder / "a.parquet").read_bytes())
    for place in range(4, 120):
        content[place] ^= 0xA5
    (folder / "a.parquet").write_bytes(bytes(content))
    return folder / "a.parquet"


def gone(folder):
    """A file that is deleted between the look at its header and the reading."""
    path = folder / "a.csv"
    path.write_text("who,ward,cost\n" + "\n".join(",".join(r.values()) for r in ROWS[:3]))
    return path


def failure_of(source, spoil=lambda: None, ask=asked):
    found = declared(source)
    prepared = engine_for(source).prepare(found, ask(found))
    spoil()
    with pytest.raises(EngineError) as caught:
        prepared.count(1)
    return caught.value


def test_a_failing_read_says_nothing_of_the_data(tmp_path):
    """One of two fixed texts, without cause or context; the frames hold no cell either."""
    csv = gone(tmp_path)
    errors = [
        failure_of(failing_view()),
        failure_of(failing_view(), ask=lambda found: mean(["cost"]).aggregates(found)),
        failure_of(cut_parquet(tmp_path)),
        failure_of(csv, csv.unlink),
    ]

    for error in errors:
        assert error.__cause__ is None
        assert error.__context__ is None
        assert not any(secret in all_text_of(error) for secret in SECRETS)
    texts = [str(error) for error in errors]
    assert len({*texts[:3]}) == 1
    assert texts[3].startswith("a file of the data was changed or taken away while it was counted")


def test_the_failing_view_would_have_told_a_cell(monkeypatch):
    """The canary sings: without our care, DuckDB's message quotes the cell."""
    monkeypatch.setattr("discreet.engine.duckdb.engine.quietly", lambda read: read())
    source = failing_view()
    found = declared(source)

    with pytest.raises(duckdb.Error) as caught:
        DuckEngine().prepare(found, asked(found)).count(1)

    assert any(secret in all_text_of(caught.value) for secret in SECRETS)


def test_an_error_raised_while_another_is_handled_is_seen_by_the_search():
    """The search itself has power: `from None` alone leaves the cell in the context."""

    def careless():
        try:
            return int(SECRETS[0])
        except ValueError:
            raise EngineError("a", why="b", fix="c") from None

    with pytest.raises(EngineError) as caught:
        careless()

    assert SECRETS[0] in all_text_of(caught.value)


def test_a_file_without_a_header_does_not_tell_its_first_row(tmp_path):
    """What looks like names may be cells: they are shown only beside a declared name."""
    (tmp_path / "a.csv").write_text(f"{SECRETS[0]},{SECRETS[1]},{SECRETS[2]}\nann,A,1\n")
    (tmp_path / "b.csv").write_text(f'who,ward,"price\n{SECRETS[0]},A,1\n{SECRETS[1]},B,2\n')
    for name in ("a.csv", "b.csv"):
        found = declared(tmp_path / name)

        with pytest.raises(InputError) as caught:
            DuckEngine().prepare(found, asked(found))

        told = "".join(traceback.format_exception(caught.value)) + repr(caught.value.args)
        assert not any(secret in told for secret in SECRETS[:3])


BROKEN_CSV = [
    "who,ward,cost\nSECRET,A\n",
    "who,ward,cost\nSECRET,A,1,2,3\n",
    'who,ward,cost\nSECRET,"A,1\nann,A,2\n',
    'who,ward,cost\n"SECRET"x,A,1\n',
    "who,ward,cost\r\nSECRET,A,1\rann,A,2\n",
    "who,ward,cost\nSECRET,A,\x00\n",
    "who,ward,cost\n" + "SECRET" * 600_000 + ",A,1\n",
    b"who,ward,cost\nSECRET,\xff\xfe,1\nann,A,1\n",
    "who,ward,cost\n\n\nSECRET,A,1e+05\n",
    "who,ward,cost",
]


@pytest.mark.parametrize("text", BROKEN_CSV, ids=range(len(BROKEN_CSV)))
def test_a_damaged_row_raises_nothing_and_is_not_told(text, tmp_path, capfd):
    """Counting goes on; no error, no warning, nothing printed."""
    (tmp_path / "a.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    found = declared(tmp_path / "a.csv")

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        vectors = DuckEngine().prepare(found, asked(found)).count(1)

    assert [len(one.opened_by_the_door()) for one in vectors] == [1, 2]
    assert told == []
    assert capfd.readouterr() == ("", "")


def test_a_refusal_before_the_charge_tells_no_cell(tmp_path):
    """Missing columns and wrong types speak of the schema alone."""
    (tmp_path / "a.csv").write_text("who,ward,price\n" + "\n".join(f"{s},1,2" for s in SECRETS[:4]))
    dates = pa.table({"who": SECRETS, "ward": SECRETS, "cost": [pd.Timestamp(917265403881)] * 5})
    for source in (tmp_path / "a.csv", dates, pd.DataFrame({"who": SECRETS})):
        with pytest.raises(DiscreetError) as caught:
            engine_for(source).prepare(declared(source), asked(declared(source)))

        assert not any(s in str(caught.value) + repr(caught.value.args) for s in SECRETS)
        assert caught.value.__context__ is None


def test_a_row_that_the_reference_cannot_read_is_not_told():
    """The reference engine keeps quiet in the same way, here of rows that end in an error."""

    rows = Torn([{"who": SECRETS[0], "ward": "A", "cost": 1}] * 2)
    error = failure_of(rows, lambda: iter(rows))

    assert error.__context__ is None
    assert SECRETS[0] not in str(error)


def test_a_spill_directory_is_private_and_deleted(tmp_path, monkeypatch):
    """Mode 0700, while it is there; and it is gone with the prepared source."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    source = pa.table({"who": SECRETS, "ward": SECRETS, "cost": [1.0] * len(SECRETS)})
    found = declared(source)

    prepared = DuckEngine().prepare(found, asked(found))
    (folder,) = tmp_path.iterdir()

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    prepared.count(1)
    del prepared
    gc.collect()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_count_that_spills_leaves_no_cell_on_the_disk(tmp_path, monkeypatch):
    """Under 40 MB a million rows spill; after the count no file holds a canary."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temp"))
    monkeypatch.setenv("DISCREET_MEMORY", "40MB")
    monkeypatch.setenv("DISCREET_THREADS", "1")
    (tmp_path / "temp").mkdir()
    made = duckdb.connect()
    made.execute(
        f"COPY (SELECT 'Xq7canary3f9' || (i % 300000) AS who, 'A' AS ward, i AS cost "
        f"FROM range(1000000) s(i)) TO '{tmp_path}/a.parquet'"
    )
    found = declared(tmp_path / "a.parquet")

    prepared = DuckEngine().prepare(found, asked(found))
    one, _ = prepared.count(1)
    del prepared
    gc.collect()

    assert one.opened_by_the_door() == (600_000,)
    assert list(Path(tmp_path / "temp").iterdir()) == []


def test_the_opaque_error_is_the_same_for_every_failure():
    """Whatever goes wrong inside, the same three lines come out."""
    texts = set()
    for error in (ValueError(SECRETS[0]), duckdb.Error(SECRETS[1]), MemoryError(), KeyError("x")):

        def fails(error=error):
            raise error

        with pytest.raises(EngineError) as caught:
            waist.quietly(fails)
        texts.add(str(caught.value))
        assert caught.value.__context__ is None

    assert len(texts) == 1
