"""The list of mutants fits the code, and the runner tells a test that sees from one that does not."""

from dataclasses import replace

import pytest
from mutants.__main__ import drawn, false_killers
from mutants.listed import ROOT, Mutant, claims, mutants
from mutants.trial import Verdict, failed, tried

CLAMPED = Mutant(
    claim="C02",
    name="a planted fault",
    file="src/discreet/exact/enclosure.py",
    old="ball(number).log(), _BITS + _guard(number))[1]",
    new="ball(number).log(), _BITS + _guard(number))[0]",
    by=("tests/unit/exact/test_number.py",),
)


def test_every_claim_has_a_mutant_of_its_own():
    """A claim whose tests were never seen to fail may have tests that see nothing."""
    assert claims() - {mutant.claim for mutant in mutants()} == set()


def test_every_mutant_names_a_claim_that_is_listed():
    """A typing slip must not hide a claim, nor may two mutants have one name."""
    names = [mutant.name for mutant in mutants()]

    assert {mutant.claim for mutant in mutants()} <= claims()
    assert len(set(names)) == len(names)


def test_what_a_mutant_replaces_is_there_once():
    """Where the code has changed, the mutant is to be changed with it."""
    named = {f"{m.claim} {m.name}": m for m in mutants()}

    assert [name for name, m in named.items() if m.patched(ROOT) is None] == []
    assert [
        (name, test)
        for name, m in named.items()
        for test in m.by
        if not (ROOT / test.partition("::")[0]).is_file()
    ] == []


@pytest.mark.slow
@pytest.mark.parametrize("share", [1, 3, 10])
def test_as_many_commits_as_there_are_shares_try_each_mutant_once(share):
    """CI tries one share a commit: nothing may be left out for good."""
    turns = [drawn(mutants(), share, turn) for turn in range(share)]

    assert sorted(m.name for turn in turns for m in turn) == sorted(m.name for m in mutants())
    assert drawn(mutants(), share, None) == mutants()


@pytest.mark.slow
def test_a_fault_is_killed_a_harmless_change_survives_and_a_stale_one_is_told():
    """The runner has power: it tries the copy, not the code that is installed."""
    harmless = replace(CLAMPED, new=f"{CLAMPED.old} + 0")
    broken = replace(CLAMPED, new=f"{CLAMPED.old} )")
    stale = replace(CLAMPED, old="this text is not there")

    words = [tried(one).word for one in (CLAMPED, harmless, broken, stale)]

    assert words == ["killed", "SURVIVED", "BROKEN", "STALE"]


@pytest.mark.slow
def test_a_test_that_fails_on_the_honest_code_kills_nothing():
    """What such a test says of a mutant it says of every code."""
    fails = Verdict(CLAMPED, "killed", "tests/unit/exact/test_number.py::test_that_is_not_there")
    passes = Verdict(
        CLAMPED,
        "killed",
        "tests/unit/exact/test_number.py::test_rounding_goes_to_the_side_it_names",
    )

    assert false_killers([passes]) == []
    assert false_killers([passes, fails]) != []


def test_a_case_whose_name_holds_the_sign_before_a_reason_is_told_whole():
    """A killer is run again by the name that pytest says."""
    said = [
        "FAILED tests/a.py::test_x - AssertionError: assert [1] == [2]",
        "FAILED tests/a.py::test_y[x > 0.06 - 0.01] - AssertionError: assert [1] == [2]",
        "FAILED tests/a.py::test_z[df['x'] - 1]",
        "ERROR tests/a.py",
    ]

    names = ["test_x", "test_y[x > 0.06 - 0.01]", "test_z[df['x'] - 1]"]
    assert failed("\n".join(said)) == [f"tests/a.py::{name}" for name in names]
