"""Slopes and correlations: what noise must leave in an interval, and how wide it is beside its need."""

from fractions import Fraction

import numpy as np
import pytest

import discreet as dp
from discreet.noise.continuous import Gaussian, Laplace
from discreet.noise.registry import law_for
from discreet.post.correlation_region import in_region
from discreet.post.moments import Moments
from discreet.post.regions import REST, critical, limits
from discreet.post.slopes import NormalEquations, one_by_one

ALPHA = Fraction(1, 20)
MANY = 1_000  # all numbers are so many times as large: whole numbers of noise add nothing then
LEVEL = 0.05 * 0.98  # of a group that is surely shown
NOISES = {"normal": Gaussian, "laplace": Laplace}


def columns_of(size, rows, near=1.0, seed=5):
    """Rows of some columns in [-1, 1] of which each but the first is near it, and of y."""
    coins = np.random.default_rng(seed)
    x = coins.uniform(-1, 1, (rows, size))
    x[:, 1:] = np.clip((1 - near) * x[:, :1] + near * x[:, 1:], -1, 1)
    slopes = np.array([0.4, -0.3, 0.2])[:size]
    return x, np.clip(x @ slopes + coins.normal(0, 0.2, rows), -1, 1)


def parts_of(size, squares):
    """The places of a vector of moments: none, each, squares, products; all weigh 1, squares more."""
    single = [(at,) for at in range(size)]
    pairs = [(i, j) for i in range(size) for j in range(i + 1, size)]
    return [((), 1), *((place, 1) for place in single), *(((i, i), 1.19) for i in squares)] + [
        (place, 1) for place in pairs
    ]


def vector_of(parts, columns):
    found = []
    for place, weight in parts:
        cells = np.ones(len(columns))
        for at in place:
            cells = cells * columns[:, at]
        is_square = len(place) == 2 and place[0] == place[1]
        found.append(weight * (cells - (0.5 if is_square else 0.0)).sum())
    return np.array(found)


def line_of(parts, vectors, size):
    """The moments of these vectors, a group each."""
    weights = {place: Moments._weight(parts, at) for at, (place, _) in enumerate(parts)}
    every = [(), *((at,) for at in range(size))]
    square = np.array([[weights[tuple(sorted((*a, *b)))] for b in every] for a in every])
    right = np.array([weights[tuple(sorted((*a, size)))] for a in every])
    return NormalEquations.of(vectors, square, right)


CASES = [(1, 400, 1.0), (2, 600, 1.0), (2, 3_000, 0.3), (3, 1_500, 1.0), (3, 9_000, 0.4)]


def region_of(vectors, line, truth):
    """The parts of vectors along the equations at the truth, and z^2 and the other squares of each.

    By the definition, one vector after the other, the first coefficient that of the first column.
    """
    weights = np.einsum("abd,b->ad", line.inner, truth) - line.outer
    along = np.linalg.pinv(weights) @ weights
    others = [at for at in range(len(truth)) if at != 1]
    squares = []
    for vector in vectors:
        square = np.einsum("abd,d->ab", line.inner, vector - along @ vector)
        g = np.linalg.solve(square[np.ix_(others, others)], square[others, 1])
        way = weights[1] - g @ weights[others]
        own = (way @ vector) ** 2 / (way @ way)
        squares.append((own, vector @ along @ vector - own))
    return vectors @ along, np.array(squares)


@pytest.mark.slow
@pytest.mark.claim("C375")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_normal_noise_in_the_region_leaves_the_slope_in_its_interval(case):
    """Each vector of noise at the edge of the region of the true slopes: 1,000 of each case.

    What lies across the equations is as it was drawn; along them it is stretched to the edge. Half
    as far again some slopes are outside: the check has power.
    """
    size, rows, near = case
    x, y = columns_of(size, rows, near)
    parts = parts_of(size + 1, range(size))
    exact = vector_of(parts, np.column_stack([x, y]))
    truth = np.linalg.lstsq(np.column_stack([np.ones(rows), x]), y, rcond=None)[0]
    sigma = rows / 60 * near**2
    noisy = exact + np.random.default_rng(3).normal(0, sigma, (1_000, len(exact)))
    along, squares = region_of(noisy, line_of(parts, exact[None, :], size), truth)
    edge = sigma * (critical(LEVEL, size) / (squares @ [1, REST])) ** 0.5

    def told(factor):
        line = line_of(parts, noisy + ((factor * edge - 1)[:, None] * along), size)
        _, low, high = one_by_one(line, Gaussian(sigma), LEVEL, np.eye(size + 1)[1:2])
        return (low[:, 0] <= truth[1]) & (truth[1] <= high[:, 0]), np.isfinite(low).mean()

    held, shown = told(0.999)
    assert held.all()
    assert shown > 0.9
    assert not told(1.5)[0].all()


@pytest.mark.claim("C375")
@pytest.mark.parametrize("noise", NOISES)
def test_without_noise_the_line_is_exact(noise):
    """Noise that is hardly there: all coefficients and sums of them, to nine digits."""
    x, y = columns_of(3, 500)
    parts = parts_of(4, range(3))
    line = line_of(parts, vector_of(parts, np.column_stack([x, y]))[None, :], 3)
    true = np.linalg.lstsq(np.column_stack([np.ones(len(x)), x]), y, rcond=None)[0]
    ways = np.array([[1, 0, 0, 0], [0, 0, 0, 2], [1, -3, 0.5, 2]])

    value, low, high = one_by_one(line, NOISES[noise](1e-12), LEVEL, ways)

    assert value[0] == pytest.approx(ways @ true, rel=1e-9)
    assert np.all(low[0] <= ways @ true + 1e-9)
    assert np.all(high[0] >= ways @ true - 1e-9)


class Released:
    """Copies of one group with the noise of a law."""

    def __init__(self, question, columns, loss, copies, seed=1):
        names = {f"c{at}": dp.bounds(0, 1000, step=1) for at in range(columns.shape[1])}
        table = dp.table([], unit="row", columns=names, keys={"copy": range(1)}, name="t")
        (aggregate,) = question.aggregates(table)
        sensitivity = aggregate.sensitivity
        self.law = law_for(loss, l1=sensitivity.l1, l2_squared=sensitivity.l2_squared)
        self.parts = [(part.columns, part.weight) for part in question._parts(table)]
        exact = vector_of(self.parts, columns)
        coins, shape = np.random.default_rng(seed), (copies, len(exact))
        sigma = float(self.law.variance()) ** 0.5
        is_normal = self.law.name == "discrete_gaussian"
        drawn = coins.normal(size=shape) if is_normal else coins.laplace(size=shape) / 2**0.5
        values = np.rint(exact + sigma * drawn).ravel().tolist()
        self.moments = Moments(values, self.parts, self.law, ALPHA)
        self.sigma = sigma


def questions(size):
    names = [f"c{at}" for at in range(size + 1)]
    return dp.regression(names[-1], names[:-1], by="copy"), dp.correlation(names, by="copy")


COPIES = 2_000
FALSE_ALARM = 6 * (0.05 * 0.95 / COPIES) ** 0.5  # 1e-9 a check where exactly 0.95 hold
LOSSES = {"zcdp": dp.zcdp("1/20"), "pure": dp.pure("1/2")}


def slopes_of(size, rows, near, loss, narrow=1.0):
    x, y = columns_of(size, rows, near)
    x = x * narrow + 0.3 * (narrow < 1)
    made = Released(questions(size)[0], np.column_stack([x, y]), loss, COPIES)
    true = np.linalg.lstsq(np.column_stack([np.ones(rows), x]), y, rcond=None)[0]
    return true, made.moments.regression(range(size), size, np.eye(size + 1))


@pytest.mark.claim("C375")
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.slow
def test_a_group_says_the_same_whatever_groups_are_beside_it(loss):
    """What is searched for in all groups together, and the levels that they share, hang on none."""
    x, y = columns_of(1, 60_000)
    columns = np.column_stack([x, y])
    made = Released(questions(1)[1], columns, LOSSES[loss], 1)
    few = {"zcdp": (50, 55, 60), "pure": (150, 160, 180)}[loss]  # at three levels below the largest
    vectors = [vector_of(made.parts, columns[:rows]) for rows in (*few, 9_000, 60_000)]

    def told(some):
        moments = Moments(np.rint(np.concatenate(some)).tolist(), made.parts, made.law, ALPHA)
        slopes, r = moments.regression([0], 1, np.eye(2)), moments.correlation(0, 1)
        return np.column_stack([slopes.low, slopes.high, r.low, r.high])

    together = told(vectors)

    assert np.isfinite(together).all()
    for at in (slice(1), slice(1, 2), slice(2, 4), slice(4)):
        np.testing.assert_allclose(told(vectors[at]), together[at], rtol=1e-9)


NARROW = {  # columns, rows, how near the others are to the first, how narrow all are: 5 deviations on
    "wide, zcdp": (1, 100, 1.0, 1.0, "zcdp"),
    "narrow, zcdp": (1, 6_000, 1.0, 0.15, "zcdp"),
    "two, zcdp": (2, 180, 1.0, 1.0, "zcdp"),
    "two near each other, zcdp": (2, 3_500, 0.3, 1.0, "zcdp"),
    "three, zcdp": (3, 240, 1.0, 1.0, "zcdp"),
    "wide, pure": (1, 4_000, 1.0, 1.0, "pure"),
    "narrow, pure": (1, 25_000, 1.0, 0.15, "pure"),
}


@pytest.mark.claim("C375")
@pytest.mark.claim("C376")
@pytest.mark.exhaustive("slopes")
@pytest.mark.slow
@pytest.mark.parametrize("name", NARROW)
def test_slopes_hold_and_are_as_wide_as_their_error_needs(name):
    """2,000 releases: each coefficient held by 95 %, told in 94 %, and at most 1.3 times the need.

    The need is what 95 % of errors stay within; of 2,000 it is off by 3 % or less, the bar by more
    than that. Under exactly 0.95 a check of how often an interval holds fails with 1e-9.
    """
    size, rows, near, narrow, loss = NARROW[name]
    true, told = slopes_of(size, rows, near, LOSSES[loss], narrow)

    held = ((told.low <= true) & (true <= told.high)).mean(axis=0)
    need = np.nanquantile(np.abs(told.values - true), 0.95, axis=0)
    half = np.median((told.high - told.low) / 2, axis=0)

    assert np.isfinite(told.low).mean() > 0.94
    assert held.min() >= 0.95 - FALSE_ALARM
    assert (half / need).max() <= 1.3


@pytest.mark.claim("C375")
@pytest.mark.exhaustive("slopes")
@pytest.mark.slow
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(
    ("size", "rows", "near", "narrow"),
    [(1, 1_500, 1.0, 0.15), (2, 600, 1.0, 1.0), (2, 3_000, 0.2, 1.0)],
)
def test_slopes_hold_where_few_are_told(loss, size, rows, near, narrow):
    """Half determined, by noise of some size: what is told, and what is not, holds by 95 %."""
    true, told = slopes_of(size, rows, near, LOSSES[loss], narrow)

    held = ((told.low <= true) & (true <= told.high)).mean(axis=0)

    assert held.min() >= 0.95 - FALSE_ALARM


@pytest.mark.claim("C377")
@pytest.mark.exhaustive("slopes")
@pytest.mark.slow
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("turn", [0.0, 0.6, 0.97], ids=str)
def test_correlations_hold_and_are_as_wide_as_their_error_needs(loss, turn):
    """2,000 releases: held by 95 %, at most 1.3 times the need where there are rows enough."""
    coins = np.random.default_rng(9)
    for rows, enough in ((600, False), (20_000, True)):
        x, z = coins.uniform(-1, 1, (2, rows))
        columns = np.column_stack([x, 0.6 * (turn * x + (1 - turn**2) ** 0.5 * z) + 0.1])
        made = Released(questions(1)[1], columns, LOSSES[loss], COPIES)
        true = np.corrcoef(columns.T)[0, 1]

        told = made.moments.correlation(0, 1)

        held = ((told.low <= true) & (true <= told.high)).mean()
        assert held >= 0.95 - FALSE_ALARM
        if enough:
            need = np.quantile(np.abs(told.values - true), 0.95)
            assert np.median(told.high - told.low) / 2 <= 1.3 * need


@pytest.mark.slow
@pytest.mark.claim("C594")
@pytest.mark.parametrize("turn", [0.0, 0.6], ids=str)
def test_noise_in_the_region_leaves_the_correlation_in_its_interval(turn):
    """Noise at the edge of the region of the true four parameters, stretched as that of slopes."""
    coins = np.random.default_rng(8)
    x, z = coins.uniform(-1, 1, (2, 1_000))
    columns = np.column_stack([x, 0.6 * (turn * x + (1 - turn**2) ** 0.5 * z) + 0.1])
    parts = parts_of(2, range(2))
    exact = MANY * vector_of(parts, columns)
    weights = {place: Moments._weight(parts, at) for at, (place, _) in enumerate(parts)}
    moments = np.array([weights[at] for at in ((0, 1), (0, 0), (1, 1), (0,), (1,), ())])
    (p, q), (vx, vy) = columns.mean(0), columns.var(0)
    r, ratio = np.corrcoef(columns.T)[0, 1], (vy / vx) ** 0.5

    def around(i, j, a, b):
        return weights[i, j] - b * weights[i,] - a * weights[j,] + a * b * weights[()]

    square, other = ratio * around(0, 0, p, p), around(1, 1, q, q) / ratio
    rows = np.array(
        [
            around(0, 1, p, q) - r / 2 * (square + other),
            weights[0,] - p * weights[()],
            weights[1,] - q * weights[()],
            square - other,
        ]
    )
    assert np.allclose(rows @ exact, 0, atol=1e-9 * np.abs(exact).max())
    sigma = MANY * 1_000 / 60
    noise = sigma * coins.normal(size=(1_000, len(exact)))
    along = noise @ (np.linalg.pinv(rows) @ rows).T
    own = (along @ rows[0]) ** 2 / (rows[0] @ rows[0])
    sums = (1 - REST) * own + REST * (along**2).sum(1)
    most = limits(sigma, LEVEL, exact[None, :], 3)
    edge = sigma * (most / sums) ** 0.5

    def told(factor):
        numbers = exact + noise + (factor * edge - 1)[:, None] * along
        value, low, high = in_region(numbers, moments, sigma, LEVEL)
        return (low <= r) & (r <= high), np.isfinite(value).mean()

    held, shown = told(0.98)
    assert held.all()
    assert shown > 0.9
    assert not told(1.5)[0].all()


@pytest.mark.claim("C594")
def test_without_noise_a_correlation_is_exact():
    """Noise that is hardly there, and columns of which nothing is known, each without a warning."""
    coins = np.random.default_rng(8)
    columns = coins.uniform(-1, 1, (500, 2)) @ np.array([[1, 0.5], [0, 0.5]])
    parts = parts_of(2, range(2))
    weights = {place: Moments._weight(parts, at) for at, (place, _) in enumerate(parts)}
    moments = np.array([weights[at] for at in ((0, 1), (0, 0), (1, 1), (0,), (1,), ())])
    numbers = np.stack(
        [MANY * vector_of(parts, columns), np.zeros(6), -np.ones(6), np.full(6, 1e100)]
    )

    with np.errstate(over="ignore", invalid="ignore"):
        value, low, high = in_region(numbers, moments, 1e-12, LEVEL)

    assert value[0] == pytest.approx(np.corrcoef(columns.T)[0, 1], rel=1e-9)
    assert high[0] - low[0] < 1e-2  # whole numbers are within a half
    assert low[1:3].tolist() == [-1, -1]
    assert high[1:3].tolist() == [1, 1]
    assert np.isnan(value[1:3]).all()
    assert low[3] <= 0 <= high[3]  # equal numbers are independent columns
