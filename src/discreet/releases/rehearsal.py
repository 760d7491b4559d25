"""A rehearsal: the whole way on made-up rows, marked as such, for nothing.

Rules of this module:
- the rows are made of the declaration alone: no data is opened; derived columns are made up as
  those of the data are, every row passes every condition, and tables are joined already;
- the noise is real, and the result says on every face that it is a rehearsal.
"""

from dataclasses import replace

from ..engine.memory import MemoryEngine
from ..entropy import Coins
from ..ledgers.entry import now
from ..plans.line import counts
from ..plans.plan import Plan
from ..schema import Table
from ..schema.csv_options import DEFAULT
from .open_ledger import plan_for
from .release import Release
from .run import Opened, released
from .steps import sized_by

_ROWS = 2_000
_KEYS = 5  # that stand for those found of an unknown column
_BYTES = 8


def rehearse(plan: Plan) -> Release:
    """Make a release from made-up rows of the schema. `rehearse` reads, charges and stores nothing.

    Args:
        plan: the plan to try, made by `discreet.plan`.

    Returns: a release that is marked as a rehearsal, with numbers that say nothing of any data.

    Raises:
        InputError: the argument is not a plan.

    Example:
        >>> import discreet as dp
        >>> people = dp.table([], name="people", unit="row", keys={"ward": ["A", "B"]})
        >>> print(dp.rehearse(dp.plan(people, dp.count(by="ward"), spend=dp.zcdp("1/50"))))
        REHEARSAL of people: made-up rows, real noise. These numbers say nothing of any data.
        ...
    """
    from .document import compose

    plan = plan_for("rehearse", plan)
    over = plan.found({part.column: _made_up(part.column) for part in plan.findings})
    counted = {name: replace(part, kind="number") for name, part in over.table.columns.items()}
    cells = {name: replace(part, of=()) for name, part in over.table.unknown.items()}
    made_up = replace(
        over.table,
        source=_rows(over.table, Coins()),
        columns=counted,  # of days and moments their numbers are made up
        derived={},
        unknown=cells,
        condition=None,
        joins=(),
        csv=DEFAULT,
    )
    asked = (replace(part, where=None) for part in counts(over.aggregates))  # made-up rows pass all
    engine = MemoryEngine()
    sized = sized_by(engine, made_up, over.aggregates)
    prepared = Opened(engine.prepare(made_up, tuple(asked)), (), sized)
    _, noisy = released(replace(over, findings=()), prepared, paid=plan.spend)
    return Release(compose(over, noisy, request="rehearsal", created=now(), ledger=None))


def _rows(table: Table, coins: Coins) -> list[dict[str, object]]:
    known = table.facts.rows if table.unit.column is None else None
    return [_row(table, number, coins) for number in range(min(_ROWS, known or _ROWS))]


def _row(table: Table, number: int, coins: Coins) -> dict[str, object]:
    row: dict[str, object] = {}
    if table.unit.column is not None:
        row[table.unit.column] = f"unit {number // (table.unit.max_rows or 1)}"
    for column, bounds in table.columns.items():
        steps = bounds.lower_step + _below(bounds.width + 1, coins)
        row[column] = steps * bounds.step
    for column, keys in table.keys.items():
        place = _below(len(keys), coins) if keys else 0
        gone = column in table.missing and place == len(table.listed(column))
        row[column] = keys[place] if keys and not gone else None
    return row


def _made_up(column: str) -> list[str]:
    """Return what stands for the keys that are found of an unknown column."""
    return [f"{column} {number + 1}" for number in range(_KEYS)]


def _below(limit: int, coins: Coins) -> int:
    """Return a made-up whole number below `limit`; how evenly does not matter here."""
    return int.from_bytes(coins.bytes(_BYTES), "big") % limit
