"""Cells that mean "no answer" become missing: NULL behind THEN and ELSE, NULLIF, CASE x WHEN."""

import pytest

import discreet as dp
from discreet.errors import InputError
from discreet.expressions import expression
from discreet.schema import derived

pytestmark = pytest.mark.claim("C251")

ROWS = [{"age": age, "sex": sex} for age, sex in ((-9, "1"), (99, "2"), (30, "9"), (None, "1"))]
TABLE = dp.table(ROWS, unit="row", name="people")


def total(text):
    """The sum of what an expression gives over the rows, as the reference counts it."""
    from discreet.engine.evaluate import value

    table = TABLE.derive(x=derived(text, bounds=dp.bounds(-100, 200, step=1)))
    cells = [value(table, row, "x") for row in ROWS]
    return [None if cell is None else int(cell) for cell in cells]


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("CASE WHEN age IN (-9, 99) THEN NULL ELSE age END", [None, None, 30, None]),
        ("nullif(age, -9)", [None, 99, 30, None]),
        ("NULLIF(nullif(age, -9), 99)", [None, None, 30, None]),
        ("CASE sex WHEN '1' THEN 7 WHEN '2' THEN NULL ELSE 8 END", [7, None, 8, 7]),
        ("CASE age WHEN 99 THEN 1 ELSE NULL END", [None, 1, None, None]),
        ("coalesce(CASE WHEN age < 0 THEN NULL ELSE age END, 5)", [5, 99, 30, 5]),
    ],
)
def test_a_recode_makes_cells_missing(text, cells):
    """And no cell stands in for a missing one."""
    assert total(text) == cells


def test_the_text_that_is_stored_is_read_as_the_same():
    """NULLIF and CASE x WHEN are written as what they mean."""
    assert str(expression("nullif(age, -9)")) == "CASE WHEN age = -9 THEN NULL ELSE age END"
    assert str(expression("case sex when '1' then 'm' else null end")) == (
        "CASE WHEN sex = '1' THEN 'm' ELSE NULL END"
    )


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("CASE WHEN age > 3 THEN NULL END", "write a value behind one THEN or ELSE"),
        ("CASE age WHEN NULL THEN 3 END", "write x IS NULL; behind THEN and ELSE it may stand"),
        ("coalesce(age, NULL)", "write x IS NULL; behind THEN and ELSE it may stand"),
        ("nullif(age)", "write such as nullif(x, -9)"),
        ("age = NULL", "write x IS NULL; behind THEN and ELSE it may stand"),
    ],
)
def test_null_is_no_value_elsewhere(text, fix):
    """No comparison with a missing cell is true."""
    with pytest.raises(InputError) as refused:
        expression(text)

    assert refused.value.fix == fix


def test_a_key_that_only_a_missing_cell_would_give_is_not_reached():
    """What stands for a missing cell inside of a tree is no value of the column."""
    from discreet.schema.derived import impossible

    keys = ["m", "0"]
    table = TABLE.derive(x=derived("CASE sex WHEN '1' THEN 'm' ELSE NULL END", keys=keys))

    assert impossible(table, "x") == ("0",)


def test_nested_recodes_come_to_an_end():
    """A value that is worked out twice counts twice, so that 40 in one another do not double 40
    times."""
    text = "age"
    with pytest.raises(InputError, match="more than 600 parts"):
        for number in range(40):
            text = f"nullif({text}, {number})"
            expression(text)
    text = "age"
    with pytest.raises(InputError, match=r"more than 600 parts|more than 4,000 letters"):
        for _ in range(40):
            text = f"CASE {text} WHEN 1 THEN 2 WHEN 3 THEN 4 END"
            expression(text)
