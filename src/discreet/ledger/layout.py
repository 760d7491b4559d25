"""How the book lies in its SQLite file: tables, triggers, and rows that hold plain data.

Rules of this module:
- tables without an index, so that the file only grows at its end and every byte of it can be made
  again from the entries (`check`);
- one number is no entry's: the version of the SQLite library that wrote last, which SQLite puts
  into the file's header. It is kept in a row of its own as well, so that neither can change alone;
- an answer is written into the room that its charge kept free, byte for byte in place, so that a
  full disk cannot part it from its charge (`Blob` writes ask no trigger; the chain sees them);
- the triggers are a second lock behind the rules of the book: even a program that forgets them can
  neither overspend, nor fork the chain, nor change or remove an entry;
- a share is a loss as a whole number of 2^-52nds of the budget, rounded down: the exact rule is the
  book's, and this one never refuses what that one allows.
"""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from fractions import Fraction
from functools import lru_cache

from ..privacy.loss import AnyLoss
from .check import Record, Value, record
from .entry import Entry, Header, canonical, loss_in
from .fingerprint import Fingerprint

APPLICATION = 0x44504C42
WHOLE = 1 << 52

_HEADER = """CREATE TABLE header (
  format INTEGER NOT NULL, id TEXT NOT NULL, created TEXT NOT NULL, budget TEXT NOT NULL,
  subject TEXT NOT NULL, hash TEXT NOT NULL)"""
_ENTRY = """CREATE TABLE entry (
  seq INTEGER PRIMARY KEY,
  first_share INTEGER NOT NULL CHECK (typeof(first_share) = 'integer' AND first_share >= 0),
  second_share INTEGER NOT NULL CHECK (typeof(second_share) = 'integer' AND second_share >= 0),
  refers INTEGER CHECK ((refers IS NULL) = (kind = 'charge')),
  kind TEXT NOT NULL CHECK (kind IN ('charge', 'result', 'void')),
  token TEXT NOT NULL CHECK (kind = 'charge' OR token = ''),
  room INTEGER NOT NULL CHECK (typeof(room) = 'integer' AND room >= 0),
  data TEXT NOT NULL CHECK (kind = 'result' OR data = ''),
  rest INTEGER NOT NULL CHECK (typeof(rest) = 'integer' AND rest >= 0),
  at TEXT NOT NULL, who TEXT NOT NULL, why TEXT NOT NULL, request TEXT NOT NULL, plan TEXT NOT NULL,
  loss TEXT CHECK ((loss IS NULL) = (kind <> 'charge')), events TEXT NOT NULL,
  previous TEXT NOT NULL, hash TEXT NOT NULL)"""
_ROOM = "CREATE TABLE room (seq INTEGER PRIMARY KEY, body BLOB NOT NULL)"
_FINGERPRINT = """CREATE TABLE fingerprint (
  seq INTEGER PRIMARY KEY, nonce TEXT NOT NULL, print TEXT NOT NULL, key TEXT NOT NULL,
  gate TEXT NOT NULL)"""
_WRITER = "CREATE TABLE writer (sqlite INTEGER NOT NULL)"
_FOLLOWS = """CREATE TRIGGER entry_follows BEFORE INSERT ON entry BEGIN
  SELECT RAISE(ABORT, 'an entry must follow the last one')
  WHERE NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM entry)
  OR NEW.previous IS NOT coalesce(
    (SELECT hash FROM entry ORDER BY seq DESC LIMIT 1), (SELECT hash FROM header));
END"""
_FITS = """CREATE TRIGGER entry_fits BEFORE INSERT ON entry WHEN NEW.kind = 'charge' BEGIN
  SELECT RAISE(ABORT, 'a charge must fit into the budget') FROM (
    SELECT coalesce(sum(first_share), 0) AS first, coalesce(sum(second_share), 0) AS second
    FROM entry
    WHERE kind = 'charge' AND seq NOT IN (SELECT refers FROM entry WHERE kind = 'void'))
  WHERE first + NEW.first_share > 4503599627370496 OR second + NEW.second_share > 4503599627370496;
END"""
_SETTLES = """CREATE TRIGGER entry_settles BEFORE INSERT ON entry WHEN NEW.kind <> 'charge' BEGIN
  SELECT RAISE(ABORT, 'only an open charge can be settled')
  WHERE NOT EXISTS (
    SELECT 1 FROM entry WHERE seq = NEW.refers AND kind = 'charge' AND request = NEW.request)
  OR EXISTS (SELECT 1 FROM entry WHERE refers = NEW.refers);
END"""
_LAST = """CREATE TRIGGER {table}_follows BEFORE INSERT ON {table} BEGIN
  SELECT RAISE(ABORT, 'what belongs to an entry comes with it')
  WHERE NEW.seq IS NOT (SELECT max(seq) FROM entry);
END"""
_STAYS = """CREATE TRIGGER {table}_{verb} BEFORE {act} ON {table} BEGIN
  SELECT RAISE(ABORT, 'the book only grows');
END"""
_ONCE = """CREATE TRIGGER header_once BEFORE INSERT ON header BEGIN
  SELECT RAISE(ABORT, 'a book has one header') WHERE EXISTS (SELECT 1 FROM header);
END"""

_MADE: tuple[tuple[str, str, str, int, str], ...] = (
    ("table", "header", "header", 2, _HEADER),
    ("table", "entry", "entry", 3, _ENTRY),
    ("table", "writer", "writer", 4, _WRITER),
    ("table", "room", "room", 5, _ROOM),
    ("table", "fingerprint", "fingerprint", 6, _FINGERPRINT),
    ("trigger", "entry_follows", "entry", 0, _FOLLOWS),
    ("trigger", "entry_fits", "entry", 0, _FITS),
    ("trigger", "entry_settles", "entry", 0, _SETTLES),
    ("trigger", "header_once", "header", 0, _ONCE),
    *(
        ("trigger", f"{table}_follows", table, 0, _LAST.format(table=table))
        for table in ("room", "fingerprint")
    ),
    *(
        ("trigger", f"{table}_{verb}", table, 0, _STAYS.format(table=table, verb=verb, act=act))
        for table in ("entry", "header", "room", "fingerprint")
        for verb, act in (("stays", "UPDATE"), ("remains", "DELETE"))
    ),
)
STATEMENTS = tuple(sql for *_, sql in _MADE)

READ_HEADER = "SELECT format, id, created, budget, subject, hash FROM header"
READ_ENTRIES = (
    "SELECT seq, first_share, second_share, refers, kind, token, room, data, rest, at, who, why, "
    "request, plan, loss, events, previous, hash, "
    "CASE kind WHEN 'result' THEN (SELECT body FROM room WHERE room.seq = entry.refers) END, "
    "CASE kind WHEN 'result' THEN (SELECT body FROM room WHERE room.seq = entry.seq) END "
    "FROM entry ORDER BY seq"
)
READ_FINGERPRINTS = "SELECT seq, nonce, print, key, gate FROM fingerprint ORDER BY seq"
READ_FINGERPRINT = "SELECT nonce, print, key, gate FROM fingerprint WHERE seq = ?"
READ_CHARGE = (
    "SELECT seq, (SELECT kind FROM entry AS settling WHERE settling.refers = entry.seq) "
    "FROM entry WHERE kind = 'charge' AND token = ?"
)
WRITE_HEADER = "INSERT INTO header VALUES (?, ?, ?, ?, ?, ?)"
WRITE_ENTRY = "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
KEEP_ROOM = "INSERT INTO room VALUES (?, zeroblob(?))"
WRITE_MORE = "INSERT INTO room VALUES (?, ?)"
WRITE_FINGERPRINT = "INSERT INTO fingerprint VALUES (?, ?, ?, ?, ?)"
WRITE_WRITER = "INSERT INTO writer VALUES (?)"
RENEW_WRITER = "UPDATE writer SET sqlite = ?1 WHERE sqlite <> ?1"  # mostly touches no page


def header_row(header: Header) -> tuple[Value, ...]:
    """Return the header as its row."""
    budget = canonical(header.budget)
    return (header.format, header.id, header.created, budget, header.subject, header.hash())


def entry_row(entry: Entry, budget: AnyLoss) -> tuple[Value, ...]:
    """Return an entry as its row; its answer lies in rooms of their own, see `bodies`."""
    loss = None if entry.loss is None else canonical(entry.loss)
    return (
        *(entry.seq, *_shares(entry, budget), entry.refers, entry.kind, entry.token, entry.room),
        *(entry.data, entry.rest, entry.when, entry.who, entry.why, entry.request, entry.plan),
        *(loss, canonical(entry.events), entry.previous, entry.hash),
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
    number, name, created, budget, subject, _ = row
    if not isinstance(number, int):
        raise TypeError("the format of a ledger is a whole number")
    return Header(str(name), str(created), _object(budget), str(subject), number)


def entry_of(row: Sequence[object], room: int) -> Entry:
    """Return the entry that a row holds; raises ValueError or TypeError on one we did not write.

    Args:
        row: as `READ_ENTRIES` gives it: the row of `entry_row`, then the two bodies of an answer.
        room: how many bytes the charge has kept free that this entry refers to, if any.
    """
    seq, _, _, refers, kind, token, kept, data, rest, *texts, body, more = row
    at, who, why, request, plan, loss, events, previous, digest = texts
    if not all(isinstance(number, int) for number in (seq, kept, rest, refers or 0)):
        raise TypeError("the numbers of an entry are whole")
    return Entry(
        *(seq, str(at), str(who), str(why), str(kind), str(request), str(plan)),  # type: ignore[arg-type]
        None if loss is None else _object(loss),
        _parsed(events),  # type: ignore[arg-type]
        _answer(body, more, room) if kind == "result" else None,
        *(refers, str(previous), str(digest), str(token), kept, str(data), rest),  # type: ignore[arg-type]
    )


def _answer(body: object, more: object, room: int) -> str:
    """Return the text of an answer; raises where it does not lie as `bodies` has it."""
    if not isinstance(body, bytes) or not isinstance(more, bytes | None) or len(body) != room:
        raise TypeError("an answer lies in the room that its charge kept")
    text = body.rstrip(b"\0") + (more or b"")
    if more is not None and (more == b"" or len(text) != room + len(more)):
        raise ValueError("an answer fills its room before more is added")
    return text.decode()


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
        header, entries: of the book.
        fingerprints: by the seq of the result.
        writer: the version number of the SQLite library that wrote last, by the file's header.
    """
    budget = loss_in(header.budget)
    if budget is None:
        return []
    made = [(number, record(row)) for number, row in enumerate(_MADE, start=1)]
    rows = [(entry.seq, record((None, *entry_row(entry, budget)[1:]))) for entry in entries]
    once = [(2, [(1, record(header_row(header)))]), (4, [(1, record((writer,)))])]
    kept = [(seq, record((None, *astuple(found)))) for seq, found in fingerprints.items()]
    return [(1, made), *once, (3, rows), (5, _rooms(entries)), (6, kept)]


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


def _shares(entry: Entry, budget: AnyLoss) -> tuple[int, int]:
    loss = loss_in(entry.loss)
    return (0, 0) if loss is None else _shares_of(loss, budget)


@lru_cache(maxsize=4096)
def _shares_of(loss: AnyLoss, budget: AnyLoss) -> tuple[int, int]:
    pairs = zip(_numbers(loss), _numbers(budget), strict=False)
    first, second, *_ = (*(_share(part, of) for part, of in pairs), 0)
    return first, second


def _share(part: Fraction, of: Fraction) -> int:
    if part == 0:
        return 0
    return WHOLE + 1 if part > of else part * WHOLE // of


def _numbers(loss: AnyLoss) -> list[Fraction]:
    return [Fraction(number) for name, number in loss.plain().items() if name != "kind"]


def _object(text: object) -> dict[str, str]:
    value = _parsed(text)
    if not isinstance(value, dict):
        raise TypeError("a loss is a dictionary")
    return value


def _parsed(text: object) -> object:
    try:
        return json.loads(str(text))
    except RecursionError as error:
        raise ValueError("the text is nested too deeply") from error
