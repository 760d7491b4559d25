"""What is counted of the data: vectors that differ by their matrix alone are one count."""

from collections.abc import Sequence
from dataclasses import replace

from ..aggregate import Aggregate, Sensitivity


def counts(aggregates: Sequence[Aggregate]) -> tuple[Aggregate, ...]:
    """Return what is counted for these vectors, each but once."""
    return tuple(dict.fromkeys(map(_bare, aggregates)))


def places(aggregates: Sequence[Aggregate]) -> tuple[int, ...]:
    """Return of which of the counts each vector is made."""
    known = {found: place for place, found in enumerate(counts(aggregates))}
    return tuple(known[_bare(found)] for found in aggregates)


def _bare(one: Aggregate) -> Aggregate:
    any_ = Sensitivity(1, 1, 1)  # of what passes no door
    return replace(one, transform=None, sensitivity=any_, choice=None)
