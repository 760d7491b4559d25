"""Cells of sources that are no CSV file, as a declaration says that text is written: the reference.

Rules of this module:
- a text is read as the cell of a CSV file would be that says the same: without blanks where they
  are trimmed, missing where it is a missing word, and its numbers, days and times in their forms;
- a number is missing where a missing word spells it, since codes are numbers in such sources, and a
  dtype must decide nothing: 9, 9.0 and true where it counts as 1;
- a cell of which nothing is declared is as it is, the empty text too;
- a column that an expression makes has no form.

Decision 102.
"""

from fractions import Fraction
from functools import cache

from ..schema import Table
from ..schema.csv_options import CsvOptions
from . import spelled
from .reading import plain

_BLANKS = " \t"


def how_written(table: Table, column: str) -> CsvOptions | None:
    """Return how the text of a column is written; None where nothing is declared of it."""
    if not (table.csv.says_cells or table.joins) or table.made(column) is not None:
        return None
    joined = (join.csv for join in table.joins if column in join.gives)
    csv = next(joined, None) or table.csv
    return csv.of(column) if csv.says_cells else None


def declared(cell: object, csv: CsvOptions) -> object:
    """Return a cell; None where the declaration says that it is missing.

    Example:
        >>> csv = CsvOptions(missing=("", "NA", "-9"))
        >>> [declared(cell, csv) for cell in ("NA", -9, -9.0, "-9", "x", 7, "")]
        [None, None, None, None, 'x', 7, None]
    """
    held = plain(cell)
    if isinstance(held, str):
        text = held.strip(_BLANKS) if csv.trim else held
        return None if text in csv.missing else text
    is_number = isinstance(held, (bool, int, float, Fraction))
    return None if is_number and held in codes(csv) else cell


@cache
def codes(csv: CsvOptions) -> frozenset[float | Fraction]:
    """Return the numbers that missing words spell, exactly and as the nearest doubles."""
    words = [word for word in csv.missing if any(sign.isdigit() for sign in word)]
    numbers = [*map(spelled.exactly, words), *(spelled.double(word, csv) for word in words)]
    return frozenset(number for number in numbers if number is not None)
