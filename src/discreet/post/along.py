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
- s is the least that the others have left along any sum of them, in deviations of the noise along
  it (`least_left`). Noise of length e in u u is at most e / s of A along each sum, whatever its
  weights are, and e / s of it for some. Single columns do not tell s: of others that lie against
  each other the sum has more noise than each, and x and y may both follow it;
- how much noise along w bends G is at most `bends`, which is 1 / s at the second edge. If each
  column has left some times what one sum reaches, a part (_SHARE) of 1 / s^2 follows _BENT times
  `bends`: noise makes w longer than at the truth, so that less seems to be bent;
- **between both edges the law of R is not proved.** True numbers for which R exceeds C more often
  than the level were sought by climbing (`python -m bench.climb`); none were found. C is that of
  _PART of the level, which pays for what climbing may have missed;
- above a level of a tenth the second edge is none: e may be a sum of many draws, which then reaches
  farther than one that is as wide. Groups with few rows take C of a tenth there (_HIGHEST);
- one sum of draws reaches farthest with equal weights of some of them. This is looked up, too
  (tests/unit/post/test_along.py). e counts as so much wider than one draw. One draw and many reach
  as far at a level of a tenth. About there their mixtures miss most, and `taken` is up to 8 % more.
  If all have left _MUCH times that, what the sums with w at both ends exceed takes its place; at
  small levels, where that is far less, if all have left _SOON times that.

Decisions 141, 151.
"""

from dataclasses import dataclass
from math import exp, log, sqrt
from typing import Any

from ..noise.law import Continuous

_PART = 0.95  # of the level
_SHARE = 0.75  # of 1 / s^2, that follows what is bent
_BENT = 1.4  # times what is bent at the noisy numbers
_FROM, _FULL = 1.2, 1.8  # times what one sum reaches, from which on and where all of it does
_MUCH, _SOON = 15.0, 6.0  # times the same, from which on w's own law is asked for
_HIGHEST = 0.1  # level: of a higher one few rows take what holds for this one
_SMALL = 0.02  # level, below which _SOON is enough: many draws reach less far there
_MIXED = 0.085  # more, where one draw and many reach about as far
_ONE, _BOTH = 0.061, 0.15  # how near, where one reaches farther, and where many do
_MANY = 32  # draws
_HALVINGS, _STEPS = 50, 12
_SLACK = 1e-11  # of the length of all numbers
_RATE, _LEAST, _NONE = sqrt(2), 5e-324, 1e-300

Vector = Any  # numpy array of float64


@dataclass(frozen=True, slots=True)
class Straight:
    """What is known of a parameter in each group.

    Attributes:
        numbers: the noisy ones, a row for each group.
        below: how far G falls for 1 of the parameter; 0 where nothing is told.
        way, turning: w at the noisy parameter, and how much less it is for 1 more of it.
        others: the least that the others have left along any sum of them, in numbers.
        left: the least that the other columns leave of any column, in numbers.
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
        few = min(level, _HIGHEST)
        slack = _SLACK * np.sqrt((self.numbers * self.numbers).sum(1))
        most = taken(noise, few, self.numbers.shape[1]) + slack
        low, high = self.reaches(self.limits(few, most))
        times = _SOON if level < _SMALL else _MUCH
        much = np.isfinite(low) & (np.minimum(self.others, self.left) > times * most)
        told = np.flatnonzero(much)
        own = np.zeros(len(told))
        for far in (low, -high) if told.size else ():
            rows = self.way[told] + far[told, None] * self.turning[told]
            rows = rows / np.sqrt((rows * rows).sum(1))[:, None]
            own = np.maximum(own, noise.widths(rows, [level])[0])
        most[told] = np.minimum(most[told], own + slack[told])
        limits = self.limits(few, most)
        if few < level and told.size:
            limits = np.where(much, self.limits(level, most), limits)
        return self.reaches(limits)

    def limits(self, level: float, sums: Vector) -> Vector:
        """Return C in each group, in numbers, where one sum reaches so far at the level."""
        import numpy as np

        times = sums / (log(1 / level) / _RATE)
        others = np.maximum(self.others, _SLACK * times)
        share = np.clip((self.left / sums - _FROM) / (_FULL - _FROM), 0.0, 1.0) * _SHARE
        bent = np.sqrt(share * np.minimum(_BENT * self.bends * others, 1.0) ** 2 + 1 - share)
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


def least_left(moments: Vector, back: Vector, inner: Vector, starts: Vector) -> Vector:
    """Return how little some columns have left along any sum of them, over the noise along it.

    With the weights inner(v, v) of the moment of (v u)^2 it is the least of v A v / |inner(v, v)|.
    A step goes from v to A^-1 times the gradient of |inner(v, v)|^2, which leads up where that is
    convex (Kofidis and Regalia 2002): it starts at each column, less what the others tell of it,
    and at `starts`.

    Args:
        moments: A, a matrix in each group.
        back: its inverse.
        inner: what the numbers weigh in each moment.
        starts: further sums to start at, some in each group.
    """
    import numpy as np

    size = back.shape[1]
    fourth = np.einsum("abd,ced->abce", inner, inner).reshape(size * size, size * size)
    ways = np.concatenate([back, starts], axis=1)
    most = np.zeros(len(back))
    for _ in range(_STEPS):
        ways = ways / np.maximum(np.sqrt((ways * ways).sum(2)), _NONE)[..., None]
        both = (ways[..., :, None] * ways[..., None, :]).reshape(*ways.shape[:2], -1)
        turned = both @ fourth
        own = np.maximum(((ways @ moments) * ways).sum(2), _NONE)
        most = np.maximum(most, (np.sqrt((turned * both).sum(2)) / own).max(1))
        ways = (turned.reshape(*ways.shape, size) @ ways[..., None])[..., 0] @ back
    return 1 / np.maximum(most, _NONE)


def farthest(noise: Continuous, level: float, draws: int) -> float:
    """Return what a sum with any weights of length 1 exceeds at most at the level."""
    import numpy as np

    equal = np.tri(draws) / np.sqrt(np.arange(1, draws + 1))[:, None]
    return float(noise.widths(equal, [level]).max())


def taken(noise: Continuous, level: float, draws: int) -> float:
    """Return at least `farthest`: more where one draw and many reach about as far.

    Example: at a level of a tenth.
        >>> from discreet.noise.continuous import Laplace
        >>> noise, level = Laplace(2.0**40), 0.1
        >>> round(taken(noise, level, 5) / farthest(noise, level, 5), 3)
        1.085
    """
    import numpy as np

    one = noise.widths(np.eye(1), [level])[0][0]
    many = noise.widths(np.full((1, _MANY), _MANY**-0.5), [level])[0][0]
    near = log(many / one) / (_ONE if one > many else _BOTH)
    more = _MIXED * exp(-near * near)
    return farthest(noise, level, draws) * (1 + more)


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
