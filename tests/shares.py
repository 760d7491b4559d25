"""Which cases of exhaustive tests `make test` runs: a share that the commit's hash draws."""

import subprocess
from collections import defaultdict
from functools import cache
from pathlib import Path


@cache
def commit():
    """The commit that is tested; nothing where this is no checkout, as in a trial of a mutant."""
    asked = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()


def turn(share):
    """Return which of so many shares the commit's hash draws; None where there is no commit."""
    return int(commit(), 16) % share if commit() else None


def left_out(items, share, turn):
    """Return the cases of exhaustive tests that this turn does not run: one a test is run at least."""
    cases = defaultdict(list)
    for item in items:
        if item.get_closest_marker("exhaustive"):
            cases[item.nodeid.partition("[")[0]].append(item)
    return {
        item
        for same in cases.values()
        for at, item in enumerate(same)
        if at % min(share, len(same)) != turn % min(share, len(same))
    }
