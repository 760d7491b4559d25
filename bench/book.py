"""A ledger with many entries, made at once: what a charge costs in a long book.

Rules of this module:
- the entries are made by the rules of the book and written together; the file then counts a write
  for each, as if it had come by itself, so that `verify` finds nothing wrong with them.
"""

from pathlib import Path
from secrets import token_hex

from discreet.ledgers import rules
from discreet.ledgers.entry import Entry, Header
from discreet.ledgers.file import Ledger
from discreet.ledgers.layout import WRITE_BOOK, WRITE_CAP, cap_row, header_row
from discreet.ledgers.rows import LedgerRows
from discreet.ledgers.rules import ChargeRequest, Head
from discreet.ledgers.skip_list import Link, way_to
from discreet.ledgers.store import creation
from discreet.privacy.loss import zcdp

WHEN = "2026-11-03T10:00:00+00:00"
_WRITES = (24, 92)  # where SQLite counts in a file's header


def grown(path: Path, entries: int, text: str = "{}") -> Ledger:
    """Return a new ledger with so many entries: charges, each followed by its answer."""
    header = Header(token_hex(8), WHEN, zcdp(1000).plain(), "")
    made: list[Entry] = []

    def fetch(link: Link) -> Entry:
        return made[link[0] - 1]

    with creation(path) as connection:
        connection.execute(WRITE_BOOK, header_row(header))
        connection.execute(WRITE_CAP, cap_row(header))
        rows = LedgerRows(connection, path)
        while len(made) < entries:
            head = Head(header, made[-1] if made else None)
            number = len(made) // 2
            way = way_to(f"stored {number}", head.last, fetch)
            if len(made) % 2 == 0:
                ask = ChargeRequest(
                    way.request, "ab" * 32, zcdp("1/1000000"), [], "bench", "", WHEN
                )
                line = rules.charge(head, way, ask)
            else:
                paid = rules.Paid(made[-1])
                line = rules.result(head, way, paid, text=text, who="bench", when=WHEN)
            rows.write_entry(line)
            made.append(line)
    with path.open("r+b") as file:
        for place in _WRITES:
            file.seek(place)
            file.write((1 + entries).to_bytes(4, "big"))
    return Ledger(path)
