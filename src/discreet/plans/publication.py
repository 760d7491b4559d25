"""What a plan says of its rules of publication.

Rules of this module:
- a rule is told with what its intervals keep, and with what it does not do;
- a question that tells of the same rows in coarser, finer or the same groups is named, also where
  it asks for another statistic of them. Other releases of the same data are not known here.

Decision 133.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ..schema import ROW, Table
from ..statistic.ask import Publish
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
        names = [other.statistic.label for other in _telling(plan, line)]
        if names:
            yield (
                f"What is not shown of {line.statistic.label} can be estimated from "
                f"{' and '.join(names)}, of the same rows."
            )
    if hides:
        yield (
            "A number that is not shown is not 0. Hiding protects nobody and costs nothing: the "
            "noise protects, of all numbers alike."
        )


def _hides(line: "Line") -> bool:
    rule = line.statistic.ask.publish
    return rule is not None and (rule.at_least is not None or rule.within is not None)


def _telling(plan: "Plan", line: "Line") -> list["Line"]:
    """Return the other questions from which a number that is not shown can be estimated.

    Rows of other conditions tell of it where two of them differ: all rows, and the rest of them.
    """
    told, mine = _told(line, plan.table), line.statistic
    near = [
        other
        for other in plan.lines
        if other is not line and told & _told(other, plan.table) and _is_nested(plan, other, line)
    ]
    same = [other for other in near if other.statistic.ask.where == mine.ask.where]
    apart = [other for other in near if other not in same]
    return near if len({str(other.statistic.ask.where) for other in apart}) > 1 else same


def _told(line: "Line", table: Table) -> set[object]:
    """Return what a question adds up of each group: rows, units, or cells of columns."""
    plain = line.statistic.plain()
    if "distinct" in plain:
        return {("distinct", plain["distinct"])}
    rows = "rows" if table.unit == ROW else "units"
    return {
        measure.columns or (rows if measure.kind == "units" else measure.kind)
        for aggregate in line.aggregates
        if aggregate.choice is None and aggregate.sizes is None
        for measure in aggregate.measures
    }


def _is_nested(plan: "Plan", other: "Line", line: "Line") -> bool:
    """Tell whether groups of one are sums of groups of the other; and more is shown of them."""
    mine, others = line.statistic, other.statistic
    if others.telling().rule == "added":  # the total is one of their tables
        return True
    fewer, more = (_made_of(plan.table, each.ask.by) for each in (others, mine))
    if fewer < more:
        return True
    alike = others.plain()["statistic"] == mine.plain()["statistic"]
    return more <= fewer and not (alike and _hides_as_much(others.ask.publish, mine.ask.publish))


def _hides_as_much(other: Publish | None, rule: Publish | None) -> bool:
    """Tell whether a rule shows no number that another one hides."""
    if other is None or rule is None or rule.within is not None or other.at_least is None:
        return other == rule
    return rule.at_least is not None and other.at_least >= rule.at_least


def _made_of(table: Table, names: Iterable[str]) -> set[str]:
    """Return the columns of the data that others are made of: of a decade, the age."""
    made: set[str] = set()
    for name in names:
        tree = table.made(name)
        made |= {name} if tree is None else _made_of(table, (c.value for c in tree.columns()))
    return made
