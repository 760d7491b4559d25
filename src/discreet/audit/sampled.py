"""What is only seen by drawing: whole runs on the worst pair, and whether rows are kept evenly.

Whole runs. An event is chosen on a fifth of the runs, by what the law says of both neighbors; on
the others its chances are bounded from both sides, each wrong once in two million times (Chernoff's
bound by the divergence of Bernoulli's law, which holds for every number of runs). What the event
then tells, the plan loses at least.

Rules of this module:
- coins and salts are fresh, as those of a release;
- a bound that is above a price is a fault; one that is below says nothing more than it says.

Decision 120.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Context
from fractions import Fraction
from math import exp, inf, log
from time import monotonic

from ..aggregate import Noisy
from ..exact.enclosure import enclosed
from ..exact.number import rounded
from ..noise.law import Law
from ..plans.plan import Plan
from ..privacy.loss import Loss
from ..releases.run import prepared_for, released
from .cells import cells_of
from .dice import Script
from .measured import chances_of
from .replay import Cellwise, counted
from .sources import Place, as_they_are
from .worlds import Layout, MadeRow, Neighbors, World

WRONG = 1e-6
_BITS = 192
_UNITS, _ROWS, _SALTS, _FEW = 25, 10, 8, 50


@dataclass(frozen=True, slots=True)
class Bound:
    """What whole runs show: an event with a chance of at least p before, and at most q after."""

    runs: int
    p: float
    q: float

    def words(self, price: Loss) -> str:
        """Return what was seen, for people: in the first number of a price, if the event tells it.

        An event of Gaussian noise tells at most 2 / pi of a small rho, as it has but two answers.
        """
        name, size = self.shown_of(price)
        if not name:
            seen = f"an event has a chance of {self.p:.3g} at least and {self.q:.3g} at most"
        else:
            at = f" at delta = {rounded(price.delta)}" if "delta" in price.named else ""
            least = Context(prec=3, rounding=ROUND_FLOOR).create_decimal_from_float(size)
            seen = f"{name} is at least {least:f} of {rounded(price.named[name], 4)}{at}"
        return f"{self.runs:,} whole runs a side: {seen} (wrong once in a million)"

    def shown_of(self, price: Loss) -> tuple[str, float]:
        """Return a number of a price that the event tells of, and how much; "" where none is."""
        if price.kind in ("pure", "approx"):
            rest = self.p - float(price.named.get("delta", 0))
            return "epsilon", log(rest / self.q) if rest > self.q > 0 else 0.0
        divergence = _apart(self.p, self.q) if 0 < self.q < self.p else 0.0
        sizes = {"zcdp": ("rho", divergence), "gdp": ("mu2", 2 * divergence)}
        return sizes.get(price.kind, ("", 0.0))

    def fault(self, price: Loss) -> str:
        """Return what is wrong, where it is above a price."""
        return (
            f"an event has a chance of at least {self.p:.4g} with the unit and at most "
            f"{self.q:.4g} without it, which {price} does not allow"
        )

    def above(self, price: Loss) -> bool:
        """Tell whether the event tells more than a price allows."""
        named = price.named
        if self.p <= self.q:
            return False
        tells = self.p * log(self.p / self.q) + (1 - self.p) * log((1 - self.p) / (1 - self.q))
        if "epsilon" in named:
            delta = float(named.get("delta", 0))
            return self.p - exp(float(named["epsilon"])) * self.q > delta + 1e-12
        spare = float(named.get("delta", named.get("chance", 0)))
        if spare:
            return False
        limit = named["rho"] if "rho" in named else named.get("mu2", Fraction(0)) / 2
        return price.kind in ("zcdp", "gdp") and tells > float(limit)


def bound_of(
    plan: Plan,
    layout: Layout,
    pair: Neighbors,
    exact: tuple[Sequence[Cellwise], Sequence[Cellwise]],
    place: Place,
    seconds: float,
    paid: Loss,
) -> Bound | None:
    """Return what whole runs on a pair show in so many seconds; None where they are too few."""
    score = _score(plan, *exact)
    ready = [
        replace(plan, table=place(layout, world, as_they_are))
        for world in (pair.before, pair.after)
    ]
    prepared = [prepared_for(each) for each in ready]
    scores: list[list[float]] = [[], []]
    end, late = monotonic() + seconds, monotonic() + max(60.0, 3 * seconds)
    while (now := monotonic()) < end or (now < late and len(scores[0]) < _FEW):
        for side, (here, opened) in enumerate(zip(ready, prepared, strict=True)):
            _, noisy = released(here, opened, paid=paid)
            scores[side].append(score(noisy))
    if len(scores[0]) < 5:
        return None
    cut = len(scores[0]) // 5
    level = _level([each[:cut] for each in scores], paid)
    tested = [each[cut:] for each in scores]
    hits = [sum(item >= level for item in each) for each in tested]
    runs = len(tested[0])
    return Bound(runs, chance_down(hits[0], runs), 1 - chance_down(runs - hits[1], runs))


def _level(scores: Sequence[Sequence[float]], price: Loss | None = None) -> float:
    """Return from which score on an event tells most, by the first runs."""
    runs, best = len(scores[0]), (-inf, -inf, 0.0)
    levels = sorted({*scores[0], *scores[1]})
    for level in levels[:: max(1, len(levels) // 60)]:
        hits = [sum(item >= level for item in each) for each in scores]
        p, q = chance_down(hits[0], runs), 1 - chance_down(runs - hits[1], runs)
        size = Bound(runs, p, q).shown_of(price)[1] if price is not None else 0.0
        best = max(best, (size, log(p / q) if p > 0 else -inf, level))
    return best[2]


def chance_down(hits: int, runs: int, wrong: float = WRONG / 2) -> float:
    """Return a chance that is above the true one with a chance of at most `wrong`."""
    share, low, high = hits / runs, 0.0, hits / runs
    for _ in range(60):
        middle = (low + high) / 2
        if middle <= 0 or runs * _apart(share, middle) > log(1 / wrong):
            low = middle
        else:
            high = middle
    return low


def _apart(p: float, q: float) -> float:
    """Return the divergence of one chance from another."""
    item = p * log(p / q) if p > 0 else 0.0
    return item + ((1 - p) * log((1 - p) / (1 - q)) if p < 1 else 0.0)


def _score(
    plan: Plan, before: Sequence[Cellwise], after: Sequence[Cellwise]
) -> Callable[[Sequence[Noisy]], float]:
    """Return how much likelier released numbers are with the unit than without it, by the laws."""
    scored = []
    for number, (aggregate, law) in enumerate(zip(plan.aggregates, plan.laws, strict=True)):
        item, other = before[number], after[number]
        if aggregate.choice is not None and aggregate.choice.rank is None and item != other:
            among = aggregate.choice.among(len(item))
            both = [chances_of(law, [v[at] for at in range(among)]) for v in (item, other)]
            scored.append(_of_pick(number, *both))
        elif aggregate.choice is None:
            moved = [(at, item.get(at, 0), other.get(at, 0)) for at in {**item, **other}]
            moved = [each for each in moved if each[1] != each[2]]
            scored.append(_of_numbers(number, law, moved[:64]))
    return lambda noisy: sum(item(noisy) for item in scored)


def _of_pick(
    number: int, p: Sequence[float], q: Sequence[float]
) -> Callable[[Sequence[Noisy]], float]:
    def score(noisy: Sequence[Noisy]) -> float:
        at = noisy[number].values[0]
        return log(max(p[at], 1e-300) / max(q[at], 1e-300))

    return score


def _of_numbers(
    number: int, law: Law, moved: Sequence[tuple[int, int, int]]
) -> Callable[[Sequence[Noisy]], float]:
    power = 1 if law.costs == "pure" else 2
    at = max(1, law.half_width(Fraction(1, 2)))
    low, _ = enclosed(lambda: law.mass(0).log() - law.mass(at).log(), _BITS)
    slope = float(low) / at**power

    def score(noisy: Sequence[Noisy]) -> float:
        vector = noisy[number]
        places = (
            None if vector.places is None else dict(zip(vector.places, vector.values, strict=True))
        )
        whole = 0.0
        for place, item, other in moved:
            value = vector.values[place] if places is None else places.get(place)
            if value is not None:
                whole += slope * (abs(value - other) ** power - abs(value - item) ** power)
        return whole

    return score


def unfair(plan: Plan, layout: Layout, place: Place) -> str | None:
    """Return that rows of a unit are not kept evenly; None where they are, or no limit binds.

    Each of some units has nine rows of one key and one of another: it stays as often as the limit
    says. A false alarm has a chance of one in a million.
    """
    limit, made = layout.table.unit.max_rows, _uneven(plan, layout)
    if limit is None or limit > _ROWS // 2 or made is None:
        return None
    number, at, world = made
    here = replace(plan, table=place(layout, world, as_they_are))
    kept = sum(
        counted(here, Script(f"fair {salt}".encode()).salt())[number].get(at, 0)
        for salt in range(_SALTS)
    )
    runs, share = _UNITS * _SALTS, limit / _ROWS
    low, high = chance_down(kept, runs), 1 - chance_down(runs - kept, runs)
    if low <= share <= high:
        return None
    seen_share = f"{kept / runs:.0%} of draws, where {share:.0%} is even"
    return f"a row that is one of {_ROWS} of its unit stays in {seen_share}"


def fair_case(plan: Plan, layout: Layout) -> bool:
    """Tell whether it can be asked of a plan if rows are kept evenly."""
    limit = layout.table.unit.max_rows
    return limit is not None and limit <= _ROWS // 2 and _uneven(plan, layout) is not None


def _uneven(plan: Plan, layout: Layout) -> tuple[int, int, World] | None:
    """Return a vector of rows, the place of the rare key in it, and rows of which few have it."""
    table = layout.table
    if table.joins or table.condition is not None or table.unit.column is None:
        return None
    for number, item in enumerate(plan.aggregates):
        plain = item.max_groups is None and item.max_rows_per_group is None and item.where is None
        counts = len(item.measures) == 1 and item.measures[0].kind == "rows" and item.bins is None
        simple = item.transform is None and item.choice is None and item.sparse is None
        if not (plain and counts and simple and len(item.by) == 1):
            continue
        column = item.by[0]
        if column in table.trees or column in table.spelled or len(table.listed(column)) < 2:
            continue
        cells = cells_of(table, layout.aggregates)
        base = {name: of.good[0] for name, of in cells.items() if name != table.unit.column}
        rows = []
        for who in range(_UNITS):
            for row in range(_ROWS):
                key = cells[column].good[1 if row == 0 else 0]
                named = {**base, column: key, table.unit.column: f"p{who}"}
                rows.append(MadeRow(f"p{who}", named))
        return number, 1, (tuple(rows),)
    return None
