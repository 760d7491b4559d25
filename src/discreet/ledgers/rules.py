"""What may be charged, answered and voided: functions of the head and of the rows that were found.

The book at one moment, without its history: the header and the last entry.

Rules of this module:
- no file, no clock, no chance, no history: whoever keeps the book hands in what it holds of one
  request, each row of it checked up to the head, and writes down what comes out;
- so a book in memory has the same rules as its file, and a charge costs the same in a long book as
  in a short one;
- `account` finds every breach again, by replay;
- what may be spent stands in the last entry, under its hash; nothing is added up again for it;
- what is said here is as sound as the last entry: who hands out a head has checked that.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..errors import shown
from ..fix import Fix
from ..privacy.conversion import converted
from ..privacy.loss import Loss
from . import refusal, units
from .entry import (
    Entry,
    Event,
    Fingerprint,
    Header,
    Purses,
    State,
    canonical,
    checked_text,
    is_kept,
    loss_in,
    plain_events,
)
from .entry import text_hash as _hash
from .skip_list import Fetch, Way, before, packed


@dataclass(frozen=True, slots=True)
class Head:
    """What the rules need to know of a book, whoever keeps it.

    Args:
        header: what is protected, and the budget.
        last: the last entry; None in an empty book.
        called: the name of its file, if it is one.
    """

    header: Header
    last: Entry | None = None
    called: str = "this ledger"

    @property
    def name(self) -> str:
        """How messages call this book."""
        return shown(self.called)

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
        whole = loss_in(self.header.budget)
        if whole is None or (whole.kind == "purses" and not is_kept(whole, self.header.budget)):
            raise refusal.unreadable(self.name)
        return whole

    def spent(self) -> Loss:
        """Return the loss of all charges that were not voided, answered or not."""
        return units.loss_of_units(self.units, self.budget())

    def root(self) -> str:
        """Return the hash of the header, which each entry carries."""
        return self.hash if self.last is None else self.last.root

    def left(self) -> Loss:
        """Return the most that the next charge may cost."""
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


@dataclass(frozen=True, slots=True)
class Paid:
    """A charge, and the result or the void that settles it; None where it is open."""

    charge: Entry
    settles: Entry | None = None

    @property
    def state(self) -> State:
        """Open, answered or void."""
        if self.settles is None:
            return "open"
        return "answered" if self.settles.kind == "result" else "void"


def charge(head: Head, way: Way, ask: ChargeRequest) -> Entry:
    """Return the entry that pays for a request.

    Raises:
        BudgetError: it does not fit into what is left.
        InputError: the request is known with another plan or has a result, the loss does not
            convert to the budget's kind, or an event is not plain data.
    """
    budget = head.budget()
    refuse_other_plan(head, way, ask.plan)
    if way.latest is not None and way.latest.answered:
        raise refusal.answered(head.name, ask.request)
    own = ask.loss if ask.loss.kind == budget.kind else converted(ask.loss, budget.kind)
    if own is None:
        raise refusal.other_kind(head, ask.loss)
    own = own if own.kind == ask.loss.kind else own.few_up()
    if loss_in(own.plain()) is None:
        raise refusal.unwritable(head.name)
    if not units.fit(units.added(head.units, units.units_up(own)), units.units_up(budget)):
        raise refusal.too_dear(head, (ask.loss, own), ask.fix)
    events = plain_events(ask.events)
    line = Entry(0, ask.when, ask.who or "", ask.why, "charge", ask.request, ask.plan)
    line = replace(line, loss=own.plain(), events=events, paid=_hash(canonical(events)))
    return placed(head, way, replace(line, token=ask.token, room=ask.room), units.units_up(own))


def refuse_other_plan(head: Head, way: Way, plan: str) -> None:
    """Raise InputError where the request was charged before, for another plan."""
    if not way.request or not plan:
        raise refusal.nameless()
    if way.latest is not None and way.latest.plan != plan:
        raise refusal.other_plan(head.name, way.request)


def result(
    head: Head, way: Way, paid: Paid, *, text: str, who: str, when: str, data: str = ""
) -> Entry:
    """Return the entry that stores a charge's result; `data` commits to a fingerprint.

    Raises:
        InputError: it is no open charge, or its request has a result already.
        BudgetError: the charge was voided, so that its answer may not leave.
    """
    charge = paid.charge
    if paid.settles is not None:
        raise refusal.not_open(head.name, charge.seq, paid.state)
    if way.latest is not None and way.latest.answered:
        raise refusal.answered(head.name, charge.request)
    line = Entry(0, when, who, "", "result", charge.request, charge.plan)
    checked_text(text, "result")
    stored = replace(line, result=text, answer=_hash(text), refers=charge.seq, data=data)
    return placed(head, way, stored, units.NOTHING)


def void(
    head: Head, way: Way, paid: Paid, *, reason: str, who: str, when: str, rest: int = 0
) -> Entry:
    """Return the entry by which the budget's owner takes back a charge without a result.

    Args:
        head, way: of the book, and of the charge's request.
        paid: the charge.
        reason: why no answer to it can have been seen; it must not be empty.
        who, when: for the book.
        rest: how many more come in the same transaction.

    Raises:
        InputError: it is no open charge, or the reason is empty.
        BudgetError: it was voided before.
    """
    charge = paid.charge
    if paid.settles is not None:
        raise refusal.not_open(head.name, charge.seq, paid.state)
    if not reason.strip():
        raise refusal.no_reason(head.name, charge.seq)
    line = Entry(0, when, who, reason, "void", charge.request, charge.plan)
    cost = units.units_up(units.charged(charge, head.budget()))
    return placed(head, way, replace(line, refers=charge.seq, rest=rest), cost)


def chosen(name: str, seqs: Sequence[int]) -> list[int]:
    """Return the numbers of charges that are voided together: each once, in order."""
    if not seqs:
        raise refusal.not_open(name, 0, None)
    return sorted(set(seqs))


def charges(way: Way, fetch: Fetch) -> Iterator[Paid]:
    """Yield the charges of a request, the newest first, each with what settles it."""
    node, settled = way.latest, dict[int, Entry]()
    while node is not None:
        if node.kind == "charge":
            yield Paid(node, settled.get(node.seq))
        else:
            settled[node.refers or 0] = node
        link = before(node)
        node = None if link is None else fetch(link)


def placed(head: Head, way: Way, line: Entry, cost: Purses) -> Entry:
    """Return a line with its place in the chain, and with what stands after it."""
    for name in ("request", "plan", "who", "why", "when", "token", "data"):
        checked_text(getattr(line, name), name)
    charges, voids, open_ = head.counts()
    known = 0 if way.latest is None else way.latest.answered
    done = replace(
        line,
        seq=head.seq + 1,
        previous=head.hash,
        root=head.root(),
        links=packed(way.links),
        answered=head.seq + 1 if line.kind == "result" else known,
        spent=spent_after(head.units, line.kind, cost),
        charges=charges + (line.kind == "charge"),
        voids=voids + (line.kind == "void"),
        open=open_ + (1 if line.kind == "charge" else -1),
    )
    return replace(done, hash=done.digest())


def spent_after(spent: Purses, kind: str, cost: Purses) -> Purses:
    """Return what stands spent after an entry: only a charge adds, and only a void takes."""
    if kind == "charge":
        return units.added(spent, cost)
    return units.taken(spent, cost) if kind == "void" else spent
