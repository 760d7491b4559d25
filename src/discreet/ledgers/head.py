"""The book at one moment, without its history: the header and the last entry.

Rules of this module:
- what may be spent stands in the last entry, under its hash; nothing is added up again for it;
- what is said here is as sound as the last entry: who hands out a head has checked that.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..fix import Fix
from ..privacy.loss import Loss
from . import refusal, units
from .entry import Entry, Event, Header, Purses, is_kept, loss_in
from .fingerprint import Fingerprint
from .links import Way


@dataclass(frozen=True, slots=True)
class Head:
    """What the rules need to know of a book, whoever keeps it.

    Args:
        header: what is protected, and the budget.
        last: the last entry; None in an empty book.
        name: how messages call this book.
    """

    header: Header
    last: Entry | None = None
    name: str = "this ledger"

    @property
    def seq(self) -> int:
        """The number of the last entry, 0 where there is none."""
        return 0 if self.last is None else self.last.seq

    @property
    def hash(self) -> str:
        """The hash of the last entry, the root where there is none."""
        return self.header.hash() if self.last is None else self.last.hash

    @property
    def units(self) -> Purses:
        """What stands spent, in units."""
        return units.NOTHING if self.last is None else self.last.spent

    def budget(self) -> Loss:
        """Return the whole budget.

        Raises:
            LedgerError: the header cannot be read.
        """
        found = loss_in(self.header.budget)
        if found is None or not is_kept(found, self.header.budget):
            raise refusal.unreadable(self.name)
        return found

    def spent(self) -> Loss:
        """Return the loss of all charges that were not voided, answered or not."""
        return units.loss_of_units(self.units, self.budget())

    def left(self) -> Loss:
        """Return what a next charge may cost."""
        budget = self.budget()
        return units.loss_of_units(units.taken(units.units_up(budget), self.units), budget)

    def counts(self) -> tuple[int, int, int]:
        """Return how many charges, voids and open charges there are."""
        last = self.last
        return (0, 0, 0) if last is None else (last.charges, last.voids, last.open)

    def plus(self, entry: Entry) -> "Head":
        """Return the head with one entry more."""
        return replace(self, last=entry)


@dataclass(frozen=True, slots=True)
class ChargeRequest:
    """What a charge is asked for.

    Args:
        request: its id; a second charge for the same id is a second payment.
        plan: the digest of the canonical plan, hex.
        loss: what it costs, in any kind that converts to the budget's.
        events: the mechanisms and their exact parameters as plain data, numbers as text.
        who: who asks; the file writes the login name where none is given, and the time.
        why: the purpose, free text.
        when: ISO 8601, UTC.
        fix: what to suggest where it does not fit, such as the nearest plan that does.
        token: a random text of the run's own, by which it finds its charge.
        room: how many bytes to keep free for the answer.
    """

    request: str
    plan: str
    loss: Loss
    events: Sequence[Event]
    who: str | None = None
    why: str = ""
    when: str = ""
    fix: Fix | None = None
    token: str = ""
    room: int = 0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a run needs to know of a ledger before it pays, read at one moment.

    Args:
        head: the book.
        way: what it holds of the request.
        settled: the stored result of the request, with its text.
        fingerprint: that of the data which the result was made of, where one was kept.
    """

    head: Head
    way: Way
    settled: Entry | None = None
    fingerprint: Fingerprint | None = None
