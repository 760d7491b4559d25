"""From which noisy sum on a key is shown, so that a key of one unit alone is not, but for delta.

Rules of this module:
- a threshold is decided by balls, and a chance is never below the true one;
- the proof of what is used here is in docs/laws/unknown_keys.md.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import isqrt

from ..exact.enclosure import Ball, ball, floor_of

_SINGLE = 64  # up to so many new keys of one unit each number of them is looked at by itself
_BLOCK = 64  # from there on a block of b has b / 64 numbers, and its worst end is taken


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
    sigma2 / c_j. A unit all by itself has b new keys, and each holds at most weight(b) in each
    round, so that S_i reaches T_i with a chance of at most delta_i / b if T_i is at least

        C_i (weight(b) + 1/2) + sqrt(C_i sigma2) z,   Q(z) = delta_i / (b e^(C_i / (24 sigma2))),

    with C_i the sum of the c_j; T_i is above the largest of these over b.
    """
    sums = accumulate(precisions)
    shares = chances(delta, len(precisions))
    return tuple(
        max(_threshold(so_far, sigma2, share, *block) for block in _blocks(max_groups, resolution))
        for so_far, share in zip(sums, shares, strict=True)
    )


def _blocks(max_groups: int, resolution: int) -> Iterator[tuple[int, int]]:
    """Return the numbers of new keys in blocks: the most of a block, and its largest weight."""
    least = 1
    while least <= max_groups:
        most = least if least <= _SINGLE else min(max_groups, least + least // _BLOCK)
        yield most, weight(resolution, least)
        least = most + 1


def _threshold(so_far: int, sigma2: Fraction, share: Fraction, keys: int, held: int) -> int:
    """Return the least whole number above the bound for so many keys that hold so much."""

    def bound() -> Ball:
        from flint import arb

        slack = ball(Fraction(so_far) / (24 * sigma2)).exp()  # exact: rationals
        far = (2 * ball(share) / (keys * slack)).erfcinv() * arb(2).sqrt()  # exact: balls
        reach = ball(so_far * sigma2).sqrt() * far
        return ball(so_far * (held + Fraction(1, 2))) + reach

    return floor_of(bound) + 1


def needed(threshold: int, precisions: Sequence[int], resolution: int, keys: int) -> Fraction:
    """Return from how many units on a key is shown, if each has so many keys not found yet.

    Half of the keys with so many units are shown by the last round.
    """
    return Fraction(threshold, sum(precisions) * weight(resolution, keys))
