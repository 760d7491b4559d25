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
    """What is told at each step, and what Spark logs before and after it fails on a cell itself.

    Each log is what it says of itself at INFO, and the events of its queries with their plans.
    """
    child = Path(__file__).with_name("spark_that_stops.py")
    made = spark_apart(child, tmp_path_factory.mktemp("spark"))
    log, _, after = made.stderr.partition("now it may be shown")
    told, events = json.loads(made.stdout.splitlines()[-1])
    return told, log + events["events"], after + events["shown"]


@pytest.mark.exhaustive
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
def test_no_log_shows_a_cell(ended):
    """Whatever ended, and where keys are looked for; a query that fails on the cell shows it there.

    Literals of filters stand there, and how many rows a step had, as docs/limits.md says.
    """
    _, log, after = ended

    assert " INFO " in log
    assert "SparkListenerSQLExecutionStart" in log
    assert "< 5.0" in log
    assert "number of output rows" in log
    assert not any(canary in log for canary in CANARIES)
    assert CANARIES[0] in after
