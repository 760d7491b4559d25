"""Continuous Laplace noise."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar

from ...exact.enclosure import Real
from ...noise.reals import decimal_up
from ..formulas import composition, laplace
from ..inputs import above_zero
from .law import Known
from .noise_size import Chance, NoiseSize
from .pure import Unbounded


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
