"""What an expression is made of: as it was written (`Piece`), and as it is understood (`Typed`).

Rules of this module:
- what a part says is its operator, its value and its arguments; where it stood decides nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from .kinds import Kind


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an expression as it was written.

    Attributes:
        op: what it does: "column", "number", "text", "truth", "date", "timestamp" are leaves, whose
            `value` is their name or their literal; all others are operators and functions.
        args: what it does that with.
        value: the name of a column, or a literal in its one way to be written.
        start, end: where it stood in the text.
        levels: how many parts stand in one another.
    """

    op: str
    args: tuple["Piece", ...] = ()
    value: str = ""
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)
    levels: int = field(default=1, compare=False)

    def given(self) -> tuple["Piece", ...]:
        """Return the arguments of a CASE that it may give."""
        return (*self.args[1::2], *(self.args[-1:] if len(self.args) % 2 else ()))


@dataclass(frozen=True, slots=True)
class Typed:
    """A part whose type is known; what is an abbreviation is written out.

    Attributes:
        op: "column" (a column of the data, or a derived one), "literal", or an operator.
        kind: the type of what it gives.
        args: typed parts.
        value: of a column its name; of a literal its text: a decimal, the text itself, "1" or "0",
            days from 1970-01-01, or seconds from then; of "log" its base: that of its first
            argument, near which is the second, whose logarithm is the third.
        table: of "search" its cuts and what each gives, as decimals, in rising order.
    """

    op: str
    kind: Kind
    args: tuple["Typed", ...] = ()
    value: str = ""
    table: tuple[tuple[str, str], ...] = ()

    def columns(self) -> Iterator["Typed"]:
        """Return each column that is looked at, as what it is read."""
        if self.op == "column":
            yield self
        for one in self.args:
            yield from one.columns()

    def compared(self) -> Iterator["Typed"]:
        """Return each comparison that asks whether values are the same."""
        if self.op in ("=", "<>", "in"):
            yield self
        for one in self.args:
            yield from one.compared()

    def depth(self) -> int:
        """Return how many parts stand in one another."""
        return 1 + max((one.depth() for one in self.args), default=0)


def number_literal(value: str) -> Typed:
    """Return a number."""
    return Typed("literal", "number", value=value)


def signed(found: Typed) -> Typed | None:
    """Return a literal, with the sign before it; None for what is no literal."""
    if found.op == "neg" and found.args[0].op == "literal":
        value = found.args[0].value
        return number_literal(value if value == "0" else f"-{value}")
    return found if found.op == "literal" else None
