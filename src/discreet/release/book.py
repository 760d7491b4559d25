"""Open the ledger of a data set, or start one."""

from os import PathLike
from pathlib import Path

from ..entropy import Coins
from ..errors import InputError
from ..ledger.file import Ledger, create, open_ledger
from ..privacy.loss import AnyLoss


def ledger(
    path: str | PathLike[str], *, budget: AnyLoss | None = None, subject: str = ""
) -> Ledger:
    """Open the ledger at `path`; where there is none and a budget is given, start it.

    Args:
        path: one SQLite file. Keep it where the data is kept, and back it up with its releases.
        budget: all that may ever be lost about the data, in one kind of loss.
        subject: the name of the data that the budget protects; a plan on a table of another name
            is refused.

    Raises:
        InputError: the ledger exists with another budget or subject.
        LedgerError: there is none and no budget was given, or it cannot be read or written.
    """
    if budget is None or Path(path).exists():
        found = open_ledger(Path(path))
        header = found.book().header
        if budget is not None and budget.plain() != header.budget:
            raise InputError(
                f"the ledger has another budget than {budget}.",
                why="a budget is set once, when the ledger is started",
                fix="open it without budget=..., or start another ledger with its owner's consent",
            )
        if subject and subject != header.subject:
            raise InputError(
                "the ledger protects another data set than the subject given.",
                why="one budget belongs to one data set",
                fix="open it without subject=..., or name the ledger of this data set",
            )
        return found
    return create(Path(path), budget=budget, subject=subject, id=f"{Coins().salt():016x}")
