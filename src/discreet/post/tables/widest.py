"""Which noise makes the widest number of a list of tables as narrow as its price allows.

Where an error is wanted, each number must keep it: so what is made small at one price is the
largest variance, and not the mean one. For tables B that count w_B, of sum 1, the largest variance
is at least the sum of w_B times that of B; and of all linear Gaussian noise of price 1 none makes
this sum smaller than D(w) = (sum over parts A of the root of p_A c_A)^2, with c_A as `designs` has
it, each term of it times w_B. So D(w) is below the least, whatever the w_B are, and the largest D
is the least itself. A design is within D(w) and its own largest variance: both are known.

The counts w are found by w_B <- w_B (variance of B / largest)^2, from even ones, under the best
noise for these w: contrasts of the tables, whose precisions are in closed form.

A cube of all tables of several attributes is a product: D of products of counts is the product of
the D, and so is the largest variance of a product of weights. So each attribute is by itself.

Laplace noise has no such bound: what it costs adds up by size, which is no convex problem.

Rules of this module:
- additions are exact (`fsum`) and everything else is one rounded operation at a time: the same
  counts come out everywhere, and `verify` makes them again;
- D is rounded down by more than all of its roundings.

Source: the dual of least squares under a largest variance (Xiao, He, Zhang and Kifer 2023);
docs/laws/tables.md.

Decision 85.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import fsum, sqrt

from .attribute import Levels
from .family import Sizes, below, cells, settled_parts

NEAR = 1.01  # of the least: what plain tables may be above it, before contrasts are taken
_CLOSE = 1.002
_ROUNDS = 300
_LEAST = 1e-9  # that a table counts, of the largest
_ROUNDING = 1 - 1e-9

Rows = Mapping[Levels, Sequence[tuple[Levels, float]]]


@dataclass(frozen=True, slots=True)
class Balance:
    """How much each table counts, so that the widest number is narrowest.

    Attributes:
        counts: by table; their sum is the number of tables.
        least: below the largest variance of any linear Gaussian noise of price 1.
    """

    counts: Mapping[Levels, float]
    least: float


def rows_of(sizes: Sizes, shown: Sequence[Levels], known: Sequence[Levels]) -> Rows:
    """Return of which parts a number of each table is made, with what it takes of each variance."""
    settled = settled_parts(sizes, shown, known)
    found = {}
    for table in shown:
        many = cells(sizes, table)
        parts = [part for part in below(table) if part not in settled]
        if parts:
            found[table] = [
                (part, dimensions(sizes, part) * (cells(sizes, part) / many) ** 2) for part in parts
            ]
    return found


def dimensions(sizes: Sizes, part: Levels) -> float:
    """Return what share of its cells a part has for itself: the product of 1 - 1 / (parts)."""
    found = 1.0
    for each, level in zip(sizes, part, strict=True):
        if level:
            found *= 1 - each[level - 1] / each[level]
    return found


def largest(rows: Rows, precisions: Mapping[Levels, float]) -> float:
    """Return the variance of the widest number, where each part is told so precisely."""
    return max(fsum(taken / precisions[part] for part, taken in made) for made in rows.values())


@lru_cache(maxsize=64)
def balanced(
    sizes: tuple[tuple[int, ...], ...], shown: tuple[Levels, ...], known: tuple[Levels, ...]
) -> Balance:
    """Return how much each table counts.

    Example: of two keys and their total the widest has at least a variance of 4 / 3 at price 1.

        >>> round(balanced(((1, 2),), ((0,), (1,)), ()).least, 3)
        1.333
    """
    rows = rows_of(sizes, shown, known)
    sides = {part: dimensions(sizes, part) for made in rows.values() for part, _ in made}
    counts = dict.fromkeys(rows, 1.0)
    best, least, top = counts, 0.0, float("inf")
    for _ in range(_ROUNDS):
        worths: dict[Levels, list[float]] = {part: [] for part in sides}
        for table, made in rows.items():
            for part, taken in made:
                worths[part].append(counts[table] * taken)
        told = {part: sqrt(fsum(found) / sides[part]) for part, found in worths.items()}
        cost = fsum(sides[part] * precision for part, precision in told.items())
        bound = cost * cost / fsum(counts.values())
        if bound > least:
            best, least = counts, bound
        variances = {
            table: fsum(taken / told[part] for part, taken in made) for table, made in rows.items()
        }
        widest = max(variances.values())
        top = min(top, cost * widest)
        if top <= _CLOSE * least:
            break
        moved = {table: n * (variances[table] / widest) ** 2 for table, n in counts.items()}
        most = max(moved.values())
        counts = {table: max(n / most, _LEAST) for table, n in moved.items()}
    scale = len(best) / fsum(best.values())
    return Balance({table: n * scale for table, n in best.items()}, least * _ROUNDING)


def above_least(cost: Fraction, variance: float, least: float) -> float:
    """Return by which part the widest variance is above the least at its price, rounded up.

    Args:
        cost: what the noise costs: the squares that a row moves it by, over its variances.
        variance: of the widest number.
        least: that of price 1.
    """
    return max(0.0, float(cost) * variance / least * (1 + 1e-9) - 1)
