"""Tables that add up: weights, least squares, tails, fits and whole numbers, against brute force."""

from fractions import Fraction
from functools import reduce
from itertools import product
from math import prod

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from attributes import flat
from discreet.errors import InternalError
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.post.tables import fit, whole
from discreet.post.tables.answer import frame, published
from discreet.post.tables.attribute import Attribute, sums
from discreet.post.tables.designs import mean_variance, precisions, shares
from discreet.post.tables.fit import solved, tables
from discreet.post.tables.interval import NoisePart, ends, half_width, reaches
from discreet.transform import Margin
from shares import in_parts

PLACES = Attribute(((0,) * 5, (0, 0, 0, 1, 1), (0, 1, 2, 3, 4)))  # three places and two, in regions
CUBE = (flat(2), PLACES, flat(3))
pytestmark = pytest.mark.claim("C88")


def dense(attributes, table):
    """The 0/1 matrix that makes a table of the cells."""
    pairs = zip(attributes, table, strict=True)
    return reduce(np.kron, [a.matrix(level) for a, level in pairs], np.ones((1, 1)))


def weighed(attributes):
    weights = [tuple(map(float, precisions(a.sizes))) for a in attributes]
    every = {
        t: prod(w[level] for w, level in zip(weights, t, strict=True)) for t in tables(attributes)
    }
    return weights, every


def noisy(attributes, cells, coins, spread=3):
    return {
        t: sums(cells, attributes, t)
        + coins.integers(
            -spread, spread + 1, size=[a.sizes[n] for a, n in zip(attributes, t, strict=True)]
        )
        for t in tables(attributes)
    }


def by_brute_force(attributes, every, scale, found):
    """The normal equations of all cells, written out."""
    matrices = {t: dense(attributes, t) for t in every}
    normal = sum(w * matrices[t].T @ matrices[t] for t, w in every.items())
    right = sum(w * matrices[t].T @ np.ravel(found[t]) for t, w in every.items())
    return np.linalg.solve(normal, right), scale * np.linalg.inv(normal)


def test_the_estimates_and_their_variances_are_those_of_the_normal_equations():
    """Of a cube with an unbalanced hierarchy: each cell, each margin, any sum of cells."""
    coins = np.random.default_rng(16)
    weights, every = weighed(CUBE)
    measured = noisy(CUBE, coins.integers(0, 50, (2, 5, 3)), coins)
    cells, covariance = by_brute_force(CUBE, every, 4.0, measured)

    found = solved(CUBE, weights, 4.0, measured)

    assert np.allclose(found.cells.ravel(), cells, atol=1e-9)
    for table in every:
        matrix = dense(CUBE, table)
        variances = found.variances(table).ravel()
        assert np.allclose(variances, np.diag(matrix @ covariance @ matrix.T), atol=1e-12)
    chosen = (np.array([1.0, 0]), np.array([1.0, 0, 1, 0, 0]), np.array([0, 1.0, 1]))
    whole_ = reduce(np.kron, chosen)
    assert found.variance(chosen) == pytest.approx(whole_ @ covariance @ whole_)


def test_the_parts_of_an_estimate_make_its_variance():
    """How often each noise stands in an estimate, and with which factor."""
    weights, every = weighed(CUBE)
    empty = {t: np.zeros([a.sizes[n] for a, n in zip(CUBE, t, strict=True)]) for t in every}
    found = solved(CUBE, weights, 4.0, empty)
    for table in every:
        for place in np.ndindex(*empty[table].shape):
            rows = [a.matrix(n)[at] for a, n, at in zip(CUBE, table, place, strict=True)]
            parts = list(found.parts(tuple(rows)))
            variance = sum(float((n * f * f).sum()) * 4 / every[t] for t, f, n in parts)
            assert variance == pytest.approx(float(found.variances(table)[place]), abs=1e-12)


def test_the_weights_are_the_best_of_all_gaussian_noise():
    """Flat attributes and balanced levels: no weights of tables have a smaller mean variance.

    The least is that of any linear Gaussian mechanism: by Cauchy and Schwarz, over the precisions
    of the interactions (docs/laws/tables.md).
    """
    for shapes in ([(1, 2), (1, 8)], [(1, 3, 12), (1, 5)], [(1, 2, 4, 16)]):
        one = [_optimum(sizes) for sizes in shapes]
        best = prod(found for found, _ in one)
        mine = prod(found for _, found in one)
        assert best <= mine <= best * (1 + 1e-4)


def _optimum(sizes):
    """The least mean variance times price of one attribute, and that of our weights."""
    weights = list(map(float, precisions(sizes)))
    above, least, mine = 0, 0.0, 0.0
    for j, groups in enumerate(sizes):
        share, finer = (groups - above) / groups, range(j, len(sizes))
        spread = sum((groups / sizes[i]) ** 2 for i in finer)
        least += share * spread**0.5
        mine += share * spread / sum(weights[i] * groups / sizes[i] for i in finer)
        above = groups
    return least**2, mine * sum(weights)


def test_the_shares_of_laplace_noise_are_the_best_in_hundredths():
    """Tried out: every share of an attribute with one level, all pairs of one with two."""
    for keys in (2, 3, 5, 8, 16, 100):
        every = {part: mean_variance([part, 100 - part], (1, keys)) for part in range(100)}
        assert shares((1, keys))[0] * 100 == min(every, key=every.get)
    sizes = (1, 6, 48)
    found = [int(100 * part) for part in shares(sizes)]
    other = [[a, b, 100 - a - b] for a, b in product(range(0, 100, 5), repeat=2) if a + b < 100]
    assert mean_variance(found, sizes) <= min(mean_variance(one, sizes) for one in other)


def test_an_attribute_whose_levels_are_not_nested_is_refused():
    """Tables of it would not add up."""
    with pytest.raises(InternalError, match="not nested"):
        Attribute(((0, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, 2)))


def test_noise_that_has_other_weights_is_refused():
    """Least squares by attributes would be wrong."""
    laws = {t: DiscreteGaussian(Fraction(9)) for t in tables((flat(2), flat(2)))}
    laws[1, 0] = DiscreteGaussian(Fraction(10))
    with pytest.raises(InternalError, match="not that of its weights"):
        frame((flat(2), flat(2)), laws)


@given(
    st.lists(st.integers(-(10**20), 10**20), min_size=12, max_size=12),
    st.sampled_from(
        [((0, 0), (0, 1, 2), (0, 0)), ((0, 1), (0, 0, 1), (0, 1)), ((0, 0), (0, 0, 0), (0, 0))]
    ),
)
def test_a_margin_adds_each_number_once(numbers, groups):
    """Beyond 64 bits too; and it says of itself what it is."""
    matrix = Margin(groups)
    written = np.array(
        dense([Attribute(((0,) * len(g), g, tuple(range(len(g))))) for g in groups], (1, 1, 1)),
        dtype=object,
    )

    assert matrix.times(numbers) == [
        sum(int(a) * x for a, x in zip(row, numbers, strict=True)) for row in written
    ]
    assert (matrix.rows, matrix.columns) == written.shape
    assert set(matrix.sizes()) == set(matrix.squares()) == {1}
    assert matrix.ends() == (0, 1)


# Tails


def missed(parts, width):
    """Pr[|E| > width], by adding up the chances of few noises."""
    chances = {0.0: 1.0}
    for law, factor, count in parts:
        reach = 40 if isinstance(law, DiscreteLaplace) else 16
        masses = {k: float(law.mass(k)) for k in range(-reach, reach + 1)}
        for _ in range(count):
            now = {}
            for x, p in chances.items():
                for k, q in masses.items():
                    at = round(x + factor * k, 9)
                    now[at] = now.get(at, 0.0) + p * q
            chances = now
    return sum(p for x, p in chances.items() if abs(x) > width)


NARROW = (
    DiscreteGaussian(Fraction(2)),
    DiscreteGaussian(Fraction(1, 3)),
    DiscreteLaplace(Fraction(3, 2)),
)


@pytest.mark.claim("C89")
@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.3, 0.05, 0.001])
@pytest.mark.parametrize("law", NARROW, ids=str)
def test_a_reach_is_missed_as_often_as_it_says_and_no_more(law, alpha):
    """Against all outcomes of up to three noises; a hundredth of a deviation less misses more."""
    for factors in ([1.0], [0.5, 0.5], [0.7, 0.25, 0.05]):
        parts = [(law, factor, 1) for factor in factors]
        width = half_width([NoisePart(*part) for part in parts], alpha)
        assert missed(parts, width) <= alpha
        size = sum(law.variance() * f * f for f in factors) ** 0.5
        assert missed(parts, width - size / 20) > alpha * 0.9 or width < size / 20


@pytest.mark.claim("C89")
@pytest.mark.slow
def test_a_reach_holds_in_balls():
    """The chance of passing it, enclosed from both sides with 25 digits, is at most alpha.

    Davies' series again, with nothing left out that is not bounded: what `tails` does in floats,
    and takes `_ROUNDED` off alpha for, is wide enough.
    """
    alpha, sigma2, factors = 0.05, 1, (0.7, 0.25)
    width = half_width(
        [NoisePart(DiscreteGaussian(Fraction(sigma2)), f, 1) for f in factors], alpha
    )
    old, ctx.dps = ctx.dps, 25
    try:
        spread = (arb(sigma2) * sum(arb(f) ** 2 for f in factors)).sqrt()
        tau, step = spread / 300, arb("0.05") / spread
        far = arb("4.5648")  # deviations of G, beyond which it is aside
        aside, rest = tau * far, (far / arb(2).sqrt()).erfc() + arb("1e-15")  # and what is left out
        masses = [(-arb(k * k) / (2 * sigma2)).exp() for k in range(11)]
        whole = masses[0] + 2 * sum(masses[1:])
        found, k = arb(1), 0
        while (tau * step * k) ** 2 / 2 < 50:
            t = step * (k + arb(0.5))
            value = (-((tau * t) ** 2) / 2).exp()
            for f in factors:
                turned = [(n * f * t).cos() for n in range(1, 11)]
                value *= (masses[0] + 2 * sum(m * c for m, c in zip(masses[1:], turned, strict=True))) / whole  # fmt: skip
            found -= 2 / arb.pi() * (t * (arb(width) - aside)).sin() * value / (k + arb(0.5))
            k += 1
        assert (found + rest).upper() <= alpha
    finally:
        ctx.dps = old


@pytest.mark.claim("C89")
def test_a_reach_is_hardly_wider_than_the_normal_one():
    """Of some hundred noises: less than a hundredth, and never less."""
    parts = [NoisePart(DiscreteGaussian(Fraction(30 + i)), 0.5 / (1 + i), 5.0) for i in range(20)]
    size = sum(5 * (30 + i) * (0.5 / (1 + i)) ** 2 for i in range(20)) ** 0.5

    assert 1.95996 * size <= half_width(parts, 0.05) <= 1.01 * 1.95996 * size


@pytest.mark.claim("C89")
def test_intervals_are_cut_and_stretched():
    """To whole numbers of at least 0, and to the number that is published."""
    low, high = ends(
        np.array([2.5, -4.2, 2.5, -1.0]), np.array([3.1, 3.1, 0.2, 3.0]), np.array([2, 0, 3, 4])
    )
    assert (low.tolist(), high.tolist()) == ([0, 0, 3, 0], [5, 0, 3, 4])


@pytest.mark.claim("C89")
def test_cells_that_are_alike_have_the_reach_that_each_has_alone():
    """Of an unbalanced hierarchy each cell is worked out again by itself."""
    laws = {
        t: DiscreteGaussian(Fraction(20) / Fraction(w).limit_denominator(10**6))
        for t, w in weighed(CUBE)[1].items()
    }
    found = frame(CUBE, laws).solved({})
    sizes = reaches(found, laws, 0.05)

    for table in laws:
        variances = found.variances(table)
        assert sizes[table].shape == variances.shape
        assert np.allclose(sizes[table] / np.sqrt(variances), 1.9752, atol=2e-3)


# Fits

SHAPES = st.lists(st.integers(1, 4), min_size=1, max_size=3)


@st.composite
def cubes(draw):
    """Attributes, some with a level of two groups between, cells, and their noise."""
    attributes = []
    for keys in draw(SHAPES):
        middle = sorted(draw(st.lists(st.integers(0, 1), min_size=keys, max_size=keys)))
        middle = [group - middle[0] for group in middle]
        levels = [(0,) * keys, tuple(middle), tuple(range(keys))]
        attributes.append(Attribute(tuple(levels if draw(st.booleans()) else levels[::2])))
    return (
        tuple(attributes),
        draw(st.integers(0, 2**32 - 1)),
        draw(st.sampled_from([0, 1, 5, 400])),
        draw(st.sampled_from(["1/9", "4", "900"])),
    )


@pytest.mark.claim("C90")
@pytest.mark.slow
@pytest.mark.parametrize("clean", [False, True])
@in_parts(5)
@settings(max_examples=100, phases=(Phase.explicit, Phase.generate))
@given(cubes())
def test_every_cube_adds_up_in_whole_numbers_of_at_least_zero(clean, case):
    """Of any hierarchies, cells and noise: 1,000 random cubes."""
    attributes, seed, most, sigma2 = case
    coins = np.random.default_rng(seed)
    cells = coins.integers(0, most + 1, [a.sizes[-1] for a in attributes])
    _, every = weighed(attributes)
    size = float(Fraction(sigma2))
    measured = {
        t: v + coins.normal(size=v.shape) * (size / every[t]) ** 0.5
        for t, v in noisy(attributes, cells, coins, 0).items()
    }
    found = solved(attributes, weighed(attributes)[0], size, measured)

    made = whole.fitted(found, clean=clean)

    assert made.dtype == np.int64
    assert made.min() >= 0
    if not clean and most == 400 and size < 1:
        assert np.abs(made - cells).max() < 12  # a fit, and not any numbers


@pytest.mark.claim("C90")
@pytest.mark.parametrize("clean", [False, True])
def test_what_is_published_is_made_of_the_cells(clean):
    """All tables are sums of the last one, and lie in their intervals."""
    coins = np.random.default_rng(5)
    cells = coins.poisson(2, (2, 5, 3))
    laws = {
        t: DiscreteGaussian(Fraction(9) / Fraction(w).limit_denominator(10**6))
        for t, w in weighed(CUBE)[1].items()
    }
    vectors = {
        t: np.rint(v + coins.normal(size=v.shape) * float(laws[t].sigma2) ** 0.5)
        .ravel()
        .astype(int)
        .tolist()
        for t, v in noisy(CUBE, cells, coins, 0).items()
    }

    found = frame(CUBE, laws).solved(vectors)
    made = published(found, reaches(found, laws, 0.05), clean=clean)

    leaves = np.array(made.values[-30:]).reshape(2, 5, 3)
    added = [x for t in tables(CUBE) for x in sums(leaves, CUBE, t).ravel().tolist()]
    assert list(made.values) == added
    assert min(made.values) >= 0
    assert all(type(x) is int for x in (*made.values, *made.low, *made.high))
    assert all(a <= b <= c for a, b, c in zip(made.low, made.values, made.high, strict=True))


@pytest.mark.claim("C90")
def test_a_fit_keeps_the_margins_of_one_attribute():
    """To the nearest whole numbers of what they shall be, whatever is below zero."""
    coins = np.random.default_rng(3)
    attributes = (flat(4), PLACES, flat(6))
    cells = coins.poisson(0.5, (4, 5, 6))
    weights, _ = weighed(attributes)
    measured = {
        t: v + coins.normal(size=v.shape) * 4 for t, v in noisy(attributes, cells, coins, 0).items()
    }
    found = solved(attributes, weights, 16.0, measured)
    wanted = whole.whole_margins(attributes, fit.margins(found))

    targets = [each.astype(float) for each in wanted]
    start = whole.rounded(fit.cells_near(found, targets, found.metric, clean=False), wanted)

    for axis, line in enumerate(wanted):
        others = tuple(other for other in range(3) if other != axis)
        assert start.sum(axis=others).tolist() == line.tolist()
    assert {int(line.sum()) for line in wanted} == {max(0, round(float(found.cells.sum())))}


@pytest.mark.claim("C90")
def test_what_rounding_leaves_over_is_handed_out():
    """Also where the fit is off its margins, and where the first keys alone miss something."""
    cells, wanted = np.array([[3.2, 0.0], [0.0, 0.4]]), [np.array([2, 5]), np.array([1, 6])]
    found = whole.rounded(cells, wanted)
    assert found.sum(axis=1).tolist() == [2, 5]
    assert found.sum(axis=0).tolist() == [1, 6]
    assert found.min() >= 0
