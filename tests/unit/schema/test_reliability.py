"""Flags of reliability: which numbers bear them, and which declarations are refused."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dp
from discreet.errors import InputError
from discreet.schema.reliability import reliability

pytestmark = pytest.mark.claim("C568")
TWO = [
    {"from": "16.5%", "flag": "E", "words": "use with caution", "status": "U"},
    {"from": "33.3 %", "flag": "F", "words": "too unreliable to publish"},
]
NUMBERS = st.fractions(min_value=-1000, max_value=1000, max_denominator=100)


def flag(of, value, low, high, quantile=2):
    found_flag = of.flag_of(*map(Fraction, (value, low, high, quantile)))
    return None if found_flag is None else found_flag.flag


@pytest.mark.parametrize(
    ("interval", "by", "expected"),
    [
        ((100, 68, 132), "cv", None),  # a deviation of 16 %
        ((100, 67, 133), "cv", "E"),  # exactly 16.5 %: flagged
        ((100, 0, 133), "cv", "F"),  # the larger distance counts
        ((-100, -133, -67), "cv", "E"),
        ((0, -1, 1), "cv", "F"),
        ((0, 0, 0), "cv", None),  # exact numbers are reliable
        ((100, 84, 116), "half_width", None),
        ((100, 83, 117), "half_width", "E"),
    ],
)
def test_a_flag_follows_from_value_and_interval(interval, by, expected):
    """By hand: half-width over the value, and for a coefficient of variation over the quantile."""
    rule = reliability({"by": by, "flags": TWO})

    assert flag(rule, *interval) == expected


@pytest.mark.slow
@given(value=NUMBERS, below=NUMBERS, above=NUMBERS, wider=st.fractions(min_value=0, max_value=9))
def test_a_wider_interval_is_never_more_reliable(value, below, above, wider):
    """The order of the flags is that of the half-widths."""
    rule, order = reliability({"flags": TWO}), [None, "E", "F"]
    low, high = value - abs(below), value + abs(above)

    assert order.index(flag(rule, value, low, high)) <= order.index(
        flag(rule, value, low - wider, high + wider)
    )


def test_half_widths_can_be_in_the_measure_of_the_question():
    """Without a percent sign a threshold is a half-width, from 0 on."""
    flags = [
        {"from": 0, "flag": "A", "words": "good"},
        {"from": "2.5", "flag": "C", "words": "fair"},
    ]
    rule = reliability({"by": "half_width", "flags": flags})

    assert [flag(rule, 7, 7 - n, 7 + n) for n in (0, 2, Fraction(5, 2), 9)] == ["A", "A", "C", "C"]


@pytest.mark.parametrize(
    ("declared", "what"),
    [
        ({}, "lists no flags"),
        ({"by": "cv", "flag": TWO}, "has no flag"),
        ({"by": "rse", "flags": TWO}, "no measure by which numbers are flagged"),
        ("25%", "says nothing of reliability"),
        ({"flags": [{"from": "1/4", "flag": "*", "words": "x"}]}, "not in percent"),
        ({"flags": [{"from": "-1%", "flag": "*", "words": "x"}]}, "below 0"),
        ({"flags": [{"from": "a lot", "flag": "*", "words": "x"}]}, "not a finite number"),
        ({"flags": [{"from": "1%", "flag": "=1+1", "words": "x"}]}, "no text of a flag"),
        ({"flags": [{"from": "1%", "flag": "[c]", "words": "x"}]}, "is taken"),
        ({"flags": [{"from": "1%", "flag": "*"}]}, "no text of a flag"),
        ({"flags": [{"from": "1%", "flag": "*", "words": "x", "status": 3}]}, "no status"),
        ({"flags": [TWO[0], {**TWO[1], "from": "16.5%"}]}, "one threshold"),
        ({"by": "half_width", "flags": [TWO[0], {**TWO[1], "from": 3}]}, "in percent, and others"),
    ],
)
def test_what_is_no_rule_is_refused(declared, what):
    """In three lines, before anything is paid."""
    with pytest.raises(InputError, match=what):
        dp.about(reliability=declared)


def test_words_are_the_same_again():
    """What about.json keeps is read as it was declared."""
    words = dp.about(reliability={"by": "half_width", "flags": TWO})

    assert dp.about(**words.plain()) == words
