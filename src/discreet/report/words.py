"""What a release says about itself, in sentences a reader without mathematics can check.

Rules of this module:
- each sentence is a consequence of the exact parameters, never stronger than they are;
- numbers are rounded to the side that promises less.
"""

from decimal import Decimal
from fractions import Fraction

from ..exact.enclosure import exp_up, sqrt_up
from ..exact.number import rounded, text_of
from ..mechanism.discrete_gaussian import DiscreteGaussian
from ..mechanism.discrete_laplace import DiscreteLaplace
from ..mechanism.law import Law
from ..privacy.conversion import epsilon_up
from ..privacy.loss import AnyLoss, Approx, Pure
from ..schema import Table

_DELTAS = (Fraction(1, 10**6), Fraction(1, 10**9))
_FALSE_ALARM = Fraction(1, 100)
_HUGE = Fraction(20)  # beyond e^20 a factor says nothing


def unit_words(table: Table) -> str:
    """Return who is protected: the subject of a sentence."""
    if table.unit.column is None:
        return "one row of the table"
    return f"one unit, that is all rows that share a value of “{table.unit.column}”"


def promise(table: Table) -> str:
    """Return one plain sentence on the protection."""
    what = {
        "add_remove": "whether any {} is in the data at all",
        "replace": "what any {} in the data says",
    }[table.neighbors].format("single row" if table.unit.column is None else "single unit")
    return (
        "Random noise was added to every number before it was published. It hides "
        f"{what}, from everybody and for ever, whatever else they know, up to a limit that is "
        "stated below."
    )


def who(table: Table) -> str:
    """Return what a unit is, for the sentence after the promise."""
    if table.unit.column is None:
        return "What is protected is one row of the table."
    limit = table.unit.max_rows
    rows = f", of which at most {limit:,} count" if limit else ""
    return (
        "What is protected is one unit, together with all its rows: those with the same value in "
        f"“{table.unit.column}”{rows}."
    )


def relation(table: Table) -> str:
    """Return the neighbor relation in words."""
    if table.neighbors == "add_remove":
        return (
            "The data with a unit and the data without it give almost equally likely releases "
            "(add or remove one unit)."
        )
    return (
        "The data with one unit and the data with another in its place give almost equally likely "
        "releases (replace one unit); how many units there are is not hidden."
    )


def loss_sentences(loss: AnyLoss, *, neighbors: str) -> list[str]:
    """Return what a loss means, from its definition."""
    if isinstance(loss, Pure):
        return [_odds(loss.epsilon, neighbors), _test(loss.epsilon, Fraction(0), neighbors)]
    if isinstance(loss, Approx):
        return [
            f"Whatever the release is, the data with and without one unit make it likely within a "
            f"factor of {_factor(loss.epsilon)}, up to a remaining probability of "
            f"{text_of(loss.delta)}.",
            _test(loss.epsilon, loss.delta, neighbors),
        ]
    found = [(epsilon_up(loss.rho, delta), delta) for delta in _DELTAS]
    implied = " and ".join(f"({_above(epsilon)}, {text_of(delta)})" for epsilon, delta in found)
    return [
        f"rho-zCDP with {loss} implies (epsilon, delta)-differential privacy for every delta, "
        f"among them {implied}.",
        _test(*found[0], neighbors),
    ]


def law_words(law: Law) -> str:
    """Return a noise law in words."""
    if isinstance(law, DiscreteGaussian):
        return "discrete Gaussian: whole numbers, Pr[k] proportional to exp(−k² / (2 sigma²))"
    if isinstance(law, DiscreteLaplace):
        return "discrete Laplace: whole numbers, Pr[k] proportional to exp(−|k| / scale)"
    return law.name.replace("_", " ")


def law_numbers(law: Law) -> str:
    """Return a law's parameters, exact where they are short."""
    if isinstance(law, DiscreteGaussian):
        exact = str(law.sigma2)
        shown = f" (sigma² = {exact})" if len(exact) < 24 else ""
        return f"sigma = {rounded(sqrt_up(law.sigma2), 4)}{shown}"
    if isinstance(law, DiscreteLaplace):
        return f"scale = {_short(law.scale)}"
    return ", ".join(f"{name} = {text}" for name, text in law.plain().items() if name != "law")


def misses(count: int, alpha: Decimal) -> str:
    """Return how many of the release's intervals are expected to miss."""
    expected = count * alpha
    if expected < 1:
        return ""
    return (
        f"Each interval is right by itself; of the {count:,} in this release, about "
        f"{expected:,.0f} can be expected to miss."
    )


def _odds(epsilon: Fraction, neighbors: str) -> str:
    about = "that a unit is in the data" if neighbors == "add_remove" else "for what a unit says"
    return (
        f"Whatever odds somebody who knows all other units gave {about}, seeing this release "
        f"changes them by a factor of at most {_factor(epsilon)}, up or down."
    )


def _test(epsilon: Fraction, delta: Fraction, neighbors: str) -> str:
    """Say what (epsilon, delta) means for a test: power <= e^epsilon alarm + delta, and its twin.

    Source: Wasserman and Zhou 2010, Theorem 2.4; Kairouz, Oh and Viswanath 2015, Theorem 2.1.
    """
    whom = (
        "whether one given unit is in the data"
        if neighbors == "add_remove"
        else "which of two records one given unit has"
    )
    power = Fraction(1)
    if epsilon < _HUGE:
        grown = exp_up(epsilon)
        power = min(
            grown * _FALSE_ALARM + delta, 1 - (1 - _FALSE_ALARM - delta) / grown, Fraction(1)
        )
    return (
        f"Put as a test: whoever tries to tell {whom}, and wants to be wrong at most 1 time in "
        f"100 when it is not so, will notice it at most {_percent_up(power)} times in 100 when it "
        "is, where pure guessing would notice it 1 time."
    )


def _factor(epsilon: Fraction) -> str:
    return _above(exp_up(epsilon)) if epsilon < _HUGE else f"e^{_above(epsilon)}"


def _above(number: Fraction) -> str:
    """Return a number rounded up to three digits behind the point, or to three in all."""
    thousandths = -((-number * 1000) // 1)
    if thousandths < 1000:
        return rounded(number * Fraction(1001, 1000))
    return text_of(Fraction(thousandths, 1000))


def _percent_up(share: Fraction) -> str:
    return text_of(Fraction(-((-share * 1000) // 1), 10))


def _short(number: Fraction) -> str:
    exact = text_of(number)
    return exact if len(exact) < 24 else f"{rounded(number, 4)} (rounded)"
