"""A kernel gives each count away once; its noise is no more than that of the document's way."""

import json

import numpy as np
import pytest

import discreet as dp
from discreet.errors import InputError
from discreet.maps.earth import in_space
from discreet.maps.heatmap import Points, checked_how, heatmap, planned, save
from discreet.maps.kernel import kernel_of, spread
from discreet.maps.net import grid, junctions
from discreet.post.denoise.noise import Noise

BOX = grid(-0.01, -0.01, 0.02, 0.02, columns=10, rows=8)
POINTS = [{"longitude": 0.002 * (i % 10), "latitude": 0.002 * (i % 7)} for i in range(400)]


def scattered(seed):
    """Places that lie close together and far apart, some alone."""
    coins = np.random.default_rng(seed)
    crowd = coins.normal(0, 0.001, (40, 2))
    return junctions([*crowd, *coins.uniform(-0.05, 0.05, (40, 2)), (1, 1)], [], within=100)


@pytest.mark.claim("C492")
@pytest.mark.parametrize("meters", [1.0, 150.0, 2_000.0])
def test_each_trip_is_given_to_the_junctions_around_it_once(meters):
    """By definition, trip by trip: weights (1 - (d / h)^2)^2 in parts of their sum."""
    net = scattered(1)
    at = in_space(net.places)
    given = np.zeros((len(at), len(at)))
    for junction, place in enumerate(at):
        away = np.linalg.norm(at - place, axis=1) / meters
        weights = np.where(away < 1, (1 - away**2) ** 2, 0)
        given[:, junction] = weights / weights.sum()

    matrix = spread(net, meters).toarray()
    assert np.allclose(matrix, given, atol=1e-12)
    assert np.allclose(matrix.sum(axis=0), 1)


@pytest.mark.claim("C492")
@pytest.mark.parametrize("meters", [1.0, 150.0, 2_000.0, 50_000.0])
@pytest.mark.parametrize("seed", range(5))
def test_noise_before_the_kernel_is_no_more_than_behind_it(seed, meters):
    """In the mean of squares, for both laws: sums of squares of rows against those of columns."""
    matrix = spread(scattered(seed), meters).toarray()
    rows, columns = (matrix**2).sum(axis=1), (matrix**2).sum(axis=0)

    assert rows.mean() <= columns.max() + 1e-12  # Gaussian noise
    assert rows.mean() <= np.abs(matrix).sum(axis=0).max() ** 2 + 1e-12  # Laplace noise


@pytest.mark.claim("C492")
def test_its_error_as_counts_is_told_without_bias():
    """A linear rule: the mean of the estimate over the noise is the error, by its two moments."""
    net, noise = scattered(2), Noise("gaussian", 9.0)
    truth = np.arange(81.0)
    how, own = kernel_of("kernel 150", net)
    matrix = spread(net, 150.0).toarray()
    moved = truth @ (matrix - np.eye(81)).T
    error = moved @ moved + noise.variance * (matrix**2).sum()

    # |K y - y|^2 has the mean |K t - t|^2 + v |K - I|^2, to which 2 v tr K - d v is added
    plain = own.rules(None)[how](truth, noise).risk
    assert plain + noise.variance * ((matrix - np.eye(81)) ** 2).sum() == pytest.approx(error)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("kernel", "comes without a bandwidth"),
        ("kernel 0", "must be above 0"),
        ("kernel 100001", "must be above 0"),
        ("kernel wide", "bandwidth"),
        ("kernel nan", "bandwidth"),
    ],
)
def test_a_bandwidth_that_is_none_is_refused_before_the_charge(how, says):
    """In three lines."""
    asked = planned(Points(POINTS, name="trips"), BOX, spend=dp.pure(1))
    with pytest.raises(InputError, match=says):
        checked_how(how, asked, BOX)


@pytest.mark.slow
def test_too_many_places_in_reach_are_refused():
    """A list of pairs must fit into memory."""
    large = grid(0, 0, 1, 1, columns=200, rows=200)
    with pytest.raises(InputError, match="too many pairs"):
        kernel_of("kernel 100000", large)


@pytest.mark.claim("C492")
@pytest.mark.slow
def test_a_map_is_spread_and_keeps_its_counts(tmp_path):
    """The file has both; the raw numbers and intervals are those of the release."""
    book = dp.ledger(tmp_path / "trips.ledger", budget=dp.pure(10))
    points = Points(POINTS, name="trips")
    found = heatmap(points, BOX, spend=dp.pure(1), ledger=book, how="kernel 400")
    matrix = spread(BOX, 400.0)
    features = json.loads((save(found, tmp_path / "map") / "map.geojson").read_text())["features"]

    assert found.cleaned.name == "kernel"
    assert found.cleaned.values == pytest.approx(np.maximum(0, matrix @ found.raw))
    assert [one["properties"]["raw"] for one in features] == found.raw.tolist()
    assert dp.verify(tmp_path / "map", ledger=book).checks
