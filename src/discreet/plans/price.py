"""What a spend buys, and what the noise of a plan costs, in each kind of loss.

Rules of this module:
- a price follows from the laws and the sensitivities, never from what was to be spent; the spend
  says only at which delta Gaussian noise is priced, and how a price next to it is written;
- each law says itself what it costs in a kind of loss; in (epsilon, delta) the least of all bounds
  counts, each of which holds;
- delta is charged only where noise needs it: pure noise costs (epsilon, 0);
- an act of which only a loss is known is that loss;
- a price is never below what the noise costs, and above it by at most one part in 10,000.

Proofs: docs/prices.md and docs/laws/gdp.md.

Decision 89.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..aggregate import Aggregate
from ..errors import InternalError
from ..exact.number import few_down, few_up
from ..noise import mixture
from ..noise.law import Law
from ..privacy import conversion, gdp
from ..privacy.loss import IDEAL, Loss, total
from ..schema import Table
from ..sensitivity import Sensitivity

_NEXT_TO = Fraction(9_999, 10_000)  # from this share of the spend on, the spend itself is the price


@dataclass(frozen=True, slots=True)
class Act:
    """Noise on each number of one vector, as it is priced, drawn and charged.

    Attributes:
        law, moved: the noise, and how far one unit moves the vector.
        label: of the question whose vector it is; of several that share it, of all.
        aggregates: the parts of the vector.
        places: of each part: its question, and its place there.
        part: what it costs, of what its questions would cost apart.
    """

    law: Law
    moved: Sensitivity
    label: str = ""
    aggregates: tuple[Aggregate, ...] = ()
    places: tuple[tuple[int, int], ...] = ()
    part: Fraction = Fraction(1)

    @property
    def questions(self) -> tuple[int, ...]:
        """The places of the questions whose vector it is, each once."""
        return tuple(dict.fromkeys(question for question, _ in self.places))

    def event(self, cells: int | None) -> dict[str, object]:
        """Return it as plain data, from which its price can be made again."""
        return {
            "statistic": self.label,
            "cells": cells,
            "noise": self.law.plain(),
            "sensitivity": self.moved.plain(),
        }

    def sizes(self, table: Table) -> list[int]:
        """Return how many numbers each of its parts has."""
        return [aggregate.size(table) for aggregate in self.aggregates]


AnyAct = Act | Loss  # or what was stated for one of which nothing else is known


def loss_in(act: AnyAct, kind: str) -> Loss | None:
    """Return what an act costs in a kind of loss that adds up, or None where none follows."""
    if not isinstance(act, Act):
        return conversion.converted(act, kind)
    of = IDEAL.get(kind, kind)
    loss = act.law.loss_in(of, l1=act.moved.l1, l2_squared=act.moved.l2_squared)
    return loss if loss is None or loss.kind == kind else conversion.converted(loss, kind)


def laplace_in(act: AnyAct) -> mixture.Laplace | None:
    """Return as which Laplace noise an act counts beside Gaussian, or None: then by its mu^2.

    A pure loss is one of randomized response, which each such act is made of.
    """
    if isinstance(act, Act):
        return act.law.laplace(l1=act.moved.l1, l2_squared=act.moved.l2_squared)
    return (1 / act.epsilon, 1) if act.kind == "pure" else None  # exact: rationals


def epsilon_alone(act: AnyAct, delta: Fraction) -> Fraction | None:
    """Return the least epsilon that an act has at a delta, done alone, where that is known."""
    if not isinstance(act, Act) or act.moved.linf != 1:
        return None
    return act.law.epsilon_alone(delta, moved=act.moved.l2_squared)


def candidates(spend: Loss) -> list[Loss]:
    """Return the losses, of few digits, that questions may share; none where they buy nothing."""
    whole = spend.few_down().ideal
    bought = [whole]
    if whole.kind == "approx":
        mu2 = few_down(gdp.mu2_down(whole.epsilon, whole.delta))
        rho = few_down(conversion.rho_down(whole.epsilon, whole.delta))
        bought = [Loss("gdp", (mu2,)), Loss("zcdp", (rho,)), Loss("pure", (whole.epsilon,))]
    return [loss for loss in bought if not loss.is_zero()]


def buys(spend: Loss) -> bool:
    """Tell whether a loss buys an answer to anything; beside rho or mu^2 a delta alone buys none.

    Without an epsilon a delta bounds how far apart all chances are, which Gaussian noise keeps.
    """
    size, *delta = spend.few_down().numbers
    return size > 0 or (spend.kind == "approx" and delta[0] > 0)


def price_of(acts: Sequence[AnyAct], kind: str, spend: Loss) -> Loss | None:
    """Return what acts cost together, in a kind of loss, or None if no number of it follows.

    Args:
        acts: noise on vectors, and whatever else says what it costs.
        kind: of a loss: those of `NAMES`.
        spend: what the plan was given.
    """
    cost, limit = added(acts, kind), spend.few_down()
    if spend.kind == kind == "approx" and (cost is None or not cost.fits(limit)):
        composed = at_delta(acts, limit.delta)  # many choices cost less so than added up
        prices = filter(None, (composed, cost))
        cost = min(prices, key=lambda price: (not price.fits(limit), price.epsilon), default=None)
    return None if cost is None else _written(cost, spend)


def prices_of(acts: Sequence[AnyAct], kind: str, spend: Loss) -> list[Loss]:
    """Return what may be charged for acts, the first that fits: pure ones can be paid as Gaussian.

    Args:
        acts, kind, spend: as for `price_of`.
    """
    prices = [price_of(acts, kind, spend)]
    if kind == "purses":
        mu2 = price_of(acts, "gdp", spend)
        prices.append(None if mu2 is None else conversion.converted(mu2, "purses"))
    return [loss for loss in prices if loss is not None]


def cost_of(acts: Sequence[AnyAct], spend: Loss) -> Loss:
    """Return what acts cost together, in the kind that the plan was given; else zCDP, or purses."""
    for kind in (spend.kind, "zcdp", "purses"):
        if (cost := price_of(acts, kind, spend)) is not None:
            return cost
    raise InternalError(
        "the parts of this plan have no common kind of privacy loss.",
        kind="internal-fault",
        why="each part costs zCDP, or takes from one of the three purses",
        fix="please report it, with the plan",
    )


def added(acts: Sequence[AnyAct], kind: str) -> Loss | None:
    """Return the losses of all acts in one kind, added up, or None where one has none."""
    losses = [loss for act in acts if (loss := loss_in(act, kind)) is not None]
    return total(losses) if losses and len(losses) == len(acts) else None


def at_delta(acts: Sequence[AnyAct], delta: Fraction) -> Loss | None:
    """Return the least loss in (epsilon, delta) at a delta, or None where there is none."""
    epsilons = [*_epsilons(acts, delta)] if delta else []
    return Loss("approx", (min(epsilons), delta)) if epsilons else None


def _epsilons(acts: Sequence[AnyAct], delta: Fraction) -> Iterator[Fraction]:
    """Yield each epsilon that holds at a delta; which is least, nobody knows before."""
    purses, rho = added(acts, "purses"), added(acts, "zcdp")
    noise = noise_of(acts)
    if noise is not None and all(noise):  # both laws: never more than what they add up to
        yield mixture.epsilon_up(*noise, delta)
    elif purses is not None and (left := delta - purses.numbers[2]) > 0:
        yield purses.numbers[0] + gdp.epsilon_up(purses.mu2, left)
    gaussian = [act for act in acts if loss_in(act, "gdp") is not None]
    mu2 = added(gaussian, "gdp")
    chance = _chance_of([act for act in acts if loss_in(act, "gdp") is None])
    if mu2 is not None and chance is not None and delta > chance:
        yield gdp.epsilon_up(mu2.mu2, delta - chance)
    if rho is not None:
        yield conversion.epsilon_up(rho.rho, delta)
    pure = added([act for act in acts if loss_in(act, "pure") is not None], "pure")
    noisy = added([act for act in acts if loss_in(act, "pure") is None], "zcdp")
    if pure is not None and noisy is not None:
        yield pure.epsilon + conversion.epsilon_up(noisy.rho, delta)
    alone = epsilon_alone(acts[0], delta) if len(acts) == 1 else None
    if alone is not None:
        yield alone


def _chance_of(acts: Sequence[AnyAct]) -> Fraction | None:
    """Return with which chance acts fail that cost nothing else; None where one costs more."""
    purses = [loss_in(act, "purses") for act in acts]
    if any(loss is None or any(loss.numbers[:2]) for loss in purses):
        return None
    return sum((loss.numbers[2] for loss in purses if loss is not None), Fraction(0))


def noise_of(acts: Sequence[AnyAct]) -> tuple[Fraction, list[mixture.Laplace]] | None:
    """Return the mu^2 of all Gaussian noise and all Laplace noise; None where an act is neither."""
    pairs = [(act, laplace_in(act)) for act in acts]
    gaussian = [act for act, laplace in pairs if laplace is None]
    mu2 = added(gaussian, "gdp") if gaussian else Loss("gdp", (Fraction(0),))
    return None if mu2 is None else (mu2.mu2, [noise for _, noise in pairs if noise is not None])


def _written(cost: Loss, spend: Loss) -> Loss:
    """Return a loss of few digits that is not below; what is next to the spend is the spend."""
    named = spend.few_down().named if spend.kind == cost.kind or "epsilon" in cost.named else {}
    numbers = []
    for name, number in cost.named.items():
        most = named.get(name)
        is_next = most is not None and most * _NEXT_TO <= number <= most
        numbers.append(most if most is not None and is_next else few_up(number))
    return Loss(cost.kind, tuple(numbers))
