"""The command line: `discreet`.

Rules of this module:
- Typer reads the words, and nothing else: each command hands back a job, which `main` runs;
- a job's rooms are imported when it runs, so that help and typing errors are quick;
- every failure is three lines and the exit code of its class; nobody sees a traceback.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from . import audit, calc, derive, explain, explore, heatmap, registry, sql, table
from .ledger import ledger_app
from .output import (
    EXIT_CODES,
    Interrupted,
    Job,
    Json,
    Ledger,
    Out,
    PlanPath,
    Remote,
    Request,
    Saved,
    Screen,
    Who,
    Why,
    make_safe,
    path_typed,
    told,
)
from .twice import refuse_twice


class _Commands(TyperGroup):
    """The commands; the options of `derive` are read of its register once it is typed."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        command = derive.command() if name == "derive" else command
        if name != "ledger":
            refuse_twice(command, name or "", ctx, rest)
        return name, command, rest


app = typer.Typer(
    name="discreet",
    cls=_Commands,
    help="From a table and a privacy budget to a published release.",
    epilog=f"Start here: discreet demo. {EXIT_CODES}",
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.add_typer(ledger_app, name="ledger")


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"discreet {version('discreet')}")
        raise typer.Exit


@app.callback()
def _discreet(
    _: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_version, is_eager=True),
    ] = False,
) -> None:
    """From a table and a privacy budget to a published release."""


@app.command(epilog="Example: discreet plan people.toml")
def plan(file: PlanPath, ledger: Ledger = None, as_json: Json = False) -> Job:
    """Show what a plan costs, with its error bars.

    The data is not opened.
    """
    from . import commands

    return Job(lambda screen: commands.plan(screen, file, ledger=ledger), as_json)


@app.command(epilog="Example: discreet release people.toml --why 'annual table'")
def release(
    file: PlanPath,
    ledger: Ledger = None,
    out: Out = None,
    request: Request = None,
    why: Why = None,
    who: Who = None,
    allow_remote: Remote = False,
    as_json: Json = False,
) -> Job:
    """Pay for a plan, count, add noise, write the release.

    The plan with its price and error bars is shown before any data is read. The same plan again, on
    the same data, returns the stored release at no cost.
    """
    from . import commands
    from .charge import Wishes

    wishes = Wishes(ledger, out, request, who, why, allow_remote)
    return Job(lambda screen: commands.release(screen, file, wishes), as_json)


@app.command(epilog="Example: discreet rehearse people.toml")
def rehearse(file: PlanPath, out: Out = None, as_json: Json = False) -> Job:
    """Make a release from made-up rows, at no cost.

    The command reads no data and charges nothing; the numbers say nothing of any data.
    """
    from . import commands

    return Job(lambda screen: commands.rehearse(screen, file, out=out), as_json)


@app.command(epilog="Example: discreet check people.toml '1,50' 'n/a'")
def check(
    file: PlanPath,
    cells: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CELL]...", help="Cells; without any, lines of standard input."),
    ] = None,
    as_json: Json = False,
) -> Job:
    """Show how discreet would read cells that you type.

    The command reads each cell like a cell of a CSV file, for each column that the plan declares.
    The data is never opened.
    """
    from . import check

    return Job(lambda screen: check.check(screen, file, cells or []), as_json)


@app.command(epilog="Example: discreet show people.release")
def show(saved: Saved, as_json: Json = False) -> Job:
    """Show a saved release with its intervals."""
    from . import commands

    return Job(lambda screen: commands.show(screen, saved), as_json)


@app.command(epilog="Example: discreet verify people.release --ledger people.ledger")
def verify(saved: Saved, ledger: Ledger = None, as_json: Json = False) -> Job:
    """Check a saved release, and who paid for it.

    The command computes price, noise and answers again from the release's own file, and reads no
    data. With a ledger, the charge and the stored result are compared too.
    """
    from . import commands

    return Job(lambda screen: commands.verify(screen, saved, ledger=ledger), as_json)


@app.command(epilog="Example: discreet denoise people.release --out cleaned.csv")
def denoise(
    saved: Saved,
    *,
    how: Annotated[
        str, typer.Option("--how", metavar="HOW", help="auto, raw, or a denoiser by name.")
    ] = "auto",
    known: Annotated[
        list[str] | None,
        typer.Option("--known", metavar="FACT", help="A public fact: nonnegative, rising."),
    ] = None,
    totals: Annotated[
        list[str] | None,
        typer.Option("--total", metavar="LABEL=NUMBER", help="A public total of some counts."),
    ] = None,
    ordered: Annotated[
        list[str] | None,
        typer.Option("--ordered", metavar="COLUMN", help="A column whose keys are in order."),
    ] = None,
    interval: Annotated[
        str,
        typer.Option("--interval", metavar="KIND", help="raw; average adds one that holds so."),
    ] = "raw",
    prior: Annotated[
        list[str] | None,
        typer.Option(
            "--prior",
            metavar="NAME=NUMBER",
            help="Believed of each count before: mean=0 and sd=30, or value=weight.",
        ),
    ] = None,
    radius: Annotated[
        str | None, typer.Option("--radius", metavar="NUMBER", help="For l1_ball: of its ball.")
    ] = None,
    penalty: Annotated[
        str | None, typer.Option("--penalty", metavar="NUMBER", help="Of a trend filter.")
    ] = None,
    graph: Annotated[
        list[str] | None,
        typer.Option(
            "--graph", metavar="COLUMN=FILE", help="A CSV file of pairs of keys that are neighbors."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write a CSV table there.", parser=path_typed),
    ] = None,
    as_json: Json = False,
) -> Job:
    """Clean the numbers of a saved release, at no cost.

    The command reads the released numbers and the law of their noise, so cleaning costs no privacy.
    If no denoiser clearly has a smaller error, the numbers stay raw. The release itself stays as it
    is.
    """
    from . import denoise as room

    wanted = room.DenoiseOptions(
        how,
        tuple(known or ()),
        tuple(totals or ()),
        interval,
        tuple(ordered or ()),
        tuple(prior or ()),
        radius,
        penalty,
        tuple(graph or ()),
    )
    return Job(lambda screen: room.denoise(screen, saved, wanted, out=out), as_json)


@app.command(epilog="Example: discreet init people.csv --out draft.toml")
def init(
    data: Annotated[str, typer.Argument(metavar="DATA", help="A file of data, or a glob.")],
    out: Out = None,
    header: Annotated[
        bool,
        typer.Option("--header", help="The first row names the columns, whatever it looks like."),
    ] = False,
    table: Annotated[
        str | None,
        typer.Option("--table", help="Of a workbook or a database file, the sheet or table."),
    ] = None,
    as_json: Json = False,
) -> Job:
    """Draft a plan file from names and types.

    The draft contains no value of the data. A question mark stands for each fact that only you can
    know. Without --out, the draft has the name of the data with .toml, in this folder; no file is
    overwritten.
    """
    from . import check

    return Job(
        lambda screen: check.init(screen, data, out=out, header=header, table=table), as_json
    )


@app.command(epilog="Example: discreet demo")
def demo(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where to write.")] = Path(
        "demo"
    ),
    as_json: Json = False,
) -> Job:
    """Release real microdata, from two small budgets.

    Run the command again: the second time only a smaller plan fits, and the third time nothing is
    left.
    """
    from . import demo as demo_room

    return Job(lambda screen: demo_room.demo(screen, folder), as_json)


app.command("audit", epilog=f"Example: {audit.EXAMPLE}")(audit.audit)
app.command("annotate", epilog=f"Example: {explore.ANNOTATE}")(explore.annotate)
app.command("registry", epilog=f"Example: {registry.EXAMPLE}")(registry.registry)
app.command("forecast", epilog=f"Example: {explore.FORECAST}")(explore.forecast)
app.command("table", epilog=f"Example: {table.EXAMPLE}")(table.table)
app.command("microdata", epilog=f"Example: {table.MICRODATA}")(table.microdata)
app.command("explore", epilog=f"Example: {explore.EXPLORE}")(explore.explore)
app.command("expression", epilog=f"Example: {explore.EXPRESSION}")(explore.expression)
app.command("sql", epilog=f"Example: {sql.SQL}")(sql.sql)
app.command("derive", epilog=f"Example: {derive.EXAMPLE}")(derive.derive)
app.command("heatmap", epilog=f"Example: {heatmap.EXAMPLE}")(heatmap.heatmap)
app.command("explain", epilog=f"Example: {explain.EXAMPLE}")(explain.explain)
app.command("calc", epilog=f"Example: {calc.EXAMPLE}")(calc.calc)
app.command("compare", epilog=f"Example: {calc.COMPARISON}")(calc.compare)


_GROUPS: list[list[str]] = [[], ["ledger"], ["ledger", "anchor"]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    make_safe()
    try:
        return _run([*words, "--help"] if words in _GROUPS else words)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads any more
        return 0
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - none may print what it holds
        return Screen(as_json="--json" in words).fail(told(error))


def _run(words: list[str]) -> int:
    job = app(args=words, prog_name="discreet", standalone_mode=False)
    if job == Interrupted.exit_code:  # Typer was interrupted, and has said nothing
        raise KeyboardInterrupt
    if not isinstance(job, Job):
        return int(job or 0)
    screen = Screen(as_json=job.as_json)
    answer = job.run(screen)
    try:
        screen.reply(answer)
    except KeyboardInterrupt:
        raise Interrupted(
            "the command was stopped by Ctrl-C while it printed its answer.",
            kind="stopped",
            why="everything else was done before",
            fix="run it again; a release that was paid for comes again for nothing",
        ) from None
    return answer.exit_code


if __name__ == "__main__":
    sys.exit(main())
