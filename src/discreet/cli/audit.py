"""`discreet audit`: a plan against made-up tables; its data is not opened, and nothing is charged.

Rules of this module:
- what was checked is printed beside what was not;
- a fault ends with exit code 3, the smallest pair of tables that was found, and how to see it
  again.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError, as_given
from .output import Job, Json, PlanPath

if TYPE_CHECKING:
    from ..audit.audit import Audit, AuditFault
    from .json_replies import AuditReply
    from .output import Screen

EXAMPLE = "discreet audit people.toml --seconds 60"
_LONGEST = 86_400
_SHOWN = 30


def audit(
    file: PlanPath,
    engine: Annotated[
        str | None,
        typer.Option("--engine", metavar="ENGINE", help="memory, duckdb, postgres or spark."),
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="N", help="How long, about.")
    ] = 60.0,
    case: Annotated[
        str | None, typer.Option("--case", metavar="CASE", help="A case that an audit printed.")
    ] = None,
    command: Annotated[
        str | None,
        typer.Option(
            "--command", metavar="TEXT", help="Another program's words: 'prog {csv} {out}'."
        ),
    ] = None,
    server: Annotated[
        str, typer.Option("--server", metavar="ADDRESS", help="A Postgres server to audit on.")
    ] = "",
    as_json: Json = False,
) -> Job:
    """Try to break a plan on made-up tables.

    No data is opened and nothing is charged. The audit measures how much one unit changes the
    numbers, how large the noise is, and what a ledger charges. At the end, the audit lists the
    things that it did not check. With --command, the audit runs another program instead, which
    prints counts or sums.
    """
    words = engine, case, command, server
    return Job(lambda screen: _audit(screen, file, seconds, *words), as_json)


def _audit(
    screen: "Screen",
    file: Path,
    seconds: float,
    engine: str | None,
    case: str | None,
    command: str | None,
    server: str,
) -> "AuditReply":
    from ..audit.audit import audit as audited
    from ..audit.foreign import audit_command
    from ..plan_file.plan_file import read_plan_file

    if not 0 < seconds <= _LONGEST:
        raise InputError(
            f"seconds = {as_given(seconds)} is no time for an audit.",
            kind="audit-setup",
            why=f"it is above 0, and at most {_LONGEST:,}",
            fix="add --seconds 60",
        )
    plan = read_plan_file(file).plan
    if case is None:  # no bar: what is printed meanwhile is compared between neighbors
        screen.note(f"Auditing on made-up tables, for about {seconds:g} seconds.")
    if command is not None:
        result = audit_command(plan, command, seconds=seconds)
    else:
        result = audited(plan, engine=engine, seconds=seconds, case=case, address=server)
    _say(screen, file, result)
    return _reply(result)


def _say(screen: "Screen", file: Path, result: "Audit") -> None:
    from ..plan_file.in_file import typed

    screen.say(f"Claimed: {result.claimed}.")
    for check in result.checks:
        screen.say(f"{check.layer}: {check.words}.")
    for words in result.unchecked:
        screen.say(f"Not checked: {words}.")
    fault = result.fault
    if fault is None:
        screen.say("No fault was found. No data was read and nothing was charged.")
        return
    screen.say()
    screen.say(f"FAULT, {fault.layer}: {fault.what}.")
    _say_pair(screen, fault)
    if fault.case:
        screen.say(f"See it again: discreet audit {typed(file)} --case {fault.case}")
    certain = (
        "This is certain: nothing was drawn" if fault.sure else "Wrong once in a million times"
    )
    screen.say(f"{certain}. Found after {result.seconds:.1f} seconds.")


def _say_pair(screen: "Screen", fault: "AuditFault") -> None:
    """Print the smallest pair that was found; its rows are made up."""
    for name, world in (("with the unit", fault.before), ("without it, or exchanged", fault.after)):
        for number, rows in enumerate(world):
            screen.say(f"  Table {number + 1} {name}, {len(rows)} rows:")
            for row in rows[:_SHOWN]:
                screen.say(f"    {row}")
            if len(rows) > _SHOWN:
                screen.say(f"    and {len(rows) - _SHOWN} more")


def _reply(result: "Audit") -> "AuditReply":
    from dataclasses import asdict

    from .json_replies import AuditReply

    fault = result.fault
    return AuditReply(
        ok=fault is None,
        exit_code=0 if fault is None else 3,
        claimed=result.claimed,
        checks=[{"layer": check.layer, "words": check.words} for check in result.checks],
        unchecked=result.unchecked,
        fault=None if fault is None else asdict(fault),
        seconds=result.seconds,
    )
