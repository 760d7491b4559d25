"""How near the published tables of sparse cubes are: beside their linear estimates, cut at 0.

`python -m bench.sparse_cubes` makes one release of each (20 minutes of CPU) and prints the ratios;
`python -m bench.sparse_cubes 100000` leaves larger cubes out; `python -m bench.sparse_cubes lists`
makes lists of tables over domains of up to 10^8 cells instead (three minutes), from rows. Real
data are read from the folder that DISCREET_DATA names; without it these are left out.
"""

import csv
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import discreet as dp
from discreet.aggregate import Noisy
from discreet.entropy import Coins

Cells = NDArray[np.int64]
Measured = tuple[int, float, float, int]  # columns, squares of errors published and cut, numbers
CENSUS = [
    (0.1, "age", "educ", "sex"),
    (0.1, "age", "income", "sex", "employed"),
    (0.1, "age", "educ", "puma"),
    (1, "age", "educ", "income"),
    (1, "age", "income", "puma"),
    (1, "age", "educ", "income", "sex"),
    (0.1, "age", "educ", "puma", "sex", "married", "employed"),
    (0.1, "income", "educ", "children", "puma", "sex", "black"),
    (0.1, "age", "income", "educ", "puma"),
    (0.1, "age", "income", "educ", "sex", "black"),
    (1, "age", "educ", "children", "sex", "black", "married"),
]


REAL_LISTS = [  # a file, how many columns a table shows, rho, the columns
    ("pums-fulton", 2, 0.1, "age", "educ", "income"),
    ("pums-fulton", 2, 0.1, "age", "educ", "puma", "sex", "married", "employed"),
    ("pums-fulton", 2, 0.1, "income", "educ", "children", "puma", "sex", "black"),
    ("pums-fulton", 2, 0.1, "age", "income", "educ", "puma"),
    ("pums-fulton", 2, 0.1, "age", "income", "educ", "sex", "black"),
    ("pums-fulton", 3, 0.1, "age", "educ", "puma", "sex", "married"),
    (
        "pums-fulton",
        2,
        0.1,
        "age",
        "income",
        "educ",
        "puma",
        "sex",
        "married",
        "children",
        "latino",
    ),
    ("pums-fulton", 3, 0.1, "age", "income", "educ", "puma", "sex", "married"),
    ("pums-california-1000", 2, 1, "age", "sex", "educ", "race", "income", "married"),
    ("teacher-survey", 2, 0.1, *(f"c{at}" for at in range(1, 8))),
]


def drawn(coins: np.random.Generator, shape: tuple[int, ...], rows: int, kind: str) -> Cells:
    """Return made-up cells: of a few groups of people, by Zipf's law, independent, or equal."""
    if kind == "equal":
        keys = [coins.integers(0, min(shape[:2]), rows)] * 2
        places = (*keys, *(coins.integers(0, n, rows) for n in shape[2:]))
    elif kind == "zipf":
        chances = 1 / np.arange(1, np.prod(shape) + 1)
        order = coins.permutation(chances.size)
        places = np.unravel_index(order[coins.choice(order.size, rows, p=_one(chances))], shape)
    elif kind == "independent":
        places = tuple(coins.choice(n, rows, p=_one(1 / np.arange(1, n + 1))) for n in shape)
    else:
        group = coins.choice(30, rows, p=coins.dirichlet(np.full(30, 0.5)))
        laws = [coins.dirichlet(np.full(n, 0.1), 30).cumsum(1) for n in shape]
        uniform = [coins.random(rows) for _ in shape]
        places = tuple(
            np.minimum((u[:, None] > law[group]).sum(1), len(law[0]) - 1)
            for u, law in zip(uniform, laws, strict=True)
        )
    found = np.zeros(shape, dtype=np.int64)
    np.add.at(found, places, 1)
    return found


def _one(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    return chances / chances.sum()


def census(columns: tuple[str, ...]) -> Cells:
    """Return the cells of census microdata; income by 39 of its quantiles."""
    rows = census_rows(columns)
    found = np.zeros(rows.max(0) + 1, dtype=np.int64)
    np.add.at(found, tuple(rows.T), 1)
    return found


def census_rows(columns: tuple[str, ...], file: str = "pums-fulton") -> Cells:
    """Return the places of the rows of microdata; columns without a header are c0, c1, ..."""
    path = Path(os.environ.get("DISCREET_DATA", "data")) / f"{file}.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        names = [f"c{at}" for at in range(11)] if file == "teacher-survey" else None
        rows = list(csv.DictReader(lines, names))
    places = []
    for name in columns:
        values = np.array([float(row[name].strip() or -1) for row in rows])  # -1: no answer
        if name == "income":
            edges = np.quantile(values[values > 0], np.linspace(0, 1, 40)[1:-1])
            values = np.digitize(values, np.unique(edges)).astype(float)
        places.append(np.unique(values, return_inverse=True)[1])
    return np.stack(places, axis=1)


def cases() -> Iterator[tuple[str, Cells, float]]:
    """Return 41 cubes: a name, the cells, rho."""
    coins = np.random.default_rng(36)
    shapes = [(25, 20, 20), (30, 30, 20, 2), (60, 60, 60), (12, 7, 6, 9, 8, 10), (100, 100, 50)]
    for shape in shapes:
        for kind in ("equal", "zipf", "independent", "groups"):
            yield f"{kind} {shape}", drawn(coins, shape, 30_000, kind), 0.02
    for shape in [(10, 10, 10, 10), (42, 42, 42), (4, 16, 16, 8, 8)]:
        for kind, rows in (("groups", 5_000), ("zipf", 200_000)):
            yield f"{kind} {shape}", drawn(coins, shape, rows, kind), 0.1
    for shape in [(100, 100, 100), (120, 120, 120)]:
        for kind in ("equal", "groups"):
            yield f"{kind} {shape}", drawn(coins, shape, 100_000, kind), 0.05
    if "DISCREET_DATA" in os.environ:
        for rho, *columns in CENSUS:
            yield f"census {' '.join(columns)}", census(tuple(columns)), rho


def released(cells: Cells, rho: float, question: Any = None) -> tuple[Any, Mapping[Any, Any]]:
    """Return an answer over these cells, and for each table its numbers in the answer's order."""
    names = [f"a{at}" for at in range(cells.ndim)]
    table = dp.table(
        [],
        unit="row",
        name="cells",
        keys={n: range(k) for n, k in zip(names, cells.shape, strict=True)},
    )
    plan = dp.plan(table, question or dp.cube(names), spend=dp.zcdp(str(rho)))
    (line,) = plan.lines
    vector = tuple(cells.reshape(-1).tolist())
    exact = [a.transform.applied(vector) if a.transform else vector for a in line.aggregates]
    coins = Coins()
    noisy = [
        Noisy(tuple((np.array(v) + law.draws(len(v), coins)).tolist()))
        for law, v in zip(line.laws, exact, strict=True)
    ]
    return line.statistic.answer(plan.table, noisy, line.laws, plan.alpha), plan


def measured(cells: Cells, answer: Any) -> list[Measured]:
    """Return of each table its columns' number, and the squares of errors: published, cut."""
    values, linear = np.array(answer.values, float), np.array(answer.linear)
    start, found = 0, []
    every = [s for n in range(cells.ndim + 1) for s in combinations(range(cells.ndim), n)]
    for shown in every:
        true = cells.sum(axis=tuple(at for at in range(cells.ndim) if at not in shown)).reshape(-1)
        mine = slice(start, start + true.size)
        start += true.size
        off = ((values[mine] - true) ** 2).sum(), ((linear[mine].clip(0) - true) ** 2).sum()
        found.append((len(shown), float(off[0]), float(off[1]), true.size))
    return found


def lists() -> Iterator[tuple[str, Cells, tuple[int, ...], int, float]]:
    """Return lists of tables: a name, the rows, how many keys each column has, columns, rho."""
    coins = np.random.default_rng(37)
    for shape, wide, many in [
        ((10,) * 5, 2, 20_000),
        ((10,) * 5, 3, 20_000),
        ((20,) * 6, 2, 30_000),
        ((10,) * 8, 3, 30_000),
        ((100,) * 4, 2, 50_000),
    ]:
        group = coins.choice(30, many, p=coins.dirichlet(np.full(30, 0.5)))
        laws = [coins.dirichlet(np.full(n, 0.1), 30).cumsum(1) for n in shape]
        columns = [(coins.random(many)[:, None] > law[group]).sum(1) for law in laws]
        rows = np.minimum(np.stack(columns, 1), np.array(shape) - 1)
        yield f"groups {shape[0]}^{len(shape)}, {wide} columns", rows, shape, wide, 0.1
    if "DISCREET_DATA" in os.environ:
        for file, wide, rho, *names in REAL_LISTS:
            rows = census_rows(tuple(names), file)
            shape = tuple((rows.max(0) + 1).tolist())
            yield f"{file} {' '.join(names)}, {wide} columns", rows, shape, wide, rho


def list_measured(rows: Cells, shape: tuple[int, ...], wide: int, rho: float) -> list[Measured]:
    """Return of each table of a released list what `measured` does."""
    names = [f"a{at}" for at in range(len(shape))]
    table = dp.table(
        pa.table({name: rows[:, at] for at, name in enumerate(names)}),
        unit="row",
        name="rows",
        keys={name: dp.keys(*range(n), other=n) for name, n in zip(names, shape, strict=True)},
    )
    question = dp.tables([list(some) for some in combinations(names, wide)])
    plan = dp.plan(table, question, spend=dp.zcdp(str(rho)))
    with TemporaryDirectory() as folder:
        book = dp.ledger(Path(folder, "ledger"), budget=dp.zcdp(1))
        answer = dp.run(plan, ledger=book).document.statistics[0].answer
    columns = dict(zip(answer.columns, answer.rows.columns, strict=True))
    sums: dict[tuple[int, ...], list[float]] = {}
    counts: dict[tuple[int, ...], dict[tuple[int, ...], int]] = {}
    numbers = zip(*(columns[name] for name in (*names, "value", "linear")), strict=True)
    for *keys, value, linear in numbers:
        shown = tuple(at for at, key in enumerate(keys) if key is not None)
        if shown not in counts:
            counts[shown] = Counter(map(tuple, rows[:, shown].tolist()))
        true = counts[shown].get(tuple(keys[at] for at in shown), 0)
        entry = sums.setdefault(shown, [0.0, 0.0, 0])
        entry[0] += (value - true) ** 2
        entry[1] += (max(linear, 0.0) - true) ** 2
        entry[2] += 1
    return [(len(shown), off, cut, int(many)) for shown, (off, cut, many) in sums.items()]


def _lists() -> None:
    """Print for each list the published error over that of linear estimates that are cut at 0."""
    pooled = []
    for name, rows, shape, wide, rho in lists():
        start = process_time()
        mine = list_measured(rows, shape, wide, rho)
        ratio = (sum(m[1] for m in mine) / sum(m[2] for m in mine)) ** 0.5
        pooled.append(ratio)
        spent = process_time() - start
        print(f"{name}, {np.prod(shape):.1g} cells: {ratio:.2f} | {spent:.1f} s", flush=True)
    print(
        f"{len(pooled)} lists: {np.mean(np.square(pooled)) ** 0.5:.3f}, the most {max(pooled):.3f}"
    )


def main(most: float) -> None:
    """Print for each cube the published error over that of linear estimates that are cut at 0."""
    numbers: list[float] = []
    tables: dict[int, list[float]] = {}
    for name, cells, rho in cases():
        if cells.size > most:
            continue
        start = process_time()
        answer, _ = released(cells, rho)
        seconds = process_time() - start
        found = measured(cells, answer)
        whole = (sum(f[1] for f in found) / sum(f[2] for f in found)) ** 0.5
        depths = {}
        for depth in range(cells.ndim + 1):
            mine = [f for f in found if f[0] == depth]
            published = sum(f[1] / f[3] for f in mine) / len(mine)
            cut = sum(f[2] / f[3] for f in mine) / len(mine)
            depths[depth] = (published / max(cut, 1e-9)) ** 0.5
            tables.setdefault(depth, []).append(published / max(cut, 1e-9))
        numbers.append(whole)
        told = " ".join(f"{ratio:.2f}" for ratio in depths.values())
        print(f"{name}, {cells.size:,} cells: {whole:.2f} | {told} | {seconds:.1f} s", flush=True)
    print(f"{len(numbers)} cubes, the most {max(numbers):.3f}")
    for depth, ratios in tables.items():
        print(f"{depth} columns: {np.mean(ratios) ** 0.5:.3f} of {len(ratios)}")


if __name__ == "__main__":
    if sys.argv[1:] == ["lists"]:
        _lists()
    else:
        main(float(sys.argv[1]) if sys.argv[1:] else float("inf"))
