"""What Laplace noise leaves of slopes and correlations: laws at both edges, truths between, widths."""

import numpy as np
import pytest
from bench.climb import CASES as TRUTHS
from bench.climb import missed, told_of
from bench.lines import CORRELATIONS, SLOPES, measured

from discreet.noise.continuous import Laplace, widths_of
from discreet.post.along import farthest, largest_ratio, least_left
from discreet.post.correlations import along
from discreet.post.slopes import one_by_one

from .test_regions import moments_of
from .test_slopes import LEVEL, MANY, line_of

RATE = 2**0.5
ROOM = np.geomspace(0.05, 1e4, 4_000)


@pytest.mark.claim("C618")
@pytest.mark.parametrize("level", [0.3, 0.1, 0.05, 0.01, 1e-3, 1e-6])
def test_one_draw_in_a_square_of_the_others_misses_at_most_at_the_level(level):
    """By quadrature, for each true A: R = |e| s / (s - e) is more than C(s). Of a large A it is the
    level exactly, so that C is no larger than need be."""
    most, e = largest_ratio(level, ROOM), np.linspace(-40, 40, 400_001)
    mass = RATE / 2 * np.exp(-RATE * np.abs(e)) * (e[1] - e[0])

    def misses(true):
        noisy = true + e
        c = np.interp(noisy, ROOM, np.where(np.isfinite(most), most, 1e300))
        return mass[(noisy > ROOM[0]) & (np.abs(e) * noisy / true > c)].sum() / level

    assert max(misses(true) for true in np.geomspace(0.5, 300, 30)) < 1.01
    assert misses(1e3) > 0.95
    assert most[-1] == pytest.approx(-np.log(level) / RATE, rel=1e-3)
    assert np.isinf(most[0])


@pytest.mark.claim("C621")
@pytest.mark.parametrize("level", [0.5, 0.3, 0.1, 0.05, 0.01, 1e-4, 1e-9, 1e-200])
def test_no_sum_reaches_farther_than_one_with_equal_weights(level):
    """Weights at random, and two that are equal beside smaller ones: 400 rows, by their exact law."""
    coins = np.random.default_rng(3)
    rows = coins.normal(size=(400, 14)) * coins.exponential(size=(400, 14)) ** 2
    rows[200:] = np.sort(np.abs(rows[200:]), axis=1)
    rows[300:, -1] = rows[300:, -2]
    reached = widths_of(rows / np.linalg.norm(rows, axis=1)[:, None], [level])

    assert reached.max() <= farthest(Laplace(2.0**40), level, 14) / 2**40 * (1 + 1e-6)


@pytest.mark.claim("C607")
@pytest.mark.parametrize("size", [1, 2])
def test_the_least_left_is_that_of_the_sum_of_columns_that_has_least(size):
    """Beside a search of all sums of 1 and the columns, in 200 groups: from many rows to noise."""
    parts, exact, _ = moments_of(size, 100)
    scale = np.geomspace(0.3, 40, 200)[:, None] * MANY
    numbers = exact + scale * np.random.default_rng(5).laplace(size=(200, len(exact)))
    line = line_of(parts, numbers, size)
    moments = line.square[np.linalg.eigvalsh(line.square)[:, 0] > 0]
    around, up = np.linspace(0, np.pi, 180)[:, None], np.linspace(0, np.pi, [1, 2, 90][size])
    up = up if size > 1 else np.array([np.pi / 2])
    ways = np.stack(
        [np.cos(around) * np.sin(up), np.sin(around) * np.sin(up), 0 * around + np.cos(up)]
    )
    ways = ways[: size + 1].reshape(size + 1, -1)
    ways = np.linalg.solve(np.linalg.cholesky(moments).swapaxes(1, 2), ways)
    noise = np.einsum("gav,gbv,abd->gvd", ways, ways, line.inner, optimize=True)
    seen = (1 / np.linalg.norm(noise, axis=2)).min(1)

    least = least_left(moments, np.linalg.inv(moments), line.inner, moments[:, :0])

    assert len(seen) > 100
    assert least == pytest.approx(seen, rel=1e-3)


def straight(numbers, which):
    """R at some t: |G| over the length of its gradient, by differences, of a slope of two or of r."""
    size = 2

    def g(values, t):
        line = line_of(moments_of(size, 30)[0], values[None, :], size)
        square, right = line.square[0], line.right[0]
        if which == "slope":
            others, y = [0, 2], right - t * square[:, 1]
            back = np.linalg.solve(square[np.ix_(others, others)], square[others, 1])
            return y[1] - back @ y[others]
        n, x, y = square[0, 0], square[0, 1], square[0, 2]
        spreads = (square[1, 1] - x * x / n) * (square[2, 2] - y * y / n)
        return square[1, 2] - x * y / n - t * spreads**0.5

    def ratio(t):
        step = 1e-5 * np.abs(numbers).max()
        moves = step * np.eye(len(numbers))
        gradient = [(g(numbers + move, t) - g(numbers - move, t)) / (2 * step) for move in moves]
        return abs(g(numbers, t)) / np.linalg.norm(gradient)

    return ratio


@pytest.mark.claim("C377")
@pytest.mark.claim("C618")
@pytest.mark.parametrize("which", ["slope", "correlation"])
def test_both_ends_are_where_a_straight_line_reaches_as_far(which):
    """G and its gradient by their definition, and by differences, at both ends of noisy numbers.

    All have so much left that C is what one sum reaches, or what w's own does.
    """
    parts, exact, _ = moments_of(2, 3_000, 1.0 if which == "slope" else 0.3)
    scale = 5.0 * MANY
    numbers = exact + np.random.default_rng(4).laplace(0, scale, len(exact))
    line, noise = line_of(parts, numbers[None, :], 2), Laplace(scale)
    if which == "slope":
        _, low, high = one_by_one(line, noise, LEVEL, np.eye(3)[1:2])
    else:
        rows = [line.inner[at] for at in ((1, 2), (1, 1), (2, 2), (0, 1), (0, 2), (0, 0))]
        _, low, high = along(numbers[None, :], np.array(rows), noise, LEVEL)
    ratio, most = straight(numbers, which), -scale * np.log(0.95 * LEVEL)

    ends = [ratio(float(np.ravel(end)[0])) for end in (low, high)]

    assert ends[0] == pytest.approx(ends[1], rel=1e-5)
    assert 0.85 * most < ends[0] < 1.02 * most


WORST = {  # what was climbed to: where "flat" stands, as if noise bent nothing
    "slope, one column": [2.7, 0.08, -0.05, 0.04, 0.14],
    "intercept, one column, flat": [-2.0, 0.02, 3.81, -1.25, -1.05],
    "slope, two columns": [0.98, 0.05, -3.63, 0.96, -0.96, -0.27, -0.37, -0.79, -1.2],
    "slope, two columns, flat": [-2.0, 0.37, -2.74, -0.14, -1.02, 1.02, -6.13, 0.27, -3.13],
    "intercept, two columns": [3.2, -0.05, 0.01, -0.32, 1.23, -0.41, -0.14, 2.76, 0.65],
    "intercept, two columns, flat": [-2.0, 0.01, -0.3, 3.47, 0.08, 1.41, -1.16, -2.95, -1.02],
    "slope, three columns, flat": [
        *[-2.0, 1.33, 1.98, -6.22, -1.77, 0.49, -0.94, -4.9, -2.34, -1.21, 5.09, 0.01, -0.76, 0.13]
    ],
    "slope, three columns against each other": [
        *[0.81, 1.15, -0.01, -0.47, -0.07, 0.2, -0.29, -0.1, -0.39, -1.44, 2.11]
    ],
    "slope, four columns against each other": [
        *[0.87, -0.13, -0.2, -0.11, -0.14, 0.11, 0.27, 0.04, 0.74, -0.56, 0.42, -1.03, 0.18, 0.99]
    ],
    "correlation, flat": [-2.0, 1.46, -3.77, 2.16, -3.34, -2.05],
}


@pytest.mark.slow
@pytest.mark.exhaustive("along")
@pytest.mark.claim("C619")
@pytest.mark.parametrize("name", WORST)
@pytest.mark.parametrize("level", [0.05, 0.1])
def test_truths_that_are_missed_most_are_missed_at_most_at_the_level(name, level):
    """What was climbed to. 20,000 draws: at exactly the level one fails with 1e-9."""
    truth = TRUTHS[name.removesuffix(", flat")][1](np.array(WORST[name]))

    assert missed(truth, 20_000, 3, level) <= 1 + 6 * ((1 - level) / level / 20_000) ** 0.5


@pytest.mark.claim("C619")
def test_above_a_tenth_few_rows_take_what_holds_for_a_tenth():
    """An intercept of five narrow columns, which lie against each other and follow y in their sum.

    One draw is no edge there: the noise in the square of their sum is a sum of many, and at .2 this
    missed 1.01 times the level. 4,000 draws: at exactly a tenth the check fails with 1e-9.
    """
    many = 5
    turn = -0.9995 / (many - 1)
    moments = ((1 - turn) * np.eye(many) + turn) * 0.05**2
    mean = moments @ np.full(many, (0.9 / moments.sum()) ** 0.5)
    square = np.block([[np.ones((1, 1)), mean[None, :]], [mean[:, None], moments]])
    truth = told_of(square, np.array([0.1] + [30.0] * many), 0, 0.8)

    assert 0.2 * missed(truth, 4_000, 3, 0.2) <= 0.1 + 6 * (0.1 * 0.9 / 4_000) ** 0.5


@pytest.mark.slow
@pytest.mark.exhaustive("along")
@pytest.mark.claim("C620")
@pytest.mark.parametrize("name", [*SLOPES, *CORRELATIONS])
@pytest.mark.parametrize("left", [5, 12])
def test_slopes_and_correlations_are_as_wide_as_their_error_needs(name, left):
    """2,000 releases: held by 95 %, and at most 1.3 times as wide as the need, told or not.

    Under exactly 0.95 a check of how often they hold fails with 1e-9; the need is off by 4 % at most.
    """
    wide, shown, held = measured(name, left, "pure")

    assert wide <= 1.3
    assert shown > (0.97 if left > 5 else 0.75)
    assert held >= 0.95 - 6 * (0.05 * 0.95 / 2_000) ** 0.5


@pytest.mark.slow
@pytest.mark.exhaustive("along")
@pytest.mark.claim("C619")
@pytest.mark.parametrize("rows", [15, 40, 100])
@pytest.mark.parametrize(("size", "near"), [(1, 1.0), (2, 1.0), (2, 0.3), (3, 1.0)])
def test_intervals_hold_where_hardly_anything_is_determined(size, near, rows):
    """500 releases, from fewer rows than noise to enough of them: each coefficient, told or not.

    Under exactly 0.951 one of 39 checks fails with 4e-8.
    """
    parts, exact, truth = moments_of(size, rows, near)
    scale = 5.0 * MANY
    noisy = exact + np.random.default_rng(rows).laplace(0, scale, (500, len(exact)))

    _, low, high = one_by_one(line_of(parts, noisy, size), Laplace(scale), LEVEL, np.eye(size + 1))

    held = ((low <= truth) & (truth <= high)).mean(axis=0)
    assert held.min() >= 0.951 - 6 * (0.049 * 0.951 / 500) ** 0.5
