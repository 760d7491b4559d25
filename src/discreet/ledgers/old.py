"""Ledgers of the first layout: read, checked and taken over into the present one.

Rules of this module:
- the old file is read and never written; every entry of it comes over, with its time, its names,
  its events and its answer, under the same number, and says which hash it had;
- what a charge has cost is rounded up to whole units, the budget down: what is left can become less
  by it, never more, and what was spent stays spent even where it is a hair above the budget;
- a file whose chain is broken, or that breaks a rule of the book, is not taken over.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from ..privacy.loss import Loss
from . import layout, rules, units
from .book import Book
from .entry import Entry, Event, Header, canonical, loss_in, text_hash
from .fingerprint import Fingerprint
from .head import Head
from .links import Link, way_to
from .refusal import unreadable
from .rows import LedgerRows, write_charge, write_entry, write_result
from .statements import READ_FINGERPRINTS, WRITE_BOOK, WRITE_CAP
from .store import OLD, creation, transaction
from .trouble import damaged

_READ_HEADER = "SELECT format, id, created, budget, subject, hash FROM header"
_READ_ENTRIES = (
    "SELECT seq, at, who, why, kind, request, plan, loss, events, refers, previous, hash, token, "
    "room, data, rest, "
    "CASE kind WHEN 'result' THEN (SELECT body FROM room WHERE room.seq = entry.refers) END, "
    "CASE kind WHEN 'result' THEN (SELECT body FROM room WHERE room.seq = entry.seq) END "
    "FROM entry ORDER BY seq"
)
_HASHED = (
    *("seq", "when", "who", "why", "kind", "request", "plan", "loss", "events", "result"),
    *("refers", "previous", "token", "room", "data", "rest"),
)


@dataclass(frozen=True, slots=True)
class OldBook:
    """A ledger of the first layout.

    Args:
        header: its header, as this version writes it; the budget is the old one.
        entries: with the hashes that they had there.
        fingerprints: by the seq of the result.
    """

    header: Header
    entries: tuple[Entry, ...]
    fingerprints: dict[int, Fingerprint]


def migrated(old: Path, new: Path) -> Book:
    """Take over a ledger of the first layout into a new file, and return its book.

    Raises:
        LedgerError: the old file is missing, damaged or of another layout, or the new one exists.
    """
    with transaction(old, write=False, layout=OLD) as connection:
        found = _read(connection, old)
    book = taken_over(found)
    if problems := book.check():
        raise damaged(old, problems[0])
    with creation(new) as connection:
        connection.execute(WRITE_BOOK, layout.header_row(book.header))
        connection.execute(WRITE_CAP, layout.cap_row(book.header))
        rows = LedgerRows(connection, new)
        for entry in book.entries:
            _write(rows, book, entry, found.fingerprints.get(entry.seq))
    return book


def taken_over(old: OldBook) -> Book:
    """Return the book of a ledger of the first layout, with the rules of this one."""
    last = old.entries[-1].hash if old.entries else ""
    budget = _rounded_down(old.header)
    header = replace(old.header, budget=budget.plain(), carried=len(old.entries), origin=last)
    entries: list[Entry] = []

    def fetch(link: Link) -> Entry:
        return entries[link[0] - 1]

    for line in old.entries:
        head = Head(header, entries[-1] if entries else None)
        way = way_to(line.request, head.last, fetch)
        settled = entries[line.refers - 1] if line.refers and line.refers <= len(entries) else line
        cost = rules.cost_of(head, settled) if line.kind != "result" else units.NOTHING
        entries.append(rules.placed(head, way, replace(line, was=line.hash), cost))
    return Book(header, tuple(entries))


def _rounded_down(header: Header) -> Loss:
    budget = loss_in(header.budget)
    if budget is None:
        raise unreadable("this ledger")
    numbers = {name: text for name, text in budget.plain().items() if name != "kind"}
    whole = {
        name: str(Fraction(Fraction(text) * units.UNIT // 1, units.UNIT))
        for name, text in numbers.items()
    }
    return loss_in({"kind": budget.kind, **whole}) or budget


def _read(connection: sqlite3.Connection, path: Path) -> OldBook:
    """Return an old book whose chain is whole."""
    try:
        (row,) = connection.execute(_READ_HEADER).fetchall()
        number, name, created, budget, subject, root = row
        plain = {"id": name, "created": created, "subject": subject, "format": number}
        plain["budget"] = layout.parsed(budget)
        header = Header(name, created, plain["budget"], subject)
        rows = connection.execute(_READ_ENTRIES).fetchall()
        rooms = {row[0]: row[13] for row in rows}
        entries = tuple(_entry(row, rooms.get(row[9], 0)) for row in rows)
        kept = connection.execute(READ_FINGERPRINTS).fetchall()
        fingerprints = {seq: Fingerprint(*texts) for seq, *texts in kept}
        if number != OLD or root != text_hash(canonical(plain)):
            raise damaged(path, "its header was changed")
        _refuse_broken(path, root, entries)
        said = {entry.seq: entry.data for entry in entries if entry.data}
        if said != {seq: one.commitment() for seq, one in fingerprints.items()}:
            raise damaged(path, "a fingerprint is not the one that its entry commits to")
    except (TypeError, ValueError, KeyError) as error:
        raise damaged(path, "a row is not as discreet wrote it") from error
    return OldBook(header, entries, fingerprints)


def _entry(row: Sequence[object], room: int) -> Entry:
    seq, at, who, why, kind, request, plan, loss, events, refers, previous, digest, *more = row
    token, kept, data, rest, body, behind = more
    result = layout.answer_in(body, behind, room) if kind == "result" else None
    listed: list[Event] = layout.events_in(events)
    return Entry(
        *(seq, at, who, why, kind, request, plan),  # type: ignore[arg-type]
        *(None if loss is None else layout.parsed(loss), listed, result, refers),  # type: ignore[arg-type]
        *(previous, digest, token, kept, data, rest),  # type: ignore[arg-type]
        paid=text_hash(canonical(listed)) if kind == "charge" else "",
        answer="" if result is None else text_hash(result),
    )


def _refuse_broken(path: Path, root: str, entries: Sequence[Entry]) -> None:
    """Raise LedgerError where an old entry was changed, by the hash that it had."""
    for number, entry in enumerate(entries, start=1):
        digest = text_hash(canonical({name: getattr(entry, name) for name in _HASHED}))
        if (entry.seq, entry.previous, entry.hash) != (number, root, digest):
            raise damaged(path, f"entry {number} was changed or does not follow")
        root = entry.hash


def _write(rows: LedgerRows, book: Book, entry: Entry, found: Fingerprint | None) -> None:
    if entry.kind == "charge":
        write_charge(rows, entry)
    elif entry.kind == "result":
        write_result(rows, entry, book.entries[(entry.refers or 0) - 1].room, found)
    else:
        write_entry(rows, entry)
