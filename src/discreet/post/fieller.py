"""The ratio of two released numbers with independent noise of any laws, as Fieller (1954) does it.

How far a sum of many independent noises is off: by their own law, not by adding half-widths.

Rules of this module:
- S and R are sums of draws, of any laws; for true numbers A, B and t = A / B
  the noise alone is a - t b = S - t R. An interval holds every t that |a - t b| <= q(|t|) does not
  rule out, where q(t) bounds |S - t R| but with probability alpha;
- q is rounded up by less than one part in a hundred of the noise;
- where b cannot be told from 0, an interval has no end: None; that is so where b is at most the
  slope of q for large t, which is the slope of the bound in use;
- q is never above the sum of what S and t R stay below at half the chance each: so it is 0 where
  the noise is 0 but with so small a chance;
- S is a sum of independent whole numbers, each from a symmetric law: a sign changes nothing, so
  that differences are sums;
- a half-width is rounded up: Pr[|S| > a] is at most alpha, and hardly less;
- the cost does not grow with the noise, and hardly with how many are added.

Proof for a ratio. T = S - t R is made smooth by an independent normal Z of deviation h. Its wave is
the product of the waves and e^(-w^2 h^2 / 2), and the law of T + Z on a circle of length L is found
back from it as below: what wraps around is beyond K, with the chance that is added. |T| > x + c h
has at most the chance of |T + Z| > x and that of |Z| > c h together. Between two t the bound moves
by at most the difference times |R|, which stays below r but with a chance that is added, too.

Proof for a sum. Let w(t) = E[cos(t S)], which is the product of the waves of the parts. With t_j =
2 pi j / N for an odd N, the law of S modulo N is found back from its wave (the discrete Fourier
transform):

    Pr[S mod N in -a..a] = (2a + 1) / N + (2/N) sum over j = 1..(N-1)/2 of w(t_j) D(j),

D(j) = sin((2a + 1) pi j / N) / sin(pi j / N), in size at most N / (2j). That chance is above
Pr[|S| <= a] by at most Pr[|S| > K] where N = 2K + 1 and a <= K, and K is a sum of half-widths at a
tiny level. A wave falls from 0 to pi, so that what is left out beyond some j is in size at most the
sum of w / j, block by block: each block from 2^k to 2^(k+1) has at most w at its start. All that,
and rounding, is added to the chance of missing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, exp, log, pi, sqrt
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

    It is made once, at points that lie close; between them the one below is taken.
    """
    import numpy as np

    present = [(law, count) for law, count in parts if count]
    distribution = _Sum(*_transform(present, 2 * _reach(present, _AWAY) + 1))
    most = min(distribution.modulus // 2, int(_FAR_DEVIATIONS * _spread(present)) + 1)
    places = np.unique(np.linspace(0, most, _POINTS).astype(int)).tolist()
    chances = np.array([max(0.0, distribution.missed(int(a))) / 2 for a in places])
    chances = np.minimum.accumulate(np.minimum(chances, 0.5))
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
    """Return what the sum stays within, but with the given probability, by adding half-widths."""
    many = sum(count for _, count in parts)
    return sum(count * law.half_width(level / many) for law, count in parts)


def _spread(parts: Parts) -> float:
    return sqrt(sum(count * law.variance() for law, count in parts))


_FINE = 500  # h is this part of the deviation
_NEXT = 1.005  # from one t at which q is computed to the next
_SIDE = Fraction(1, 1_000)  # the part of alpha for what Z adds, and again for what moves t
_WRAPPED = Fraction(1, 2**29)  # the chance of each number to be beyond K
_LEAST = 1e-6  # below this alpha a level is shared between the two numbers
_GUESSES = 8  # before halving
_GONE = 8.5  # a wave of e^(-x^2 / 2) at this x is nothing
_HALVINGS = 60
_FAR = 2.0**30  # from here on q is straight
_CLOSE = 1e-5

End = float | None


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
        bottom = sum_half_width(self.bottom, self.alpha)
        self._kept["bottom"] = bottom
        self._kept["moved"] = sum_half_width(self.bottom, self.alpha * _SIDE)
        self._kept["wrapped top"] = sum_half_width(self.top, _WRAPPED)
        self._kept["wrapped bottom"] = sum_half_width(self.bottom, _WRAPPED)
        half = self.alpha / 2
        self._kept["half top"] = sum_half_width(self.top, half)
        self._kept["half bottom"] = sum_half_width(self.bottom, half)
        top, below = _deviation(self.top), _deviation(self.bottom)
        self._kept["unit"] = top / below if top > 0 and below > 0 else 1.0

    def intervals(self, a: Sequence[int], b: Sequence[int]) -> tuple[Vector, Vector]:
        """Return the ends of many intervals of A / B, for B > 0; not a number: no end.

        Numbers that are alike are worked out once, and all together.
        """
        import numpy as np

        pairs, place = np.unique(
            np.array([a, b], dtype=float).reshape(2, -1), axis=1, return_inverse=True
        )
        low, high = -self._uppers(-pairs[0], pairs[1]), self._uppers(*pairs)
        return (low * self.worth)[place.ravel()], (high * self.worth)[place.ravel()]

    def _uppers(self, a: Vector, b: Vector) -> Vector:
        """Return the largest t that t b - a <= q(|t|) allows; not a number if there is none."""
        import numpy as np

        found = np.full(len(a), np.nan)
        told = b > self._kept["bottom"]
        below = told & (a + self.bound(0.0) < 0)
        far = _FAR * (self._kept["unit"] + np.abs(a) + 1)
        above = told & ~below
        above[above] = (far * b - a)[above] - self._bounds(far[above]) > 0
        ends = _roots(lambda u, at: u * b[at] + self._bounds(u) + a[at], np.flatnonzero(below))
        found[below] = -ends
        found[above] = _roots(
            lambda t, at: t * b[at] - a[at] - self._bounds(t), np.flatnonzero(above)
        )
        return found

    def bound(self, t: float) -> float:
        """Return q(t): what |S - t R| stays below, but with probability alpha, for t >= 0."""
        import numpy as np

        return float(self._bounds(np.array([t]))[0])

    def _at(self, place: int) -> float:
        """Return q at one of the t that it is computed at."""
        if place not in self._known:
            t = self._kept["unit"] * _NEXT**place
            most = self._kept["wrapped top"] + t * self._kept["wrapped bottom"]
            self._known[place] = _quantile(self, t, most)
        return self._known[place]

    def _bounds(self, t: Vector) -> Vector:
        """Return q(t) of many t >= 0."""
        import numpy as np

        found = np.array(self._kept["half top"] + t * self._kept["half bottom"])
        noisy = found != 0
        if float(self.alpha) < _LEAST or not noisy.any():
            return found
        unit, some = self._kept["unit"], t[noisy]
        logs = (np.log(np.maximum(some, 1e-300)) - log(unit)) / log(_NEXT)
        places, which = np.unique(np.maximum(_LOWEST, np.rint(logs)), return_inverse=True)
        nodes = np.array([unit * _NEXT ** int(place) for place in places])
        known = np.array([self._at(int(place)) for place in places])
        close = known[which] + np.abs(some - nodes[which]) * self._kept["moved"]
        found[noisy] = np.minimum(found[noisy], close)
        return found


_LOWEST = round(log(1 / _FINE) / log(_NEXT))


def _roots(grows: Callable[[Vector, Vector], Vector], at: Vector) -> Vector:
    """Return where each of many functions passes 0 from below, from above.

    Each is at most 0 at 0; only those at these places are asked.
    """
    import numpy as np

    low, high = np.zeros(len(at)), np.ones(len(at))
    going = np.arange(len(at))
    while going.size:
        going = going[grows(high[going], at[going]) <= 0]
        low[going], high[going] = high[going], 2 * high[going]
        going = going[~np.isinf(high[going])]
    going = np.flatnonzero((low == 0.0) & ~np.isinf(high))
    while going.size:
        going = going[high[going] > 1e-300]
        going = going[grows(high[going] / 2, at[going]) > 0]
        high[going] /= 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        passed = grows(middle, at) > 0
        low, high = np.where(passed, low, middle), np.where(passed, middle, high)
    return high


def _deviation(parts: Parts) -> float:
    return sqrt(sum(count * law.variance() for law, count in parts))


def _quantile(ratio: Ratio, t: float, most: float) -> float:
    """Return an x that |S - t R| exceeds with at most alpha, less what moving t may add.

    It is hardly ever beyond `most`.
    """
    import numpy as np

    alpha, side = float(ratio.alpha), float(ratio.alpha * _SIDE)
    spread = sqrt(_deviation(ratio.top) ** 2 + (t * _deviation(ratio.bottom)) ** 2)
    h, c = spread / _FINE, -NormalDist().inv_cdf(side / 2)
    length = 2 * most + 4 * _GONE * h
    j = np.arange(1, ceil(_GONE * length / (2 * pi * h)) + 1, dtype=float)
    w = 2 * pi / length * j
    waves = np.exp(-((w * h) ** 2) / 2) / j
    for parts, factor in ((ratio.top, 1.0), (ratio.bottom, t)):
        for law, count in parts:
            waves = waves * law.wave(_folded(w * factor)) ** count
    allowed = alpha - 2 * side - 4 * float(_WRAPPED) - exp(-_GONE * _GONE / 2)

    def missed(x: float) -> float:
        return 1 - 2 * x / length - 2 / pi * float(waves @ np.sin(w * x))

    return _least_rare(missed, allowed, spread) + c * h


def _least_rare(missed: Callable[[float], float], allowed: float, spread: float) -> float:
    """Return an x that misses with at most what is allowed, hardly above the least.

    Normal quantiles lead near it; what they lead to is taken only where it misses no more.
    """
    goal = NormalDist().inv_cdf(allowed / 2)
    x, before = -goal * spread, (0.0, 0.0)
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
    low, high = 0.0, spread
    while missed(high) > allowed:
        low, high = high, 1.5 * high
    while high - low > _CLOSE * high:
        middle = (low + high) / 2
        low, high = (middle, high) if missed(middle) > allowed else (low, middle)
    return high


def _folded(w: Vector) -> Vector:
    """Return the angles between 0 and pi that have the same cosines."""
    import numpy as np

    turned = np.mod(w, 2 * pi)
    return np.minimum(turned, 2 * pi - turned)
