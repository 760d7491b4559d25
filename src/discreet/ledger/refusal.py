"""Every no of the book, in three lines.

Rules of this module:
- a message speaks of losses, ids, names and dates, never of a stored result;
- it says both numbers, and what to type next.
"""

from ..errors import BudgetError, InputError, LedgerError, shown
from ..exact.number import text_of
from ..privacy.loss import AnyLoss, Approx, Pure
from .account import Account, State

_COUNTED = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def too_dear(
    name: str, account: Account, losses: tuple[AnyLoss, AnyLoss], fix: str | None
) -> BudgetError:
    """Refuse a loss (as asked, and in the budget's kind) that does not fit into what is left."""
    asked, own = losses
    left = account.left()
    also = f" ({asked})" if asked.kind != own.kind else ""
    advice = f"plan again with spend={_typed(left)}, or ask the budget's owner"
    if any(number == "0" for unit, number in left.plain().items() if unit != "delta"):
        advice = "ask the budget's owner; a release that was made can be repeated for nothing"
    return BudgetError(
        f"this plan costs {own}{also}, but only {_amount(left)} is left in {name}.",
        why=_history(account),
        fix=fix or advice,
    )


def other_kind(name: str, account: Account, loss: AnyLoss) -> InputError:
    """Refuse a loss from which no single number in the budget's kind follows."""
    unit = str(account.budget).split(" = ")[0]
    return InputError(
        f"this plan costs {loss}, but {name} keeps {unit}.",
        why=f"no single {unit} follows from that loss",
        fix=f"plan again with spend={_typed(account.left())}, or less",
    )


def nameless() -> InputError:
    """Refuse a charge without a request or a plan."""
    return InputError(
        "a charge needs the id of its request and the digest of its plan.",
        why="a repeat of a request is known by them",
        fix="pass request= and plan=",
    )


def other_plan(name: str, request: str) -> InputError:
    """Refuse a known request with another plan."""
    return InputError(
        f"request {shown(request)} is known in {name} with another plan.",
        why="the id of a request stands for one plan, so that a repeat is the same answer",
        fix="send the changed plan under a new request id",
    )


def answered(name: str, request: str) -> InputError:
    """Refuse a second answer to a request."""
    return InputError(
        f"request {shown(request)} has a result already in {name}.",
        why="the first answer is the one that counts, and a repeat returns it for nothing",
        fix="hand out the stored result, or ask under a new request id",
    )


def no_reason(name: str, seq: int) -> InputError:
    """Refuse a void that does not say why."""
    return InputError(
        f"charge {seq} in {name} cannot be voided without a reason.",
        why="the book keeps who gave budget back, and on what grounds",
        fix="say why no answer can have left, for example: the process was killed",
    )


def not_open(name: str, seq: int, state: State | None) -> BudgetError | InputError:
    """Refuse to settle a charge that is not open."""
    if state == "void":
        return BudgetError(
            f"charge {seq} in {name} was voided.",
            why="its owner took it back, so no answer to it may be stored or leave",
            fix="run the plan again; it is charged anew",
        )
    return InputError(
        f"entry {seq} in {name} is not an open charge.",
        why="it has a result, and what was shown stays spent" if state else "no charge has it",
        fix="list the ledger and take the number of a charge without a result",
    )


def unreadable(name: str) -> LedgerError:
    """Refuse a book whose header means nothing to this version."""
    return LedgerError(
        f"the header of {name} cannot be read.",
        why="its budget or its format is not one that this version knows",
        fix="put back a copy of the ledger, and verify it with the releases that were made",
    )


def _history(account: Account) -> str:
    counting = [seq for seq, state in account.states.items() if state != "void"]
    if not counting:
        return f"the whole budget is {account.budget}"
    number = len(counting)
    word = _COUNTED[number] if number < len(_COUNTED) else str(number)
    releases, have = ("release", "has") if number == 1 else ("releases", "have")
    unanswered = sum(account.states[seq] == "open" for seq in counting)
    waiting = f" ({unanswered} without a result)" if unanswered else ""
    return (
        f"{word} {releases} since {account.charges[counting[0]].when[:10]}{waiting} {have} spent "
        f"{account.spent} of {_amount(account.budget)}"
    )


def _amount(loss: AnyLoss) -> str:
    return str(loss).split(" = ")[1]


def _typed(loss: AnyLoss) -> str:
    """Return the loss as a person types it."""
    if isinstance(loss, Approx):
        return f'approx("{loss.epsilon}", "{text_of(loss.delta)}")'
    number = loss.epsilon if isinstance(loss, Pure) else loss.rho
    return f'{loss.kind}("{number}")'
