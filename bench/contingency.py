"""A cube of census microdata beside OpenDP's contingency table, in one run: errors and time.

`DISCREET_DATA=folder python -m bench.contingency` prints it; it needs `opendp[mbi]`, whose fit is
that of mbi. Both count the same rows at rho = 1/8: sex, age by tens, area, and whether employed.
OpenDP is asked for all tables of two to four columns, as its page shows (`Fixed`).
"""

from itertools import combinations, product
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import numpy as np

import discreet as dp

from .census_tables import J1, census
from .table import Section, got

RUNS = 5  # of ours; the other takes longer, and runs once


def main() -> None:
    """Print the table."""
    cells = census()
    if cells is None:
        print("DISCREET_DATA names no folder with pums-fulton.csv")
        return
    rows = [dict(zip(J1, place, strict=True)) for place, n in cells.items() for _ in range(n)]
    true = np.array([cells[place] for place in product(*J1.values())], dtype=float)
    shape = [len(keys) for keys in J1.values()]
    ours, took = zip(*(_ours(rows) for _ in range(RUNS)), strict=True)
    theirs, theirs_took = _theirs(rows)
    plan, run = np.mean(took, axis=0)
    errors = [_errors(found.reshape(shape) - true.reshape(shape)) for found in ours]
    beside = _errors(theirs.reshape(shape) - true.reshape(shape))
    mean = [float(found) for found in np.mean(errors, axis=0)]
    lines = [
        ["discreet: its plan", *(got(float(n), "s") for n in plan), *[""] * 5],
        ["discreet: all", *(got(float(n), "s") for n in plan + run), *(f"{e:.1f}" for e in mean)],
        ["OpenDP and mbi", *(got(n, "s") for n in theirs_took), *(f"{e:.1f}" for e in beside)],
    ]
    about = (
        f"{len(rows):,} persons, {true.size} cells; root mean square errors of the published "
        f"tables by how many columns they have. discreet: {RUNS} releases, each with its ledger "
        "and count; OpenDP: one."
    )
    columns = ("library", "clock", "CPU", "total", "1", "2", "3", "4")
    print(Section("Beside OpenDP's contingency table", about, columns, lines).markdown())


def _errors(off: np.ndarray) -> list[float]:
    """Return the root mean square error of the tables of no column, of one, and so on."""
    axes = range(off.ndim)
    found = []
    for size in range(off.ndim + 1):
        rest = combinations(axes, off.ndim - size)
        squares = [off.sum(axis=gone).ravel() ** 2 for gone in rest]
        found.append(float(np.mean(np.concatenate(squares)) ** 0.5))
    return found


Times = tuple[float, float]  # seconds of the clock, and of all cores


def _since(start: Times) -> Times:
    return perf_counter() - start[0], process_time() - start[1]


def _ours(rows: list[dict[str, int]]) -> tuple[np.ndarray, tuple[Times, Times]]:
    """Return the cells, and the times of the plan with its words, and of the run."""
    start = _since((0, 0))
    table = dp.table(rows, unit="row", name="census", keys=J1)
    plan = dp.plan(table, dp.cube(list(J1)), spend=dp.zcdp("1/8"))
    assert str(plan)
    planned, start = _since(start), _since((0, 0))
    with TemporaryDirectory() as folder:
        release = dp.run(plan, ledger=dp.ledger(f"{folder}/census.ledger", budget=dp.zcdp(1)))
    took = _since(start)
    found = [row["value"] for row in release["cube"] if None not in row.values()]
    return np.array(found, dtype=float), (planned, took)


def _theirs(rows: list[dict[str, int]]) -> tuple[np.ndarray, Times]:
    import opendp.prelude as odp
    import polars as pl
    from opendp.extras.mbi import Count, Fixed

    odp.enable_features("contrib")
    names = list(J1)
    queries = [Count(by=by) for size in (2, 3, 4) for by in combinations(names, size)]
    start = _since((0, 0))
    context = odp.Context.compositor(
        data=pl.LazyFrame(rows),
        privacy_unit=odp.unit_of(contributions=1),
        privacy_loss=odp.loss_of(rho=1 / 8),
        split_evenly_over=1,
    )
    asked: Any = context.query().select(names)
    table = asked.contingency_table(
        keys={name: list(keys) for name, keys in J1.items()}, algorithm=Fixed(queries=queries)
    ).release()
    found = np.asarray(table.project(tuple(names)), dtype=float)
    took = _since(start)
    listed = tuple(slice(len(keys)) for keys in J1.values())  # each has a place for no key behind
    return found.reshape([len(keys) + 1 for keys in J1.values()])[listed], took


if __name__ == "__main__":
    main()
