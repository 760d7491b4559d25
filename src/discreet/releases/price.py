"""What a run is charged for a plan: what its noise costs, after the plan was made again.

Rules of this module:
- what a plan states is compared with what follows, never believed: a plan is plain data, and
  whoever holds one can exchange any part of it;
- vectors, sensitivities and laws follow from the declaration, the questions and the spend; the
  price (`plan.price`) follows from the laws and sensitivities.
"""

from collections.abc import Sequence
from contextlib import suppress

from ..errors import BudgetError, InputError
from ..fix import Do, call, write
from ..plans.plan import Plan
from ..plans.price import AnyAct, prices_of
from ..plans.unknown import with_chance
from ..privacy.loss import Loss


def price(plan: Plan, left: Loss) -> Loss | None:
    """Return what a ledger with so much left charges for a plan, or None if no number follows.

    Raises:
        InputError: the plan states a loss, a vector or noise that its questions do not make.
    """
    refuse_changed(plan)
    return plan.charged(left)


def refuse_without_chance(plan: Plan, budget: Loss) -> None:
    """Raise BudgetError where keys are to be found, and the ledger was opened without a delta."""
    chance = budget.named.get("chance" if budget.kind == "purses" else "delta")
    if chance or not plan.findings:
        return
    purse = ", and chance='1e-7'" if budget.kind == "purses" else ""
    note, column = f"{purse}, with the budget's owner", plan.findings[0].column
    raise BudgetError(
        f"finding keys needs a delta, and the budget of this ledger is {budget}, without one.",
        kind="delta-missing",
        why="a key that only one person has must stay hidden, but for a chance of delta",
        fix=(
            Do(call("discreet.ledger", "new.ledger", budget=with_chance(budget)), note),
            write(", with the keys listed", of="table", keys={column: ["?", "?"]}),
        ),
    )


def refuse_changed(plan: Plan) -> None:
    """Raise InputError unless a plan is the one that its declaration, questions and spend make."""
    with suppress(InputError):
        again = made_again(plan)
        if _stated(again) == _stated(plan):
            return
    raise InputError(
        "this plan was changed after it was made: it does not state what its noise costs.",
        kind="plan-changed",
        why="noise and price follow from the declaration, the questions and the spend, and so made "
        "again they are others",
        fix="make the plan again, by discreet.plan",
    )


def _stated(plan: Plan) -> tuple[object, ...]:
    return plan.lines, plan.findings, plan.spend, plan.alpha


def made_again(plan: Plan) -> Plan:
    """Return the plan that a plan's declaration, questions and spend make."""
    return plan.with_spend(plan.spend)


def covered(acts: Sequence[AnyAct], paid: Loss) -> bool:
    """Tell whether a loss that was paid is at least what these acts are priced at."""
    return any(cost.fits(paid) for cost in prices_of(acts, paid.kind, paid))
