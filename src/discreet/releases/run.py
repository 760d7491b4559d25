"""From a plan to a release: pay, draw, count, add, store, answer - in this order.

Rules of this module:
- whatever can be refused is refused before the charge, and room for the answer is taken with it;
- the charge is on the disk before the noise is drawn, and the noise is drawn before data is read;
- the answer leaves after it is stored, so that a repeat of the request returns the stored bits;
- a charge without an answer is never used again: it stays spent until the ledger's owner voids it;
- whatever breaks a run off says what stands in the ledger, by the ledger itself (`ledger.states`).
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from os import PathLike

from ..aggregate import Noisy
from ..engine.progress import Tell, check_listener, listening
from ..engine.standing import stats_of
from ..entropy import Coins
from ..errors import DiscreetError, EngineError, InputError, InternalError, LedgerError, shown
from ..fix import write
from ..ledgers.book import Entry
from ..ledgers.file import Charge, Ledger
from ..ledgers.fingerprint import Fingerprint
from ..ledgers.head import Snapshot
from ..ledgers.notes import now
from ..ledgers.states import told
from ..plans.checked import blank_loss
from ..plans.counted import places
from ..plans.line import counted_in
from ..plans.plan import Plan
from ..privacy.loss import Loss
from .advice import nearest_fix
from .door import DrawnNoise, Picks, door, parts_drawn
from .find import keys_found
from .inputs import named, plan_for
from .open_ledger import unread
from .opened import Opened, check_name, opened_again, prepared_for
from .price import price, refuse_without_chance
from .release import Release
from .room import room_of
from .sameness import Verdict, compared, fingerprint_of, refused
from .storing import stored_patiently

_TOKEN = 16  # bytes


@dataclass(frozen=True, slots=True)
class _Asked:
    """What one run wants of one ledger.

    Attributes:
        plan, file: what is released, and who pays.
        request: under which name.
        named: whether the caller chose the name; else the answer must be of the same data.
        who, why: for the book.
        token: random; the run finds its charge by it.
    """

    plan: Plan
    file: Ledger
    request: str
    named: bool
    who: str | None
    why: str
    token: str


def run(
    plan: Plan,
    *,
    ledger: Ledger | str | PathLike[str],
    request: str | None = None,
    who: str | None = None,
    why: str = "",
    progress: Tell | None = None,
) -> Release:
    """Pay for a plan, count, add noise and return the release.

    The same plan again, on the same data, returns the stored release, bit for bit, for nothing. If
    the data has changed since, that is refused: name another `request` to pay for the new data, or
    the plan's digest to have the stored numbers. Under a name of its own a request that is known
    returns the stored release whatever the data is now, and one that is not known is paid for.

    Args:
        plan: what to release, made by `discreet.plan`.
        ledger: the ledger that holds the budget: its file, or what `discreet.ledger` returned.
        request: the name of this request; the same name with another plan is refused.
        who: who asks, for the book; by default the user of this computer.
        why: what for, for the book.
        progress: called every second, from the second one on, while data is read: with the percent
            of this reading that are done (None where the engine cannot say) and its seconds.

    Raises:
        InputError: the data does not have the declared columns, has no name, cannot be opened, or
            is not what the same plan was answered from; or the plan was changed by hand.
        BudgetError: the plan costs more than is left; nothing was charged.
        LedgerError: the ledger cannot be read or written, has no room for the answer, or protects
            another data set. It says what was charged.
        EngineError: the data could not be counted; the charge stays spent.
    """
    import numpy as np

    check_listener(progress)
    plan, file = plan_for("run", plan), unread(ledger)
    name = plan.digest if request is None else named(request)
    token = Coins().bytes(_TOKEN).hex()
    with file.kept() as kept, np.errstate(all="ignore"):  # a caller may have NumPy raise
        return _looked_up(_Asked(plan, kept, name, request is not None, who, why, token), progress)


def _looked_up(asked: _Asked, progress: Tell | None) -> Release:
    """Look the request up, and pay for what is not known."""
    plan, book = asked.plan, asked.file.snapshot(asked.request)
    _check_subject(plan, book)
    book.refuse_other_plan(plan.digest)
    if book.settled is not None:
        return _again(asked, book.settled, None, book.fingerprint)
    cost = _price(plan, book)
    prepared = prepared_for(plan)
    check_name(plan)
    with listening(progress):
        return _paid(asked, book, prepared, cost)


def released(plan: Plan, prepared: Opened, *, paid: Loss | None) -> tuple[Plan, tuple[Noisy, ...]]:
    """Find keys, draw the noise, then count, transform and add: the only caller of the door.

    Args:
        plan, prepared: what is released, and the data, opened and not read.
        paid: what stands in the ledger; None draws nothing.

    Returns: the plan over the keys that were found, and its noisy numbers.
    """
    if paid is None:
        raise InternalError(
            "noise was asked for without a charge.",
            why="a release is paid before its noise is drawn",
            fix="please report it, with the plan",
        )
    coins = Coins()
    salt = coins.salt()
    if plan.findings:
        plan = keys_found(plan, prepared.poolings, salt, paid=paid)
        prepared = replace(prepared, counted=opened_again(plan))
    noise = _noise(plan, paid, coins)
    exact = prepared.count(salt)
    asked = zip(places(plan.aggregates), plan.aggregates, noise, strict=True)
    return plan, tuple(door(exact[at].transformed(one.transform), z) for at, one, z in asked)


def _paid(asked: _Asked, book: Snapshot, prepared: Opened, cost: Loss) -> Release:
    """Charge, release and store; whatever breaks that off says what stands in the ledger."""
    plan, file, charged = asked.plan, asked.file, 0
    try:
        _load()
        room = room_of(plan, asked.request, book.header.subject, book.header.id)
        with file.spare(room) as free:
            charge = file.reserve(
                request=asked.request,
                plan=plan.digest,
                loss=cost,
                events=plan.events(),
                who=asked.who,
                why=asked.why,
                fix=None if cost.fits(book.left()) else nearest_fix(plan, book.left()),
                token=asked.token,
                room=room,
            )
            if charge.settled is not None:
                return _again(asked, charge.settled, prepared, _kept(asked, charge.settled))
            charged = charge.seq
            return _answered(asked, book, prepared, charge, free)
    except BaseException as error:
        if isinstance(error, DiscreetError) and not charged:  # it says so itself
            raise
        outcome = told(error, file.path, lambda: file.standing(asked.token, charged))
        if outcome is error:
            raise
        raise outcome from None


def _load() -> None:
    """Load what is needed after the charge: a library that cannot be loaded must not cost one."""
    for name in ("releases.document", "noise.inversion_batch"):
        import_module(f"discreet.{name}")


def _answered(
    asked: _Asked, book: Snapshot, prepared: Opened, charge: Charge, free: Callable[[], None]
) -> Release:
    """Release what was charged, and hand out what is stored."""
    from ..document.document import LedgerEntry
    from .document import compose

    before = stats_of(prepared.counted.paths())
    found, noisy = released(asked.plan, prepared, paid=charge.loss)
    fingerprint = None
    if asked.request == asked.plan.digest:  # only under this name it is ever asked for
        fingerprint = fingerprint_of(prepared.counted, before, Coins())
    entry = LedgerEntry(
        id=book.header.id, subject=book.header.subject, seq=charge.seq, hash=charge.hash
    )
    document = compose(found, noisy, request=asked.request, created=now(), ledger=entry)
    text = document.text()
    free()
    stored = stored_patiently(asked.file, charge, text, fingerprint)
    if stored.refers == charge.seq:
        return Release(document)
    return _of_another(asked, stored, charge, prepared)


def _again(
    asked: _Asked, known: Entry, prepared: Opened | None, kept: Fingerprint | None
) -> Release:
    """Return a stored answer for nothing; without a name of its own, only on the same data."""
    if not asked.named:
        _check_same(asked, (known, kept), prepared, "nothing was charged")
    return _repeated(known, "nothing was charged", repeated=True)


def _of_another(asked: _Asked, known: Entry, charge: Charge, prepared: Opened) -> Release:
    """Return what another run has stored first, although this one was charged too."""
    also = "another run stored its answer while this one was counting"
    if not asked.named:
        _check_same(asked, (known, _kept(asked, known)), prepared, also)
    also = f"{also}, and charge {charge.seq} of this one stays spent"
    return _repeated(known, also, repeated=False)


def _kept(asked: _Asked, known: Entry) -> Fingerprint | None:
    """Return the fingerprint of an answer that another run has stored meanwhile."""
    return None if asked.named else asked.file.fingerprint(known)


def _check_same(
    asked: _Asked, stored: tuple[Entry, Fingerprint | None], prepared: Opened | None, also: str
) -> None:
    """Raise InputError unless the data is what the answer was made of."""
    known, kept = stored
    verdict: Verdict = "not readable"
    with suppress(InputError, EngineError):
        if prepared is None:
            prepared = prepared_for(asked.plan)
        verdict = compared(prepared.counted, kept)
    if verdict != "same":
        raise refused(verdict, known, asked.file, also)


def _repeated(known: Entry, account: str, *, repeated: bool) -> Release:
    """Return the release that a result entry holds, with what this run had to pay for it."""
    from ..document.document import document_of

    said = f"stored answer of charge {known.refers}, {known.when[:10]}; {account}"
    return Release(document_of(known.result or ""), repeated=repeated, account=said)


def _noise(plan: Plan, paid: Loss, coins: Coins) -> list[DrawnNoise | Picks]:
    return parts_drawn([*counted_in(plan.lines)], plan.table, paid=paid, coins=coins)


def _price(plan: Plan, book: Snapshot) -> Loss:
    """Return what the plan costs, in the budget's own kind of loss."""
    kind = str(book.header.budget["kind"])
    refuse_without_chance(plan, book.head.budget())
    cost = price(plan, book.left())
    if cost is None:
        raise InputError(
            f"a plan that spends {plan.spend} cannot be charged to a budget of kind {kind}.",
            why="no single number of that kind follows from this loss",
            fix=write(of="plan", verb="plan with", spend=blank_loss(kind)),
        )
    return cost


def _check_subject(plan: Plan, book: Snapshot) -> None:
    subject = book.header.subject
    if subject and subject != plan.table.name:
        raise LedgerError(
            f"the ledger protects {shown(subject)}, but the plan reads {shown(plan.table.name)}.",
            why="a budget belongs to one data set; another one must not be charged to it",
            fix=(
                "use that data set's own ledger",
                write(", if it is the same data", of="table", name=subject),
            ),
        )
