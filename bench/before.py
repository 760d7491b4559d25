"""A bounded count beside an earlier state of this repository: `python -m bench.before FOLDER`.

FOLDER holds that state (`git archive REVISION | tar x -C FOLDER`). Both count the same Parquet file
of units by Zipf's law, with the same questions, each in processes of their own that take turns;
judged is the least CPU time of seven. The first bound without pruning was `0665936^`.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from .engine import UNIT_NAME, made

ROUNDS = 7
CODE = """
import sys
from bench.engine import bounded, cpu, ours, unit
count = ours(sys.argv[1], unit("unit"), *bounded())
print(cpu(count))
"""


def seconds(folder: Path, path: str) -> float:
    """The CPU seconds of a count by the code in a folder."""
    found = os.pathsep.join([str(folder / "src"), str(folder)])
    act = [sys.executable, "-P", "-c", CODE, path]
    told = {"PYTHONPATH": found, "DISCREET_THREADS": "1"}
    return float(subprocess.check_output(act, env=os.environ | told, text=True))


def main(folder: Path, rows: int) -> None:
    here = Path(__file__).parents[1]
    with tempfile.TemporaryDirectory() as made_in:
        path = made(made_in, rows)
        taken = [(seconds(folder, path), seconds(here, path)) for _ in range(ROUNDS)]
    before, now = (min(both) for both in zip(*taken, strict=True))
    print(f"{UNIT_NAME}, {rows:,} rows: {now:.2f} s, before {before:.2f} s, {now / before:.2f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(float(sys.argv[2])) if len(sys.argv) > 2 else 10_000_000)
