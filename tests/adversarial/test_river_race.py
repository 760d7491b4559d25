"""Thirty-two processes run real rivers for the last of one budget."""

import pytest

from adversarial.river_children import served

RACERS = 32


@pytest.mark.claim("C12")
@pytest.mark.exhaustive("races of rivers")
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["rows", "parquet"])
def test_as_many_rivers_as_fit_are_answered_and_the_others_refused(kind, tmp_path):
    """Each wants a seventh of a budget of which three sevenths are left: three win."""
    found = served("race", tmp_path, kind, RACERS)

    assert sorted(found["codes"]) == [0] * (RACERS - 3) + [1] * 3
    assert (found["spent"], found["wrong"]) == ("1", [])
    assert found["kinds"] == {"charge": 7, "result": 7}


@pytest.mark.exhaustive("races of rivers")
@pytest.mark.claim("C12")
@pytest.mark.claim("C14")
@pytest.mark.slow
def test_rivers_with_one_request_store_one_answer(tmp_path):
    """They may pay up to three times, never more than is left; one text is stored for all."""
    found = served("race", tmp_path, "rows", RACERS, "same")

    charges = found["kinds"]["charge"]
    assert set(found["codes"]) <= {0, 1}
    assert sum(found["codes"]) >= 1
    assert 5 <= charges <= 7
    assert found["kinds"]["result"] == 5
    assert found["wrong"] == []


@pytest.mark.slow
def test_rivers_with_a_copy_of_the_ledger_each_are_caught(tmp_path):
    """The race has power: where nothing holds the racers together, all of them win."""
    found = served("race", tmp_path, "rows", RACERS, "copies")

    assert found["codes"] == [1] * RACERS
