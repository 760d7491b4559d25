"""Counts over 10^9 public cells of which 10^6 hold rows, beside counts over 10^6 cells alone.

Rules of this module:
- each is a process of its own, from declaring to the saved release: its CPU seconds and its memory;
- both count the same rows: they lie in 10^6 of 10^9 cells, and in all of 10^6;
- what is told sparsely is drawn anew each time: its time moves with how many cells noise lifts.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import discreet as dp

from .table import Cell, Section, got

ROWS, EACH = 1_000_000, 4  # cells that hold rows, and rows of each on average
AT_LEAST, MOST = 90, 100_000
LARGE = 1_000  # cells that hold 200 rows each
TIMES, MEMORY = 3.0, 2.0  # of the cells alone; GB
WAYS = {"sparse": "10^9 cells, 10^6 of them with rows, told sparsely", "alone": "the 10^6 alone"}


def sections() -> list[Section]:
    """Return the table of both ways."""
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder) / "rows.parquet")
        took = {way: _apart(folder, way) for way in WAYS}
    lines: list[list[Cell | str]] = []
    for way, name in WAYS.items():
        cpu, memory, shown = took[way]
        ratio = cpu / took["alone"][0]
        wanted = way == "sparse"
        lines.append(
            [
                name,
                f"{shown:,.0f}",
                got(cpu, "s"),
                got(ratio, most=TIMES) if wanted else got(ratio),
                got(memory, "GB", most=MEMORY) if wanted else got(memory, "GB"),
            ]
        )
    about = (
        f"A count by three columns of 1,000 keys, shown from {AT_LEAST} on, of {ROWS * EACH:,} "
        f"rows, and {LARGE * 200:,} more in {LARGE:,} cells, at rho = 0.0015 (sigma = 18.3); "
        "beside it the same rows by two columns. CPU seconds of a process from declaring to the "
        "saved release, and its peak memory."
    )
    columns = ("what", "shown", "CPU", "ratio", "peak")
    return [Section("Counts told sparsely", about, columns, lines)]


def _write(path: Path) -> None:
    """Write rows of three keys: of a cell number below 10^6, spread over 10^9 by a public map."""
    import duckdb

    duckdb.connect().execute(
        f"""COPY (
            SELECT (cell * 999983 + 7) % 1000000000 AS far, cell FROM (
                SELECT (hash(n) % {ROWS})::BIGINT AS cell FROM range({ROWS * EACH}) t(n)
                UNION ALL SELECT n % {LARGE} FROM range({LARGE * 200}) t(n)
            )
        ) TO '{path}'"""
    )


def release(folder: str, way: str) -> int:
    """Plan, run and save one way; return how many numbers are shown."""
    place = {"sparse": "far", "alone": "cell"}[way]
    keys: dict[str, Any] = {name: range(1000) for name in ("a", "b", "c")}
    by = [*keys] if way == "sparse" else ["b", "c"]
    rule = dp.publish(at_least=AT_LEAST, **({"most": MOST} if way == "sparse" else {}))
    made = {
        "a": f"floor({place} / 1000000)",
        "b": f"floor({place} / 1000) - 1000 * floor({place} / 1000000)",
        "c": f"{place} - 1000 * floor({place} / 1000)",
    }
    table = dp.table(f"{folder}/rows.parquet", unit="row", name="rows").derive(
        **{name: dp.derived(made[name], keys=keys[name]) for name in by}
    )
    plan = dp.plan(table, dp.count(by=by, publish=rule), spend=dp.zcdp("0.0015"))
    ledger = dp.ledger(f"{folder}/{way}.ledger", budget=dp.zcdp(1))
    made_release = dp.run(plan, ledger=ledger)
    made_release.save(f"{folder}/{way}.release")
    return len(made_release.document.statistics[0].answer.rows)


def _apart(folder: str, way: str) -> tuple[float, float, float]:
    """Return the CPU seconds, the gigabytes, and how many numbers are shown, of a process."""
    code = f"from bench.sparse import measured; measured({folder!r}, {way!r})"
    text = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=600
    ).stdout
    cpu, memory, shown = map(float, text.split())
    return cpu, memory, shown


def measured(folder: str, way: str) -> None:
    """Print what one way took, of this process."""
    start = time.process_time()
    shown = release(folder, way)
    taken = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(taken, peak, shown)


if __name__ == "__main__":
    for section in sections():
        print(section.markdown())
