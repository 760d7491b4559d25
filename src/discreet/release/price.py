"""What a plan costs, made again from its declaration, its questions and its noise.

Rules of this module:
- what a plan states is compared with what follows, never believed: a plan is plain data, and
  whoever holds one can exchange any part of it;
- a sensitivity is the one that the question proves for the declaration, a cost the one that the law
  proves for that sensitivity; losses are added in order, exactly.
"""

from collections.abc import Sequence

from ..errors import InputError
from ..plan.plan import Line, Plan
from ..privacy.conversion import converted, rho_down
from ..privacy.loss import AnyLoss, Approx, Pure, Zcdp, total, within
from ..schema import Table


def price(plan: Plan, kind: str) -> AnyLoss | None:
    """Return what a plan costs in a ledger's kind of loss, or None if no number of it follows.

    Raises:
        InputError: the plan states a loss, a vector or noise that its questions do not make.
    """
    refuse_changed(plan)
    return plan.price(kind)


def refuse_changed(plan: Plan) -> None:
    """Raise InputError unless a plan states what its declaration, questions and noise make."""
    found = costs(plan)
    if not found or found != [line.loss for line in plan.lines] or not _is_whole(found, plan.loss):
        raise InputError(
            "this plan was changed after it was made: it does not state what its noise costs.",
            why="the price follows from the declaration, the questions and the noise, and so made "
            "again it is another one",
            fix="make the plan again: discreet.plan(table, *questions, spend=...)",
        )


def _is_whole(found: Sequence[AnyLoss | None], stated: AnyLoss) -> bool:
    """Tell whether a plan states the loss of its questions; an (epsilon, delta) must cover it."""
    if isinstance(stated, Approx):
        return covered(found, stated)
    losses = [cost for cost in found if cost is not None and cost.kind == stated.kind]
    return len(losses) == len(found) and total(losses) == stated


def costs(plan: Plan) -> list[Pure | Zcdp | None]:
    """Return what each question of a plan costs; None where its vectors are not its own."""
    return [_cost(plan.table, line) for line in plan.lines]


def covered(costs: Sequence[AnyLoss | None], paid: AnyLoss) -> bool:
    """Tell whether a loss that was paid is at least that of all these costs together.

    zCDP costs are within an (epsilon, delta) where their sum is at most the rho that implies it
    (`conversion.rho_down`, from below).
    """
    if isinstance(paid, Approx) and not all(isinstance(cost, Pure) for cost in costs):
        paid = Zcdp(rho_down(paid.epsilon, paid.delta))
    same = [None if cost is None else converted(cost, paid.kind) for cost in costs]
    found = [cost for cost in same if cost is not None]
    return len(found) == len(same) and (not found or within(total(found), paid))


def _cost(table: Table, line: Line) -> Pure | Zcdp | None:
    aggregates = line.statistic.aggregates(table)
    if aggregates != line.aggregates or len(line.laws) != len(aggregates):
        return None
    parts = [
        law.loss(l1=found.sensitivity.l1, l2_squared=found.sensitivity.l2_squared)
        for law, found in zip(line.laws, aggregates, strict=True)
    ]
    if len({part.kind for part in parts}) != 1:
        return None
    cost = total(parts)
    return None if isinstance(cost, Approx) else cost
