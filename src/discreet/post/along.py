"""How far one parameter reaches along the way in which noisy numbers move it: Laplace noise.

Rules of this module:
- V are the true numbers and V' = V + N the noisy ones, in deviations. For each t a function G of
  numbers is 0 at the true t: the moment of what the others leave of x and of y - t x (`slopes`),
  or a covariance less t times both spreads (`correlations`). Twice the numbers make it twice as
  large, so that G = w V' with its gradient w at V'. Both are lines in t;
- R = |w V'| / |w| is how many deviations V' is from G = 0, by a straight line. An interval is all t
  with R <= C: a quadratic equation (Fieller 1954). Nothing is searched;
- at two edges the law of R is known, whatever the truth is. Where noise bends nothing, w is that of
  the truth, and R is one sum of N with fixed weights. Where it bends most, all noise is one draw e
  in one square A of u u: with the true g and h, G is g h e A / A' and w is g h (A / A')^2, so that
  R = |e| A' / A. With s the noisy A' this is |e| s / (s - e). So C(s) keeps both: e is more than
  C / (1 + C / s), or less than -C / (1 - C / s), at most at the level;
- s is the least that the others have left, each in deviations of its own noise. How much noise
  along w bends G is at most `bends`, which is 1 / s at the second edge. If all columns have left
  some times what one sum reaches, a part (_SHARE) of 1 / s^2 follows `bends`;
- **between both edges the law of R is not proved.** True numbers for which R exceeds C more often
  than the level were sought by climbing (`python -m bench.climb`); none were found. C is that of
  _PART of the level, which pays for what climbing may have missed;
- one sum of draws reaches farthest with equal weights of some of them. This is looked up, too
  (tests/unit/post/test_along.py). e counts as so much wider than one draw. If all have left _MUCH
  times that, what the sums with w at both ends exceed takes its place.

Decisions 141, 151.
"""

from dataclasses import dataclass
from math import log, sqrt
from typing import Any

from ..noise.law import Continuous

_PART = 0.95  # of the level
_SHARE = 0.6  # of 1 / s^2, that follows what is bent
_FROM, _FULL = 1.2, 1.8  # times what one sum reaches, from which on and where all of it does
_MUCH = 15.0  # times the same, from which on w's own law is asked for
_HALVINGS = 50
_SLACK = 1e-11  # of the length of all numbers
_RATE, _LEAST = sqrt(2), 5e-324

Vector = Any  # numpy array of float64


@dataclass(frozen=True, slots=True)
class Straight:
    """What is known of a parameter in each group.

    Attributes:
        numbers: the noisy ones, a row for each group.
        below: how far G falls for 1 of the parameter; 0 where nothing is told.
        way, turning: w at the noisy parameter, and how much less it is for 1 more of it.
        others, left: the least that the others, and that all have left, in numbers.
        bends: how much a number's worth of noise along w bends G at most.
    """

    numbers: Vector
    below: Vector
    way: Vector
    turning: Vector
    others: Vector
    left: Vector
    bends: Vector

    def ends(self, noise: Continuous, level: float) -> tuple[Vector, Vector]:
        """Return how far the parameter reaches to both sides; infinite where there is no end.

        First with what no sum exceeds; where noise bends little, with what w does at both ends.
        """
        import numpy as np

        level = max(level * _PART, _LEAST)
        slack = _SLACK * np.sqrt((self.numbers * self.numbers).sum(1))
        most = farthest(noise, level, self.numbers.shape[1]) + slack
        low, high = self.reaches(self.limits(level, most))
        much = np.minimum(self.others, self.left) > _MUCH * most
        told = np.flatnonzero(np.isfinite(low) & much)
        own = np.zeros(len(told))
        for far in (low, -high) if told.size else ():
            rows = self.way[told] + far[told, None] * self.turning[told]
            rows = rows / np.sqrt((rows * rows).sum(1))[:, None]
            own = np.maximum(own, noise.widths(rows, [level])[0])
        most[told] = np.minimum(most[told], own + slack[told])
        return self.reaches(self.limits(level, most))

    def limits(self, level: float, sums: Vector) -> Vector:
        """Return C in each group, in numbers, where one sum reaches so far at the level."""
        import numpy as np

        times = sums / (log(1 / level) / _RATE)
        others = np.maximum(self.others, _SLACK * times)
        share = np.clip((self.left / sums - _FROM) / (_FULL - _FROM), 0.0, 1.0) * _SHARE
        bent = np.sqrt(share * np.minimum(self.bends * others, 1.0) ** 2 + 1 - share)
        return times * largest_ratio(level, others / (bent * times))

    def reaches(self, most: Vector) -> tuple[Vector, Vector]:
        """Return how far |d below| is at most `most` times |way - d turning|, to both sides."""
        import numpy as np

        finite = np.isfinite(most)
        squares = np.where(finite, most, 0.0) ** 2
        both = squares * (self.way * self.turning).sum(1)
        left = self.below * self.below - squares * (self.turning * self.turning).sum(1)
        told = finite & (self.below > 0) & (left > 0)
        left = np.where(told, left, 1.0)
        rest = left * squares * (self.way * self.way).sum(1)
        root = np.sqrt(both * both + np.where(told, rest, 0.0))
        low, high = (np.where(told, (root + sign * both) / left, np.inf) for sign in (1, -1))
        return low, high


def farthest(noise: Continuous, level: float, draws: int) -> float:
    """Return what a sum with any weights of length 1 exceeds at most at the level."""
    import numpy as np

    equal = np.tri(draws) / np.sqrt(np.arange(1, draws + 1))[:, None]
    return float(noise.widths(equal, [level]).max())


def largest_ratio(level: float, left: Vector) -> Vector:
    """Return C(s) for draws of deviation 1; infinite where no C is large enough.

    Example: one draw exceeds 2.12; with five deviations left that is 2.43.
        >>> import numpy as np
        >>> print(largest_ratio(0.05, np.array([3.0, 5.0, 8.0, 20.0, 1e6])).round(2))
        [3.56 2.43 2.21 2.13 2.12]
    """
    import numpy as np

    left = np.asarray(left, dtype=float)
    low = np.full(left.shape, max(-log(2 * level) / _RATE, 0.0))
    told = left > low
    high = np.minimum(max(-log(level) / _RATE, 0.0), left)

    def most(up: Vector) -> Vector:
        with np.errstate(divide="ignore"):
            return np.where(told & (up < left), up / (1 - up / left), np.inf)

    for _ in range(_HALVINGS):
        up = (low + high) / 2
        c = most(up)
        with np.errstate(invalid="ignore"):
            down = np.where(c < left, c / (1 - np.minimum(c / left, 1 - _SLACK)), np.inf)
        is_more = np.exp(-_RATE * up) + np.exp(-_RATE * down) > 2 * level
        low, high = np.where(is_more, up, low), np.where(is_more, high, up)
    return most(high)
