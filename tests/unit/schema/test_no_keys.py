"""Groups without keys: those that are public, or follow from bounds, are typed in the fix."""

import pytest

import discreet as dp
from discreet.errors import InputError

pytestmark = pytest.mark.claim("C644")

TABLE = dp.table(
    "p.csv",
    unit="row",
    keys={"region": ["north", "south"], "quarter": ["Q1"]},
    columns={"age": dp.bounds(18, 90), "day": dp.bounds("2020-01-01", "2024-12-31")},
)


def fix(by):
    with pytest.raises(InputError) as caught:
        dp.plan(TABLE, dp.count(by=by), spend=dp.pure(1))
    return caught.value.fix


PUBLIC = {
    "month(d)": "month=discreet.derived(\"month(d)\", keys=range(1, 13))",
    "month(when)": "month=discreet.derived('month(\"when\")', keys=range(1, 13))",
    "quarter(d)": "quarter_2=discreet.derived(\"quarter(d)\", keys=range(1, 5))",
    "EXTRACT(hour FROM t)": "hour=discreet.derived(\"EXTRACT(hour FROM t)\", keys=range(0, 24))",
    "t.dt.minute": "minute=discreet.derived(\"t.dt.minute\", keys=range(0, 60))",
    "weekday(d)": "weekday=discreet.derived(\"weekday(d)\", keys=range(1, 8))",
    "weekday(d) - 1": "band=discreet.derived(\"weekday(d) - 1\", keys=range(0, 7))",
    "year(day)": "year=discreet.derived(\"year(day)\", keys=range(2020, 2025))",
    "floor(age / 10)": "band=discreet.derived(\"floor(age / 10)\", keys=range(1, 10))",
    "age // 5": "band=discreet.derived(\"age // 5\", keys=range(3, 19))",
    "floor(age / 10) * 10": "band=discreet.derived(\"floor(age / 10) * 10\", keys=range(10, 91, 10))",
    "age >= 65": "band=discreet.derived(\"age >= 65\", keys=[False, True])",
    "CASE WHEN age < 18 THEN 'no' ELSE 'yes' END": 'keys=["no", "yes"]',
    "CASE WHEN age < 18 THEN 1 ELSE 0 END": "keys=[1, 0]",
}  # fmt: skip
PRIVATE = (
    *("year(d)", "upper(city)", "age // x", "floor(age / x)", "age // 0", "floor(wage / 10)"),
    *("age(years)", "age * 2 + 0.5", "floor(age / 10) * x", "CASE WHEN age < 18 THEN city END"),
)


@pytest.mark.parametrize("by", PUBLIC)
def test_public_values_of_a_formula_are_typed(by):
    """Of the calendar, of a truth, of a CASE of texts, of bands between declared bounds."""
    assert PUBLIC[by] in fix(by)
    assert "?" not in fix(by)


@pytest.mark.parametrize("by", PRIVATE)
def test_what_the_declaration_does_not_say_is_a_question_mark(by):
    """Years of no bounds, texts of a column, a divisor that is a column."""
    assert 'keys=["?", "?"])' in fix(by)


def test_other_groups_stay():
    """The fix says all of them; a name that is no formula is declared."""
    assert fix(["region", "hour(t)"]).endswith(" and group by region and hour")
    assert fix("total-cost") == 'write keys={"total-cost": ["?", "?"]} in discreet.table'
    assert fix("income (EUR)") == 'write keys={"income (EUR)": ["?", "?"]} in discreet.table'
    assert fix("*") == "write discreet.count(), for all rows"


def test_what_is_typed_is_accepted():
    """The bands that follow from bounds are those that are counted."""
    table = TABLE.derive(band=dp.derived("floor(age / 10)", keys=range(1, 10)))

    assert dp.plan(table, dp.count(by="band"), spend=dp.pure(1))
