"""How often intervals under Laplace noise miss at the true numbers for which they miss most.

`python -m bench.climb` climbs from made-up truths to those where slopes, intercepts and
correlations are missed most often, at two levels (some five minutes). It prints the most that
it met: the share of releases that miss, over the level. `python -m bench.climb two` only cases with
these words in their name. `--from 7` begins elsewhere.

Rules of this module:
- a truth is what true moments of columns in [-1, 1] may be: means, spreads and correlations,
  coefficients of any size, and how many deviations the least determined of the other columns has;
- "against each other" are narrow columns with negative correlations, of which the first column and
  what is explained follow the sum. A reader broke an earlier C with these (decision 151);
- all climb on the same 4,000 draws; what is printed is of 100,000 others, on which none was chosen;
- an interval that is not told counts as one that holds.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from discreet.noise.continuous import Laplace
from discreet.post.correlations import along
from discreet.post.slopes import Ends, NormalEquations, one_by_one

LEVELS = (0.1, 0.05)
STARTS, CLIMBS, STEPS = 40, 1, 60
FEW, MANY, CHUNK = 4_000, 100_000, 20_000
MOST = 0.95  # of what the square of y may be in the mean
SCALE, SQUARE = 2.0**30, 1.19  # numbers are far above a half; what a square weighs
Vector = NDArray[np.float64]
Truth = tuple[Vector, float, Callable[[Vector, float], Ends]]  # numbers, the true one, what is told


def places(size: int, squares: int) -> list[tuple[int, ...]]:
    """Return which columns are multiplied in each number: `size` of x, and y, the last."""
    every = range(size + 1)
    products = [(i, j) for i in every for j in every if i < j]
    return [(), *((at,) for at in every), *((at, at) for at in range(squares)), *products]


def weights(all_: Sequence[tuple[int, ...]], *columns: int) -> Vector:
    """Return what the numbers weigh in one moment; squares are told less a half."""
    place, row = tuple(sorted(columns)), np.zeros(len(all_))
    row[all_.index(place)] = 1.0
    if len(place) == 2 and place[0] == place[1]:
        row[all_.index(place)], row[0] = 1 / SQUARE, 0.5
    return row


def exact_of(rows: Vector, moments: Vector) -> Vector:
    """Return numbers that have these moments."""
    return np.array(np.linalg.lstsq(rows, moments, rcond=None)[0], dtype=np.float64)


def columns(size: int, free: Vector) -> tuple[Vector, Vector, Vector]:
    """Return moments of 1 and some columns for one row, their spreads, and what is left of `free`.

    So many free numbers as are asked for make means, spreads and correlations, each as they may be.
    """
    mean, below = np.tanh(free[:size]), np.tril_indices(size, -1)
    sizes = free[size : 2 * size]
    spread: Vector = np.array(np.sqrt(1 - mean**2) * np.exp(-np.abs(sizes)) * 0.99, dtype=float)
    root, left = np.eye(size), free[2 * size :]
    root[below] = left[: len(below[0])]
    turned = root @ root.T
    own = np.sqrt(np.diag(turned)) / spread
    square = np.ones((size + 1, size + 1))
    square[0, 1:] = square[1:, 0] = mean
    square[1:, 1:] = turned / own[:, None] / own + mean[:, None] * mean
    return square, spread, left[len(below[0]) :]


def told_of(square: Vector, b: Vector, which: int, left: float) -> Truth:
    """Return a line with these moments of 1 and the columns for one row."""
    size = len(b) - 1
    every, all_ = [(), *((at,) for at in range(size))], places(size, size)
    inner = np.array([[weights(all_, *a, *b) for b in every] for a in every])
    outer = np.array([weights(all_, *a, size) for a in every])
    b = b * min(1.0, (MOST / float(b @ square @ b)) ** 0.5)
    moments = np.concatenate([square.ravel(), square @ b])
    exact = exact_of(np.concatenate([inner.reshape(len(every) ** 2, -1), outer]), moments)
    others = [at for at in range(size + 1) if at != which]
    back, alone = np.linalg.inv(square[np.ix_(others, others)]), inner[np.ix_(others, others)]
    sides = back / np.diag(back)
    noise = np.linalg.norm(np.einsum("ai,bi,abd->id", sides, sides, alone), axis=1)
    exact = exact * left * float((np.diag(back) * noise).max())
    way = np.eye(size + 1)[which : which + 1]

    def told(numbers: Vector, level: float) -> Ends:
        line = NormalEquations.of(numbers, inner, outer)
        value, low, high = one_by_one(line, Laplace(SCALE), level, way)
        return value[:, 0], low[:, 0], high[:, 0]

    return exact, float(b[which]), told


def slope(size: int, which: int, free: Vector) -> Truth:
    """Return a line: the coefficient of a column, or of 1, is asked for."""
    square, spread, left = columns(size, free[1:])
    b = np.sinh(left) / np.insert(spread, 0, 1.0)
    return told_of(square, b, which, float(np.exp(free[0])))


def against(size: int, free: Vector) -> Truth:
    """Return a line: all columns but the first are narrow and lie against each other."""
    others = size - 1
    left, near, narrow, first, second = free[:5]
    sizes, g, h = free[5:].reshape(3, others)
    turn = -1 / (others - 1) / (1 + np.exp(-near - others / 2))
    spread = np.exp(sizes - sizes.mean() + narrow - 3)
    moments = (np.eye(others) * (1 - turn) + turn) * np.outer(spread, spread)
    g, h = (np.exp(each) * 4 * (1 + 0.3 * part) for each, part in ((first, g), (second, h)))
    g = g * min(1.0, (0.6 / float(g @ moments @ g)) ** 0.5)
    square = np.eye(size + 1)
    square[2:, 2:], square[1, 2:] = moments, moments @ g
    square[2:, 1], square[1, 1] = square[1, 2:], 0.36 + g @ moments @ g
    return told_of(square, np.array([0.0, 0.3, *h]), 1, float(np.exp(left)))


def pair(free: Vector) -> Truth:
    """Return a correlation."""
    square, _, _ = columns(2, free[1:])
    mean, spread = square[0, 1:], np.diag(square)[1:] - square[0, 1:] ** 2
    all_, r = places(1, 2), (square[1, 2] - mean.prod()) / np.sqrt(spread.prod())
    rows = np.array([weights(all_, *at) for at in ((0, 1), (0, 0), (1, 1), (0,), (1,), ())])
    moments = np.array([square[1, 2], square[1, 1], square[2, 2], *mean, 1.0])
    exact = exact_of(rows, moments) * float(np.exp(free[0]) / min(*spread, 1.0))
    return exact, float(r), lambda numbers, level: along(numbers, rows, Laplace(SCALE), level)


def missed(truth: Truth, releases: int, seed: int, level: float) -> float:
    """Return which share of releases misses the true number, over the level."""
    exact, true, told = truth
    coins, missing = np.random.default_rng(seed), 0
    for _ in range(0, releases, CHUNK):
        noise = coins.laplace(size=(min(CHUNK, releases), len(exact)))
        _, low, high = told(SCALE * (exact * 2**0.5 + noise), level)
        missing += int(((low > true) | (true > high)).sum())
    return missing / releases / level


CASES: dict[str, tuple[int, Callable[[Vector], Truth]]] = {
    **{
        f"{'slope' if which else 'intercept'}, {words}": (
            3 + 3 * size + size * (size - 1) // 2 - 1,
            partial(slope, size, which),
        )
        for size, words in ((1, "one column"), (2, "two columns"), (3, "three columns"))
        for which in (1, 0)
    },
    **{
        f"slope, {words} against each other": (2 + 3 * size, partial(against, size))
        for size, words in ((3, "three columns"), (4, "four columns"), (5, "five columns"))
    },
    "correlation": (6, pair),
}


def climbed(name: str, level: float, seed: int) -> Iterator[tuple[float, float, Vector]]:
    """Return the most that was met from some starts on: over the level, as climbed and anew."""
    count, make = CASES[name]
    coins = np.random.default_rng([seed, count])

    def at(free: Vector) -> float:
        free[0] = np.clip(free[0], -2.0, 5.0)
        return missed(make(free.clip(-8, 8)), FEW, 1, level)

    starts = [coins.normal(size=count) * coins.choice([0.3, 1.0, 2.0]) for _ in range(STARTS)]
    for start in starts:
        start[0] = coins.uniform(-1, 3)
    best = sorted(((at(start), place) for place, start in enumerate(starts)), reverse=True)
    for reached, place in best[:CLIMBS]:
        most, free, far = reached, starts[place], 0.3
        for _ in range(STEPS):
            there = free + far * coins.normal(size=count) * (coins.random(count) < 0.4)
            here = at(there)
            if here > most:
                most, free, far = here, there, min(1.3 * far, 1.0)
            else:
                far = max(0.95 * far, 0.03)
        yield most, missed(make(free.clip(-8, 8)), MANY, 2, level), free


def main(argv: Sequence[str]) -> None:
    """Print the most that climbing met in each case."""
    parser = argparse.ArgumentParser(prog="python -m bench.climb")
    parser.add_argument("words", nargs="*", help="only cases with these words")
    parser.add_argument("--from", dest="seed", type=int, default=0, help="where to begin")
    asked = parser.parse_args(argv)
    print(f"| misses over the level | {' | '.join(f'{level:g}' for level in LEVELS)} |")
    print(f"| --- |{' --- |' * len(LEVELS)}")
    for name in CASES:
        if all(word in name for word in asked.words):
            most = [max(new for _, new, _ in climbed(name, at, asked.seed)) for at in LEVELS]
            print(f"| {name} | {' | '.join(f'{ratio:.2f}' for ratio in most)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
