"""Ledgers that lie in a folder stay what they are, to the byte; those of no released version are refused.

`vectors/ledger-2.gz` and `ledger-2-purses.gz` were written by commit a9b6403: answers with a fingerprint and
without, one longer than its room, voids together, open charges, a budget in rho and one of three purses.
`ledger-1.gz` has the layout before it, and `approx-0.json` is a release whose noise was found by an account before
today's; no version that made either was ever released.
"""

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

import discreet as dp
from discreet.cli.cli import main
from discreet.errors import LedgerError, VerifyError
from discreet.ledgers.book import Book
from discreet.ledgers.check import PAGE_SIZE
from discreet.ledgers.entry import Fingerprint
from discreet.ledgers.file import Ledger, open_ledger
from discreet.ledgers.layout import READ_FINGERPRINTS, WRITE_BOOK, WRITE_CAP, cap_row, header_row
from discreet.ledgers.rows import LedgerRows
from discreet.ledgers.rules import ChargeRequest
from discreet.ledgers.store import creation, transaction
from discreet.privacy.loss import zcdp
from unit.books import made_again

VECTORS = Path(__file__).parents[2] / "vectors"
STORED = ("ledger-2", "ledger-2-purses")


def stored(name: str, folder: Path) -> Path:
    """A copy of a stored ledger."""
    path = folder / f"{name}.ledger"
    path.write_bytes(gzip.decompress((VECTORS / f"{name}.gz").read_bytes()))
    return path


def written(book: Book, prints: dict[int, Fingerprint], path: Path) -> bytes:
    """The file of a book, one transaction for each entry, as its verbs write it."""
    with creation(path) as connection:
        connection.execute(WRITE_BOOK, header_row(book.header))
        connection.execute(WRITE_CAP, cap_row(book.header))
    together = []
    for entry in book.entries:
        together.append(entry)
        if entry.rest:
            continue
        with transaction(path, write=True) as connection:
            rows = LedgerRows(connection, path)
            for line in together:
                rows.write_entry(line, prints.get(line.seq))
        together.clear()
    return path.read_bytes()


def without_writer(image: bytes) -> bytes:
    """An image without the version of the SQLite that wrote it: in its header, and at the end of its fourth page."""
    end = 4 * PAGE_SIZE
    return image[:96] + bytes(4) + image[100 : end - 3] + bytes(3) + image[end:]


@pytest.mark.claim("C325")
@pytest.mark.parametrize("name", STORED)
def test_a_stored_ledger_is_sound_and_made_again_to_the_byte(name, tmp_path):
    """Its entries by today's rules, with their hashes, and its file by today's statements."""
    path = stored(name, tmp_path)
    with transaction(path, write=False) as connection:
        prints = {seq: Fingerprint(*texts) for seq, *texts in connection.execute(READ_FINGERPRINTS)}
    ledger = open_ledger(path)
    book = ledger.book()

    assert ledger.verify() == []
    assert made_again(book).entries == book.entries
    again = written(book, prints, tmp_path / "again.ledger")
    assert without_writer(again) == without_writer(path.read_bytes())


@pytest.mark.claim("C325")
def test_the_comparison_of_stored_ledgers_sees_one_other_byte(tmp_path):
    """It has power: a purpose of the same length makes another chain and another file."""
    book = open_ledger(stored("ledger-2", tmp_path)).book()
    image = written(book, {}, tmp_path / "again.ledger")

    assert without_writer(image) != without_writer(stored("ledger-2", tmp_path).read_bytes())
    assert image.count(b"power cut") == 2


@pytest.mark.claim("C325")
@pytest.mark.parametrize("name", STORED)
def test_a_stored_ledger_goes_on(name, tmp_path):
    """Answers come back, and what is left can be spent."""
    ledger = open_ledger(stored(name, tmp_path))
    known = next(entry for entry in ledger.book().entries if entry.kind == "result")
    left = ledger.left()

    again = ledger.file.reserve(
        ChargeRequest(request=known.request, plan=known.plan, loss=left, events=[])
    )
    assert again.settled == known
    ledger.file.settle(
        ledger.file.reserve(ChargeRequest(request="new", plan="ab", loss=left, events=[])), "{}"
    )
    assert (ledger.left().is_zero(), ledger.verify()) == (True, [])


def acts(path: Path) -> dict:
    return {
        "open": lambda: open_ledger(path),
        "left": lambda: Ledger(path).left(),
        "book": lambda: Ledger(path).book(),
        "charge": lambda: Ledger(path).file.reserve(
            ChargeRequest(request="r", plan="p", loss=zcdp(1), events=[])
        ),
    }


def taken_over(folder: Path) -> Path:
    """A ledger whose header says that entries of another one were taken over; no hash is wrong."""
    header = replace(open_ledger(stored("ledger-2", folder)).book().header, origin="ab" * 32)
    path = folder / "taken.ledger"
    written(Book(header), {}, path)
    return path


@pytest.mark.claim("C326")
@pytest.mark.parametrize("act", ["open", "left", "book", "charge"])
def test_a_ledger_of_a_layout_that_was_never_released_is_refused(act, tmp_path):
    """Three lines that say what to do; the file stays as it is, and so does its journal."""
    path = stored("ledger-1", tmp_path)
    before = path.read_bytes()

    with pytest.raises(LedgerError, match="has layout 1, which no released version") as refused:
        acts(path)[act]()
    assert str(refused.value).count("\n") == 2
    assert "show what is left of its budget, and start a new ledger" in refused.value.fix
    assert "has layout 1" in Ledger(path).verify()[0]
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.claim("C326")
def test_a_command_refuses_a_ledger_of_a_layout_that_was_never_released(tmp_path, capsys):
    path = stored("ledger-1", tmp_path)

    assert main(["ledger", "show", str(path)]) == 4
    assert "discreet ledger init NEW.ledger" in capsys.readouterr().err


@pytest.mark.claim("C326")
@pytest.mark.parametrize("act", ["open", "left", "book", "charge"])
def test_a_ledger_that_was_taken_over_is_refused(act, tmp_path):
    """Its costs were rounded after they had fitted, which no rule allows any more."""
    path = taken_over(tmp_path)
    before = path.read_bytes()

    with pytest.raises(LedgerError, match="has entries of another ledger, which no") as refused:
        acts(path)[act]()
    assert str(refused.value).count("\n") == 2
    assert "has entries of another ledger" in Ledger(path).verify()[0]
    assert path.read_bytes() == before


@pytest.mark.claim("C326")
def test_a_release_of_an_account_that_was_never_released_is_refused():
    """Its noise is more than its spend buys today; that is no plan of this version."""
    with pytest.raises(VerifyError, match="the noise of each vector is not what") as refused:
        dp.verify(VECTORS / "approx-0.json")
    assert str(refused.value).count("\n") == 2
    assert refused.value.fix.endswith("or check it with the version that made it")
