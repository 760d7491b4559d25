"""A curve that leans to an end: its whole numbers, how far a unit moves it, and how near it tells."""

from fractions import Fraction
from hashlib import sha256
from itertools import product

import numpy as np
import pytest

import discreet as dp
from discreet.errors import InputError
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.post.curve import Curve, Weights, told_worst
from discreet.post.least_rank import least_rank
from discreet.statistic.curve import beside, root
from discreet.statistic.leaning import beside_leaning, leaning, leans, tells_more
from discreet.transform import Beside, Leaning
from unit.statistic.test_curve import ALPHA, declared

LOW, HIGH = [Fraction(1, 20)], [Fraction(3, 4), Fraction(19, 20)]


def dense(matrix):
    """A matrix, written out."""
    size = matrix.columns
    return np.array([matrix.times([int(i == j) for i in range(size)]) for j in range(size)]).T


def price(size, at, *, leaning_too=True):
    """Price times the worst variance of a rank, in units of 1 / (2 rho), as a plan takes it."""
    matrix, weight, unit = root(size), beside(at), sum(entry**2 for entry in root(size))
    if leaning_too and tells_more(size, tuple(at)):
        matrix, weight = leaning(size, at), beside_leaning(at)
        unit = max(matrix.squares())
    return (unit + weight**2) * told_worst(matrix, at, weight) ** 2


@pytest.mark.claim("C623")
@pytest.mark.parametrize("q", ["0.001", "0.1", "0.25", "0.3", "0.99"])
@pytest.mark.parametrize("bins", [16, 64, 256])
def test_a_quantile_near_an_end_is_near_the_bound_of_all_noise(q, bins):
    """At most 1.15 times what no linear Gaussian noise is below; the root has up to 1.2."""
    share = Fraction(q)

    assert least_rank(bins, [share]) < price(bins, [share]) < 1.15 * least_rank(bins, [share])


ASKED = [  # of both ends, of one end and the middle, and between; the last two bound the rule
    "0.05 0.95",
    "0.01 0.99",
    "0.25 0.5 0.75",
    "0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9",
    "0.05 0.5",
    "0.5 0.8",
    "0.01 0.3",
    "0.1 0.65",
    "0.2 0.95",
    "0.3 0.45",
    "0.001 0.75",
]


@pytest.mark.claim("C608")
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("bins", [16, 64])
def test_quantiles_of_one_question_are_near_the_bound_of_all_noise(asked, bins):
    """At most 1.15 times; the root alone has up to 1.2, and of one end with the middle 1.19."""
    shares = [Fraction(share) for share in asked.split()]
    least = least_rank(bins, shares)

    assert least < price(bins, shares) < 1.15 * least
    if shares[0] + shares[-1] == 1:
        assert price(bins, shares) < 1.06 * least


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.claim("C608")
@pytest.mark.parametrize("asked", ASKED)
def test_many_bins_are_near_the_bound_too(asked):
    """At most 1.13 times, with 1,024 bins."""
    shares = [Fraction(share) for share in asked.split()]

    assert 1 < price(1_024, shares) / least_rank(1_024, shares) < 1.13


@pytest.mark.claim("C609")
@pytest.mark.parametrize("bins", [16, 100])
def test_the_less_of_both_products_is_taken(bins):
    """By the lengths themselves, of pairs of shares on a grid; from above it is the same."""
    grid = [Fraction(n, 20) for n in (1, 2, 4, 6, 9, 10, 13, 14, 15)]
    taken = set()
    for low, high in product(grid, grid):
        if low > high or not leans([low, high]):
            continue
        at = [low, high]
        own, weight = leaning(bins, at), beside_leaning(at)
        by_leaning = (max(own.squares()) + weight**2) * told_worst(own, at, weight) ** 2
        by_root = price(bins, at, leaning_too=False)
        is_nearer = tells_more(bins, (low, high))
        taken.add(is_nearer)
        assert is_nearer == (by_leaning < by_root) or by_leaning == pytest.approx(by_root, rel=0.01)
        assert is_nearer == tells_more(bins, (1 - high, 1 - low))
    assert taken == {True, False}


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.claim("C623")
@pytest.mark.parametrize("q", ["0.01", "0.1", "0.3", "0.95"])
def test_a_quantile_of_many_bins_is_near_the_bound_too(q):
    """At most 1.13 times; the root has up to 1.16."""
    share = Fraction(q)

    assert 1 < price(1_024, [share]) / least_rank(1_024, [share]) < 1.13


@pytest.mark.claim("C624")
@pytest.mark.parametrize("at", [LOW, HIGH], ids=["low", "high"])
def test_its_square_has_ranks_and_its_columns_one_length(at):
    """Without their weights columns are those of a root of 1 on and below the diagonal, -1/d above."""
    size = 64
    matrix = leaning(size, at)
    numbers = dense(matrix)
    plain = (numbers[:, ::-1] if matrix.turned else numbers) / np.array(matrix.weights)
    square = plain @ plain
    wanted = np.where(np.tril(np.ones((size, size))) > 0, 1.0, -1 / matrix.below)

    assert square / square[0, 0] == pytest.approx(wanted, abs=0.01)
    assert 2**46 * 0.99 < min(matrix.squares()) <= max(matrix.squares()) <= 2**46
    assert tuple((numbers.astype(object) ** 2).sum(axis=0)) == matrix.squares()
    assert tuple(abs(numbers).sum(axis=0)) == matrix.sizes()
    assert matrix.ends()[0] <= numbers.min() < 0 < numbers.max() == matrix.ends()[1]


@pytest.mark.claim("C624")
def test_its_whole_numbers_are_the_same_on_every_processor():
    """They are made of whole numbers alone: of 1,024 bins a digest of them."""
    said = [leaning(1_024, at) for at in (LOW, HIGH[:1])]
    text = repr([(one.kernel, one.weights, one.below) for one in said])

    assert leaning(3, LOW) == Leaning((987, 480, 355), (909, 954, 1059), 8)
    assert said[0].kernel[:4] == (1022, 510, 382, 318)
    assert sha256(text.encode()).hexdigest()[:16] == "4fab072492e8b446"


@pytest.mark.claim("C624")
@pytest.mark.parametrize("at", [LOW, HIGH], ids=["low", "high"])
@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize("most", [1, 2])
def test_no_unit_moves_it_further_than_declared(neighbors, most, at):
    """Eight bins, all rows that one unit can have, and another's in their place."""
    table = declared(unit=dp.unit("who", max_rows=most), neighbors=neighbors)
    (aggregate,) = dp.quantile("v", at, method="tail").aggregates(table)
    said, own = aggregate.sensitivity, [(0,) * 8]
    for size in range(1, most + 1):
        own += [tuple(np.bincount(cells, minlength=8)) for cells in product(range(8), repeat=size)]
    moved = np.array([aggregate.transform.applied([int(x) for x in h]) for h in own]).T
    starts = moved.T if neighbors == "replace" else moved.T[:1]
    moves = [moved - start[:, None] for start in starts]
    largest = max(int((m * m).sum(axis=0).max()) for m in moves)

    assert aggregate.transform.matrix == Beside(leaning(8, at), beside_leaning(at))
    assert max(int(abs(m).sum(axis=0).max()) for m in moves) <= said.l1
    assert largest <= said.l2_squared
    assert max(int(abs(m).max()) for m in moves) <= said.linf
    if neighbors == "add_remove":
        assert largest == said.l2_squared


@pytest.mark.claim("C623")
@pytest.mark.parametrize("at", [LOW, HIGH], ids=["low", "high"])
def test_the_noise_in_each_rank_is_that_of_its_weights(at):
    """Without noise the ranks come out, and each draw moves them by its weight: by plain matrices."""
    size, weight, matrix = 30, beside_leaning(at), leaning(30, at)
    h = np.random.default_rng(3).poisson(40, size)
    both = np.concatenate([dense(matrix), np.full((1, size), weight)])
    exact = Curve((both @ h).tolist(), matrix, DiscreteGaussian(Fraction(4)), ALPHA, weight)
    weights = Weights(matrix, weight)
    halves = np.where(np.arange(size)[:, None] >= np.arange(size)[None, :], 1.0, 0.0)

    assert exact.counts[0] == pytest.approx(h.sum())
    for share in at:
        t = float(share)
        (place,) = exact.quantile(share).bins
        best = (halves - t) @ np.linalg.pinv(both.astype(float))  # the shortest weights that do
        assert np.cumsum(h)[place] >= t * h.sum() >= np.cumsum(h)[place] - h[place]
        assert weights.of(t) @ both == pytest.approx(halves - t, abs=1e-6)
        assert weights.of(t) * 2**23 == pytest.approx(best * 2**23, abs=1e-6)
    assert weights.of_count() @ both == pytest.approx(np.ones(size))


@pytest.mark.claim("C625")
def test_a_plan_leans_where_all_quantiles_do_and_the_loss_is_not_pure():
    """What somebody named stays; a wanted error costs less than by the root."""
    table = declared()

    def method(question, spend):
        return dp.plan(table, question, spend=spend).lines[0].asked.plain().get("method")

    assert method(dp.quantile("wide", "0.05"), dp.zcdp("1/100")) == "tail"
    assert method(dp.quantile("wide", ["0.75", "0.9"]), dp.zcdp("1/100")) == "tail"
    assert method(dp.quantile("wide", "0.05", method="curve"), dp.zcdp("1/100")) == "curve"
    assert method(dp.quantile("wide", ["0.05", "0.5"]), dp.zcdp("1/100")) == "tail"
    assert method(dp.quantile("wide", ["0.25", "0.5"], bins=16), dp.zcdp("1/100")) == "tail"
    assert method(dp.quantile("wide", ["0.25", "0.5"]), dp.zcdp("1/100")) == "curve"  # 1,024 bins
    assert method(dp.quantile("wide", ["0.05", "0.95"]), dp.zcdp("1/100")) is None
    assert method(dp.quantile("wide", "0.31"), dp.zcdp("1/100")) is None
    pure = dp.plan(table, dp.quantile("wide", "0.05"), within=50, kind="pure")
    assert pure.lines[0].asked.plain().get("method") == "curve"  # named: Gaussian noise keeps it
    prices = [
        dp.plan(table, dp.quantile("wide", "0.05", method=way), within=50, kind="zcdp").spend.rho
        for way in (None, "curve")
    ]
    assert prices[0] < 0.97 * prices[1]


def test_quantiles_of_both_ends_do_not_lean():
    """Asked by name they are refused, and so is a median."""
    assert not leans([Fraction(1, 20), Fraction(19, 20)])
    for question in (lambda: dp.median("v", method="tail"), lambda: dp.iqr("v", method="tail")):
        with pytest.raises(InputError, match="does not lie near enough"):
            question()


def test_a_release_of_a_leaning_curve_verifies(tmp_path):
    """Of both ends: the interval holds the quantile of 2,000 rows but with a chance of 1e-9."""
    rows = [{"wide": 2 * n, "k": "a"} for n in range(2_000)]
    asked = [dp.quantile("wide", "0.1", by="k"), dp.quantile("wide", ["0.8", "0.95"], by="k")]
    plan = dp.plan(declared(rows), *asked, spend=dp.zcdp(1), alpha="1e-9")
    release = dp.run(plan, ledger=dp.ledger(tmp_path / "a.ledger", budget=dp.zcdp(1)))

    told = [
        dict(zip(one.answer.columns, one.answer.rows.columns, strict=True))
        for one in release.document.statistics
    ]

    assert [line.asked.method for line in plan.lines] == ["tail", "tail"]
    for answer, truths in zip(told, [(400,), (3_200, 3_800)], strict=True):
        for low, high, true in zip(answer["low"], answer["high"], truths, strict=False):
            assert low <= true <= high
            assert high - low < 500
    assert "all 6 answers and intervals follow from the integers" in str(dp.verify(release))
