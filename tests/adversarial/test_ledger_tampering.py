"""Somebody changes the ledger file: through SQLite, or byte by byte."""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from discreet.errors import LedgerError
from discreet.ledgers import check, entry, layout, verifying
from discreet.ledgers.entry import Fingerprint
from discreet.ledgers.file import Ledger, create
from discreet.ledgers.rules import ChargeRequest
from discreet.privacy.loss import zcdp

STRIDE = 2_500  # every byte that is not zero, and every so many of the others


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> bytes:
    """A ledger with charges, results short and long, and voids, as bytes.

    Rooms are empty, too small, and too large for their answers; some answers have a fingerprint.
    """
    path = tmp_path_factory.mktemp("ledger") / "a.ledger"
    ledger = create(path, budget=zcdp(1), subject="visits", id="7f3a")
    for number in range(4):
        events = [{"law": "discrete gaussian", "sigma2": "25", "release": str(number)}]
        charge = ledger.file.reserve(ChargeRequest(
            request=f"r{number}", plan="ab", loss=zcdp("1/10"), events=events, why="table",
            token=f"{number}" * 16, room=(0, 400, 1000, 300_000)[number],
        ))  # fmt: skip
        if number != 2:
            print_ = Fingerprint("ab" * 32, f"{number}d" * 32, "ef" * 8, "01" * 32 * (number % 2))
            text = json.dumps({"answer": [number] * 10 ** (number + 2)})
            ledger.file.settle(charge, text, print_ if number else None)
    ledger.file.reserve(
        ChargeRequest(request="r4", plan="ab", loss=zcdp("1/10"), events=[], room=70_000)
    )
    ledger.void(5, 8, reason="killed")
    assert ledger.verify() == []
    return path.read_bytes()


LAST = 10  # entries: four charges, three answers, one charge more, two voids


def is_found(path: Path) -> bool:
    return bool(Ledger(path).verify())


def changed_by(written: bytes, path: Path, *statements: str) -> Path:
    """The file after the statements, with the triggers put back as they were."""
    path.write_bytes(written)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        triggers = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid"
        ).fetchall()
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("PRAGMA synchronous = OFF")
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
        for _, sql in triggers:
            connection.execute(sql)
    return path


def with_counters_put_back(written: bytes, path: Path) -> Path:
    """The file with SQLite's own counters as they were before."""
    image = bytearray(path.read_bytes())
    for start, end in ((24, 28), (40, 44), (92, 96)):
        image[start:end] = written[start:end]
    path.write_bytes(image)
    return path


COLUMNS = {
    "book": ["format", "id", "created", "budget", "subject", "carried", "origin", "root"],
    "cap": ["cap", "parent", "who", "starts", "ends", "units", "added_by"],
    "entry": [
        *("seq", "refers", "kind", "first_share", "second_share", "third_share", "first_cost"),
        *("second_cost", "third_cost", "cap", "charges", "voids", "open", "answered", "room"),
        *("rest", "token", "data", "at", "who", "why", "request", "plan", "loss", "spent"),
        *("paid", "answer", "links", "was", "previous", "hash"),
    ],
    "writer": ["sqlite"],
    "paid": ["seq", "events"],
    "answer": ["seq", "body"],
    "fingerprint": ["seq", "nonce", "print", "key", "gate"],
}
ROWS = {"entry": [1, 4, LAST], "answer": [1, 3, 4, 5, 7, 8], "fingerprint": [4, 7]}
ROWS["paid"] = [1, 5]
VALUES = ["NULL", "''", "77", "'x'", "x'00'", "1.5", """'{"kind":"zcdp","rho":"1/1000"}'"""]


@pytest.mark.exhaustive
@pytest.mark.claim("C13")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "column"), [(table, column) for table in COLUMNS for column in COLUMNS[table]]
)
def test_every_changed_field_of_every_table_is_found(written, tmp_path, table, column):
    """Each column of the header, and of a charge, a result and a void, set to seven values.

    The forger hides that he wrote, so that only the content can give him away.
    """
    path = tmp_path / "a.ledger"
    tried = 0
    for row in ROWS.get(table, [1]):
        for value in VALUES:
            path.write_bytes(written)
            text = f"UPDATE OR IGNORE {table} SET {column} = {value} WHERE rowid = {row}"
            try:
                changed_by(written, path, text)
            except sqlite3.Error:
                continue
            if same_content(written, path, tmp_path):
                continue
            with_counters_put_back(written, path)
            tried += 1
            assert is_found(path), (row, value)
    assert tried >= len(ROWS.get(table, [1]))


def same_content(written: bytes, path: Path, folder: Path) -> bool:
    """Tell whether a statement changed nothing, such as NULL set to NULL."""
    (folder / "before").write_bytes(written)
    contents = []
    for name in (folder / "before", path):
        with closing(sqlite3.connect(name)) as connection:
            contents.append(list(connection.iterdump()))
    return sorted(contents[0]) == sorted(contents[1])


SWAP = "UPDATE entry SET seq = CASE seq WHEN {0} THEN -{1} WHEN {1} THEN -{0} ELSE seq END"
HARM = {
    "the last row deleted": ["DELETE FROM entry WHERE seq = 10"],
    "the first row deleted": ["DELETE FROM entry WHERE seq = 1"],
    "a middle row deleted": ["DELETE FROM entry WHERE seq = 4"],
    "all rows deleted": ["DELETE FROM entry"],
    "the header deleted": ["DELETE FROM book"],
    "two rows swapped": [SWAP.format(1, 3), "UPDATE entry SET seq = -seq WHERE seq < 0"],
    "a row duplicated": [
        "CREATE TEMP TABLE t AS SELECT * FROM entry WHERE seq = 1",
        "UPDATE t SET seq = 11",
        "INSERT INTO entry SELECT * FROM t",
    ],
    "a header added": ["INSERT INTO book SELECT * FROM book"],
    "a writer added": ["INSERT INTO writer SELECT * FROM writer"],
    "the writer deleted": ["DELETE FROM writer"],
    "a cap deleted": ["DELETE FROM cap"],
    "a cap added": ["INSERT INTO cap SELECT 2, 1, '', '', '', units, 1 FROM cap"],
    "events deleted": ["DELETE FROM paid WHERE seq = 3"],
    "events added": ["INSERT INTO paid VALUES (2, '[]')"],
    "a room deleted": ["DELETE FROM answer WHERE seq = 5"],
    "a room of no charge": ["INSERT INTO answer VALUES (11, x'')"],
    "an open room filled": ["UPDATE answer SET body = cast('{}' AS BLOB) WHERE seq = 5"],
    "an answer moved into more room": [
        "UPDATE answer SET body = body || (SELECT body FROM answer WHERE seq = 4) WHERE seq = 3",
    ],
    "a fingerprint deleted": ["DELETE FROM fingerprint WHERE seq = 4"],
    "all fingerprints deleted": ["DELETE FROM fingerprint"],
    "a fingerprint added": ["INSERT INTO fingerprint VALUES (2, '', '', '', '')"],
    "fingerprints swapped": [
        "UPDATE fingerprint SET seq = -seq",
        "UPDATE fingerprint SET seq = 11 + seq",
    ],
    "a table added": ["CREATE TABLE notes (text)"],
    "an index added": ["CREATE INDEX i ON entry (request)"],
    "a view added": ["CREATE VIEW v AS SELECT 1"],
    "rewritten as a whole": ["VACUUM"],
    "grown larger pages": ["PRAGMA page_size = 65536", "VACUUM"],
}


@pytest.mark.claim("C13")
@pytest.mark.parametrize("harm", HARM)
def test_rows_deleted_swapped_duplicated_or_added_are_found(written, tmp_path, harm):
    """Even the last row: the file counts its own writes, and the entries account for each."""
    assert is_found(changed_by(written, tmp_path / "a.ledger", *HARM[harm]))


@pytest.mark.claim("C13")
def test_bytes_behind_the_end_and_a_cut_end_are_found(written, tmp_path):
    """The file has exactly the length of its pages."""
    for image in (written + b"x", written + bytes(check.PAGE_SIZE), written[: -check.PAGE_SIZE]):
        (tmp_path / "a.ledger").write_bytes(image)
        assert is_found(tmp_path / "a.ledger")


def places(written: bytes) -> Iterator[int]:
    """Every byte of the file's header; of the others, those that matter most, and a sample."""
    yield from range(100)
    for page in range(0, len(written), check.PAGE_SIZE):
        is_tree = written[page] in (5, 13)  # else an answer goes on there, behind a number
        yield from range(page, page + (40 if is_tree else 6))
    yield from range(0, len(written), STRIDE)
    state = sha256(b"places").digest()
    content = [place for place, byte in enumerate(written) if byte]
    for _ in range(16):
        state = sha256(state).digest()
        yield from (
            content[int.from_bytes(state[at : at + 4], "big") % len(content)]
            for at in range(0, 32, 4)
        )


def missed(written: bytes, path: Path, bits: Callable[[int], int], *, step: int = 1) -> list[int]:
    """Change one byte at a time, and return the places where that was not found."""
    overlooked = []
    path.write_bytes(written)
    for place in sorted(set(places(written)))[::step]:
        handle = os.open(path, os.O_RDWR)
        os.pwrite(handle, bytes([written[place] ^ bits(place)]), place)
        os.close(handle)
        try:
            found = is_found(path)
        except LedgerError:
            found = True
        if not found:
            overlooked.append(place)
        handle = os.open(path, os.O_RDWR)
        os.pwrite(handle, written[place : place + 1], place)
        os.close(handle)
    return overlooked


@pytest.mark.claim("C13")
@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("flip", [1, 0x80, None], ids=["lowest bit", "highest bit", "mixed"])
def test_one_changed_byte_anywhere_in_the_file_is_found(written, tmp_path, flip):
    """All bytes of the header and of the page heads, and a spread of the others, free space too."""
    overlooked = missed(written, tmp_path / "a.ledger", lambda place: flip or place % 255 + 1)

    assert overlooked == []
    assert Ledger(tmp_path / "a.ledger").verify() == []


def test_a_ledger_that_another_sqlite_wrote_is_sound_and_stays_so(written, tmp_path):
    """Its number in the file's header and in its record are both the other library's."""
    ours, other = (n.to_bytes(4, "big") for n in (*layout.WRITER_ROW, 3_035_005))
    page = 3 * check.PAGE_SIZE
    head, table = written[:page], written[page : page + check.PAGE_SIZE]
    image = head[:96] + other + head[100:] + table.replace(ours[1:], other[1:])
    path = tmp_path / "a.ledger"
    path.write_bytes(image + written[page + check.PAGE_SIZE :])
    ledger = Ledger(path)

    assert ledger.verify() == []
    ledger.file.reserve(
        ChargeRequest(request="next", plan="ab", loss=zcdp("1/10"), events=[], why="table")
    )
    assert path.read_bytes()[96:100] == ours
    assert ledger.verify() == []


def test_a_writer_that_is_not_read_from_the_file_leaves_three_bytes_free(
    written, tmp_path, monkeypatch
):
    """The planted fault: the record is compared with the library in use, not with the header."""
    monkeypatch.setattr(verifying, "last_writer", lambda _: layout.WRITER_ROW[0])
    path = tmp_path / "a.ledger"
    path.write_bytes(written[:99] + bytes([written[99] ^ 1]) + written[100:])

    assert not is_found(path)
    monkeypatch.undo()
    assert is_found(path)


@pytest.mark.slow
def test_without_the_look_at_each_byte_some_changes_are_overlooked(written, tmp_path, monkeypatch):
    """The flips have power: SQLite's own check and the chain do not see all of them."""
    monkeypatch.setattr(verifying, "faults_of_image", lambda *_: [])

    assert len(missed(written, tmp_path / "a.ledger", lambda _: 1, step=5)) > 20


@pytest.mark.claim("C13")
@pytest.mark.parametrize(
    "forgotten",
    [
        *("when", "who", "why", "paid", "answer", "refers", "token", "room", "data", "rest", "cap"),
        *("spent", "charges", "voids", "open", "answered", "links", "was", "root"),
    ],
)
def test_a_chain_that_skips_a_field_is_seen(written, tmp_path, monkeypatch, forgotten):
    """The table of changes has power: with the planted fault, the change passes unseen."""
    path = tmp_path / "a.ledger"
    hashed = tuple(name for name in entry._HASHED if name != forgotten)
    monkeypatch.setattr(entry, "_HASHED", hashed)
    ledger = create(path, budget=zcdp(1), id="x")
    ledger.file.settle(
        ledger.file.reserve(ChargeRequest(request="r", plan="p", loss=zcdp("1/2"), events=[])),
        "text",
    )
    book = ledger.book()
    changed = {
        "when": "2027", "who": "eve", "why": "other", "paid": "x", "answer": "x", "refers": 9,
        "token": "x", "room": 7, "data": "x", "rest": 1, "cap": 2, "spent": (1, 0, 0),
        "charges": 9, "voids": 9, "open": 9, "answered": 9, "links": "00", "was": "x", "root": "x",
    }  # fmt: skip
    which = 1 if forgotten in ("answer", "refers", "data") else 0
    entries = list(book.entries)
    entries[which] = replace(entries[which], **{forgotten: changed[forgotten]})
    forged = replace(book, entries=tuple(entries))

    assert not any("hash does not match" in problem for problem in forged.check())
    monkeypatch.undo()
    assert any("hash does not match" in problem for problem in forged.check())


@pytest.mark.claim("C13")
@pytest.mark.parametrize("lost", range(LAST))
def test_a_book_that_forgets_an_entry_is_seen(written, tmp_path, lost):
    """A reader that loses one entry has a gap in its chain, or misses a head that was seen."""
    (tmp_path / "a.ledger").write_bytes(written)
    book = Ledger(tmp_path / "a.ledger").book()
    kept = tuple(line for index, line in enumerate(book.entries) if index != lost)
    forgetful = replace(book, entries=kept)

    assert forgetful.check() + forgetful.missing([book.head()]) != []


@pytest.mark.claim("C13")
@pytest.mark.parametrize("which", range(LAST - 1))
def test_an_entry_that_is_written_anew_parts_from_the_one_behind_it(written, tmp_path, which):
    """Its own hash is right: only the next entry still tells what stood there."""
    (tmp_path / "a.ledger").write_bytes(written)
    book = Ledger(tmp_path / "a.ledger").book()
    entries = list(book.entries)
    anew = replace(entries[which], who="somebody else")
    entries[which] = replace(anew, hash=anew.digest())

    found = replace(book, entries=tuple(entries)).check()
    assert f"entry {which + 2} does not follow from the entry before it" in found
    assert not any(problem.startswith(f"entry {which + 1} ") for problem in found)
