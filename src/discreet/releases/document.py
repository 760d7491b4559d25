"""From noisy integers to the document of a release: arithmetic on public numbers."""

from collections.abc import Sequence
from importlib.metadata import version
from typing import Literal

from ..aggregate import Noisy
from ..document.answers import answer_table
from ..document.document import (
    CONVENTION,
    FORMAT,
    Document,
    LedgerEntry,
    Protection,
    Released,
    Software,
    Vector,
)
from ..plans.line import Line
from ..plans.plan import Plan
from ..plans.show import protection


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
        software=Software(name="discreet", version=version("discreet")),
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
    found = []
    for line in plan.lines:
        mine, rest = rest[: len(line.aggregates)], rest[len(line.aggregates) :]
        found.append(_released(plan, line, mine))
    return found


def _released(plan: Plan, line: Line, noisy: Sequence[Noisy]) -> Released:
    answer = line.statistic.answer(plan.table, noisy, line.laws, plan.level(line))
    return Released(
        label=line.statistic.label,
        question=line.statistic.plain(),
        vectors=[
            Vector(
                cells=found.size(plan.table),
                noise=law.plain(),
                sensitivity=found.paid.plain(),
                noisy=list(values.values),
            )
            for found, law, values in zip(line.aggregates, line.laws, noisy, strict=True)
        ],
        answer=answer_table(answer),
    )
