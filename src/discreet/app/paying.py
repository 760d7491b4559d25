"""Pay for a plan from the command line: open the ledger, run, and say what was charged.

Rules of this module:
- a refusal ends with what can be typed where the plan was;
- an interruption says whether something was charged, from the ledger itself.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from signal import SIG_IGN, SIGINT, getsignal, signal
from threading import current_thread, main_thread
from types import FrameType
from typing import TYPE_CHECKING

from ..errors import BudgetError, InputError, LedgerError, shown
from .faces import Face, typed
from .options import in_words
from .output import Interrupted, Screen
from .paths import there

if TYPE_CHECKING:
    from ..ledger.file import Ledger
    from ..plan.plan import Plan
    from ..release.release import Release


_WORDS = {"pure": "epsilon", "zcdp": "rho", "approx": "epsilon and delta"}


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the options of `discreet release` say beside the plan file."""

    ledger: Path | None = None
    out: Path | None = None
    request: str | None = None
    who: str | None = None
    why: str | None = None

    def name(self, plan: "Plan") -> str:
        """Return the name of the request: the one wished for, or the plan's digest."""
        return plan.digest if self.request is None else self.request


def paid(
    screen: Screen,
    plan: "Plan",
    path: Path,
    wishes: Wishes,
    face: Face,
) -> "Release":
    """Run a plan; a refusal ends with what its face can say."""
    from ..ledger.file import open_ledger
    from ..release.nearest import nearest_fix
    from ..release.run import run

    book = open_ledger(path)
    try:
        with screen.working("Paying, drawing noise, counting"), in_words(face.words):
            return run(
                plan, ledger=book, request=wishes.request, who=wishes.who, why=wishes.why or ""
            )
    except BudgetError as error:
        fix = nearest_fix(plan, book.left(), face.spend)
        raise BudgetError(error.what, why=error.why, fix=fix) from None


@contextmanager
def interruptible(book: "Ledger", request: str) -> Iterator[None]:
    """Let Ctrl-C end with the account: whether the block has charged this request.

    The engine may turn an interruption into an error of its own, so the signal is noted too.

    Raises:
        Interrupted: Ctrl-C came while the block ran.
    """
    before = book.head()[0]
    pressed: list[int] = []

    def press(number: int, _: FrameType | None) -> None:
        pressed.append(number)
        raise KeyboardInterrupt

    in_charge = current_thread() is main_thread() and getsignal(SIGINT) is not SIG_IGN  # nohup
    previous = signal(SIGINT, press) if in_charge else None
    try:
        yield
    except (Exception, KeyboardInterrupt) as error:
        if not pressed and not isinstance(error, KeyboardInterrupt):
            raise
        if in_charge:
            signal(SIGINT, SIG_IGN)  # the account is read to the end
        raise _interrupted(book, before, request) from None
    finally:
        if in_charge:
            signal(SIGINT, previous)


def _interrupted(book: "Ledger", before: int, request: str) -> Interrupted:
    path, what = shown(book.path), "the release was stopped by Ctrl-C."
    rows = [row for row in book.book().rows() if row.seq > before and row.request == request]
    if not rows:
        return Interrupted(
            what, why="it came before the charge, so nothing was charged", fix="run it again"
        )
    if rows[-1].state == "answered":
        return Interrupted(
            what,
            why=f"charge {rows[-1].seq} was made and its answer is stored in {path}",
            fix="run the same command again; it returns the stored answer for nothing",
        )
    return Interrupted(
        what,
        why=f"charge {rows[-1].seq} of {rows[-1].loss} was made and stays spent, because noise may "
        "have been drawn for it",
        fix=f"see it with: discreet ledger show {path}; only the budget's owner may void it",
    )


def opened(path: Path, plan: "Plan", face: Face) -> "Ledger":
    """Open the ledger that shall pay for a plan, or say how to start it."""
    from ..ledger.file import open_ledger

    if not there(path):
        raise no_ledger(path, plan)
    book = open_ledger(path)
    kept = book.book()
    budget, subject, name = kept.budget(), kept.header.subject, plan.table.name
    if subject not in ("", name):
        raise LedgerError(
            f"{shown(path.name)} protects {shown(subject)}, not {shown(name)}.",
            why="a budget belongs to the people in one data set",
            fix=f"{face.name(subject)}, if it is the same data; else name another ledger",
        )
    if plan.price(budget.kind) is None:
        wanted = _WORDS[budget.kind]
        raise InputError(
            f"the plan spends {plan.loss}, but {shown(path.name)} keeps {wanted}.",
            why=f"no single {wanted} follows from that loss",
            fix=f"write {face.blank(budget.kind)}",
        )
    return book


def no_ledger(path: Path, plan: "Plan") -> LedgerError:
    """Return the error of a ledger that is not there yet."""
    return LedgerError(
        f"there is no ledger {shown(path)}.",
        why="a release is paid from a budget that the data's owner has set",
        fix=f"start it with: discreet ledger init {typed(path)} --rho '?' "
        f"--subject {typed(plan.table.name)}",
    )
