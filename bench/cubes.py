"""How near the tables of a cube are, and how long their answer takes."""

from fractions import Fraction
from itertools import combinations
from time import process_time
from typing import Any

import numpy as np

import discreet as dp
from discreet.aggregate import Noisy
from discreet.entropy import Coins
from discreet.plans.plan import Plan

from .table import Cell, Section, got, seconds

SPEND = dp.zcdp("1/8")
SHAPES = {  # cells, and the seconds that making the tables of them may take
    "2 x 9 x 7 x 2": ((2, 9, 7, 2), 0.1),
    "4 x 9 x 16 x 10": ((4, 9, 16, 10), 0.2),
    "100 x 100 x 100": ((100, 100, 100), 30),
    "10 x 10 x 10 x 10 x 10 x 10": ((10,) * 6, 30),
}
LISTED = "ten columns of 10 keys, all tables of three"
RUNS = 20


def sections() -> list[Section]:
    """Return the tables of times and errors."""
    columns = ("cells", "tables", "margins, of a count", "estimates, intervals and fit")
    times = [_times(name, shape, most) for name, (shape, most) in SHAPES.items()]
    times.append(_listed(1))
    errors = [_errors(name) for name in list(SHAPES)[:2]]
    return [
        Section(
            "Cubes", "CPU seconds after the data was counted; 60 % of cells empty.", columns, times
        ),
        Section(
            "Errors of a cube",
            f"Root mean square over all numbers of {RUNS} releases at rho = 1/8, 60 % of cells "
            "empty; the total and margins of one attribute beside.",
            (
                "cells",
                "stated",
                "linear",
                "published",
                "linear, by one",
                "published, by one",
                "of counts one by one",
            ),
            errors,
        ),
    ]


def _planned(shape: tuple[int, ...]) -> Plan:
    keys = {f"a{at}": range(size) for at, size in enumerate(shape)}
    table = dp.table([], unit="row", name="cells", keys=keys)
    return dp.plan(table, dp.cube(list(keys)), spend=SPEND)


def _cells(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return made-up counts, the same each time."""
    coins = np.random.default_rng(16)
    found = coins.poisson(8, shape) * (coins.random(shape) > 0.6)
    cells: tuple[int, ...] = tuple(found.ravel().tolist())
    return cells


def _tables(plan: Plan, cells: tuple[int, ...]) -> list[tuple[int, ...]]:
    matrices = [found.transform for found in plan.aggregates]
    return [matrix.applied(cells) if matrix else cells for matrix in matrices]


def _drawn(plan: Plan, exact: list[tuple[int, ...]]) -> list[Noisy]:
    coins = Coins()
    pairs = zip(exact, plan.laws, strict=True)
    return [Noisy(tuple((np.array(v) + law.draws(len(v), coins)).tolist())) for v, law in pairs]


def _times(name: str, shape: tuple[int, ...], most: float) -> list[Cell | str]:
    plan, cells = _planned(shape), _cells(shape)
    start = process_time()
    exact = _tables(plan, cells)
    margins = process_time() - start
    noisy = _drawn(plan, exact)
    start = process_time()
    plan.lines[0].statistic.answer(plan.table, noisy, plan.laws, Fraction(1, 20))
    took = process_time() - start
    return [name, f"{len(exact)}", got(margins, "s"), got(took, "s", most=most)]


def _listed(most: float) -> list[Cell | str]:
    """Return the times of a list of tables whose columns have 10^10 cells together."""
    keys: Any = {f"a{at}": dp.keys(*range(9), other=9) for at in range(10)}
    table = dp.table([], unit="row", name="cells", keys=keys)
    plan = dp.plan(table, dp.tables(list(combinations(keys, 3))), spend=SPEND)
    exact = [
        matrix.applied(_cells((10,) * len(one.by)))
        if (matrix := one.transform)
        else _cells((10,) * 3)
        for one in plan.aggregates
    ]
    noisy = _drawn(plan, exact)
    took = seconds(
        lambda: plan.lines[0].statistic.answer(plan.table, noisy, plan.laws, Fraction(1, 20))
    )
    return [LISTED, f"{len(exact)}", "", got(took, "s", most=most)]


def _errors(name: str) -> list[Cell | str]:
    plan, cells = _planned(SHAPES[name][0]), _cells(SHAPES[name][0])
    exact = _tables(plan, cells)
    true = np.concatenate([np.array(v) for v in exact])
    (line,), few = plan.lines, 1 + sum(SHAPES[name][0])
    linear = fitted = stated = np.zeros(true.size)
    for _ in range(RUNS):
        noisy = _drawn(plan, exact)
        told = line.statistic.answer(plan.table, noisy, line.laws, Fraction(1, 20))
        linear = linear + (np.array(told.linear) - true) ** 2 / RUNS
        fitted = fitted + (np.array(told.values) - true) ** 2 / RUNS
        stated = np.array(told.deviation) ** 2
    alone = (len(exact) / (2 * SPEND.rho)) ** 0.5
    sizes = [
        float(each.mean()) ** 0.5 for each in (stated, linear, fitted, linear[:few], fitted[:few])
    ]
    return [name, *(f"{size:.2f}" for size in sizes), f"{alone:.2f}"]
