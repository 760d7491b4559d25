"""`discreet table`: a release in the forms that offices publish; and rows that have its tables.

Rules of this module:
- every number is one of the release, in the publisher's words that stand beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError, shown
from ..fix import nearest_name
from .output import Job, Json, Saved, Screen
from .twice import each_once

if TYPE_CHECKING:
    from ..document.document import Document
    from ..document.tidy import Tidy
    from ..report.result import Result
    from ..schema import About
    from .json_replies import MicrodataReply, TableReply


@dataclass(frozen=True, slots=True)
class TableOptions:
    """The options as they were typed."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    where: tuple[str, ...]
    name: str | None
    sums: tuple[str, ...] = ()
    form: str | None = None


def run_table(
    screen: Screen, path: Path, wanted: TableOptions, *, out: Path | None
) -> "TableReply":
    """Show one table of a release, and write it where that is wanted."""
    from ..releases.release import load
    from ..report.about_file import NOTHING, said_beside

    if wanted.form is not None and wanted.form not in FORMS:
        near = nearest_name(wanted.form, FORMS)
        raise InputError(
            f"--form {shown(wanted.form)} is no form of a table.",
            kind="unknown-choice",
            why=f"there are {', '.join(FORMS)}",
            fix=f"add --form {near or 'wide'}",
        )
    release, about = load(path), (said_beside(path) or NOTHING).about
    cubes = _cubes(release.document)
    crossed = bool(wanted.rows or wanted.columns or wanted.where)
    name = wanted.name or (cubes[0] if cubes else None)
    if wanted.sums:
        return _sum(screen, release[name or release.keys()[0]], wanted, out=out)
    if wanted.form in (None, "crossed") and (crossed or wanted.form or cubes):
        return _crossed(screen, release[name or release.keys()[0]], (wanted, about), out=out)
    if crossed:
        raise InputError(
            "--rows, --columns and --where lay out a crossed table.",
            kind="settings-clash",
            why=f"a table in the form {shown(str(wanted.form))} has all numbers of its questions",
            fix="leave --form out, or leave these options out",
        )
    document = release[wanted.name].document if wanted.name else release.document
    return _whole(screen, path, document, (wanted.form, about), out=out)


def _cubes(document: "Document") -> list[str]:
    """Return the names of the cubes and lists of tables of a release."""
    from ..document.accessors import has_linear, labels

    named = zip(labels(document), document.statistics, strict=True)
    return [name for name, released in named if has_linear(released)]


def _crossed(
    screen: Screen, result: "Result", how: "tuple[TableOptions, About]", *, out: Path | None
) -> "TableReply":
    """Show one crossed table, and write it where that is wanted."""
    from ..document.accessors import has_linear
    from ..document.regular import csv_blocks
    from ..report.crossed import crossed, crossed_groups
    from ..report.exports import written, written_text
    from ..report.workbook import crossed_workbook

    if out is not None:
        _refuse_place(out)
    (wanted, about), document = how, result.document
    where = each_once("--where", map(_fixed, wanted.where))
    if has_linear(document.statistics[0]) or not document.statistics[0].answer.axes:
        made = crossed(document, wanted.rows, wanted.columns, where)
    else:
        made = crossed_groups(document, wanted.rows, wanted.columns, where, about)
    made = made.named(about)
    screen.show(made.sheet())
    if out is not None and out.suffix.lower() == ".csv":
        written_text(out, csv_blocks(made.wide()))
    elif out is not None:
        written(out, [crossed_workbook(document, about, made)])
    return _reply(screen, made.long(), out, made.notes)


def _whole(
    screen: Screen, path: Path, document: "Document", how: "tuple[str | None, About]", *,
    out: Path | None,
) -> "TableReply":  # fmt: skip
    """Show all numbers of a release in one form, and write them where that is wanted."""
    from ..report.exports import export, table_in

    form, about = how
    ending = "" if out is None else out.suffix.lower()
    form = form or ("excel" if ending == ".xlsx" else "long")
    if form == "excel" and out is None:
        raise InputError(
            "a workbook is a file, and none is named.",
            kind="setting-missing",
            why="a terminal shows no sheets",
            fix="add --out tables.xlsx",
        )
    table = table_in(document, "long" if form == "excel" else form, about)
    if out is not None:
        export(document, out, form, about, _derived(path, document) if form == "excel" else ())
    screen.show(table.sheet())
    return _reply(screen, table, out, ())


def _derived(path: Path, document: "Document") -> "list[Document]":
    """Return what lies beside a release and was derived of it; nothing where that is not so."""
    from ..derive.recipes import beside

    return [part.document for part in beside(document, path)]


def _reply(screen: Screen, table: "Tidy", out: Path | None, notes: Sequence[str]) -> "TableReply":
    from .json_replies import TableReply

    if out is not None:
        screen.say(f"The table is in {shown(out)}.")
    rows: list[list[bool | int | float | str | None]] = [list(row) for row in table.rows]
    return TableReply(
        saved=None if out is None else str(out),
        title=table.title,
        columns=list(table.columns),
        rows=rows,
        notes=list(notes),
    )


def _sum(screen: Screen, cube: "Result", wanted: TableOptions, *, out: Path | None) -> "TableReply":
    """Show the sum of some cells of a cube, with an interval of its own."""
    from ..report.cubes import total
    from .json_replies import TableReply

    if out is not None or wanted.rows or wanted.columns or wanted.where or wanted.form:
        raise InputError(
            "--sum makes one number, and a table is asked for beside it.",
            kind="settings-clash",
            why="a sum of cells has no rows and no columns",
            fix="leave --rows, --columns, --where, --form and --out out",
        )
    chosen: dict[str, list[str]] = {}
    for name, key in map(_fixed, wanted.sums):
        chosen.setdefault(name, []).append(key)
    made = total(cube.document, chosen)
    words = (f"{name} is {' or '.join(keys)}" for name, keys in chosen.items())
    title = f"Sum of cells where {' and '.join(words)}"
    rows: list[list[bool | int | float | str | None]]
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
            f"{shown(out)} exists already, or lies inside a release.",
            kind="place-taken",
            why="nothing is written over, and a release with a strange file does not verify",
            fix=f"add --out {typed(other)}",
        )


FORMS = ("long", "wide", "crossed", "excel", "sdmx-csv")
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
        str | None, typer.Option("--of", metavar="NAME", help="Which question or cube.")
    ] = None,
    *,
    form: Annotated[
        str | None,
        typer.Option("--form", metavar="FORM", help=f"How it is laid out: {', '.join(FORMS)}."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write a .csv or .xlsx there.")
    ] = None,
    as_json: Json = False,
) -> Job:
    """Show a release as a table: long, wide or crossed, as a workbook or SDMX-CSV.

    Every number has its own interval. Without --form, a cube becomes a crossed table with totals,
    and another release becomes a long table. --sum adds up any cells of a cube.
    """

    wanted = TableOptions(
        tuple(rows or ()), tuple(columns or ()), tuple(where or ()), of, tuple(sums or ()), form
    )
    return Job(lambda screen: run_table(screen, saved, wanted, out=out), as_json)


def run_microdata(
    screen: Screen, path: Path, name: str | None, *, out: Path | None
) -> "MicrodataReply":
    """Show what synthetic rows are fit for, and write them where that is wanted."""
    from ..document.regular import csv_blocks
    from ..releases.release import load
    from ..report.exports import written_text
    from .json_replies import MicrodataReply, TableFitReply

    if out is not None:
        _refuse_place(out, ("csv",))
    release = load(path)
    rows = release.microdata(name or next(iter(_cubes(release.document)), None))
    analyses = rows.analyses()
    screen.show(analyses.sheet())
    if out is not None:
        written_text(out, csv_blocks(rows))
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
    """Make synthetic rows of a released cube or list of tables, and list fitting analyses.

    No row is a person. The command prints each measured table with its distance from the rows.
    """
    return Job(lambda screen: run_microdata(screen, saved, of, out=out), as_json)
