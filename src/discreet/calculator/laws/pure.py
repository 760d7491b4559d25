"""What noise that keeps an epsilon alone shares: a rate, epsilon / sensitivity, and no delta.

Rules of this module:
- a scale is the least that keeps the budget, or above it; it is found once for both laws.
"""

import math
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from ...exact.enclosure import sqrt_up
from ...fix import leave_out
from ...noise import geometric_accuracy
from ...noise.reals import decimal_up
from ...privacy.gdp import mu2_of_pure
from ..formulas import composition
from ..inputs import above_zero
from .choice import Budget, LawChoice, Moves
from .law import NoiseLaw
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
