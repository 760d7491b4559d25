"""`python -P server.py`: pytest in children of a process that has imported what most tests need.

Rules of this module:
- nothing of the checkout is imported here: each child imports the copy that it tries;
- a line of standard input is [folder, words, file for what is said, environment, seconds]; the
  answer is how pytest ended, or null where it was stopped.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import pytest

NEEDED = ("duckdb", "flint", "hypothesis.strategies", "numpy", "pyarrow")
_PAUSE = 0.02  # seconds between two looks at a child


def main() -> None:
    """Answer each line, until there are no more."""
    for name in NEEDED:
        import_module(name)
    for line in sys.stdin:
        print(json.dumps(_ran(*json.loads(line))), flush=True)


def _ran(
    root: str, words: Sequence[str], said: str, environment: dict[str, str], limit: float
) -> int | None:
    end, child = time.monotonic() + limit, os.fork()
    if not child:
        _become(Path(root), Path(said), environment)
        sys.exit(pytest.main([*words]))
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
        if time.monotonic() > end:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None
        time.sleep(_PAUSE)
    return os.waitstatus_to_exitcode(ended[1])


def _become(root: Path, said: Path, environment: dict[str, str]) -> None:
    """Make this process one that was started in the copy."""
    os.setsid()
    with said.open("wb") as file, Path(os.devnull).open("rb") as nothing:
        for taken, number in ((nothing, 0), (file, 1), (file, 2)):
            os.dup2(taken.fileno(), number)
    os.chdir(root)
    os.environ.update(environment)
    sys.path[:0] = [str(root), str(root / "src")]


if __name__ == "__main__":
    main()
