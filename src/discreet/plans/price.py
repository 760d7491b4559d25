"""What a spend buys, and what the noise of a plan costs, in each kind of loss.

Rules of this module:
- a price follows from the laws and the sensitivities, never from what was to be spent; the spend
  says only at which delta Gaussian noise is priced, and how a price next to it is written;
- delta is charged only where noise needs it: pure noise costs (epsilon, 0);
- a price is never below what the noise costs, and above it by at most one part in 10,000.

Proofs: docs/prices.md.
"""

from collections.abc import Sequence
from fractions import Fraction

from ..exact.number import few_down, few_up
from ..privacy.conversion import in_kind, in_zcdp, rho_down
from ..privacy.loss import Loss

_NEXT_TO = Fraction(9_999, 10_000)  # from this share of the spend on, the spend itself is the price


def candidates(spend: Loss) -> list[Loss]:
    """Return the losses, of few digits, that questions may share; none where they buy nothing."""
    whole = spend.few_down()
    bought = [whole]
    if whole.kind == "approx":
        rho = few_down(rho_down(whole.epsilon, whole.delta))
        bought = [Loss("zcdp", (rho,)), Loss("pure", (whole.epsilon,))]
    return [loss for loss in bought if not loss.is_zero()]


def price_of(costs: Sequence[Loss], kind: str, spend: Loss) -> Loss | None:
    """Return what noise costs together, in a kind of loss, or None if no number of it follows.

    Args:
        costs: what the noise of each vector costs, from its law and sensitivity.
        kind: "pure", "zcdp" or "approx".
        spend: what the plan was given.
    """
    cost = in_kind(costs, kind, delta=spend.few_down().named.get("delta", Fraction(0)))
    return None if cost is None else _written(cost, spend)


def cost_of(costs: Sequence[Loss], spend: Loss) -> Loss:
    """Return what noise costs together, in the kind that the plan was given; else in zCDP."""
    return price_of(costs, spend.kind, spend) or _written(in_zcdp(costs), spend)


def _written(cost: Loss, spend: Loss) -> Loss:
    """Return a loss of few digits that is not below; what is next to the spend is the spend."""
    given = spend.few_down().named
    return Loss(cost.kind, tuple([_few(n, given.get(name)) for name, n in cost.named.items()]))


def _few(amount: Fraction, given: Fraction | None) -> Fraction:
    if given is not None and given * _NEXT_TO <= amount <= given:
        return given
    return few_up(amount)
