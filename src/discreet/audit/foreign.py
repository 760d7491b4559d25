"""Another program on made-up tables: what its printed numbers tell of one unit, by drawing alone.

Rules of this module:
- nothing of the program is known: no layer is exact, and an audit that finds nothing shows little;
- it is started without a shell, on a file of made-up rows, with a limit of time.

Decision 120.
"""

import re
import shlex
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from ..errors import EngineError, InputError, as_given
from ..plans.plan import Plan
from . import sampled
from .audit import Audit, AuditFault, Check
from .sources import Place, as_they_are, placed
from .worlds import Layout, Neighbors, World, layout_of, pair_of

_PAIRS = (0, 1, 7)  # of the families by which a unit moves most
_WAIT = 60  # seconds
_LEAST = 75  # runs, of which the tested ones can tell epsilon = 1
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")

Numbers = tuple[float, ...]


def audit_command(plan: Plan, command: str, *, seconds: float) -> Audit:
    """Run another program on made-up neighbors, and bound what its numbers tell.

    Args:
        plan: what the program claims to keep: its table, unit and loss.
        command: its words, with {csv} for the file of rows and {out}, if it writes one, for that.
        seconds: how long, about.

    Raises:
        InputError: the words have no {csv}, or the plan joins tables.
        EngineError: the program does not run, or prints no number.
    """
    words = _words(plan, command)
    started, result = monotonic(), Audit(claimed=f"{plan.spend}, of {command}")
    result.unchecked += [
        "anything exactly: of a program that prints numbers only what is drawn is seen",
        "timing, messages, and what it does with other rows than these",
    ]
    layout, each = layout_of(plan), seconds / len(_PAIRS)
    with placed("duckdb") as place, TemporaryDirectory(prefix="discreet-audit-") as folder:
        for number in _PAIRS:
            pair = pair_of(layout, number)
            bound = _bound(words, layout, pair, place, Path(folder), each)
            if result.fault is None and bound.above(plan.spend):
                result.fault = AuditFault("whole runs", bound.fault(plan.spend), sure=False)
            result.checks.append(
                Check("whole runs", f"on pair {number}, {bound.words(plan.spend)}")
            )
    result.seconds = monotonic() - started
    return result


def _words(plan: Plan, command: str) -> list[str]:
    with suppress(ValueError):
        words = shlex.split(command)
        if any("{csv}" in word for word in words) and not plan.table.joins:
            return words
    raise InputError(
        f"command = {as_given(command)} cannot be audited.",
        kind="audit-setup",
        why="it is started on one file of made-up rows, whose place stands for {csv}; a plan of "
        "joined tables has several",
        fix="write it as in: --command 'python prog.py {csv} {out}'",
    )


def _bound(
    words: Sequence[str],
    layout: Layout,
    pair: Neighbors,
    place: Place,
    folder: Path,
    seconds: float,
) -> sampled.Bound:
    """Return what the program's numbers tell of a pair."""
    runs: list[list[Numbers]] = [[], []]
    end = monotonic() + seconds
    while monotonic() < end or len(runs[0]) < _LEAST:
        for side, world in enumerate((pair.before, pair.after)):
            runs[side].append(_run(words, layout, world, place, folder))
    cut = max(4, len(runs[0]) // 5)
    score = _Direction([each[:cut] for each in runs])
    scores = [[score(numbers) for numbers in each] for each in runs]
    level = _best([each[:cut] for each in scores])
    hits = [sum(item >= level for item in each[cut:]) for each in scores]
    many = len(scores[0]) - cut
    p, q = sampled.chance_down(hits[0], many), 1 - sampled.chance_down(many - hits[1], many)
    return sampled.Bound(many, p, q)


def _best(scores: Sequence[Sequence[float]]) -> float:
    """Return the level that tells the two sides apart best, by the first runs."""
    best = (-inf, 0.0)
    for level in sorted({*scores[0], *scores[1]}):
        hits = [sum(item >= level for item in each) for each in scores]
        best = max(best, (hits[0] - hits[1], level))
    return best[1]


class _Direction:
    """The sum of the numbers, each times how far its mean moves."""

    def __init__(self, runs: Sequence[Sequence[Numbers]]) -> None:
        first, second = ([_mean(column) for column in zip(*each, strict=False)] for each in runs)
        self._moves = [a - b for a, b in zip(first, second, strict=False)]
        self._length = len(runs[0][0])

    def __call__(self, numbers: Numbers) -> float:
        if len(numbers) != self._length:
            return inf
        return sum(m * n for m, n in zip(self._moves, numbers, strict=False))


def _mean(column: Sequence[float]) -> float:
    return sum(column) / len(column)


def _run(words: Sequence[str], layout: Layout, world: World, place: Place, folder: Path) -> Numbers:
    """Run the program once on made-up rows, and return the numbers that it prints."""
    source = str(place(layout, world, as_they_are).source)
    out = folder / "out.txt"
    out.unlink(missing_ok=True)
    filled = [word.replace("{csv}", source).replace("{out}", str(out)) for word in words]
    try:
        done = subprocess.run(  # noqa: S603
            filled,
            capture_output=True,
            text=True,
            timeout=_WAIT,
            check=True,
            stdin=subprocess.DEVNULL,
        )
        text = out.read_text(encoding="utf-8") if out.exists() else done.stdout
    except (OSError, ValueError, subprocess.SubprocessError):
        text = ""
    numbers = tuple(float(part) for part in _NUMBER.findall(text))
    if not numbers:
        raise EngineError(
            "the program did not run to its end, or printed no number.",
            kind="audit-setup",
            why="what it tells of one unit is seen by its numbers",
            fix="try it by hand on a small CSV file first",
        )
    return numbers
