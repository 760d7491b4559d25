"""One question of a plan, with its noise."""

from dataclasses import dataclass

from ..aggregate import Aggregate, Sensitivity
from ..noise import registry
from ..noise.law import Law
from ..privacy.loss import Loss
from ..statistic.statistic import Statistic
from ..text import prompt


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
    def costs(self) -> tuple[Loss, ...]:
        """What the noise of each vector costs: from its law and sensitivity alone."""
        return costs_of(self.laws, self.aggregates)


def law_for(loss: Loss, sensitivity: Sensitivity) -> Law:
    """Return the noise that makes a vector of this sensitivity cost exactly this loss."""
    return registry.law_for(loss, l1=sensitivity.l1, l2_squared=sensitivity.l2_squared)


def costs_of(laws: tuple[Law, ...], aggregates: tuple[Aggregate, ...]) -> tuple[Loss, ...]:
    """Return what noise on each of some vectors costs."""
    found = zip(laws, (one.sensitivity for one in aggregates), strict=True)
    return tuple(law.loss(l1=s.l1, l2_squared=s.l2_squared) for law, s in found)
