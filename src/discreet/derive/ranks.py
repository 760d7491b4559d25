"""Which rank each group can have: the smallest and the largest that joint intervals allow.

Rules of this module:
- ranks are made of intervals that hold all at once, whatever is asked: with probability at least
  1 - alpha every order that two ranges of ranks mark is right, and every group has a rank in its
  range. Nothing is said of how likely an order is;
- rank 1 has the most. Groups that have the same may have any of the ranks that they take up
  together, and the range holds all of these;
- two intervals that touch mark nothing: what is in both can be the same.

Proof. Where all intervals hold, a group whose low end is above the high end of another one has
more. So its rank is at least 1 and the number of groups that surely have more, and at most all less
those that surely have less: in any order of groups that have the same, because these are in neither
number. (C461)

Source: Klein, Wright and Wieczorek 2020, A joint confidence region for an overall ranking of
populations (Journal of the Royal Statistical Society C 69), Theorem 1, which takes joint coverage
alone, and no independence.

Decision 100.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from math import inf

from ..document.document import Document
from ..errors import InputError, shown
from ..exact.number import Number
from ..report.additive import Part, axes_in, compared_of, parts_of
from .derivation import Axes, derivation
from .derived import DerivedColumn, DerivedNumbers, chance_of, derived, intervals, percent_of, said

End = int | float


@derivation("ranks", of=1, words={"by": "An axis within which groups are ranked."})
def ranks(
    document: Document,
    name: str,
    by: Axes = None,
    *,
    alpha: Number | None = None,
    together: bool = False,
) -> DerivedNumbers:
    """Return the rank of each group, with the range of ranks that are possible for this group;
    free. The largest group has rank 1.

    Args:
        name: the statistic, which may also be a mean.
        by: the axes whose groups have ranks of their own; by default, all groups are ranked
            together.
        alpha: the probability that one or more of all ranges of ranks miss.
        together: without effect here: ranges of ranks always hold together.

    Returns: derived numbers: the rank of each group as value, and the possible ranks from low to
        high.

    Raises:
        InputError: there is no such statistic or axis, or its numbers cannot be compared.

    Source: Klein, Wright and Wieczorek 2020.

    Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so your
        numbers, will differ.

        >>> release.ranks("count by ward").values
        [1, 2]
    """
    together = True
    released = compared_of(document, name)
    within = axes_in(released, () if by is None else by)
    chance = chance_of(document, alpha)
    held = intervals(document, name, alpha=chance, together=together).document.statistics[0]
    parts, places = parts_of(held), [axis.name for axis in held.answer.axes]
    groups: dict[tuple[Part, ...], list[int]] = {}
    for row, cells in enumerate(parts):
        groups.setdefault(tuple(cells[places.index(axis)] for axis in within), []).append(row)
    if min(map(len, groups.values()), default=0) < 2:
        raise _alone(name)
    columns = held.answer.rows.columns[-3:]
    found: list[tuple[int | None, int, int]] = [(None, 1, 1)] * len(parts)
    for rows in groups.values():
        ranked = _ranked(*([column[row] for row in rows] for column in columns))
        for row, three in zip(rows, ranked, strict=True):
            found[row] = three
    values, low, high = map(list, zip(*found, strict=True))
    inside = f", within {' and '.join(within)}" if within else ""
    return derived(
        document,
        f"ranks of {name}{inside}",
        {"derive": "ranks", "of": name, **said(by=within, alpha=chance, together=together)},
        axes=held.answer.axes,
        index=parts,
        numbers=DerivedColumn(values, low, high),
        measure="rank",
        notes=[
            "1 has the most. Where two ranges do not overlap their order is marked: with "
            f"probability at least {percent_of(chance)} all orders that are marked are right."
        ],
    )


def _ranked(
    values: Sequence[End | None], low: Sequence[End | None], high: Sequence[End | None]
) -> list[tuple[int | None, int, int]]:
    """Return of each number its rank, and the smallest and largest that the intervals allow."""
    starts = [-inf if end is None else end for end in low]
    ends = [inf if end is None else end for end in high]
    told = sorted(value for value in values if value is not None)
    by_start, by_end = sorted(starts), sorted(ends)
    made: list[tuple[int | None, int, int]] = []
    for value, start, end in zip(values, starts, ends, strict=True):
        least = 1 + len(starts) - bisect_right(by_start, end)  # what starts above its end
        most = len(ends) - bisect_left(by_end, start)  # less what ends below its start
        rank = None if value is None else 1 + len(told) - bisect_right(told, value)
        made.append((None if rank is None else min(max(rank, least), most), least, most))
    return made


def _alone(name: str) -> InputError:
    return InputError(
        f"{shown(name)} has nothing to rank.",
        kind="not-comparable",
        why="a rank is of several groups, and there is one",
        fix="take ranks of a statistic by a column, and leave an axis to be ranked out of by",
    )
