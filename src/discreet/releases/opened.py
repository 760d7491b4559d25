"""The data of a plan, opened and not read."""

from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass

from ..aggregate import Aggregate, Exact, Sizes
from ..engine.choose import engine_for
from ..engine.protocol import Engine, Pooling, Prepared
from ..engine.source import can_be_read_again, is_frame
from ..errors import EngineError, InputError, shown
from ..finding.pairs import Pairs
from ..fix import write
from ..plans.counted import counts, sizes_in
from ..plans.plan import Plan
from ..schema import Table
from .door import at_least


@dataclass(frozen=True, slots=True)
class Opened:
    """The data of a plan, to be counted, and for each unknown column to be looked at for its keys.

    Attributes:
        counted: what counts the vectors; where keys are to be found, as if none had been.
        poolings: one for each finding of the plan.
        sized: the pairs of unit and key of which sizes of groups are made, with the sizes.
    """

    counted: Prepared
    poolings: tuple[Pooling, ...] = ()
    sized: tuple[tuple[Pooling, Sizes], ...] = ()

    def count(self, salt: int) -> tuple[Exact, ...]:
        """Count what the engine counts, then the keys of each size."""
        found = []
        for pooling, sizes in self.sized:
            with closing(pooling.read(salt)) as pool:
                found.append(at_least(pool.sums(frozenset()), sizes.at_least))
        return (*self.counted.count(salt), *found)


def prepared_for(plan: Plan) -> Opened:
    """Open the data of a plan and refuse, before anything is charged, what cannot be counted."""
    engine = engine_for(plan.table.source)
    poolings = tuple(engine.pooling(plan.table, one.pairs) for one in plan.findings)
    known = plan.found({one.column: () for one in plan.findings})
    asked = counts(known.aggregates)
    counted = engine.prepare(known.table, asked)
    sized = sized_by(engine, plan.table, plan.aggregates)
    if len(poolings) + len(sized) + bool(asked) > 1:
        _check_again(plan.table)
    return Opened(counted, poolings, sized)


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
        why="it is gone, or no longer what it was when the keys were looked for",
        fix="leave the data as it is until the release is there",
    )


def _check_again(table: Table) -> None:
    """Refuse what may be empty when it is read a second time, after keys were looked for in it."""
    if is_frame(table.source) and not can_be_read_again(table.source):
        raise InputError(
            f"{shown(table.name)} may be a stream, and this plan reads it more than once.",
            why="a stream is empty when it is read again: all that is counted then would be 0",
            fix="read it into a table before: pyarrow.table(stream)",
        )


def sized_by(
    engine: Engine, table: Table, aggregates: Sequence[Aggregate]
) -> tuple[tuple[Pooling, Sizes], ...]:
    """Return the pairs of unit and key of which sizes of groups are made, not read yet."""
    return tuple(
        (engine.pooling(table, Pairs(one.column, (1,) * one.most)), one)
        for one in sizes_in(aggregates)
    )


def check_name(plan: Plan) -> None:
    """Refuse data that no ledger can tell from other data."""
    if not plan.table.named:
        raise InputError(
            "this data has no name, so no ledger can keep it apart from other data.",
            why="a frame, a list or a connection is not called by a file; a repeat of the plan "
            "would be taken for the same request",
            fix=write(", the name that its ledger protects", of="table", name="?"),
        )
