"""Makes the modules beside this file importable from every test: `from coins import Tape`.

What discreet remembers for its user (keys of fingerprints, anchors of ledgers) goes to a folder of the
test's own, never to the user's; processes that a test starts inherit it. Where memory has room, that
folder and those of tests lie in it: a disk lets each charge wait until it is kept.

Hypothesis takes the same examples each time and never looks at the clock, so that no test fails by
chance or because a machine is busy; `pytest --hypothesis-profile=explore` draws new ones.

Cases of a test that is marked `exhaustive` ask the same thing again and again: `make test` runs one of
twenty of them (one at least), the next one at the next commit, so that twenty commits in a row run them
all; `make nightly` runs all at once. Planted faults bear no such mark.

A shell starts what runs in its background with Ctrl-C ignored, and children inherit that: tests that
press it hear it all the same.

NumPy multiplies matrices in one thread: here they are small, and a second thread waits for work by
turning round and round, on the core where the other worker has its tests.

While tests are collected nothing is garbage, and what was collected never is: Python would look through
it again and again, a third of the time that collecting takes. Later it looks seldom: at what tests
make, a twelfth of their time went into that.

Decisions 124, 131, 160.
"""

import gc
import itertools
import os
import shutil
import signal
import tempfile

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is loaded, and for children

import pytest
from hypothesis import HealthCheck, Phase, seed, settings

from shares import left_out, turn

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
ROOM = 4 << 30  # what all tests together leave behind for a moment is a tenth of that
STATE = os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="discreet-tests-", dir=MEMORY)
if MEMORY and shutil.disk_usage(MEMORY).free > ROOM:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", MEMORY)
TURNS = itertools.count()
SELDOM = 20_000  # new objects from one look for garbage to the next; Python's own is 700
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", UNTIMED)
settings.register_profile("steady", UNTIMED, derandomize=True)
settings.register_profile(  # for `make mutants`: the first example that fails will do
    "mutants",
    settings.get_profile("steady"),
    phases=(Phase.explicit, Phase.generate),
    report_multiple_bugs=False,
)
settings.load_profile("steady")


def pytest_addoption(parser):
    """`--claim C07` runs the tests that bear that claim's mark alone; `--share 20` is `make test`."""
    parser.addoption("--claim", help="run the tests that try to break this claim alone")
    parser.addoption("--share", type=int, default=1, help="of exhaustive cases run one of so many")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup():
    os.environ["XDG_STATE_HOME"] = os.path.join(STATE, str(next(TURNS)))


def pytest_unconfigure():
    shutil.rmtree(STATE, ignore_errors=True)


def pytest_collection():
    gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish():
    gc.freeze()
    gc.set_threshold(SELDOM)
    gc.enable()


def pytest_collection_modifyitems(config, items):
    claim, share = config.getoption("--claim"), config.getoption("--share")
    drawn = turn(share)
    away = set() if drawn is None else left_out(items, share, drawn)
    if claim:
        away |= {item for item in items if claim not in claims_of(item)}
    config.hook.pytest_deselected(items=[item for item in items if item in away])
    items[:] = [item for item in items if item not in away]


def claims_of(item):
    return {name for mark in item.iter_markers("claim") for name in mark.args}


@pytest.fixture
def part(request):
    """Which part of its random cases a test draws (`shares.in_parts`)."""
    seed(request.param)(request.function)


@pytest.fixture
def turns(request):
    """`turns(5)`: where in a long row of things a test begins, and how far it steps to the next.

    In `make test` five commits in a row take all of them, anywhere else one test does.
    """

    def of(most):
        share = min(most, request.config.getoption("--share"))
        drawn = turn(share)
        return (0, 1) if drawn is None else (drawn, share)

    return of
