"""What a denoiser knows of the noise: the law of every number, in floats.

The libraries that only denoising needs, asked for where they are first used.

Rules of this module:
- floats stand here because the noise has been added and paid for: all of this is public;
- `on_lattice` measures a wide law in coarser steps; steps are kept far below its spread;
- nothing that a denoiser asks of a law grows with its spread: `mass` is for laws on a lattice, and
  refuses a reach beyond the widest of them;
- a library that is not there is the caller's to install: the message holds the line to type.
"""

import math
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, InternalError
from ...noise.law import Law

Vector = NDArray[np.float64]
Kind = Literal["gaussian", "discrete_gaussian", "discrete_laplace", "listed"]

_SMOOTH = 9.0  # from this sigma2 on, a discrete Gaussian's cumulants are a Gaussian's to 1e-70
_TABLED = 1e4  # up to this sigma2 the chances of a discrete Gaussian are summed one by one
_FARTHEST = 1 << 12  # the largest reach of a table of chances


@dataclass(frozen=True, slots=True)
class Noise:
    """The noise on every number of a vector, independent and alike.

    Args:
        kind: which closed form, or "listed" (see `listed`).
        parameter: sigma2 of a (discrete) Gaussian, scale of a discrete Laplace.
    """

    kind: Kind
    parameter: float

    @property
    def variance(self) -> float:
        """The variance of one number's noise."""
        if self.kind == "discrete_laplace":
            q = math.exp(-1 / self.parameter)
            return 2 * q / math.expm1(-1 / self.parameter) ** 2
        if self.kind == "discrete_gaussian" and self.parameter < _SMOOTH:
            return self._moment(2)
        return self.parameter

    @property
    def fourth(self) -> float:
        """The fourth cumulant: 0 for a Gaussian, up to 3 variances squared for a Laplace."""
        if self.kind == "discrete_laplace":
            q = math.exp(-1 / self.parameter)
            return 2 * q * (1 + 4 * q + q * q) / math.expm1(-1 / self.parameter) ** 4
        if self.kind == "discrete_gaussian" and self.parameter < _SMOOTH:
            return self._moment(4) - 3 * self._moment(2) ** 2
        return 0.0

    @property
    def sigma(self) -> float:
        """The standard deviation of one number's noise."""
        return math.sqrt(self.variance)

    @property
    def whole(self) -> bool:
        """Whether the noise is whole numbers."""
        return self.kind != "gaussian"

    def rare(self, count: int) -> bool:
        """Tell whether less than one of so many numbers is expected to have any noise.

        Example:
            >>> Noise("discrete_laplace", 0.1).rare(1000), Noise("discrete_laplace", 1.0).rare(1000)
            (True, False)
        """
        return self.whole and count * (1 - self._none()) < 1

    def _none(self) -> float:
        """Return the chance that there is no noise."""
        if self.kind == "discrete_laplace":
            return math.tanh(1 / (2 * self.parameter))
        if self.parameter >= _SMOOTH:
            return 1 / math.sqrt(2 * math.pi * self.parameter)
        return float(self.mass(self.reach()).max())

    def quantiles(self, chances: Vector) -> Vector:
        """Return, for each chance between 0 and 1, the least value that is not exceeded with it.

        A discrete Gaussian beyond sigma2 = 10,000 is a Gaussian, rounded: each chance is off by
        less than 1e-5.

        Example:
            >>> Noise("discrete_laplace", 1e9).quantiles(np.array([0.25, 0.5])).tolist()
            [-693147181.0, 0.0]
        """
        if self.kind == "discrete_laplace":
            return _laplace_quantiles(chances, self.parameter)
        if self.kind == "discrete_gaussian" and self.parameter <= _TABLED:
            reach = self.reach()
            places = np.searchsorted(np.cumsum(self.mass(reach)[:-1]), chances) - reach
            return places.astype(float)
        exact = math.sqrt(self.parameter) * needed("scipy.special").ndtri(chances)
        return np.asarray(np.rint(exact) if self.whole else exact, dtype=float)

    def on_lattice(self, step: float) -> "Noise":
        """Return the law of noise measured in steps; beside a step of 1 it is close, not exact."""
        if self.kind == "discrete_laplace":
            return Noise("discrete_laplace", self.parameter / step)
        return Noise("discrete_gaussian", self.parameter / step**2)

    def mass(self, reach: int) -> Vector:
        """Return Pr[Y = k] for k from -reach to reach, summing to 1.

        Raises:
            InternalError: the reach is that of a wide law, which is measured in coarser steps.
        """
        if reach > _FARTHEST:
            raise InternalError(
                f"a table of chances would reach {reach:,} steps.",
                kind="internal-fault",
                why=f"a law that is wider than {_FARTHEST:,} steps is measured in coarser ones",
                fix="report this with the law and the number of values; the raw numbers are good",
            )
        k = np.arange(-reach, reach + 1, dtype=float)
        if self.kind == "discrete_laplace":
            chances = np.exp(-np.abs(k) / self.parameter)
        else:
            chances = np.exp(-k * k / (2 * self.parameter))
        return np.asarray(chances / chances.sum(), dtype=float)

    def reach(self) -> int:
        """Return how far `mass` must go to leave out less than 1e-16."""
        if self.kind == "discrete_laplace":
            return math.ceil(37 * self.parameter) + 1
        return math.ceil(8.7 * math.sqrt(self.parameter)) + 1

    def kernel(self) -> "tuple[Vector, float] | None":
        """Return Stein's weights and the steps between them, where no closed form is known."""
        return None

    def _moment(self, power: int) -> float:
        reach = self.reach()
        k = np.arange(-reach, reach + 1, dtype=float)
        return float(np.sum(self.mass(reach) * k**power))


def _laplace_quantiles(chances: Vector, scale: float) -> Vector:
    """Return the least k with Pr[Y <= k] at least each chance.

    Pr[Y <= k] is e^(k / scale) / (1 + q) for k < 0, and 1 - e^(-(k + 1) / scale) / (1 + q) from 0.
    """
    q = math.exp(-1 / scale)
    with np.errstate(divide="ignore"):  # a chance of 0 or 1 is met by an infinite value
        below = np.ceil(scale * np.log(chances * (1 + q)))
        above = np.ceil(-scale * np.log((1 - chances) * (1 + q)) - 1)
    return np.where(chances <= q / (1 + q), below, np.maximum(above, 0)) + 0.0


def noise_of(law: Law) -> Noise:
    """Return what a denoiser needs of a noise law: its closed form, or a list.

    Example:
        >>> from fractions import Fraction
        >>> from ...noise.discrete_gaussian import DiscreteGaussian
        >>> noise_of(DiscreteGaussian(Fraction(25)))
        Noise(kind='discrete_gaussian', parameter=25.0)
    """
    from .listed import listed

    known = law.closed_form()
    return listed(law) if known is None else Noise(*known)


def gaussian(sigma: float) -> Noise:
    """Return continuous Gaussian noise of a standard deviation above 0.

    Raises:
        InputError: sigma is not a finite number above 0.

    Example:
        >>> gaussian(2).variance
        4.0
    """
    if not (math.isfinite(sigma) and 0 < sigma < 1e150):
        raise InputError(
            f"sigma = {sigma} must be a finite number above 0.",
            kind="out-of-range",
            why="without noise there is nothing to remove",
            fix="write the standard deviation of the noise",
        )
    return Noise("gaussian", float(sigma) ** 2)


def needed(name: str) -> ModuleType:
    """Return a library of the extra `denoise`.

    Raises:
        InputError: it is not installed.
    """
    try:
        return import_module(name)
    except ImportError:
        raise InputError(
            f"denoising needs {name.split('.', maxsplit=1)[0]}, which is not installed.",
            kind="package-missing",
            why="the core of discreet stays small; the denoisers' libraries are an extra",
            fix="type: python -m pip install scipy PyWavelets",
        ) from None
