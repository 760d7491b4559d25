"""The day of the year and the ISO week: whole numbers of a day, made of its year and its count."""

from datetime import date

import pytest

from discreet.engine.evaluate import evaluate
from discreet.errors import InputError
from discreet.expressions.expression import expression
from discreet.expressions.kinds import COPIES, FIRST_DAY, LAST_DAY, KnownNames
from discreet.expressions.typing import typed

EPOCH = date(1970, 1, 1).toordinal()
NAMES = ("dayofyear", "isoweek", "isoyear")
TREES = {name: typed(expression(f"{name}(d)"), KnownNames()) for name in NAMES}


def days():
    """Return the last and first days of years, and each 997th day from 0001 to 9999."""
    years = (1, 2, 4, 5, 100, 400, 1899, 1900, 2000, 2004, 2008, 2009, 2015, 2016, 2020, 2021, 9998)
    ends = [date(year, 12, day) for year in (*years, 9999) for day in range(27, 32)]
    starts = [date(year, 1, day) for year in years for day in range(1, 5)]
    leaps = [date(2000, 2, 28), date(2000, 2, 29), date(2000, 3, 1), date(1900, 3, 1)]
    every = map(date.fromordinal, range(FIRST_DAY + EPOCH, LAST_DAY + EPOCH + 1, 997))
    return [*ends, *starts, *leaps, *every]


def columns(tree):
    return (tree.op == "column") + sum(map(columns, tree.args))


@pytest.mark.slow
@pytest.mark.claim("C443")
def test_weeks_and_days_of_the_year_are_those_of_the_calendar():
    """As Python's own calendar has them; a missing day has none."""
    for day in days():
        count = day.toordinal() - EPOCH
        told = [evaluate(TREES[name], lambda *_, count=count: count) for name in NAMES]

        assert told == [day.timetuple().tm_yday, day.isocalendar()[1], day.isocalendar()[0]], day
    assert [evaluate(TREES[name], lambda *_: None) for name in NAMES] == [None] * 3


@pytest.mark.claim("C402")
@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_out_is_counted(name):
    """As often as its day stands in what engines are told."""
    assert columns(TREES[name]) == COPIES[name]


@pytest.mark.claim("C400")
@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("EXTRACT(DOY FROM d) = 1", "dayofyear(d) = 1"),
        ("d.dt.dayofyear == 1", "dayofyear(d) = 1"),
        ("d.dt.ordinal_day() == 1", "dayofyear(d) = 1"),
        ("day_of_year(d) = 1", "dayofyear(d) = 1"),
        ("date_part('isoyear', d) = 2020", "isoyear(d) = 2020"),
        ("WEEKOFYEAR(d) = 1", "isoweek(d) = 1"),
        ("btrim(s) = 'a'", "trim(s) = 'a'"),
    ],
)
def test_other_spellings_are_taken(text, written):
    """Where all who have them mean one thing."""
    assert expression(text).text == written


@pytest.mark.claim("C400")
@pytest.mark.parametrize("text", ["week(d) = 1", "EXTRACT(WEEK FROM d) = 1"])
def test_a_week_that_may_begin_on_sunday_is_refused(text):
    """With the function that says which is meant."""
    with pytest.raises(InputError) as refused:
        expression(text)

    assert "isoweek(d)" in refused.value.fix
