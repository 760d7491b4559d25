"""A choice of noise: how far one unit moves numbers, what may be lost, and a law that keeps it."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from ...exact.number import rounded


@dataclass(frozen=True, slots=True)
class Moves:
    """How far one unit moves a vector of `coordinates` numbers, at most, in three norms."""

    l1: Fraction
    l2_squared: Fraction
    linf: Fraction
    coordinates: int


@dataclass(frozen=True, slots=True)
class Budget:
    """epsilon, epsilon and delta, or rho."""

    epsilon: Fraction | None
    delta: Fraction | None
    rho: Fraction | None


@dataclass(frozen=True, slots=True)
class LawChoice:
    """One law that keeps the budget.

    Args:
        law: its name on this page, or "classical_gaussian".
        kind: what its size is: "scale", "sigma" or "sigma2".
        size: that size.
        error: the error of one number that is exceeded with a chance of at most alpha.
        together: the same for all numbers together.
        deviation: the standard deviation of one number, for show.
        paid: how its price was found.
    """

    law: str
    kind: str
    size: Fraction
    error: int | Decimal
    together: int | Decimal
    deviation: float
    paid: str

    @property
    def noise(self) -> str:
        """Its size in words."""
        return f"{self.kind} {rounded(self.size, 6)}"
