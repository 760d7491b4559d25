"""Consecutive whole numbers as keys: a position is a difference, and no key is joined.

Why no integer changes: of keys f, f + 1, ... the one that equals a whole number is at the place of
its difference to f, and a cell that is none of them has no place either way.
"""

from dataclasses import dataclass

from sqlglot import exp

from ..tree import paren, to_type, whole


@dataclass(frozen=True, slots=True)
class Run:
    """So many keys from a first one on, for cells that are whole numbers of at most 64 bits."""

    first: int
    count: int

    def has(self, raw: exp.Expression) -> exp.Expression:
        """Return the condition that a raw cell is one of the keys."""
        last = whole(self.first + self.count - 1)
        return exp.Between(this=raw, low=whole(self.first), high=last)

    def position(self, raw: exp.Expression) -> exp.Expression:
        """Return the position of a raw cell; NULL where it is no key, so that nothing overflows.

        In 64 bits: DuckDB takes a small number for one of the cell's type, of 8 bits maybe.
        """
        away = exp.Sub(this=to_type(raw.copy(), "BIGINT"), expression=paren(whole(self.first)))
        return exp.Case().when(self.has(raw), away, copy=False)
