"""The brake: what it takes, what it keeps, what it says, and what it refuses."""

import tracemalloc
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from discreet.errors import InputError, InternalError
from discreet.noise.discrete_gaussian import DiscreteGaussian
from discreet.noise.discrete_laplace import DiscreteLaplace
from discreet.post.denoise import select
from discreet.post.denoise.james_stein import soft_threshold
from discreet.post.denoise.noise import Noise, gaussian
from discreet.post.denoise.select import chosen, denoise
from discreet.post.denoise.stein import Estimate, raw, stand_in

COINS = np.random.default_rng(23)
FLAT = 50 + np.round(COINS.normal(size=400) * 5)
WIDE = np.round(COINS.uniform(-1e6, 1e6, size=400))


def test_a_flat_vector_is_denoised_and_the_gain_is_told():
    """400 equal truths under discrete Gaussian noise: the error falls to a tenth or less."""
    found = denoise(FLAT, DiscreteGaussian(Fraction(25)))

    assert found.name != "raw"
    assert np.sqrt(np.mean((found.values - 50) ** 2)) < 0.5
    assert found.raw_error == pytest.approx(5)
    assert found.name in found.words()
    assert "cost no privacy" in found.words()


def test_numbers_far_apart_are_kept_as_they_are():
    """Nothing can be gained where the truths differ by far more than the noise."""
    found = denoise(WIDE, DiscreteLaplace(Fraction(2)))

    assert found.name == "raw"
    assert found.values.tolist() == WIDE.tolist()
    assert "raw numbers are kept" in found.words()
    assert found.candidates[0].name == "raw"


def test_every_number_keeps_its_raw_interval():
    """The ends are those of the law's half width, raised to a known least value."""
    law = DiscreteLaplace(Fraction(2))
    found = denoise(FLAT, law, least=45, alpha=Fraction(1, 10))
    size = law.half_width(Fraction(1, 10))

    assert found.low.tolist() == np.maximum(45, FLAT - size).tolist()
    assert found.high.tolist() == np.maximum(45, FLAT + size).tolist()
    assert found.values.min() >= 45


def test_a_denoiser_can_be_named():
    """The named one is taken, helpful or not, and its expected error is told."""
    found = denoise(WIDE, gaussian(2), "soft_universal")

    assert found.name == "soft_universal"
    assert found.error > 2 * found.raw_error
    with pytest.raises(InputError, match="no denoiser"):
        denoise(WIDE, gaussian(2), "trend_filter_0")


def test_order_and_graph_bring_their_candidates():
    """Wavelets need an order, trees and trend filters a graph."""
    plain = {one.name for one in denoise(FLAT, gaussian(5)).candidates}
    ordered = {one.name for one in denoise(FLAT[:64], gaussian(5), ordered=True).candidates}
    near = [(i, i + 1) for i in range(63)]
    mapped = {one.name for one in denoise(FLAT[:64], gaussian(5), graph=near).candidates}

    assert ordered - plain == {
        "wavelets_universal",
        "wavelets_sure",
        "trend_filter_0",
        "trend_filter_1",
    }
    assert mapped - plain == {
        "tree_wavelets_universal", "tree_wavelets_sure", "trend_filter_0", "trend_filter_1",
    }  # fmt: skip


def test_each_candidate_is_announced_in_its_turn():
    """The caller hears the name, the place from 1 on and the number, before each is tried."""
    heard = []
    found = denoise(FLAT[:64], gaussian(5), ordered=True, progress=lambda *one: heard.append(one))
    names = [one.name for one in found.candidates]

    assert heard == [(name, place, len(names)) for place, name in enumerate(names, start=1)]


def test_a_candidate_is_announced_before_it_is_tried():
    """Whoever interrupts at the first name has waited for nothing but the rules."""

    def stop(name, place, count):
        raise KeyboardInterrupt(name, place, count)

    with pytest.raises(KeyboardInterrupt) as stopped:
        denoise(FLAT, gaussian(5), progress=stop)

    assert stopped.value.args[:2] == ("raw", 1)


def test_the_names_are_those_of_the_rules():
    """What `fits` tells is what the brake would try."""
    for ordered in (False, True):
        for near in (None, [(i, i + 1) for i in range(63)]):
            tried = select._rules(64, near, ordered=ordered)
            named = [
                name
                for name in select.NAMES
                if select.fits(name, 64, ordered=ordered, on_graph=near is not None, line=ordered)
            ]

            by_name = {*select.assumed(ordered=ordered), *select.OWN, select.PRINTED}
            assert set(named) == {"auto", *tried, *by_name}


@pytest.mark.parametrize("count", [1, 2, 5, 20])
def test_a_prior_fitted_to_a_few_lonely_numbers_promises_nothing(count):
    """Numbers far apart are all that each of them knows: the expected error is raw's."""
    noise = Noise("discrete_laplace", 7.0)
    lonely = denoise(200.0 * np.arange(count), noise, "empirical_bayes")

    assert 0.95 * lonely.raw_error < lonely.error < 1.2 * lonely.raw_error


def test_what_is_not_tried_on_a_huge_map_is_said(monkeypatch):
    """Beyond the largest map for order 1 the words name it, and below they do not."""
    near = [(i, i + 1) for i in range(63)]
    small = denoise(FLAT[:64], gaussian(5), graph=near)
    monkeypatch.setattr(select, "HUGE", 63)
    huge = denoise(FLAT[:64], gaussian(5), graph=near)

    assert "trend_filter_1" not in {one.name for one in huge.candidates}
    assert "trend_filter_1 was left out" in huge.words()
    assert "left out" not in small.words()
    assert "left out" not in denoise(FLAT[:64], gaussian(5)).words()


def test_a_named_denoiser_that_moves_nothing_says_so():
    """Four numbers are not pulled to 0, nor to what all of them show."""
    for how, count in (("james_stein_zero", 2), ("empirical_bayes", 4)):
        found = denoise(FLAT[:count], gaussian(5), how)

        assert found.values.tolist() == FLAT[:count].tolist()
        assert "nothing is to be gained" in found.words()


def test_a_choice_without_a_brake_would_do_harm():
    """Raw stands first and is kept against a denoiser whose estimated risk is above it."""
    noise = gaussian(1)
    worse = soft_threshold(WIDE, noise)

    assert chosen(WIDE, noise, [raw(WIDE, noise), worse]).name == "raw"


def found_with(gain):
    """Return a plain and a rich estimate of 400 numbers, whose risks are so many spreads apart."""
    noise = gaussian(5)
    noisy = FLAT - 50
    plain = Estimate("soft_universal", np.zeros(400), 100.0, 0.0)
    rich = Estimate("empirical_bayes", np.where(noisy > 4, 1.0, 0.0), 0.0, 0.0)
    spread = select._apart(plain, rich, noisy, noise)
    names = replace(plain, name="trend_filter_0"), replace(rich, name="trend_filter_1")
    return noisy, noise, [raw(noisy, noise), names[0], replace(names[1], risk=100 - gain * spread)]


@pytest.mark.parametrize(("gain", "name"), [(1.4, "trend_filter_0"), (1.6, "trend_filter_1")])
def test_a_richer_denoiser_must_be_better_by_one_and_a_half_spreads(gain, name):
    """Below that its lower estimate may be luck."""
    assert chosen(*found_with(gain)).name == name


def test_a_choice_that_ignores_the_spread_takes_the_luckiest(monkeypatch):
    """The planted fault: with no spread between them the lower estimate is always taken."""
    monkeypatch.setattr(select, "_APART", 0.0)

    assert chosen(*found_with(1.4)).name == "trend_filter_1"


@pytest.mark.parametrize(
    "law", [Noise("discrete_laplace", 1 / 4096), Noise("discrete_gaussian", 1 / 4096)], ids=str
)
def test_noise_that_is_hardly_there_is_left_alone(law):
    """At the least noise that a law may have every number is kept."""
    assert denoise(FLAT, law).values == pytest.approx(FLAT)


@pytest.mark.parametrize(
    "numbers", [[], [[1.0, 2.0]], [float("nan")], [float("inf"), 1.0], ["a"], [10**400]], ids=repr
)
def test_numbers_that_are_none_are_refused(numbers):
    """Empty, nested, not finite, text, too large."""
    with pytest.raises(InputError):
        denoise(numbers, gaussian(1))


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("numbers", [[3.0], [3.0, 3.0], [0.0] * 5, [1e9, 0.0]], ids=repr)
def test_short_and_equal_vectors_are_answered(numbers):
    """One number, equal numbers, zeros: an answer without a warning."""
    for law in (gaussian(1), Noise("discrete_laplace", 1.0), Noise("discrete_gaussian", 0.5)):
        found = denoise(numbers, law, ordered=True)

        assert found.values.size == len(numbers)
        assert np.all(np.isfinite(found.values))


def broken(noisy, noise):
    raise MemoryError("a denoiser that wants too much")


def without_an_end(noisy, noise):
    return Estimate("soft_sure", np.full(noisy.size, np.nan), float("nan"), 0.0)


@pytest.mark.parametrize("fault", [broken, without_an_end], ids=lambda one: one.__name__)
@pytest.mark.parametrize("how", ["auto", "soft_sure"])
def test_a_denoiser_that_fails_is_left_out_and_named(fault, how, monkeypatch):
    """The others are tried; where it was asked for by name the numbers stay raw."""
    monkeypatch.setattr(select, "soft_sure", fault)
    found = denoise(FLAT, gaussian(5), how)

    assert found.failed == ("soft_sure",)
    assert "soft_sure could not be computed here." in found.words()
    assert found.values.size == FLAT.size
    assert (found.name == "raw") == (how == "soft_sure")
    if how == "soft_sure":
        assert found.values.tolist() == FLAT.tolist()


def test_a_choice_that_fails_keeps_raw(monkeypatch):
    """Weights that cannot be found lose no number either."""
    monkeypatch.setattr(select, "chosen", broken)
    found = denoise(FLAT, gaussian(5))

    assert (found.name, found.failed) == ("raw", ("auto",))
    assert found.values.tolist() == FLAT.tolist()


def test_a_missing_library_is_said_and_not_taken_for_a_failure(monkeypatch):
    """It is the caller's to install: the line to type is not swallowed."""

    def lacking(noisy, noise):
        raise InputError("denoising needs scipy.", why="it is not installed", fix="install it")

    monkeypatch.setattr(select, "soft_sure", lacking)

    with pytest.raises(InputError, match="needs scipy"):
        denoise(FLAT, gaussian(5))


def most_memory(law):
    """Return how many bytes cleaning 400 numbers on a line takes at most, after a first time."""
    noise = Noise(law.kind, 9.0)
    for one, size in ((noise, 1.0), (law, law.sigma / noise.sigma)):
        denoise(np.round(FLAT * size), one, ordered=True)
        tracemalloc.start()
        denoise(np.round(FLAT * size), one, ordered=True)
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return used


WIDE_LAWS = [
    *(Noise("discrete_laplace", scale) for scale in (10.0, 2e7, 1e12)),
    *(Noise("discrete_gaussian", sigma**2) for sigma in (10.0, 2e7, 1e12)),
]


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("law", WIDE_LAWS, ids=str)
def test_the_cost_does_not_grow_with_the_noise(law):
    """From a scale of 10 to 10^12 the peak of memory is the same: below 16 MB for 400 numbers."""
    assert most_memory(law) < 16e6


@pytest.mark.parametrize("law", WIDE_LAWS[1:3] + WIDE_LAWS[4:], ids=str)
def test_a_wide_law_is_never_tabled_step_by_step(law):
    """The planted fault of asking for its chances is refused, before any is made."""
    with pytest.raises(InternalError, match="would reach"):
        law.mass(law.reach())


@pytest.mark.parametrize("law", [*WIDE_LAWS, Noise("discrete_laplace", 0.3), gaussian(3)], ids=str)
def test_stand_ins_have_the_variance_of_the_noise(law):
    """Quantiles in closed form: within 2 % of the variance, and even around 0."""
    found = stand_in(law, 2000, 1)

    assert found.var() == pytest.approx(law.variance, rel=0.04)
    assert abs(found.mean()) < 0.05 * law.sigma


@pytest.mark.parametrize("scale", [0.3, 1.0, 7.0])
def test_quantiles_are_those_of_the_chances(scale):
    """Closed form and table agree for every chance between two steps."""
    noise = Noise("discrete_laplace", scale)
    reach = noise.reach()
    chances = (np.arange(999) + 0.5) / 999

    below = np.searchsorted(np.cumsum(noise.mass(reach)), chances) - reach
    assert noise.quantiles(chances).tolist() == below.tolist()


def test_counts_are_cleaned_to_whole_numbers_and_rounding_is_counted():
    """The same choice, rounded; what rounding moves is in the expected error."""
    found, exact = (denoise(FLAT, gaussian(5), "soft_universal", whole=whole) for whole in (1, 0))

    assert found.values.tolist() == np.rint(exact.values).tolist()
    lost = np.mean((found.values - exact.values) ** 2)
    assert found.error**2 == pytest.approx(exact.error**2 + lost)


NEAR_RAW = 100.0 * np.arange(50)  # James and Stein would gain 1 part in 3,400


@pytest.mark.parametrize("how", ["auto", "james_stein_mean"])
def test_numbers_with_nothing_to_gain_stay_exactly_as_they_are(how):
    """Below a gain of 1 % no rule of James and Stein moves a number, and raw is what is said."""
    found = denoise(NEAR_RAW, gaussian(40), how)

    assert found.values.tolist() == NEAR_RAW.tolist()
    assert (found.name, found.error) == ("raw", found.raw_error)
    assert "raw numbers are kept" in found.words()


def test_a_pull_for_any_gain_is_caught(monkeypatch):
    """The planted fault: without the 1 % a number that nobody can better is moved."""
    monkeypatch.setattr("discreet.post.denoise.james_stein.MATERIAL", 0.0)

    assert denoise(NEAR_RAW, gaussian(40), "james_stein_mean").values[1] != NEAR_RAW[1]


def test_a_gain_below_one_percent_is_not_taken():
    """However sure it is: of 100,000 raw, 400 less are not enough and 1,100 are."""
    noise, noisy = gaussian(10), np.zeros(1000)
    for gain, name in ((400, "raw"), (1100, "trend_filter_0")):
        sure = Estimate("trend_filter_0", np.full(1000, 0.01), 1e5 - gain, 0.0)
        assert chosen(noisy, noise, [raw(noisy, noise), sure]).name == name


@pytest.mark.slow
@pytest.mark.parametrize("law", [gaussian(40), Noise("discrete_laplace", 30.0)], ids=str)
def test_the_reason_for_a_cleaning_is_an_inequality_that_holds(law):
    """What is taken by "auto" has an expected error below the raw one, and it is never 0."""
    coins = np.random.default_rng(5)
    for spread in (0, 5, 20, 60):
        for _ in range(8):
            truth = np.round(coins.normal(size=30) * spread)
            found = denoise(truth + np.round(coins.normal(size=30) * 40), law, whole=True)
            if found.name != "raw":
                assert 0 < found.error < found.raw_error
                assert f"estimated at {found.error:.4g}" in found.words()
            assert "below" not in found.words()


def test_james_stein_by_name_is_the_rule_of_the_document():
    """(1 - (d - 2) sigma^2 / |y|^2) y, cut at 0, from three numbers on: no 1 % is held back."""
    for numbers in (NEAR_RAW, np.array([3.0, 9.0, -4.0]), np.array([0.5, 0.0, 1.0])):
        pull = (numbers.size - 2) * 2.0**2 / float(numbers @ numbers)
        found = denoise(numbers, gaussian(2), "james_stein_zero")
        assert found.values == pytest.approx(max(0.0, 1 - pull) * numbers, rel=1e-12)
