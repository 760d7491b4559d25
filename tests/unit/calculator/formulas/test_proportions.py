"""Sensitivities of proportions by brute force, and the data-dependent scale that is not private."""

from fractions import Fraction
from itertools import product

import pytest

from discreet.calculator.formulas import proportions
from discreet.errors import InputError


def histograms(labels, size):
    return [k for k in product(range(size + 1), repeat=labels) if sum(k) == size]


def shares(counts, empty="excluded"):
    size = sum(counts)
    if size == 0:
        return [Fraction(int(empty == "uniform"), len(counts))] * len(counts)
    return [Fraction(k, size) for k in counts]


def moved(one, other):
    gaps = [abs(a - b) for a, b in zip(one, other, strict=True)]
    return max(gaps), sum(gaps), sum(gap * gap for gap in gaps)


def added(counts):
    return [tuple(k + (i == j) for j, k in enumerate(counts)) for i in range(len(counts))]


def worst(pairs):
    found = [moved(*pair) for pair in pairs]
    return tuple(max(column) for column in zip(*found, strict=True))


def plain(moves):
    return moves.linf, moves.l1, moves.l2_squared


@pytest.mark.claim("C27")
@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_replacing_a_record_moves_at_most_as_declared(labels, size):
    """Over all histograms of this size, in exact rationals, in all three norms."""
    pairs = []
    for smaller in histograms(labels, size - 1):
        larger = added(smaller)
        pairs += [(shares(a), shares(b)) for a in larger for b in larger]

    found = proportions.moves_public_size(size=size, neighbors="replace")

    assert plain(found) == worst(pairs)


@pytest.mark.claim("C27")
@pytest.mark.parametrize("labels", [2, 3, 4])
@pytest.mark.parametrize(
    ("least", "empty"), [(1, "excluded"), (3, "excluded"), (0, "zero"), (0, "uniform")]
)
def test_adding_a_record_with_private_size_moves_at_most_as_declared(labels, least, empty):
    """Over all neighbors of at least so many records, the empty set answered as stated."""
    pairs = [
        (shares(counts, empty), shares(more, empty))
        for size in range(least, least + 5)
        for counts in histograms(labels, size)
        for more in added(counts)
    ]

    found = proportions.moves_private_size(least=least, labels=labels, empty=empty)

    assert plain(found) == worst(pairs)


def test_a_fixed_public_divisor_moves_one_label_only():
    """Adding a record while still dividing by n: 1/n in every norm."""
    found = proportions.moves_public_size(size=8, neighbors="add_remove")

    assert plain(found) == (Fraction(1, 8), Fraction(1, 8), Fraction(1, 64))


@pytest.mark.claim("C27")
def test_the_printed_scale_tells_the_data():
    """Without the rare record of (1, 999) it is 0: the answer comes out without noise (C6)."""
    local = proportions.note_local_sensitivity_not_private

    assert local(size=999, rarest=999) == 0
    assert local(size=1000, rarest=1) == Fraction(1, 1000)
    assert local(size=4, rarest=2) == Fraction(1, 6)
    for size, rarest in ((1, 0), (5, 6), (5, -1)):
        with pytest.raises(InputError):
            local(size=size, rarest=rarest)


def test_dividing_a_noisy_histogram_by_its_own_total_is_best():
    """The deviations of 002-11 at p = .1, n = 1000, epsilon = 1."""
    known = {"epsilon": Fraction(1), "proportion": Fraction(1, 10), "size": 1000, "labels": 2}

    found = {
        way: float(proportions.release_deviation(way=way, **known))
        for way in ("normalized", "plug_in", "public_size")
    }

    assert found["normalized"] == pytest.approx(0.00128, abs=5e-6)
    assert found["plug_in"] == pytest.approx(0.00284, abs=5e-6)
    assert found["public_size"] == pytest.approx(0.00141, abs=5e-6)


@pytest.mark.parametrize(
    "make",
    [
        lambda: proportions.moves_public_size(size=0, neighbors="replace"),
        lambda: proportions.moves_private_size(least=0, labels=2),
        lambda: proportions.moves_private_size(least=1, labels=1),
    ],
)
def test_proportions_of_nothing_are_refused(make):
    """No records, no labels, or an empty set without an answer."""
    with pytest.raises(InputError):
        make()
