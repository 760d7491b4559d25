"""Accuracy of discrete Gaussian noise, both conventions, both ways, by its own sums.

Rules of this module:
- Y is the size of the error; "gt" asks for the least whole a with Pr[Y > a] <= alpha, "ge" for the
  least whole a with Pr[Y >= a] <= alpha, which for alpha below 1 is always one more;
- whole numbers are exact: the continuous law guesses, enclosures decide;
- a sum of releases is answered by the exact law of `discrete_gaussian_sums`;
- a variance found from an accuracy is rounded down, within 1e-12.
"""

from fractions import Fraction
from functools import lru_cache
from math import isqrt

from ..exact.enclosure import Real, ball, enclosed, is_less, ln_up
from ..exact.number import place_down, sixes
from .discrete_gaussian_sums import check_releases, total, upper, upper_share
from .geometric_accuracy import Convention, check_promise, share_of
from .reals import least_that_holds, least_whole, log_ratio

_GUESS = 256


def tail(*, sigma2: Fraction, a: int, convention: Convention, releases: int = 1) -> Real:
    """Return Pr[Y > a] ("gt") or Pr[Y >= a] ("ge") as a real, Y the size of the noise.

    With several releases, Y is the size of the sum of their errors.

    Raises:
        InputError: the sum of more than 200 releases is asked for, below sigma2 = 20.
    """
    check_releases(sigma2, releases)
    least = a + 1 if convention == "gt" else a
    if least == 0:
        return lambda: ball(Fraction(1))
    if releases > 1:
        return lambda: 2 * upper_share(sigma2, releases, least)
    return lambda: 2 * upper(sigma2, least) / total(sigma2)


@lru_cache(maxsize=256)  # the questions of a plan mostly have few laws
def accuracy(
    *,
    sigma2: Fraction,
    alpha: Fraction,
    convention: Convention,
    coordinates: int = 1,
    releases: int = 1,
) -> int:
    """Return the exact accuracy: the least whole a whose tail is at most alpha in (0, 1].

    Args:
        sigma2: the variance parameter, above 0.
        alpha: in (0, 1].
        convention: "gt" or "ge".
        coordinates: with more than one, the a that all of so many independent errors keep.
        releases: how many are added up, each with noise of its own.

    Example: one release, and the sum of ten.

        >>> accuracy(sigma2=Fraction(25), alpha=Fraction(1, 20), convention="gt")
        10
        >>> accuracy(sigma2=Fraction(25), alpha=Fraction(1, 20), convention="gt", releases=10)
        31
    """
    if alpha == 1:
        return 0
    share = share_of(alpha, coordinates)

    def misses_more(a: int) -> bool:
        return is_less(share, tail(sigma2=sigma2, a=a, convention="gt", releases=releases))

    high = _continuous(sigma2 * releases, alpha, coordinates)
    low, step = high - 1, 1
    while low >= 0 and not misses_more(low):
        low, high, step = low - step, low, 2 * step
    while misses_more(high):
        low, high, step = high, high + step, 2 * step
    greater = least_whole(lambda a: not misses_more(a), max(low, -1), high)
    return greater if convention == "gt" else greater + 1


def sigma2_down(
    *,
    accuracy: int,
    alpha: Fraction,
    convention: Convention,
    coordinates: int = 1,
    releases: int = 1,
) -> Fraction:
    """Return the largest variance parameter that keeps an accuracy, rounded down; alpha below 1.

    The tail grows with sigma2 (the laws have monotone likelihood ratios in k^2), and so does that
    of a sum: symmetric unimodal laws keep their order of peakedness (Birnbaum 1948).
    """
    check_promise(accuracy, convention)
    share = share_of(alpha, coordinates)

    def excess(inverse: Fraction) -> Real:
        sigma2 = 1 / inverse
        chance = tail(sigma2=sigma2, a=accuracy, convention=convention, releases=releases)
        return log_ratio(chance, share)

    high = Fraction(1) if releases == 1 else Fraction(releases, max(1, accuracy) ** 2)
    while not is_less(excess(high), lambda: ball(Fraction(0))):
        high *= 2
    low = high / 2
    while is_less(excess(low), lambda: ball(Fraction(0))):
        high, low = low, low / 2
    return 1 / least_that_holds(excess, low, high)


def sigma2_few(*, accuracy: int, alpha: Fraction) -> Fraction:
    """Return the largest variance parameter of six digits that keeps |Y| > accuracy at alpha.

    The continuous law guesses: a tail from a + 1/2 on, and 1/12 for its curve. Enclosures decide,
    at the guess and beside it, and farther off where it was wrong.

    Example: that of the test beside `accuracy` is 25, and 29 keeps the same error.

        >>> sigma2_few(accuracy=10, alpha=Fraction(1, 20))
        Fraction(287833, 10000)
    """

    def keeps(place: int) -> bool:
        chance = tail(sigma2=sixes(place), a=accuracy, convention="gt")
        return not is_less(lambda: ball(alpha), chance)

    low, _ = enclosed(lambda: (ball(Fraction(2)).sqrt() * ball(alpha).erfcinv()) ** 2, _GUESS)
    guess = place_down((accuracy + Fraction(1, 2)) ** 2 / low + Fraction(1, 12))
    below, above, step = guess, guess + 1, 1
    while not keeps(below):
        below, above, step = below - step, below, 2 * step
    while keeps(above):
        below, above, step = above, above + step, 2 * step
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (middle, above) if keeps(middle) else (below, middle)
    return sixes(below)


def _continuous(sigma2: Fraction, alpha: Fraction, coordinates: int) -> int:
    """Return about the accuracy of the continuous Gaussian; a guess, any would do."""
    share = share_of(alpha, coordinates)
    low, high = enclosed(lambda: ball(2 * sigma2).sqrt() * share().erfcinv(), _GUESS)
    if high - low < 1:
        return int(low)
    return isqrt(int(2 * sigma2 * ln_up(2 * coordinates / alpha)))
