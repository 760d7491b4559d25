"""How soon an audit finds planted faults: `python -m bench.audited_faults [ENGINE] [FAULT ...]`.

Each fault of `tests/adversarial/planted.py` is planted alone and audited on the reference; on
`duckdb` and `spark` those of the queries (`planted_in_sql.py`) are. It prints a row of the table in
docs/audit.md for each: the layer, seconds of CPU, and seconds by the clock. It ends with 1 where
one is missed.
"""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, process_time
from typing import Any

import pytest

from discreet.audit.audit import audit

sys.path.append(str(Path(__file__).parents[1] / "tests"))


def planted(engine: str) -> dict[str, Any]:
    """The faults that are planted on an engine."""
    if engine == "memory":
        from adversarial.planted import FAULTS

        return dict(FAULTS)
    from adversarial.planted_in_sql import IN_SQL

    if engine == "spark":
        import servers

        servers.spark()
    return dict(IN_SQL)


def main(engine: str, wanted: list[str]) -> int:
    """Plant and audit each, and print what was seen."""
    missed = 0
    for name, fault in planted(engine).items():
        if wanted and name not in wanted:
            continue
        with pytest.MonkeyPatch.context() as patch:
            fault.plant(patch)
            plan, used, start = fault.plan(), process_time(), monotonic()
            seen = audit(plan, engine=engine, seconds=60).fault
        missed += seen is None
        layer = "MISSED" if seen is None else seen.layer
        cpu, clock = process_time() - used, monotonic() - start
        print(f"| {name} | {engine} | {layer} | {cpu:.2g} | {clock:.2g} |", flush=True)
    return min(missed, 1)


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        sys.exit(main(*(sys.argv[1:2] or ["memory"]), sys.argv[2:]))
