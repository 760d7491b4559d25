"""The tables of docs/privacy-loss.md are computed again, each number rounded to the safe side."""

import re
from decimal import ROUND_CEILING
from fractions import Fraction
from pathlib import Path

import pytest

import discreet as dp
from discreet import calculator
from discreet.exact.number import decimal_of
from discreet.privacy.conversion import epsilon_up
from discreet.privacy.risk import true_yes_up

PAGE = (Path(__file__).parents[2] / "docs" / "privacy-loss.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([\d.]+) \| ([\d.]+) of 100 \| (?:([\d.]+) \| )?±(\d+) \|$", PAGE, re.M)


def up(number):
    """Three digits, and never less."""
    return decimal_of(Fraction(number), 3, ROUND_CEILING)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row_says_what_the_loss_is(row):
    """What a test can find out, the epsilon that a rho implies, and the error of one count."""
    size, right, epsilon, error = row
    loss = dp.zcdp(size) if epsilon else dp.pure(size)
    noise = (
        calculator.noise("discrete_gaussian", rho=size)
        if epsilon
        else calculator.noise("geometric", epsilon=size)
    )

    assert Fraction(right) == up(100 * true_yes_up(loss, Fraction(1, 100)))
    assert int(error) == noise.accuracy(alpha="0.05")
    if epsilon:
        assert Fraction(epsilon) == up(epsilon_up(Fraction(size), Fraction(1, 10**6)))


def test_the_page_has_both_tables():
    """Eight values of rho, seven of epsilon."""
    assert len(ROWS) == 15
    assert sum(1 for row in ROWS if row[2]) == 8
