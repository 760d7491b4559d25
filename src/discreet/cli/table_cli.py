"""The words of `discreet table`."""

from pathlib import Path
from typing import Annotated

import typer

from .words import Job, Json, Saved

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
    of: Annotated[
        str | None, typer.Option("--of", metavar="CUBE", help="Which cube, if there are several.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write a .csv or .xlsx there.")
    ] = None,
    as_json: Json = False,
) -> Job:
    """Show one table of a released cube, with its totals.

    Every number stands there with its own interval, and all tables add up exactly.
    """
    from . import table_command as room

    wanted = room.TableOptions(tuple(rows or ()), tuple(columns or ()), tuple(where or ()), of)
    return Job(lambda screen: room.run_table(screen, saved, wanted, out=out), as_json)
