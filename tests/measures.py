"""Measures made and added up by hand."""

from math import prod

from discreet.aggregate import Measure, Term


def linear(value, slope, offset=0):
    """What each usable cell adds: slope * v + offset."""
    return Measure("cells", (value,), (Term(slope, (value,)), Term(offset)))


def by_hand(measure, rows):
    """A measure of rows in which everything is usable; a row is a function from a value to its number."""
    return sum(
        term.factor * prod(row(value) for value in term.values)
        for row in rows
        for term in measure.terms
    )
