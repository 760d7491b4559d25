"""The exact law of a sum of geometric errors against convolution."""

from fractions import Fraction

import numpy as np
import pytest

from discreet.calculator.formulas import geometric_sum as sums
from discreet.errors import InputError
from discreet.noise.geometric_accuracy import accuracy
from discreet.noise.reals import real_up

ALPHA = Fraction(1, 20)


def convolved(rate, releases, reach=700):
    """The law of |sum| by convolving the single law again and again."""
    k = np.arange(-reach, reach + 1)
    q = np.exp(-float(rate))
    single = (1 - q) / (1 + q) * q ** np.abs(k)
    law = single
    for _ in range(releases - 1):
        law = np.convolve(law, single, mode="same")
    return np.abs(k), law


@pytest.mark.claim("C26")
@pytest.mark.parametrize(("rate", "releases"), [("0.1", 1), ("0.1", 3), ("0.5", 10), ("2", 7)])
def test_the_tail_of_a_sum_is_its_convolution(rate, releases):
    """The closed form of m positive terms equals the convolved law, in both conventions."""
    size, law = convolved(Fraction(rate), releases)
    for a in (0, 1, 5, 20):
        known = {"rate": Fraction(rate), "releases": releases, "a": a}

        greater = real_up(sums.sum_tail(convention="gt", **known))
        or_equal = real_up(sums.sum_tail(convention="ge", **known))

        assert float(greater) == pytest.approx(law[size > a].sum(), rel=1e-9, abs=1e-12)
        assert float(or_equal) == pytest.approx(law[size >= a].sum(), rel=1e-9, abs=1e-12)


def test_one_release_is_the_single_law():
    """With m = 1 the sum's accuracy is the exact one."""
    for rate in (Fraction(1, 9), Fraction(1), Fraction(4)):
        known = {"rate": rate, "alpha": ALPHA, "convention": "gt"}

        assert sums.sum_accuracy(releases=1, **known) == accuracy(**known)


@pytest.mark.parametrize(
    ("epsilon", "releases", "exact", "union"),
    [("0.1", 2, 41, 74), ("0.1", 10, 89, 530), ("0.1", 50, 196, 3450), ("1", 50, 19, 350)],
)
def test_sums_are_far_more_accurate_than_the_union_bound(epsilon, releases, exact, union):
    """The table of "beyond" F4."""
    known = {"rate": Fraction(epsilon), "alpha": ALPHA, "releases": releases, "convention": "gt"}

    assert sums.sum_accuracy(**known) == exact
    assert sums.union_bound(**known) == union


@pytest.mark.claim("C21")
def test_the_rate_of_a_sum_is_the_least_that_keeps_its_accuracy():
    """At the rate the promise holds, and 1e-12 below it is broken."""
    promise = {"alpha": ALPHA, "releases": 20, "convention": "ge", "coordinates": 3}

    rate = sums.sum_rate_up(accuracy=50, **promise)

    assert sums.sum_accuracy(rate=rate, **promise) == 50
    assert sums.sum_accuracy(rate=rate * (1 - Fraction(1, 10**12)), **promise) == 51


def test_too_many_releases_are_refused():
    """The exact law of a sum is limited to 2,000 terms."""
    with pytest.raises(InputError, match="releases"):
        sums.sum_accuracy(rate=Fraction(1), alpha=ALPHA, releases=2001, convention="gt")
