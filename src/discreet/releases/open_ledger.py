"""Open the ledger of a data set, or start one.

Rules of this module:
- what cannot be a ledger is refused before anything is opened or made.
"""

import os
from collections.abc import Mapping
from os import PathLike
from pathlib import Path

from ..entropy import Coins
from ..errors import InputError, LedgerError, as_given, shown
from ..exact.number import Number, rational
from ..fix import BLANK, call, leave_out, write
from ..given import path_of
from ..ledgers.entry import loss_in, promise_in
from ..ledgers.file import Ledger, create, open_ledger
from ..plans.checked import loss_given
from ..privacy.loss import Loss
from ..privacy.purses import purses_of

_EXAMPLE = call("discreet.ledger", "visits.ledger", budget=call("discreet.zcdp", "1/8"))


def ledger(
    path: str | PathLike[str],
    *,
    budget: Loss | None = None,
    subject: str = "",
    pure: Number | None = None,
    chance: Number | None = None,
) -> Ledger:
    """Open the ledger at `path`; where there is none and a budget is given, start it.

    Args:
        path: one SQLite file. Keep it where the data is kept, and back it up with its releases.
        budget: all that may ever be lost about the data, in one kind of loss.
        subject: the name of the data that the budget protects; a plan on a table of another name
            is refused.
        pure: with an (epsilon, delta) budget, keep three purses, and set so much epsilon aside for
            acts of pure privacy; the rest is for Gaussian noise, which costs its mu^2 and no more.
        chance: the same, so much delta for acts that can fail; 0 where only `pure` is given.

    Raises:
        InputError: the ledger exists with another budget or subject, or the budget is no loss.
        LedgerError: there is none and no budget was given, or it cannot be read or written.
    """
    place = _place(path)
    if budget is not None:
        loss_given(budget, "budget")
    made = _purses(budget, pure, chance)
    if not isinstance(subject, str):
        raise InputError(
            f"subject = {as_given(subject)} is not a name.",
            why="a ledger names the data that its budget protects",
            fix=leave_out("subject", note=", or give the name of the table as text"),
        )
    if os.path.lexists(place):
        found = Ledger(place)
        header = found.keeper.head().header
        if budget is not None and not _is_of(header.budget, budget, made):
            raise InputError(
                f"the ledger has another budget than {budget}.",
                why="a budget is set once, when the ledger is started",
                fix=(leave_out("budget"), "start another ledger with its owner's consent"),
            )
        if subject and subject != header.subject:
            raise InputError(
                "the ledger protects another data set than the subject given.",
                why="one budget belongs to one data set",
                fix=(leave_out("subject"), "name the ledger of this data set"),
            )
        return found
    if budget is None:
        raise LedgerError(
            f"there is no ledger at {shown(place)}.",
            why="a ledger is started with the budget that it keeps",
            fix=(
                write(budget=call("discreet.zcdp", BLANK)),
                write(budget=call("discreet.pure", BLANK)),
                "correct the path",
            ),
        )
    if made is not None:
        return create(place, budget=made, subject=subject, id=_id(), promise=budget)
    return create(place, budget=budget, subject=subject, id=_id())


def _id() -> str:
    return f"{Coins().salt():016x}"


def _purses(budget: Loss | None, pure: Number | None, chance: Number | None) -> Loss | None:
    """Return the purses that were asked for, or None where none were."""
    if pure is None and chance is None:
        return None
    if budget is None or budget.kind != "approx":
        raise InputError(
            "purses are asked for, and no budget in (epsilon, delta).",
            why="what is not set aside is for Gaussian noise, which keeps an epsilon at a delta",
            fix=(write(budget=call("discreet.approx", BLANK, BLANK)), leave_out("pure", "chance")),
        )
    parts = [rational(part or 0, name) for name, part in (("pure", pure), ("chance", chance))]
    made = purses_of(budget, pure=parts[0], chance=parts[1])
    if made.is_zero():
        raise InputError(
            f"a budget of {budget} leaves nothing to be spent.",
            why="Gaussian noise needs a delta; without one there is pure loss",
            fix=write(budget=call("discreet.pure", BLANK)),
        )
    return made


def _is_of(header: Mapping[str, str], budget: Loss, purses: Loss | None) -> bool:
    """Tell whether a ledger has this budget; one of purses is known by its promise, too."""
    promise = promise_in(dict(header))
    if promise is None:
        return purses is None and budget.plain() == header
    return budget == promise and (purses is None or purses == loss_in(dict(header)))


def opened(given: Ledger | str | PathLike[str]) -> Ledger:
    """Return the ledger that a caller gave, itself or its path.

    Raises:
        InputError: it is neither.
        LedgerError: there is none, or it cannot be read.
    """
    return given if isinstance(given, Ledger) else open_ledger(_place(given))


def unread(given: Ledger | str | PathLike[str]) -> Ledger:
    """Return the same, but leave it to the caller to read it, and so to find that it is none."""
    return given if isinstance(given, Ledger) else Ledger(_place(given))


def _place(path: object) -> Path:
    """Return the path of a ledger that is there or can be made."""
    place = path_of(path, "a ledger", _EXAMPLE)
    try:
        lost = place.is_symlink() and not place.exists()
    except OSError:  # where the folder may not be entered; opening says so
        lost = False
    if lost:
        raise LedgerError(
            f"{shown(place)} is a link that leads nowhere.",
            why="what it points to is not there, or points back to it",
            fix="remove the link, or put the ledger where it points to",
        )
    return place
