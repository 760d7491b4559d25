"""Twice Laplace noise: the sum of two draws of discrete Laplace noise.

The first draw pays, the second is post-processing; with q = e^(-1/scale) and a = (1 - q) / (1 + q),
Pr[k] = a^2 q^|k| (|k| + (1 + q^2) / (1 - q^2)).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, factorial, perm
from typing import Any, ClassVar

import numpy as np

from discreet.exact.enclosure import ball, enclosed, is_less, round_up
from discreet.noise.continuous import Laplace
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.noise.law import CoinSource, Law, brief_text, chance, parameter, positive
from discreet.privacy.loss import Kind, Loss


@dataclass(frozen=True, slots=True)
class Four:
    """Continuous noise: the sum of two Laplace draws."""

    scale: float

    def above(self, x: float, *, draws: int) -> float:
        """Pr[> x] of the sum of two, four or six Laplace draws."""
        if x < 0:
            return 1 - self.above(-x, draws=draws)
        n, x = 2 * draws, x / self.scale
        parts = [
            perm(n - 1 + k, n - 1) * sum(x**j / factorial(j) for j in range(n - k)) / 2**k
            for k in range(n)
        ]
        return float(sum(parts) * exp(-x) / (factorial(n - 1) * 2**n))

    def farther(self, levels: Any) -> Any:
        """|(1 - t) X - t Y| is at most the larger of |X| and |Y|."""
        sizes = self.steepest(levels)
        return lambda _, x: x > sizes + 0.5

    def beyond(self, levels: Any) -> Any:
        """A sum of three draws is at most the largest of them times the sum of their weights."""
        sizes = self.steepest(levels * 2 / 3)
        return lambda w, x: x > (sizes + 0.5) * sum(w)

    def widths(self, weights: Any, levels: Any) -> Any:
        """A draw is two Laplace draws of one weight; that both are whole counts once."""
        twice = Laplace(self.scale).widths(np.repeat(weights, 2, axis=1), levels)
        return twice - np.abs(weights).sum(axis=1) / 2

    def deviation(self) -> float:
        """Of two Laplace draws together."""
        return 2 * self.scale

    def normal_deviation(self) -> float:
        """Return 0: it is not normal noise."""
        return 0.0

    def sum_above(self, weights: Any) -> Any:
        """Pr[> x] of a sum of draws with these weights."""
        return Laplace(self.scale).sum_above(np.repeat(weights, 2))

    def steepest(self, levels: Any) -> Any:
        """Of a size that one of two draws exceeds with at most the level, by halving."""
        low, high = np.zeros_like(levels), np.full_like(levels, 800 * self.scale)
        for _ in range(80):
            middle = (low + high) / 2
            x = middle / self.scale
            rare = (2 + x) * np.exp(-x) <= levels
            low, high = np.where(rare, low, middle), np.where(rare, middle, high)
        return high


@dataclass(frozen=True, slots=True)
class TwiceLaplace(Law):
    """The sum of two draws of discrete Laplace noise."""

    scale: Fraction

    name: ClassVar[str] = "twice_laplace"
    costs: ClassVar[Kind] = "pure"
    words: ClassVar[str] = "twice Laplace"
    size_name: ClassVar[str] = "width"
    formula: ClassVar[str] = "(|k| + c) exp(−|k| / scale)"

    def __post_init__(self) -> None:
        scale = parameter(self.scale, "scale", least=Fraction(1, 4096), most=Fraction(2**160))
        object.__setattr__(self, "scale", scale)

    @classmethod
    def calibrated(cls, loss: Loss, *, l1: int, l2_squared: int) -> "TwiceLaplace":
        """Return the least noise at a loss."""
        del l2_squared
        return cls(positive(Fraction(l1), "l1") / positive(loss.epsilon, "epsilon"))

    @classmethod
    def examples(cls) -> "Sequence[TwiceLaplace]":
        """Return laws from the narrowest to the widest."""
        return [cls(Fraction(scale)) for scale in ("1/20", "1", "7/2", "30", "1000", "1e6")]

    def plain(self) -> dict[str, str]:
        """Return the law as plain data."""
        return {"law": self.name, "scale": str(self.scale)}

    def loss(self, *, l1: int, l2_squared: int) -> Loss:
        """Return what the first draw costs."""
        del l2_squared
        return Loss("pure", (positive(Fraction(l1), "l1") / self.scale,))

    def mass(self, k: int) -> Any:
        """Return Pr[k] as a ball."""
        q = self._q()
        c = (1 + q**2) / (1 - q**2)
        return ((1 - q) / (1 + q)) ** 2 * self._decay(abs(k)) * (abs(k) + c)

    def tail(self, k: int) -> Any:
        """Return Pr[>= k] as a ball."""
        if k <= 0:
            return 1 - self.tail(1 - k)
        q = self._q()
        c = (1 + q**2) / (1 - q**2)
        return (1 - q) / (1 + q) ** 2 * self._decay(k) * (k + c + q / (1 - q))

    def variance(self) -> float:
        """Return the variance."""
        return 2 * DiscreteLaplace(self.scale).variance()

    def half_width(self, alpha: Fraction) -> int:
        """Return the least a with Pr[|Y| > a] <= alpha, by halving."""
        miss, high = chance(alpha), 1

        def rare(a: int) -> bool:
            return is_less(lambda: 2 * self.tail(a + 1), lambda: ball(miss))

        while not rare(high):
            high *= 2
        low = -1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if rare(middle) else (middle, high)
        return high

    def tail_up(self, a: int) -> Fraction:
        """Return Pr[|Y| > a], rounded up."""
        if a < 0:
            return Fraction(1)
        return min(Fraction(1), round_up(enclosed(lambda: 2 * self.tail(a + 1), 256)[1]))

    def size_up(self) -> Fraction:
        """Return a size to compare plans by."""
        return 2 * self.scale

    def numbers(self) -> str:
        """Return the parameter for people."""
        return f"scale = {brief_text(self.scale)}"

    def continuous(self) -> Four:
        """Return the continuous noise that bounds it."""
        return Four(float(self.scale))

    def draws(self, count: int, coins: CoinSource) -> Any:
        """Draw twice, and add up."""
        part = DiscreteLaplace(self.scale)
        return part.draws(count, coins) + part.draws(count, coins)

    def _q(self) -> Any:
        return ball(-1 / self.scale).exp()

    def _decay(self, steps: int) -> Any:
        return ball(-steps / self.scale).exp()
