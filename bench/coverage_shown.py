"""What intervals keep of numbers that a rule of publication selected: for `bench.coverage`.

Rules of this module:
- each release is of 40 groups of 0 to 400 rows, most of them at or below the threshold, with the
  noise of their plan, drawn as a release draws it;
- a figure is of the guarantee that its rule has; all others are not promised, and stand beside it.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import sqrt
from types import SimpleNamespace
from typing import Any

import numpy as np

import discreet as dp
from bench.coverage_groups import ALPHA, RELEASES
from discreet.aggregate import Noisy
from discreet.engine.memory import MemoryEngine
from discreet.entropy import Coins
from discreet.plans.plan import Plan
from discreet.post.selected import total_half_width
from discreet.statistic.publish import RuledQuestion, answer_shown, places_shown
from discreet.statistic.statistic import Statistic

SIZES = [0] * 10 + [20] * 10 + [50, 60, 70, 80, 90] * 3 + [100, 150, 200, 300, 400]
GROUPS = len(SIZES)
ROWS: list[dict[str, object]] = [
    {"k": k, "x": i % 21, "pay": 100 * (i * 37 % 4_900) + 12}
    for k, size in enumerate(SIZES)
    for i in range(size)
]
COLUMNS = {"x": dp.bounds(0, 20, step=1), "pay": dp.bounds(0, 500_000, step=1)}
TABLE = dp.table(ROWS, unit="row", name="t", keys={"k": range(GROUPS)}, columns=COLUMNS)
GAUSSIAN, LAPLACE = dp.zcdp("0.0015"), dp.pure("0.07")  # sigma 18.3; scale 14.3
LARGE = dp.zcdp("0.005")  # of sums: sigma 5,000,000 of 500,000 a row
RATE, EACH, GIVEN = "rate", "marginal", "conditional"
ALL = (RATE, EACH, GIVEN)
SAMPLED = 100  # shown so often a number is looked at by itself
CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any], dp.Loss, Sequence[str]]] = {
    "count from 90 on": ("count", {}, {"at_least": 90}, GAUSSIAN, ALL),
    "count from 90 on, Laplace": ("count", {}, {"at_least": 90}, LAPLACE, ALL),
    "count from 90 on, to 25": ("count", {}, {"at_least": 90, "round_to": 25}, GAUSSIAN, ALL),
    "count within 25 %": ("count", {}, {"within": "25%"}, GAUSSIAN, (RATE, EACH)),
    "bounded count from 90 on": (
        "count", {"between": [0, 400]}, {"at_least": 90}, GAUSSIAN, (RATE, EACH),
    ),
    "bins from 30 on": ("histogram", {"column": "x", "bins": 3}, {"at_least": 30}, GAUSSIAN, ALL),
    "large sum from 20,000,000 on": (
        "sum", {"column": "pay"}, {"at_least": 20_000_000}, LARGE, (RATE, EACH),
    ),
    "large sum within 40 %": ("sum", {"column": "pay"}, {"within": "40%"}, LARGE, (RATE, EACH)),
    "mean from 90 rows on": ("mean", {"column": "x"}, {"at_least": 90}, GAUSSIAN, (RATE, EACH)),
    "mean within 3": ("mean", {"column": "x"}, {"within": 3}, dp.zcdp("0.01"), (RATE, EACH)),
}  # fmt: skip
WORDS = f"""\
## Of numbers that a rule of publication shows

The table has {RELEASES:,} releases of {GROUPS} groups of 0 to 400 rows, most at or below the
threshold. It says how often intervals miss. At most 5 % are promised in the column of
the guarantee that a rule has (**in bold**). The columns:

- *Of those shown*: the mean part of the shown intervals that miss.
- *Shown and missed*: of the worst number, how often it is shown and its interval misses.
- *Given that it is shown*: of the worst number that was shown {SAMPLED} times, how often its
  interval misses then.
- *All at once*: how often any shown interval misses, if all are asked together.
- *Total*: how often the total of what is shown is missed.

Noise is what a plan buys: sigma = 18.3, or Laplace of scale 14.3; 5,000,000 for the large sums.

| question and rule | guarantee | shown | of those shown | shown and missed | given that it is \
shown | all at once | total |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"""


def question_of(name: str, coverage: str) -> tuple[Statistic, dp.Loss]:
    """Return the question of a case with a guarantee, and its loss."""
    statistic, options, rule, spend, _ = CASES[name]
    ask = getattr(dp, statistic)
    return ask(**options, by="k", publish=dp.publish(**rule, coverage=coverage)), spend


def truths(question: Statistic) -> list[Any]:
    """Return what is true of each number; None of a mean of no rows."""
    groups = [[row for row in ROWS if row["k"] == k] for k in range(GROUPS)]
    return [true for rows in groups for true in question.textbook(TABLE, rows)]


def drawn(plan: Plan) -> Iterator[list[Noisy]]:
    """Yield the noisy vectors of each release."""
    counted = MemoryEngine().prepare(TABLE, plan.aggregates).count(1)
    pairs = zip(counted, plan.aggregates, strict=True)
    exact = [one.transformed(a.transform).opened_by_the_door() for one, a in pairs]
    coins = Coins()
    for _ in range(RELEASES):
        yield [
            Noisy(tuple(x + z for x, z in zip(one, law.sample(len(one), coins), strict=True)))
            for one, law in zip(exact, plan.laws, strict=True)
        ]


def is_missed(answer: Any, true: Sequence[Any], places: Sequence[int]) -> np.ndarray:
    """Tell of each shown number whether its interval misses."""
    goals = [true[place] for place in places]
    ends = zip(answer.low, answer.high, goals, strict=True)
    return np.array([g is None or not lo - 1e-6 <= g <= hi + 1e-6 for lo, hi, g in ends], bool)


def _of(answer: Any, places: Sequence[int]) -> Any:
    """Return the ends of some numbers of an answer."""
    low, high = ([ends[place] for place in places] for ends in (answer.low, answer.high))
    return SimpleNamespace(low=low, high=high)


def line(name: str, coverage: str) -> str:
    """Return a row of the page."""
    question, spend = question_of(name, coverage)
    plan, true = dp.plan(TABLE, question, spend=spend), truths(question)
    (law,), adds_up = plan.laws, CASES[name][0] in ("count", "histogram")
    shown, missed = np.zeros(len(true)), np.zeros(len(true))
    rates, joint, totals = [], 0, 0
    level = (once := dp.plan(TABLE, question, spend=spend, together=True)).level(once.lines[0])
    for noisy in drawn(plan):
        asked = RuledQuestion(question, TABLE, noisy, plan.laws, ALPHA)
        plain = asked.answer(ALPHA)
        places = places_shown(question, plain)
        if not places:
            rates.append(0.0)
            continue
        wrong = is_missed(answer_shown(asked, plain, places), true, places)
        rates.append(wrong.mean())
        shown[places] += 1
        missed[places] += wrong
        if coverage == RATE:
            joint += bool(is_missed(_of(asked.answer(level), places), true, places).any())
            off = sum(noisy[0].values[place] - true[place] for place in places) if adds_up else 0
            totals += abs(off) > total_half_width(law, len(places), len(true), ALPHA)
    often = shown >= SAMPLED
    figures = {
        RATE: (float(np.mean(rates)), float(np.std(rates)) / sqrt(RELEASES)),
        EACH: _worst(missed / RELEASES, RELEASES),
        GIVEN: _worst((missed / np.maximum(shown, 1))[often], SAMPLED),
    }
    cells = [_figure(figure, bold=kind == coverage) for kind, figure in figures.items()]
    more = [f"{100 * joint / RELEASES:.1f} %", f"{100 * totals / RELEASES:.1f} %" * adds_up]
    cells += [f"**{cell}**" if cell else "" for cell in more] if coverage == RATE else ["", ""]
    text = f"| {name} | {coverage} | {shown.sum() / RELEASES:.1f} of {len(true)} | "
    text += f"{' | '.join(cells)} |"
    print(text, flush=True)
    return text


def _worst(parts: np.ndarray, among: int) -> tuple[float, float]:
    return (float(parts.max()) if len(parts) else 0.0), sqrt(float(ALPHA) / among)


def _figure(figure: tuple[float, float], *, bold: bool) -> str:
    """Return a figure, marked where it is promised, and where it is more than that by 5 errors."""
    part, error = figure
    text = f"{100 * part:.1f} %"
    return f"**{text}**" + " too many" * (part > ALPHA + 5 * Fraction(error)) if bold else text
