"""What 1 of a counted number is worth in the measure of its columns.

Rules of this module:
- it follows from the polynomial that is added up, so that no statistic can say it wrong;
- it is exact.
"""

from fractions import Fraction
from math import prod

from ..aggregate import Aggregate, Coarse, Coordinate, Measure, Value
from ..schema import Table


def worth_of(table: Table, counted: Aggregate) -> Fraction | None:
    """Return what 1 of a vector's numbers is worth; None where it is rows, or of several measures.

    A polynomial of steps moves as its products of most values do: x^2 in squares of a step, and
    2 x - (L + U) in half steps.
    """
    sizes = {_worth(table, measure) for measure in counted.measures}
    return sizes.pop() if len(sizes) == 1 else None


def _worth(table: Table, measure: Measure) -> Fraction | None:
    most = max((len(term.values) for term in measure.terms), default=0)
    terms = [term for term in measure.terms if len(term.values) == most]
    if not most or len(terms) > 1:
        return None
    return prod((_step(table, value) for value in terms[0].values), start=Fraction(1)) / abs(
        terms[0].factor
    )  # exact: rationals


def _step(table: Table, value: Value) -> Fraction:
    """Return what 1 of a value is worth: a column's step, or a part of its bounds."""
    if isinstance(value, Coordinate):
        step = table.columns[value.point.columns[value.place]].step
        return step / 2 if value.point.ball else step  # exact: rationals
    if isinstance(value, Coarse):
        bounds = table.columns[value.column]
        return (bounds.upper - bounds.lower) / value.parts  # exact: rationals
    return table.columns[value].step
