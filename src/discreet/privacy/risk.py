"""What a loss allows somebody to find out about one unit, in a sentence.

Rules of this module:
- a chance is rounded up, so that a sentence never promises more than the loss keeps;
- a loss that protects hardly anybody is marked, and so is a large delta.

Proofs: docs/prices.md.
"""

from decimal import ROUND_CEILING
from fractions import Fraction

from ..exact.enclosure import Ball, ball, enclosed, exp_up, ln_down
from ..exact.number import brief, decimal_of, text_of
from . import gdp
from .loss import Loss

MARK = "WARNING"
_FALSE_YES = Fraction(1, 100)
_HARDLY = Fraction(1, 2)  # a true yes so likely is marked
_LARGE_DELTA = Fraction(1, 1000)
_HUGE = Fraction(20)  # e^20: a factor so large says nothing
_BITS = 128
_DIGITS = 3


def true_yes_up(loss: Loss, false_yes: Fraction) -> Fraction:
    """Return the most likely that a true yes can be, where a false yes has a given chance.

    Somebody looks at a release and says whether one given unit is in the data (or says one given
    thing). A yes without the unit is false, one with it is true.

    Args:
        loss: what the release costs.
        false_yes: the chance of a false yes, strictly between 0 and 1.

    Returns: a rational in (0, 1], rounded up.

    Source: for (epsilon, delta), Wasserman and Zhou 2010, Theorem 2.4, and Kairouz, Oh and
        Viswanath 2015, Theorem 2.1; for zCDP, Mironov 2017, Proposition 10, at the best order; for
        mu-GDP its definition.

    Example:
        >>> from .loss import pure, zcdp
        >>> for loss in (pure(1), zcdp("1/50")):
        ...     print(f"{float(true_yes_up(loss, Fraction(1, 100))):.5f}")
        0.02718
        0.01799
    """
    if loss.ideal != loss:
        return _but_for_a_chance(loss, false_yes)
    if loss.kind == "zcdp":
        return _of_zcdp(loss.rho, false_yes)
    if loss.kind == "gdp":
        return gdp.true_yes_up(loss.mu2, false_yes)
    if loss.kind == "purses":
        return _of_purses(loss, false_yes)
    return _of_approx(loss.epsilon, loss.named.get("delta", Fraction(0)), false_yes)


def _of_approx(epsilon: Fraction, delta: Fraction, false_yes: Fraction) -> Fraction:
    if epsilon >= _HUGE:
        return Fraction(1)
    grown = exp_up(epsilon)
    return min(grown * false_yes + delta, 1 - (1 - false_yes - delta) / grown, Fraction(1))


def _of_purses(loss: Loss, false_yes: Fraction) -> Fraction:
    """Return the same where acts of three sorts were done, in the order of the proof of the purses.

    A false yes is as likely in the middle world, but for the pure acts; from there on mu^2 and the
    chance follow.
    """
    pure, mu2, chance = loss.numbers
    middle = min(Fraction(1), _of_approx(pure, Fraction(0), false_yes / (1 - chance)))
    if middle >= 1:
        return Fraction(1)
    return min(Fraction(1), (1 - chance) * gdp.true_yes_up(mu2, middle) + chance)


def _but_for_a_chance(loss: Loss, false_yes: Fraction) -> Fraction:
    """Return the same where it is kept but for a chance: P >= (1 - delta) P', and so with Q."""
    ideal = false_yes / (1 - loss.delta)  # exact: rationals
    if ideal >= 1:
        return Fraction(1)
    return min(Fraction(1), (1 - loss.delta) * true_yes_up(loss.ideal, ideal) + loss.delta)


def meaning(loss: Loss, *, neighbors: str, unit: str) -> str:
    """Return what a loss allows, as a test that somebody makes.

    Args:
        loss: what the release costs.
        neighbors: "add_remove" or "replace".
        unit: what is protected, in a word: "row" or "unit".

    Example:
        >>> from textwrap import fill
        >>> from .loss import zcdp
        >>> print(fill(meaning(zcdp("1/50"), neighbors="add_remove", unit="row"), 88))
        If a test of this release wrongly claims "this row is in the data" in 1 of 100 cases, it
        rightly claims it in at most 1.8 of 100 cases.
    """
    claim = {"add_remove": "is in the data", "replace": "has this content"}[neighbors]
    most = _in_100(true_yes_up(loss, _FALSE_YES))
    return (
        f'If a test of this release wrongly claims "this {unit} {claim}" in 1 of 100 cases, it '
        f"rightly claims it in at most {most} of 100 cases."
    )


def in_short(loss: Loss) -> str:
    """Return what a loss allows in a few words.

    Example:
        >>> from .loss import zcdp
        >>> in_short(zcdp("1/50"))
        'a test with 1 wrong claim in 100 makes at most 1.8 right ones in 100'
    """
    most = _in_100(true_yes_up(loss, _FALSE_YES))
    return f"a test with 1 wrong claim in 100 makes at most {most} right ones in 100"


def warnings(loss: Loss, *, neighbors: str, unit: str) -> list[str]:
    """Return the marked sentences on a loss; none where it protects.

    The first is `meaning`, marked, where a true yes can be as likely as 50 in 100; the second is on
    a delta above 1/1000.
    """
    sentences = []
    if true_yes_up(loss, _FALSE_YES) >= _HARDLY:
        words = meaning(loss, neighbors=neighbors, unit=unit)
        sentences.append(f"{MARK}: this protects hardly anybody. {words}")
    chance = loss.named.get("delta", loss.named.get("chance", Fraction(0)))
    if chance > _LARGE_DELTA:
        delta = brief(chance)
        sentences.append(
            f"{MARK}: delta = {delta} is large. It would be kept, too, by showing everything about "
            f"each {unit} with a chance of {delta}; let it be far below one over the number of "
            f"{unit}s."
        )
    return sentences


def _of_zcdp(rho: Fraction, false_yes: Fraction) -> Fraction:
    if rho >= ln_down(1 / false_yes):  # exact: rationals
        return Fraction(1)

    def real() -> Ball:
        distance = (-ball(false_yes).log()).sqrt() - ball(rho).sqrt()
        return (-(distance**2)).exp()

    return min(Fraction(1), enclosed(real, _BITS)[1])


def _in_100(chance: Fraction) -> str:
    return text_of(Fraction(decimal_of(100 * chance, _DIGITS, ROUND_CEILING)))
