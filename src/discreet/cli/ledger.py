"""`discreet ledger`: the commands of the ledger's keeper: start, show, verify, void, anchor.

Rules of this module:
- only the budget's owner gives a charge back, with a reason that the book keeps;
- a charge without a result is shown as open, with what to do about it.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from ..errors import InputError, LedgerError, shown
from .output import Job, Json, LedgerPath, Screen, Who
from .twice import refuse_twice

if TYPE_CHECKING:
    from ..ledgers.file import Ledger
    from ..privacy.loss import Loss
    from .json_replies import LedgerReply, VerifyReply


def init(
    screen: Screen,
    path: Path,
    budget: "Loss",
    *,
    subject: str,
    pure: str | None = None,
    chance: str | None = None,
    trust_locks: str = "",
) -> "LedgerReply":
    """Start a ledger with its budget."""
    from ..ledgers.show import laplace_words
    from ..paths import taken
    from ..plan_file.in_file import typed
    from ..releases.open_ledger import ledger
    from .charge import there

    if there(path):
        raise taken(
            path,
            error=LedgerError,
            why="a budget is set once, when its ledger is started",
            fix=f"look at it with: discreet ledger show {typed(path)}",
        )
    purses = {"pure": pure, "chance": chance}
    made = ledger(path, budget=budget, subject=subject, trust_locks=trust_locks, **purses)
    whose = f" for {shown(subject)}" if subject else ""
    screen.say(f"Started {shown(path)}{whose}: {budget} may be spent in all.")
    screen.say("Keep it where the data is kept, and back it up with its releases.")
    if (laplace := laplace_words(made.left())) is not None:
        screen.say(laplace)
    return _reply("ledger init", made)


def show(screen: Screen, path: Path, *, tight: bool = False) -> "LedgerReply":
    """Show the budget, what is left, and the last charges."""
    from ..ledgers.tight import tight as kept_in_all

    ledger = _open(path)
    screen.show(ledger.sheet(tight=tight))
    reply, kept = _reply("ledger show", ledger), kept_in_all(ledger.book()) if tight else None
    return reply.model_copy(update={"tight": kept and kept.plain()})


def verify(screen: Screen, path: Path, releases: Sequence[Path]) -> "VerifyReply":
    """Check the chain and the account of a ledger, and that it knows the releases given."""
    from ..ledgers.anchors import checked_against, uncompared
    from ..ledgers.verifying import unchecked_bytes
    from .json_replies import VerifyReply

    ledger = _open(path)
    heads = [_head_of(saved) for saved in releases]
    with screen.working("Checking"):
        faults = ledger.verify(seen=heads)
    if faults:
        raise LedgerError(
            f"{shown(path)} does not check: {'; '.join(faults[:3])}.",
            kind="ledger-damaged",
            why="the file was changed, damaged, or put back to an older copy",
            fix="stop releasing, and compare it with its backup and with the saved releases",
        )
    blind = unchecked_bytes(path)
    but = f", but {blind:,} that carry no content and are not compared" if blind else ""
    checks = [
        f"every byte of the file is as its entries make it{but}",
        "the chain of hashes is whole",
    ]
    checks += ["no rule of the book is broken, and no more than the budget is spent"]
    checks += [f"it holds the charge of {shown(saved)}" for saved in releases]
    name = ledger.file.head().header.id
    compared, unchecked = checked_against(name), uncompared(name)
    if compared:
        checks.append(f"no newer copy is known to {compared}")
    else:
        unchecked.append("whether this is the newest copy: no anchor")
    screen.say("\n".join(f"ok: {check}" for check in checks))
    for what in unchecked:
        screen.say(f"not checked: {what}")
    return VerifyReply(command="ledger verify", checks=checks, unchecked=unchecked)


def _head_of(saved: Path) -> tuple[int, str]:
    """Return the entry that a release was charged by."""
    from ..releases.release import load

    entry = load(saved).document.ledger
    if entry is None:
        raise InputError(
            f"{shown(saved)} is a rehearsal.",
            kind="rehearsal-only",
            why="a rehearsal is not paid for and is in no ledger",
            fix="give releases only",
        )
    return entry.seq, entry.hash


def void(
    screen: Screen, path: Path, seqs: Sequence[int], *, why: str, who: str | None
) -> "LedgerReply":
    """Give back charges that have no result, all or none."""
    ledger = _open(path)
    entries = ledger.void(*seqs, reason=why, who=who)
    charges = "charge" if len(entries) == 1 else "charges"
    numbers = ", ".join(str(entry.refers) for entry in entries)
    screen.say(f"Voided {charges} {numbers}: {shown(why)}")
    screen.say(f"Left in {shown(path.name)}: {ledger.left()}.")
    return _reply("ledger void", ledger)


def restored(screen: Screen, path: Path, *, why: str, who: str | None) -> "LedgerReply":
    """Go on from an older copy: charge what it has forgotten."""
    from ..ledgers.file import Ledger

    _require(path)
    ledger = Ledger(path)
    cost = ledger.restored(why, who=who)
    if cost is None:
        screen.say("Nothing was spent that this copy does not hold. Anchors go on from it.")
    else:
        screen.say(f"Charged {cost}, which this copy had forgotten. Anchors go on from it.")
    screen.say(f"Left in {shown(path.name)}: {ledger.left()}.")
    return _reply("ledger restored", ledger)


def trust_locks(screen: Screen, path: Path, *, why: str, who: str | None) -> "LedgerReply":
    """Keep an owner's word for locks that cannot be told."""
    ledger = _open(path)
    ledger.trust_locks(why, who=who)
    screen.say(f"{shown(path.name)} keeps your word for its locks. Nothing was charged.")
    return _reply("ledger trust", ledger)


def add_anchor(screen: Screen, path: Path, to: str, *, required: bool) -> "LedgerReply":
    """Write each entry to one more place."""
    ledger = _open(path)
    ledger.add_anchor(to, required=required)
    screen.say(f"Each entry of {shown(path.name)} is noted in {shown(to)} from now on.")
    if required:
        screen.say("Where that is out of reach, nothing is charged.")
    return _reply("ledger anchor add", ledger)


def budget_of(**numbers: str | None) -> "Loss":
    """Return the budget that the options say."""
    from ..plan_file.in_file import loss_of

    return loss_of(
        numbers,
        what="the budget is missing, or stated twice.",
        why="it says once and for ever how much may be lost about the people in the data, in rho, "
        "mu2 or epsilon, with or without delta; only its owner knows",
    )


def _open(path: Path) -> "Ledger":
    from ..ledgers.file import open_ledger

    _require(path)
    return open_ledger(path)


def _require(path: Path) -> None:
    """Raise LedgerError where nothing is at a path."""
    from ..ledgers.sqlite_errors import missing
    from ..plan_file.in_file import typed
    from .charge import there

    if not there(path):
        raise missing(
            path,
            why="nothing is at this path",
            fix=f"give its path, or start it with: discreet ledger init {typed(path)} --rho '?'",
        )


def _reply(
    command: Literal[
        "ledger init",
        "ledger show",
        "ledger void",
        "ledger restored",
        "ledger trust",
        "ledger anchor add",
    ],
    ledger: "Ledger",
) -> "LedgerReply":
    from .json_replies import ChargeReply, LedgerReply

    book = ledger.book()
    return LedgerReply(
        command=command,
        path=str(ledger.path),
        id=book.header.id,
        subject=book.header.subject,
        created=book.header.created,
        budget=book.budget().plain(),
        spent=book.spent().plain(),
        left=book.left().plain(),
        charges=[
            ChargeReply(
                seq=row.seq,
                when=row.when,
                who=row.who,
                why=row.why,
                request=row.request,
                loss=row.loss,
                state=row.state,
            )
            for row in book.rows()
        ],
    )


class _Commands(TyperGroup):
    """The commands of the book; an option of theirs that takes one value is typed once."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        refuse_twice(command, name or "", ctx, rest)
        return name, command, rest


ledger_app = typer.Typer(
    cls=_Commands,
    help="Manage a ledger: its budget, and who spent it.",
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
    trusted: Annotated[
        str,
        typer.Option(
            "--trust-locks", metavar="TEXT", help="How you know that locks exclude on its drive."
        ),
    ] = "",
    as_json: Json = False,
) -> Job:
    """Start a ledger with its budget.

    The budget states, once and for ever, the largest loss for the people in a data set.
    """

    return Job(
        lambda screen: init(
            screen,
            path,
            budget_of(rho=rho, mu2=mu2, epsilon=epsilon, delta=delta),
            subject=subject,
            pure=pure,
            chance=chance,
            trust_locks=trusted,
        ),
        as_json,
    )


@ledger_app.command("show", epilog="Example: discreet ledger show people.ledger")
def ledger_show(
    path: LedgerPath,
    *,
    tight: Annotated[
        bool,
        typer.Option(
            "--tight", help="Say what all charges keep, had all plans been fixed in advance."
        ),
    ] = False,
    as_json: Json = False,
) -> Job:
    """Show what is left, and the last charges."""

    return Job(lambda screen: show(screen, path, tight=tight), as_json)


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

    return Job(lambda screen: verify(screen, path, releases or []), as_json)


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
    """Give back charges without an answer, all or none.

    Only the owner of the budget should do this, and only if no answer has left the machine. The
    book keeps the reason.
    """

    return Job(lambda screen: void(screen, path, seqs, why=why, who=who), as_json)


@ledger_app.command(
    "restored", epilog="Example: discreet ledger restored people.ledger --why 'the disk failed'"
)
def ledger_restored(
    path: LedgerPath,
    why: Annotated[
        str, typer.Option("--why", metavar="TEXT", help="What became of the newer copy.")
    ],
    who: Who = None,
    as_json: Json = False,
) -> Job:
    """Go on from an older copy that was put back.

    discreet charges the amount that the anchors have recorded since then, for ever. Only the owner
    of the budget should do this, and only if there is no newer copy.
    """

    return Job(lambda screen: restored(screen, path, why=why, who=who), as_json)


@ledger_app.command(
    "trust",
    epilog="Example: discreet ledger trust people.ledger --why 'one machine writes here'",
)
def ledger_trust_locks(
    path: LedgerPath,
    why: Annotated[str, typer.Option("--why", metavar="TEXT", help="How you know.")],
    who: Who = None,
    as_json: Json = False,
) -> Job:
    """State that the locks of a file system work, if discreet cannot test these locks.

    This is for drives that other machines can reach. Only the owner of the budget should do this;
    the ledger keeps the statement.
    """

    return Job(lambda screen: trust_locks(screen, path, why=why, who=who), as_json)


anchor_app = typer.Typer(
    cls=_Commands,
    help="Note each entry outside of the ledger, so that discreet finds an older copy.",
    epilog="Example: discreet ledger anchor add people.ledger /mnt/backup/people.anchor",
)
ledger_app.add_typer(anchor_app, name="anchor")


@anchor_app.command(
    "add", epilog="Example: discreet ledger anchor add people.ledger /mnt/backup/people.anchor"
)
def ledger_anchor_add(
    path: LedgerPath,
    to: Annotated[
        str,
        typer.Argument(
            metavar="TARGET",
            help="A file on another drive, the folder of a git repository, or the address of a "
            "Postgres database.",
        ),
    ],
    *,
    required: Annotated[
        bool, typer.Option("--required", help="Refuse charges where it is out of reach.")
    ] = False,
    as_json: Json = False,
) -> Job:
    """Add an anchor: a further place for a note of each entry.

    A line of an anchor has the newest entry, and the amount spent. Your own state folder has an
    anchor already.
    """

    return Job(lambda screen: add_anchor(screen, path, to, required=required), as_json)
