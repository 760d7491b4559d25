"""The file that keeps the book, and everything that can be wrong with it."""

import os
import re
import sqlite3
import stat
import threading
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.errors import BudgetError, InputError, InternalError, LedgerError
from discreet.ledgers import layout, store
from discreet.ledgers.file import Charge, Ledger, create, open_ledger
from discreet.ledgers.fingerprint import Fingerprint
from discreet.privacy.loss import Loss, approx, pure, zcdp


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return create(tmp_path / "visits.ledger", budget=zcdp("1/8"), subject="visits", id="7f3a")


def pay(ledger: Ledger, request: str = "r1", loss="1/50", plan: str = "ab12", **more) -> Charge:
    return ledger.reserve(request=request, plan=plan, loss=zcdp(loss), events=[], **more)


def run_sql(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def test_a_new_ledger_is_private_sound_and_has_its_whole_budget(ledger):
    """Only the owner can read it; nothing is spent; nothing is wrong."""
    assert stat.S_IMODE(ledger.path.stat().st_mode) == 0o600
    assert (ledger.left(), ledger.spent(), ledger.verify()) == (zcdp("1/8"), zcdp(0), [])
    assert open_ledger(ledger.path) == ledger
    assert open_ledger(str(ledger.path), subject="visits").book().header.id == "7f3a"


def test_a_charge_and_its_result_are_there_for_the_next_reader(ledger):
    """What was written is read back, with who and why."""
    charge = pay(ledger, who="ana", why="annual table")
    result = ledger.settle(charge, '{"answer":[1,2]}')

    book = open_ledger(ledger.path).book()
    assert [entry.kind for entry in book.entries] == ["charge", "result"]
    assert (book.entries[0].who, book.entries[0].why) == ("ana", "annual table")
    assert (book.settled("r1"), book.head()) == (result, (2, result.hash))
    assert (charge.seq, charge.hash) == (1, book.entries[0].hash)
    assert (ledger.left(), ledger.head(), ledger.verify()) == (zcdp("21/200"), book.head(), [])


def test_a_repeat_returns_the_stored_text_for_nothing(ledger):
    """Same request, same plan: the same bits, one spend."""
    first = pay(ledger)
    stored = ledger.settle(first, "text")

    again = [pay(ledger) for _ in range(3)]

    assert again == [Charge(first.seq, first.hash, stored)] * 3
    assert ledger.spent() == zcdp("1/50")


def test_a_known_request_with_another_plan_is_refused(ledger):
    """Answered or not, an id stands for one plan."""
    pay(ledger, "open")
    ledger.settle(pay(ledger, "done"), "text")

    for request in ("open", "done"):
        with pytest.raises(InputError, match="another plan"):
            pay(ledger, request, plan="cd34")
    assert ledger.spent() == zcdp("1/25")


def test_a_second_try_after_a_crash_pays_again_until_the_first_is_voided(ledger):
    """A charge without a result is never used again."""
    lost, second = pay(ledger), pay(ledger)
    ledger.settle(second, "text")
    assert (lost.settled, second.settled, ledger.spent()) == (None, None, zcdp("1/25"))

    ledger.void(lost.seq, reason="killed before its noise was drawn")

    assert (ledger.spent(), ledger.verify()) == (zcdp("1/50"), [])


def test_two_answers_to_one_request_are_one_answer(ledger):
    """Whoever comes second hands out the first one's text."""
    one, two = pay(ledger), pay(ledger)
    first = ledger.settle(one, "first")

    assert ledger.settle(two, "second") == first
    assert ledger.settle(one, "third") == first
    assert (first.result, len(ledger.book().entries), ledger.verify()) == ("first", 3, [])


def test_the_answer_to_a_voided_charge_is_not_stored(ledger):
    """The owner was faster; the answer may not leave."""
    charge = pay(ledger)
    ledger.void(charge.seq, reason="it hung")

    with pytest.raises(BudgetError, match="was voided"):
        ledger.settle(charge, "text")
    assert ledger.book().settled("r1") is None


def test_a_charge_of_another_file_is_not_settled_here(ledger, tmp_path):
    """A file that was exchanged between charge and result gets no answer."""
    other = create(tmp_path / "other.ledger", budget=zcdp(1), id="other")
    charge = pay(ledger)
    pay(other)

    for wrong in (charge, Charge(9, "0" * 64)):
        with pytest.raises(LedgerError, match="does not have charge"):
            other.settle(wrong, "text")


def test_what_does_not_fit_is_refused_and_nothing_is_written(ledger):
    """The file is the same, byte for byte."""
    pay(ledger)
    before = ledger.path.read_bytes()

    with pytest.raises(BudgetError, match=r"only 0.105 is left in visits.ledger") as refusal:
        pay(ledger, "r2", "1/8", fix="the nearest plan that fits")
    assert refusal.value.fix == "the nearest plan that fits"
    with pytest.raises(InputError):
        ledger.reserve(request="r2", plan="p", loss=approx(1, "1e-6"), events=[])
    with pytest.raises(InputError):
        ledger.void(1, reason="")
    assert ledger.path.read_bytes() == before


@pytest.mark.parametrize("budget", [pure(1), approx(1, "1e-6"), approx(1, 0), zcdp("1/3")])
def test_a_budget_of_each_kind_can_be_spent_to_its_last_bit(tmp_path, budget):
    """Thirds add up to the whole, in the rules and behind them."""
    ledger = create(tmp_path / "a.ledger", budget=budget, id="x")
    third = budget.times(Fraction(1, 3))
    for request in "abc":
        ledger.settle(ledger.reserve(request=request, plan="p", loss=third, events=[]), "x")

    assert (ledger.spent(), ledger.left().is_zero(), ledger.verify()) == (budget, True, [])


def test_a_large_result_and_odd_letters_come_back_as_they_were(ledger):
    """Several pages long, beyond the first plane of Unicode, quotes and line ends."""
    text = '{"ü": "𝔘\\n' + "x\r\n'" * 100_000 + '"}'
    ledger.settle(pay(ledger, "réq'uest; --", why='line\n"two"'), text)

    assert ledger.book().settled("réq'uest; --").result == text
    assert ledger.verify() == []


@pytest.mark.parametrize("room", [0, 1, 3, 4, 5, 1000, 70_000, 200_000])
@pytest.mark.parametrize("text", ["", "text", "ü" * 40_000])
def test_an_answer_lies_in_the_room_of_its_charge_and_the_rest_behind(ledger, room, text):
    """Too small, just right or too large: the text comes back, and every byte is accounted for."""
    before = pay(ledger, "open", room=room)
    charge = pay(ledger, "r1", room=room)
    assert ledger.verify() == []
    with_room = ledger.path.stat().st_size

    ledger.settle(charge, text)

    assert ledger.book().settled("r1").result == text
    assert ledger.verify() == []
    if len(text.encode()) <= room:
        assert ledger.path.stat().st_size == with_room
    ledger.void(before.seq, reason="killed")
    assert ledger.verify() == []


def test_a_charge_is_found_by_its_token(ledger):
    """Open, answered or void; and a token that was never written."""
    charges = [pay(ledger, f"r{token}", token=token) for token in "abc"]
    ledger.settle(charges[1], "text")
    ledger.void(charges[2].seq, reason="killed")

    found = [ledger.standing(token) for token in "abcd"]

    assert [(one.state, one.seq) for one in found] == [
        ("open", 1), ("answered", 2), ("void", 3), ("new", 0),
    ]  # fmt: skip
    ledger.path.unlink()
    assert ledger.standing("a").state == "unknown"


def test_a_fingerprint_is_kept_beside_its_answer_and_shown_nowhere(ledger):
    """It comes back as it was; what people and programs see of the book does not hold it."""
    kept = Fingerprint("5ec2e701" * 8, "5ec2e702" * 8, "5ec2e703" * 2, "5ec2e704" * 8)
    result = ledger.settle(pay(ledger), "text", kept)
    other = ledger.settle(pay(ledger, "r2"), "text")

    assert (ledger.fingerprint(result), ledger.fingerprint(other)) == (kept, None)
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
    result = ledger.settle(pay(ledger), "text", Fingerprint("a", "the old data", "c"))
    raw = ledger.path.read_bytes()
    assert raw.count(b"the old data") == 1
    ledger.path.write_bytes(raw.replace(b"the old data", b"the new data"))

    assert ledger.book().check() == []
    with pytest.raises(LedgerError, match="damaged") as refusal:
        ledger.fingerprint(result)
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


def test_a_ledger_is_never_overwritten(ledger, tmp_path):
    """Neither a ledger nor any other file; an empty one, left by an interruption, is used."""
    (tmp_path / "other").write_text("notes")
    (tmp_path / "empty").touch(mode=0o644)
    (tmp_path / "folder").mkdir()

    for name in ("visits.ledger", "other", "folder"):
        with pytest.raises(LedgerError, match="exists already"):
            create(tmp_path / name, budget=zcdp(1), id="x")
    with pytest.raises(LedgerError, match="empty"):
        open_ledger(tmp_path / "empty")
    made = create(tmp_path / "empty", budget=zcdp(1), id="x")
    assert (made.verify(), stat.S_IMODE(made.path.stat().st_mode)) == ([], 0o600)
    with pytest.raises(LedgerError, match="cannot be made"):
        create(tmp_path / "no" / "a.ledger", budget=zcdp(1), id="x")
    with pytest.raises(InputError, match="needs an id"):
        create(tmp_path / "b.ledger", budget=zcdp(1), id="")


def test_a_budget_that_could_not_be_read_back_is_refused(tmp_path):
    """Before a file is made."""
    with pytest.raises(InputError, match="cannot be kept exactly"):
        create(tmp_path / "a.ledger", budget=Loss("zcdp", (Fraction(1, 10**401),)), id="x")
    assert list(tmp_path.iterdir()) == []


def missing(path: Path) -> None:
    path.unlink()


def a_text(path: Path) -> None:
    path.write_text("these are notes, not a ledger\n" * 100)


def half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:12_000])


def another_database(path: Path) -> None:
    path.unlink()
    run_sql(path, "CREATE TABLE entry (seq)")


def newer(path: Path) -> None:
    run_sql(path, "PRAGMA user_version = 3")


def older(path: Path) -> None:
    run_sql(path, "PRAGMA user_version = 0")


def without_a_lock(path: Path) -> None:
    run_sql(path, "DROP TRIGGER entry_fits")


def write_ahead(path: Path) -> None:
    run_sql(path, "PRAGMA journal_mode = WAL")


def second_name(path: Path) -> None:
    os.link(path, path.with_name("b"))


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def zeros(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


WRONG = {
    missing: "there is no ledger at",
    a_text: "is not a ledger",
    half: "is damaged",
    another_database: "is not a ledger",
    newer: "has format 3, this version knows 2",
    older: "is damaged or was changed",
    without_a_lock: "is damaged or was changed",
    write_ahead: "was switched to write-ahead logging",
    second_name: "not an ordinary file with one name",
    a_folder: "not an ordinary file with one name",
    zeros: "is not a ledger",
}


@pytest.mark.parametrize("harm", WRONG, ids=lambda harm: harm.__name__)
def test_a_file_that_is_no_sound_ledger_is_refused_in_three_lines(ledger, harm):
    """Opening, reading, charging: each says what happened, why, and what to do."""
    pay(ledger)
    harm(ledger.path)

    for act in (lambda: open_ledger(ledger.path), ledger.left, lambda: pay(ledger, "r2")):
        with pytest.raises(LedgerError, match=WRONG[harm]) as refusal:
            act()
        assert str(refusal.value).count("\n") == 2
        assert all((refusal.value.what, refusal.value.why, refusal.value.fix))


def test_the_ledger_of_another_data_set_is_refused(ledger, tmp_path):
    """A ledger made without a subject serves any."""
    with pytest.raises(LedgerError, match="protects visits, not taxi"):
        open_ledger(ledger.path, subject="taxi")
    free = create(tmp_path / "free.ledger", budget=zcdp(1), id="x")
    assert open_ledger(free.path, subject="taxi") == free


@pytest.mark.slow
def test_a_locked_ledger_is_waited_for_and_then_refused(ledger, monkeypatch):
    """The message says so, and nothing was written."""
    monkeypatch.setattr(store, "PATIENCE", 0)
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(LedgerError, match="locked by another process"):
            pay(ledger)
        with pytest.raises(LedgerError, match="locked by another process"):
            ledger.verify()
    assert (ledger.spent(), ledger.verify()) == (zcdp(0), [])


def test_a_read_may_go_on_while_another_process_writes(ledger):
    """A writer that has not committed yet hides nothing and shows nothing."""
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert ledger.left() == zcdp("1/8")


@pytest.mark.claim("C11")
def test_the_settings_that_make_a_charge_durable_are_in_force(ledger):
    """Read back on a live connection."""
    with store.transaction(ledger.path, write=True) as connection:
        values = {
            name: connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "secure_delete")
        }

    assert values == {"journal_mode": "delete", "synchronous": 3, "secure_delete": 1}


def test_a_library_without_these_settings_is_refused(ledger, monkeypatch):
    """A setting that does not come back as it was set is not in force."""
    monkeypatch.setattr(store, "_SETTINGS", (("synchronous", 7),))

    with pytest.raises(LedgerError, match="does not accept synchronous = 7"):
        pay(ledger)


def interrupted_write(path: Path, stop: type[BaseException]) -> None:
    with store.transaction(path, write=True) as connection:
        connection.execute(
            "INSERT INTO entry VALUES (1, NULL, 'charge', 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, "
            "'', '', '', '', '', '', '', '{}', '', '', '', x'', '', (SELECT root FROM book), '')"
        )
        raise stop


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, MemoryError])
def test_an_interrupted_write_leaves_nothing_behind(ledger, stop):
    """Ctrl-C between the entry and its commit: the ledger is as before, and not locked."""
    before = ledger.path.read_bytes()

    with pytest.raises(stop):
        interrupted_write(ledger.path, stop)

    assert ledger.path.read_bytes() == before
    assert not ledger.path.with_name("visits.ledger-journal").exists()
    assert pay(ledger).seq == 1


COPY = (
    "SELECT {seq}, {refers}, '{kind}', {sum}, 0, 0, {cost}, 0, 0, 1, 3, 0, 2, 0, {room}, 0, "
    "'{token}', '{data}', at, who, why, request, plan, {loss}, spent, paid, answer, links, was, "
)
CHAIN = "(SELECT hash FROM entry ORDER BY seq DESC LIMIT 1), 'x' FROM entry WHERE seq = 1"
VOID = (1 << 52) * 4 // 25
SPENT = (1 << 52) * 8 // 25  # two charges of 1/50, of 1/8
USUAL = {"seq": 4, "sum": SPENT + 1, "cost": 1, "refers": "NULL", "kind": "charge"}
USUAL |= {"token": "", "room": 0, "data": "", "loss": "loss"}


def copy(**changes) -> str:
    return ("INSERT INTO entry " + COPY + CHAIN).format(**{**USUAL, **changes})


BUGS = {
    "a charge must fit": copy(sum=(1 << 52) + 1, cost=(1 << 52) + 1 - SPENT),
    "what stands spent must follow": copy(sum=SPENT),
    "what stands spent must follow ": copy(sum=0, cost=0),
    "what stands spent must follow  ": copy(sum=SPENT + 3),
    "what stands spent must follow   ": copy(kind="topup", refers=1, loss="NULL"),
    "an entry must follow": copy(seq=6),
    "only an open charge can be settled": copy(
        kind="void", refers=1, loss="NULL", sum=SPENT - VOID, cost=VOID
    ),
    "CHECK constraint": copy(sum=f"{SPENT}.5", cost=0),
    "CHECK constraint failed": copy(loss="NULL"),
    "CHECK constraint ": copy(room=-1),
    "CHECK constraint  ": copy(data="x"),
    "comes with it": "INSERT INTO answer VALUES (4, x'00')",
    "comes with it ": "INSERT INTO fingerprint VALUES (2, '', '', '', '')",
    "the book only grows    ": "UPDATE answer SET body = x'00'",
    "the book only grows     ": "DELETE FROM answer",
    "the book only grows      ": "UPDATE fingerprint SET gate = ''",
    "the book only grows       ": "DELETE FROM fingerprint",
    "the book only grows": "UPDATE entry SET first_share = 0",
    "the book only grows ": "DELETE FROM entry",
    "the book only grows  ": "DELETE FROM book",
    "the book only grows   ": "UPDATE book SET subject = ''",
    "the book only grows        ": "UPDATE paid SET events = '[]'",
    "the book only grows         ": "DELETE FROM paid",
    "the book only grows          ": "UPDATE cap SET units = '9'",
    "the book only grows           ": "DELETE FROM cap",
    "comes with it  ": "INSERT INTO paid VALUES (2, '[]')",
    "a book has one header ": "INSERT INTO cap SELECT 2, 1, '', '', '', '', 0",
    "a book has one header": "INSERT INTO book SELECT * FROM book",
}


@pytest.mark.parametrize("reason", BUGS)
def test_a_program_that_forgets_the_rules_meets_the_files_own_lock(ledger, reason):
    """The triggers hold even where the rules of the book were not asked."""
    ledger.settle(pay(ledger), "text", Fingerprint("a", "b", "c"))
    pay(ledger, "r2")

    with (
        pytest.raises(InternalError, match=reason.strip()),
        store.transaction(ledger.path, write=True) as connection,
    ):
        connection.execute(BUGS[reason])
    assert (ledger.spent(), ledger.verify()) == (zcdp("1/25"), [])


def test_the_lock_behind_the_rules_lets_a_right_entry_pass(ledger):
    """The same statement with the right numbers is accepted by the file (and found by verify)."""
    ledger.settle(pay(ledger), "text")
    pay(ledger, "r2")

    with store.transaction(ledger.path, write=True) as connection:
        connection.execute(copy(sum=SPENT + 10, cost=10))

    assert ledger.verify() != []


def test_a_head_that_a_release_has_seen_is_missed_in_an_older_copy(ledger):
    """Rollback of the file is found by what the releases carry."""
    pay(ledger)
    older = ledger.path.read_bytes()
    charge = pay(ledger, "r2")
    seen = [(1, ledger.book().entries[0].hash), (charge.seq, charge.hash)]
    assert ledger.verify(seen) == []

    ledger.path.write_bytes(older)

    assert ledger.verify() == []
    assert len(ledger.verify(seen)) == 1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_threads_and_forks_of_one_process_do_not_meet_each_others_connections(ledger):
    """While threads write, children are forked that write too; every charge is counted once."""

    def work(name: str) -> None:
        for number in range(4):
            ledger.settle(pay(ledger, f"{name}{number}", "1/1000"), "x")

    threads = [threading.Thread(target=work, args=(f"thread{index}-",)) for index in range(3)]
    for thread in threads:
        thread.start()
    children = []
    for index in range(3):
        child = os.fork()
        if child == 0:
            try:
                work(f"child{index}-")
            except BaseException:  # noqa: BLE001 - the child ends here, whatever happened
                os._exit(1)
            os._exit(0)
        children.append(child)
    for thread in threads:
        thread.join()

    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    assert (ledger.spent(), ledger.verify()) == (zcdp("24/1000"), [])


@pytest.mark.claim("C12")
@pytest.mark.parametrize(
    ("budget", "less"),
    [
        (pure("1/41"), '"0.02439'),
        (zcdp(Fraction(1, 2**40)), '"9.09'),
        (approx("1", "1e-25"), '"1", "0")'),
    ],
    ids=str,
)
def test_a_budget_that_is_no_whole_number_of_units_is_refused(tmp_path, budget, less):
    """Before a file is made; what the refusal says to type is whole, and a little less."""
    with pytest.raises(InputError, match="cannot be kept exactly") as refusal:
        create(tmp_path / "a.ledger", budget=budget, id="x")

    assert less.replace('"', "") in refusal.value.fix.replace('"', "")
    numbers = re.findall(r'"([^"]*)"', refusal.value.fix)
    makers = {"pure": pure, "zcdp": zcdp, "approx": approx}
    smaller = makers[budget.kind](*numbers)
    assert smaller.fits(budget)
    assert create(tmp_path / "b.ledger", budget=smaller, id="x").left() == smaller
    assert sorted(os.listdir(tmp_path)) == ["b.ledger"]
