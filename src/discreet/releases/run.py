"""From a plan to a release: pay, draw, count, add, store, answer - in this order.

How much room an answer may take in the ledger, from the plan alone.

Store an answer that was paid for, and do not give up at once.

The data of a plan, opened and not read.

Rules of this module:
- whatever can be refused is refused before the charge, and room for the answer is taken with it;
- the charge is on the disk before the noise is drawn, and the noise is drawn before data is read;
- the answer leaves after it is stored, so that a repeat of the request returns the stored bits;
- a charge without an answer is never used again: it stays spent until the ledger's owner voids it;
- whatever breaks a run off says what stands in the ledger, by the ledger itself (`ledger.states`);
- the room of an answer is public, like the plan: nothing here sees data;
- that room is the length that every release of the plan keeps (`plans/size.py`), but for noise that
  is as rare as 2^-100 a number; what does not fit then is stored behind, as far as the disk goes.
  Nothing is ever cut;
- until it is stored an answer is in memory alone, and its charge is spent: so a full disk or a lock
  is waited for, for as long as a transaction waits;
- damage is not waited for;
- what only some plans need is in `steps`, which a plain plan does not enter.
"""

import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from os import PathLike

from ..aggregate import Exact, Noisy, Sizes
from ..engine.files import stats_of
from ..engine.progress import Tell, check_listener, listening
from ..engine.protocol import Pooling, Prepared
from ..engine.select_engine import engine_for
from ..entropy import Coins
from ..errors import DiscreetError, EngineError, InputError, InternalError, LedgerError, shown
from ..fix import write
from ..ledgers import store
from ..ledgers.book import Entry
from ..ledgers.entry import Fingerprint, now
from ..ledgers.file import Ledger
from ..ledgers.refusal import told
from ..ledgers.rules import ChargeRequest, Snapshot, refuse_other_plan
from ..ledgers.sqlite import Charge, File
from ..ledgers.sqlite_errors import is_damage
from ..ledgers.store import spare
from ..noise.law import CoinSource
from ..plans.checked import blank_loss
from ..plans.line import acts_in, counts, places
from ..plans.plan import Plan
from ..plans.size import SUPPOSED, bytes_up
from ..privacy.loss import Loss
from .door import door
from .draws import Fresh, Secrets, parts_drawn
from .open_ledger import named, nearest_fix, plan_for, unread
from .price import price, refuse_without_chance
from .release import Release
from .repeat_check import Verdict, compared, fingerprint_of, refused


def room_of(plan: Plan, *texts: str) -> int:
    """Return how many bytes to keep free for the answer to a plan.

    Args:
        plan: what is released; of keys to be found there are some, and what more take is stored
            behind.
        texts: what else the document quotes: the request, the ledger's subject and id.
    """
    if plan.findings:
        return room_of(replace(plan.supposed(SUPPOSED), findings=()), *texts)
    return bytes_up(plan, *texts)


_PAUSE = 0.5  # exact: seconds between two tries


def stored_patiently(
    file: File, charge: Charge, text: str, fingerprint: Fingerprint | None
) -> Entry:
    """Store an answer, and return the entry whose text may leave, as `File.settle` does.

    Ctrl-C ends the patience, but not before one more try; so does a lack of memory.

    Raises: as `File.settle`, once patience has an end.
    """
    settle = partial(file.settle, charge, text, fingerprint)
    end, is_again = time.monotonic_ns() + store.PATIENCE * 10**9, False
    while True:
        try:
            if is_again:
                time.sleep(_PAUSE)
            return settle()
        except LedgerError as error:
            if is_damage(error) or time.monotonic_ns() > end:
                raise
            is_again = True
        except (KeyboardInterrupt, MemoryError):
            with suppress(LedgerError):
                settle()
            raise


@dataclass(frozen=True, slots=True)
class Opened:
    """The data of a plan, to be counted, and for each unknown column to be looked at for its keys.

    Attributes:
        counted: what counts the vectors; where keys are to be found, as if none had been.
        poolings: one for each finding of the plan.
        sized: the pairs of unit and key of which sizes of groups are made, with the sizes.
    """

    counted: Prepared
    poolings: tuple[Pooling, ...] = ()
    sized: tuple[tuple[Pooling, Sizes], ...] = ()

    def count(self, salt: int) -> tuple[Exact, ...]:
        """Count what the engine counts, then the keys of each size."""
        if not self.sized:
            return self.counted.count(salt)
        from .steps import sizes_counted

        sizes = sizes_counted(self.sized, salt)
        return (*self.counted.count(salt), *sizes)


def prepared_for(plan: Plan) -> Opened:
    """Open the data of a plan and refuse, before anything is charged, what cannot be counted.

    What the plan's steps need is loaded here: what cannot be loaded must not cost a charge.
    """
    engine, steps = engine_for(plan.table.source), plan.steps
    if "find keys" in steps or "read sizes" in steps:
        from .steps import opened_for

        return Opened(*opened_for(engine, plan))
    return Opened(engine.prepare(plan.table, counts(plan.aggregates)))


def _nameless() -> InputError:
    """Return the error for data that no ledger can tell from other data."""
    return InputError(
        "this data has no name, so no ledger can keep it apart from other data.",
        kind="data-name",
        why="a frame, a list or a connection is not called by a file; a repeat of the plan "
        "would be taken for the same request",
        fix=write(", the name that its ledger protects", of="table", name="?"),
    )


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
    file: File
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

    The same plan on the same data returns the stored release again, bit for bit, at no cost. If
    the data has changed since, discreet refuses the plan. To pay for the new data, name another
    `request`. To get the stored numbers, name the plan's digest. If you name a `request`, a known
    name returns the stored release, whatever the data is now. A new name pays for a new release.

    Args:
        plan: the plan to release, made by `discreet.plan`.
        ledger: the ledger that holds the budget: the path of its file, or an object made by
            `discreet.ledger`.
        request: the name of this request; the same name with another plan is refused.
        who: the name of the person who asks; the ledger keeps this name. By default the user of
            this computer.
        why: the purpose of the release; the ledger keeps this text.
        progress: a function that discreet calls every second while it reads data, from the second
            second on. The function gets the percentage of this reading that is done (None if the
            engine cannot tell), and the seconds so far. Without `progress`, a notebook shows a bar.

    Raises:
        InputError: the data lacks a declared column, has no name, cannot be opened, or has changed
            since the same plan was answered; or the plan was changed by hand.
        BudgetError: the plan costs more than the ledger has left; nothing was charged.
        LedgerError: the ledger cannot be read or written, has no space for the answer, or protects
            another data set. It says what was charged.
        EngineError: the data could not be counted; the charge stays spent.

    Returns: the release. `release[label]` is one answer, `.plot()` draws it, `.save(path)` writes a
        folder to publish.

    Example: noise is random, so that the numbers differ from run to run.

        >>> import discreet as dp
        >>> rows = [{"ward": "A"}] * 500 + [{"ward": "B"}] * 300
        >>> people = dp.table(rows, name="people", unit="row", keys={"ward": ["A", "B"]})
        >>> plan = dp.plan(people, dp.count(by="ward"), spend=dp.zcdp("1/50"))
        >>> release = dp.run(plan, ledger=dp.ledger("people.ledger", budget=dp.zcdp("1/8")))
        >>> print(release)
        people, released at rho = 0.02.
        ...
        count by ward   A   ... to ...
        count by ward   B   ... to ...
        ...
    """
    import numpy as np

    if progress is not None:
        check_listener(progress)
    plan, file = plan_for("run", plan), unread(ledger)
    name = plan.digest if request is None else named(request)
    token = Coins().bytes(_TOKEN).hex()
    if "mark statements" in plan.steps:
        from .steps import marked

        why = marked(plan, why)
    with file.kept() as kept, np.errstate(all="ignore"):  # a caller may have NumPy raise
        return _looked_up(_Asked(plan, kept, name, request is not None, who, why, token), progress)


def _looked_up(asked: _Asked, progress: Tell | None) -> Release:
    """Look the request up, and pay for what is not known."""
    plan, book = asked.plan, asked.file.snapshot(asked.request)
    if book.head.header.subject not in ("", plan.table.name):
        raise _of_other_data(plan, book.head.header.subject)
    refuse_other_plan(book.head, book.way, plan.digest)
    if book.settled is not None:
        return _again(asked, book.settled, None, book.fingerprint)
    cost = _price(plan, book)
    prepared = prepared_for(plan)
    if not plan.table.named:
        raise _nameless()
    hearing: AbstractContextManager[None]
    hearing = nullcontext() if progress is None else listening(progress)
    if progress is None and "ipykernel" in sys.modules:
        from .notebook import reading

        hearing = reading()
    with hearing:
        return _paid(asked, book, prepared, cost)


def released(
    plan: Plan, prepared: Opened, *, paid: Loss | None, secrets: Secrets | None = None
) -> tuple[Plan, tuple[Noisy, ...]]:
    """Find keys, draw the noise, then count, transform and add: the only caller of the door.

    Args:
        plan, prepared: what is released, and the data, opened and not read.
        paid: what stands in the ledger; None draws nothing.
        secrets: of an audit, which counts made-up rows alone; else they are fresh.

    Returns: the plan over the keys that were found, and its noisy numbers.
    """
    if paid is None:
        raise InternalError(
            "noise was asked for without a charge.",
            kind="charge-mismatch",
            why="a release is paid before its noise is drawn",
            fix="please report it, with the plan",
        )
    coins = Coins() if secrets is None else secrets
    salt = coins.salt()
    if "find keys" in plan.steps:
        from .steps import keys_found, opened_again

        plan = keys_found(plan, prepared.poolings, salt, paid=paid, secrets=secrets)
        prepared = replace(prepared, counted=opened_again(plan))
    noise = _noise(plan, paid, coins, secrets)
    exact = prepared.count(salt)
    asked = zip(places(plan.aggregates), plan.aggregates, noise, strict=True)
    return plan, tuple(
        door(
            exact[at]
            if aggregate.transform is None
            else exact[at].transformed(aggregate.transform),
            z,
        )
        for at, aggregate, z in asked
    )


def _paid(asked: _Asked, book: Snapshot, prepared: Opened, cost: Loss) -> Release:
    """Charge, release and store; whatever breaks that off says what stands in the ledger."""
    plan, file, charged = asked.plan, asked.file, 0
    try:
        sparse = ("releases.sparse",) if "tell sparsely" in plan.steps else ()
        for name in ("releases.document", "noise.inversion_batch", *sparse):
            import_module(f"discreet.{name}")  # a library that is not there must not cost a charge
        room = room_of(plan, asked.request, book.head.header.subject, book.head.header.id)
        with spare(file.path, room) as free:
            left = book.head.left()
            charge = file.reserve(
                ChargeRequest(
                    request=asked.request,
                    plan=plan.digest,
                    loss=cost,
                    events=plan.events(),
                    who=asked.who,
                    why=asked.why,
                    fix=None if cost.fits(left) else nearest_fix(plan, left),
                    token=asked.token,
                    room=room,
                )
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


def _answered(
    asked: _Asked, book: Snapshot, prepared: Opened, charge: Charge, free: Callable[[], None]
) -> Release:
    """Release what was charged, and hand out what is stored."""
    from ..document.document import LedgerEntry
    from .document import compose

    before = stats_of(prepared.counted.paths())
    plan, noisy = released(asked.plan, prepared, paid=charge.loss)
    fingerprint = None
    if asked.request == asked.plan.digest:  # only under this name it is ever asked for
        fingerprint = fingerprint_of(prepared.counted, before, Coins())
    header = book.head.header
    entry = LedgerEntry(
        id=header.id,
        subject=header.subject,
        seq=charge.seq,
        hash=charge.hash,
        spent=charge.spent.plain() if charge.spent else None,
        budget=charge.budget.plain() if charge.budget else None,
    )
    document = compose(plan, noisy, request=asked.request, created=now(), ledger=entry)
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

    account_text = f"stored answer of charge {known.refers}, {known.when[:10]}; {account}"
    return Release(document_of(known.result or ""), repeated=repeated, account=account_text)


def _noise(
    plan: Plan, paid: Loss, coins: CoinSource, secrets: Secrets | None = None
) -> list[Fresh]:
    return parts_drawn(acts_in(plan.lines), plan.table, paid=paid, coins=coins, secrets=secrets)


def _price(plan: Plan, book: Snapshot) -> Loss:
    """Return what the plan costs, in the budget's own kind of loss."""
    kind = str(book.head.header.budget["kind"])
    if "find keys" in plan.steps:
        refuse_without_chance(plan, book.head.budget())
    cost = price(plan, book.head.left())
    if cost is None:
        raise InputError(
            f"a plan that spends {plan.spend} cannot be charged to a budget of kind {kind}.",
            kind="other-loss-kind",
            why="no single number of that kind follows from this loss",
            fix=write(of="plan", verb="plan with", spend=blank_loss(kind)),
        )
    return cost


def _of_other_data(plan: Plan, subject: str) -> LedgerError:
    """Return the error that a ledger protects another data set than a plan reads."""
    return LedgerError(
        f"the ledger protects {shown(subject)}, but the plan reads {shown(plan.table.name)}.",
        kind="other-data",
        why="a budget belongs to one data set; another one must not be charged to it",
        fix=(
            "use that data set's own ledger",
            write(", if it is the same data", of="table", name=subject),
        ),
    )
