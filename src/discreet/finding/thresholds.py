"""From which noisy sum on a key is shown, so that a key of one unit alone is not, but for delta.

Rules of this module:
- a threshold is decided by balls, and a chance is never below the true one;
- the proof of what is used here is in docs/laws/unknown_keys.md.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import isqrt

from ..exact.enclosure import Ball, ball, floor_of

# A total that is below so many standard deviations of its noise is asked for no more, from the last
# round but one backwards. Measured: little that is near to be found is lost, and of what noise
# alone makes half is gone after the second of five rounds, and nine tenths after the fourth.
_ASIDE = (Fraction(3, 2), Fraction(1), Fraction(0))


def weight(resolution: int, keys: int) -> int:
    """Return what a unit adds to each of its keys: floor(W / sqrt(keys)), W the resolution.

    The squares of what it adds are together at most W^2.
    """
    return isqrt(resolution**2 // keys)


def chances(delta: Fraction, rounds: int) -> tuple[Fraction, ...]:
    """Return the part of delta that each round may use: the last one half, the others alike."""
    if rounds == 1:
        return (delta,)
    early = delta / (2 * (rounds - 1))  # exact: rationals
    return (*[early] * (rounds - 1), delta / 2)  # exact: rationals


@lru_cache(maxsize=256)
def thresholds(
    sigma2: Fraction, precisions: tuple[int, ...], delta: Fraction, max_groups: int, resolution: int
) -> tuple[int, ...]:
    """Return the least whole numbers T_i that our bound on the chance of a new key allows.

    Round i compares S_i = sum over j <= i of c_j y_j with T_i, where the noise in y_j has parameter
    sigma2 / c_j. A unit all by itself has at most k = max_groups new keys, and adds at most W, the
    resolution, to each in each round, whatever the noise was before. So S_i reaches T_i with a
    chance of at most delta_i / k if T_i is at least

        C_i (W + 1/2) + sqrt(C_i sigma2) z,   Q(z) = delta_i / (k e^(C_i / (24 sigma2))),

    with C_i the sum of the c_j.
    """
    sums = accumulate(precisions)
    shares = chances(delta, len(precisions))
    return tuple(
        _threshold(so_far, sigma2, share / max_groups, resolution)  # exact: rationals
        for so_far, share in zip(sums, shares, strict=True)
    )


def _threshold(so_far: int, sigma2: Fraction, share: Fraction, resolution: int) -> int:
    """Return the least whole number above the bound for one key with this chance."""

    def bound() -> Ball:
        from flint import arb

        slack = ball(Fraction(so_far) / (24 * sigma2)).exp()  # exact: rationals
        far = (2 * ball(share) / slack).erfcinv() * arb(2).sqrt()  # exact: balls
        reach = ball(so_far * sigma2).sqrt() * far
        return ball(so_far * (resolution + Fraction(1, 2))) + reach

    return floor_of(bound) + 1


def levels(sigma2: Fraction, precisions: Sequence[int]) -> tuple[int | None, ...]:
    """Return below which total a key is asked for no more, after each round but the last.

    None where all are asked for again. Any numbers would do for the proof.
    """
    sums = [*accumulate(precisions)][:-1]
    found: list[int | None] = [
        isqrt(int(many**2 * so_far * sigma2))  # exact: a rational, rounded down
        for many, so_far in zip(_ASIDE, reversed(sums), strict=False)
    ]
    return (*[None] * (len(sums) - len(found)), *reversed(found))


def needed(threshold: int, precisions: Sequence[int], resolution: int, keys: int) -> Fraction:
    """Return from how many units on a key is shown, if each has so many keys still asked for.

    Half of the keys with so many units are shown by the last round.
    """
    return Fraction(threshold, sum(precisions) * weight(resolution, keys))
