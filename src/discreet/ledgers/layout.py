"""How the book lies in the rows of its SQLite file, as plain data.

Rules of this module:
- one number is no entry's: the version of the SQLite library that wrote last, which SQLite puts
  into the file's header. It is kept in a row of its own as well, so that neither can change alone;
- an answer is written into the room that its charge kept free, byte for byte in place, so that a
  full disk cannot part it from its charge (`Blob` writes ask no trigger; the chain sees them);
- a share is a whole number of 2^-52nds of the budget, for the triggers (`statements`): the exact
  rule is the book's, and theirs never refuses what that one allows.

Decision 12.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple

from ..privacy.loss import Loss
from .check import Record, Value, record
from .entry import (
    ROOT_CAP,
    Entry,
    Event,
    Header,
    Purses,
    canonical,
    loss_in,
    purses_in,
    purses_text,
)
from .fingerprint import Fingerprint
from .statements import MADE, ROOTS, TABLES
from .units import NOTHING, charged, units_up

WHOLE = 1 << 52
CAP = 7  # cells of a cap's row
_MOST = (1 << 62) - 1  # what a column holds with ease


def header_row(header: Header) -> tuple[Value, ...]:
    """Return the header as its row."""
    budget = canonical(header.budget)
    names = header.format, header.id, header.created, budget, header.subject
    return (*names, header.carried, header.origin, header.hash())


def cap_row(header: Header) -> tuple[Value, ...]:
    """Return the one cap there is: the whole budget."""
    budget = loss_in(header.budget)
    text = "" if budget is None else purses_text(units_up(budget))
    return (ROOT_CAP, None, "", header.created, "", text, 0)


def entry_row(entry: Entry, budget: Purses, cost: Purses) -> tuple[Value, ...]:
    """Return an entry as its row; its events and its answer lie in tables of their own.

    Args:
        entry: the entry.
        budget: the whole budget, in units.
        cost: what it adds to what stands spent, or takes from it, in units.
    """
    loss = None if entry.loss is None else canonical(entry.loss)
    return (
        *(entry.seq, entry.refers, entry.kind, *_shares(entry.spent, budget)),
        *(*_shares(cost, budget), entry.cap, entry.charges, entry.voids, entry.open),
        *(entry.answered, entry.room, entry.rest, entry.token, entry.data, entry.when, entry.who),
        *(entry.why, entry.request, entry.plan, loss, purses_text(entry.spent), entry.paid),
        *(entry.answer, bytes.fromhex(entry.links), entry.was, entry.previous, entry.hash),
    )


def bodies(text: str, room: int) -> tuple[bytes, bytes]:
    """Return how an answer lies in the file: in its charge's room, and what does not fit there.

    What does not fit follows in a row of the answer's own number. A text holds no zero byte, so
    that the zeros behind it are no part of it.
    """
    body = text.encode()
    return body[:room], body[room:]


def header_of(row: Sequence[object]) -> Header:
    """Return the header that a row holds; raises ValueError or TypeError on one we did not write.

    The caller compares `header_row` of the answer with the row, so that nothing passes unseen.
    """
    number, name, created, budget, subject, carried, origin, _ = row
    if not isinstance(number, int) or not isinstance(carried, int):
        raise TypeError("the numbers of a header are whole")
    named = str(name), str(created), _object(budget), str(subject)
    return Header(*named, carried, str(origin), number)


def entry_of(row: Sequence[object], root: str) -> Entry:
    """Return the entry that a row holds; raises ValueError or TypeError on one we did not write.

    Its events and its answer are not read. The caller compares `entry_row` of the answer.

    Args:
        row: as `READ_ENTRIES` gives it.
        root: the hash of the header.
    """
    seq, refers, kind, *numbers, token, data, at, who, why, request, plan, loss = row[:24]
    spent, paid, answer, links, was, previous, digest = row[24:]
    if not isinstance(links, bytes):
        raise TypeError("the links of an entry are bytes")
    cap, charges, voids, open_, answered, room, rest = numbers[6:]
    if not all(isinstance(number, int) for number in (seq, refers or 0, *numbers)):
        raise TypeError("the numbers of an entry are whole")
    return Entry(
        *(seq, str(at), str(who), str(why), str(kind), str(request), str(plan)),  # type: ignore[arg-type]
        *(None if loss is None else _object(loss), None, None, refers, str(previous)),  # type: ignore[arg-type]
        *(str(digest), str(token), room, str(data), rest, str(paid), str(answer), cap),  # type: ignore[arg-type]
        *(purses_in(spent), charges, voids, open_, answered, links.hex(), str(was), root),  # type: ignore[arg-type]
    )


def answer_in(body: object, more: object, room: int) -> str:
    """Return the text of an answer; raises where it does not lie as `bodies` has it.

    Args:
        body: what lies in its charge's room.
        more: what lies behind, or None.
        room: how many bytes the charge has kept free.
    """
    if not isinstance(body, bytes) or not isinstance(more, bytes | None) or len(body) != room:
        raise TypeError("an answer lies in the room that its charge kept")
    text = body.rstrip(b"\0") + (more or b"")
    if more is not None and (more == b"" or len(text) != room + len(more)):
        raise ValueError("an answer fills its room before more is added")
    return text.decode()


def events_in(text: object) -> list[Event]:
    """Return the events in a text; raises ValueError or TypeError on one we did not write."""
    value = parsed(text)
    if not isinstance(value, list) or canonical(value) != text:
        raise TypeError("events are a list, in one text")
    return value


def writer_row() -> tuple[int]:
    """Return the version number of the SQLite library in use, as SQLite itself writes it."""
    major, minor, patch = sqlite3.sqlite_version_info[:3]
    return (1_000_000 * major + 1_000 * minor + patch,)


def tables(
    header: Header,
    entries: Sequence[Entry],
    fingerprints: Mapping[int, Fingerprint],
    writer: int,
) -> list[tuple[int, list[Record]]]:
    """Return the tables of the file: for each its root page and every record in it.

    Args:
        header, entries: of the book, with events and answers.
        fingerprints: by the seq of the result.
        writer: the version number of the SQLite library that wrote last, by the file's header.
    """
    budget = loss_in(header.budget)
    if budget is None:
        return []
    whole = units_up(budget)
    rows = [
        (entry.seq, record((None, *entry_row(entry, whole, cost)[1:])))
        for entry, cost in zip(entries, costs(entries, budget), strict=True)
    ]
    events = [(e.seq, canonical(e.events)) for e in entries if e.kind == "charge"]
    found: dict[str, list[Record]] = {
        "book": [(1, record(header_row(header)))],
        "entry": rows,
        "writer": [(1, record((writer,)))],
        "answer": _rooms(entries),
        "fingerprint": [(n, record((None, *astuple(one)))) for n, one in fingerprints.items()],
        "paid": [(seq, record((None, text))) for seq, text in events],
        "cap": [(ROOT_CAP, record((None, *cap_row(header)[1:])))],
    }
    made = [(number, record(row)) for number, row in enumerate(MADE, start=1)]
    return [(1, made), *((ROOTS[name], found[name]) for name in TABLES)]


def costs(entries: Sequence[Entry], budget: Loss) -> Iterator[Purses]:
    """Yield what each entry adds or takes, in units; a void takes what its charge has added."""
    known: dict[int | None, Purses] = {}
    for entry in entries:
        cost = cost_of(entry, budget, known.get(entry.refers, NOTHING))
        known[entry.seq] = cost
        yield cost


def cost_of(entry: Entry, budget: Loss, settled: Purses) -> Purses:
    """Return what an entry adds or takes, in units, where what it settles has cost so much."""
    if entry.kind == "charge":
        return units_up(charged(entry, budget))
    return settled if entry.kind == "void" else NOTHING


def _rooms(entries: Sequence[Entry]) -> list[Record]:
    """Return the record of each room: the answer with zeros behind it, or zeros alone."""
    found = {entry.seq: bytes(entry.room) for entry in entries if entry.kind == "charge"}
    for entry in entries:
        if entry.result is not None and entry.refers in found:
            room = len(found[entry.refers])
            body, more = bodies(entry.result, room)
            found[entry.refers] = body.ljust(room, b"\0")
            found.update({entry.seq: more} if more else {})
    return [(seq, record((None, found[seq]))) for seq in sorted(found)]


def _shares(purses: Purses, budget: Purses) -> tuple[int, ...]:
    """Return units as whole 2^-52nds of the budget, rounded down; of nothing, only nothing fits."""
    pairs = zip(purses, budget, strict=True)
    return tuple(
        min(part * WHOLE // whole, _MOST) if whole else bool(part) * (WHOLE + 1)
        for part, whole in pairs
    )


def _object(text: object) -> dict[str, str]:
    value = parsed(text)
    if not isinstance(value, dict):
        raise TypeError("a loss is a dictionary")
    return value


def parsed(text: object) -> object:
    """Return plain data from its text; raises ValueError where it is none."""
    try:
        return json.loads(str(text))
    except RecursionError as error:
        raise ValueError("the text is nested too deeply") from error
