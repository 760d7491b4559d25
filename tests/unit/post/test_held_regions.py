"""What a region leaves of a coefficient under Laplace noise: what noise leaves in it, and how wide."""

import numpy as np
import pytest

from discreet.noise.continuous import Laplace
from discreet.noise.far_draws import critical
from discreet.post.held_regions import steps
from discreet.post.slopes import one_by_one

from .test_regions import moments_of
from .test_slopes import LEVEL, MANY, line_of

RELEASES = 2_000
FALSE_ALARM = 6 * (0.05 * 0.95 / RELEASES) ** 0.5  # 1e-9 a check where exactly 0.95 hold


def truth_of(line, truth):
    """The weights of r q, for the slope of the first column, and the least eigenvalue of u u."""
    others = [at for at in range(len(truth)) if at != 1]
    square = line.square[0]
    g = np.linalg.solve(square[np.ix_(others, others)], square[others, 1])
    r = np.insert(-g, 1, 1.0)
    rest = line.outer - np.einsum("abd,b->ad", line.inner, truth)
    return r @ rest, np.linalg.eigvalsh(square[np.ix_(others, others)])[0]


CASES = [(1, 60, 1.0), (1, 400, 1.0), (2, 120, 1.0), (2, 3_000, 0.3), (3, 200, 1.0)]


@pytest.mark.slow
@pytest.mark.exhaustive("held regions")
@pytest.mark.claim("C613")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_noise_in_the_region_leaves_all_coefficients_in_their_intervals(case):
    """Each vector of noise stretched to the edge of the bound, by the truth's own weights and steps.

    So for every vector, 500 of a case, whatever its law. Half as far again some slopes are outside.
    """
    size, rows, near = case
    parts, exact, truth = moments_of(size, rows, near)
    line, scale = line_of(parts, exact[None, :], size), 2.0 * MANY
    weights, least = truth_of(line, truth)
    deviation = scale * 2**0.5
    begins, ends, rests = steps()
    step = int(np.flatnonzero((begins <= least / deviation) & (least / deviation < ends))[0])
    rest, c = rests[step], critical(LEVEL, len(exact), rests[step])
    noise = np.random.default_rng(size).laplace(size=(500, len(exact)))
    own = np.abs(noise @ weights) / np.linalg.norm(weights)
    squares = rest * (noise * noise).sum(1)
    edge = 2 * c / (own + np.sqrt(own * own + 4 * squares * c))
    edge = edge[:, None] * noise * deviation

    def told(factor):
        noisy = line_of(parts, exact + factor * edge, size)
        _, low, high = one_by_one(noisy, Laplace(scale), LEVEL, np.eye(size + 1)[1:2])
        return (low[:, 0] <= truth[1]) & (truth[1] <= high[:, 0]), np.isfinite(low).mean()

    held, shown = told(0.999)
    assert held.all()
    assert shown > 0.5
    assert not told(1.5)[0].all()


NARROW = {  # columns, near, deviations left, at most so many times the need
    "one, five left": (1, 1.0, 5, 1.3),
    "one, twenty left": (1, 1.0, 20, 1.15),
    "two, twelve left": (2, 1.0, 12, 1.5),
    "two, twenty left": (2, 1.0, 20, 1.3),
    "two near each other, six left": (2, 0.3, 6, 1.3),
    "three, twenty-five left": (3, 1.0, 25, 1.3),
    "three near each other, twelve left": (3, 0.3, 12, 1.35),
}


@pytest.mark.slow
@pytest.mark.exhaustive("held regions")
@pytest.mark.claim("C614")
@pytest.mark.parametrize("name", NARROW)
def test_slopes_hold_and_are_narrow(name):
    """2,000 releases: the first slope is held by 95 %, told in 97 %, and hardly wider than its need.

    Under exactly 0.95 a check of how often it holds fails with 1e-9; the need is off by 4 % at most.
    """
    size, near, left, most = NARROW[name]
    parts, exact, truth = moments_of(size, 2_000, near)
    line = line_of(parts, exact[None, :], size)
    others = [at for at in range(size + 1) if at != 1]
    square = line.square[0]
    g = np.linalg.solve(square[np.ix_(others, others)], square[others, 1])
    way = np.insert(-g, 1, 1.0)
    form = np.einsum("a,b,abd->d", way, way, line.inner)
    deviation = float(form @ exact / np.linalg.norm(form) / left)
    drawn = np.random.default_rng(11).laplace(size=(RELEASES, len(exact))) * deviation / 2**0.5
    noisy = line_of(parts, exact + drawn, size)

    _, low, high = one_by_one(noisy, Laplace(deviation / 2**0.5), LEVEL, np.eye(size + 1)[1:2])

    off = np.linalg.solve(noisy.square, noisy.right[..., None])[:, 1, 0] - truth[1]
    half = np.median(high - low) / 2
    assert np.isfinite(low).mean() > 0.97
    assert ((low <= truth[1]) & (truth[1] <= high)).mean() >= 0.95 - FALSE_ALARM
    assert half <= most * np.quantile(np.abs(off), 0.95)


@pytest.mark.slow
@pytest.mark.exhaustive("held regions")
@pytest.mark.claim("C613")
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
