"""What a region leaves of a parameter: its law, and that a search finds its ends."""

from functools import partial

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from discreet.noise.continuous import Gaussian
from discreet.post.regions import REST, critical
from discreet.post.slopes import one_by_one

from .test_slopes import LEVEL, MANY, columns_of, line_of, parts_of, region_of, vector_of

DRAWS = 4_000
OFF = 6 * (0.05 * 0.95 / DRAWS) ** 0.5  # 2e-9 a check


@pytest.mark.exhaustive("regions")
@pytest.mark.claim("C520")
@pytest.mark.parametrize("others", [1, 2, 3, 8])
@pytest.mark.parametrize("level", [0.05, 0.049, 0.001])
def test_what_the_mixture_exceeds_at_a_level(level, others):
    """Never less than by quadrature, and at most half a percent more."""

    def above(c):
        rest = stats.chi2(1).sf
        law = stats.chi2(others)
        inside = integrate.quad(lambda y: rest(c - REST * y) * law.pdf(y), 0, c / REST)[0]
        return inside + law.sf(c / REST)

    c = critical(level, others)

    assert above(c) <= level * (1 + 1e-6)
    assert above(c / 1.005) > level


def moments_of(size, rows, near=1.0):
    x, y = columns_of(size, rows, near)
    parts = parts_of(size + 1, range(size))
    exact = MANY * vector_of(parts, np.column_stack([x, y]))
    truth = np.linalg.lstsq(np.column_stack([np.ones(rows), x]), y, rcond=None)[0]
    return parts, exact, truth


@pytest.mark.claim("C520")
@pytest.mark.parametrize("rows", [30, 300])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_at_the_truth_the_region_has_the_law_that_is_said(size, rows):
    """Noise of 30 or 3 deviations of all sums: z is normal, and the others a sum of squares.

    4,000 draws; a check fails with 2e-9. That holds where the equations say next to nothing.
    """
    parts, exact, truth = moments_of(size, rows)
    sigma = 30.0 * MANY
    noisy = exact + np.random.default_rng(size).normal(0, sigma, (DRAWS, len(exact)))

    _, squares = region_of(noisy, line_of(parts, exact[None, :], size), truth)
    own, others = squares.T / sigma**2

    assert abs((own > stats.chi2(1).isf(0.05)).mean() - 0.05) <= OFF
    assert abs((others > stats.chi2(size).isf(0.05)).mean() - 0.05) <= OFF
    assert abs((own + REST * others > critical(0.05, size)).mean() - 0.05) <= OFF


@pytest.mark.slow
@pytest.mark.exhaustive("regions")
@pytest.mark.claim("C520")
@pytest.mark.parametrize("rows", [60, 100, 1_000])
def test_ends_are_those_of_the_region(rows):
    """One other parameter: beside the region drawn on a grid, point by point."""
    parts, exact, _ = moments_of(1, rows)
    sigma = 7.0 * MANY
    noisy = exact + np.random.default_rng(7).normal(0, sigma, (20, len(exact)))
    line = line_of(parts, noisy, 1)
    _, low, high = one_by_one(line, Gaussian(sigma), LEVEL, np.eye(2)[1:2])
    c = sigma**2 * critical(LEVEL, 1)
    told = np.flatnonzero(np.isfinite(low[:, 0]))[:4]
    assert told.size

    for group in told:
        start, end = low[group, 0], high[group, 0]
        tried = np.linspace(start - (end - start) / 4, end + (end - start) / 4, 121)

        def least(t, group=group):
            middle = (line.right[group, 0] - t * line.square[group, 0, 1]) / line.square[
                group, 0, 0
            ]
            sums = partial(sum_at, noisy[group], line, t)
            ends = (middle - 1, middle + 1)
            return optimize.minimize_scalar(sums, bounds=ends, method="bounded").fun

        inside = [t for t in tried if least(t) <= c]
        assert start <= min(inside) <= start + (end - start) / 50
        assert end - (end - start) / 50 <= max(inside) <= end


def sum_at(vector, line, slope, intercept):
    """What the region adds up at a line through a point."""
    return region_of(vector[None, :], line, np.array([intercept, slope]))[1][0] @ [1, REST]


@pytest.mark.claim("C520")
@pytest.mark.exhaustive("regions")
@pytest.mark.slow
@pytest.mark.parametrize("rows", [40, 100])
@pytest.mark.parametrize(("size", "near"), [(1, 1.0), (2, 1.0), (2, 0.3), (3, 1.0)])
def test_intervals_hold_where_hardly_anything_is_determined(size, near, rows):
    """1,000 releases, from fewer rows than noise to enough of them: each coefficient, told or not.

    Under exactly 0.951 one of 22 checks fails with 2e-8.
    """
    parts, exact, truth = moments_of(size, rows, near)
    sigma = 7.0 * MANY
    noisy = exact + np.random.default_rng(rows).normal(0, sigma, (1_000, len(exact)))

    line = line_of(parts, noisy, size)
    _, low, high = one_by_one(line, Gaussian(sigma), LEVEL, np.eye(size + 1))

    held = ((low <= truth) & (truth <= high)).mean(axis=0)
    assert held.min() >= 0.951 - 6 * (0.049 * 0.951 / 1_000) ** 0.5


def test_a_level_that_is_hardly_above_0_ends():
    """Beyond the first squares that are looked at there is a quantile, too; it grows on and on."""
    levels = (1e-14, 1e-18, 1e-30, 1e-200, 1e-249, 1e-251, 5e-324)
    known = [critical(level, 2) for level in levels]

    assert known == sorted(known)
    assert 131.4 < known[2] < 133.5  # of z^2 alone, at 1e-30, and with a little more
    assert known[-1] < 3_000
