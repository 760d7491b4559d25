"""What a plan says of its rules of publication.

Rules of this module:
- a rule is told with what its intervals keep, and with what it does not do.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..statistic.publish import rule_words

if TYPE_CHECKING:
    from .line import Line
    from .plan import Plan


def rules_said(plan: "Plan") -> Iterator[str]:
    """Return the rules of a plan in words, and what can be known of numbers that are not shown."""
    lines = [line for line in plan.lines if line.statistic.ask.publish is not None]
    for line in lines:
        together = plan.together or line.statistic.ask.together
        yield rule_words(line.statistic, plan.alpha, together=together)
    if "tell sparsely" in plan.steps:
        from .sparse import lifted_words

        yield from lifted_words(plan)
    hides = [line for line in lines if _hides(line)]
    for line in hides:
        margins = [other.statistic.label for other in plan.lines if _is_margin(other, line)]
        if margins:
            yield (
                f"What is not shown of {line.statistic.label} can be estimated from "
                f"{' and '.join(margins)}, which has its sums."
            )
    if hides:
        yield (
            "A number that is not shown is not 0. Hiding protects nobody and costs nothing: the "
            "noise protects, of all numbers alike."
        )


def _hides(line: "Line") -> bool:
    rule = line.statistic.ask.publish
    return rule is not None and (rule.at_least is not None or rule.within is not None)


def _is_margin(other: "Line", line: "Line") -> bool:
    """Tell whether a question counts the same in fewer groups, of the same rows."""
    mine, others = line.statistic, other.statistic
    told = ("statistic", "column", "bins")
    same = all(mine.plain().get(name) == others.plain().get(name) for name in told)
    return same and {*others.ask.by} < {*mine.ask.by} and others.ask.where == mine.ask.where
