"""How long `import discreet` and the planning of many questions take."""

import statistics
import subprocess
import sys
from contextlib import suppress

import discreet as dp
from discreet.errors import InputError
from discreet.noise import mixture
from discreet.noise.discrete_gaussian import mu2_of_one_up
from discreet.plans.plan import Plan
from discreet.privacy import gdp
from discreet.privacy.loss import Loss

from .table import Section, got, median

KEYS = [f"k{number}" for number in range(1000)]
LOSSES = (dp.pure(1), dp.zcdp("1/50"), dp.approx(1, "1e-6"))
_FIRST = """
import sys, time
begun = time.process_time()
{code}
print(time.process_time() - begun, file=sys.stderr)
"""
_IMPORT = "import discreet as dp"
_PLANNED = """
table = dp.table("no-such-file.csv", unit="row", keys={"key": ["a", "b"]})
dp.plan(table, dp.count(by="key"), spend=dp.pure(1))
"""
_HELP = """
from contextlib import suppress
sys.argv = ["discreet", "--help"]
from discreet_command import main
with suppress(SystemExit):
    main()
"""
_IN_A_FRESH_PROCESS = {  # what is said of it, the code, and at most how many milliseconds
    "`import discreet`, in a fresh process": (_IMPORT, 50),
    "the same, and a first count declared and planned": (_IMPORT + _PLANNED, 400),
    "`discreet --help`, past Python's own start": (_HELP, 150),
}


def sections() -> list[Section]:
    """Return the table of planning and importing."""
    rows = []
    for loss in LOSSES:
        took = median(lambda loss=loss: twenty(loss), rounds=7)
        rows.append(
            [f"plan 20 statistics over 1,000 keys, {loss}", got(1e3 * took, "ms", most=100)]
        )
    took = median(wanted, rounds=7)
    rows.append(["the same with wanted errors, delta = 1e-6", got(1e3 * took, "ms", most=100)])
    took = median(refused, rounds=7)
    rows.append(["refusing them where they do not fit", got(1e3 * took, "ms", most=100)])
    for what, (code, most) in _IN_A_FRESH_PROCESS.items():
        took = statistics.median(_in_a_fresh_process(code) for _ in range(7))
        rows.append([what, got(1e3 * took, "ms", most=most)])
    about = (
        "No data is read; with (epsilon, delta), both laws are priced and the narrower is taken."
    )
    return [Section("Planning and importing", about, ("what", "time"), rows)]


def twenty(loss: Loss) -> Plan:
    """Plan twenty questions by key: a count, distinct units, nine means, nine sums."""
    table = dp.table(
        "no-such-file.parquet",
        unit=dp.unit("unit", max_rows=5),
        columns={f"x{number}": dp.bounds(0, 1000, step="0.01") for number in range(9)},
        keys={"key": KEYS},
    )
    values = [ask(f"x{number}", by="key") for ask in (dp.mean, dp.sum) for number in range(9)]
    return dp.plan(table, dp.count(by="key"), dp.count_units(by="key"), *values, spend=loss)


def refused() -> None:
    """Ask the same of a spend that does not buy it, and be told by how much it does not."""
    with suppress(InputError):
        wanted(spend=dp.approx("0.3", "1e-6"))


def wanted(**terms: Loss) -> Plan:
    """Plan a count, twelve means and seven sums by key, each with a wanted error, from nothing.

    What other plans have asked before is forgotten. Without terms, for a delta.
    """
    for known in (gdp.epsilon_up, gdp.mu2_down, mu2_of_one_up, mixture.tabled):
        known.cache_clear()
    columns = {f"x{number}": dp.bounds(0, 100, step=1) for number in range(12)}
    table = dp.table("no-such-file.parquet", unit="row", columns=columns, keys={"key": KEYS})
    means = [dp.mean(f"x{n}", by="key", within=1, rows=200 + n) for n in range(12)]
    sums = [dp.sum(f"x{n}", by="key", within=900 + n) for n in range(7)]
    return dp.plan(
        table, dp.count(by="key", within=20), *means, *sums, **(terms or {"delta": "1e-6"})
    )


def _in_a_fresh_process(code: str) -> float:
    done = subprocess.run(
        [sys.executable, "-c", _FIRST.format(code=code)], capture_output=True, text=True, check=True
    )
    return float(done.stderr)
