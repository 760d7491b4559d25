"""Lists of tables: weights, estimates and sensitivities, against brute force."""

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest

import discreet as dp
from attributes import flat
from discreet.post.tables import designs, whole
from discreet.post.tables.attribute import Attribute
from discreet.post.tables.designs import designed, gain, gained, precisions
from discreet.post.tables.estimates import estimated
from discreet.post.tables.family import CountedTable, closed, family
from discreet.post.tables.interval import JointEstimates
from discreet.statistic.tables_layout import contrast_sensitivity
from discreet.transform import Contrasts, Margin
from unit.listed_tables import FLAT, SHOWN, dense, listed, told

EVEN = Attribute(((0,) * 4, (0, 1, 0, 1), (0, 1, 2, 3)))  # two groups of two keys
UNEVEN = Attribute(((0,) * 4, (0, 0, 0, 1), (0, 1, 2, 3)))  # of three keys, and of one
pytestmark = pytest.mark.claim("C93")


def mixed(shown):
    """Every table, contrasts of one, and the cells of all attributes."""
    few = [one for one in shown if sum(map(bool, one)) == 2][-1]
    return {
        **{CountedTable(one): 1 + 0.3 * sum(one) for one in shown},
        CountedTable(few, contrasts=True): 0.01,
    }


MIXED = {**mixed(SHOWN), CountedTable((1, 1, 1)): 0.4}

SOME = (
    (flat(2), EVEN, flat(3)),
    closed([(1, 1, 1), (0, 2, 1)]),
)  # sex by region by age, place by age

ODD = (flat(2), UNEVEN, flat(3)), SOME[1]
KNOWN = [(), ((0, 0, 0),), ((0, 1, 0),), ((1, 0, 0), (0, 1, 0)), ((1, 1, 0),)]


def by_least_squares(counted, attributes, known=()):
    """The covariance of the estimable sums, where known tables are told hardly wrong."""
    every = {**counted, **dict.fromkeys(map(CountedTable, known), 1e9)}
    normal = sum(n * dense(one, attributes).T @ dense(one, attributes) for one, n in every.items())
    return np.linalg.pinv(normal, rcond=1e-14)


def rows_of(attributes, shown):
    """Each number of a table, as the groups that it counts."""
    pairs = list(zip(attributes, shown, strict=True))
    for place in product(*(range(a.sizes[level]) for a, level in pairs)):
        yield [np.eye(a.sizes[n])[at] for (a, n), at in zip(pairs, place, strict=True)]


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize(
    ("attributes", "shown", "counted"),
    [(FLAT, SHOWN, MIXED), (*SOME, {**mixed(SOME[1]), CountedTable((1, 2, 1)): 0.4})],
    ids=["flat", "levels"],
)
def test_estimates_variances_and_parts_are_those_of_least_squares(
    attributes, shown, counted, known
):
    """Of plain tables and contrasts together; each number of each table, with known ones too."""
    vectors, margins = told(attributes, counted, known)
    covariance = by_least_squares(counted, attributes, known)
    right = sum(n * dense(one, attributes).T @ vectors[one] for one, n in counted.items())
    for one in known:
        right = right + 1e9 * dense(CountedTable(one), attributes).T @ margins[one].ravel()
    found = family(attributes, shown, counted, known)
    estimates = estimated(found, vectors, margins)

    for one in shown:
        matrix = dense(CountedTable(one), attributes)
        wanted = matrix @ covariance @ right
        variances = np.diag(matrix @ covariance @ matrix.T)
        assert estimates.table(one).ravel() == pytest.approx(wanted, abs=2e-3)
        assert found.variance(one) == pytest.approx(variances, abs=1e-6)
        for rows, number in zip(rows_of(attributes, one), variances, strict=True):
            assert found.variance(one, rows) == pytest.approx(number, abs=1e-6)


def test_of_groups_of_different_size_estimates_are_unbiased_and_near_the_best():
    """Exact tables come back exactly; a number's variance is that of all noises, one by one; it is
    a little above that of least squares."""
    attributes, shown = ODD
    counted = {CountedTable(one): 1 + 0.3 * sum(one) for one in shown}
    found, true = family(attributes, shown, counted, ()), np.arange(24.0) ** 1.5
    exact = {one: dense(one, attributes) @ true for one in counted}
    estimates = estimated(found, exact, {})
    none = {one: np.zeros(len(v)) for one, v in exact.items()}
    units = [(one, unit) for one, v in exact.items() for unit in np.eye(len(v))]
    moved = [(counted[one], estimated(found, {**none, one: unit}, {})) for one, unit in units]
    covariance = by_least_squares(counted, attributes)

    for one in shown:
        matrix = dense(CountedTable(one), attributes)
        assert estimates.table(one).ravel() == pytest.approx(matrix @ true)
        variances = sum(told_.table(one).ravel() ** 2 / n for n, told_ in moved)
        for rows, number in zip(rows_of(attributes, one), variances, strict=True):
            assert found.variance(one, rows) == pytest.approx(number)
        best = np.diag(matrix @ covariance @ matrix.T)
        assert (variances >= best * (1 - 1e-9)).all()
        assert variances.max() <= 1.1 * best.max()
        assert variances.sum() <= 1.05 * best.sum()


def test_a_sum_of_cells_has_its_own_variance():
    """Two keys of one column and three of another."""
    covariance, found = by_least_squares(MIXED, FLAT), family(FLAT, SHOWN, MIXED, ())
    rows = [np.ones(1), np.array([1.0, 0, 1]), np.array([1.0, 1, 0, 1])]
    chosen = np.kron(np.ones(2), np.kron(*rows[1:]))
    assert found.variance((0, 1, 1), rows) == pytest.approx(chosen @ covariance @ chosen)


def test_the_metric_of_a_fit_is_that_of_the_estimates():
    """Its matrix, its rows and its diagonal, written out."""
    attributes, shown = SOME
    whole = CountedTable((1, 2, 1))
    counted = {**mixed(shown), whole: 0.4}
    found = family(attributes, shown, counted, ())
    zeros = {one: np.zeros(len(dense(one, attributes))) for one in counted}
    estimates = estimated(found, zeros, {})
    metric = JointEstimates(estimates).metric(likelihood=True)
    normal = sum(
        n * dense(one, attributes).T @ dense(one, attributes)
        for one, n in counted.items()
        if one != whole
    )
    within = np.linalg.pinv(normal) @ normal
    normal = normal + counted[whole] * within @ within

    unit = np.zeros(24)
    unit[7] = 1
    assert metric.times(unit.reshape(2, 4, 3)).ravel() == pytest.approx(normal[7])
    assert metric.row(np.unravel_index(7, (2, 4, 3))).ravel() == pytest.approx(normal[7])
    assert metric.own.ravel() == pytest.approx(np.diag(normal))


@pytest.mark.slow
@pytest.mark.claim("C94")
def test_ones_are_moved_inside_sums_that_are_known():
    """Of two columns, in sparse tables with much noise: each known number comes out as it is."""
    attributes, known = (flat(2), flat(4), flat(5)), ((0, 0, 0), (0, 1, 0), (0, 0, 1))
    counted = {CountedTable(one): 0.04 for one in closed([(1, 1, 1)]) if one not in known}
    found = family(attributes, closed([(1, 1, 1)]), counted, known)
    for seed in range(20):
        coins = np.random.default_rng(seed)
        true = coins.poisson(1, (2, 4, 5))
        exact = {one: dense(one, attributes) @ true.ravel() for one in counted}
        noisy = {one: np.rint(v + coins.normal(0, 5, len(v))) for one, v in exact.items()}
        margins = {known[0]: true.sum(), known[1]: true.sum((0, 2)), known[2]: true.sum((0, 1))}
        joint = JointEstimates(estimated(found, noisy, {k: n + 0.0 for k, n in margins.items()}))
        made = joint.apart(whole.fitted(joint))

        assert made.min() >= 0
        assert made.sum((0, 2)).tolist() == margins[known[1]].tolist()
        assert made.sum((0, 1)).tolist() == margins[known[2]].tolist()


@pytest.mark.claim("C94")
@pytest.mark.parametrize("seed", range(5))
def test_ones_stay_where_sums_that_are_known_keep_them(seed):
    """From whole cells with other sums than the fit has, so that each move across would be nearer."""
    attributes, known = (flat(2), flat(4), flat(5)), ((0, 0, 0), (0, 1, 0), (0, 0, 1))
    counted = {CountedTable(one): 0.04 for one in closed([(1, 1, 1)]) if one not in known}
    coins = np.random.default_rng(seed)
    true = coins.poisson(1, (2, 4, 5))
    noisy = {
        one: np.rint(v + coins.normal(0, 5, len(v)))
        for one in counted
        for v in [dense(one, attributes) @ true.ravel()]
    }
    margins = {known[0]: true.sum(), known[1]: true.sum((0, 2)), known[2]: true.sum((0, 1))}
    found = family(attributes, closed([(1, 1, 1)]), counted, known)
    joint = JointEstimates(estimated(found, noisy, {k: n + 0.0 for k, n in margins.items()}))
    start = coins.poisson(1, joint.cells.shape)
    cells = np.maximum(joint.cells, 0)
    made = whole._moved(joint, joint.metric(likelihood=False), cells, start)
    before, after = joint.apart(start), joint.apart(made)

    assert (made != start).any()
    assert after.sum((0, 2)).tolist() == before.sum((0, 2)).tolist()
    assert after.sum((0, 1)).tolist() == before.sum((0, 1)).tolist()


def flats(*keys):
    """The numbers of groups of columns without levels."""
    return tuple((1, n) for n in keys)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "asked"),
    [
        (flats(2, 3, 2, 6), [(1, 1, 1, 0), (0, 0, 1, 1), (1, 0, 0, 1)]),
        (((1, 3, 12), (1, 2), (1, 5)), [(1, 1, 1), (2, 1, 0)]),
    ],
    ids=["flat", "levels"],
)
def test_the_weights_are_the_best_of_plain_tables(sizes, asked):
    """No weights that were tried are better."""
    coins = np.random.default_rng(2)
    shown = closed(asked)
    worths = designs._worths(sizes, shown, ())
    found = designs._rounded(designs._gaussian(sizes, shown, worths), 1)
    for _ in range(300):
        other = {one: w * Fraction(float(coins.lognormal(0, 0.2))) for one, w in found.items()}
        assert gain(sizes, found, other, worths) <= Fraction(1, 200)


def test_the_weights_of_a_whole_cube_are_its_closed_form():
    """With a level between, too."""
    sizes = ((1, 2), (1, 3, 12), (1, 5))
    weights = [precisions(each) for each in sizes]
    for one, weight in designed(sizes, closed([(1, 2, 1)]), (), "zcdp", even=False).items():
        wanted = prod(w[level] for w, level in zip(weights, one.shows, strict=True))
        assert float(weight) == pytest.approx(float(wanted), abs=0.012)


def test_contrasts_are_counted_where_they_gain_a_twentieth():
    """Many yes/no columns; not where there are many keys, where groups differ, and under pure."""
    triples = listed(8, 3)
    found = designed(flats(*[2] * 8), triples, (), "zcdp")
    assert all(one.contrasts == any(one.shows) for one in found)
    assert gained(flats(*[2] * 8), triples, ()) > designs.WORTH
    assert not any(one.contrasts for one in designed(flats(*[9] * 8), triples, (), "zcdp"))
    assert not any(one.contrasts for one in designed(flats(*[2] * 8), triples, (), "pure"))
    assert not any(
        one.contrasts for one in designed(flats(*[2] * 8), triples, (), "zcdp", even=False)
    )


def test_under_pure_loss_few_cells_are_best_counted_alone():
    """Three pairs of yes/no columns: their eight cells, and nothing else."""
    pairs = listed(3, 2)
    assert designed(flats(2, 2, 2), pairs, (), "pure") == {CountedTable((1, 1, 1)): 1}
    assert len(designed(flats(20, 20, 20), pairs, (), "pure")) > 1


@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize(
    "groups",
    [
        *(tuple((0,) * n for n in sizes) for sizes in ((2,), (3,), (2, 2), (2, 3), (3, 3), (2, 2, 3))),
        ((0, 1, 0, 1),), ((0, 0, 0, 1, 1, 1), (0, 0)), ((0, 0, 1, 1), (1, 0, 1, 0)),
    ],
    ids=str,
)  # fmt: skip
def test_no_unit_moves_contrasts_further_than_declared_and_some_unit_does(neighbors, rows, groups):
    """All units of up to two rows, tried out; every measure is reached but l1 of replace."""
    table = dp.table([], unit=dp.unit("who", max_rows=rows), name="t", neighbors=neighbors)
    sizes = [*map(len, groups)]
    declared = contrast_sensitivity(table, rows, [len(g) // len({*g}) for g in groups])
    matrix = Contrasts(Margin(tuple(tuple(range(n)) for n in sizes)), groups)
    places = range(prod(sizes))
    units = {
        tuple(sum(at == one for at in chosen) for one in places)
        for few in range(rows + 1)
        for chosen in product(places, repeat=few)
    }
    moved = {unit: np.array(matrix.times(unit)) for unit in units}
    others = moved.values() if neighbors == "replace" else [np.zeros(prod(sizes), dtype=int)]
    apart = [one - other for one in moved.values() for other in others]

    assert max(int(abs(d).sum()) for d in apart) <= declared.l1
    assert max(int((d * d).sum()) for d in apart) == declared.l2_squared
    assert max(int(abs(d).max()) for d in apart) == declared.linf


@pytest.mark.parametrize("wide", [1, 10**18])
@pytest.mark.parametrize(
    ("margin", "groups"),
    [(((0, 1, 2), (0, 0), (0, 1)), ()), (((0, 1, 3, 2), (0, 0, 0)), ((0, 1, 0, 1), (0,)))],
    ids=["flat", "levels"],
)
def test_contrasts_say_of_themselves_what_they_are(wide, margin, groups):
    """Each column's sizes and squares, the ends, and products beyond 64 bits."""
    matrix = Contrasts(Margin(margin), groups)
    columns = [matrix.times([int(at == one) for at in range(12)]) for one in range(12)]
    every = [x for column in columns for x in column]

    assert (matrix.rows, matrix.columns) == (len(columns[0]), 12)
    assert matrix.sizes() == tuple(sum(map(abs, column)) for column in columns)
    assert matrix.squares() == tuple(sum(x * x for x in column) for column in columns)
    assert matrix.ends() == (min(every), max(every))
    numbers = [wide * (at + 1) for at in range(12)]
    by_hand = [sum(x * c[at] for x, c in zip(numbers, columns, strict=True)) for at in range(matrix.rows)]  # fmt: skip
    assert matrix.times(numbers) == by_hand
