"""One connection for the transactions of a run: it sees what others do, and no child shares it."""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from discreet.errors import BudgetError, LedgerError
from discreet.ledgers import store as connections
from discreet.ledgers.file import Ledger, create
from discreet.ledgers.rules import ChargeRequest
from discreet.privacy.loss import zcdp


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return create(tmp_path / "a.ledger", budget=zcdp("1/8"), id="x")


def pay(ledger: Ledger, request: str = "mine", loss="1/50"):
    file = getattr(ledger, "file", ledger)  # of a run, or any
    return file.reserve(ChargeRequest(request=request, plan="ab", loss=zcdp(loss), events=[]))


@pytest.fixture
def opened(monkeypatch) -> list[sqlite3.Connection]:
    """The connections that are opened from now on."""
    found, honest = [], connections.sqlite3.connect

    def connect(*arguments, **options):
        found.append(honest(*arguments, **options))
        return found[-1]

    monkeypatch.setattr(connections.sqlite3, "connect", connect)
    return found


def is_closed(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("SELECT 1")
    except sqlite3.ProgrammingError:
        return True
    return False


def test_a_run_has_one_connection_and_closes_it(ledger, opened):
    """Three verbs, one connection; without a run each has its own."""
    with ledger.file.kept() as kept:
        kept.snapshot("mine")
        kept.settle(pay(kept), "text")
        assert (len(opened), is_closed(opened[0])) == (1, False)
    assert is_closed(opened[0])

    ledger.file.settle(pay(ledger, "other"), "text")
    assert (len(opened), all(map(is_closed, opened))) == (3, True)
    assert (ledger.spent(), ledger.verify()) == (zcdp("1/25"), [])


@pytest.mark.claim("C12")
def test_what_another_has_spent_meanwhile_is_seen(ledger):
    """Between looking and paying the budget is used up, by another connection."""
    with ledger.file.kept() as kept:
        assert kept.snapshot("mine").head.left() == zcdp("1/8")
        pay(ledger, "theirs", "1/10")
        with pytest.raises(BudgetError):
            pay(kept, loss="1/20")
        assert pay(kept, loss="1/40").seq == 2
    assert (ledger.left(), ledger.verify()) == (zcdp(0), [])


@pytest.mark.claim("C12")
def test_what_this_run_has_spent_itself_is_seen(ledger):
    """What was read before the first charge is not believed for a second one."""
    with ledger.file.kept() as kept:
        kept.snapshot("mine")
        pay(kept, loss="1/10")
        with pytest.raises(BudgetError):
            pay(kept, loss="1/10")
    assert (ledger.spent(), ledger.verify()) == (zcdp("1/10"), [])


def test_an_answer_that_another_has_stored_meanwhile_is_returned(ledger):
    """The same request: nothing is charged twice."""
    with ledger.file.kept() as kept:
        kept.snapshot("mine")
        ledger.file.settle(pay(ledger), "theirs")
        assert pay(kept).settled.result == "theirs"
        kept.snapshot("new")
        assert pay(kept).settled.result == "theirs"  # what was read is of another request
    assert (ledger.spent(), ledger.verify()) == (zcdp("1/50"), [])


@pytest.mark.claim("C11")
def test_another_file_at_the_path_is_opened(ledger, tmp_path):
    """Copied and put back as another file: it is charged, and not what nobody can find again."""
    with ledger.file.kept() as kept:
        kept.snapshot("mine")
        shutil.copy(ledger.path, tmp_path / "copy")
        os.replace(tmp_path / "copy", ledger.path)
        kept.settle(pay(kept), "text")
    assert (ledger.spent(), ledger.verify()) == (zcdp("1/50"), [])


def flip(path: Path, text: bytes) -> None:
    """Change a byte where the file holds this text last, behind SQLite's back."""
    at = path.read_bytes().rindex(text)
    with path.open("r+b") as file:
        file.seek(at)
        file.write(bytes([text[0] ^ 1]))


@pytest.mark.claim("C13")
@pytest.mark.parametrize("where", ["before the charge", "in the charge", "before it, afterwards"])
def test_a_byte_that_changes_in_the_file_during_a_run_is_found(ledger, where):
    """Before its answer leaves: pages are read again, though not all entries are."""
    ledger.file.settle(pay(ledger, "theirs"), "text")
    with ledger.file.kept() as kept:
        kept.snapshot("mine")
        if where == "before the charge":
            flip(ledger.path, b"theirs")
        charge = pay(kept)
        if where != "before the charge":
            flip(ledger.path, b"mine" if where == "in the charge" else b"theirs")
        with pytest.raises(LedgerError, match="changed"):
            kept.settle(charge, "text")


@pytest.mark.claim("C13")
def test_a_look_between_charge_and_store_does_not_spare_the_store_its_reading(ledger):
    """Only a charge may go on from what its run has looked at."""
    ledger.file.settle(pay(ledger, "theirs"), "text")
    with ledger.file.kept() as kept:
        charge = pay(kept)
        kept.snapshot("another")
        flip(ledger.path, b"theirs")
        with pytest.raises(LedgerError, match="changed"):
            kept.settle(charge, "text")


@pytest.mark.claim("C12")
def test_what_this_run_has_stored_itself_is_seen(ledger):
    """A store and a void between a look and a charge: SQLite tells no connection of its own writes."""
    with ledger.file.kept() as kept:
        charges = [pay(kept, name, "1/100") for name in "abc"]
        kept.snapshot("mine")
        kept.settle(charges[0], "text")
        assert pay(kept, loss="1/100").seq == 5
        kept.snapshot("mine")
        kept.void([2], reason="killed", who="owner")
        assert pay(kept, loss="1/100").seq == 7
    assert (ledger.spent(), ledger.verify()) == (zcdp("1/25"), [])


def test_a_connection_is_left_after_an_error(ledger, opened):
    """What was interrupted is not used again."""
    with ledger.file.kept() as kept:
        kept.snapshot("mine")
        with pytest.raises(BudgetError):
            pay(kept, loss="1/4")
        assert is_closed(opened[0])
        pay(kept)
    assert (len(opened), all(map(is_closed, opened))) == (2, True)


@pytest.mark.claim("C11")
def test_the_settings_are_in_force_in_each_transaction_of_a_run(ledger, opened):
    """They are set once, and nothing that is paid, stored or read changes them."""
    held = []

    def note(connection):
        asked = [connection.execute(f"PRAGMA {name}") for name, _ in connections._SETTINGS]
        held.append([answer.fetchone()[0] for answer in asked])

    with ledger.file.kept() as kept:
        kept.snapshot("mine")
        note(opened[0])
        charge = pay(kept)
        note(opened[0])
        kept.settle(charge, "text")
        note(opened[0])

    assert held == [[wanted for _, wanted in connections._SETTINGS]] * 3
    assert len(opened) == 1


@pytest.mark.claim("C11")
def test_switching_the_file_to_write_ahead_is_refused_in_a_run_too(ledger):
    """Another program may do so at any time: each transaction asks."""
    with ledger.file.kept() as kept:
        kept.snapshot("mine")
        with closing(sqlite3.connect(ledger.path)) as other:
            other.execute("PRAGMA journal_mode = WAL")
        with pytest.raises(LedgerError, match="write-ahead"):
            pay(kept)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_fork_shares_no_connection(ledger, opened):
    """What is kept is closed before; parent and child each pay by one of their own."""
    with ledger.file.kept() as kept:
        kept.snapshot("mine")
        child = os.fork()
        if child == 0:
            try:
                done = is_closed(opened[0]) and pay(kept, "child").seq and len(opened)
            finally:
                os._exit(0 if done == 2 else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert is_closed(opened[0])
        pay(kept)
    assert (ledger.spent(), ledger.verify()) == (zcdp("1/25"), [])
