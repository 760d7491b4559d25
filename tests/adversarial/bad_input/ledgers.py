"""Ledgers that cannot pay: each is refused, and stays as it is to the byte."""

import os
import sqlite3
from pathlib import Path

import discreet as dp
from discreet.errors import BudgetError, LedgerError

from .world import BUDGET, LEDGER, Refused


def emptied():
    Path(LEDGER).write_bytes(b"")


def replaced(content):
    return lambda: Path(LEDGER).write_bytes(content)


def another(**how):
    def make():
        os.remove(LEDGER)
        dp.ledger(LEDGER, **how)

    return make


def other_database():
    os.remove(LEDGER)
    connection = sqlite3.connect(LEDGER)
    connection.execute("CREATE TABLE zebrafish (note TEXT)")
    connection.commit()
    connection.close()


def richer():
    """One digit of the budget becomes another."""
    raw, budget = Path(LEDGER).read_bytes(), str(BUDGET).encode()
    assert raw.count(budget) == 1
    Path(LEDGER).write_bytes(raw.replace(budget, b"9" + budget[1:]))


def cut_off():
    os.truncate(LEDGER, Path(LEDGER).stat().st_size // 2)


def folder():
    os.remove(LEDGER)
    os.mkdir(LEDGER)


def written(statement):
    """Another program writes into the ledger."""

    def make():
        connection = sqlite3.connect(LEDGER)
        connection.execute(statement)
        connection.commit()
        connection.close()

    return make


def no(make, what, error=LedgerError):
    return make, Refused(error, what)


# fmt: off
CASES = {
    "no ledger": no(lambda: os.remove(LEDGER), "^there is no ledger"),
    "empty ledger": no(emptied, "^people.ledger is empty"),
    "text for a ledger": no(replaced(b"person,ward\n" * 99), "^people.ledger "),
    "zero bytes for a ledger": no(replaced(bytes(8192)), "^people.ledger "),
    "another program's database": no(other_database, "^people.ledger is not a ledger"),
    "folder for a ledger": no(folder, "^people.ledger is not an ordinary file|^there is no ledger"),
    "ledger cut off": no(cut_off, "^people.ledger is damaged or was changed"),
    "one digit of the budget changed": no(richer, "^people.ledger is damaged or was changed"),
    "ledger of a newer version": no(written("PRAGMA user_version = 99"), "^people.ledger has format 99"),
    "ledger with another journal": no(written("PRAGMA journal_mode = WAL"), "^people.ledger was switched"),
    "a stranger's table in the ledger": no(written("CREATE TABLE notes (note TEXT)"), "^people.ledger is damaged"),
    "ledger with two names": no(lambda: os.link(LEDGER, "copy"), "^people.ledger has another name"),
    "link to a ledger that is gone": no(lambda: (os.remove(LEDGER), os.symlink("gone", LEDGER)), "ledger"),
    "ledger of another data set": no(another(budget=dp.pure(9), subject="cars.csv"), "protects cars.csv"),
    "ledger with too little left": no(another(budget=dp.pure("1/3")), "^this plan costs epsilon = 1, but only", BudgetError),
    "ledger of no budget": no(another(budget=dp.pure(0)), "^this plan costs epsilon = 1, but only 0", BudgetError),
}
# fmt: on
