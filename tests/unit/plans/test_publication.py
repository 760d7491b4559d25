"""What a plan says of hidden numbers: which of its questions tell of the same rows."""

import pytest

import discreet as dp
from discreet.plans.publication import rules_said

RULE, LESS = dp.publish(at_least=9), dp.publish(at_least=3)
COLUMNS = {"x": dp.bounds(0, 9, step=1), "y": dp.bounds(0, 9, step=1)}
KEYS = {"k": range(30), "s": ["f", "m"]}
TABLE = dp.table([], unit="row", columns=COLUMNS, keys=KEYS, name="t").derive(
    ten=dp.derived("floor(k / 10)", keys=range(3)), five=dp.derived("floor(k / 5)", keys=range(6))
)
HIDING = dp.count(by="k", publish=RULE)
FEMALE = dp.count(by="k", where="s = 'f'", publish=RULE)
TELL = {  # a question with a rule, and another from which its hidden numbers follow, or their sums
    "sums": (dp.count(by=["k", "s"], publish=RULE), dp.count(by="k")),
    "the total": (HIDING, dp.count()),
    "parts": (HIDING, dp.count(by=["k", "s"])),
    "a lower threshold": (HIDING, dp.count(by="k", publish=LESS)),
    "parts from lower on": (HIDING, dp.count(by=["k", "s"], publish=LESS)),
    "a derived sum": (HIDING, dp.count(by="ten")),
    "a derived part": (dp.count(by="ten", publish=RULE), dp.count(by="k")),
    "bands that overlap": (dp.count(by="ten", publish=RULE), dp.count(by="five")),
    "a cube of another column": (HIDING, dp.cube(["s"])),
    "a list of tables": (HIDING, dp.tables([["s", "k"]])),
    "bins": (HIDING, dp.histogram("x", by="k", bins=2)),
    "a sum of bins": (dp.histogram("x", by="k", bins=3, publish=RULE), dp.count(by="k")),
    "a curve": (HIDING, dp.median("x", by="k")),
    "the sum of a mean": (dp.mean("x", by="k", publish=RULE), dp.sum("x", by="k")),
    "the mean of a sum": (dp.sum("x", by="k", publish=RULE), dp.mean("x", by="k")),
    "units that are rows": (HIDING, dp.count_units(by="k")),
}
DO_NOT = {
    "parts from as many on": (HIDING, dp.count(by=["k", "s"], publish=RULE)),
    "sums of another column": (dp.sum("x", by="k", publish=RULE), dp.sum("y", by="k")),
    "a choice": (HIDING, dp.choose("k")),
    "distinct keys": (HIDING, dp.count(by="k", distinct="s")),
    "rows of a condition": (FEMALE, dp.count(by="k")),
    "a rule that rounds alone": (dp.count(by="k", publish=dp.publish(round_to=5)), dp.count()),
}


def warned(*questions):
    """For each question that hides something, what the plan says that it can be estimated from."""
    plan = dp.plan(TABLE, *questions, spend=dp.zcdp(1))
    return [line for line in rules_said(plan) if "can be estimated from" in line]


@pytest.mark.claim("C581")
@pytest.mark.parametrize("questions", TELL.values(), ids=TELL)
def test_a_question_that_tells_of_hidden_numbers_is_named(questions):
    hiding, telling = questions
    words = f"What is not shown of {hiding.label} can be estimated from {telling.label}, of the"
    assert any(line.startswith(words) for line in warned(*questions))


@pytest.mark.claim("C581")
@pytest.mark.parametrize("questions", DO_NOT.values(), ids=DO_NOT)
def test_a_question_that_tells_nothing_of_them_is_not(questions):
    assert [line for line in warned(*questions) if f"of {questions[0].label} can" in line] == []


@pytest.mark.claim("C581")
def test_all_rows_and_the_rest_of_them_tell_together():
    """Neither does alone: of all rows and of those that are not female the others follow."""
    (line,) = warned(FEMALE, dp.count(by="k"), dp.count(by="k", where="s = 'm'"))
    assert "count by k and count by k where s = 'm'" in line
