"""The states of a charge, and what is said of each.

    new -> charged -> stored -> handed out
              |
            void, by the budget's owner alone

Rules of this module:
- what is said follows from the file itself, read after whatever went wrong; what cannot be read is
  said not to be known;
- a charge without an answer is never used again: its noise may have been seen, and new noise beside
  it would be a second release for one price;
- the words are the same wherever a run ends; `docs/ledger.md` lists them; a semicolon ends the
  first clause, by which `said_in` takes a note apart.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Literal

from ..errors import BudgetError, DiscreetError, EngineError, LedgerError, shown
from ..fix import Fix, and_then
from .trouble import is_unsure

State = Literal["new", "open", "answered", "void", "unknown", "unseen"]
OF_KIND: dict[str | None, State] = {None: "open", "result": "answered", "void": "void"}
_WHOLE = 4_096  # letters of a path that is to be typed
MARK = "discreet: "  # begins a note that was added to an exception


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a run's charge stands, by the ledger's file.

    Args:
        state: "unknown" where not even the charge could be looked up, "unseen" where it is known
            to be written and nothing else could be read.
        seq: its number, where that is known.
    """

    state: State
    seq: int = 0


def words_of(standing: Standing, path: Path) -> tuple[str, str]:
    """Return what stands in the ledger, as a clause, and what can be done, as another."""
    seq, ledger = standing.seq, quote(shown(path, _WHOLE))
    return {
        "new": ("nothing was charged", "ask again"),
        "open": (
            f"charge {seq} stays spent and its answer was not stored: noise may have been drawn "
            "for it, so it is never used again",
            "ask again, which is a new charge; only the budget's owner may take this one back, "
            f"with: discreet ledger void {ledger} {seq} --why REASON",
        ),
        "answered": (
            f"charge {seq} and its answer are stored in {shown(path.name)}",
            "ask for the same request again: it returns the stored answer, for nothing",
        ),
        "void": (f"charge {seq} was voided while it ran", "ask again: it is charged anew"),
        "unknown": (
            f"it is not known whether {f'charge {seq}' if seq else 'a charge'} was written",
            f"see what the ledger holds: discreet ledger show {ledger}",
        ),
        "unseen": (
            f"charge {seq} was written and stays spent, and whether its answer was stored is not "
            "known",
            f"see what the ledger holds: discreet ledger show {ledger}; ask for the same request "
            "again, which returns a stored answer for nothing",
        ),
    }[standing.state]


def told(error: BaseException, path: Path, look: Callable[[], Standing]) -> BaseException:
    """Return an error that says what was charged: three lines of ours, or a note on any other.

    Args:
        error: what broke the run off.
        path: the ledger.
        look: finds out where the charge stands.
    """
    standing = look()
    why, fix = words_of(standing, path)
    if isinstance(error, MemoryError):
        return EngineError(
            "there was not enough memory for this release.",
            why=why,
            fix=f"ask on a machine with more memory, or for fewer cells; {fix}",
        )
    if not isinstance(error, DiscreetError):
        error.add_note(f"{MARK}{why}; {fix}")
        return error
    if standing.state == "new" or (standing.state == "void" and isinstance(error, BudgetError)):
        return error
    unsure = isinstance(error, LedgerError) and is_unsure(error)
    ways: Fix = fix if unsure else and_then(error.ways, fix)
    return type(error)(error.what, why=f"{error.why}; {why}", fix=ways)


def said_in(error: BaseException) -> tuple[str, str] | None:
    """Return what the last note of ours on an exception says: what stands, and what can be done."""
    for note in reversed(getattr(error, "__notes__", ())):
        if note.startswith(MARK):
            why, _, fix = note.removeprefix(MARK).partition("; ")
            return why, fix
    return None
