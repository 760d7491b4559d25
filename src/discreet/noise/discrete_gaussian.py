"""Discrete Gaussian noise: Pr[Y = k] proportional to e^(-k^2 / (2 sigma2)) on the integers.

What discrete Gaussian noise costs beyond zCDP: its mu^2, and its own (epsilon, delta).

Rules of this module:
- sigma2 is an exact rational, and a parameter: the variance is a little less (see `variance`);
- probabilities are balls at the working precision (see `exact.enclosure`);
- no float decides anything, but as a filter with a proven error in `strips`;
- mu^2 is Theorem 2 of docs/laws/gdp.md; it adds up, over vectors and over releases;
- the exact curve is of one vector of which one unit moves some numbers by 1, and adds up with
  nothing: it is asked where the vector has a loss for itself, and little noise;
- a sigma2 that is returned has six digits, and was certified as it is written.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import sqrt
from typing import TYPE_CHECKING, ClassVar

from ..exact.enclosure import Ball, Real, ball, enclosed, is_less, round_up, sqrt_up
from ..exact.number import few_down, few_up, rounded
from ..privacy.gdp import mu2_down
from ..privacy.loss import Kind, Loss
from . import discrete_gaussian_sums as sums
from .continuous import Gaussian, of_gaussian
from .discrete_gaussian_accuracy import accuracy, sigma2_few
from .discrete_gaussian_sums import upper_share
from .inversion import few, listed
from .law import (
    CoinSource,
    Form,
    Integers,
    Law,
    Streams,
    Vector,
    chance,
    counted,
    parameter,
    positive,
)
from .reals import least_whole, real_up
from .rejection import Strips

if TYPE_CHECKING:
    from .rejection_batch import ManyStrips


_LEAST = Fraction(1, 4096)
_MOST = Fraction(2**320)
_WIDE = Fraction(2**80)
_BITS = 128
_LONG = 24  # characters

# Definition


@dataclass(frozen=True, slots=True)
class DiscreteGaussian(Law):
    """Discrete Gaussian noise.

    Args:
        sigma2: the variance parameter, from 1/4096 to 2^320, exact.

    Raises:
        InputError: sigma2 is outside that range.

    Source: Canonne, Kamath and Steinke 2020, Definition 1 (arXiv 2004.00010v4).

    Example:
        >>> from ..privacy.loss import zcdp
        >>> law = DiscreteGaussian.calibrated(zcdp("1/50"), l1=1, l2_squared=1)
        >>> law.sigma2, law.half_width(Fraction(1, 20))
        (Fraction(25, 1), 10)
    """

    sigma2: Fraction

    name: ClassVar[str] = "discrete_gaussian"
    costs: ClassVar[Kind] = "zcdp"
    also: ClassVar[tuple[Kind, ...]] = ("gdp",)
    words: ClassVar[str] = "discrete Gaussian"
    size_name: ClassVar[str] = "sigma"
    formula: ClassVar[str] = "exp(−k² / (2 sigma²))"

    def __post_init__(self) -> None:
        sigma2 = parameter(self.sigma2, "sigma2", least=_LEAST, most=_MOST)
        object.__setattr__(self, "sigma2", sigma2)

    def plain(self) -> dict[str, str]:
        """Return the law as plain data."""
        return {"law": self.name, "sigma2": str(self.sigma2)}

    # Privacy

    def loss(self, *, l1: int, l2_squared: int) -> Loss:  # noqa: ARG002 (zCDP sees only l2)
        """Return what this noise costs on a vector that one unit moves by at most sqrt(l2_squared).

        Guarantee: rho = l2_squared / (2 sigma2), for a vector of any length.

        Source: Canonne, Kamath and Steinke 2020, Theorem 14 (arXiv 2004.00010v4).
        """
        return Loss("zcdp", (positive(Fraction(l2_squared), "l2_squared") / (2 * self.sigma2),))

    def mu2_up(self, *, l1: int, l2_squared: int) -> Fraction:  # noqa: ARG002 (as in `loss`)
        """Return its own mu^2, rounded up: l2_squared mu0^2.

        Source: docs/laws/gdp.md, Theorem 2: mu0 = 2 Phi^-1((1 + Pr[Y = 0]) / 2), for a move by 1.
        """
        return positive(Fraction(l2_squared), "l2_squared") * mu2_of_one_up(self.sigma2)

    def few_up(self) -> "DiscreteGaussian":
        """Return this law, or a wider one of six digits."""
        return DiscreteGaussian(few_up(self.sigma2))

    # Calibration

    @classmethod
    def calibrated(cls, loss: Loss, *, l1: int, l2_squared: int) -> "DiscreteGaussian":  # noqa: ARG003 (as in `loss`)
        """Return the least noise that costs at most this loss: sigma2 = l2_squared / (2 rho).

        Args:
            loss: rho above 0, or mu2 above 0: then sigma2 has six digits, and is certified.
            l1: not asked by zCDP.
            l2_squared: the square of how far one unit moves the vector, at least 1.

        Raises:
            InputError: the loss or l2_squared is not above 0, or sigma2 is out of range.
        """
        moved = positive(Fraction(l2_squared), "l2_squared")
        if "mu2" in loss.named:
            return cls(least_sigma2(positive(loss.mu2, "mu2") / moved))
        return cls(moved / (2 * positive(loss.rho, "rho")))

    @classmethod
    def alone(cls, loss: Loss, *, moved: int, below: Fraction) -> "DiscreteGaussian | None":
        """Return noise narrower than a sigma that keeps (epsilon, delta) on one vector, or None."""
        sigma2 = narrower(loss.epsilon, loss.delta, moved=moved, than=below**2)
        return None if sigma2 is None else cls(sigma2)

    def epsilon_alone(self, delta: Fraction, *, moved: int) -> Fraction | None:
        """Return the least epsilon of one such vector at a delta, where it is added up."""
        return epsilon_up(delta, self.sigma2, moved=moved)

    # Distribution

    def mass(self, k: int) -> Ball:
        """Return Pr[Y = k], in a ball at the working precision."""
        return ball(-Fraction(k * k) / (2 * self.sigma2)).exp() / sums.total(self.sigma2)

    def tail(self, k: int) -> Ball:
        """Return Pr[Y >= k], in a ball at the working precision; its `log()` never underflows."""
        if k <= 0:
            return 1 - self.tail(1 - k)
        return sums.upper(self.sigma2, k) / sums.total(self.sigma2)

    def variance(self) -> float:
        """Return the variance, for display; it is below sigma2, noticeably so under sigma2 = 1."""
        low, high = enclosed(lambda: sums.variance(self.sigma2), _BITS)
        return float((low + high) / 2)

    # Accuracy

    def half_width(self, alpha: Fraction) -> int:
        """Return the smallest a >= 0 with Pr[|Y| > a] <= alpha, decided exactly.

        Args:
            alpha: strictly between 0 and 1.
        """
        return accuracy(sigma2=self.sigma2, alpha=chance(alpha), convention="gt")

    @classmethod
    def widest(cls, half_width: int, alpha: Fraction) -> "DiscreteGaussian":
        """Return the most noise, of six digits, whose half-width is at most the given one.

        Args:
            half_width: at least 0.
            alpha: strictly between 0 and 1.

        Raises:
            InputError: sigma2 is out of range.
        """
        return cls(sigma2_few(accuracy=half_width, alpha=chance(alpha)))

    def tail_up(self, a: int) -> Fraction:
        """Return a rational at least Pr[|Y| > a], within a relative 2^-60 or so."""
        if a < 0:
            return Fraction(1)
        return min(Fraction(1), round_up(enclosed(lambda: 2 * self.tail(a + 1), _BITS)[1]))

    # Words and floats

    def size_up(self) -> Fraction:
        """Return sigma, rounded up."""
        return sqrt_up(self.sigma2)

    def numbers(self) -> str:
        """Return sigma for people, and sigma2 where it is short."""
        exact = str(self.sigma2)
        squared = f" (sigma² = {exact})" if len(exact) < _LONG else ""
        return f"sigma = {rounded(self.size_up(), 4)}{squared}"

    def closed_form(self) -> tuple[Form, float]:
        """Return its closed form."""
        return "discrete_gaussian", float(self.sigma2)

    def continuous(self) -> Gaussian:
        """Return the normal noise of the same sigma."""
        return Gaussian(sqrt(self.sigma2))

    def wave(self, t: Vector) -> Vector:
        """Return it by Poisson's formula, or where the noise is narrow by adding up."""
        return of_gaussian(float(self.sigma2), t)

    @classmethod
    def examples(cls) -> "Sequence[DiscreteGaussian]":
        """Return laws from the narrowest to the widest, of one table and of strips."""
        narrow = ["1/1000", "3/7", "1/2", "1", "10", "10000", "32768", "40000"]
        wide = [Fraction(10**12, 7), *(Fraction(10) ** power for power in (6, 10, 14))]
        return [cls(size) for size in (*map(Fraction, narrow), *wide, Fraction(2**200))]

    # Sampling

    def one(self, coins: CoinSource) -> int:
        """Return one draw, in whole numbers only: for noise that is drawn key by key."""
        return _strips(self.sigma2).one(coins)

    def named(self, streams: Streams, prefix: bytes, names: Sequence[bytes]) -> list[int]:
        """Return what `one` makes of the stream of each name behind a prefix: many at once.

        The first bytes of nearly all streams decide; `one` draws what they leave open.
        """
        strips = _strips(self.sigma2)
        if self.sigma2 > _WIDE or few(len(names)):
            return [strips.one(streams.stream(prefix + name)) for name in names]
        drawn, left = _many(self.sigma2).begun(streams.blocks(prefix, names))
        for place in left:
            drawn[place] = strips.one(streams.stream(prefix + names[place]))
        return drawn

    def draws(self, count: int, coins: CoinSource) -> Integers:
        """Return `count` independent draws: int64 up to sigma2 = 2^80, Python ints beyond.

        Guarantee: exactly this law, if the coins are uniform. Where int64 is used, a draw that
            does not fit (its chance is below e^(-2^43)) raises OverflowError; it never wraps.
        """
        from .inversion_batch import filled

        if self.sigma2 > _WIDE or few(count):
            draw = _strips(self.sigma2).one
            return listed([draw(coins) for _ in range(counted(count))], wide=self.sigma2 > _WIDE)
        many = _many(self.sigma2)
        return filled(count, lambda part: many.into(part, coins))


@lru_cache(maxsize=16)
def _strips(sigma2: Fraction) -> Strips:
    return Strips(sigma2)


@lru_cache(maxsize=16)
def _many(sigma2: Fraction) -> "ManyStrips":
    from .rejection_batch import ManyStrips

    return ManyStrips(_strips(sigma2))


_GAP = Fraction(9, 100)  # sigma2 is above 1 / mu0^2 by less than this
_MOST_MOVED = 64  # numbers whose exact curve is added up ...
_LITTLE = 20  # ... below this sigma2; from there on mu^2 loses less than 1 part in 500
_PRICE_BITS = 192
_HALVINGS = 60


@lru_cache(maxsize=4096)
def mu2_of_one_up(sigma2: Fraction) -> Fraction:
    """Return mu0^2, the mu^2 of one number that moves by 1, rounded up.

    Example: the continuous Gaussian's is 1/25.

        >>> print(f"{float(mu2_of_one_up(Fraction(25))):.9f}")
        0.040133914
    """
    return real_up(lambda: _mu0(sigma2) ** 2)


def least_sigma2(mu2: Fraction) -> Fraction:
    """Return the least sigma2 of six digits whose mu0^2 is at most this, certified.

    mu0 falls as sigma2 grows, because Pr[Y = 0] does.

    Example:
        >>> least_sigma2(Fraction(1, 25))
        Fraction(50167, 2000)
    """
    low, high = few_down(1 / mu2), few_up(1 / mu2 + _GAP)
    while not _certainly(high, mu2):
        low, high = high, 2 * high
    return _six_digits(lambda sigma2: _certainly(sigma2, mu2), low, high)


def delta_of(epsilon: Fraction, sigma2: Fraction, *, moved: int) -> Real:
    """Return the delta of noise on a vector in which one unit moves so many numbers by 1.

    Where k numbers move by 1 (noise is symmetric, so all upwards), the loss at noise x is
    (2 S + k) / (2 sigma2) with S the sum of those k errors. So the loss depends on S only, and

        delta = Pr[S > t] - e^epsilon Pr[S > t + k],   t = epsilon sigma2 - k / 2,

    as for one number (Canonne, Kamath and Steinke 2020, Theorem 7), with the law of a sum in place
    of a single one. Moving fewer numbers loses no more: it is what is left when some are not seen.
    """
    edge = epsilon * sigma2 - Fraction(moved, 2)
    least = edge.numerator // edge.denominator + 1

    def share(k: int) -> Ball:
        return upper_share(sigma2, moved, k) if k > 0 else 1 - upper_share(sigma2, moved, 1 - k)

    return lambda: share(least) - ball(epsilon).exp() * share(least + moved)


def narrower(epsilon: Fraction, delta: Fraction, *, moved: int, than: Fraction) -> Fraction | None:
    """Return a sigma2 below another that keeps (epsilon, delta) on such a vector, or None.

    Guarantee: its own enclosed delta is at most the target. It need not be the least, as delta does
        not always fall in sigma2.
    """
    if than > _LITTLE or moved > _MOST_MOVED or 0 in (epsilon, delta):
        return None

    def holds(sigma2: Fraction) -> bool:
        return _keeps(epsilon, delta, sigma2, moved)

    if not holds(few_up(than)):  # mostly delta falls in sigma2: below it is none, either
        return None
    narrow = _six_digits(holds, few_down(moved / mu2_down(epsilon, delta) / 2), few_up(than))
    return narrow if narrow < than and holds(narrow) else None


@lru_cache(maxsize=256)
def epsilon_up(delta: Fraction, sigma2: Fraction, *, moved: int) -> Fraction | None:
    """Return the least epsilon of such a vector at a delta, rounded up; None for much noise."""
    if sigma2 > _LITTLE or moved > _MOST_MOVED or delta == 0:
        return None
    low, high = Fraction(0), Fraction(1)
    while not _keeps(high, delta, sigma2, moved):
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        middle = round_up((low + high) / 2)
        low, high = (low, middle) if _keeps(middle, delta, sigma2, moved) else (middle, high)
    return high


def _keeps(epsilon: Fraction, delta: Fraction, sigma2: Fraction, moved: int) -> bool:
    return not is_less(lambda: ball(delta), delta_of(epsilon, sigma2, moved=moved))


def _mu0(sigma2: Fraction) -> Ball:
    """Return 2 Phi^-1((1 + p) / 2), with p = Pr[Y = 0], from whichever of p and 1 - p is small."""
    from flint import arb

    whole = sums.total(sigma2)
    if sigma2 >= 1:
        return arb(8).sqrt() * (1 / whole).erfinv()
    return arb(8).sqrt() * (2 * sums.upper(sigma2, 1) / whole).erfcinv()


def _certainly(sigma2: Fraction, mu2: Fraction) -> bool:
    """Tell whether mu0^2 is certainly at most mu2."""
    return enclosed(lambda: _mu0(sigma2) ** 2, _PRICE_BITS)[1] <= mu2


def _six_digits(holds: Callable[[Fraction], bool], low: Fraction, high: Fraction) -> Fraction:
    """Return a number of six digits above `low` that holds, or the first from `high` on."""
    step = Fraction(1)
    while step * 10**5 > high:
        step /= 10
    while step * 10**6 <= high:
        step *= 10
    first, last = int(low / step) - 1, -int(-high // step)
    return step * least_whole(lambda n: holds(n * step), max(first, 0), last)
