"""What discrete Gaussian noise costs beyond zCDP: its mu^2, and its own (epsilon, delta).

Rules of this module:
- mu^2 is Theorem 2 of docs/laws/gdp.md; it adds up, over vectors and over releases;
- the exact curve is of one vector of which one unit moves some numbers by 1, and adds up with
  nothing: it is asked where the vector has a loss for itself, and little noise;
- a sigma2 that is returned has six digits, and was certified as it is written.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from ..exact.enclosure import Ball, Real, ball, enclosed, is_less, round_up
from ..exact.number import few_down, few_up
from ..privacy.gdp import mu2_down
from . import discrete_gaussian_sums as sums
from .discrete_gaussian_convolution import upper_share
from .reals import least_whole, real_up

_GAP = Fraction(9, 100)  # sigma2 is above 1 / mu0^2 by less than this
_MOST_MOVED = 64  # numbers whose exact curve is added up ...
_LITTLE = 20  # ... below this sigma2; from there on mu^2 loses less than 1 part in 500
_BITS = 192
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
    found = _six_digits(holds, few_down(moved / mu2_down(epsilon, delta) / 2), few_up(than))
    return found if found < than and holds(found) else None


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
    return enclosed(lambda: _mu0(sigma2) ** 2, _BITS)[1] <= mu2


def _six_digits(holds: Callable[[Fraction], bool], low: Fraction, high: Fraction) -> Fraction:
    """Return a number of six digits above `low` that holds, or the first from `high` on."""
    step = Fraction(1)
    while step * 10**5 > high:
        step /= 10
    while step * 10**6 <= high:
        step *= 10
    first, last = int(low / step) - 1, -int(-high // step)
    return step * least_whole(lambda n: holds(n * step), max(first, 0), last)
