"""The numbers of a release as a table for people.

Rules of this module:
- a number has as many digits as its interval allows; of many rows each statistic shows its share.
"""

from collections.abc import Iterator
from fractions import Fraction

from ..document.accessors import (
    alpha_of,
    fair_shares,
    has_bins,
    has_choice,
    has_rows,
    holds_together,
    kinds_of,
    labels,
    labels_together,
    loss_text,
    rows_text,
    rules_told,
    stated_told,
    told,
)
from ..document.document import Document, Released
from ..document.numbers import decimals_of, group_text, percent, spoken
from ..exact.number import decimal_of
from ..schema import sizes_said, table_of
from ..text import Sheet

_ROWS_SHOWN = 40
TOGETHER = "All intervals hold at once with probability at least"
JOINT = "All intervals of {} hold at once with probability at least {}."  # beside others
ALONE = "Each interval covers the noise alone, and misses by itself with probability at most"
_CHOSEN = (
    "Of a choice the group is the answer. Its value says how much less it has than the best that "
    "was left: nothing, or up to the end of the interval."
)
_ROWS = "rows: how many rows a value is made of, noise included, and how far off that may be"


def sheet(document: Document, *, repeated: bool, together: bool | None = None) -> Sheet:
    """Return the numbers as a table for people.

    Args:
        document: the release.
        repeated: whether this answer had been released before, and cost nothing now.
        together: whether all intervals hold at once; None for what the plan says.
    """
    joint = labels_together(document) if together is None else []
    together = holds_together(document) if together is None else together
    shown = fair_shares(
        [len(released.answer.rows) for released in document.statistics], _ROWS_SHOWN
    )
    counted = any(has_rows(released) for released in document.statistics)
    rows = [
        (label, *row[: 4 if counted else 3])
        for label, released, most in zip(labels(document), document.statistics, shown, strict=True)
        for row in _people(document, released, most)
    ]
    more = sum(len(released.answer.rows) for released in document.statistics) - len(rows)
    covers = f"{percent(alpha_of(document))} interval"
    return Sheet(
        title=title_of(document, repeated=repeated),
        columns=("statistic", "group", "value", covers, *["rows"] * counted),
        rows=tuple(rows),
        above=(document.protection.sentence, *_sizes(document)),
        below=(
            *stated_told(document),
            *([f"... and {more:,} more rows: table() and table.csv have them all."] * (more > 0)),
            *rules_told(document, together=together),
            *(
                [f"{TOGETHER} {decimal_of(1 - Fraction(document.alpha))}."]
                if together
                else [f"{ALONE} {alpha_of(document)}."]
                if any(released.shown is None for released in document.statistics)
                else []
            ),
            *[JOINT.format(label, decimal_of(1 - Fraction(document.alpha))) for label in joint],
            *[f"{_ROWS}{', each by itself' * together}."] * counted,
            *[_CHOSEN] * any(map(has_choice, document.statistics)),
        ),
        right=("value", covers, "rows"),
    )


def _sizes(document: Document) -> list[str]:
    """Return which sizes are public, typed and not checked; mostly nothing."""
    declared = document.plan["table"]
    return [sizes_said(table_of(declared))] if "facts" in declared else []


def title_of(document: Document, *, repeated: bool) -> str:
    """Return the name of a release with its loss, or that it is a rehearsal."""
    if document.kind == "rehearsal":
        asked = (document.plan["table"], *(released.question for released in document.statistics))
        pass_all = ", which pass every condition" * any("where" in part for part in asked)
        return (
            f"REHEARSAL of {document.title}: made-up rows{pass_all}, real noise. "
            "These numbers say nothing of any data."
        )
    again = " The same request again: the stored numbers, for nothing." if repeated else ""
    return f"{document.title}, released at {loss_text(document)}.{again}"


def _people(
    document: Document, released: Released, most: int
) -> Iterator[tuple[str, str, str, str]]:
    bins, within = has_bins(released), released.answer.rows_within
    kind, of_cells = kinds_of(document, released)
    numbers = list(told(released, most))
    decimals = decimals_of((number.value, number.low, number.high) for number in numbers)
    for number in numbers:
        figure, start, end = spoken(number.value, number.low, number.high, kind, decimals)
        group = group_text(number.index, bins=bins, kind=of_cells)
        yield group, figure, f"{start} to {end}", rows_text(number, within)
