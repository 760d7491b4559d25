"""How fast this tree is beside an earlier commit: `python -m bench.earlier FOLDER`.

The large data and the map are made once, and read by both; that takes a gigabyte of the disk.

Rules of this module:
- FOLDER is that commit's tree (`git worktree add FOLDER 85271fb`); both run in this environment;
- each turn is a process of its own, the trees take turns; the least CPU time of each row counts;
- only what both trees have is asked, by the public page; noise, and what denoises a million
  numbers and a map, by its own file.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from . import engine, maps

TURNS = 7
_JOBS = r"""
import sys, tempfile, time
from fractions import Fraction
import numpy, pyarrow
import discreet as dp
from discreet.entropy import Coins
try:
    from discreet.noise.discrete_gaussian import DiscreteGaussian
except ImportError:
    from discreet.mechanism.discrete_gaussian import DiscreteGaussian
try:
    from discreet.post.denoise.select import denoise
except ImportError:
    from discreet.post.denoise.brake import denoise
from discreet.post.denoise.empirical_bayes import empirical_bayes
from discreet.post.denoise.noise import noise_of

def least(act, times):
    found = []
    for _ in range(times):
        begun = time.process_time()
        act()
        found.append(time.process_time() - begun)
    print(min(found))

keys = [f"k{n}" for n in range(1000)]
def twenty(loss):
    columns = {f"x{n}": dp.bounds(0, 1000, step="0.01") for n in range(9)}
    unit = dp.unit("unit", max_rows=5)
    table = dp.table("no.parquet", unit=unit, columns=columns, keys={"key": keys})
    values = [ask(f"x{n}", by="key") for ask in (dp.mean, dp.sum) for n in range(9)]
    dp.plan(table, dp.count(by="key"), dp.count_units(by="key"), *values, spend=loss)

for loss in (dp.pure(1), dp.zcdp("1/50"), dp.approx(1, "1e-6")):
    least(lambda: twenty(loss), 30)
coins = Coins()
for sigma in (100, 10**6):
    law = DiscreteGaussian(Fraction(sigma) ** 2)
    least(lambda: [law.draws(1, coins) for _ in range(100)], 20)
    least(lambda: law.draws(1000, coins), 200)
    least(lambda: law.draws(10**6, coins), 3)

def released(table, *asked, loss, times=15):
    took = []
    for n in range(times):
        with tempfile.TemporaryDirectory() as folder:
            ledger = dp.ledger(folder + "/l.ledger", budget=loss)
            begun = time.process_time()
            dp.run(dp.plan(table, *asked, spend=loss), ledger=ledger, request="r").table()
            took.append(time.process_time() - begun)
    print(min(took))

rows = [{"age": n * 37 % 100, "ward": "ABCDEFGHIJ"[n % 10]} for n in range(100)]
ages = {"age": dp.bounds(0, 100, step=1)}
few = dp.table(rows, name="few", unit="row", columns=ages, keys={"ward": [*"ABCDEFGHIJ"]})
released(few, dp.count(by="ward"), loss=dp.zcdp("1/50"))
random = numpy.random.default_rng(1)
found = {"key": random.integers(0, 1000, 10**5), "value": random.uniform(0, 1000, 10**5)}
values = {"value": dp.bounds(0, 1000, step="0.01")}
many = dp.table(
    pyarrow.table(found), name="many", unit="row", columns=values, keys={"key": [*range(1000)]}
)
released(many, dp.count(by="key"), loss=dp.pure(1))
released(many, dp.count(by="key"), dp.mean("value", by="key"), loss=dp.pure(1))

columns = {"value": dp.bounds(0, 1000, step="0.01"), "age": dp.bounds(0, 100, step="0.1")}
keys = {"key": [f"k{number}" for number in range(1000)]}
def large(*asked, unit, times=3):
    table = dp.table(sys.argv[1], name="big", unit=unit, columns=columns, keys=keys)
    released(table, *asked, loss=dp.pure(1), times=times)

def of_each(*asks, **how):
    return [ask(c, **how) for c in columns for ask in asks]

ten = [dp.count(by="key"), *of_each(dp.mean, dp.sum, by="key")]
ten += [dp.count(), *of_each(dp.mean, dp.sum)]
large(dp.count(by="key"), dp.mean("value", by="key"), unit="row")
large(*ten, unit="row")
limits = {"by": "key", "max_groups": 5, "max_rows_per_group": 3}
large(dp.count(**limits), dp.mean("value", **limits), unit=dp.unit("unit"), times=2)
large(*ten, unit=dp.unit("unit", max_rows=15), times=2)

numbers = random.poisson(20, 10**6) + numpy.round(random.normal(0, 36, 10**6))
noise = noise_of(DiscreteGaussian(Fraction(36**2)))
least(lambda: empirical_bayes(numbers, noise), 5)
streets = numpy.load(sys.argv[2])
noisy = 20.0 + numpy.round(random.normal(0, 36, int(streets.max()) + 1))
least(lambda: denoise(noisy, noise, graph=streets), 1)
"""
ROWS = (
    *(f"plan 20 statistics over 1,000 keys, {loss}" for loss in ("epsilon", "rho", "delta")),
    *(f"{many} draws, sigma {sigma}" for sigma in ("100", "10^6") for many in (1, 10**3, 10**6)),
    "release 10 numbers of 100 rows in memory",
    "release 1,000 counts of 100,000 rows of Arrow",
    "release 1,000 counts and means of them",
    "the same of 10^7 rows of Parquet, unit a row",
    "release ten statistics by key and over all of them, unit a row",
    "release counts and means of them, 5 groups a unit and 3 rows a group",
    "release the ten, 15 rows a unit",
    "empirical Bayes of a million numbers",
    "denoise a map of 99,856 places",
)


def main() -> None:
    """Let two trees take turns, and print the ratio of each row."""
    here, there = Path(__file__).parents[1], Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        rows, streets = engine.made(folder, 10**7), f"{folder}/streets.npy"
        np.save(streets, maps.streets(100_000)[0])
        turns = [[_turn(tree, rows, streets) for tree in (there, here)] for _ in range(TURNS)]
    for place, row in enumerate(ROWS):
        before, now = (min(turn[tree][place] for turn in turns) for tree in (0, 1))
        print(f"| {row} | {1e3 * before:.3f} ms | {1e3 * now:.3f} ms | {now / before:.2f} |")


def _turn(tree: Path, *files: str) -> list[float]:
    done = subprocess.run(
        [sys.executable, "-c", _JOBS, *files],
        env={**os.environ, "PYTHONPATH": str(tree.resolve() / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    return [float(line) for line in done.stdout.split()]


if __name__ == "__main__":
    main()
