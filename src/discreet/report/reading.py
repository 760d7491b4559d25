"""What a document says, read in one place for all the ways to show it."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from ..privacy.loss import loss_of
from .document import Document, Released


def labels(document: Document) -> list[str]:
    """Return a name for each statistic, numbered where two have the same."""
    plain = [released.label for released in document.statistics]
    return [
        label if plain.count(label) == 1 else f"{label} ({plain[: at + 1].count(label)})"
        for at, label in enumerate(plain)
    ]


def keys_of(released: Released) -> list[str]:
    """Return the key columns that a statistic is grouped by."""
    return released.answer.columns[: len(released.question.get("by", []))]


def has_bins(released: Released) -> bool:
    """Tell whether a statistic's rows are bins."""
    return len(released.answer.columns) == len(keys_of(released)) + 5


def has_columns(released: Released) -> bool:
    """Tell whether a statistic's rows are the columns of a vector, in each group."""
    return isinstance(released.question.get("column"), list)


def alpha_of(document: Document) -> Decimal:
    """Return alpha as a decimal, for people."""
    exact = Fraction(document.alpha)
    return Decimal(exact.numerator) / Decimal(exact.denominator)


def loss_text(document: Document) -> str:
    """Return the loss of the whole release in its own letters."""
    return str(loss_of(document.protection.loss))


def fair_shares(sizes: Sequence[int], most: int) -> list[int]:
    """Return how many rows of each table to show, so that the small ones are shown whole.

    Example:
        >>> fair_shares([2, 100, 100], 42)
        [2, 20, 20]
    """
    shares = [0] * len(sizes)
    left = most
    for rank, at in enumerate(sorted(range(len(sizes)), key=lambda i: sizes[i])):
        shares[at] = min(sizes[at], left // (len(sizes) - rank))
        left -= shares[at]
    return shares
