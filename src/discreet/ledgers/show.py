"""How a ledger shows itself in a terminal and a notebook, without a float."""

import json
from fractions import Fraction
from itertools import islice
from pathlib import Path
from shlex import quote

from ..errors import shown
from ..exact.number import few_up, rounded, text_of
from ..noise.discrete_laplace import DiscreteLaplace
from ..privacy.conversion import epsilon_up as rho_read
from ..privacy.gdp import epsilon_up
from ..privacy.loss import Loss
from ..text import Sheet
from .book import Book, ChargeRow
from .entry import promise_in
from .tight import noise_of, tight_words

_BAR = 40
_SHOWN = 20
_NAMED = 3  # kinds of data that are named
_SENTENCE = 300  # letters of a unit
_MOST_READ = 1_000_000  # letters of an answer that is looked into
_READ_AT = Fraction(1, 10**6)


def sheet_of(book: Book, path: Path, *, tight: bool = False) -> Sheet:
    """Return a ledger as a table for people: a bar, the last charges, what is open.

    Args:
        book: the book.
        path: its file, named in the advice on open charges.
        tight: whether to say what all charges keep, had all plans been fixed in advance.
    """
    rows = book.rows()
    more = len(rows) - _SHOWN
    below = [f"... and {more:,} earlier charges."] if more > 0 else []
    below += _open_ones([row.seq for row in rows if row.state == "open"], path)
    return Sheet(
        title=f"{book.name}: {book.left()} is left of {_amount(book.budget())}.",
        columns=("charge", "when", "who", "what for", "price", "state"),
        rows=tuple(_row(row) for row in rows[-_SHOWN:]),
        above=(
            f"Protects: {book.header.subject or 'any data'}, since {book.header.created[:10]}.",
            *_protected(book),
            *_promised(book),
            *_bars(book),
            *([tight_words(book)] if tight and rows else []),
        ),
        below=tuple(below) if rows else ("Nothing has been charged yet.",),
        right=("charge", "price"),
    )


def _protected(book: Book) -> list[str]:
    """Return the data of the newest answers, each with the unit that is protected."""
    stored = (entry.result for entry in reversed(book.entries) if entry.result)
    texts = [text for text in islice(stored, _SHOWN) if len(text) <= _MOST_READ]
    lines = dict.fromkeys(line for text in texts if (line := _data_and_unit(text)))
    more = [f"... and {len(lines) - _NAMED:,} more."] if len(lines) > _NAMED else []
    return [*islice(lines, _NAMED), *more]


def _data_and_unit(text: str) -> str:
    """Return what an answer says of its data and its unit, both public; "" of an unknown format."""
    try:
        document = json.loads(text)
        sentence = str(document["protection"]["sentence"]).removeprefix("Protected: ")
        return f"Of {shown(document['title'])}: {shown(sentence, _SENTENCE)}"
    except (ValueError, KeyError, TypeError):
        return ""


def _promised(book: Book) -> list[str]:
    """Return what three purses keep together, and what their borders are."""
    promise = promise_in(book.header.budget)
    if promise is None:
        return []
    pure, mu2, chance = book.spent().numbers
    epsilon = pure + epsilon_up(mu2, promise.delta - chance) if mu2 else pure
    if mu2 and pure and not chance:  # both laws: their account together is less than their sum
        noise = noise_of(book)
        epsilon = min(epsilon, (noise and noise.keeps(promise.delta)) or epsilon)
    fixed = Loss("approx", (few_up(epsilon), promise.delta if mu2 else chance))
    return [
        f"Keeps {promise} by three purses: epsilon of pure acts, mu2 of Gaussian noise, and "
        "chances to fail. Their borders do not move.",
        f"What was charged keeps {fixed}, had all questions been fixed in advance.",
    ]


def laplace_words(budget: Loss) -> str | None:
    """Return what Laplace noise costs a ledger that adds rho or mu^2; None for another one."""
    named = {name: size for name, size in budget.named.items() if size}
    if not {"rho", "mu2"} & named.keys() or "pure" in named:
        return None
    kind = "zcdp" if "rho" in named else "gdp"
    taken = DiscreteLaplace(Fraction(1)).loss_in(kind, l1=1, l2_squared=1)
    if taken is None:
        return None
    read = (rho_read if kind == "zcdp" else epsilon_up)(taken.numbers[0], _READ_AT)
    return (
        f"Laplace noise of epsilon = 1 takes {taken.few_up()} here, which reads as epsilon = "
        f"{rounded(read, 2)} at delta = {text_of(_READ_AT)}, and as 1 in a ledger with a purse for "
        "it (--pure)."
    )


def _open_ones(numbers: list[int], path: Path) -> list[str]:
    if not numbers:
        return []
    listed = ", ".join(map(str, numbers))
    what = f"Charge {listed} is open: it has no answer, and stays"
    if len(numbers) > 1:
        what = f"Charges {listed} are open: they have no answer, and stay"
    void = f"discreet ledger void {quote(shown(path, 4_096))} {' '.join(map(str, numbers))}"
    return [
        f"{what} spent: a run was broken off, or is still at work. An open charge is never used "
        f"again; the budget's owner may take it back, with: {void} --why REASON"
    ]


def _bars(book: Book) -> list[str]:
    spent, budget = book.spent().named, book.budget().named
    return [
        f"{_bar(part, whole)} {name} spent: {rounded(100 * share, 3)} % of the budget"
        for (name, part), (_, whole) in zip(spent.items(), budget.items(), strict=True)
        if whole or part or book.budget().kind != "purses"
        for share in [Fraction(part, whole) if whole else Fraction(1)]
    ]


def _bar(part: Fraction, whole: Fraction) -> str:
    """Return a bar that looks empty only if nothing, and full only if all, is spent."""
    if whole == 0 or part >= whole:
        return "█" * _BAR
    filled = 0 if part == 0 else min(_BAR - 1, max(1, round(Fraction(part * _BAR, whole))))
    return "█" * filled + "░" * (_BAR - filled)


def _row(row: ChargeRow) -> tuple[str, ...]:
    return (
        str(row.seq),
        row.when[:16].replace("T", " "),
        shown(row.who, 20),
        shown(row.why, 40),
        row.loss,
        row.state,
    )


def _amount(loss: Loss) -> str:
    return str(loss).split(" = ")[-1]
