"""Books with charges, answers and voids."""

from discreet.ledgers.book import Book, Header
from discreet.privacy.loss import Loss, zcdp

WHEN = "2026-01-04T10:00:00+00:00"


def empty(budget: Loss) -> Book:
    return Book(Header("7f3a", WHEN, budget.plain(), "visits"), name="visits.ledger")


def charged(book: Book, loss: Loss, request: str = "r1", plan: str = "ab12") -> Book:
    return book.plus(
        book.charge(
            request=request, plan=plan, loss=loss, events=[], who="sven", why="test", when=WHEN
        )
    )


def answered(book: Book, seq: int) -> Book:
    return book.plus(book.result(seq=seq, text='{"a":1}', who="sven", when=WHEN))


def voided(book: Book, seq: int, reason: str = "killed before its noise was drawn") -> Book:
    return book.plus(book.void(seq=seq, reason=reason, who="sven", when=WHEN))


def full_book() -> Book:
    book = answered(charged(empty(zcdp(1)), zcdp("1/4")), 1)
    book = voided(charged(book, zcdp("1/4"), "r2", "cd34"), 3)
    return charged(book, zcdp("1/4"), "r3", "ef56")
