"""`discreet ledger`: the words of the ledger's keeper."""

from pathlib import Path
from typing import Annotated

import typer

from .words import Job, Json, LedgerPath, Who

ledger_app = typer.Typer(
    help="Keep the book: what may be spent, and who did.",
    epilog="Example: discreet ledger show people.ledger",
)


@ledger_app.command("init", epilog="Example: discreet ledger init people.ledger --rho 1/8")
def ledger_init(
    path: LedgerPath,
    *,
    rho: Annotated[
        str | None, typer.Option("--rho", metavar="NUMBER", help="The budget in zCDP.")
    ] = None,
    epsilon: Annotated[
        str | None, typer.Option("--epsilon", metavar="NUMBER", help="The budget in epsilon.")
    ] = None,
    delta: Annotated[
        str | None, typer.Option("--delta", metavar="NUMBER", help="... and in delta.")
    ] = None,
    mu2: Annotated[
        str | None, typer.Option("--mu2", metavar="NUMBER", help="The budget in Gaussian loss.")
    ] = None,
    pure: Annotated[
        str | None,
        typer.Option("--pure", metavar="NUMBER", help="Keep purses: this epsilon for pure acts."),
    ] = None,
    chance: Annotated[
        str | None,
        typer.Option("--chance", metavar="NUMBER", help="... and this delta for acts that fail."),
    ] = None,
    subject: Annotated[
        str,
        typer.Option("--subject", metavar="NAME", help="The name of the data that it protects."),
    ] = "",
    as_json: Json = False,
) -> Job:
    """Start a ledger with its budget.

    It says, once and for ever, how much may be lost about the people in a data set.
    """
    from . import ledger_commands as room

    return Job(
        lambda screen: room.init(
            screen,
            path,
            room.budget_of(rho=rho, mu2=mu2, epsilon=epsilon, delta=delta),
            subject=subject,
            pure=pure,
            chance=chance,
        ),
        as_json,
    )


@ledger_app.command("show", epilog="Example: discreet ledger show people.ledger")
def ledger_show(path: LedgerPath, as_json: Json = False) -> Job:
    """Show what is left, and the last charges."""
    from . import ledger_commands as room

    return Job(lambda screen: room.show(screen, path), as_json)


@ledger_app.command("verify", epilog="Example: discreet ledger verify people.ledger people.release")
def ledger_verify(
    path: LedgerPath,
    releases: Annotated[
        list[Path] | None, typer.Argument(metavar="RELEASE...", help="Releases that it paid for.")
    ] = None,
    as_json: Json = False,
) -> Job:
    """Check every byte, the chain and the account.

    With releases, check too that it holds the charge of each.
    """
    from . import ledger_commands as room

    return Job(lambda screen: room.verify(screen, path, releases or []), as_json)


@ledger_app.command(
    "void", epilog="Example: discreet ledger void people.ledger 3 5 --why 'power cut'"
)
def ledger_void(
    path: LedgerPath,
    seqs: Annotated[
        list[int], typer.Argument(metavar="CHARGE...", help="The numbers of open charges.")
    ],
    why: Annotated[str, typer.Option("--why", metavar="TEXT", help="Why no answer can have left.")],
    who: Who = None,
    as_json: Json = False,
) -> Job:
    """Give back charges that have no answer, all or none.

    Only the budget's owner should: no answer may have left. The book keeps the reason.
    """
    from . import ledger_commands as room

    return Job(lambda screen: room.void(screen, path, seqs, why=why, who=who), as_json)
