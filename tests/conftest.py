"""Makes the modules beside this file importable from every test: `from coins import Tape`.

The keys of fingerprints that belong to no folder of data go to a folder of the test session, never
to the user's own; processes that a test starts inherit it.

Hypothesis takes the same examples each time and never looks at the clock, so that no test fails by
chance or because a machine is busy; `pytest --hypothesis-profile=explore` draws new ones.

A shell starts what runs in its background with Ctrl-C ignored, and children inherit that: tests that
press it hear it all the same.
"""

import os
import signal
import tempfile

from hypothesis import HealthCheck, Phase, settings

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="discreet-tests-")
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
    """`pytest --claim C07` runs the tests that bear that claim's mark alone."""
    parser.addoption("--claim", help="run the tests that try to break this claim alone")


def pytest_collection_modifyitems(config, items):
    claim = config.getoption("--claim")
    if claim:
        bears = [any(claim in m.args for m in item.iter_markers("claim")) for item in items]
        config.hook.pytest_deselected(items=[i for i, b in zip(items, bears, strict=True) if not b])
        items[:] = [i for i, b in zip(items, bears, strict=True) if b]
