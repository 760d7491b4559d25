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
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ..fix import Fix
from ..privacy.loss import Loss
from . import refusal, rules, units
from .account import Account, account_of, faults_of
from .entry import Entry, Event, Header, Seen, State
from .head import ChargeRequest, Head
from .links import Link, Way, way_to

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
    """A header and its entries, with the rules that say what may come next.

    Args:
        header: what is protected, and the budget.
        entries: in order; the first has seq 1.
        name: how messages call this book.

    Example:
        >>> from discreet.privacy.loss import zcdp
        >>> book = Book(Header("7f3a", "2026-01-04T09:00:00+00:00", zcdp("1/8").plain(), "visits"))
        >>> entry = book.charge(request="r1", plan="ab12", loss=zcdp("3/100"), events=[],
        ...                     who="sven", why="annual table", when="2026-01-04T10:00:00+00:00")
        >>> print(book.plus(entry).left())
        rho = 0.095
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
        """Return what a next charge may cost."""
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

    def plus(self, entry: Entry) -> "Book":
        """Return the book with one entry more."""
        return replace(self, entries=(*self.entries, entry))

    def check(self) -> list[str]:
        """Return every breach of the chain or of the rules, as sentences; none in a sound book."""
        return faults_of(self.header, self.entries)

    def missing(self, seen: Sequence[Seen]) -> list[str]:
        """Return a sentence for each head, seen in a release, that this book does not have.

        An entry that was taken over is known by the hash that it had before, too.
        """
        known = {self._root(), *((entry.seq, entry.hash) for entry in self.entries)}
        known |= {(entry.seq, entry.was) for entry in self.entries if entry.was}
        return [
            f"a release has seen entry {seq}, which is not in this ledger: "
            "an older copy was put back, or the release belongs to another ledger"
            for seq, digest in seen
            if (seq, digest) not in known
        ]

    def charge(  # noqa: PLR0913 - a line of the book, each part by its name
        self,
        *,
        request: str,
        plan: str,
        loss: Loss,
        events: Sequence[Event],
        who: str,
        why: str,
        when: str,
        fix: Fix | None = None,
        token: str = "",
        room: int = 0,
    ) -> Entry:
        """Return the entry that pays for a request, by `rules.charge`."""
        ask = ChargeRequest(request, plan, loss, events, who, why, when, fix, token, room)
        return rules.charge(self._now(), self._way(request), ask)

    def result(self, *, seq: int, text: str, who: str, when: str, data: str = "") -> Entry:
        """Return the entry that stores a charge's result, by `rules.result`."""
        paid, state = self._charge(seq)
        way = self._way(paid.request)
        return rules.result(
            self._now(), way, paid, state=state, text=text, who=who, when=when, data=data
        )

    def void(self, *, seq: int, reason: str, who: str, when: str, rest: int = 0) -> Entry:
        """Return the entry by which a charge without a result is taken back, by `rules.void`."""
        paid, state = self._charge(seq)
        way = self._way(paid.request)
        return rules.void(
            self._now(), way, paid, state=state, reason=reason, who=who, when=when, rest=rest
        )

    def voids(self, seqs: Sequence[int], *, reason: str, who: str, when: str) -> list[Entry]:
        """Return the entries that take back several charges together, in their order.

        Raises: as `void`, for the first that cannot be taken back; then none is.
        """
        chosen, after, entries = rules.chosen(self.name, seqs), self, list[Entry]()
        for rest, seq in zip(reversed(range(len(chosen))), chosen, strict=True):
            entries.append(after.void(seq=seq, reason=reason, who=who, when=when, rest=rest))
            after = after.plus(entries[-1])
        return entries

    def _root(self) -> Seen:
        return 0, self.header.hash()

    def _now(self) -> Head:
        self._account()
        return Head(self.header, self.entries[-1] if self.entries else None, self.name)

    def _way(self, request: str) -> Way:
        def fetch(link: Link) -> Entry:
            return self.entries[link[0] - 1]

        return way_to(request, self.entries[-1] if self.entries else None, fetch)

    def _charge(self, seq: int) -> tuple[Entry, State]:
        account = self._account()
        if seq not in account.charges:
            raise refusal.not_open(self.name, seq, None)
        return account.charges[seq], account.states[seq]

    def _account(self) -> Account:
        if self._kept is None:
            raise refusal.unreadable(self.name)
        return self._kept
