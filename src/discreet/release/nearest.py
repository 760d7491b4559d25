"""What to type when a plan does not fit: the same questions at what is left, and what it costs."""

from collections.abc import Callable
from fractions import Fraction

from ..exact.number import rounded, text_of
from ..plan.plan import Plan
from ..privacy.loss import AnyLoss, Approx, Pure, Zcdp
from ..statistic.statistic import Expected


def python_of(loss: AnyLoss) -> str:
    """Return the Python that spends a loss."""
    if isinstance(loss, Pure):
        return f'spend=discreet.pure("{text_of(loss.epsilon)}")'
    if isinstance(loss, Zcdp):
        return f'spend=discreet.zcdp("{text_of(loss.rho)}")'
    return f'spend=discreet.approx("{text_of(loss.epsilon)}", "{text_of(loss.delta)}")'


def nearest_fix(plan: Plan, left: AnyLoss, spelled: Callable[[AnyLoss], str] = python_of) -> str:
    """Return the advice that ends a refusal: the nearest plan that fits into what is left.

    Args:
        plan: the plan that does not fit.
        left: what is left in the ledger.
        spelled: how the caller types a loss, in Python or in a plan file.
    """
    if not buys(left):
        return "nothing is left: show the releases there are, or ask the budget's owner"
    smaller = plan.with_spend(left)
    before, after = _widest(plan), _widest(smaller)
    return (
        f"plan again with {spelled(left)}; the widest interval grows from "
        f"±{rounded(before.half_width)} to ±{rounded(after.half_width)}"
        f"{' (divided by the rows)' if after.per_row else ''}"
    )


def buys(left: AnyLoss) -> bool:
    """Tell whether any plan fits into what is left."""
    return not (left.is_zero() or (isinstance(left, Approx) and left.epsilon == 0))


def _widest(plan: Plan) -> Expected:
    found = [line.statistic.expected(plan.table, line.laws, plan.alpha) for line in plan.lines]
    return max(found, key=lambda expected: (not expected.per_row, Fraction(expected.half_width)))
