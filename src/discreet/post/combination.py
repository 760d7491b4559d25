"""How far a sum of many independent noises is off: by their own law, not by adding half-widths.

Rules of this module:
- S is a sum of independent whole numbers, each from a symmetric law: a sign changes nothing, so
  that differences are sums;
- a half-width is rounded up: Pr[|S| > a] is at most alpha, and hardly less;
- the cost does not grow with the noise, and hardly with how many are added.

Proof. Let w(t) = E[cos(t S)], which is the product of the waves of the parts. With t_j = 2 pi j / N
for an odd N, the law of S modulo N is found back from its wave (the discrete Fourier transform):

    Pr[S mod N in -a..a] = (2a + 1) / N + (2/N) sum over j = 1..(N-1)/2 of w(t_j) D(j),

D(j) = sin((2a + 1) pi j / N) / sin(pi j / N), in size at most N / (2j). That chance is above
Pr[|S| <= a] by at most Pr[|S| > K] where N = 2K + 1 and a <= K, and K is a sum of half-widths at a
tiny level. A wave falls from 0 to pi, so that what is left out beyond some j is in size at most the
sum of w / j, block by block: each block from 2^k to 2^(k+1) has at most w at its start. All that,
and rounding, is added to the chance of missing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import pi, sqrt
from statistics import NormalDist
from typing import Any

from ..noise.law import Law

_AWAY = Fraction(1, 2**50)  # the chance that the sum is beyond K, in all
_ROUNDING = 2.0**-42  # more than the rounding of a sum of 2^20 terms of at most 1, in pairs
_LEFT_OUT = 2.0**-44  # what is left out should not be more than this
_LONGEST = (1 << 20) - 1  # terms of a transform: whole blocks
_LEAST_ALPHA = Fraction(1, 2**30)  # below it rounding would show; then half-widths are added
_FAR, _POINTS = 40, 4_000  # of a tail: up to how many deviations, and at how many points
_STAIRS = [Fraction(1, 2**bits) for bits in (45, 60, 80, 110, 150, 200, 300)]
_FINE = 2**40  # a half-width is found to one part of this, where it is large

Vector = Any  # numpy array of float64
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
    given = [(law, count) for law, count in parts if count]
    many = sum(count for _, count in given)
    if many <= 1:
        return given[0][0].half_width(alpha) if given else 0
    if alpha < _LEAST_ALPHA:
        return _reach(given, alpha)
    found = _Sum(*_transform(given, 2 * _reach(given, _AWAY) + 1))
    return found.least(float(alpha), _spread(given))


def sum_tail(parts: Parts) -> Callable[[float], float]:
    """Return a function that is at least Pr[S > x], for x >= 0, and hardly more.

    It is made once, at points that lie close; between them the one below is taken.
    """
    import numpy as np

    given = [(law, count) for law, count in parts if count]
    found = _Sum(*_transform(given, 2 * _reach(given, _AWAY) + 1))
    most = min(found.modulus // 2, int(_FAR * _spread(given)) + 1)
    places = np.unique(np.linspace(0, most, _POINTS).astype(int)).tolist()
    chances = np.array([max(0.0, found.missed(int(a))) / 2 for a in places])
    chances = np.minimum.accumulate(np.minimum(chances, 0.5))
    far = [(_reach(given, level), float(level)) for level in _STAIRS]  # beyond what doubles tell

    def above(x: float) -> float:
        if x < 0:
            return 1.0
        found = float(chances[np.searchsorted(places, x, side="right") - 1])
        return min([found, *(level for place, level in far if x >= place)])

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
        while high - low > max(1, high // _FINE):
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

    found = np.ones_like(t)
    for law, count in parts:
        found *= law.wave(t) ** count
    return found


def _reach(parts: Parts, level: Fraction) -> int:
    """Return what the sum stays within, but with the given probability, by adding half-widths."""
    many = sum(count for _, count in parts)
    return sum(count * law.half_width(level / many) for law, count in parts)


def _spread(parts: Parts) -> float:
    return sqrt(sum(count * law.variance() for law, count in parts))
