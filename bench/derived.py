"""Numbers made of 100,000 released ones: shares and ratios, with their intervals.

Rules of this module:
- counts follow a power law, so that many are near the size at which a ratio is shown;
- the CPU seconds of the call alone; numbers of one release are not cached between calls.
"""

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import discreet as dp

from .table import Cell, Section, got, seconds

CELLS, ROWS, WANTED = 100_000, 1_000_000, 1.0  # seconds
COUNTED, ADDED = "count by key", "sum x by key"


def sections(cells: int = CELLS, rows: int = ROWS) -> list[Section]:
    """Return the table of derived numbers."""
    lines: list[list[Cell | str]] = []
    for law, spend in (("discrete Gaussian", dp.zcdp(1)), ("discrete Laplace", dp.pure(1))):
        with tempfile.TemporaryDirectory() as folder:
            release = _released(Path(folder), spend, cells, rows)
        acts: dict[str, Callable[[], object]] = {
            "shares of all": partial(release.share, COUNTED),
            "ratios of sums to counts": partial(release.ratio, ADDED, COUNTED),
            "ratios that hold together": partial(release.ratio, ADDED, COUNTED, together=True),
        }
        for name, act in acts.items():
            act()  # what is imported once
            lines.append([f"{cells:,} {name}, {law}", got(seconds(act), most=WANTED)])
    about = "CPU seconds past the first call, which imports; one thread."
    return [Section("Derived numbers", about, ("what", "CPU s"), lines)]


def _released(folder: Path, spend: Any, cells: int, rows: int) -> Any:
    """Return a release of a count and a sum by key; the data follows from a seed."""
    import numpy as np
    import pandas as pd

    luck = np.random.default_rng(36)
    keys = np.minimum((luck.pareto(0.7, rows) * 30).astype(int), cells - 1)
    table = dp.table(
        pd.DataFrame({"key": keys, "x": luck.integers(0, 100, rows)}),
        unit="row",
        columns={"x": dp.bounds(0, 100, step=1)},
        keys={"key": range(cells)},
        name="data",
    )
    plan = dp.plan(table, dp.count(by="key"), dp.sum("x", by="key"), spend=spend)
    return dp.run(plan, ledger=dp.ledger(folder / "ledger", budget=spend))
