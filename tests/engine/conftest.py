"""Each test here runs once more without what only makes engines faster, and finds the same integers.

By default so does one test of SHARE, whose turn it is at this commit: another part at each, all of
them in SHARE commits in a row. With NIGHTLY=1 in the environment all do. A test that looks at a faster
way itself is marked `of_speed`, and runs once.
"""

import os

import pytest

from discreet.engine.duckdb.faster import first_rows
from discreet.engine.postgres.connection import PostgresConnection
from discreet.engine.sql.faster.speed import SLOW
from engine.speeds import at
from shares import first_turn, turn

SHARE = 21  # no divisor in common with the turns of cases: each case meets each turn


def is_drawn(name, turn):
    """Whether a test runs once more, by its name and the turn of a commit; None where there is none."""
    if os.environ.get("NIGHTLY") == "1":
        return True
    return turn is not None and (first_turn(name) + turn) % SHARE == 0


def pytest_generate_tests(metafunc):
    name = f"{metafunc.module.__name__}.{metafunc.function.__name__}"
    is_of_speed = metafunc.definition.get_closest_marker("of_speed") is not None
    if not is_of_speed and is_drawn(name, turn(SHARE)):
        metafunc.parametrize("speed", ["full", "unaided"], indirect=True)


@pytest.fixture(autouse=True)
def _small_ones_are_pruned(monkeypatch):
    """Few rows are pruned as many are, so that what prunes is tried by every test here."""
    monkeypatch.setattr(first_rows, "_SMALL", 0)
    monkeypatch.setattr(PostgresConnection, "has_large_units", lambda *_: True)


@pytest.fixture(autouse=True)
def speed(request):
    """As fast as engines are, or with nothing that makes them faster."""
    if getattr(request, "param", "full") == "full":
        yield
        return
    with at(SLOW):
        yield
