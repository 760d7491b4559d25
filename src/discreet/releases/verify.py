"""Check a saved release without data: re-derive price, noise and answers, and compare the book.

Rules of this module:
- everything is made again from the plan inside the file, by the shipped code;
- a release that does not check raises: nobody can overlook it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from ..document.collecting import collected_later
from ..errors import DiscreetError, VerifyError, shown
from ..ledgers.book import Book
from ..ledgers.entry import Entry, loss_in, text_hash
from ..ledgers.file import Ledger
from ..ledgers.units import loss_of_units
from ..plans.plan import Plan, plan_of
from ..privacy.loss import Loss, loss_of
from ..text import Sheet, prompt
from .open_ledger import opened, release_for
from .release import Release

if TYPE_CHECKING:
    from ..aggregate import Noisy
    from ..document.document import Document, Vector

_Audited = tuple[list[str], Book | None]  # what is wrong with a ledger, and its book
_CHANGED = "it was changed after the release, or made by another version of discreet"
_NAMED = 5  # files that do not belong to a release are named up to here


@dataclass(frozen=True, slots=True)
class Verified:
    """The sentences of all checks that were done, and of all that were not. If a check fails,
    `verify` raises an error instead.

    Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so your
        numbers, will differ.

        >>> print(dp.verify(release, ledger=ledger))
        ok: the plan costs rho = 0.02, and its noise is what that buys
        ...
    """

    checks: tuple[str, ...]
    unchecked: tuple[str, ...] = ()

    def __str__(self) -> str:
        checked = [f"ok: {check}" for check in self.checks]
        return "\n".join([*checked, *(f"not checked: {what}" for what in self.unchecked)])

    def __repr__(self) -> str:
        left = f"; not checked: {len(self.unchecked)}" if self.unchecked else ""
        return prompt("Verified", f"{len(self.checks)} checks, all ok{left}")

    def _repr_html_(self) -> str:
        rows = [("ok", check) for check in self.checks]
        rows += [("not checked", what) for what in self.unchecked]
        return Sheet(title="Verified", columns=("", "what"), rows=tuple(rows)).html()


def verify(
    release: Release | str | PathLike[str],
    *,
    ledger: Ledger | str | PathLike[str] | None = None,
) -> Verified:
    """Check a release against itself, and against its ledger if you pass one; `verify` reads no
    data.

    Args:
        release: a release, or the path of a saved release. In a saved release, `verify` also
            compares the files beside release.json, and names files that it cannot compare. A file
            that does not belong to a release is a fault.
        ledger: the ledger that paid for the release; without a ledger, `verify` does not check the
            account.

    Returns: a list of the checks that were done, and of those that were not.

    Raises:
        VerifyError: the release differs from the plan, the payment or the stored answer, or a file
            beside the release does not belong there.
        InputError: there is no release.
        LedgerError: the ledger cannot be read, or has been changed.

    Example:
        >>> import discreet as dp
        >>> people = dp.table([{"ward": "A"}], name="p", unit="row", keys={"ward": ["A", "B"]})
        >>> plan = dp.plan(people, dp.count(by="ward"), spend=dp.zcdp("1/50"))
        >>> release = dp.run(plan, ledger=dp.ledger("p.ledger", budget=dp.zcdp("1/8")))
        >>> print(dp.verify(release, ledger="p.ledger"))
        ok: the plan costs rho = 0.02, and its noise is what that buys
        ...
    """
    with collected_later():
        book = None if ledger is None else _audited(ledger)
        return _verified(release, book)


def _verified(
    release: Release | str | PathLike[str], book: _Audited | DiscreetError | None
) -> Verified:
    document = release_for("verify", release).document
    stored = "" if book is None else _hash_of(document)
    if not isinstance(release, Release):  # nobody else needs it, and it is long
        for released in document.statistics:
            released.answer.rows.forget_text()
    plan = _plan(document)
    checks = [*_against_itself(document, plan)]
    unchecked = [*_stated(document), *_hidden(document)]
    if not isinstance(release, Release):
        compared, others = _against_files(document, Path(release))
        checks += compared
        unchecked += others
    if book is not None:
        checks += _against_book(document, plan, book, stored)
    elif document.ledger is not None:
        unchecked.append("who paid (no ledger was given)")
    return Verified(tuple(checks), tuple(unchecked))


def _hash_of(document: Document) -> str:
    """Return the hash by which the ledger knows the text of a release."""
    from ..document.document import pieces

    return text_hash(*pieces(document))


def _audited(ledger: Ledger | str | PathLike[str]) -> _Audited | DiscreetError:
    """Return what a ledger's whole file says, or why it cannot be read: that is told later.

    It is read before the release, so that a large file and a large release are not in memory at
    once.
    """
    from ..ledgers.verifying import audited

    try:
        return audited(opened(ledger).path)
    except DiscreetError as error:
        return error


def _plan(document: Document) -> Plan:
    """Return the plan inside a release."""
    with suppress(DiscreetError, KeyError, TypeError, AttributeError):
        return plan_of(document.plan)
    raise _wrong("the plan inside the release is not a plan", "it cannot be read")


def _against_itself(document: Document, plan: Plan) -> list[str]:
    from ..document.accessors import noisy_of
    from ..document.equality import same_answers
    from .document import answered

    _same("the digest of the plan", document.digest, plan.digest)
    _priced("the loss", document.protection.loss, plan.cost)
    _same("the protected unit", document.protection.unit, plan.table.unit.plain())
    _same("the neighbor relation", document.protection.neighbors, plan.table.neighbors)
    _same("alpha", document.alpha, str(plan.alpha))
    vectors = [vector for released in document.statistics for vector in released.vectors]
    noise = [
        {"cells": vector.cells, "noise": vector.noise, "sensitivity": vector.sensitivity}
        for vector in vectors
    ]
    drawn_by = zip(plan.laws, plan.aggregates, strict=True)
    made_again = [
        {
            "cells": part.size(plan.table),
            "noise": law.plain(),
            "sensitivity": part.paid.plain(),
        }
        for law, part in drawn_by
    ]
    _same("the noise of each vector", noise, made_again)
    whole = [vectors for released in document.statistics for vectors in noisy_of(released)]
    _same("the number of integers", *_sizes(whole, vectors))
    shown_places = [released.shown for released in document.statistics]
    if not same_answers(document.statistics, answered(plan, whole, shown_places)):
        raise _wrong("an answer does not follow from the integers", _CHANGED)
    return [
        f"the plan costs {plan.cost}, and its noise is what that buys",
        "sensitivities and noise follow from the declaration and the questions",
        f"all {_count(document):,} answers and intervals follow from the integers",
        *_kept(document),
        *(
            f"thresholds and price of finding {part.column} follow from its noise and its chance"
            for part in plan.findings
        ),
    ]


def _sizes(whole: Sequence[Noisy], vectors: Sequence[Vector]) -> tuple[list[int], list[int]]:
    """Return how many integers there are, and should be; of sparse vectors those that are told."""
    should = [
        made.cells if noisy.places is None else len(noisy.places)
        for noisy, made in zip(whole, vectors, strict=True)
    ]
    return [len(noisy.values) for noisy in whole], should


def _kept(document: Document) -> Iterator[str]:
    """Yield which numbers keep a rule of publication."""
    for released in document.statistics:
        if released.shown is not None:
            yield f"each number of {released.label} that is shown keeps its rule"


def _stated(document: Document) -> Iterator[str]:
    """Yield what whoever asked stated of their own numbers, which nobody can check."""
    if not any("sensitivity" in released.question for released in document.statistics):
        return
    from ..statistic.catalog import statistic_of
    from ..statistic.statement import STATED, statement_in

    for released in document.statistics:
        statement = statement_in(statistic_of(released.question))
        if statement is not None:
            claim = statement.claim(released.label, document.protection.neighbors)
            yield f"{claim} ({STATED})"


def _hidden(document: Document) -> Iterator[str]:
    """Yield how many numbers a rule left out, which nobody can check without them."""
    for released in document.statistics:
        left = 0 if released.shown is None else released.shown.of - len(released.answer.rows)
        if left:
            yield f"{left:,} numbers of {released.label} that its rule does not show"


def _count(document: Document) -> int:
    return sum(len(released.answer.rows) for released in document.statistics)


def _against_files(document: Document, path: Path) -> tuple[list[str], list[str]]:
    from ..derive.recipes import table_again
    from ..report.files_check import beside, others

    more = others(document, path, table_again)
    if more.strange:
        names = ", ".join(shown(name, 40) for name in more.strange[:_NAMED])
        raise VerifyError(
            f"the release does not check: {names} {'do' if more.strange[1:] else 'does'} not "
            "belong to it.",
            kind="does-not-verify",
            why="nobody can say what such a file holds; it may be the data",
            fix="take it out, look at what it holds, and verify again before anything is published",
        )
    tables, unchecked = beside(document, path)
    files = {**tables, **dict.fromkeys(more.same, True)}
    for name, same in {**files, **dict.fromkeys(more.changed, False)}.items():
        if not same:
            raise _wrong(
                f"{name} does not say what release.json says",
                "one of them was changed, or made by another version",
            )
    sentences = [f"{', '.join(files)} say what release.json says"] if files else []
    return sentences, [*unchecked, *more.unchecked]


def _against_book(
    document: Document, plan: Plan, audited: _Audited | DiscreetError, stored: str
) -> list[str]:
    """Return what of a release was compared with its ledger; `stored` is the hash of its text."""
    if isinstance(audited, DiscreetError):
        raise audited
    faults, book = audited
    if faults or book is None:
        raise _wrong("the ledger has been changed", faults[0])
    paid = document.ledger
    if paid is None:
        raise _wrong("this is a rehearsal", "a rehearsal is not paid for and is in no ledger")
    if paid.id != book.header.id:
        raise VerifyError(
            "the release does not check: another ledger paid for it.",
            kind="does-not-verify",
            why=f"its entry names a ledger whose id begins with {shown(paid.id[:8])}, and that of "
            f"{shown(book.name)} begins with {shown(book.header.id[:8])}",
            fix="give the ledger that paid for it, or a copy of that; without one, all but who "
            "paid is checked",
        )
    charge = next((entry for entry in book.entries if entry.seq == paid.seq), None)
    result = book.settled(document.request)
    if charge is None or charge.kind != "charge" or result is None or charge.loss is None:
        raise _wrong("the ledger does not hold this release", "no charge and result of its number")
    _same("the hash of the charge", paid.hash, charge.hash)
    if [*_stated(document)]:
        from .steps import marked

        if not charge.why.startswith(marked(plan, "")):
            raise _wrong("the charge does not say what was stated", _CHANGED)
    _same("what the ledger had spent of its budget", *_totals(document, charge, book))
    _same("the request", document.request, charge.request)
    _same("the plan that was charged", plan.digest, charge.plan)
    _same("the events that were charged", plan.events(), charge.events)
    _priced("the price that was charged", charge.loss, *plan.prices(book.header.budget["kind"]))
    _same("the result that was stored", stored, result.answer)
    return [
        f"entry {charge.seq} of the ledger charged {loss_of(charge.loss)} before it was answered",
        "the ledger's chain is whole and holds this release, bit for bit",
    ]


def _totals(document: Document, charge: Entry, book: Book) -> tuple[object, object]:
    """Return what a release and the charge's own entry say of the totals; an older one nothing."""
    paid, budget = document.ledger, loss_in(book.header.budget)
    if paid is None or budget is None or (paid.spent, paid.budget) == (None, None):
        return None, None
    spent = loss_of_units(charge.spent, budget)
    return (paid.spent, paid.budget), (spent.plain(), budget.plain())


def _priced(what: str, stated: dict[str, str], *prices: Loss) -> None:
    """Raise unless what is stated covers a price; a version that knew less may have stated more."""
    if not any(price.fits(loss_of(stated)) for price in prices):
        raise _wrong(f"{what} is not what the plan makes it", _CHANGED)


def _same(what: str, stated: object, derived: object) -> None:
    if stated != derived:
        raise _wrong(f"{what} is not what the plan makes it", _CHANGED)


def _wrong(what: str, why: str) -> VerifyError:
    also = ", or check it with the version that made it" if why == _CHANGED else ""
    return VerifyError(
        f"the release does not check: {what}.",
        kind="does-not-verify",
        why=why,
        fix="do not rely on it; ask whoever published it for the original" + also,
    )
