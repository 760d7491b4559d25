"""Books with charges, answers and voids, written by the rules alone: no file, no clock."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from discreet.fix import Fix
from discreet.ledgers import refusal, rules
from discreet.ledgers.book import Book, Entry, Event, Header
from discreet.ledgers.entry import loss_in
from discreet.ledgers.rules import ChargeRequest, Head
from discreet.ledgers.skip_list import Link, Way, way_to
from discreet.privacy.loss import Loss, zcdp

WHEN = "2026-01-04T10:00:00+00:00"


@dataclass(frozen=True)
class GrowingBook(Book):
    """A book in memory to which the rules write, as a file asks them."""

    def plus(self, entry: Entry) -> "Book":
        """Return the book with one entry more."""
        return replace(self, entries=(*self.entries, entry))

    def charge(
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
        paid = self._paid(seq)
        way = self._way(paid.charge.request)
        return rules.result(self._now(), way, paid, text=text, who=who, when=when, data=data)

    def void(self, *, seq: int, reason: str, who: str, when: str, rest: int = 0) -> Entry:
        """Return the entry by which a charge without a result is taken back, by `rules.void`."""
        paid = self._paid(seq)
        way = self._way(paid.charge.request)
        return rules.void(self._now(), way, paid, reason=reason, who=who, when=when, rest=rest)

    def voids(self, seqs: Sequence[int], *, reason: str, who: str, when: str) -> list[Entry]:
        """Return the entries that take back several charges together, in their order.

        Raises: as `void`, for the first that cannot be taken back; then none is.
        """
        chosen, after, entries = rules.chosen(self.name, seqs), self, list[Entry]()
        for rest, seq in zip(reversed(range(len(chosen))), chosen, strict=True):
            entries.append(after.void(seq=seq, reason=reason, who=who, when=when, rest=rest))
            after = after.plus(entries[-1])
        return entries

    def _now(self) -> Head:
        self._account()
        return Head(self.header, self.entries[-1] if self.entries else None, self.name)

    def _fetch(self, link: Link) -> Entry:
        return self.entries[link[0] - 1]

    def _way(self, request: str) -> Way:
        return way_to(request, self.entries[-1] if self.entries else None, self._fetch)

    def _paid(self, seq: int) -> rules.Paid:
        account = self._account()
        if seq not in account.charges:
            raise refusal.not_open(self.name, seq, None)
        way = self._way(account.charges[seq].request)
        return next(paid for paid in rules.charges(way, self._fetch) if paid.charge.seq == seq)


def made_again(book: Book) -> GrowingBook:
    """The same book by today's rules, from what was asked, answered and voided."""
    again = GrowingBook(book.header, name=book.name)
    for old in book.entries:
        for_people = {"who": old.who, "when": old.when}
        if old.kind == "charge":
            asked = {"request": old.request, "plan": old.plan, "loss": loss_in(old.loss)}
            more = {"events": old.events, "why": old.why, "token": old.token, "room": old.room}
            entry = again.charge(**asked, **more, **for_people)
        elif old.kind == "result":
            entry = again.result(seq=old.refers, text=old.result, data=old.data, **for_people)
        else:
            entry = again.void(seq=old.refers, reason=old.why, rest=old.rest, **for_people)
        again = again.plus(entry)
    return again


def empty(budget: Loss) -> GrowingBook:
    return GrowingBook(Header("7f3a", WHEN, budget.plain(), "visits"), name="visits.ledger")


def charged(book: GrowingBook, loss: Loss, request: str = "r1", plan: str = "ab12") -> GrowingBook:
    return book.plus(
        book.charge(
            request=request, plan=plan, loss=loss, events=[], who="sven", why="test", when=WHEN
        )
    )


def answered(book: GrowingBook, seq: int) -> GrowingBook:
    return book.plus(book.result(seq=seq, text='{"a":1}', who="sven", when=WHEN))


def voided(
    book: GrowingBook, seq: int, reason: str = "killed before its noise was drawn"
) -> GrowingBook:
    return book.plus(book.void(seq=seq, reason=reason, who="sven", when=WHEN))


def full_book() -> GrowingBook:
    book = answered(charged(empty(zcdp(1)), zcdp("1/4")), 1)
    book = voided(charged(book, zcdp("1/4"), "r2", "cd34"), 3)
    return charged(book, zcdp("1/4"), "r3", "ef56")
