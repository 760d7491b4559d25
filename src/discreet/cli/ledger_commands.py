"""The commands of the ledger's keeper: start, show, verify, void.

Rules of this module:
- only the budget's owner gives a charge back, with a reason that the book keeps;
- a charge without a result is shown as open, with what to do about it.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..errors import InputError, LedgerError, shown
from .output import Screen

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
) -> "LedgerReply":
    """Start a ledger with its budget."""
    from ..ledgers.show import laplace_words
    from ..paths import taken
    from ..plan_file.in_file import typed
    from ..releases.open_ledger import ledger
    from .paths import there

    if there(path):
        raise taken(
            path,
            error=LedgerError,
            why="a budget is set once, when its ledger is started",
            fix=f"look at it with: discreet ledger show {typed(path)}",
        )
    made = ledger(path, budget=budget, subject=subject, pure=pure, chance=chance)
    whose = f" for {shown(subject)}" if subject else ""
    screen.say(f"Started {shown(path)}{whose}: {budget} may be spent in all.")
    screen.say("Keep it where the data is kept, and back it up with its releases.")
    if (laplace := laplace_words(made.left())) is not None:
        screen.say(laplace)
    return _reply("ledger init", made)


def show(screen: Screen, path: Path) -> "LedgerReply":
    """Show the budget, what is left, and the last charges."""
    found = _open(path)
    screen.show(found.sheet())
    return _reply("ledger show", found)


def verify(screen: Screen, path: Path, releases: Sequence[Path]) -> "VerifyReply":
    """Check the chain and the account of a ledger, and that it knows the releases given."""
    from ..ledgers.verifying import unchecked_bytes
    from ..releases.release import load
    from .json_replies import VerifyReply

    found = _open(path)
    heads = []
    for saved in releases:
        entry = load(saved).document.ledger
        if entry is None:
            raise InputError(
                f"{shown(saved)} is a rehearsal.",
                why="a rehearsal is not paid for and is in no ledger",
                fix="give releases only",
            )
        heads.append((entry.seq, entry.hash))
    with screen.working("Checking"):
        faults = found.verify(seen=heads)
    if faults:
        raise LedgerError(
            f"{shown(path)} does not check: {'; '.join(faults[:3])}.",
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
    unchecked = ["whether this is the newest copy: no anchor"]
    screen.say("\n".join(f"ok: {check}" for check in checks))
    screen.say("\n".join(f"not checked: {what}" for what in unchecked))
    return VerifyReply(command="ledger verify", checks=checks, unchecked=unchecked)


def void(
    screen: Screen, path: Path, seqs: Sequence[int], *, why: str, who: str | None
) -> "LedgerReply":
    """Give back charges that have no result, all or none."""
    found = _open(path)
    entries = found.void(*seqs, reason=why, who=who)
    charges = "charge" if len(entries) == 1 else "charges"
    numbers = ", ".join(str(entry.refers) for entry in entries)
    screen.say(f"Voided {charges} {numbers}: {shown(why)}")
    screen.say(f"Left in {shown(path.name)}: {found.left()}.")
    return _reply("ledger void", found)


def budget_of(**given: str | None) -> "Loss":
    """Return the budget that the options say."""
    from ..plan_file.in_file import loss_of

    return loss_of(
        given,
        what="the budget is not said, or said twice.",
        why="it says once and for ever how much may be lost about the people in the data, in rho, "
        "mu2 or epsilon, with or without delta; only its owner knows",
    )


def _open(path: Path) -> "Ledger":
    from ..ledgers.file import open_ledger
    from ..ledgers.sqlite_errors import missing
    from ..plan_file.in_file import typed
    from .paths import there

    if not there(path):
        raise missing(
            path,
            why="nothing is at this path",
            fix=f"give its path, or start it with: discreet ledger init {typed(path)} --rho '?'",
        )
    return open_ledger(path)


def _reply(
    command: Literal["ledger init", "ledger show", "ledger void"], found: "Ledger"
) -> "LedgerReply":
    from .json_replies import ChargeReply, LedgerReply

    book = found.book()
    return LedgerReply(
        command=command,
        path=str(found.path),
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
