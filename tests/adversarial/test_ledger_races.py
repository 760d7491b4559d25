"""Thirty-two processes want the last of one budget."""

import os
import sqlite3
import traceback
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path

import pytest

from discreet.errors import BudgetError
from discreet.ledgers.file import Ledger, create
from discreet.ledgers.rows import LedgerRows
from discreet.ledgers.rules import ChargeRequest
from discreet.ledgers.verifying import book_in
from discreet.privacy.loss import approx, pure, zcdp
from unit.books import GrowingBook

RACERS = 32
LAPS = 4


def race(work: Callable[[int], int], racers: int = RACERS) -> list[int]:
    """Fork so many processes, let them start at once, and return what each one's work gave."""
    gate, start = os.pipe()
    children = []
    for number in range(racers):
        child = os.fork()
        if child == 0:
            code = 255
            try:
                os.close(start)
                os.read(gate, 1)  # ends when the parent closes its end
                code = work(number)
            except BaseException:  # noqa: BLE001 - the child ends here, whatever happened
                traceback.print_exc()
            finally:
                os._exit(code)
        children.append(child)
    os.close(gate)
    os.close(start)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def spend(ledger: Ledger, loss, request: str, *, settle: bool = True) -> int:
    try:
        charge = ledger.file.reserve(ChargeRequest(request=request, plan="p", loss=loss, events=[]))
        if settle:
            ledger.file.settle(charge, "text")
    except BudgetError:
        return 0
    return 1


@pytest.mark.claim("C12")
@pytest.mark.exhaustive("races for a ledger")
@pytest.mark.slow
@pytest.mark.parametrize("budget", [zcdp("1/8"), approx(1, "1e-6")], ids=["zcdp", "approx"])
def test_thirty_two_processes_never_overspend(tmp_path, budget):
    """128 tries at a seventh of what three sevenths remain: three fit, in every kind of loss."""
    ledger = create(tmp_path / "a.ledger", budget=budget, id="x")
    seventh = budget.times(Fraction(1, 7))
    spend(ledger, budget.times(Fraction(4, 7)), "before")

    won = race(lambda n: sum(spend(ledger, seventh, f"{n}-{i}") for i in range(LAPS)))

    assert sum(won) == 3
    assert (ledger.spent(), ledger.verify()) == (budget, [])


@pytest.mark.exhaustive("races for a ledger")
@pytest.mark.slow
def test_thirty_two_processes_with_one_request_get_one_answer(tmp_path):
    """They may pay several times, but there is one text, and each of them hands out that one."""
    ledger = create(tmp_path / "a.ledger", budget=pure(RACERS), id="x")

    def ask(number: int) -> int:
        charge = ledger.file.reserve(
            ChargeRequest(request="same", plan="p", loss=pure(1), events=[])
        )
        entry = charge.settled or ledger.file.settle(charge, f"{number}")
        return int(entry.result)

    answers = race(ask)

    book = ledger.book()
    assert len(set(answers)) == 1
    assert book.settled("same").result == str(answers[0])
    assert ledger.verify() == []


def look_first_write_later(path: Path, request: str, barrier) -> int:
    """The planted fault: the question whether it fits is asked outside of the transaction."""
    loss = zcdp("1/2")
    with closing(sqlite3.connect(path, timeout=60, isolation_level=None)) as connection:
        if not loss.fits(book_in(LedgerRows(connection, path)).left()):
            return 0
        barrier.wait()  # all of them have looked, none has written
        connection.execute("BEGIN IMMEDIATE")
        book = book_in(LedgerRows(connection, path))
        header = replace(book.header, budget=zcdp(10**6).plain())
        roomy = GrowingBook(header, book.entries)
        line = roomy.charge(
            request=request, plan="p", loss=loss, events=[], who="", why="", when="2026"
        )
        placed = replace(line, previous=book.head()[1], root=book.header.hash())
        placed = replace(placed, hash=placed.digest())
        try:
            LedgerRows(connection, path).write_entry(placed)
        except sqlite3.IntegrityError:
            return 0
        connection.execute("COMMIT")
    return 1


@pytest.mark.slow
@pytest.mark.parametrize("locked", [True, False], ids=["with the file's lock", "without"])
def test_looking_before_the_transaction_overspends_unless_the_file_forbids_it(tmp_path, locked):
    """The race has power: it sees the overspending; and the trigger alone prevents it."""
    path = tmp_path / "a.ledger"
    create(path, budget=zcdp(1), id="x")
    barrier = get_context("fork").Barrier(8)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        if not locked:
            connection.execute("DROP TRIGGER entry_fits")

        won = race(lambda n: look_first_write_later(path, f"{n}", barrier), racers=8)

        problems = book_in(LedgerRows(connection, path)).check()
    assert sum(won) == (2 if locked else 8)
    assert [p for p in problems if "spends more than was left" in p] == problems
    assert len(problems) == (0 if locked else 6)
