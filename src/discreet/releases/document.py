"""From noisy integers to the document of a release: arithmetic on public numbers."""

from collections.abc import Sequence
from dataclasses import replace
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
    Software,
    Vector,
    answer_table,
)
from ..plans.plan import Plan
from ..schema import protection
from ..statistic.shared_vector import Joined

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


def answered(plan: Plan, noisy: Sequence[Noisy]) -> list[Released]:
    """Return each question with its noisy vectors and the answer they make."""
    rest = list(noisy)
    vectors = []
    for line in plan.lines:
        mine, rest = rest[: len(line.aggregates)], rest[len(line.aggregates) :]
        vectors.append(mine)
    return [_released(plan, place, vectors) for place in range(len(plan.lines))]


def _released(plan: Plan, place: int, vectors: Sequence[Sequence[Noisy]]) -> Released:
    line, noisy = plan.lines[place], vectors[place]
    inputs = noisy if line.block is None else plan.given(place, vectors)
    answer = line.statistic.answer(plan.table, inputs, line.laws, plan.level(line))
    if answer.rows is not None and plan.table.facts.rows and plan.table.neighbors == "replace":
        most = plan.table.facts.rows
        answer = replace(answer, rows=tuple([min(n, most) for n in answer.rows]))
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
