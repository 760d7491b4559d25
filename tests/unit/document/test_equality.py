"""Answers are compared up to the last digits of their doubles, and in nothing else."""

import math

import pytest

from discreet.document.equality import same_answers
from discreet.document.rows import Rows
from unit.report_documents import small


def changed(**row):
    """The answers of a small release, with the numbers of its first sum changed."""
    answers = [one.model_copy(deep=True) for one in small().statistics]
    found = next(one for one in answers if one.label.startswith("sum"))
    for place, number in row.items():
        at = {"value": -3, "low": -2, "high": -1}[place]
        columns = [list(column) for column in found.answer.rows.columns]
        columns[at][0] = number(columns[at][0])
        answer = found.answer.model_copy(update={"rows": Rows(columns)})
        answers[answers.index(found)] = found.model_copy(update={"answer": answer})
    return answers


@pytest.mark.parametrize("place", ["value", "low", "high"])
def test_another_last_digit_is_the_same_answer(place):
    """As another processor would round it."""
    nearby = changed(**{place: lambda number: math.nextafter(number, math.inf)})

    assert same_answers(small().statistics, nearby)


@pytest.mark.parametrize("place", ["value", "low", "high"])
@pytest.mark.parametrize(
    "change",
    [lambda x: x * 1.000001, int, lambda _: None],
    ids=["a millionth", "whole", "none"],
)
def test_another_number_is_another_answer(place, change):
    """A millionth, another type, or none at all."""
    assert not same_answers(small().statistics, changed(**{place: change}))


def test_a_missing_answer_is_another_release():
    """No answer is left out."""
    assert not same_answers(small().statistics, small().statistics[1:])
