"""Noise and grids for tests of denoising.

Rules of this module:
- coins of tests may be seeded; nothing here is in the wheel.
"""

import numpy as np

from discreet.post.denoise.graph import graph_of


def drawn(noise, shape, coins):
    """Return noise of a law."""
    if not noise.whole:
        return coins.normal(size=shape) * noise.sigma
    reach = noise.reach()
    return coins.choice(np.arange(-reach, reach + 1.0), p=noise.mass(reach), size=shape)


def grid(rows, columns):
    """Return the grid graph."""
    place = np.arange(rows * columns).reshape(rows, columns)
    across = np.stack([place[:, :-1].ravel(), place[:, 1:].ravel()], axis=1)
    down = np.stack([place[:-1].ravel(), place[1:].ravel()], axis=1)
    return graph_of(np.concatenate([across, down]), rows * columns)
