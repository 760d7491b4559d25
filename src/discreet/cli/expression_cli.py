"""`discreet expression`: what an expression is, and what each engine is told; no data is opened."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .words import Job, Json

if TYPE_CHECKING:
    from .json_replies import ExpressionReply
    from .output import Screen

EXPRESSION = "discreet expression 'floor(age / 10)'"


def expression(
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="What is said of a row: 'age >= 18'.")
    ],
    plan: Annotated[
        Path | None,
        typer.Option("--plan", metavar="FILE", help="A plan file that declares its columns."),
    ] = None,
    as_json: Json = False,
) -> Job:
    """Show what a filter or a derived column is: its type, what it reads, its SQL.

    The text is shown in the one way in which plans and releases keep it, with what each engine is
    told. No data is opened.
    """
    return Job(lambda screen: _expression(screen, text, plan), as_json)


def _expression(screen: "Screen", text: str, plan: Path | None) -> "ExpressionReply":
    from ..engine.explain_expression import told
    from ..plan_file.plan_file import read_plan_file
    from ..text import Sheet
    from .json_replies import ExpressionReply

    found = told(text, None if plan is None else read_plan_file(plan).plan.table)
    screen.show(
        Sheet(
            title=str(found.expression),
            above=(f"It gives {found.gives}, and looks at one row. No data was opened.",),
            columns=("column", "is read as"),
            rows=found.reads,
        )
    )
    for engine, query in found.queries.items():
        screen.say(f"{engine}, of a table t:")
        screen.say(f"  {query}")
    return ExpressionReply(
        expression=found.expression.text,
        gives=found.gives,
        reads=dict(found.reads),
        queries=dict(found.queries),
    )
