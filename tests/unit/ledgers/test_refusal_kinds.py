"""An error that is told again, with what stands of a charge, keeps its kind."""

import pytest

from discreet.errors import EngineError, InputError
from discreet.ledgers.refusal import Standing, told
from discreet.paths import taken


@pytest.mark.claim("C551")
def test_an_error_told_after_a_charge_keeps_its_kind(tmp_path):
    """It gets what stands of the charge, and nothing else changes."""
    error = EngineError("no.", kind="count-failed", why="so", fix="else")

    again = told(error, tmp_path / "a.ledger", lambda: Standing("open", 1))

    assert type(again) is EngineError
    assert again.kind == "count-failed"
    assert again.why.startswith("so; ")


@pytest.mark.claim("C551")
def test_what_is_there_already_is_of_one_kind():
    """Whichever class it is of."""
    assert taken("a", why="so", fix="b").kind == "place-taken"
    assert taken("a", why="so", fix="b", error=InputError).kind == "place-taken"
