"""A ledger as people have it: the budget, what was spent, who may take a charge back.

Rules of this module:
- whatever is read or written of its file is done by `sqlite`, and by the rules of the book.

What it cannot see from the file alone: that the whole file was put back to an older copy. So each
entry is noted in anchors outside it (`anchors`), each release carries the `head` it was charged at,
and `verify(seen=...)` compares.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..calls import checked_methods
from ..errors import InputError, LedgerError, shown
from ..privacy.loss import Loss
from ..text import Sheet, prompt
from . import anchors, refusal, units
from .book import Book, Entry, Header, Seen
from .entry import checked_text, loss_in, now, user
from .layout import WRITE_BOOK, WRITE_CAP, cap_row, header_row
from .rules import Head
from .show import bundle_of, sheet_of
from .sqlite import File
from .store import creation
from .verifying import faults_of_file


@checked_methods("ledger")
@dataclass(frozen=True, slots=True)
class Ledger:
    """A ledger file; made by `create`, opened by `open_ledger`.

    Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so your
        numbers, will differ.

        >>> print(ledger)
        people.ledger: rho = 0.105 is left of 0.125.
        ...
    """

    path: Path

    @property
    def file(self) -> File:
        """What a run pays and stores by."""
        return File(self.path)

    def book(self) -> Book:
        """Return the whole book, checked, as it stands now; its cost grows with the book.

        Raises:
            LedgerError: the file is out of reach, damaged or changed.
        """
        return self.file.book()

    def sheet(self, *, tight: bool = False) -> Sheet:
        """Return the book as a table for people.

        Args:
            tight: say, too, what all charges keep together, had all plans been fixed in advance.
                That is a figure to read: no charge is let in by it.
        """
        return sheet_of(self.book(), self.path, tight=tight)

    def __str__(self) -> str:
        return self.sheet().text()

    def __repr__(self) -> str:
        return prompt("Ledger", self.path.name)

    def _repr_html_(self) -> str:
        return self.sheet().html()

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return bundle_of(self, self.book(), self.path)

    def left(self) -> Loss:
        """Return the most that the next charge may cost.

        Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so
            your numbers, will differ.

            >>> print(ledger.left())
            rho = 0.105
        """
        return self.file.head().left()

    def spent(self) -> Loss:
        """Return the loss of all charges that were not voided.

        Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so
            your numbers, will differ.

            >>> print(ledger.spent())
            rho = 0.02
        """
        return self.file.head().spent()

    def head(self) -> Seen:
        """Return the last entry's seq and hash."""
        head = self.file.head()
        return head.seq, head.hash

    def void(self, *seqs: int, reason: str, who: str | None = None) -> list[Entry]:
        """Void several charges without a result. If one of them cannot be voided, none is.
        Only the budget's owner should.

        Args:
            seqs: the numbers of the charges, as `print(ledger)` shows them.
            reason: the reason why there is no result and will be none; the ledger keeps this
                reason.
            who: the name of the person who voids; by default the login name.

        Returns: the new entries of the ledger, one for each charge.

        Raises:
            InputError: there is no such open charge, or the reason is empty.
            BudgetError: it was voided before.
            LedgerError: the file is out of reach, damaged or changed.

        Example: you cannot void a charge that does not exist.

            >>> book = dp.ledger("open.ledger", budget=dp.zcdp("1/8"))
            >>> book.void(1, reason="the server was down")
            Traceback (most recent call last):
            discreet.errors.InputError: entry 1 in open.ledger is not an open charge.
            ...
        """
        return self.file.void(seqs, reason=reason, who=who or user())

    def restored(self, why: str, *, who: str | None = None) -> Loss | None:
        """Go on from an older copy that was put back. discreet charges the amount that the copy
        lacks, and this charge stays for ever.

        Only the owner of the budget should do this, and only if there is no newer copy.

        Args:
            why: the reason why there is no newer copy; the ledger keeps this reason.
            who: the name of the person who decides this; by default the login name.

        Returns:
            the new charge; None if the copy lacks no charge.

        Raises:
            InputError: the ledger holds all charges that its anchors have seen, or `why` is empty.
            BudgetError: the amount that the copy lacks does not fit into the rest of the budget, so
                nobody can go on with this copy.
            LedgerError: the file is out of reach or damaged, or the header is that of another
                ledger.

        Example: with the plan in `help(discreet.Release)`.

            >>> book = dp.ledger("old.ledger", budget=dp.zcdp("1/8"))
            >>> copy = book.path.read_bytes()
            >>> _ = dp.run(plan, ledger=book), book.path.write_bytes(copy)
            >>> print(book.restored("the drive failed"))
            rho = 0.02
        """
        from .restoring import restored

        return restored(self.path, why=why, who=who)

    def trust_locks(self, why: str, *, who: str | None = None) -> None:
        """Answer for the locks of a file system of which nobody can tell whether they exclude.

        Only the budget's owner should, and only where one machine alone writes the ledger, or where
        its server lends each lock once. The ledger keeps the word; nothing is charged.

        Args:
            why: how you know; the book keeps it.
            who: the name of the person who decides this; by default the login name.

        Raises:
            InputError: no reason is given, or the ledger keeps the word already.
            LedgerError: the file is out of reach, damaged or changed.
        """
        from .trusting import trust

        trust(self.path, why=why, who=who)

    def add_anchor(self, to: str | Path, *, required: bool = False) -> None:
        """Note each entry at a further place (an anchor), so that discreet notices an older copy of
        this ledger.

        Args:
            to: a file on another drive, the folder of a git repository, or the address of a
                Postgres database (`postgresql://...`).
            required: whether to refuse charges while this place is out of reach; by default, lines
                wait in an outbox.

        Raises:
            InputError: this place is listed already, or cannot be written.
            LedgerError: the ledger is out of reach or damaged.

        Example:
            >>> book = dp.ledger("kept.ledger", budget=dp.zcdp("1/8"))
            >>> book.add_anchor("kept.anchor")
            >>> book.verify()
            []
        """
        from . import anchor_targets, anchors

        line = anchors.line_of(self.file.head())
        anchor_targets.add(line, to, required=required)

    def verify(self, seen: Sequence[Seen] = ()) -> list[str]:
        """Return each fault of the ledger as a sentence; an empty list if there is no fault.

        The check finds every changed byte of the file (below 250 MB: see `check`).

        Args:
            seen: heads that releases carry.

        Returns: a sentence for each fault; an empty list if there is no fault.

        Raises:
            LedgerError: the file is missing, locked or may not be read.

        Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so
            your numbers, will differ.

            >>> ledger.verify()
            []
        """
        return faults_of_file(self.path, seen)


def create(
    path: str | Path,
    *,
    budget: Loss,
    subject: str = "",
    id: str,  # noqa: A002
    promise: Loss | None = None,
    trust_locks: str = "",
) -> Ledger:
    """Make a new ledger file that only its owner can read, and return it.

    Args:
        path: where; there must be no such file.
        budget: all that may ever be lost.
        subject: the declared name of the data set that the budget protects.
        id: a random text that tells this ledger from every other.
        promise: the (epsilon, delta) that a budget of three purses keeps.
        trust_locks: how its owner knows that locks exclude, where that cannot be told.

    Raises:
        LedgerError: there is such a file already, or it cannot be made.
        InputError: the id is empty, or the budget cannot be kept exactly.
    """
    if loss_in(budget.plain()) is None:
        raise refusal.unwritable(Path(path).name)
    if not units.is_whole(budget):
        raise refusal.not_whole(Path(path).name, budget)
    if not id:
        raise InputError(
            "a ledger needs an id.",
            kind="setting-missing",
            why="releases name the ledger that paid for them",
            fix="give it a random text as its id",
        )
    ledger = Ledger(Path(path))
    names = checked_text(id, "id"), checked_text(subject, "subject")
    promised = {} if promise is None else {n: t for n, t in promise.plain().items() if n != "kind"}
    header = Header(names[0], now(), {**budget.plain(), **promised}, names[1])
    with creation(ledger.path, trusted=bool(trust_locks.strip())) as connection:
        connection.execute(WRITE_BOOK, header_row(header))
        connection.execute(WRITE_CAP, cap_row(header))
    anchors.note(anchors.line_of(Head(header)), ledger.path.name)
    if trust_locks.strip():
        ledger.trust_locks(trust_locks)
    return ledger


def open_ledger(path: str | Path, *, subject: str | None = None) -> Ledger:
    """Open a ledger, and check that it can be read and that its last entries are sound.

    Args:
        path: where.
        subject: the name of the data set at hand, where the caller knows it.

    Raises:
        LedgerError: it is missing, of another kind, newer, locked, damaged, or protects other data.
    """
    ledger = Ledger(Path(path))
    header = ledger.file.head().header
    if subject is not None and header.subject not in ("", subject):
        raise LedgerError(
            f"{shown(ledger.path.name)} protects {shown(header.subject)}, not {shown(subject)}.",
            kind="other-data",
            why="a budget belongs to the people in one data set",
            fix=f"open the ledger of {shown(subject)}, or name the data set as the ledger does",
        )
    return ledger
