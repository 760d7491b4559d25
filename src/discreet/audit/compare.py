"""What is wrong between two neighbors: outcomes, shapes, noise, and a loss above a price.

Rules of this module:
- what a ledger would charge is asked in each kind of loss that a ledger can have;
- both neighbors failing alike checks nothing, and is counted as that.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import erfc, prod, sqrt

from ..aggregate import Aggregate, Noisy
from ..exact.number import rounded
from ..noise.law import Law
from ..plans.plan import Plan
from ..privacy.loss import Loss
from .measured import Move, delta_down, picks
from .replay import Cellwise, Pooled, Replayed, Seen

KINDS = ("pure", "zcdp", "gdp", "purses", "approx", "approx_zcdp", "approx_gdp")


@dataclass(frozen=True, slots=True)
class PairLoss:
    """What one pair costs at least: the numbers that move, and the chance that a key shows."""

    parts: tuple[Move, ...] = ()
    chance: float = 0.0

    def size(self) -> Fraction:
        """Return its divergence, by which the worst pair is known."""
        return sum((part.divergence() for part in self.parts), Fraction(0))


def prices(plan: Plan) -> list[Loss]:
    """Return what ledgers charge for a plan, in each kind of loss in which it has a price."""
    kinds = dict.fromkeys((plan.spend.kind, "pure", "zcdp", "gdp", "purses"))
    return [price for kind in kinds if (price := plan.price(kind)) is not None]


def differences(plan: Plan, both: Replayed) -> Iterator[str]:
    """Yield what differs between two neighbors that must not: outcome, words, shape, noise."""
    before, after = both.before, both.after
    if before.outcome != after.outcome:
        yield f"with the unit: {before.outcome}; without it: {after.outcome}"
        return
    if before.words != after.words:
        yield "what is said hangs on the unit"
    if before.plan is None or after.plan is None:
        return
    if before.plan.table.keys != after.plan.table.keys:
        yield "the keys of the answer hang on the unit"
        return
    for number, aggregate in enumerate(plan.aggregates):
        yield from _noise(number, aggregate, before, after)


def _noise(number: int, aggregate: Aggregate, before: Seen, after: Seen) -> Iterator[str]:
    """Yield how the noise of one vector hangs on the unit, where it is seen."""
    if aggregate.choice is not None:
        return
    here, other = before.noisy[number], after.noisy[number]
    first, second = before.exact[number], after.exact[number]
    if aggregate.sparse is not None:
        yield from _of_sparse(number, (here, first), (other, second))
        return
    if len(here.values) != len(other.values):
        lengths = f"{len(here.values)} numbers with the unit, {len(other.values)} without it"
        yield f"vector {number + 1} has {lengths}"
        return
    apart = sum(
        a - first.get(at, 0) != b - second.get(at, 0)
        for at, (a, b) in enumerate(zip(here.values, other.values, strict=True))
    )
    if apart:
        where = f"{apart} numbers of vector {number + 1}"
        yield f"the noise of {where} hangs on the unit, or on the order of rows"


def _of_sparse(
    number: int, here: tuple[Noisy, Cellwise], other: tuple[Noisy, Cellwise]
) -> Iterator[str]:
    """Yield how cells that are told hang on the unit, but by what it adds to them."""
    (first, before), (second, after) = here, other
    noises = [
        {at: n - counts.get(at, 0) for at, n in zip(noisy.places or (), noisy.values, strict=True)}
        for noisy, counts in ((first, before), (second, after))
    ]
    apart = sum(noises[0][at] != noises[1][at] for at in noises[0].keys() & noises[1].keys())
    same = [at for at in noises[0].keys() ^ noises[1].keys() if before.get(at) == after.get(at)]
    gone = [
        at
        for mine, others, counts, others_counts in (
            (noises[0], noises[1], before, after),
            (noises[1], noises[0], after, before),
        )
        for at in mine.keys() - others.keys()
        if others_counts.get(at, 0) > counts.get(at, 0)
    ]
    if apart or same or gone:
        cells = apart + len(same) + len(gone)
        yield f"the noise of {cells} cells of vector {number + 1} hangs on the unit"


def measured(plan: Plan, both: Replayed, stated: Sequence[bool]) -> PairLoss:
    """Return what a pair costs at least.

    Args:
        plan, both: what was asked, and what came of it.
        stated: of each vector whether nobody proves how far it moves.
    """
    parts: list[Move] = []
    if both.before.plan is None or both.after.plan is None:
        return PairLoss()
    for number, (aggregate, law) in enumerate(zip(plan.aggregates, plan.laws, strict=True)):
        pair = both.before.exact[number], both.after.exact[number]
        if not stated[number]:
            parts += _choice(aggregate, law, *pair) if aggregate.choice else _moved(law, *pair)
    return PairLoss(tuple(parts))


def _moved(law: Law, here: Cellwise, other: Cellwise) -> list[Move]:
    moves = (abs(here.get(at, 0) - other.get(at, 0)) for at in {**here, **other})
    return [Move(law, moved) for moved in moves if moved]


def _choice(aggregate: Aggregate, law: Law, here: Cellwise, other: Cellwise) -> list[Move]:
    """Return the picks of a choice for both neighbors."""
    choice = aggregate.choice
    if choice is None or here == other:
        return []
    both = [[values[at] for at in sorted(values)] for values in (here, other)]
    if choice.rank is None:
        among = choice.among(len(both[0]))
        return picks(law, both[0][:among], both[1][:among], choice.picks)
    rank, bins, parts = choice.rank, aggregate.bins.count if aggregate.bins else 1, list[Move]()
    off = rank.off(law.half_width, bins)
    for start in range(0, len(both[0]), bins):
        mine, others = (rank.numbers(values[start : start + bins], off) for values in both)
        if mine != others:
            parts += picks(law, mine, others, 1)
    return parts


def found_cost(plan: Plan, before: Sequence[Pooled], after: Sequence[Pooled]) -> PairLoss:
    """Return what finding keys costs at least: rounds over keys that both have, and new keys."""
    parts, missed = list[Move](), 1.0
    for finding, here, other in zip(plan.findings, before, after, strict=True):
        worst: list[int] = []
        for some in here.sums:
            mine, others = here.sums[some], other.sums[some]
            moves = [abs(mine[key] - others[key]) for key in mine.keys() & others.keys()]
            worst = max(worst, moves, key=lambda these: sum(d * d for d in these))
        parts += [Move(law, moved) for law in finding.laws for moved in worst if moved]
        first, second = here.sums[frozenset()], other.sums[frozenset()]
        for mine, others in ((first, second), (second, first)):
            shown = [_shows(finding, mine[key]) for key in mine.keys() - others.keys()]
            missed = min(missed, prod(1 - chance for chance in shown))
    return PairLoss(tuple(parts), (1 - missed) * (1 - 1e-6))


def _shows(finding: "object", adds: int) -> float:
    """Return how likely a key is shown to which one unit alone adds so much, in its best round."""
    from ..finding.finding import Finding

    if not isinstance(finding, Finding):
        return 0.0
    best, so_far = 0.0, 0
    for precision, threshold in zip(finding.precisions, finding.thresholds, strict=True):
        so_far += precision
        deviation = sqrt(so_far * float(finding.sigma2))
        best = max(best, erfc((threshold - so_far * adds) / deviation / sqrt(2)) / 2)
    return best


def together(here: PairLoss, other: PairLoss) -> PairLoss:
    """Return what two costs of one pair are together."""
    return PairLoss(here.parts + other.parts, 1 - (1 - here.chance) * (1 - other.chance))


def above(price: Loss, cost: PairLoss) -> str | None:
    """Return how a pair costs more than a price; None where it does not, as far as is seen."""
    named = price.named
    seen = sizes(price, cost)
    for name, size in seen.items():
        if size is None or size > named[name]:
            amount = "without end" if size is None else rounded(size, 4)
            return f"{name} = {amount}, above {rounded(named[name], 4)} of {price}"
    return None


def sizes(price: Loss, cost: PairLoss) -> Mapping[str, Fraction | None]:
    """Return what a pair costs at least, in the numbers of a price; None has no end."""
    whole = cost.size()
    chance = Fraction(cost.chance)
    by_kind: Mapping[str, Mapping[str, Fraction | None]] = {
        "pure": {"epsilon": _pure(cost.parts)} if price.kind == "pure" else {},
        "zcdp": {"rho": whole},
        "gdp": {"mu2": 2 * whole},
        "approx_zcdp": {"rho": whole, "delta": chance},
        "approx_gdp": {"mu2": 2 * whole, "delta": chance},
        "purses": _of_purses(cost) if price.kind == "purses" else {},
        "approx": {},
    }
    if price.kind == "approx":
        if price.delta == 0:
            return {"epsilon": _pure(cost.parts)}
        return {"delta": Fraction(max(delta_down(cost.parts, price.epsilon), cost.chance))}
    return by_kind[price.kind]


def _pure(parts: Sequence[Move]) -> Fraction | None:
    losses = [part.pure() for part in parts]
    known = [loss for loss in losses if loss is not None]
    return sum(known, Fraction(0)) if len(known) == len(losses) else None


def _of_purses(cost: PairLoss) -> Mapping[str, Fraction | None]:
    pure = [part for part in cost.parts if part.law.costs == "pure" or part.law.chooses]
    others = [part for part in cost.parts if part not in pure]
    return {
        "pure": _pure(pure),
        "mu2": 2 * replace(cost, parts=tuple(others)).size(),
        "chance": Fraction(cost.chance),
    }
