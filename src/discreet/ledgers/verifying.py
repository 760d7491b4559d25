"""The whole book of a ledger's file, and everything that can be wrong with it; nothing is changed.

Rules of this module:
- the file is read through SQLite, once, in one transaction, and compared to the byte with what its
  entries make.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ..errors import LedgerError, shown
from . import anchors, layout, units
from .book import Book, Seen
from .check import Marks, blind_bytes, faults_of_image, last_writer
from .entry import Entry, Fingerprint
from .layout import (
    APPLICATION,
    READ_BODIES,
    READ_ENTRIES,
    READ_FINGERPRINTS,
    READ_PAID,
    ROOTS,
    STATEMENTS,
)
from .rows import LedgerRows
from .sqlite_errors import is_damage
from .store import transaction


def faults_of_file(path: Path, seen: Sequence[Seen] = ()) -> list[str]:
    """Return everything that is wrong with a ledger, as sentences; none if it is sound.

    Args:
        path: its file.
        seen: heads that releases carry.

    Raises:
        LedgerError: the file is missing, locked or may not be read.
    """
    return audited(path, seen)[0]


def audited(path: Path, seen: Sequence[Seen] = ()) -> tuple[list[str], Book | None]:
    """Return what `faults_of_file` does, and the book without its answers, where it can be read.

    An answer may be long. What is left of it is the hash by which its entry knows it.
    """
    try:
        with transaction(path, write=False) as connection:
            rows = connection.execute("PRAGMA integrity_check(9)").fetchall()
            problems = [f"SQLite finds: {text}" for (text,) in rows if text != "ok"]
            book = book_in(LedgerRows(connection, path))
            kept = connection.execute(READ_FINGERPRINTS).fetchall()
            prints = {seq: Fingerprint(*texts) for seq, *texts in kept}
            image = connection.serialize()
            lines = anchors.newest(book.header.id)  # while nobody can write
    except LedgerError as error:
        if not is_damage(error):
            raise
        return [f"{error.what} {error.why}"], None
    problems += book.check() + book.missing(seen) + _parted(book, prints)
    problems += [
        f"an anchor has seen entry {line.seq}, which is not in this file: it is an older copy, or "
        "has parted from the ledger that it was"
        for line in lines
        if not book.holds((line.seq, line.head))
    ]
    problems += _faults_of(image, book, prints)
    if len(image) != path.stat().st_size:
        problems.append("the file is longer or shorter than its pages")
    bare = tuple([replace(entry, result=None) for entry in book.entries])
    return problems, Book(book.header, bare, book.name)


def _faults_of(image: bytes, book: Book, prints: Mapping[int, Fingerprint]) -> list[str]:
    """Return what is wrong with the bytes of a file that holds this book."""
    writes = 1 + sum(entry.rest == 0 for entry in book.entries)
    marks = Marks(APPLICATION, book.header.format, len(STATEMENTS), writes)
    try:
        expected = layout.tables(book.header, book.entries, prints, last_writer(image))
    except (TypeError, ValueError, AttributeError) as error:
        return [f"an entry cannot be written again: {type(error).__name__}"]
    return faults_of_image(image, marks, expected)


def unchecked_bytes(path: Path) -> int:
    """Return how many bytes of a sound ledger are not compared, because they carry no content.

    Raises:
        LedgerError: the file is missing, locked or may not be read.
    """
    with transaction(path, write=False) as connection:
        return blind_bytes(connection.serialize(), [1, *ROOTS.values()])


def sound_book(rows: LedgerRows) -> Book:
    """Return the whole book of a file.

    Raises:
        LedgerError: a row or a rule is broken.
    """
    book = book_in(rows)
    if problems := book.check():
        raise rows.damage(problems[0])
    return book


def book_in(rows: LedgerRows) -> Book:
    """Return the whole book of a file, and refuse rows that are not what its entries make."""
    read = rows.connection.execute
    written = read(READ_ENTRIES, (0,)).fetchall()
    events, bodies = dict(read(READ_PAID).fetchall()), dict(read(READ_BODIES).fetchall())
    try:
        bare = [layout.entry_of(row, rows.root) for row in written]
        rooms = {entry.seq: entry.room for entry in bare}
        entries = tuple(_with(entry, events, bodies, rooms) for entry in bare)
        book = Book(rows.header, entries, shown(rows.path.name))
        whole, costs = units.units_up(book.budget()), layout.costs(entries, book.budget())
        made = [layout.entry_row(e, whole, cost) for e, cost in zip(entries, costs, strict=True)]
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise rows.damage("a row is not as discreet writes it") from error
    if written != made:
        raise rows.damage("a row is not as discreet writes it")
    return book


def _with(
    entry: Entry, events: dict[int, object], bodies: dict[int, object], rooms: dict[int, int]
) -> Entry:
    """Return an entry with its events and its answer."""
    if entry.kind == "charge":
        return replace(entry, events=layout.events_in(events[entry.seq]))
    if entry.kind != "result" or entry.refers is None:
        return replace(entry, events=[])
    more, room = bodies.get(entry.seq), rooms[entry.refers]
    return replace(entry, events=[], result=layout.answer_in(bodies[entry.refers], more, room))


def _parted(book: Book, prints: Mapping[int, Fingerprint]) -> list[str]:
    """Return a sentence for each entry that commits to another fingerprint than it came with."""
    commitments = {entry.seq: entry.data for entry in book.entries if entry.data}
    try:
        kept = {seq: fingerprint.commitment() for seq, fingerprint in prints.items()}
    except (TypeError, ValueError) as error:
        return [f"a fingerprint cannot be read: {type(error).__name__}"]
    return [
        f"entry {seq} commits to another fingerprint than the file holds"
        for seq in sorted(commitments.keys() | kept.keys())
        if commitments.get(seq) != kept.get(seq)
    ]
