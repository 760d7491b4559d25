"""Pictures of heat maps: as small as a page has room for, in colors that stay apart."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from discreet.report.heatmap import Ground, Layer, drawn, map_png

ACROSS = 16
PLACES = ACROSS * ACROSS


def picture():
    """A town of 256 places, each with a number of its own."""
    at = np.arange(PLACES)
    xy = np.stack([at % ACROSS, at // ACROSS], axis=1).astype(float)
    right, down = at[at % ACROSS < ACROSS - 1], at[: PLACES - ACROSS]
    edges = np.concatenate([np.stack([right, right + 1], 1), np.stack([down, down + ACROSS], 1)])
    values = np.random.default_rng(1).uniform(0, 300, PLACES)
    layers = [Layer("Raw", values), Layer("Error", values / 300, is_error=True)]
    return drawn(Ground(xy, edges), layers, most=300, words="count")


@pytest.mark.slow
@pytest.mark.claim("C642")
def test_a_picture_fits_a_page_and_keeps_its_colors():
    """A large one gets fewer pixels; its colors differ from the drawn ones by little."""
    whole, made = BytesIO(), picture()
    made.savefig(whole, format="png", dpi=110)
    free = map_png(made, 10**9)
    before, after = (
        np.asarray(Image.open(BytesIO(png)).convert("RGB")).astype(int)
        for png in (whole.getvalue(), free)
    )
    assert before.shape == after.shape
    assert np.abs(before - after).max() <= 24
    most = len(free) * 2 // 3
    small = map_png(made, most)
    assert len(small) <= most
    assert Image.open(BytesIO(small)).width >= Image.open(BytesIO(free)).width // 2
    assert map_png(made, most) == small
