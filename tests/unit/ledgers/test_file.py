"""The file that keeps the book: charges, answers and voids."""

import sqlite3
import stat
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.errors import BudgetError, InputError, LedgerError
from discreet.ledgers import layout, store
from discreet.ledgers.entry import Fingerprint
from discreet.ledgers.file import Ledger, create, open_ledger
from discreet.ledgers.rules import ChargeRequest
from discreet.ledgers.sqlite import Charge
from discreet.privacy.loss import approx, pure, zcdp
from unit.books import made_again


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return create(tmp_path / "visits.ledger", budget=zcdp("1/8"), subject="visits", id="7f3a")


def pay(ledger: Ledger, request: str = "r1", loss="1/50", plan: str = "ab12", **more) -> Charge:
    return ledger.file.reserve(
        ChargeRequest(request=request, plan=plan, loss=zcdp(loss), events=[], **more)
    )


def test_a_new_ledger_is_private_sound_and_has_its_whole_budget(ledger):
    """Only the owner can read it; nothing is spent; nothing is wrong."""
    assert stat.S_IMODE(ledger.path.stat().st_mode) == 0o600
    assert (ledger.left(), ledger.spent(), ledger.verify()) == (zcdp("1/8"), zcdp(0), [])
    assert open_ledger(ledger.path) == ledger
    assert open_ledger(str(ledger.path), subject="visits").book().header.id == "7f3a"


def test_a_charge_and_its_result_are_there_for_the_next_reader(ledger):
    """What was written is read back, with who and why."""
    charge = pay(ledger, who="ana", why="annual table")
    result = ledger.file.settle(charge, '{"answer":[1,2]}')

    book = open_ledger(ledger.path).book()
    assert [entry.kind for entry in book.entries] == ["charge", "result"]
    assert (book.entries[0].who, book.entries[0].why) == ("ana", "annual table")
    assert (book.settled("r1"), book.head()) == (result, (2, result.hash))
    assert (charge.seq, charge.hash) == (1, book.entries[0].hash)
    assert (ledger.left(), ledger.head(), ledger.verify()) == (zcdp("21/200"), book.head(), [])


def test_a_repeat_returns_the_stored_text_for_nothing(ledger):
    """Same request, same plan: the same bits, one spend."""
    first = pay(ledger)
    stored = ledger.file.settle(first, "text")

    again = [pay(ledger) for _ in range(3)]

    assert again == [Charge(first.seq, first.hash, stored)] * 3
    assert ledger.spent() == zcdp("1/50")


def test_a_known_request_with_another_plan_is_refused(ledger):
    """Answered or not, an id stands for one plan."""
    pay(ledger, "open")
    ledger.file.settle(pay(ledger, "done"), "text")

    for request in ("open", "done"):
        with pytest.raises(InputError, match="another plan"):
            pay(ledger, request, plan="cd34")
    assert ledger.spent() == zcdp("1/25")


def test_a_second_try_after_a_crash_pays_again_until_the_first_is_voided(ledger):
    """A charge without a result is never used again."""
    lost, second = pay(ledger), pay(ledger)
    ledger.file.settle(second, "text")
    assert (lost.settled, second.settled, ledger.spent()) == (None, None, zcdp("1/25"))

    ledger.void(lost.seq, reason="killed before its noise was drawn")

    assert (ledger.spent(), ledger.verify()) == (zcdp("1/50"), [])


def test_two_answers_to_one_request_are_one_answer(ledger):
    """Whoever comes second hands out the first one's text."""
    one, two = pay(ledger), pay(ledger)
    first = ledger.file.settle(one, "first")

    assert ledger.file.settle(two, "second") == first
    assert ledger.file.settle(one, "third") == first
    assert (first.result, len(ledger.book().entries), ledger.verify()) == ("first", 3, [])


def test_the_answer_to_a_voided_charge_is_not_stored(ledger):
    """The owner was faster; the answer may not leave."""
    charge = pay(ledger)
    ledger.void(charge.seq, reason="it hung")

    with pytest.raises(BudgetError, match="was voided"):
        ledger.file.settle(charge, "text")
    assert ledger.book().settled("r1") is None


def test_a_charge_of_another_file_is_not_settled_here(ledger, tmp_path):
    """A file that was exchanged between charge and result gets no answer."""
    other = create(tmp_path / "other.ledger", budget=zcdp(1), id="other")
    charge = pay(ledger)
    pay(other)

    for wrong in (charge, Charge(9, "0" * 64)):
        with pytest.raises(LedgerError, match="does not have charge"):
            other.file.settle(wrong, "text")


def test_what_does_not_fit_is_refused_and_nothing_is_written(ledger):
    """The file is the same, byte for byte."""
    pay(ledger)
    before = ledger.path.read_bytes()

    with pytest.raises(BudgetError, match=r"only 0.105 is left in visits.ledger") as refusal:
        pay(ledger, "r2", "1/8", fix="the nearest plan that fits")
    assert refusal.value.fix == "the nearest plan that fits"
    with pytest.raises(InputError):
        ledger.file.reserve(
            ChargeRequest(request="r2", plan="p", loss=approx(1, "1e-6"), events=[])
        )
    with pytest.raises(InputError):
        ledger.void(1, reason="")
    assert ledger.path.read_bytes() == before


@pytest.mark.parametrize("budget", [pure(1), approx(1, "1e-6"), approx(1, 0), zcdp("1/3")])
def test_a_budget_of_each_kind_can_be_spent_to_its_last_bit(tmp_path, budget):
    """Thirds add up to the whole, in the rules and behind them."""
    ledger = create(tmp_path / "a.ledger", budget=budget, id="x")
    third = budget.times(Fraction(1, 3))
    for request in "abc":
        ledger.file.settle(
            ledger.file.reserve(ChargeRequest(request=request, plan="p", loss=third, events=[])),
            "x",
        )

    assert (ledger.spent(), ledger.left().is_zero(), ledger.verify()) == (budget, True, [])


def test_a_large_result_and_odd_letters_come_back_as_they_were(ledger):
    """Several pages long, beyond the first plane of Unicode, quotes and line ends."""
    text = '{"ü": "𝔘\\n' + "x\r\n'" * 100_000 + '"}'
    ledger.file.settle(pay(ledger, "réq'uest; --", why='line\n"two"'), text)

    assert ledger.book().settled("réq'uest; --").result == text
    assert ledger.verify() == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("room", [0, 1, 3, 4, 5, 1000, 70_000, 200_000])
@pytest.mark.parametrize("text", ["", "text", "ü" * 40_000])
def test_an_answer_lies_in_the_room_of_its_charge_and_the_rest_behind(ledger, room, text):
    """Too small, just right or too large: the text comes back, and every byte is accounted for."""
    before = pay(ledger, "open", room=room)
    charge = pay(ledger, "r1", room=room)
    assert ledger.verify() == []
    with_room = ledger.path.stat().st_size

    ledger.file.settle(charge, text)

    assert ledger.book().settled("r1").result == text
    assert ledger.verify() == []
    if len(text.encode()) <= room:
        assert ledger.path.stat().st_size == with_room
    ledger.void(before.seq, reason="killed")
    assert ledger.verify() == []


def test_a_charge_is_found_by_its_token(ledger):
    """Open, answered or void; and a token that was never written."""
    charges = [pay(ledger, f"r{token}", token=token) for token in "abc"]
    ledger.file.settle(charges[1], "text")
    ledger.void(charges[2].seq, reason="killed")

    found = [ledger.file.standing(token) for token in "abcd"]

    assert [(one.state, one.seq) for one in found] == [
        ("open", 1), ("answered", 2), ("void", 3), ("new", 0),
    ]  # fmt: skip
    ledger.path.unlink()
    assert ledger.file.standing("a").state == "unknown"


@pytest.mark.claim("C36")
@pytest.mark.parametrize("written", [True, False])
def test_a_charge_whose_commit_fails_is_looked_for_in_the_file(ledger, written, monkeypatch):
    """The disk failed: what is said of the charge is what the file holds then."""
    honest = store.patiently

    def patiently(connection, statement):
        if statement != "COMMIT" or not connection.in_transaction or failed:
            return honest(connection, statement)
        failed.append(honest(connection, "COMMIT" if written else "ROLLBACK"))
        raise sqlite3.OperationalError

    failed = []
    monkeypatch.setattr(store, "patiently", patiently)
    with pytest.raises(LedgerError, match="while a write to") as refused:
        pay(ledger, token="5e" * 16)

    outcome = (
        "charge 1 was written all the same and stays spent" if written else "nothing was charged"
    )
    assert outcome in refused.value.why
    assert (len(ledger.book().entries), ledger.verify()) == (int(written), [])


def test_a_fingerprint_is_kept_beside_its_answer_and_shown_nowhere(ledger):
    """It comes back as it was; what people and programs see of the book does not hold it."""
    kept = Fingerprint("5ec2e701" * 8, "5ec2e702" * 8, "5ec2e703" * 2, "5ec2e704" * 8)
    result = ledger.file.settle(pay(ledger), "text", kept)
    other = ledger.file.settle(pay(ledger, "r2"), "text")

    assert (ledger.file.fingerprint(result), ledger.file.fingerprint(other)) == (kept, None)
    assert (result.data, other.data) == (kept.commitment(), "")
    seen = [ledger, ledger.book(), result, ledger._repr_html_(), kept, ledger.book().rows()]
    assert not any("5ec2e70" in f"{thing!r} {thing}" for thing in seen)
    assert ledger.book().check() == []  # the chain is whole without the fingerprints
    assert ledger.verify() == []


def test_a_commitment_says_nothing_of_what_it_commits_to():
    """Every part counts, and the nonce hides them: it is random, and as long as the hash."""
    kept = Fingerprint("5e" * 32, "a", "b", "c")
    others = [Fingerprint("5f" * 32, "a", "b", "c"), Fingerprint("5e" * 32, "x", "b", "c")]
    others += [Fingerprint("5e" * 32, "a", "x", "c"), Fingerprint("5e" * 32, "a", "b", "x")]
    others += [Fingerprint("5e" * 32, "ab", "", "c")]

    assert len({one.commitment() for one in [kept, *others]}) == 6


def test_a_changed_fingerprint_is_refused(ledger):
    """Before it could say that other data is the same; nothing else in the file gives it away."""
    result = ledger.file.settle(pay(ledger), "text", Fingerprint("a", "the old data", "c"))
    raw = ledger.path.read_bytes()
    assert raw.count(b"the old data") == 1
    ledger.path.write_bytes(raw.replace(b"the old data", b"the new data"))

    assert ledger.book().check() == []
    with pytest.raises(LedgerError, match="damaged") as refusal:
        ledger.file.fingerprint(result)
    assert "the one that its entry commits to" in refusal.value.why
    assert any("commits to another fingerprint" in fault for fault in ledger.verify())


@pytest.mark.parametrize(
    ("body", "more", "room", "text"),
    [
        (b"ab", None, 2, "ab"),
        (b"ab\0\0", None, 4, "ab"),
        (b"ab", b"c", 2, "abc"),
        (b"", b"c", 0, "c"),
        (b"ab\0", b"c", 3, ValueError),  # more, although there is room
        (b"ab", b"", 2, ValueError),  # no more, said in a row
        (b"ab", None, 3, TypeError),  # not the room that was kept
        (None, None, 0, TypeError),
        ("ab", None, 2, TypeError),
        (b"\xff", None, 1, ValueError),
        *(
            (text.encode() + bytes(zeros), None, len(text) + zeros, text)
            for text in ("ab", "a\0b", "a" + "\0" * 200_000 + "b", "")
            for zeros in (65_535, 65_536, 200_001)
        ),
    ],
)
def test_an_answer_that_lies_in_another_way_is_damage(body, more, room, text):
    """Each way to keep an answer is the only one, so that no byte is without meaning."""
    if isinstance(text, str):
        assert layout.answer_in(body, more, room) == text
        assert layout.bodies(text, room) == (body.rstrip(b"\0"), more or b"")
        return
    with pytest.raises(text):
        layout.answer_in(body, more, room)


def test_several_charges_are_voided_in_one_transaction(ledger):
    """All or none, and the file accounts for one write."""
    for request in "abc":
        pay(ledger, request)
    before = ledger.path.read_bytes()

    with pytest.raises(InputError, match="no charge has it"):
        ledger.void(1, 2, 7, reason="killed")
    assert ledger.path.read_bytes() == before

    entries = ledger.void(3, 1, reason="killed")

    assert [entry.refers for entry in entries] == [1, 3]
    assert [row.state for row in ledger.book().rows()] == ["void", "open", "void"]
    assert ledger.verify() == []


@pytest.mark.claim("C327")
def test_lost_tries_of_one_request_are_voided_together_as_the_rules_say(ledger):
    """Each void is linked to the one before it, and the request can be paid and answered after them."""
    for _ in range(3):
        pay(ledger, "a")
    ledger.void(1, 2, 3, reason="killed")
    ledger.file.settle(pay(ledger, "a"), "text")
    book = ledger.book()

    assert [row.state for row in book.rows()] == ["void", "void", "void", "answered"]
    assert made_again(book).entries == book.entries
    assert ledger.verify() == []


@pytest.mark.claim("C327")
def test_the_newest_charge_of_a_request_is_told_with_what_settles_it(ledger):
    """Open, answered, void, and none; other requests stand between."""
    newest = ledger.file.newest_charge
    charges = [pay(ledger, name) for name in "abc"]
    ledger.file.settle(charges[1], "text")
    ledger.void(3, reason="killed")

    states = [(newest(name).charge.seq, newest(name).state) for name in "abc"]
    assert states == [(1, "open"), (2, "answered"), (3, "void")]
    assert newest("d") is None
    pay(ledger, "c")
    assert (newest("c").charge.seq, newest("c").state) == (6, "open")
