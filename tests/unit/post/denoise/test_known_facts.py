"""Projections on known facts, against their definitions and dense linear algebra."""

import numpy as np
import pytest

from discreet.calculator.shrink import added_up
from discreet.errors import InputError
from discreet.post.denoise.known_facts import at_least, monotone, whole, with_total

Y = np.array([-4.0, 1.5, 4.0, 0.5])


def test_a_projection_never_moves_away_from_a_truth_that_has_the_fact():
    """|P(y) - theta| <= |y - theta| for random numbers and truths inside each convex set."""
    coins = np.random.default_rng(11)
    for _ in range(200):
        y, truth = coins.normal(size=8) * 5, np.abs(coins.normal(size=8)) * 5
        total = float(truth.sum())
        for moved, inside in (
            (at_least(y), truth),
            (with_total(y, total), truth),
            (with_total(y, total, least=0), truth),
            (monotone(y, "rising"), np.sort(truth)),
            (monotone(y, "falling"), np.sort(truth)[::-1]),
        ):
            assert np.linalg.norm(moved - inside) <= np.linalg.norm(y - inside) + 1e-9


def test_totals_are_kept_and_nothing_falls_below_the_least():
    """With and without a least value, and in whole numbers."""
    assert with_total(Y, 10).sum() == pytest.approx(10)
    found = with_total(Y, 4, least=0)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(4)
    assert with_total(Y, 0, least=0) == pytest.approx([0, 0, 0, 0])
    assert whole(found, total=4).sum() == 4
    assert set(whole(found, total=4) % 1) == {0}
    for refused in (
        lambda: with_total(Y, -1, least=0),
        lambda: with_total(Y, float("nan")),
        lambda: with_total(Y[:0], 1),
        lambda: whole(Y, total=50),
    ):
        with pytest.raises(InputError):
            refused()


def test_a_tree_adds_up_as_generalized_least_squares_says():
    """Against the normal equations, with unequal variances and a node that was not released."""
    parents = np.array([-1, 0, 0, 1, 1, 1, 2, 2, -1])
    coins = np.random.default_rng(0)
    variances, noisy = coins.uniform(0.5, 3, 9), coins.normal(size=9) * 5
    variances[2] = np.inf
    rows = np.zeros((9, 6))
    for column, leaf in enumerate([3, 4, 5, 6, 7, 8]):
        node = leaf
        while node >= 0:
            rows[node, column] = 1
            node = parents[node]
    weight = np.where(np.isinf(variances), 0, 1 / variances)
    inverse = np.linalg.inv(rows.T @ (weight[:, None] * rows))
    values, final = added_up(noisy, variances, parents)

    assert values == pytest.approx(rows @ inverse @ rows.T @ (weight * noisy))
    assert final == pytest.approx(np.diag(rows @ inverse @ rows.T))
    assert np.all(final <= variances + 1e-12)


def test_a_known_total_is_kept_and_its_parts_move():
    """A variance of 0 is a fact: the children add to it."""
    values, final = added_up(np.array([10.0, 4, 4]), np.array([0.0, 1, 1]), np.array([-1, 0, 0]))

    assert values == pytest.approx([10, 5, 5])
    assert final == pytest.approx([0, 0.5, 0.5], abs=1e-9)


@pytest.mark.parametrize(
    ("variances", "parents"),
    [
        ([1, 1], [-1, 0, 0]),
        ([1, -1, 1], [-1, 0, 0]),
        ([1, 1, 1], [1, -1, 0]),
        ([1, np.inf, 1], [-1, 0, 0]),
        ([0, 0, 0], [-1, 0, 0]),
        ([1] * 3_001, [-1] * 3_001),
    ],
)
def test_a_tree_that_is_none_is_refused(variances, parents):
    """Lengths, a negative variance, a child before its parent, an unreleased leaf, known numbers
    that contradict each other, and too many."""
    noisy = np.array([3.0, 1, 1] * max(1, len(variances) // 3))[: max(3, len(variances))]
    with pytest.raises(InputError):
        added_up(noisy, np.array(variances, dtype=float), np.array(parents))
