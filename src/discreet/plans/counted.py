"""What is counted of the data: vectors that differ by their matrix alone are one count."""

from collections.abc import Sequence
from dataclasses import replace

from ..aggregate import Aggregate, Sizes
from ..sensitivity import Sensitivity


def counts(aggregates: Sequence[Aggregate]) -> tuple[Aggregate, ...]:
    """Return what an engine counts for these vectors, each but once."""
    return tuple(dict.fromkeys(_bare(one) for one in aggregates if one.sizes is None))


def sizes_in(aggregates: Sequence[Aggregate]) -> tuple[Sizes, ...]:
    """Return what is made of pairs of unit and key for these vectors, each but once."""
    return tuple(dict.fromkeys(one.sizes for one in aggregates if one.sizes is not None))


def places(aggregates: Sequence[Aggregate]) -> tuple[int, ...]:
    """Return of which of the counts, and then of the sizes, each vector is made."""
    made: list[Aggregate | Sizes] = [*counts(aggregates), *sizes_in(aggregates)]
    known = {found: place for place, found in enumerate(made)}
    return tuple(known[one.sizes or _bare(one)] for one in aggregates)


def _bare(one: Aggregate) -> Aggregate:
    any_ = Sensitivity(1, 1, 1)  # of what passes no door
    return replace(one, transform=None, sensitivity=any_, choice=None)
