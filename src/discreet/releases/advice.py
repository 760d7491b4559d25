"""What to type when a plan does not fit: the same questions at what is left, and what it costs."""

from fractions import Fraction

from ..errors import InputError
from ..exact.number import text_of
from ..fix import Call, Say, Ways, write
from ..plans.plan import Plan
from ..plans.price import candidates
from ..plans.show import plus_minus
from ..privacy.loss import Loss, call_of

_LEAST = Fraction(1, 10**9)  # a half-width of 0 grows by much


def loss_call(loss: Loss) -> Call:
    """Return the call that makes a loss."""
    return call_of(loss.kind, *map(text_of, loss.numbers))


def nearest_fix(plan: Plan, left: Loss) -> Ways:
    """Return the advice that ends a refusal: the nearest plan that fits into what is left.

    Args:
        plan: the plan that does not fit.
        left: what is left in the ledger.
    """
    smaller = nearest(plan, left)
    if smaller is None:
        is_some = candidates(left) and not _is_delta_alone(left)
        why = f"{left} buys no answer to this" if is_some else "nothing is left"
        return (Say(f"{why}: show the releases there are, or ask the budget's owner"),)
    note = f"{_wider(plan, smaller)}; {_changed(plan, smaller)}"
    return (write(note, of="plan", verb="plan again with", spend=loss_call(smaller.spend)),)


def nearest(plan: Plan, left: Loss) -> Plan | None:
    """Return the same questions at what is left, or None where that buys no answer to them.

    Where it does not keep the errors that were wanted, all of them are wider, by one factor.
    """
    if _is_delta_alone(left):
        return None
    spend = _to_spend(left.few_down())
    spend = spend if plan.findings else spend.ideal
    try:
        return plan.with_spend(spend)
    except InputError:  # nothing is left, or so little that no law of ours has so much noise
        if not candidates(spend) or not any(line.statistic.ask.within for line in plan.lines):
            return None
    try:
        return plan.widened(spend)
    except InputError:
        return None


def _is_delta_alone(left: Loss) -> bool:
    """Tell whether a delta is left and no epsilon: it buys noise that hides most answers."""
    return left.kind == "approx" and left.epsilon == 0


def _to_spend(left: Loss) -> Loss:
    """Return what a next plan may spend: of three purses the Gaussian one, or else the pure one."""
    if left.kind != "purses":
        return left
    pure, mu2, _ = left.numbers
    return Loss("gdp", (mu2,)) if mu2 else Loss("pure", (pure,))


def _wider(plan: Plan, smaller: Plan) -> str:
    """Return how many times as wide the wanted errors of the smaller plan are."""
    for before, after in zip(plan.lines, smaller.lines, strict=True):
        first, then = before.statistic.ask.within, after.statistic.ask.within
        if first and then and first != then:
            factor = then.amount / first.amount  # exact: rationals
            return f" and within= {text_of(factor)} times as wide"
    return ""


def _changed(plan: Plan, smaller: Plan) -> str:
    """Return what becomes of the question whose interval grows most."""
    before, after = (
        [line.statistic.expected(found.table, line.laws, found.level(line)) for line in found.lines]
        for found in (plan, smaller)
    )
    growth = [
        Fraction(new.half_width, max(old.half_width, _LEAST))
        for old, new in zip(before, after, strict=True)
    ]
    most = growth.index(max(growth))
    rows = plan.lines[most].statistic.ask.rows
    first, then = plus_minus(before[most], rows), plus_minus(after[most], rows)
    if first == then:
        changes = f"stays at {first}"
    elif after[most].half_width > before[most].half_width:
        changes = f"grows from {first} to {then}"
    else:
        changes = f"shrinks from {first} to {then}"
    return f"the interval of {plan.lines[most].statistic.label} {changes}"
