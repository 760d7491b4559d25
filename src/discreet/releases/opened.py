"""The data of a plan, opened and not read."""

from dataclasses import dataclass

from ..engine.choose import engine_for
from ..engine.protocol import Pooling, Prepared
from ..errors import InputError
from ..fix import write
from ..plans.counted import counts
from ..plans.plan import Plan


@dataclass(frozen=True, slots=True)
class Opened:
    """The data of a plan, to be counted, and for each unknown column to be looked at for its keys.

    Attributes:
        counted: what counts the vectors; where keys are to be found, as if none had been.
        poolings: one for each finding of the plan.
    """

    counted: Prepared
    poolings: tuple[Pooling, ...]


def prepared_for(plan: Plan) -> Opened:
    """Open the data of a plan and refuse, before anything is charged, what cannot be counted."""
    engine = engine_for(plan.table.source)
    poolings = tuple(engine.pooling(plan.table, one.pairs) for one in plan.findings)
    known = plan.found({one.column: () for one in plan.findings})
    return Opened(engine.prepare(known.table, counts(known.aggregates)), poolings)


def check_name(plan: Plan) -> None:
    """Refuse data that no ledger can tell from other data."""
    if not plan.table.named:
        raise InputError(
            "this data has no name, so no ledger can keep it apart from other data.",
            why="a frame, a list or a connection is not called by a file; a repeat of the plan "
            "would be taken for the same request",
            fix=write(", the name that its ledger protects", of="table", name="?"),
        )
