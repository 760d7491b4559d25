"""What is declared of columns says of a word behind a point whether it is of a day or a column."""

import pytest

from discreet import bounds, count, plan, sql, table, zcdp
from discreet.errors import InputError
from discreet.expressions import expression, settled, typed
from discreet.plan_file.plan_file import read_plan_file
from discreet.schema import names_of

TABLE = table(
    "people.csv",
    unit="row",
    columns={
        "born": bounds("1900-01-01", "2024-12-31"),
        "seen": bounds("2020-01-01 00:00:00", "2026-01-01 00:00:00"),
        "month": bounds(1, 12, step=1),
    },
    keys={"state": ["MA", "NY"], "year": [2020, 2021], "hired": ["2020-01-01"]},
)
OF_DAYS = [
    ("born.quarter = 3", "quarter(born) = 3"),
    ("df.born.day >= 15", "day(born) >= 15"),
    ("df['born'].dayofyear == 60", "dayofyear(born) = 60"),
    ("pl.col('born').Quarter == 1", "quarter(born) = 1"),
    ("seen.hour.between(8, 17)", "hour(seen) BETWEEN 8 AND 17"),
    (
        "hired.day IN (1, 2) AND NOT seen.minute = 0",
        "day(hired) IN (1, 2) AND NOT minute(seen) = 0",
    ),
    ("`born`.day - 1 = 3", "day(born) - 1 = 3"),
]
OF_TABLES = [
    ("people.year = 2020", "year = 2020"),
    ("t.month < 3 AND main.t.year = 2020", "month < 3 AND year = 2020"),
    ("year.month = 3", "month = 3"),
    ('born."year" = 2020', "year = 2020"),
    ("state.born > '1990-01-01'", "born > DATE '1990-01-01'"),
]
REFUSED = [
    ("born.year = 1990", ["year(born)", "year"]),
    ("df.born.month = 3", ["month(born)", "month"]),
    ("born.weekday = 1", ["weekday(born)"]),
    ("born.week = 1", ["isoweek(born)"]),
    ("seen.date > '2024-01-01'", ["CAST(seen AS DATE)"]),
]


def kept(text):
    names = names_of(TABLE)
    found = settled(expression(text), names)
    assert typed(found, names, "truth")
    assert settled(expression(str(found)), names) == found
    return str(found)


@pytest.mark.claim("C602")
@pytest.mark.parametrize(("text", "written"), [*OF_DAYS, *OF_TABLES])
def test_a_word_behind_a_point_is_of_a_day_or_the_column_of_a_table(text, written):
    """Of a day where the column is declared as days; the plan holds one text."""
    assert kept(text) == written
    assert str(kept(written)) == written


@pytest.mark.claim("C602")
@pytest.mark.parametrize(("text", "lines"), REFUSED)
def test_a_word_that_may_be_either_is_refused_with_both(text, lines):
    """Where a column is called so, too; and where days have it in several ways."""
    with pytest.raises(InputError, match="this has two meanings") as caught:
        kept(text)
    fix = str(caught.value).splitlines()[-1]
    assert all(line in fix for line in lines)
    assert all(typed(settled(expression(line), names_of(TABLE)), names_of(TABLE)) for line in lines)


@pytest.mark.claim("C602")
def test_a_plan_file_and_a_question_say_it_in_the_same_way(tmp_path):
    """A condition of the table, of a question, and of a file."""
    (tmp_path / "plan.toml").write_text(
        '[data]\nsource = "people.csv"\nunit = "row"\nwhere = "born.day > 3"\n'
        '[columns]\nborn = { lower = "1900-01-01", upper = "2024-12-31" }\n'
        '[spend]\nrho = "1"\n[[ask]]\nstatistic = "count"\nwhere = "born.quarter = 3"\n'
    )
    born = {"born": bounds("1900-01-01", "2024-12-31")}
    people = table("people.csv", unit="row", columns=born).where("day(born) > 3")
    made = plan(people, count(where="quarter(born) = 3"), spend=zcdp(1))

    assert read_plan_file(tmp_path / "plan.toml").plan.plain() == made.plain()


@pytest.mark.claim("C602")
def test_select_names_its_tables():
    """There a name before a point is a table's; of a column the refusal writes the function."""
    made = sql("SELECT COUNT(*) FROM people WHERE people.year = 2020", TABLE)
    assert str(made[0].condition.expression) == "year = 2020"

    with pytest.raises(InputError, match=r"year\(born\) of a day, or people.year"):
        sql("SELECT COUNT(*) FROM people WHERE born.year = 2020", TABLE)
