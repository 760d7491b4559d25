"""How often intervals hold: `python -m bench.coverage` writes docs/coverage.md, in some minutes.

Rules of this module:
- a group stands in one table as often as there are releases, so that one answer is all of them; a
  choice, which has no groups, is answered that often;
- noise is fresh: another run has other figures, and by the exact binomial tail none of them should
  be below `LEAST`, but with a chance of one in a million for each;
- what the rows are does not matter for the noise: they are spread over the bounds.
"""

import sys
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
from scipy.stats import binom

import discreet as dp
from discreet.aggregate import Noisy
from discreet.engine.memory import MemoryEngine
from discreet.entropy import Coins
from discreet.plans.plan import Plan
from discreet.privacy.loss import Loss
from discreet.releases.document import compose
from discreet.releases.release import Release
from discreet.schema import Table
from discreet.statistic.statistic import Statistic

RELEASES, SIZES = 2_000, (0, 1, 5, 30, 1_000, 100_000)
SPENDS = {"zCDP": dp.zcdp("1/50"), "pure": dp.pure("1/5")}
ALPHA = Fraction(1, 20)
LEAST = int(binom.ppf(1e-6, RELEASES, 0.95)) / RELEASES
PAGE = Path(__file__).parents[1] / "docs" / "coverage.md"
COLUMNS = {"x": dp.bounds(0, 20, step=1), "y": dp.bounds(0, 20, step=1)}
QUESTIONS: dict[str, Statistic] = {
    "count": dp.count(by="copy"),
    "sum": dp.sum("x", by="copy"),
    "mean": dp.mean("x", by="copy"),
    "variance": dp.variance("x", by="copy"),
    "covariance": dp.covariance(["x", "y"], by="copy"),
    "regression, its slope": dp.regression("y", on=["x"], by="copy"),
    "median, from the curve": dp.median("x", by="copy"),
    "share below 7": dp.share_below("x", 7, by="copy"),
}
CHOICE, APART = "median, by a choice", "difference of two means"
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


def exact_of(question: Statistic, rows: list[dict[str, object]]) -> list[tuple[int, ...]]:
    """Return what passes the door of one group, without noise."""
    one = declared(rows, 1)
    aggregates = question.aggregates(one)
    found = MemoryEngine().prepare(one, aggregates).count(1)
    pairs = zip(found, aggregates, strict=True)
    return [exact.transformed(a.transform).opened_by_the_door() for exact, a in pairs]


def noisy_of(plan: Plan, exact: Sequence[tuple[int, ...]], coins: Coins) -> list[Noisy]:
    """Return noisy vectors of all copies."""
    found = []
    for law, one in zip(plan.laws, exact, strict=True):
        vector = one * RELEASES
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


def by_group(name: str, size: int, spend: Loss) -> Held:
    """Return how often the last number of a question holds, in one table of many groups."""
    question, rows, many = QUESTIONS[name], rows_of(size), declared([], RELEASES)
    plan = dp.plan(many, question, spend=spend, alpha=str(ALPHA))
    noisy = noisy_of(plan, exact_of(question, rows), Coins())
    answer = question.answer(many, noisy, plan.laws, ALPHA)
    goals = question.textbook(many, rows)
    each, true = len(goals), goals[-1]
    ends = (answer.values, answer.low, answer.high)
    values, low, high = (found[each - 1 :: each] for found in ends)
    if true is None:  # nobody has a mean: what is shown is wrong
        return RELEASES, sum(value is not None for value in values), 0
    return held(values, low, high, true)


def chosen(size: int, spend: Loss) -> Held:
    """Return how often the interval of a chosen median holds."""
    question = dp.median("x", method="choice")
    rows, coins = rows_of(size), Coins()
    table = declared(rows, 1)
    plan = dp.plan(table, question, spend=spend)
    (counts, *_) = exact_of(question, rows)
    picked = []
    for one, law in zip(plan.aggregates, plan.laws, strict=True):
        rank = one.choice.rank if one.choice else None
        if rank is None:
            raise TypeError
        numbers = rank.numbers(counts, rank.off(law.half_width, len(counts)))
        picked.append([law.picked(numbers, 1, coins)[0] for _ in range(RELEASES)])
    (true,) = question.textbook(table, rows)
    answers = [
        question.answer(table, [Noisy((place,)) for place in places], plan.laws, ALPHA)
        for places in zip(*picked, strict=True)
    ]
    values, low, high = (
        [getattr(answer, part)[0] for answer in answers] for part in ("values", "low", "high")
    )
    if true is None:
        return RELEASES, sum(value is not None for value in values), 0
    return held(values, low, high, true)


def apart(size: int, spend: Loss) -> Held:
    """Return how often the interval of a difference of means holds: of even and odd rows."""
    question, rows, many = dp.mean("x", by=["copy", "half"]), rows_of(size), declared([], RELEASES)
    plan = dp.plan(many, question, spend=spend)
    noisy = noisy_of(plan, exact_of(question, rows), Coins())
    made = compose(plan, noisy, request="r", created="2026-11-22T00:00:00+00:00", ledger=None)
    found = Release(made).difference("mean x by copy and half", {"half": 0}, {"half": 1})
    means = [[float(row["x"]) for row in rows if row["half"] == half] for half in (0, 1)]  # type: ignore[arg-type]
    if not all(means):
        return RELEASES, sum(value is not None for value in found.values), 0
    true = float(np.mean(means[0]) - np.mean(means[1]))
    return held(found.values, found.low, found.high, true)


def line(name: str, kind: str) -> str:
    """Return a row of the page."""
    cells = []
    for size in SIZES:
        spend = SPENDS[kind]
        rest = chosen if name == CHOICE else apart
        many, shown, right = by_group(name, size, spend) if name in QUESTIONS else rest(size, spend)
        if right == 0:
            cells.append(f"{shown} shown")
            continue
        share = f"{100 * right / shown:.1f} %"
        mark = " **too few**" if binom.cdf(right, shown, 0.95) < 1e-6 else ""
        cells.append(share + (f" of {shown:,}" if shown < many else "") + mark)
    said = f"| {name} | {kind} | {' | '.join(cells)} |"
    print(said, flush=True)
    return said


WORDS = f"""\
# How often intervals hold

Nominal 95 % intervals in {RELEASES:,} releases of groups of n rows, at rho = 1/50 and at
epsilon = 1/5 for each question. Written by `.venv/bin/python -m bench.coverage` (some minutes); the
noise is fresh each time. A figure is of the numbers that are shown, and says how many that are
where it is not all. Right intervals are marked once in a million figures, where so few hold. Many
hold more often than they say: they are safe where a ratio or a product is made of noisy numbers. Of
no rows nobody has a mean: a release should show none, and shows one at most once in 2,000 times. A
choice is always told; of no rows its interval is the whole range.
"""


def page() -> str:
    """Return the page."""
    head = " | ".join(f"n = {size:,}" for size in SIZES)
    lines = [line(name, kind) for name in (*QUESTIONS, CHOICE, APART) for kind in SPENDS]
    heads = [f"| interval | law | {head} |", f"| --- | --- |{' --- |' * len(SIZES)}"]
    return "\n".join([WORDS, *heads, *lines, ""])


if __name__ == "__main__":
    text = page()
    if "--print" not in sys.argv:
        PAGE.write_text(text, encoding="utf-8")
