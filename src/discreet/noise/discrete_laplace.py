"""Discrete Laplace noise: Pr[Y = k] proportional to e^(-|k| / scale) on the integers.

What discrete Laplace noise costs as a Gaussian loss: its own mu^2.

Proof: docs/laws/gdp.md, Theorem 3.

The digits that discrete Laplace noise is drawn by: independent, each from one small table.

Rules of this module:
- scale is an exact rational; no float decides anything (the variance is shown, not used);
- probabilities are balls at the working precision (see `exact.enclosure`);
- with q = e^(-1/scale), every probability here is a rational function of q, which is
  transcendental: none of them equals a rational, so every comparison ends;
- no float decides anything: a table's thresholds are balls, as fine as the coins that meet them;
- what lies beyond a table is the same law again, further out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from ..exact.enclosure import Ball, ball, enclosed, round_up
from ..exact.number import few_up, place_down, sixes
from ..privacy.gdp import upper_quantile
from ..privacy.loss import Kind, Loss
from .continuous import Laplace, of_laplace
from .geometric_accuracy import accuracy, rate_up
from .inversion import InversionTable, Outcomes, few, listed
from .law import (
    CoinSource,
    Form,
    Integers,
    Law,
    Streams,
    Vector,
    brief_text,
    chance,
    counted,
    parameter,
    positive,
)
from .reals import real_up

if TYPE_CHECKING:
    from .inversion_batch import Longs, Look


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
        from .inversion_batch import filled

        if self.scale > _WIDE or few(count):
            tables = tables_of(self.scale)
            draws = [one_draw(tables, coins) for _ in range(counted(count))]
            return listed(draws, wide=self.scale > _WIDE)
        looks = looks_of(self.scale)

        def fill(part: "Longs") -> None:
            for i, look in enumerate(looks):
                look.into(part, coins, mix=i > 0)

        return filled(count, fill)

    def named(self, streams: Streams, prefix: bytes, names: Sequence[bytes]) -> list[int]:
        """Return what one draw makes of the stream of each name behind a prefix: many at once.

        64 bits a digit decide nearly all; those of the streams that they leave open draw by one.
        """
        tables = tables_of(self.scale)
        if self.scale > _WIDE or few(len(names)):
            return [one_draw(tables, streams.stream(prefix + name)) for name in names]
        from .inversion_batch import begun

        drawn, left = begun(looks_of(self.scale), streams.blocks(prefix, names))
        for place in left:
            drawn[place] = one_draw(tables, streams.stream(prefix + names[place]))
        return drawn

    def _rate(self) -> Ball:
        return ball(1 / self.scale)

    def _decay(self, steps: int) -> Ball:
        return ball(-steps / self.scale).exp()


@lru_cache(maxsize=4096)
def mu2_up(scale: Fraction, l1: int) -> Fraction:
    """Return the mu^2 of noise on a vector that one unit moves by at most l1, rounded up.

    Args:
        scale: of the noise, above 0.
        l1: at least 1.

    Source: the vector is never easier to tell than one number that moves by l1, and its mu is
        z(s) + z(l1 - 1 - s) for s = (l1 - 1) / 2 rounded down, with z(s) the normal quantile of
        Pr[Y <= s].

    Example: what epsilon = 1 alone implies is 1.517911.

        >>> [f"{float(mu2_up(Fraction(l1), l1)):.6f}" for l1 in (1, 2, 200)]
        ['1.517911', '1.111176', '1.061037']
    """
    places = ((l1 - 1) // 2 + 1, l1 // 2 + 1)

    def real() -> Ball:
        q = ball(-1 / scale).exp()
        tails = (ball(-place / scale).exp() / (1 + q) for place in places)
        return sum(map(upper_quantile, tails), ball(Fraction(0))) ** 2

    return real_up(real)


# A draw is mask ^ G: G geometric, Pr[G = g] = (1 - q) q^g, and mask = -1 with probability
# q / (1 + q), else 0. For k >= 0, Pr = (1 - q) q^k / (1 + q); for k < 0, mask ^ G = -1 - G = k
# when G = -1 - k, so that Pr = q (1 - q) q^(-1 - k) / (1 + q): the law. G = l + K h has
# independent digits l < K and h, Pr[l] = (1 - q) q^l / (1 - q^K) and Pr[h] = (1 - q^K) q^(K h).
# For K a power of two, mask ^ G is the xor of (mask ^ lowest digit) and the shifted others.

_SINGLE = 32  # up to this scale, one table holds sign and magnitude
_TOP = 32  # else the top digit's scale is between half of this and this
_DIGIT = 10  # bits of a digit, at most


@lru_cache(maxsize=16)
def tables_of(scale: Fraction) -> tuple[InversionTable, ...]:
    """Return the tables of a scale's digits, the signed one first."""
    if scale <= _SINGLE:
        return (InversionTable(_signed(scale)),)
    shift = (scale.numerator // (_TOP * scale.denominator)).bit_length()
    count = -(-shift // _DIGIT)
    cuts = [shift * i // count for i in range(count + 1)]
    tables = [InversionTable(_signed(scale, bits=cuts[1]))]
    for low, high in pairwise(cuts[1:]):
        tables.append(InversionTable(_middle(scale, low, bits=high - low)))
    tables.append(InversionTable(_top(scale, shift)))
    return tuple(tables)


@lru_cache(maxsize=16)
def looks_of(scale: Fraction) -> "tuple[Look, ...]":
    """Return the same tables as whole arrays of draws look into them."""
    from .inversion_batch import Look

    return tuple(Look(table) for table in tables_of(scale))


def one_draw(tables: tuple[InversionTable, ...], coins: CoinSource) -> int:
    """Return one draw: the exclusive or of one draw of each digit."""
    value = 0
    for digit in tables:
        value ^= digit.one(coins)
    return value


def _signed(scale: Fraction, *, bits: int | None = None) -> Outcomes:
    """List mask ^ G for G < reach, and beyond it the same law again; or, with bits, its low digit.

    Outcome 2l is l and outcome 2l + 1 is -1 - l, with a sum of probabilities up to them of
    1 - 2 q^(l + 1) / (1 + q) and 1 - q^(l + 1), both over 1 - q^(2^bits).
    """
    size = _memory(scale) if bits is None else 1 << bits

    def cumulative(n: int) -> list[Ball]:
        q = ball(-1 / scale).exp()
        power, half = q, 2 / (1 + q)
        whole = ball(Fraction(1)) if bits is None else -ball(-size / scale).expm1()
        chances = []
        for _ in range(0, n, 2):
            chances += [(1 - power * half) / whole, (1 - power) / whole]
            power = power * q
        return chances[:n]

    def label(i: int) -> int:
        return i >> 1 ^ -(i & 1)

    if bits is None:
        return Outcomes(cumulative, label, 2 * size, lambda x: x + size if x >= 0 else x - size)
    return Outcomes(cumulative, label, 2 * size - 1, "last")


def _middle(scale: Fraction, place: int, *, bits: int) -> Outcomes:
    """List a digit of G, `bits` wide and worth 2^place."""
    size, rate = 1 << bits, (1 << place) / scale

    def cumulative(n: int) -> list[Ball]:
        whole = -ball(-size * rate).expm1()  # without loss for a small exponent
        return [t / whole for t in _geometric(rate, n)]

    return Outcomes(cumulative, lambda i: i << place, size - 1, "last")


def _top(scale: Fraction, place: int) -> Outcomes:
    """List the digits of G from 2^place on, and beyond the table the same law again."""
    size, rate = _memory(scale / (1 << place)), (1 << place) / scale
    return Outcomes(
        lambda n: _geometric(rate, n),
        lambda i: i << place,
        size,
        lambda x: x + (size << place),
    )


def _geometric(rate: Fraction, n: int) -> list[Ball]:
    """Return 1 - r^(l + 1) for l < n, with r = e^-rate."""
    r = ball(-rate).exp()
    power, chances = r, []
    for _ in range(n):
        chances.append(1 - power)
        power = power * r
    return chances


def _memory(scale: Fraction) -> int:
    """Return after how many values a table ends and the law starts afresh: beyond 2^-64."""
    return int(45 * scale) + 1
