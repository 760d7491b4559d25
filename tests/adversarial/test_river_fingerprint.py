"""What is kept of the data: it is keyed, covers every column, and is looked for where it must not be."""

import json
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import discreet as dp
from adversarial.repeats import check_refused, connection
from adversarial.rivers import KINDS, ROWS, planned, source_of, started
from discreet.cli.cli import main
from discreet.engine.select_engine import engine_for
from discreet.entropy import Coins
from discreet.releases import repeat_check
from servers import filled


@pytest.fixture
def old(monkeypatch):
    """Every file is old enough for the gate: its ctime, which nobody can set, need not age."""
    monkeypatch.setattr(repeat_check, "_YOUNG", 0)


def every_face(ledger, release, folder: Path) -> str:
    """All that people and programs are shown of a release and its ledger."""
    saved = release.save(folder / "visits.release")
    out = StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        for words in (
            ["ledger", "show", str(ledger.path)],
            ["ledger", "show", str(ledger.path), "--json"],
            ["ledger", "verify", str(ledger.path), str(saved)],
            ["show", str(saved), "--json"],
            ["verify", str(saved), "--ledger", str(ledger.path)],
        ):
            assert main(words) == 0
    seen = [release, release.document.text(), release.account, ledger, ledger.book()]
    seen += ledger.book().entries
    files = [path.read_bytes().decode("latin-1") for path in saved.rglob("*") if path.is_file()]
    return "\n".join([out.getvalue(), *files, *(f"{x} {x!r}" for x in seen)])


@pytest.mark.claim("C37")
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["rows", "csv"])
def test_what_is_kept_of_the_data_is_in_no_release_report_or_message(kind, tmp_path):
    """Fingerprint, nonce, gate and key name are in the ledger's file alone; the key is not there."""
    ledger = started(tmp_path)
    plan = planned(source_of(kind, tmp_path))
    release = dp.run(plan, ledger=ledger)
    kept = ledger.file.fingerprint(ledger.book().entries[1])
    shown = every_face(ledger, release, tmp_path)
    paths = () if kind == "rows" else tuple(map(str, plan.table.source))
    key = repeat_check.key_for(paths, Coins())
    raw = ledger.path.read_bytes()

    for secret in (kept.nonce, kept.print, kept.key):
        assert secret.encode() in raw
        assert secret not in shown
    assert key not in raw
    assert key.hex().encode() not in raw
    assert repeat_check.name_of(key) == kept.key
    assert kept.commitment() in raw.decode("latin-1")


@pytest.mark.claim("C37")
def test_size_and_times_of_a_file_do_not_stand_in_the_ledger(old, tmp_path):
    """They would tell whoever may read the ledger how many rows there are."""
    (path,) = source_of("csv", tmp_path)
    ledger = started(tmp_path)
    dp.run(planned([path]), ledger=ledger)
    raw = ledger.path.read_bytes()
    gate = ledger.file.fingerprint(ledger.book().entries[1]).gate

    assert len(gate) == 64
    assert str(path.stat().st_mtime_ns).encode() not in raw
    assert str(path.stat().st_ctime_ns).encode() not in raw
    assert json.dumps(repeat_check.stats_of([str(path)])).encode() not in raw
    assert repeat_check._gate(bytes(32), repeat_check.stats_of([str(path)])) != gate


@pytest.mark.exhaustive
@pytest.mark.claim("C37")
@pytest.mark.parametrize("kind", KINDS)
def test_a_fingerprint_is_another_one_under_another_key(kind, tmp_path):
    """Without the key nobody can try out what the data could be."""
    plan = planned(source_of(kind, tmp_path))
    prepared = engine_for(plan.table.source).prepare(plan.table, plan.aggregates)

    one, two = (prepared.fingerprint(bytes([n] * 32)) for n in range(2))

    assert (len(one), len(two)) == (64, 64)
    assert one != two
    assert prepared.fingerprint(bytes(32)) == one


def in_postgres(rows):
    """The rows as a table of a server, with a day."""
    kinds = {name: "date" if name == "born" else "text" for name in rows[0]}
    return filled(kinds, [[*row.values()] for row in rows], name="visits")


def every_column(rows):
    """The rows as each source that is no file; a table of a database may be read without a copy."""
    made = connection()
    made.register("frame", pd.DataFrame(rows))
    made.execute('CREATE OR REPLACE TABLE "visits" AS SELECT * FROM frame')
    return {
        "rows": rows,
        "pandas": pd.DataFrame(rows),
        "objects": pd.DataFrame(rows).astype(object),
        "polars": pl.DataFrame(rows),
        "arrow": pa.Table.from_pylist(rows),
        "connection": made,
    }


@pytest.mark.exhaustive
@pytest.mark.claim("C37")
@pytest.mark.parametrize(
    "kind", [*["rows", "pandas", "objects", "polars", "arrow", "connection", "postgres"]]
)
def test_all_columns_count_be_they_declared_or_not(kind):
    """Two plans on one table have one fingerprint: they do not tell which column has changed.

    A column that only the condition of a question reads is in it, and so are all others.
    """
    rows = [{**row, "note": "x", "born": "2000-02-29"} for row in ROWS]

    def printed(of, *questions):
        source = in_postgres(of) if kind == "postgres" else every_column(of)[kind]
        more = (
            {"note": ["x"], "born": ["2000-02-29"]} if kind == "rows" else {}
        )  # named nowhere else
        keys = {"ward": ["A", "B"]} | more
        table = dp.table(source, unit="row", keys=keys, name="visits")
        plan = dp.plan(table, *questions, spend=dp.zcdp(1))
        prepared = engine_for(table.source).prepare(plan.table, plan.aggregates)
        return prepared.fingerprint(bytes(32))

    def changed(name, cell):
        return [{**rows[0], name: cell}, *rows[1:]]

    counts = printed(rows, dp.count(by="ward"))
    asked = dp.count(by="ward", where="note = 'x' AND year(born) = 2000")

    assert counts == printed(rows, asked)
    for other in (changed("note", "y"), changed("born", "2001-01-01"), changed("cost", "7.25")):
        assert counts != printed(other, dp.count(by="ward"))
        assert printed(other, dp.count(by="ward")) == printed(other, asked)


@pytest.mark.claim("C37")
def test_a_change_that_only_a_condition_reads_is_no_repeat(tmp_path):
    """The old numbers do not come for the new data."""
    ledger = started(tmp_path)

    def plan(note):
        rows = [{**row, "note": note} for row in ROWS]
        keys = {"ward": ["A", "B"], "note": ["x", "y"]}
        table = dp.table(rows, unit="row", keys=keys, name="visits")
        return dp.plan(table, dp.count(by="ward", where="note = 'x'"), spend=dp.zcdp("1/10"))

    dp.run(plan("x"), ledger=ledger)

    assert dp.run(plan("x"), ledger=ledger).repeated
    check_refused(plan("y"), ledger, "has changed since")
