"""`discreet sql`: what a SELECT asks, as questions of a plan file, and what they would cost.

Rules of this module:
- no data is opened and nothing is charged: a release is made from a plan file alone.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .words import Job, Json, PlanPath

if TYPE_CHECKING:
    from .json_replies import SqlReply
    from .output import Screen

SQL = "discreet sql people.toml 'SELECT COUNT(*) FROM people'"


def sql(
    file: PlanPath,
    text: Annotated[
        str, typer.Argument(metavar="SELECT", help="'SELECT city, COUNT(*) FROM people ...'")
    ],
    as_json: Json = False,
) -> Job:
    """Show what a SELECT asks, and what it would cost.

    The table and the spend are those of the plan file; the questions are printed as a plan file
    asks them. No data is opened.
    """
    return Job(lambda screen: _sql(screen, file, text), as_json)


def _sql(screen: "Screen", file: Path, text: str) -> "SqlReply":
    from ..errors import InputError
    from ..plan_file.in_file import in_words
    from ..plan_file.plan_file import read_plan_file
    from ..plans.plan import plan
    from ..plans.sql import sql as asked
    from .json_replies import SqlReply

    plan_file = read_plan_file(file)
    found, face = plan_file.plan, plan_file.face
    with in_words(face.spell):
        table, *questions = asked(text, found.table)
    if found.spend is None:
        raise InputError(
            "the plan file says no spend.",
            why="it wants errors of its own questions, which a SELECT does not have",
            fix='write rho = "1/50" under [spend], or another loss',
        )
    with in_words(face.spell):
        priced = plan(
            table,
            *questions,
            spend=found.spend,
            alpha=str(found.alpha),
            share=found.share,
            together=found.together,
        )
    screen.show(priced.sheet())
    condition = None if table.condition is None else table.condition.expression.text
    lines = [] if condition is None else ["[data]", f"where = {json.dumps(condition)}"]
    for one in questions:
        lines += ["", "[[ask]]", *_said(one.plain())]
    screen.say("In a plan file:")
    screen.say("\n".join(lines).strip())
    return SqlReply(
        where=condition,
        questions=[one.plain() for one in questions],
        cost=priced.cost.plain(),
        toml="\n".join(lines).strip(),
    )


def _said(plain: Mapping[str, Any]) -> list[str]:
    """Return the options of a question that are not as they would be anyway, as TOML."""
    quiet: tuple[object, ...] = ({}, [], None, False)
    said = {k: v for k, v in plain.items() if v not in quiet and (k, v) != ("weight", 1)}
    return [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in said.items()]
