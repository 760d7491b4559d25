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
from ..privacy.conversion import epsilon_up, rho_down, rho_of_pure
from ..privacy.loss import AnyLoss, Approx, Pure, Zcdp

_NEXT_TO = Fraction(9_999, 10_000)  # from this share of the spend on, the spend itself is the price

Cost = Pure | Zcdp


def candidates(spend: AnyLoss) -> list[Cost]:
    """Return the losses, of few digits, that questions may share; none where they buy nothing."""
    whole = spend.few_down()
    if not isinstance(whole, Approx):
        return [] if whole.is_zero() else [whole]
    rho = few_down(rho_down(whole.epsilon, whole.delta))
    return [Zcdp(rho)] * (rho > 0) + [Pure(whole.epsilon)] * (whole.epsilon > 0)


def price_of(costs: Sequence[Cost], kind: str, spend: AnyLoss) -> AnyLoss | None:
    """Return what noise costs together, in a kind of loss, or None if no number of it follows.

    Args:
        costs: what the noise of each vector costs, from its law and sensitivity.
        kind: "pure", "zcdp" or "approx".
        spend: what the plan was given.
    """
    epsilons = sum((cost.epsilon for cost in costs if isinstance(cost, Pure)), Fraction(0))
    rhos = sum((cost.rho for cost in costs if isinstance(cost, Zcdp)), Fraction(0))
    own = spend.few_down()
    if kind == "zcdp":
        return _zcdp(costs, own)
    epsilon = None if isinstance(own, Zcdp) else own.epsilon
    if kind == "pure":
        return None if rhos else Pure(_written(epsilons, epsilon))
    if not rhos:
        return Approx(_written(epsilons, epsilon), Fraction(0))
    if not isinstance(own, Approx) or own.delta == 0:
        return None
    return Approx(_written(epsilons + epsilon_up(rhos, own.delta), epsilon), own.delta)


def cost_of(costs: Sequence[Cost], spend: AnyLoss) -> AnyLoss:
    """Return what noise costs together, in the kind that the plan was given; else in zCDP."""
    return price_of(costs, spend.kind, spend) or _zcdp(costs, spend.few_down())


def _zcdp(costs: Sequence[Cost], own: AnyLoss) -> Zcdp:
    rhos = [rho_of_pure(c.epsilon) if isinstance(c, Pure) else c.rho for c in costs]
    return Zcdp(_written(sum(rhos, Fraction(0)), own.rho if isinstance(own, Zcdp) else None))


def _written(amount: Fraction, given: Fraction | None) -> Fraction:
    """Return an amount of few digits that is not below: what was given, if that is next to it."""
    if given is not None and given * _NEXT_TO <= amount <= given:
        return given
    return few_up(amount)
