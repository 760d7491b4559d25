"""The ratio of two released numbers with independent noise of any laws, as Fieller (1954) does it.

How far a sum of many independent noises is off: by their own law, not by adding half-widths.

Rules of this module:
- S and R are sums of draws, of any laws; for true numbers A, B and t = A / B
  the noise alone is a - t b = S - t R. An interval holds every t that |a - t b| <= q(|t|) does not
  rule out, where q(t) bounds |S - t R| except with probability alpha;
- q is rounded up by less than one part in a hundred of the noise;
- where b cannot be told from 0, an interval has no end: None; that is so where b is at most the
  slope of q for large t, which is the slope of the bound in use;
- q is never above the sum of what S and t R stay below at half the chance each: so it is 0 where
  the noise is 0 but with so small a chance;
- S is a sum of independent whole numbers, each from a symmetric law: a sign changes nothing, so
  that differences are sums;
- a half-width is rounded up: Pr[|S| > a] is at most alpha, and hardly less;
- the cost does not grow with the noise, and hardly with how many are added.

Proof for a ratio. Let T = f S - g R, with the wave w(v) = E[cos(v T)], the product of those of its
parts. On a circle of length L, Selberg's minorant of the interval from -x to x is a trigonometric
polynomial of degree N that is nowhere above 1 inside and 0 outside. So its mean is at most the
chance of the interval on the circle:

    2 x / L - 1 / (N + 1) + sum over j = 1..N of 2 w(2 pi j / L) times
        sin(2 pi j x / L) H(u) / (pi j) - cos(2 pi j x / L) (1 - u) / (N + 1),

u = j / (N + 1), H(u) = pi u (1 - u) cot(pi u) + u (Montgomery 1994, chapter 1). |T| is beyond x
with at most 1 less that, and the chance that T is beyond L - x. Terms that are left out add at most
their sizes. Below the unit S - t R = (S - t' R) + (t' - t) R, above it S - t R = s (S - t' R) +
(1 - s) S with s = t / t': from a node t' to t the bound moves by at most what R, or S, stays below,
but with a chance that is added, too.

Proof for a sum. Let w(t) = E[cos(t S)], which is the product of the waves of the parts. With t_j =
2 pi j / N for an odd N, the law of S modulo N is found back from its wave (the discrete Fourier
transform):

    Pr[S mod N in -a..a] = (2a + 1) / N + (2/N) sum over j = 1..(N-1)/2 of w(t_j) D(j),

D(j) = sin((2a + 1) pi j / N) / sin(pi j / N), in size at most N / (2j). That chance is above
Pr[|S| <= a] by at most Pr[|S| > K] where N = 2K + 1 and a <= K, and K is a sum of half-widths at a
tiny level. A wave falls from 0 to pi, so that what is left out beyond some j is in size at most the
sum of w / j, block by block: each block from 2^k to 2^(k+1) has at most w at its start. All that,
and rounding, is added to the chance of missing.

Decision 90.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import ceil, hypot, isnan, log, nan, pi, sqrt
from statistics import NormalDist
from typing import Any

from ..noise.law import Law

Vector = Any  # numpy array of float64

_AWAY = Fraction(1, 2**50)  # the chance that the sum is beyond K, in all
_ROUNDING = 2.0**-42  # more than the rounding of a sum of 2^20 terms of at most 1, in pairs
_LEFT_OUT = 2.0**-44  # what is left out should not be more than this
_LONGEST = (1 << 20) - 1  # terms of a transform: whole blocks
_LEAST_ALPHA = Fraction(1, 2**30)  # below it rounding would show; then half-widths are added
_FAR_DEVIATIONS, _POINTS = 40, 4_000  # of a tail: up to how many deviations, and at how many points
_STAIRS = [Fraction(1, 2**bits) for bits in (45, 60, 80, 110, 150, 200, 300)]
_MANY = 30  # from so many numbers on half-widths are too much
_HUGE, _TINY = 1e150, 1e-9  # what doubles can square, and more than they lose
_FINE_PARTS = 2**40  # a half-width is found to one part of this, where it is large

Parts = Sequence[tuple[Law, int]]  # laws, and how many independent numbers of each are added


def sum_half_width(parts: Parts, alpha: Fraction) -> int:
    """Return an a >= 0 with Pr[|S| > a] <= alpha, the least but for rounding.

    Args:
        parts: the laws of what is added or taken away, and how many numbers have each.
        alpha: the chance of missing.

    Example: ten numbers of scale 10, of which each alone keeps 30, and twelve of sigma2 = 100.

        >>> from ..noise.discrete_laplace import DiscreteLaplace
        >>> sum_half_width([(DiscreteLaplace(Fraction(10)), 10)], Fraction(1, 20))
        89
    """
    present = [(law, count) for law, count in parts if count]
    many = sum(count for _, count in present)
    if many <= 1:
        return present[0][0].half_width(alpha) if present else 0
    if alpha < _LEAST_ALPHA:
        return _reach(present, alpha)
    distribution = _Sum(*_transform(present, 2 * _reach(present, _AWAY) + 1))
    return distribution.least(float(alpha), _spread(present))


def sum_tail(parts: Parts) -> Callable[[float], float]:
    """Return a function that is at least Pr[S > x], for x >= 0, and hardly more.

    It is made once, at points that lie close; between them, and beyond, the one below is taken.
    """
    return _tail_of(tuple([(law, count) for law, count in parts if count]))


@lru_cache(maxsize=64)
def _tail_of(present: Parts) -> Callable[[float], float]:
    import numpy as np

    distribution = _Sum(*_transform(present, 2 * _reach(present, _AWAY) + 1))
    most = min(distribution.modulus // 2, int(_FAR_DEVIATIONS * _spread(present)) + 1)
    places = np.unique(np.linspace(0, most, _POINTS).astype(int))
    beyond = list[float]()
    for a in places.tolist():
        beyond.append(distribution.missed(a))
        if beyond[-1] <= 2 * distribution.slack:
            break  # farther out doubles tell no less
    places = places[: len(beyond)]
    chances = np.minimum.accumulate(np.clip(np.array(beyond) / 2, 0.0, 0.5))
    far = [(_reach(present, level), float(level)) for level in _STAIRS]  # beyond what doubles tell

    def above(x: float) -> float:
        if x < 0:
            return 1.0
        chance = float(chances[np.searchsorted(places, x, side="right") - 1])
        return min([chance, *(level for place, level in far if x >= place)])

    return above


@dataclass(frozen=True, slots=True)
class _Sum:
    """The law of a sum, modulo an odd number.

    Attributes:
        waves: of the sum, at 1, 2, ... times 2 pi / modulus.
        modulus: the odd number.
        slack: what may be wrong with a chance, rounding included.
    """

    waves: Vector
    modulus: int
    slack: float

    def least(self, alpha: float, spread: float) -> int:
        """Return the least a that misses with at most alpha, or one a hair above."""
        most = self.modulus // 2
        high = min(most, max(1, int(NormalDist().inv_cdf(1 - alpha / 2) * spread)))
        low = -1
        while high < most and self.missed(high) > alpha:
            low, high = high, min(most, 2 * high)
        while high - low > max(1, high // _FINE_PARTS):
            middle = (low + high) // 2
            low, high = (middle, high) if self.missed(middle) > alpha else (low, middle)
        return high

    def missed(self, a: int) -> float:
        """Return a chance that is at least Pr[|S| > a]."""
        import numpy as np

        share = (2 * a + 1) / self.modulus
        j = np.arange(1, len(self.waves) + 1, dtype=float)
        turns = np.sin(pi * np.fmod(j * share, 2.0)) / np.sin(pi * j / self.modulus)
        inside = share + 2 * float(np.sum(self.waves * (turns / self.modulus)))
        return 1 - inside + self.slack


def _transform(parts: Parts, modulus: int) -> tuple[Vector, int, float]:
    """Return the waves that matter, their modulus, and what the others and rounding may add."""
    import numpy as np

    every = modulus // 2
    starts = [1 << power for power in range(every.bit_length())]
    blocks = _waves(parts, 2 * pi * (np.array(starts, dtype=float) / modulus))
    rest = np.append(np.cumsum(blocks[::-1])[::-1], 0.0)  # beyond each start
    enough = int(np.argmax(rest <= _LEFT_OUT))
    last = min(every, _LONGEST, (1 << enough) - 1)
    left_out = 0.0 if last == every else float(rest[last.bit_length()])
    waves = _waves(parts, 2 * pi * (np.arange(1, max(1, last) + 1, dtype=float) / modulus))
    return waves, modulus, left_out + float(_AWAY) + _ROUNDING


def _waves(parts: Parts, t: Vector) -> Vector:
    import numpy as np

    wave = np.ones_like(t)
    for law, count in parts:
        wave *= law.wave(t) ** count
    return wave


def _reach(parts: Parts, level: Fraction) -> int:
    """Return what the sum stays within, but with the given probability: it need not be the least.

    By adding half-widths, or where that is less by Bernstein's inequality for numbers cut at M: at
    half the level each, they are cut, and their sum is beyond K.
    """
    many = sum(count for _, count in parts)
    added = sum(count * law.half_width(level / many) for law, count in parts)
    if many < _MANY:
        return added
    most = max(law.half_width(level / 2 / many) for law, _ in parts)
    variance, rare = _spread(parts) ** 2, log(4 / level)
    if not 0 < variance < _HUGE or most > _HUGE:
        return added
    third = rare * most / 3
    return min(added, ceil((third + sqrt(third**2 + 2 * rare * variance)) * (1 + _TINY)) + 1)


def _spread(parts: Parts) -> float:
    return sqrt(sum(count * law.variance() for law, count in parts))


_NODES = 200  # t is told in so many parts of the unit below it, and 1 / t in as many above it
_NEAR = 250  # the end of an interval moves by at most its part of so many halves
_FAR_OFF = 10.0  # what the minorant misses in the middle is at most about alpha over this, and 10
_DROPPED = 1e-6  # of alpha: what waves that are left out may add
_SIDE = Fraction(1, 1_000)  # the part of alpha for what moves t
_WRAPPED = Fraction(1, 2**12)  # of alpha: the chance of each number to be beyond what wraps around
_LEAST = 1e-6  # below this alpha a level is shared between the two numbers
_GUESSES = 8  # before halving
_CLOSE = 1e-5

End = float | None
Lines = Callable[[Vector, int], tuple[Vector, Vector]]


@dataclass(frozen=True, slots=True)
class Ratio:
    """How the noise of a ratio is bounded: of `top` draws over `bottom` draws, at one alpha.

    Args:
        top, bottom: the laws of the draws that are added in each number.
        worth: what 1 of the top is worth in units of the bottom.
        alpha: the chance that an interval misses.
    """

    top: Parts
    bottom: Parts
    worth: float
    alpha: Fraction
    _known: dict[int, float] = field(default_factory=dict, init=False, repr=False, compare=False)
    _kept: dict[str, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        levels = {
            "half": self.alpha / 2,
            "moved": self.alpha * _SIDE,
            "wrapped": self.alpha * _WRAPPED,
        }
        for name, level in levels.items():
            self._kept[f"{name} top"] = sum_half_width(self.top, level)
            self._kept[f"{name} bottom"] = sum_half_width(self.bottom, level)
        self._kept["bottom"] = sum_half_width(self.bottom, self.alpha)
        top, below = _spread(self.top), _spread(self.bottom)
        self._kept["unit"] = top / below if top > 0 and below > 0 else 1.0

    def intervals(self, a: Sequence[int], b: Sequence[int]) -> tuple[Vector, Vector]:
        """Return the ends of many intervals of A / B, for B > 0; not a number: no end.

        Numbers that are alike are worked out once, and all together.
        """
        import numpy as np

        tops, bottoms = np.array(a, dtype=float), np.array(b, dtype=float)
        order = np.lexsort((tops, bottoms))
        x, y = tops[order], bottoms[order]
        fresh = np.append(True, (x[1:] != x[:-1]) | (y[1:] != y[:-1]))[: len(x)]
        pairs, place = (x[fresh], y[fresh]), np.empty(len(x), dtype=int)
        place[order] = np.cumsum(fresh) - 1
        low, high = -self._uppers(-pairs[0], pairs[1]), self._uppers(*pairs)
        return (low * self.worth)[place], (high * self.worth)[place]

    def _uppers(self, a: Vector, b: Vector) -> Vector:
        """Return the largest t that t b - a <= q(|t|) allows; not a number if there is none."""
        import numpy as np

        ends = np.full(len(a), np.nan)
        told = b > self._kept["bottom"]
        below = told & (a + self.bound(0.0) < 0)
        above = told & ~below
        ends[below] = -self._passed(-a[below], b[below], -1.0)
        ends[above] = self._passed(a[above], b[above], 1.0)
        return ends

    def _passed(self, c: Vector, b: Vector, sign: float) -> Vector:
        """Return where t b - c - sign q(t) passes 0, from below, from t = 0 on; else not a number.

        q is straight between a node and the middle to the next, and largest there; of several
        places that which makes an interval longest is taken.
        """
        import numpy as np

        half = b - sign * self._kept["half bottom"]
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = (c + sign * self._kept["half top"]) / half
        apart = np.where(half > 0, np.maximum(apart, 0.0), np.inf)
        near = self._near(c, b, sign) if self._told else apart
        ends = np.minimum(apart, near) if sign > 0 else np.maximum(apart, near)
        return np.where(np.isinf(ends), np.nan, ends)

    def _near(self, c: Vector, b: Vector, sign: float) -> Vector:
        """Return the same of the bound by nodes alone; infinite where there is no such place."""
        import numpy as np

        def lines(node: Vector, side: int) -> tuple[Vector, Vector]:
            far = node >= _NODES if side > 0 else node > _NODES
            slope, start = self._lines(node, far, side)
            return b - sign * slope, c + sign * start

        low, high = np.full(len(b), -1), np.full(len(b), 2 * _NODES)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            ending = lines(high, -1)[0] > 0
            while np.any(high - low > 1):
                node = np.maximum((low + high) // 2, 0)
                sides = [
                    self._middles(node) * rise > over
                    for rise, over in (lines(node, 1), lines(node + 1, -1))
                ]
                passed = sides[0] & sides[1] if sign > 0 else sides[0] | sides[1]
                high, low = np.where(passed, node, high), np.where(passed, low, node)
            return np.where(ending, self._crossed(high, lines), np.inf)

    def _crossed(self, node: Vector, lines: Lines) -> Vector:
        """Return the place on the line before each node, on that behind it, or where both end."""
        import numpy as np

        before = np.where(node > 0, self._middles(np.maximum(node - 1, 0)), 0.0)
        behind = self._middles(np.minimum(node, 2 * _NODES - 1))
        (rise, over), (rise_on, over_on) = lines(node, -1), lines(node, 1)
        is_before = self._nodes(node) * rise > over
        left = np.where(before * rise <= over, over / rise, before)
        right = np.where(behind * rise_on > over_on, over_on / rise_on, behind)
        return np.maximum(np.where(is_before, left, right), 0.0)

    def _middles(self, places: Vector) -> Vector:
        """Return the t in the middle between each node and the next, in t or in 1 / t."""
        import numpy as np

        first, second = self._nodes(places), self._nodes(places + 1)
        with np.errstate(divide="ignore"):
            return np.where(places < _NODES, (first + second) / 2, 2 / (1 / first + 1 / second))

    @property
    def _told(self) -> bool:
        """Whether nodes say more than what both noises stay below at half the chance each."""
        noisy = self._kept["half top"] > 0 or self._kept["half bottom"] > 0
        return noisy and float(self.alpha) >= _LEAST

    def _nodes(self, places: Vector) -> Vector:
        """Return the t of each node: the last one is infinite."""
        import numpy as np

        unit, far = self._kept["unit"], np.maximum(places - _NODES, 0)
        with np.errstate(divide="ignore"):
            return unit * np.where(far, _NODES / (_NODES - far), places / _NODES)

    def _lines(self, places: Vector, far: Vector, side: int) -> tuple[Vector, Vector]:
        """Return the slope of q and its value at t = 0, as it goes on from each node.

        Args:
            places: the nodes.
            far: whether q(t) / t is told in 1 / t there, and not q(t) in t.
            side: 1 behind the node, -1 before it, 0 at it.
        """
        import numpy as np

        values, t = self._heights(places), self._nodes(places)
        top, bottom = self._kept["moved top"], self._kept["moved bottom"]
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.where(far & (places <= _NODES), values / t, values)
            slope = np.where(far, values + side * top / t, side * bottom)
        return slope, np.where(far, -side * top, values - side * np.where(far, 0.0, t) * bottom)

    def _heights(self, places: Vector) -> Vector:
        """Return q(t) at nodes up to the unit, and q(t) / t at those behind; each is kept."""
        import numpy as np

        values = np.array([self._known.get(place, nan) for place in range(2 * _NODES + 1)])
        for place in np.flatnonzero(np.bincount(places, minlength=len(values))).tolist():
            if isnan(values[place]):
                values[place] = self._known[place] = self._at(place)
        return values[places]

    def _at(self, place: int) -> float:
        """Return what a node keeps."""
        part, unit = place / _NODES, self._kept["unit"]
        f, g = (1.0, unit * part) if part <= 1 else ((2 - part) / unit, 1.0)
        most, around = (
            f * self._kept[f"{name} top"] + g * self._kept[f"{name} bottom"]
            for name in ("half", "wrapped")
        )
        return _quantile(self, f, g, most, around)

    def bound(self, t: float) -> float:
        """Return q(t): what |S - t R| stays below, except with probability alpha, for t >= 0."""
        import numpy as np

        apart = self._kept["half top"] + t * self._kept["half bottom"]
        if not self._told or apart == 0:
            return apart
        unit, far = self._kept["unit"], t > self._kept["unit"]
        at = 2 * _NODES - _NODES * unit / t if far else _NODES * t / unit
        node = round(at)
        side = 1 if at > node else -1 if at < node else 0
        slope, start = self._lines(np.array([node]), np.array([far]), side)
        return min(apart, float(slope[0] * t + start[0]))


def _quantile(ratio: Ratio, f: float, g: float, most: float, around: float) -> float:
    """Return an x that |f S - g R| exceeds with at most alpha, less what moving t may add.

    It is at most `most`, where both stay with half of alpha; beyond `around` they hardly ever are.
    """
    import numpy as np

    if most == 0:
        return 0.0
    alpha, length = float(ratio.alpha), most + around
    parts = max(_NEAR / 2, sqrt(_FAR_OFF / alpha)) * length / most
    j = np.arange(1, ceil(parts), dtype=float)
    u, w = j / (len(j) + 1), 2 * pi / length * j
    waves = np.full(len(j), 2.0)
    for side, factor in ((ratio.top, f), (ratio.bottom, g)):
        for law, count in side:
            waves *= law.wave(_folded(w * factor)) ** count
    sines = waves / pi / j * (pi * u * (1 - u) / np.tan(pi * u) + u)
    cosines = waves * (1 - u) / (len(j) + 1)
    told = sines + cosines > _DROPPED * alpha / len(j)
    sines, cosines, w = sines[told], cosines[told], w[told]
    less = 1 / (len(j) + 1) + _DROPPED * alpha + _ROUNDING

    def missed(x: float) -> float:
        return 1 - 2 * x / length + less - float(sines @ np.sin(w * x) - cosines @ np.cos(w * x))

    allowed = alpha * (1 - float(_SIDE) - 2 * float(_WRAPPED))
    spread = hypot(f * _spread(ratio.top), g * _spread(ratio.bottom))
    return _least_rare(missed, allowed, spread, most)


def _least_rare(
    missed: Callable[[float], float], allowed: float, spread: float, most: float
) -> float:
    """Return an x that misses with at most what is allowed, hardly above the least, or `most`.

    Normal quantiles lead near it; what they lead to is taken only where it misses no more.
    """
    goal = NormalDist().inv_cdf(allowed / 2)
    x, before = min(most, -goal * spread), (0.0, 0.0)
    for _ in range(_GUESSES):
        chance = missed(x)
        if not 0 < chance < 1:
            break
        now = (x, NormalDist().inv_cdf(chance / 2))
        if chance <= allowed and now[1] > goal * (1 + _CLOSE):
            return x
        slope = (now[1] - before[1]) / (now[0] - before[0] or 1.0)
        if not slope < 0:
            break
        before, x = now, (x + (goal - now[1]) / slope) * (1 + _CLOSE / 3)
        if not 0 < x < most:
            break
    if missed(most) > allowed:
        return most
    low, high = 0.0, min(spread, most)
    while missed(high) > allowed:
        low, high = high, min(most, 1.5 * high)
    while high - low > _CLOSE * high:
        middle = (low + high) / 2
        low, high = (middle, high) if missed(middle) > allowed else (low, middle)
    return high


def _folded(w: Vector) -> Vector:
    """Return the angles between 0 and pi that have the same cosines."""
    import numpy as np

    turned = np.mod(w, 2 * pi)
    return np.minimum(turned, 2 * pi - turned)
