"""Which noise for a sensitivity and a budget: every law that applies, best first, and why.

Rules of this module:
- each row's noise keeps the budget (it is calibrated by the functions of this page); deviations are
  floats, to be shown;
- what is not said of a sensitivity is bounded from what is, from above;
- laws are ordered by the whole error that they keep, then by their standard deviation.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from ..errors import InputError
from ..exact.enclosure import sqrt_up
from ..exact.number import Number, rounded, text_of
from ..fix import write
from .inputs import above_zero, alpha_in, counted, noise_in
from .laws import GAUSSIAN, LISTED, noise_of
from .laws.choice import Budget, LawChoice, Moves
from .laws.law import NoiseLaw


@dataclass(frozen=True, slots=True)
class Comparison:
    """All laws that apply, best first, and one sentence why."""

    moves: Moves
    budget: Budget
    alpha: Fraction
    choices: tuple[LawChoice, ...]
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
    rows = [(choice, law) for law in LISTED for choice in law.choices(moves, budget, share)]
    rows.sort(key=lambda row: (math.ceil(row[0].error), row[0].deviation))
    why = _why(rows[0][1], moves, budget)
    return Comparison(moves, budget, share, tuple(choice for choice, _ in rows), why)


def _budget(epsilon: Number | None, delta: Number | None, rho: Number | None) -> Budget:
    known = noise_of(GAUSSIAN.name, epsilon=epsilon, delta=delta, rho=rho)
    if (epsilon is None) == (rho is None) or (rho is not None and delta is not None):
        raise InputError(
            "the budget is missing, or stated twice.",
            kind="settings-clash",
            why="it is an epsilon, an epsilon with a delta, or a rho",
            fix=(write(epsilon="1", delta="1e-6"), write(rho="1/50")),
        )
    for name, number in (("epsilon", known.epsilon), ("rho", known.rho)):
        if number is not None:
            above_zero(number, name)
    return Budget(known.epsilon, known.delta or None, known.rho)


def _moves(l1: Number | None, l2: Number | None, linf: Number | None, coordinates: int) -> Moves:
    """Return all three norms, each bounded from what is known of the others."""
    l1_norm = noise_in(l1, "l1") if l1 is not None else None
    two = noise_in(l2, "l2") if l2 is not None else None
    each = noise_in(linf, "linf") if linf is not None else None
    norms = [norm for norm in (l1_norm, two, each) if norm is not None]
    most = min(norms, default=Fraction(1))
    total = l1_norm if l1_norm is not None else coordinates * each if each is not None else None
    if total is None:
        total = Fraction(1) if two is None else sqrt_up(coordinates * two**2)
    total = min(total, coordinates * most)
    squares = min(total * most, coordinates * most**2, *([two**2] if two is not None else []))
    return Moves(total, squares, most, coordinates)


def _why(best: NoiseLaw, moves: Moves, budget: Budget) -> str:
    l1, l2 = text_of(moves.l1), rounded(sqrt_up(moves.l2_squared), 4)
    if best.exact_rho and budget.rho is not None:
        return (
            f"Under zCDP every law here pays for l2 = {l2}, and the Gaussians do it with the least"
            " variance and the lightest tails."
        )
    if best.exact_rho:
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
