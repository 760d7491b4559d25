"""The line that an anchor keeps, and the user's own file of them."""

import json
import sqlite3
from contextlib import closing

import pytest

from discreet.ledgers import anchors
from discreet.ledgers.file import Ledger, create
from discreet.privacy.loss import pure, zcdp
from unit.anchored import pay

pytestmark = pytest.mark.claim("C512")


@pytest.fixture
def ledger(tmp_path):
    return create(tmp_path / "a.ledger", budget=zcdp(1), id="7f3a")


def test_a_line_says_what_the_book_has_come_to(ledger):
    """Its id, its header, its last entry and what stands spent; of each entry one."""
    pay(ledger, "r1")
    lines = anchors.lines_in(anchors.place_of("7f3a").read_bytes(), "7f3a")
    book = ledger.book()

    assert [line.seq for line in lines] == [0, 1, 2]
    assert [line.head for line in lines] == [book.header.hash(), *(e.hash for e in book.entries)]
    assert {line.root for line in lines} == {book.header.hash()}
    assert json.loads(lines[-1].spent)["1"][0] == str(book.entries[-1].spent[0])
    assert anchors.checked_against("7f3a").startswith("1 anchor, newest of 20")


def test_only_its_user_can_read_the_folder(ledger):
    """What was spent when is nobody else's."""
    assert anchors.place_of("7f3a").parent.stat().st_mode & 0o777 == 0o700


def test_lines_of_other_ledgers_and_words_that_are_no_line_are_left_out():
    """A target may hold several ledgers, and what a crash has cut short."""
    spent, when = '{"1":["0","0","0"]}', "2026-01-04T10:00:00+00:00"
    line = anchors.AnchorLine("7f3a", "r", 3, "h", spent, when)
    other = anchors.AnchorLine("beef", "r", 9, "h", spent, when)
    content = f"{line.text()}{other.text()}[1]\nnull\n{line.text()[:-9]}{line.text()}".encode()

    assert anchors.lines_in(content, "7f3a") == [line, line]


def test_the_newest_is_the_highest_number_of_the_last_turn(ledger):
    """Lines of several processes come out of order; a copy that went on begins a new turn."""
    place = anchors.place_of("7f3a")
    (first,) = anchors.newest("7f3a")
    ages = [(0, 5), (0, 4), (1, 2), (0, 6), (1, 3), (1, 1)]
    texts = [
        anchors.AnchorLine("7f3a", first.root, seq, "h", first.spent, first.when, turn).text()
        for turn, seq in ages
    ]
    place.write_text("".join(texts), encoding="utf-8")

    assert [(line.turn, line.seq) for line in anchors.newest("7f3a")] == [(1, 3)]


def test_a_name_that_is_longer_than_a_block_is_found(tmp_path):
    """The end of the file that is read first holds no whole line of it."""
    ledger = create(tmp_path / "a.ledger", budget=zcdp(1), id="x" * 20_000)
    pay(ledger, "r1")

    assert [line.seq for line in anchors.newest("x" * 20_000)] == [2]


@pytest.mark.parametrize("state", ["/proc/self", "/dev/null/x"])
def test_a_user_who_can_keep_nothing_goes_on_without(tmp_path, monkeypatch, state):
    """Then nothing is compared, and `ledger verify` says so."""
    monkeypatch.setenv("XDG_STATE_HOME", state)
    ledger = create(tmp_path / "a.ledger", budget=zcdp(1), id="7f3a")
    pay(ledger, "r1")

    assert (ledger.verify(), anchors.checked_against("7f3a")) == ([], "")


def test_a_header_of_another_budget_is_no_older_copy_but_another_header(tmp_path):
    """What may be spent was raised, and everything chained anew."""
    create(tmp_path / "a.ledger", budget=zcdp(1), id="7f3a")
    raised = create(tmp_path / "b.ledger", budget=pure(1), id="beef")
    place, other = anchors.place_of("7f3a"), anchors.place_of("beef")
    other.write_text(place.read_text().replace("7f3a", "beef"))

    with pytest.raises(Exception, match="another header than it had") as refused:
        Ledger(raised.path).left()
    assert "its budget or its subject was changed" in str(refused.value)


def test_anchors_are_read_while_nobody_can_write(ledger, monkeypatch):
    """Else an entry that another process charged meanwhile would be missed in an honest book."""
    read, locked = anchors.newest, []

    def spied(*where, **how):
        with closing(sqlite3.connect(ledger.path, timeout=0)) as other:
            other.execute("BEGIN IMMEDIATE")
            other.execute("UPDATE writer SET sqlite = sqlite")
            try:
                other.execute("COMMIT")
            except sqlite3.OperationalError:
                locked.append(True)
        return read(*where, **how)

    monkeypatch.setattr(anchors, "newest", spied)
    assert ledger.verify() == []
    ledger.left()
    assert locked == [True, True]


@pytest.mark.parametrize(
    "text", ["[" * 2_000, '{"id": "7f3a"}', '{"id": "7f3a", "seq": "x", "turn": 0}', "7", "null"]
)
def test_what_somebody_wrote_into_an_anchor_is_no_line_and_stops_nothing(ledger, text):
    """Only a line that says all is one; a spent that cannot be read is none."""
    pay(ledger, "1")
    (line,) = anchors.newest("7f3a")
    place = anchors.place_of("7f3a")
    with place.open("a", encoding="utf-8") as file:
        file.write(text + "\n" + line.text().replace(line.spent[-9:], "]"))

    assert anchors.newest("7f3a") == [line]
    pay(ledger, "2")
