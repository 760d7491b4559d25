"""How far bins lie from a rank: the whole numbers by which a quantile is chosen.

With share = a / b, n rows, and F the rows before and after a bin, the bin holds the ranks from
b F(before) to b F(after), times b; the rank that is sought is a n + shift, and a bin's number is
how far it lies from it, negative: the bin that holds the rank has 0, the largest.

To the left or right of all bins stands one more where an end of an interval is chosen, which holds
all ranks below 0, or above b n: there is always a bin that holds the rank.

Rules of this module:
- whole numbers in, whole numbers out: `share` and `shift` are public, the counts are private.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Literal

Side = Literal[-1, 0, 1]
_SURE = Fraction(999, 1000)  # a chance below 1


@dataclass(frozen=True, slots=True)
class Rank:
    """A rank among the rows that are counted by bin: where a share of them lies below.

    Attributes:
        share: above 0 and below 1.
        side: 0 for the rank itself; -1 or 1 for one so far below or above it that what is chosen
            is beyond it, but with probability `miss`.
        miss: of a side.
    """

    share: Fraction
    side: Side = 0
    miss: Fraction = Fraction(1, 2)

    def candidates(self, bins: int) -> int:
        """Return how many places there are to choose from."""
        return bins + abs(self.side)

    def off(self, half_width: Callable[[Fraction], int], bins: int) -> int:
        """Return how far, times b, a choice by a law's half-width may lie from the rank that it
        seeks, but with probability `miss`: of its candidates but one, all lie further."""
        others = self.candidates(bins) - 1
        odds = self.miss / (1 - self.miss)  # exact: rationals
        return half_width(min(odds / others, _SURE))  # exact: rationals

    def numbers(self, counts: Sequence[int], off: int) -> list[int]:
        """Return the number of each candidate, from the private counts by bin.

        Args:
            counts: the rows in each bin.
            off: as `off` says; not looked at without a side.

        Example: of four rows the median is in the second bin; what is below it, but for 1.

            >>> Rank(Fraction(1, 2)).numbers([1, 2, 1], 0)
            [-2, 0, -2]
            >>> Rank(Fraction(1, 2), -1).numbers([1, 2, 1], 1)
            [-2, 0, 0, -4]
        """
        a, b = self.share.numerator, self.share.denominator
        ends = [b * rows for rows in accumulate(counts, initial=0)]
        shift = (0, off, -off - 1)[self.side]
        sought = a * ends[-1] // b + shift
        found = [-max(0, start - sought, sought - end) for start, end in pairwise(ends)]
        if self.side < 0:
            return [-max(0, sought), *found]
        return [*found, -max(0, ends[-1] - sought)] if self.side else found
