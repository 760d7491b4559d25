"""Numbers as a publisher wants them shown: e to their power where they are logarithms, or percent.

Rules of this module:
- both maps rise, so that an interval covers as often after as before; values, the ends of their
  intervals and the edges of bins all go through;
- only values of the column itself are mapped: means, quantiles, edges. A variance of logarithms,
  or a difference of them, has another meaning, and stays as it is;
- decimals are rounded correctly, the ends of intervals outward, so that every machine shows the
  same; what is shown is never stored in release.json or table.csv.
"""

from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from typing import Any

from ..errors import InputError, shown
from ..fix import leave_out
from ..schema import About, Label, Table
from .accessors import columns_of, width_of
from .document import Document, Released
from .numbers import Cell
from .rows import Column, Rows

MOST = 700  # what e to this power is, a double holds
_DIGITS, _EDGES = 12, (4, 6, 8, 12)
_FINE = Context(prec=20)


def check_label(column: str, label: Label, table: Table) -> None:
    """Refuse to show numbers of a column as what they cannot be."""
    if label.show == "none":
        return
    bounds = table.columns.get(column)
    if bounds is None:
        what, why = "it has no numbers to show", "only a column with bounds has"
    elif bounds.kind != "number":
        what, why = f"it holds {bounds.kind}s", "logarithms and shares are numbers"
    elif label.show == "exp" and max(abs(bounds.lower), abs(bounds.upper)) > MOST:
        what, why = "its bounds are too wide", f"e to the power of {MOST} is the most that is shown"
    else:
        return
    raise InputError(
        f"{shown(column)!r} cannot be shown as {label.show}: {what}.",
        why=why,
        fix=leave_out("show"),
        at="show",
    )


def as_shown(document: Document, about: About) -> Document:
    """Return a release with its numbers as they are shown; not to be stored."""
    if not any(label.show != "none" for label in about.labels.values()):
        return document
    statistics = [_shown(released, about) for released in document.statistics]
    return document.model_copy(update={"statistics": statistics})


def show_of(released: Released, about: About) -> tuple[str, str]:
    """Return how the numbers of an answer are shown, and how its bins or levels."""
    numbers, cells = columns_of(released)
    return (
        "none" if numbers is None else about.show(numbers),
        "none" if cells is None else about.show(cells),
    )


def sentences(document: Document, about: About) -> list[str]:
    """Return how numbers of columns are shown, where that is not as they are stored."""
    columns = [name for one in document.statistics for name in columns_of(one) if name]
    return [sentence(name, about) for name in dict.fromkeys(columns) if about.show(name) != "none"]


def sentence(column: str, about: About) -> str:
    """Return how numbers of a column are shown, in a sentence.

    Example:
        >>> from discreet import about
        >>> sentence("rate", about(labels={"rate": {"show": "share"}}))
        '“rate” is shown in percent; release.json and table.csv have it as it was declared.'
    """
    stored = "release.json and table.csv have"
    if about.show(column) == "share":
        return f"“{column}” is shown in percent; {stored} it as it was declared."
    return (
        f"“{column}” is a logarithm: {about.column(column)} is e to its power. The typical value "
        "of a group is its geometric mean, e to the power of the mean of logarithms. Intervals go "
        f"through alike, and cover as often; {stored} the logarithms."
    )


def _shown(released: Released, about: About) -> Released:
    numbers, cells = show_of(released, about)
    columns: list[Column] = list(released.answer.rows.columns)
    width = width_of(released)
    if cells != "none":
        wide = released.answer.axes[-1].kind == "bin"
        for at in range(width - 1 - wide, width):
            columns[at] = _edges(columns[at], cells)
    if numbers != "none":
        rounding = (ROUND_HALF_EVEN, ROUND_FLOOR, ROUND_CEILING)
        ends = [_mapped(c, numbers, how) for c, how in zip(columns[-3:], rounding, strict=True)]
        columns[-3:] = ends
    answer = released.answer.model_copy(update={"rows": Rows(columns)})
    return released.model_copy(update={"answer": answer})


def _edges(cells: Column, show: str) -> Column:
    """Return edges with as few digits as tell them apart."""
    found = [_mapped(cells, show, ROUND_HALF_EVEN, digits) for digits in _EDGES]
    return next((one for one in found if len(set(one)) == len(set(cells))), found[-1])


def _mapped(cells: Iterable[Cell], show: str, rounding: str, digits: int = _DIGITS) -> Column:
    context = Context(prec=digits, rounding=rounding)
    return [None if cell is None else _number(cell, show, context) for cell in cells]


def _number(cell: Any, show: str, context: Context) -> float:
    exact = Decimal(repr(cell))
    if show == "share":
        return float(context.multiply(exact, Decimal(100)))
    power = _FINE.exp(min(max(exact, Decimal(-MOST)), Decimal(MOST)))  # off by half a digit
    if exact and context.rounding == ROUND_FLOOR:
        power = _FINE.next_minus(power)
    if exact and context.rounding == ROUND_CEILING:
        power = _FINE.next_plus(power)
    return float(context.plus(power))
