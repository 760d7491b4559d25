"""What a plan says of counts that are told sparsely: how many cells without rows noise will show.

Rules of this module:
- it is loaded for a plan that has such a question, and else never;
- what is said follows from the noise, the threshold and how many public cells there are.

Decision 101.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from ..errors import InputError, shown
from ..exact.number import rounded
from ..fix import call, write
from ..noise.threshold import expected_up
from ..post.selected import rate_level

if TYPE_CHECKING:
    from .line import Line
    from .plan import Plan


def check_lifted(plan: "Plan") -> None:
    """Refuse a threshold that noise alone would lift more cells over than may be shown.

    Raises:
        InputError: on average they are more than `most`.
    """
    for line in plan.lines:
        if line.aggregates[0].sparse is None:
            continue
        cells, sparse = line.aggregates[0].size(plan.table), line.aggregates[0].sparse
        lifted = expected_up(line.laws[0], sparse.threshold, cells)
        if lifted > sparse.most:
            most = sparse.most
            larger = _threshold(line, cells)
            raise InputError(
                f"of {cells:,} cells of {shown(line.statistic.label)} noise alone would show "
                f"{_about(lifted)}, more than most = {sparse.most:,}.",
                kind="publication-rule",
                why=f"a cell without rows reaches {sparse.threshold:,} by its noise; from "
                f"{larger:,} on at most half of what may be shown is such cells",
                fix=write(publish=call("discreet.publish", at_least=larger, most=most)),
                at="publish",
            )


def _threshold(line: "Line", cells: int) -> int:
    """Return the least threshold over which noise alone lifts at most half of what may be shown."""
    law, sparse = line.laws[0], line.aggregates[0].sparse
    most = Fraction(sparse.most if sparse else 1, 2)
    low, high = 1, 2
    while expected_up(law, high, cells) > most:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if expected_up(law, middle, cells) > most else (low, middle)
    return high


def lifted_words(plan: "Plan") -> Iterator[str]:
    """Return for each question that is told sparsely how many cells noise alone will show."""
    for line in plan.lines:
        sparse = line.aggregates[0].sparse if line.aggregates else None
        if sparse is None:
            continue
        cells = line.aggregates[0].size(plan.table)
        most = min(sparse.most, cells)
        lifted = expected_up(line.laws[0], sparse.threshold, cells)
        yield (
            f"{line.statistic.label}: of {cells:,} cells at most {most:,} are told, the largest "
            f"ones. If none held a row, noise alone would show {_about(lifted)} of them."
        )
        rule = line.statistic.ask.publish
        if rule and rule.coverage == "rate" and not (plan.together or line.statistic.ask.together):
            first, last = (_reach(plan, line, shown, cells) for shown in (1, most))
            yield f"Its intervals are ±{first} where one is shown, ±{last} where {most:,} are."


def _reach(plan: "Plan", line: "Line", shown: int, cells: int) -> str:
    """Return how far an interval reaches where so many of the cells are shown, for people."""
    level = rate_level(plan.level(line), shown, cells)
    return rounded(line.statistic.expected(plan.table, line.laws, level).half_width, 4)


def _about(number: Fraction) -> str:
    """Return an expected number for people, rounded up."""
    if number < Fraction(1, 1000):
        return "less than 0.001"
    return f"about {rounded(number, 2)}" if number < 100 else f"about {-(-number // 1):,}"
