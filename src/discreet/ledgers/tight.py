"""What all charges of a book keep together, had every plan been fixed in advance.

Rules of this module:
- a figure to read beside the book, never a rule: no charge is let in by it. Whoever chooses a
  plan after seeing an answer is held by what adds up;
- noise is composed as the account of both laws has it (`mixture`); a pure act of which nothing else
  is known counts as randomized response, which each such act is made of, and a chance to fail adds;
- a charge whose acts are not all known counts as the loss that was charged; one in rho of which
  nothing else is known has no such figure, and then the book has none;
- it errs on the safe side: never below the truth.

Decision 122.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ..errors import InputError
from ..exact.number import few_up, text_of
from ..noise import mixture
from ..noise.discrete_gaussian import DiscreteGaussian
from ..noise.registry import law_of
from ..privacy.conversion import epsilon_up as rho_read
from ..privacy.gdp import epsilon_up as mu2_read
from ..privacy.loss import Loss
from .book import Book
from .entry import Entry, promise_in

_READ_AT = Fraction(1, 10**6)
_MANY = 32  # different noise, of which each has a table: beyond, tables are coarser


@dataclass(slots=True)
class Composed:
    """What charges are made of: the mu^2 of Gaussian noise, Laplace noise, and chances to fail."""

    mu2: Fraction = Fraction(0)
    laplace: list[mixture.Laplace] = field(default_factory=list)
    chance: Fraction = Fraction(0)

    def add(self, other: "Composed") -> None:
        """Take in what other charges are made of."""
        self.mu2 += other.mu2
        self.laplace += other.laplace
        self.chance += other.chance

    def keeps(self, delta: Fraction) -> Fraction | None:
        """Return an epsilon that all of it keeps at a delta; None where chances leave nothing."""
        rest = delta - self.chance
        if rest <= 0 or not (self.mu2 or self.laplace):
            pure = sum((l1 / scale for scale, l1 in self.laplace), Fraction(0))  # exact: rationals
            return None if self.mu2 or rest < 0 else pure
        points = mixture.FINE if len(set(self.laplace)) <= _MANY else mixture.COARSE
        return mixture.epsilon_up(self.mu2, self.laplace, rest, points=points)


def tight(book: Book) -> Loss | None:
    """Return the (epsilon, delta) of all charges that were not voided, had all been fixed before.

    The delta is that of the budget, or one in a million. None where some charge has no such figure.
    """
    noise = noise_of(book)
    delta = _delta_of(book)
    epsilon = None if noise is None else noise.keeps(delta)
    return None if epsilon is None else Loss("approx", (few_up(epsilon), delta))


def tight_words(book: Book) -> str:
    """Return the figure in a sentence that says what it is not."""
    kept, delta = tight(book), _delta_of(book)
    if kept is None:
        return (
            "Tight: there is no such figure, since a charge is more than noise of known size; "
            "what adds up is all that is known."
        )
    read = _read(book.spent(), delta)
    beside = "" if read is None else f" What adds up reads as epsilon = {text_of(few_up(read))}."
    return (
        f"Tight: all that was charged keeps {kept}, had all plans been fixed in advance.{beside} "
        "This is a figure to read: no charge is let in by it."
    )


def noise_of(book: Book) -> Composed | None:
    """Return what all charges that were not voided are made of; None where one is not known."""
    gone, whole = {row.seq for row in book.rows() if row.state == "void"}, Composed()
    for entry in book.entries:
        if entry.kind != "charge" or entry.seq in gone:
            continue
        noise = _of_events(entry) or _of_loss(entry.loss or {})
        if noise is None:
            return None
        whole.add(noise)
    return whole


def _of_events(charge: Entry) -> Composed | None:
    """Return what the acts of a charge are made of; None where one of them is not known."""
    noise = Composed()
    try:
        for event in charge.events or []:
            noise.add(_of_keys(event) if event.get("act") == "find keys" else _of_noise(event))
    except (KeyError, TypeError, ValueError, AttributeError, InputError, ZeroDivisionError):
        return None
    return noise if charge.events else None


def _of_noise(event: Mapping[str, Any]) -> Composed:
    """Return what noise on one vector, or one choice, is made of."""
    if "act" in event:
        raise KeyError("act")
    law, moved = law_of(event["noise"]), event["sensitivity"]
    size = {"l1": int(moved["l1"]), "l2_squared": int(moved["l2_squared"])}
    laplace = law.laplace(**size)
    if laplace is not None:
        return Composed(laplace=[laplace])
    mu2 = law.mu2_up(**size)
    if mu2 is None:
        raise ValueError("a law without a size")
    return Composed(mu2)


def _of_keys(event: Mapping[str, Any]) -> Composed:
    """Return what finding keys is made of: a round of noise for each precision, and a chance."""
    moved, first = event["sensitivity"], Fraction(event["noise"]["sigma2"])
    precisions = [int(number) for number in event["precisions"]]
    size = {"l1": int(moved["l1"]), "l2_squared": int(moved["l2_squared"])}
    rounds = [DiscreteGaussian(first * Fraction(precisions[0], n)) for n in precisions]
    return Composed(
        sum((law.mu2_up(**size) for law in rounds), Fraction(0)), [], Fraction(event["delta"])
    )


def _of_loss(plain: Mapping[str, str]) -> Composed | None:
    """Return what a loss of which nothing else is known is made of; None of rho."""
    numbers = {name: Fraction(text) for name, text in plain.items() if name != "kind"}
    if numbers.get("rho"):
        return None
    pure = numbers.get("epsilon", Fraction(0)) + numbers.get("pure", Fraction(0))
    chance = numbers.get("delta", Fraction(0)) + numbers.get("chance", Fraction(0))
    laplace = [(1 / pure, 1)] if pure else []  # exact: rationals
    return Composed(numbers.get("mu2", Fraction(0)), laplace, chance)


def _delta_of(book: Book) -> Fraction:
    promise = promise_in(book.header.budget)
    budget = book.budget() if promise is None else promise
    return budget.named.get("delta") or _READ_AT


def _read(spent: Loss, delta: Fraction) -> Fraction | None:
    """Return the epsilon at the same delta as which the sum of all charges is read."""
    size, chance = spent.numbers[0], spent.named.get("delta", Fraction(0))
    if spent.kind == "purses":
        return None  # said beside its promise
    if spent.kind in ("pure", "approx"):
        return size
    if chance >= delta:
        return None
    return (rho_read if "rho" in spent.named else mu2_read)(size, delta - chance) if size else size
