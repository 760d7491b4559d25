"""The page to explore a plan, in a headless Chromium: how soon it follows, and what it asks for.

Rules of this module:
- an update is the event of a slider, with what the page draws for it and its layout, by the page's
  own clock; the browser is that of the tests;
- what it asks for is compared with Python's least epsilon of the same errors.
"""

import json
import random
import sys
import tempfile
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import discreet as dp
from discreet.plans.plan import Plan
from discreet.plans.shares import Goals, goals_of, least_spend
from discreet.plans.within import Goal
from discreet.statistic.catalog import statistic_of

from .table import Cell, Section, got

TESTS = Path(__file__).parents[1] / "tests"
MOVES = 300
SETTINGS = 1_000
FRAME = 16  # ms: a picture of sixty in a second
NEAR = 1.02  # of Python's price
_MOVED = """(() => {
  const sliders = [...document.querySelectorAll("input[type=range]")], took = [];
  for (let n = 0; n < MOVES; n += 1) {
    const one = sliders[n % sliders.length], least = Number(one.min), wide = one.max - least;
    one.value = String(Math.floor(least + wide * ((n * 7919) % 101) / 101));
    const start = performance.now();
    one.dispatchEvent(new Event("input", { bubbles: true }));
    document.body.offsetHeight;
    took.push(performance.now() - start);
  }
  return took.sort((a, b) => a - b)[MOVES / 2];
})()"""
_ASKED = """SETTINGS.map(([at, delta]) => {
  by("delta").value = delta;
  const found = bill(at);
  return [found.total, found.noise.map((one) => one.own > 0)];
})"""
VISITS = dp.table(
    [],
    unit=dp.unit("id", max_rows=30),
    columns={"age": dp.bounds(0, 100, step=1, missing=0)},  # counts and means share a vector
    keys={"ward": range(40), "sex": [0, 1]},
)
_SPREAD: Any = {"by": "ward", "max_rows_per_group": 1}  # one unit moves 30 numbers by 1
WANTED = (
    dp.count_units(within=2),
    dp.count(**_SPREAD, within=60),
    dp.mean("age", **_SPREAD, within=1, rows=5000),
    dp.count_units(by="sex", within=9),
)
BOTH = dp.plan(VISITS, *WANTED, delta="1e-6")

Setting = tuple[list[int], str]  # where the sliders stand, and the delta
Settled = list[list[Goal]]


def sections() -> list[Section]:
    """Return the table of the page."""
    rows: list[list[Cell | str]] = []
    plans = {
        "4 questions": _asked(4),
        "10 questions": _asked(10),
        "4 questions, both laws at a delta": BOTH,
        "10 questions, both laws at a delta": _asked(10, delta="1e-6"),
    }
    browser = _browser()
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, plan) in enumerate(plans.items()):
            took: Cell | str = "no Chromium"
            if browser.BROWSER is not None:
                took = got(_update(browser, Path(folder, str(number)), plan), "ms", most=FRAME)
            rows.append([f"one slider moved, {name}", took])
        ends: list[Cell | str] = ["no Chromium"] * 2
        if browser.BROWSER is not None:
            found = _compared(browser, Path(folder, "both"))
            least, most = min(found), max(found)
            ends = [Cell(f"{least:.4f} times", "≥ 1", least >= 1)]
            ends += [Cell(f"{most:.4f} times", f"≤ {NEAR}", most <= NEAR)]
        asks = f"epsilon on the page over Python's, {SETTINGS:,} settings of both laws"
        rows += [
            [f"{asks}: {name}", end] for name, end in zip(("least", "most"), ends, strict=True)
        ]
    about = "From the event to the layout, by the page's clock: the median of 300 moves."
    return [Section("The page to explore a plan", about, ("what", "found"), rows)]


def goals_on(page: Any) -> Settled:
    """Return each question of `BOTH` at each error of its page, with the noise that keeps it."""
    found = []
    for question, asked in zip(page.js("facts.questions"), WANTED, strict=True):
        errors = [statistic_of({**asked.plain(), "within": typed}) for typed in question["typed"]]
        asked_of = {"share": True, "together": False}
        found.append([goals_of(VISITS, [e], BOTH.alpha, **asked_of).goals[0] for e in errors])
    return found


def some(goals: Settled, deltas: Sequence[str], many: int) -> list[Setting]:
    """Return places of the sliders, drawn by a seed."""
    luck = random.Random(14)
    return [([luck.randrange(len(one)) for one in goals], luck.choice(deltas)) for _ in range(many)]


def ratios(
    page: Any, goals: Settled, settings: Sequence[Setting]
) -> list[tuple[Fraction, set[bool]]]:
    """Return what the page asks for over what Python does; and whether noise is Gaussian."""
    shown = page.js(_ASKED.replace("SETTINGS", json.dumps(settings)))
    found = []
    for (epsilon, laws), (places, delta) in zip(shown, settings, strict=True):
        asked = Goals(tuple(each[n] for each, n in zip(goals, places, strict=True)))
        least = least_spend(asked, "approx", Fraction(delta)).epsilon
        found.append((Fraction(epsilon) / least, set(laws)))
    return found


def _compared(browser: Any, folder: Path) -> list[float]:
    folder.mkdir()
    BOTH.explore(folder / "plan.html")
    with browser.Page(folder / "plan.html", folder) as page:
        goals = goals_on(page)
        settings = some(goals, page.js("facts.deltas"), SETTINGS)
        return [float(ratio) for ratio, _ in ratios(page, goals, settings)]


def _browser() -> Any:
    sys.path.insert(0, str(TESTS))  # the browser of the tests
    import chromium

    return chromium


def _asked(questions: int, **terms: Any) -> Plan:
    names = [f"x{number}" for number in range(questions - 1)]
    people = dp.table(
        "no-such-file.csv",
        unit="row",
        columns={name: dp.bounds(0, 100, step=1) for name in names},
        keys={"ward": range(100)},
    )
    means = [dp.mean(name, by="ward", within="2", rows=200) for name in names]
    return dp.plan(people, dp.count(by="ward", within=20), *means, **terms)


def _update(browser: Any, folder: Path, plan: Plan) -> float:
    folder.mkdir()
    plan.explore(folder / "plan.html")
    with browser.Page(folder / "plan.html", folder) as page:
        return float(page.js(_MOVED.replace("MOVES", str(MOVES))))
