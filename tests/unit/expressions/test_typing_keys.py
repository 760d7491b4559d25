"""A column with public keys in a condition: compared with what is none of them, or with a part."""

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

import discreet as dp
from discreet.engine.duckdb.engine import DuckEngine
from discreet.errors import InputError
from discreet.plan_file.plan_file import read_plan_file

WAYS = {"yes": ["Yes", "YES", "1"], "no": ["No"]}
CODES = {"yes": ["1"], "no": ["0"]}


def declared(keys, source="t.csv"):
    return dp.table(source, unit="row", name="t", keys={"married": keys})


def fix_of(error):
    lines = str(error).splitlines()
    assert [line.split(":")[0].strip() for line in lines[-2:]] == ["why", "fix"]
    return lines[-1].split("fix: ")[1].removeprefix("write ").split(";")[0]


@pytest.mark.parametrize(
    ("keys", "where", "meant"),
    [
        ([0, 1], "married = 'yes'", "married = 1"),
        ([0, 1], "married <> 'No'", "married <> 0"),
        ([1, 0], "'ja' = married", "married = 1"),
        ([0, 1], "married IN ('yes', 'no')", "married IN (1, 0)"),
        ([0.0, 1.0], "married = 'yes'", "married = 1"),
        ([True, False], "married = 'yes'", "married = 1"),
        (WAYS, "married = 'yes'", "married IN ('yes', 'Yes', 'YES', '1')"),
        (WAYS, "married <> 'No'", "NOT married IN ('No', 'no')"),
        (WAYS, "married = 1", "married IN ('yes', 'Yes', 'YES', '1')"),
        (WAYS, "married IN ('x', 'Yes')", "married IN ('x', 'Yes', 'yes', 'YES', '1')"),
        ({"it's": ["its"]}, "married = 'its'", "married IN ('its', 'it''s')"),
    ],
)
def test_what_a_condition_means_is_what_its_refusal_types(keys, where, meant):
    """In a table's condition, in a question's and in a derived column; what is typed is taken."""
    table = declared(keys)
    with pytest.raises(InputError) as caught:
        table.where(where)
    assert fix_of(caught.value) == meant
    with pytest.raises(InputError):
        dp.plan(table, dp.count(where=where), spend=dp.zcdp(1))
    with pytest.raises(InputError):
        table.derive(x=dp.derived(f"CASE WHEN {where} THEN 1 ELSE 0 END", keys=[0, 1]))

    assert (
        "none of its keys" not in str(dp.plan(table.where(meant), dp.count(), spend=dp.zcdp(1)))
        or "'x'" in where
    )


@pytest.mark.parametrize(
    ("keys", "where"),
    [
        ([0, 1], "married = 'maybe'"),
        ([1, 2], "married = 'yes'"),
        ([True], "married = 'yes'"),
        (range(10), "married IN (1, 'yes')"),
    ],
)
def test_a_text_that_is_no_number_is_none_of_them(keys, where):
    """Where nobody can know which was meant, one is shown as an example."""
    with pytest.raises(InputError, match="is none of them") as caught:
        declared(keys).where(where)
    assert len(str(caught.value).splitlines()) == 3


@pytest.mark.parametrize(
    ("keys", "where"),
    [
        ([0, 1], "married = '1'"),
        ([0, 1], "married = 1.0"),
        (["1", "2"], "married = 1"),
        (WAYS, "married IN ('yes', 'Yes', 'YES', '1')"),
        (WAYS, "starts_with(married, 'Y')"),
        (CODES, "married = 1"),
        (["yes", "no"], "married = 'yes'"),
    ],
)
def test_a_public_value_is_taken_in_each_way_to_say_it(keys, where):
    """And the plan says nothing of it."""
    plan = dp.plan(declared(keys).where(where), dp.count(), spend=dp.zcdp(1))

    assert "none of its keys" not in str(plan)


@pytest.mark.parametrize(
    ("keys", "where", "said"),
    [
        (["yes", "no"], "married = 'Yes'", "'Yes'"),
        (["yes", "no"], "married IN ('yes', 'n', 'no')", "'n'"),
        ([0, 1], "married <> 2", "2"),
        ([0, 1], "married = '2'", ""),
        (["1", "2"], "married = 3", "3"),
        (["2020-01-01"], "married = DATE '2020-01-02'", "2020-01-02"),
        (WAYS, "married = 'never'", "'never'"),
    ],
)
def test_a_plan_says_what_is_none_of_the_keys(keys, where, said):
    """It may be in the data, so it is not refused: of the table's condition and of a question's."""
    table = declared(keys)
    if not said:
        with pytest.raises(InputError):
            table.where(where)
        return
    plans = [(table.where(where), dp.count()), (table, dp.count(where=where))]
    for of, question in plans:
        words = " ".join(str(dp.plan(of, question, spend=dp.zcdp(1))).split())
        assert f"married is compared with what is none of its keys: {said}." in words


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "keys",
    [[0.0, 1.0], [np.float64(0), np.float32(1)], [Decimal("0"), Decimal("1.00")], [-0.0, 1]],
)
def test_whole_numbers_with_a_point_are_whole_numbers(keys, tmp_path):
    """As `df.x.unique()` gives them; each group has its rows, of floats, whole numbers and text."""
    assert declared(keys).keys["married"] == (0, 1)
    path = tmp_path / "t.csv"
    path.write_text("married\n1\n0.0\n1.0\n")
    for source in (pa.table({"married": [1.0, 0.0, 1.0]}), pa.table({"married": [1, 0, 1]}), path):
        table = declared(keys, source)
        (found,) = DuckEngine().prepare(table, dp.count("married").aggregates(table)).count(1)
        assert found.opened_by_the_door() == (1, 2)


@pytest.mark.parametrize("keys", [[0.5, 1.0], [float("inf")], [2.0**53], [0.0, "a"], [1.0, 1]])
def test_other_numbers_are_refused_as_before(keys):
    """Halves, numbers without end, too large ones, mixed ones, and one key twice."""
    with pytest.raises(InputError):
        declared(keys)


PLAN = """
[data]
source = "t.csv"
unit = "row"
where = "married = 'yes'"
[keys]
married = [0.0, 1.0]
[spend]
rho = 1
[[ask]]
statistic = "count"
"""


def test_a_plan_file_is_refused_at_its_line(tmp_path):
    """And taken with what the refusal types."""
    path = tmp_path / "p.toml"
    path.write_text(PLAN)
    with pytest.raises(InputError, match="line 5, data, where") as caught:
        read_plan_file(path)

    path.write_text(PLAN.replace("married = 'yes'", fix_of(caught.value)))
    assert read_plan_file(path).plan.table.keys["married"] == (0, 1)
