"""A folder with people.csv and people.ledger, and what must hold after anything is tried in it.

Rules of this module:
- the data holds canaries: words and numbers that no message may show, and an odd count of rows;
- an answer is compared with the truth: its noise is real, with a scale of 1/1000, so that a cell
  is off with a chance below e^-1000.
"""

import os
import re
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Literal

import pytest

import discreet as dp
from discreet.cli.cli import main
from discreet.errors import DiscreetError

ROWS = 1373
SECRETS = ("zebrafish", "4711.25", "8x0815", str(ROWS), f"{ROWS:,}")
PEOPLE = "person,ward,cost,note\n" + "".join(
    f"8x0815{i},{'ABC'[i % 3]},4711.25,zebrafish {i}\n" for i in range(ROWS)
)
PLAN = """\
title = "People"
alpha = "0.05"

[data]
source = "people.csv"
unit = "row"

[columns]
cost = { lower = 0, upper = 5000, step = "0.25" }

[keys]
ward = ["A", "B", "C"]

[spend]
epsilon = 1
ledger = "people.ledger"

[[ask]]
statistic = "count"
by = "ward"
"""
SUM = '[[ask]]\nstatistic = "sum"\ncolumn = "cost"\n'
LEDGER = "people.ledger"
BUDGET = 10**30

Charged = Literal["nothing", "open", "answered"]


@dataclass(frozen=True)
class Refused:
    """An error's class, how its first line reads (a regular expression), and what was charged."""

    error: type[DiscreetError]
    what: str
    charged: Charged = "nothing"


def build(folder: Path, ledger: bytes) -> None:
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (folder / "people.toml").write_text(PLAN, encoding="utf-8")
    (folder / LEDGER).write_bytes(ledger)


def declared(source: object = "people.csv", **changes: object) -> dp.table:
    usual: dict = {
        "unit": "row",
        "columns": {"cost": dp.bounds(0, 5000, step="0.25")},
        "keys": {"ward": ["A", "B", "C"]},
        "name": None,
    }
    return dp.table(source, **{**usual, **changes})


def planned(*questions: object, table: object = None, **changes: object) -> object:
    usual: dict = {"spend": dp.pure(1)}
    asked = questions or (dp.count(by="ward"), dp.sum("cost"))
    return dp.plan(table or declared(), *asked, **{**usual, **changes})


def run(plan: object) -> object:
    return dp.run(plan, ledger=LEDGER)


def answered(question: object, source: object = "people.csv", **changes: object) -> list:
    """Release one question with noise that is zero in all but name, and return its values."""
    table = declared(source, **{"name": "people", **changes})
    l1 = planned(question, table=table).aggregates[0].sensitivity.l1
    plan = dp.plan(table, question, spend=dp.pure(1000 * l1))
    return list(run(plan).table().column("value"))


def check_three_lines(text: str, folder: Path) -> str:
    """Check a message, and return its first line."""
    lines = text.split("\n")
    assert len(lines) == 3, text
    assert lines[0].endswith((".", "?")), text
    assert lines[1].startswith("  why: "), text
    assert lines[2].startswith("  fix: "), text
    assert all(len(line) > 15 for line in lines), text
    for secret in (*SECRETS, str(folder), "Traceback", "Error:", "Exception"):
        assert secret not in text, (secret, text)
    assert text.replace("\n", "").isprintable(), text
    return lines[0]


def charges() -> list[str]:
    """Return the state of each charge in the ledger, which must be sound to the byte."""
    ledger = dp.ledger(LEDGER)
    assert ledger.verify() == []
    return [row.state for row in ledger.book().rows()]


def check_ledger(charged: Charged, before: bytes) -> None:
    if charged == "nothing":
        assert Path(LEDGER).read_bytes() == before
    else:
        assert charges() == [charged]
    said = command("ledger", "show", LEDGER)
    assert said.code == 0
    assert ("is open: it has no answer" in said.out) == (charged == "open"), said.out


def check_refused(act: Callable[[], object], expected: Refused, folder: Path) -> None:
    """Check that an act is refused as expected, and that the ledger says the same."""
    before = Path(LEDGER).read_bytes()
    there = names(folder)
    with pytest.raises(expected.error) as caught:
        act()
    first = check_three_lines(str(caught.value), folder)
    assert caught.type is expected.error
    assert re.search(expected.what, first), (expected.what, first)
    check_chain(caught.value)
    check_ledger(expected.charged, before)
    assert names(folder) == there


def check_unpaid(face: str, expected: Refused, folder: Path) -> None:
    """Check that a ledger refuses to pay, and that no byte of the folder has changed."""
    before = image(folder)
    if face == "python":
        with pytest.raises(expected.error) as caught:
            run(planned())
        said = Said(expected.error.exit_code, "", f"{expected.error.__name__}: {caught.value}\n")
    else:
        said = command("release", "people.toml")
    check_said(said, expected, folder)
    assert image(folder) == before


def image(folder: Path) -> dict[str, bytes | None]:
    """Return every name in a folder, with the bytes of each file."""
    return {
        name: Path(name).read_bytes() if os.path.isfile(name) else None for name in names(folder)
    }


def check_chain(error: BaseException | None) -> None:
    """No cell hangs on to the error by way of the errors that it was raised from."""
    while error is not None:
        for secret in SECRETS:
            assert secret not in f"{error} {getattr(error, '__notes__', '')}"
        error = error.__cause__ or error.__context__


def names(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*"))


@dataclass(frozen=True)
class Said:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


def command(*words: str) -> Said:
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(list(words))
    return Said(code, out.getvalue(), err.getvalue())


def check_command(words: Sequence[str], expected: Refused, folder: Path) -> None:
    """Check that a command is refused as expected, by its exit code and three lines, for nothing."""
    before, there = Path(LEDGER).read_bytes(), names(folder)
    said = command(*words)
    check_said(said, expected, folder)
    check_ledger(expected.charged, before)
    assert names(folder) == there


def check_said(said: Said, expected: Refused, folder: Path) -> None:
    """Check what a command said when it failed: its exit code, and three lines on standard error."""
    assert said.code == expected.error.exit_code, (said, expected)
    name = f"{expected.error.__name__}: "
    assert said.err.startswith(name), said
    first = check_three_lines(said.err.removeprefix(name).removesuffix("\n"), folder)
    assert re.search(expected.what, first), (expected.what, first)
    assert "Traceback" not in said.out
    assert not any(secret in said.out for secret in SECRETS), said.out
