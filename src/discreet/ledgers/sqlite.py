"""The file of a ledger: what a run and the budget's owner do with it, each verb one transaction.

Rules of this module:
- a write holds the lock from its first read on, and reads what the rules ask for, checked up to the
  head; it adds what no other process can have changed meanwhile;
- a charge is on the disk before `reserve` returns, a result before `settle` returns;
- a run reads no more of a long book than of a short one: the head, and the rows of its request.

Decision 76.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..errors import LedgerError
from ..privacy.loss import Loss
from . import anchors, refusal, rules
from .book import Book
from .entry import Entry, Fingerprint, loss_in, now, user
from .layout import READ_CHARGE
from .refusal import OF_KIND, Standing
from .rows import LedgerRows
from .rules import ChargeRequest, Head, Snapshot
from .sqlite_errors import is_unsure
from .store import Kept, transaction
from .units import loss_of_units
from .verifying import sound_book


@dataclass(frozen=True, slots=True)
class Charge:
    """What `reserve` paid, or the result that was paid for before.

    Args:
        seq: the number of the charge.
        hash: its hash; (seq, hash) is the head that the release carries.
        settled: the stored result of an earlier run of the same request; then nothing was charged.
        loss: what was charged, as it stands in the file; None where nothing was.
        spent, budget: the loss that stands spent with this charge, and the whole budget.
    """

    seq: int
    hash: str
    settled: Entry | None = None
    loss: Loss | None = None
    spent: Loss | None = None
    budget: Loss | None = None


@dataclass(frozen=True, slots=True)
class File:
    """A ledger's file, which several processes and threads may use at once.

    Args:
        path: the file.
        turn: of an owner's act that goes on from a copy that was put back; None where the file must
            go on from what anchors have seen.
    """

    path: Path
    turn: int | None = None
    _kept: Kept | None = field(default=None, repr=False, compare=False)

    @contextmanager
    def kept(self) -> Iterator["File"]:
        """Yield the same file, whose verbs have one connection to it, closed at the end."""
        kept = Kept()
        try:
            yield replace(self, _kept=kept)
        finally:
            kept.close()

    def head(self) -> Head:
        """Return the book at this moment, its last entries checked."""
        with self._rows(write=False) as rows:
            return rows.head()

    def snapshot(self, request: str) -> Snapshot:
        """Return what a run needs to know: the head, and all that the book holds of a request.

        Raises:
            LedgerError: the file is out of reach, or what was read of it is damaged or changed.
        """
        with self._rows(write=False) as rows:
            head, way, settled = rows.head(), rows.way(request), rows.settled(request)
            data = None if settled is None else rows.fingerprint(settled)
            if self._kept is not None:
                self._kept.remember(rows)
        return Snapshot(head, way, settled, data)

    def receipt(self, seq: int) -> tuple[Head, rules.Paid | None]:
        """Return the book at this moment, and one charge of it; None where there is no such."""
        with self._rows(write=False) as rows:
            return rows.head(), rows.paid(seq)

    def newest_charge(self, request: str) -> rules.Paid | None:
        """Return the newest charge of a request; None where it has none."""
        with self._rows(write=False) as rows:
            return next(rows.charges(request), None)

    def reserve(self, ask: ChargeRequest) -> Charge:
        """Charge a request durably, or return the result that it has already.

        An earlier charge of the same request that got no result is not used again: its noise may
        have been seen, and noise that is seen twice protects nobody. Both stay spent until the
        owner voids the earlier one.

        Raises:
            BudgetError: it does not fit into what is left.
            InputError: the request is known with another plan, or the loss does not convert.
            LedgerError: the file is out of reach, damaged or changed; it says whether the charge
                was written, and that it is not used where a commit failed.
        """
        ask, entry = replace(ask, who=ask.who or user(), when=now()), None
        try:
            with self._rows(write=True, goes_on=True) as rows:
                head, way = rows.head(), rows.way(ask.request)
                rules.refuse_other_plan(head, way, ask.plan)
                if (known := rows.settled(ask.request)) is not None:
                    return self._paid_before(rows, known)
                entry = rules.charge(head, way, ask)
                rows.write_entry(entry)
        except LedgerError as error:
            state = Standing("new")
            if entry is not None and is_unsure(error):
                state = self.standing(ask.token)
                state = Standing("unknown", entry.seq) if state.state == "unknown" else state
            raise refusal.not_charged(error, state, self.path) from error.__cause__
        budget = head.budget()
        spent = loss_of_units(entry.spent, budget)
        return Charge(entry.seq, entry.hash, loss=loss_in(entry.loss), spent=spent, budget=budget)

    def settle(self, charge: Charge, result: str, fingerprint: Fingerprint | None = None) -> Entry:
        """Store a charge's result durably, and return the entry whose text may leave.

        Where another process answered the same request in between, its entry is returned and
        nothing is stored: the first answer is the one, and the caller must hand out that text.

        Raises:
            BudgetError: the charge was voided in between; the answer may not leave.
            LedgerError: the file is out of reach, damaged or changed; the charge stays spent.
        """
        with self._rows(write=True) as rows:
            head, paid = rows.head(), rows.paid(charge.seq)
            if paid is None or paid.charge.hash != charge.hash:
                raise refusal.foreign(head.name, charge.seq)
            way = rows.way(paid.charge.request)
            if (known := rows.settled(way.request)) is not None:
                return known
            data = "" if fingerprint is None else fingerprint.commitment()
            notes = {"who": user(), "when": now(), "data": data}
            entry = rules.result(head, way, paid, text=result, **notes)
            rows.write_entry(entry, fingerprint)
        return entry

    def void(self, seqs: Sequence[int], *, reason: str, who: str) -> list[Entry]:
        """Void charges without a result, all or none. Only the budget's owner should do this."""
        entries, notes = [], {"reason": reason, "who": who, "when": now()}
        with self._rows(write=True) as rows:
            name = rows.head().name
            chosen = rules.chosen(name, seqs)
            for rest, seq in zip(reversed(range(len(chosen))), chosen, strict=True):
                paid = rows.paid(seq)
                if paid is None:
                    raise refusal.not_open(name, seq, None)
                way = rows.way(paid.charge.request)
                entries.append(rules.void(rows.head(), way, paid, rest=rest, **notes))
                rows.write_entry(entries[-1])
        return entries

    def book(self) -> Book:
        """Return the whole book, checked, as it stands now; its cost grows with the book."""
        with self._rows(write=False) as rows:
            return sound_book(rows)

    def entries(self, after: int = 0) -> list[Entry]:
        """Return the entries behind a number, with what they hold, each checked by its own hash."""
        with self._rows(write=False) as rows:
            return list(rows.entries(after))

    def fingerprint(self, result: Entry) -> Fingerprint | None:
        """Return the fingerprint of the data that a result was made of; None where none was kept.

        Raises:
            LedgerError: the file is out of reach, or the fingerprint was changed.
        """
        with self._rows(write=False) as rows:
            return rows.fingerprint(result)

    def standing(self, token: str, charged: int = 0) -> Standing:
        """Return where the charge with this token stands; what cannot be read is not known.

        It never raises. A second Ctrl-C breaks the look at the file off: then it is not known.

        Args:
            token: the charge's own.
            charged: its number, where it is known to be written.
        """
        if not token:
            return Standing("unseen" if charged else "unknown", charged)
        try:
            with transaction(self.path, write=False) as connection:
                row = connection.execute(READ_CHARGE, (token,)).fetchone()
        except BaseException:  # noqa: BLE001 - what went wrong first is what is told
            return Standing("unseen" if charged else "unknown", charged)
        if row is None:  # a file that lost a charge is another file, or an older one
            return Standing("unseen" if charged else "new", charged)
        return Standing(OF_KIND[row[1]], row[0])

    @contextmanager
    def _rows(self, *, write: bool, goes_on: bool = False) -> Iterator[LedgerRows]:
        """Yield the rows in one transaction; a write may go on from what its run has just read.

        Whether it does or not, what was read is old then, and forgotten.
        """
        with transaction(self.path, write=write, kept=self._kept) as connection:
            read = self._kept.recalled(connection) if write and self._kept is not None else None
            read = read if goes_on else None
            anchored, turn = self.turn is None, self.turn or 0
            rows = read or LedgerRows(connection, self.path, write, anchored, turn)
            if read is not None:  # its head was not looked up for a write
                anchors.newest(rows.header.id, writes=True, own=False)
            yield rows
            line = anchors.line_of(rows.head(), rows.turn) if rows.written else None
        if line is not None:
            anchors.note(line, self.path.name)

    def _paid_before(self, rows: LedgerRows, known: Entry) -> Charge:
        paid = rows.paid(known.refers or 0)
        if paid is None:
            raise rows.damage(f"entry {known.seq} answers no charge of its request")
        return Charge(paid.charge.seq, paid.charge.hash, known)
