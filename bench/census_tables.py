"""How often the intervals of tables that add up hold, and how near the tables are.

`python -m bench.census_tables` makes 2,000 releases of each (eight minutes of CPU) and writes
docs/tables-measured.md; `python -m bench.census_tables 300` makes 300, and only prints.

Census microdata are read from the folder that DISCREET_DATA names; without it
these rows are left out.
"""

import csv
import os
import sys
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

import discreet as dp
from discreet.aggregate import Noisy
from discreet.entropy import Coins
from discreet.plans.plan import Plan

from .table import Section

ALPHA, SPEND = Fraction(1, 20), dp.zcdp("1/8")
FALSE = 1e-6  # chance that a right build shows a cell below `least`, by the normal approximation
Keys = dict[str, range]
Cells = Counter[tuple[int, ...]]
Rows = Sequence[tuple[object, ...]]
REGIONS: dict[object, str] = {0: "n", 1: "n", 2: "n", 3: "s"}
PLACE = dp.levels(["region", "place"], rows=[(region, place) for place, region in REGIONS.items()])
MADE = {"sex": range(2), "age": range(5), "place": range(4)}
J1 = {"sex": range(2), "age": range(9), "puma": range(7), "employed": range(2)}
WHERE = Path(__file__).parents[1] / "docs" / "tables-measured.md"


def made(empty: float) -> Cells:
    """Return made-up cells, of which so large a share is empty."""
    coins = np.random.default_rng(16)
    places = product(*MADE.values())
    return Counter({p: int(coins.integers(1, 30)) for p in places if coins.random() >= empty})


def census() -> Cells | None:
    """Return the cells of census microdata: sex, age by tens, area, and whether employed."""
    path = Path(os.environ.get("DISCREET_DATA", "data")) / "pums-fulton.csv"
    if not path.is_file():
        return None
    with path.open(encoding="utf-8", newline="") as file:
        rows = [{k: int(float(v)) for k, v in row.items()} for row in csv.DictReader(file)]
    areas = sorted({row["puma"] for row in rows})
    return Counter(
        (row["sex"], min(row["age"] // 10, 8), areas.index(row["puma"]), row["employed"])
        for row in rows
    )


def planned(keys: Keys, question: Any) -> Plan:
    table = dp.table([], unit="row", name="cells", keys=keys)
    return dp.plan(table, question, spend=SPEND)


def measured(
    name: str,
    keys: Keys,
    cells: Cells,
    question: Any,
    runs: int,
    *,
    astray: int = 0,
) -> list[str]:
    """Return a line of the table: coverage before and after the fit, and sizes of errors.

    Args:
        name, keys, cells, question: what is released.
        runs: how many times.
        astray: so many rows are in the total, and in no cell: the fault that must be seen.
    """
    plan = planned(keys, question)
    (line,) = plan.lines
    by = line.aggregates[0].by  # cells are counted in this order
    laid_out = (dict(zip(by, place, strict=True)) for place in product(*(keys[n] for n in by)))
    vector = tuple(cells[tuple(place[name] for name in keys)] for place in laid_out)
    exact = [a.transform.applied(vector) if a.transform else vector for a in line.aggregates]
    exact = [(exact[0][0] + astray,), *exact[1:]]
    coins = Coins()
    noise = [
        law.draws(len(v) * runs, coins).reshape(runs, -1)
        for law, v in zip(line.laws, exact, strict=True)
    ]
    index = line.statistic.cells(plan.table) or []
    first = line.statistic.answer(plan.table, [*map(Noisy, exact)], line.laws, ALPHA)
    true = _true([axis.name for axis in first.axes], index, keys, cells)
    before = after = np.zeros(true.size)
    linear = fitted = np.zeros(true.size)
    shares = []
    for run in range(runs):
        noisy = [
            Noisy(tuple((np.array(v) + z[run]).tolist())) for v, z in zip(exact, noise, strict=True)
        ]
        told = line.statistic.answer(plan.table, noisy, line.laws, ALPHA)
        deviation = np.array(told.deviation)
        near = np.abs(np.array(told.linear) - true) <= 1.96 * deviation
        held = (np.array(told.low) <= true) & (true <= np.array(told.high))
        before, after = before + near / runs, after + held / runs
        shares.append(held.mean())
        linear = linear + (np.array(told.linear) - true) ** 2 / runs
        fitted = fitted + (np.array(told.values) - true) ** 2 / runs
    few = [at for at, row in enumerate(index) if sum(cell is not None for cell in row) <= 1]
    alone = (len(line.aggregates) / (2 * SPEND.rho)) ** 0.5
    size = NormalDist().inv_cdf(1 - FALSE / true.size) * (0.05 * 0.95 / runs) ** 0.5
    return [
        name,
        f"{true.size}",
        f"{before.mean():.4f}, {before.min():.3f}",
        f"{after.mean():.4f} ± {np.std(shares) / runs**0.5:.4f}, {after.min():.3f}",
        f"{0.95 - size:.3f}",
        f"{(linear / deviation**2).mean() ** 0.5:.4f}",
        f"{linear.mean() ** 0.5 / alone:.3f}",
        f"{(fitted[few].mean() / linear[few].mean()) ** 0.5:.3f}",
    ]


def _true(names: list[str], index: Rows, keys: Keys, cells: Cells) -> np.ndarray:
    """Return the true numbers of all tables, in the order of the answer."""
    found = Counter[tuple[object, ...]]()
    shapes = {tuple(cell is not None for cell in row) for row in index}
    for place, count in cells.items():
        told: dict[str, object] = dict(zip(keys, place, strict=True))
        told["region"] = REGIONS.get(told.get("place", -1), "")
        for shape in shapes:
            kept = zip(names, shape, strict=True)
            found[tuple(told[name] if shown else None for name, shown in kept)] += count
    return np.array([found[row] for row in index])


def section(runs: int) -> Section:
    """Return the table of all cases."""
    cube = dp.cube(["sex", "age", PLACE])
    lists = dp.tables([["sex", "age"], ["age", "place"]])
    levels = dp.tables([["region", "age"], [PLACE, "sex"]])
    asked = [("cube 2 x 5 x 4, two regions", cube), ("two tables of it", lists)]
    asked += [("regions by age, places by sex", levels)]
    rows = [
        measured(f"{what}, {empty:.0%} empty", MADE, made(empty), question, runs)
        for what, question in asked
        for empty in (0, 0.5, 0.95)
    ]
    cells = census()
    if cells is not None:
        rows.append(measured("census: 2 x 9 x 7 x 2", J1, cells, dp.cube(list(J1)), runs))
    fault = measured(
        "planted: 100 rows in the total alone", MADE, made(0), cube, min(runs, 200), astray=100
    )
    return Section(
        "Tables that add up, measured",
        f"{runs:,} releases at rho = 1/8. Coverage of 95 % intervals: of all numbers, and the "
        "least of any; before the fit estimate ± 1.96 deviations, after it the published interval. "
        f"In a correct build, the chance that the coverage of any number falls below `seen` is "
        f"{FALSE:g}. Errors are root mean squares.",
        (
            "case", "numbers", "before the fit", "published", "seen", "linear, of stated",
            "linear, of tables asked one by one", "total and one-way, published of linear",
        ),
        [*rows, fault],
    )  # fmt: skip


def main() -> None:
    """Run, print, and write where nothing else was asked."""
    runs = int(sys.argv[1]) if sys.argv[1:] else 2_000
    text = section(runs).markdown()
    print(text)
    if not sys.argv[1:]:
        WHERE.write_text("# " + text.removeprefix("## ") + _REPEAT, encoding="utf-8")


_REPEAT = (
    "\nTo repeat it: `DISCREET_DATA=folder .venv/bin/python -m bench.census_tables`. The census "
    "rows are public-use microdata of Fulton County, Georgia (25,766 persons), which are not in "
    "this repository.\n"
)


if __name__ == "__main__":
    main()
