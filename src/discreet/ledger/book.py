"""The rules of the book: what may be charged, answered and voided, as plain data in and out.

Rules of this module:
- no file, no clock, no chance: whoever keeps the book hands in times, names and ids;
- the book only grows; each entry carries the hash of the one before it, the first that of the
  header, so that no stored field can change unseen;
- amounts are exact, kept in the budget's own kind of loss; another kind is converted to the safe
  side before it is charged;
- a charge counts from the moment it is written. It is never used again by a later attempt, because
  its noise may have been seen: a new attempt is a new charge, and both stay spent;
- a charge keeps room for its answer, so that the one is not written without place for the other;
- only the budget's owner gives a charge back, with a reason, and only one that has no result;
- a request has at most one result, the first.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ..fix import Fix
from ..privacy.conversion import converted
from ..privacy.loss import AnyLoss
from . import refusal
from .account import Account, State, account_of, faults_of
from .entry import Entry, EntryKind, Event, Head, Header, checked_text, loss_in, plain_events

__all__ = ["Book", "Entry", "Event", "Head", "Header", "Row"]


@dataclass(frozen=True, slots=True)
class Row:
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

    def budget(self) -> AnyLoss:
        """Return the whole budget."""
        return self._account().budget

    def spent(self) -> AnyLoss:
        """Return the loss of all charges that were not voided, answered or not."""
        return self._account().spent

    def left(self) -> AnyLoss:
        """Return what a next charge may cost."""
        return self._account().left()

    def head(self) -> Head:
        """Return the last entry's seq and hash; (0, the header's hash) where there is none."""
        return (self.entries[-1].seq, self.entries[-1].hash) if self.entries else self._root()

    def settled(self, request: str) -> Entry | None:
        """Return the result stored for a request."""
        return self._account().answers.get(request)

    def open_charges(self) -> list[Entry]:
        """Return the charges that have neither a result nor a void."""
        account = self._account()
        return [entry for seq, entry in account.charges.items() if account.states[seq] == "open"]

    def rows(self) -> list[Row]:
        """Return the charges as a table shows them, the oldest first."""
        account = self._account()
        return [
            Row(e.seq, e.when, e.who, e.why, e.request, str(account.cost(e)), account.states[e.seq])
            for e in account.charges.values()
        ]

    def plus(self, entry: Entry) -> "Book":
        """Return the book with one entry more."""
        return replace(self, entries=(*self.entries, entry))

    def check(self) -> list[str]:
        """Return every breach of the chain or of the rules, as sentences; none in a sound book."""
        return faults_of(self.header, self.entries)

    def missing(self, seen: Sequence[Head]) -> list[str]:
        """Return a sentence for each head, seen in a release, that this book does not have."""
        known = {self._root(), *((entry.seq, entry.hash) for entry in self.entries)}
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
        loss: AnyLoss,
        events: Sequence[Event],
        who: str,
        why: str,
        when: str,
        fix: Fix | None = None,
        token: str = "",
        room: int = 0,
    ) -> Entry:
        """Return the entry that pays for a request.

        Args:
            request: its id; a second charge for the same id is a second payment.
            plan: the digest of the canonical plan, hex.
            loss: what it costs, in any kind that converts to the budget's.
            events: the mechanisms and their exact parameters as plain data, numbers as text.
            who: who asks.
            why: the purpose, free text.
            when: ISO 8601, UTC.
            fix: what the caller suggests where the charge does not fit.
            token: a random text of the run's own.
            room: how many bytes to keep free for the answer.

        Raises:
            BudgetError: it does not fit into what is left.
            InputError: the request is known with another plan or has a result, the loss does not
                convert to the budget's kind, or an event is not plain data.
        """
        account = self._account()
        self.refuse_other_plan(request, plan)
        if request in account.answers:
            raise refusal.answered(self.name, request)
        own = converted(loss, account.budget.kind)
        if own is None:
            raise refusal.other_kind(self.name, account, loss)
        if loss_in(own.plain()) is None:
            raise refusal.unwritable(self.name)
        if not account.fits(own):
            raise refusal.too_dear(self.name, account, (loss, own), fix)
        line = _line("charge", request, plan, who=who, why=why, when=when)
        paid = replace(line, loss=own.plain(), events=plain_events(events))
        return self._next(replace(paid, token=token, room=room))

    def refuse_other_plan(self, request: str, plan: str) -> None:
        """Raise InputError where the request was charged before, for another plan."""
        if not request or not plan:
            raise refusal.nameless()
        if self._account().plans.get(request, plan) != plan:
            raise refusal.other_plan(self.name, request)

    def result(self, *, seq: int, text: str, who: str, when: str, data: str = "") -> Entry:
        """Return the entry that stores a charge's result; `data` commits to a fingerprint.

        Raises:
            InputError: there is no such open charge, or its request has a result already.
            BudgetError: the charge was voided, so that its answer may not leave.
        """
        charge = self._open_charge(seq)
        if charge.request in self._account().answers:
            raise refusal.answered(self.name, charge.request)
        line = _line("result", charge.request, charge.plan, who=who, why="", when=when)
        return self._next(replace(line, result=text, refers=seq, data=data))

    def void(self, *, seq: int, reason: str, who: str, when: str, rest: int = 0) -> Entry:
        """Return the entry by which the budget's owner takes back a charge without a result.

        Raises:
            InputError: the reason is empty, or there is no open charge with this number.
            BudgetError: it was voided before.
        """
        if not reason.strip():
            raise refusal.no_reason(self.name, seq)
        charge = self._open_charge(seq)
        line = _line("void", charge.request, charge.plan, who=who, why=reason, when=when)
        return self._next(replace(line, refers=seq, rest=rest))

    def voids(self, seqs: Sequence[int], *, reason: str, who: str, when: str) -> list[Entry]:
        """Return the entries that take back several charges together.

        Raises: as `void`, for the first that cannot be taken back; then none is.
        """
        if not seqs:
            raise refusal.not_open(self.name, 0, None)
        book = self
        found: list[Entry] = []
        for rest, seq in reversed(list(enumerate(sorted(set(seqs), reverse=True)))):
            entry = book.void(seq=seq, reason=reason, who=who, when=when, rest=rest)
            book = book.plus(entry)
            found.append(entry)
        return found

    def _root(self) -> Head:
        return (0, self.header.hash())

    def _account(self) -> Account:
        if self._kept is None:
            raise refusal.unreadable(self.name)
        return self._kept

    def _open_charge(self, seq: int) -> Entry:
        account = self._account()
        state = account.states.get(seq)
        if state == "open":
            return account.charges[seq]
        raise refusal.not_open(self.name, seq, state)

    def _next(self, line: Entry) -> Entry:
        """Return a line with its place in the chain."""
        for name in ("request", "plan", "who", "why", "when", "result", "token", "data"):
            checked_text(getattr(line, name) or "", name)
        seq, previous = self.head()
        placed = replace(line, seq=seq + 1, previous=previous)
        return replace(placed, hash=placed.digest())


def _line(kind: EntryKind, request: str, plan: str, *, who: str, why: str, when: str) -> Entry:
    """Return a line without a place yet."""
    return Entry(0, when, who, why, kind, request, plan, None, [], None, None, "", "")
