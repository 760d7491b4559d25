"""How a ledger shows itself in a terminal and a notebook, without a float."""

from fractions import Fraction

from ..exact.number import text_of
from ..privacy.loss import AnyLoss, Approx, Pure
from ..text import Sheet
from .book import Book, Row

_CELLS = 40
_HASH_SHOWN = 12
_TENTH = Fraction(1, 10)
_STATES = {
    "answered": "answered",
    "open": "OPEN",
    "void": "void",
}


def sheet_of(book: Book) -> Sheet:
    """Return what is spent and left, and the charges, the oldest first."""
    budget, spent, left = book.budget(), book.spent(), book.left()
    return Sheet(
        title=f"Ledger of {book.header.subject or 'any data'}: {left} left of {budget}.",
        above=(
            f"{_bar(spent, budget)} spent {spent}",
            f"id {book.header.id}, started {_moment(book.header.created)}",
        ),
        columns=("entry", "when (UTC)", "who", "why", "request", "loss", "state"),
        rows=tuple(_row(row) for row in book.rows()),
        below=_below(book),
        right=("entry",),
    )


def share_spent(spent: AnyLoss, budget: AnyLoss) -> Fraction:
    """Return the part of the budget that is spent, between 0 and 1; of two numbers the larger."""
    shares = [
        used / most  # exact: rationals
        for used, most in zip(_numbers(spent), _numbers(budget), strict=True)
        if most > 0
    ]
    return min(Fraction(1), max(shares, default=Fraction(1)))


def _bar(spent: AnyLoss, budget: AnyLoss) -> str:
    """Return the bar; a cell is full once any of it is spent, so that it never shows too much."""
    share = share_spent(spent, budget)
    full = -(-share * _CELLS // 1)
    return f"[{'█' * full}{'░' * (_CELLS - full)}] {text_of(-(-share * 1000 // 1) * _TENTH)} %"


def _numbers(loss: AnyLoss) -> tuple[Fraction, ...]:
    if isinstance(loss, Pure):
        return (loss.epsilon,)
    return (loss.epsilon, loss.delta) if isinstance(loss, Approx) else (loss.rho,)


def _row(row: Row) -> tuple[str, ...]:
    request = row.request
    short = request if len(request) <= 2 * _HASH_SHOWN else f"{request[:_HASH_SHOWN]}…"
    state = _STATES[row.state]
    return (str(row.seq), _moment(row.when), row.who, row.why, short, row.loss, state)


def _moment(when: str) -> str:
    """Return a time to the minute: 2026-01-04 09:00."""
    return when[:16].replace("T", " ")


def _below(book: Book) -> tuple[str, ...]:
    if not book.rows():
        return ("Nothing has been charged yet.",)
    if not book.open_charges():
        return ()
    return ("OPEN: paid, not answered. It stays spent: its noise may have been seen.",)
