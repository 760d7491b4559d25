"""Whether what a publisher says of a question fits it: its name, and its chart.

Rules of this module:
- only the declaration and the questions are looked at: words are refused before anything is paid.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import InputError, shown
from ..fix import Rename, leave_out, nearest_name, write
from ..schema import About, Heading, checked_about, table_of
from .accessors import has_bins, labels, numbered
from .document import Document, Released, canonical
from .numbers import Cell, plainly
from .shown import check_label

_AMOUNTS = ("count", "count_units", "sum", "histogram", "group_sizes")  # a bar from 0 says how much
_TABLES = ("cube", "tables")
_CHOICES = ("choose", "top_k")
_NAMED = 300  # letters of the names in a refusal
MOST = 2**21  # bytes of all words; about.json is read up to twice as many, for its record


def check_about(about: object, document: Document) -> About:
    """Return a publisher's words, none for None, or raise InputError where they do not fit."""
    words, names = checked_about(about), labels(document)
    check_length(words)
    check_names(words, names)
    for name, released in zip(names, document.statistics, strict=True):
        check_heading(words.heading(name), name, released.question)
    table = table_of(document.plan["table"])
    for column, label in words.labels.items():
        check_label(column, label, table)
    return words


def check_length(about: About) -> None:
    """Refuse more words than are read again."""
    length = len(canonical(about.plain()))
    if length > MOST:
        raise InputError(
            f"a publisher's words take {length:,} bytes.",
            why=f"about.json has room for {MOST:,}, where a letter that is not ASCII takes six",
            fix="shorten the names of keys and the notes, or name fewer keys",
        )


def check_names(about: About, names: Sequence[str]) -> None:
    """Refuse words of a question that was not asked."""
    for name in about.questions:
        if name not in names:
            near = nearest_name(name, names) or names[0]
            raise InputError(
                f"there is no question {shown(name)!r} in this release.",
                why=f"it answers {shown(', '.join(names), _NAMED)}",
                fix=Rename(name, near),
            )


def check_heading(heading: Heading, name: str, question: Mapping[str, Any]) -> None:
    """Refuse a chart that says of a question what is not so."""
    asked, chart = question.get("statistic"), heading.chart
    if not chart:
        return
    if asked in _TABLES or asked in _CHOICES:
        what = "tables that cross two keys" if asked in _TABLES else "the groups, in their order"
        raise InputError(
            f"{shown(name)!r} has no chart.",
            why=f"it is shown as {what}",
            fix=leave_out("chart"),
            at="chart",
        )
    if chart == "bars" and asked not in _AMOUNTS:
        raise InputError(
            f"{shown(name)!r} is not drawn as bars.",
            why=f"a bar begins at 0 and says how much there is; a {asked} can be anywhere",
            fix=write(chart="dots"),
            at="chart",
        )


def has_bars(released: Released, heading: Heading) -> bool:
    """Tell whether numbers are drawn as bars: as bins are, where nobody says another thing."""
    return heading.chart == "bars" or (not heading.chart and has_bins(released))


def named_cells(released: Released, index: Sequence[Cell], about: About) -> tuple[Cell, ...]:
    """Return the cells of a row's axes, keys by the names that a publisher has for them."""
    keys = {
        place: axis.name
        for place, axis in enumerate(released.answer.axes)
        if axis.kind == "key" and about.names(axis.name)
    }  # cells of bins come last
    return tuple(
        about.value(keys[place], cell, plainly(cell)) if place in keys else cell
        for place, cell in enumerate(index)
    )


def headed(questions: Sequence[tuple[str, Heading]]) -> dict[str, Heading]:
    """Return what stands over questions by the names that a release has for them, where it does."""
    names = numbered([label for label, _ in questions])
    found = zip(names, questions, strict=True)
    return {name: heading for name, (_, heading) in found if heading.plain()}
