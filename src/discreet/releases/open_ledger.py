"""Open the ledger of a data set, or start one.

What a caller gives to the verbs that run, check and clean: the right kind of thing, or an error.

What to type when a plan does not fit: the same questions at what is left, and what it costs.

Rules of this module:
- what cannot be a ledger is refused before anything is opened or made;
- of what is given instead, a message names the type and nothing else: it may hold data.
"""

import os
from collections.abc import Mapping
from fractions import Fraction
from os import PathLike
from pathlib import Path

from ..entropy import Coins
from ..errors import InputError, LedgerError, as_given, shown
from ..exact.number import Number, rational, text_of
from ..fix import BLANK, Call, Do, Say, Ways, call, leave_out, write
from ..ledgers.entry import loss_in, promise_in
from ..ledgers.file import Ledger, create, open_ledger
from ..ledgers.sqlite import File
from ..ledgers.sqlite_errors import missing
from ..paths import path_of
from ..plans.checked import loss_given
from ..plans.plan import Plan
from ..plans.price import candidates
from ..plans.show import plus_minus
from ..plans.size import MOST_NAME
from ..privacy.loss import Loss, call_of, purses_of
from .release import Release, load

_EXAMPLE = call("discreet.ledger", "visits.ledger", budget=call("discreet.zcdp", "1/8"))


def ledger(
    path: str | PathLike[str],
    *,
    budget: Loss | None = None,
    subject: str = "",
    pure: Number | None = None,
    chance: Number | None = None,
    trust_locks: str = "",
) -> Ledger:
    """Open the ledger at `path`. If there is none, and you give a budget, start it.

    Args:
        path: one SQLite file. Keep it where the data is kept, and back it up with its releases.
        budget: the largest total loss of all releases that you will ever make of this data, in one
            kind of loss.
        subject: the name of the data that the budget protects; a plan on a table of another name
            is refused.
        pure: for an (epsilon, delta) budget, the part of epsilon that pays for pure losses. The
            ledger then has three purses. The rest pays for Gaussian noise, which costs mu^2 and no
            more.
        chance: for an (epsilon, delta) budget, the part of delta kept for guarantees that hold
            except with a small probability. It is 0 if you give only `pure`.
        trust_locks: the owner's reason to trust the locks of a file system that discreet cannot
            test, such as a network drive. A new ledger keeps this reason.

    Raises:
        InputError: the ledger exists with another budget or subject, or the budget is not a loss.
        LedgerError: no ledger exists and you gave no budget, or the file cannot be read or
            written.

    Returns: the ledger, for `discreet.run`. `.left()` is what may still be spent.

    Example:
        >>> import discreet as dp
        >>> book = dp.ledger("visits.ledger", budget=dp.zcdp("1/8"), subject="visits")
        >>> print(book.left())
        rho = 0.125
    """
    place = _place(path)
    if budget is not None:
        loss_given(budget, "budget")
    made = _purses(budget, pure, chance)
    for name, text in {"subject": subject, "trust_locks": trust_locks}.items():
        if not isinstance(text, str):
            raise _no_text(name, text)
    if os.path.lexists(place):
        book = Ledger(place)
        header = book.file.head().header
        if budget is not None and not _is_of(header.budget, budget, made):
            raise InputError(
                f"the ledger has another budget than {budget}.",
                kind="ledger-differs",
                why="a budget is set once, when the ledger is started",
                fix=(leave_out("budget"), "start another ledger with its owner's consent"),
            )
        if subject and subject != header.subject:
            raise InputError(
                "the ledger protects another data set than the subject given.",
                kind="other-data",
                why="one budget belongs to one data set",
                fix=(leave_out("subject"), "name the ledger of this data set"),
            )
        return book
    if budget is None:
        raise missing(
            place,
            why="a ledger is started with the budget that it keeps",
            fix=(
                write(budget=call("discreet.zcdp", BLANK)),
                write(budget=call("discreet.pure", BLANK)),
                "correct the path",
            ),
        )
    whole, promise = (budget, None) if made is None else (made, budget)
    named = {"subject": subject, "id": _id(), "trust_locks": trust_locks}
    return create(place, budget=whole, promise=promise, **named)


def _no_text(name: str, value: object) -> InputError:
    what, why = "a name", "a ledger names the data that its budget protects"
    note = ", or give the name of the table as text"
    if name != "subject":
        what, why = "a reason", "the ledger keeps in words how its owner knows that locks exclude"
        note = ", or say it as text"
    return InputError(
        f"{name} = {as_given(value)} is not {what}.",
        kind="wrong-type",
        why=why,
        fix=leave_out(name, note=note),
    )


def _id() -> str:
    return f"{Coins().salt():016x}"


def _purses(budget: Loss | None, pure: Number | None, chance: Number | None) -> Loss | None:
    """Return the purses that were asked for, or None where none were."""
    if pure is None and chance is None:
        return None
    if budget is None or budget.kind != "approx":
        raise InputError(
            "purses are asked for, and no budget in (epsilon, delta).",
            kind="setting-out-of-place",
            why="what is not set aside is for Gaussian noise, which keeps an epsilon at a delta",
            fix=(write(budget=call("discreet.approx", BLANK, BLANK)), leave_out("pure", "chance")),
        )
    parts = [rational(part or 0, name) for name, part in (("pure", pure), ("chance", chance))]
    made = purses_of(budget, pure=parts[0], chance=parts[1])
    if made.is_zero():
        raise InputError(
            f"a budget of {budget} leaves nothing to spend.",
            kind="not-a-loss",
            why="Gaussian noise needs a delta; without one there is pure loss",
            fix=write(budget=call("discreet.pure", BLANK)),
        )
    return made


def _is_of(header: Mapping[str, str], budget: Loss, purses: Loss | None) -> bool:
    """Tell whether a ledger has this budget; one of purses is known by its promise, too."""
    promise = promise_in(dict(header))
    if promise is None:
        return purses is None and budget.plain() == header
    return budget == promise and (purses is None or purses == loss_in(dict(header)))


def opened(place: Ledger | str | PathLike[str]) -> Ledger:
    """Return the ledger that a caller gave, itself or its path.

    Raises:
        InputError: it is neither.
        LedgerError: there is none, or it cannot be read.
    """
    return place if isinstance(place, Ledger) else open_ledger(_place(place))


def unread(place: Ledger | str | PathLike[str]) -> File:
    """Return its file, but leave it to the caller to read it, and so to find that it is none."""
    return place.file if isinstance(place, Ledger) else File(_place(place))


def _place(path: object) -> Path:
    """Return the path of a ledger that is there or can be made."""
    place = path_of(path, "a ledger", _EXAMPLE)
    try:
        lost = place.is_symlink() and not place.exists()
    except OSError:  # where the folder may not be entered; opening says so
        lost = False
    if lost:
        raise LedgerError(
            f"{shown(place)} is a link that leads nowhere.",
            kind="ledger-file",
            why="what it points to is not there, or points back to it",
            fix="remove the link, or put the ledger where it points to",
        )
    return place


def plan_for(verb: str, argument: object) -> Plan:
    """Return the plan that a verb was given, or raise InputError."""
    if isinstance(argument, Plan):
        return argument
    from ..plans.asked_otherwise import plan_meant

    ledger = {"ledger": "visits.ledger"} if verb == "run" else {}
    raise InputError(
        f"{verb} was given {as_given(argument)} where a plan belongs.",
        kind="wrong-type",
        why="a plan says what is asked, and what that costs",
        fix=Do(call(f"discreet.{verb}", plan_meant(argument, ()).call, **ledger)),
    )


def release_for(verb: str, argument: object) -> Release:
    """Return the release that a verb was given, itself or where it was saved.

    Raises:
        InputError: it is neither, or there is none.
    """
    if isinstance(argument, Release):
        return argument
    if isinstance(argument, (str, PathLike)):
        return load(argument)
    raise InputError(
        f"{verb} was given {as_given(argument)} where a release belongs.",
        kind="wrong-type",
        why="a release is what run returned, or where it was saved",
        fix=Do(call(f"discreet.{verb}", "visits.release")),
    )


def named(request: str) -> str:
    """Return the name of a request, or raise InputError."""
    if not isinstance(request, str) or not request.strip():
        raise InputError(
            "a request needs a name.",
            kind="request-known",
            why="the name tells a repeat, which costs nothing, from a new release",
            fix=(write(of="run", request="2026-11"), leave_out("request", of="run")),
        )
    if len(request) > MOST_NAME:
        raise InputError(
            f"the name of the request has {len(request):,} letters, more than {MOST_NAME:,}.",
            kind="request-known",
            why="the release repeats it, and must not get longer than what can be loaded again",
            fix=(write(of="run", request="2026-11"), leave_out("request", of="run")),
        )
    return request


_LEAST = Fraction(1, 10**9)  # a half-width of 0 grows by much


def loss_call(loss: Loss) -> Call:
    """Return the call that makes a loss."""
    return call_of(loss.kind, *map(text_of, loss.numbers))


def nearest_fix(plan: Plan, left: Loss) -> Ways:
    """Return the advice that ends a refusal: the nearest plan that fits into what is left.

    Args:
        plan: the plan that does not fit.
        left: what is left in the ledger.
    """
    smaller = nearest(plan, left)
    if smaller is None:
        is_some = candidates(left) and not _is_delta_alone(left)
        if is_some and "tell sparsely" in plan.steps:
            note = ", with a larger at_least: its noise would show too many cells without rows"
            spend = _to_spend(left.few_down()).ideal
            return (write(note, of="plan", verb="plan again with", spend=loss_call(spend)),)
        why = f"{left} buys no answer to this" if is_some else "nothing is left"
        return (Say(f"{why}: show the releases there are, or ask the budget's owner"),)
    note = f"{_wider(plan, smaller)}; {_changed(plan, smaller)}"
    return (write(note, of="plan", verb="plan again with", spend=loss_call(smaller.spend)),)


def nearest(plan: Plan, left: Loss) -> Plan | None:
    """Return the same questions at what is left, or None where that buys no answer to them.

    Where it does not keep the errors that were wanted, all of them are wider, by one factor.
    """
    if _is_delta_alone(left):
        return None
    spend = _to_spend(left.few_down())
    spend = spend if plan.findings else spend.ideal
    try:
        return plan.with_spend(spend)
    except InputError:  # nothing is left, or so little that no law of ours has so much noise
        if not candidates(spend) or not any(line.statistic.ask.within for line in plan.lines):
            return None
    try:
        return plan.widened(spend)
    except InputError:
        return None


def _is_delta_alone(left: Loss) -> bool:
    """Tell whether a delta is left and no epsilon: it buys noise that hides most answers."""
    return left.kind == "approx" and left.epsilon == 0


def _to_spend(left: Loss) -> Loss:
    """Return what a next plan may spend: of three purses the Gaussian one, or else the pure one."""
    if left.kind != "purses":
        return left
    pure, mu2, _ = left.numbers
    return Loss("gdp", (mu2,)) if mu2 else Loss("pure", (pure,))


def _wider(plan: Plan, smaller: Plan) -> str:
    """Return how many times as wide the wanted errors of the smaller plan are."""
    for before, after in zip(plan.lines, smaller.lines, strict=True):
        first, then = before.statistic.ask.within, after.statistic.ask.within
        if first and then and first != then:
            factor = then.amount / first.amount  # exact: rationals
            return f" and within= {text_of(factor)} times as wide"
    return ""


def _changed(plan: Plan, smaller: Plan) -> str:
    """Return what becomes of the question whose interval grows most."""
    before, after = (
        [
            line.statistic.expected(version.table, line.laws, version.level(line))
            for line in version.lines
        ]
        for version in (plan, smaller)
    )
    growth = [
        Fraction(new.half_width, max(old.half_width, _LEAST))
        for old, new in zip(before, after, strict=True)
    ]
    most = growth.index(max(growth))
    rows = plan.lines[most].statistic.ask.rows
    first, then = plus_minus(before[most], rows), plus_minus(after[most], rows)
    if first == then:
        changes = f"stays at {first}"
    elif after[most].half_width > before[most].half_width:
        changes = f"grows from {first} to {then}"
    else:
        changes = f"shrinks from {first} to {then}"
    return f"the interval of {plan.lines[most].statistic.label} {changes}"
