"""Anchors that somebody added: a file, a git repository, a Postgres server."""

import os
import shlex
import shutil
import subprocess
import threading
from pathlib import Path

import pytest

from adversarial.elsewhere import elsewhere
from discreet.errors import InputError, LedgerError
from discreet.ledgers import anchor_targets, anchors
from discreet.ledgers.file import Ledger, create
from discreet.privacy.loss import zcdp
from e2e.session import run
from servers import dsn
from unit.anchored import pay

pytestmark = pytest.mark.claim("C514")


@pytest.fixture
def ledger(tmp_path):
    return create(tmp_path / "a.ledger", budget=zcdp(1), id="7f3a")


def git(folder: Path, *words: str) -> str:
    command = ["git", "-C", str(folder), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, "config", "user.name", "a keeper")
    git(folder, "config", "user.email", "keeper@example.org")
    return folder


def server(_folder: Path) -> str:
    host = dsn().split()[0].removeprefix("host=")
    return f"postgresql:///postgres?host={host}&user=postgres"


@pytest.fixture(params=["file", "repository", "server"])
def target(request, tmp_path, repository):
    """Where a line goes, and by what the user's own is no longer needed."""
    if request.param == "server":
        return server(tmp_path)
    return str(repository if request.param == "repository" else tmp_path / "there.anchor")


def rolled_back(ledger: Ledger, tmp_path: Path, name: str) -> None:
    """Put an older copy back, and take the user's own anchor away."""
    shutil.copy(ledger.path, tmp_path / "old")
    pay(ledger, name)
    shutil.copy(tmp_path / "old", ledger.path)
    anchors.place_of(ledger.file.book().header.id).unlink()


@pytest.mark.slow
def test_an_older_copy_is_found_by_what_was_added(tmp_path, target, request):
    """Whoever can write the ledger and the user's own anchor cannot take this one along."""
    name = request.node.name
    ledger = create(tmp_path / "a.ledger", budget=zcdp(1), id=name)
    ledger.add_anchor(target)
    assert anchors.checked_against(name).startswith("2 anchors")
    rolled_back(ledger, tmp_path, "1")

    with pytest.raises(LedgerError, match="is an older copy"):
        ledger.left()
    assert ledger.restored("the disk failed") == zcdp("1/1000")
    pay(ledger, "2")
    assert ledger.verify() == []


def test_a_repository_has_a_commit_for_each_entry_and_of_that_file_alone(ledger, repository):
    """What else its owner has staged stays staged."""
    (repository / "mine.txt").write_text("mine")
    git(repository, "add", "mine.txt")
    ledger.add_anchor(repository)
    pay(ledger, "1")

    assert git(repository, "log", "--format=%s").split("\n")[:-1] == ["Anchor of a ledger"] * 3
    assert git(repository, "status", "--short") == "A  mine.txt\n"


def test_a_required_anchor_out_of_reach_refuses_charges_and_allows_show(ledger, tmp_path):
    """A folder where a drive was is no anchor: nothing is made there."""
    drive = tmp_path / "drive"
    drive.mkdir()
    ledger.add_anchor(drive / "there.anchor", required=True)
    drive.rename(tmp_path / "away")
    drive.mkdir()

    with pytest.raises(LedgerError, match="is out of reach") as refused:
        pay(ledger, "1")
    assert "nothing was charged" in str(refused.value)
    with ledger.file.kept() as file:
        file.snapshot("1")
        with pytest.raises(LedgerError, match="nothing was charged"):
            file.reserve(_request("1"))
    assert (ledger.left(), ledger.verify()) == (zcdp(1), [])
    assert list(drive.iterdir()) == []
    drive.rmdir()
    (tmp_path / "away").rename(drive)
    pay(ledger, "1")


def test_a_required_anchor_that_fails_after_the_commit_is_told_with_the_charge(
    ledger, tmp_path, monkeypatch
):
    """The charge stays spent, no noise was drawn for it, and the message says so."""
    ledger.add_anchor(tmp_path / "there.anchor", required=True)
    wrote = anchors.note

    def gone(line, called):
        (tmp_path / "there.anchor").rename(tmp_path / "away")
        wrote(line, called)

    monkeypatch.setattr(anchors, "note", gone)
    with pytest.raises(LedgerError, match="could not be written to the anchor") as refused:
        ledger.file.reserve(_request("1"))
    assert "charge 1 was written all the same and stays spent" in str(refused.value)
    assert ledger.spent() == zcdp("1/1000")


def _request(token: str):
    from discreet.ledgers.rules import ChargeRequest

    loss = zcdp("1/1000")
    return ChargeRequest(request="r", plan="p", loss=loss, events=[], token=token)


def test_lines_wait_in_an_outbox_and_come_in_order(ledger, tmp_path):
    """An anchor that need not be there gets all of them when it is back."""
    drive = tmp_path / "drive"
    drive.mkdir()
    ledger.add_anchor(drive / "there.anchor")
    drive.rename(tmp_path / "away")
    pay(ledger, "1")
    pay(ledger, "2")
    (tmp_path / "away").rename(drive)
    pay(ledger, "3")

    lines = anchors.lines_in((drive / "there.anchor").read_bytes(), "7f3a")
    assert [line.seq for line in lines] == [0, 1, 2, 3, 4, 5, 6]


def test_one_file_holds_the_lines_of_several_ledgers(ledger, tmp_path):
    """Each is compared with its own."""
    other = create(tmp_path / "b.ledger", budget=zcdp(1), id="beef")
    for book in (ledger, other):
        book.add_anchor(tmp_path / "there.anchor")
        pay(book, "1")

    assert (ledger.verify(), other.verify()) == ([], [])
    assert len(anchors.newest("beef")) == 2


def test_what_cannot_be_written_is_refused_when_it_is_added(ledger, tmp_path):
    """Before it is listed; so is what is listed already."""
    os.mkfifo(tmp_path / "pipe")
    places = (tmp_path / "no" / "there.anchor", tmp_path / "pipe", "postgresql://localhost:1/none")
    for to in places:
        with pytest.raises(InputError, match="cannot be written"):
            ledger.add_anchor(to)
    ledger.add_anchor(tmp_path / "there.anchor")
    with pytest.raises(InputError, match="is an anchor of this ledger already"):
        ledger.add_anchor(tmp_path / "there.anchor")
    assert anchors.checked_against("7f3a").startswith("2 anchors")


@pytest.mark.claim("C579")
def test_an_anchor_that_nothing_was_compared_with_is_named(ledger, tmp_path):
    """One that is gone, and one that was emptied; `ledger verify` says so beside those it has."""
    for name in ("there.anchor", "gone.anchor", "bare.anchor"):
        ledger.add_anchor(tmp_path / name)
    assert anchors.uncompared("7f3a") == []
    (tmp_path / "gone.anchor").unlink()
    (tmp_path / "bare.anchor").write_text("", encoding="utf-8")

    gone, bare = anchors.uncompared("7f3a")

    assert gone.endswith(", which is out of reach (FileNotFoundError)")
    assert bare.endswith(", which holds no line of it")
    assert anchors.checked_against("7f3a").startswith("2 anchors")
    code, output = run(f"discreet ledger verify {shlex.quote(str(ledger.path))}")
    assert code == 0
    assert output.count("not checked: the anchor ") == 2


def test_a_list_of_anchors_that_cannot_be_read_is_no_list_without_any(ledger, tmp_path):
    """It is not read as if there were none."""
    ledger.add_anchor(tmp_path / "there.anchor")
    anchors.place_of("7f3a").with_suffix(".targets").write_text("{", encoding="utf-8")

    with pytest.raises(LedgerError, match="the list of anchors"):
        ledger.left()


def test_another_user_has_anchors_of_their_own(ledger, tmp_path):
    """What one has seen the other has not; neither is in the way of the other."""
    pay(ledger, "1")
    with elsewhere():
        pay(Ledger(ledger.path), "2")
    pay(ledger, "3")
    assert ledger.verify() == []


@pytest.mark.claim("C542")
def test_a_repository_that_another_process_holds_is_tried_again(ledger, repository):
    """Its lock is there for a moment: the charge waits, and is not refused."""
    ledger.add_anchor(repository, required=True)
    lock = repository / ".git" / "index.lock"
    lock.touch()
    freed = threading.Timer(0.5, lock.unlink)
    freed.start()
    pay(ledger, "1", answered=False)
    freed.join()

    assert git(repository, "status", "--short") == ""
    assert git(repository, "log", "--format=%s").count("Anchor of a ledger") == 2


@pytest.mark.claim("C542")
def test_a_line_that_another_process_has_committed_is_there(ledger, repository, monkeypatch):
    """Both lines went into its commit: there is nothing left to commit, and that is no fault."""
    ledger.add_anchor(repository, required=True)
    append = anchor_targets._append

    def committed(place, text, *, make=True):
        append(place, text, make=make)
        git(repository, "commit", "-qam", "another process")

    monkeypatch.setattr(anchor_targets, "_append", committed)
    pay(ledger, "1")
    assert ledger.left() == zcdp("999/1000")


def test_a_repository_that_cannot_commit_is_out_of_reach_at_once(ledger, repository):
    """No lock is in the way, so nothing is waited for."""
    ledger.add_anchor(repository, required=True)
    hook = repository / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(LedgerError, match="git ended with 1"):
        pay(ledger, "1")


@pytest.mark.claim("C542")
def test_processes_of_one_user_write_one_after_the_other(ledger, tmp_path):
    """Who empties an outbox takes away no line that another one puts there meanwhile."""
    fcntl = pytest.importorskip("fcntl")
    ledger.add_anchor(tmp_path / "there.anchor")
    line = anchors.line_of(ledger.file.head())
    with anchors.place_of("7f3a").with_suffix(".targets").open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        writer = threading.Thread(target=anchor_targets.note_in_targets, args=(line, "a.ledger"))
        writer.start()
        writer.join(0.3)
        assert writer.is_alive()
    writer.join(30)
    assert not writer.is_alive()


@pytest.mark.slow
@pytest.mark.claim("C542")
def test_charges_of_several_processes_are_all_in_a_repository(tmp_path, repository):
    """None is refused, and each entry has a line, also where the repository is away for a while."""
    ledger = create(tmp_path / "a.ledger", budget=zcdp(1), id="7f3a")
    ledger.add_anchor(repository, required=True)
    children = []
    for child in range(3):
        children.append(os.fork())
        if children[-1] == 0:
            code = 1
            try:
                for number in range(3):
                    pay(ledger, f"{child} {number}")
                code = 0
            finally:
                os._exit(code)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]

    assert codes == [0, 0, 0]
    held = anchors.lines_in((repository / "discreet.anchors").read_bytes(), "7f3a")
    assert sorted(line.seq for line in held) == list(range(19))
    assert git(repository, "status", "--short") == ""
