"""The tables and triggers of a ledger's file, and every statement that reads or writes a row.

Rules of this module:
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
"""

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
