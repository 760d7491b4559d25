"""Answers are compared up to the last digits of their doubles, and in nothing else."""

import math

import pytest

import discreet as dp
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


def sparse_list():
    """The answer of a list of 10^8 cells."""
    columns = {c: dp.keys(*map(str, range(9)), other="other") for c in "abcdefgh"}
    table = dp.table([], name="t", unit="row", keys=columns)
    pairs = dp.tables([["a", "b"], ["c", "d"], ["e", "f"], ["g", "h"]])
    return dp.rehearse(dp.plan(table, pairs, spend=dp.zcdp("1/50"))).document.statistics


def with_values(answers, change):
    """It with other values, and intervals that reach as far."""
    (released,) = answers
    *first, values, low, high = released.answer.rows.columns
    other = change(first[-2], values)
    lower = [min(pair) for pair in zip(map(math.floor, other), low, strict=True)]
    higher = [max(pair) for pair in zip(map(math.ceil, other), high, strict=True)]
    rows = Rows([*first, other, lower, higher])
    answer = released.answer.model_copy(update={"rows": rows})
    return [released.model_copy(update={"answer": answer})]


@pytest.mark.claim("C650")
def test_a_sparse_list_has_its_tables_of_today_or_the_estimates_of_earlier_versions():
    """Some of them, or what adds up and lies between, is neither."""
    of_today = sparse_list()
    estimates = with_values(of_today, lambda linear, _: linear)

    assert min(estimates[0].answer.rows.columns[-3]) < 0
    assert same_answers(estimates, of_today)
    for change in (
        lambda linear, values: [(a + b) / 2 for a, b in zip(linear, values, strict=True)],
        lambda linear, values: (*linear[:5], *values[5:]),
        lambda linear, _: [float(round(number)) for number in linear],
        lambda linear, _: [0.0] * len(linear),
    ):
        assert not same_answers(with_values(of_today, change), of_today)
