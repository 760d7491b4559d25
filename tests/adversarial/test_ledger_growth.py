"""What a charge reads of a long ledger, counted: rows and steps of SQLite, no times."""

import sqlite3
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from bench.book import grown

import discreet as dp
from adversarial.rivers import ROWS, planned, started
from discreet.cli.cli import main
from discreet.errors import LedgerError
from discreet.ledgers import store
from discreet.ledgers.file import Ledger
from discreet.ledgers.rows import CHECKED, LedgerRows
from discreet.ledgers.rules import ChargeRequest
from discreet.ledgers.skip_list import link_to, packed
from discreet.ledgers.sqlite import Charge
from discreet.ledgers.verifying import unchecked_bytes
from discreet.privacy.loss import zcdp

LONG = 12_000  # entries; bench/growth.py times 100,000


pytestmark = pytest.mark.xdist_group("a long book")  # it is made once


@pytest.fixture(scope="module")
def books(tmp_path_factory) -> dict[int, Ledger]:
    folder = tmp_path_factory.mktemp("books")
    return {size: grown(folder / f"{size}.ledger", size) for size in (2, 60, LONG)}


@pytest.fixture
def shorter(tmp_path) -> dict[int, Ledger]:
    """Books for programs that read all of them: 600 entries in place of the longest."""
    sizes = {2: 2, 60: 60, LONG: 600}
    return {size: grown(tmp_path / f"{size}.ledger", entries) for size, entries in sizes.items()}


@pytest.fixture
def counted(monkeypatch) -> dict[str, int]:
    """How many entries are read, and how many hundred steps SQLite takes, from now on."""
    found = {"rows": 0, "steps": 0}
    honest, connected = LedgerRows._entry, store._connected

    def entry(self, row):
        found["rows"] += 1
        return honest(self, row)

    def step() -> int:
        found["steps"] += 1
        return 0

    @contextmanager
    def watched(*of):
        with connected(*of) as connection:
            connection.set_progress_handler(step, 10)
            yield connection

    monkeypatch.setattr(LedgerRows, "_entry", entry)
    monkeypatch.setattr(store, "_connected", watched)
    return found


def pay(ledger: Ledger, request: str = "a new one"):
    return ledger.file.reserve(
        ChargeRequest(request=request, plan="ab" * 32, loss=zcdp("1/1000"), events=[])
    )


ACTS = {
    "open": lambda ledger: dp.ledger(ledger.path),
    "left": Ledger.left,
    "look up": lambda ledger: ledger.file.snapshot("stored 0"),
    "look up what is not there": lambda ledger: ledger.file.snapshot("never asked"),
    "repeat": lambda ledger: pay(ledger, "stored 0"),
    "charge": pay,
    "store": lambda ledger: ledger.file.settle(pay(ledger, "stored"), "text"),
    "void": lambda ledger: ledger.void(pay(ledger, "void").seq, reason="killed"),
}


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("act", ACTS)
def test_a_long_book_is_read_no_more_than_a_short_one(act, books, counted):
    """The head with sixteen entries before it, and some eleven steps to a request; never the rest."""
    costs = {}
    for size, ledger in books.items():
        counted.update(rows=0, steps=0)
        ACTS[act](ledger)
        costs[size] = dict(counted)

    times = 2 if act in ("store", "void") else 1  # transactions
    assert costs[LONG]["rows"] <= times * (CHECKED + 1 + 3 * 13)
    assert costs[LONG]["steps"] <= 2.5 * costs[60]["steps"]
    assert costs[2]["rows"] >= times


@pytest.mark.slow
@pytest.mark.parametrize("wrong", ["the whole book", "an index that is not there"])
def test_a_program_that_reads_the_whole_book_is_caught(wrong, shorter, counted, monkeypatch):
    """The count has power, for rows and for steps of SQLite."""
    honest = LedgerRows.head

    def head(self):
        if wrong == "the whole book":
            list(self.entries())
        else:
            self.connection.execute("SELECT 1 FROM entry WHERE token = 'x'").fetchall()
        return honest(self)

    monkeypatch.setattr(LedgerRows, "head", head)
    with pytest.raises(AssertionError):
        test_a_long_book_is_read_no_more_than_a_short_one("charge", shorter, counted)


@pytest.mark.slow
def test_a_grown_book_is_sound(books, capsys):
    """What is measured is a ledger like any other; its inner pages are the third level of a tree."""
    assert books[60].verify() == []
    long = books[LONG].path
    assert unchecked_bytes(books[60].path) == 0
    blind = unchecked_bytes(long)
    assert 0 < blind < long.stat().st_size // 100
    said = main(["ledger", "verify", str(long)]), capsys.readouterr().out
    assert said[0] == 0
    assert f"but {blind:,} that carry no content and are not compared" in said[1]


@pytest.mark.parametrize("given", ["the ledger", "its path"])
def test_a_run_reads_the_ledger_once_before_it_writes(given, tmp_path, monkeypatch):
    """Once to look, then in the transactions of the charge and of the store; a repeat looks once."""
    ledger, plan, begun = started(tmp_path), planned(list(ROWS)), []
    honest = store.patiently

    def patiently(connection, statement):
        if statement.startswith("BEGIN"):
            begun.append(statement)
        return honest(connection, statement)

    monkeypatch.setattr(store, "patiently", patiently)
    place = ledger if given == "the ledger" else ledger.path

    dp.run(plan, ledger=place)
    assert begun == ["BEGIN", "BEGIN IMMEDIATE", "BEGIN IMMEDIATE"]
    begun.clear()
    assert dp.run(plan, ledger=place).repeated
    assert begun == ["BEGIN"]


PLAN = """
[data]
source = "visits.csv"
unit = "row"
[keys]
k = ["a", "b"]
[spend]
epsilon = 1
ledger = "visits.ledger"
[[ask]]
statistic = "count"
by = "k"
"""


@pytest.mark.claim("C328")
def test_a_command_reads_the_ledger_once_before_its_run_and_once_after(
    tmp_path, monkeypatch, capsys
):
    """What is left, the charge and what is left then are told by these two looks, and are true."""
    monkeypatch.chdir(tmp_path)
    Path("visits.csv").write_text("k\na\nb\n")
    Path("visits.toml").write_text(PLAN)
    ledger, begun = dp.ledger("visits.ledger", budget=dp.pure(3)), []
    honest = store.patiently

    def patiently(connection, statement):
        if statement.startswith("BEGIN"):
            begun.append(statement)
        return honest(connection, statement)

    monkeypatch.setattr(store, "patiently", patiently)

    assert main(["release", "visits.toml"]) == 0
    assert begun == ["BEGIN", "BEGIN", "BEGIN IMMEDIATE", "BEGIN IMMEDIATE", "BEGIN"]
    shown = capsys.readouterr().out
    assert "Left in visits.ledger: epsilon = 3." in shown
    assert "Charged epsilon = 1. Left in visits.ledger: epsilon = 2." in shown
    ledger.file.reserve(ChargeRequest("else", "p", dp.pure("1/2"), []))
    begun.clear()
    assert main(["release", "visits.toml", "--out", "again"]) == 0
    assert begun == ["BEGIN"] * 3
    assert "Nothing was charged. Left in visits.ledger: epsilon = 1.5." in capsys.readouterr().out


# What is checked when


def altered(ledger: Ledger, *statements: str) -> Ledger:
    """The ledger after statements of somebody who can write the file, its triggers put back."""
    connection = sqlite3.connect(ledger.path, isolation_level=None)
    triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    made = triggers.fetchall()
    for name, _ in made:
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        connection.execute(statement)
    for _, sql in made:
        connection.execute(sql)
    connection.close()
    return ledger


@pytest.mark.claim("C13")
def test_a_looked_up_answer_that_was_changed_is_not_handed_out(tmp_path):
    """Far behind the last entries; a charge does not read it, and goes on; `verify` finds it."""
    ledger = grown(tmp_path / "a.ledger", 100)
    altered(ledger, "UPDATE answer SET body = cast('[]' AS BLOB) WHERE seq = 4")

    with pytest.raises(LedgerError, match="damaged or was changed"):
        ledger.file.snapshot("stored 1")
    with pytest.raises(LedgerError, match="damaged or was changed"):
        pay(ledger, "stored 1")
    assert pay(ledger).settled is None
    assert ledger.verify() != []


@pytest.mark.claim("C13")
def test_a_row_with_its_own_hash_made_again_is_not_handed_out(tmp_path, monkeypatch):
    """A forger with our own code: the row is sound by itself, but no link leads to it."""
    ledger = grown(tmp_path / "a.ledger", 100)
    with store.transaction(ledger.path, write=False) as connection:
        entry = LedgerRows(connection, ledger.path).entry(4)
    forged = entry.__class__(
        **{name: getattr(entry, name) for name in entry.__slots__} | {"who": "eve"}
    )
    altered(ledger, f"UPDATE entry SET who = 'eve', hash = '{forged.digest()}' WHERE seq = 4")

    with pytest.raises(LedgerError, match="not the one that later entries know"):
        ledger.file.snapshot("stored 1")
    assert "entry 5 does not follow from the entry before it" in ledger.verify()


def forged(ledger: Ledger, seq: int, **changes) -> str:
    """Change an entry and make its own hash again, as a forger with our code would; return the hash."""
    with store.transaction(ledger.path, write=False) as connection:
        entry = replace(LedgerRows(connection, ledger.path).entry(seq), **changes)
    cells = {name: f"'{text}'" for name, text in changes.items() if name != "links"}
    cells |= {name: f"x'{text}'" for name, text in changes.items() if name == "links"}
    cells["hash"] = f"'{entry.digest()}'"
    words = ", ".join(f"{name} = {cell}" for name, cell in cells.items())
    altered(ledger, f"UPDATE entry SET {words} WHERE seq = {seq}")
    return entry.digest()


@pytest.mark.claim("C13")
@pytest.mark.parametrize("act", ["store", "void", "receipt"])
def test_a_charge_that_was_moved_to_another_request_is_not_used(act, tmp_path):
    """Its own hash is right, and no entry of the request that it names leads to it."""
    ledger = grown(tmp_path / "a.ledger", 100)
    digest = forged(ledger, 51, request="stored 1")
    acts = {
        "store": lambda: ledger.file.settle(Charge(51, digest), "text"),
        "void": lambda: ledger.void(51, reason="killed"),
        "receipt": lambda: ledger.file.receipt(51),
    }

    with pytest.raises(LedgerError, match="damaged") as refused:
        acts[act]()
    assert refused.value.why == "entry 51 is not the one that later entries know"


@pytest.mark.claim("C13")
@pytest.mark.parametrize("seq", [99, 90, 86])
def test_a_forged_entry_among_the_last_is_found_at_each_open(seq, tmp_path):
    """Its own hash is right; the entry behind it follows from another one."""
    ledger = grown(tmp_path / "a.ledger", 100)
    forged(ledger, seq, who="eve")

    for act in (ledger.left, lambda: pay(ledger), lambda: ledger.file.snapshot("x")):
        with pytest.raises(LedgerError, match="damaged") as refused:
            act()
        assert f"entry {seq + 1} does not follow" in refused.value.why


@pytest.mark.claim("C13")
def test_links_of_the_last_entry_that_lead_to_another_request_are_found(tmp_path):
    """With its own hash made again: no request is looked up by them, and none is said to be new."""
    ledger = grown(tmp_path / "a.ledger", 100)
    with store.transaction(ledger.path, write=False) as connection:
        charge = LedgerRows(connection, ledger.path).entry(99)
    forged(ledger, 100, links=packed([link_to(charge)] * 40))

    for act in (lambda: pay(ledger), lambda: ledger.file.snapshot("never asked")):
        with pytest.raises(LedgerError, match="damaged") as refused:
            act()
        assert refused.value.why.startswith("a link of an entry leads nowhere")


@pytest.mark.exhaustive
@pytest.mark.claim("C13")
@pytest.mark.parametrize("seq", [100, 99, 90, 85])
@pytest.mark.parametrize("change", ["who = 'eve'", "spent = replace(spent, '1', '2')", "open = 7"])
def test_each_of_the_last_entries_is_checked_at_each_open(seq, change, tmp_path):
    ledger = altered(
        grown(tmp_path / "a.ledger", 100), f"UPDATE entry SET {change} WHERE seq = {seq}"
    )

    for act in (ledger.left, lambda: pay(ledger), lambda: ledger.file.snapshot("x")):
        with pytest.raises(LedgerError, match="damaged or was changed"):
            act()


@pytest.mark.claim("C13")
def test_a_budget_that_was_raised_is_found_at_once(tmp_path):
    """With the root made again: it is in the hash of every entry."""
    ledger = grown(tmp_path / "a.ledger", 100)
    header = ledger.file.head().header
    raised = header.__class__(
        header.id, header.created, zcdp(2000).plain(), "", header.carried, header.origin
    )
    text = '{"kind":"zcdp","rho":"2000"}'
    units_ = "replace(units, '\"1', '\"2')"
    altered(
        ledger,
        f"UPDATE book SET budget = '{text}', root = '{raised.hash()}'",
        f"UPDATE cap SET units = {units_}",
        "UPDATE entry SET first_share = first_share / 2, first_cost = first_cost / 2",
    )

    with pytest.raises(LedgerError, match="damaged or was changed"):
        ledger.left()


def test_entries_are_handed_out_with_what_they_hold(tmp_path):
    ledger = grown(tmp_path / "a.ledger", 10, text='{"a":1}')
    entries = ledger.file.entries(after=6)

    assert [entry.seq for entry in entries] == [7, 8, 9, 10]
    assert [entry.result for entry in entries] == [None, '{"a":1}'] * 2
    assert entries == list(ledger.book().entries[6:])
