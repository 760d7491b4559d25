"""How near intervals are to the best: `python -m bench.apart` writes docs/nearness-tables.md.

The best is known for sure only by who knows what is not to be known: all but the noise. Of a number
that is made of noisy ones, with noise that is small, what its own noise exceeds with probability
alpha is then the half-width: w1 Z1 + w2 Z2 + ... with w how fast the number moves with each noisy
one. No interval of that convention that covers as often is narrower in the limit of little noise.

Rules of this module:
- releases are made of the true numbers, without noise: widths at other draws differ by as much as
  the noise is a part of them;
- how much noise there is says the table: its deviation in a count, as a part of the count.
"""

import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import discreet as dp
from discreet.aggregate import Noisy
from discreet.engine.memory import MemoryEngine
from discreet.plans.plan import Plan
from discreet.post.curve import leading_back, rows_of
from discreet.post.together import level_for
from discreet.privacy.loss import Loss
from discreet.releases.document import compose
from discreet.releases.release import Release
from discreet.statistic.curve import root
from discreet.statistic.statistic import Statistic

ALPHA = Fraction(1, 20)
SPENDS = {"zCDP": dp.zcdp("1/2000"), "pure": dp.pure("1/20")}
PARTS = (20, 60, 200, 600, 2_000, 6_000, 20_000, 100_000)  # a count over the deviation of its noise
PAGE = Path(__file__).parents[1] / "docs" / "nearness-tables.md"
COLUMNS = {"x": dp.bounds(0, 20, step=1), "y": dp.bounds(0, 20, step=1)}
FINE = dp.bounds(0, 1023, step=1)
GROUPS = 10
FEW_BINS = 8 * 4  # of a median: then its interval is as wide as bins make it
SAID = ("{}", "difference of two: {}", "ten at once: {}")
QUESTIONS: dict[str, Statistic] = {
    "mean": dp.mean("x", by="group"),
    "variance": dp.variance("x", by="group"),
    "standard deviation": dp.std("x", by="group"),
    "covariance": dp.covariance(["x", "y"], by="group"),
    "correlation": dp.correlation(["x", "y"], by="group"),
    "slope": dp.regression("y", on=["x"], by="group"),
    "median": dp.median("x", by="group", bins=256, method="curve"),
}
Vector = Any  # numpy array of float64


def rows(fine: int = 1) -> list[dict[str, object]]:
    """Return 1,000 rows of each of ten groups, in which they are not spread alike, x in parts."""
    found: list[dict[str, object]] = []
    for group in range(GROUPS):
        top = 8 + group
        cells = [(i % top, i * 7 % 6) for i in range(1_000)]
        found += [
            {"x": x * fine + i % fine, "y": min(x // 2 + y, 20), "group": group}
            for i, (x, y) in enumerate(cells)
        ]
    return found


def planned(name: str, spend: Loss) -> tuple[Plan, list[int]]:
    """Return the plan of a question, and what passes the door without noise."""
    many = COLUMNS if name != "median" else {"x": FINE}
    source = rows() if name != "median" else rows(60)
    table = dp.table(source, unit="row", name="t", columns=many, keys={"group": range(GROUPS)})
    plan = dp.plan(table, QUESTIONS[name], spend=spend, alpha=str(ALPHA))
    (exact,) = MemoryEngine().prepare(table, plan.aggregates).count(1)
    (aggregate,) = plan.aggregates
    return plan, list(exact.transformed(aggregate.transform).opened_by_the_door())


def released(plan: Plan, vector: list[int]) -> Release:
    """Return a release of these numbers."""
    made = compose(
        plan, [Noisy(tuple(vector))], request="r", created="2026-11-22T00:00:00+00:00", ledger=None
    )
    return Release(made)


def moved(tell: Callable[[list[int]], Vector], vector: list[int], size: int) -> Vector:
    """Return how fast each number moves with each noisy one: a row for each number."""
    found = []
    for at in range(len(vector)):
        ends = []
        for sign in (1, -1):
            other = list(vector)
            other[at] += sign * size
            ends.append(tell(other))
        found.append((ends[0] - ends[1]) / (2 * size))
    return np.array(found).T


def told(plan: Plan, vector: list[int]) -> Vector:
    """Return the last number of each group."""
    values = released(plan, vector)[plan.lines[0].statistic.label].values
    each = len(values) // GROUPS
    return np.array([np.nan if v is None else v for v in values[each - 1 :: each]], dtype=float)


def weights(name: str, plan: Plan, vector: list[int]) -> Vector:
    """Return how fast each group's number moves with each noisy one."""
    if name != "median":
        return moved(lambda v: told(plan, v), vector, max(1, int(plan.laws[0].variance() ** 0.5)))
    size = len(vector) // GROUPS
    at = rows_of(leading_back(root(size)))
    counts = at @ np.array(vector, dtype=float).reshape(GROUPS, size).T  # by edge, and group
    found = np.zeros((GROUPS, len(vector)))
    for group in range(GROUPS):
        below = (counts[:, group] + counts[-1, group]) / 2
        place = int(np.argmax(below >= counts[-1, group] / 2))
        width = 60 * (8 + group)  # of the cells, which lie evenly
        found[group, group * size : (group + 1) * size] = (
            at[place] / 2 / (counts[-1, group] / width)
        )
    return found


def ratio(low: float | None, high: float | None, best: float) -> str:
    """Return by how much an interval is wider than the best one; a dash where it tells nothing."""
    if low is None or high is None or not np.isfinite(high - low):
        return "-"
    more = 100 * ((high - low) / 2 / best - 1)
    return f"{more:.1f} %" if more < 99.95 else f"x {1 + more / 100:.1f}"


def cells(name: str, kind: str) -> list[list[str]]:
    """Return how much wider a number, a difference and ten at once are, for each noise."""
    plan, exact = planned(name, SPENDS[kind])
    label, law = plan.lines[0].statistic.label, plan.laws[0].continuous()
    found: list[list[str]] = [[], [], []]
    before = np.abs(moved(lambda v: counted(plan, v), exact, 10**6))[0]
    deviation = plan.laws[0].variance() ** 0.5 * float(np.linalg.norm(before))
    for part in PARTS:
        times = max(1, round(part * deviation / 1_000))
        vector = [times * x for x in exact]
        release, rates = released(plan, vector), weights(name, plan, vector)
        rates = np.nan_to_num(rates)
        apart = release.difference(label, {"group": 0}, {"group": 9})
        every = release.intervals(label, together=True)
        alone = release.intervals(label)
        each = len(alone.low) // GROUPS
        for place, (derived, at, weight, level) in enumerate(
            [
                (alone, each - 1, rates[0], ALPHA),
                (apart, len(apart.low) - 1, rates[0] - rates[9], ALPHA),
                (every, each - 1, rates[0], level_for(GROUPS, ALPHA)),
            ]
        ):
            used = np.abs(weight[weight != 0])
            if len(used) == 0 or derived.values[at] is None:
                found[place].append("-")
                continue
            if name == "median" and derived.high[at] - derived.low[at] < FEW_BINS:
                found[place].append("bins")
                continue
            best = float(law.widths(used[None, :], [float(level)])[0, 0])
            found[place].append(ratio(derived.low[at], derived.high[at], best))
    return found


def counted(plan: Plan, vector: list[int]) -> Vector:
    """Return the noisy number of rows of each group."""
    rows_ = released(plan, vector)[plan.lines[0].statistic.label].rows
    each = len(rows_) // GROUPS
    return np.array([row["rows"] for row in rows_[::each]], dtype=float)


WORDS = """\
# Accuracy of intervals: all tables

[Accuracy of intervals](nearness.md) is the page of the result. Written by
`.venv/bin/python -m bench.apart` in a quarter of an hour; do not edit. With names behind the
command, only these rows are made anew.

A figure says by how much a 95 % interval is wider than the best one. The best one is of a reader
who knows all but the noise; [a decision](decisions/0059-how-near-to-exact.md) says why it is not
always to be had. Each column's head says how many times a count is the deviation of its own noise.
The releases are of the true numbers themselves.

- A dash: nothing is told.
- `bins`: the interval is fewer than eight bins of the curve.
- Less than nothing: an interval is cut at an end of what is possible.
"""


def kept() -> dict[tuple[str, str], str]:
    """Return the rows of the page as it stands, by what is said and law."""
    rows_ = [row for row in PAGE.read_text(encoding="utf-8").splitlines() if row.startswith("| ")]
    parts = [(*row.removeprefix("| ").split(" | ")[:2], row) for row in rows_]
    return {(said, kind): row for said, kind, row in parts}


def page(wanted: Sequence[str]) -> str:
    """Return the page, with what is named made anew; all of it if nothing is."""
    before = kept() if wanted else {}
    heads = [f"{part:,}" for part in PARTS]
    lines = [f"| interval | law | {' | '.join(heads)} |", f"| --- | --- |{' --- |' * len(PARTS)}"]
    for name in QUESTIONS:
        for kind in SPENDS:
            if wanted and name not in wanted:
                lines += [before[said.format(name), kind] for said in SAID]
                continue
            for said, row in zip(SAID, cells(name, kind), strict=True):
                lines.append(f"| {said.format(name)} | {kind} | {' | '.join(row)} |")
                print(lines[-1], flush=True)
    return "\n".join([WORDS, *lines, ""])


if __name__ == "__main__":
    text = page([word for word in sys.argv[1:] if word != "--print"])
    if "--print" not in sys.argv:
        PAGE.write_text(text, encoding="utf-8")
