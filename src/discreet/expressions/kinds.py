"""The types of the language, and the bounds that make every number operator total.

A column is read as any where it is asked alone whether a cell is missing. It is read as a label
where keys are made of it: text, or the digits of a whole number or a truth value. No expression
that is typed reads one so.

A number is NULL, 0, or a double of a size from 10^-150 to 10^150: each cell and each result beyond
is NULL, each below is 0. Of two such numbers + - * / give 0, or a double between 10^-300 and
2 * 10^300: so no operator overflows or underflows, which some engines answer with an error.

The functions of the language, by name, with the fewest and the most arguments of each.

What is publicly known of the columns that an expression may name.

What an expression is made of: as it was written (`Piece`), and as it is understood (`Typed`).

Rules of this module:
- what a part says is its operator, its value and its arguments; where it stood decides nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

Kind = Literal["number", "text", "truth", "day", "moment", "label", "any"]

WORDS: dict[Kind, str] = {
    "number": "a number",
    "text": "text",
    "truth": "true or false",
    "day": "a day",
    "moment": "a moment",
    "label": "text or a whole number",
    "any": "a cell of any type",
}
MOST_POWER = 150  # of ten: the size of the largest number, and of the smallest one but 0
FIRST_DAY = -719_162  # 0001-01-01, counted from 1970-01-01
LAST_DAY = 2_932_896  # 9999-12-31
DAY_SECONDS = 86_400


_MANY = 4_096

FUNCTIONS: dict[str, tuple[int, int]] = {
    "abs": (1, 1),
    "floor": (1, 1),
    "round": (1, 2),
    "least": (2, 50),
    "greatest": (2, 50),
    "coalesce": (2, 50),
    "band": (2, _MANY),
    "log2": (1, 1),
    "log10": (1, 1),
    "year": (1, 1),
    "month": (1, 1),
    "day": (1, 1),
    "weekday": (1, 1),
    "days": (1, 2),
    "hour": (1, 1),
    "seconds": (1, 2),
    "starts_with": (2, 2),
    "contains": (2, 2),
    "ends_with": (2, 2),
    "ceil": (1, 1),
    "trunc": (1, 1),
    "sign": (1, 1),
    "mod": (2, 2),
    "div": (2, 2),
    "quarter": (1, 1),
    "dayofyear": (1, 1),
    "isoweek": (1, 1),
    "isoyear": (1, 1),
    "minute": (1, 1),
    "second": (1, 1),
    "lower": (1, 1),
    "upper": (1, 1),
    "trim": (1, 1),
    "length": (1, 1),
    "left": (2, 2),
    "right": (2, 2),
    "substr": (3, 3),
    "sqrt": (1, 1),
    "date_trunc": (2, 2),
}
COPIES = {  # what is written out with its argument more than once, and how often
    "trunc": 3,
    "sign": 3,
    "mod": 2,
    "minute": 2,
    "second": 2,
    "cast": 2,
    "dayofyear": 5,
    "isoweek": 36,
    "isoyear": 21,
    "date_trunc": 16,
}
CLOCK = {"hour": 3600, "minute": 60, "second": 1}  # what date_trunc leaves of a moment
OF_DAYS = ("year", "quarter", "month", "day", "dayofyear", "hour", "minute", "second")
SAID_OF_DAYS = {  # of days in several ways: what says one
    **dict.fromkeys(("weekday", "dayofweek"), "weekday({}), where Monday is 1"),
    **dict.fromkeys(("week", "weekofyear"), "isoweek({})"),
    "date": "CAST({} AS DATE)",
}
CALENDAR = ("day", "week", "month", "quarter", "year")  # and of a day


@dataclass(frozen=True, slots=True)
class KnownNames:
    """What is publicly known of the columns that an expression may name.

    Attributes:
        derived: the types of the derived columns.
        hints: what a column is read as where its place does not say so.
        bounds: the lower and the upper bound of columns, and their step.
        texts: the public values of columns, where they are text.
        numbers: the public values of columns, where they are numbers or truth values.
        ways: of columns whose public values cells say in several ways, of each the name and these.
    """

    derived: Mapping[str, Kind] = field(default_factory=dict)
    hints: Mapping[str, Kind] = field(default_factory=dict)
    bounds: Mapping[str, tuple[Fraction, Fraction, Fraction]] = field(default_factory=dict)
    texts: Mapping[str, frozenset[str]] = field(default_factory=dict)
    numbers: Mapping[str, Sequence[object]] = field(default_factory=dict)
    ways: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an expression as it was written.

    Attributes:
        op: what it does: "column", "number", "text", "truth", "date", "timestamp" are leaves, whose
            `value` is their name or their literal; all others are operators and functions. "dotted"
            is `born.year`, whose `value` is the word behind the point: `settled` says which it is.
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
        for arg in self.args:
            yield from arg.columns()

    def compared(self) -> Iterator["Typed"]:
        """Return each comparison that asks whether values are the same."""
        if self.op in ("=", "<>", "in"):
            yield self
        for arg in self.args:
            yield from arg.compared()

    def depth(self) -> int:
        """Return how many parts stand in one another."""
        return 1 + max((arg.depth() for arg in self.args), default=0)


def number_literal(value: str) -> Typed:
    """Return a number."""
    return Typed("literal", "number", value=value)


def signed(tree: Typed) -> Typed | None:
    """Return a literal, with the sign before it; None for what is no literal."""
    if tree.op == "neg" and tree.args[0].op == "literal":
        value = tree.args[0].value
        return number_literal(value if value == "0" else f"-{value}")
    return tree if tree.op == "literal" else None
