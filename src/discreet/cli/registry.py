"""`discreet registry`: a record of a release for the public registry of deployments."""

from pathlib import Path
from typing import TYPE_CHECKING

from .output import Job, Json, Ledger, Out, Saved

if TYPE_CHECKING:
    from ..releases.release import Release
    from ..report.registry import LedgerFacts
    from .json_replies import RegistryReply
    from .output import Screen

EXAMPLE = "discreet registry people.release --ledger people.ledger --out record.yaml"


def registry(saved: Saved, out: Out = None, ledger: Ledger = None, as_json: Json = False) -> Job:
    """Write a record for the registry of deployments.

    The fields come from the release, the ledger and the publisher's words; each field names its
    source. A question mark stands for facts that only the publisher knows. The command reads no
    data and charges nothing.
    """
    return Job(lambda screen: _registry(screen, saved, out, ledger), as_json)


def _registry(
    screen: "Screen", saved: Path, out: Path | None, ledger: Path | None
) -> "RegistryReply":
    from ..errors import shown
    from ..paths import taken
    from ..releases.release import load
    from ..report import registry as record
    from ..report.about_file import NOTHING, said_beside
    from .charge import free_name, there
    from .json_replies import RegistryReply
    from .output_path import write_new

    release = load(saved)
    account = None if ledger is None else _account(release, ledger)
    about = (said_beside(saved) or NOTHING).about
    fields = record.record_of(release.document, about, account)
    text, blanks = record.yaml_of(fields), record.blanks(fields)
    if out is None:
        screen.say(text.rstrip("\n"))
    elif there(out):
        raise taken(out, why="nothing is written over", fix=f"add --out {shown(free_name(out))}")
    else:
        write_new(out, text)
        screen.say(f"The record is in {shown(out)}.")
        screen.say(f"Only the publisher can fill: {', '.join(blanks)}.")
    return RegistryReply(saved=None if out is None else str(out), record=text, blanks=blanks)


def _account(release: "Release", ledger: Path) -> "LedgerFacts":
    """Return what a ledger says of itself; it must hold the charge of the release."""
    from ..errors import LedgerError, shown
    from ..ledgers.file import open_ledger
    from ..report.registry import LedgerFacts

    book, entry = open_ledger(ledger).book(), release.document.ledger
    if entry is not None and not book.holds((entry.seq, entry.hash)):
        raise LedgerError(
            f"{shown(ledger.name)} did not pay for this release.",
            kind="not-paid-here",
            why=f"the release names entry {entry.seq} of ledger {shown(entry.id)}",
            fix="give the ledger that paid for it, or leave it out",
        )
    answered = sum(row.state == "answered" for row in book.rows())
    return LedgerFacts(book.budget(), book.spent(), answered)
