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
