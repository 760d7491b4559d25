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
from ..statistic.statistic import rows_within_public

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
    answers = [_released(plan, place, vectors) for place in range(len(plan.lines))]
    for place, line in enumerate(plan.lines):
        if line.statistic.ask.publish is not None:
            known = shown[place] if shown else None
            answers[place] = _published(plan, place, (answers[place], vectors[place]), known)
    return answers


def _published(
    plan: Plan,
    place: int,
    whole: tuple[Released, Sequence[Noisy]],
    known: Shown | None,
) -> Released:
    """Return a question without what its rule does not show: neither answers nor integers."""
    from ..statistic.publish import RuledQuestion, answer_shown, places_shown

    line, (released, noisy) = plan.lines[place], whole
    together = plan.together or line.statistic.ask.together
    asked = RuledQuestion(
        line.statistic, plan.table, noisy, line.laws, plan.level(line), together=together
    )
    places = places_shown(asked, known.places if known else None)
    vectors, many = [], len(released.answer.rows)
    for vector in released.vectors:
        each = vector.cells // max(1, many)
        kept = [n for at in places for n in vector.noisy[each * at : each * (at + 1)]]
        vectors.append(vector.model_copy(update={"noisy": kept}))
    answer = answer_table(answer_shown(asked, places))
    selected = Shown(of=many, places=places)
    return released.model_copy(update={"vectors": vectors, "answer": answer, "shown": selected})


def _released(plan: Plan, place: int, vectors: Sequence[Sequence[Noisy]]) -> Released:
    line, noisy = plan.lines[place], vectors[place]
    inputs = noisy if line.shared is None else plan.given(place, vectors)
    answer = line.statistic.answer(plan.table, inputs, line.laws, plan.level(line))
    if plan.table.facts.rows is not None:
        answer = rows_within_public(plan.table, answer)
    times = line.statistic.times if isinstance(line.statistic, Joined) else repeat(None)
    return Released(
        label=line.statistic.label,
        question=line.statistic.plain(),
        vectors=[
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
        ],
        answer=answer_table(answer),
    )
