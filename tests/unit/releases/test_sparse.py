"""Cells that are told sparsely have the law of noise on every cell: by enumeration of all outcomes.

No false alarm: chances are exact rationals, and what is released of real coins is not looked at by
chance.
"""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest

from discreet.aggregate import Exact, Noisy, Sparse
from discreet.entropy import Coins
from discreet.errors import InternalError
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.post.selected import rate_level
from discreet.releases.door import door
from discreet.releases.draws import DrawnNoise, SparseNoise
from discreet.releases.sparse import drawn_sparsely
from discreet.statistic.publish import largest

MASS = {-3: 1, -2: 2, -1: 5, 0: 8, 1: 5, 2: 2, 3: 1}  # of 24: symmetric, as noise is
MASS = {noise: Fraction(parts, 24) for noise, parts in MASS.items()}


def told(noisy, most):
    """What leaves: the places and numbers of so many largest."""
    places = noisy.places
    kept = largest(noisy, range(len(places)), most)
    return tuple((places[at], noisy.values[at]) for at in kept)


def by_noise_on_all(counts, threshold, most):
    """The law of what is told where every cell gets noise, and those from a threshold on pass."""
    law = Counter()
    for noise in product(MASS, repeat=len(counts)):
        values = door(Exact(counts), DrawnNoise(np.array(noise))).values
        over = [place for place, value in enumerate(values) if value >= threshold]
        passed = Noisy(tuple(values[place] for place in over), tuple(over))
        law[told(passed, most)] += prod(MASS[z] for z in noise)
    return law


def sparsely(counts, threshold, most):
    """The law of what is told where lifted cells are drawn first, then the others that hold rows."""
    held = {place: count for place, count in enumerate(counts) if count}
    exact = Exact(tuple(held.values()), tuple(held))
    low = {z: mass for z, mass in MASS.items() if z < threshold}
    law, outcomes = Counter(), 0
    for lifted in product([None, *(z for z in MASS if z >= threshold)], repeat=len(counts)):
        chosen = {place: z for place, z in enumerate(lifted) if z is not None}
        chance = prod(sum(low.values()) if z is None else MASS[z] for z in lifted)
        rest = [place for place in held if place not in chosen]
        for others in product(low, repeat=len(rest)):
            noise = dict(zip(rest, others, strict=True))
            given = prod(low[z] / sum(low.values()) for z in others)

            def below(cells, noise=noise):
                return [noise[cell] for cell in cells]

            passed = door(exact, SparseNoise(len(counts), threshold, chosen, below))
            law[told(passed, most)] += chance * given
            outcomes += 1
    return law, outcomes


@pytest.mark.exhaustive
@pytest.mark.claim("C465")
@pytest.mark.parametrize("most", [1, 2, 9])
@pytest.mark.parametrize("threshold", [1, 2, 3, 4])
@pytest.mark.parametrize("counts", [(0, 0, 0), (1, 0, 0), (0, 2, 1), (4, 1, 0), (2, 2, 2)], ids=str)
def test_what_is_told_has_the_law_of_noise_on_all_cells(counts, threshold, most):
    """Each set of cells with its numbers has the very same chance, exactly; also of a cut list."""
    law, outcomes = sparsely(counts, threshold, most)

    assert law == by_noise_on_all(counts, threshold, most)
    assert sum(law.values()) == 1
    assert outcomes >= 1


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.claim("C456")
@pytest.mark.parametrize("most", [1, 2, 9])
@pytest.mark.parametrize("threshold", [1, 2, 3])
@pytest.mark.parametrize("counts", [(0, 0, 0, 0), (1, 0, 0, 2), (3, 1, 0, 1)], ids=str)
def test_of_a_cut_list_too_no_larger_part_is_missed_than_alpha(counts, threshold, most):
    """Level alpha R / K, with K all public cells: in expectation, over all noise, exactly."""
    alpha, missed = Fraction(1, 4), Fraction(0)

    def half_width(level):
        return next(a for a in range(4) if sum(MASS[z] for z in MASS if abs(z) > a) <= level)

    for noise in product(MASS, repeat=len(counts)):
        values = [count + z for count, z in zip(counts, noise, strict=True)]
        over = tuple(place for place, value in enumerate(values) if value >= threshold)
        passed = Noisy(tuple(values[place] for place in over), over)
        kept = [place for place, _ in told(passed, most)]
        reach = half_width(rate_level(alpha, len(kept), len(counts)))
        wrong = sum(abs(noise[place]) > reach for place in kept)
        missed += Fraction(wrong, max(1, len(kept))) * prod(MASS[z] for z in noise)

    assert missed <= alpha


@pytest.mark.claim("C465")
def test_one_row_more_moves_its_own_cell_alone():
    """Noise is settled before data is read: by the same noise all other cells stay as they are."""
    law, cells = DiscreteGaussian(Fraction(9)), 5_000
    noise = drawn_sparsely(law, Sparse(4, 10**6), cells, Coins())
    held = {place: 1 + place % 7 for place in range(0, cells, 3)}
    lifted, low = next(iter(noise.lifted)), next(p for p in held if p not in noise.lifted)
    before = cells_of(door(Exact(tuple(held.values()), tuple(held)), noise))
    for place in (lifted, low, next(p for p in range(1, cells, 3) if p not in noise.lifted)):
        more = {**held, place: held.get(place, 0) + 1}
        turned = dict(reversed(more.items()))  # in whatever order they come
        after = cells_of(door(Exact(tuple(turned.values()), tuple(turned)), noise))

        assert after.get(place, before.get(place)) in {before.get(place, 3) + 1, None}
        assert {**after, place: 0} == {**before, place: 0}


def cells_of(noisy):
    assert list(noisy.places) == sorted(noisy.places)
    return dict(zip(noisy.places, noisy.values, strict=True))


@pytest.mark.claim("C465")
def test_whatever_the_engine_returns_a_cell_without_rows_counts_nothing():
    """A vector of all cells, one of those with rows, and one with zeros are told alike."""
    noise = drawn_sparsely(DiscreteGaussian(Fraction(4)), Sparse(3, 10**6), 300, Coins())
    whole = tuple(place % 5 for place in range(300))
    some = {place: count for place, count in enumerate(whole) if count}

    assert door(Exact(whole), noise) == door(Exact(tuple(some.values()), tuple(some)), noise)


@pytest.mark.parametrize("place", [-1, 300])
def test_a_cell_that_is_not_public_passes_no_door(place):
    """An engine that counted it counted something else."""
    noise = drawn_sparsely(DiscreteGaussian(Fraction(4)), Sparse(3, 10**6), 300, Coins())

    with pytest.raises(InternalError, match="not public"):
        door(Exact((10**6,), (place,)), noise)
