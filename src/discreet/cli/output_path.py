"""Where a release is written, found out before it is paid.

Rules of this module:
- a release is never written over; a place that cannot take it is refused before the charge;
- a result that was paid for is never lost: the ledger has it, and the same command gives it again.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import DiscreetError, InputError, shown
from ..paths import no_folder, taken
from ..plan_file.in_file import typed
from .charge import Wishes, can_be, free_name, there

if TYPE_CHECKING:
    from ..derive.derived import DerivedNumbers
    from ..ledgers.file import Ledger
    from ..plans.plan import Plan
    from ..releases.release import Release
    from ..schema import About


def refuse_other(out: Path, plan: "Plan", book: "Ledger", wishes: Wishes) -> None:
    """Refuse, before anything is charged, a place that cannot take the result."""
    if there(out) and _is_stored(out, book, wishes.name(plan)):
        return
    refuse_existing(out)


def refuse_existing(out: Path) -> None:
    """Refuse a place that is taken, or that is not there."""
    folder = out.with_suffix(".release") if out.name else out
    ways = f"add --out {typed(free_name(folder) if there(folder) else folder)}"
    if (refused := no_folder(out, ways, beside="; nothing was charged")) is not None:
        raise refused
    if there(out):
        raise taken(
            out,
            why="a release is never written over; nothing was charged",
            fix=f"add --out {typed(free_name(out))}",
        )
    if not can_be(out):
        raise InputError(
            f"{shown(out)} cannot be a place for the release.",
            kind="cannot-write",
            why="its folder is not there, or the system refuses the name; nothing was charged",
            fix="make the folder, or add --out with another place",
        )


def write_new(out: Path, text: str) -> None:
    """Write a file that is not there yet.

    Raises:
        InputError: the system does not let it be written.
    """
    try:
        with out.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise InputError(
            f"{shown(out)} cannot be written.",
            kind="cannot-write",
            why=f"the operating system says: {error.strerror}",
            fix="add --out with a place that can be written",
        ) from None


def _is_stored(out: Path, book: "Ledger", request: str) -> bool:
    """Tell whether a saved release is the stored answer of this request."""
    from ..releases.release import load

    try:
        there = load(out).document
    except DiscreetError:
        return False
    known = book.file.snapshot(request).settled
    return known is not None and known.result == there.text()


def saved(
    done: "Release",
    out: Path,
    about: "About | None" = None,
    also: "Sequence[DerivedNumbers]" = (),
) -> Path:
    """Write a paid release, unless it is there already, and return where."""
    with keeping(out):
        return out if there(out) else done.save(out, also=also, about=about)


@contextmanager
def keeping(out: Path) -> Iterator[None]:
    """Say, when a paid release cannot be written, that it is not lost."""
    try:
        yield
    except (OSError, InputError) as error:
        reason = error.plain()["why"] if isinstance(error, InputError) else str(error.strerror)
        raise InputError(
            f"the release cannot be written to {shown(out)}.",
            kind="cannot-write",
            why=f"{reason}; the release is paid and stored in the ledger",
            fix="run the same command with another --out; it costs nothing",
        ) from None
