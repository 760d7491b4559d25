"""`discreet sql`: what a SELECT asks and costs, and with --release the release of it.

Rules of this module:
- without --release no data is opened and nothing is charged;
- the table, the spend, the rule of publication and the ledger are those of the plan file; its own
  questions, and what it derives of them, are left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .output import Job, Json, Ledger, Out, PlanPath, Remote, Request, Who, Why

if TYPE_CHECKING:
    from ..plan_file.plan_file import PlanFile
    from ..schema import Table
    from ..statistic.statistic import Statistic
    from .charge import Wishes
    from .json_replies import ReleaseReply, SqlReply
    from .output import Screen

SQL = "discreet sql people.toml 'SELECT COUNT(*) FROM people'"


def sql(
    file: PlanPath,
    text: Annotated[
        str, typer.Argument(metavar="SELECT", help="'SELECT city, COUNT(*) FROM people ...'")
    ],
    *,
    release: Annotated[
        bool, typer.Option("--release", help="Pay for it, count, and write the release.")
    ] = False,
    ledger: Ledger = None,
    out: Out = None,
    request: Request = None,
    why: Why = None,
    who: Who = None,
    allow_remote: Remote = False,
    as_json: Json = False,
) -> Job:
    """Show the questions of a SELECT and their price; with --release, make the release.

    The table and the spend come from the plan file; the command prints the questions in the form of
    a plan file. Without --release, the command opens no data. With --release, the other options are
    those of `discreet release`.
    """
    from .charge import Wishes

    wishes = Wishes(ledger, out, request, who, why, allow_remote)
    return Job(lambda screen: _sql(screen, file, text, wishes, is_paid=release), as_json)


def _sql(
    screen: "Screen", file: Path, text: str, wishes: "Wishes", *, is_paid: bool
) -> "SqlReply | ReleaseReply":
    from ..errors import InputError
    from ..plan_file.plan_file import read_plan_file
    from ..plan_file.schema import key_of, toml
    from . import commands

    if not is_paid and any(astuple(wishes)):
        raise InputError(
            "this is an option of a release, and a SELECT is only shown.",
            kind="setting-out-of-place",
            why="nothing is charged or written without --release",
            fix="add --release, or leave the option out",
        )
    plan_file = read_plan_file(file)
    table, questions, asked = _asked(plan_file, text)
    if not is_paid:
        screen.show(asked.plan.sheet())
    condition = None if table.condition is None else table.condition.expression.text
    lines = [] if condition is None else ["[data]", f"where = {toml(condition)}"]
    for name in [*table.derived][len(plan_file.plan.table.derived) :]:
        lines += ["", f"[derive.{key_of(name)}]", *_derived(table, name)]
    for question in questions:
        lines += ["", "[[ask]]", *_said(question.plain())]
    screen.say("In a plan file:")
    screen.say("\n".join(lines).strip())
    if is_paid:
        screen.say()
        return commands.pay(screen, asked, wishes)
    from .json_replies import SqlReply

    return SqlReply(
        where=condition,
        questions=[question.plain() for question in questions],
        cost=asked.plan.cost.plain(),
        toml="\n".join(lines).strip(),
    )


def _asked(plan_file: "PlanFile", text: str) -> "tuple[Table, Sequence[Statistic], PlanFile]":
    """Return the table and the questions of a SELECT, and a plan file that asks them."""
    from ..errors import InputError
    from ..plan_file.in_file import in_words
    from ..plans.plan import plan
    from ..plans.sql import sql as asked

    declared, face = plan_file.plan, plan_file.face
    with in_words(face.spell):
        table, *questions = asked(text, declared.table)
    if declared.spend is None:
        raise InputError(
            "the plan file says no spend.",
            kind="spend-missing",
            why="it wants errors of its own questions, which a SELECT does not have",
            fix='write rho = "1/50" under [spend], or another loss',
        )
    with in_words(face.spell):
        priced = plan(
            table,
            *questions,
            spend=declared.spend,
            alpha=str(declared.alpha),
            share=declared.share,
            together=declared.together,
            publish=plan_file.publish,
        )
    words = None if plan_file.about is None else replace(plan_file.about, questions={})
    return table, questions, replace(plan_file, plan=priced, about=words, also=())


def _derived(table: "Table", name: str) -> list[str]:
    """Return a column that the text makes of each row, as TOML."""
    from ..plan_file.schema import toml

    lines = [f"expression = {toml(table.derived[name].expression.text)}"]
    if name in table.columns:
        plain = table.columns[name].plain()
        lines += [f"{end} = {plain[end]}" for end in ("lower", "upper", "step")]
    if name in table.keys:
        lines.append(f"keys = {toml([*table.keys[name]])}")
    return lines


def _said(plain: Mapping[str, Any]) -> list[str]:
    """Return the options of a question that are not as they would be anyway, as TOML."""
    from ..plan_file.schema import toml

    quiet: tuple[object, ...] = ({}, [], None, False)
    options = {k: v for k, v in plain.items() if v not in quiet and (k, v) != ("weight", 1)}
    return [f"{name} = {toml(value)}" for name, value in options.items()]
