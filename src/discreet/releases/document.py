"""From noisy integers to the document of a release: arithmetic on public numbers."""

from collections.abc import Sequence
from importlib.metadata import version
from itertools import repeat
from typing import Literal

from ..aggregate import Noisy
from ..document.document import (
    CONVENTION,
    FORMAT,
    Document,
    LedgerEntry,
    Protection,
    Released,
    Shown,
    Software,
    Vector,
    answer_table,
)
from ..plans.plan import Plan
from ..schema import protection
from ..statistic.shared_vector import Joined
from ..statistic.statistic import Answer, rows_within_public

_SOFTWARE = Software(name="discreet", version=version("discreet"))  # who writes documents


def compose(
    plan: Plan,
    noisy: Sequence[Noisy],
    *,
    request: str,
    created: str,
    ledger: LedgerEntry | None,
) -> Document:
    """Return the document of a release; without a ledger entry it is marked a rehearsal."""
    kind: Literal["release", "rehearsal"] = "rehearsal" if ledger is None else "release"
    return Document(
        format=FORMAT,
        software=_SOFTWARE,
        kind=kind,
        request=request,
        created=created,
        title=plan.table.name,
        protection=Protection(
            sentence=protection(plan.table),
            unit=plan.table.unit.plain(),
            neighbors=plan.table.neighbors,
            loss=plan.cost.plain(),
        ),
        ledger=ledger,
        plan=plan.plain(),
        digest=plan.digest,
        alpha=str(plan.alpha),
        convention=CONVENTION,
        statistics=answered(plan, noisy),
    )


def answered(
    plan: Plan, noisy: Sequence[Noisy], shown: Sequence[Shown | None] = ()
) -> list[Released]:
    """Return each question with its noisy vectors and the answer they make.

    Args:
        plan: what was asked.
        noisy: all vectors, in order.
        shown: of each question, which numbers were shown, where no others are known.
    """
    rest = list(noisy)
    vectors = []
    for line in plan.lines:
        mine, rest = rest[: len(line.aggregates)], rest[len(line.aggregates) :]
        vectors.append(mine)
    known = shown or [None] * len(vectors)
    return [_released(plan, place, vectors, known[place]) for place in range(len(vectors))]


def _released(
    plan: Plan, place: int, vectors: Sequence[Sequence[Noisy]], known: Shown | None
) -> Released:
    line, noisy = plan.lines[place], vectors[place]
    inputs = noisy if line.shared is None else plan.given(place, vectors)
    answer = line.statistic.answer(plan.table, inputs, line.laws, plan.level(line))
    if plan.table.facts.rows is not None:
        answer = rows_within_public(plan.table, answer)
    times = line.statistic.times if isinstance(line.statistic, Joined) else repeat(None)
    made = [
        Vector(
            cells=aggregate.size(plan.table),
            noise=law.plain(),
            sensitivity=aggregate.paid.plain(),
            noisy=list(values.values),
            times=each,
        )
        for (aggregate, law, values), each in zip(
            zip(line.aggregates, line.laws, noisy, strict=True), times, strict=False
        )
    ]
    selected = None
    if line.statistic.ask.publish is not None:
        answer, made, selected = _published(plan, place, (noisy, answer, made), known)
    return Released(
        label=line.statistic.label,
        question=line.statistic.plain(),
        vectors=made,
        answer=answer_table(answer),
        shown=selected,
    )


def _published(
    plan: Plan,
    place: int,
    whole: tuple[Sequence[Noisy], Answer, Sequence[Vector]],
    known: Shown | None,
) -> tuple[Answer, list[Vector], Shown]:
    """Return an answer and its vectors without what the rule of its question does not show."""
    from ..statistic.publish import RuledQuestion, answer_shown, largest, places_shown

    line, (noisy, plain, vectors) = plan.lines[place], whole
    passed, rule = noisy[0].places, line.statistic.ask.publish
    all_passed = places_shown(
        line.statistic, plain, known.places if known and passed is None else None
    )
    places = largest(noisy[0], all_passed, rule.most if rule else None)
    is_cut = known.cut if known else len(places) < len(all_passed) or None
    kept = []
    for vector in vectors:
        each = len(vector.noisy) // max(1, len(plain.values))
        integers = [n for at in places for n in vector.noisy[each * at : each * (at + 1)]]
        kept.append(vector.model_copy(update={"noisy": integers}))
    asked = RuledQuestion(
        line.statistic,
        plan.table,
        noisy,
        line.laws,
        plan.level(line),
        together=plan.together or line.statistic.ask.together,
    )
    numbers = places if passed is None else [passed[at] for at in places]
    shown = Shown(of=asked.among(plain), places=[*numbers], cut=is_cut)
    return answer_shown(asked, plain, places), kept, shown
