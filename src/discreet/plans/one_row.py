"""What a plan that protects units with all their rows allows to find out about one row alone.

What is proved. Let a unit have at most m rows that count, chosen by their content and a salt, each
by itself. One row more of this unit then leaves its counted rows as they are, or adds that row, or
puts it in the place of another: the m first of a list in the order of their hashes change by no
more. So all vectors move as if a row of the table, as a unit of its own, were added, or replaced by
another one: by at most what is declared of a table whose units are rows, in either relation. The
noise is as it was, and what it costs follows from these moves.

Rules of this module:
- it says nothing where a question limits groups or rows in a group: a row can then move a group;
- nor where rows are joined, or keys are found, or questions share a vector: none of it is proved;
- it is a sentence beside the plan's own loss, which is what a ledger is charged.

Decision 93.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..aggregate import Aggregate
from ..errors import InputError
from ..noise.law import Law
from ..privacy.loss import Loss
from ..schema import NO_FACTS, ROW, Table
from ..sensitivity import Sensitivity
from ..statistic.statistic import Statistic
from .price import Act, cost_of

Asked = Sequence[tuple[Statistic, Sequence[Law]]]  # questions, each with the noise of its vectors


def row_words(table: Table, asked: Asked, spend: Loss, cost: Loss) -> Iterator[str]:
    """Yield the sentence on one row alone, where its loss follows and is less than a unit's.

    Args:
        table: the declaration.
        asked: the questions; none of them shares a vector with another.
        spend: what the plan was given.
        cost: what it costs of a unit with all its rows.
    """
    loss = loss_of_row(table, asked, spend)
    if loss is not None and loss.kind == cost.kind and loss.numbers < cost.numbers:
        yield (
            f"Of one row alone, of the at most {table.unit.max_rows:,} of a unit, less can be "
            f"found out: its loss is {loss}, whether it is in the table or another is in its place."
        )


def loss_of_row(table: Table, asked: Asked, spend: Loss) -> Loss | None:
    """Return what noise costs of one row of a unit; None where it is not proved."""
    unit = table.unit
    if unit.column is None or (unit.max_rows or 1) == 1 or table.joins or table.unknown:
        return None
    if any(n.ask.max_groups is not None or n.ask.max_rows_per_group is not None for n, _ in asked):
        return None
    try:
        return cost_of([act for pair in asked for act in acts_of_row(table, *pair)], spend)
    except (InputError, ValueError):  # what cannot be asked where a row is the unit
        return None


def acts_of_row(table: Table, statistic: Statistic, laws: Sequence[Law]) -> Iterator[Act]:
    """Yield the noise of each vector with how far one row moves it, in either relation."""
    either = [
        statistic.aggregates(replace(table, unit=ROW, neighbors=relation, facts=NO_FACTS))
        for relation in ("add_remove", "replace")
    ]
    parts = statistic.shares(table, laws[0].costs) or [1] * len(either[0])
    places = [place for place, part in enumerate(parts) if part]
    for law, place in zip(laws, places, strict=True):
        added, replaced = (_paid(vectors[place]) for vectors in either)
        yield Act(law, Sensitivity(*map(max, zip(added, replaced, strict=True))))


def _paid(vector: Aggregate) -> tuple[int, int, int]:
    moved = vector.paid
    return moved.l1, moved.l2_squared, moved.linf
