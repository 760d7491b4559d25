"""What an evaluator asks: answered, the publisher's, or not known; never guessed."""

import pytest

from discreet import about
from discreet.plans.plan import plan_of
from discreet.report.evaluator import evaluated, ledger_words
from unit.report_documents import LOSSES, small

SILENT = "The publisher says nothing of it here."


def asked(document, **words):
    return {
        line.question: (line.mark, line.answer)
        for line in evaluated(document, about(**words), plan_of(document.plan).table)
    }


@pytest.mark.claim("C562")
def test_only_a_publisher_answers_what_only_a_publisher_knows():
    """Marked as the publisher's word where it is said, and as not known where it is not."""
    words = {"why": "A board chose it.", "approved_by": "The board", "collection": "By post."}
    silent, spoken = asked(small()), asked(small(), **words)
    changed = {question for question in silent if silent[question] != spoken[question]}

    assert len(changed) == len(words)
    assert {silent[question] for question in changed} == {("Not known", SILENT)}
    assert {spoken[question] for question in changed} == {
        ("The publisher’s", text) for text in words.values()
    }


@pytest.mark.claim("C562")
@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("rehearsal", [False, True])
def test_every_question_has_a_mark_and_an_answer(loss, rehearsal):
    """Whatever the loss is; a total that a release does not hold is not known."""
    lines = asked(small(loss=loss, rehearsal=rehearsal))

    assert {mark for mark, _ in lines.values()} <= {"Answered", "The publisher’s", "Not known"}
    assert all(answer.strip() for _, answer in lines.values())
    (total,) = [line for question, line in lines.items() if "over all releases" in question]
    assert total[0] == "Not known"


def test_totals_are_those_of_the_entry():
    """What stood spent with the charge, of how much."""
    document = small()
    entry = document.ledger.model_copy(
        update={"spent": {"kind": "zcdp", "rho": "1/50"}, "budget": {"kind": "zcdp", "rho": "1/8"}}
    )
    told = document.model_copy(update={"ledger": entry})

    assert ledger_words(document) == ""
    assert ledger_words(told) == "rho = 0.02 of rho = 0.125"
    (total,) = [line for question, line in asked(told).items() if "over all releases" in question]
    assert total[0] == "Answered"
    assert "rho = 0.02 of rho = 0.125 stood spent" in total[1]
