"""The file's own lock behind the rules: a program that forgets them cannot write."""

from pathlib import Path

import pytest

from discreet.errors import InternalError
from discreet.ledgers import store
from discreet.ledgers.entry import Fingerprint
from discreet.ledgers.file import Ledger, create
from discreet.privacy.loss import zcdp
from unit.ledgers.test_file import pay


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return create(tmp_path / "visits.ledger", budget=zcdp("1/8"), subject="visits", id="7f3a")


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
    ledger.file.settle(pay(ledger), "text", Fingerprint("a", "b", "c"))
    pay(ledger, "r2")

    with (
        pytest.raises(InternalError, match=reason.strip()),
        store.transaction(ledger.path, write=True) as connection,
    ):
        connection.execute(BUGS[reason])
    assert (ledger.spent(), ledger.verify()) == (zcdp("1/25"), [])


def test_the_lock_behind_the_rules_lets_a_right_entry_pass(ledger):
    """The same statement with the right numbers is accepted by the file (and found by verify)."""
    ledger.file.settle(pay(ledger), "text")
    pay(ledger, "r2")

    with store.transaction(ledger.path, write=True) as connection:
        connection.execute(copy(sum=SPENT + 10, cost=10))

    assert ledger.verify() != []
