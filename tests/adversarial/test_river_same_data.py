"""A repeat is a repeat on the same data: whatever else there is under the old name is told apart.

The data is changed in every way that its name does not show; what is kept of it is looked for
wherever it must not be.
"""

import json
import os
import shutil
import stat
import time
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import discreet as dp
from adversarial.river_children import forked
from adversarial.rivers import KINDS, ROWS, kinds_of, planned, source_of, started
from discreet.cli.cli import main
from discreet.engine.choose import engine_for
from discreet.entropy import Coins
from discreet.releases import keyfile, sameness
from discreet.releases import run as room
from servers import filled

OTHER = [{**row, "cost": "7"} for row in ROWS]
AGES = {"young": 10**18, "old": 0}  # what counts as young, in nanoseconds


@pytest.fixture
def old(monkeypatch):
    """Every file is old enough for the gate: its ctime, which nobody can set, need not age."""
    monkeypatch.setattr(sameness, "_YOUNG", AGES["old"])


def touched(path: Path) -> Path:
    then = time.time_ns() - 10**10
    os.utime(path, ns=(then, then))
    return path


def check_refused(plan, ledger, match: str) -> str:
    """Refused for nothing, in three lines with two ways out that work when they are typed."""
    before, spent = ledger.path.read_bytes(), ledger.spent()

    with pytest.raises(dp.errors.InputError, match=match) as refusal:
        dp.run(plan, ledger=ledger)

    text = str(refusal.value)
    assert text.count("\n") == 2
    assert "nothing was charged" in refusal.value.why
    assert ledger.path.read_bytes() == before
    new, old = (part.split('"')[0] for part in refusal.value.fix.split('request="')[1:])
    stored = dp.run(plan, ledger=ledger, request=old)
    assert (stored.repeated, ledger.spent()) == (True, spent)
    assert ledger.book().settled(new) is None
    return new


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


@pytest.mark.claim("C37")
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("age", AGES)
def test_a_file_that_was_changed_in_any_way_is_not_the_same(change, age, tmp_path, monkeypatch):
    """Young and old ones, without and with a gate: no change passes."""
    assert sameness._YOUNG == 2 * 10**9
    monkeypatch.setattr(sameness, "_YOUNG", AGES[age])
    (path,) = source_of("csv", tmp_path)
    ledger = started(tmp_path)
    dp.run(planned([path]), ledger=ledger)
    has_gate = ledger.fingerprint(ledger.book().entries[1]).gate != ""
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
    for name in (path.name, keyfile.NAME):
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
    taken = sameness._taken
    monkeypatch.setattr(sameness, "_taken", lambda *p: read.append(1) or taken(*p))

    assert dp.run(planned([path]), ledger=ledger).repeated
    assert read == []
    touched(path)
    assert dp.run(planned([path]), ledger=ledger).repeated
    assert read == [1]


def gone(key: Path) -> None:
    key.unlink()


def another(key: Path) -> None:
    key.write_bytes(bytes(32))


def cut(key: Path) -> None:
    key.write_bytes(key.read_bytes()[:31])


def a_pipe(key: Path) -> None:
    key.unlink()
    os.mkfifo(key)


def a_link(key: Path) -> None:
    key.rename(key.with_name("moved"))
    key.symlink_to("moved")


@pytest.mark.claim("C37")
@pytest.mark.parametrize("harm", [gone, another, cut, a_pipe, a_link], ids=lambda x: x.__name__)
def test_without_its_key_nobody_can_tell_and_it_is_said(harm, tmp_path):
    """In its own words, with the same two ways out; nothing hangs on what lies in the key's place."""
    (path,) = source_of("csv", tmp_path)
    ledger = started(tmp_path)
    dp.run(planned([path]), ledger=ledger)
    harm(tmp_path / keyfile.NAME)

    check_refused(planned([path]), ledger, "it cannot be told whether the data is that of 2")


@pytest.mark.claim("C37")
def test_january_and_february_in_two_folders_have_two_answers(tmp_path):
    """One name, one ledger, two folders, each with a key of its own: found in the first report."""
    ledger = started(tmp_path)
    for month, rows in (("jan", ROWS), ("feb", OTHER)):
        (tmp_path / month).mkdir()
        source_of("csv", tmp_path / month, rows)
    dp.run(planned([tmp_path / "jan" / "visits 0.csv"]), ledger=ledger)

    february = planned([tmp_path / "feb" / "visits 0.csv"])
    new = check_refused(february, ledger, "it cannot be told")

    assert not dp.run(february, ledger=ledger, request=new).repeated


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


def connection():
    """A database whose table is called as what has no name is."""
    found = duckdb.connect()
    found.execute("CREATE TABLE \"table\" AS SELECT 'A' AS ward")
    return found


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


# What is kept


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
    kept = ledger.fingerprint(ledger.book().entries[1])
    shown = every_face(ledger, release, tmp_path)
    paths = () if kind == "rows" else tuple(map(str, plan.table.source))
    key = keyfile.key_for(paths, Coins())
    raw = ledger.path.read_bytes()

    for secret in (kept.nonce, kept.print, kept.key):
        assert secret.encode() in raw
        assert secret not in shown
    assert key not in raw
    assert key.hex().encode() not in raw
    assert keyfile.name_of(key) == kept.key
    assert kept.commitment() in raw.decode("latin-1")


@pytest.mark.claim("C37")
def test_size_and_times_of_a_file_do_not_stand_in_the_ledger(old, tmp_path):
    """They would tell whoever may read the ledger how many rows there are."""
    (path,) = source_of("csv", tmp_path)
    ledger = started(tmp_path)
    dp.run(planned([path]), ledger=ledger)
    raw = ledger.path.read_bytes()
    gate = ledger.fingerprint(ledger.book().entries[1]).gate

    assert len(gate) == 64
    assert str(path.stat().st_mtime_ns).encode() not in raw
    assert str(path.stat().st_ctime_ns).encode() not in raw
    assert json.dumps(sameness.stats_of([str(path)])).encode() not in raw
    assert sameness._gate(bytes(32), sameness.stats_of([str(path)])) != gate


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
        table = dp.table(source, unit="row", keys={"ward": ["A", "B"]}, name="visits")
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
        table = dp.table(rows, unit="row", keys={"ward": ["A", "B"]}, name="visits")
        return dp.plan(table, dp.count(by="ward", where="note = 'x'"), spend=dp.zcdp("1/10"))

    dp.run(plan("x"), ledger=ledger)

    assert dp.run(plan("x"), ledger=ledger).repeated
    check_refused(plan("y"), ledger, "has changed since")


# The key


def test_a_key_is_private_made_once_and_beside_the_data(tmp_path):
    """32 bytes, for its owner alone; nothing else is left in the folder."""
    (path,) = source_of("csv", tmp_path)

    one, two = (keyfile.key_for([str(path)], Coins()) for _ in range(2))

    assert (len(one), one) == (32, two)
    assert stat.S_IMODE((tmp_path / keyfile.NAME).stat().st_mode) == 0o600
    assert sorted(os.listdir(tmp_path)) == [keyfile.NAME, path.name]
    assert keyfile.key_called([str(path)], keyfile.name_of(one)) == one
    assert keyfile.key_called([str(path)], "0" * 16) is None


def test_without_a_folder_of_its_own_the_key_is_in_the_users_state(tmp_path, monkeypatch):
    """For rows, frames, connections, and files in a folder that takes no more."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    rows = keyfile.key_for([], Coins())
    proc = keyfile.key_for(["/proc/self/stat"], Coins())

    assert rows == proc == (tmp_path / "state" / "discreet" / "key").read_bytes()
    assert stat.S_IMODE((tmp_path / "state" / "discreet").stat().st_mode) == 0o700
    monkeypatch.setenv("XDG_STATE_HOME", "/proc/self")
    assert keyfile.key_for([], Coins()) is None
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    keyfile.key_for([], Coins())
    assert (tmp_path / "home" / ".local" / "state" / "discreet" / "key").exists()


@pytest.mark.slow
def test_many_processes_make_one_key(tmp_path):
    """Whoever comes second takes the first one's."""
    hear, told = os.pipe()

    def work() -> int:
        os.write(told, keyfile.key_for([str(tmp_path / "a.csv")], Coins()).hex().encode())
        return 0

    children = [forked(work) for _ in range(16)]
    for child in children:
        os.waitpid(child, 0)
    os.close(told)
    with os.fdopen(hear) as heard:
        said = heard.read()

    assert len(said) == 16 * 64
    assert {said[at : at + 64] for at in range(0, len(said), 64)} == {
        (tmp_path / keyfile.NAME).read_bytes().hex()
    }
    assert os.listdir(tmp_path) == [keyfile.NAME]


def test_who_makes_a_key_too_late_takes_the_one_that_is_there(tmp_path):
    """Between the look for a key and the making of one another process was faster."""
    place = tmp_path / keyfile.NAME
    first = keyfile._made(place, Coins())

    assert keyfile._made(place, Coins()) == first == place.read_bytes()
    assert os.listdir(tmp_path) == [keyfile.NAME]


def test_a_refused_release_makes_no_key(tmp_path):
    """Nothing is left beside the data where nothing was charged."""
    (path,) = source_of("csv", tmp_path)

    with pytest.raises(dp.errors.BudgetError):
        dp.run(planned([path], "2"), ledger=started(tmp_path))

    assert not (tmp_path / keyfile.NAME).exists()


# Planted faults


def size_and_mtime(paths):
    return tuple((os.stat(p).st_size, os.stat(p).st_mtime_ns, 0, 0, 0) for p in paths)


def blind(patch) -> None:
    for place in (sameness, room):
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
