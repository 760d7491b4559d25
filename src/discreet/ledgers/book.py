"""The whole book in memory: what `ledger show` prints, `ledger verify` replays and tests compare.

Rules of this module:
- no file, no clock, no chance: whoever keeps the book hands in times, names and ids;
- the book only grows; each entry carries the hash of the one before it, the first that of the
  header, so that no stored field can change unseen;
- amounts are kept in the budget's own kind of loss, in whole units, rounded up (`units`); another
  kind is converted to the safe side before it is charged;
- a charge counts from the moment it is written. It is never used again by a later attempt, because
  its noise may have been seen: a new attempt is a new charge, and both stay spent;
- a charge keeps room for its answer, so that the one is not written without place for the other;
- only the budget's owner gives a charge back, with a reason, and only one that has no result;
- a request has at most one result, the first.

Decisions 6, 76.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..privacy.loss import Loss
from . import refusal, units
from .account import Account, account_of, faults_of
from .entry import Entry, Event, Header, Seen, State

__all__ = ["Book", "ChargeRow", "Entry", "Event", "Header", "Seen"]


@dataclass(frozen=True, slots=True)
class ChargeRow:
    """One charge as a table shows it."""

    seq: int
    when: str
    who: str
    why: str
    request: str
    loss: str
    state: State


@dataclass(frozen=True, slots=True)
class Book:
    """A header and its entries: what is spent, what is left, and whether the rules were kept.

    Args:
        header: what is protected, and the budget.
        entries: in order; the first has seq 1.
        name: how messages call this book.

    Example:
        >>> from discreet.privacy.loss import zcdp
        >>> book = Book(Header("7f3a", "2026-01-04T09:00:00+00:00", zcdp("1/8").plain(), "visits"))
        >>> print(book.left())
        rho = 0.125
    """

    header: Header
    entries: tuple[Entry, ...] = ()
    name: str = "this ledger"
    _kept: Account | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_kept", account_of(self.header, self.entries))

    def budget(self) -> Loss:
        """Return the whole budget."""
        return self._account().budget

    def spent(self) -> Loss:
        """Return the loss of all charges that were not voided, answered or not."""
        return units.loss_of_units(self._account().spent, self.budget())

    def left(self) -> Loss:
        """Return the most that the next charge may cost."""
        budget = self.budget()
        whole = units.units_up(budget)
        return units.loss_of_units(units.taken(whole, self._account().spent), budget)

    def head(self) -> Seen:
        """Return the last entry's seq and hash; (0, the header's hash) where there is none."""
        return (self.entries[-1].seq, self.entries[-1].hash) if self.entries else self._root()

    def settled(self, request: str) -> Entry | None:
        """Return the result stored for a request."""
        return self._account().answers.get(request)

    def open_charges(self) -> list[Entry]:
        """Return the charges that have neither a result nor a void."""
        account = self._account()
        return [entry for seq, entry in account.charges.items() if account.states[seq] == "open"]

    def rows(self) -> list[ChargeRow]:
        """Return the charges as a table shows them, the oldest first."""
        account = self._account()
        return [
            ChargeRow(
                e.seq, e.when, e.who, e.why, e.request, str(account.cost(e)), account.states[e.seq]
            )
            for e in account.charges.values()
        ]

    def check(self) -> list[str]:
        """Return every breach of the chain or of the rules, as sentences; none in a sound book."""
        return faults_of(self.header, self.entries)

    def missing(self, seen: Sequence[Seen]) -> list[str]:
        """Return a sentence for each head, seen in a release, that this book does not have."""
        return [
            f"a release has seen entry {seq}, which is not in this ledger: "
            "an older copy was put back, or the release belongs to another ledger"
            for seq, digest in seen
            if not self.holds((seq, digest))
        ]

    def holds(self, seen: Seen) -> bool:
        """Tell whether an entry of this number and hash is in the book; the root has number 0."""
        seq, digest = seen
        if not 0 < seq <= len(self.entries):
            return seen == self._root()
        return self.entries[seq - 1].hash == digest

    def _root(self) -> Seen:
        return 0, self.header.hash()

    def _account(self) -> Account:
        if self._kept is None:
            raise refusal.unreadable(self.name)
        return self._kept
