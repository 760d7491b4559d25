"""How a plan shows itself in a terminal and a notebook, without a float."""

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from ..exact.enclosure import sqrt_up
from ..exact.number import rounded, text_of
from ..mechanism.discrete_gaussian import DiscreteGaussian
from ..mechanism.discrete_laplace import DiscreteLaplace
from ..mechanism.law import Law
from ..schema import Table
from ..statistic.statistic import Expected
from ..text import Sheet

if TYPE_CHECKING:
    from .plan import Line, Plan

_ROWS_SHOWN = 1_000  # a mean's error bar is shown for a group of this many rows


def sheet_of(plan: "Plan") -> Sheet:
    """Return the priced list as a table."""
    return Sheet(
        title=f"Plan for {plan.table.name}: {plan.loss} in all. Nothing has been read.",
        above=(protection(plan.table), *_columns(plan)),
        columns=("question", "cells", "noise", f"± ({_percent(plan.alpha)})", "price"),
        rows=tuple(_row(plan, line) for line in plan.lines),
        below=(f"Each interval by itself misses with probability at most {text_of(plan.alpha)}.",),
        right=("cells", f"± ({_percent(plan.alpha)})", "price"),
    )


def protection(table: Table) -> str:
    """Return one sentence: who is protected, against what."""
    relation = {
        "add_remove": "whether it is in the table at all",
        "replace": "what it says, among as many units",
    }[table.neighbors]
    return f"Protected: {table.unit}, and {relation} (neighbors: {table.neighbors})."


def noise_text(law: Law) -> str:
    """Return a law in words."""
    if isinstance(law, DiscreteGaussian):
        return f"discrete Gaussian, sigma {rounded(sqrt_up(law.sigma2))}"
    if isinstance(law, DiscreteLaplace):
        return f"discrete Laplace, scale {rounded(law.scale)}"
    return law.name.replace("_", " ")


def expected_text(expected: Expected) -> str:
    """Return the half-width in words; a mean's depends on the rows of the group."""
    if not expected.per_row:
        return f"±{rounded(expected.half_width)}"
    example = rounded(expected.half_width / _ROWS_SHOWN)  # exact: rationals
    return f"±{rounded(expected.half_width)}/rows (±{example} at {_ROWS_SHOWN:,})"


def _row(plan: "Plan", line: "Line") -> tuple[str, ...]:
    return (
        line.statistic.label,
        f"{sum(found.size(plan.table) for found in line.aggregates):,}",
        ", ".join(dict.fromkeys(noise_text(law) for law in line.laws)),
        expected_text(line.statistic.expected(plan.table, line.laws, plan.alpha)),
        str(line.loss),
    )


def _columns(plan: "Plan") -> Iterator[str]:
    used = {measure.column for found in plan.aggregates for measure in found.measures}
    used |= {found.bins.column for found in plan.aggregates if found.bins}
    for name, bounds in plan.table.columns.items():
        if name in used:
            chosen = " (chosen by discreet)" if bounds.step_was_chosen else ""
            yield f"Bounds of {name}: {bounds}{chosen}."


def _percent(alpha: Fraction) -> str:
    return f"{rounded(100 * (1 - alpha), 4)} %"
