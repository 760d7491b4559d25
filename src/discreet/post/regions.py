"""How far one parameter of linear equations reaches, whose numbers have normal noise.

Rules of this module:
- true numbers V solve W(b) V = 0 at the true parameters b: some equations, one for each parameter.
  Noisy numbers V' = V + N have independent normal noise, here of deviation 1;
- at the true b, let P be the projection on the rows of W. W V' = W N, so that P V' = P N. What is
  left, D = V' - P V' = V + (N - P N), is independent of P N: the noise is normal, P is fixed;
- D solves the equations at b. w(D) is the direction among their rows along which D says that the
  other parameters move nothing: orthogonal to the derivatives of W D in them. It is settled by D
  and b alone. So z = w V' / |w| is normal, given D, and |P V'|^2 - z^2 a sum of as many squares as
  there are other parameters, independent of z (Kleibergen 2005, the K statistic, and what it
  leaves of Anderson and Rubin's 1949; here of known noise, so that both laws are exact at every
  number of rows, whatever the truth is);
- the region {b: z^2 + REST (|P V'|^2 - z^2) <= c}, c the quantile of that mixture, holds the true b
  as often as it says (Andrews 2017, of linear combinations; each point of it is a least squares fit
  that the noise allows). An interval is what the region leaves of the first parameter. Without REST
  far away fits would be in it; a twentieth costs 1 % of a width, and 6 % with eight others;
- the ends are searched from the solution of the noisy equations on: at each place of the first
  parameter the others are moved to where the sum is least. The search stops on the outer side, and
  what it leaves to find is added (`_AIM`). A part of the region that does not hang together with
  the solution would not be found: how often intervals hold is simulated, also where the noisy
  equations hardly determine anything (tests/unit/post/test_regions.py).

Decisions 115, 138.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import erfc, exp, gamma, log, sqrt
from typing import Any, Protocol

REST = 1 / 20
_CELLS, _FAR = 600, 80.0  # of a sum of squares, for its mixture
_HALVINGS, _LEAST = 40, 1e-250  # below it sums of tails are no doubles
_STEP = 1e-4  # of a deviation, for derivatives
_ROUNDS, _FITS, _STARTS = 40, 8, 3
_ENOUGH = 2e-4  # of c: gains that are not sought
_AIM, _OVER = 1.001, 1.003  # times c: where an end is sought, and where it may be
_CLOSE = 1e-3  # of a half-width: closer than that no end is sought
LOST = 1e4  # first half-widths; what reaches so far has no end
_RIDGE, _NONE, _SLACK = 1e-14, 1e-300, 1e-12

Vector = Any  # numpy array of float64


class Region(Protocol):
    """Numbers of which the sum of squares says which parameters are in a region."""

    def rests(self, parameters: Vector, numbers: Vector) -> Vector:
        """Return a row of them for each group."""


class Equations(Protocol):
    """Linear equations of the numbers of each group, of which the first is not only of others."""

    def weights(self, parameters: Vector) -> Vector:
        """Return W in each group: a row for each equation."""

    def moved(self, parameters: Vector, numbers: Vector) -> Vector:
        """Return the derivatives of W times these numbers in all parameters but the first."""


@lru_cache
def critical(level: float, others: int) -> float:
    """Return what z^2 + REST times a sum of so many squares exceeds at most at the level.

    Proof for levels that doubles hardly hold: with t = 1/4, E exp(t z^2) = sqrt(2), and a square
    times REST has (1 - REST / 2)^(-1/2). By Markov's inequality their product is at most the level
    times exp(t c) (Chernoff 1952).

    Example: it is hardly above the quantile of z^2 alone, 3.84.
        >>> print(f"{critical(0.05, 1):.2f} {critical(0.05, 3):.2f}")
        3.89 4.00
    """
    if level < _LEAST:
        return 4 * (log(2) / 2 - log(level) - others / 2 * log(1 - REST / 2))
    far = _FAR
    while _chi_above(far, others) > level / 1000:  # else no c would be large enough
        far *= 2
    edges = [far * (place / _CELLS) ** 2 for place in range(_CELLS + 1)]
    beyond = [_chi_above(edge, others) for edge in edges]
    cells = [a - b for a, b in pairwise(beyond)]

    def above(c: float) -> float:
        rests = (max(c - REST * edge, 0.0) for edge in edges[1:])
        return beyond[-1] + sum(
            cell * erfc(sqrt(rest / 2)) for cell, rest in zip(cells, rests, strict=True)
        )

    low, high = 0.0, 1.0
    while above(high) > level:
        high *= 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if above(middle) > level else (low, middle)
    return high


def _chi_above(x: float, dimensions: int) -> float:
    half, odd = x / 2, dimensions % 2
    powers = [place + odd / 2 for place in range(dimensions // 2)]
    total = exp(-half) * float(sum(half**power / gamma(power + 1) for power in powers))
    return total + (erfc(sqrt(half)) if odd else 0.0)


def limits(deviation: float, level: float, numbers: Vector, others: int) -> Vector:
    """Return c of each group, with what rounding and whole numbers add.

    Args:
        deviation: of the noise of each number; c is in squares of it.
        level: with which probability an interval may miss.
        numbers: the noisy ones.
        others: how many other parameters there are.
    """
    import numpy as np

    root = critical(level, others) ** 0.5
    whole = numbers.shape[1] ** 0.5 / 2  # each number is within a half of a normal one
    slack = _SLACK * np.sqrt((numbers * numbers).sum(1))
    return (root + (whole + slack) / deviation) ** 2


@dataclass(frozen=True, slots=True)
class Search:
    """Groups whose first parameter is to be bounded.

    Attributes:
        region: of each group, the same.
        numbers: noisy ones, in deviations of their noise.
        solution: the parameters that solve the noisy equations.
        along: how the others move with the first one, about.
        steps: about how far noise moves each of the others.
        settled: where noise moves the others by so little that they need not be fitted.
        most: c, in each group.
    """

    region: Region
    numbers: Vector
    solution: Vector
    along: Vector
    steps: Vector
    settled: Vector
    most: Vector

    def some(self, at: Vector) -> "Search":
        """Return it of some groups."""
        return Search(
            self.region,
            *(
                array[at]
                for array in (
                    self.numbers,
                    self.solution,
                    self.along,
                    self.steps,
                    self.settled,
                    self.most,
                )
            ),
        )

    def least(self, first: Vector, others: Vector) -> tuple[Vector, Vector]:
        """Return the least sum where the first parameter is here, and the others that reach it.

        By Levenberg and Marquardt's method from `others` on.
        """
        import numpy as np

        place = np.concatenate([first[:, None], others], axis=1)
        rests = self.region.rests(place, self.numbers)
        sums, damping = (rests * rests).sum(1), np.full(len(first), 1e-3)
        at = np.flatnonzero(~self.settled)
        here, bent = self.some(at), self._bent(at, place[at], rests[at])
        for turn in range(_STARTS * _FITS):
            if not at.size:
                break
            if turn and turn % _FITS == 0:
                bent = self._bent(at, place[at], rests[at])
            steps = _step(bent, rests[at], damping[at])
            moved = place[at]
            moved[:, 1:] += steps * here.steps
            tried = self.region.rests(moved, here.numbers)
            gain = sums[at] - (tried * tried).sum(1)
            bent = _turned(bent, steps, tried - rests[at])
            good = gain > 0
            place[at[good]], rests[at[good]] = moved[good], tried[good]
            sums[at] -= np.maximum(gain, 0.0)
            damping[at] *= np.where(good, 0.1, 10)
            open_ = (~good | (gain > _ENOUGH * here.most)) & (damping[at] < 1e3)
            at, here, bent = at[open_], here.some(open_), bent[open_]
        return sums, place[:, 1:]

    def _bent(self, at: Vector, place: Vector, rests: Vector) -> Vector:
        """Return how rests move with the others, in steps of theirs, in some groups."""
        import numpy as np

        bent = np.empty((*rests.shape, place.shape[1] - 1))
        for other in range(bent.shape[2]):
            moved = place.copy()
            moved[:, other + 1] += _STEP * self.steps[at, other]
            bent[:, :, other] = (self.region.rests(moved, self.numbers[at]) - rests) / _STEP
        return bent


def _step(bent: Vector, rests: Vector, damping: Vector) -> Vector:
    import numpy as np

    squares, each = bent.transpose(0, 2, 1) @ bent, np.arange(bent.shape[2])
    squares[:, each, each] *= 1 + damping[:, None]
    squares[:, each, each] += _RIDGE * np.einsum("gaa->g", squares)[:, None] + _NONE
    towards = np.einsum("gra,gr->ga", bent, rests)
    return -np.linalg.solve(squares, towards[..., None])[..., 0]


def _turned(bent: Vector, steps: Vector, moved: Vector) -> Vector:
    """Return derivatives that agree with what a step did (Broyden 1965)."""
    import numpy as np

    off = moved - np.einsum("gra,ga->gr", bent, steps)
    lengths = np.maximum((steps * steps).sum(1), _NONE)
    return bent + off[:, :, None] * (steps / lengths[:, None])[:, None, :]


@dataclass(frozen=True, slots=True)
class Across:
    """The region where noise is normal.

    Attributes:
        equations: which the true numbers solve.
    """

    equations: Equations

    def rests(self, parameters: Vector, numbers: Vector) -> Vector:
        """Return z, and all parts of P V', in each group."""
        return _across(self.equations, parameters, numbers)


def _across(equations: Equations, parameters: Vector, numbers: Vector) -> Vector:
    import numpy as np

    weights = equations.weights(parameters)
    squares = weights @ weights.transpose(0, 2, 1)
    each = np.arange(squares.shape[1])
    squares[:, each, each] += _RIDGE * np.einsum("gaa->g", squares)[:, None] + _NONE
    back = np.linalg.inv(np.linalg.cholesky(squares))
    rows = back @ weights  # of length 1, and orthogonal
    sums = np.einsum("gad,gd->ga", rows, numbers)
    left = numbers - np.einsum("gad,ga->gd", rows, sums)
    moves = back @ equations.moved(parameters, left)
    way = np.linalg.qr(moves, mode="complete")[0][:, :, -1]
    own = np.where(way[:, 0] < 0, -1.0, 1.0) * (way * sums).sum(1)
    return np.concatenate([(1 - REST) ** 0.5 * own[:, None], REST**0.5 * sums], axis=1)


def reach(search: Search, first: Vector, sign: int, last: Vector) -> Vector:
    """Return how far the first parameter reaches to one side in each group; infinite without end.

    Args:
        search: the groups.
        first: about the half-width, without what the others move.
        sign: to which side.
        last: so far, it counts as without end.
    """
    import numpy as np

    groups, (start, others) = len(first), (search.solution[:, 0], search.solution[:, 1:])
    inside, below = np.zeros(groups), np.zeros(groups)
    outside, over = np.full(groups, np.inf), np.full(groups, np.inf)
    away, there, ends = np.zeros_like(others), first.copy(), np.full(groups, np.inf)
    open_ = np.ones(groups, dtype=bool)
    for turn in range(_ROUNDS):
        at = np.flatnonzero(open_)
        if not at.size:
            break
        far, here, most = there[at], search.some(at), search.most[at]
        line = others[at] + (sign * far)[:, None] * here.along
        sums, fitted = here.least(start[at] + sign * far, line + far[:, None] * away[at])
        away[at] = (fitted - line) / far[:, None]
        is_out = sums > most
        outside[at[is_out]], over[at[is_out]] = far[is_out], sums[is_out]
        inside[at[~is_out]], below[at[~is_out]] = far[~is_out], sums[~is_out]
        close = (is_out & (sums <= _OVER * most)) | (outside[at] <= inside[at] * (1 + _CLOSE))
        ends[at[close]] = outside[at[close]]
        open_[at] = ~close & (is_out | (far < last[at]))
        inner, outer = (inside[at], below[at]), (outside[at], over[at])
        there[at] = _next(far, sums, inner, outer, _AIM * most, 1 + 0.03 * turn**2)
        if turn % 4 == 3:  # lines between two places may creep
            apart = at[np.isfinite(outside[at])]
            there[apart] = (inside[apart] + outside[apart]) / 2
    return ends


def _next(
    far: Vector,
    sums: Vector,
    inside: tuple[Vector, Vector],
    outside: tuple[Vector, Vector],
    aim: Vector,
    least: float,
) -> Vector:
    """Return where to look next for a sum of `aim`; where it is not found, `least` times as far.

    Roots of sums are about in proportion to how far one is away, and between two places a line.
    """
    import numpy as np

    guess = np.clip(far * np.sqrt(aim / np.maximum(sums, _NONE)), 0.0, 4 * far)
    (low, below), (high, over) = (inside[0], np.sqrt(inside[1])), (outside[0], np.sqrt(outside[1]))
    both = np.isfinite(high)
    width, rise = np.where(both, high - low, 0.0), np.where(both, over - below, 1.0)
    between = low + width * np.clip((np.sqrt(aim) - below) / rise, 0.03, 0.97)
    is_within = (guess > low + 0.03 * width) & (guess < low + 0.97 * width) & (low == 0)
    guess = np.where(both, guess, np.maximum(guess, least * far))
    return np.where(both & ~is_within, between, guess)
