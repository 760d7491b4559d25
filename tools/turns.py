"""How long `make test` takes at each turn: `python tools/turns.py RUN.txt [CASES.txt ...]`.

The first file is what a whole run printed, the others what runs of cases beside it printed, all
with `--durations 0 --durations-min 0`.

Rules of this tool:
- a case that nobody measured takes as long as those of its test that were;
- both workers are busy to the end, once each has collected;
- what the whole run took beside what it printed is spread over all cases alike.

Decision 131.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path
from statistics import fmean

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from shares import group_of, left_out  # noqa: E402 - tests lie beside the tools

SHARE, WORKERS = 20, 2
COLLECTING = 25.0  # seconds of each worker, before the first test
TIMED = re.compile(r"^([\d.]+)s (?:call|setup|teardown) +(\S.*)$", re.MULTILINE)
HIDDEN = re.compile(r"^\(\d+ durations < \S+ hidden", re.MULTILINE)
WHOLE = re.compile(r"(?:(\d+) failed, )?(\d+) passed.* in ([\d.]+)s")


class _Collected:
    """A plugin that keeps what pytest collects."""

    items: list[pytest.Item]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.items = session.items


def main() -> int:
    """Print the seconds of each turn, and what is dearest of the dearest one."""
    if len(sys.argv) < 2:
        print("name what a run printed: python tools/turns.py RUN.txt")
        return 2
    texts = [Path(name).read_text("utf-8") for name in sys.argv[1:]]
    if HIDDEN.search(texts[0]):
        print("the run hides short cases: let it print them, with --durations-min 0")
        return 2
    collected = _Collected()
    pytest.main(["--collect-only", "-qq", str(ROOT / "tests")], plugins=[collected])
    took = guessed(collected.items, seconds_of("\n".join(texts)))
    each = beside(texts[0])
    turns = {turn: seconds(took, turn, each) for turn in range(SHARE)}
    for turn, whole in turns.items():
        print(f"turn {turn:2}: {whole:5.0f} s")
    print(f"the dearest: {max(turns.values()):.0f} s, all: {fmean(turns.values()):.0f} s")
    for file, whole in dear(took)[:40]:
        print(f"{whole:6.1f} s of both workers at a turn: {file}")
    return 0


def seconds_of(text: str) -> dict[str, float]:
    """Return what each case took that a run prints, with its fixtures."""
    seconds: dict[str, float] = defaultdict(float)
    for took, case in TIMED.findall(text):
        seconds[case] += float(took)
    return seconds


def beside(text: str) -> float:
    """Return what each case of a whole run took beside what the run printed, in seconds."""
    failed, passed, whole = WHOLE.findall(text)[-1]
    rest = WORKERS * (float(whole) - COLLECTING) - sum(seconds_of(text).values())
    return max(0.0, rest) / (int(failed or 0) + int(passed))


def guessed(items: list[pytest.Item], seconds: dict[str, float]) -> dict[pytest.Item, float]:
    """Return what each case takes; one that was not measured, as long as others of its group."""
    groups = defaultdict(list)
    for item in items:
        if item.nodeid in seconds:
            groups[group_of(item)].append(seconds[item.nodeid])
    usual = {group: fmean(took) for group, took in groups.items() if group}
    return {item: seconds.get(item.nodeid, usual.get(group_of(item), 0.0)) for item in items}


def seconds(took: dict[pytest.Item, float], turn: int, each: float) -> float:
    """Return how long a turn takes."""
    away = left_out(list(took), SHARE, turn)
    mine = sum(each + spent for item, spent in took.items() if item not in away)
    return COLLECTING + mine / WORKERS


def dear(took: dict[pytest.Item, float]) -> list[tuple[str, float]]:
    """Return the files with what they take at a turn on the whole, the dearest first."""
    files: dict[str, float] = defaultdict(float)
    for turn in range(SHARE):
        away = left_out(list(took), SHARE, turn)
        for item in took.keys() - away:
            files[item.nodeid.partition("::")[0]] += took[item] / SHARE
    return sorted(files.items(), key=lambda pair: -pair[1])


if __name__ == "__main__":
    sys.exit(main())
