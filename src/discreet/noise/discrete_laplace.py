"""Discrete Laplace noise: Pr[Y = k] proportional to e^(-|k| / scale) on the integers.

Rules of this module:
- scale is an exact rational; no float decides anything (the variance is shown, not used);
- probabilities are balls at the working precision (see `exact.enclosure`);
- with q = e^(-1/scale), every probability here is a rational function of q, which is
  transcendental: none of them equals a rational, so every comparison ends.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from ..exact.enclosure import Ball, ball, enclosed, round_up
from ..exact.number import few_up, place_down, sixes
from ..privacy.loss import Kind, Loss
from .continuous import Laplace
from .discrete_laplace_price import mu2_up
from .geometric_accuracy import accuracy, rate_up
from .inversion import few
from .laplace_digits import looks_of, one_draw, tables_of
from .law import CoinSource, Form, Integers, Law
from .parameter import brief_text, chance, counted, parameter, positive
from .waves import Vector, of_laplace

if TYPE_CHECKING:
    from .inversion_batch import Longs

_LEAST = Fraction(1, 4096)
_MOST = Fraction(2**160)
_WIDE = Fraction(2**40)
_BITS = 128


@dataclass(frozen=True, slots=True)
class DiscreteLaplace(Law):
    """Discrete Laplace noise, also called two-sided geometric.

    Args:
        scale: the b of e^(-|k|/b), from 1/4096 to 2^160, exact.

    Raises:
        InputError: scale is outside that range.

    Source: Ghosh, Roughgarden and Sundararajan 2009 (the geometric mechanism, alpha = e^(-1/b)).

    Example:
        >>> from ..privacy.loss import pure
        >>> law = DiscreteLaplace.calibrated(pure("1/2"), l1=1, l2_squared=1)
        >>> law.scale, law.half_width(Fraction(1, 20))
        (Fraction(2, 1), 6)
    """

    scale: Fraction

    name: ClassVar[str] = "discrete_laplace"
    costs: ClassVar[Kind] = "pure"
    words: ClassVar[str] = "discrete Laplace"
    size_name: ClassVar[str] = "scale"
    formula: ClassVar[str] = "exp(−|k| / scale)"

    def __post_init__(self) -> None:
        scale = parameter(self.scale, "scale", least=_LEAST, most=_MOST)
        object.__setattr__(self, "scale", scale)

    def plain(self) -> dict[str, str]:
        """Return the law as plain data."""
        return {"law": self.name, "scale": str(self.scale)}

    # Privacy

    def loss(self, *, l1: int, l2_squared: int) -> Loss:  # noqa: ARG002 (pure loss sees only l1)
        """Return what this noise costs on a vector that one unit moves by at most l1.

        Guarantee: moving the center by d multiplies each probability by at most e^(d / scale),
            and by exactly that beyond the center; over a vector the moves add to l1.

        Source: Ghosh, Roughgarden and Sundararajan 2009, section 2.
        """
        return Loss("pure", (positive(Fraction(l1), "l1") / self.scale,))

    def mu2_up(self, *, l1: int, l2_squared: int) -> Fraction:  # noqa: ARG002 (as in `loss`)
        """Return its own mu^2, which is less than what its epsilon implies for l1 above 1."""
        return mu2_up(self.scale, l1)

    def laplace(self, *, l1: int, l2_squared: int) -> tuple[Fraction, int]:  # noqa: ARG002 (as in `loss`)
        """Return its own scale and l1 (Theorem 1 of docs/laws/gdp.md)."""
        return self.scale, l1

    def few_up(self) -> "DiscreteLaplace":
        """Return this law, or a wider one of six digits."""
        return DiscreteLaplace(few_up(self.scale))

    # Calibration

    @classmethod
    def calibrated(cls, loss: Loss, *, l1: int, l2_squared: int) -> "DiscreteLaplace":  # noqa: ARG003 (as in `loss`)
        """Return the least noise that costs at most this loss: scale = l1 / epsilon, exactly.

        Args:
            loss: epsilon above 0.
            l1: how far one unit moves the vector, at least 1.
            l2_squared: not asked by pure loss.

        Raises:
            InputError: epsilon or l1 is not above 0, or the scale is out of range.
        """
        return cls(positive(Fraction(l1), "l1") / positive(loss.epsilon, "epsilon"))

    # Distribution

    def mass(self, k: int) -> Ball:
        """Return Pr[Y = k], in a ball at the working precision."""
        return self._decay(abs(k)) * (self._rate() / 2).tanh()

    def tail(self, k: int) -> Ball:
        """Return Pr[Y >= k], in a ball at the working precision; its `log()` never underflows."""
        if k <= 0:
            return 1 - self.tail(1 - k)
        return self._decay(k) / (1 + self._decay(1))

    def variance(self) -> float:
        """Return the variance, 2q / (1 - q)^2, for display."""
        low, high = enclosed(lambda: 1 / (2 * (self._rate() / 2).sinh() ** 2), _BITS)
        return float((low + high) / 2)

    # Accuracy

    def half_width(self, alpha: Fraction) -> int:
        """Return the smallest a >= 0 with Pr[|Y| > a] <= alpha, decided exactly.

        Pr[|Y| > a] = 2 q^(a + 1) / (1 + q), which is at most alpha from
        a + 1 = scale ln(2 / (alpha (1 + q))) on; that number is never whole (see the rules).

        Args:
            alpha: strictly between 0 and 1.
        """
        return accuracy(rate=1 / self.scale, alpha=chance(alpha), convention="gt")

    @classmethod
    def widest(cls, half_width: int, alpha: Fraction) -> "DiscreteLaplace":
        """Return the noise of the least epsilon, of six digits, that keeps a half-width.

        The rate at its edge is known to 2^-44; whole half-widths decide its sixth digit.
        """
        edge = rate_up(accuracy=half_width, alpha=chance(alpha), convention="gt")
        rates = [sixes(place) for place in range(place_down(edge) - 1, place_down(edge) + 3)]
        kept = [
            rate
            for rate in rates
            if accuracy(rate=rate, alpha=alpha, convention="gt") <= half_width
        ]
        return cls(1 / kept[0])

    def tail_up(self, a: int) -> Fraction:
        """Return a rational at least Pr[|Y| > a], within a relative 2^-60 or so."""
        if a < 0:
            return Fraction(1)
        bits = _BITS + self.scale.numerator.bit_length()
        return min(Fraction(1), round_up(enclosed(lambda: 2 * self.tail(a + 1), bits)[1]))

    # Words and floats

    def size_up(self) -> Fraction:
        """Return the scale."""
        return self.scale

    def numbers(self) -> str:
        """Return the scale for people."""
        return f"scale = {brief_text(self.scale)}"

    def closed_form(self) -> tuple[Form, float]:
        """Return its closed form."""
        return "discrete_laplace", float(self.scale)

    def continuous(self) -> Laplace:
        """Return the Laplace noise of the same scale."""
        return Laplace(float(self.scale))

    def wave(self, t: Vector) -> Vector:
        """Return its closed form."""
        return of_laplace(float(1 / self.scale), t)

    @classmethod
    def examples(cls) -> "Sequence[DiscreteLaplace]":
        """Return laws from the narrowest to the widest, of one table and of several digits."""
        narrow = ["1/1000", "3/7", "1/2", "1", "10/3", "32", "33", "1000"]
        scales = [*map(Fraction, narrow), Fraction(123_457, 10), Fraction(10**6), Fraction(2**100)]
        return [cls(scale) for scale in scales]

    # Sampling

    def draws(self, count: int, coins: CoinSource) -> Integers:
        """Return `count` independent draws: int64 up to scale 2^40, Python ints beyond.

        Guarantee: exactly this law, if the coins are uniform. Where int64 is used, a draw that
            does not fit (its chance is below e^(-2^20)) raises OverflowError; it never wraps.
        """
        from .inversion_batch import filled, listed

        if self.scale > _WIDE or few(count):
            tables = tables_of(self.scale)
            draws = [one_draw(tables, coins) for _ in range(counted(count))]
            return listed(draws, wide=self.scale > _WIDE)
        looks = looks_of(self.scale)

        def fill(part: "Longs") -> None:
            for i, look in enumerate(looks):
                look.into(part, coins, mix=i > 0)

        return filled(count, fill)

    def _rate(self) -> Ball:
        return ball(1 / self.scale)

    def _decay(self, steps: int) -> Ball:
        return ball(-steps / self.scale).exp()
