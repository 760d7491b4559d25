"""`discreet derive`: the words of whoever goes on from released numbers."""

from typing import Annotated

import typer

from .words import Job, Json, Saved

EXAMPLE = "discreet derive people.release intervals --together"


def derive(
    saved: Saved,
    kind: Annotated[
        str, typer.Argument(metavar="KIND", help="total, difference, ratio, share, intervals.")
    ],
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The statistic: 'count by ward'.")
    ] = None,
    other: Annotated[
        str | None,
        typer.Argument(metavar="[OTHER]", help="What it is divided by, or less; or one key, and"),
    ] = None,
    less: Annotated[
        str | None, typer.Argument(metavar="[KEY]", help="another one: their difference.")
    ] = None,
    *,
    by: Annotated[
        list[str] | None, typer.Option("--by", metavar="COLUMN", help="An axis that stays.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="COLUMN=KEY", help="These keys alone.")
    ] = None,
    first: Annotated[
        list[str] | None, typer.Option("--first", metavar="COLUMN=KEY", help="One side.")
    ] = None,
    second: Annotated[
        list[str] | None, typer.Option("--second", metavar="COLUMN=KEY", help="The other side.")
    ] = None,
    alpha: Annotated[
        str | None, typer.Option("--alpha", metavar="CHANCE", help="The chance of a miss.")
    ] = None,
    together: Annotated[
        bool, typer.Option("--together", help="All intervals hold at once.")
    ] = False,
    as_json: Json = False,
) -> Job:
    """Show what follows from released numbers, with intervals of its own, for nothing.

    Totals, differences, ratios and shares have the interval of their own noise, and not the sum of
    others; intervals can have another alpha, or hold all at once. Nothing is charged or written.
    """
    from . import derive_command as room

    wanted = room.DeriveOptions(
        kind=kind,
        name=name,
        other=other,
        less=less,
        by=tuple(by or ()),
        only=tuple(only or ()),
        first=tuple(first or ()),
        second=tuple(second or ()),
        alpha=alpha,
        together=together,
    )
    return Job(lambda screen: room.derive(screen, saved, wanted), as_json)
