"""How soon an audit finds planted faults: `python -m bench.audited_faults [ENGINE] [FAULT ...]`.

`AUDIT_SECONDS` is how long each may take, 60 by default: on a busy machine servers need more.

Each fault is planted alone and audited: on the reference all of `tests/adversarial/planted.py`; on
`duckdb`, `postgres` and `spark` those whose layer meets the engine, with those of its queries
(`planted_in_sql.py`). It prints a row of the table in docs/audit.md for each: the layer, seconds of
CPU of this process and of all that it started (Spark's Java; a server of Postgres is not among
them), and seconds by the clock. It ends with 1 where one is missed. CPU is read from `/proc`.
"""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

import pytest

from discreet.audit.audit import audit

sys.path.append(str(Path(__file__).parents[1] / "tests"))

_BEFORE = {"declaration", "law, exact", "law, drawn", "ledger"}  # layers that meet no engine
_ALONE = {"joint intervals too short", "an owner table that is the facts"}


def planted(engine: str) -> tuple[dict[str, Any], str]:
    """The faults that are planted on an engine, and where it is."""
    from adversarial.planted import FAULTS
    from adversarial.planted_in_sql import IN_SQL

    if engine == "memory":
        return dict(FAULTS), ""
    import servers

    if engine == "spark":
        servers.spark()
    here = {
        name: of for name, of in FAULTS.items() if of.layer not in _BEFORE and name not in _ALONE
    }
    return {**here, **IN_SQL}, servers.dsn() if engine == "postgres" else ""


def cpu() -> float:
    """Seconds of CPU of this process, and of all that it started and that runs."""
    stats = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        stats[int(file.parent.name)] = int(fields[1]), sum(map(int, fields[11:15]))
    family, more = {os.getpid()}, {0}
    while more:
        more = {pid for pid, (parent, _) in stats.items() if parent in family} - family
        family |= more
    return sum(stats[pid][1] for pid in family) / os.sysconf("SC_CLK_TCK")


def main(engine: str, wanted: list[str]) -> int:
    """Plant and audit each, and print what was seen."""
    missed, (faults, address) = 0, planted(engine)
    seconds = float(os.environ.get("AUDIT_SECONDS", "60"))
    for name, fault in faults.items():
        if wanted and name not in wanted:
            continue
        with pytest.MonkeyPatch.context() as patch:
            fault.plant(patch)
            plan, used, start = fault.plan(), cpu(), monotonic()
            seen = audit(plan, engine=engine, seconds=seconds, address=address).fault
        missed += seen is None
        layer = "MISSED" if seen is None else seen.layer
        used, clock = cpu() - used, monotonic() - start
        case = "" if seen is None else seen.case
        print(f"| {name} | {engine} | {layer} | {used:.2g} | {clock:.2g} | {case}", flush=True)
    return min(missed, 1)


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        sys.exit(main(*(sys.argv[1:2] or ["memory"]), sys.argv[2:]))
