"""The book in its file, within one transaction: a few rows of it, checked up to the head.

Rules of this module:
- the transaction on the connection is somebody else's (`store`);
- a row that is not exactly what discreet would write is damage, and so is a broken rule;
- a head is checked with the entries just before it, back to what an anchor has seen, each by its
  own hash, its link to the one before and its sums; a row that is looked up, by links that lead
  to it from the head;
- head and ways are looked up once; what is written moves them on;
- how much is read does not grow with the book, except by `entries`.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from ..errors import LedgerError, shown
from ..privacy.loss import Loss
from . import anchors, layout, rules, units
from . import layout as sql
from .entry import Entry, Fingerprint, Header, Purses, canonical, loss_in, text_hash
from .refusal import older_copy, unreadable
from .rules import Head
from .skip_list import Link, Way, before, link_to, way_to
from .sqlite_errors import damaged, never_released

CHECKED = 16  # entries before the head, at each open


@dataclass(slots=True)
class LedgerRows:
    """The rows of a ledger's file, within one transaction.

    Attributes:
        connection, path: the file.
        writes: whether an entry may follow, for which a required anchor must be within reach.
        anchored: whether it must go on from what anchors have seen of it.
        turn: how often a copy that was put back has gone on, as anchors know.
        written: whether an entry was written.
        header: of the book.
        budget: the whole budget.
        root: the hash of the header.
    """

    connection: sqlite3.Connection
    path: Path
    writes: bool = False
    anchored: bool = True
    turn: int = 0
    written: bool = field(default=False, init=False)
    header: Header = field(init=False)
    budget: Loss = field(init=False)
    root: str = field(init=False)
    _head: Head | None = field(default=None, init=False)
    _ways: dict[str, Way] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        answers = [
            self.connection.execute(query).fetchall() for query in (sql.READ_BOOK, sql.READ_CAPS)
        ]
        try:
            (row,), (cap,) = answers
            self.header, self.root, budget = _opened(*row, *cap)
        except (TypeError, ValueError) as error:
            raise self.damage("a row is not as discreet writes it") from error
        if self.header.carried or self.header.origin:
            raise never_released(self.path, "entries of another ledger")
        if budget is None:
            raise unreadable(shown(self.path.name))
        self.budget = budget

    def head(self) -> Head:
        """Return the book as it stands, checked with its last entries."""
        if self._head is not None:
            return self._head
        (last,) = self.connection.execute(sql.READ_LAST).fetchone()
        lines = anchors.newest(self.header.id, writes=self.writes) if self.anchored else []
        first = min([(last or 0) - CHECKED, *(line.seq for line in lines)])
        rows = self.connection.execute(sql.READ_ENTRIES, (first - 1,)).fetchall()
        entries = [self._entry(row) for row in rows]
        head = Head(self.header, None, self.path.name)
        if entries and entries[0].seq == 1:
            self._refuse_break(head, entries[0])
        for former, entry in pairwise(entries):
            self._refuse_break(head.plus(former), entry)
        if entries and entries[-1].rest:
            raise self.damage("the last entries did not come together")
        now = replace(head, last=entries[-1]) if entries else head
        held = {0: self.root, **{entry.seq: entry.hash for entry in entries}}
        for line in lines:
            if line.root != self.root or held.get(line.seq) != line.head:
                raise older_copy(now, line.seq, line.when, root=line.root == self.root)
        self._head, self.turn = now, max((line.turn for line in lines), default=self.turn)
        return now

    def entry(self, seq: int) -> Entry | None:
        """Return the entry of a number, checked by its own hash alone."""
        row = self.connection.execute(sql.READ_ENTRY, (seq,)).fetchone()
        return None if row is None else self._entry(row)

    def way(self, request: str) -> Way:
        """Return what the book holds of a request, checked from the head on."""
        if request not in self._ways:
            with self._following():
                self._ways[request] = way_to(request, self.head().last, self.linked)
        return self._ways[request]

    def linked(self, link: Link) -> Entry:
        """Return the entry that a link leads to."""
        entry = self.entry(link[0])
        if entry is None or link_to(entry) != link:
            raise self.damage(f"entry {link[0]} is not the one that later entries know")
        return entry

    def settled(self, request: str) -> Entry | None:
        """Return the result of a request, with its text, checked from the head on."""
        way = self.way(request)
        if way.latest is None or not way.latest.answered:
            return None
        node: Entry | None = way.latest
        while node is not None and node.seq > way.latest.answered:
            link = before(node)
            node = None if link is None else self.linked(link)
        if node is None or (node.seq, node.kind) != (way.latest.answered, "result"):
            raise self.damage(f"entry {way.latest.seq} names a result that is not there")
        return self.filled(node)

    def charges(self, request: str) -> Iterator[rules.Paid]:
        """Yield the charges of a request with what settles them, the newest first."""
        with self._following():
            yield from rules.charges(self.way(request), self.linked)

    def paid(self, seq: int) -> rules.Paid | None:
        """Return the charge of a number, checked from the head on; None where there is none."""
        charge = self.entry(seq)
        if charge is None or charge.kind != "charge":
            return None
        for paid in self.charges(charge.request):
            if paid.charge.seq == seq:
                return paid
        raise self.damage(f"entry {seq} is not the one that later entries know")

    def filled(self, entry: Entry) -> Entry:
        """Return an entry with its events and its answer, which must be those that it names."""
        events, answer = None, None
        try:
            if entry.kind == "charge":
                (text,) = self.connection.execute(sql.READ_EVENTS, (entry.seq,)).fetchone()
                events = layout.events_in(text)
            elif entry.kind == "result":
                paid = self.entry(entry.refers or 0)
                room = 0 if paid is None else paid.room
                body, more = self._body(entry.refers), self._body(entry.seq)
                answer = layout.answer_in(body, more, room)
        except (TypeError, ValueError) as error:
            raise self.damage("a row is not as discreet writes it") from error
        paid_hash = "" if events is None else text_hash(text)
        answer_hash = "" if answer is None else text_hash(answer)
        if (paid_hash, answer_hash) != (entry.paid, entry.answer):
            raise self.damage(f"entry {entry.seq} was answered, or priced, with another text")
        return replace(entry, events=events or [], result=answer)

    def fingerprint(self, entry: Entry) -> Fingerprint | None:
        """Return the fingerprint that came with a result, or None where none did.

        Raises:
            LedgerError: it is not the one that the entry commits to.
        """
        row = self.connection.execute(sql.READ_FINGERPRINT, (entry.seq,)).fetchone()
        kept = None if row is None else Fingerprint(*row)
        if entry.data != ("" if kept is None else kept.commitment()):
            raise self.damage("a fingerprint is not the one that its entry commits to")
        return kept

    def entries(self, after: int = 0) -> Iterator[Entry]:
        """Yield the entries behind a number with what they hold, each checked by its own hash."""
        for row in self.connection.execute(sql.READ_ENTRIES, (after,)):
            yield self.filled(self._entry(row))

    def damage(self, finding: str) -> LedgerError:
        """Return the error for a file whose content breaks the rules."""
        return damaged(self.path, finding)

    def write_entry(self, entry: Entry, data: Fingerprint | None = None) -> None:
        """Write the next entry with what it holds; a charge keeps the room of its answer."""
        row = layout.entry_row(entry, units.units_up(self.budget), self.cost(entry))
        self.connection.execute(sql.WRITE_ENTRY, row)
        self.connection.execute(sql.RENEW_WRITER, layout.WRITER_ROW)
        if entry.kind == "charge":
            self.connection.execute(sql.WRITE_EVENTS, (entry.seq, canonical(entry.events)))
            self.connection.execute(sql.KEEP_ROOM, (entry.seq, entry.room))
        elif entry.kind == "result":  # into the room of its charge; what does not fit follows
            charge = self.entry(entry.refers or 0)
            body, more = layout.bodies(entry.result or "", 0 if charge is None else charge.room)
            if body:
                with self.connection.blobopen("answer", "body", entry.refers or 0) as room:
                    room.write(body)
            if more:
                self.connection.execute(sql.WRITE_MORE, (entry.seq, more))
        if data is not None:
            texts = (data.nonce, data.print, data.key, data.gate)
            self.connection.execute(sql.WRITE_FINGERPRINT, (entry.seq, *texts))
        self._head, self._ways = Head(self.header, entry, self.path.name), {}
        self.written = True

    @contextmanager
    def _following(self) -> Iterator[None]:
        try:
            yield
        except (ValueError, IndexError) as error:
            raise self.damage("a link of an entry leads nowhere") from error

    def _body(self, seq: int | None) -> object:
        row = self.connection.execute(sql.READ_BODY, (seq,)).fetchone()
        return None if row is None else row[0]

    def _entry(self, row: tuple[object, ...]) -> Entry:
        try:
            settled = self._settled(row[1]) if row[2] == "void" else units.NOTHING
            entry = _sound(self.root, self.budget, settled, *row)
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            raise self.damage("a row is not as discreet writes it") from error
        if entry is None:
            raise self.damage(f"entry {row[0]} was changed: its hash does not match its content")
        return entry

    def cost(self, entry: Entry) -> Purses:
        """Return what an entry adds to what stands spent, or takes from it."""
        settled = self._settled(entry.refers) if entry.kind == "void" else units.NOTHING
        return layout.cost_of(entry, self.budget, settled)

    def _settled(self, refers: object) -> Purses:
        """Return what the charge cost that a void takes back."""
        row = self.connection.execute(sql.READ_ENTRY, (refers,)).fetchone()
        return (
            self.cost(self._entry(row)) if row is not None and row[2] == "charge" else units.NOTHING
        )

    def _refuse_break(self, head: Head, entry: Entry) -> None:
        """Raise LedgerError unless an entry follows from the one before it, with its sums."""
        charges, voids, open_ = head.counts()
        charged, voided = entry.kind == "charge", entry.kind == "void"
        counts = charges + charged, voids + voided, open_ + (1 if charged else -1)
        if (entry.seq, entry.previous) != (head.seq + 1, head.hash):
            raise self.damage(f"entry {entry.seq} does not follow from the entry before it")
        if (entry.charges, entry.voids, entry.open) != counts:
            raise self.damage(f"entry {entry.seq} counts other charges than there are")
        if entry.spent != rules.spent_after(head.units, entry.kind, self.cost(entry)):
            raise self.damage(f"entry {entry.seq} says that another amount stands spent")


@lru_cache(maxsize=64, typed=True)
def _opened(*cells: object) -> tuple[Header, str, Loss | None]:
    """Return the header of a row and of its cap, its hash, and its budget, or None if that is odd.

    It follows from the cells and their types alone, as in `_sound`; raises on odd rows.
    """
    header = layout.header_of(cells[: -layout.CAP])
    if cells != (*layout.header_row(header), *layout.cap_row(header)):
        raise ValueError("another row")
    budget = loss_in(header.budget)
    whole = budget is not None and units.is_whole(budget)
    return header, header.hash(), budget if whole else None


@lru_cache(maxsize=1024, typed=True)
def _sound(root: str, budget: Loss, settled: Purses, *row: object) -> Entry | None:
    """Return the entry of a row, or None where its hash is not its own; raises on odd rows.

    It follows from the row alone: a row that was checked in this process, to the last cell and
    its type, need not be taken apart again.
    """
    entry = layout.entry_of(row, root)
    cost = layout.cost_of(entry, budget, settled)
    if row != layout.entry_row(entry, units.units_up(budget), cost):
        raise ValueError("another row")
    return entry if entry.hash == entry.digest() else None
