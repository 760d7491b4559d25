"""Whether what a publisher says of a question fits it: its name, and its chart.

The long table in a publisher's words: columns and keys by their names.

Numbers as a publisher wants them shown: e to their power where they are logarithms, or percent.

Rules of this module:
- only the declaration and the questions are looked at: words are refused before anything is paid;
- its rows are those of the long table, in their order, and so are its numbers, but for those of a
  column that is shown as something else: the statistic's name says so;
- where a question has a title, it stands behind the statistic's name;
- where an office flags numbers, their flags are the last column;
- a column whose keys have names is text; keys without a name are spelled as they are;
- both maps rise, so that an interval covers as often after as before; values, the ends of their
  intervals and the edges of bins all go through;
- only values of the column itself are mapped: means, quantiles, edges. A variance of logarithms,
  or a difference of them, has another meaning, and stays as it is;
- decimals are rounded correctly, the ends of intervals outward, so that every machine shows the
  same; what is shown is never stored in release.json or table.csv.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from itertools import chain
from typing import Any

from ..errors import InputError, names_shown, shown
from ..expressions.listed import number_of
from ..fix import Instead, Rename, leave_out, nearest_name, write
from ..schema import About, Heading, Label, Table, checked_about, table_of
from ..statistic.catalog import statistic_of
from .accessors import columns_of, has_bins, labels, numbered, width_of
from .document import Document, Released, canonical
from .marks import flags
from .numbers import Cell, plainly
from .rows import Column, Rows
from .tidy import Tidy, keys_used, renamed, tidy

_UNDRAWN = {"crossed": "tables that cross two keys", "ordered": "the groups, in their order"}
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
            kind="publishers-words",
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
                kind="no-such-statistic",
                why=f"it answers {names_shown(names)}",
                fix=Rename(name, near),
            )


def check_heading(heading: Heading, name: str, question: Mapping[str, Any]) -> None:
    """Refuse a chart that says of a question what is not so."""
    if not heading.chart:
        return
    drawn = statistic_of(question).telling().chart
    if drawn in _UNDRAWN:
        raise InputError(
            f"{shown(name)!r} has no chart.",
            kind="publishers-words",
            why=f"it is shown as {_UNDRAWN[drawn]}",
            fix=leave_out("chart"),
            at="chart",
        )
    if heading.chart == "bars" and drawn != "amounts":
        raise InputError(
            f"{shown(name)!r} is not drawn as bars.",
            kind="publishers-words",
            why="a bar begins at 0 and says how much there is; a "
            f"{question['statistic']} can be anywhere",
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
    pairs = zip(names, questions, strict=True)
    return {name: heading for name, (_, heading) in pairs if heading.plain()}


NAME, TITLE, FLAG = "labelled.csv", "title", "flag"


def is_labelled(about: About) -> bool:
    """Tell whether a publisher's words change anything of the table."""
    titled = any(heading.title for heading in about.questions.values())
    return bool(about.labels) or about.reliability is not None or titled


def labelled(document: Document, about: About) -> Tidy:
    """Return all answers as one long table, with what a publisher calls its columns and keys."""
    used, about = keys_used(document), checked_about(about)
    shown_as = as_shown(document, about)
    table = tidy(shown_as)
    columns, kinds, cells = list(table.columns), list(table.kinds), list(_columns(table))
    titled = any(heading.title for heading in about.questions.values())
    also = [*[TITLE] * titled, *[FLAG] * (about.reliability is not None)]
    columns[1 : len(used) + 1] = renamed([about.column(key) for key in used], also)
    for place, key in enumerate(used, start=1):
        if about.names(key):
            cells[place] = [_named(about, key, cell) for cell in cells[place]]
            kinds[place] = "text"
    if titled:
        columns.insert(1, TITLE)
        kinds.insert(1, "text")
        cells.insert(1, [about.heading(str(name)).title or None for name in cells[0]])
    names = dict(zip(labels(document), names_said(document, about), strict=True))
    cells[0] = [names[str(name)] for name in cells[0]]
    if about.reliability is not None:
        marks = (flags(document, released, about) for released in shown_as.statistics)
        columns.append(FLAG)
        kinds.append("text")
        cells.append([None if mark is None else mark.flag for mark in chain.from_iterable(marks)])
    return replace(table, columns=tuple(columns), kinds=tuple(kinds), rows=Rows(cells))


def names_said(document: Document, about: About) -> list[str]:
    """Return the name of each question, and how its numbers are shown."""
    return [_said(label, *shows) for label, shows in _shows(document, about)]


def _columns(table: Tidy) -> list[Column]:
    rows = table.rows
    return list(rows.columns) if isinstance(rows, Rows) else list(zip(*rows, strict=True))


def _named(about: About, column: str, cell: Cell) -> Cell:
    return None if cell is None else about.value(column, cell, plainly(cell))


def _shows(document: Document, about: About) -> Iterator[tuple[str, tuple[str, str]]]:
    for label, released in zip(labels(document), document.statistics, strict=True):
        numbers, edges = show_of(released, about)
        mean = released.answer.measure == "mean"
        yield label, ("geometric" if mean and numbers == "exp" else numbers, edges)


def _said(label: str, *shows: str) -> str:
    """Return a statistic's name, and how its numbers are shown."""
    words = {"geometric": "exp: typical (geometric mean)", "exp": "exp", "share": "%"}
    texts = [words[show] for show in dict.fromkeys(shows) if show in words]
    return f"{label} ({', '.join(texts)})" if texts else label


MOST_POWER = 700  # what e to this power is, a double holds
_DIGITS, _EDGES = 12, (4, 6, 8, 12)
_FINE = Context(prec=20)


def check_label(column: str, label: Label, table: Table) -> None:
    """Refuse to show numbers of a column as what they cannot be, and keys by another text."""
    _check_values(column, label, table)
    _check_map(column, label, table)
    if label.show == "none":
        return
    bounds = table.columns.get(column)
    if bounds is None:
        what, why = "it has no numbers to show", "only a column with bounds has"
    elif bounds.kind != "number":
        what, why = f"it holds {bounds.kind}s", "logarithms and shares are numbers"
    elif label.show == "exp" and max(abs(bounds.lower), abs(bounds.upper)) > MOST_POWER:
        what, why = (
            "its bounds are too wide",
            f"e to the power of {MOST_POWER} is the most that is shown",
        )
    else:
        return
    raise InputError(
        f"{shown(column)!r} cannot be shown as {label.show}: {what}.",
        kind="publishers-words",
        why=why,
        fix=leave_out("show"),
        at="show",
    )


def _check_values(column: str, label: Label, table: Table) -> None:
    """Refuse the name of a number that is a key, where it is written otherwise: 1.0, 01."""
    keys = table.keys.get(column, ())
    numbers = {Fraction(int(key)): str(key) for key in keys if isinstance(key, int)}
    for text in label.values:
        value = number_of(text)
        key = None if value is None else numbers.get(value)
        if key not in (None, text):
            raise InputError(
                f"the values of {shown(column)} name {shown(text)}, and the key is {key}.",
                kind="publishers-words",
                why="a key has its name by the text that it prints as",
                fix=Instead("values", text, str(key)),
                at="values",
            )


def _check_map(column: str, label: Label, table: Table) -> None:
    """Refuse a map on which no key of its column lies; keys that are not found yet may."""
    if label.map is None or (column in table.unknown and column not in table.keys):
        return
    keys = table.keys.get(column, ())
    if not any(str(key) in label.map.regions for key in keys):
        raise InputError(
            f"the map of {shown(column)} shows none of its keys.",
            kind="publishers-words",
            why=f"its regions are {names_shown([*label.map.regions])}; keys are "
            f"{names_shown([*map(str, keys)]) or 'not declared'}",
            fix="name the property of the features that says the keys as the table does",
            at="map",
        )


def as_shown(document: Document, about: About) -> Document:
    """Return a release with its numbers as they are shown; not to be stored."""
    if not any(label.show != "none" for label in about.labels.values()):
        return document
    statistics = [_shown(released, about) for released in document.statistics]
    return document.model_copy(update={"statistics": statistics})


def show_of(released: Released, about: About) -> tuple[str, str]:
    """Return how the numbers of an answer are shown, and how its bins or levels."""
    numbers, cells = columns_of(released)
    return (
        "none" if numbers is None else about.show(numbers),
        "none" if cells is None else about.show(cells),
    )


def sentences(document: Document, about: About) -> list[str]:
    """Return how numbers of columns are shown, where that is not as they are stored."""
    columns = [name for released in document.statistics for name in columns_of(released) if name]
    return [sentence(name, about) for name in dict.fromkeys(columns) if about.show(name) != "none"]


def sentence(column: str, about: About) -> str:
    """Return how numbers of a column are shown, in a sentence.

    Example:
        >>> from discreet import about
        >>> sentence("rate", about(labels={"rate": {"show": "share"}}))
        '“rate” is shown in percent; release.json and table.csv have it as it was declared.'
    """
    stored = "release.json and table.csv have"
    if about.show(column) == "share":
        return f"“{column}” is shown in percent; {stored} it as it was declared."
    return (
        f"“{column}” is a logarithm: {about.column(column)} is e to its power. The typical value "
        "of a group is its geometric mean, e to the power of the mean of logarithms. Intervals go "
        f"through alike, and cover as often; {stored} the logarithms."
    )


def _shown(released: Released, about: About) -> Released:
    numbers, cells = show_of(released, about)
    columns: list[Column] = list(released.answer.rows.columns)
    width = width_of(released)
    if cells != "none":
        wide = released.answer.axes[-1].kind == "bin"
        for at in range(width - 1 - wide, width):
            columns[at] = _edges(columns[at], cells)
    if numbers != "none":
        rounding = (ROUND_HALF_EVEN, ROUND_FLOOR, ROUND_CEILING)
        ends = [_mapped(c, numbers, how) for c, how in zip(columns[-3:], rounding, strict=True)]
        columns[-3:] = ends
    answer = released.answer.model_copy(update={"rows": Rows(columns)})
    return released.model_copy(update={"answer": answer})


def _edges(cells: Column, show: str) -> Column:
    """Return edges with as few digits as tell them apart."""
    rounded = [_mapped(cells, show, ROUND_HALF_EVEN, digits) for digits in _EDGES]
    return next((edges for edges in rounded if len(set(edges)) == len(set(cells))), rounded[-1])


def _mapped(cells: Iterable[Cell], show: str, rounding: str, digits: int = _DIGITS) -> Column:
    context = Context(prec=digits, rounding=rounding)
    return [None if cell is None else _number(cell, show, context) for cell in cells]


def _number(cell: Any, show: str, context: Context) -> float:
    exact = Decimal(repr(cell))
    if show == "share":
        return float(context.multiply(exact, Decimal(100)))
    power = _FINE.exp(
        min(max(exact, Decimal(-MOST_POWER)), Decimal(MOST_POWER))
    )  # off by half a digit
    if exact and context.rounding == ROUND_FLOOR:
        power = _FINE.next_minus(power)
    if exact and context.rounding == ROUND_CEILING:
        power = _FINE.next_plus(power)
    return float(context.plus(power))
