"""The brake by simulation, at a smaller size than docs/denoising-table.md.

The noise is seeded, so that a test always gives the same answer; were the seed drawn anew, and the
claim only just true, it would raise a false alarm with a chance of 1e-7 where there are hundreds of
draws, and of 2e-4 where there are 12 (5.4 standard errors; Student).
"""

import numpy as np
import pytest

from discreet.post.denoise import select
from discreet.post.denoise.james_stein import james_stein, soft_sure, soft_threshold
from discreet.post.denoise.noise import Noise
from discreet.post.denoise.select import chosen, denoise
from discreet.post.denoise.stein import raw
from noisy import drawn, grid

PLACE = np.arange(1, 401)
COINS = np.random.default_rng(3)
SIGNALS = {
    "10 spikes of 8": np.where(PLACE <= 10, 8.0, 0.0),
    "50 spikes of 4": np.where(PLACE <= 50, 4.0, 0.0),
    "dense": np.round(COINS.normal(size=400)),
    "1000 / i": np.round(1000 / PLACE),
    "100 / sqrt i": np.round(100 / np.sqrt(PLACE)),
    "constant 5": np.full(400, 5.0),
    "Poisson(3)": COINS.poisson(3, 400).astype(float),
}
LAWS = [
    Noise("discrete_laplace", 100.0),
    Noise("discrete_laplace", 1.0),
    Noise("discrete_laplace", 0.1),
    Noise("discrete_gaussian", 18.0),
    Noise("discrete_gaussian", 0.3),
]
RUNS = 12


def check_never_worse_than_raw(truth, noise, how, *, runs=RUNS):
    """Refuse a rule whose mean squared error is above the raw numbers' by more than 1 %.

    Theirs is the variance of the law: of noise that is hardly ever there few draws have any.
    """
    coins, more = np.random.default_rng(31), []
    for _ in range(runs):
        noisy = truth + drawn(noise, truth.size, coins)
        found = denoise(noisy, noise, how)
        more.append(np.mean((found.values - truth) ** 2) - np.mean((noisy - truth) ** 2))

    assert np.mean(more) <= 0.01 * noise.variance + 5.4 * np.std(more) / np.sqrt(runs)


@pytest.mark.exhaustive
@pytest.mark.claim("C33")
@pytest.mark.slow
@pytest.mark.parametrize("noise", LAWS, ids=str)
@pytest.mark.parametrize("signal", SIGNALS)
def test_the_choice_is_never_worse_than_raw(signal, noise):
    """Seven signals, from much noise to hardly any: at most 1 % above the raw error."""
    check_never_worse_than_raw(SIGNALS[signal], noise, "auto")


@pytest.mark.claim("C33")
@pytest.mark.slow
def test_a_denoiser_without_a_brake_is_caught():
    """The planted fault: always the universal threshold harms a dense vector many times over."""
    with pytest.raises(AssertionError):
        check_never_worse_than_raw(SIGNALS["100 / sqrt i"], LAWS[1], "soft_universal")


NEAR = 10.0 * np.arange(5)  # one standard deviation apart
WIDE = Noise("discrete_gaussian", 100.0)


QUICK = {
    "raw": raw,
    "james_stein_zero": lambda y, noise: james_stein(y, noise, toward="zero"),
    "soft_universal": soft_threshold,
    "soft_sure": soft_sure,
}


def losses(truth, noise, *, runs):
    """Return the squared errors of each quick candidate and of the choice among them, by run."""
    coins, found = np.random.default_rng(37), {name: [] for name in ("auto", *QUICK)}
    for _ in range(runs):
        noisy = truth + drawn(noise, truth.size, coins)
        tried = [rule(noisy, noise) for rule in QUICK.values()]
        for name, one in zip(found, [chosen(noisy, noise, tried), *tried], strict=True):
            found[name].append(np.sum((one.values - truth) ** 2) / noise.variance)
    return {name: np.array(each) for name, each in found.items()}


def check_no_more_than(other, allowed, truth, noise, *, runs):
    """Refuse a choice that costs more than a candidate by more than some variances of a number."""
    found = losses(truth, noise, runs=runs)
    more = found["auto"] - found[other]

    assert more.mean() <= allowed + 5.4 * more.std() / np.sqrt(runs)


@pytest.mark.claim("C33")
@pytest.mark.slow
def test_three_numbers_are_not_harmed():
    """James and Stein's rule is taken as it is: at most 1 % above raw, which is 3 variances."""
    check_no_more_than("raw", 0.03, NEAR[:3], WIDE, runs=4000)


@pytest.mark.claim("C33")
@pytest.mark.slow
def test_a_brake_as_for_many_numbers_is_caught(monkeypatch):
    """The planted fault: all are taken where luck makes the gain look clear, James-Stein too."""
    monkeypatch.setattr(select, "_HARMLESS", set())
    monkeypatch.setattr(select, "_CLEAR", 0.1)
    monkeypatch.setattr(select, "SHORT", 1)

    with pytest.raises(AssertionError):
        check_no_more_than("raw", 0.03, NEAR[:3], WIDE, runs=4000)


NOTHING, LOUD = np.zeros(400), Noise("discrete_laplace", 10.0)


@pytest.mark.claim("C33")
@pytest.mark.slow
def test_where_there_is_nothing_the_plainest_is_taken():
    """400 zeros: the choice costs at most one variance more than the universal threshold."""
    check_no_more_than("soft_universal", 1.0, NOTHING, LOUD, runs=600)


@pytest.mark.claim("C33")
@pytest.mark.slow
def test_a_choice_that_ignores_the_spread_is_caught(monkeypatch):
    """The planted fault: the least of the estimated risks, however little it is below."""
    monkeypatch.setattr(select, "_APART", 0.0)

    with pytest.raises(AssertionError):
        check_no_more_than("soft_universal", 1.0, NOTHING, LOUD, runs=600)


@pytest.mark.exhaustive
@pytest.mark.claim("C33")
@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 3, 5, 20])
def test_the_choice_is_never_worse_than_raw_for_a_few_numbers(count):
    """The least of many estimates is the luckiest; a few numbers take a clearer gain."""
    check_never_worse_than_raw(10.0 * np.arange(count), WIDE, "auto", runs=60)


ROW, COLUMN = np.indices((20, 20)).astype(float)
TOWN = np.round(60 * np.exp(-((ROW - 6) ** 2 + (COLUMN - 6) ** 2) / 30)).ravel()
TOWN += 30 * ((ROW > 10) & (COLUMN > 12)).ravel()
ROADS = grid(20, 20)


def check_near_the_best(noise, *, runs):
    """Refuse a choice on a map that errs more than 5 % above the denoiser of least mean error."""
    coins, found = np.random.default_rng(47), {}
    for _ in range(runs):
        noisy = TOWN + drawn(noise, 400, coins)
        taken = denoise(noisy, noise, graph=ROADS)
        errors = {one.name: one.values for one in taken.candidates} | {"auto": taken.values}
        for name, values in errors.items():
            found.setdefault(name, []).append(np.sum((values - TOWN) ** 2))
    auto = np.array(found.pop("auto"))
    best = np.array(min(found.values(), key=np.mean))
    gap = auto - 1.05 * best

    assert np.mean(gap) <= 5.4 * np.std(gap) / np.sqrt(runs)


@pytest.mark.exhaustive
@pytest.mark.claim("C33")
@pytest.mark.slow
@pytest.mark.parametrize("scale", [100.0, 10.0, 2.0])
def test_the_choice_on_a_map_is_near_the_best(scale):
    """A hill and a plateau, from loud noise to little: 12 draws each."""
    check_near_the_best(Noise("discrete_laplace", scale), runs=12)


@pytest.mark.claim("C33")
@pytest.mark.slow
def test_a_choice_that_is_blind_to_neighbors_is_caught(monkeypatch):
    """The planted fault: each number alone is looked at."""

    def alone(noisy, noise, found):
        return next(one for one in found if one.name == "empirical_bayes")

    monkeypatch.setattr(select, "chosen", alone)

    with pytest.raises(AssertionError):
        check_near_the_best(Noise("discrete_laplace", 2.0), runs=12)
