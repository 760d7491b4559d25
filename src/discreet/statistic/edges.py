"""Where the bins of a column begin and end: as many even ones as are asked for, or at given edges.

Rules of this module:
- bins are public: they follow from bounds and from what was typed, never from data;
- given edges run from bound to bound on the column's grid, so that every cell falls into one bin.

Decision 91.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from ..errors import InputError, shown
from ..exact.number import value_of, whole
from ..fix import write
from ..schema import Bounds, Table, ValueKind, end_text, ends_of, even_edges
from .ask import bounds_of, check_value_kind

BINS = 1_024  # of a curve, unless told otherwise
MOST_BINS = 2_048


@dataclass(frozen=True, slots=True)
class Cuts:
    """How a column is cut into bins: into a number of even ones, or at edges that are given.

    Attributes:
        count: how many; None where nobody said, which is `BINS`.
        ends: the edges; none where `count` says how many.
        kind: what the edges are written as.
    """

    count: int | None = None
    ends: tuple[Fraction, ...] = ()
    kind: ValueKind = "number"

    @property
    def is_open(self) -> bool:
        """Whether nobody said how finely to cut."""
        return self.count is None and not self.ends

    def edges(self, table: Table, column: str) -> tuple[int, ...]:
        """Return the edges in steps, up to one step beyond the upper bound: no bin has an end more.

        Raises:
            InputError: given edges do not cut the bounds.
        """
        if not self.ends:
            return edges_of(table, column, self.count or BINS)
        bounds = bounds_of(table, column, may_be_time=True)
        check_value_kind(bounds, column, self.kind, "bins")
        *first, last = checked_edges(column, self.ends, bounds)
        return (*first, last + 1)

    def plain(self) -> dict[str, object]:
        """Return what was said of the bins, as plain data."""
        if self.ends:
            return {"bins": [end_text(edge, self.kind) for edge in self.ends]}
        return {} if self.count is None else {"bins": self.count}


def cuts_of(argument: object) -> Cuts:
    """Return how somebody wants a column cut: None, a number of bins, or their edges.

    Raises:
        InputError: it is none of these.
    """
    if argument is None:
        return Cuts()
    if isinstance(argument, Sequence) and not isinstance(argument, str):
        ends, kind = ends_of(argument, "a bin edge", setting="bins")
        checked_bins(max(len(ends) - 1, 1), least=1)
        return Cuts(None, ends, kind)
    return Cuts(checked_bins(argument))


def checked_bins(argument: object, least: int = 2) -> int:
    """Return how many bins a curve shall have, or raise InputError."""
    count = whole(argument, "bins", least=least)
    if count > MOST_BINS:
        raise InputError(
            f"bins = {count:,} is more than {MOST_BINS:,}.",
            kind="cut-points-wrong",
            why="a curve is put together from all of its bins, in each group",
            fix=(write(bins=MOST_BINS), "declare narrower bounds"),
        )
    return count


def edges_of(table: Table, column: str, bins: int) -> tuple[int, ...]:
    """Return even edges in steps, up to one step beyond the upper bound: no bin has an end more."""
    bounds = bounds_of(table, column, may_be_time=True)
    return even_edges(bounds.lower_step, bounds.width + 1, min(bins, bounds.width + 1))


def checked_edges(column: str, edges: tuple[Fraction, ...], bounds: Bounds) -> tuple[int, ...]:
    """Return given edges in steps, or raise InputError where they do not cut the bounds."""
    steps = [edge / bounds.step for edge in edges]
    whole_steps = all(step.denominator == 1 for step in steps)
    rising = all(a < b for a, b in pairwise(steps))
    if (
        len(edges) < 2
        or not whole_steps
        or not rising
        or (edges[0], edges[-1]) != (bounds.lower, bounds.upper)
    ):
        raise InputError(
            f"the bin edges of {shown(column)} do not cut its bounds {bounds}.",
            kind="cut-points-wrong",
            why="edges must increase, lie on the column's grid, and run from bound to bound, so "
            "that every cell falls into one bin",
            fix=(write(bins=20), write(bins=_rising(edges, bounds))),
        )
    return tuple(step.numerator for step in steps)


def _rising(edges: Sequence[Fraction], bounds: Bounds) -> list[object]:
    """Return those of the edges that can cut the bounds, in order, from bound to bound."""
    on_grid = {edge for edge in edges if (edge / bounds.step).denominator == 1}  # exact: rationals
    inside = sorted(edge for edge in on_grid if bounds.lower < edge < bounds.upper)
    ends = [bounds.lower, *inside, bounds.upper]
    return [value_of(edge) if bounds.kind == "number" else bounds.said(edge) for edge in ends]
