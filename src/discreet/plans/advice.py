"""What a plan knows of a better way to ask: one sentence each, with both numbers.

Rules of this module:
- it follows from the plan alone: the declaration, the questions and their noise; no data;
- the other way is priced as a plan would: with the loss that its questions have now, all together;
- what is not a tenth narrower is not said; where the other way is another question, that is said;
- of questions with weights, wanted errors or losses of their own none may become wider.

Decision 93.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any, cast

from ..errors import InputError, names_shown
from ..exact.number import text_of
from ..expressions import contradicted
from ..privacy.loss import total
from ..schema import Table, derived
from ..statistic.catalog import statistic_of, takes
from ..statistic.statistic import Expected, Statistic
from .line import Line
from .show import plus_minus
from .within import Goal, level_of

if TYPE_CHECKING:
    from .plan import Plan

_NARROWER = Fraction(9, 10)
_MOST = 3  # sentences of one kind
_PARTS = 12  # questions that are compared two by two
_CELLS = 10_000  # of all columns of tables together: more take long to lay out
_PRICED = ("weight", "within", "spend")
Alike = dict[object, list[Line]]


def advice(plan: "Plan") -> Iterator[str]:
    """Yield what would be told more closely at the same price, if it were asked otherwise."""
    lines = [line for line in plan.lines if not line.shared]
    yield from _limits(plan, lines)
    yield from _public(plan, lines)
    if len(lines) > 1:
        yield from _curves(plan, lines)
        yield from _parts(plan, lines)
        yield from _margins(plan, lines)
        yield from _means(plan, lines)


def _limits(plan: "Plan", lines: Sequence[Line]) -> Iterator[str]:
    """Yield which questions all rows of a unit may be in one group of, where a limit tells more."""
    most = plan.table.unit.max_rows
    if plan.table.unit.column is None or most == 1:
        return
    told = 0
    for line in lines:
        ask = line.asked.ask
        if not ask.by or ask.max_rows_per_group or not takes(_name(line), "max_rows_per_group"):
            continue
        other = _asking(line.asked, max_rows_per_group=1)
        if (pair := _better(plan, other, [line])) and told < _MOST:
            told += 1
            yield (
                f"In {line.statistic.label} all {most:,} rows of a unit may be in one group: "
                f"{pair[0]}. With max_rows_per_group = 1, where one row of a unit counts in each "
                f"group, it is {pair[1]} at the same price."
            )


def _public(plan: "Plan", lines: Sequence[Line]) -> Iterator[str]:
    """Yield which counts are of rows or units whose number is public, so that they tell nothing."""
    table, facts = plan.table, plan.table.facts
    if table.neighbors != "replace" or table.condition is not None or table.joins:
        return
    known = {"count_units": facts.units, "count": None if table.unit.column else facts.rows}
    for line in lines:
        size, ask = known.get(_name(line)), line.asked.ask
        if size is not None and not ask.by and ask.where is None and not _limited(line):
            yield (
                f"The {line.statistic.label} is {size:,}, which is public as typed: without it "
                f"{line.cost} is saved."
            )


def _curves(plan: "Plan", lines: Sequence[Line]) -> Iterator[str]:
    """Yield which shares below values of a column can be read from one curve; see `nearest`."""
    alike: Alike = {}
    for line in lines:
        plain = line.asked.plain()
        name, ask = _name(line), line.asked.ask
        if name != "share_below":
            continue
        where = ask.by, ask.where, ask.max_groups, ask.max_rows_per_group
        alike.setdefault((name, plain["column"], plain.get("bins"), where), []).append(line)
    for (name, *_), some in alike.items():  # type: ignore[misc]
        levels = {level for line in some for level in _levels(line)}
        at = [text_of(level) for level in sorted(levels)]
        plain = {**some[0].asked.plain(), "statistic": name, "at": at}
        if len(some) > 1 and (pair := _better(plan, statistic_of(_plainly(plain)), some)):
            yield (
                f"{_labels(some)} have a curve each: {pair[0]}. As one {name} with at = "
                f"{', '.join(at)} it is {pair[1]} at the same price."
            )


def _levels(line: Line) -> list[Fraction]:
    """Return the values whose shares a question asks of a curve."""
    return [*getattr(line.asked, "at", ())]


def _parts(plan: "Plan", lines: Sequence[Line]) -> Iterator[str]:
    """Yield which questions are of different rows each, and could be groups of one column."""
    for some in _but_for(lines, "where").values():
        if not 1 < len(some) <= _PARTS:
            continue
        tests = [line.aggregates[0].where for line in some]
        pairs = list(combinations([test for test in tests if test is not None], 2))
        if None in tests or not all(contradicted(pair) for pair in pairs):
            continue
        table, column = _cut(plan.table, [str(line.asked.ask.where) for line in some])
        by = (*some[0].asked.ask.by, column)
        other = _asking(some[0].asked, by=by, where=None)
        if pair := _better(plan, other, some, table):
            yield (
                f"No row is in two of {_labels(some)}: {pair[0]}. As groups of one derived column "
                f"it is {pair[1]} at the same price."
            )


def _cut(table: Table, conditions: Sequence[str]) -> tuple[Table, str]:
    """Return the table with a column that says which condition is true of a row."""
    name = "part"
    while name in table.keys or name in table.columns or name == table.unit.column:
        name += "_"
    whens = " ".join(f"WHEN {test} THEN {at}" for at, test in enumerate(conditions))
    keys = list(range(len(conditions)))
    return table.derive({name: derived(f"CASE {whens} END", keys=keys)}), name


def _margins(plan: "Plan", lines: Sequence[Line]) -> Iterator[str]:
    """Yield which counts by several groupings could be tables that add up."""
    counts = [line for line in lines if _name(line) == "count" and not _limited(line)]
    for some in _but_for(counts, "by").values():
        columns = {column for line in some for column in line.asked.ask.by}
        known = all(column in plan.table.keys for column in columns)
        small = known and not columns & plan.table.unknown.keys()
        if len(some) < 2 or not small or plan.table.groups([*columns]) > _CELLS:
            continue
        by = [list(line.asked.ask.by) for line in some]
        where = some[0].asked.ask.where
        more = {} if where is None else {"where": where.text}
        other = statistic_of({"statistic": "tables", "by": by, **more})
        if pair := _better(plan, other, some):
            yield (
                f"{_labels(some)} are counted apart: {pair[0]}. As one question, tables, they add "
                f"up, and are {pair[1]} at the same price, of the rows whose keys are all listed."
            )


def _limited(line: Line) -> bool:
    plain = line.asked.plain()
    return bool(
        {"between", "distinct", "max_groups", "max_rows_per_group", "together"} & plain.keys()
    )


def _means(plan: "Plan", lines: Sequence[Line]) -> Iterator[str]:
    """Yield which means could be one question, whose columns share a count."""
    single = [line for line in lines if isinstance(line.asked.plain().get("column"), str)]
    means = [n for n in single if _name(n) == "mean" and "weights" not in n.asked.plain()]
    for some in _but_for(means, "column").values():
        columns = [str(line.asked.plain()["column"]) for line in some]
        if len(set(columns)) < 2 or any(plan.table.columns[c].kind != "number" for c in columns):
            continue
        other = statistic_of(_plainly({**some[0].asked.plain(), "column": columns}))
        if pair := _better(plan, other, some):
            yield (
                f"{_labels(some)} have a count each: the widest is {pair[0]}. As one mean of these "
                f"columns it is {pair[1]} at the same price, of the rows where all are usable."
            )


def _but_for(lines: Sequence[Line], setting: str) -> Alike:
    """Return questions that differ in one setting alone, and in their part of the loss."""
    alike: Alike = {}
    for line in lines:
        plain = _plainly(line.asked.plain())
        plain.pop(setting, None)
        alike.setdefault(str(sorted(plain.items())), []).append(line)
    return alike


def _plainly(plain: dict[str, object]) -> dict[str, Any]:
    """Return a question as plain data, without its part of the loss."""
    return {name: value for name, value in plain.items() if name not in _PRICED}


def _asking(statistic: Statistic, **settings: object) -> Statistic:
    """Return a question with other settings, without its part of the loss."""
    question: Any = statistic
    ask = replace(question.ask, weight=1, within=None, spend=None, **settings)
    return cast("Statistic", replace(question, ask=ask))


def _better(
    plan: "Plan", other: Statistic, lines: Sequence[Line], table: Table | None = None
) -> tuple[str, str] | None:
    """Return the widest half-width of questions, and that of another at their price, in words.

    None where it is not a tenth narrower, or cannot be asked so.
    """
    declared = table or plan.table
    kinds = {line.share.kind for line in lines}
    if len(kinds) > 1:
        return None
    try:
        aggregates = other.aggregates(declared)
        level = level_of(other, declared, aggregates, plan.alpha)
        goal = Goal(other, declared, aggregates, level)
        loss, kind = total([line.share for line in lines]), kinds.pop()
        each = Fraction(1, len(aggregates)) if other.shares(declared, kind) is None else 1
        laws = goal.divided(loss.times(Fraction(each)).few_down())[1]
        new = other.expected(declared, laws, level)
    except InputError:
        return None
    old = [line.statistic.expected(plan.table, line.laws, plan.level(line)) for line in lines]
    halves = [expected.half_width for expected in old]
    priced = {(n.asked.ask.weight, n.asked.ask.within, n.asked.ask.spend) for n in lines}
    if priced != {(1, None, None)} and new.half_width > min(halves):
        return None  # the one that matters most would be told less closely
    widest = max(old, key=lambda expected: expected.half_width)
    return _said(widest, new, lines[0].asked.ask.rows)


def _said(old: Expected, new: Expected, rows: int | None) -> tuple[str, str] | None:
    alike = old.per_row == new.per_row and old.of == new.of
    if not alike or new.half_width > _NARROWER * old.half_width:
        return None
    return plus_minus(old, rows), plus_minus(new, rows)


def _labels(lines: Sequence[Line]) -> str:
    return names_shown([line.statistic.label for line in lines])


def _name(line: Line) -> str:
    return str(line.asked.plain()["statistic"])
