"""Every no of the book, in three lines.

The states of a charge, and what is said of each.

    new -> charged -> stored -> handed out
              |
            void, by the budget's owner alone

Rules of this module:
- a message speaks of losses, ids, names and dates, never of a stored result;
- it says both numbers, and what to type next;
- what is said follows from the file itself, read after whatever went wrong; what cannot be read is
  said not to be known;
- a charge without an answer is never used again: its noise may have been seen, and new noise beside
  it would be a second release for one price;
- the words are the same wherever a run ends; `docs/ledger.md` lists them; a semicolon ends the
  first clause, by which `said_in` takes a note apart.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_UP
from fractions import Fraction
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Literal

from ..errors import BudgetError, DiscreetError, EngineError, InputError, LedgerError, shown
from ..exact.number import decimal_of, few_down, text_of
from ..fix import BLANK, Call, Fix, Set, and_then, write
from ..privacy.loss import Loss, call_of
from .entry import State
from .sqlite_errors import is_unsure

if TYPE_CHECKING:
    from .rules import Head


StateOfCharge = Literal["new", "open", "answered", "void", "unknown", "unseen"]
OF_KIND: dict[str | None, StateOfCharge] = {None: "open", "result": "answered", "void": "void"}
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

    state: StateOfCharge
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
            kind="out-of-memory",
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
    return type(error)(error.what, kind=error.kind, why=f"{error.why}; {why}", fix=ways)


def said_in(error: BaseException) -> tuple[str, str] | None:
    """Return what the last note of ours on an exception says: what stands, and what can be done."""
    for note in reversed(getattr(error, "__notes__", ())):
        if note.startswith(MARK):
            why, _, fix = note.removeprefix(MARK).partition("; ")
            return why, fix
    return None


_LONG = 16  # letters
_COUNTED = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def too_dear(head: "Head", losses: tuple[Loss, Loss], fix: Fix | None) -> BudgetError:
    """Refuse a loss (as asked, and in the budget's kind) that does not fit into what is left."""
    asked, own = losses
    left = head.left()
    also = f" ({asked})" if asked.kind != own.kind else ""
    advice: Fix = (_spending(left), "ask the budget's owner")
    if any(number == "0" for unit, number in left.plain().items() if unit != "delta"):
        advice = "ask the budget's owner; a release that was made can be repeated for nothing"
    price = f"{_unit(own)} = {_amount(own, ROUND_UP)}{also}"
    return BudgetError(
        f"this plan costs {price}, but only {_amount(left, ROUND_DOWN)} is left in {head.name}.",
        kind="over-budget",
        why=_history(head),
        fix=fix or advice,
    )


def other_kind(head: "Head", loss: Loss) -> InputError:
    """Refuse a loss from which no single number in the budget's kind follows."""
    unit = _unit(head.budget())
    return InputError(
        f"this plan costs {loss}, but {head.name} keeps {unit}.",
        kind="other-loss-kind",
        why=f"no single {unit} follows from that loss",
        fix=_spending(head.left(), ", or less"),
    )


def unwritable(name: str) -> InputError:
    """Refuse a loss that could not be read back as it is: negative, or of very many digits."""
    return InputError(
        f"this loss cannot be kept exactly in {name}.",
        kind="not-kept-exactly",
        why="a loss is at least 0, and each part of its fraction has at most 400 digits",
        fix=write(", with fewer digits, in the kind the ledger keeps", of="plan", spend=BLANK),
    )


def not_whole(name: str, budget: Loss) -> InputError:
    """Refuse a budget that is not a whole number of the units in which the book adds."""
    return InputError(
        f"{budget.kind} budget {_amount(budget, ROUND_DOWN)} cannot be kept exactly in {name}.",
        kind="not-kept-exactly",
        why="a ledger adds in whole units: a budget has at most 18 decimals, or a denominator of "
        "at most 40",
        fix=write(", which is a little less", budget=_whole_units(budget)),
    )


def nameless() -> InputError:
    """Refuse a charge without a request or a plan."""
    return InputError(
        "a charge needs the id of its request and the digest of its plan.",
        kind="setting-missing",
        why="a repeat of a request is known by them",
        fix="give both as text",
    )


def other_plan(name: str, request: str) -> InputError:
    """Refuse a known request with another plan."""
    return InputError(
        f"request {shown(request)} is known in {name} with another plan.",
        kind="request-known",
        why="the id of a request stands for one plan, so that a repeat is the same answer",
        fix="send the changed plan under a new request id",
    )


def answered(name: str, request: str) -> InputError:
    """Refuse a second answer to a request."""
    return InputError(
        f"request {shown(request)} has a result already in {name}.",
        kind="request-known",
        why="the first answer is the one that counts, and a repeat returns it for nothing",
        fix="hand out the stored result, or ask under a new request id",
    )


def no_reason(name: str, seq: int) -> InputError:
    """Refuse a void that does not say why."""
    return InputError(
        f"charge {seq} in {name} cannot be voided without a reason.",
        kind="reason-missing",
        why="the book keeps who gave budget back, and on what grounds",
        fix="say why no answer can have left, for example: the process was killed",
    )


def not_restored(name: str) -> InputError:
    """Refuse to go on from an older copy without a word of what became of the newer one."""
    return InputError(
        f"{name} cannot go on from an older copy without a reason.",
        kind="reason-missing",
        why="the book keeps who went on from it, and on what grounds",
        fix="say what became of the newer copy, for example: the disk failed",
    )


def not_open(name: str, seq: int, state: State | None) -> BudgetError | InputError:
    """Refuse to settle a charge that is not open."""
    if state == "void":
        return BudgetError(
            f"charge {seq} in {name} was voided.",
            kind="charge-not-open",
            why="its owner took it back, so no answer to it may be stored or leave",
            fix="run the plan again; it is charged anew",
        )
    return InputError(
        f"entry {seq} in {name} is not an open charge.",
        kind="charge-not-open",
        why="it has a result, and what was shown stays spent" if state else "no charge has it",
        fix="list the ledger and take the number of a charge without a result",
    )


def unreadable(name: str) -> LedgerError:
    """Refuse a book whose header means nothing to this version."""
    return LedgerError(
        f"the header of {name} cannot be read.",
        kind="ledger-damaged",
        why="its budget or its format is not one that this version knows",
        fix="put back a copy of the ledger, and verify it with the releases that were made",
    )


def _history(head: "Head") -> str:
    charges, voids, unanswered = head.counts()
    number = charges - voids
    if not number:
        return f"the whole budget is {head.budget()}"
    word = _COUNTED[number] if number < len(_COUNTED) else str(number)
    releases, have = ("release", "has") if number == 1 else ("releases", "have")
    waiting = f" ({unanswered} without a result)" if unanswered else ""
    return (
        f"{word} {releases} since {head.header.created[:10]}{waiting} {have} spent "
        f"{_unit(head.spent())} = {_amount(head.spent(), ROUND_UP)} of "
        f"{_amount(head.budget(), ROUND_DOWN)}"
    )


def _unit(loss: Loss) -> str:
    return str(loss).split(" = ")[0]


def _amount(loss: Loss, rounding: str) -> str:
    texts = [_short(number, rounding) for number in _numbers(loss)]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def _spending(loss: Loss, note: str = "") -> Set:
    """Return the advice to spend a loss; a long number is cut, so that it still fits."""
    texts = [_short(number, ROUND_DOWN, exact=str) for number in _numbers(loss)]
    spend = call_of(loss.kind, *texts)
    return write(note, of="plan", verb="plan again with", spend=spend)


def _whole_units(budget: Loss) -> Call:
    """Return the call that makes a budget of 18 decimals at most."""
    return call_of(budget.kind, *map(_decimals, budget.numbers))


def _decimals(number: Fraction) -> str:
    """Return the number rounded down to 18 decimals, and to few digits."""
    return text_of(few_down(Fraction(number * 10**18 // 1, 10**18)))


def _numbers(loss: Loss) -> list[Fraction]:
    return [Fraction(number) for name, number in loss.plain().items() if name != "kind"]


def _short(number: Fraction, rounding: str, *, exact: Callable[[Fraction], str] = text_of) -> str:
    """Return the number exactly where that is short, else to nine digits on the stated side."""
    text = exact(number)
    if len(text) <= _LONG:
        return text
    return f"{decimal_of(number, 9, rounding)}"


def foreign(name: str, seq: int) -> LedgerError:
    """Return the error for a file that no longer holds a charge of this run."""
    return LedgerError(
        f"{name} does not have charge {seq} of this run.",
        kind="not-paid-here",
        why="the file was replaced by an older copy or by another ledger since the charge",
        fix="do not use the answer; put back the ledger that was charged",
    )


def older_copy(head: "Head", seq: int, when: str, *, root: bool) -> LedgerError:
    """Refuse a file that does not go on from what an anchor has seen of its ledger.

    Args:
        head: the file, as it stands.
        seq, when: of the entry that the anchor has seen.
        root: whether its header is the one that the anchor has seen.
    """
    seen = f"an anchor has seen entry {seq} of {when[:16].replace('T', ' ')}"
    if not root:
        what, why = "has another header than it had", "its budget or its subject was changed"
    elif head.seq < seq:
        what, why = "is an older copy", f"{seen}, and this file ends at entry {head.seq}"
    else:
        what, why = "has parted from the ledger that it was", f"{seen}, and here it is another one"
    ledger = quote(shown(head.called, _WHOLE))
    return LedgerError(
        f"{head.name} {what}.",
        kind="ledger-older-copy",
        why=f"{why}: what was charged meanwhile could be spent again",
        fix="put back the newest copy, with its releases; where there is none, the budget's owner "
        f"charges what is missing: discreet ledger restored {ledger} --why REASON",
    )


def not_charged(error: LedgerError, written: Standing, path: Path) -> LedgerError:
    """Return the error of a charge that failed, with what the file says of it."""
    why, advice = words_of(written, path)
    fix: Fix = error.ways if written.state == "new" else advice
    if written.state == "open":
        why = f"charge {written.seq} was written all the same and stays spent; no noise was drawn"
    return LedgerError(error.what, kind=error.kind, why=f"{error.why}; {why}", fix=fix)
