"""Which keys were found in the data, and how much of it stands under none of them.

Rules of this module:
- what is said of finding follows from the plan, and what is not shown from the released numbers.
"""

from collections.abc import Iterator

from ..document.accessors import alpha_of, has_choice, labels, told
from ..document.document import Document, Released
from ..document.numbers import percent, spoken
from ..finding.finding import Finding
from ..plans.plan import Plan, plan_of
from ..plans.show import finding_words
from ..schema import Table


def found_sentences(document: Document, table: Table) -> list[str]:
    """Return what a release says of keys that nobody knew; nothing where all were listed."""
    plan = plan_of(document.plan)
    return [said for one in plan.findings for said in _said(document, table, one, plan)]


def _said(document: Document, table: Table, finding: Finding, plan: Plan) -> Iterator[str]:
    column, shown = finding.column, len(table.keys[finding.column]) - 1
    yield (
        f"The keys of {column} were not listed. {shown:,} that many units have were found in the "
        "data, by a search with noise of its own that is part of the price."
    )
    yield from finding_words(finding, plan)
    other = table.unknown[column].other
    for label, released in zip(labels(document), document.statistics, strict=True):
        if released.question.get("by") == [column] and _counts(released):
            *_, last = told(released)
            figure, least, most = spoken(last.value, last.low, last.high)
            yield (
                f"Not shown by key, but together as {other}: {figure} in {label} "
                f"({percent(alpha_of(document))} interval {least} to {most})."
            )


def _counts(released: Released) -> bool:
    """Tell whether an answer has one number for each key."""
    return not has_choice(released) and len(released.answer.axes) == 1
