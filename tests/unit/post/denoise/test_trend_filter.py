"""Few bends on a graph: against a second solver of the dual, near the noise and far above it."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from discreet.post.denoise import trend_filter as room
from discreet.post.denoise.graph import graph_of, line
from discreet.post.denoise.noise import Noise
from discreet.post.denoise.trend_filter import few_bends, trend_filter

ROWS = [(8 * i + j, 8 * i + j + 1) for i in range(8) for j in range(7)]
GRAPHS = {
    "line": line(40),
    "grid": graph_of(ROWS + [(i, i + 8) for i in range(56)], 64),
    "two components and a lonely node": graph_of([(0, 1), (1, 2), (3, 4), (4, 5), (5, 3)], 7),
}
COINS = np.random.default_rng(11)


def exact(noisy, graph, penalty):
    """Return the solution from its dual, a bounded least squares problem (second method)."""
    matrix = graph.laplacian().toarray()
    found = lsq_linear(matrix, noisy, bounds=(-penalty, penalty), tol=1e-12, max_iter=500)
    return noisy - matrix @ found.x


def root_mean_square(values):
    return np.sqrt(np.mean(values**2))


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("size", [1.0, 300.0])
def test_few_bends_are_those_of_the_dual(name, size):
    """Along a path of penalties the error is below 1/50 of the noise, whatever the numbers."""
    graph = GRAPHS[name]
    noisy = size * COINS.normal(size=graph.nodes) + np.arange(graph.nodes) % 8
    filtered = few_bends(graph, 1.0)

    for penalty in (2.0, 1.0, 4.0, 0.25, 0.0625):
        values, slopes = filtered(noisy, penalty)
        bends = graph.laplacian() @ values

        assert root_mean_square(values - exact(noisy, graph, penalty)) < 0.02
        assert slopes >= np.sum(np.abs(bends) > 0.3)


def test_steps_that_stop_too_early_are_caught(monkeypatch):
    """The check has power: three steps are not near the dual's solution."""
    monkeypatch.setattr(room, "_STEPS", 3)
    graph = GRAPHS["grid"]
    noisy = 10 * COINS.normal(size=64)

    assert root_mean_square(few_bends(graph, 1.0)(noisy, 2.0)[0] - exact(noisy, graph, 2.0)) > 0.1


def test_a_straight_line_has_no_bend():
    """Each piece counts one slope where nothing bends: a level for each component."""
    graph = GRAPHS["two components and a lonely node"]
    values, slopes = few_bends(graph, 1.0)(np.array([1.0, 2.0, 6.0, 0.0, 0.0, 9.0, 7.0]), 1e3)

    assert slopes == 3
    assert values == pytest.approx([3, 3, 3, 3, 3, 3, 7], abs=0.02)


@pytest.mark.parametrize("order", [0, 1])
def test_without_noise_a_trend_filter_keeps_the_numbers(order):
    """A law so narrow that its variance is 0 in floats leaves nothing to filter."""
    noisy = np.array([3.0, 1.0, 4.0, 1.0, 5.0])
    found = trend_filter(noisy, Noise("discrete_laplace", 1 / 4096), graph=line(5), order=order)

    assert found.values.tolist() == noisy.tolist()
    assert found.risk == 0
