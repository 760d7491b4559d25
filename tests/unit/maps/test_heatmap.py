"""A paid heat map is drawn, however wide its weights, and whatever a denoiser does."""

import tracemalloc

import numpy as np
import pytest

import discreet as dp
from discreet.maps.heatmap import Points, heatmap, save
from discreet.maps.net import grid
from discreet.post.denoise import select

BOX = grid(-0.01, -0.01, 0.02, 0.02, columns=10, rows=8)
TRIPS = [
    {"longitude": f"{0.002 * (i % 10):.4f}", "latitude": f"{0.002 * (i % 7):.4f}", "load": i % 9}
    for i in range(400)
]
WEIGHTED = Points(TRIPS, weight="load", max_weight=20_000_000, name="trips")


def mapped(points, folder):
    book = dp.ledger(folder / "trips.ledger", budget=dp.pure(10))
    return heatmap(points, BOX, spend=dp.pure("1/10"), ledger=book)


@pytest.mark.slow
def test_a_wide_weight_costs_no_more_than_a_narrow_one(tmp_path):
    """Laplace noise of scale 200,000,000: the map is drawn in less than 60 MB of arrays."""
    tracemalloc.start()
    found = mapped(WEIGHTED, tmp_path)
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert found.cleaned.raw_error > 1e8
    assert found.cleaned.failed == ()
    assert used < 60e6
    assert (save(found, tmp_path / "map") / "map.geojson").exists()


@pytest.mark.slow
def test_a_denoiser_without_memory_loses_no_paid_map(tmp_path, monkeypatch):
    """Each of them fails after the charge: the raw map is written, and says which failed."""

    def greedy(*given, **more):
        raise MemoryError

    named = ("james_stein", "soft_threshold", "soft_sure", "empirical_bayes", "tree_basis")
    for name in (*named, "trend_filter"):
        monkeypatch.setattr(select, name, greedy)
    found = mapped(Points(TRIPS, name="trips"), tmp_path)
    place = save(found, tmp_path / "map")

    assert found.cleaned.name == "raw"
    assert len(found.cleaned.failed) == 9
    assert np.array_equal(found.cleaned.values, np.maximum(found.raw, 0))
    assert "could not be computed here" in (place / "map.geojson").read_text()
