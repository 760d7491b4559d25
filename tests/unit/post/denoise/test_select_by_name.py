"""Denoisers by name alone: an order, a flat prior, and counts that must add up."""

import numpy as np
import pytest

import discreet as dp
from discreet.errors import InputError
from discreet.post.denoise.noise import Noise, gaussian
from discreet.post.denoise.select import isotonic, posterior_mean

LAWS = [
    Noise("discrete_laplace", 7.0),
    Noise("discrete_laplace", 200.0),
    Noise("discrete_gaussian", 5.0),
    Noise("discrete_gaussian", 400.0),
]


def flat(y, noise):
    """The mean of all truths from 0 on, each by its chance: summed one by one."""
    reach = int(12 * noise.sigma) + 1
    truths = np.arange(max(0, int(y) - reach), max(0, int(y)) + reach + 40 * int(noise.sigma))
    away = np.abs(y - truths)
    if noise.kind == "discrete_laplace":
        weights = np.exp(-(away - away.min()) / noise.parameter)
    else:
        weights = np.exp(-(away**2 - away.min() ** 2) / (2 * noise.parameter))
    return float((truths * weights).sum() / weights.sum())


@pytest.mark.parametrize("noise", LAWS, ids=str)
def test_a_posterior_mean_is_that_of_a_flat_prior(noise):
    """Against the sum over all truths; coarse steps are off by less than a twentieth of the noise."""
    numbers = np.round(np.array([-2.5, -1, 0, 0.4, 1, 3, 9]) * noise.sigma)
    found = posterior_mean(numbers, noise).values
    exact = [flat(y, noise) for y in numbers]
    assert found == pytest.approx(exact, abs=noise.sigma / 20 if noise.sigma > 80 else 1e-3)


def drawn(noise, size, coins):
    if noise.kind == "discrete_laplace":
        q = 1 - np.exp(-1 / noise.parameter)
        return coins.geometric(q, size).astype(float) - coins.geometric(q, size)
    return np.rint(coins.normal(size=size) * noise.sigma)


@pytest.mark.parametrize("noise", LAWS, ids=str)
def test_the_error_that_is_said_is_the_error_that_is_made(noise):
    """Of 40,000 small counts within 4 %, and of a rising line on average within a tenth of raw."""
    coins = np.random.default_rng(5)
    truths = coins.integers(0, int(3 * noise.sigma) + 2, 40_000).astype(float)
    found = posterior_mean(truths + drawn(noise, truths.size, coins), noise)
    made = float(((found.values - truths) ** 2).mean())
    assert found.risk / truths.size == pytest.approx(made, rel=0.04)
    assert made < 0.95 * noise.variance

    line, gaps = np.linspace(0, 6 * noise.sigma, 60), []
    for _ in range(150):
        one = isotonic(line + drawn(noise, 60, coins), noise, way="rising")
        gaps.append(one.risk - float(((one.values - line) ** 2).sum()))
    assert abs(np.mean(gaps)) < 0.1 * 60 * noise.variance


def released(**how):
    keys = {"ward": dp.keys("A", "B", other="else"), "year": [1, 2, 3], **how}
    people = dp.table([], unit="row", name="p", keys=keys)
    asked = [dp.count(by=["ward", "year"]), dp.count(), dp.count(by="year")]
    return dp.rehearse(dp.plan(people, *asked, spend=dp.zcdp("1/200")))


def test_an_order_and_a_prior_are_asked_by_name_and_never_tried_unasked():
    """On a release: the raw interval stays, and `auto` takes neither."""
    release = released(year=range(30))
    found = dp.denoise(release, "isotonic_rising", ordered="year")
    rising = [one for one in found.statistics if one.denoiser == "isotonic_rising"]
    assert [one.label for one in rising] == ["count by year"]
    assert list(rising[0].values) == sorted(rising[0].values)
    mean = dp.denoise(release, "posterior_mean")
    assert min(value for one in mean.statistics for value in one.values) >= 0
    assert mean.table().column("low") == release.table().column("low")
    names = {one.denoiser for one in dp.denoise(release, ordered="year").statistics}
    assert not names & {"posterior_mean", "isotonic_rising", "isotonic_falling"}
    with pytest.raises(InputError, match="fits none"):
        dp.denoise(release, "isotonic_rising")


def test_counts_of_finer_groups_add_up_with_less_error():
    """Whole numbers, from the total down; each is a sum of the finest; errors are those of the law."""
    release = released(year=dp.keys(1, 2, 3, other=0))
    for known in ((), "nonnegative"):
        found = dp.denoise(release, "consistent", known=known)
        cells, total, years = (one.values for one in found.statistics)
        assert sum(cells) == sum(years) == total[0]
        by_year = np.array(cells).reshape(3, 4).sum(axis=0)
        assert by_year.tolist() == list(years)
        assert not known or min(cells) >= 0
        assert all(one.error < one.raw_error for one in found.statistics)
        assert found.table().column("low") == release.table().column("low")
    assert "known from the noise" in str(found)


@pytest.mark.slow
def test_the_error_of_counts_that_add_up_is_the_one_that_is_said():
    """Of 25 rehearsals, whose made-up rows are 2,000: the root mean square of a total."""
    people = dp.table([], unit="row", name="p", keys={"year": dp.keys(1, 2, 3, other=0)})
    plan = dp.plan(people, dp.count(), dp.count(by="year"), spend=dp.zcdp("1/2000"))
    made, said = [], []
    for _ in range(25):
        release = dp.rehearse(plan)
        found = dp.denoise(release, "consistent")
        made.append(found.statistics[0].values[0] - 2_000)  # made-up rows
        said.append(found.statistics[0].error)
    assert np.sqrt(np.mean(np.square(made))) == pytest.approx(np.mean(said), rel=0.6)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ([dp.count(by="ward"), dp.count(by="year")], "no chain of counts by finer"),
        ([dp.count(by="ward")], "no chain of counts by finer"),
        ([dp.count(), dp.count(by="ward", where="ward = 'A'")], "no chain of counts by finer"),
        ([dp.count(), dp.count(by="year")], "need not add up"),
    ],
)
def test_what_need_not_add_up_is_not_made_to(asked, said):
    """Margins that cross, one count, other rows, or rows on no list."""
    people = dp.table(
        [], unit="row", name="p", keys={"ward": dp.keys("A", other="else"), "year": [1, 2]}
    )
    release = dp.rehearse(dp.plan(people, *asked, spend=dp.zcdp("1/2")))
    with pytest.raises(InputError, match=said) as refused:
        dp.denoise(release, "consistent")
    assert len(str(refused.value).splitlines()) == 3


def test_totals_and_orders_are_refused_of_numbers_that_add_up():
    """Known sums are for tables."""
    release = released(year=dp.keys(1, 2, 3, other=0))
    with pytest.raises(InputError, match="take neither totals nor an order"):
        dp.denoise(release, "consistent", totals={"count": 9})
    assert gaussian(2).variance == 4
