"""Cells that noise alone shows are asked for their chances by chosen words: nothing is drawn."""

from fractions import Fraction

import pytest

from discreet.audit import lifting
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.noise.threshold import Lifted

CASES = [
    (DiscreteLaplace(Fraction(3)), 1),
    (DiscreteLaplace(Fraction(3)), 12),
    (DiscreteGaussian(Fraction(20)), 15),
    (DiscreteGaussian(Fraction(10**6)), 3000),
]


@pytest.mark.claim("C545")
@pytest.mark.parametrize(("law", "threshold"), CASES, ids=repr)
def test_the_words_of_lifted_cells_lead_to_their_chances(law, threshold):
    """How many stay below, and how far the next one is."""
    assert lifting.exactly(law, threshold) is None


@pytest.mark.claim("C545")
@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("gap", lambda honest: lambda self, cells, coins: _more(honest(self, cells, coins))),
        ("_share", lambda honest: lambda self, z: honest(self, z) ** 2),
    ],
)
def test_cells_that_are_lifted_too_seldom_or_too_low_are_seen(name, wrong, monkeypatch):
    """Each of the two steps by itself."""
    monkeypatch.setattr(Lifted, name, wrong(getattr(Lifted, name)))

    assert "times as often" in lifting.exactly(DiscreteLaplace(Fraction(3)), 12)


def test_a_threshold_that_hardly_a_cell_reaches_has_no_exact_layer():
    """A word cannot tell such gaps apart."""
    with pytest.raises(NotImplementedError):
        lifting.exactly(DiscreteLaplace(Fraction(3)), 90)


def _more(gap):
    return None if gap is None else gap + 1
