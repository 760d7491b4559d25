"""A line that is no TOML is written again as it was meant, and what is written is taken."""

import pytest

from discreet.errors import InputError
from discreet.plan_file.plan_file import read_plan_file
from discreet.plan_file.slips import line_of, meant
from unit.plan_slips import GOOD

pytestmark = pytest.mark.claim("C362")

LINES = {
    "epsilon = 0,5": ["epsilon = 0.5"],
    "epsilon = 2,000": ["epsilon = 2000", "epsilon = 2"],
    "epsilon = 1 000    # a budget": ["epsilon = 1000    # a budget"],
    "epsilon = 2.000,5": ["epsilon = 2000.5"],
    "epsilon = 1/2": ['epsilon = "1/2"'],
    "epsilon = .5": ['epsilon = ".5"'],
    "wage = { lower = 0, upper = 5,000, step = 0.1 }": [
        "wage = { lower = 0, upper = 5000, step = 0.1 }",
        "wage = { lower = 0, upper = 5, step = 0.1 }",
    ],
    "wage = { lower = -0,5, upper = 5, step = 0,1 }": [
        "wage = { lower = -0.5, upper = 5, step = 0.1 }"
    ],
    'city = ["A", "B", C]': [],
    "city = [A, B]": ['city = ["A", "B"]'],
    "source = people.csv": ['source = "people.csv"'],
    "title = Wages of 2,000 people": ['title = "Wages of 2,000 people"'],
}
OF_GOOD = {
    "epsilon": "epsilon = 1\n",
    "wage": "wage = { lower = 0, upper = 0.3, step = 0.1 }\n",
    "city": 'city = ["A", "B"]\n',
    "source": 'source = "people.csv"\n',
    "title": 'title = "Wages"\n',
}


@pytest.mark.parametrize("line", LINES)
def test_a_line_is_written_as_it_was_meant(line):
    """Numbers with points, text in quotes; two readings where there are two."""
    assert meant(f"a = 1\n{line}\nb = 2\n", 2) == LINES[line]


@pytest.mark.parametrize("line", LINES)
def test_what_is_shown_is_taken_in_its_place(line, tmp_path):
    """The refusal names the line; each way out, put there, is a plan."""
    old = OF_GOOD[line.split(" = ")[0]]
    (tmp_path / "a.toml").write_text(GOOD.replace(old, f"{line}\n"), encoding="utf-8")

    with pytest.raises(InputError) as caught:
        read_plan_file(tmp_path / "a.toml")

    at = line_of(caught.value.why)
    assert f"line {at}" in str(caught.value)
    assert GOOD.replace(old, f"{line}\n").splitlines()[at - 1] == line
    if LINES[line]:
        assert caught.value.fix.removeprefix("write ").split(", or ") == LINES[line]
    for other in LINES[line]:
        (tmp_path / "a.toml").write_text(GOOD.replace(old, f"{other}\n"), encoding="utf-8")
        assert read_plan_file(tmp_path / "a.toml").plan


@pytest.mark.parametrize(
    "line",
    [
        'a = "1',
        "a = ",
        "a: 1",
        "a",
        "[a",
        "a = [1, 2",
        f"a = {'9' * 300},5",
        "a = \u202e1,5",
        "= 3",
        "w = { lower = 0, upper = 5,000, step = }",
    ],
)
def test_what_nobody_can_read_is_not_written_again(line):
    """No way out is shown that would not parse, or that a terminal would hide."""
    assert meant(line, 1) == []


@pytest.mark.parametrize(
    ("written", "fix"),
    [
        ('csv = { date = "%d.%m.%Y" }', "write days in place of date"),
        ('csv = { sep = ";" }', "write separator in place of sep"),
        ('date_format = "%d.%m.%Y"', 'write csv = { days = "%d.%m.%Y" } in place of date_format'),
        ('delimiter = ";"', 'write csv = { separator = ";" } in place of delimiter = ";"'),
        ('csv = { trim = true }\nsep = ";"', "write it inside of csv, as separator"),
        ("skiprows = 3", "remove skiprows"),
    ],
)
def test_options_of_csv_have_the_names_of_other_readers(written, fix, tmp_path):
    """In a plan file as in Python, also beside csv; what is shown is taken."""
    place = tmp_path / "a.toml"
    place.write_text(GOOD.replace('name = "people"', written), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_plan_file(place)

    assert caught.value.fix.startswith(fix)
    new, _, old = caught.value.fix.removeprefix("write ").partition(" in place of ")
    if old:
        place.write_text(GOOD.replace('name = "people"', written.replace(old, new)), "utf-8")
        assert read_plan_file(place).plan
