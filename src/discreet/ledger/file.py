# long: one class, whose verbs share a transaction
"""The file that keeps the book: several processes and threads may use it at once.

Rules of this module:
- every call is one transaction; a write reads the whole book, checks it, and refuses a broken one;
- a charge is on the disk before `reserve` returns, a result before `settle` returns;
- the clock and the user's name are notes for people: no rule depends on them.

What it cannot see from the file alone: that the whole file was put back to an older copy. So each
release carries the `head` it was charged at, and `verify(seen=...)` compares.
"""

import os
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ..errors import InputError, LedgerError, shown
from ..privacy.loss import AnyLoss
from ..text import Sheet, prompt
from . import refusal
from .book import Book, Entry, Event, Head, Header
from .check import Marks, faults_of_image, last_writer
from .entry import checked_text, loss_in
from .layout import (
    APPLICATION,
    READ_ENTRIES,
    READ_HEADER,
    RENEW_WRITER,
    STATEMENTS,
    WRITE_ENTRY,
    WRITE_HEADER,
    entry_of,
    entry_row,
    header_of,
    header_row,
    tables,
    writer_row,
)
from .show import sheet_of
from .store import creation, damaged, is_damage, transaction


def now() -> str:
    """Return the time as the ledger notes it: ISO 8601, UTC, seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def user() -> str:
    """Return the login name of whoever runs this process, or "unknown"."""
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):
        return os.environ.get("USERNAME") or os.environ.get("USER") or "unknown"


@dataclass(frozen=True, slots=True)
class Charge:
    """What `reserve` paid, or the result that was paid for before.

    Args:
        seq: the number of the charge.
        hash: its hash; (seq, hash) is the head that the release carries.
        settled: the stored result of an earlier run of the same request; then nothing was charged.
    """

    seq: int
    hash: str
    settled: Entry | None = None


@dataclass(frozen=True, slots=True)
class Ledger:
    """A ledger file; made by `create`, opened by `open_ledger`."""

    path: Path

    def book(self) -> Book:
        """Return the whole book, checked, as it stands now.

        Raises:
            LedgerError: the file is out of reach, damaged or changed.
        """
        with transaction(self.path, write=False) as connection:
            return _sound_book(connection, self.path)

    def sheet(self) -> Sheet:
        """Return the book as a table for people."""
        return sheet_of(self.book(), self.path)

    def __str__(self) -> str:
        return self.sheet().text()

    def __repr__(self) -> str:
        return prompt("Ledger", self.path.name)

    def _repr_html_(self) -> str:
        return self.sheet().html()

    def left(self) -> AnyLoss:
        """Return what a next charge may cost."""
        return self.book().left()

    def spent(self) -> AnyLoss:
        """Return the loss of all charges that were not voided."""
        return self.book().spent()

    def head(self) -> Head:
        """Return the last entry's seq and hash."""
        return self.book().head()

    def reserve(
        self,
        *,
        request: str,
        plan: str,
        loss: AnyLoss,
        events: Sequence[Event],
        who: str | None = None,
        why: str = "",
        fix: str | None = None,
    ) -> Charge:
        """Charge a request durably, or return the result that it has already.

        An earlier charge of the same request that got no result is not used again: its noise may
        have been seen, and noise that is seen twice protects nobody. Both stay spent until the
        owner voids the earlier one.

        Args:
            request: the id of the request; a repeat under the same id is the same answer.
            plan: the digest of the canonical plan, hex.
            loss: what it costs.
            events: the mechanisms and their exact parameters as plain data.
            who: who asks; the login name if not given.
            why: the purpose, free text.
            fix: what to suggest where it does not fit, such as the nearest plan that does.

        Raises:
            BudgetError: it does not fit into what is left.
            InputError: the request is known with another plan, or the loss does not convert.
            LedgerError: the file is out of reach, damaged or changed; nothing was written.
        """
        with transaction(self.path, write=True) as connection:
            book = _sound_book(connection, self.path)
            book.refuse_other_plan(request, plan)
            known = book.settled(request)
            if known is not None and known.refers is not None:
                charge = book.entries[known.refers - 1]
                return Charge(charge.seq, charge.hash, known)
            names = {"request": request, "plan": plan, "who": who or user(), "why": why}
            entry = book.charge(**names, loss=loss, events=events, when=now(), fix=fix)
            _write(connection, book, entry)
        return Charge(entry.seq, entry.hash)

    def settle(self, charge: Charge, result: str) -> Entry:
        """Store a charge's result durably, and return the entry whose text may leave.

        Where another process answered the same request in between, its entry is returned and
        nothing is stored: the first answer is the one, and the caller must hand out that text.

        Raises:
            BudgetError: the charge was voided in between; the answer may not leave.
            LedgerError: the file is out of reach, damaged or changed; the charge stays spent.
        """
        with transaction(self.path, write=True) as connection:
            book = _sound_book(connection, self.path)
            paid = book.entries[charge.seq - 1] if 0 < charge.seq <= len(book.entries) else None
            if paid is None or paid.hash != charge.hash:
                raise refusal.foreign(shown(self.path.name), charge.seq)
            known = book.settled(paid.request)
            if known is not None:
                return known
            entry = book.result(seq=charge.seq, text=result, who=user(), when=now())
            _write(connection, book, entry)
        return entry

    def void(self, seq: int, *, reason: str, who: str | None = None) -> Entry:
        """Take back a charge without a result; only the budget's owner should.

        Raises:
            InputError: there is no such open charge, or the reason is empty.
            BudgetError: it was voided before.
            LedgerError: the file is out of reach, damaged or changed; nothing was written.
        """
        with transaction(self.path, write=True) as connection:
            book = _sound_book(connection, self.path)
            entry = book.void(seq=seq, reason=reason, who=who or user(), when=now())
            _write(connection, book, entry)
        return entry

    def verify(self, seen: Sequence[Head] = ()) -> list[str]:
        """Return everything that is wrong with the ledger, as sentences; none if it is sound.

        Finds every single changed byte of the file (below 250 MB: see `check`).

        Args:
            seen: heads that releases carry.

        Raises:
            LedgerError: the file is missing, locked or may not be read.
        """
        try:
            with transaction(self.path, write=False) as connection:
                rows = connection.execute("PRAGMA integrity_check(9)").fetchall()
                problems = [f"SQLite finds: {text}" for (text,) in rows if text != "ok"]
                book = _book(connection, self.path)
                image = connection.serialize()
        except LedgerError as error:
            if not is_damage(error):
                raise
            return [f"{error.what} {error.why}"]
        problems += book.check() + book.missing(seen)
        marks = Marks(APPLICATION, book.header.format, len(STATEMENTS), 1 + len(book.entries))
        try:
            expected = tables(book.header, book.entries, last_writer(image))
        except ValueError as error:
            return [*problems, f"an entry cannot be written again: {type(error).__name__}"]
        problems += faults_of_image(image, marks, expected)
        if len(image) != self.path.stat().st_size:
            problems.append("the file is longer or shorter than its pages")
        return problems


def create(path: str | Path, *, budget: AnyLoss, subject: str = "", id: str) -> Ledger:  # noqa: A002
    """Make a new ledger file that only its owner can read, and return it.

    Args:
        path: where; there must be no such file.
        budget: all that may ever be lost.
        subject: the declared name of the data set that the budget protects.
        id: a random text that tells this ledger from every other.

    Raises:
        LedgerError: there is such a file already, or it cannot be made.
        InputError: the id is empty, or the budget cannot be kept exactly.
    """
    if loss_in(budget.plain()) is None:
        raise refusal.unwritable(Path(path).name)
    if not id:
        raise InputError(
            "a ledger needs an id.",
            why="releases name the ledger that paid for them",
            fix="pass id= with a random text",
        )
    ledger = Ledger(Path(path))
    names = checked_text(id, "id"), checked_text(subject, "subject")
    header = Header(names[0], now(), budget.plain(), names[1])
    with creation(ledger.path) as connection:
        connection.execute(WRITE_HEADER, header_row(header))
    return ledger


def open_ledger(path: str | Path, *, subject: str | None = None) -> Ledger:
    """Open a ledger, and check that it can be read and that its book is sound.

    Args:
        path: where.
        subject: the name of the data set at hand, where the caller knows it.

    Raises:
        LedgerError: it is missing, of another kind, newer, locked, damaged, or protects other data.
    """
    ledger = Ledger(Path(path))
    header = ledger.book().header
    if subject is not None and header.subject not in ("", subject):
        raise LedgerError(
            f"{shown(ledger.path.name)} protects {shown(header.subject)}, not {shown(subject)}.",
            why="a budget belongs to the people in one data set",
            fix=f"open the ledger of {shown(subject)}, or name the data set as the ledger does",
        )
    return ledger


def _sound_book(connection: sqlite3.Connection, path: Path) -> Book:
    book = _book(connection, path)
    if problems := book.check():
        raise damaged(path, problems[0])
    return book


def _book(connection: sqlite3.Connection, path: Path) -> Book:
    """Read the book, and refuse rows that are not exactly what its entries would be written as."""
    headers = connection.execute(READ_HEADER).fetchall()
    rows = connection.execute(READ_ENTRIES).fetchall()
    try:
        header, *more = (header_of(row) for row in headers)
        entries = tuple(entry_of(row) for row in rows)
        book = Book(header, entries, shown(path.name))
        budget = book.budget()
        same = rows == [entry_row(entry, budget) for entry in entries]
        if more or headers != [header_row(header)] or not same:
            raise damaged(path, "a row is not as discreet writes it")
    except (TypeError, ValueError) as error:
        raise damaged(path, "a row is not as discreet writes it") from error
    return book


def _write(connection: sqlite3.Connection, book: Book, entry: Entry) -> None:
    connection.execute(WRITE_ENTRY, entry_row(entry, book.budget()))
    connection.execute(RENEW_WRITER, writer_row())
