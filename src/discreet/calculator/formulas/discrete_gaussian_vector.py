"""The exact (epsilon, delta) of discrete Gaussian noise on a vector that moves by 1 in k numbers.

Rules of this module:
- each number of the vector gets noise of its own, of the same sigma2;
- one unit moves at most k of them, each by at most 1;
- delta is enclosed; a sigma2 is certified by its own delta.
- the curve itself is that of `noise.discrete_gaussian`.
"""

from fractions import Fraction

from ...exact.enclosure import ball, is_less, round_up, sqrt_up
from ...noise.discrete_gaussian import delta_of
from ...noise.discrete_gaussian_sums import check_releases
from ...noise.reals import real_up
from . import gaussian

_HALVINGS = 30


def delta_up(*, epsilon: Fraction, sigma2: Fraction, moved: int) -> Fraction:
    """Return the delta at which noise on such a vector is (epsilon, delta)-DP, rounded up.

    Args:
        epsilon: in nats, at least 0.
        sigma2: the variance parameter, above 0.
        moved: how many numbers one unit moves by 1, at least 1.

    Raises:
        InputError: more than 200 numbers move, below sigma2 = 20.

    Example: ten counts; by zCDP it would be 4.48e-07.

        >>> print(f"{float(delta_up(epsilon=Fraction(1), sigma2=Fraction(220), moved=10)):.3e}")
        9.390e-08
    """
    check_releases(sigma2, moved)
    return min(Fraction(1), real_up(delta_of(epsilon, sigma2, moved=moved)))


def sigma2_up(*, epsilon: Fraction, delta: Fraction, moved: int, enough: Fraction) -> Fraction:
    """Return a variance parameter that keeps (epsilon, delta) on such a vector, certified.

    Guarantee: its own enclosed delta is at most the target. It is at most `enough`, and near the
        continuous Gaussian's; a smaller one may keep it too, as delta does not always fall.

    Args:
        epsilon: in nats, above 0.
        delta: in (0, 1).
        moved: how many numbers one unit moves by 1, at least 1.
        enough: a variance parameter that keeps it by another bound, such as zCDP's.
    """

    def holds(sigma2: Fraction) -> bool:
        return not is_less(lambda: ball(delta), delta_of(epsilon, sigma2, moved=moved))

    sensitivity = sqrt_up(Fraction(moved))
    sigma = gaussian.sigma_up(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    low, high = sigma**2 / 2, enough
    for _ in range(_HALVINGS):
        middle = round_up((low + high) / 2)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
