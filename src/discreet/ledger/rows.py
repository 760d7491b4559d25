"""The book in its file: read as a whole and checked, written entry by entry.

Rules of this module:
- each function works on a connection whose transaction is somebody else's;
- a row that is not exactly what discreet would write is damage, and so is a broken rule.
"""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from ..errors import shown
from .book import Book, Entry
from .fingerprint import Fingerprint
from .layout import (
    KEEP_ROOM,
    READ_ENTRIES,
    READ_FINGERPRINT,
    READ_FINGERPRINTS,
    READ_HEADER,
    RENEW_WRITER,
    WRITE_ENTRY,
    WRITE_FINGERPRINT,
    WRITE_MORE,
    bodies,
    entry_of,
    entry_row,
    header_of,
    header_row,
    writer_row,
)
from .trouble import damaged


def sound_book(connection: sqlite3.Connection, path: Path) -> Book:
    """Return the book of a file.

    Raises:
        LedgerError: a row or a rule is broken.
    """
    book = book_in(connection, path)
    if problems := book.check():
        raise damaged(path, problems[0])
    return book


def book_in(connection: sqlite3.Connection, path: Path) -> Book:
    """Return the book of a file, and refuse rows that are not what its entries are written as."""
    headers = connection.execute(READ_HEADER).fetchall()
    rows = connection.execute(READ_ENTRIES).fetchall()
    rooms = {row[0]: row[6] for row in rows}
    try:
        header, *more = (header_of(row) for row in headers)
        entries = tuple(entry_of(row, rooms.get(row[3], 0)) for row in rows)
        book = Book(header, entries, shown(path.name))
        budget = book.budget()
        same = [row[:-2] for row in rows] == [entry_row(entry, budget) for entry in entries]
        if more or headers != [header_row(header)] or not same:
            raise damaged(path, "a row is not as discreet writes it")
    except (TypeError, ValueError) as error:
        raise damaged(path, "a row is not as discreet writes it") from error
    return book


def write_charge(connection: sqlite3.Connection, book: Book, entry: Entry) -> None:
    """Write a charge, and keep the room that its answer will need."""
    _write(connection, book, entry)
    connection.execute(KEEP_ROOM, (entry.seq, entry.room))


def write_result(
    connection: sqlite3.Connection, book: Book, entry: Entry, found: Fingerprint | None
) -> None:
    """Write an answer into the room of its charge; what does not fit there follows by itself."""
    _write(connection, book, entry)
    charge = book.entries[(entry.refers or 0) - 1]
    body, more = bodies(entry.result or "", charge.room)
    if body:
        with connection.blobopen("room", "body", charge.seq) as room:
            room.write(body)
    if more:
        connection.execute(WRITE_MORE, (entry.seq, more))
    if found is not None:
        row = (entry.seq, found.nonce, found.print, found.key, found.gate)
        connection.execute(WRITE_FINGERPRINT, row)


def write_voids(connection: sqlite3.Connection, book: Book, entries: Sequence[Entry]) -> None:
    """Write voids that come together."""
    for entry in entries:
        _write(connection, book, entry)


def fingerprints(connection: sqlite3.Connection) -> dict[int, Fingerprint]:
    """Return every fingerprint by the seq of its result."""
    rows = connection.execute(READ_FINGERPRINTS).fetchall()
    return {seq: Fingerprint(*texts) for seq, *texts in rows}


def fingerprint(connection: sqlite3.Connection, path: Path, entry: Entry) -> Fingerprint | None:
    """Return the fingerprint that came with a result, or None where none did.

    Raises:
        LedgerError: it is not the one that the entry commits to.
    """
    row = connection.execute(READ_FINGERPRINT, (entry.seq,)).fetchone()
    found = None if row is None else Fingerprint(*row)
    if entry.data != ("" if found is None else found.commitment()):
        raise damaged(path, "a fingerprint is not the one that its entry commits to")
    return found


def _write(connection: sqlite3.Connection, book: Book, entry: Entry) -> None:
    connection.execute(WRITE_ENTRY, entry_row(entry, book.budget()))
    connection.execute(RENEW_WRITER, writer_row())
