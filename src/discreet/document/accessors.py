"""What a document says, read in one place for all the ways to show it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from math import ceil
from typing import Any

from ..aggregate import Noisy
from ..exact.number import decimal_of
from ..privacy.loss import loss_of
from ..schema import ValueKind, end_of
from ..statistic.statistic import OF_COLUMN, SHORT
from .document import Document, Released
from .numbers import Cell, Figure, spoken


@dataclass(frozen=True, slots=True)
class Told:
    """One row of an answer.

    Attributes:
        index: the cells of its axes.
        rows: of a mean, the noisy number of rows it is made of.
        value: None where there are too few rows to say.
        low, high: the ends of its interval; of ratios, which no release holds, None for no end.
    """

    index: tuple[Cell, ...]
    rows: Figure | None
    value: Figure | None
    low: Figure
    high: Figure


def noisy_of(released: Released) -> list[Noisy]:
    """Return the vectors of a statistic; where numbers are not shown, 0 stands in their places.

    Where cells are told sparsely, those that are shown stand there with their places.
    """
    if released.shown is None:
        return [Noisy(tuple(vector.noisy)) for vector in released.vectors]
    if is_sparse(released):
        places = tuple(released.shown.places)
        return [Noisy(tuple(vector.noisy), places) for vector in released.vectors]
    vectors = []
    for vector in released.vectors:
        each, whole = vector.cells // max(1, released.shown.of), [0] * vector.cells
        for at, place in enumerate(released.shown.places):
            whole[each * place : each * (place + 1)] = vector.noisy[each * at : each * (at + 1)]
        vectors.append(Noisy(tuple(whole)))
    return vectors


def is_sparse(released: Released) -> bool:
    """Tell whether cells of a statistic are told sparsely."""
    rule = released.question.get("publish")
    return isinstance(rule, dict) and "most" in rule


def in_all(released: Released) -> int:
    """Return how many numbers a statistic has, shown or not."""
    return len(released.answer.rows) if released.shown is None else released.shown.of


def labels(document: Document) -> list[str]:
    """Return a name for each statistic, numbered where two have the same."""
    return numbered([released.label for released in document.statistics])


def called(name: object, names: Sequence[str]) -> object:
    """Return the label of a name: of a quantile also where its plan decided to choose a bin.

    Example:
        >>> called("median age", ["count", "median age, chosen"])
        'median age, chosen'
    """
    if not isinstance(name, str):
        return name
    chosen = f"{name}, chosen"
    return chosen if name not in names and chosen in names else name


def numbered(plain: Sequence[str]) -> list[str]:
    """Return labels, numbered where two are the same.

    Example:
        >>> numbered(["count", "sum", "count"])
        ['count (1)', 'sum', 'count (2)']
    """
    return [
        label if plain.count(label) == 1 else f"{label} ({plain[: at + 1].count(label)})"
        for at, label in enumerate(plain)
    ]


def keys_of(released: Released) -> list[str]:
    """Return the key columns that a statistic is grouped by."""
    return [axis.name for axis in released.answer.axes if axis.kind == "key"]


def public_keys(document: Document, column: str) -> list[Any] | None:
    """Return the public keys of a column, of the data or derived; None where it has none."""
    table = document.plan["table"]
    made = {formula["name"]: formula.get("keys") for formula in table.get("derive", ())}
    keys: list[Any] | None = table["keys"].get(column, made.get(column))
    return keys


def has_bins(released: Released) -> bool:
    """Tell whether a statistic's rows are bins."""
    return any(axis.kind == "bin" for axis in released.answer.axes)


def has_columns(released: Released) -> bool:
    """Tell whether a statistic's rows are the columns of a vector, in each group."""
    return any(axis.kind == "column" for axis in released.answer.axes)


def is_vector(released: Released) -> bool:
    """Tell whether a statistic's numbers are the mean of a vector, in each group."""
    return has_columns(released) and released.answer.measure == "mean"


def has_levels(released: Released) -> bool:
    """Tell whether a statistic's rows are told at levels, such as the shares of quantiles."""
    return any(axis.kind == "level" for axis in released.answer.axes)


def has_rows(released: Released) -> bool:
    """Tell whether a statistic's numbers are made of a noisy number of rows, as means are."""
    return released.answer.rows_within is not None


def has_choice(released: Released) -> bool:
    """Tell whether a statistic tells which groups are the best, and no number of them."""
    return released.answer.measure == SHORT


def has_linear(released: Released) -> bool:
    """Tell whether a statistic's numbers stand beside the estimates that their intervals are of."""
    return "linear" in released.answer.columns[width_of(released) :]


def kinds_of(document: Document, released: Released) -> tuple[ValueKind, ValueKind]:
    """Return what the numbers of an answer are, and what its bins and levels are: numbers, days
    from 1970-01-01 or seconds from then."""
    numbers, cells = columns_of(released)
    return _kind_of(document, numbers), _kind_of(document, cells)


def columns_of(released: Released) -> tuple[str | None, str | None]:
    """Return the column whose values the numbers are, and that of its bins or levels, if any."""
    column = released.question.get("column")
    asked = column if isinstance(column, str) else None
    last = next(iter(released.answer.axes[-1:]), None)
    below = last is not None and (last.kind, last.name) == ("level", "below")
    cells = last.name if last is not None and last.kind == "bin" else asked if below else None
    return asked if released.answer.measure in OF_COLUMN else None, cells


def _kind_of(document: Document, column: str | None) -> ValueKind:
    table = document.plan["table"]
    made = {formula["name"]: formula.get("bounds") for formula in table.get("derive", ())}
    ends = table["columns"].get(column, made.get(column)) if column is not None else None
    return "number" if ends is None else end_of(ends["lower"], "lower")[1]


def width_of(released: Released) -> int:
    """Return how many cells of a row come from the axes."""
    return sum(2 if axis.kind == "bin" else 1 for axis in released.answer.axes)


def told(
    released: Released, most: int | None = None, *, order: Sequence[int] | None = None
) -> Iterator[Told]:
    """Return the rows of an answer, or the first ones; or those of some places, in their order."""
    width, rows = width_of(released), has_rows(released)
    table = released.answer.rows
    for row in islice(table, most) if order is None else (table[at] for at in order):
        numbers: Any = row[-3:]
        count: Any = row[width] if rows else None
        yield Told(row[:width], count, *numbers)


def rows_text(number: Told, within: float | None) -> str:
    """Return how many rows a mean is made of, for people; nothing where that is not told."""
    if number.rows is None or within is None:
        return ""
    off = ceil(within)
    figure, _, most = spoken(round(number.rows), -off, off)
    return f"{figure} ±{most}"


def alpha_of(document: Document) -> Decimal:
    """Return alpha as a decimal, for people."""
    return decimal_of(Fraction(document.alpha))


def holds_together(document: Document) -> bool:
    """Tell whether all intervals hold at once with probability 1 - alpha."""
    return bool(document.plan.get("together"))


def labels_together(document: Document) -> list[str]:
    """Return the questions whose intervals hold at once, where not all of the release do."""
    pairs = zip(labels(document), document.statistics, strict=True)
    joint = [label for label, of in pairs if of.question.get("together") and of.shown is None]
    return [] if holds_together(document) else joint


def rules_told(document: Document, *, together: bool) -> Iterator[str]:
    """Return for each rule of publication how many numbers it shows, and what intervals keep."""
    ruled = [
        (label, released)
        for label, released in zip(labels(document), document.statistics, strict=True)
        if released.shown is not None
    ]
    if not ruled:
        return
    from ..statistic.catalog import statistic_of
    from ..statistic.publish import rule_words

    for label, released in ruled:
        asked = statistic_of(released.question)
        yield f"{len(released.answer.rows):,} of {in_all(released):,} numbers of {label} are shown."
        if released.shown is not None and released.shown.cut:
            yield f"The list of {label} is cut: more numbers reach the threshold, none larger."
        yield rule_words(asked, Fraction(document.alpha), together=together or asked.ask.together)


def stated_told(document: Document) -> Iterator[str]:
    """Return for each question of numbers of one's own what was stated of them, and not proved."""
    if not any("sensitivity" in released.question for released in document.statistics):
        return
    from ..statistic.catalog import statistic_of
    from ..statistic.statement import statement_in

    for label, released in zip(labels(document), document.statistics, strict=True):
        statement = statement_in(statistic_of(released.question))
        if statement is not None:
            yield statement.words(label, document.protection.neighbors)


def loss_text(document: Document) -> str:
    """Return the loss of the whole release in its own letters."""
    return str(loss_of(document.protection.loss))


def fair_shares(sizes: Sequence[int], most: int) -> list[int]:
    """Return how many rows of each table to show, so that the small ones are shown whole.

    Example:
        >>> fair_shares([2, 100, 100], 42)
        [2, 20, 20]
    """
    shares = [0] * len(sizes)
    left = most
    for rank, at in enumerate(sorted(range(len(sizes)), key=lambda i: sizes[i])):
        shares[at] = min(sizes[at], left // (len(sizes) - rank))
        left -= shares[at]
    return shares
