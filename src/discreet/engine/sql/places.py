"""Which bin holds a value: by one division where bins are even, else by a table of steps or edges.

Rules of this module:
- the cost of a row does not grow with the number of bins: no branch a bin;
- a value is a whole number within its bounds here, or NULL, and stays in 64 bits; where a product
  could be longer it is taken in 128.

Even bins. With W steps from bound to bound and n bins, bin i begins at the step lower + floor(W i /
n) (`Histogram.edges`). So v is in bin i or a later one exactly if v - lower >= floor(W i / n), that
is if v - lower + 1 > W i / n, that is if i < (v - lower + 1) n / W; and the largest such i is
ceil((v - lower + 1) n / W) - 1 = floor(((v - lower + 1) n - 1) / W). The upper bound itself gives
n, and belongs to bin n - 1. Where W = k n, the place is floor((v - lower + 1) / k - 1 / (k n)), and
so floor((v - lower) / k).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlglot import exp

from ...aggregate import Bins
from ...schema import even_edges
from .tree import Operand, if_, number, par

_INT = 2**30  # the difference of two steps below stays in 32 bits
_NARROW = 2**20  # steps that are listed one by one; wider ones are looked up between edges
_LONG = 2**62  # products below stay in 64 bits


@dataclass(frozen=True, slots=True)
class Places:
    """How the bins of one kind are found.

    Attributes:
        bins: the bins.
        name: the table of steps or edges that the query joins, where it needs one.
        is_even: whether a division finds the bin.
    """

    bins: Bins
    name: str
    is_even: bool

    def place(self, value: exp.Expression) -> exp.Expression:
        """Return the number of the bin of a value; NULL for NULL."""
        if not self.is_even:
            return exp.column("place", table=self.name)
        low, width, count = self.bins.edges[0], _width(self.bins), self.bins.count
        if width % count == 0:
            return self._place_of_whole_widths(value)
        kind = "BIGINT" if (width + 1) * count < _LONG else "INT128"
        cell = Operand(value)
        from_low = cell.cast(kind) - par(number(low - 1))
        place = par(par(from_low) * count - 1) // width
        is_last = cell >= self.bins.edges[-1]
        return if_(is_last, number(count - 1), place.cast("BIGINT")).take()

    def _place_of_whole_widths(self, value: exp.Expression) -> exp.Expression:
        """Return the number of the bin, where each is as many steps wide: at most 2^52."""
        low, high = self.bins.edges[0], self.bins.edges[-1]
        kind = "INT" if max(abs(low), abs(high)) < _INT else "BIGINT"
        cell = Operand(value)
        above = cell.cast(kind)
        if low:
            above = par(above - par(number(low)))
        place = above // (_width(self.bins) // self.bins.count)
        is_last = cell >= high
        return if_(is_last, number(self.bins.count - 1), place.cast("BIGINT")).take()

    def join(self, query: exp.Select, value: exp.Expression) -> None:
        """Join to a query over rows what tells the bin of each, where a division does not."""
        if self.is_even:
            return
        known = exp.column("step", table=self.name)
        is_listed = _width(self.bins) < _NARROW
        compared = exp.EQ if is_listed else exp.GTE  # the nearest edge that is not above
        method = {} if is_listed else {"method": "ASOF"}
        found = exp.Join(this=exp.table_(self.name), side="LEFT", **method)
        found.set("on", compared(this=value, expression=known))
        query.append("joins", found)

    def table(self) -> dict[str, Any] | None:
        """Return the table to give the query: steps, ends and places; None where it needs none."""
        if self.is_even:
            return None
        edges = np.array(self.bins.edges, dtype=np.int64)
        if _width(self.bins) < _NARROW:
            steps = np.arange(edges[0], edges[-1] + 1, dtype=np.int64)
            places = np.searchsorted(edges[1:-1], steps, side="right")
            return {"step": steps, "place": places.astype(np.int32)}
        until = np.append(edges[1:-1], edges[-1] + 1)  # the last bin holds the upper bound, too
        place = np.arange(self.bins.count, dtype=np.int32)
        return {"step": edges[:-1], "until": until, "place": place}


def places_of(bins: Bins, name: str) -> Places:
    """Return how the bins are found; `name` is free for a table that only this query sees."""
    low, width, count = bins.edges[0], _width(bins), bins.count
    return Places(bins, name, bins.edges == even_edges(low, width, count))


def _width(bins: Bins) -> int:
    return bins.edges[-1] - bins.edges[0]
