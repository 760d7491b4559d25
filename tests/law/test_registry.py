"""Every law of the register keeps every promise of the suite; a law nobody wrote tests for is tried."""

import pytest
from suite import cases, check_the_examples_are_enough

from discreet.noise.registry import LAWS


@pytest.mark.parametrize("made", LAWS.values(), ids=LAWS)
def test_a_law_brings_examples_that_try_it(made):
    check_the_examples_are_enough(made)


@pytest.mark.slow
@pytest.mark.claim("C04")
@pytest.mark.claim("C05")
@pytest.mark.claim("C06")
@pytest.mark.parametrize(
    ("check", "law"),
    [case for made in LAWS.values() for case in cases(made)],
    ids=lambda part: str(part) if hasattr(part, "plain") else part.__name__.removeprefix("check_"),
)
def test_a_listed_law_keeps_its_promises(check, law):
    check(law)
