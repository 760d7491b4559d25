"""A Spark session that ends at each step: the message says what was charged, the log no cell.

`make spark` runs it.
"""

import json
from pathlib import Path

import pytest

from servers import spark_apart

pytestmark = pytest.mark.slow
CANARIES = ["CANARY-7f3a", "917265403881", "9.17265403881E11"]


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """What is told at each step, and what Spark logs before and after it fails on a cell itself."""
    child = Path(__file__).with_name("spark_that_stops.py")
    made = spark_apart(child, tmp_path_factory.mktemp("spark"))
    log, _, after = made.stderr.partition("now it may be shown")
    return json.loads(made.stdout.splitlines()[-1]), log, after


@pytest.mark.claim("C85")
@pytest.mark.parametrize("step", ["none", "look", "check", "count"])
def test_a_session_that_ends_before_a_step(ended, step):
    """The look at the frame, the query that is understood, the count: the last is charged."""
    shown, left = ended[0][step]

    assert not any(canary in shown for canary in CANARIES)
    if step in ("look", "check"):
        assert "its session has ended" in shown
        assert "nothing was charged" in shown
        assert left == "rho = 1"
    else:
        assert ("charge 1 stays spent" in shown) == (step == "count")
        assert left == "rho = 0.9"


@pytest.mark.claim("C85")
def test_the_log_of_the_driver_shows_no_cell(ended):
    """Whatever ended; a query of Spark's own that fails on the cell does show it there."""
    _, log, after = ended

    assert "Spark" in log
    assert not any(canary in log for canary in CANARIES)
    assert CANARIES[0] in after
