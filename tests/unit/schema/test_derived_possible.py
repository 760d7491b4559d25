"""A key that a derived column can never be is named before it is paid for; rehearsals say what they do."""

import pytest

import discreet as dp
from discreet.schema import impossible


def made(expression, keys):
    table = dp.table([], unit="row", name="t", columns={"age": dp.bounds(0, 120)})
    return table.derive(z=dp.derived(expression, keys=keys))


@pytest.mark.parametrize(
    ("expression", "keys", "never"),
    [
        ("band(age, 20, 30)", [18, 20, 30], (18,)),
        ("band(age, 20, 30)", [20, 30], ()),
        ("CASE WHEN age < 20 THEN 'young' ELSE 'old' END", ["young", "Old"], ("Old",)),
        ("CASE WHEN age < 20 THEN 'young' END", ["old"], ("old",)),
        ("CASE WHEN age < 20 THEN 'young' WHEN s = 'a' THEN s END", ["old"], ()),
        ("coalesce(band(age, 20), 0)", [0, 10, 20], (10,)),
        (
            "CASE WHEN age < 3 THEN DATE '2020-01-01' END",
            ["2020-01-01", "2020-01-02"],
            ("2020-01-02",),
        ),
        ("floor(age / 10)", [77], ()),
        ("age > 3", [True, False], ()),
        ("age", [500], ()),
    ],
)
def test_what_no_row_can_be_is_known_from_the_text(expression, keys, never):
    """Of bands and choices between literals; all else is open."""
    assert impossible(made(expression, keys), "z") == never


def test_a_plan_names_the_groups_of_nobody():
    """Only of questions that group by the column, and only where there are any."""
    table = made("band(age, 20, 30)", [18, 20])
    spend = dp.zcdp(1)

    assert "No row can be in a group of z = 18:" in str(dp.plan(table, dp.count("z"), spend=spend))
    assert "No row can be" not in str(dp.plan(table, dp.count(), spend=spend))
    sound = made("band(age, 20, 30)", [20, 30])
    assert "No row can be" not in str(dp.plan(sound, dp.count("z"), spend=spend))


def test_a_rehearsal_says_that_its_rows_pass_every_condition():
    """They are made of the declaration, and filters are not asked of them."""
    table = made("band(age, 20, 30)", [20, 30])
    words = "made-up rows, which pass every condition, real noise"

    assert words in str(dp.rehearse(dp.plan(table.where("age > 3"), dp.count(), spend=dp.zcdp(1))))
    some = dp.count("z", where="age > 3")
    assert words in str(dp.rehearse(dp.plan(table, some, spend=dp.zcdp(1))))
    assert words not in str(dp.rehearse(dp.plan(table, dp.count("z"), spend=dp.zcdp(1))))
