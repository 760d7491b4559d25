"""In which forms numbers, days and texts of a table are read, in sentences of its plan.

Rules of this module:
- columns that are written alike stand in one sentence;
- each sentence says what would be missing, and never what was.

Decision 102.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..expressions.refusals import spells_number
from ..text import listed
from .inferred import number_form, options_of

if TYPE_CHECKING:
    from .table import Table

_LABELLED = (".sav", ".zsav", ".dta")  # files that say what their codes are called
_APART = (".sas7bdat",)  # whose labels lie in a file of their own
_SHOWN = 8
_AS_USUAL = "Days and moments are read as 2026-11-03 and 2026-11-03 10:30:00"


def forms_said(table: "Table", read: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Return what is read in which form: of cells of text, and of columns of CSV files.

    Args:
        table: the declaration.
        read: names by kind, as `how_read` returns them.
    """
    yield from _declared_said(table, read.get("written", ()))
    yield from _digits_said(table, read.get("digits", ()))
    yield from _forms_of_files(table, read.get("forms", ()))
    yield from _texts_said(table, read.get("texts", ()))


def labels_said(table: "Table") -> Iterator[str]:
    """Return which keys codes may be called by, in a file whose codes may have labels.

    Example:
        >>> import discreet as dp
        >>> (said,) = labels_said(dp.table("a.sav", unit="row", keys={"sex": ["male"]}))
        >>> said
        'A code of sex is read as its label in a.sav, where that is a key: male.'
    """
    name, ending = table.name, Path(table.name).suffix.lower()
    made = table.derived.keys() | table.unknown.keys()
    for column in [column for column in table.keys if column not in made]:
        ways = table.spelled.get(column, ((),) * len(table.keys[column]))
        texts = [
            str(key)
            for key, others in zip(table.listed(column), ways, strict=False)
            if isinstance(key, str) and not others and not spells_number(key)
        ]
        if texts and ending in _LABELLED:
            yield (
                f"A code of {column} is read as its label in {name}, where that is a key: "
                f"{listed(texts, _SHOWN)}."
            )
        elif texts and ending in _APART:
            yield (
                f"Labels of values lie in another file than {name}, and are not read: if cells of "
                f"{column} are codes, no cell is {listed(texts, _SHOWN)}. Then name the codes: "
                f'keys={{"{column}": {{"{texts[0]}": [1]}}}}.'
            )


def _declared_said(table: "Table", names: Sequence[str]) -> Iterator[str]:
    """Return how text is read of sources of no lines, where that is declared."""
    options = options_of(table)
    for name in names:
        words = listed(options[name].words() + options[name].own_words(), _SHOWN)
        yield f"Text of {name} is read as that of a CSV file: {words}."


def _digits_said(table: "Table", columns: Sequence[str]) -> Iterator[str]:
    """Return how numbers are read of cells of text, those written alike in one sentence."""
    alike = defaultdict[str, list[str]](list)
    for name in columns:
        alike[number_form(table.csv_of(name))].append(name)
    for number, names in alike.items():
        where = listed(tuple(names), _SHOWN)
        yield f"Where a cell of {where} is text, it is read as {number}, or counts as missing."


def _texts_said(table: "Table", columns: Sequence[str]) -> Iterator[str]:
    """Return how days and moments are read of cells of text, those alike in one sentence."""
    alike = defaultdict[str, list[str]](list)
    for name in columns:
        csv = table.csv_of(name)
        alike[_forms(csv.days, csv.times)].append(name)
    for forms, names in alike.items():
        yield (
            f"{forms} in {listed(tuple(names), _SHOWN)}: other text, and a period of more than a "
            "day, is missing there."
        )


def _forms_of_files(table: "Table", columns: Iterable[str]) -> Iterator[str]:
    """Return how days and moments are read in columns of CSV files, those alike in one sentence."""
    alike = defaultdict[tuple[str, str], list[str]](list)
    for name in columns:
        csv = table.csv_of(name)
        alike[csv.days, csv.times].append(name)
    for (days, times), names in alike.items():
        yield _forms_of(listed(tuple(names), _SHOWN), days, times)


def _forms_of(where: str, days: str, times: str) -> str:
    """Return how days and moments are read in columns of CSV files; "" is as usual."""
    unless = "" if days or times else ", unless csv says how days and times are written"
    return f"{_forms(days, times)} in {where}: other text counts as missing there{unless}."


def _forms(days: str, times: str) -> str:
    """Return how days and moments are read; "" is as usual."""
    if not days and not times:
        return _AS_USUAL
    return f"Days are read as {days or '2026-11-03'} and times as {times or '10:30:00'}"
