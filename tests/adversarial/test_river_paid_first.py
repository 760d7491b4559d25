"""Paid first: the charge is in the file before noise is drawn, and noise before data is read.

A spy stands around the real engine, the real draw and the data itself; at each event it opens the
ledger's file anew, as another process would, and notes what it holds.
"""

import sys
from dataclasses import dataclass, field

import duckdb
import pytest

import discreet as dp
from adversarial.rivers import KINDS, ROWS, kinds_of, planned, source_of, started
from discreet.engine import evaluate, fingerprint, memory
from discreet.engine.protocol import Engine, Prepared
from discreet.engine.select_engine import engine_for
from discreet.ledgers.file import Ledger, open_ledger
from discreet.ledgers.sqlite import Charge, File
from discreet.releases import draws as DRAWS
from discreet.releases import run
from discreet.releases import run as ROOM


@dataclass
class Spy:
    """What the ledger's file held at each event, in the order of the events."""

    ledger: Ledger
    seen: list[tuple[str, list[str]]] = field(default_factory=list)

    def saw(self, event: str) -> None:
        self.seen.append((event, kinds_of(open_ledger(self.ledger.path).book())))

    def events(self) -> list[str]:
        return [event for event, _ in self.seen]


@dataclass
class SpiedEngine:
    """The real engine; its steps are noted."""

    engine: Engine
    spy: Spy

    def prepare(self, table, aggregates):
        self.spy.saw("prepare")
        return SpiedPrepared(self.engine.prepare(table, aggregates), self.spy)


@dataclass
class SpiedPrepared:
    prepared: Prepared
    spy: Spy

    def count(self, salt):
        self.spy.saw("count")
        return self.prepared.count(salt)

    def paths(self):
        return self.prepared.paths()

    def fingerprint(self, key):
        self.spy.saw("fingerprint")
        return self.prepared.fingerprint(key)


def spied_view(spy):
    """A view of a DuckDB connection whose cells pass a function of ours when they are read."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE raw (who VARCHAR, ward VARCHAR, cost DOUBLE)")
    connection.executemany("INSERT INTO raw VALUES (?, ?, ?)", [[*row.values()] for row in ROWS])

    def look(cell: float) -> float:
        spy.saw("data")
        return cell

    connection.create_function("look", look, ["DOUBLE"], "DOUBLE", side_effects=True)
    connection.execute("CREATE VIEW visits AS SELECT who, ward, look(cost) AS cost FROM raw")
    return connection


def run_spied(monkeypatch, spy, source, *, engine=SpiedEngine, vouched=None) -> None:
    """Run the real river with the spies in place."""
    draw = DRAWS.drawn

    def drawn(*parts, **names):
        spy.saw("noise")
        return draw(*parts, **names)

    look = memory.cell_of

    def looked(*where):
        spy.saw("data")
        return look(*where)

    for module in (memory, evaluate, fingerprint):
        monkeypatch.setattr(module, "cell_of", looked)
    monkeypatch.setattr(DRAWS, "drawn", drawn)
    monkeypatch.setattr(run, "engine_for", lambda found: engine(engine_for(found), spy))
    dp.run(planned(source, vouched=vouched), ledger=spy.ledger)


def check_order(spy: Spy) -> None:
    """Charge, then all noise, then data; nothing between but that; the answer is stored last."""
    first = {event: at for at, event in reversed(list(enumerate(spy.events())))}
    last_noise = max(at for at, event in enumerate(spy.events()) if event == "noise")

    assert spy.seen[0] == ("prepare", [])
    assert all(held == ["charge"] for event, held in spy.seen if event != "prepare")
    assert last_noise < first["count"]
    assert first["count"] < first.get("data", len(spy.seen))
    assert kinds_of(spy.ledger.book()) == ["charge", "result"]


@pytest.mark.exhaustive
@pytest.mark.claim("C11")
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_charge_then_noise_then_data_for_every_source(kind, tmp_path, monkeypatch):
    """When the first noise is drawn, the file holds the charge; when data is read, all noise is."""
    spy = Spy(started(tmp_path))

    run_spied(monkeypatch, spy, source_of(kind, tmp_path))

    steps = [event for event in spy.events() if event != "data"]
    assert steps == ["prepare", "noise", "count", "fingerprint"]
    check_order(spy)


@pytest.mark.claim("C11")
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["rows", "a view"])
def test_no_cell_is_looked_at_before_charge_and_noise(kind, tmp_path, monkeypatch):
    """A look at a cell of a row in memory, and a cell of a view in DuckDB, tell when it is."""
    spy = Spy(started(tmp_path))
    source = list(ROWS) if kind == "rows" else spied_view(spy)

    run_spied(monkeypatch, spy, source, vouched="look returns the cell that it is given")

    assert "data" in spy.events()
    check_order(spy)


@pytest.mark.claim("C11")
def test_a_refused_plan_draws_no_noise_and_reads_no_data(tmp_path, monkeypatch):
    """What does not fit ends at the ledger."""
    spy = Spy(started(tmp_path, rho="1/20"))

    with pytest.raises(dp.errors.BudgetError):
        run_spied(monkeypatch, spy, list(ROWS))

    assert spy.events() == ["prepare"]
    assert kinds_of(spy.ledger.book()) == []


@pytest.mark.claim("C11")
def test_an_answer_that_cannot_be_stored_does_not_leave(tmp_path, monkeypatch):
    """The disk fails after the count: the caller gets an error and no number; the charge stays."""
    spy = Spy(started(tmp_path))

    def fails(self, charge, *what):
        raise dp.errors.LedgerError("the disk is full.", why="planted", fix="none")

    monkeypatch.setattr(File, "settle", fails)
    with pytest.raises(dp.errors.LedgerError, match="charge 1 stays spent"):
        run_spied(monkeypatch, spy, list(ROWS))

    assert kinds_of(spy.ledger.book()) == ["charge"]


@pytest.mark.claim("C36")
@pytest.mark.parametrize(
    "library", ["discreet.releases.document", "discreet.noise.inversion_batch"]
)
def test_a_library_that_cannot_be_loaded_costs_no_charge(library, tmp_path, monkeypatch):
    """What is needed after the charge is loaded before it."""
    ledger = started(tmp_path)
    monkeypatch.setitem(sys.modules, library, None)

    with pytest.raises(ImportError) as caught:
        dp.run(planned(list(ROWS)), ledger=ledger)

    assert "nothing was charged" in caught.value.__notes__[0]
    assert kinds_of(ledger.book()) == []


# Planted faults: each breaks the order in one way.


class Eager(SpiedEngine):
    """Reads while it prepares, before anything is paid."""

    def prepare(self, table, aggregates):
        prepared = super().prepare(table, aggregates)
        ready = prepared.count(1)
        names = {"count": lambda self, salt: ready, "paths": lambda self: ()}
        return type("Ready", (), {**names, "fingerprint": lambda self, key: None})()


def late_noise(monkeypatch):
    """Data first, noise after."""

    def released(plan, prepared, *, paid):
        coins = ROOM.Coins()
        exact = prepared.counted.count(coins.salt())
        noise = ROOM._noise(plan, paid, coins)
        return plan, tuple(map(ROOM.door, exact, noise))

    monkeypatch.setattr(ROOM, "released", released)


def one_by_one(monkeypatch):
    """The data is read between two draws."""

    def released(plan, prepared, *, paid):
        first, *_ = ROOM._noise(plan, paid, ROOM.Coins())
        exact = prepared.counted.count(ROOM.Coins().salt())
        noise = [first, *ROOM._noise(plan, paid, ROOM.Coins())[1:]]
        return plan, tuple(map(ROOM.door, exact, noise))

    monkeypatch.setattr(ROOM, "released", released)


def late_charge(monkeypatch):
    """The charge is promised, and written only with the answer."""
    reserve, settle = File.reserve, File.settle
    kept = {}

    def promise(self, ask):
        kept["ask"] = ask
        return Charge(1, "", loss=ask.loss)

    monkeypatch.setattr(File, "reserve", promise)
    monkeypatch.setattr(
        File, "settle", lambda self, charge, *what: settle(self, reserve(self, **kept), *what)
    )


def no_answer(monkeypatch):
    """The answer leaves without being stored."""
    found = type("Entry", (), {"refers": 1})()
    monkeypatch.setattr(File, "settle", lambda self, charge, *what: found)


@pytest.mark.slow
@pytest.mark.parametrize("fault", [late_noise, one_by_one, late_charge, no_answer, Eager])
def test_a_swapped_order_is_caught(fault, tmp_path, monkeypatch):
    """The check has power: it refuses each river with two steps exchanged."""
    spy = Spy(started(tmp_path))
    engine = Eager if fault is Eager else SpiedEngine
    if fault is not Eager:
        fault(monkeypatch)
    run_spied(monkeypatch, spy, list(ROWS), engine=engine)

    with pytest.raises(AssertionError):
        check_order(spy)
