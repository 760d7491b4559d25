"""How fast this tree is beside an earlier commit: `python -m bench.earlier FOLDER`.

The large data and the map are made once, and read by both; that takes a gigabyte of the disk.

Rules of this module:
- FOLDER is that commit's tree (`git worktree add FOLDER 85271fb`); both run in this environment;
- a second folder stands in place of this tree: the same tree twice shows how much is chance;
- each tree has one process; for each row they take turns, the first of which does not count;
- told are the least CPU time of each, the ratio of the two, and that of the medians;
- other words choose the rows that have one of them in their name;
- only what both trees have is asked, by the public page; noise, and what denoises a million
  numbers and a map, by its own file.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import numpy as np

from . import engine, maps

_JOBS = r"""
import json, sys, tempfile, time
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
try:
    from discreet.post.denoise.prior import empirical_bayes
except ImportError:
    from discreet.post.denoise.empirical_bayes import empirical_bayes
from discreet.post.denoise.noise import noise_of

JOBS = []

def of(act, times=1):
    def once():
        begun = time.process_time()
        act()
        return time.process_time() - begun
    JOBS.append(lambda: min(once() for _ in range(times)))

thousand = [f"k{n}" for n in range(1000)]
def twenty(loss):
    columns = {f"x{n}": dp.bounds(0, 1000, step="0.01") for n in range(9)}
    unit = dp.unit("unit", max_rows=5)
    table = dp.table("no.parquet", unit=unit, columns=columns, keys={"key": thousand})
    values = [ask(f"x{n}", by="key") for ask in (dp.mean, dp.sum) for n in range(9)]
    dp.plan(table, dp.count(by="key"), dp.count_units(by="key"), *values, spend=loss)

for loss in (dp.pure(1), dp.zcdp("1/50"), dp.approx(1, "1e-6")):
    of(lambda loss=loss: twenty(loss), 5)
coins = Coins()
for sigma in (100, 10**6):
    law = DiscreteGaussian(Fraction(sigma) ** 2)
    of(lambda law=law: [law.draws(1, coins) for _ in range(100)], 5)
    of(lambda law=law: law.draws(1000, coins), 50)
    of(lambda law=law: law.draws(10**6, coins))

def released(table, *asked, loss):
    def once():
        with tempfile.TemporaryDirectory() as folder:
            ledger = dp.ledger(folder + "/l.ledger", budget=loss)
            begun = time.process_time()
            dp.run(dp.plan(table, *asked, spend=loss), ledger=ledger, request="r").table()
            return time.process_time() - begun
    JOBS.append(once)

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
keys = {"key": thousand}
def large(*asked, unit):
    table = dp.table(sys.argv[1], name="big", unit=unit, columns=columns, keys=keys)
    released(table, *asked, loss=dp.pure(1))

def of_each(*asks, **how):
    return [ask(c, **how) for c in columns for ask in asks]

ten = [dp.count(by="key"), *of_each(dp.mean, dp.sum, by="key")]
ten += [dp.count(), *of_each(dp.mean, dp.sum)]
large(dp.count(by="key"), dp.mean("value", by="key"), unit="row")
large(*ten, unit="row")
limits = {"by": "key", "max_groups": 5, "max_rows_per_group": 3}
large(dp.count(**limits), dp.mean("value", **limits), unit=dp.unit("unit"))
large(*ten, unit=dp.unit("unit", max_rows=15))

numbers = random.poisson(20, 10**6) + numpy.round(random.normal(0, 36, 10**6))
noise = noise_of(DiscreteGaussian(Fraction(36**2)))
of(lambda: empirical_bayes(numbers, noise))
streets = numpy.load(sys.argv[2])
noisy = 20.0 + numpy.round(random.normal(0, 36, int(streets.max()) + 1))
of(lambda: denoise(noisy, noise, graph=streets))

def saved(verified):
    # 2,000 numbers are saved, or what was saved is verified with its ledger
    def once():
        with tempfile.TemporaryDirectory() as folder:
            book, place = dp.ledger(folder + "/l.ledger", budget=dp.pure(1)), folder + "/r.release"
            asked = dp.count(by="key"), dp.mean("value", by="key")
            made = dp.run(dp.plan(many, *asked, spend=dp.pure(1)), ledger=book, request="r")
            acts = [lambda: made.save(place)]
            acts += [lambda: dp.verify(place, ledger=folder + "/l.ledger")] * verified
            for act in acts:
                begun = time.process_time()
                act()
            return time.process_time() - begun
    JOBS.append(once)

saved(verified=False)
saved(verified=True)
lines = dp.table(sys.argv[3], name="lines", unit="row", columns=columns, keys=keys)
released(lines, dp.count(by="key"), dp.mean("value", by="key"), loss=dp.pure(1))

for line in sys.stdin:
    print(JOBS[int(line)](), flush=True)
"""
ROWS = {
    "plan 20 statistics over 1,000 keys, epsilon": 20,
    "plan 20 statistics over 1,000 keys, rho": 20,
    "plan 20 statistics over 1,000 keys, delta": 20,
    "1 draw, sigma 100": 20,
    "1,000 draws, sigma 100": 20,
    "1,000,000 draws, sigma 100": 20,
    "1 draw, sigma 10^6": 20,
    "1,000 draws, sigma 10^6": 20,
    "1,000,000 draws, sigma 10^6": 20,
    "release 10 numbers of 100 rows in memory": 60,
    "release 1,000 counts of 100,000 rows of Arrow": 60,
    "release 1,000 counts and means of them": 60,
    "the same of 10^7 rows of Parquet, unit a row": 30,
    "release ten statistics by key and over all of them, unit a row": 20,
    "release counts and means of them, 5 groups a unit and 3 rows a group": 7,
    "release the ten, 15 rows a unit": 7,
    "empirical Bayes of a million numbers": 20,
    "denoise a map of 99,856 places": 2,
    "save a release of 2,000 numbers": 20,
    "verify a release of 2,000 numbers with its ledger": 20,
    "release 1,000 counts and means of 1,000,000 lines of CSV": 20,
}  # how many turns each tree has
_LARGE = set(list(ROWS)[12:16])  # which need 10^7 rows


def main() -> None:
    """Let two trees take turns, and print the ratio of each row."""
    folders = [name for name in sys.argv[1:] if Path(name, "src").is_dir()]
    words = [word for word in sys.argv[1:] if word not in folders] or [""]
    there, here = map(Path, [*folders, Path(__file__).parents[1]][:2])
    with tempfile.TemporaryDirectory() as folder:
        chosen = [row for row in ROWS if any(word in row for word in words)]
        size = 10**7 if _LARGE.intersection(chosen) else 10**6
        rows, streets, lines = engine.made(folder, size), f"{folder}/streets.npy", f"{folder}/l.csv"
        np.save(streets, maps.streets(100_000 if "a map" in " ".join(chosen) else 100)[0])
        duckdb.sql(f"COPY (FROM '{rows}' LIMIT 1000000) TO '{lines}'")
        trees = [_begun(tree, rows, streets, lines) for tree in (there, here)]
        for row in chosen:
            place, turns = list(ROWS).index(row), ROWS[row]
            took = np.array([_turn(trees, place, turn % 2) for turn in range(turns + 1)][1:])
            least, middle = took.min(axis=0), np.median(took, axis=0)
            print(
                f"| {row} | {1e3 * least[0]:.3g} ms | {1e3 * least[1]:.3g} ms "
                f"| {least[1] / least[0]:.2f} | {middle[1] / middle[0]:.2f} |",
                flush=True,
            )
        for tree in trees:
            tree.terminate()


def _begun(tree: Path, *files: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _JOBS, *files],
        env={**os.environ, "PYTHONPATH": str(tree.resolve() / "src")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _turn(trees: list[subprocess.Popen[str]], place: int, first: int) -> tuple[float, ...]:
    """Let each tree do a row once, one after the other, and return their CPU seconds."""
    took = [0.0, 0.0]
    for which in (first, 1 - first):
        tree = trees[which]
        tree.stdin.write(f"{place}\n")
        tree.stdin.flush()
        took[which] = float(tree.stdout.readline())
    return tuple(took)


if __name__ == "__main__":
    main()
