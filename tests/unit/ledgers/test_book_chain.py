"""The chain of the book, without a file: whatever was changed or forged in it is found."""

from dataclasses import replace

import pytest

from discreet.errors import LedgerError
from discreet.ledgers import layout
from discreet.ledgers.book import Book, Entry
from discreet.ledgers.entry import canonical, text_hash
from discreet.ledgers.skip_list import link_to, packed, way_to
from discreet.ledgers.units import units_up
from discreet.privacy.loss import pure, zcdp
from unit.books import charged, empty, full_book


def test_the_chain_has_the_stated_form():
    """A known answer, made by hand from the definition: sha256 over canonical JSON."""
    book = charged(empty(zcdp("1/8")), zcdp("3/100"))

    assert canonical({"b": [1, "ü"], "a": None}) == '{"a":null,"b":[1,"ü"]}'
    assert book.header.hash() == book.entries[0].previous
    assert book.header.hash() == (
        "bcc2c006d3794fac1bff3b87dbddadf0ec6730f2c399a5a416cc4a7ac35725a5"
    )
    assert book.head() == (1, "5bdf18f0d3b3b373e08be4d3a642b21f3ac0025b56dbdeb00754c98c69a5a95f")


CHANGES = {
    "seq": 9, "when": "2027", "who": "eve", "why": "other", "kind": "gift", "request": "r9",
    "plan": "99", "loss": {"kind": "zcdp", "rho": "1/5"}, "events": [{}], "result": "{}",
    "refers": 4, "previous": "0" * 64, "hash": "0" * 64, "token": "x", "room": 7, "data": "x",
    "rest": 1, "paid": "0" * 64, "answer": "0" * 64, "cap": 2, "spent": (1, 0, 0), "charges": 9,
    "voids": 9, "open": 9, "answered": 9, "links": "11" * 22, "was": "0" * 64, "root": "0" * 64,
}  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize("position", range(5))
@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_field_is_found(name, position):
    """Every field of every entry is under the chain."""
    book = full_book()
    entries = list(book.entries)
    entries[position] = replace(entries[position], **{name: CHANGES[name]})

    assert set(CHANGES) == set(Entry.__slots__)
    assert book.check() == []
    assert replace(book, entries=tuple(entries)).check() != []


def test_a_changed_header_is_found():
    """The first entry chains from the header."""
    book = full_book()
    changes = [{"id": "x"}, {"created": "x"}, {"budget": zcdp(2).plain()}, {"subject": "x"}]
    for change in [*changes, {"carried": 1}, {"origin": "x"}]:
        assert replace(book, header=replace(book.header, **change)).check() != []


@pytest.mark.parametrize(
    "change",
    [
        {"budget": {"kind": "zcdp"}},
        {"format": 1},
        {"format": 3},
        {"budget": {}},
        {"budget": zcdp("1/41").plain()},
    ],
)
def test_a_header_that_cannot_be_read_is_refused(change):
    """A book without a known budget gives nothing."""
    book = empty(zcdp(1))
    broken = replace(book, header=replace(book.header, **change))

    assert broken.check() == ["the header cannot be read"]
    with pytest.raises(LedgerError, match="cannot be read"):
        broken.left()


def rechained(book: Book, entries: list[Entry]) -> Book:
    """A forger's book: every hash made again, so that only the rules can find the fault."""
    done = replace(book, entries=())
    for entry in entries:
        seq, previous = done.head()
        placed = replace(entry, seq=seq + 1, previous=previous)
        done = done.plus(replace(placed, hash=placed.digest()))
    return done


FORGERIES = {
    "spends more than was left": lambda e: [e[0], replace(e[0], loss=zcdp(1).plain())],
    "without a loss": lambda e: [replace(e[0], loss=None)],
    "in the budget's kind": lambda e: [replace(e[0], loss=pure(1).plain())],
    "for another plan": lambda e: [e[0], replace(e[0], plan="zz")],
    "charges a request that has a result": lambda e: [*e[:2], e[0]],
    "carries a result or refers": lambda e: [replace(e[0], result="{}")],
    "settles a charge that does not exist": lambda e: [e[1]],
    "was settled before": lambda e: [*e[:2], e[1]],
    "for another request or plan": lambda e: [e[0], replace(e[1], request="zz")],
    "is no charge, but carries a loss": lambda e: [e[0], replace(e[1], loss=zcdp(0).plain())],
    "void without a reason": lambda e: [*e[:3], replace(e[3], why=" ")],
    "result without a text": lambda e: [e[0], replace(e[1], result=None, answer="")],
    "the events or the answer": lambda e: [e[0], replace(e[1], result=None)],
    "the events or the answer ": lambda e: [replace(e[0], events=[{}])],
    "a second one": lambda e: [e[0], e[0], e[1], replace(e[1], refers=2)],
    "neither a charge": lambda e: [replace(e[0], kind="gift")],
    "names no request": lambda e: [replace(e[0], request="")],
    "keeps less than no room": lambda e: [replace(e[0], room=-1)],
    "carries a result or refers ": lambda e: [replace(e[0], data="x")],
    "carries a loss or a room": lambda e: [e[0], replace(e[1], room=1)],
    "carries a loss or a room ": lambda e: [e[0], replace(e[1], token="x")],
    "or with a result": lambda e: [*e[:3], replace(e[3], data="x")],
    "not one of the entries that came together": lambda e: [replace(e[0], rest=1)],
    "not one of the entries that came together ": lambda e: [e[0], replace(e[1], rest=-1)],
    "says that another amount": lambda e: [replace(e[0], spent=(1, 0, 0))],
    "counts other charges": lambda e: [replace(e[0], voids=1)],
    "counts other charges ": lambda e: [replace(e[0], open=0)],
    "counts other charges  ": lambda e: [replace(e[0], charges=2)],
    "says another result": lambda e: [e[0], replace(e[1], answered=0)],
    "is linked to other entries": lambda e: [e[0], replace(e[1], links="11" * 22)],
    "is not charged to the budget of this book": lambda e: [replace(e[0], root="")],
    "is not charged to the budget of this book ": lambda e: [replace(e[0], cap=2)],
    "was taken over from another": lambda e: [replace(e[0], was="x")],
    "that a newer discreet writes": lambda e: [replace(e[0], kind="topup")],
    "the last entries did not come together": lambda e: [*e[:3], replace(e[3], rest=1)],
}


@pytest.mark.parametrize("fault", FORGERIES)
def test_a_forged_book_with_a_sound_chain_breaks_a_rule(fault):
    """The check replays the rules, it does not only compare hashes."""
    book = full_book()
    forged = rechained(book, FORGERIES[fault](list(book.entries)))

    assert rechained(book, list(book.entries)) == book
    assert any(fault.strip() in problem for problem in forged.check())


def test_a_loss_that_cannot_be_read_counts_as_the_whole_budget():
    """A damaged book refuses; it never gives."""
    book = charged(empty(zcdp(1)), zcdp("1/4"))
    broken = replace(book, entries=(replace(book.entries[0], loss={"kind": "zcdp", "rho": "?"}),))

    assert broken.left() == zcdp(0)


def test_a_head_that_a_release_has_seen_must_be_in_the_book():
    """An older copy that is put back lacks it; so does another ledger."""
    book = full_book()
    older = replace(book, entries=book.entries[:3])

    assert book.missing([book.head(), older.head(), (0, book.header.hash())]) == []
    assert len(older.missing([older.head(), book.head()])) == 1
    assert "entry 5" in older.missing([book.head()])[0]


@pytest.mark.claim("C13")
@pytest.mark.slow
def test_every_request_is_found_by_the_links_from_the_last_entry():
    """Against a list of all: known ones, unknown ones, and how many steps it takes."""
    book = empty(pure(100))
    for number in range(300):
        book = charged(book, pure("1/10"), f"r{number % 150}")
    asked = []

    def fetch(link):
        asked.append(link)
        entry = book.entries[link[0] - 1]
        assert entry.hash.startswith(link[1])
        return entry

    for request in [f"r{number}" for number in range(160)]:
        newest = [entry for entry in book.entries if entry.request == request][-1:]
        way = way_to(request, book.entries[-1], fetch)
        assert way.latest == (newest[0] if newest else None)
    assert len(asked) < 160 * 10
    assert book.check() == []


@pytest.mark.claim("C13")
def test_links_are_the_newest_entries_with_each_beginning():
    """The definition, by comparing bits of the requests' hashes one by one."""
    book = empty(pure(100))
    for number in range(60):
        book = charged(book, pure("1/10"), f"r{number % 40}")
    places = [f"{int(text_hash(entry.request), 16):0256b}" for entry in book.entries]
    for at, entry in enumerate(book.entries):
        same = [n for n in range(at) if places[n] == places[at]]
        wanted = [same[-1] if same else None]
        for bit in range(256):
            beside = places[at][:bit] + "10"[int(places[at][bit])]
            near = [n for n in range(at) if places[n].startswith(beside)]
            wanted.append(near[-1] if near else None)
        while len(wanted) > 1 and wanted[-1] is None:
            wanted.pop()
        links = [None if n is None else link_to(book.entries[n]) for n in wanted]
        assert entry.links == packed(links)


@pytest.mark.claim("C329")
@pytest.mark.parametrize("loss", [None, {}, {"kind": "zcdp"}, {"kind": "pure", "epsilon": "1/9"}])
def test_a_charge_that_cannot_be_read_costs_the_whole_budget_wherever_it_is_added(loss):
    """By replay, in the file's row, and where it is voided; nothing is left beside it."""
    book = charged(empty(zcdp(1)), zcdp("1/4"))
    line = replace(book.entries[0], loss=loss)
    odd = replace(book, entries=(line,))
    whole = units_up(zcdp(1))
    void = replace(line, seq=2, kind="void", refers=1)

    assert (odd.spent(), odd.left()) == (zcdp(1), zcdp(0))
    assert odd.rows()[0].loss == str(zcdp(1))
    assert list(layout.costs([line, void], zcdp(1))) == [whole, whole]
    assert any("without a loss in the budget's kind" in fault for fault in odd.check())
