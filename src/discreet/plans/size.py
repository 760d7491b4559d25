"""How long a release gets, before it is paid for: what cannot be read back is not planned.

Rules of this module:
- the length follows from the declaration and the questions alone, and is never below the true one:
  for data of up to ROWS rows, but for noise that is as rare as 2^-100 a number;
- the parts and their order are those of `document/document.py`, whose text this bounds.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from ..aggregate import Aggregate
from ..errors import InputError, shown
from ..noise.law import Law
from ..schema import Table
from ..sensitivity import Sensitivity
from ..statistic.statistic import Question
from ..sums import ROWS, Added, added, largest

if TYPE_CHECKING:
    from .line import Line
    from .plan import Plan

MOST_BYTES = 256 * 2**20  # of a document: what is read is bounded
MOST_NAME = 1_000  # letters of the name of a request
SUPPOSED = 1_000  # keys that may be found, in each unknown column
_RARE = Fraction(1, 2**100)
_SKELETON = 2**11  # words, hashes and names of fields that each document has
_PART = 2**8  # names of fields that each question and each vector has
_AXIS = 2**5  # the same of each axis of an answer
_ESCAPED = 12  # characters for one letter, at most
_REAL = 24  # characters of a double, at most
_EXACT = 15  # digits that a double writes as they were typed
_text = json.JSONEncoder(separators=(",", ":")).encode  # of plain data


def readable(plan: "Plan") -> "Plan":
    """Return a plan whose release can be loaded again.

    Raises:
        InputError: it could be too long.
    """
    if plan.findings:
        readable(replace(plan.supposed(SUPPOSED), findings=()))
        return plan
    most = bytes_up(plan)
    if most < MOST_BYTES:
        return plan
    cells = {line.statistic.label: _cells(line, plan.table) for line in plan.lines}
    largest = max(cells, key=lambda label: cells[label])
    fit = sum(cells.values()) * MOST_BYTES // most
    raise InputError(
        f"a release of this plan may take {most // 10**6:,} MB, and {MOST_BYTES // 10**6} MB can "
        "be loaded again.",
        kind="too-many-cells",
        why=f"it holds {sum(cells.values()):,} numbers, {cells[largest]:,} of them for "
        f"{shown(largest)}; what cannot be loaded would be paid for all the same",
        fix=f"ask for about {fit:,} numbers at most: fewer keys or bins, or fewer questions at "
        "once, each plan with a spend of its own",
    )


def most_found(plan: "Plan") -> int:
    """Return how many keys of each unknown column a release of this plan can hold and be loaded."""
    return SUPPOSED * max(1, MOST_BYTES // (2 * bytes_up(plan.supposed(SUPPOSED))))


def bytes_up(plan: "Plan", *quoted: str) -> int:
    """Return how many characters the document of a release can have, at most; all are ASCII.

    Args:
        plan: what is released.
        quoted: what else the document quotes, such as the name of the request; where there is
            none, the longest name.
    """
    named = sum(map(len, map(_text, quoted))) if quoted else _ESCAPED * MOST_NAME
    if not plan._size:  # noqa: SLF001 - asked once: to be read again, and for its room
        facts = _Facts(plan)
        lines = sum(_question(line, facts) for line in plan.lines)
        plain: Any = plan.plain()
        keys = plain["table"]["keys"]  # written once, for here and for the answers
        rest = {**plain, "table": {**plain["table"], "keys": dict.fromkeys(keys, ())}}
        planned = len(_text(rest)) + sum([facts.listed(key) - 1 for key in keys])
        object.__setattr__(plan, "_size", _SKELETON + 4 * planned + lines)
    return plan._size + named  # noqa: SLF001


class _Facts:
    """What the questions of one plan ask again and again, each found once."""

    def __init__(self, plan: "Plan") -> None:
        rare = min(_RARE, plan.alpha)
        self.table = plan.table
        self.listed: Callable[[str], int] = cache(lambda key: _listed(plan.table.keys[key]))
        self.noise: Callable[[Law, Sensitivity], tuple[int, int]] = cache(
            lambda law, moved: (_reach(law, rare), len(_text(law.plain()) + _text(moved.plain())))
        )
        self.largest: Callable[[Added], int] = cache(lambda term: largest(plan.table, term))


@lru_cache(maxsize=2**8)  # a plan is made again before it is paid, and its room is looked for
def _reach(law: Law, rare: Fraction) -> int:
    return law.half_width(rare)


def _question(line: "Line", facts: _Facts) -> int:
    """Return the length of a question, its vectors and its answer."""
    length = _PART + len(_text(line.statistic.label)) + _AXIS * (len(line.statistic.ask.by) + 1)
    widths = []
    for aggregate, law in zip(line.aggregates, line.laws, strict=True):
        reach, named = facts.noise(law, aggregate.paid)
        cells = aggregate.size(facts.table)
        if aggregate.sparse is not None:  # of the others nothing stands there
            cells = min(cells, aggregate.sparse.most)
        digits = _digits(aggregate, cells, reach, facts)
        length += _PART + named + cells * (digits + 1)
        widths.append(digits)
    rows = line.statistic.cells(facts.table)
    if rows is not None:  # whole numbers, and two doubles beside them
        index = len(_text(rows)) + _AXIS * len(rows[0])
        return length + index + len(rows) * (3 + 3 * (max(widths) + 1) + 2 * (_REAL + 1))
    return length + _answer(line, max(widths), facts)


def _answer(line: "Line", digits: int, facts: _Facts) -> int:
    """Return the length of an answer: rows of group, cell and value, low and high.

    Cells are what the question says, or its bins where it says nothing of its own: their vector is
    made, and not made again. A vector that is transformed may have more. What is no count is
    doubles, and may have the number of rows, too.
    """
    table, parts = facts.table, line.aggregates
    groups, bins, _ = parts[0].shape(table)
    cells: Sequence[object] = ()
    has_bins = parts[0].bins is not None
    if getattr(type(line.statistic), "inner", None) is not Question.inner:
        inner = line.statistic.inner(table)
        cells, has_bins = (inner[1], not inner[1]) if inner else ((), False)
    each = len(cells) or (bins if has_bins else 1)
    index = max((len(_text(cell)) + 1 for cell in cells), default=0)
    if parts[0].bins and not cells:
        index += 2 * (1 + _real(parts[0].bins.edges, table.columns[parts[0].bins.column].step))
    for aggregate in parts:
        if aggregate.transform and not aggregate.choice:
            each = max(each, -(-aggregate.size(table) // groups))
    keys = [facts.listed(column) * (groups // len(table.keys[column])) for column in parts[0].by]
    each_place = 0 if line.statistic.ask.publish is None else len(str(groups * each)) + 1
    if parts[0].sparse is not None:
        longest = [max(len(_text(key)) + 1 for key in table.keys[column]) for column in parts[0].by]
        rows = min(groups, parts[0].sparse.most)
        return rows * (sum(longest) + 3 + 3 * (digits + 1) + each_place)
    kinds = {measure.kind for aggregate in parts for measure in aggregate.measures}
    counts = not cells and not parts[0].choice and "cells" not in kinds
    numbers = 3 * (digits + 1) if counts else max(3 * (digits + 1), 4 * (_REAL + 1))
    return each * sum(keys) + groups * each * (3 + index + numbers + each_place)


def _digits(aggregate: Aggregate, cells: int, noise: int, facts: _Facts) -> int:
    """Return how long the numbers of a vector are on average, at most, and their intervals' ends.

    `noise` bounds the noise of each, and half of its interval.

    Proof. The truths of m cells add up to at most T = ROWS times what a row adds, in size, and the
    noise and half of an interval to B in each cell. A number x has at most 1 + log10(x + 1) digits,
    which is concave in x: over all cells no more than m (1 + log10(T / m + B + 1)).
    """
    sums = [pair for measure in aggregate.measures for pair in added(measure)]
    total = ROWS * sum([abs(factor) * facts.largest(each) for factor, each in sums])
    total *= max(aggregate.transform.matrix.sizes()) if aggregate.transform else 1
    return 2 + len(str(total // cells + 2 * noise + 2))


def _real(steps: Sequence[int], step: Fraction) -> int:
    """Return how long increasing numbers of steps are as doubles in their measure, at most."""
    places = len(str(step.denominator))
    tens, left = divmod(10**places, step.denominator)
    digits = max(len(str(abs(end) * step.numerator)) for end in (steps[0], steps[-1]))
    exact = digits + len(str(tens))
    if left or exact > _EXACT:
        return _REAL
    return min(_REAL, max(digits + places + 3, exact + 7))


def _listed(values: Sequence[object]) -> int:
    """Return the length of values, each with a comma behind it."""
    return len(_text(list(values))) - 1


def _cells(line: "Line", table: Table) -> int:
    return sum(
        min(vector.size(table), vector.sparse.most) if vector.sparse else vector.size(table)
        for vector in line.aggregates
    )
