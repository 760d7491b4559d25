"""Conditions of questions, as a table's declaration reads them: a text that is a day is one.

Rules of this module:
- what a question asks is the same before and after; a plan's digest knows one text of it.
"""

from collections.abc import Sequence
from dataclasses import replace

from ..expressions import settled
from ..schema.derived import names_of
from ..schema.table import Table
from .statistic import Statistic


def settled_in(table: Table, statistics: Sequence[Statistic]) -> list[Statistic]:
    """Return questions whose conditions are written in the one way of a table."""
    names = names_of(table)
    return [
        asked
        if asked.ask.where is None
        else replace(asked, ask=replace(asked.ask, where=settled(asked.ask.where, names)))  # type: ignore[type-var]
        for asked in statistics
    ]
