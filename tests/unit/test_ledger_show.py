"""A ledger as a sheet: what is spent and left, and every charge."""

from fractions import Fraction

import pytest

from discreet.ledger.book import Book, Header
from discreet.ledger.show import share_spent, sheet_of
from discreet.privacy.loss import AnyLoss, approx, pure, zcdp

WHEN = "2026-01-04T09:00:00+00:00"


def charged(book: Book, loss: AnyLoss, *, request: str, why: str = "annual table") -> Book:
    entry = book.charge(
        request=request, plan="ab12", loss=loss, events=[], who="sven", why=why, when=WHEN
    )
    return book.plus(entry)


def test_a_ledger_shows_what_is_left_and_every_charge():
    """Each charge with its state; an open one is said to stay spent."""
    book = Book(Header("7f3a", WHEN, zcdp("1/8").plain(), "visits"))
    for request in ("first", "second", "third"):
        book = charged(book, zcdp("1/50"), request=request)
    book = book.plus(book.result(seq=1, text="x", who="sven", when=WHEN))
    book = book.plus(book.void(seq=2, reason="power cut", who="mei", when=WHEN))

    shown = sheet_of(book)
    assert shown.title == "Ledger of visits: rho = 0.085 left of rho = 0.125."
    assert [row[-1] for row in shown.rows] == ["answered", "void", "OPEN"]
    assert "32 %" in shown.text()
    assert "stays spent" in shown.text()


def test_an_empty_ledger_says_so():
    """No table of nothing."""
    shown = sheet_of(Book(Header("7f3a", WHEN, pure(1).plain(), "")))

    assert shown.rows == ()
    assert "Nothing has been charged yet." in shown.text()
    assert "any data" in shown.title


@pytest.mark.parametrize(
    ("spent", "budget", "share"),
    [
        (pure(0), pure(1), Fraction(0)),
        (pure("1/3"), pure(1), Fraction(1, 3)),
        (approx("1/2", "9e-7"), approx(1, "1e-6"), Fraction(9, 10)),
        (zcdp(0), zcdp(0), Fraction(1)),
    ],
    ids=str,
)
def test_the_bar_shows_the_number_that_runs_out_first(spent, budget, share):
    """Of epsilon and delta the one with less left; an empty budget is all spent."""
    assert share_spent(spent, budget) == share


def test_a_bar_is_never_empty_once_something_is_spent():
    """A cell is full once any of it is spent."""
    book = charged(Book(Header("7f3a", WHEN, pure(1).plain(), "")), pure("1e-9"), request="tiny")

    assert sheet_of(book).above[0].startswith("[█░")


def test_what_people_wrote_cannot_steer_a_terminal():
    """Names and reasons are shown with their control characters escaped."""
    book = Book(Header("7f3a", WHEN, pure(1).plain(), "\x1b[31m"))
    book = charged(book, pure("1/2"), request="\u202ename", why="\x1b]0;x\x07")

    for text in (sheet_of(book).text(), sheet_of(book).html()):
        assert not {c for c in text if not c.isprintable()} - {"\n"}
