"""A repeat is a repeat on the same data: whatever else there is under the old name is told apart.

The data is changed in every way that its name does not show; what is kept of it is looked for
wherever it must not be.
"""

import os
import shutil
import time
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import discreet as dp
from adversarial.repeats import OTHER, check_refused, connection
from adversarial.rivers import KINDS, ROWS, kinds_of, planned, source_of, started
from discreet.engine.duckdb.engine import DuckPrepared
from discreet.releases import repeat_check
from discreet.releases import run as room

AGES = {"young": 10**18, "old": 0}  # what counts as young, in nanoseconds


@pytest.fixture
def old(monkeypatch):
    """Every file is old enough for the gate: its ctime, which nobody can set, need not age."""
    monkeypatch.setattr(repeat_check, "_YOUNG", AGES["old"])


def touched(path: Path) -> Path:
    then = time.time_ns() - 10**10
    os.utime(path, ns=(then, then))
    return path


@pytest.mark.exhaustive
@pytest.mark.claim("C37")
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_other_data_under_the_old_name_is_not_answered_from_the_old(kind, tmp_path):
    """The same declaration, questions and name; each source, both engines."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    ledger = started(tmp_path)
    first = dp.run(planned(source_of(kind, tmp_path / "a")), ledger=ledger)
    shutil.copytree(tmp_path / "a", tmp_path / "b", dirs_exist_ok=True)  # with its key, if any
    changed = planned(source_of(kind, tmp_path / "b", OTHER))

    new = check_refused(changed, ledger, "answered on 2.*from data that has changed since")
    paid = dp.run(changed, ledger=ledger, request=new)

    assert not paid.repeated
    assert paid.document.text() != first.document.text()
    assert kinds_of(ledger.book()) == ["charge", "result"] * 2
    again = dp.run(planned(source_of(kind, tmp_path / "a")), ledger=ledger)
    assert (again.repeated, again.document.text()) == (True, first.document.text())
    assert again.account.startswith("stored answer of charge 1, 2")
    assert again.account.endswith("; nothing was charged")


def in_place(path: Path) -> None:
    """One cell, as long as before."""
    before = path.read_bytes()
    path.write_bytes(before.replace(b",7\r\n", b",8\r\n"))
    assert path.stat().st_size == len(before)
    assert path.read_bytes() != before


def same_length_and_time(path: Path) -> None:
    """Only ctime tells; nobody can set it."""
    then = path.stat().st_mtime_ns
    in_place(path)
    os.utime(path, ns=(then, then))


def other_order(path: Path) -> None:
    head, *rows = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([head, *rows[::-1]]))


def replaced(path: Path) -> None:
    """Another file takes its place, as editors do."""
    path.with_name("new").write_bytes(path.read_bytes().replace(b",7\r\n", b",9\r\n"))
    path.with_name("new").replace(path)


def one_row_more(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"p99,A,1\r\n")


def a_column_that_no_plan_uses(path: Path) -> None:
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"\r\n".join([line + b",0" for line in lines]) + b"\r\n")


CHANGES = [
    in_place, same_length_and_time, other_order, replaced, one_row_more, a_column_that_no_plan_uses,
]  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.claim("C37")
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("age", AGES)
def test_a_file_that_was_changed_in_any_way_is_not_the_same(change, age, tmp_path, monkeypatch):
    """Young and old ones, without and with a gate: no change passes."""
    assert repeat_check._YOUNG == 2 * 10**9
    monkeypatch.setattr(repeat_check, "_YOUNG", AGES[age])
    (path,) = source_of("csv", tmp_path)
    ledger = started(tmp_path)
    dp.run(planned([path]), ledger=ledger)
    has_gate = ledger.file.fingerprint(ledger.book().entries[1]).gate != ""
    assert has_gate == (age == "old")

    change(path)

    check_refused(planned([path]), ledger, "has changed since")


@pytest.mark.claim("C37")
@pytest.mark.slow
def test_the_same_bytes_are_the_same_data(tmp_path):
    """Touched, copied with their key, written again: the stored answer comes, for nothing."""
    (path,) = source_of("csv", tmp_path)
    ledger = started(tmp_path)
    first = dp.run(planned([path]), ledger=ledger).document.text()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in (path.name, repeat_check.NAME):
        shutil.copy(tmp_path / name, elsewhere)
    touched(path)

    for source in ([path], [elsewhere / path.name], str(path)):
        again = dp.run(planned(source), ledger=ledger)
        assert (again.repeated, again.document.text()) == (True, first)
    path.write_bytes(path.read_bytes())
    assert dp.run(planned([path]), ledger=ledger).repeated


@pytest.mark.claim("C37")
def test_an_old_file_with_the_same_times_is_not_read_again(old, tmp_path, monkeypatch):
    """The gate answers; a young file, or one that was touched, is read."""
    (path,) = source_of("csv", tmp_path)
    ledger = started(tmp_path)
    dp.run(planned([path]), ledger=ledger)
    read = []
    taken = DuckPrepared.fingerprint
    monkeypatch.setattr(DuckPrepared, "fingerprint", lambda *p: read.append(1) or taken(*p))

    assert dp.run(planned([path]), ledger=ledger).repeated
    assert read == []
    touched(path)
    assert dp.run(planned([path]), ledger=ledger).repeated
    assert read == [1]


@pytest.mark.claim("C37")
def test_data_that_cannot_be_opened_any_more_is_said_not_to_be_known(tmp_path):
    """The stored numbers can still be had by their name."""
    (path,) = source_of("csv", tmp_path)
    ledger = started(tmp_path)
    dp.run(planned([path]), ledger=ledger)
    path.unlink()

    check_refused(planned([path]), ledger, "it cannot be told")


@pytest.mark.claim("C37")
def test_data_that_moves_while_it_is_counted_gets_no_fingerprint(tmp_path, monkeypatch):
    """The numbers are of one state, the bytes of another: a repeat is not taken for the same."""
    (path,) = source_of("csv", tmp_path)
    ledger = started(tmp_path)
    honest = room.released

    def released(*args, **names):
        found = honest(*args, **names)
        in_place(path)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(room, "released", released)
        dp.run(planned([path]), ledger=ledger)

    assert ledger.book().entries[1].data == ""
    check_refused(planned([path]), ledger, "it cannot be told")


@pytest.mark.claim("C37")
@pytest.mark.slow
def test_two_runs_of_one_request_on_different_data_do_not_share_an_answer(tmp_path, monkeypatch):
    """The other one is faster: this one was charged, and says so, and hands out nothing."""
    ledger = started(tmp_path)
    honest = room.released

    def released(*args, **names):
        found = honest(*args, **names)
        monkeypatch.setattr(room, "released", honest)
        dp.run(planned(list(OTHER)), ledger=ledger)
        return found

    monkeypatch.setattr(room, "released", released)
    with pytest.raises(dp.errors.InputError, match="from data that has changed since") as refusal:
        dp.run(planned(list(ROWS)), ledger=ledger)

    assert "charge 1 stays spent" in refusal.value.why
    assert "nothing was charged" not in refusal.value.why
    assert [row.state for row in ledger.book().rows()] == ["open", "answered"]


@pytest.mark.claim("C37")
@pytest.mark.claim("C14")
def test_two_runs_of_one_request_on_the_same_data_hand_out_one_answer(tmp_path, monkeypatch):
    """And the slower one says that it was charged for nothing, rather than that it was not."""
    ledger = started(tmp_path)
    honest = room.released
    first = []

    def released(*args, **names):
        found = honest(*args, **names)
        monkeypatch.setattr(room, "released", honest)
        first.append(dp.run(planned(list(ROWS)), ledger=ledger).document.text())
        return found

    monkeypatch.setattr(room, "released", released)
    slower = dp.run(planned(list(ROWS)), ledger=ledger)

    assert slower.document.text() == first[0]
    assert not slower.repeated
    assert "charge 1 of this one stays spent" in slower.account
    assert [row.state for row in ledger.book().rows()] == ["open", "answered"]


UNNAMED = {
    "a list": lambda: list(ROWS),
    "an empty list": list,
    "a PyArrow table": lambda: pa.Table.from_pylist(ROWS),
    "a pandas frame": lambda: pd.DataFrame(ROWS),
    "a Polars frame": lambda: pl.DataFrame(ROWS),
    "a connection": connection,
}


@pytest.mark.claim("C37")
@pytest.mark.parametrize("source", UNNAMED)
def test_data_without_a_name_is_not_charged(source, tmp_path):
    """Planned and rehearsed it may be; a release needs a name that its ledger knows."""
    asked = dp.count(by="ward")
    table = dp.table(UNNAMED[source](), unit="row", keys={"ward": ["A", "B"]})
    plan = dp.plan(table, asked, spend=dp.zcdp("1/10"))
    ledger = dp.ledger(tmp_path / "a.ledger", budget=dp.zcdp(1))

    with pytest.raises(dp.errors.InputError, match="has no name") as refusal:
        dp.run(plan, ledger=ledger)

    assert 'name="?"' in refusal.value.fix
    assert kinds_of(ledger.book()) == []
    assert "REHEARSAL" in str(dp.rehearse(plan))
    named = dp.table(table.source, unit="row", keys={"ward": ["A", "B"]}, name="table")
    dp.run(dp.plan(named, asked, spend=dp.zcdp("1/10")), ledger=ledger)


def size_and_mtime(paths):
    return tuple((os.stat(p).st_size, os.stat(p).st_mtime_ns, 0, 0, 0) for p in paths)


def blind(patch) -> None:
    for place in (repeat_check, room):
        patch.setattr(place, "stats_of", size_and_mtime)


FAULTS = {
    "every repeat is one": lambda patch: patch.setattr(room, "compared", lambda *_: "same"),
    "the gate looks at size and mtime alone": blind,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_comparison_that_sees_less_is_caught(fault, old, tmp_path, monkeypatch):
    """The check has power: the old numbers come for the new data."""
    (path,) = source_of("csv", tmp_path)
    FAULTS[fault](monkeypatch)
    ledger = started(tmp_path)
    dp.run(planned([path]), ledger=ledger)
    same_length_and_time(path)

    with pytest.raises(pytest.fail.Exception):
        check_refused(planned([path]), ledger, "has changed since")
