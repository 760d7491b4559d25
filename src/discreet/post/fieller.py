"""The ratio of two released numbers with independent noise of any laws, as Fieller (1954) does it.

Rules of this module:
- S and R are sums of draws, of any laws, as in `combination`; for true numbers A, B and t = A / B
  the noise alone is a - t b = S - t R. An interval holds every t that |a - t b| <= q(|t|) does not
  rule out, where q(t) bounds |S - t R| but with probability alpha;
- q is rounded up by less than one part in a hundred of the noise;
- where b cannot be told from 0, an interval has no end: None; that is so where b is at most the
  slope of q for large t, which is the slope of the bound in use;
- q is never above the sum of what S and t R stay below at half the chance each: so it is 0 where
  the noise is 0 but with so small a chance.

Proof. T = S - t R is made smooth by an independent normal Z of deviation h. Its wave is the product
of the waves and e^(-w^2 h^2 / 2), and the law of T + Z on a circle of length L is found back from
it as in `combination`: what wraps around is beyond K, with the chance that is added. |T| > x + c h
has at most the chance of |T + Z| > x and that of |Z| > c h together. Between two t the bound moves
by at most the difference times |R|, which stays below r but with a chance that is added, too.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, exp, isinf, log, pi, sqrt
from statistics import NormalDist
from typing import Any

from .combination import Parts, sum_half_width

_FINE = 500  # h is this part of the deviation
_NEXT = 1.005  # from one t at which q is computed to the next
_SIDE = Fraction(1, 1_000)  # the part of alpha for what Z adds, and again for what moves t
_WRAPPED = Fraction(1, 2**29)  # the chance of each number to be beyond K
_LEAST = 1e-6  # below this alpha a level is shared between the two numbers
_GONE = 8.5  # a wave of e^(-x^2 / 2) at this x is nothing
_HALVINGS = 60
_FAR = 2.0**30  # from here on q is straight
_CLOSE = 1e-5

Vector = Any  # numpy array of float64
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
        half = self.alpha / 2
        self._kept["half top"] = sum_half_width(self.top, half)
        self._kept["half bottom"] = sum_half_width(self.bottom, half)
        top, below = _deviation(self.top), _deviation(self.bottom)
        self._kept["unit"] = top / below if top > 0 and below > 0 else 1.0

    def interval(self, a: int, b: int) -> tuple[End, End]:
        """Return the ends of the interval of A / B, for noisy numbers and B > 0; None: no end."""
        up, down = self._upper(a, b), self._upper(-a, b)
        low, high = (None if down is None else -down), up
        return _times(low, self.worth), _times(high, self.worth)

    def _upper(self, a: int, b: int) -> End:
        """Return the largest t that t b - a <= q(|t|) allows; None if there is none."""
        if b <= self._kept["bottom"]:
            return None
        if a + self.bound(0.0) < 0:
            return -_root(lambda u: u * b + self.bound(u) + a)
        far = _FAR * (self._kept["unit"] + abs(a) + 1)
        if far * b - a - self.bound(far) <= 0:
            return None
        return _root(lambda t: t * b - a - self.bound(t))

    def bound(self, t: float) -> float:
        """Return q(t): what |S - t R| stays below, but with probability alpha, for t >= 0."""
        apart = self._kept["half top"] + t * self._kept["half bottom"]
        if float(self.alpha) < _LEAST or apart == 0:
            return apart
        unit = self._kept["unit"]
        place = max(_LOWEST, round(log(t / unit) / log(_NEXT))) if t > 0 else _LOWEST
        node = unit * _NEXT**place
        if place not in self._known:
            self._known[place] = _quantile(self, node)
        return min(apart, self._known[place] + abs(t - node) * self._kept["moved"])


_LOWEST = round(log(1 / _FINE) / log(_NEXT))


def _times(end: End, worth: float) -> End:
    return None if end is None else end * worth


def _root(grows: Any) -> float:
    """Return where a function passes 0 from below, from above; it is at most 0 at 0."""
    low, high = 0.0, 1.0
    while grows(high) <= 0:
        low, high = high, 2 * high
        if isinf(high):
            return high
    while low == 0.0 and high > 1e-300 and grows(high / 2) > 0:
        high /= 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if grows(middle) > 0 else (middle, high)
    return high


def _deviation(parts: Parts) -> float:
    return sqrt(sum(count * law.variance() for law, count in parts))


def _quantile(ratio: Ratio, t: float) -> float:
    """Return an x that |S - t R| exceeds with at most alpha, less what moving t may add."""
    import numpy as np

    alpha, side = float(ratio.alpha), float(ratio.alpha * _SIDE)
    spread = sqrt(_deviation(ratio.top) ** 2 + (t * _deviation(ratio.bottom)) ** 2)
    h, c = spread / _FINE, -NormalDist().inv_cdf(side / 2)
    most = sum_half_width(ratio.top, _WRAPPED) + t * sum_half_width(ratio.bottom, _WRAPPED)
    length = 2 * most + 4 * _GONE * h
    j = np.arange(1, ceil(_GONE * length / (2 * pi * h)) + 1, dtype=float)
    w = 2 * pi / length * j
    waves = np.exp(-((w * h) ** 2) / 2) / j
    for parts, factor in ((ratio.top, 1.0), (ratio.bottom, t)):
        for law, count in parts:
            waves = waves * law.wave(_folded(w * factor)) ** count
    allowed = alpha - 2 * side - 4 * float(_WRAPPED) - exp(-_GONE * _GONE / 2)

    def missed(x: float) -> float:
        return 1 - 2 * x / length - 2 / pi * float(np.sum(waves * np.sin(w * x)))

    low, high = 0.0, spread
    while missed(high) > allowed:
        low, high = high, 1.5 * high
    while high - low > _CLOSE * high:
        middle = (low + high) / 2
        low, high = (middle, high) if missed(middle) > allowed else (low, middle)
    return high + c * h


def _folded(w: Vector) -> Vector:
    """Return the angles between 0 and pi that have the same cosines."""
    import numpy as np

    turned = np.mod(w, 2 * pi)
    return np.minimum(turned, 2 * pi - turned)
