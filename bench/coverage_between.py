"""How often intervals of what is made of released numbers hold: rows for `bench.coverage`.

Rules of this module:
- each copy of a group, or of two halves of it, is a release of its own: one table holds all;
- what is shown is asked for as users ask: of a release, by `difference`, `ratio`, `share`.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

import discreet as dp
from bench.coverage_groups import ALPHA, RELEASES, Held, declared, exact_of, held, noisy_of, rows_of
from discreet.aggregate import Noisy
from discreet.derive.derived import DerivedNumbers
from discreet.entropy import Coins
from discreet.plans.plan import Plan
from discreet.post.together import level_for
from discreet.privacy.loss import Loss
from discreet.releases.document import compose
from discreet.releases.release import Release
from discreet.statistic.statistic import Statistic

BOTH = ["copy", "half"]
AT_ONCE = 10
ONE, TWO = {"half": 0}, {"half": 1}
Rows = list[dict[str, object]]
Made = Callable[[Release, Sequence[str]], DerivedNumbers]
Goal = Callable[[Sequence[Statistic], Rows], float | None]


def apart(release: Release, names: Sequence[str]) -> DerivedNumbers:
    """Return the difference of both halves."""
    return release.difference(names[0], ONE, TWO)


def both_goals(asked: Sequence[Statistic], rows: Rows) -> float | None:
    """Return the difference of what is true of both halves."""
    table = declared(rows, 1)
    halves = ([row for row in rows if row["half"] == half] for half in (0, 1))
    goals = [asked[0].textbook(table, half)[-1] for half in halves]
    return None if goals[0] is None or goals[1] is None else goals[0] - goals[1]


def per_row(asked: Sequence[Statistic], rows: Rows) -> float | None:
    """Return a sum over a count."""
    (top,), (bottom,) = (one.textbook(declared(rows, 1), rows) for one in asked)
    return None if not bottom or top is None else top / bottom


def last_share(asked: Sequence[Statistic], rows: Rows) -> float | None:
    """Return which part of the cells is in the last bin."""
    counts = [float(x or 0) for x in asked[0].textbook(declared(rows, 1), rows)]
    return counts[-1] / sum(counts) if sum(counts) else None


def chosen_apart(release: Release, names: Sequence[str]) -> DerivedNumbers:
    """Return the difference of two chosen medians, whose ends are aimed for 95 % each."""
    return release.difference(names[0], ONE, TWO, alpha="0.1")


DERIVED: dict[str, tuple[list[Statistic], Made, Goal]] = {
    "difference of two counts": ([dp.count(by=BOTH)], apart, both_goals),
    "difference of two means": ([dp.mean("x", by=BOTH)], apart, both_goals),
    "difference of two variances": ([dp.variance("x", by=BOTH)], apart, both_goals),
    "difference of two standard deviations": ([dp.std("x", by=BOTH)], apart, both_goals),
    "difference of two medians": ([dp.median("x", by=BOTH, method="curve")], apart, both_goals),
    "difference of two chosen medians, at 90 %": (
        [dp.median("x", by=BOTH, method="choice")],
        chosen_apart,
        both_goals,
    ),
    "difference of two covariances": ([dp.covariance(["x", "y"], by=BOTH)], apart, both_goals),
    "ratio of a sum to a count": (
        [dp.sum("x", by="copy"), dp.count(by="copy")],
        lambda release, names: release.ratio(names[0], names[1]),
        per_row,
    ),
    "share of a histogram": (
        [dp.histogram("x", bins=2, by="copy")],
        lambda release, names: release.share(names[0], "copy"),
        last_share,
    ),
}


def picked(plan: Plan, exact: Sequence[tuple[int, ...]], coins: Coins) -> list[Noisy]:
    """Return noisy vectors of all copies, or what is chosen in each."""
    if plan.aggregates[0].choice is None:
        return noisy_of(plan, exact, coins)
    found = []
    for one, law, counts in zip(plan.aggregates, plan.laws, exact, strict=True):
        rank, bins = one.choice.rank if one.choice else None, one.bins.count if one.bins else 0
        if rank is None:
            raise TypeError
        groups = [counts[at : at + bins] for at in range(0, len(counts), bins)]
        numbers = [rank.numbers(g, rank.off(law.half_width, bins)) for g in groups]
        every = [law.picked(n, 1, coins)[0] for _ in range(RELEASES) for n in numbers]
        found.append(Noisy(tuple(every)))
    return found


def derived(name: str, size: int, spend: Loss) -> Held:
    """Return how often the last number of what is derived holds."""
    asked, make, goal = DERIVED[name]
    rows, many = rows_of(size), declared([], RELEASES)
    plan = dp.plan(many, *asked, spend=spend)
    noisy = picked(plan, [v for one in asked for v in exact_of(one, rows)], Coins())
    made = compose(plan, noisy, request="r", created="2026-11-22T00:00:00+00:00", ledger=None)
    found, true = make(Release(made), [one.label for one in asked]), goal(asked, rows)
    each = len(found.values) // RELEASES
    values, low, high = (ends[each - 1 :: each] for ends in (found.values, found.low, found.high))
    if true is None:  # nobody has it: what is shown is wrong
        return RELEASES, sum(value is not None for value in values), 0
    ends = [np.inf if end is None else end for end in high]
    return held(values, [-np.inf if end is None else end for end in low], ends, true)


def bounded(size: int, *, remap: bool) -> Statistic:
    """Return a count that is known to lie within 15 of its truth."""
    return dp.count(by="copy", between=(max(0, size - 15), size + 15), remap=remap)


def between(size: int, spend: Loss, *, remap: bool) -> Held:
    """Return how often a count between bounds holds."""
    question = bounded(size, remap=remap)
    plan = dp.plan(declared([], RELEASES), question, spend=spend)
    noisy = noisy_of(plan, exact_of(dp.count(by="copy"), rows_of(size)), Coins())
    answer = question.answer(plan.table, noisy, plan.laws, ALPHA)
    return held(answer.values, answer.low, answer.high, size)


def known(size: int, spend: Loss) -> Held:
    """Return how often a mean over a public number of rows holds."""
    if not size:
        return RELEASES, 0, 0
    columns = {"x": dp.bounds(0, 20, step=1, missing=0)}
    how = {"unit": "row", "name": "t", "neighbors": "replace", "rows": size}
    table = dp.table(rows_of(size), columns=columns, **how)
    plan = dp.plan(table, dp.mean("x"), spend=spend)
    (question,) = [line.statistic for line in plan.lines]
    exact = exact_of(question, rows_of(size), table)
    noisy = noisy_of(plan, exact, Coins())[0].values
    answers = [question.answer(table, [Noisy((x,))], plan.laws, ALPHA) for x in noisy]
    parts = ([getattr(a, part)[0] for a in answers] for part in ("values", "low", "high"))
    values, low, high = parts
    (true,) = question.textbook(table, rows_of(size))
    return held(values, low, high, true or 0.0)


def at_once(make: Callable[[int], Statistic], size: int, spend: Loss) -> Held:
    """Return how often ten numbers, of groups alike, hold all at once, where all are shown."""
    question, rows = make(size), rows_of(size)
    plan = dp.plan(declared([], RELEASES * AT_ONCE), question, spend=spend)
    counted = dp.count(by="copy") if question.label.startswith("count") else question
    exact = [one * AT_ONCE for one in exact_of(counted, rows)]
    level = level_for(AT_ONCE, ALPHA)
    answer = question.answer(plan.table, noisy_of(plan, exact, Coins()), plan.laws, level)
    true = counted.textbook(plan.table, rows)[-1]
    each = len(answer.values) // (RELEASES * AT_ONCE)
    told = (ends[each - 1 :: each] for ends in (answer.values, answer.low, answer.high))
    values, low, high = (
        np.array([np.nan if end is None else end for end in ends], dtype=float).reshape(-1, AT_ONCE)
        for ends in told
    )
    shown = ~np.isnan(values).any(axis=1)
    if true is None or not shown.any():
        return RELEASES, int(shown.sum()), 0
    inside = ((low - 1e-9 <= true) & (true <= high + 1e-9)).all(axis=1)
    return RELEASES, int(shown.sum()), int((inside & shown).sum())


TOGETHER: dict[str, Callable[[int], Statistic]] = {
    "ten counts at once": lambda _: dp.count(by="copy"),
    "ten counts between bounds at once, clamped": lambda size: bounded(size, remap=False),
    "ten counts between bounds at once, remapped": lambda size: bounded(size, remap=True),
    "ten sums at once": lambda _: dp.sum("x", by="copy"),
    "ten means at once": lambda _: dp.mean("x", by="copy"),
    "ten variances at once": lambda _: dp.variance("x", by="copy"),
    "ten medians at once, from the curve": lambda _: dp.median("x", by="copy", method="curve"),
    "ten shares below 7 at once": lambda _: dp.share_below("x", 7, by="copy"),
}
OTHERS: dict[str, Callable[[int, Loss], Held]] = {
    "count between bounds, clamped": lambda size, spend: between(size, spend, remap=False),
    "count between bounds, remapped": lambda size, spend: between(size, spend, remap=True),
    "mean, of a public number of rows": known,
    **{name: partial(at_once, make) for name, make in TOGETHER.items()},
}
