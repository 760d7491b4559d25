"""Whether a text from outside is a release that can be shown.

Rules of this module:
- the shape is checked here, before anything is made of it; that the numbers belong to the plan is
  what `verify` checks;
- a message never quotes the text.
"""

import math
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from fractions import Fraction
from itertools import chain, pairwise
from math import prod
from operator import le

from ..aggregate import Aggregate
from ..errors import DiscreetError, InputError
from ..exact.number import rational
from ..noise.registry import law_of
from ..privacy.loss import IDEAL, loss_of
from ..schema import Table, protection, table_of
from ..statistic.catalog import statistic_of
from ..statistic.statistic import (
    ADD_UP,
    ALONE,
    CHOSEN,
    SHORT,
    Axis,
    Inner,
    Statistic,
    columns_of,
    groups,
    keyed,
)
from .collecting import collected_later
from .document import CONVENTION, Document, LedgerEntry, Released, document_of
from .numbers import Cell
from .rows import Rows, kinds

_LARGEST = 10**300


def checked_document(text: str) -> Document:
    """Return the document that a text holds, once it is known to be whole.

    Raises:
        InputError: the text is not a release of this format, or contradicts itself.
    """
    with collected_later():
        return _checked(document_of(text))


def _checked(document: Document) -> Document:
    """Return the document, or raise InputError."""
    try:
        faults = list(_faults(document))
    except (DiscreetError, ValueError, TypeError, KeyError, AttributeError, LookupError):
        faults = ["its plan, loss, noise or text cannot be read"]
    except (RecursionError, OverflowError, ZeroDivisionError):
        faults = ["a number or a list in it has no end"]
    if faults:
        raise InputError(
            "this file is not a whole release of discreet.",
            kind="not-a-release",
            why=faults[0],
            fix="give the folder, the zip or the release.json that `discreet release` wrote",
        )
    return document


def _faults(document: Document) -> Iterator[str]:
    table = table_of(document.plan["table"])
    yield from _wrong_plan(document, table)
    if (document.ledger is None) != (document.kind == "rehearsal"):
        yield "a release is paid from a ledger, and a rehearsal is not"
    yield from _wrong_totals(document.ledger)
    if (document.convention, document.protection.sentence) != (CONVENTION, protection(table)):
        yield "its words are not those of its numbers"
    if not re.fullmatch("[0-9a-f]{64}", document.digest):
        yield "its digest is not a SHA-256"
    if datetime.fromisoformat(document.created).tzinfo is None or not document.request:
        yield "it does not say when it was made, or on which request"
    questions = [released.question for released in document.statistics]
    if not questions or questions != document.plan["statistics"]:
        yield "its answers are not to the plan's questions"
    yield from chain.from_iterable(_wrong(released, table) for released in document.statistics)


def _wrong_totals(entry: LedgerEntry | None) -> Iterator[str]:
    """Yield what is wrong with the totals of a ledger; a release of an older version has none."""
    if entry is None or (entry.spent is None and entry.budget is None):
        return
    plain = entry.spent or {}, entry.budget or {}
    spent, budget = map(loss_of, plain)
    if (spent.plain(), budget.plain()) != plain or not spent.fits(budget):
        yield "what its ledger had spent is not written as discreet writes it"


def _wrong_plan(document: Document, table: Table) -> Iterator[str]:
    if table.plain() != document.plan["table"]:
        yield "its declaration is not written as discreet writes it"
    if {*document.plan} - {"share", "together"} != {"table", "statistics", "spend", "alpha"}:
        yield "its plan does not have the parts of a plan"
    if document.title != table.name or document.alpha != document.plan["alpha"]:
        yield "its title or alpha is not the plan's"
    spend, loss = loss_of(document.plan["spend"]), loss_of(document.protection.loss)
    if spend.plain() != document.plan["spend"] or loss.plain() != document.protection.loss:
        yield "its loss is not written as discreet writes it"
    most = spend.few_down()
    leaves = all(
        {"within", "spend"} & released.question.keys() for released in document.statistics
    )  # that is not charged
    leaves = leaves or most.kind in ("approx", *IDEAL) or _divides(document, table, most.kind)
    if loss != most and not (leaves and loss.fits(most)):
        yield "its loss is not the plan's"
    if not 0 < rational(document.alpha, "alpha") <= Fraction(1, 2):
        yield "alpha must be above 0 and at most 1/2"


def _divides(document: Document, table: Table, kind: str) -> bool:
    """Say whether a spend in mu^2 is shared out among the vectors of a question: it need not be all
    that the noise costs, since its parts are divided exactly as zCDP.
    """
    asked = map(statistic_of, (released.question for released in document.statistics))
    return kind == "gdp" and any(statistic.shares(table, kind) is not None for statistic in asked)


def _wrong(released: Released, table: Table) -> Iterator[str]:
    statistic = statistic_of(released.question)
    if statistic.plain() != released.question or statistic.label != released.label:
        yield "a question is not written as discreet writes it"
    aggregates = _counted(statistic, table, released)
    if released.shown is not None or statistic.ask.publish is not None:
        yield from _wrong_shown(released, statistic, table)
    sizes = [(vector.cells, len(vector.noisy)) for vector in released.vectors]
    if sizes != _sizes(released, aggregates, table):
        yield "it does not hold one number for each cell"
    for vector in released.vectors:
        law_of(vector.noise)
        if [rational(vector.sensitivity[name], name) < 1 for name in ("l1", "l2_squared")] != [
            False,
            False,
        ]:
            yield "a sensitivity is below 1"
    cells = statistic.cells(table)
    if cells is not None:
        yield from _wrong_tables(released, cells)
        return
    if aggregates[0].choice and aggregates[0].choice.rank:
        yield from _wrong_bins(released, aggregates)
    elif aggregates[0].choice:
        yield from _wrong_choice(released, aggregates[0], table)
        return
    inner = statistic.inner(table)
    by = statistic.ask.by  # what is counted may be by more: values that occur, by value
    yield from _wrong_axes(released, by, inner)
    yield from _wrong_rows(released, aggregates[0], by, table, inner)


def _counted(statistic: Statistic, table: Table, released: Released) -> list[Aggregate]:
    """Return the vectors that a question counts, with the noise that it has."""
    aggregates, shares = statistic.aggregates(table), None
    if released.vectors:
        shares = statistic.shares(table, law_of(released.vectors[0].noise).costs)
    return [
        aggregate for aggregate, part in zip(aggregates, shares or aggregates, strict=True) if part
    ]


def _wrong_tables(released: Released, cells: Sequence[tuple[Cell, ...]]) -> Iterator[str]:
    """Yield what is wrong with an answer that has rows of its own: its index, or its numbers."""
    answer = released.answer
    axes = [Axis(axis.kind, axis.name) for axis in answer.axes]
    numbers = answer.rows.columns[len(axes) :]
    index = [tuple(column) for column in zip(*cells, strict=True)]
    mine = answer.rows.columns[: len(axes)]
    if answer.columns != columns_of(axes, "rows", linear=True) or len(numbers) != 5:
        yield "an answer does not have its columns"
        return
    typed = [list(map(type, column)) for column in mine] == [list(map(type, c)) for c in index]
    if len(answer.rows) != len(cells) or list(mine) != index or not typed:
        yield "an answer does not hold each cell"
    elif not _are_intervals(answer.rows, len(axes)):
        yield "a row is not a group with numbers"
    if not answer.adds_up or answer.measure != "rows" or answer.rows_within is not None:
        yield "an answer does not know whether it adds up"


def _wrong_choice(released: Released, counted: Aggregate, table: Table) -> Iterator[str]:
    """Yield what is wrong with an answer that tells keys: each is another one of the list."""
    answer, (vector,) = released.answer, released.vectors
    axes = [Axis(axis.kind, axis.name) for axis in answer.axes]
    if axes != [Axis("level", "rank"), *keyed(counted.by)] or answer.measure != SHORT:
        yield "an answer is not laid out by what was asked"
        return
    if answer.columns != columns_of(axes, SHORT) or answer.adds_up or answer.rows_within:
        yield "an answer does not have its columns"
        return
    listed, places = list(groups(table, counted.by)), vector.noisy
    listed = listed[: counted.choice.among(len(listed)) if counted.choice else None]
    if len({*places}) < len(places) or not all(0 <= place < len(listed) for place in places):
        yield "a choice is no place of its list"
        return
    expected = [(rank, *listed[place]) for rank, place in enumerate(places, start=1)]
    rows = [row[: len(axes)] for row in answer.rows]
    same = rows == expected and [[*map(type, row)] for row in rows] == [
        [*map(type, t)] for t in expected
    ]
    if not same or not _are_intervals(answer.rows, len(axes)):
        yield "a row is not a group with numbers"


def _wrong_bins(released: Released, counted: Sequence[Aggregate]) -> Iterator[str]:
    """Yield what is wrong with an answer that bins were chosen for."""
    if released.answer.measure != CHOSEN:
        yield "an answer is not laid out by what was asked"
    for aggregate, vector in zip(counted, released.vectors, strict=False):
        if aggregate.choice and aggregate.choice.rank and aggregate.bins:
            most = aggregate.choice.rank.candidates(aggregate.bins.count)
            if not all(0 <= place < most for place in vector.noisy):
                yield "a choice is no place of its list"


def _wrong_rows(
    released: Released, counted: Aggregate, by: tuple[str, ...], table: Table, inner: Inner
) -> Iterator[str]:
    """Yield what is wrong with an answer: its groups, or a number in a column."""
    columns, rows = released.answer.columns, released.answer.rows
    names, shown = inner[1] if inner else (), released.shown.places if released.shown else None
    many = _rows_in_all(counted, by, table, inner)
    each = many // table.groups(by)
    if len(rows) != (many if shown is None else len(shown)):
        yield "an answer does not hold each group"
        return
    if len(rows.columns) != len(columns):
        yield "a row does not have the columns of its answer"
        return
    wanted = [table.keys[column] for column in by] + ([names] if names else [])
    each = 1 if names else each
    if not _are_groups(rows, wanted, each, shown) or not _are_intervals(rows, len(wanted)):
        yield "a row is not a group with numbers"


def _wrong_axes(released: Released, by: tuple[str, ...], inner: Inner) -> Iterator[str]:
    """Yield what is wrong with what an answer says of itself."""
    answer = released.answer
    axes = [Axis(axis.kind, axis.name) for axis in answer.axes]
    if axes != [*keyed(by), *([inner[0]] if inner else [])]:
        yield "an answer is not laid out by what was asked"
    if answer.columns != columns_of(axes, answer.measure):
        yield "an answer does not have its columns"
    if answer.adds_up != (answer.measure in ADD_UP):
        yield "an answer does not know whether it adds up"
    if (answer.rows_within is None) != (answer.measure in ALONE):
        yield "an answer does not know how far its count of rows is off"


def _rows_in_all(counted: Aggregate, by: tuple[str, ...], table: Table, inner: Inner) -> int:
    """Return how many numbers an answer has, shown or not."""
    groups_ = table.groups(by)
    if inner is None:
        return groups_
    return groups_ * len(inner[1]) if inner[1] else counted.size(table)


def _sizes(
    released: Released, aggregates: Sequence[Aggregate], table: Table
) -> list[tuple[int, int]]:
    """Return how many cells each vector has, and how many integers are there."""
    if any(vector.times is not None for vector in released.vectors):
        return [(table.groups(aggregates[0].by),) * 2] * min(2, len(released.vectors))
    sizes, shown = [aggregate.size(table) for aggregate in aggregates], released.shown
    if shown is None:
        return [(size, size) for size in sizes]
    return [(size, size // max(1, shown.of) * len(shown.places)) for size in sizes]


def _wrong_shown(released: Released, statistic: Statistic, table: Table) -> Iterator[str]:
    """Yield what is wrong with the places of shown numbers: they rise, and a rule says them.

    Of a list that is cut there are as many as may be shown.
    """
    if released.shown is None:
        yield "it does not say which numbers its rule shows"
        return
    places, many = released.shown.places, released.shown.of
    rising = all(a < b for a, b in pairwise(places))
    if many != _rows_in_all(
        statistic.aggregates(table)[0], statistic.ask.by, table, statistic.inner(table)
    ):
        yield "it does not say of how many numbers some are shown"
    rule = statistic.ask.publish
    if rule is None:
        yield "it leaves out numbers without a rule"
    elif len(places) > (many if rule.most is None else rule.most) or (
        released.shown.cut and len(places) != rule.most
    ):
        yield "it shows more numbers than its rule does, or fewer of a list that is cut"
    if not rising or (places and not 0 <= places[0] <= places[-1] < many):
        yield "what is shown has no place"


def _are_groups(
    rows: Rows,
    keys: Sequence[tuple[Cell, ...]],
    each: int,
    shown: Sequence[int] | None = None,
) -> bool:
    """Tell whether the first columns are the cross product of the keys, the last fastest.

    Args:
        rows: of an answer, with a column for each list of keys.
        keys: the lists of keys, each of one type: True is no 1.
        each: how many rows each group has.
        shown: the places of the rows that are there; None where all are.
    """
    inner, outer = each * prod(map(len, keys)), 1
    for at, cells in enumerate(keys):
        inner //= len(cells)
        if shown is None:
            each_often = [key for key in cells for _ in range(inner)] if inner > 1 else list(cells)
            expected = each_often * outer
        else:
            expected = [cells[place // inner % len(cells)] for place in shown]
        outer *= len(cells)
        if rows.kinds(at) != kinds(expected) or list(rows.columns[at]) != expected:
            return False
    return True


def _are_intervals(rows: Rows, start: int) -> bool:
    """Tell whether columns of numbers end with value, low and high, of which a value may miss.

    Args:
        rows: of an answer.
        start: the first column of numbers.
    """
    *_, low, high = rows.columns[start:]
    for at in range(start, len(rows.columns)):
        column, types = rows.columns[at], rows.kinds(at)
        if at == len(rows.columns) - 3 and type(None) in types:
            column = tuple([value for value in column if value is not None])
            types = types - {type(None)}
        if types - {int, float} or (float in types and not all(map(math.isfinite, column))):
            return False
        if column and (max(column) > _LARGEST or min(column) < -_LARGEST):
            return False
    return all(map(le, low, high))
