"""What a loss is, and how losses add: pure, zCDP and (epsilon, delta).

Rules of this module:
- a loss is made of exact rationals; adding, splitting and comparing never round; `few_down` does,
  and what is printed has at most eight digits;
- losses add only with their own kind; `conversion` turns one kind into another, on the safe side;
- for each of the three kinds, adding losses is proved for adaptive composition
  (pure and approx: Dwork and Roth 2014, Theorem 3.16 and Appendix B; zCDP: Bun and Steinke 2016,
  Lemma 2.3; as a filter over adaptively chosen losses: Rogers et al. 2016 for pure and approx,
  Whitehouse et al. 2023 for zCDP).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Protocol, Self

from ..errors import InputError
from ..exact.number import Number, brief, few_down, rational, text_of
from ..fix import BLANK, Set, write

Kind = Literal["pure", "zcdp", "approx"]


class Loss(Protocol):
    """What a release costs, a ledger holds, or a plan is given."""

    @property
    def kind(self) -> Kind:
        """Which of the three definitions of privacy this loss speaks."""

    def plus(self, other: Self) -> Self:
        """Return the loss of doing both."""

    def minus(self, other: Self) -> Self:
        """Return what is left of this loss after `other`, never below zero."""

    def times(self, share: Fraction) -> Self:
        """Return this share of the loss."""

    def few_down(self) -> Self:
        """Return this loss, or a smaller one of six digits where it has more than eight."""

    def fits(self, other: Self) -> bool:
        """Tell whether this loss is within `other`."""

    def is_zero(self) -> bool:
        """Tell whether nothing is lost."""

    def plain(self) -> dict[str, str]:
        """Return the loss as plain data: its kind and its exact numbers as text."""


@dataclass(frozen=True, slots=True)
class Pure:
    """epsilon-differential privacy."""

    epsilon: Fraction
    kind: Literal["pure"] = "pure"

    def plus(self, other: "Pure") -> "Pure":
        """Return the loss of doing both."""
        return Pure(self.epsilon + other.epsilon)

    def minus(self, other: "Pure") -> "Pure":
        """Return what is left, never below zero."""
        return Pure(max(Fraction(0), self.epsilon - other.epsilon))

    def times(self, share: Fraction) -> "Pure":
        """Return this share of the loss."""
        return Pure(self.epsilon * share)

    def few_down(self) -> "Pure":
        """Return this loss, or a smaller one of six digits where it has more than eight."""
        return Pure(few_down(self.epsilon))

    def fits(self, other: "Pure") -> bool:
        """Tell whether this loss is within `other`."""
        return self.epsilon <= other.epsilon

    def is_zero(self) -> bool:
        """Tell whether nothing is lost."""
        return self.epsilon == 0

    def plain(self) -> dict[str, str]:
        """Return the loss as plain data."""
        return {"kind": self.kind, "epsilon": str(self.epsilon)}

    def __str__(self) -> str:
        return f"epsilon = {brief(self.epsilon)}"


@dataclass(frozen=True, slots=True)
class Zcdp:
    """rho-zero-concentrated differential privacy (Bun and Steinke 2016)."""

    rho: Fraction
    kind: Literal["zcdp"] = "zcdp"

    def plus(self, other: "Zcdp") -> "Zcdp":
        """Return the loss of doing both."""
        return Zcdp(self.rho + other.rho)

    def minus(self, other: "Zcdp") -> "Zcdp":
        """Return what is left, never below zero."""
        return Zcdp(max(Fraction(0), self.rho - other.rho))

    def times(self, share: Fraction) -> "Zcdp":
        """Return this share of the loss."""
        return Zcdp(self.rho * share)

    def few_down(self) -> "Zcdp":
        """Return this loss, or a smaller one of six digits where it has more than eight."""
        return Zcdp(few_down(self.rho))

    def fits(self, other: "Zcdp") -> bool:
        """Tell whether this loss is within `other`."""
        return self.rho <= other.rho

    def is_zero(self) -> bool:
        """Tell whether nothing is lost."""
        return self.rho == 0

    def plain(self) -> dict[str, str]:
        """Return the loss as plain data."""
        return {"kind": self.kind, "rho": str(self.rho)}

    def __str__(self) -> str:
        return f"rho = {brief(self.rho)}"


@dataclass(frozen=True, slots=True)
class Approx:
    """(epsilon, delta)-differential privacy."""

    epsilon: Fraction
    delta: Fraction
    kind: Literal["approx"] = "approx"

    def plus(self, other: "Approx") -> "Approx":
        """Return the loss of doing both (basic composition; both numbers add)."""
        return Approx(self.epsilon + other.epsilon, self.delta + other.delta)

    def minus(self, other: "Approx") -> "Approx":
        """Return what is left, never below zero."""
        return Approx(
            max(Fraction(0), self.epsilon - other.epsilon),
            max(Fraction(0), self.delta - other.delta),
        )

    def times(self, share: Fraction) -> "Approx":
        """Return this share of the loss."""
        return Approx(self.epsilon * share, self.delta * share)

    def few_down(self) -> "Approx":
        """Return this loss, or a smaller one of six digits where it has more than eight."""
        return Approx(few_down(self.epsilon), few_down(self.delta))

    def fits(self, other: "Approx") -> bool:
        """Tell whether this loss is within `other`, in both numbers."""
        return self.epsilon <= other.epsilon and self.delta <= other.delta

    def is_zero(self) -> bool:
        """Tell whether nothing is lost."""
        return self.epsilon == 0 and self.delta == 0

    def plain(self) -> dict[str, str]:
        """Return the loss as plain data."""
        return {"kind": self.kind, "epsilon": str(self.epsilon), "delta": str(self.delta)}

    def __str__(self) -> str:
        return f"(epsilon, delta) = ({brief(self.epsilon)}, {brief(self.delta)})"


AnyLoss = Pure | Zcdp | Approx
_EXAMPLES = {"epsilon": "1", "delta": "1e-6", "rho": "1/50"}


def pure(epsilon: Number) -> Pure:
    """Return a loss of pure differential privacy.

    Args:
        epsilon: in nats, at least 0; exact: write "1/3" or 0.1 (which means 1/10).

    Raises:
        InputError: epsilon is not a finite number of at least 0.

    Example:
        >>> print(pure("1/2"))
        epsilon = 0.5
    """
    return Pure(_at_least_zero(epsilon, "epsilon"))


def zcdp(rho: Number) -> Zcdp:
    """Return a loss of zero-concentrated differential privacy.

    Args:
        rho: at least 0; exact: write "1/50" or 0.02.

    Raises:
        InputError: rho is not a finite number of at least 0.

    Example:
        >>> print(zcdp("1/50"))
        rho = 0.02
    """
    return Zcdp(_at_least_zero(rho, "rho"))


def approx(epsilon: Number, delta: Number) -> Approx:
    """Return a loss of approximate differential privacy.

    Args:
        epsilon: in nats, at least 0.
        delta: a probability in [0, 1); make it far less than one over the number of units.

    Raises:
        InputError: epsilon is negative, delta is outside [0, 1), or one of them is not a number.

    Example:
        >>> print(approx(1, "1e-6"))
        (epsilon, delta) = (1, 0.000001)
    """
    number = _at_least_zero(delta, "delta")
    if number >= 1:
        raise InputError(
            f"delta = {text_of(number)} must be below 1.",
            why="delta is the chance that the protection fails; at 1 nothing is promised",
            fix=write(", such as 1e-6 or less", delta=BLANK),
        )
    return Approx(_at_least_zero(epsilon, "epsilon"), number)


def loss_of(plain: dict[str, str]) -> AnyLoss:
    """Return the loss that `plain()` wrote."""
    makers = {"pure": pure, "zcdp": zcdp, "approx": approx}
    numbers = {name: number for name, number in plain.items() if name != "kind"}
    loss: AnyLoss = makers[plain["kind"]](**numbers)  # type: ignore[operator]
    return loss


def total(losses: Sequence[AnyLoss]) -> AnyLoss:
    """Return the loss of doing all of a non-empty sequence, which must be of one kind."""
    first, *others = losses
    for loss in others:
        first = first.plus(loss)  # type: ignore[arg-type]
    return first


def within(loss: AnyLoss, budget: AnyLoss) -> bool:
    """Tell whether a loss is of the budget's kind and fits into it."""
    return loss.kind == budget.kind and loss.fits(budget)  # type: ignore[arg-type]


def _at_least_zero(value: Number, name: str) -> Fraction:
    number = rational(value, name)
    if number < 0:
        raise InputError(
            f"{name} = {text_of(number)} must be at least 0.",
            why="a loss of privacy cannot be negative",
            fix=Set({name: BLANK}, note=f", such as {_EXAMPLES[name]}"),
        )
    return number
