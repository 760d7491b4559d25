"""Poison on Postgres: strange cells move nothing too far and stop nothing; a planted fault is found."""

from dataclasses import dataclass

import pytest
from poison.cases import Share
from poison.servers import servers
from sqlglot import exp

from discreet.engine.postgres import dialect
from servers import dsn


@dataclass(frozen=True)
class Only(Share):
    """Cases whose name holds a text."""

    text: str = ""

    def has(self, name: str) -> bool:
        return self.text in name


@pytest.mark.claim("C83")
@pytest.mark.parametrize("fault", [False, True])
def test_a_cast_that_fails_on_a_cell_is_found(fault, monkeypatch):
    """A decimal of 400 digits, read by a plain cast, ends the count on the server."""
    dsn()
    if fault:
        monkeypatch.setattr(dialect, "_any_decimal", lambda cell: exp.cast(cell, "DOUBLE"))

    found = [*servers(Only(text="numeric as v, cell 1"))]

    assert any("failed after the charge" in one.what for one in found) == fault
    assert bool(found) == fault
