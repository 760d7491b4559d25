"""Proportions k / n of K labels: how far one record moves them, and how to release them.

Rules of this module:
- sensitivities are exact rationals (the l2 norm as its square), over all neighboring data sets of
  the stated kind; they never depend on the data;
- where n is private, k / n is not released by adding noise to it: one of the ways below is used;
- what has `not_private` in its name is document 002's data-dependent scale, to look at only.

Source: enumerated by the tests in exact rationals for K <= 4 and n <= 9; one record of one label
moves (n - k_i) / (n (n - 1)) on its label and as much in sum on the others.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from ...errors import InputError
from ...exact.enclosure import ball
from ...fix import Set, write
from ...noise.reals import real_near

Neighbors = Literal["replace", "add_remove"]
Empty = Literal["excluded", "zero", "uniform"]
Way = Literal["public_size", "normalized", "plug_in"]


@dataclass(frozen=True, slots=True)
class ProportionMoves:
    """How far one record moves the vector of proportions, in three norms."""

    linf: Fraction
    l1: Fraction
    l2_squared: Fraction


def moves_public_size(*, size: int, neighbors: Neighbors) -> ProportionMoves:
    """Return the sensitivity of k / n where n is public.

    Args:
        size: n, at least 1.
        neighbors: "replace" one record by another, or "add_remove" one while still dividing by n.

    Example:
        >>> moves_public_size(size=1000, neighbors="replace").l1
        Fraction(1, 500)
    """
    step = Fraction(1, _size(size, "size"))
    if neighbors == "replace":
        return ProportionMoves(step, 2 * step, 2 * step**2)
    return ProportionMoves(step, step, step**2)


def moves_private_size(*, least: int, labels: int, empty: Empty = "excluded") -> ProportionMoves:
    """Return the sensitivity of k / n to adding or removing one record, where n is private.

    Args:
        least: how many records each data set has at least, publicly; 0 allows the empty one.
        labels: K, at least 2.
        empty: what an empty data set is answered with: it is "excluded" (least is then at least
            1), the "zero" vector, or the "uniform" vector.

    Example: with at least 999 records, as much as replacing one of 1,000.

        >>> moves_private_size(least=999, labels=2).linf
        Fraction(1, 1000)
    """
    if labels < 2 or least < 0 or (least == 0 and empty == "excluded"):
        raise InputError(
            f"least = {least} records of {labels} labels with the empty set {empty} is not enough.",
            kind="out-of-range",
            why="proportions need two labels, and an empty data set needs an answer",
            fix=(write("or more", least=1, labels=2), write(empty="uniform")),
        )
    if least > 0:
        step = Fraction(1, least + 1)
        return ProportionMoves(step, 2 * step, 2 * step**2)
    if empty == "zero":
        return ProportionMoves(Fraction(1), Fraction(1), Fraction(1))
    away = 1 - Fraction(1, labels)
    half = Fraction(1, 2)
    return ProportionMoves(max(half, away), max(Fraction(1), 2 * away), max(half, away))


def release_scale(*, way: Way, epsilon: Fraction, share: Fraction = Fraction(1, 2)) -> Fraction:
    """Return the scale of the discrete Laplace noise on each count, exactly, under add_remove.

    Args:
        way: "public_size" (k~ / n), "normalized" (k~ / sum k~, the noisy histogram by its own
            total) or "plug_in" (k~ / n~, with the budget split between them).
        epsilon: pure loss of the whole release, above 0.
        share: of the budget, what "plug_in" spends on the counts.
    """
    return 1 / (epsilon * (share if way == "plug_in" else 1))


def release_deviation(
    *,
    way: Way,
    epsilon: Fraction,
    proportion: Fraction,
    size: int,
    labels: int,
    share: Fraction = Fraction(1, 2),
) -> Fraction:
    """Return the standard deviation of a released proportion, to first order in 1 / size.

    Args:
        way: see `release_scale`.
        epsilon: pure loss of the whole release, above 0.
        proportion: a made-up true p in [0, 1].
        size: a made-up n, at least 1.
        labels: K.
        share: of the budget, what "plug_in" spends on the counts.

    Source: the linear part of each ratio; a count's noise has a variance of 2 scale^2.

    Example:
        >>> tenth = Fraction(1, 10)
        >>> answer = release_deviation(
        ...     way="normalized", epsilon=Fraction(1), proportion=tenth, size=1000, labels=2
        ... )
        >>> print(f"{float(answer):.5f}")
        0.00128
    """
    counts = 2 * release_scale(way=way, epsilon=epsilon, share=share) ** 2
    if way == "public_size":
        variance = counts
    elif way == "normalized":
        variance = counts * ((1 - proportion) ** 2 + (labels - 1) * proportion**2)
    else:
        total = 2 / (epsilon * (1 - share)) ** 2
        variance = counts + proportion**2 * total

    return real_near(lambda: ball(variance).sqrt() / _size(size, "size"))


def note_local_sensitivity_not_private(*, size: int, rarest: int) -> Fraction:
    """Return document 002's (n - k_min) / (n (n - 1)), which depends on the data: do not use it.

    Its printed interval tells k_min exactly, and where one label holds everything it is 0.

    Example:
        >>> note_local_sensitivity_not_private(size=1000, rarest=500)
        Fraction(1, 1998)
    """
    if not (size >= 2 and 0 <= rarest <= size):
        raise InputError(
            f"size = {size} with a rarest label of {rarest} has no value by the printed formula.",
            kind="formula-not-valid",
            why="the formula divides by n (n - 1), and no label is rarer than 0 or beyond n",
            fix=write(", and a rarest count between 0 and the size", size=2),
        )
    return Fraction(size - rarest, size * (size - 1))


def _size(size: int, name: str) -> int:
    if size < 1:
        raise InputError(
            f"{name} = {size} must be at least 1.",
            kind="out-of-range",
            why="a proportion divides by the number of records",
            fix=Set({name: 1}, note="or more"),
        )
    return size
