"""From a plan to a release: pay, draw, count, add, store, answer - in this order.

Rules of this module:
- whatever can be refused is refused before the charge;
- the charge is on the disk before the noise is drawn, and the noise is drawn before data is read;
- the answer leaves after it is stored, so that a repeat of the request returns the stored bits;
- a charge without an answer stays spent until the ledger's owner voids it.
"""

from os import PathLike
from typing import Any

from ..aggregate import Exact, Noisy
from ..engine.choose import engine_for
from ..engine.engine import Prepared
from ..entropy import Coins
from ..errors import InputError
from ..ledger.file import Charge, Ledger, now, open_ledger
from ..plan.plan import Plan
from ..privacy.loss import AnyLoss
from .compose import compose
from .door import Noise, door, drawn
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
        LedgerError: the ledger cannot be read or written.
        EngineError: the data could not be counted; the charge stays spent.
    """
    book = ledger if isinstance(ledger, Ledger) else open_ledger(ledger)
    wanted = plan.digest if request is None else _named(request)
    stored = book.book().settled(wanted)
    prepared = None
    if stored is None:
        prepared = engine_for(plan.table.source).prepare(plan.table, plan.aggregates)
    charge = book.reserve(
        request=wanted,
        plan=plan.digest,
        loss=_price(plan, book),
        events=plan.events(),
        who=who,
        why=why,
        fix=nearest_fix(plan, book.left()),
    )
    if charge.settled is not None:
        return _answered(str(charge.settled.result))
    if prepared is None:
        raise _changed()
    noisy = released(plan, prepared)
    document = compose(plan, noisy, request=wanted, created=now(), ledger=_entry(book, charge))
    settled = book.settle(charge, document.text())
    return Release(document) if settled.refers == charge.seq else _answered(str(settled.result))


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
