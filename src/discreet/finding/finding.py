"""One act of finding keys: its noise, its thresholds, and what it costs.

From which noisy sum on a key is shown, so that a key of one unit alone is not, but for delta.

Rules of this module:
- everything follows from a few public numbers, and is made again from them by whoever checks;
- the claim, delta-approximate zCDP, and its proof are in docs/laws/unknown_keys.md;
- a threshold is decided by balls, and a chance is never below the true one;
- the proof of what is used here is in docs/laws/unknown_keys.md.

Decisions 27, 42.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import isqrt

from ..exact.enclosure import Ball, ball, floor_of
from ..exact.number import few_up
from ..noise.discrete_gaussian import DiscreteGaussian
from ..privacy.loss import Loss
from ..sensitivity import Sensitivity
from .pairs import Pairs

PRECISIONS = (1, 2, 4, 8, 16)  # of five rounds: each costs twice what the one before did
_ROOM = Fraction(10**9 + 1, 10**9)  # for what prices are rounded up by
RESOLUTION = 2**20  # what a unit with one key adds to it


@dataclass(frozen=True, slots=True)
class Finding:
    """Find the keys of a column in rounds, each of which leaves more to the keys still asked for.

    Asked for is what is neither found nor so low that it will hardly be found.

    Attributes:
        column: whose keys are looked for.
        max_groups: how many keys of one unit count.
        sigma2: the parameter of the noise of the first round; round i has sigma2 / precisions[i].
        delta: the chance that a key of one unit alone is shown, at most.
        moved: 1 if neighbors have one unit more or less, 2 if one unit is exchanged.
        precisions: one for each round, relative to the first.
        resolution: what a unit with one key adds to it.
    """

    column: str
    max_groups: int
    sigma2: Fraction
    delta: Fraction
    moved: int = 1
    precisions: tuple[int, ...] = PRECISIONS
    resolution: int = RESOLUTION

    @property
    def laws(self) -> tuple[DiscreteGaussian, ...]:
        """The noise of each round."""
        sizes = [self.sigma2 * Fraction(1, precision) for precision in self.precisions]
        return tuple(map(DiscreteGaussian, sizes))

    @property
    def sensitivity(self) -> Sensitivity:
        """How far one unit moves the sums of one round, over the keys that others have too.

        It adds weight(d) to each of d keys: their squares are at most W^2 together, and their sum
        at most W sqrt(d). Exchanged units move by at most twice that: what they add is
        not negative, so that the squares of the difference are at most the squares of both.
        """
        once = isqrt(self.resolution**2 * self.max_groups)
        squares = self.moved * self.resolution**2
        return Sensitivity(self.moved * once, squares, self.resolution)

    @property
    def costs(self) -> tuple[Loss, ...]:
        """What the noise of each round costs; the chance `delta` comes on top."""
        moved = self.sensitivity
        return tuple([law.loss(l1=moved.l1, l2_squared=moved.l2_squared) for law in self.laws])

    @property
    def chance(self) -> Loss:
        """What comes on top: a key of one unit alone is shown with a chance of at most delta."""
        return Loss("approx", (Fraction(0), self.delta))

    @property
    def thresholds(self) -> tuple[int, ...]:
        """From which sum on a key is found, in each round."""
        return thresholds(
            self.sigma2, self.precisions, self.delta, self.max_groups, self.resolution
        )

    @property
    def levels(self) -> tuple[int | None, ...]:
        """Below which sum a key is set aside, in each round but the last; None in a first one."""
        return levels(self.sigma2, self.precisions)

    @property
    def pairs(self) -> Pairs:
        """What the engine pools."""
        keys = range(1, self.max_groups + 1)
        return Pairs(self.column, tuple([weight(self.resolution, key) for key in keys]))

    def needs(self, keys: int) -> Fraction:
        """Return from how many units on a key is shown, if each has so many still asked for."""
        return needed(self.thresholds[-1], self.precisions, self.resolution, keys)

    def event(self) -> dict[str, object]:
        """Return the act as plain data, from which its price can be made again."""
        return {
            "act": "find keys",
            "column": self.column,
            "max_groups": self.max_groups,
            "resolution": self.resolution,
            "precisions": list(self.precisions),
            "noise": self.laws[0].plain(),
            "sensitivity": self.sensitivity.plain(),
            "thresholds": [str(threshold) for threshold in self.thresholds],
            "levels": [None if level is None else str(level) for level in self.levels],
            "delta": str(self.delta),
        }


def finding_for(
    column: str, max_groups: int, mu2: Fraction, delta: Fraction, *, replace: bool
) -> Finding:
    """Return the finding that costs at most mu2, hence rho = mu2 / 2, and delta besides."""
    moved = 2 if replace else 1
    squares = moved * RESOLUTION**2 * sum(PRECISIONS)
    sigma2 = few_up(squares * _ROOM * (1 / mu2))  # exact: rationals
    return Finding(column, max_groups, sigma2, delta, moved)


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
    cutoffs: list[int | None] = [
        isqrt(int(many**2 * so_far * sigma2))  # exact: a rational, rounded down
        for many, so_far in zip(_ASIDE, reversed(sums), strict=False)
    ]
    return (*[None] * (len(sums) - len(cutoffs)), *reversed(cutoffs))


def needed(threshold: int, precisions: Sequence[int], resolution: int, keys: int) -> Fraction:
    """Return from how many units on a key is shown, if each has so many keys still asked for.

    Half of the keys with so many units are shown by the last round.
    """
    return Fraction(threshold, sum(precisions) * weight(resolution, keys))
