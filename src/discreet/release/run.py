"""From a plan to a release: pay, draw, count, add, store, answer - in this order.

Rules of this module:
- whatever can be refused is refused before the charge;
- the charge is on the disk before the noise is drawn, and the noise is drawn before data is read;
- the answer leaves after it is stored, so that a repeat of the request returns the stored bits;
- a charge without an answer stays spent until the ledger's owner voids it.
"""

from os import PathLike

from ..aggregate import Exact, Noisy
from ..engine.choose import engine_for
from ..engine.engine import Prepared
from ..entropy import Coins
from ..errors import EngineError, InputError, LedgerError, shown
from ..ledger.book import Book, Entry
from ..ledger.file import Charge, Ledger, now
from ..plan.plan import Plan
from ..privacy.loss import AnyLoss, within
from .book import opened
from .door import Noise, door, drawn
from .inputs import plan_for
from .nearest import nearest_fix
from .release import Release


def run(
    plan: Plan,
    *,
    ledger: Ledger | str | PathLike[str],
    request: str | None = None,
    who: str | None = None,
    why: str = "",
) -> Release:
    """Pay for a plan, count, add noise and return the release.

    The same request again returns the stored release, bit for bit, for nothing. By default the
    request is the plan itself; name another `request` to spend again, on new data for example.

    Args:
        plan: what to release, made by `discreet.plan`.
        ledger: the ledger that holds the budget: its file, or what `discreet.ledger` returned.
        request: the name of this request; the same name with another plan is refused.
        who: who asks, for the book; by default the user of this computer.
        why: what for, for the book.

    Raises:
        InputError: the data does not have the declared columns, or cannot be opened.
        BudgetError: the plan costs more than is left; nothing was charged.
        LedgerError: the ledger cannot be read or written, or protects another data set.
        EngineError: the data could not be counted; the charge stays spent.
    """
    from ..report.document import LedgerEntry
    from .compose import compose

    plan, file = plan_for("run", plan), opened(ledger)
    wanted = plan.digest if request is None else _named(request)
    book = file.book()
    _check_subject(plan, book)
    book.refuse_other_plan(wanted, plan.digest)
    known = book.settled(wanted)
    if known is not None:
        return _stored(known)
    price = _price(plan, book)
    prepared = engine_for(plan.table.source).prepare(plan.table, plan.aggregates)
    charge = file.reserve(
        request=wanted,
        plan=plan.digest,
        loss=price,
        events=plan.events(),
        who=who,
        why=why,
        fix=None if within(price, book.left()) else nearest_fix(plan, book.left()),
    )
    if charge.settled is not None:
        return _stored(charge.settled)
    noisy = _paid(plan, prepared, charge)
    entry = LedgerEntry(
        id=book.header.id, subject=book.header.subject, seq=charge.seq, hash=charge.hash
    )
    document = compose(plan, noisy, request=wanted, created=now(), ledger=entry)
    settled = file.settle(charge, document.text())
    return Release(document) if settled.refers == charge.seq else _stored(settled)


def _paid(plan: Plan, prepared: Prepared, charge: Charge) -> tuple[Noisy, ...]:
    """Release, and say where the data pass fails or is stopped that its charge stays."""
    try:
        return released(plan, prepared)
    except KeyboardInterrupt as error:
        error.add_note(
            f"discreet: charge {charge.seq} stays spent, because noise was drawn for it; only the "
            "budget's owner may void it"
        )
        raise
    except EngineError as error:
        raise EngineError(
            error.what,
            why=f"{error.why}; charge {charge.seq} stays spent, because noise was drawn for it",
            fix=f"{error.fix}; only the budget's owner may void charge {charge.seq}",
        ) from None


def released(plan: Plan, prepared: Prepared) -> tuple[Noisy, ...]:
    """Draw the noise, then count, then add: the only caller of the door."""
    coins = Coins()
    noise = _noise(plan, coins)
    exact: tuple[Exact, ...] = prepared.count(coins.salt())
    return tuple(door(value, z) for value, z in zip(exact, noise, strict=True))


def _noise(plan: Plan, coins: Coins) -> list[Noise]:
    return [
        drawn(
            law,
            sensitivity=found.sensitivity,
            paid=paid,
            cells=found.size(plan.table),
            coins=coins,
        )
        for line in plan.lines
        for found, law, paid in zip(line.aggregates, line.laws, line.parts, strict=True)
    ]


def _stored(result: Entry) -> Release:
    """Return the release that a result entry holds, said to be a repeat."""
    from ..report.document import document_of

    return Release(document_of(result.result or ""), repeated=True)


def _price(plan: Plan, book: Book) -> AnyLoss:
    """Return the plan's loss in the budget's own kind."""
    kind = str(book.header.budget["kind"])
    price = plan.price(kind)
    if price is None:
        spend = {
            "pure": "discreet.pure(1)",
            "zcdp": 'discreet.zcdp("1/50")',
            "approx": 'discreet.approx(1, "1e-6")',
        }[kind]
        raise InputError(
            f"a plan that spends {plan.loss} cannot be charged to a budget of kind {kind}.",
            why="no single number of that kind follows from this loss",
            fix=f"plan with spend={spend}, for example",
        )
    return price


def _check_subject(plan: Plan, book: Book) -> None:
    subject = book.header.subject
    if subject and subject != plan.table.name:
        raise LedgerError(
            f"the ledger protects {shown(subject)}, but the plan reads {shown(plan.table.name)}.",
            why="a budget belongs to one data set; another one must not be charged to it",
            fix=f"use that data set's own ledger, or declare table(..., name={shown(subject)!r}) "
            "if it is the same data",
        )


def _named(request: str) -> str:
    if not isinstance(request, str) or not request.strip():
        raise InputError(
            "a request needs a name.",
            why="the name tells a repeat, which costs nothing, from a new release",
            fix='write request="2026-11", or leave it out',
        )
    return request
