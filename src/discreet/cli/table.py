"""`discreet table`: one table of a released cube, with its totals; and rows that have its tables.

Rules of this module:
- every number is one of the release; a spreadsheet gets texts and numbers, and no formula.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError, shown
from .output import Job, Json, Saved, Screen
from .twice import each_once

if TYPE_CHECKING:
    from ..document.tidy import Tidy
    from ..report.crossed import Crossed
    from ..report.result import Result
    from .json_replies import MicrodataReply, TableReply


@dataclass(frozen=True, slots=True)
class TableOptions:
    """The options as they were typed."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    where: tuple[str, ...]
    name: str | None
    sums: tuple[str, ...] = ()


def run_table(
    screen: Screen, path: Path, wanted: TableOptions, *, out: Path | None
) -> "TableReply":
    """Show one table of a cube, and write it where that is wanted."""
    from ..document.accessors import has_linear, labels
    from ..releases.release import load
    from .json_replies import TableReply

    if out is not None:
        _refuse_place(out)
    release = load(path)
    named = zip(labels(release.document), release.document.statistics, strict=True)
    cubes = [name for name, released in named if has_linear(released)]
    name = wanted.name or (cubes[0] if cubes else release.keys()[0])
    if wanted.sums:
        return _sum(screen, release[name], wanted, out=out)
    where = each_once("--where", map(_fixed, wanted.where))
    crossed = release[name].crossed(wanted.rows, wanted.columns, **where)
    screen.show(crossed.sheet())
    if out is not None:
        _write(crossed, out)
        screen.say(f"The table is in {shown(out)}.")
    long = crossed.long()
    rows: Any = [list(row) for row in long.rows]
    return TableReply(
        saved=None if out is None else str(out),
        title=crossed.title,
        columns=list(long.columns),
        rows=rows,
        notes=list(crossed.notes),
    )


def _sum(screen: Screen, cube: "Result", wanted: TableOptions, *, out: Path | None) -> "TableReply":
    """Show the sum of some cells of a cube, with an interval of its own."""
    from ..report.cubes import total
    from .json_replies import TableReply

    if out is not None or wanted.rows or wanted.columns or wanted.where:
        raise InputError(
            "--sum makes one number, and a table is asked for beside it.",
            kind="settings-clash",
            why="a sum of cells has no rows and no columns",
            fix="leave --rows, --columns, --where and --out out",
        )
    chosen: dict[str, list[str]] = {}
    for name, key in map(_fixed, wanted.sums):
        chosen.setdefault(name, []).append(key)
    made = total(cube.document, chosen)
    words = (f"{name} is {' or '.join(keys)}" for name, keys in chosen.items())
    title = f"Sum of cells where {' and '.join(words)}"
    rows: list[list[bool | int | str | None]]
    rows = [[str(made.value), made.low, made.high, str(made.linear), str(made.deviation)]]
    screen.say(f"{title}: {made}.")
    screen.say("Nothing was charged: this follows from released numbers alone.")
    names = ["value", "low", "high", "linear", "deviation"]
    return TableReply(saved=None, title=title, columns=names, rows=rows, notes=[])


def _fixed(text: str) -> tuple[str, str]:
    name, equals, key = text.partition("=")
    if not equals or not name:
        raise InputError(
            f"{shown(text)} names no key.",
            kind="command-not-read",
            why="--where and --sum say an attribute and one of its keys",
            fix="write --where 'sex=F', or --sum 'sex=F'",
        )
    return name, key


def _refuse_place(out: Path, ends: Sequence[str] = ("csv", "xlsx")) -> None:
    from ..plan_file.in_file import typed
    from .charge import free_name, there

    if out.suffix.lower().removeprefix(".") not in ends:
        many = len(ends) > 1
        raise InputError(
            f"{shown(out)} is {'neither a CSV nor an Excel' if many else 'no CSV'} file.",
            kind="cannot-write",
            why="its ending says how the table is written",
            fix=f"write --out table.csv{', or --out table.xlsx' * many}",
        )
    if there(out) or there(out.parent / "release.json"):
        other = free_name(Path(out.name)) if there(out) else Path(out.name)
        raise InputError(
            f"{shown(out)} is there already, or would lie in a release.",
            kind="place-taken",
            why="nothing is written over, and a release with a strange file does not verify",
            fix=f"add --out {typed(other)}",
        )


def _write(crossed: "Crossed", out: Path) -> None:
    from ..document.regular import csv_text

    try:
        if out.suffix.lower() == ".csv":
            out.write_text(csv_text(_wide(crossed)), encoding="utf-8", newline="")
        else:
            _excel(crossed, out)
    except OSError as error:
        raise _unwritten(out, error) from None


def _unwritten(out: Path, error: OSError) -> InputError:
    return InputError(
        f"{shown(out)} cannot be written.",
        kind="cannot-write",
        why=str(error.strerror),
        fix="name another place with --out",
    )


def _wide(crossed: "Crossed") -> "Tidy":
    """Return the table as one with three columns for each at the top: value, low and high."""
    from ..document.numbers import Cell, plainly
    from ..document.tidy import Tidy

    heads = [crossed.head(key) for key in crossed.column_keys]
    names = [
        *(crossed.rows or ("",)),
        *(f"{h} {w}" for h in heads for w in ("value", "low", "high")),
    ]
    rows: list[tuple[Cell, ...]] = []
    for key, line in zip(crossed.row_keys, crossed.cells, strict=True):
        side = ["all" if cell is None else plainly(cell) for cell in key or (None,)]
        rows.append((*side, *(number for cell in line for number in cell)))
    sides = len(names) - 3 * len(heads)
    kinds: list[Any] = ["text"] * sides + ["whole"] * (3 * len(heads))
    return Tidy(crossed.title, tuple(names), tuple(kinds), rows)


def _excel(crossed: "Crossed", out: Path) -> None:
    """Write a workbook: the numbers, then what must be known of them; no cell is a formula."""
    try:
        from openpyxl import Workbook
    except ImportError:
        raise InputError(
            "openpyxl is not installed.",
            kind="package-missing",
            why="Excel files are written by it, which discreet does not require",
            fix="type: python -m pip install openpyxl; or write --out table.csv",
        ) from None
    book: Any = Workbook(write_only=False)
    sheet = book.active
    sheet.title = "table"
    wide = _wide(crossed)
    lines: list[Sequence[Any]] = [[crossed.title], [], wide.columns, *wide.rows, []]
    for row, line in enumerate([*lines, *([note] for note in crossed.notes)], start=1):
        for column, value in enumerate(line, start=1):
            cell = sheet.cell(row, column)
            cell.value = value
            if isinstance(value, str):  # a key that begins with = stays the text that it is
                cell.data_type = "s"
    book.save(out)


EXAMPLE = "discreet table people.release --rows age --columns sex --where status=employed"


def table(
    saved: Saved,
    rows: Annotated[
        list[str] | None, typer.Option("--rows", metavar="NAME", help="At the side.")
    ] = None,
    columns: Annotated[
        list[str] | None, typer.Option("--columns", metavar="NAME", help="At the top.")
    ] = None,
    where: Annotated[
        list[str] | None, typer.Option("--where", metavar="NAME=KEY", help="Only of this key.")
    ] = None,
    sums: Annotated[
        list[str] | None,
        typer.Option("--sum", metavar="NAME=KEY", help="In place of a table: the sum over keys."),
    ] = None,
    of: Annotated[
        str | None, typer.Option("--of", metavar="CUBE", help="Which cube, if there are several.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write a .csv or .xlsx there.")
    ] = None,
    as_json: Json = False,
) -> Job:
    """Show one table of a released cube, with its totals, or any sum of its cells.

    Every number stands there with its own interval, and all tables add up exactly.
    """

    wanted = TableOptions(
        tuple(rows or ()), tuple(columns or ()), tuple(where or ()), of, tuple(sums or ())
    )
    return Job(lambda screen: run_table(screen, saved, wanted, out=out), as_json)


def run_microdata(
    screen: Screen, path: Path, name: str | None, *, out: Path | None
) -> "MicrodataReply":
    """Show what synthetic rows are fit for, and write them where that is wanted."""
    from ..document.accessors import has_linear, labels
    from ..document.regular import csv_text
    from ..releases.release import load
    from .json_replies import MicrodataReply, TableFitReply

    if out is not None:
        _refuse_place(out, ("csv",))
    release = load(path)
    named = zip(labels(release.document), release.document.statistics, strict=True)
    cubes = [label for label, released in named if has_linear(released)]
    rows = release.microdata(name or next(iter(cubes), None))
    analyses = rows.analyses()
    screen.show(analyses.sheet())
    if out is not None:
        try:
            out.write_text(csv_text(rows), encoding="utf-8", newline="")
        except OSError as error:
            raise _unwritten(out, error) from None
        screen.say(f"The rows are in {shown(out)}.")
    screen.say("Nothing was charged: this follows from released numbers alone.")
    fits = [
        TableFitReply(
            columns=list(fit.attributes),
            noise=str(fit.noise),
            distance=str(fit.distance),
            contrasts=fit.contrasts,
            fit=fit.fit,
        )
        for fit in rows.fits
    ]
    saved = None if out is None else str(out)
    return MicrodataReply(
        saved=saved, title=rows.title, rows=len(rows), whole=rows.whole, tables=fits
    )


MICRODATA = "discreet microdata people.release --out rows.csv"


def microdata(
    saved: Saved,
    of: Annotated[
        str | None, typer.Option("--of", metavar="NAME", help="Which cube or list of tables.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the rows as .csv there.")
    ] = None,
    as_json: Json = False,
) -> Job:
    """Make synthetic rows of a released cube or list of tables, and say what they are fit for.

    No row is a person. Each table that was measured is named with how far the rows are from it.
    """
    return Job(lambda screen: run_microdata(screen, saved, of, out=out), as_json)
