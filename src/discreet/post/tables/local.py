"""Tables of at least 0 that agree, near the linear estimates, without a table of all attributes.

Of many attributes nobody can hold a table of all their keys. Then the real numbers x are published
that agree with each other, have no number below 0, and are nearest to the linear estimates y in

    |x - y|^2 = sum over all tables B of 10^-|B| |x_B - y_B|^2 / v_B

with v_B the variance of the estimates of B, and |B| how many attributes it shows.

Theorem. In this metric they are no further from the truth than the linear estimates, for all data.
Proof. Tables that agree and are of at least 0 are a convex set, and the true tables are in it. A
projection on a convex set moves no point further from one of the set.

The nearest are found by alternating directions: tables are split into their parts (`parts`), which
are orthogonal where all groups of a level have as many parts; so the nearest tables that agree are
a mean of the parts, and those of at least 0 are cut. The first agree exactly, and are published.
The search leaves numbers a little below 0: tables are mixed with even ones of the same total.

Decision 142.
"""

from collections.abc import Mapping
from dataclasses import replace

from .attribute import Levels, Vector
from .estimates import Estimates
from .family import below, cells, inside
from .parts import centered, summed

COARSER = 10.0  # what a table counts, for each attribute that it has less
_ROUNDS = 1_000
_LOOKS = 10  # rounds between two looks
_BEYOND = 1.7  # a round goes so much of its way
_STEADY = 1.15  # a step is kept that is as near as that to the right one
_CLOSE = 1e-3  # of a table's deviation: rounds that move no number further have settled
_MIXED = 1e-3  # of even tables: so many are mixed in to have no number below 0


def can_be_found(estimates: Estimates) -> bool:
    """Tell whether such tables can be found: where parts are orthogonal, and no table is known."""
    family = estimates.family
    return all(each.even for each in family.attributes) and not any(map(any, family.known))


def nonnegative(estimates: Estimates) -> Estimates:
    """Return the nearest tables that agree, and of at least 0: to a thousandth of a deviation."""
    search = _Search(estimates)
    if search.lowest(estimates) >= 0:
        return estimates
    if float(estimates.parts[search.whole].sum()) <= 0:  # nothing is there
        nothing = {part: numbers * 0.0 for part, numbers in estimates.parts.items()}
        return replace(estimates, parts=nothing)
    for turn in range(1, _ROUNDS + 1):
        if search.turn(looks=turn % _LOOKS == 0, steps=turn < _ROUNDS // 2):
            break
    return search.mixed(search.agreeing)


class _Search:
    """The nearest tables, round by round.

    Attributes:
        agreeing: tables that agree, as far as the search has come.
        whole: the table of no attribute.
    """

    def __init__(self, estimates: Estimates) -> None:
        import numpy as np

        family = estimates.family
        self.linear = self.agreeing = estimates
        self.whole: Levels = (0,) * len(family.attributes)
        shown = family.shown
        self.top = [b for b in shown if not any(b != c and inside(b, c) for c in shown)]
        variances = {table: family.variance(table) for table in shown}
        self.deviation = {table: max(variances[table], 1e-300) ** 0.5 for table in shown}
        self.worth = {b: COARSER ** -sum(map(bool, b)) / max(variances[b], 1e-300) for b in shown}
        size = {table: cells(family.sizes, table) for table in shown}
        self.many = {(b, p): size[b] / size[p] for b in shown for p in below(b)}
        self.held: Mapping[Levels, float] = {
            part: sum(self.worth[b] / self.many[b, part] for b in shown if inside(part, b))
            for part in shown
        }
        self.step = 1.0
        self.cut = {b: np.maximum(estimates.table(b), 0.0) for b in self.top}
        self.prices = {b: np.zeros_like(cut) for b, cut in self.cut.items()}

    def turn(self, *, looks: bool, steps: bool) -> bool:
        """Go one round; tell whether tables have settled, where it is looked for.

        Source: Boyd and others 2011, sections 3.3, 3.4.1 and 5.2.
        """
        import numpy as np

        self.agreeing = self._agreed()
        off = away = 0.0
        settled = True
        for table in self.top:
            free, before = self.agreeing.table(table), self.cut[table]
            moved = self.prices[table] + _BEYOND * free + (1 - _BEYOND) * before
            self.cut[table] = np.maximum(moved, 0.0)
            self.prices[table] = moved - self.cut[table]
            if looks:
                beside, gone = np.abs(free - self.cut[table]), np.abs(self.cut[table] - before)
                close = _CLOSE * self.deviation[table]
                settled = settled and max(float(beside.max()), float(gone.max())) < close
                off += self.worth[table] * float((beside**2).sum())
                away += self.worth[table] * float((gone**2).sum())
        if looks and steps and not settled:
            times = float(np.clip((off / max(away, 1e-300)) ** 0.25, 1 / 3, 3))
            if not 1 / _STEADY < times < _STEADY:
                self.step *= times
                self.prices = {table: price / times for table, price in self.prices.items()}
        return looks and settled

    def _agreed(self) -> Estimates:
        """Return the tables that agree, and are nearest to the estimates and to what was cut."""
        attributes = self.linear.family.attributes
        sums: dict[Levels, Vector] = {
            part: held * self.linear.parts[part] for part, held in self.held.items()
        }
        weights = dict(self.held)
        for table in self.top:
            wanted = self.cut[table] - self.prices[table]
            for part in below(table):
                weight = self.step * self.worth[table] / self.many[table, part]
                own = centered(attributes, summed(attributes, wanted, table, part), part)
                sums[part] = sums[part] + weight * own
                weights[part] += weight
        parts = {part: sums[part] / weights[part] for part in sums}
        for known in self.linear.family.known:  # the total
            parts[known] = self.linear.parts[known]
        return replace(self.linear, parts=parts)

    def lowest(self, estimates: Estimates) -> float:
        """Return the least number of all tables."""
        return min(float(estimates.table(table).min()) for table in self.top)

    def mixed(self, estimates: Estimates) -> Estimates:
        """Return tables that are mixed with even ones, so that nothing is left below 0."""
        total = max(0.0, float(estimates.parts[self.whole].sum()))
        shown = self.linear.family.shown  # sums of many cells, each a little below 0, among them
        least = {table: float(estimates.table(table).min()) for table in shown}
        even = {table: total / self.many[table, self.whole] for table in shown}
        share = max(_share(least[table], even[table]) for table in shown)
        if share > _MIXED:
            share = max(
                _share(least[table] + _CLOSE * self.deviation[table], even[table])
                for table in shown
            )
        parts = {
            part: numbers * (1 - share) if any(part) else numbers.clip(0)
            for part, numbers in estimates.parts.items()
        }
        return replace(estimates, parts=parts)


def _share(least: float, even: float) -> float:
    """Return how much of an even number is mixed in so that the least one is not below 0."""
    return -least / (even - least) if least < 0 else 0.0
