"""The curves of a figure, to be compared with numbers."""

import math
from functools import lru_cache

import pytest
from figures.catalog import FIGURES


@lru_cache(maxsize=8)
def curves(name):
    """Each figure is computed once."""
    return FIGURES[name].curves()


def at(name, panel, curve, x):
    """Return the plotted y at an x."""
    return next(y for there, y in curves(name)[panel, curve] if math.isclose(there, x))


def close(digits):
    """Compare with a number that was given with so many digits."""
    return lambda wanted: pytest.approx(wanted, rel=0.51 * 10.0 ** (1 - digits))
