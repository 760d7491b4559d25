"""A ledger as a sheet: what is spent and left, and every charge."""

from pathlib import Path

import pytest

import discreet as dp
from discreet.ledgers.book import Header
from discreet.ledgers.show import sheet_of
from discreet.privacy.loss import Loss, approx, pure, zcdp
from unit.books import GrowingBook

WHEN = "2026-01-04T09:00:00+00:00"
PATH = Path("visits.ledger")


def started(budget: Loss, subject: str = "") -> GrowingBook:
    return GrowingBook(Header("7f3a", WHEN, budget.plain(), subject), name=PATH.name)


def charged(
    book: GrowingBook, loss: Loss, *, request: str, why: str = "annual table"
) -> GrowingBook:
    entry = book.charge(
        request=request, plan="ab12", loss=loss, events=[], who="sven", why=why, when=WHEN
    )
    return book.plus(entry)


def test_a_ledger_shows_what_is_left_and_every_charge():
    """Each charge with its state; of an open one it says that it stays spent, and what to type."""
    book = started(zcdp("1/8"), "visits")
    for request in ("first", "second", "third"):
        book = charged(book, zcdp("1/50"), request=request)
    book = book.plus(book.result(seq=1, text="x", who="sven", when=WHEN))
    book = book.plus(book.void(seq=2, reason="power cut", who="mei", when=WHEN))

    shown = sheet_of(book, PATH)

    assert shown.title == "visits.ledger: rho = 0.085 is left of 0.125."
    assert [row[-1] for row in shown.rows] == ["answered", "void", "open"]
    assert "32 %" in shown.text()
    assert "stays spent" in " ".join(shown.text().split())
    assert "discreet ledger void visits.ledger 3 --why REASON" in shown.below[-1]


def test_an_empty_ledger_says_so():
    """No table of nothing."""
    shown = sheet_of(started(pure(1)), PATH)

    assert shown.rows == ()
    assert "Nothing has been charged yet." in shown.text()
    assert "any data" in shown.text()


def test_a_ledger_shows_itself(tmp_path):
    """Printed, and in a notebook."""
    book = dp.ledger(tmp_path / "visits.ledger", budget=zcdp("1/8"), subject="visits")

    assert str(book).startswith("visits.ledger: rho = 0.125 is left of 0.125.")
    assert "<strong>visits.ledger: rho = 0.125 is left" in book._repr_html_()


@pytest.mark.parametrize(
    ("spent", "budget", "bars"),
    [
        (pure("1e-9"), pure(1), ["█░"]),
        (pure("999999/1000000"), pure(1), ["█" * 39 + "░"]),
        (pure(1), pure(1), ["█" * 40]),
        (approx("1/2", "9e-7"), approx(1, "1e-6"), ["█" * 20 + "░", "█" * 36 + "░"]),
    ],
    ids=str,
)
def test_a_bar_is_full_only_when_all_is_spent(spent, budget, bars):
    """And empty only when nothing is; epsilon and delta have one each."""
    book = charged(started(budget), spent, request="one")

    lines = sheet_of(book, PATH).above[1:]

    assert len(lines) == len(bars)
    assert all(line.startswith(bar) for line, bar in zip(lines, bars, strict=True))


def test_what_people_wrote_cannot_steer_a_terminal():
    """Names and reasons are shown with their control characters escaped."""
    book = started(pure(1), "\x1b[31m")
    book = charged(book, pure("1/2"), request="\u202ename", why="\x1b]0;x\x07")

    for text in (sheet_of(book, PATH).text(), sheet_of(book, PATH).html()):
        assert not {c for c in text if not c.isprintable()} - {"\n"}


@pytest.mark.claim("C364")
def test_a_ledger_names_the_data_and_the_unit_of_its_answers(tmp_path):
    """Each kind once, the newest first, three at most; a title cannot steer a terminal."""
    import discreet as dp

    ledger = dp.ledger(tmp_path / "a.ledger", budget=dp.zcdp(9))
    units = {"a": "row", "b": dp.unit("p", max_rows=2), "c": "row", "d\x1b[2J": "row"}
    for name, unit in units.items():
        table = dp.table([{"p": 1}], unit=unit, name=name)
        for rho in ("1/50", "1/40"):
            plan = dp.plan(
                table,
                dp.count(max_rows_per_group=1) if name == "b" else dp.count(),
                spend=dp.zcdp(rho),
            )
            dp.run(plan, ledger=ledger)

    lines = str(ledger).split("\n")

    named = [line for line in lines if line.startswith(("Of ", "... and"))]
    assert [line.split(":")[0] for line in named] == [
        "Of d\\x1b[2J",
        "Of c",
        "Of b",
        "... and 1 more.",
    ]
    assert "all rows with the same p, at most 2 rows of each" in str(ledger).replace("\n", " ")
