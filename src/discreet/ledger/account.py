"""What the entries of a book amount to, and every way in which they can be wrong.

Rules of this module:
- entries are replayed one by one, in order, from plain data;
- a loss that cannot be read counts as the whole budget: a damaged book refuses, it never gives;
- faults are found by replay alone, without the functions that wrote the entries.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from ..privacy.loss import AnyLoss
from .entry import FORMAT, Entry, Header, loss_in

State = Literal["answered", "open", "void"]


@dataclass(slots=True)
class Account:
    """The state of a book after some of its entries.

    Args:
        budget: the whole budget.
        spent: the loss of all charges so far that were not voided.
        charges: by seq.
        states: of the charges, by seq.
        answers: the results, by request.
        plans: the plan of each request that was ever charged.
    """

    budget: AnyLoss
    spent: AnyLoss
    charges: dict[int, Entry] = field(default_factory=dict)
    states: dict[int, State] = field(default_factory=dict)
    answers: dict[str, Entry] = field(default_factory=dict)
    plans: dict[str, str] = field(default_factory=dict)

    def apply(self, entry: Entry) -> None:
        """Take in the next entry; one that breaks a rule gives nothing back."""
        if entry.kind == "charge":
            self.spent = _sum(self.spent, self.cost(entry))
            self.charges[entry.seq] = entry
            self.states[entry.seq] = "open"
            self.plans.setdefault(entry.request, entry.plan)
        elif entry.refers is None or self.states.get(entry.refers) != "open":
            return
        elif entry.kind == "result":
            self.answers.setdefault(entry.request, entry)
            self.states[entry.refers] = "answered"
        else:
            self.spent = _difference(self.spent, self.cost(self.charges[entry.refers]))
            self.states[entry.refers] = "void"

    def cost(self, entry: Entry) -> AnyLoss:
        """Return what a charge costs."""
        loss = loss_in(entry.loss)
        return self.budget if loss is None or loss.kind != self.budget.kind else loss

    def fits(self, loss: AnyLoss) -> bool:
        """Tell whether one more loss, of the budget's kind, stays within the budget."""
        return _within(_sum(self.spent, loss), self.budget)

    def left(self) -> AnyLoss:
        """Return what a next charge may cost."""
        return _difference(self.budget, self.spent)

    def faults(self, entry: Entry) -> Iterator[str]:
        """Yield each rule that the next entry would break."""
        if not entry.request or not entry.plan:
            yield "names no request or no plan"
        if entry.kind == "charge":
            yield from self._charge_faults(entry)
        elif entry.kind in {"result", "void"}:
            yield from self._settling_faults(entry)
        else:
            yield "is neither a charge, a result nor a void"

    def _charge_faults(self, entry: Entry) -> Iterator[str]:
        loss = loss_in(entry.loss)
        if loss is None or loss.kind != self.budget.kind:
            yield "is a charge without a loss in the budget's kind"
        elif not self.fits(loss):
            yield "spends more than was left"
        if entry.refers is not None or entry.result is not None or entry.data:
            yield "is a charge that carries a result or refers to another entry"
        if entry.room < 0:
            yield "keeps less than no room"
        if self.plans.get(entry.request, entry.plan) != entry.plan:
            yield "charges a known request for another plan"
        if entry.request in self.answers:
            yield "charges a request that has a result"

    def _settling_faults(self, entry: Entry) -> Iterator[str]:
        charge = self.charges.get(entry.refers or 0)
        if charge is None:
            yield "settles a charge that does not exist"
            return
        if self.states[charge.seq] != "open":
            yield f"settles charge {charge.seq}, which was settled before"
        if (charge.request, charge.plan) != (entry.request, entry.plan):
            yield f"settles charge {charge.seq} for another request or plan"
        if entry.loss is not None or entry.events or entry.token or entry.room:
            yield "is no charge, but carries a loss or a room"
        with_result = entry.result is not None or entry.data
        if entry.kind == "void" and (with_result or not entry.why.strip()):
            yield "is a void without a reason, or with a result"
        if entry.kind == "result" and (entry.result is None or entry.request in self.answers):
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
        found = [*_chain_faults(entry, position, previous), *account.faults(entry)]
        if (
            entry.rest < 0
            or (rest and entry.rest != rest - 1)
            or (entry.kind != "void" and rest + entry.rest)
        ):
            found.append("is not one of the entries that came together")
        problems += [f"entry {position} {fault}" for fault in found]
        account.apply(entry)
        previous, rest = entry.hash, entry.rest
    return [*problems, "the last entries did not come together"] if rest else problems


def _chain_faults(entry: Entry, position: int, previous: str) -> Iterator[str]:
    if entry.seq != position:
        yield f"has the number {entry.seq}"
    if entry.previous != previous:
        yield "does not follow from the entry before it"
    if entry.hash != entry.digest():
        yield "was changed: its hash does not match its content"


def _empty(header: Header) -> Account | None:
    budget = loss_in(header.budget)
    if budget is None or header.format != FORMAT:
        return None
    return Account(budget, budget.times(Fraction(0)))


# Within one account all losses are of the budget's kind.


def _sum(first: AnyLoss, second: AnyLoss) -> AnyLoss:
    return first.plus(second)


def _difference(first: AnyLoss, second: AnyLoss) -> AnyLoss:
    return first.minus(second)


def _within(first: AnyLoss, second: AnyLoss) -> bool:
    return first.fits(second)
