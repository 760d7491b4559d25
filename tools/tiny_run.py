"""Release two rows, by `discreet.run` and by `discreet release`, and count; see `bars`.

Rules of this module:
- it runs in a process of its own, with the tree to measure on PYTHONPATH;
- it prints one line of numbers: files crossed, transactions on the ledger, readings of its entries
  by `discreet.run`; then transactions and readings by the command;
- with the word `entered`: files and functions that are entered by two plain questions of a file,
  run for the first and for the second time in the process, planned, and saved for the second time.
  A function is what a `def` makes; other threads do not count.
"""

import atexit
import contextlib
import io
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from hashlib import shake_256
from inspect import CO_OPTIMIZED
from itertools import count
from pathlib import Path
from typing import Any

FOLDER = Path(tempfile.mkdtemp(prefix="discreet-tiny-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
os.environ["XDG_STATE_HOME"] = str(FOLDER)
TURNS = count()
os.urandom = lambda size: shake_256(str(next(TURNS)).encode()).digest(size)  # counts repeat

import discreet as dp  # noqa: E402 - its keys go to a folder of this run

SOURCE = str(Path(dp.__file__).parent)
CONNECT = sqlite3.connect
PLAN = """
[data]
source = "tiny.csv"
unit = "row"
[columns]
x = { lower = 0, upper = 9 }
[keys]
k = ["a", "b"]
[spend]
epsilon = 1
ledger = "command.ledger"
[[ask]]
statistic = "mean"
column = "x"
by = "k"
"""


class Heard:
    """What is heard of the ledger's file: whether each transaction has read entries."""

    def __init__(self) -> None:
        self.transactions: list[bool] = []

    def connect(self, *arguments: Any, **options: Any) -> sqlite3.Connection:
        """Connect, and listen to the statements."""
        connection = CONNECT(*arguments, **options)

        def statement(text: str) -> None:
            words = text.casefold().lstrip()
            if words.startswith("begin"):
                self.transactions.append(False)
            if words.startswith("select") and " entry" in words:
                self.transactions[-1] = True

        connection.set_trace_callback(statement)
        return connection

    def counts(self) -> tuple[int, int]:
        """Return how many transactions there were, and in how many of them entries were read."""
        return len(self.transactions), sum(self.transactions)


@contextlib.contextmanager
def heard() -> Iterator[Heard]:
    """Listen to every connection to a ledger."""
    listener = Heard()
    sqlite3.connect = listener.connect  # type: ignore[assignment]
    try:
        yield listener
    finally:
        sqlite3.connect = CONNECT


def ran() -> tuple[int, int, int]:
    """Release by `discreet.run`: files crossed, transactions, readings."""
    table = dp.table(
        str(FOLDER / "tiny.csv"), unit="row", columns={"x": dp.bounds(0, 9)}, keys={"k": ["a", "b"]}
    )
    plan = dp.plan(table, dp.count(by="k"), dp.mean("x", by="k"), spend=dp.pure(1))
    dp.ledger(FOLDER / "run.ledger", budget=dp.pure(10))
    run, crossed = dp.run, set()  # a name of the page is imported when it is asked for: here

    def seen(frame: Any, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(SOURCE):
            crossed.add(frame.f_code.co_filename)

    with heard() as listener:
        sys.setprofile(seen)
        run(plan, ledger=FOLDER / "run.ledger")
        sys.setprofile(None)
    return len(crossed), *listener.counts()


@contextlib.contextmanager
def entered() -> Iterator[set[tuple[str, str, int]]]:
    """Note each function that is entered: its file, its name, its line."""
    found: set[tuple[str, str, int]] = set()

    def seen(frame: Any, event: str, _: object) -> None:
        code = frame.f_code
        is_function = code.co_flags & CO_OPTIMIZED and not code.co_name.startswith("<")
        if event == "call" and is_function and code.co_filename.startswith(SOURCE):
            found.add((code.co_filename, code.co_name, code.co_firstlineno))

    sys.setprofile(seen)
    try:
        yield found
    finally:
        sys.setprofile(None)


def twice() -> list[int]:
    """Plan, run and save two plain questions twice: files and functions that are entered."""
    plan, run = dp.plan, dp.run
    sets: list[set[tuple[str, str, int]]] = []
    for turn in ("first", "second"):
        table = dp.table(
            str(FOLDER / "tiny.csv"),
            unit="row",
            columns={"x": dp.bounds(0, 9)},
            keys={"k": ["a", "b"]},
            name=turn,
        )
        questions = dp.count(by="k"), dp.mean("x", by="k")
        dp.ledger(FOLDER / f"{turn}.ledger", budget=dp.pure(10))
        with entered() as planned:
            made = plan(table, *questions, spend=dp.pure(1))
        with entered() as ran_in:
            release = run(made, ledger=FOLDER / f"{turn}.ledger")
        with entered() as saved:
            release.save(FOLDER / turn)
        sets += [ran_in] if turn == "first" else [ran_in, planned, saved]
    return [number for one in sets for number in (len({file for file, *_ in one}), len(one))]


def commanded() -> tuple[int, int]:
    """Release by `discreet release`: transactions, readings."""
    from discreet.cli import cli

    (FOLDER / "tiny.toml").write_text(PLAN)
    dp.ledger(FOLDER / "command.ledger", budget=dp.pure(10))
    said = io.StringIO()
    with heard() as listener, contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = cli.main(
            ["release", str(FOLDER / "tiny.toml"), "--out", str(FOLDER / "tiny.release")]
        )
    if code:
        raise SystemExit(said.getvalue())
    return listener.counts()


if __name__ == "__main__":
    (FOLDER / "tiny.csv").write_text("k,x\na,1\nb,2\n")
    print(*(twice() if "entered" in sys.argv else (*ran(), *commanded())))
