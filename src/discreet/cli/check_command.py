"""`discreet check`: how cells that somebody types would be read; the data is never opened.

Rules of this module:
- nothing of the plan's source is looked at, not even whether it is there.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from ..errors import InputError, shown
from ..plan_file.plan_file import read_plan_file
from ..text import Sheet
from .json_replies import CheckReply, MeaningLine
from .output import Screen

_MOST = 10_000


def check(screen: Screen, path: Path, cells: Sequence[str]) -> CheckReply:
    """Show what each cell means in each column that a plan file declares or reads."""
    from ..engine.explain_expression import meanings, reads

    plan = read_plan_file(path).plan
    table, asked = plan.table, plan.conditions
    if not (table.columns or table.keys or table.unit.column or reads(table, asked)):
        raise InputError(
            f"{shown(path)} declares no column.",
            why="a cell means something in a column with bounds or keys, or as a unit",
            fix="declare a column in it, or look at the table of docs/cells.md",
        )
    lines = [
        MeaningLine(cell=cell, column=one.column, role=one.role, value=one.value, said=one.said)
        for cell in cells or _typed(screen)
        for one in meanings(table, cell, asked)
    ]
    rows = [(shown(repr(line.cell)), line.column, line.role, line.said) for line in lines]
    screen.show(
        Sheet(
            title=f"How cells of a CSV file are read by {path.name}. No data was opened.",
            columns=("cell", "column", "declared as", "is"),
            rows=tuple(rows),
        )
    )
    return CheckReply(cells=lines)


def _typed(screen: Screen) -> list[str]:
    """Return the lines of standard input."""
    if sys.stdin.isatty():
        screen.note("Type cells, one a line; Ctrl-D ends.")
    found = [line.rstrip("\r\n") for _, line in zip(range(_MOST), sys.stdin, strict=False)]
    if not found:
        raise InputError(
            "there is no cell to check.",
            why="cells are typed behind the plan file, or one a line on standard input",
            fix="discreet check people.toml '1,50' 'n/a'",
        )
    return found
