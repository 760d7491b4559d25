"""How much room an answer may take in the ledger, from the plan alone.

Rules of this module:
- nothing here sees data: the room is public, like the plan;
- noise has no widest number, and a table no declared length. The room is enough unless noise is
  wider than all but 2^-100 of it, or a group has more than 2^40 units; then what does not fit is
  stored behind, as far as the disk goes. Nothing is ever cut.
"""

import json
from dataclasses import replace
from fractions import Fraction

from ..aggregate import Aggregate
from ..noise.law import Law
from ..plans.line import Line
from ..plans.plan import Plan
from ..plans.show import protection
from ..plans.size import SUPPOSED
from ..schema import Table

_UNITS = 2**40  # in a group, a million millions
_CHANCE = Fraction(1, 2**100)  # that any number of the release is wider
_FLOAT = 25  # letters of a double as JSON, and a comma
_FRAME = 2_000  # names, digests, numbers and signs of the document around its lists
_AXIS = 30  # the same of one axis
_LINE = 300  # the same of one vector, or of one answer
_MOST = 2**29  # bytes that SQLite keeps in one place with ease; more is stored behind


def room_of(plan: Plan, *texts: str) -> int:
    """Return how many bytes to keep free for the answer to a plan.

    Args:
        plan: what is released.
        texts: what else the document quotes: the request, the ledger's subject and id.
    """
    from ..document.document import CONVENTION

    if plan.findings:  # what more keys take is stored behind
        return room_of(replace(plan.supposed(SUPPOSED), findings=()), *texts)
    around: list[object] = [plan.table.name, protection(plan.table), CONVENTION, *texts]
    around += [plan.cost.plain(), plan.table.unit.plain(), str(plan.alpha)]
    cells = sum(found.size(plan.table) for found in plan.aggregates)
    lines = [_line(plan, line, cells) for line in plan.lines]
    return min(_MOST, _FRAME + _size(plan.plain()) + sum(map(_size, around)) + sum(lines))


def _line(plan: Plan, line: Line, cells: int) -> int:
    """Return the room of one of the questions, which have so many cells: its vectors and answer."""
    noisy = answer = widest = 0
    for found, law in zip(line.aggregates, line.laws, strict=True):
        digits = _digits(found, law, cells)
        noisy += _LINE + _size(law.plain()) + _size(found.paid.plain())
        noisy += found.size(plan.table) * digits
        widest = max(widest, digits)
        whole = all(measure.kind != "cells" for measure in found.measures)
        answer += _rows(plan.table, found, 3 * (digits + 1) if whole else 4 * _FLOAT)
    index = line.statistic.cells(plan.table)
    if index is not None:  # whole numbers, and two doubles beside them
        answer = _size(index) + 3 * _LINE * (1 + len(index[0]))
        answer += len(index) * (4 + 3 * (widest + 1) + 2 * _FLOAT)
    question = line.statistic.plain()
    return 2 * _LINE + 2 * _size(question) + _size(line.statistic.label) + noisy + answer


def _digits(found: Aggregate, law: Law, cells: int) -> int:
    """Return the letters of the widest number of a vector, with its sign and a comma."""
    noise = law.half_width(_CHANCE / cells)  # exact: rationals
    return len(str(_UNITS * found.sensitivity.linf + noise)) + 2


def _rows(table: Table, found: Aggregate, numbers: int) -> int:
    """Return the room of an answer's rows, one a group and bin (or column): keys, then numbers."""
    groups, bins, measures = found.shape(table)
    each = max(1, measures - 1)  # a mean of several columns has one number a column
    if found.transform:  # its result may be longer than what was counted
        each = max(each, -(-found.size(table) // (groups * bins)))
    columns = {name for measure in found.measures for name in measure.columns}
    columns |= {found.bins.column} if found.bins else set()
    beside = max(map(_size, columns), default=0) + 2 * _FLOAT * (found.bins is not None)
    listed = {column: table.keys[column] for column in found.by}
    keys = sum(groups // len(known) * _size(list(known)) for known in listed.values())
    heads = 3 * sum(map(_size, (*found.by, *columns))) + _AXIS * (len(found.by) + 1) + _LINE
    return heads + bins * each * (keys + groups * (beside + numbers + 4))


def _size(plain: object) -> int:
    return len(json.dumps(plain, separators=(",", ":")))
