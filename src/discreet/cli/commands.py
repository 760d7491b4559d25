"""The commands that plan, release, rehearse, show and verify.

Rules of this module:
- the price and the error bars are shown before any data is read;
- whatever can be refused is refused before the charge, the place of the result included.
"""

from dataclasses import replace
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from ..document.headings import sentence
from ..engine.cost import cost_words
from ..errors import InputError, shown
from ..exact.number import rounded
from ..fix import write
from ..plan_file.derive_part import tried
from ..plan_file.in_file import typed
from ..plan_file.plan_file import PlanFile, read_plan_file
from ..plan_file.schema import toml
from ..privacy.loss import Loss
from .charge import Wishes, charged_words, interruptible, left_in, no_ledger, opened, paid, there
from .json_replies import (
    PlanLine,
    PlanReply,
    ReleaseReply,
    ShowReply,
    VerifyReply,
)
from .output import Screen, width
from .output_path import refuse_existing, refuse_other, saved

if TYPE_CHECKING:
    from ..derive.derived import DerivedNumbers
    from ..plans.plan import Plan
    from ..releases.release import Release

_SAID = 400  # letters of a publisher's sentence


def plan(screen: Screen, file: Path, *, ledger: Path | None = None) -> PlanReply:
    """Show what a plan costs and how wide its intervals are; the data is not opened."""
    from ..plans.advice import advice
    from ..plans.forecast import forecast
    from ..plans.show import meaning_of, warnings_of
    from ..releases.open_ledger import nearest

    plan_file = read_plan_file(file)
    tried(plan_file.also, plan_file.plan)
    _show_plan(screen, plan_file)
    path = ledger or plan_file.ledger
    left = fits = smaller = None
    if path is not None and there(path):
        left = opened(path, plan_file.plan, plan_file.face)[1].left()
        fits = _said_to_fit(screen, plan_file, path, left)
        smaller = None if fits else nearest(plan_file.plan, left)
    elif path is not None:
        screen.say(f"There is no ledger {shown(path)} yet; {no_ledger(path, plan_file.plan).fix}")
    return PlanReply(
        title=plan_file.title,
        about=plan_file.about.plain() if plan_file.about else {},
        table=plan_file.plan.table.plain(),
        loss=plan_file.plan.cost.plain(),
        meaning=meaning_of(plan_file.plan),
        warnings=list(warnings_of(plan_file.plan)),
        forecast=[*forecast(plan_file.plan), *advice(plan_file.plan), *_takes(plan_file.plan)],
        alpha=str(plan_file.plan.alpha),
        digest=plan_file.plan.digest,
        findings=_findings(plan_file.plan),
        lines=_lines(plan_file.plan),
        left=left.plain() if left else None,
        fits=fits,
        nearest=smaller.spend.plain() if smaller else None,
    )


def release(screen: Screen, file: Path, wishes: Wishes) -> ReleaseReply:
    """Show the plan, pay for it, release, and write the result."""
    return pay(screen, read_plan_file(file), wishes)


def pay(screen: Screen, plan_file: PlanFile, wishes: Wishes) -> ReleaseReply:
    """Show the plan of a file that was read, pay for it, release, and write the result."""
    file, path = plan_file.path, wishes.ledger or plan_file.ledger
    if path is None:
        raise InputError(
            f"{shown(file.name)} does not say which ledger pays.",
            kind="ledger-not-named",
            why="every release is charged to the ledger of its data",
            fix=f"under [spend], write ledger = {toml(f'{file.stem}.ledger')}, or add "
            f"--ledger {typed(file.with_suffix('.ledger'))}",
        )
    tried(plan_file.also, plan_file.plan)
    _show_plan(screen, plan_file)
    book, head = opened(path, plan_file.plan, plan_file.face)
    screen.say(left_in(path, head.left()))
    screen.say()
    wishes = replace(wishes, why=plan_file.title if wishes.why is None else wishes.why)
    out = wishes.out or file.with_suffix(".release")
    refuse_other(out, plan_file.plan, book, wishes)
    with interruptible(book, wishes.name(plan_file.plan), head.seq) as course:
        course.done = done = paid(screen, plan_file.plan, path, wishes, plan_file.face)
        screen.show(done.sheet())
        course.out = out
        also, failed = _derived(screen, plan_file, done)
        course.place = place = saved(done, out, plan_file.about, also)
        left, charged = charged_words(book, plan_file.plan, done)
        _say_where(screen, place)
        screen.say(charged)
        if failed is not None:  # of keys that were found nothing could be tried before
            screen.say("One entry of also could not be made, and is not in the release:")
            raise failed
        return ReleaseReply.paid("release", done, place, left)


def rehearse(screen: Screen, file: Path, *, out: Path | None = None) -> ReleaseReply:
    """Walk the whole way on made-up rows; nothing is read, charged or stored."""
    from ..releases.rehearsal import rehearse as rehearsed

    plan_file = read_plan_file(file)
    if out is not None:
        refuse_existing(out)
    _show_plan(screen, plan_file)
    with screen.working("Rehearsing on made-up rows"):
        done = rehearsed(plan_file.plan)
    screen.show(done.sheet())
    also, failed = _derived(screen, plan_file, done)
    if failed is not None:
        raise failed
    place = None if out is None else done.save(out, also=also, about=plan_file.about)
    if place is not None:
        _say_where(screen, place)
    screen.say("This was a rehearsal: no data was read and nothing was charged.")
    return ReleaseReply(
        command="rehearse",
        repeated=False,
        account="",
        saved=None if place is None else str(place),
        left=None,
        release=done.document,
    )


def show(screen: Screen, path: Path) -> ShowReply:
    """Show a saved release."""
    from ..releases.release import load

    released = load(path)
    screen.show(released.sheet())
    return ShowReply(release=released.document)


def verify(screen: Screen, path: Path, *, ledger: Path | None = None) -> VerifyReply:
    """Make a saved release's price, noise and answers again, and compare the ledger."""
    from ..releases.verify import verify as verified

    if ledger is not None:
        _refuse_missing(ledger)
    with screen.working("Checking"):
        verdict = verified(path, ledger=ledger)
    screen.say(str(verdict))
    return VerifyReply(
        command="verify", checks=list(verdict.checks), unchecked=list(verdict.unchecked)
    )


def _derived(
    screen: Screen, plan_file: PlanFile, done: "Release"
) -> "tuple[list[DerivedNumbers], InputError | None]":
    """Show what the plan file derives of a release; return it, and why an entry cannot be made."""
    also, failed = list["DerivedNumbers"](), None
    for entry in plan_file.also:
        try:
            also.append(entry.made(done))
        except InputError as error:
            failed = failed or error
        else:
            screen.show(also[-1].sheet())
    return also, failed


def _show_plan(screen: Screen, plan_file: PlanFile) -> None:
    if plan_file.title != plan_file.plan.table.name:
        screen.say(plan_file.title)
        for name, text in plan_file.about.lines() if plan_file.about else ():
            screen.say(f"  {name}: {shown(text, _SAID)}")
        screen.say()
    screen.show(plan_file.plan.sheet())
    for name, heading in plan_file.about.questions.items() if plan_file.about else ():
        screen.say(f"Over {name}: {heading}.")
    for column, label in plan_file.about.labels.items() if plan_file.about else ():
        if label.show != "none" and plan_file.about:
            screen.say(fill(sentence(column, plan_file.about), width()))
    for words in _takes(plan_file.plan):
        screen.say(words)


def _takes(plan: "Plan") -> list[str]:
    """Return how long the count may take, where that is known beforehand."""
    words = cost_words(plan.table, plan.aggregates)
    return [] if words is None else [words]


def _findings(plan: "Plan") -> list[dict[str, object]]:
    return [
        {
            "column": finding.column,
            "share": str(plan.table.unknown[finding.column].share),
            "delta": str(finding.delta),
            "needs": {str(keys): rounded(finding.needs(keys)) for keys in (1, finding.max_groups)},
        }
        for finding in plan.findings
    ]


def _lines(plan: "Plan") -> list[PlanLine]:
    lines = []
    for line in plan.lines:
        expected = line.statistic.expected(plan.table, line.laws, plan.level(line))
        lines.append(
            PlanLine(
                question=line.statistic.plain(),
                label=line.statistic.label,
                cells=sum(aggregate.size(plan.table) for aggregate in line.aggregates),
                noise=[law.plain() for law in line.laws],
                half_width=str(expected.half_width),
                divided_by_rows=expected.per_row,
                price=line.cost.plain(),
            )
        )
    return lines


def _refuse_missing(path: Path) -> None:
    if not there(path):
        from ..ledgers.sqlite_errors import missing

        raise missing(
            path,
            why="the account can only be compared with the file that kept it",
            fix="give the path of the ledger that paid for the release",
        )


def _say_where(screen: Screen, place: Path) -> None:
    screen.say(f"The release is in {shown(place)}.")
    if place.is_dir():
        screen.say(f"Look at {shown(place / 'report.html')}.")


def _said_to_fit(screen: Screen, plan_file: PlanFile, path: Path, left: Loss) -> bool:
    """Say what a plan takes of a ledger, and what takes less of it; tell whether it fits."""
    from ..releases.open_ledger import loss_call, nearest_fix

    plan, price = plan_file.plan, plan_file.plan.charged(left)
    fits = price is not None and price.fits(left)
    other_kind = left.kind != plan.cost.kind and {"rho", "mu2"} & left.named.keys()
    takes = f" It takes {price} there." if other_kind else ""
    screen.say(
        f"{left_in(path, left)} {'This plan fits.' if fits else 'This plan does not fit.'}{takes}"
    )
    other = plan.suited(left)
    less = other.charged(left)
    if other is not plan:
        way = write(of="plan", verb="plan again with", spend=loss_call(other.spend))
        screen.say(
            f"Gaussian noise with no wider interval takes {less}: {plan_file.face.spell((way,))}"
        )
    if less is None or not less.fits(left):
        screen.say(f"  fix: {plan_file.face.spell(nearest_fix(plan, left))}")
    return fits
