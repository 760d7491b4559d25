"""What the privacy of a count between public bounds follows from."""

from fractions import Fraction
from typing import TypedDict

from ..errors import InputError
from ..fix import write
from ..formulas.truncated_geometric import TruncatedGeometric
from .errors import no_curve
from .inputs import COUNTS, Asked, bounds_in


class Moves(TypedDict):
    """The noise's rate, how far one unit moves the count, and how far the bounds let it."""

    rate: Fraction
    sensitivity: int
    width: int


def moves_of_count(known: Asked, bounds: object, releases: int) -> Moves:
    """Return what the curve of one clamped or truncated count is made of."""
    if releases > 1:
        raise no_curve(known.law)
    lower, upper = bounds_in(bounds, known.law)
    moved, rate = known.whole_sensitivity(), known.rate()
    if known.law == "truncated_geometric" and known.epsilon is not None:
        rate = TruncatedGeometric(known.epsilon, moved, lower, upper).rate
    return Moves(rate=rate, sensitivity=moved, width=upper - lower)


def refuse_bounds(law: str, bounds: object) -> None:
    """Raise InputError for bounds of a law that has none."""
    if bounds is not None and law not in COUNTS:
        raise InputError(
            f"bounds have nothing to do with {law} noise.",
            why="it reaches every whole number, or every real one",
            fix=("leave them out", write(law="clamped_geometric")),
        )
