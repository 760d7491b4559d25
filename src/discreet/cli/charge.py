"""Pay for a plan from the command line: open the ledger, run, and say what was charged.

Paths that people type are asked here without an exception.

Rules of this module:
- a refusal ends with what can be typed where the plan was;
- an interruption says how far the release has come and what was charged, from the ledger itself;
- a path that the system refuses, because it is too long for example, names nothing.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from signal import SIG_IGN, SIGINT, getsignal, signal
from threading import current_thread, main_thread
from types import FrameType
from typing import TYPE_CHECKING

from ..engine.remote import Address, connected
from ..errors import DiscreetError, InputError, LedgerError, shown
from ..fix import write
from ..ledgers.refusal import MARK, Standing, said_in, words_of
from ..plan_file.in_file import Face, in_words, typed
from .output import Interrupted, Screen

if TYPE_CHECKING:
    from ..ledgers.file import Ledger
    from ..ledgers.rules import Head
    from ..plans.plan import Plan
    from ..privacy.loss import Loss
    from ..releases.release import Release


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the options of `discreet release` say beside the plan file."""

    ledger: Path | None = None
    out: Path | None = None
    request: str | None = None
    who: str | None = None
    why: str | None = None
    remote: bool = False

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
    from ..ledgers.file import Ledger
    from ..releases.run import run

    book = Ledger(path)
    with (
        in_words(face.spell),
        reached(plan, allowed=wishes.remote) as reachable,
        screen.working("Paying, drawing noise, counting") as tell,
    ):
        done = run(
            reachable,
            ledger=book,
            request=wishes.request,
            who=wishes.who,
            why=wishes.why or "",
            progress=tell,
        )
    if done.account:
        screen.note(done.account)
    return done


@contextmanager
def reached(plan: "Plan", *, allowed: bool) -> "Iterator[Plan]":
    """Yield a plan whose address, if its data lies at one, is connected."""
    source = plan.table.source
    if not isinstance(source, Address):
        yield plan
        return
    with connected(source, allowed=allowed) as connection:
        joins = tuple(replace(join, source=connection) for join in plan.table.joins)
        yield replace(plan, table=replace(plan.table, source=connection, joins=joins))


@dataclass(slots=True)
class Course:
    """How far a command has come: what was released, and where it lies.

    Attributes:
        done: the release, once it was handed out.
        out: where it is being written, at once as a whole.
        place: where all that the command writes is complete.
    """

    done: "Release | None" = None
    out: Path | None = None
    place: Path | None = None

    def complete(self) -> Path | None:
        """Return where the release is complete, if it is, also where nobody has said so yet."""
        from ..releases.release import load

        if self.place is None and self.done is not None and self.out is not None:
            with suppress(DiscreetError):
                return self.out if load(self.out).document == self.done.document else None
        return self.place


@contextmanager
def interruptible(book: "Ledger", request: str, before: int) -> Iterator[Course]:
    """Let Ctrl-C end with the account: what the block has charged, stored and written.

    The engine may turn an interruption into an error of its own, so the signal is noted too.

    Args:
        book: who pays.
        request: for what.
        before: the number of the last entry that is not of this block.

    Raises:
        Interrupted: Ctrl-C came while the block ran.
    """
    course = Course()
    pressed: list[int] = []

    def press(number: int, _: FrameType | None) -> None:
        pressed.append(number)
        raise KeyboardInterrupt

    in_charge = current_thread() is main_thread() and getsignal(SIGINT) is not SIG_IGN  # nohup
    previous = signal(SIGINT, press) if in_charge else None
    try:
        yield course
    except (Exception, KeyboardInterrupt) as error:
        if in_charge:
            signal(SIGINT, SIG_IGN)  # the account is read to the end
        if pressed or isinstance(error, KeyboardInterrupt):
            why, fix = _come_so_far(course, book) or said_in(error) or _found(book, before, request)
            what = "the release was stopped by Ctrl-C."
            raise Interrupted(what, kind="stopped", why=why, fix=fix) from None
        if far := _come_so_far(course, book):
            error.add_note(f"{MARK}{'; '.join(far)}")
        raise
    finally:
        if in_charge:
            signal(SIGINT, previous)


def _come_so_far(course: Course, book: "Ledger") -> tuple[str, str] | None:
    """Return what is done once the answer was handed out; None before."""
    if course.done is None or course.done.document.ledger is None:
        return None
    why = f"charge {course.done.document.ledger.seq} and its answer are stored in "
    why += shown(book.path.name)
    completed = course.complete()
    if completed is None:
        return why, "run the same command again; it returns the stored answer for nothing"
    place = typed(completed)
    return f"{why}, and the release in {place} is complete", f"see it with: discreet show {place}"


def _found(book: "Ledger", before: int, request: str) -> tuple[str, str]:
    """Return what the ledger says of the charges that this request got since the block began."""
    paid, standing = book.file.newest_charge(request), Standing("new")
    if paid is not None and paid.charge.seq > before:
        standing = Standing(paid.state, paid.charge.seq)
    return words_of(standing, book.path)


def opened(path: Path, plan: "Plan", face: Face) -> "tuple[Ledger, Head]":
    """Open the ledger that shall pay for a plan, read it once, or say how to start it."""
    from ..ledgers.file import Ledger
    from ..plans.checked import blank_loss

    if not there(path):
        raise no_ledger(path, plan)
    book = Ledger(path)
    head = book.file.head()
    budget, subject, name = head.budget(), head.header.subject, plan.table.name
    if subject not in ("", name):
        other = write(
            ", if it is the same data; else name another ledger", of="table", name=subject
        )
        raise LedgerError(
            f"{shown(path.name)} protects {shown(subject)}, not {shown(name)}.",
            kind="other-data",
            why="a budget belongs to the people in one data set",
            fix=other,
        ).spelled(face.spell)
    if plan.price(budget.kind) is None:
        wanted = " and ".join(budget.named)
        raise InputError(
            f"the plan spends {plan.spend}, but {shown(path.name)} keeps {wanted}.",
            kind="other-loss-kind",
            why=f"no single {wanted} follows from that loss",
            fix=write(of="plan", spend=blank_loss(budget.kind)),
        ).spelled(face.spell)
    return book, head


def left_in(path: Path, left: "Loss") -> str:
    """Return what is left in a ledger."""
    return f"Left in {shown(path.name)}: {left}."


def charged_words(book: "Ledger", plan: "Plan", done: "Release") -> "tuple[Loss, str]":
    """Return what is left now and what a release was charged, both by one look at the ledger."""
    from ..ledgers.entry import loss_in
    from ..ledgers.show import laplace_words
    from ..plans.pick_laws import has_laplace

    entry = done.document.ledger
    head, paid = book.file.receipt(0 if entry is None else entry.seq)
    left, words = head.left(), left_in(book.path, head.left())
    if done.repeated or paid is None:
        return left, f"Nothing was charged. {words}"
    cost = loss_in(paid.charge.loss)
    laplace = laplace_words(cost) if cost is not None and has_laplace(plan) else None
    return left, f"Charged {cost}. {words}" + (f"\n{laplace}" if laplace else "")


def no_ledger(path: Path, plan: "Plan") -> LedgerError:
    """Return the error of a ledger that is not there yet."""
    from ..ledgers.sqlite_errors import missing

    return missing(
        path,
        why="a release is paid from a budget that the data's owner has set",
        fix=f"start it with: discreet ledger init {typed(path)} --rho '?' "
        f"--subject {typed(plan.table.name)}",
    )


def there(path: Path) -> bool:
    """Tell whether there is anything at a path."""
    try:
        return path.exists()
    except OSError:
        return False


def free_name(path: Path) -> Path:
    """Return a path like this one at which there is nothing yet."""
    if path.name in ("", ".."):
        path /= "new.release"
        if not there(path):
            return path
    names = (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in count(2))
    return next(name for name in names if not there(name))


def can_be(path: Path) -> bool:
    """Tell whether the system could take a path, in a folder that is there."""
    try:
        path.lstat()
    except FileNotFoundError:
        return path.absolute().parent.is_dir()
    except (OSError, ValueError):
        return False
    return True
