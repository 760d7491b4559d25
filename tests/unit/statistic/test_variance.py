"""The variance: its vector, how far one unit moves it, and what its interval leaves over."""

from fractions import Fraction
from itertools import combinations_with_replacement, product
from random import Random

import numpy as np
import pytest

import discreet as dp
from discreet.aggregate import Coarse, Noisy
from discreet.noise.continuous import Laplace
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.post.spread import variances
from discreet.statistic.variance import grid_of
from e2e.session import run
from measures import by_hand

ALPHA = Fraction(1, 20)


def declared(lower, upper, *, rows=(), step=1, **how):
    return dp.table(
        list(rows),
        columns={"v": dp.bounds(lower, upper, step=step)},
        keys={"k": ["a", "b", "c"]},
        name="t",
        **{"unit": "row", **how},
    )


def vector(grid, steps):
    """What rows of one group add, by the measures."""
    rows = [lambda _, x=x: x for x in steps]
    return tuple(by_hand(measure, rows) for measure in grid.measures())


def test_the_three_numbers_of_a_row_are_lagranges():
    """At the bounds and in the middle one of them is all there is; together they are always W^2."""
    grid = grid_of("v", declared(-3, 7))

    assert [vector(grid, [x]) for x in (-3, 2, 7)] == [(100, 0, 0), (0, 100, 0), (0, 0, 100)]
    for x in range(-3, 8):
        low, middle, high = vector(grid, [x])
        u = Fraction(2 * x - 4, 10)
        assert (low + middle + high, high - low, high + low) == (100, 100 * u, 100 * u * u)


@pytest.mark.parametrize(
    ("lower", "upper", "step", "parts"),
    [(0, 2**20, 1, None), (-5, 5, "0.1", None), (0, 2**20 + 1, 1, 2**20), (2**40, 2**40 + 9, 1, 9)],
)
def test_a_grid_that_is_too_fine_is_made_coarser(lower, upper, step, parts):
    """Bounds far from 0, or many steps apart: at most 2^20 parts, and sums that always fit."""
    grid = grid_of("v", declared(lower, upper, step=step))

    if parts is None:
        assert grid.value == "v"
    else:
        assert (grid.value, grid.low, grid.high) == (Coarse("v", parts), 0, parts)
    assert grid.width <= 2**21


def moved(one, other):
    moves = [abs(a - b) for a, b in zip(one, other, strict=True)]
    return sum(moves), sum(m * m for m in moves), max(moves)


@pytest.mark.claim("C07")
@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize("width", [*range(1, 10), 16, 37])
def test_the_declared_move_of_a_row_bounds_all_others(width, neighbors):
    """By brute force over all cells, in one group and among three; exact where a row comes or goes."""
    for lower in (0, -width, 5):
        found = declared(lower, lower + width, neighbors=neighbors)
        grid = grid_of("v", found)
        curve = [vector(grid, [x]) for x in range(lower, lower + width + 1)]
        nothing = (0, 0, 0)
        for by in (None, "k"):
            (aggregate,) = dp.variance("v", by=by).aggregates(found)
            said = aggregate.sensitivity
            most = (said.l1, said.l2_squared, said.linf)
            if neighbors == "add_remove":
                moves = [moved(one, nothing) for one in curve]
                assert tuple(max(of) for of in zip(*moves, strict=True)) == most
                continue
            pairs = list(product([*curve, nothing], repeat=2))
            moves = [moved(one, other) for one, other in pairs]
            if by:
                moves += [moved(one + nothing, nothing + other) for one, other in pairs]
            largest = tuple(max(of) for of in zip(*moves, strict=True))
            assert all(a <= b for a, b in zip(largest, most, strict=True))
            assert most[1] <= Fraction(9, 8) * largest[1] * (1 + Fraction(2, width))
            assert most[2] == largest[2]
            assert not by or most[0] == largest[0]


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.claim("C07")
@pytest.mark.parametrize("width", [3, 4, 8])
@pytest.mark.parametrize("limits", [(2, None, None), (3, 1, None), (3, 2, 2)])
def test_the_declared_move_of_a_unit_bounds_all_others(width, limits):
    """All that a person of three rows can have in two groups, and all that can take its place."""
    most, *kept = limits
    how = {"unit": dp.unit("u", max_rows=most), "neighbors": "replace"}
    found = declared(0, width, **how)
    limited = dict(zip(("max_groups", "max_rows_per_group"), kept, strict=True))
    (aggregate,) = dp.variance("v", by="k", **limited).aggregates(found)
    said, grid = aggregate.sensitivity, grid_of("v", found)
    cells = [(k, x) for k in (0, 1) for x in (0, width // 4, width // 2, width - 1, width)]
    people = [
        tuple(vector(grid, [x for k, x in own if k == group]) for group in (0, 1))
        for size in range(most + 1)
        for own in combinations_with_replacement(cells, size)
        if len({k for k, _ in own}) <= (kept[0] or 2)
        and all(sum(k == g for k, _ in own) <= (kept[1] or 3) for g in (0, 1))
    ]
    people = sorted({one + other for one, other in people})

    moves = [moved(one, other) for one, other in product(people, repeat=2)]

    largest = tuple(max(of) for of in zip(*moves, strict=True))
    assert largest[0] <= said.l1
    assert largest[1] <= said.l2_squared
    assert largest[2] <= said.linf


LAWS = [
    DiscreteGaussian(Fraction(1, 4)),
    DiscreteGaussian(Fraction(4)),
    DiscreteLaplace(Fraction(1, 2)),
    DiscreteLaplace(Fraction(3, 2)),
]
WEIGHTS = [(1, 0, 1), (4, 1, 0), (0.3, 0.3, 0.3), (2.25, 0.25, 0.25), (0.01, 1, 0.02), (0, 1, 0)]


def chances(law):
    reach = np.arange(-22, 23)
    if isinstance(law, DiscreteGaussian):
        sizes = np.exp(-(reach**2) / (2 * float(law.sigma2)))
    else:
        sizes = np.exp(-np.abs(reach) / float(law.scale))
    return reach, sizes / sizes.sum()


@pytest.mark.exhaustive
@pytest.mark.claim("C16")
@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("weights", WEIGHTS, ids=str)
def test_weighted_sums_of_three_draws_are_bounded(law, weights):
    """What is said to pass a quantile at most at its level is that rare, for narrow noise too."""
    values, each = chances(law)
    sums = sum(w * v for w, v in zip(weights, np.meshgrid(values, values, values), strict=True))
    mass = each[:, None, None] * each[None, :, None] * each[None, None, :]
    sizes = np.abs(sums).ravel()
    for level in (0.5, 0.05, 1e-3, 1e-5):
        beyond = law.continuous().beyond(np.full(sizes.size, level))
        beyond_it = beyond([np.full(sizes.size, float(w)) for w in weights], sizes)
        assert mass.ravel()[beyond_it].sum() <= level * (1 + 1e-9)


@pytest.mark.claim("C16")
@pytest.mark.parametrize("weights", [*WEIGHTS, (1, 1.0001, 0.5), (1, 1, 1), (0.7, 0.7, 3)], ids=str)
def test_the_tail_of_three_laplace_draws_is_that_of_an_integral(weights):
    """Two draws in closed form, the third summed up numerically; hardly more where weights are alike."""
    u, v, w = sorted((float(x) for x in weights), reverse=True)
    u, v = u * (1 + 3e-4), v * (1 + 1.5e-4)  # so that none are alike

    def two(t):
        t = np.abs(t)
        inner = v * v * np.exp(-t / v) if v else 0.0
        return (u * u * np.exp(-t / u) - inner) / (2 * (u * u - v * v))

    grid = np.linspace(-60, 60, 240_001)
    step = grid[1] - grid[0]
    for x in (0.5, 2.0, 5.0, 12.0):
        t = x - w * grid
        above = np.where(t >= 0, two(t), 1 - two(t))
        expected = float((above * np.exp(-np.abs(grid))).sum() * step)  # both sides
        noise = Laplace(1.0)
        half = sum(weights) / 2
        arrays = [np.array([float(one)]) for one in weights]
        assert not noise.beyond(np.array([expected * 0.99]))(arrays, np.array([x + half]))[0]
        assert noise.beyond(np.array([expected * 1.01]))(arrays, np.array([x + half]))[0]


@pytest.mark.claim("C16")
def test_a_group_says_the_same_whatever_groups_are_beside_it():
    """So `verify` makes the interval of a group that a rule shows without those that it hides."""
    chance = Random(5)
    low, middle, high = ([chance.randrange(1, 10**at) for at in range(1, 8)] for _ in range(3))
    law = DiscreteGaussian(Fraction(40))

    together = variances(low, middle, high, law, Fraction(1, 20))
    alone = [
        variances([a], [b], [c], law, Fraction(1, 20))
        for a, b, c in zip(low, middle, high, strict=True)
    ]

    assert [one.low[0] for one in alone] == [*together.low]
    assert [one.high[0] for one in alone] == [*together.high]
    assert len({*together.low}) > 3


def left_over(sums, sigma, level):
    """All variances that a fine grid of means and variances does not rule out, by the definition."""
    low, middle, high = (float(x) for x in sums)
    count = low + middle + high
    mean, rest = 3.3414790, 1.9671435  # normal draws exceed them in size in 0.05 / 60, and the rest
    found = []
    for m in np.linspace(-1, 1, 4_001):
        form, norm = high - low - m * count, np.sqrt((1 + m) ** 2 + m**2 + (1 - m) ** 2)
        if abs(form) > mean * sigma * norm + (abs(1 + m) + abs(m) + abs(1 - m)) / 2:
            continue
        v = np.linspace(0, 1 - m * m, 2_001)
        k = np.stack([(1 + m) ** 2 - v, m**2 - v, (1 - m) ** 2 - v])
        size = np.abs(k[0] * low + k[1] * middle + k[2] * high)
        kept = size <= rest * sigma * np.sqrt((k * k).sum(0)) + np.abs(k).sum(0) / 2
        found += [float(v[kept].min()), float(v[kept].max())] if kept.any() else []
    return (min(found), max(found)) if found else None


@pytest.mark.claim("C16")
@pytest.mark.parametrize(
    "truth", [(0.5, 0, 0.5), (1, 0, 0), (0.1, 0.8, 0.1), (0.3, 0.3, 0.4), (0, 0.75, 0.25)], ids=str
)
@pytest.mark.parametrize("rows", [40, 400])
def test_the_interval_is_what_a_fine_grid_does_not_rule_out(truth, rows):
    """Never less, and hardly more: by 3 % of its length and a grid's step."""
    sigma, size = 10_000.0, 10_000
    sums = [round(part * rows * size) for part in truth]
    law = DiscreteGaussian(Fraction(int(sigma) ** 2))

    found = variances(*([x] for x in sums), law, Fraction(1, 20) / (1 - Fraction(1, 50)))

    low, high = left_over(sums, sigma, ALPHA)
    slack = 0.03 * (high - low) + 2e-3
    assert low - slack <= found.low[0] <= low + 1e-3
    assert high - 1e-3 <= found.high[0] <= high + slack
    expected = (truth[0] + truth[2]) - (truth[2] - truth[0]) ** 2
    assert found.values[0] == pytest.approx(expected, abs=2e-3)


@pytest.mark.claim("C16")
def test_where_nothing_can_be_said_the_whole_range_is():
    """Few rows, numbers that fit no variance, and numbers that fit any: no value, no end cut off."""
    law = DiscreteGaussian(Fraction(10**8))
    few, odd = (10_000, 10_000, 10_000), (-200_000, 900_000, -200_000)

    found = variances(*(list(x) for x in zip(few, odd, strict=True)), law, ALPHA)

    assert found.values == (None, None)
    assert found.low.tolist() == [0, 0]
    assert found.high.tolist() == [1, 1]


def test_a_standard_deviation_is_the_root_of_a_variance():
    """The same noisy numbers: value and both ends."""
    table = declared(0, 100)
    noisy = [Noisy((900_000, 2_000_000, 700_000))]
    laws = [DiscreteGaussian(Fraction(10**8))]

    one, other = (s.answer(table, noisy, laws, ALPHA) for s in (dp.variance("v"), dp.std("v")))

    assert other.values[0] == pytest.approx(one.values[0] ** 0.5)
    assert other.low[0] == pytest.approx(one.low[0] ** 0.5)
    assert other.high[0] == pytest.approx(one.high[0] ** 0.5)
    assert (one.measure, other.measure, one.rows) == ("variance", "std", other.rows)


@pytest.mark.parametrize("ask", [dp.variance, dp.std])
def test_what_is_planned_is_about_what_comes(ask):
    """The half-width of a plan, in a group of 1,000 rows: no less than the true one, at most six times."""
    table = declared(0, 100)
    plan = dp.plan(table, ask("v"), spend=dp.zcdp("1/2"))
    (line,) = plan.lines
    cells = [25, 75] * 500  # of deviation 25, around the middle
    noisy = [Noisy(vector(grid_of("v", table), cells))]

    expected = line.statistic.expected(table, line.laws, ALPHA)
    answer = line.statistic.answer(table, noisy, line.laws, ALPHA)

    half = (answer.high[0] - answer.low[0]) / 2
    assert expected.per_row
    assert 0.9 * half <= expected.half_width / 1000 <= 6 * half


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A folder with visits and a plan that asks for both."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{'AB'[i % 2]},{i % 50 if i % 2 else 20}" for i in range(4000)]
    (tmp_path / "visits.csv").write_text("ward,cost\n" + "\n".join(rows) + "\n")
    (tmp_path / "plan.toml").write_text(
        """
[data]
source = "visits.csv"
unit = "row"
[columns]
cost = { lower = 0, upper = 50, step = 1 }
[keys]
ward = ["A", "B", "C"]
[spend]
rho = 1
[[ask]]
statistic = "variance"
column = "cost"
by = "ward"
[[ask]]
statistic = "std"
column = "cost"
"""
    )
    return tmp_path


@pytest.mark.slow
@pytest.mark.claim("C15")
def test_a_variance_goes_the_whole_way(shop):
    """Check, plan, rehearse, pay, release, save, load, verify, draw; and once more for nothing."""
    for command, words in {
        "discreet check plan.toml 7": "cost",
        "discreet plan plan.toml": "The ± of a variance or std is twice as wide",
        "discreet rehearse plan.toml": "variance cost by ward",
        "discreet ledger init visits.ledger --rho 1 --subject visits.csv": "visits.ledger",
        "discreet release plan.toml --ledger visits.ledger --out visits.release": "std cost",
        "discreet verify visits.release": "ok: ",
    }.items():
        code, text = run(command)
        assert code == 0, text
        assert words in text
    table = dp.table(
        "visits.csv",
        unit="row",
        columns={"cost": dp.bounds(0, 50, step=1)},
        keys={"ward": ["A", "B", "C"]},
    )
    plan = dp.plan(table, dp.variance("cost", by="ward"), dp.std("cost"), spend=dp.zcdp(1))
    ledger = dp.ledger("own.ledger", budget=dp.zcdp(1), subject="visits.csv")

    release = dp.run(plan, ledger=ledger)

    assert dp.run(plan, ledger=ledger).repeated
    found = release["variance cost by ward"].table()
    assert found.columns == ("ward", "rows", "value", "low", "high")
    values, highs = found.column("value"), found.column("high")
    assert values[0] is None or values[0] <= highs[0]  # none where noise has made it impossible
    assert highs[0] < 40
    assert 150 < values[1] < 260  # odd numbers below 50: 208
    assert highs[2] == 625
    saved = release.save("again.release")
    assert dp.load(saved).document.text() == release.document.text()
    assert len(dp.verify(saved, ledger=ledger).checks) >= 6
    page = (saved / "report.html").read_text(encoding="utf-8")
    assert "Variance of cost, by ward" in page
    assert "Standard deviation of cost" in page
    assert "2,500 in all for each row" in page
    release.plot()
