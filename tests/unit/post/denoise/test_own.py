"""Denoisers with something of the caller's own: a prior, an l1 ball, a penalty, a printed rule."""

from fractions import Fraction

import numpy as np
import pytest

import discreet as dp
from discreet.calculator.formulas import shrinkage
from discreet.cli.cli import main
from discreet.errors import InputError
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.post.denoise.graph import line
from discreet.post.denoise.james_stein import PLAIN, PRINTED
from discreet.post.denoise.listed import listed
from discreet.post.denoise.noise import Noise, gaussian
from discreet.post.denoise.own import l1_ball, own_of, prior_of
from discreet.post.denoise.select import NAMES
from discreet.post.denoise.trend_filter import filtered_with, trend_filter
from noisy import drawn

LAWS = {
    "laplace": Noise("discrete_laplace", 7.0),
    "wide laplace": Noise("discrete_laplace", 100.0),
    "gaussian": Noise("discrete_gaussian", 400.0),
    "listed": listed(DiscreteLaplace(Fraction(7))),
}
STATES = [f"S{i:02}" for i in range(12)]


@pytest.fixture(scope="module")
def release():
    people = dp.table([], unit="row", keys={"state": STATES})
    return dp.rehearse(dp.plan(people, dp.count(by="state"), spend=dp.pure("0.05")))


def laplace(noise, size, coins):
    """Draw from a law of the list; the listed one is the first one, told by its tails."""
    return drawn(LAWS["laplace"] if noise.kind == "listed" else noise, size, coins)


@pytest.mark.claim("C395")
@pytest.mark.parametrize("law", LAWS)
def test_a_gaussian_prior_gives_its_factor(law):
    """w^2 / (w^2 + s^2) of what a number is away from the prior's mean, for each law of noise."""
    noise = LAWS[law]
    numbers = np.array([-40.0, 0, 12, 300])
    found = prior_of({"mean": 12, "sd": 30}).rule(numbers, noise).values
    factor = 900 / (900 + noise.variance)
    assert found == pytest.approx(12 + factor * (numbers - 12))


def test_a_gaussian_prior_has_the_risk_of_the_document():
    """d w^2 s^2 / (w^2 + s^2) where truths are drawn from it; false alarm below 1 in 10^6 (z 5)."""
    coins, noise = np.random.default_rng(11), gaussian(4)
    truths = coins.normal(0, 3, 200_000)
    found = prior_of({"sd": 3}).rule(truths + coins.normal(0, 4, truths.size), noise)
    bayes = 9 * 16 / 25
    errors = (found.values - truths) ** 2
    assert abs(errors.mean() - bayes) < 5 * bayes * np.sqrt(2 / truths.size)
    assert found.risk / truths.size == pytest.approx(bayes, rel=0.03)


@pytest.mark.claim("C395")
@pytest.mark.parametrize("law", LAWS)
def test_a_listed_prior_gives_the_posterior_mean(law):
    """Against Bayes' rule, value by value, by the chances of the noise; weights need no sum of 1."""
    noise = LAWS[law]
    values, weights = np.array([0.0, 60, 400]), np.array([6.0, 3, 1])
    numbers = np.round(np.array([-3.0, -1, 0, 1, 2.5]) * noise.sigma)
    if noise.kind == "discrete_gaussian":
        size = np.exp(-((numbers[:, None] - values) ** 2) / (2 * noise.parameter))
    else:
        scale = 7.0 if noise.kind == "listed" else noise.parameter
        size = np.exp(-np.abs(numbers[:, None] - values) / scale)
    exact = (size * weights) @ values / (size @ weights)
    found = prior_of(dict(zip(values, weights, strict=True))).rule(numbers, noise).values
    assert found == pytest.approx(exact, rel=0.02, abs=1e-6)


@pytest.mark.slow
@pytest.mark.claim("C395")
@pytest.mark.parametrize("law", LAWS)
def test_the_error_of_a_prior_that_is_said_is_the_error_that_is_made(law):
    """Of 40,000 truths, right and wrong priors, within 6 % of it and 2 % of raw."""
    coins, noise = np.random.default_rng(3), LAWS[law]
    truths = coins.choice([0.0, 5 * noise.sigma], 40_000, p=[0.8, 0.2])
    noisy = truths + laplace(noise, truths.size, coins)
    for told in ({0: 8, 5 * noise.sigma: 2}, {0: 1, 2 * noise.sigma: 1}, {"sd": noise.sigma}):
        found = prior_of(told).rule(noisy, noise)
        made = float(((found.values - truths) ** 2).mean())
        gap = abs(found.risk / truths.size - made)
        assert gap < 0.06 * made + 0.02 * noise.variance, told


@pytest.mark.parametrize("radius", [1.0, 40.0, 700.0])
def test_the_nearest_point_of_an_l1_ball(radius):
    """In the ball; each other point of it, of 2,000, is farther: (y - p) . (q - p) is at most 0."""
    coins = np.random.default_rng(7)
    noisy = coins.normal(0, 30, 25)
    found = l1_ball(noisy, gaussian(5), radius=radius).values
    assert np.abs(found).sum() <= radius * (1 + 1e-9)
    others = coins.normal(size=(2_000, 25))
    others *= radius / np.abs(others).sum(axis=1, keepdims=True)
    assert ((others - found) @ (noisy - found)).max() < 1e-6
    assert l1_ball(found, gaussian(5), radius=radius).values == pytest.approx(found)


def test_the_error_of_an_l1_ball_that_is_said_is_the_error_that_is_made():
    """Sparse truths on the sphere; the mean gap of 300 draws is within 5 of its own deviations."""
    coins, noise = np.random.default_rng(2), gaussian(4)
    truths = np.repeat([30.0, 0], [5, 95])
    gaps = []
    for _ in range(300):
        found = l1_ball(truths + coins.normal(0, 4, 100), noise, radius=150)
        gaps.append(found.risk - float(((found.values - truths) ** 2).sum()))
    assert abs(np.mean(gaps)) < 5 * np.std(gaps) / np.sqrt(300)


def test_a_penalty_by_hand_is_that_of_the_search_where_both_are_alike():
    """At the penalty that the search took the same numbers come, and another one gives others."""
    steps = np.repeat([0.0, 40, 10], 30)
    noise = gaussian(3)
    noisy = steps + np.random.default_rng(5).normal(0, 3, 90)
    taken = trend_filter(noisy, noise, graph=line(90), order=0)
    same = [
        penalty
        for penalty in (3 * 2.0 ** (k / 2) for k in range(-8, 12))
        if np.allclose(
            filtered_with(noisy, noise, graph=line(90), order=0, penalty=penalty).values,
            taken.values,
        )
    ]
    assert len(same) == 1


def test_a_penalty_is_the_one_of_the_formula():
    """1/2 |y - b|^2 + penalty |Db|_1: no step of either sign in any direction is better."""
    coins = np.random.default_rng(4)
    noisy, on = coins.normal(0, 10, 15), line(15)
    found = filtered_with(noisy, gaussian(2), graph=on, order=0, penalty=6.0).values

    def cost(b):
        return 0.5 * ((noisy - b) ** 2).sum() + 6.0 * np.abs(np.diff(b)).sum()

    for step in coins.normal(size=(500, 15)):
        assert cost(found + 1e-3 * step) >= cost(found) - 1e-9


def test_james_stein_as_first_printed_is_marked_and_changes_signs():
    """The factor is not cut at 0, its name says which rule it is, and "auto" never takes it."""
    numbers = np.array([1.0, -2, 0.5, 3])
    exact = shrinkage.james_stein_factor([Fraction(n) for n in numbers.tolist()], Fraction(2))
    found = PLAIN[PRINTED](numbers, gaussian(2))
    assert found.name == PRINTED
    assert PRINTED in NAMES
    assert found.values == pytest.approx((1 - 2 * 4 / 14.25) * numbers)
    assert float(exact) == pytest.approx(1 - 2 * 4 / 14.25)
    far = PLAIN[PRINTED](numbers / 3, gaussian(2)).values
    assert np.sign(far).tolist() == (-np.sign(numbers)).tolist()


def test_the_risk_of_james_stein_as_first_printed():
    """Unbiased; the mean gap of 4,000 draws is within 5 of its own deviations."""
    coins, noise = np.random.default_rng(6), gaussian(1)
    truths, gaps = np.array([1.0, 0, 0.5, 0, 0, 1]), []
    for _ in range(4_000):
        found = PLAIN[PRINTED](truths + coins.normal(size=6), noise)
        gaps.append(found.risk - float(((found.values - truths) ** 2).sum()))
    assert abs(np.mean(gaps)) < 5 * np.std(gaps) / np.sqrt(4_000)


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ({"prior": {"mean": 100, "sd": 30}}, "prior"),
        ({"prior": {0: 9, 100: 1}}, "prior"),
        ({"radius": 500}, "l1_ball"),
        ({"how": "l1_ball", "radius": "1/2"}, "l1_ball"),
        ({"how": "trend_filter_0", "penalty": 20, "ordered": "state"}, "trend_filter_0"),
        ({"how": PRINTED}, PRINTED),
    ],
)
def test_a_release_is_cleaned_so(release, asked, name):
    """By its name, in whole numbers, with the raw interval beside it."""
    found = dp.denoise(release, **asked)
    (piece,) = found.statistics
    assert piece.denoiser == name
    assert all(isinstance(number, int) for number in piece.values)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"how": "prior"}, "says nothing of a prior"),
        ({"how": "l1_ball"}, "says nothing of a radius"),
        ({"penalty": 3}, "penalty does not go with"),
        ({"how": "soft_sure", "prior": {"sd": 1}}, "prior does not go with"),
        ({"prior": {"sd": 1}, "radius": 3}, "does not go with"),
        ({"prior": 3}, "is no prior"),
        ({"prior": {}}, "is no prior"),
        ({"prior": {"sd": 0}}, "prior cannot be so"),
        ({"prior": {"mean": 3}}, "prior cannot be so"),
        ({"prior": {"a": 1}}, "prior cannot be so"),
        ({"prior": {0: 0}}, "prior cannot be so"),
        ({"prior": {0: -1, 1: 2}}, "prior cannot be so"),
        ({"prior": {float("nan"): 1}}, "prior cannot be so"),
        ({"radius": 0}, "radius cannot be so"),
        ({"radius": True}, "radius cannot be so"),
        ({"how": "trend_filter_0", "penalty": "x"}, "penalty cannot be so"),
        ({"how": "trend_filter_0", "penalty": 3}, "fits none of these numbers"),
    ],
)
def test_what_cannot_be_is_refused_in_three_lines(release, asked, words):
    """With what to write in its place."""
    with pytest.raises(InputError, match=words) as caught:
        dp.denoise(release, **asked)
    assert len(str(caught.value).splitlines()) == 3


def test_on_the_command_line(release, tmp_path, capsys):
    """The same numbers as in Python; a refusal is typed as an option."""
    saved = tmp_path / "states.release"
    release.save(saved)
    assert main(["denoise", str(saved), "--prior", "sd=30", "--prior", "mean=100", "--json"]) == 0
    told = capsys.readouterr().out
    cleaned = dp.denoise(release, prior={"mean": 100, "sd": 30}).statistics[0].values
    assert all(f"{number}" in told for number in cleaned)
    assert main(["denoise", str(saved), "--how", "prior"]) == 2
    assert "--prior mean=0 --prior sd=30" in capsys.readouterr().err
    assert main(["denoise", str(saved), "--prior", "sd"]) == 2
    assert own_of("auto", None, None, None)[0] == "auto"
