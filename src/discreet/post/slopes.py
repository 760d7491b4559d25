"""One coefficient of a line: which equations the noisy moments are, and what a region leaves of it.

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
- elsewhere g is put in, too, and what is told is left by `held_regions`. The law alone says which;
- where Den is not above 0, nothing is told.

Proof of the identity. A' g' = S'_ux = (A' - E_uu) g + E_ux, so A' (g' - g) = E_ux - E_uu g, the
noise in u r; so for h. With both put in, what is left of Num - t Den is the noise in x q, less g
times that in u q, less (g' - g) A' (h' - h).

Decisions 82, 115, 141, 151.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ..noise.law import Continuous
from .regions import LOST, Across, Region, Search, limits, reach

_SLACK = 1e-12  # of the largest moment: less is rounding
_NONE = 1e-300
_ROUNDS = 8
_CLOSE = 1e-3  # of a half-width: closer than that no end is sought
_SETTLED, _HELD = 100, 1_000  # deviations of each sum of columns, from which no other is fitted
_FAR = 12.0  # first half-widths; of Laplace noise, what reaches so far has no end
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
    some = [
        np.concatenate(
            [_in_region(line.some(at).turned(way), noise, level) for at in chunks], axis=1
        )
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

    rests, deviation = _rests(line), noise.deviation()
    place = (_across if noise.normal_deviation() else _held)(line, noise, level)
    back = np.linalg.inv(rests.gram)
    along = -np.einsum("gab,gb->ga", back, line.square[:, 1:, 0])
    with_g = -along if place.has_g else along[:, :0]
    longest = np.sqrt((line.inner**2).sum(2)).max()
    least = np.linalg.eigvalsh(line.square)[:, 0]
    settled = rests.determined & (least > place.settled * deviation * longest)

    def search(region: Region, start: Vector, theirs: Vector) -> Search:
        both = np.concatenate([theirs, rests.mine], axis=1) if place.has_g else theirs
        steps = deviation * _lengths(_each(back, both))
        solution = np.concatenate([start, with_g], axis=1)
        way = np.concatenate([along, 0 * with_g], axis=1)
        return Search(region, place.numbers, solution, way, steps, settled, place.most)

    shown = np.flatnonzero(rests.determined)
    way = np.concatenate([np.ones((len(along), 1)), along], axis=1)
    far = search(place.far, way, rests.mine).some(shown)
    ends = far.least(np.ones(len(shown)), far.solution[:, 1:])
    shown = shown[ends[0] > place.most[shown]]
    t, h = rests.value, np.linalg.solve(rests.gram, line.right[:, 1:, None])[..., 0]
    solution = np.concatenate([t[:, None], h + t[:, None] * along], axis=1)
    groups = search(place.region, solution, rests.at(t)[1]).some(shown)
    first = _first(rests, deviation * place.most**0.5)[shown]
    value, low, high = (np.full(len(along), side) for side in (np.nan, -np.inf, np.inf))
    value[shown] = t[shown]
    low[shown] = t[shown] - reach(groups, first, -1, place.lost * first)
    high[shown] = t[shown] + reach(groups, first, 1, place.lost * first)
    return np.stack([value, low, high])


@dataclass(frozen=True, slots=True)
class _Place:
    """What is searched.

    Attributes:
        region: of all coefficients.
        far: of those with a first coefficient of 1 for which S b is 0.
        numbers, most: as `Search` has them.
        settled, lost: from how many deviations on none is fitted; how far there is an end.
        has_g: whether g is put in, too.
    """

    region: Region
    far: Region
    numbers: Vector
    most: Vector
    settled: float
    lost: float
    has_g: bool


def _across(line: NormalEquations, noise: Continuous, level: float) -> _Place:
    deviation = noise.deviation()
    most = limits(deviation, level, line.numbers, len(line.outer) - 1)
    region, far = (Across(_Normal(line.inner, outer)) for outer in (line.outer, 0 * line.outer))
    return _Place(region, far, line.numbers / deviation, most, _SETTLED, LOST, has_g=False)


def _held(line: NormalEquations, noise: Continuous, level: float) -> _Place:
    from .held_regions import Held

    region = Held.of(line.inner, line.outer, noise, level)
    far = replace(region, outer=0 * line.outer)
    numbers = region.numbers(line.numbers, noise.deviation())
    return _Place(region, far, numbers, region.limits(numbers), _HELD, _FAR, has_g=True)


def _each(back: Vector, weights: Vector) -> Vector:
    """Return what weights of moments with u are in coefficients of u, twice if there are two."""
    import numpy as np

    size = back.shape[1]
    parts = [weights[:, at : at + size] for at in range(0, weights.shape[1], size)]
    return np.concatenate([back @ part for part in parts], axis=1)


def _first(rests: _Rests, width: Vector) -> Vector:
    """Return about the half-width: Fieller's, with what the others are as they seem to be."""
    import numpy as np

    both, below = rests.at(rests.value)[0], rests.below * rests.below
    left = np.maximum(below - (width * _lengths(rests.own)) ** 2, below / 10)
    return width * _lengths(both) / np.sqrt(np.maximum(left, _NONE))


def farthest(
    value: Vector,
    most: Vector,
    sign: int,
    below: Vector,
    near: Callable[[Vector, Vector], Vector],
) -> Vector:
    """Return how far t may be off to one side, which is not above `most`.

    `below` times that is at most `near`, which is convex in its first argument: between the value
    and an end it lies below the straight line through both, which rules out more than before.
    """
    import numpy as np

    half = most
    for _ in range(_ROUNDS):
        open_ = np.isfinite(half) & (half > 0)
        length = np.where(open_, half, 1.0)
        end = value + sign * length
        start = near(value, end)
        left = below - (near(end, end) - start) / length
        open_ &= left > 0
        less = np.where(open_, start / np.where(open_, left, 1.0), half)
        closer, half = less < half * (1 - _CLOSE), np.minimum(less, half)
        if not closer.any():
            break
    return half


def _lengths(weights: Vector) -> Vector:
    import numpy as np

    return np.sqrt((weights * weights).sum(-1))
