"""A setting of another kind is refused with the words that its page of reference has."""

import pytest

from discreet.errors import InputError
from discreet.plan_file.plan_file import read_plan_file
from discreet.plan_file.schema import PARTS

PLAN = """
[data]
source = "people.csv"
unit = "row"
rows = 5.5

[columns]
age = { lower = 0, upper = 9 }

[spend]
rho = 1

[[ask]]
statistic = "count"
"""


@pytest.mark.claim("C550")
@pytest.mark.parametrize(
    ("old", "new", "part", "field"),
    [
        ("rows = 5.5", "rows = 5.5", "data", "rows"),
        ("rows = 5.5", "name = 7", "data", "name"),
        ("rows = 5.5", "csv = { trim = 1 }", "data.csv", "trim"),
        ("rows = 5.5\n", "\n[publish]\nmost = 1.5\n", "publish", "most"),
    ],
)
def test_a_setting_of_another_kind_is_refused_with_its_description(old, new, part, field, tmp_path):
    """What the setting is stands in the second line."""
    path = tmp_path / "plan.toml"
    path.write_text(PLAN.replace(old, new), encoding="utf-8")
    described = PARTS[part].model_fields[field].description

    with pytest.raises(InputError) as raised:
        read_plan_file(path)

    assert described[1:].removesuffix(".") in raised.value.why


@pytest.mark.claim("C578")
@pytest.mark.parametrize("name", ["table", "list", "word", "in a file"])
@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ("[data]", '"{}" = 1\n[data]', "line 2, {}: this name"),
        (
            "age = {",
            '"{}" = {{ low = 0, upper = 9 }}\nage = {{',
            "line 7, columns, {}, low: this name",
        ),
        (
            "age = {",
            '"{}" = {{ upper = 9 }}\nage = {{',
            "line 7, columns, {}, lower: this is missing",
        ),
    ],
)
def test_a_name_of_the_file_that_is_also_a_word_of_its_reader_is_named(
    name, old, new, where, tmp_path
):
    """A part or a column may be called as a way to read a setting is called in the code."""
    path = tmp_path / "p.toml"
    text = PLAN.replace("rows = 5.5\n", "").replace(old, new.format(name))
    path.write_text(text, encoding="utf-8")

    with pytest.raises(InputError) as error:
        read_plan_file(path)

    assert where.format(name) in str(error.value)
