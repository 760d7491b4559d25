"""A third law, written by docs/extend.md: the sum of two draws of discrete Laplace noise.

The first draw pays, the second is post-processing; with q = e^(-1/scale) and a = (1 - q) / (1 + q),
Pr[k] = a^2 q^|k| (|k| + (1 + q^2) / (1 - q^2)).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, factorial, perm
from typing import ClassVar

import numpy as np

from discreet.exact.enclosure import ball, enclosed, is_less, round_up
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.noise.law import Coins, Law, brief_text, chance, parameter, positive
from discreet.privacy.loss import Kind, Loss


@dataclass(frozen=True, slots=True)
class Four:
    """Continuous noise: the sum of two Laplace draws."""

    scale: float

    def above(self, x, *, draws):
        """Pr[> x] of the sum of two, four or six Laplace draws."""
        if x < 0:
            return 1 - self.above(-x, draws=draws)
        n, x = 2 * draws, x / self.scale
        parts = [
            perm(n - 1 + k, n - 1) * sum(x**j / factorial(j) for j in range(n - k)) / 2**k
            for k in range(n)
        ]
        return sum(parts) * exp(-x) / (factorial(n - 1) * 2**n)

    def farther(self, levels):
        """|(1 - t) X - t Y| is at most the larger of |X| and |Y|."""
        sizes = self.steepest(levels)
        return lambda t, x: x > sizes + 0.5

    def beyond(self, levels):
        """A sum of three draws is at most the largest of them times the sum of their weights."""
        sizes = self.steepest(levels * 2 / 3)
        return lambda w, x: x > (sizes + 0.5) * sum(w)

    def steepest(self, levels):
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
        return cls(positive(Fraction(l1), "l1") / positive(loss.epsilon, "epsilon"))

    @classmethod
    def examples(cls) -> "Sequence[TwiceLaplace]":
        return [cls(Fraction(scale)) for scale in ("1/20", "1", "7/2", "30", "1000", "1e6")]

    def plain(self) -> dict[str, str]:
        return {"law": self.name, "scale": str(self.scale)}

    def loss(self, *, l1: int, l2_squared: int) -> Loss:
        return Loss("pure", (positive(Fraction(l1), "l1") / self.scale,))

    def mass(self, k: int):
        q = self._q()
        c = (1 + q**2) / (1 - q**2)
        return ((1 - q) / (1 + q)) ** 2 * self._decay(abs(k)) * (abs(k) + c)

    def tail(self, k: int):
        if k <= 0:
            return 1 - self.tail(1 - k)
        q = self._q()
        c = (1 + q**2) / (1 - q**2)
        return (1 - q) / (1 + q) ** 2 * self._decay(k) * (k + c + q / (1 - q))

    def variance(self) -> float:
        return 2 * DiscreteLaplace(self.scale).variance()

    def half_width(self, alpha: Fraction) -> int:
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
        if a < 0:
            return Fraction(1)
        return min(Fraction(1), round_up(enclosed(lambda: 2 * self.tail(a + 1), 256)[1]))

    def size_up(self) -> Fraction:
        return 2 * self.scale

    def numbers(self) -> str:
        return f"scale = {brief_text(self.scale)}"

    def continuous(self) -> Four:
        return Four(float(self.scale))

    def draws(self, count: int, coins: Coins):
        part = DiscreteLaplace(self.scale)
        return part.draws(count, coins) + part.draws(count, coins)

    def _q(self):
        return ball(-1 / self.scale).exp()

    def _decay(self, steps: int):
        return ball(-steps / self.scale).exp()
