"""A ledger: the verbs of a run and of the budget's owner, over a keeper that is one file.

Rules of this module:
- a charge is on the disk before `reserve` returns, a result before `settle` returns;
- a run reads no more of a long book than of a short one: the head, and the rows of its request.

What it cannot see from the file alone: that the whole file was put back to an older copy. So each
release carries the `head` it was charged at, and `verify(seen=...)` compares.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ..calls import checked_methods
from ..errors import InputError, LedgerError, shown
from ..fix import Fix
from ..privacy.loss import Loss
from ..text import Sheet, prompt
from . import refusal, rows, units
from .book import Book, Entry, Event, Header, Seen
from .entry import State, checked_text, loss_in
from .fingerprint import Fingerprint
from .head import ChargeRequest, Snapshot
from .kept import Kept
from .layout import cap_row, header_row
from .notes import now, user
from .show import sheet_of
from .spare import spare
from .sqlite import SqliteKeeper, UnsureError
from .statements import WRITE_BOOK, WRITE_CAP
from .states import Standing, standing_of
from .store import creation, transaction
from .verifying import faults_of_file


@dataclass(frozen=True, slots=True)
class Charge:
    """What `reserve` paid, or the result that was paid for before.

    Args:
        seq: the number of the charge.
        hash: its hash; (seq, hash) is the head that the release carries.
        settled: the stored result of an earlier run of the same request; then nothing was charged.
        loss: what was charged, as it stands in the file; None where nothing was.
    """

    seq: int
    hash: str
    settled: Entry | None = None
    loss: Loss | None = None


@checked_methods("ledger")
@dataclass(frozen=True, slots=True)
class Ledger:
    """A ledger file; made by `create`, opened by `open_ledger`."""

    path: Path
    _kept: Kept | None = field(default=None, repr=False, compare=False)

    @property
    def keeper(self) -> SqliteKeeper:
        """Who keeps the book: this file."""
        return SqliteKeeper(self.path, self._kept)

    @contextmanager
    def kept(self) -> Iterator["Ledger"]:
        """Yield the same ledger, whose verbs have one connection to the file, closed at the end."""
        kept = Kept()
        try:
            yield Ledger(self.path, kept)
        finally:
            kept.close()

    def snapshot(self, request: str) -> Snapshot:
        """Return what a run needs to know: the head, and what the book holds of a request.

        Raises:
            LedgerError: the file is out of reach, or what was read of it is damaged or changed.
        """
        return self.keeper.snapshot(request)

    def last_charge(self, request: str) -> tuple[int, State]:
        """Return the number and the state of the newest charge of a request; 0 where none is."""
        return self.keeper.last_charge(request)

    def book(self) -> Book:
        """Return the whole book, checked, as it stands now; its cost grows with the book.

        Raises:
            LedgerError: the file is out of reach, damaged or changed.
        """
        with transaction(self.path, write=False) as connection:
            return rows.sound_book(connection, self.path)

    def sheet(self) -> Sheet:
        """Return the book as a table for people."""
        return sheet_of(self.book(), self.path)

    def __str__(self) -> str:
        return self.sheet().text()

    def __repr__(self) -> str:
        return prompt("Ledger", self.path.name)

    def _repr_html_(self) -> str:
        return self.sheet().html()

    def left(self) -> Loss:
        """Return what a next charge may cost."""
        return self.keeper.head().left()

    def spent(self) -> Loss:
        """Return the loss of all charges that were not voided."""
        return self.keeper.head().spent()

    def head(self) -> Seen:
        """Return the last entry's seq and hash."""
        head = self.keeper.head()
        return head.seq, head.hash

    def spare(self, room: int) -> AbstractContextManager[Callable[[], None]]:
        """Hold the room that storing an answer of so many bytes needs, until it is freed.

        Raises:
            LedgerError: there is not so much; nothing was charged.
        """
        return spare(self.path, room)

    def reserve(  # noqa: PLR0913 - a line of the book, each part by its name
        self,
        *,
        request: str,
        plan: str,
        loss: Loss,
        events: Sequence[Event],
        who: str | None = None,
        why: str = "",
        fix: Fix | None = None,
        token: str = "",
        room: int = 0,
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
            token: a random text of the run's own, by which `standing` finds the charge.
            room: how many bytes to keep free in the file for the answer.

        Raises:
            BudgetError: it does not fit into what is left.
            InputError: the request is known with another plan, or the loss does not convert.
            LedgerError: the file is out of reach, damaged or changed; it says whether the charge
                was written, and that it is not used where a commit failed.
        """
        asked = who or user(), why, now(), fix, token, room
        try:
            paid = self.keeper.charge(ChargeRequest(request, plan, loss, events, *asked))
        except LedgerError as error:
            written = Standing("new")
            if isinstance(error, UnsureError):
                written = self.standing(token)
                if written.state == "unknown":
                    written = Standing("unknown", error.seq)
            raise refusal.not_charged(error, written, self.path) from error.__cause__
        charge = paid.charge
        if paid.settled is not None:
            return Charge(charge.seq, charge.hash, paid.settled)
        return Charge(charge.seq, charge.hash, loss=loss_in(charge.loss))

    def standing(self, token: str, charged: int = 0) -> Standing:
        """Return where the charge with this token stands; what cannot be read is not known.

        Args:
            token: the charge's own.
            charged: its number, where it is known to be written.
        """
        return standing_of(self.path, token, charged)

    def settle(self, charge: Charge, result: str, fingerprint: Fingerprint | None = None) -> Entry:
        """Store a charge's result durably, and return the entry whose text may leave.

        Where another process answered the same request in between, its entry is returned and
        nothing is stored: the first answer is the one, and the caller must hand out that text.

        Raises:
            BudgetError: the charge was voided in between; the answer may not leave.
            LedgerError: the file is out of reach, damaged or changed; the charge stays spent.
        """
        return self.keeper.store(
            charge.seq, charge.hash, result, who=user(), when=now(), data=fingerprint
        )

    def fingerprint(self, result: Entry) -> Fingerprint | None:
        """Return the fingerprint of the data that a result was made of; None where none was kept.

        Raises:
            LedgerError: the file is out of reach, or the fingerprint was changed.
        """
        with transaction(self.path, write=False) as connection:
            return rows.LedgerRows(connection, self.path).fingerprint(result)

    def void(self, *seqs: int, reason: str, who: str | None = None) -> list[Entry]:
        """Take back charges without a result, all or none; only the budget's owner should.

        Raises:
            InputError: there is no such open charge, or the reason is empty.
            BudgetError: it was voided before.
            LedgerError: the file is out of reach, damaged or changed.
        """
        return self.keeper.void(seqs, reason=reason, who=who or user(), when=now())

    def verify(self, seen: Sequence[Seen] = ()) -> list[str]:
        """Return everything that is wrong with the ledger, as sentences; none if it is sound.

        Finds every single changed byte of the file (below 250 MB: see `check`).

        Args:
            seen: heads that releases carry.

        Raises:
            LedgerError: the file is missing, locked or may not be read.
        """
        return faults_of_file(self.path, seen)


def create(
    path: str | Path,
    *,
    budget: Loss,
    subject: str = "",
    id: str,  # noqa: A002
    promise: Loss | None = None,
) -> Ledger:
    """Make a new ledger file that only its owner can read, and return it.

    Args:
        path: where; there must be no such file.
        budget: all that may ever be lost.
        subject: the declared name of the data set that the budget protects.
        id: a random text that tells this ledger from every other.
        promise: the (epsilon, delta) that a budget of three purses keeps.

    Raises:
        LedgerError: there is such a file already, or it cannot be made.
        InputError: the id is empty, or the budget cannot be kept exactly.
    """
    if loss_in(budget.plain()) is None:
        raise refusal.unwritable(Path(path).name)
    if not units.is_whole(budget):
        raise refusal.not_whole(Path(path).name, budget)
    if not id:
        raise InputError(
            "a ledger needs an id.",
            why="releases name the ledger that paid for them",
            fix="give it a random text as its id",
        )
    ledger = Ledger(Path(path))
    names = checked_text(id, "id"), checked_text(subject, "subject")
    told = {} if promise is None else {n: t for n, t in promise.plain().items() if n != "kind"}
    header = Header(names[0], now(), {**budget.plain(), **told}, names[1])
    with creation(ledger.path) as connection:
        connection.execute(WRITE_BOOK, header_row(header))
        connection.execute(WRITE_CAP, cap_row(header))
    return ledger


def open_ledger(path: str | Path, *, subject: str | None = None) -> Ledger:
    """Open a ledger, and check that it can be read and that its last entries are sound.

    Args:
        path: where.
        subject: the name of the data set at hand, where the caller knows it.

    Raises:
        LedgerError: it is missing, of another kind, newer, locked, damaged, or protects other data.
    """
    ledger = Ledger(Path(path))
    header = ledger.keeper.head().header
    if subject is not None and header.subject not in ("", subject):
        raise LedgerError(
            f"{shown(ledger.path.name)} protects {shown(header.subject)}, not {shown(subject)}.",
            why="a budget belongs to the people in one data set",
            fix=f"open the ledger of {shown(subject)}, or name the data set as the ledger does",
        )
    return ledger
