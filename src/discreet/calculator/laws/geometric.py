"""Two-sided geometric noise, which is also called the discrete Laplace."""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import ClassVar

from ...exact.enclosure import Real
from ...exact.number import rational
from ..formulas import composition, geometric_sum
from .law import Formula, Known
from .noise_size import Chance, NoiseSize
from .pure import Unbounded


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
