"""One question of a plan, with its noise.

Rules of this module:
- a law has six digits, or eight where they are exact, and is no narrower than its share buys;
- how noise was found before has a name, so that earlier releases are made again as they were.
"""

from dataclasses import dataclass
from typing import Literal

from ..aggregate import Aggregate
from ..errors import InternalError
from ..noise import registry
from ..noise.law import Law
from ..privacy.loss import Loss
from ..statistic.statistic import Statistic
from ..text import prompt
from .price import Act, added, cost_of

Account = Literal["gdp-1", "zcdp-0"]
NOW: Account = "gdp-1"  # (epsilon, delta) through mu^2, and laws of six digits
EXACT: Account = "zcdp-0"  # through zCDP, and laws of any number of digits
EARLIER = (EXACT,)


@dataclass(frozen=True, slots=True)
class Line:
    """One question of a plan: what is counted, with which noise, and its share of the spend."""

    statistic: Statistic
    aggregates: tuple[Aggregate, ...]
    laws: tuple[Law, ...]
    share: Loss

    def __repr__(self) -> str:
        return prompt("Line", f"{self.statistic.label} at {self.share}")

    @property
    def acts(self) -> tuple[Act, ...]:
        """The noise of each vector with its sensitivity, from which its price follows."""
        return acts_of(self.laws, self.aggregates)

    @property
    def costs(self) -> tuple[Loss, ...]:
        """What the noise of each vector costs, exactly, in the kind of loss that was shared."""
        found = zip(self.laws, self.aggregates, strict=True)
        return tuple(cost_in(self.share.kind, (law,), (one,)) for law, one in found)

    @property
    def cost(self) -> Loss:
        """What the noise costs, in the kind of loss that was shared, in few digits."""
        return cost_of(self.acts, self.share)


def law_for(loss: Loss, counted: Aggregate, account: Account = NOW) -> Law:
    """Return the noise of few digits, or the choice, that makes a vector cost this loss."""
    moved, chooses = counted.paid, counted.choice is not None
    found = registry.law_for(loss, l1=moved.l1, l2_squared=moved.l2_squared, chooses=chooses)
    return found.few_up() if account == NOW else found


def acts_of(laws: tuple[Law, ...], aggregates: tuple[Aggregate, ...]) -> tuple[Act, ...]:
    """Return noise on each of some vectors, as acts that say what they cost."""
    return tuple(map(Act, laws, (one.paid for one in aggregates)))


def cost_in(kind: str, laws: tuple[Law, ...], aggregates: tuple[Aggregate, ...]) -> Loss:
    """Return what noise on some vectors costs, exactly, in a kind of loss that it was found for."""
    found = added(acts_of(laws, aggregates), kind)
    if found is None:
        raise InternalError(
            f"noise that was found for a loss of kind {kind} has no loss of that kind.",
            why="a law is calibrated to the kinds in which it knows its price",
            fix="please report it, with the plan",
        )
    return found
