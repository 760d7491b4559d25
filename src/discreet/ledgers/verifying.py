"""Everything that can be wrong with a ledger's file, found without changing it.

Rules of this module:
- the file is read through SQLite, once, in one transaction, and compared to the byte with what its
  entries make.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..errors import LedgerError
from .book import Book, Seen
from .check import Marks, blind_bytes, faults_of_image, last_writer
from .fingerprint import Fingerprint
from .layout import tables
from .rows import book_in
from .statements import APPLICATION, READ_FINGERPRINTS, ROOTS, STATEMENTS
from .store import transaction
from .trouble import is_damage


def faults_of_file(path: Path, seen: Sequence[Seen] = ()) -> list[str]:
    """Return everything that is wrong with a ledger, as sentences; none if it is sound.

    Args:
        path: its file.
        seen: heads that releases carry.

    Raises:
        LedgerError: the file is missing, locked or may not be read.
    """
    try:
        with transaction(path, write=False) as connection:
            rows = connection.execute("PRAGMA integrity_check(9)").fetchall()
            problems = [f"SQLite finds: {text}" for (text,) in rows if text != "ok"]
            book = book_in(connection, path)
            kept = connection.execute(READ_FINGERPRINTS).fetchall()
            found = {seq: Fingerprint(*texts) for seq, *texts in kept}
            image = connection.serialize()
    except LedgerError as error:
        if not is_damage(error):
            raise
        return [f"{error.what} {error.why}"]
    problems += book.check() + book.missing(seen) + _parted(book, found)
    writes = 1 + sum(entry.rest == 0 for entry in book.entries[book.header.carried :])
    marks = Marks(APPLICATION, book.header.format, len(STATEMENTS), writes)
    try:
        expected = tables(book.header, book.entries, found, last_writer(image))
    except (TypeError, ValueError, AttributeError) as error:
        return [*problems, f"an entry cannot be written again: {type(error).__name__}"]
    problems += faults_of_image(image, marks, expected)
    if len(image) != path.stat().st_size:
        problems.append("the file is longer or shorter than its pages")
    return problems


def unchecked_bytes(path: Path) -> int:
    """Return how many bytes of a sound ledger are not compared, because they carry no content.

    Raises:
        LedgerError: the file is missing, locked or may not be read.
    """
    with transaction(path, write=False) as connection:
        return blind_bytes(connection.serialize(), [1, *ROOTS.values()])


def _parted(book: Book, found: Mapping[int, Fingerprint]) -> list[str]:
    """Return a sentence for each entry that commits to another fingerprint than it came with."""
    said = {entry.seq: entry.data for entry in book.entries if entry.data}
    try:
        kept = {seq: one.commitment() for seq, one in found.items()}
    except (TypeError, ValueError) as error:
        return [f"a fingerprint cannot be read: {type(error).__name__}"]
    return [
        f"entry {seq} commits to another fingerprint than the file holds"
        for seq in sorted(said.keys() | kept.keys())
        if said.get(seq) != kept.get(seq)
    ]
