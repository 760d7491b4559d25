"""The keeper whose place is one SQLite file, which several processes and threads may use at once.

Rules of this module:
- every verb is one transaction; a write holds the lock from its first read on, and reads what the
  rules ask for, checked up to the head;
- what it returns is on the disk.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from ..errors import LedgerError, shown
from . import refusal, rules
from .entry import Entry, State
from .fingerprint import Fingerprint
from .head import ChargeRequest, Head, Snapshot
from .keeper import Paid
from .kept import Kept
from .links import Way
from .rows import LedgerRows, write_charge, write_entry, write_result
from .store import transaction
from .trouble import is_unsure


class UnsureError(LedgerError):
    """The commit of a charge failed, so that only the file can tell whether it was written."""

    seq = 0


@dataclass(frozen=True, slots=True)
class SqliteKeeper:
    """A ledger's file, as the keeper of its book."""

    path: Path
    kept: Kept | None = None

    def head(self) -> Head:
        """Return the book at this moment, its last entries checked."""
        with self._transaction(write=False) as connection:
            return LedgerRows(connection, self.path).head()

    def snapshot(self, request: str) -> Snapshot:
        """Return the head, and all that the book holds of one request."""
        with self._transaction(write=False) as connection:
            rows = LedgerRows(connection, self.path)
            head = rows.head()
            way = rows.way(head, request)
            settled = rows.settled(way)
            found = None if settled is None else rows.fingerprint(settled)
            if self.kept is not None:
                self.kept.remember(rows, head, way)
        return Snapshot(head, way, settled, found)

    def last_charge(self, request: str) -> tuple[int, State]:
        """Return the number and the state of the newest charge of a request; 0 where none is."""
        with self._transaction(write=False) as connection:
            rows = LedgerRows(connection, self.path)
            node, settles = rows.way(rows.head(), request).latest, dict[int, Entry]()
            while node is not None and node.kind != "charge":
                settles[node.refers or 0] = node
                node = rows.before(node)
        return (0, "open") if node is None else (node.seq, rules.state_of(settles.get(node.seq)))

    def charge(self, ask: ChargeRequest) -> Paid:
        """Charge a request, or find the result that it has."""
        entry = None
        try:
            with self._transaction(write=True) as connection:
                rows, head, way = self._read(connection, ask.request)
                rules.refuse_other_plan(head, way, ask.plan)
                known = rows.settled(way)
                if known is not None:
                    return Paid(self._paid_for(rows, way, known), known)
                entry = rules.charge(head, way, ask)
                write_charge(rows, entry)
        except LedgerError as error:
            if entry is None or not is_unsure(error):
                raise
            unsure = UnsureError(error.what, why=error.why, fix=error.fix)
            unsure.seq = entry.seq
            raise unsure from error.__cause__
        return Paid(entry)

    def store(
        self, seq: int, digest: str, text: str, *, who: str, when: str, data: Fingerprint | None
    ) -> Entry:
        """Store the result of a charge, and return the result that its request has now."""
        with self._transaction(write=True) as connection:
            rows = LedgerRows(connection, self.path)
            head, paid = rows.head(), rows.entry(seq)
            if paid is None or paid.hash != digest or paid.kind != "charge":
                raise refusal.foreign(shown(self.path.name), seq)
            way = rows.way(head, paid.request)
            known = rows.settled(way)
            if known is not None:
                return known
            said = "" if data is None else data.commitment()
            state = self._state(rows, way, seq)
            entry = rules.result(
                head, way, paid, state=state, text=text, who=who, when=when, data=said
            )
            write_result(rows, entry, paid.room, data)
        return entry

    def void(self, seqs: Sequence[int], *, reason: str, who: str, when: str) -> list[Entry]:
        """Take back charges without a result, all or none."""
        entries: list[Entry] = []
        with self._transaction(write=True) as connection:
            rows = LedgerRows(connection, self.path)
            head = rows.head()
            chosen = rules.chosen(head.name, seqs)
            for rest, seq in zip(reversed(range(len(chosen))), chosen, strict=True):
                paid = rows.entry(seq)
                if paid is None or paid.kind != "charge":
                    raise refusal.not_open(head.name, seq, None)
                way = rows.way(head, paid.request)
                state = self._state(rows, way, seq)
                entry = rules.void(
                    head, way, paid, state=state, reason=reason, who=who, when=when, rest=rest
                )
                write_entry(rows, entry)
                head = head.plus(entry)
                entries.append(entry)
        return entries

    def entries(self, after: int = 0) -> Iterator[Entry]:
        """Yield the entries behind a number, with what they hold, each checked by its own hash."""
        with self._transaction(write=False) as connection:
            found = list(LedgerRows(connection, self.path).entries(after))
        yield from found

    def _transaction(self, *, write: bool) -> AbstractContextManager[sqlite3.Connection]:
        return transaction(self.path, write=write, kept=self.kept)

    def _read(self, connection: sqlite3.Connection, request: str) -> tuple[LedgerRows, Head, Way]:
        """Return the checked head and the way to a request; this run may have read them before."""
        known = None if self.kept is None else self.kept.recalled(connection, request)
        if known is not None:
            return known
        rows = LedgerRows(connection, self.path)
        head = rows.head()
        return rows, head, rows.way(head, request)

    def _state(self, rows: LedgerRows, way: Way, seq: int) -> State:
        found = rows.charged(way, seq)
        if found is None:
            raise rows.damage(f"entry {seq} is not the one that later entries know")
        return rules.state_of(found[1])

    def _paid_for(self, rows: LedgerRows, way: Way, known: Entry) -> Entry:
        found = rows.charged(way, known.refers or 0)
        if found is None:
            raise rows.damage(f"entry {known.seq} answers no charge of its request")
        return found[0]
