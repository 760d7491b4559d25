"""Questions that share a vector, as they are released, asked in a plan file, and explored."""

import json
from fractions import Fraction
from math import isclose

import numpy as np
import pytest

import discreet as dp
from discreet.aggregate import Noisy
from discreet.document.check import checked_document
from discreet.errors import InputError
from discreet.plan_file.plan_file import read_plan_file
from discreet.plans.explore import page_of
from unit.joined_questions import AGE, SMOKER, TABLE, count, people

pytestmark = pytest.mark.claim("C82")

DATA = [
    {"ward": ward, "smoker": cell, "age": 20 + 10 * ward}
    for ward in range(3)
    for cell in [1] * 300 + [0] * 500 + [None] * 200
]


def released(folder, *questions, data=DATA):
    declared = dp.table(
        data,
        unit="row",
        name="wards",
        columns={"smoker": SMOKER, "age": AGE},
        keys={"ward": range(3)},
    )
    plan = dp.plan(declared, *questions)
    ledger = dp.ledger(folder / "l", budget=dp.zcdp(9))
    return plan, dp.run(plan, ledger=ledger), ledger


ASKED = (
    count(10),
    dp.mean("smoker", by="ward", within="0.02", rows=1000),
    dp.mean("age", by="ward", within="1", rows=1000),
)


@pytest.mark.slow
@pytest.mark.parametrize("questions", [ASKED, ASKED[1:]], ids=["with a count", "means alone"])
def test_a_release_is_saved_loaded_checked_and_answered_again(questions, tmp_path):
    plan, release, ledger = released(tmp_path, *questions)
    release.save(tmp_path / "r")

    assert all(line.shared for line in plan.lines)
    assert "ok" in str(dp.verify(tmp_path / "r", ledger=ledger))
    assert len(ledger.book().entries[0].events) == 1
    text = release.document.text()
    assert checked_document(text).text() == text
    vectors = [v for one in release.document.statistics for v in one.vectors]
    assert all(vector.times for vector in vectors)
    for released_, again in (
        (release[name].document.statistics[0], release.intervals(name, alpha="0.05"))
        for name in ("mean smoker by ward", "mean age by ward")
    ):
        assert again.values == list(released_.answer.rows.columns[-3])
        assert again.low == list(released_.answer.rows.columns[-2])
    for row in release["mean smoker by ward"].document.statistics[0].answer.rows:
        assert row[-2] - 0.02 < 0.3 < row[-1] + 0.02


@pytest.mark.slow
def test_a_shared_count_is_whole_and_adds_up(tmp_path):
    _, release, _ = released(tmp_path, *ASKED)
    (counts,) = release["count by ward"].document.statistics
    (vector,) = counts.vectors

    assert [row[-3] for row in counts.answer.rows] == [
        round(Fraction(n, vector.times)) for n in vector.noisy
    ]
    assert all(row[-1] - row[-3] <= 10 and row[-3] - row[-2] <= 10 for row in counts.answer.rows)
    total = release.total("count by ward")
    assert f"{round(sum(vector.noisy) / vector.times):,}" in str(total)
    with pytest.raises(InputError, match="no counts to clean"):
        dp.denoise(release)


def test_intervals_of_what_is_shared_cover_as_often_as_they_say():
    """4,000 made-up releases of a count and two means of a small group, its means at an end, too.

    Misses are binomial with at most 5 %: more than 280 of 4,000 come by luck less than once in 10^8.
    """
    luck = np.random.default_rng(14)
    plan = dp.plan(people(), *TABLE[5][0])
    (vector,), joint = {line.shared for line in plan.lines}, plan.lines[0].statistic.joint
    sigma, size = float(vector.law.variance()) ** 0.5, 4_000
    for smoker, age in ((0, 100), (1, 40)):
        rows = 300
        steps = {"smoker": 2 * smoker - 1, "age": 2 * 100 * age - 10_000}
        times = dict(zip(joint.columns, joint.times, strict=True))
        exact = [rows * times[name] * u for name, u in steps.items()]
        noise = np.rint(luck.normal(0, sigma, (3, size)))
        counts, *sums = (
            Noisy(tuple(int(x) for x in one + whole))
            for one, whole in zip(noise, [rows * joint.rows, *exact], strict=True)
        )
        wide = dp.table(
            "people.csv", unit="row", columns=plan.table.columns, keys={"ward": range(size)}
        )
        for line, given, true in zip(
            plan.lines,
            [[counts], [sums[0], counts], [sums[1], counts]],
            [rows, smoker, age],
            strict=True,
        ):
            found = line.statistic.answer(wide, given, line.laws, plan.alpha)
            missed = sum(
                not low <= true <= high for low, high in zip(found.low, found.high, strict=True)
            )
            assert missed <= 280
            if line.statistic.column is None:
                assert missed >= 120


@pytest.mark.slow
def test_a_changed_multiplier_does_not_check(tmp_path):
    """What a row adds is part of what follows from the plan."""
    _, release, ledger = released(tmp_path, *ASKED)
    release.save(tmp_path / "r")
    file = tmp_path / "r" / "release.json"
    plain = json.loads(file.read_text())
    plain["statistics"][0]["vectors"][0]["times"] += 1
    file.write_text(json.dumps(plain, sort_keys=True, separators=(",", ":")))

    with pytest.raises(dp.errors.VerifyError):
        dp.verify(tmp_path / "r", ledger=ledger)


def test_a_plan_file_says_missing_and_share(tmp_path):
    text = """share = {share}
[data]
source = "people.csv"
unit = "row"
[columns]
smoker = {{ lower = 0, upper = 1, step = 1, missing = 0 }}
[keys]
ward = {{ from = 0, to = 4 }}
[spend]
kind = "zcdp"
[[ask]]
statistic = "count"
by = "ward"
within = 5
[[ask]]
statistic = "mean"
column = "smoker"
by = "ward"
within = "5%"
rows = 100
"""
    plans = {}
    for share in ("true", "false"):
        file = tmp_path / f"{share}.toml"
        file.write_text(text.format(share=share))
        plans[share] = read_plan_file(file).plan

    assert plans["true"].cost.rho < plans["false"].cost.rho * Fraction(3, 4)
    assert "count by ward and mean smoker by ward are counted as one vector" in str(plans["true"])


@pytest.mark.slow
def test_the_page_to_explore_is_told_what_shares_a_vector():
    """What it costs is the least of the shape of its questions, times a factor; not without share."""
    plan = dp.plan(people(), *TABLE[5][0])
    facts = [
        json.loads(page_of(one).partition('id="facts">')[2].partition("</script>")[0])
        for one in (plan, dp.plan(people(), *TABLE[5][0], share=False))
    ]
    (block,) = facts[0]["blocks"]
    at = [facts[0]["questions"][n]["at"] for n in block["places"]]
    rooms = [Fraction(all_of[n]) for all_of, n in zip(block["rooms"], at, strict=True)]
    squares = [(r * r, w * w) for r, w in zip(rooms, block["widths"], strict=True)]
    (count,) = [r2 for r2, w2 in squares if not w2]
    sums = [(r2, w2) for r2, w2 in squares if w2]
    last = min(count, *(r2 / w2 for r2, w2 in sums))
    least = min(
        1 / (last * n / 999) + sum(w2 / (r2 - w2 * last * n / 999) for r2, w2 in sums)
        for n in range(1, 999)
    )

    assert facts[1]["blocks"] == []
    assert isclose(
        least * Fraction(block["factors"][0]), plan.cost.rho * Fraction(1_001, 1_000), rel_tol=2e-3
    )


def test_missing_must_be_a_value_of_the_column():
    with pytest.raises(InputError, match="missing = 2 is not between 0 and 1"):
        dp.bounds(0, 1, step=1, missing=2)
    with pytest.raises(InputError, match="missing = 1/3 is not a multiple"):
        dp.bounds(0, 1, step="0.5", missing="1/3")
    assert dp.bounds(0, 1, step=1) != SMOKER
    assert str(SMOKER) == "0 to 1 in steps of 1, missing counts as 0"
