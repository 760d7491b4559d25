"""The commands of the ledger's keeper: start, show, verify, void.

Rules of this module:
- only the budget's owner gives a charge back, with a reason that the book keeps;
- a charge without a result is shown as open, with what to do about it.
"""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Literal

from ..errors import InputError, LedgerError, shown
from ..exact.number import rounded
from ..privacy.loss import AnyLoss, Approx, Pure, approx, pure, zcdp
from ..text import Sheet
from .output import Screen
from .paths import there
from .reply import Charge, LedgerReply, VerifyReply

if TYPE_CHECKING:
    from ..ledger.book import Book, Row
    from ..ledger.file import Ledger

_BAR = 40
_SHOWN = 20


def init(screen: Screen, path: Path, budget: AnyLoss, *, subject: str) -> LedgerReply:
    """Start a ledger with its budget."""
    from ..release.book import ledger

    if there(path):
        raise LedgerError(
            f"{shown(path)} is there already.",
            why="a budget is set once, when its ledger is started",
            fix=f"look at it with: discreet ledger show {shown(path)}",
        )
    made = ledger(path, budget=budget, subject=subject)
    whose = f" for {shown(subject)}" if subject else ""
    screen.say(f"Started {shown(path)}{whose}: {budget} may be spent in all.")
    screen.say("Keep it where the data is kept, and back it up with its releases.")
    return _reply("ledger init", made)


def show(screen: Screen, path: Path) -> LedgerReply:
    """Show the budget, what is left, and the last charges."""
    found = _open(path)
    book = found.book()
    screen.show(sheet_of(book, path))
    return _reply("ledger show", found)


def verify(screen: Screen, path: Path, releases: Sequence[Path]) -> VerifyReply:
    """Check the chain and the account of a ledger, and that it knows the releases given."""
    from ..release.release import load

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
    checks = ["every byte of the file is as its entries make it", "the chain of hashes is whole"]
    checks += ["no rule of the book is broken, and no more than the budget is spent"]
    checks += [f"it holds the charge of {shown(saved)}" for saved in releases]
    screen.say("\n".join(f"ok: {check}" for check in checks))
    return VerifyReply(command="ledger verify", checks=checks)


def void(screen: Screen, path: Path, seq: int, *, why: str, who: str | None) -> LedgerReply:
    """Give back a charge that has no result."""
    found = _open(path)
    entry = found.void(seq, reason=why, who=who)
    screen.say(f"Voided charge {entry.refers}: {shown(why)}")
    screen.say(f"Left in {shown(path.name)}: {found.left()}.")
    return _reply("ledger void", found)


def budget_of(rho: str | None, epsilon: str | None, delta: str | None) -> AnyLoss:
    """Return the budget that the options say."""
    given = (rho is not None, epsilon is not None, delta is not None)
    if given == (True, False, False):
        return zcdp(rho or "")
    if given == (False, True, False):
        return pure(epsilon or "")
    if given == (False, True, True):
        return approx(epsilon or "", delta or "")
    raise InputError(
        "the budget is not said, or said twice.",
        why="a ledger keeps one kind of loss: rho, or epsilon, or epsilon with delta",
        fix="add --rho 1/8, or --epsilon 3, or --epsilon 3 --delta 1e-6",
    )


def sheet_of(book: "Book", path: Path) -> Sheet:
    """Return a ledger as a table for people: a bar, the last charges, what is open."""
    rows = book.rows()
    more = len(rows) - _SHOWN
    below = [f"... and {more:,} earlier charges."] if more > 0 else []
    below += _open_ones([row.seq for row in rows if row.state == "open"], path)
    return Sheet(
        title=f"{book.name}: {book.left()} is left of {_amount(book.budget())}.",
        columns=("charge", "when", "who", "what for", "price", "state"),
        rows=tuple(_row(row) for row in rows[-_SHOWN:]),
        above=(
            f"Protects: {book.header.subject or 'any data'}, since {book.header.created[:10]}.",
            *_bars(book),
        ),
        below=tuple(below) if rows else ("Nothing has been charged yet.",),
        right=("charge", "price"),
    )


def _open_ones(numbers: list[int], path: Path) -> list[str]:
    if not numbers:
        return []
    listed = ", ".join(map(str, numbers))
    what = f"Charge {listed} is open: it has no answer, and stays"
    if len(numbers) > 1:
        what = f"Charges {listed} are open: they have no answer, and stay"
    void = f"discreet ledger void {quote(shown(path))} {numbers[0]} --why REASON"
    return [f"{what} spent until the budget's owner says otherwise, with: {void}"]


def _bars(book: "Book") -> list[str]:
    spent, budget = _numbers(book.spent()), _numbers(book.budget())
    return [
        f"{_bar(part, whole)} {name} spent: {rounded(100 * share, 3)} %"
        for (name, part), (_, whole) in zip(spent, budget, strict=True)
        for share in [Fraction(part, whole) if whole else Fraction(1)]
    ]


def _bar(part: Fraction, whole: Fraction) -> str:
    """Return a bar that looks empty only if nothing, and full only if all, is spent."""
    if whole == 0 or part >= whole:
        return "█" * _BAR
    filled = 0 if part == 0 else min(_BAR - 1, max(1, round(Fraction(part * _BAR, whole))))
    return "█" * filled + "░" * (_BAR - filled)


def _numbers(loss: AnyLoss) -> list[tuple[str, Fraction]]:
    if isinstance(loss, Approx):
        return [("epsilon", loss.epsilon), ("delta", loss.delta)]
    if isinstance(loss, Pure):
        return [("epsilon", loss.epsilon)]
    return [("rho", loss.rho)]


def _row(row: "Row") -> tuple[str, ...]:
    return (
        str(row.seq),
        row.when[:16].replace("T", " "),
        shown(row.who, 20),
        shown(row.why, 40),
        row.loss,
        row.state,
    )


def _amount(loss: AnyLoss) -> str:
    return str(loss).split(" = ")[-1]


def _open(path: Path) -> "Ledger":
    from ..ledger.file import open_ledger

    if not there(path):
        raise LedgerError(
            f"there is no ledger {shown(path)}.",
            why="nothing is at this path",
            fix=f"give its path, or start it with: discreet ledger init {shown(path)} --rho 1/8",
        )
    return open_ledger(path)


def _reply(
    command: Literal["ledger init", "ledger show", "ledger void"], found: "Ledger"
) -> LedgerReply:
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
            Charge(
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
