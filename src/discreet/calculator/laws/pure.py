"""What noise that keeps an epsilon alone shares: a rate, epsilon / sensitivity, and no delta.

Continuous Laplace noise.

Two-sided geometric noise, which is also called the discrete Laplace.

Rules of this module:
- a scale is the least that keeps the budget, or above it; it is found once for both laws.
"""

import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from ...exact.enclosure import Real, sqrt_up
from ...exact.number import rational
from ...fix import leave_out
from ...noise import geometric_accuracy
from ...noise.reals import decimal_up
from ...privacy.gdp import mu2_of_pure
from ..formulas import composition, geometric_sum, laplace
from ..inputs import above_zero
from .choice import Budget, LawChoice, Moves
from .law import Formula, Known, NoiseLaw
from .noise_size import Chance, NoiseSize, Printed

_COMPOSED = 1000  # numbers whose exact composition is searched, at most
_HALVINGS = 24


class Pure(NoiseLaw):
    """Noise that keeps an epsilon alone."""

    size_name = "scale"
    sizes = ("epsilon", "scale")
    rho_source = "rho = epsilon^2 / 2 (Bun and Steinke 2016, Proposition 1.4)"
    mu2_source = "that of randomized response: mu = 2 Phi^-1(e^epsilon / (1 + e^epsilon))"

    def size_of(self, noise: NoiseSize) -> Fraction:
        """Return epsilon / sensitivity, exactly."""
        if noise.scale is not None:
            return 1 / noise.scale
        return above_zero(noise.epsilon or Fraction(0), "epsilon") / noise.sensitivity

    def epsilon_for(self, noise: NoiseSize, accuracy: Fraction, chance: Chance) -> Fraction:
        """Return the epsilon that follows from the accuracy alone."""
        if noise.delta is not None:
            raise self.not_for(
                "an epsilon beside a delta",
                why="its epsilon follows from the accuracy alone, and is kept with delta = 0",
                fix=leave_out("delta"),
            )
        if chance.alpha == 1:
            return Fraction(0)
        return self.pure_for(noise, accuracy, chance)

    def pure_for(self, noise: NoiseSize, accuracy: Fraction, chance: Chance) -> Fraction:
        """Return the same at an alpha below 1."""
        raise NotImplementedError

    def rho(self, noise: NoiseSize, releases: int) -> Fraction:
        """Return epsilon^2 / 2, a bound."""
        return releases * (noise.size() * noise.sensitivity) ** 2 / 2

    def mu2(self, noise: NoiseSize, releases: int) -> Fraction:
        """Return that of any noise with its epsilon, a bound."""
        return releases * mu2_of_pure(noise.size() * noise.sensitivity)


class Unbounded(Pure):
    """Noise that reaches every whole number, or every real one."""

    def pure_for(self, noise: NoiseSize, accuracy: Fraction, chance: Chance) -> Fraction:
        """Return the epsilon of the least rate."""
        if noise.bounds is not None:
            raise self.nowhere_held_back("an epsilon for bounds")
        return self.rate_for(accuracy, chance) * noise.sensitivity

    def rate_for(self, accuracy: Fraction, chance: Chance) -> Fraction:
        """Return the least epsilon / sensitivity that keeps an accuracy, rounded up."""
        raise NotImplementedError

    def scale(self, noise: NoiseSize, releases: int) -> Fraction:
        """Return sensitivity / epsilon."""
        return releases / noise.size()

    def noise_for(self, accuracy: Fraction, chance: Chance) -> Fraction:
        """Return the largest scale."""
        return 1 / self.rate_for(accuracy, chance)

    def choices(self, moves: Moves, budget: Budget, alpha: Fraction) -> list[LawChoice]:
        """Return the noise of the least scale."""
        scale, paid = _scale(moves, budget)
        return [self.choice(scale, moves, alpha, self.deviation(float(scale)), paid)]

    def deviation(self, scale: float) -> float:
        """Return the standard deviation, for show."""
        raise NotImplementedError

    def note_accuracy(self, noise: NoiseSize, form: Printed) -> int | Decimal:
        """Return document 000's formula, which is the Laplace's."""
        if noise.delta is not None:
            raise self.not_printed()
        rate = noise.size()
        if form.ceiling and self.whole:
            return geometric_accuracy.note_accuracy(rate=rate, alpha=form.alpha)
        return decimal_up(geometric_accuracy.note_accuracy_real_up(rate=rate, alpha=form.alpha))

    def note_epsilon(self, noise: NoiseSize, accuracy: Fraction, form: Printed) -> Fraction:
        """Return the same turned around."""
        if noise.delta is not None:
            raise self.not_printed()
        rate = geometric_accuracy.note_rate_up(accuracy=accuracy, alpha=form.alpha)
        return rate * noise.sensitivity


@lru_cache(maxsize=4)
def _scale(moves: Moves, budget: Budget) -> tuple[Fraction, str]:
    """Return the least scale that keeps the budget, and how it is paid for."""
    if budget.rho is not None:
        return sqrt_up(moves.l2_squared / (2 * budget.rho)), "l2, by epsilon^2 / 2 a number"
    epsilon, delta = budget.epsilon or Fraction(1), budget.delta
    plain = moves.l1 / epsilon
    if delta is None or moves.coordinates == 1 or moves.coordinates > _COMPOSED:
        return plain, "l1"
    composed = _composed_scale(moves, epsilon, delta, plain)
    return (composed, "linf, composed over all numbers") if composed < plain else (plain, "l1")


def _composed_scale(moves: Moves, epsilon: Fraction, delta: Fraction, plain: Fraction) -> Fraction:
    """Return a scale below `plain` that exact composition over the numbers allows, or `plain`."""

    def holds(scale: Fraction) -> bool:
        each = moves.linf / scale
        many = moves.coordinates
        return composition.delta_up(epsilon=epsilon, epsilon_each=each, releases=many) <= delta

    low, high = plain / moves.coordinates, plain
    if not holds(plain * (1 - Fraction(1, 100))):
        return plain
    for _ in range(_HALVINGS):
        middle = Fraction(math.sqrt(low * high)).limit_denominator(10**12)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


class Laplace(Unbounded):
    """The continuous Laplace."""

    whole = False
    norms: ClassVar = {"max": "the exact tail, Pr[|Y| > a] = e^(-a epsilon/sensitivity)"}
    sum_source = "the exact convolution, a difference of two Gamma variables"
    curve_source = (
        "delta = 1 - e^((epsilon - loss)/2), by integration; several releases lose no more than"
        " randomized response does (Kairouz, Oh, Viswanath 2015)"
    )

    def width(self, size: Fraction, chance: Chance) -> Decimal:
        """Return the error that has the chance alpha, rounded up."""
        return decimal_up(laplace.accuracy_up(rate=size, **chance.reals()))

    def tail(self, noise: NoiseSize, error: Fraction, chance: Chance) -> Real:
        """Return the tail of a sum of releases."""
        return laplace.tail(widths=error * noise.size(), releases=chance.releases)

    def rate_for(self, accuracy: Fraction, chance: Chance) -> Fraction:
        """Return the closed form turned around, or the root for a sum."""
        return laplace.rate_up(accuracy=above_zero(accuracy, "accuracy"), **chance.reals())

    def delta(self, noise: NoiseSize, epsilon: Fraction, releases: int) -> Fraction:
        """Return the closed form of one release; of several, that of any pure noise."""
        each = noise.size() * noise.sensitivity
        if releases == 1:
            return laplace.delta_up(epsilon=epsilon, rate_times_shift=each)
        return composition.delta_up(epsilon=epsilon, epsilon_each=each, releases=releases)

    def epsilon(self, noise: NoiseSize, delta: Fraction, releases: int) -> Fraction:
        """Return the way back from `delta`."""
        each = noise.size() * noise.sensitivity
        if releases == 1:
            return laplace.epsilon_up(delta=delta, rate_times_shift=each)
        return composition.epsilon_up(delta=delta, epsilon_each=each, releases=releases)

    def is_bound(self, known: Known) -> bool:
        """Several releases lose less than randomized response, which is calculated."""
        return bool(known.get("releases", 1) != 1)

    def deviation(self, scale: float) -> float:
        """Return sqrt(2) scale."""
        return math.sqrt(2) * scale


class Geometric(Unbounded):
    """The discrete Laplace."""

    norms: ClassVar = {
        "max": "the exact tail, Pr[|Y| > a] = 2q^(a+1)/(1+q) with q = e^(-epsilon/sensitivity)"
    }
    sum_source = "the exact convolution, a difference of two negative binomials"
    curve_source = (
        "the exact curve; at sensitivity 1 releases compose as randomized response does (Kairouz,"
        " Oh, Viswanath 2015), above it they lose no more"
    )

    def width(self, size: Fraction, chance: Chance) -> int:
        """Return the least whole error that keeps alpha."""
        return geometric_sum.sum_accuracy(rate=size, **chance.wholes())

    def tail(self, noise: NoiseSize, error: Fraction, chance: Chance) -> Real:
        """Return the tail of a sum of releases."""
        return geometric_sum.sum_tail(
            rate=noise.size(), releases=chance.releases, a=int(error), convention=chance.convention
        )

    def rate_for(self, accuracy: Fraction, chance: Chance) -> Fraction:
        """Return the root of the exact tail."""
        return geometric_sum.sum_rate_up(accuracy=int(accuracy), **chance.wholes())

    def delta(self, noise: NoiseSize, epsilon: Fraction, releases: int) -> Fraction:
        """Return the exact curve of one release; of several, that of any pure noise."""
        rate, moved = noise.size(), noise.whole_sensitivity()
        if releases == 1:
            return composition.single_delta_up(epsilon=epsilon, rate=rate, sensitivity=moved)
        return composition.delta_up(epsilon=epsilon, epsilon_each=rate * moved, releases=releases)

    def epsilon(self, noise: NoiseSize, delta: Fraction, releases: int) -> Fraction:
        """Return the way back from `delta`."""
        rate, moved = noise.size(), noise.whole_sensitivity()
        if releases == 1:
            return composition.single_epsilon_up(delta=delta, rate=rate, sensitivity=moved)
        return composition.epsilon_up(delta=delta, epsilon_each=rate * moved, releases=releases)

    def deviation(self, scale: float) -> float:
        """Return 1 / (sqrt(2) sinh(1 / (2 scale)))."""
        return 1 / (math.sqrt(2) * math.sinh(min(1 / (2 * scale), 700.0)))

    def is_bound(self, known: Known) -> bool:
        """Several releases compose exactly at sensitivity 1 alone."""
        many = known.get("releases", 1) != 1
        return many and rational(known.get("sensitivity", 1), "sensitivity") != 1

    def naive(self) -> Mapping[str, Formula]:
        """Return the printed formulas, and what people do with them."""
        from .. import naive_formulas as said  # it asks the page, which stands on the laws

        return {
            "accuracy": said.geometric_accuracy,
            "epsilon_for": said.geometric_epsilon,
            "epsilon_of": said.added_epsilons,
            "tail_of": said.laplace_tail,
        }
