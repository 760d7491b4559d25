"""How often intervals hold: `python -m bench.coverage` writes docs/coverage-tables.md.

Rules of this module:
- a group stands in one table as often as there are releases, so that one answer is all of them; a
  choice, which has no groups, is answered that often;
- noise is fresh: another run has other figures, and by the exact binomial tail none of them should
  be below `LEAST`, but with a chance of one in a million for each;
- what the rows are does not matter for the noise: they are spread over the bounds.
"""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from scipy.stats import binom

import discreet as dp
from bench import coverage_given, coverage_shown
from bench.coverage_between import DERIVED, OTHERS, derived
from bench.coverage_groups import (
    ALPHA,
    RELEASES,
    Held,
    declared,
    exact_of,
    held,
    noisy_of,
    rows_of,
)
from discreet.aggregate import Noisy
from discreet.entropy import Coins
from discreet.privacy.loss import Loss
from discreet.statistic.statistic import Statistic

SIZES = (0, 1, 5, 30, 1_000, 100_000)
SPENDS = {"zCDP": dp.zcdp("1/50"), "pure": dp.pure("1/5")}
LEAST = int(binom.ppf(1e-6, RELEASES, 0.95)) / RELEASES
PAGE = Path(__file__).parents[1] / "docs" / "coverage-tables.md"
QUESTIONS: dict[str, Statistic] = {
    "count": dp.count(by="copy"),
    "sum": dp.sum("x", by="copy"),
    "mean": dp.mean("x", by="copy"),
    "variance": dp.variance("x", by="copy"),
    "covariance": dp.covariance(["x", "y"], by="copy"),
    "regression, its slope": dp.regression("y", on=["x"], by="copy"),
    "median, from the curve": dp.median("x", by="copy", method="curve"),
    "share below 7": dp.share_below("x", 7, by="copy"),
}
NOMINAL = {"difference of two chosen medians, at 90 %": 0.9}
CHOICE = "median, by a choice"


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


def counted(name: str) -> Callable[[int, Loss], Held]:
    """Return what counts how often a row holds, of groups of a size at a loss."""
    if name in OTHERS:
        return OTHERS[name]
    if name == CHOICE:
        return chosen
    return partial(derived if name in DERIVED else by_group, name)


def line(name: str, kind: str) -> str:
    """Return a row of the page."""
    cells = []
    for size in SIZES:
        spend = SPENDS[kind]
        many, shown, right = counted(name)(size, spend)
        if right == 0:
            cells.append(f"{shown} shown")
            continue
        share = f"{100 * right / shown:.1f} %"
        mark = " **too few**" if binom.cdf(right, shown, NOMINAL.get(name, 0.95)) < 1e-6 else ""
        cells.append(share + (f" of {shown:,}" if shown < many else "") + mark)
    said = f"| {name} | {kind} | {' | '.join(cells)} |"
    print(said, flush=True)
    return said


WORDS = f"""\
# Coverage of intervals: all tables

[Coverage of intervals](coverage.md) is the page of the result. Written by
`.venv/bin/python -m bench.coverage` in ten minutes; do not edit. With words behind the command,
only the rows that have one of them in their name are made anew.

The tables have nominal 95 % intervals in {RELEASES:,} releases of groups of n rows, at rho = 1/50
and at epsilon = 1/5 for each question. The noise is fresh each time. A figure is of the numbers
that are shown. If not all are shown, it says how many are.

- A right interval is marked once in a million figures, where so few hold.
- Many intervals hold more often than they say: they are safe where a ratio or a product is made of
  noisy numbers.
- A group without rows has no mean. A release should show none, and shows one at most once in 2,000
  times.
- A choice is always told. Without rows its interval is the whole range.
- Halves are even and odd rows. A count between bounds is known to lie within 15 of its truth.
- Ten numbers at once are of ten groups alike, asked together. A figure says how often all ten
  intervals hold.
"""


def kept() -> dict[tuple[str, str], str]:
    """Return the rows of the page as it stands, by name and law."""
    rows = [row for row in PAGE.read_text(encoding="utf-8").splitlines() if row.startswith("| ")]
    parts = [(row.split(" | ")[0].removeprefix("| "), row.split(" | ")[1], row) for row in rows]
    return {(name, kind): row for name, kind, row in parts}


def page(wanted: Sequence[str]) -> str:
    """Return the page, with rows made anew whose name has one of some words in it."""
    before, head = kept(), " | ".join(f"n = {size:,}" for size in SIZES)
    lines = [
        before[name, kind]
        if wanted and (name, kind) in before and not any(word in name for word in wanted)
        else line(name, kind)
        for name in (*QUESTIONS, CHOICE, *DERIVED, *OTHERS)
        for kind in SPENDS
    ]
    heads = [f"| interval | law | {head} |", f"| --- | --- |{' --- |' * len(SIZES)}"]
    ruled = [
        before[name, kind]
        if wanted and (name, kind) in before and not any(word in name for word in wanted)
        else coverage_shown.line(name, kind)
        for name, (*_, kinds) in coverage_shown.CASES.items()
        for kind in kinds
    ]
    given = ["", coverage_given.text(), ""]
    return "\n".join([WORDS, *heads, *lines, "", coverage_shown.WORDS, *ruled, *given])


if __name__ == "__main__":
    text = page([word for word in sys.argv[1:] if word != "--print"])
    if "--print" not in sys.argv:
        PAGE.write_text(text, encoding="utf-8")
