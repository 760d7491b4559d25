"""What the entries of a book amount to, and every way in which they can be wrong.

Rules of this module:
- entries are replayed one by one, in order, from plain data; what each of them says of the whole
  book is compared with what the replay makes of it;
- a loss that cannot be read counts as the whole budget: a damaged book refuses, it never gives;
- faults are found by replay alone, without the rules that wrote the entries; only the way to a
  request is walked by the same function (`links`), which has a test of its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..privacy.loss import Loss
from . import units
from .entry import (
    FORMAT,
    LATER,
    ROOT_CAP,
    Entry,
    Header,
    Purses,
    State,
    canonical,
    loss_in,
    text_hash,
)
from .skip_list import Link, packed, way_to


@dataclass(slots=True)
class Account:
    """The state of a book after some of its entries.

    Args:
        header: of the book.
        budget: the whole budget.
        spent: the loss of all charges so far that were not voided, in units.
        entries: all so far.
        charges: by seq.
        states: of the charges, by seq.
        answers: the results, by request.
        plans: the plan of each request that was ever charged.
        voids, open: how many voids and open charges there are.
    """

    header: Header
    budget: Loss
    spent: Purses = units.NOTHING
    entries: list[Entry] = field(default_factory=list)
    charges: dict[int, Entry] = field(default_factory=dict)
    states: dict[int, State] = field(default_factory=dict)
    answers: dict[str, Entry] = field(default_factory=dict)
    plans: dict[str, str] = field(default_factory=dict)
    voids: int = 0
    open: int = 0

    def apply(self, entry: Entry) -> None:
        """Take in the next entry; one that breaks a rule gives nothing back."""
        self.entries.append(entry)
        if entry.kind == "charge":
            self.spent = units.added(self.spent, self.units(entry))
            self.charges[entry.seq] = entry
            self.states[entry.seq] = "open"
            self.plans.setdefault(entry.request, entry.plan)
            self.open += 1
        elif entry.refers is None or self.states.get(entry.refers) != "open":
            return
        elif entry.kind == "result":
            self.answers.setdefault(entry.request, entry)
            self.states[entry.refers] = "answered"
            self.open -= 1
        elif entry.kind == "void":
            self.spent = units.taken(self.spent, self.units(self.charges[entry.refers]))
            self.states[entry.refers] = "void"
            self.voids, self.open = self.voids + 1, self.open - 1

    def cost(self, entry: Entry) -> Loss:
        """Return what a charge costs."""
        return units.charged(entry, self.budget)

    def units(self, entry: Entry) -> Purses:
        """Return what a charge costs, in units."""
        return units.units_up(self.cost(entry))

    def faults(self, entry: Entry) -> Iterator[str]:
        """Yield each rule that the next entry would break."""
        if not entry.request or not entry.plan:
            yield "names no request or no plan"
        if entry.kind == "charge":
            yield from self._charge_faults(entry)
        elif entry.kind in {"result", "void"}:
            yield from self._settling_faults(entry)
        elif entry.kind in LATER:
            yield "is of a kind that a newer discreet writes"
        else:
            yield "is neither a charge, a result nor a void"
        if entry.events is not None:
            yield from _content_faults(entry)

    def after(self, entry: Entry) -> Iterator[str]:
        """Yield what an entry that was just taken in says wrongly of the whole book."""
        if entry.spent != self.spent:
            yield "says that another amount stands spent"
        if (entry.charges, entry.voids, entry.open) != (len(self.charges), self.voids, self.open):
            yield "counts other charges and voids than there are"
        answer = self.answers.get(entry.request)
        if entry.answered != (0 if answer is None else answer.seq):
            yield "says another result for its request"
        if entry.links != self._links(entry):
            yield "is linked to other entries than those of its request and beside it"
        if entry.root != self.header.hash() or entry.cap != ROOT_CAP:
            yield "is not charged to the budget of this book"
        if entry.was:
            yield "was taken over from another ledger"

    def _links(self, entry: Entry) -> str | None:
        def fetch(link: Link) -> Entry:
            return self.entries[link[0] - 1]

        last = self.entries[-2] if len(self.entries) > 1 else None
        try:
            return packed(way_to(entry.request, last, fetch).links)
        except (ValueError, IndexError):
            return None

    def _charge_faults(self, entry: Entry) -> Iterator[str]:
        loss = loss_in(entry.loss)
        if loss is None or loss.kind != self.budget.kind:
            yield "is a charge without a loss in the budget's kind"
        elif not self._fits(entry):
            yield "spends more than was left"
        if entry.refers is not None or entry.result is not None or entry.answer or entry.data:
            yield "is a charge that carries a result or refers to another entry"
        if entry.room < 0:
            yield "keeps less than no room"
        if self.plans.get(entry.request, entry.plan) != entry.plan:
            yield "charges a known request for another plan"
        if entry.request in self.answers:
            yield "charges a request that has a result"

    def _fits(self, entry: Entry) -> bool:
        """Tell whether a charge stays within the budget."""
        spent = units.added(self.spent, self.units(entry))
        return units.fit(spent, units.units_up(self.budget))

    def _settling_faults(self, entry: Entry) -> Iterator[str]:
        charge = self.charges.get(entry.refers or 0)
        if charge is None:
            yield "settles a charge that does not exist"
            return
        if self.states[charge.seq] != "open":
            yield f"settles charge {charge.seq}, which was settled before"
        if (charge.request, charge.plan) != (entry.request, entry.plan):
            yield f"settles charge {charge.seq} for another request or plan"
        if entry.loss is not None or entry.events or entry.paid or entry.token or entry.room:
            yield "is no charge, but carries a loss or a room"
        with_result = entry.result is not None or entry.answer or entry.data
        if entry.kind == "void" and (with_result or not entry.why.strip()):
            yield "is a void without a reason, or with a result"
        if entry.kind == "result" and (not entry.answer or entry.request in self.answers):
            yield "is a result without a text, or a second one for its request"


def account_of(header: Header, entries: Sequence[Entry]) -> Account | None:
    """Return what the entries amount to, or None where the header cannot be read."""
    account = _empty(header)
    if account is not None:
        for entry in entries:
            account.apply(entry)
    return account


def faults_of(header: Header, entries: Sequence[Entry]) -> list[str]:
    """Return every breach of the chain or of the rules, as sentences; none in a sound book."""
    account, previous, rest, problems = _empty(header), header.hash(), 0, []
    if account is None:
        return ["the header cannot be read"]
    for position, entry in enumerate(entries, start=1):
        faults = [*_chain_faults(entry, position, previous), *account.faults(entry)]
        if (
            entry.rest < 0
            or (rest and entry.rest != rest - 1)
            or (entry.kind != "void" and rest + entry.rest)
        ):
            faults.append("is not one of the entries that came together")
        account.apply(entry)
        faults += account.after(entry)
        problems += [f"entry {position} {fault}" for fault in faults]
        previous, rest = entry.hash, entry.rest
    return [*problems, "the last entries did not come together"] if rest else problems


def _chain_faults(entry: Entry, position: int, previous: str) -> Iterator[str]:
    if entry.seq != position:
        yield f"has the number {entry.seq}"
    if entry.previous != previous:
        yield "does not follow from the entry before it"
    if entry.hash != entry.digest():
        yield "was changed: its hash does not match its content"


def _content_faults(entry: Entry) -> Iterator[str]:
    """Yield where events or an answer are not those that the entry knows by their hashes."""
    paid = text_hash(canonical(entry.events)) if entry.kind == "charge" else ""
    answer = "" if entry.result is None else text_hash(entry.result)
    if (entry.paid, entry.answer) != (paid, answer):
        yield "does not hold the events or the answer that it names"


def _empty(header: Header) -> Account | None:
    budget = loss_in(header.budget)
    if budget is None or header.format != FORMAT or not units.is_whole(budget):
        return None
    if header.carried or header.origin:
        return None
    return Account(header, budget)
