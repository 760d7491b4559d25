"""Which way tells a quantile nearest: decided by public facts, written down, and near."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import discreet as dp
from discreet.errors import InputError
from discreet.plans.plan import plan_of

WAGES = dp.bounds(0, 200_000, step=1)


def declared(data=(), groups=400, **how):
    keys = {"g": range(groups)}
    return dp.table(data, unit="row", columns={"x": WAGES}, keys=keys, name="t", **how)


def decided(question, spend, table=None):
    """What a plan asks, of what was left open."""
    made = dp.plan(table or declared([{"x": 1, "g": 1}]), question, spend=spend)
    plain = made.lines[0].statistic.plain()
    return plain.get("method"), plain.get("bins")


@pytest.mark.claim("C425")
def test_bins_and_form_follow_from_loss_and_public_sizes():
    """Counts of few bins under pure loss and few rows, more of them for more rows; a choice where
    nothing is known of sizes; a curve under zCDP.
    """
    small = decided(dp.median("x", by="g", rows=75), dp.pure("1.5"))
    assert small == ("histogram", 24)
    assert decided(dp.median("x", by="g", rows=20), dp.pure("1.5"))[1] < 24
    assert decided(dp.iqr("x", by="g", rows=1_000), dp.pure("1.5")) == ("histogram", 128)
    assert decided(dp.median("x", by="g"), dp.pure("1.5")) == ("choice", None)
    assert decided(dp.iqr("x", by="g"), dp.pure("1.5")) == ("histogram", 1_024)
    assert decided(dp.median("x", by="g"), dp.zcdp("1/10")) == (None, None)
    assert decided(dp.median("x", by="g", rows=75), dp.zcdp("1/10")) == ("curve", 16)
    assert decided(dp.median("x", rows=10**6), dp.zcdp("1/10")) == (None, None)
    shared_out = declared([{"x": 1, "g": 1}], rows=30_000)
    assert decided(dp.median("x", by="g"), dp.pure("1.5"), shared_out) == small


@pytest.mark.claim("C425")
def test_what_somebody_said_is_taken():
    """A method, bins or edges; a wanted error leaves nothing open."""
    few = dp.pure("1.5")
    assert decided(dp.median("x", by="g", rows=75, method="curve"), few) == ("curve", 16)
    assert decided(dp.median("x", by="g", rows=75, bins=40), few) == ("histogram", 40)
    assert decided(dp.median("x", by="g", rows=75, method="choice"), few) == ("choice", None)
    edges = [0, 20_000, 40_000, 80_000, 200_000]
    found = decided(dp.median("x", by="g", rows=75, bins=edges), few)
    assert found == ("histogram", [str(edge) for edge in edges])
    wanted = dp.plan(declared([{"x": 1, "g": 1}]), dp.median("x", within=20), kind="pure")
    assert wanted.lines[0].statistic == dp.median("x", within=20)


@pytest.mark.parametrize("kind", ["pure", "zcdp"])
def test_counts_by_bin_keep_a_wanted_error_at_hardly_more_than_the_least_price(kind):
    """In ranks; a hundredth less of the loss does not keep it."""
    table, asked = declared([{"x": 1, "g": 1}]), {"method": "histogram", "bins": 40}
    made = dp.plan(table, dp.median("x", within=20, **asked), kind=kind)
    (line,) = made.lines
    assert line.statistic.expected(table, line.laws, made.alpha).half_width <= 20
    (size,) = made.cost.numbers
    spend = dp.pure(size * 99 / 100) if kind == "pure" else dp.zcdp(size * 99 / 100)
    less = dp.plan(table, dp.median("x", **asked), spend=spend)
    assert line.statistic.expected(table, less.lines[0].laws, made.alpha).half_width > 20


@pytest.mark.claim("C425")
def test_data_decide_nothing_and_a_plan_keeps_what_it_decided():
    """The same digest of other rows; and read again from plain data it is the same plan."""
    spend, question = dp.pure("1.5"), dp.median("x", by="g", rows=75)
    one = dp.plan(declared([{"x": 1, "g": 1}]), question, spend=spend)
    other = dp.plan(declared([{"x": n, "g": n % 400} for n in range(9_000)]), question, spend=spend)
    assert one.digest == other.digest
    again = plan_of(one.plain(), [{"x": 1, "g": 1}])
    assert again.digest == one.digest
    assert again.lines[0].statistic == one.lines[0].statistic


@pytest.mark.claim("C425")
def test_two_ways_of_one_quantile_stay_two_questions():
    """What is decided is never a question that the plan has already."""
    table, asked = declared([{"x": 1, "g": 1}]), dp.median("x", method="choice")
    made = dp.plan(table, asked, dp.median("x"), spend=dp.pure(1))
    assert [line.statistic.plain().get("method") for line in made.lines] == ["choice", None]
    assert plan_of(made.plain(), [{"x": 1, "g": 1}]).digest == made.digest


@pytest.mark.slow
@pytest.mark.claim("C425")
@pytest.mark.parametrize("size", ["rows", "table", "nothing"])
def test_medians_of_small_groups_are_near(size, tmp_path):
    """400 groups of 50 to 99 log-normal wages at epsilon = 1.5: half of all medians are nearer than
    2.5 % (25 % by a curve of 1,024 bins), and intervals hold.

    Over 25 such releases each: 2.3 % where sizes are public and 2.1 % where they are not, with
    deviations of 0.13 and 0.15 %. The bar of this test is 3 %, five deviations away: less than once in a
    million runs.
    """
    draw = np.random.default_rng(11)
    sizes = draw.integers(50, 100, 400)
    groups = np.repeat(np.arange(400), sizes)
    wages = np.clip(np.rint(draw.lognormal(np.log(40_000), 0.4, len(groups))), 0, 150_000)
    rows = pa.table({"x": wages.astype(np.int64), "g": groups})
    table = dp.table(
        rows,
        unit="row",
        columns={"x": dp.bounds(0, 150_000, step=1)},
        keys={"g": range(400)},
        name="t",
        **({"rows": len(groups)} if size == "table" else {}),
    )
    question = dp.median("x", by="g", **({"rows": 50} if size == "rows" else {}))
    ledger = dp.ledger(tmp_path / "a.ledger", budget=dp.pure(2))
    release = dp.run(dp.plan(table, question, spend=dp.pure("1.5")), ledger=ledger)
    told = [*release["median x by g"]]
    true = [np.sort(wages[groups == g])[-(-n // 2) - 1] for g, n in enumerate(sizes)]
    off = [abs(row["value"] - x) / x for row, x in zip(told, true, strict=True)]
    held = [row["low"] <= x <= row["high"] for row, x in zip(told, true, strict=True)]

    assert np.median(off) <= 0.03
    assert np.mean(held) >= 0.95


@pytest.mark.claim("C426")
def test_a_plan_says_what_fewer_bins_and_a_choice_would_give():
    """With the number, under pure loss and zCDP; and not where it would be no better."""
    table = declared([{"x": 1, "g": 1}])
    said = str(dp.plan(table, dp.median("x"), spend=dp.pure("1/2"))).replace("\n", " ")
    assert 'ranks with bins = 32, method = "histogram" at the same price' in said
    said = str(dp.plan(table, dp.median("x"), spend=dp.zcdp("1/100"))).replace("\n", " ")
    assert 'median x: with method = "choice" its value lies about 2.7 times nearer' in said
    said = str(dp.plan(table, dp.iqr("x"), spend=dp.zcdp("1/100"))).replace("\n", " ")
    assert "times nearer" not in said
    said = str(dp.plan(table, dp.median("x"), spend=dp.zcdp(10))).replace("\n", " ")
    assert "bins = 32" not in said


def test_a_named_tail_under_pure_loss_says_that_a_curve_is_nearer():
    """With both half-widths; under zCDP it leans for less, and nothing is said."""
    table, said = declared([{"x": 1, "g": 1}]), 'method = "curve" is nearer at the same price'
    question = dp.quantile("x", ["0.05"], bins=50, method="tail")
    made = dp.plan(table, question, spend=dp.pure("1/2"))
    widths = []
    for method in ("curve", "tail"):
        alone = dp.quantile("x", ["0.05"], bins=50, method=method)
        (line,) = dp.plan(table, alone, spend=dp.pure("1/2")).lines
        half = line.statistic.expected(table, line.laws, Fraction("0.05")).half_width
        widths.append(f"±{float(half):.3g} ranks")

    text = str(made).replace("\n", " ")
    assert f"{said} under pure epsilon, {widths[0]} in place of {widths[1].split()[0]}." in text
    assert said not in str(dp.plan(table, question, spend=dp.zcdp("1/2"))).replace("\n", " ")


@pytest.mark.slow
@pytest.mark.claim("C427")
def test_quantiles_asked_one_by_one_are_named_as_one():
    """A median beside quartiles and another quantile of the same rows, with the widths of both."""
    table = declared([{"x": 1, "g": 1}])
    asked = [dp.quantile("x", "0.1"), dp.median("x"), dp.iqr("x")]
    said = str(dp.plan(table, *asked, spend=dp.zcdp("1/10"))).replace("\n", " ")
    assert (
        "quantile x at 0.1 and median x and iqr x are paid for one by one, and may cross: quantile x "
        "at 0.1, 0.25, 0.5, 0.75 is one question for the same price, ±13.6 ranks in place of ±25.6."
    ) in said
    one = dp.plan(table, dp.quantile("x", ["0.1", "0.25", "0.5", "0.75"]), spend=dp.zcdp("1/10"))
    assert "±13.6 ranks" in str(one)
    apart = [dp.median("x"), dp.median("x", where="g = 1"), dp.median("x", by="g")]
    assert "one by one" not in str(dp.plan(table, *apart, spend=dp.zcdp("1/10")))


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: dp.median("x", bins=[0, 5]), "do not cut its bounds"),
        (lambda: dp.median("x", bins=[0, 0, 200_000]), "do not cut its bounds"),
        (lambda: dp.median("x", bins=range(0, 200_001, 50)), "more than 2,048"),
        (lambda: dp.iqr("x", method="choice"), "for several quantiles"),
        (lambda: dp.iqr("x", method="histogram", publish=dp.publish(at_least=9)), "takes no rule"),
    ],
)
def test_what_no_plan_can_ask_is_refused(ask, said):
    """In three lines, before anything is read."""
    with pytest.raises(InputError, match=said) as caught:
        dp.plan(declared([{"x": 1, "g": 1}]), ask(), spend=dp.pure(1))
    assert "why:" in str(caught.value)
    assert "fix:" in str(caught.value)


@pytest.mark.slow
def test_a_chosen_median_is_known_by_the_name_it_was_asked_by():
    """What a plan decided does not change what a release is asked for."""
    made = dp.plan(
        declared([{"x": 1, "g": 1}], groups=20), dp.median("x", by="g"), spend=dp.pure(1)
    )
    release = dp.rehearse(made)
    assert release.keys() == ["median x by g, chosen"]
    assert len([*release["median x by g"]]) == 20
    with pytest.raises(InputError, match="no statistic") as caught:
        release.difference("median x by g", 1, 2)
    assert "median x by g, chosen" in str(caught.value)
