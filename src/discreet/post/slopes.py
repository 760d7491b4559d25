"""One coefficient of a line: which equations the noisy moments are, and how far it reaches.

Rules of this module:
- x is the column, or the sum of columns, whose coefficient is t; u are the others and 1; y is what
  is explained. S' and s' are the noisy moments of (x, u) with themselves and with y, A' is that of
  u. N w(f) is the noise in the moment of a polynomial f: the noisy numbers N, with weights w;
- with the true g = A^-1 S_ux and h = A^-1 (s_u - t S_ux), what is left of x and y is r = x - g u
  and q = y - t x - h u: both have moments 0 with u, and with each other. With g', h' of noisy ones,

      Num - t Den = N w(r q) - (g - g') A' (h - h'),
      Num = s'_x - g' s'_u,  Den = S'_xx - g' S'_xu,

  without a remainder. A' (g - g') and A' (h - h') are the noise in the moments of u r and u q;
- where draws are normal (`normal_deviation`), all coefficients are put in: the equations S b = s
  are linear in the true numbers, and `regions` tells what they leave;
- elsewhere `along` tells how far t reaches. Num - t Den is the moment of r' q' with the noisy g'
  and h', and w(r' q') is its gradient. The law alone says which way is taken;
- where Den is not above 0, nothing is told.

Proof of the identity. A' g' = S'_ux = (A' - E_uu) g + E_ux, so A' (g' - g) = E_ux - E_uu g, the
noise in u r; so for h. With both put in, what is left of Num - t Den is the noise in x q, less g
times that in u q, less (g' - g) A' (h' - h).

Decisions 82, 115, 151.
"""

from dataclasses import dataclass
from typing import Any

from ..noise.law import Continuous
from .along import Straight, least_left
from .regions import LOST, Across, Region, Search, limits, reach

_SLACK = 1e-12  # of the largest moment: less is rounding
_NONE = 1e-300
_SETTLED = 100  # deviations of each sum of columns, from which no other is fitted
_CHUNK = 2**22  # numbers at once

Vector = Any  # numpy array of float64
Ends = tuple[Vector, Vector, Vector]  # values, and both ends


@dataclass(frozen=True, slots=True)
class NormalEquations:
    """Noisy moments of x, u and y in groups, and what the noisy numbers weigh in them.

    Attributes:
        numbers: the noisy numbers, a row for each group.
        square: a matrix in each group, of x and the others.
        right: with y.
        inner: the weights of each moment of x and the others.
        outer: of those with y.
    """

    numbers: Vector
    square: Vector
    right: Vector
    inner: Vector
    outer: Vector

    @staticmethod
    def of(numbers: Vector, inner: Vector, outer: Vector) -> "NormalEquations":
        """Return the moments that noisy numbers make with these weights."""
        import numpy as np

        square = np.einsum("abd,gd->gab", inner, numbers)
        return NormalEquations(numbers, square, numbers @ outer.T, inner, outer)

    def turned(self, way: Vector) -> "NormalEquations":
        """Return the line in which the first coefficient is the sum that `way` makes of all."""
        import numpy as np

        first = int(np.argmax(np.abs(way)))
        back = np.eye(len(way))
        back[:, first] = way
        order = [first, *(at for at in range(len(way)) if at != first)]
        turn = np.linalg.inv(back)[order]
        return NormalEquations(
            self.numbers,
            turn @ self.square @ turn.T,
            self.right @ turn.T,
            np.einsum("ia,jb,abd->ijd", turn, turn, self.inner),
            turn @ self.outer,
        )

    def some(self, groups: Vector) -> "NormalEquations":
        """Return it of some groups."""
        numbers, square, right = (x[groups] for x in (self.numbers, self.square, self.right))
        return NormalEquations(numbers, square, right, self.inner, self.outer)


@dataclass(frozen=True, slots=True)
class _Rests:
    """The parts of x and y that the others leave, in each group; that of y at t = 0.

    Attributes:
        determined: whether the noisy moments of the others are those of some columns.
        gram: these moments, or the unit matrix.
        below: Den.
        value: Num / Den, or 0.
        own, both: the weights of r r and of r q.
        mine, theirs: those of u r and of u q, a row for each of u.
    """

    determined: Vector
    gram: Vector
    below: Vector
    value: Vector
    own: Vector
    both: Vector
    mine: Vector
    theirs: Vector

    def at(self, t: Vector) -> tuple[Vector, Vector]:
        """Return the weights of r q and of u q at some t."""
        return self.both - t[:, None] * self.own, self.theirs - t[:, None, None] * self.mine


def _rests(line: NormalEquations) -> _Rests:
    import numpy as np

    square, right, size = line.square, line.right, len(line.outer) - 1
    gram = square[:, 1:, 1:]
    determined = np.linalg.eigvalsh(gram)[:, 0] > _SLACK * np.abs(gram).max((1, 2))
    gram = np.where(determined[:, None, None], gram, np.eye(size))
    g = np.linalg.solve(gram, square[:, 1:, :1])[..., 0]
    h = np.linalg.solve(gram, right[:, 1:, None])[..., 0]
    with_own, inner = line.inner[0, 1:], line.inner[1:, 1:]
    mine = with_own - np.einsum("gc,cbd->gbd", g, inner)
    theirs = line.outer[1:] - np.einsum("gc,cbd->gbd", h, inner)
    above = right[:, 0] - (g * right[:, 1:]).sum(1)
    below = square[:, 0, 0] - (g * square[:, 1:, 0]).sum(1)
    determined = determined & (below > 0)
    return _Rests(
        determined=determined,
        gram=gram,
        below=below,
        value=np.where(determined, above, 0.0) / np.where(determined, below, 1.0),
        own=line.inner[0, 0] - g @ with_own - np.einsum("ga,gad->gd", g, mine),
        both=line.outer[0] - h @ with_own - np.einsum("ga,gad->gd", g, theirs),
        mine=mine,
        theirs=theirs,
    )


def one_by_one(line: NormalEquations, noise: Continuous, level: float, ways: Vector) -> Ends:
    """Return sums of coefficients in each group, with their ends; infinite where nothing is told.

    Args:
        line: the moments of the groups.
        noise: of each number.
        level: with which probability an interval may miss.
        ways: a row for each sum: what the coefficients are multiplied by.
    """
    import numpy as np

    draws, size = line.inner.shape[2], len(line.outer)
    each = max(1, _CHUNK // (size * size * draws))
    chunks = [slice(at, at + each) for at in range(0, max(1, len(line.right)), each)]
    tell = _in_region if noise.normal_deviation() else _along
    some = [
        np.concatenate([tell(line.some(at).turned(way), noise, level) for at in chunks], axis=1)
        for way in ways
    ]
    value, low, high = np.stack(some, axis=2)
    return value, low, high


@dataclass(frozen=True, slots=True)
class _Normal:
    """The equations S b = s: what x and the others have in common with what is left of y."""

    inner: Vector
    outer: Vector

    def weights(self, parameters: Vector) -> Vector:
        """Return the weights of S b - s in each group."""
        import numpy as np

        return np.einsum("abd,gb->gad", self.inner, parameters) - self.outer

    def moved(self, parameters: Vector, numbers: Vector) -> Vector:
        """Return how S b - s of some numbers moves with the coefficients of the others."""
        import numpy as np

        del parameters
        return np.einsum("abd,gd->gab", self.inner[:, 1:], numbers)


def _in_region(line: NormalEquations, noise: Continuous, level: float) -> Vector:
    """Return the coefficient and its ends: what the region of all coefficients leaves.

    Where S b is not told from 0 for some b whose first coefficient is 1, there is no end.
    """
    import numpy as np

    rests, deviation, size = _rests(line), noise.deviation(), len(line.outer) - 1
    most = limits(deviation, level, line.numbers, size)
    back = np.linalg.inv(rests.gram)
    along = -np.einsum("gab,gb->ga", back, line.square[:, 1:, 0])
    longest = np.sqrt((line.inner**2).sum(2)).max()
    least = np.linalg.eigvalsh(line.square)[:, 0]
    settled = rests.determined & (least > _SETTLED * deviation * longest)

    def search(outer: Vector, start: Vector, theirs: Vector) -> Search:
        region: Region = Across(_Normal(line.inner, outer))
        steps = deviation * _lengths(back @ theirs)
        return Search(region, line.numbers / deviation, start, along, steps, settled, most)

    shown = np.flatnonzero(rests.determined)
    way = np.concatenate([np.ones((len(along), 1)), along], axis=1)
    far = search(0 * line.outer, way, rests.mine).some(shown)
    ends = far.least(np.ones(len(shown)), far.solution[:, 1:])
    shown = shown[ends[0] > most[shown]]
    t, h = rests.value, np.linalg.solve(rests.gram, line.right[:, 1:, None])[..., 0]
    solution = np.concatenate([t[:, None], h + t[:, None] * along], axis=1)
    groups = search(line.outer, solution, rests.at(t)[1]).some(shown)
    first = _first(rests, deviation * most**0.5)[shown]
    value, low, high = (np.full(len(along), side) for side in (np.nan, -np.inf, np.inf))
    value[shown] = t[shown]
    low[shown] = t[shown] - reach(groups, first, -1, LOST * first)
    high[shown] = t[shown] + reach(groups, first, 1, LOST * first)
    return np.stack([value, low, high])


def _along(line: NormalEquations, noise: Continuous, level: float) -> Vector:
    """Return the coefficient and its ends: how far it reaches along the gradient."""
    import numpy as np

    rests = _rests(line)
    (way, theirs), back = rests.at(rests.value), np.linalg.inv(rests.gram)
    common = np.stack([line.square[:, 1:, 0], line.right[:, 1:]], axis=1)
    common[:, 1] -= rests.value[:, None] * common[:, 0]
    bends = 1 / np.maximum(_lengths(way), _NONE) ** 3
    for side in (rests.mine, theirs):
        moved = np.einsum("gad,gd->ga", side, way)
        bends = bends * np.sqrt(np.einsum("ga,gab,gb->g", moved, back, moved))
    straight = Straight(
        numbers=line.numbers,
        below=np.where(rests.determined, rests.below, 0.0),
        way=way,
        turning=rests.own,
        others=least_left(rests.gram, back, line.inner[1:, 1:], common @ back),
        left=_own(_with_own(back, line.square[:, 1:, 0], rests), line.inner),
        bends=bends,
    )
    below, above = straight.ends(noise, level)
    value = np.where(np.isfinite(below), rests.value, np.nan)
    return np.stack([value, rests.value - below, rests.value + above])


def _with_own(back: Vector, common: Vector, rests: _Rests) -> Vector:
    """Return the inverse of all moments, from that of the others and what they have in common."""
    import numpy as np

    below = np.where(rests.determined, rests.below, 1.0)[:, None, None]
    g = np.einsum("gab,gb->ga", back, np.where(rests.determined[:, None], common, 0.0))
    side = np.concatenate([np.ones((len(g), 1)), -g], axis=1)
    whole: Vector = side[:, :, None] * side[:, None, :] / below
    whole[:, 1:, 1:] += back
    return whole


def _own(back: Vector, inner: Vector) -> Vector:
    """Return the least of what all others leave of one, over the weights of its own noise."""
    import numpy as np

    each = np.einsum("gaa->ga", back)
    alone = back / each[:, None, :]  # what the others leave of each of them
    weights = np.einsum("gai,gbi,abd->gid", alone, alone, inner)
    least: Vector = (1 / (each * _lengths(weights))).min(1)
    return least


def _first(rests: _Rests, width: Vector) -> Vector:
    """Return about the half-width: Fieller's, with what the others are as they seem to be."""
    import numpy as np

    both, below = rests.at(rests.value)[0], rests.below * rests.below
    left = np.maximum(below - (width * _lengths(rests.own)) ** 2, below / 10)
    return width * _lengths(both) / np.sqrt(np.maximum(left, _NONE))


def _lengths(weights: Vector) -> Vector:
    import numpy as np

    return np.sqrt((weights * weights).sum(-1))
