"""How wide slopes and correlations are beside their need, how many are shown, how many hold.

`python -m bench.lines` prints a table (some seven minutes); `python -m bench.lines pure two` only
the cases that have these words in their name.

Rules of this module:
- rows are made up once, seeded; all that is drawn is noise, of 2,000 releases a case;
- "left" is the sum of squares of a regressor, less what the other columns say of it, in deviations
  of its own noise; of a correlation it is that of the smaller column;
- the need is what 95 % of the errors of noisy values stay within, be they shown or not: no interval
  of fixed length around them that is shorter holds as often;
- an interval that is not told counts as one that holds, and as one without end.
"""

import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.noise.law import Law
from discreet.post.moments import Moments, Place

RELEASES, ROWS, ALPHA = 2_000, 2_000, Fraction(1, 20)
TIMES = 2.0**40  # numbers are far above a half, which whole numbers cost
LEFT = (2, 3.5, 5, 6, 8, 12, 20, 50)
LAWS = ("zCDP", "pure")
Vector = NDArray[np.float64]
Told = tuple[Vector, Vector, Vector, Vector]  # values, ends, and noisy values shown or not
SLOPES = {  # columns, how near the others are to the first, how narrow all are
    "slope, one column": (1, 1.0, 1.0),
    "slope, one, a seventh as wide": (1, 1.0, 0.15),
    "slope, two": (2, 1.0, 1.0),
    "slope, two near each other": (2, 0.3, 1.0),
    "slope, three": (3, 1.0, 1.0),
    "slope, three near each other": (3, 0.3, 1.0),
}
CORRELATIONS = {"correlation of 0": 0.0, "correlation of 0.6": 0.6, "correlation of 0.95": 0.95}


def columns(size: int, near: float, narrow: float) -> Vector:
    """Return rows of some columns in [-1, 1], of which each but the first is near it, and of y."""
    coins = np.random.default_rng(5)
    x = coins.uniform(-1, 1, (ROWS, size))
    x[:, 1:] = np.clip((1 - near) * x[:, :1] + near * x[:, 1:], -1, 1)
    y = np.clip(x @ np.array([0.4, -0.3, 0.2])[:size] + coins.normal(0, 0.2, ROWS), -1, 1)
    return np.column_stack([x * narrow + (0.3 if narrow < 1 else 0), y])


def moments(cells: Vector, squares: int) -> tuple[Vector, dict[Place, Vector]]:
    """Return sums of products, squares less a half, and what they weigh in each moment."""
    many, every = len(cells), range(cells.shape[1])
    places = [(), *((at,) for at in every), *((at, at) for at in range(squares))]
    places += [(i, j) for i in every for j in every if i < j]
    sums, weights = [], {}
    for at, place in enumerate(places):
        product = np.prod(cells[:, list(place)], axis=1) if place else np.ones(many)
        is_square = len(place) == 2 and place[0] == place[1]
        sums.append(float((product - (0.5 if is_square else 0)).sum()))
        weights[place] = np.zeros(len(places))
        weights[place][at] = 1
        weights[place][0] += 0.5 if is_square else 0
    return np.array(sums), weights


def noisy(exact: Vector, sigma: float, law: str, places: Sequence[Place]) -> tuple[Vector, Moments]:
    """Return releases of some numbers, and these as the product reads them."""
    coins, shape = np.random.default_rng(11), (RELEASES, len(exact))
    parts = [(place, 1) for place in places]
    if law == "zCDP":
        drawn = coins.normal(0, sigma * TIMES, shape)
        kept: Law = DiscreteGaussian(Fraction(sigma * TIMES) ** 2)
    else:
        scale = sigma * TIMES / 2**0.5
        drawn, kept = coins.laplace(0, scale, shape), DiscreteLaplace(Fraction(scale))
    numbers = exact * TIMES + drawn
    return numbers, Moments([int(number) for number in numbers.ravel()], parts, kept, ALPHA)


def slopes(name: str, left: float, law: str) -> tuple[Told, float]:
    """Return what is told of the first column's slope in releases, and the true one."""
    size, near, narrow = SLOPES[name]
    cells = columns(size, near, narrow)
    exact, weights = moments(cells, size)
    every = [(), *((at,) for at in range(size))]
    inner = np.array([[weights[tuple(sorted((*a, *b)))] for b in every] for a in every])
    outer = np.array([weights[*a, size] for a in every])
    square, right = inner @ exact, outer @ exact
    others = [at for at in range(size + 1) if at != 1]
    g = np.linalg.solve(square[np.ix_(others, others)], square[others, 1])
    way = np.insert(-g, 1, 1.0)
    form = np.einsum("a,b,abd->d", way, way, inner)
    sigma = float(form @ exact / np.linalg.norm(form) / left)
    numbers, made = noisy(exact, sigma, law, list(weights))
    told = made.regression(range(size), size, np.eye(size + 1)[1:2])
    squares = np.einsum("abd,gd->gab", inner, numbers)
    raw = np.linalg.solve(squares, (numbers @ outer.T)[..., None])[:, 1, 0]
    ends = (told.values[:, 0], told.low[:, 0], told.high[:, 0])
    return (*ends, raw), float(np.linalg.solve(square, right)[1])


def pairs(name: str, left: float, law: str) -> tuple[Told, float]:
    """Return the same of a correlation; where nothing is told, from -1 to 1."""
    coins, turn = np.random.default_rng(9), CORRELATIONS[name]
    x, z = coins.uniform(-1, 1, (2, ROWS))
    cells = np.column_stack([x, 0.6 * (turn * x + (1 - turn**2) ** 0.5 * z) + 0.1])
    exact, weights = moments(cells, 2)
    places = ((0, 1), (0, 0), (1, 1), (0,), (1,), ())
    q = exact @ weights[1,] / ROWS
    form = weights[1, 1] - 2 * q * weights[1,] + q * q * weights[()]
    sigma = float(form @ exact / np.linalg.norm(form) / left)
    numbers, made = noisy(exact, sigma, law, list(weights))
    told = made.correlation(0, 1)
    xy, xx, yy, x, y, count = (numbers @ weights[place] for place in places)
    size = (xx / count - (x / count) ** 2) * (yy / count - (y / count) ** 2)
    raw = (xy / count - x * y / count**2) / np.sqrt(np.where(size > 0, size, np.nan))
    return (told.values, told.low, told.high, np.nan_to_num(raw, nan=2.0).clip(-1, 1)), float(
        np.corrcoef(cells.T)[0, 1]
    )


def measured(name: str, left: float, law: str) -> tuple[float, float, float]:
    """Return the half-width over the need, the share that is shown, and that which holds."""
    told, true = (slopes if name in SLOPES else pairs)(name, left, law)
    value, low, high, raw = told
    shown = np.isfinite(value)
    need = float(np.quantile(np.abs(raw - true), 0.95))
    half = float(np.median(np.where(shown, high - low, np.inf))) / 2
    return half / need, float(shown.mean()), float(((low <= true) & (true <= high)).mean())


def rows(words: Sequence[str]) -> Iterator[str]:
    """Return the lines of the table whose names have all words."""
    for name in (*SLOPES, *CORRELATIONS):
        for law in LAWS:
            if all(word in f"{name}, {law}" for word in words):
                cells = []
                for left in LEFT:
                    wide, shown, held = measured(name, left, law)
                    cells.append(f"{wide:.2f} {100 * shown:.0f} % {100 * held:.1f}")
                yield f"| {name}, {law} | {' | '.join(cells)} |"


def main(words: Sequence[str]) -> None:
    """Print the table."""
    print(f"| width over need, shown, holds; left | {' | '.join(map(str, LEFT))} |")
    print(f"| --- |{' --- |' * len(LEFT)}")
    for row in rows(words):
        print(row, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
