"""Bets on known chances: a wrong chance is seen, and a right one is not.

False alarms: once in a million times, for each object that is looked at (Ville's inequality).
"""

from random import Random

import numpy as np
import pytest

from discreet.audit.bets import Bets

ALARM = np.log(1e6)


def after(chances, true, runs, seed=1):
    """Bets that have seen so many runs, of events with their true chances."""
    chance, bets = Random(seed), Bets(chances)
    for _ in range(runs):
        bets.add(np.array([chance.random() < p for p in true]), np.ones(len(true)))
    return bets.evidence()


def test_right_chances_are_no_evidence():
    """Decided by a seed: of fifty looks, for a thousand runs."""
    chances = [(at + 1) / 51 for at in range(50)]

    evidence, _ = after(chances, chances, 1_000)

    assert evidence < ALARM


@pytest.mark.claim("C575")
@pytest.mark.parametrize(("true", "runs"), [(1.0, 60), (0.0, 60), (0.7, 600)])
def test_one_wrong_chance_of_many_is_seen_and_named(true, runs):
    """An event that always comes, never, or more often than it should."""
    evidence, look = after([0.5] * 200, [0.5] * 120 + [true] + [0.5] * 79, runs)

    assert evidence > ALARM
    assert look == 120


@pytest.mark.claim("C575")
def test_the_mean_of_the_evidence_is_one():
    """Exactly, over all that can come of a few runs: so no alarm comes more often than it says."""
    chances, mean = [0.3, 0.5], 0.0
    for number in range(2**6):
        bits = np.array([number >> at & 1 for at in range(6)]).reshape(3, 2)
        bets = Bets(chances)
        for hits in bits:
            bets.add(hits, np.ones(2))
        weight = np.prod(np.where(bits, chances, 1 - np.array(chances)))
        mean += weight * np.exp(bets.evidence()[0])

    assert mean == pytest.approx(1, abs=1e-12)


def test_what_nearly_always_comes_is_left_out():
    """A chance that is 0 or 1 by its digits has no ratio."""
    bets = Bets([0.0, 1.0])
    bets.add(np.array([1, 0]), np.ones(2))

    assert bets.evidence()[0] == 0
    assert Bets([]).evidence() == (0.0, 0)
