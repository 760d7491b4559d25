"""Noise of real releases: each number has its own, and an honest plan raises no alarm.

False alarms: once in a million times for each plan that is looked at.
"""

import pytest

import discreet as dp
from adversarial.planted import bare_end, one_seed, one_start, people, seed_again, two_counts, usual
from discreet.audit.laws import ALARM, log
from discreet.audit.released import noises_of
from discreet.audit.sources import placed
from discreet.audit.worlds import layout_of

PLANS = {
    "one number": lambda: usual(dp.count()),
    "vectors": usual,
    "Gaussian": lambda: usual(spend=dp.zcdp("1/8")),
    "shared": lambda: dp.plan(
        people(), dp.count(by="ward", within=9), dp.sum("cost", by="ward", within=900), kind="zcdp"
    ),
    "joined": lambda: dp.plan(
        people().joined(dp.owner("owners.csv", on="visit", gives=["who"])),
        dp.count(by="ward"),
        spend=dp.pure(1),
    ),
    "many cells": lambda: usual(dp.count(by="ward"), wards=range(500)),
}


def looked_at(plan):
    with placed("memory") as place:
        return noises_of(plan, layout_of(plan), place, 0.05, plan.cost)


@pytest.mark.claim("C575")
@pytest.mark.parametrize("name", PLANS)
def test_honest_noise_is_no_evidence(name):
    """Of one number, of many, of vectors that share noise, of rows that hang on the salt."""
    seen = looked_at(PLANS[name]())

    assert seen.evidence < log(ALARM)
    assert seen.runs >= 200


def test_noise_that_is_not_seen_is_not_looked_at():
    """A choice alone adds none."""
    asked = dp.top_k("ward", 1)

    assert looked_at(usual(asked)) is None


FAULTS = {
    bare_end: "number 3 of vector",
    one_start: "of vector 1 and of number",
    one_seed: "",
    seed_again: "has the sign that it had before",
}


@pytest.mark.claim("C575")
@pytest.mark.parametrize("fault", FAULTS)
def test_noise_that_numbers_share_or_lack_is_seen_and_named(fault, monkeypatch):
    """That two hundred releases do not show it has a chance far below 1e-6."""
    fault(monkeypatch)

    seen = looked_at(two_counts())

    assert seen.evidence > log(ALARM)
    assert FAULTS[fault] in seen.wrong
