"""What a run does beside for keys that are to be found, and for sizes of groups: steps of a plan.

Rules of this module:
- it is loaded for a plan that has such a step (`Plan.steps`), before the charge, and else never;
- what may be empty when it is read a second time is refused, because these steps read it again.

Decision 78.
"""

from collections.abc import Sequence
from contextlib import closing, suppress

from ..aggregate import Aggregate, Exact, Sizes
from ..engine.protocol import Engine, Pooling, Prepared
from ..engine.select_engine import engine_for
from ..engine.source import can_be_read_again, is_frame
from ..errors import EngineError, InputError, shown
from ..finding.pairs import Pairs
from ..plans.line import counts, sizes_in
from ..plans.plan import Plan
from ..schema import Table
from ..statistic.statement import STATED, stated_labels
from .find import keys_found
from .sealed import at_least

__all__ = ["keys_found", "marked", "opened_again", "opened_for", "sized_by", "sizes_counted"]

Sized = tuple[tuple[Pooling, Sizes], ...]


def marked(plan: Plan, why: str) -> str:
    """Return what a charge is for, behind what is stated of its numbers; the book keeps it."""
    labels = stated_labels([line.asked for line in plan.lines])
    mark = f"{STATED}: {', '.join(labels)}"
    return "; ".join([mark, *([why] if why else [])]) if labels else why


def opened_for(engine: Engine, plan: Plan) -> tuple[Prepared, tuple[Pooling, ...], Sized]:
    """Return what counts the vectors, what finds keys, and what is read for sizes; none is read."""
    poolings = tuple(engine.pooling(plan.table, one.pairs) for one in plan.findings)
    known = plan.found({one.column: () for one in plan.findings})
    asked = counts(known.aggregates)
    counted = engine.prepare(known.table, asked)
    sized = sized_by(engine, plan.table, plan.aggregates)
    if len(poolings) + len(sized) + bool(asked) > 1:
        _check_again(plan.table)
    return counted, poolings, sized


def opened_again(plan: Plan) -> Prepared:
    """Open the data once more, for the keys that were found in it; the charge is spent by then.

    Raises:
        EngineError: it is not there any more, or no longer what it was; no engine's word is
            repeated, because before a charge it is right to say that nothing was charged.
    """
    with suppress(InputError, EngineError):
        return engine_for(plan.table.source).prepare(plan.table, counts(plan.aggregates))
    raise EngineError(
        f"{shown(plan.table.name)} could not be opened again, to count the keys that were found.",
        kind="cannot-open",
        why="it is gone, or no longer what it was when the keys were looked for",
        fix="leave the data as it is until the release is there",
    )


def _check_again(table: Table) -> None:
    """Refuse what may be empty when it is read a second time, after keys were looked for in it."""
    if is_frame(table.source) and not can_be_read_again(table.source):
        raise InputError(
            f"{shown(table.name)} may be a stream, and this plan reads it more than once.",
            kind="read-once",
            why="a stream is empty when it is read again: all that is counted then would be 0",
            fix="read it into a table before: pyarrow.table(stream)",
        )


def sized_by(engine: Engine, table: Table, aggregates: Sequence[Aggregate]) -> Sized:
    """Return the pairs of unit and key of which sizes of groups are made, not read yet."""
    return tuple(
        (engine.pooling(table, Pairs(size.column, (1,) * size.most)), size)
        for size in sizes_in(aggregates)
    )


def sizes_counted(sized: Sized, salt: int) -> list[Exact]:
    """Count how many keys reach each size."""
    found = []
    for pooling, sizes in sized:
        with closing(pooling.read(salt)) as pool:
            found.append(at_least(pool.sums(frozenset()), sizes.at_least))
    return found
