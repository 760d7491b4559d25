"""How the book lies in the rows of its SQLite file, as plain data.

The tables and triggers of a ledger's file, and every statement that reads or writes a row.

Rules of this module:
- one number is no entry's: the version of the SQLite library that wrote last, which SQLite puts
  into the file's header. It is kept in a row of its own as well, so that neither can change alone;
- an answer is written into the room that its charge kept free, byte for byte in place, so that a
  full disk cannot part it from its charge (`Blob` writes ask no trigger; the chain sees them);
- a share is a whole number of 2^-52nds of the budget, for the triggers (`statements`): the exact
  rule is the book's, and theirs never refuses what that one allows;
- tables without an index, so that the file only grows at its end and every byte of it can be made
  again from the entries (`check`); requests are found by the entries' own links (`links`);
- what can be long lies apart, events in `paid` and answers in `answer`: a charge reads neither;
- `cap` has room for budgets below the whole one; there is one row, the whole;
- the triggers are a second lock behind the rules of the book: even a program that forgets them can
  neither overspend, nor fork the chain, nor change or remove an entry. Each looks at the row before
  and at the rows since the charge, never at all of them;
- SQLite cannot add numbers as long as units. So a row has shares as well: what stands spent after
  it, and its own cost, as whole 2^-52nds of the budget, rounded down. A sum that is rounded down is
  the sum of two that are, or one more: this is what the trigger compares.

Decision 12.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple
from typing import TypeVar

from ..privacy.loss import Loss
from .check import Record, Value, padded, record
from .entry import (
    ROOT_CAP,
    Entry,
    Event,
    Fingerprint,
    Header,
    Purses,
    canonical,
    loss_in,
    purses_in,
    purses_text,
)
from .units import NOTHING, charged, units_up

_Plain = TypeVar("_Plain")

_ZEROS = bytes(1 << 16)
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
    named = str(name), str(created), parsed(budget, dict), str(subject)
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
        *(None if loss is None else parsed(loss, dict), None, None, refers, str(previous)),  # type: ignore[arg-type]
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
    end = body.find(b"\0") if body.endswith(_ZEROS) else -1  # of a long room most is compared
    rest = range(max(end, 0), len(body), len(_ZEROS))
    is_short = end >= 0 and all(body[at : at + len(_ZEROS)] == _ZEROS for at in rest[:-1])
    text = (body[:end] if is_short else body.rstrip(b"\0")) + (more or b"")
    if more is not None and (more == b"" or len(text) != room + len(more)):
        raise ValueError("an answer fills its room before more is added")
    return text.decode()


def events_in(text: object) -> list[Event]:
    """Return the events in a text; raises ValueError or TypeError on one we did not write."""
    value: list[Event] = parsed(text, list)
    if canonical(value) != text:
        raise TypeError("events have one text")
    return value


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
    rows: list[Record] = [
        (entry.seq, record((None, *entry_row(entry, whole, cost)[1:])))
        for entry, cost in zip(entries, costs(entries, budget), strict=True)
    ]
    events = [(e.seq, canonical(e.events)) for e in entries if e.kind == "charge"]
    records: dict[str, list[Record]] = {
        "book": [(1, record(header_row(header)))],
        "entry": rows,
        "writer": [(1, record((writer,)))],
        "answer": _rooms(entries),
        "fingerprint": [
            (n, record((None, *astuple(fingerprint)))) for n, fingerprint in fingerprints.items()
        ],
        "paid": [(seq, record((None, text))) for seq, text in events],
        "cap": [(ROOT_CAP, record((None, *cap_row(header)[1:])))],
    }
    made: list[Record] = [(n, record(row)) for n, row in enumerate(MADE, start=1)]
    return [(1, made), *((ROOTS[name], records[name]) for name in TABLES)]


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
    rooms = {entry.seq: entry.room for entry in entries if entry.kind == "charge"}
    answers = {seq: padded(b"", room) for seq, room in rooms.items()}
    for entry in entries:
        if entry.result is not None and entry.refers in rooms:
            room = rooms[entry.refers]
            body, more = bodies(entry.result, room)
            answers[entry.refers] = padded(body, room)
            answers.update({entry.seq: padded(more, len(more))} if more else {})
    return sorted(answers.items())


def _shares(purses: Purses, budget: Purses) -> tuple[int, ...]:
    """Return units as whole 2^-52nds of the budget, rounded down; of nothing, only nothing fits."""
    pairs = zip(purses, budget, strict=True)
    return tuple(
        min(part * WHOLE // whole, _MOST) if whole else bool(part) * (WHOLE + 1)
        for part, whole in pairs
    )


def parsed(text: object, kind: type[_Plain]) -> _Plain:
    """Return plain data of a kind; raises ValueError or TypeError where a text is none."""
    try:
        value = json.loads(str(text))
    except RecursionError as error:
        raise ValueError("the text is nested too deeply") from error
    if not isinstance(value, kind):
        raise TypeError("the text holds another kind of plain data")
    return value


APPLICATION = 0x44504C42

_BOOK = """CREATE TABLE book (
  format INTEGER NOT NULL, id TEXT NOT NULL, created TEXT NOT NULL, budget TEXT NOT NULL,
  subject TEXT NOT NULL, carried INTEGER NOT NULL, origin TEXT NOT NULL, root TEXT NOT NULL)"""
_ENTRY = """CREATE TABLE entry (
  seq INTEGER PRIMARY KEY, refers INTEGER CHECK ((refers IS NULL) = (kind = 'charge')),
  kind TEXT NOT NULL
    CHECK (kind IN ('charge', 'result', 'void', 'reuse', 'approve', 'topup', 'close')),
  first_share INTEGER NOT NULL CHECK (typeof(first_share) = 'integer' AND first_share >= 0),
  second_share INTEGER NOT NULL CHECK (typeof(second_share) = 'integer' AND second_share >= 0),
  third_share INTEGER NOT NULL CHECK (typeof(third_share) = 'integer' AND third_share >= 0),
  first_cost INTEGER NOT NULL CHECK (typeof(first_cost) = 'integer' AND first_cost >= 0),
  second_cost INTEGER NOT NULL CHECK (typeof(second_cost) = 'integer' AND second_cost >= 0),
  third_cost INTEGER NOT NULL CHECK (typeof(third_cost) = 'integer' AND third_cost >= 0),
  cap INTEGER NOT NULL CHECK (typeof(cap) = 'integer'),
  charges INTEGER NOT NULL CHECK (typeof(charges) = 'integer'),
  voids INTEGER NOT NULL CHECK (typeof(voids) = 'integer'),
  open INTEGER NOT NULL CHECK (typeof(open) = 'integer' AND open >= 0),
  answered INTEGER NOT NULL CHECK (typeof(answered) = 'integer' AND answered >= 0),
  room INTEGER NOT NULL CHECK (typeof(room) = 'integer' AND room >= 0),
  rest INTEGER NOT NULL CHECK (typeof(rest) = 'integer' AND rest >= 0),
  token TEXT NOT NULL CHECK (kind = 'charge' OR token = ''),
  data TEXT NOT NULL CHECK (kind = 'result' OR data = ''),
  at TEXT NOT NULL, who TEXT NOT NULL, why TEXT NOT NULL, request TEXT NOT NULL, plan TEXT NOT NULL,
  loss TEXT CHECK ((loss IS NULL) = (kind <> 'charge')), spent TEXT NOT NULL,
  paid TEXT NOT NULL, answer TEXT NOT NULL, links BLOB NOT NULL, was TEXT NOT NULL,
  previous TEXT NOT NULL, hash TEXT NOT NULL)"""
_PAID = "CREATE TABLE paid (seq INTEGER PRIMARY KEY, events TEXT NOT NULL)"
_ANSWER = "CREATE TABLE answer (seq INTEGER PRIMARY KEY, body BLOB NOT NULL)"
_CAP = """CREATE TABLE cap (
  cap INTEGER PRIMARY KEY, parent INTEGER, who TEXT NOT NULL, starts TEXT NOT NULL,
  ends TEXT NOT NULL, units TEXT NOT NULL, added_by INTEGER NOT NULL)"""
_FINGERPRINT = """CREATE TABLE fingerprint (
  seq INTEGER PRIMARY KEY, nonce TEXT NOT NULL, print TEXT NOT NULL, key TEXT NOT NULL,
  gate TEXT NOT NULL)"""
_WRITER = "CREATE TABLE writer (sqlite INTEGER NOT NULL)"
_FOLLOWS = """CREATE TRIGGER entry_follows BEFORE INSERT ON entry BEGIN
  SELECT RAISE(ABORT, 'an entry must follow the last one')
  WHERE NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM entry)
  OR NEW.previous IS NOT coalesce(
    (SELECT hash FROM entry ORDER BY seq DESC LIMIT 1), (SELECT root FROM book));
END"""
_FITS = """CREATE TRIGGER entry_fits BEFORE INSERT ON entry WHEN NEW.kind = 'charge' BEGIN
  SELECT RAISE(ABORT, 'a charge must fit into the budget')
  WHERE max(NEW.first_share, NEW.second_share, NEW.third_share) > 4503599627370496;
END"""
_ADDS = """CREATE TRIGGER entry_adds BEFORE INSERT ON entry BEGIN
  SELECT RAISE(ABORT, 'what stands spent must follow from the entry before') FROM (
    SELECT coalesce(max(first_share), 0) AS a, coalesce(max(second_share), 0) AS b,
      coalesce(max(third_share), 0) AS c FROM entry WHERE seq = (SELECT max(seq) FROM entry)), (
    SELECT CASE NEW.kind WHEN 'charge' THEN 1 WHEN 'void' THEN -1 ELSE 0 END AS way)
  WHERE way * (NEW.first_share - a) NOT BETWEEN NEW.first_cost AND NEW.first_cost + abs(way)
  OR way * (NEW.second_share - b) NOT BETWEEN NEW.second_cost AND NEW.second_cost + abs(way)
  OR way * (NEW.third_share - c) NOT BETWEEN NEW.third_cost AND NEW.third_cost + abs(way)
  OR (way = 0 AND (NEW.first_share, NEW.second_share, NEW.third_share) IS NOT (a, b, c));
END"""
_SETTLES = """CREATE TRIGGER entry_settles BEFORE INSERT ON entry
WHEN NEW.kind IN ('result', 'void') BEGIN
  SELECT RAISE(ABORT, 'only an open charge can be settled')
  WHERE NOT EXISTS (
    SELECT 1 FROM entry WHERE seq = NEW.refers AND kind = 'charge' AND request = NEW.request
    AND (NEW.kind = 'result' OR (first_cost, second_cost, third_cost)
      IS (NEW.first_cost, NEW.second_cost, NEW.third_cost)))
  OR EXISTS (SELECT 1 FROM entry WHERE seq > NEW.refers AND refers = NEW.refers);
END"""
_LAST = """CREATE TRIGGER {table}_follows BEFORE INSERT ON {table} BEGIN
  SELECT RAISE(ABORT, 'what belongs to an entry comes with it')
  WHERE NEW.seq IS NOT (SELECT max(seq) FROM entry);
END"""
_STAYS = """CREATE TRIGGER {table}_{verb} BEFORE {act} ON {table} BEGIN
  SELECT RAISE(ABORT, 'the book only grows');
END"""
_ONCE = """CREATE TRIGGER {table}_once BEFORE INSERT ON {table} BEGIN
  SELECT RAISE(ABORT, 'a book has one header') WHERE EXISTS (SELECT 1 FROM {table});
END"""

TABLES = ("book", "entry", "writer", "answer", "fingerprint", "paid", "cap")
MADE: tuple[tuple[str, str, str, int, str], ...] = (
    ("table", "book", "book", 2, _BOOK),
    ("table", "entry", "entry", 3, _ENTRY),
    ("table", "writer", "writer", 4, _WRITER),
    ("table", "answer", "answer", 5, _ANSWER),
    ("table", "fingerprint", "fingerprint", 6, _FINGERPRINT),
    ("table", "paid", "paid", 7, _PAID),
    ("table", "cap", "cap", 8, _CAP),
    ("trigger", "entry_follows", "entry", 0, _FOLLOWS),
    ("trigger", "entry_fits", "entry", 0, _FITS),
    ("trigger", "entry_adds", "entry", 0, _ADDS),
    ("trigger", "entry_settles", "entry", 0, _SETTLES),
    *(
        ("trigger", f"{table}_once", table, 0, _ONCE.format(table=table))
        for table in ("book", "cap")
    ),
    *(
        ("trigger", f"{table}_follows", table, 0, _LAST.format(table=table))
        for table in ("answer", "fingerprint", "paid")
    ),
    *(
        ("trigger", f"{table}_{verb}", table, 0, _STAYS.format(table=table, verb=verb, act=act))
        for table in ("entry", "book", "answer", "fingerprint", "paid", "cap")
        for verb, act in (("stays", "UPDATE"), ("remains", "DELETE"))
    ),
)
STATEMENTS = tuple(sql for *_, sql in MADE)
ROOTS = {name: page for kind, name, _, page, _ in MADE if kind == "table"}

_MAJOR, _MINOR, _PATCH = sqlite3.sqlite_version_info[:3]
WRITER_ROW = (1_000_000 * _MAJOR + 1_000 * _MINOR + _PATCH,)  # as SQLite itself writes its version

READ_BOOK = "SELECT format, id, created, budget, subject, carried, origin, root FROM book"
READ_CAPS = "SELECT cap, parent, who, starts, ends, units, added_by FROM cap"
_COLUMNS = (
    "seq, refers, kind, first_share, second_share, third_share, first_cost, second_cost, "
    "third_cost, cap, charges, voids, open, answered, room, rest, token, data, at, who, why, "
    "request, plan, loss, spent, paid, answer, links, was, previous, hash"
)
READ_ENTRIES = f"SELECT {_COLUMNS} FROM entry WHERE seq > ? ORDER BY seq"  # noqa: S608 - no input
READ_ENTRY = f"SELECT {_COLUMNS} FROM entry WHERE seq = ?"  # noqa: S608 - no input
READ_LAST = "SELECT max(seq) FROM entry"
READ_BODY = "SELECT body FROM answer WHERE seq = ?"
READ_BODIES = "SELECT seq, body FROM answer"
READ_EVENTS = "SELECT events FROM paid WHERE seq = ?"
READ_PAID = "SELECT seq, events FROM paid ORDER BY seq"
READ_FINGERPRINTS = "SELECT seq, nonce, print, key, gate FROM fingerprint ORDER BY seq"
READ_FINGERPRINT = "SELECT nonce, print, key, gate FROM fingerprint WHERE seq = ?"
READ_CHARGE = (
    "SELECT seq, (SELECT kind FROM entry AS later WHERE later.seq > entry.seq "
    "AND later.refers = entry.seq) "
    "FROM entry WHERE kind = 'charge' AND token = ? ORDER BY seq DESC LIMIT 1"
)
WRITE_BOOK = "INSERT INTO book VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
WRITE_CAP = "INSERT INTO cap VALUES (?, ?, ?, ?, ?, ?, ?)"
WRITE_ENTRY = f"INSERT INTO entry VALUES ({', '.join('?' * 31)})"  # noqa: S608 - no input
WRITE_EVENTS = "INSERT INTO paid VALUES (?, ?)"
KEEP_ROOM = "INSERT INTO answer VALUES (?, zeroblob(?))"
WRITE_MORE = "INSERT INTO answer VALUES (?, ?)"
WRITE_FINGERPRINT = "INSERT INTO fingerprint VALUES (?, ?, ?, ?, ?)"
WRITE_WRITER = "INSERT INTO writer VALUES (?)"
RENEW_WRITER = "UPDATE writer SET sqlite = ?1 WHERE sqlite <> ?1"  # mostly touches no page
