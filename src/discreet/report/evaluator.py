"""Questions that an evaluator asks of a release, after NIST SP 800-226, and who answers.

Rules of this module:
- each question is answered by the release, or is the publisher's, or is not known: nothing is
  guessed, and nothing is left out because its answer is bad;
- what a publisher says is marked as the publisher's word;
- totals of a ledger are those of the charge's own entry, so that a page stays what it was.

Decision 129.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ..document.accessors import labels
from ..document.document import Document
from ..noise.registry import law_of
from ..privacy.loss import loss_of
from ..schema import NO_FACTS, About, Table
from .words import loss_sentences, relation, times

Mark = Literal["Answered", "The publisher’s", "Not known"]


@dataclass(frozen=True, slots=True)
class Answered:
    """One question, who answers it, and the answer."""

    question: str
    mark: Mark
    answer: str


def evaluated(document: Document, about: About, table: Table) -> list[Answered]:
    """Return all questions with their answers, from the base of the guide's pyramid on."""
    parts = (_guarantee, _mechanisms, _accuracy, _around)
    return [line for part in parts for line in part(document, about, table)]


def ledger_words(document: Document) -> str:
    """Return what the ledger had spent of how much, with this release; "" where nobody tells."""
    entry = document.ledger
    if entry is None or entry.spent is None or entry.budget is None:
        return ""
    return f"{loss_of(entry.spent)} of {loss_of(entry.budget)}"


def _guarantee(document: Document, about: About, table: Table) -> Iterator[Answered]:
    loss = loss_of(document.protection.loss)
    says = " ".join(loss_sentences(loss, table=table))
    yield Answered("How large is the privacy loss, and what does it allow?", "Answered", says)
    unit = f"{document.protection.sentence} {relation(table)}"
    if table.unit.column is None:
        unit += " If somebody has several rows, each is protected alone, and not all together."
    yield Answered("What is the unit of privacy? Is it a person?", "Answered", unit)
    if total := ledger_words(document):
        yield Answered(
            "How much is lost over all releases of this data, and what is the cap?",
            "Answered",
            f"With this release {total} stood spent in its ledger, which refuses what does not "
            "fit. What other ledgers or programs released of the same people is not in it.",
        )
    else:
        none = (
            "A rehearsal is no release."
            if document.ledger is None
            else ("This release does not hold the totals of its ledger: ask whoever keeps it.")
        )
        yield Answered(
            "How much is lost over all releases of this data, and what is the cap?",
            "Not known",
            none,
        )
    yield _publishers("Who chose the loss, and why?", about.why)
    yield _publishers("Who approved it?", about.approved_by)


def _mechanisms(document: Document, _about: About, table: Table) -> Iterator[Answered]:
    vectors = [vector for released in document.statistics for vector in released.vectors]
    laws = dict.fromkeys(law_of(vector.noise).words for vector in vectors)
    yield Answered(
        "Which mechanisms are used, and is their implementation safe?",
        "Answered",
        f"{_capital(', '.join(laws)) or 'No'} noise on whole numbers, drawn exactly. No "
        "floating-point number decides about privacy. Sensitivities and prices stand in the table "
        "above; their proofs are those of this version of the program. How long a run takes is not "
        "hidden.",
    )
    stated = [
        label
        for label, released in zip(labels(document), document.statistics, strict=True)
        if "sensitivity" in released.question
    ]
    if stated:
        yield Answered(
            "Is every sensitivity proved?",
            "The publisher’s",
            f"Not of {', '.join(stated)}: stated.",
        )
    sought = [*table.unknown]
    listed = (
        f"The keys of {', '.join(sought)} were found in the data, at a part of the loss."
        if sought
        else "Keys, bounds and limits were declared before data was read, and are public."
    )
    yield Answered("Does anything that is shown depend on data without noise?", "Answered", listed)


def _accuracy(document: Document, _about: About, table: Table) -> Iterator[Answered]:
    answers = sum(len(released.answer.rows) for released in document.statistics)
    yield Answered(
        "How accurate are the numbers, and how is that known?",
        "Answered",
        f"Each of {times(answers, 'number')} has an interval that follows from the law of the "
        "noise, without a simulation. It leaves out the sample, and errors in the data.",
    )
    bias = [f"values of {', '.join(table.columns)} outside their bounds"] if table.columns else []
    if table.unit.column is not None:
        bias.append("rows of a unit beyond its limits")
    words = f"Perhaps: {' and '.join(bias)} were moved or left out. " if bias else ""
    yield Answered(
        "Is anything biased?",
        "Answered",
        f"{words}How much that changes a number is not known: it would itself cost privacy.",
    )
    kept = any(released.shown is not None for released in document.statistics)
    linear = any("linear" in released.answer.columns for released in document.statistics)
    public = " Sizes that are public stand as they were typed." * (table.facts != NO_FACTS)
    after = ["Numbers that a rule of publication leaves out are not shown."] * kept
    after += ["Tables were fitted so that they add up; intervals were made before that."] * linear
    yield Answered(
        "What was done to the numbers after the noise? Was any total kept exact?",
        "Answered",
        f"{' '.join(after) or 'Rounding for readers alone.'} No number of the data is exact."
        f"{public}",
    )


def _around(document: Document, about: About, _table: Table) -> Iterator[Answered]:
    yield Answered(
        "Who is trusted with the data?",
        "Answered",
        "The central model: whoever ran this release could see the rows. Readers see noisy "
        "numbers.",
    )
    yield _publishers("How was the data collected, kept and consented to?", about.collection)
    yield Answered(
        "Who may see the data, how is access watched, and when is the data deleted?",
        "Not known",
        "Software that adds noise does not see it.",
    )
    yield Answered(
        "Can an outsider check it?",
        "Answered",
        f"Yes: {document.software.name} computes price, noise, numbers and intervals again from "
        "release.json. That the right data was read nobody can check without it.",
    )


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _publishers(question: str, answer: str) -> Answered:
    """Return a question that only a publisher can answer, with the publisher's word where it is."""
    if answer:
        return Answered(question, "The publisher’s", answer)
    return Answered(question, "Not known", "The publisher says nothing of it here.")
