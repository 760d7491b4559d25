"""Check a saved release without data: re-derive price, noise and answers, and compare the book.

Rules of this module:
- everything is made again from the plan inside the file, by the shipped code;
- a release that does not check raises: nobody can overlook it.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from ..aggregate import Noisy
from ..errors import DiscreetError, VerifyError
from ..ledger.file import Ledger
from ..plan.plan import Plan, plan_of
from ..privacy.loss import loss_of
from ..text import Sheet, prompt
from .book import opened
from .inputs import release_for
from .release import Release

if TYPE_CHECKING:
    from ..report.document import Document

_CHANGED = "it was changed after the release"


@dataclass(frozen=True, slots=True)
class Verified:
    """What was checked, each a sentence; a check that fails raises instead."""

    checks: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(f"ok: {check}" for check in self.checks)

    def __repr__(self) -> str:
        return prompt("Verified", f"{len(self.checks)} checks, all ok")

    def _repr_html_(self) -> str:
        rows = tuple(("ok", check) for check in self.checks)
        return Sheet(title="Verified", columns=("", "what was checked"), rows=rows).html()


def verify(
    release: Release | str | PathLike[str],
    *,
    ledger: Ledger | str | PathLike[str] | None = None,
) -> Verified:
    """Check a release against itself and, where given, against its ledger; no data is read.

    Args:
        release: a release, or where it was saved; there the files beside release.json are compared
            with it, too (a report by another version of discreet is left out).
        ledger: the ledger that paid for it; without it the account is not checked.

    Returns: what was checked.

    Raises:
        VerifyError: the release does not say what was planned, paid or stored.
        InputError: there is no release.
        LedgerError: the ledger cannot be read, or has been changed.
    """
    document = release_for("verify", release).document
    plan = _plan(document)
    checks = [*_against_itself(document, plan)]
    if not isinstance(release, Release):
        checks += _against_files(document, Path(release))
    if ledger is not None:
        checks += _against_book(document, plan, opened(ledger))
    return Verified(tuple(checks))


def _plan(document: Document) -> Plan:
    try:
        return plan_of(document.plan)
    except (DiscreetError, KeyError, TypeError, AttributeError):
        raise _wrong("the plan inside the release is not a plan", "it cannot be read") from None


def _against_itself(document: Document, plan: Plan) -> list[str]:
    from ..report.answers import same_answers
    from .compose import answered

    _same("the digest of the plan", document.digest, plan.digest)
    _same("the loss", document.protection.loss, plan.cost.plain())
    _same("the protected unit", document.protection.unit, plan.table.unit.plain())
    _same("the neighbor relation", document.protection.neighbors, plan.table.neighbors)
    _same("alpha", document.alpha, str(plan.alpha))
    vectors = [vector for released in document.statistics for vector in released.vectors]
    noise = [
        {"cells": vector.cells, "noise": vector.noise, "sensitivity": vector.sensitivity}
        for vector in vectors
    ]
    made_again = [
        {"cells": event["cells"], "noise": event["noise"], "sensitivity": event["sensitivity"]}
        for event in plan.events()
    ]
    _same("the noise of each vector", noise, made_again)
    _same("the number of integers", [len(v.noisy) for v in vectors], [v.cells for v in vectors])
    noisy = [Noisy(tuple(vector.noisy)) for vector in vectors]
    if not same_answers(document.statistics, answered(plan, noisy)):
        raise _wrong("an answer does not follow from the integers", _CHANGED)
    return [
        f"the plan costs {plan.cost}, and its noise is what that buys",
        "sensitivities and noise follow from the declaration and the questions",
        f"all {_count(document):,} answers and intervals follow from the integers",
    ]


def _count(document: Document) -> int:
    return sum(len(released.answer.rows) for released in document.statistics)


def _against_files(document: Document, path: Path) -> list[str]:
    from ..report.beside import beside

    found = beside(document, path)
    for name, same in found.items():
        if not same:
            raise _wrong(f"{name} does not say what release.json says", "one of them was changed")
    return [f"{', '.join(found)} say what release.json says"] if found else []


def _against_book(document: Document, plan: Plan, ledger: Ledger) -> list[str]:
    faults = ledger.verify()
    if faults:
        raise _wrong("the ledger has been changed", faults[0])
    book = ledger.book()
    paid = document.ledger
    if paid is None:
        raise _wrong("this is a rehearsal", "a rehearsal is not paid for and is in no ledger")
    if paid.id != book.header.id:
        raise _wrong("another ledger paid for it", "its entry names a ledger of another id")
    charge = next((entry for entry in book.entries if entry.seq == paid.seq), None)
    result = book.settled(document.request)
    if charge is None or charge.kind != "charge" or result is None or charge.loss is None:
        raise _wrong("the ledger does not hold this release", "no charge and result of its number")
    _same("the hash of the charge", paid.hash, charge.hash)
    _same("the request", document.request, charge.request)
    _same("the plan that was charged", plan.digest, charge.plan)
    _same("the events that were charged", plan.events(), charge.events)
    price = plan.price(book.header.budget["kind"])
    _same("the price that was charged", None if price is None else price.plain(), charge.loss)
    _same("the result that was stored", document.text(), result.result)
    return [
        f"entry {charge.seq} of the ledger charged {loss_of(charge.loss)} before it was answered",
        "the ledger's chain is whole and holds this release, bit for bit",
    ]


def _same(what: str, stated: object, derived: object) -> None:
    if stated != derived:
        raise _wrong(f"{what} is not what the plan makes it", _CHANGED)


def _wrong(what: str, why: str) -> VerifyError:
    return VerifyError(
        f"the release does not check: {what}.",
        why=why,
        fix="do not rely on it; ask whoever published it for the original",
    )
