"""Noise of a law without a closed form here: listed from the law's own exact tails.

Rules of this module:
- a law is listed cell by cell, an eighth of its deviation to a cell; where it is narrow, a step to
  a cell: then the list is exact;
- Stein's weights follow from the list (see `stein`). Where the characteristic function is too small
  for doubles they fade, which blurs them by less than a deviation; a law whose characteristic
  function has a zero has no such weights, and needs rules of its own.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from ...exact.enclosure import enclosed
from ...noise.law import Law
from .noise import Noise, Vector

_FINE = 8  # cells to a standard deviation
_RARE = Fraction(1, 10**16)  # what the list leaves out
_BITS = 128
_POINTS = 4  # of the Fourier integral, for each weight
_MOST = 400  # weights, at least: those of a narrow Gaussian fall slowly
_SEEN, _UNSEEN = -3.0, -11.0  # decimal logarithms between which the characteristic function fades


@dataclass(frozen=True, slots=True)
class ListedLaw(Noise):
    """The noise of a law, in steps of any width.

    Args:
        kind, parameter: "listed", and the law's standard deviation.
        law: the law.
        step: what is one step here, in those of the law.
    """

    law: Law
    step: float = 1.0

    @property
    def variance(self) -> float:
        """The variance of one number's noise; that of the list where steps are wide."""
        return self.law.variance() if self.step == 1 else self._moment(2)

    @property
    def fourth(self) -> float:
        """The fourth cumulant, of the list."""
        return float((self._moment(4) - 3 * self._moment(2) ** 2) * self._width**4)

    @property
    def _width(self) -> int:
        """How many steps a cell of the list has: one, but for a wide law in its own steps."""
        return max(1, int(self.parameter / _FINE)) if self.step == 1 else 1

    def _none(self) -> float:
        some, more = enclosed_tails(self.law, [0, 1])
        return float(some - more)

    def quantiles(self, chances: Vector) -> Vector:
        """Return, for each chance, the least value that is not exceeded with it, within a cell."""
        mass = self._cells()
        ends = (np.arange(mass.size) - mass.size // 2 + 0.5) * self._width
        if self._width > 1:
            return np.asarray(np.rint(np.interp(chances, np.cumsum(mass), ends)), dtype=float)
        return np.asarray(np.ceil(ends[np.searchsorted(np.cumsum(mass)[:-1], chances)] - 1))

    def on_lattice(self, step: float) -> "ListedLaw":
        """Return the noise measured in wider steps."""
        return ListedLaw(self.kind, self.parameter, self.law, step)

    def mass(self, reach: int) -> Vector:
        """Return the chances of the cells from -reach to reach, summing to 1."""
        cells = self._cells()
        own = cells.size // 2
        middle = cells[max(0, own - reach) : own + reach + 1]
        return np.asarray(np.pad(middle / middle.sum(), max(0, reach - own)), dtype=float)

    def reach(self) -> int:
        """Return how far `mass` must go."""
        return self._cells().size // 2

    def tails(self, size: Vector) -> tuple[Vector, Vector]:
        """Return Pr[> x] and Pr[>= x] for each x of at least 0; between cells, straight."""
        exact = _tails_of(self.law, self._width)
        edges = self._width * np.arange(exact.size, dtype=float)
        above, reach = (np.interp(k, edges, exact) for k in (np.floor(size) + 1, np.ceil(size)))
        return above, reach

    def kernel(self) -> tuple[Vector, float]:
        """Return Stein's weights from the first, in cells, and how many steps a cell has."""
        return _weights_of(self.law, self.step * self._width), float(self._width)

    def _cells(self) -> Vector:
        return _cells_of(self.law, self.step * self._width)

    def _moment(self, power: int) -> float:
        mass = self._cells()
        return float(np.sum(mass * (np.arange(mass.size) - mass.size // 2.0) ** power))


def listed(law: Law) -> ListedLaw:
    """Return the noise of a law, in its own steps."""
    return ListedLaw("listed", math.sqrt(law.variance()), law)


def enclosed_tails(law: Law, places: Sequence[int]) -> Vector:
    """Return Pr[Y >= k] at some places."""
    bits = _BITS + max(abs(place) for place in places).bit_length()
    pairs = (enclosed(lambda k=k: law.tail(k), bits) for k in places)  # type: ignore[misc]
    return np.array([float((low + high) / 2) for low, high in pairs])


@lru_cache(maxsize=8)
def _cells_of(law: Law, width: float) -> Vector:
    """Return the chances of cells of a width, the middle one around 0, until little is left.

    What lies between two cells is half in each.
    """
    reach = max(1, math.ceil(law.half_width(_RARE) / width))
    edges = [(j + 0.5) * width for j in range(reach + 1)]
    tails = enclosed_tails(law, [math.ceil(edge) for edge in edges])
    if edges[0].is_integer():
        tails = (tails + enclosed_tails(law, [math.floor(edge) + 1 for edge in edges])) / 2
    side = np.maximum(tails[:-1] - tails[1:], 0)
    chances = np.concatenate([side[::-1], [1 - 2 * tails[0]], side])
    return np.asarray(chances / chances.sum(), dtype=float)


@lru_cache(maxsize=8)
def _tails_of(law: Law, width: int) -> Vector:
    """Return Pr[Y >= k] at every so many steps from 0."""
    last = law.half_width(_RARE) // width + 2
    return enclosed_tails(law, [width * j for j in range(last)])


@lru_cache(maxsize=8)
def _weights_of(law: Law, width: float) -> Vector:
    mass = _cells_of(law, width)
    reach = mass.size // 2
    side = np.pad(mass[reach + 1 :], (0, max(0, _MOST - reach)))
    k, points = np.arange(1, side.size + 1), _POINTS * side.size
    wave = (np.arange(points) + 0.5) * (np.pi / points)
    turns = np.outer(wave, k)
    size = mass[reach] + 2 * np.cos(turns) @ side  # the characteristic function
    seen = (np.log10(np.maximum(size, 1e-300)) - _UNSEEN) / (_SEEN - _UNSEEN)
    fade = np.sin(np.minimum.accumulate(np.clip(seen, 0, 1)) * np.pi / 2) ** 2
    slope = fade * (2 * np.sin(turns) @ (k * side)) / np.maximum(size, 10.0**_UNSEEN)
    return np.asarray(np.sin(turns.T) @ slope / points, dtype=float)
