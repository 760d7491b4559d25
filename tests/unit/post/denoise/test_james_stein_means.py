"""The mean of several columns, cleaned: its sums are, and the released intervals stay."""

from fractions import Fraction

import numpy as np
import pytest

import discreet as dp
from discreet.aggregate import Noisy
from discreet.document.regular import csv_rows
from discreet.errors import InputError
from discreet.noise.registry import law_of
from discreet.post.denoise.james_stein import james_stein
from discreet.post.denoise.noise import noise_of
from discreet.releases.document import answered
from discreet.releases.release import Release
from unit.report_documents import made

COINS = np.random.default_rng(77)
NAMES = [f"c{i}" for i in range(200)]
TABLE = dp.table(
    [],
    unit="row",
    keys={"k": ["A", "B", "C"]},
    columns={name: dp.bounds(-10, 30, step="0.01") for name in NAMES},
    name="t",
)
ROWS = {"A": 4_000, "B": 900, "C": 0}
TRUTH = np.repeat([0.0, 3.0], [190, 10])  # from the middle, 10


def released(ball=None, truth=TRUTH):
    """A release of 200 means in three groups: of which ten stand out, and one group is empty."""
    asked = dp.mean(NAMES, by="k", ball=ball)
    plan = dp.plan(TABLE, asked, dp.count(by="k"), spend=dp.zcdp("1/10"))
    document = made(plan, rehearsal=True)
    shape, weight = asked.shape(TABLE), asked.count_weight(TABLE)
    unit = float(shape.units[0])
    exact = [n for rows in ROWS.values() for n in [*(truth / unit * rows), weight * rows]]
    sigma = float(plan.laws[0].sigma2) ** 0.5
    noisy = [round(n + sigma * z) for n, z in zip(exact, COINS.standard_normal(603), strict=True)]
    vectors = [Noisy(tuple(noisy)), Noisy(tuple(document.statistics[1].vectors[0].noisy))]
    return Release(document.model_copy(update={"statistics": answered(plan, vectors)}))


RELEASE = released()


@pytest.mark.slow
def test_the_sums_of_each_group_are_cleaned_and_divided_by_its_count():
    """Many means in the middle and ten that stand out: less than half of the raw error."""
    found = dp.denoise(RELEASE)
    table = found.table()
    raw, cleaned = (np.array(table.column(c)[:200], dtype=float) for c in ("value", "cleaned"))

    assert [one.name for one in found.statistics] == [
        *(f"mean (c0, c1, c2, c3 and 196 more) by k, {key}" for key in "ABC"),
        "count by k",
    ]
    assert found.statistics[0].denoiser != "raw"
    assert np.linalg.norm(cleaned - 10 - TRUTH) < np.linalg.norm(raw - 10 - TRUTH) / 2
    errors = [table.column(name)[0] for name in ("raw_error", "error")]
    assert errors[0] == pytest.approx(np.sqrt(np.mean((raw - 10 - TRUTH) ** 2)), rel=0.25)
    assert errors[1] < errors[0] / 2
    assert "error of its sums estimated at" in str(found)
    assert "Kept as released" not in str(found)


def test_the_numbers_are_those_worked_out_by_hand():
    """James-Stein of the noisy sums, over the noisy count, around the middle of the bounds."""
    released_ = RELEASE.document.statistics[0]
    noisy, law = released_.vectors[0].noisy, law_of(released_.vectors[0].noise)
    asked = dp.mean(NAMES, by="k")
    sums, count = np.array(noisy[201:401], dtype=float), noisy[401]
    rows = count / asked.count_weight(TABLE)
    shrunk = james_stein(sums, noise_of(law), toward="zero", plain=True).values

    values = dp.denoise(RELEASE, "james_stein_zero").statistics[1].values

    assert np.allclose(values, 10 + shrunk * float(asked.shape(TABLE).units[0]) / rows)


@pytest.mark.exhaustive
@pytest.mark.claim("C32")
@pytest.mark.parametrize("how", ["auto", "raw", "soft_sure", "wavelets_sure"])
@pytest.mark.parametrize("interval", ["raw", "average"])
def test_raw_means_and_their_intervals_stand_beside(how, interval, tmp_path):
    """As released, also where there are too few rows to say: then nothing is cleaned."""
    if how == "wavelets_sure":
        with pytest.raises(InputError, match="fits none of these numbers"):
            dp.denoise(RELEASE, how, interval=interval)
        return
    found = dp.denoise(RELEASE, how, interval=interval)
    table = found.table()
    before = RELEASE.table()

    for name in ("statistic", "k", "column", "value", "low", "high"):
        assert table.column(name) == before.column(name)
    assert table.column("cleaned")[400:600] == [None] * 200
    assert table.column("error")[400:600] == [None] * 200
    if how == "raw":
        assert table.column("cleaned") == before.column("value")
    if interval == "average":
        assert table.column("average_low")[0] is None
        assert table.column("average_low")[-1] is not None
    text = found.save(tmp_path / "c.csv").read_bytes().decode()
    assert csv_rows(text, table.kinds) == (table.columns, table.rows)


@pytest.mark.slow
def test_cleaned_means_lie_in_the_ball_and_the_bounds():
    """Public facts: a longer vector is moved to the nearest point of the ball."""
    far = np.repeat([0.0, 20.0], [100, 100])
    found = dp.denoise(released(ball=30, truth=far / 10), "soft_universal")
    means = np.array(found.statistics[0].values) - 10

    assert np.linalg.norm(means) <= 30 + 1e-9
    assert np.linalg.norm(means[:100]) < 1e-9

    beyond = dp.denoise(released(truth=far), "james_stein_mean").statistics[1].values
    assert max(beyond) == 30


@pytest.mark.claim("C31")
@pytest.mark.slow
def test_the_same_public_numbers_give_the_same_means_again():
    """A choice has no coins."""
    assert dp.denoise(RELEASE).table().rows == dp.denoise(RELEASE).table().rows


def test_facts_of_counts_are_no_facts_of_means():
    """They change no mean, and a mean has no total."""
    label = "mean (c0, c1, c2, c3 and 196 more) by k"
    how = "james_stein_zero"
    known = dp.denoise(RELEASE, how, known="nonnegative")
    plain = dp.denoise(RELEASE, how)

    assert known.statistics[0].values == plain.statistics[0].values
    with pytest.raises(InputError, match="there are no counts"):
        dp.denoise(RELEASE, totals={label: 3})


def test_few_columns_are_kept_raw_and_told_so():
    """Two numbers: nothing can be learned from so few."""
    table = dp.table([], unit="row", columns={c: dp.bounds(0, 9, step=1) for c in "xy"}, name="t")
    found = dp.denoise(Release(made(dp.plan(table, dp.mean(["x", "y"]), spend=dp.pure(1)))))

    assert found.statistics[0].denoiser == "raw"
    assert found.statistics[0].name == "mean (x, y)"
    assert "kept raw" in str(found)


def test_of_many_groups_the_first_choices_are_said():
    """The table has them all."""
    table = dp.table(
        [],
        unit="row",
        keys={"k": range(30)},
        columns={c: dp.bounds(0, 9, step=1) for c in "xyz"},
        name="t",
    )
    plan = dp.plan(table, dp.mean(["x", "y", "z"], by="k"), spend=dp.pure(Fraction(1)))
    found = dp.denoise(Release(made(plan)), "james_stein_zero")

    assert len(found.statistics) == 30
    assert "... and 10 more groups" in " ".join(str(found).split())
