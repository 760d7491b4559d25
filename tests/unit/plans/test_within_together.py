"""A whole plan whose intervals hold at once: exact over all its numbers, in each way to write it."""

import json
from fractions import Fraction
from math import prod

import numpy as np
import pytest

import discreet as dp
from discreet.errors import InputError, VerifyError
from discreet.plan_file.plan_file import read_plan_file
from discreet.plans.explore import page_of
from discreet.plans.plan import plan_of
from discreet.plans.within import numbers_of
from discreet.privacy.loss import total
from unit.joined_questions import TABLE, people

pytestmark = pytest.mark.claim("C136")

TWENTIETH = Fraction(1, 20)
ROWS = [{"ward": n % 5, "sex": n % 2, "age": n % 90, "pay": n % 70} for n in range(400)]
PEOPLE = dp.table(
    ROWS,
    name="people",
    unit="row",
    columns={
        "age": dp.bounds(0, 100, step=1, missing=0),
        "pay": dp.bounds(0, 100, step=1, missing=0),
    },
    keys={"ward": range(5), "sex": [0, 1]},
)
ASKED = [
    dp.count(by="ward", within=9),
    dp.histogram("age", by="sex", bins=7, within=12),
    dp.mean(["age", "pay"], by="ward", within=4, rows=200),
    dp.mean("age", by="sex", within=2, rows=300),
]
GROUPS = [(5, 1), (14, 1), (5, 2), (2, 1)]  # with noise of their own, and how many numbers in each


def whole(**terms):
    return dp.plan(PEOPLE, *ASKED, together=True, **terms)


def hold(level):
    """The chance that all hold at once, at least, where each number misses with a level."""
    return prod((1 - size * level) ** count for count, size in GROUPS)


def test_one_chance_for_each_number_is_what_the_exact_product_leaves():
    """(1 - d t)^n over all questions is 1 - alpha, and hardly more."""
    plan = whole()
    (level,) = {plan.level(line) for line in plan.lines}

    assert [numbers_of(n.statistic, PEOPLE, n.aggregates) for n in plan.lines] == GROUPS
    assert hold(level) >= 1 - TWENTIETH
    assert hold(level * (1 + Fraction(1, 10**9))) < 1 - TWENTIETH


def test_a_plan_that_holds_together_is_widened_as_far_as_it_takes():
    """Its questions have vectors of their own, whose price the factor must follow."""
    plan = dp.plan(people(), *TABLE[5][0], together=True)
    spend = dp.zcdp(plan.cost.rho / 4)
    apart = dp.plan(people(), *TABLE[5][0])

    assert all(line.shared is None for line in plan.lines)
    assert any(line.shared for line in apart.lines)  # else this asks nothing
    assert plan.widened(spend).cost.fits(spend)


def test_wanted_errors_are_kept_all_at_once():
    """At more loss than each by itself, and for less than if chances were added up."""
    plan, alone = whole(), dp.plan(PEOPLE, *ASKED, share=False)

    assert all(plan.goal(line).kept(line.laws) for line in plan.lines)
    assert alone.cost.rho < plan.cost.rho
    assert all(line.shared is None for line in plan.lines)
    numbers = sum(count * size for count, size in GROUPS)
    added = dp.plan(PEOPLE, *ASKED, alpha=TWENTIETH / numbers, share=False)
    assert plan.cost.rho <= added.cost.rho
    assert not any(
        alone.lines[n].statistic.expected(PEOPLE, alone.lines[n].laws, plan.level(line)).half_width
        <= line.statistic.expected(PEOPLE, line.laws, plan.level(line)).half_width
        for n, line in enumerate(plan.lines)
    )


@pytest.mark.slow
def test_all_numbers_of_a_plan_hold_at_once():
    """300 rehearsals: all true numbers lie in their intervals as often as alpha says.

    With N = 300 and a chance of 0.95 fewer than 270 hold in one run of 13,000; were each held by
    itself, about 40 would.
    """
    plan = dp.plan(
        PEOPLE,
        dp.count(by="ward"),
        dp.histogram("age", by="sex", bins=7),
        dp.count_units(by=["ward", "sex"]),
        together=True,
        spend=dp.zcdp(1),
    )
    coins = np.random.default_rng(136)
    held = 0
    widths = [(line.laws[0], plan.level(line)) for line in plan.lines]
    halves = [law.half_width(level) for law, level in widths]
    sizes = [line.aggregates[0].size(PEOPLE) for line in plan.lines]
    for _ in range(300):
        draws = [
            law.draws(size, Coins(coins)) for (law, _), size in zip(widths, sizes, strict=True)
        ]
        held += all(abs(d).max() <= half for d, half in zip(draws, halves, strict=True))

    assert held >= 270


class Coins:
    """Bytes for a simulation."""

    def __init__(self, source):
        self.source = source

    def bytes(self, n):
        return self.source.bytes(n)


def test_a_level_for_one_question_alone_is_caught():
    """The checks have power: with the level of its own groups alone, all at once miss too often."""
    plan = whole()
    own = dp.plan(PEOPLE, dp.count(by="ward", within=9, together=True))
    (line,) = own.lines

    assert (1 - own.level(line)) ** 5 >= 1 - TWENTIETH
    assert hold(own.level(line)) < 1 - TWENTIETH
    assert plan.level(plan.lines[0]) < own.level(line)


@pytest.mark.slow
def test_it_is_said_written_down_and_verified(tmp_path):
    """In the plan, its digest, the release, the report and the page; without it nothing verifies."""
    plan = whole()
    release = dp.run(plan, ledger=dp.ledger(tmp_path / "l", budget=dp.zcdp(9)))
    release.save(tmp_path / "r")
    said = "All intervals hold at once with probability at least 0.95."
    place = tmp_path / "r" / "release.json"

    assert said in str(plan)
    assert said in str(release)
    assert "Each interval by itself" not in str(plan)
    assert "hold at once that often" in (tmp_path / "r" / "report.html").read_text("utf-8")
    assert "Any of all intervals misses" in page_of(plan)
    assert plan_of(plan.plain()) == plan
    assert plan.digest != dp.plan(PEOPLE, *ASKED, spend=plan.spend).digest
    assert dp.verify(tmp_path / "r", ledger=tmp_path / "l").checks
    forged = json.loads(place.read_text())
    del forged["plan"]["together"]
    place.write_text(json.dumps(forged, sort_keys=True, separators=(",", ":")))
    with pytest.raises(VerifyError):
        dp.verify(place)


def test_a_plan_file_says_it(tmp_path):
    """`together = true` above the first part."""
    (tmp_path / "p.csv").write_text("ward,age\n1,2\n")
    text = """together = {together}
[data]
source = "p.csv"
unit = "row"
[keys]
ward = ["1", "2", "3"]
[spend]
rho = "1/50"
[[ask]]
statistic = "count"
by = "ward"
"""
    plans = {}
    for together in ("true", "false"):
        file = tmp_path / f"{together}.toml"
        file.write_text(text.format(together=together))
        plans[together] = read_plan_file(file).plan

    assert plans["true"].together
    assert not plans["false"].together
    assert plans["true"].level(plans["true"].lines[0]) < TWENTIETH
    (tmp_path / "bad.toml").write_text(text.format(together='"yes"'))
    with pytest.raises(InputError, match="together"):
        read_plan_file(tmp_path / "bad.toml")


def test_the_least_epsilon_and_the_common_factor_honour_it():
    """For a delta, and where it does not fit."""
    plan = whole(delta="1e-6")
    assert all(plan.goal(line).kept(line.laws) for line in plan.lines)
    less = total(whole().costs).times(Fraction(1, 2))
    with pytest.raises(InputError, match="times as wide") as refused:
        whole(spend=less)
    assert Fraction(refused.value.fix.split("within= ")[1].split(" ")[0]) > 1
    widened = whole().widened(less.few_down())
    assert all(widened.goal(line).kept(line.laws) for line in widened.lines)
    assert widened.together


def test_what_shares_noise_is_refused_in_a_whole_plan():
    """A quantile's numbers are made of the same ones; keys that are found are not counted before."""
    with pytest.raises(InputError, match="cannot be asked together") as refused:
        dp.plan(PEOPLE, dp.count(), dp.median("age", bins=5), spend=dp.zcdp(1), together=True)
    assert "each of the other questions" in refused.value.fix
    with pytest.raises(InputError, match="neither true nor false"):
        dp.plan(PEOPLE, dp.count(), spend=dp.zcdp(1), together="yes")


def test_how_many_rows_a_mean_is_of_is_said_to_hold_by_itself():
    """It is told beside the mean, and is none of the numbers that hold at once."""
    for question, by_itself in ((dp.count(by="ward"), False), (dp.mean("age", by="ward"), True)):
        plan = dp.plan(PEOPLE, question, together=True, spend=dp.zcdp(1))
        for said in (str(plan), str(dp.rehearse(plan))):
            assert ("each by itself" in " ".join(said.split())) == by_itself
