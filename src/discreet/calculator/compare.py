"""Which noise for a sensitivity and a budget: every law that applies, best first, and why.

Rules of this module:
- each row's noise keeps the budget (it is calibrated by the functions of this page); deviations are
  floats, to be shown;
- what is not said of a sensitivity is bounded from what is, from above;
- laws are ordered by the whole error that they keep, then by their standard deviation.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from ..errors import InputError
from ..exact.enclosure import sqrt_up
from ..exact.number import Number, rounded, text_of
from ..fix import write
from ..formulas import composition, discrete_gaussian_calibration, discrete_gaussian_vector
from ..privacy.conversion import rho_down
from .accuracy import accuracy
from .inputs import above_zero, alpha_in, asked, counted, noise
from .noise import sigma2_for, sigma_for

_COMPOSED = 1000  # numbers whose exact composition is searched, at most
_MOVED = 200  # numbers that one unit moves by 1 and whose exact curve is searched, at most
_HALVINGS = 24


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
class Choice:
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


@dataclass(frozen=True, slots=True)
class Comparison:
    """All laws that apply, best first, and one sentence why."""

    moves: Moves
    budget: Budget
    alpha: Fraction
    choices: tuple[Choice, ...]
    why: str


def compare(
    *,
    alpha: Number,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    l1: Number | None = None,
    l2: Number | None = None,
    linf: Number | None = None,
    coordinates: int = 1,
) -> Comparison:
    """Return every law that keeps a budget, with its error at alpha, best first.

    Args:
        alpha: the chance of a larger error, in (0, 1].
        epsilon: alone (pure) or with delta.
        delta: with epsilon.
        rho: instead, a zCDP loss.
        l1: how far one unit moves the numbers in sum; without any of the three, 1.
        l2: ... in the root of the sum of squares.
        linf: ... each of them.
        coordinates: how many numbers there are.

    Raises:
        InputError: a number is out of its range, or the budget is not one of the three kinds.

    Example: one histogram, where a person is in one cell of a thousand.

        >>> found = compare(epsilon=1, delta="1e-6", alpha="0.05", l1=1, coordinates=1000)
        >>> [(row.law, str(row.error)) for row in found.choices][:3]
        [('geometric', '3'), ('laplace', '2.9957322735539910'), ('discrete_gaussian', '8')]
    """
    share = alpha_in(alpha)
    budget = _budget(epsilon, delta, rho)
    moves = _moves(l1, l2, linf, counted(coordinates, "coordinates"))
    found = [choice for law in _LAWS for choice in law(moves, budget, share)]
    choices = tuple(sorted(found, key=lambda row: (math.ceil(row.error), row.deviation)))
    return Comparison(moves, budget, share, choices, _why(choices[0], moves, budget))


def _budget(epsilon: Number | None, delta: Number | None, rho: Number | None) -> Budget:
    known = asked("gaussian", sensitivity=1, epsilon=epsilon, delta=delta, rho=rho)
    if (epsilon is None) == (rho is None) or (rho is not None and delta is not None):
        raise InputError(
            "the budget is not said, or said twice.",
            why="it is an epsilon, an epsilon with a delta, or a rho",
            fix=(write(epsilon="1", delta="1e-6"), write(rho="1/50")),
        )
    for name, number in (("epsilon", known.epsilon), ("rho", known.rho)):
        if number is not None:
            above_zero(number, name)
    return Budget(known.epsilon, known.delta or None, known.rho)


def _moves(l1: Number | None, l2: Number | None, linf: Number | None, coordinates: int) -> Moves:
    """Return all three norms, each bounded from what is known of the others."""
    one = noise(l1, "l1") if l1 is not None else None
    two = noise(l2, "l2") if l2 is not None else None
    each = noise(linf, "linf") if linf is not None else None
    given = [norm for norm in (one, two, each) if norm is not None]
    most = min(given, default=Fraction(1))
    total = one if one is not None else coordinates * each if each is not None else None
    if total is None:
        total = Fraction(1) if two is None else sqrt_up(coordinates * two**2)
    total = min(total, coordinates * most)
    squares = min(total * most, coordinates * most**2, *([two**2] if two is not None else []))
    return Moves(total, squares, most, coordinates)


def _laplaces(moves: Moves, budget: Budget, alpha: Fraction) -> list[Choice]:
    scale, paid = _scale(moves, budget)
    found = []
    for law, deviation in (
        ("geometric", 1 / (math.sqrt(2) * _sinh(1 / (2 * float(scale))))),
        ("laplace", math.sqrt(2) * float(scale)),
    ):
        error, together = (
            accuracy(law, scale=scale, alpha=alpha, coordinates=many)
            for many in (1, moves.coordinates)
        )
        found.append(Choice(law, "scale", scale, error, together, deviation, paid))
    return found


def _scale(moves: Moves, budget: Budget) -> tuple[Fraction, str]:
    """Return the least scale that keeps the budget, and how it is paid for."""
    if budget.rho is not None:
        return sqrt_up(moves.l2_squared / (2 * budget.rho)), "l2, by epsilon^2 / 2 a number"
    epsilon, delta = budget.epsilon or Fraction(1), budget.delta
    plain = moves.l1 / epsilon
    if delta is None or moves.coordinates == 1 or moves.coordinates > _COMPOSED:
        return plain, "l1"
    composed = _composed_scale(moves, epsilon, delta, plain)
    return (composed, "linf, composed over all numbers") if composed < plain else (plain, "l1")


def _composed_scale(moves: Moves, epsilon: Fraction, delta: Fraction, plain: Fraction) -> Fraction:
    """Return a scale below `plain` that exact composition over the numbers allows, or `plain`."""

    def holds(scale: Fraction) -> bool:
        each = moves.linf / scale
        many = moves.coordinates
        return composition.delta_up(epsilon=epsilon, epsilon_each=each, releases=many) <= delta

    low, high = plain / moves.coordinates, plain
    if not holds(plain * (1 - Fraction(1, 100))):
        return plain
    for _ in range(_HALVINGS):
        middle = Fraction(math.sqrt(low * high)).limit_denominator(10**12)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _gaussians(moves: Moves, budget: Budget, alpha: Fraction) -> list[Choice]:
    sensitivity = sqrt_up(moves.l2_squared)
    if budget.rho is not None:
        sigma = sigma_for(rho=budget.rho, sensitivity=sensitivity)
        return [_gaussian("gaussian", Fraction(sigma), moves, alpha, "l2, by zCDP")]
    epsilon, delta = budget.epsilon, budget.delta
    if epsilon is None or delta is None:
        return []
    sigma = sigma_for(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    found = [_gaussian("gaussian", Fraction(sigma), moves, alpha, "l2, by its exact curve")]
    if epsilon <= 1 and delta <= Fraction(4, 10):
        rule = sigma_for(epsilon=epsilon, delta=delta, sensitivity=sensitivity, rule="classical")
        paid = "l2, by the classical formula"
        found.append(_gaussian("classical_gaussian", Fraction(rule), moves, alpha, paid))
    return found


def _gaussian(law: str, sigma: Fraction, moves: Moves, alpha: Fraction, paid: str) -> Choice:
    error, together = (
        accuracy("gaussian", sigma=sigma, alpha=alpha, coordinates=many)
        for many in (1, moves.coordinates)
    )
    return Choice(law, "sigma", sigma, error, together, float(sigma), paid)


def _discrete_gaussians(moves: Moves, budget: Budget, alpha: Fraction) -> list[Choice]:
    if budget.rho is not None:
        sigma2, paid = moves.l2_squared / (2 * budget.rho), "l2, by zCDP"
    elif budget.epsilon is None or budget.delta is None:
        return []
    elif (moves.coordinates == 1 or moves.l1 == 1) and moves.linf.denominator == 1:
        found = sigma2_for(epsilon=budget.epsilon, delta=budget.delta, sensitivity=moves.linf)
        sigma2, paid = Fraction(found), "by its own exact curve"
    else:
        sigma2 = moves.l2_squared / (2 * rho_down(budget.epsilon, budget.delta))
        paid = "l2, by zCDP within epsilon and delta"
        moved = int(min(moves.l1, moves.l2_squared))
        if moves.linf == 1 and moved <= _MOVED:
            sigma2 = discrete_gaussian_vector.sigma2_up(
                epsilon=budget.epsilon, delta=budget.delta, moved=moved, enough=sigma2
            )
            paid = f"by its own exact curve, 1 in each of {moved} numbers"
    error, together = (
        accuracy("discrete_gaussian", sigma2=sigma2, alpha=alpha, coordinates=many)
        for many in (1, moves.coordinates)
    )
    deviation = math.sqrt(discrete_gaussian_calibration.variance_up(sigma2))
    return [Choice("discrete_gaussian", "sigma2", sigma2, error, together, deviation, paid)]


_LAWS: tuple[Callable[[Moves, Budget, Fraction], list[Choice]], ...] = (
    _laplaces,
    _gaussians,
    _discrete_gaussians,
)


def _why(best: Choice, moves: Moves, budget: Budget) -> str:
    l1, l2 = text_of(moves.l1), rounded(sqrt_up(moves.l2_squared), 4)
    if "gaussian" in best.law and budget.rho is not None:
        return (
            f"Under zCDP every law here pays for l2 = {l2}, and the Gaussians do it with the least"
            " variance and the lightest tails."
        )
    if "gaussian" in best.law:
        return (
            f"One unit moves many numbers: Gaussian noise pays for l2 = {l2} and delta, where"
            f" geometric noise pays for l1 = {l1}."
        )
    if budget.delta is None:
        return "With delta = 0 no Gaussian noise keeps the budget; geometric noise does, exactly."
    if moves.l1**2 == moves.l2_squared:
        return (
            "One unit moves one number (l1 = l2): geometric noise pays for that once, and beats"
            " every Gaussian here, however many numbers there are."
        )
    return (
        f"Geometric noise pays for l1 = {l1} but not for delta, and that is still less than what"
        f" Gaussian noise pays for l2 = {l2} and delta."
    )


def _sinh(x: float) -> float:
    return math.sinh(min(x, 700.0))
