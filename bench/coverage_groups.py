"""Copies of one group in one table, and what passes the door of it: for `bench.coverage`."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

import discreet as dp
from discreet.aggregate import Noisy
from discreet.engine.memory import MemoryEngine
from discreet.entropy import Coins
from discreet.plans.plan import Plan
from discreet.schema import Table
from discreet.statistic.statistic import Statistic

RELEASES = 2_000
ALPHA = Fraction(1, 20)
COLUMNS = {"x": dp.bounds(0, 20, step=1), "y": dp.bounds(0, 20, step=1)}
_COUNTED: dict[tuple[str, int, str], list[tuple[int, ...]]] = {}  # for both laws
Held = tuple[int, int, int]  # of how many, shown, and of these held


def declared(rows: object, copies: int) -> Table:
    """Return the table of so many copies of one group."""
    keys = {"copy": range(copies), "half": [0, 1]}
    return dp.table(rows, unit="row", name="t", columns=COLUMNS, keys=keys)


def rows_of(size: int) -> list[dict[str, object]]:
    """Return rows that are spread over the bounds."""
    return [
        {"x": i % 21, "y": (i % 21 + i * 7 % 13) % 21, "copy": 0, "half": i % 2}
        for i in range(size)
    ]


def exact_of(
    question: Statistic, rows: list[dict[str, object]], table: Table | None = None
) -> list[tuple[int, ...]]:
    """Return what passes the door of one group, without noise."""
    one = table or declared(rows, 1)
    known = (question.label, len(rows), one.neighbors)
    if known in _COUNTED:
        return _COUNTED[known]
    aggregates = question.aggregates(one)
    found = MemoryEngine().prepare(one, aggregates).count(1)
    pairs = zip(found, aggregates, strict=True)
    _COUNTED[known] = [exact.transformed(a.transform).opened_by_the_door() for exact, a in pairs]
    return _COUNTED[known]


def noisy_of(plan: Plan, exact: Sequence[tuple[int, ...]], coins: Coins) -> list[Noisy]:
    """Return noisy vectors of all copies."""
    found = []
    for law, one in zip(plan.laws, exact, strict=True):
        vector = one * RELEASES  # a copy for each
        noise = law.sample(len(vector), coins)
        found.append(Noisy(tuple(x + z for x, z in zip(vector, noise, strict=True))))
    return found


def held(
    values: Iterable[object], low: Iterable[float], high: Iterable[float], true: float
) -> Held:
    """Return how many numbers there are, are shown, and of these hold the truth."""
    shown = [
        a - 1e-9 <= true <= b + 1e-9
        for value, a, b in zip(values, low, high, strict=True)
        if value is not None
    ]
    return RELEASES, len(shown), sum(shown)
