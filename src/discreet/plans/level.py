"""The chance with which one interval may miss, where all of a question or of a plan hold together.

Rules of this module:
- all numbers of such a question, or of all questions of a plan, miss together with probability at
  most alpha; numbers with noise of their own share it out by the exact product (`post.together`),
  others by adding up;
- the list of the numbers is public: keys, bins and columns that were declared.

Numbers of one group that are made of one vector's same integers depend on each other: d of them
hold with at least 1 - (chance that any misses), at most d times that of one. Groups are independent
of each other, because each integer has noise of its own; so are questions, where none shares a
vector with another. Where each number misses with t, n groups of d numbers for each question then
hold at once with at least the product of all (1 - d t)^n, which is 1 - alpha.
"""

from collections.abc import Sequence
from fractions import Fraction

from ..aggregate import Aggregate
from ..errors import InputError, shown
from ..exact.number import text_of
from ..fix import leave_out, write
from ..post.together import level_among
from ..schema import Table
from ..statistic.statistic import Statistic


def level_of(
    statistic: Statistic,
    table: Table,
    aggregates: Sequence[Aggregate],
    alpha: Fraction,
    among: Sequence[tuple[int, int]] | None = None,
) -> Fraction:
    """Return the chance with which one interval of a question may miss.

    Args:
        statistic, table, aggregates: the question.
        alpha: the chance that it misses; or, of intervals that hold together, that any does.
        among: `numbers_of` all questions, where a whole plan holds together.

    Raises:
        InputError: its numbers share noise in a way that is not known here, or were aimed for a
            wider level.
    """
    _refuse_unaimed(statistic, aggregates, alpha)
    if among is None and not statistic.ask.together:
        return alpha
    return level_among(among or [numbers_of(statistic, table, aggregates)], alpha)


def numbers_of(
    statistic: Statistic, table: Table, aggregates: Sequence[Aggregate]
) -> tuple[int, int]:
    """Return how many groups of numbers have noise of their own, and how many are in each.

    Raises:
        InputError: its numbers share noise in a way that is not known here.
    """
    from ..statistic.catalog import LISTED

    (first, *others) = aggregates
    name = str(statistic.plain()["statistic"])
    joint = LISTED[name].joint if name in LISTED else None
    if joint is None or others or first.transform:
        raise InputError(
            f"the intervals of {shown(statistic.label)} cannot be asked together.",
            why="its numbers are made of the same noisy ones, so that their errors depend on each "
            "other in a way that is not counted",
            fix=leave_out("together"),
            at="together",
        )
    if any(column in table.unknown for column in first.by):
        raise InputError(
            f"the intervals of {shown(statistic.label)} cannot be asked together.",
            why="how many there are follows from the keys that are found, and is not known before",
            fix=leave_out("together"),
            at="together",
        )
    groups, bins, measures = first.shape(table)
    if joint == "cell":
        return groups * bins * measures, 1
    columns: tuple[str, ...] = getattr(statistic, "columns", ())
    return groups, max(1, len(columns))


def _refuse_unaimed(statistic: Statistic, aggregates: Sequence[Aggregate], alpha: Fraction) -> None:
    """Raise InputError where the ends of an interval are chosen for a wider level."""
    ranks = [one.choice.rank for one in aggregates if one.choice and one.choice.rank]
    aimed = sum([rank.miss for rank in ranks if rank.side])
    if aimed and alpha < aimed:
        raise InputError(
            f"{shown(statistic.label)} has no interval at alpha = {text_of(alpha)}.",
            why=f"where its ends are sought is fixed before data is read, for {text_of(aimed)}",
            fix=(write(of="plan", alpha="0.05"), leave_out("method", of="ask")),
        )
