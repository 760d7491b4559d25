"""One coefficient of a line, by one form of the noise that has a quantile of its own.

Rules of this module:
- x is the column, or the sum of columns, whose coefficient is t; u are the others and 1; y is what
  is explained. S' and s' are the noisy moments of (x, u) with themselves and with y, A' is that of
  u. N w(f) is the noise in the moment of a polynomial f: the noisy numbers N, with weights w;
- with the true g = A^-1 S_ux and h = A^-1 (s_u - t S_ux), what is left of x and y is r = x - g u
  and q = y - t x - h u: both have moments 0 with u, and with each other. With g', h' of noisy ones,

      Num - t Den = N w(r q) - (g - g') A' (h - h'),
      Num = s'_x - g' s'_u,  Den = S'_xx - g' S'_xu,

  without a remainder. What is of first order is one form with true, fixed weights: it stays within
  a quantile of its own, at all but OTHERS of the level;
- g and h are not known. A' (g - g') and A' (h - h') are the noise in the moments of u r and u q. It
  is bounded at OTHERS of the level, which bounds g and h, hence w(r q), and the product;
- where draws are normal (`normal_deviation`), nothing of that is bounded: with all coefficients put
  in, the equations S b = s are linear in the true numbers, and `regions` tells what they leave;
- elsewhere each sum has a quantile of its own: `_Box`. The law alone says which;
- what bounds |Num - t Den| is convex in t. An interval holds each t that it does not rule out;
  where Den is not above what the bound grows by, nothing is told;
- rounding is added: `_SLACK`.

Proof of the identity. A' g' = S'_ux = (A' - E_uu) g + E_ux, so A' (g' - g) = E_ux - E_uu g, the
noise in u r; so for h. With both put in, what is left of Num - t Den is the noise in x q, less g
times that in u q, less (g' - g) A' (h' - h).

Which way is narrower. `at_once` bounds all sums of all coefficients at once. With two or three
other columns, of few rows, it tells slopes where the two quadratic terms above leave none.

Decisions 82, 115, 138.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..noise.law import Continuous
from .regions import LOST, Search, limits, reach

OTHERS = 1 / 20  # of the level, for the coefficients of the others
_SLACK = 1e-12  # of the largest terms of a sum: more than rounding
_WIDER = 1e-9  # of a bound
_NONE = 1e-300
_ROUNDS = 8
_CLOSE = 1e-3  # of a half-width: closer than that no end is sought
_FEW_IN_BOX, _FEW_MORE = 40, 10  # by how many other columns; measured
_SETTLED = 100  # deviations of each sum of columns, from which no other needs to be fitted
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

    def few(self, noise: Continuous) -> int:
        """Return below how many deviations of a count `at_once` is narrower; 0 if nowhere."""
        size = len(self.outer) - 1
        if noise.normal_deviation() or size == 1:
            return 0
        return _FEW_IN_BOX * (size - 1) + _FEW_MORE

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
        rounding: what the terms of Num and Den have for size.
        inner: the weights of u u.
    """

    determined: Vector
    gram: Vector
    below: Vector
    value: Vector
    own: Vector
    both: Vector
    mine: Vector
    theirs: Vector
    rounding: Vector
    inner: Vector

    def at(self, t: Vector) -> tuple[Vector, Vector]:
        """Return the weights of r q and of u q at some t."""
        return self.both - t[:, None] * self.own, self.theirs - t[:, None, None] * self.mine

    def wider(self, bound: Vector, t: Vector) -> Vector:
        """Return a bound at some t with what rounding may add."""
        return bound * (1 + _WIDER) + _SLACK * self.rounding * (1 + abs(t))


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
    largest = np.maximum(np.abs(square).max((1, 2)), np.abs(right).max(1))
    sizes = np.abs(g).sum(1)
    return _Rests(
        determined=determined,
        gram=gram,
        below=below,
        value=np.where(determined, above, 0.0) / np.where(determined, below, 1.0),
        own=line.inner[0, 0] - g @ with_own - np.einsum("ga,gad->gd", g, mine),
        both=line.outer[0] - h @ with_own - np.einsum("ga,gad->gd", g, theirs),
        mine=mine,
        theirs=theirs,
        rounding=largest * (1 + sizes) * (1 + sizes + np.abs(h).sum(1)),
        inner=inner,
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
    tell = _in_region if noise.normal_deviation() else _in_box
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
    """Return the coefficient and its ends where noise is normal (`regions`).

    Where S b is not told from 0 for some b whose first coefficient is 1, there is no end.
    """
    import numpy as np

    rests, deviation = _rests(line), noise.normal_deviation()
    most = limits(deviation, level, line.numbers, len(line.outer) - 1)
    back = np.linalg.inv(rests.gram)
    along = -np.einsum("gab,gb->ga", back, line.square[:, 1:, 0])
    longest = np.sqrt((line.inner**2).sum(2)).max()
    least = np.linalg.eigvalsh(line.square)[:, 0]
    settled = rests.determined & (least > _SETTLED * deviation * longest)

    def search(outer: Vector, start: Vector, theirs: Vector) -> Search:
        steps, numbers = deviation * _lengths(back @ theirs), line.numbers / deviation
        equations = _Normal(line.inner, outer)
        return Search(equations, numbers, start, along, steps, settled, most)

    shown = np.flatnonzero(rests.determined)
    way = np.concatenate([np.ones((len(most), 1)), along], axis=1)
    ends = (
        search(0 * line.outer, way, rests.mine).some(shown).least(np.ones(len(shown)), along[shown])
    )
    shown = shown[ends[0] > most[shown]]
    t, h = rests.value, np.linalg.solve(rests.gram, line.right[:, 1:, None])[..., 0]
    solution = np.concatenate([t[:, None], h + t[:, None] * along], axis=1)
    groups = search(line.outer, solution, rests.at(t)[1]).some(shown)
    first = _first(rests, deviation * most**0.5)[shown]
    value, low, high = (np.full(len(most), side) for side in (np.nan, -np.inf, np.inf))
    value[shown] = t[shown]
    low[shown] = t[shown] - reach(groups, first, -1, LOST * first)
    high[shown] = t[shown] + reach(groups, first, 1, LOST * first)
    return np.stack([value, low, high])


def _first(rests: _Rests, width: Vector) -> Vector:
    """Return about the half-width: Fieller's, with what the others are as they seem to be."""
    import numpy as np

    both, below = rests.at(rests.value)[0], rests.below * rests.below
    left = np.maximum(below - (width * _lengths(rests.own)) ** 2, below / 10)
    return width * _lengths(both) / np.sqrt(np.maximum(left, _NONE))


def _in_box(line: NormalEquations, noise: Continuous, level: float) -> Vector:
    """Return the coefficient and its ends where each sum has a quantile of its own."""
    import numpy as np

    rests = _rests(line)
    bound = _Box(rests, noise, level)
    value, (start, grows) = rests.value, bound.first()
    start, grows = rests.wider(start, value), rests.wider(grows, 0 * value)
    told = rests.determined & bound.fits & (rests.below > grows)
    most = np.where(told, start, np.inf) / np.where(told, rests.below - grows, 1.0)

    def near(t: Vector, at: Vector) -> Vector:
        return rests.wider(bound.near(t, at), t)

    low, high = (value + sign * farthest(value, most, sign, rests.below, near) for sign in (-1, 1))
    return np.stack([np.where(told, value, np.nan), low, high])


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


class _Box:
    """Where each sum has a quantile of its own: sizes, one by one.

    |A' c| <= k + P |c| for c = g - g', k the quantiles of u r' and P those of u u: so |c| is at
    most (I - |A'^-1| P)^-1 |A'^-1| k, where the powers of |A'^-1| P vanish.
    """

    def __init__(self, rests: _Rests, noise: Continuous, level: float) -> None:
        import numpy as np

        self._rests, self._noise, self._level = rests, noise, level
        size = rests.mine.shape[1]
        each = level * OTHERS / (2 * size)
        products = _quantiles(noise, rests.inner, each)
        back = np.abs(np.linalg.inv(rests.gram))
        moves = back @ products
        self.fits: Vector = np.abs(np.linalg.eigvals(moves)).max(1) < 1
        moves = np.where(self.fits[:, None, None], moves, 0.0)
        back = np.linalg.solve(np.eye(size) - moves, back)
        self.fits &= (back >= 0).all((1, 2))
        mine, theirs = (_quantiles(noise, x, each) for x in (rests.mine, rests.at(rests.value)[1]))
        self._c, self._d = (np.einsum("gab,gb->ga", back, k) for k in (mine, theirs))
        self._mine = mine + self._c @ products  # of u r
        self._start = self._within(*rests.at(rests.value), self._d)

    def first(self) -> tuple[Vector, Vector]:
        """Return a bound at the value, and how much it grows at most as t moves by 1."""
        return self._start, self._within(self._rests.own, self._rests.mine, self._c)

    def near(self, t: Vector, at: Vector) -> Vector:
        """Return a bound that is convex in t, wherever it is to be close."""
        del at
        off = abs(t - self._rests.value)
        if not off.any():
            return self._start
        return self._within(*self._rests.at(t), self._d + off[:, None] * self._c)

    def _within(self, weights: Vector, theirs: Vector, d: Vector) -> Vector:
        import numpy as np

        c, rests = self._c, self._rests
        sizes = (
            np.abs(weights)
            + np.einsum("ga,gad->gd", d, np.abs(rests.mine))
            + np.einsum("ga,gad->gd", c, np.abs(theirs))
            + np.einsum("ga,gb,abd->gd", c, d, np.abs(rests.inner))
        )
        main = _quantiles(self._noise, sizes, self._level * (1 - OTHERS))
        return main + (self._mine * d).sum(1)


def _quantiles(noise: Continuous, weights: Vector, level: float) -> Vector:
    """Return what sums of draws with these weights, in the last axis, exceed at the level."""
    rows = weights.reshape(-1, weights.shape[-1])
    return noise.widths(rows, [level])[0].reshape(weights.shape[:-1])


def at_once(line: NormalEquations, noise: Continuous, level: float, ways: Vector) -> Ends:
    """Return the same as `one_by_one`, from a bound of all sums of the noise at once.

    For c = S'^-1 a, c (s' - S' b) is how far the noisy a b is off, and is the noise with weights c
    at the true b. It stays below a norm of them for all c at once (`everywhere`), and these are
    linear in b: with d >= |b - b'|, d <= start + M d. Where the powers of M vanish, d is at most
    (I - M)^-1 start.
    """
    import numpy as np

    shape = (len(line.right), len(ways))
    value, low, high = (np.full(shape, side) for side in (np.nan, -np.inf, np.inf))
    known = noise.everywhere(level, len(line.outer), line.inner.shape[2])
    for group in range(len(line.right)):
        try:
            back = np.linalg.inv(line.square[group])
        except np.linalg.LinAlgError:
            continue
        told = back @ line.right[group]
        off = _off(line, back, told, known, ways)
        if off is not None:
            value[group] = ways @ told
            low[group], high[group] = value[group] - off, value[group] + off
    return value, low, high


def _off(
    line: NormalEquations, back: Vector, told: Vector, known: tuple[float, float], ways: Vector
) -> Vector | None:
    """Return how far sums of coefficients are off; None where no bound can be told."""
    import numpy as np

    def norm(weights: Vector) -> Vector:
        straight, sizes = known
        return straight * np.sqrt((weights * weights).sum(-1)) + sizes * np.abs(weights).sum(-1)

    def pieces(chosen: Vector) -> tuple[Vector, Vector]:
        at = chosen @ line.outer  # a row of weights for each
        slopes = np.einsum("ra,abk->rbk", chosen, line.inner)
        return norm(at - np.einsum("rbk,b->rk", slopes, told)), norm(slopes)

    start, moves = pieces(back)
    if not np.all(np.isfinite(moves)) or np.max(np.abs(np.linalg.eigvals(moves))) >= 1:
        return None
    off = np.linalg.solve(np.eye(len(moves)) - moves, start)
    if np.any(off < 0):
        return None
    own, more = pieces(ways @ back)
    return own + more @ off
