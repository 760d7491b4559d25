"""A ledger with many entries, made at once: what a charge costs in a long book.

Rules of this module:
- the entries are made by the rules of the book, and `verify` finds nothing wrong with them: they
  are said to be taken over from a ledger of an earlier layout, which writes all of them together.
"""

from dataclasses import replace
from pathlib import Path

from discreet.ledgers import rules
from discreet.ledgers.entry import Entry, Header
from discreet.ledgers.file import Ledger
from discreet.ledgers.head import ChargeRequest, Head
from discreet.ledgers.layout import cap_row, header_row
from discreet.ledgers.links import Link, way_to
from discreet.ledgers.rows import LedgerRows, write_charge, write_result
from discreet.ledgers.statements import WRITE_BOOK, WRITE_CAP
from discreet.ledgers.store import creation
from discreet.privacy.loss import zcdp

WHEN = "2026-11-03T10:00:00+00:00"


def grown(path: Path, entries: int, text: str = "{}") -> Ledger:
    """Return a new ledger with so many entries: charges, each followed by its answer."""
    header = Header("7f3a", WHEN, zcdp(1000).plain(), "", entries, str(entries))
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
                paid = made[-1]
                line = rules.result(
                    head, way, paid, state="open", text=text, who="bench", when=WHEN
                )
            counted = replace(line, was=str(head.seq + 1))
            entry = replace(counted, hash=counted.digest())
            if entry.kind == "charge":
                write_charge(rows, entry)
            else:
                write_result(rows, entry, 0, None)
            made.append(entry)
    return Ledger(path)
