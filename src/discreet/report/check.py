"""Whether a text from outside is a release that can be shown.

Rules of this module:
- the shape is checked here, before anything is made of it; that the numbers belong to the plan is
  what `verify` checks;
- a message never quotes the text.
"""

import json
import math
import re
from collections.abc import Iterator
from datetime import datetime
from fractions import Fraction
from itertools import chain
from typing import Any

from ..errors import DiscreetError, InputError
from ..exact.number import rational
from ..mechanism.laws import law_of
from ..plan.show import protection
from ..privacy.loss import loss_of
from ..schema import Table, table_of
from ..statistic.catalog import statistic_of
from ..statistic.statistic import Axis, columns_of, keyed
from .document import CONVENTION, Document, Released, document_of
from .reading import has_columns

_LARGEST = 10**300


def checked_document(text: str) -> Document:
    """Return the document that a text holds, once it is known to be whole.

    Raises:
        InputError: the text is not a release of this format, or contradicts itself.
    """
    document = document_of(text)
    try:
        json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
        faults = list(_faults(document))
    except (DiscreetError, ValueError, TypeError, KeyError, AttributeError, LookupError):
        faults = ["its plan, loss, noise or text cannot be read"]
    except (RecursionError, OverflowError, ZeroDivisionError):
        faults = ["a number or a list in it has no end"]
    if faults:
        raise InputError(
            "this file is not a whole release of discreet.",
            why=faults[0],
            fix="give the folder, the zip or the release.json that `discreet release` wrote",
        )
    return document


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse an object that says a thing twice: two readers could believe two things."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError
    return found


def _no_number(_name: str) -> None:
    raise ValueError


def _faults(document: Document) -> Iterator[str]:
    table = table_of(document.plan["table"])
    yield from _wrong_plan(document, table)
    if (document.ledger is None) != (document.kind == "rehearsal"):
        yield "a release is paid from a ledger, and a rehearsal is not"
    if (document.convention, document.protection.sentence) != (CONVENTION, protection(table)):
        yield "its words are not those of its numbers"
    if not re.fullmatch("[0-9a-f]{64}", document.digest):
        yield "its digest is not a SHA-256"
    if datetime.fromisoformat(document.created).tzinfo is None or not document.request:
        yield "it does not say when it was made, or on which request"
    questions = [found.question for found in document.statistics]
    if not questions or questions != document.plan["statistics"]:
        yield "its answers are not to the plan's questions"
    yield from chain.from_iterable(_wrong(found, table) for found in document.statistics)


def _wrong_plan(document: Document, table: Table) -> Iterator[str]:
    if table.plain() != document.plan["table"]:
        yield "its declaration is not written as discreet writes it"
    if {*document.plan} != {"table", "statistics", "spend", "alpha"}:
        yield "its plan does not have the parts of a plan"
    if document.title != table.name or document.alpha != document.plan["alpha"]:
        yield "its title or alpha is not the plan's"
    if loss_of(document.protection.loss).plain() != document.plan["spend"]:
        yield "its loss is not the plan's"
    if not 0 < rational(document.alpha, "alpha") <= Fraction(1, 2):
        yield "alpha must be above 0 and at most 1/2"


def _wrong(released: Released, table: Table) -> Iterator[str]:
    statistic = statistic_of(released.question)
    if statistic.plain() != released.question or statistic.label != released.label:
        yield "a question is not written as discreet writes it"
    aggregates = statistic.aggregates(table)
    sizes = [(vector.cells, len(vector.noisy)) for vector in released.vectors]
    if sizes != [(found.size(table),) * 2 for found in aggregates]:
        yield "it does not hold one number for each cell"
    for vector in released.vectors:
        law_of(vector.noise)
        if [rational(vector.sensitivity[name], name) < 1 for name in ("l1", "l2_squared")] != [
            False,
            False,
        ]:
            yield "a sensitivity is below 1"
    yield from _wrong_axes(released, aggregates[0].by)
    yield from _wrong_rows(released, aggregates[0].by, table)


def _wrong_rows(released: Released, by: tuple[str, ...], table: Table) -> Iterator[str]:
    columns, rows = released.answer.columns, released.answer.rows
    names = released.question["column"] if has_columns(released) else None
    if len(rows) % table.groups(by) or not rows:
        yield "an answer does not hold each group"
    behind = len(by) + bool(names)
    for row in rows:
        if len(row) != len(columns) or (names and row[len(by)] not in names):
            yield "a row does not have the columns of its answer"
            return
        if not _is_key(row[: len(by)], by, table) or not _is_interval(row[behind:]):
            yield "a row is not a group with numbers"
            return


def _wrong_axes(released: Released, by: tuple[str, ...]) -> Iterator[str]:
    """Return what is wrong with what an answer says of itself."""
    answer, column = released.answer, released.question.get("column")
    inner = {"histogram": [Axis("bin", str(column))]}.get(released.question["statistic"], [])
    if isinstance(column, list):
        inner = [Axis("column", "column")]
    axes = [Axis(axis.kind, axis.name) for axis in answer.axes]
    if axes != [*keyed(by), *inner]:
        yield "an answer is not laid out by what was asked"
    if answer.columns != columns_of(axes, answer.measure):
        yield "an answer does not have its columns"
    if answer.adds_up != (answer.measure != "mean"):
        yield "an answer does not know whether it adds up"
    if (answer.rows_within is None) != (answer.measure != "mean"):
        yield "an answer does not know how far its count of rows is off"


def _is_key(
    index: list[bool | int | float | str | None], by: tuple[str, ...], table: Table
) -> bool:
    return all(
        type(key) is type(table.keys[column][0]) for key, column in zip(index, by, strict=True)
    )


def _is_interval(numbers: list[bool | int | float | str | None]) -> bool:
    *others, low, high = numbers
    if others[-1] is None:
        others.pop()
    for number in (*others, low, high):
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            return False
        if not math.isfinite(number) or abs(number) > _LARGEST:
            return False
    return low <= high  # type: ignore[operator]
