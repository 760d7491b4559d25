"""The one argument that says which noise, and the one that says which miss.

Rules of this module:
- every number is checked before it stands here (`laws.noise_of`);
- what may not be combined is refused where the size is asked for;
- bounds stand as they were typed until a law asks for them.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, TypedDict

from ...errors import InputError
from ...exact.number import whole
from ...fix import Set
from ...noise.geometric_accuracy import Convention
from ..inputs import bounds_in, delta_missing, epsilon_missing, positive_delta

if TYPE_CHECKING:
    from .law import NoiseLaw

_SIZES = ("epsilon", "delta", "rho", "mu2", "sigma", "sigma2", "scale")
_WAYS = (*({name} for name in _SIZES if name != "delta"), {"epsilon", "delta"})


@dataclass(frozen=True)
class NoiseSize:
    """What is known about noise: its law, and what its size follows from."""

    law: "NoiseLaw"
    sensitivity: Fraction
    epsilon: Fraction | None = None
    delta: Fraction | None = None
    rho: Fraction | None = None
    sigma: Fraction | None = None
    sigma2: Fraction | None = None
    scale: Fraction | None = None
    mu2: Fraction | None = None
    bounds: object = None  # as typed

    @property
    def typed(self) -> dict[str, Fraction]:
        """What says the size, by name."""
        return {name: x for name in _SIZES if (x := getattr(self, name)) is not None}

    @property
    def stated(self) -> bool:
        """Whether the size itself is known, and not a loss that it follows from."""
        return not {*self.typed}.isdisjoint(("sigma", "sigma2", "scale"))

    def size(self) -> Fraction:
        """Return the law's rate, sigma or sigma2, the last two rounded up where computed."""
        return self._size

    @cached_property
    def _size(self) -> Fraction:
        typed, allowed = [*self.typed], self.law.sizes
        if set(typed) - set(allowed) or set(typed) not in _WAYS:
            raise InputError(
                f"how much {self.law.name} noise there is, is not said"
                + (f" by {' and '.join(typed)}." if typed else "."),
                kind="noise-size-missing",
                why=f"its size follows from one of {', '.join(allowed)}"
                + (" (epsilon with delta)" if "delta" in allowed else ""),
                fix=Set({allowed[0]: "0.1"} | ({"delta": "1e-6"} if "delta" in allowed else {})),
            )
        return self.law.size_of(self)

    def pair(self) -> tuple[Fraction, Fraction]:
        """Return epsilon and delta, both of which must be known, delta above 0."""
        if self.epsilon is None:
            raise epsilon_missing(self.law.name)
        return self.epsilon, self.positive_delta()

    def positive_delta(self) -> Fraction:
        """Return delta, which must be known and above 0."""
        if self.delta is None:
            raise delta_missing(self.law.name)
        return positive_delta(self.delta)

    def limits(self) -> tuple[int, int]:
        """Return public bounds of a count."""
        return bounds_in(self.bounds, self.law.name)

    def whole_sensitivity(self) -> int:
        """Return the sensitivity of a law on the whole numbers."""
        return whole(self.sensitivity, "sensitivity", least=1)


class Reals(TypedDict):
    """The chance of a miss by a real."""

    alpha: Fraction
    coordinates: int
    releases: int


class Wholes(Reals):
    """The same on whole numbers."""

    convention: Convention


@dataclass(frozen=True, slots=True)
class Chance:
    """The chance of a miss, and what a miss is: of how many numbers and releases, in which norm."""

    alpha: Fraction
    convention: Convention = "gt"
    coordinates: int = 1
    releases: int = 1
    norm: str = "max"

    def reals(self) -> Reals:
        """Return what a continuous law is told."""
        return Reals(alpha=self.alpha, coordinates=self.coordinates, releases=self.releases)

    def wholes(self) -> Wholes:
        """Return what a law on whole numbers is told."""
        return Wholes(**self.reals(), convention=self.convention)


@dataclass(frozen=True, slots=True)
class Printed:
    """Which form of a printed formula."""

    alpha: Fraction
    constant: str
    ceiling: bool = True
