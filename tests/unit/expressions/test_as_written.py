"""Numbers and days in quotation marks, as other tools write them, are told as the literals they mean."""

import re

import pytest

import discreet as dp
from discreet.errors import InputError
from discreet.expressions.as_written import is_plain, literals_of

pytestmark = pytest.mark.claim("C361")

TABLE = dp.table(
    "people.csv",
    unit="row",
    columns={"wage": dp.bounds(0, 5000), "day": dp.bounds("2020-01-01", "2021-01-01")},
    keys={"sex": ["f", "m"], "code": ["1,000", "2"]},
)
MEANT = {
    "2,000": ["2000", "2"],
    "2.000": ["2000", "2"],
    "-2,000": ["-2000", "-2"],
    "2000": ["2000"],
    "2.000,5": ["2000.5"],
    "2,000.5": ["2000.5"],
    "1.234.567,89": ["1234567.89"],
    "0,5": ["0.5"],
    "0,500": ["0.5"],
    "1 000": ["1000"],
    "1'000": ["1000"],
    "1_000": ["1000"],
    "1e3": ["1000"],
    "€ 2000": ["2000"],
    "2000 EUR": ["2000"],
    "2020-01-05": ["DATE '2020-01-05'"],
    "5.1.2020": ["DATE '2020-01-05'"],
    "2020/01/05": ["DATE '2020-01-05'"],
    "13/05/2020": ["DATE '2020-05-13'"],
    "01/05/2020": ["DATE '2020-05-01'", "DATE '2020-01-05'"],
    "2020-01-05 10:00": ["TIMESTAMP '2020-01-05 10:00'"],
}
TEXT = ("", "a", "a1", "1,2,3", "99,99,999", "1.2.3", "50%", "refused", "32.1.2020")
DAY = "2020-01-05"  # beside a declared day it is one
ORDERED = [text for text in MEANT if not text.endswith("10:00") and text != DAY]
ODD = [text for text in ORDERED if not is_plain(text)]  # as no cell of a number need be written


def refusal(condition):
    with pytest.raises(InputError) as caught:
        TABLE.where(condition)
    return caught.value


@pytest.mark.parametrize("text", MEANT)
def test_a_text_means_these_literals(text):
    """One, or both where nobody can say which."""
    assert list(literals_of(text)) == MEANT[text]


@pytest.mark.parametrize("text", TEXT)
def test_other_text_means_none(text):
    """It is left as it is."""
    assert literals_of(text) == ()


def literals_in(fix):
    """The literals that a fix shows."""
    return re.findall(r"(?:DATE |TIMESTAMP )'[^']*'|-?\d[\d.]*", fix)


SHAPES = [
    *((text, shape) for text in ORDERED for shape in ("{0} > {1}", "{1} <= {0}")),
    *((text, shape) for text in ODD for shape in ("{0} = {1}", "{0} <> {1}", "{0} IN ({1})")),
]


@pytest.mark.parametrize(("text", "shape"), SHAPES)
def test_what_the_fix_shows_is_accepted_in_its_place(text, shape):
    """A number or day against a column of such, by order or by equality: each reading is taken."""
    literal = "'" + text.replace("'", "''") + "'"
    column = "day" if MEANT[text][0].startswith("DATE") else "wage"

    refused = refusal(shape.format(column, literal))

    assert literals_in(refused.fix) == MEANT[text]
    for reading in MEANT[text]:
        assert TABLE.where(shape.format(column, reading)).condition


@pytest.mark.parametrize(
    "condition",
    [
        "wage <> 'refused'",
        "day <> 'unknown'",
        "wage IN ('', 'n/a')",
        "code = '1,000'",
        "other = '2,000'",
        '"2001" > 5',
        '"2001" > "2000"',
        "day <> '2,000'",
        "wage = '2000'",
    ],
)
def test_text_that_is_text_stays(condition):
    """Words for what is missing, keys, columns of which nothing is declared, columns of years."""
    assert TABLE.where(condition).condition


@pytest.mark.parametrize(
    "condition", ['wage > "2000"', 'pid <= "2000"', 'wage IN (1, 2) AND "3" = wage']
)
def test_a_number_in_the_marks_of_a_name_is_refused(condition):
    """It named a column that is not there, so that no row passed, for the price of a count."""
    refused = refusal(condition)

    assert "of which nothing is declared" in refused.what
    number = refused.fix.removeprefix("write ").split(";")[0]
    assert TABLE.where(condition.replace(f'"{number}"', number)).condition


def test_a_day_in_quotation_marks_is_one_beside_a_declared_day():
    """It is written as a day, so that plans know one text."""
    for shape in ("day > '{}'", "'{}' <= day", "day BETWEEN '{}' AND '{}'", "day = '{}'"):
        found = TABLE.where(shape.format(DAY, DAY)).condition
        assert found == TABLE.where(shape.replace("'{}'", f"DATE '{DAY}'")).condition
        assert f"DATE '{DAY}'" in found.expression.text
