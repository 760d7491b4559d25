"""Everything that can be wrong with the ledger's file, and with who else has it open."""

import os
import re
import sqlite3
import stat
import threading
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

from adversarial.elsewhere import elsewhere
from discreet.errors import InputError, InternalError, LedgerError
from discreet.ledgers import store
from discreet.ledgers.file import Ledger, create, open_ledger
from discreet.privacy.loss import Loss, approx, pure, zcdp
from unit.ledgers.test_file import pay


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return create(tmp_path / "visits.ledger", budget=zcdp("1/8"), subject="visits", id="7f3a")


def run_sql(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def test_a_ledger_is_never_overwritten(ledger, tmp_path):
    """Neither a ledger nor any other file; an empty one, left by an interruption, is used."""
    (tmp_path / "other").write_text("notes")
    (tmp_path / "empty").touch(mode=0o644)
    (tmp_path / "folder").mkdir()

    for name in ("visits.ledger", "other", "folder"):
        with pytest.raises(LedgerError, match="is there already"):
            create(tmp_path / name, budget=zcdp(1), id="x")
    with pytest.raises(LedgerError, match="empty"):
        open_ledger(tmp_path / "empty")
    made = create(tmp_path / "empty", budget=zcdp(1), id="x")
    assert (made.verify(), stat.S_IMODE(made.path.stat().st_mode)) == ([], 0o600)
    with pytest.raises(LedgerError, match="cannot be made"):
        create(tmp_path / "no" / "a.ledger", budget=zcdp(1), id="x")
    with pytest.raises(InputError, match="needs an id"):
        create(tmp_path / "b.ledger", budget=zcdp(1), id="")


def test_a_name_with_no_room_for_that_of_its_journal_is_refused(tmp_path):
    """Before a file is made: an empty one would stay, and nothing could be written into it."""
    longest = 255 - len("-journal")
    for size in (longest + 1, 255, 256):
        with pytest.raises(LedgerError, match="cannot be made") as refused:
            create(tmp_path / ("a" * size), budget=zcdp(1), id="x")
        assert "name too long" in refused.value.why
    assert list(tmp_path.iterdir()) == []
    assert create(tmp_path / ("a" * longest), budget=zcdp(1), id="x").verify() == []


def test_a_budget_that_could_not_be_read_back_is_refused(tmp_path):
    """Before a file is made."""
    with pytest.raises(InputError, match="cannot be kept exactly"):
        create(tmp_path / "a.ledger", budget=Loss("zcdp", (Fraction(1, 10**401),)), id="x")
    assert list(tmp_path.iterdir()) == []


def missing(path: Path) -> None:
    path.unlink()


def a_text(path: Path) -> None:
    path.write_text("these are notes, not a ledger\n" * 100)


def half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:12_000])


def another_database(path: Path) -> None:
    path.unlink()
    run_sql(path, "CREATE TABLE entry (seq)")


def newer(path: Path) -> None:
    run_sql(path, "PRAGMA user_version = 3")


def older(path: Path) -> None:
    run_sql(path, "PRAGMA user_version = 0")


def without_a_lock(path: Path) -> None:
    run_sql(path, "DROP TRIGGER entry_fits")


def write_ahead(path: Path) -> None:
    run_sql(path, "PRAGMA journal_mode = WAL")


def second_name(path: Path) -> None:
    os.link(path, path.with_name("b"))


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def zeros(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


WRONG = {
    missing: "there is no ledger",
    a_text: "is not a ledger",
    half: "is damaged",
    another_database: "is not a ledger",
    newer: "has format 3, this version knows 2",
    older: "is damaged or was changed",
    without_a_lock: "is damaged or was changed",
    write_ahead: "was switched to write-ahead logging",
    second_name: "has another name as well",
    a_folder: "is not an ordinary file",
    zeros: "is not a ledger",
}


def test_a_ledger_whose_entries_were_taken_away_is_to_be_verified_first(ledger):
    """What belonged to them is in the way of the next charge: no defect, and nothing is written."""
    pay(ledger)
    with closing(sqlite3.connect(ledger.path)) as connection:
        triggers = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid"
        kept = connection.execute(triggers).fetchall()
        names = [f"DROP TRIGGER {name}" for name, _ in kept]
        for statement in (*names, "DELETE FROM entry", *(made for _, made in kept)):
            connection.execute(statement)
        connection.commit()
    with pytest.raises(LedgerError, match="is an older copy"):
        open_ledger(ledger.path)

    with elsewhere(), pytest.raises(InternalError, match="breaks the rules") as refused:
        pay(ledger, "r2")
    assert refused.value.fix.startswith("discreet ledger verify visits.ledger;")
    assert "something else wrote into it, or took entries away" in str(ledger.verify())


@pytest.mark.parametrize("harm", WRONG, ids=lambda harm: harm.__name__)
def test_a_file_that_is_no_sound_ledger_is_refused_in_three_lines(ledger, harm):
    """Opening, reading, charging: each says what happened, why, and what to do."""
    pay(ledger)
    harm(ledger.path)

    for act in (lambda: open_ledger(ledger.path), ledger.left, lambda: pay(ledger, "r2")):
        with pytest.raises(LedgerError, match=WRONG[harm]) as refusal:
            act()
        assert str(refusal.value).count("\n") == 2
        assert all((refusal.value.what, refusal.value.why, refusal.value.fix))


def test_the_ledger_of_another_data_set_is_refused(ledger, tmp_path):
    """A ledger made without a subject serves any."""
    with pytest.raises(LedgerError, match="protects visits, not taxi"):
        open_ledger(ledger.path, subject="taxi")
    free = create(tmp_path / "free.ledger", budget=zcdp(1), id="x")
    assert open_ledger(free.path, subject="taxi") == free


@pytest.mark.slow
def test_a_locked_ledger_is_waited_for_and_then_refused(ledger, monkeypatch):
    """The message says so, and nothing was written."""
    monkeypatch.setattr(store, "PATIENCE", 0)
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(LedgerError, match="locked by another process"):
            pay(ledger)
        with pytest.raises(LedgerError, match="locked by another process"):
            ledger.verify()
    assert (ledger.spent(), ledger.verify()) == (zcdp(0), [])


def test_a_read_may_go_on_while_another_process_writes(ledger):
    """A writer that has not committed yet hides nothing and shows nothing."""
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert ledger.left() == zcdp("1/8")


@pytest.mark.claim("C11")
def test_the_settings_that_make_a_charge_durable_are_in_force(ledger):
    """Read back on a live connection."""
    with store.transaction(ledger.path, write=True) as connection:
        values = {
            name: connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "secure_delete")
        }

    assert values == {"journal_mode": "delete", "synchronous": 3, "secure_delete": 1}


def test_a_library_without_these_settings_is_refused(ledger, monkeypatch):
    """A setting that does not come back as it was set is not in force."""
    monkeypatch.setattr(store, "_SETTINGS", (("synchronous", 7),))

    with pytest.raises(LedgerError, match="does not accept synchronous = 7"):
        pay(ledger)


def interrupted_write(path: Path, stop: type[BaseException]) -> None:
    with store.transaction(path, write=True) as connection:
        connection.execute(
            "INSERT INTO entry VALUES (1, NULL, 'charge', 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, "
            "'', '', '', '', '', '', '', '{}', '', '', '', x'', '', (SELECT root FROM book), '')"
        )
        raise stop


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, MemoryError])
def test_an_interrupted_write_leaves_nothing_behind(ledger, stop):
    """Ctrl-C between the entry and its commit: the ledger is as before, and not locked."""
    before = ledger.path.read_bytes()

    with pytest.raises(stop):
        interrupted_write(ledger.path, stop)

    assert ledger.path.read_bytes() == before
    assert not ledger.path.with_name("visits.ledger-journal").exists()
    assert pay(ledger).seq == 1


def test_a_head_that_a_release_has_seen_is_missed_in_an_older_copy(ledger):
    """Rollback of the file is found by what the releases carry."""
    pay(ledger)
    older = ledger.path.read_bytes()
    charge = pay(ledger, "r2")
    seen = [(1, ledger.book().entries[0].hash), (charge.seq, charge.hash)]
    assert ledger.verify(seen) == []

    ledger.path.write_bytes(older)

    with elsewhere():  # who has no anchor of it
        assert ledger.verify() == []
        assert len(ledger.verify(seen)) == 1
    assert len(ledger.verify(seen)) == 2


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_threads_and_forks_of_one_process_do_not_meet_each_others_connections(ledger):
    """While threads write, children are forked that write too; every charge is counted once."""

    def work(name: str) -> None:
        for number in range(4):
            ledger.file.settle(pay(ledger, f"{name}{number}", "1/1000"), "x")

    threads = [threading.Thread(target=work, args=(f"thread{index}-",)) for index in range(3)]
    for thread in threads:
        thread.start()
    children = []
    for index in range(3):
        child = os.fork()
        if child == 0:
            try:
                work(f"child{index}-")
            except BaseException:  # noqa: BLE001 - the child ends here, whatever happened
                os._exit(1)
            os._exit(0)
        children.append(child)
    for thread in threads:
        thread.join()

    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    assert (ledger.spent(), ledger.verify()) == (zcdp("24/1000"), [])


@pytest.mark.claim("C12")
@pytest.mark.parametrize(
    ("budget", "less"),
    [
        (pure("1/41"), '"0.02439'),
        (zcdp(Fraction(1, 2**40)), '"9.09'),
        (approx("1", "1e-25"), '"1", "0")'),
    ],
    ids=str,
)
def test_a_budget_that_is_no_whole_number_of_units_is_refused(tmp_path, budget, less):
    """Before a file is made; what the refusal says to type is whole, and a little less."""
    with pytest.raises(InputError, match="cannot be kept exactly") as refusal:
        create(tmp_path / "a.ledger", budget=budget, id="x")

    assert less.replace('"', "") in refusal.value.fix.replace('"', "")
    numbers = re.findall(r'"([^"]*)"', refusal.value.fix)
    makers = {"pure": pure, "zcdp": zcdp, "approx": approx}
    smaller = makers[budget.kind](*numbers)
    assert smaller.fits(budget)
    assert create(tmp_path / "b.ledger", budget=smaller, id="x").left() == smaller
    assert sorted(os.listdir(tmp_path)) == ["b.ledger"]
