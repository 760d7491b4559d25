"""A group for every other row: nobody is left out, and nothing else changes."""

import json

import pytest

import discreet as dp
from discreet.engine.explain_expression import meanings
from discreet.engine.memory import MemoryEngine
from discreet.errors import InputError
from discreet.plan_file.plan_file import read_plan_file
from discreet.schema import ROW, table_of, unit
from discreet.statistic.count import count
from engine.sources import by_memory
from engine.test_engines_agree import HOSTILE
from property.strategies import KEYS, OTHER, declared

HOWS = [{"unit": ROW}, {"unit": unit("who", max_rows=3), "neighbors": "replace"}]


def counted(by, **how):
    return tuple(a for one in by for a in count(one).aggregates(declared([], **how)))


@pytest.mark.claim("C65")
@pytest.mark.parametrize("how", HOWS, ids=str)
def test_margins_add_up_and_the_listed_groups_stay_as_they_are(how):
    """Each grouping counts the same rows; where all rows count, its listed cells are unchanged."""
    data = HOSTILE
    asked = counted([None, "ward", "floor", ["ward", "floor"]], other=True, **how)
    whole, ward, floor, both = by_memory(data, asked, 7, other=True, **how)

    assert sum(ward) == sum(floor) == sum(both) == whole[0]
    assert [sum(both[at : at + 4]) for at in range(0, 20, 4)] == list(ward)
    if how["unit"] == ROW:
        without = by_memory(data, counted(["ward", "floor"], **how), 7, **how)
        assert [list(one) for one in without] == [list(ward[:-1]), list(floor[:-1])]
        assert whole[0] == len(data)


@pytest.mark.claim("C65")
@pytest.mark.parametrize("how", HOWS, ids=str)
def test_one_unit_moves_no_vector_further_than_declared(how):
    """Each hostile row is taken away; its unit has others, so that what is kept may change."""
    asked = counted(["ward", ["ward", "floor"]], other=True, **{**how, "neighbors": "add_remove"})
    data = [row for row in HOSTILE[:60] if row["who"] is not None]
    how = {**how, "neighbors": "add_remove", "other": True}
    before = by_memory(data, asked, 3, **how)
    for who in sorted({str(row["who"]) for row in data}):
        rest = [row for row in data if str(row["who"]) != who]
        if how["unit"] == ROW:
            rest = data[1:] if who == str(data[0]["who"]) else [*data[:-1]]
        after = by_memory(rest, asked, 3, **how)
        for one, two, aggregate in zip(before, after, asked, strict=True):
            moved = [abs(a - b) for a, b in zip(one, two, strict=True)]
            assert sum(moved) <= aggregate.sensitivity.l1
            assert sum(m * m for m in moved) <= aggregate.sensitivity.l2_squared
            assert max(moved) <= aggregate.sensitivity.linf


def test_a_mistyped_key_shows():
    """Keys in capitals on a column that has none: all rows are others."""
    rows = [{"ward": "north"}] * 500
    table = dp.table(rows, unit="row", name="t", keys={"ward": dp.keys("North", other="other")})
    plan = dp.plan(table, dp.count(by="ward"), spend=dp.pure(8))
    (vector,) = MemoryEngine().prepare(table, plan.aggregates).count(0)
    assert vector.opened_by_the_door() == (0, 500)


def test_the_declaration_goes_through_plain_data_and_a_release():
    """The name stands last among the keys, and `others` says that it is one of ours."""
    table = declared([], unit=ROW, other=True)
    plain = json.loads(json.dumps(table.plain()))

    assert plain["others"] == ["floor", "ward"]
    assert plain["keys"]["ward"][-1] == OTHER["ward"]
    assert table_of(plain) == table
    assert table_of(plain).listed("ward") == tuple(KEYS["ward"])
    release = dp.rehearse(dp.plan(table, dp.count(by="ward"), spend=dp.zcdp(1)))
    assert release["count by ward"].rows[-1]["ward"] == OTHER["ward"]
    assert dp.verify(release)


def test_what_a_cell_means_says_that_it_is_another():
    """`discreet check` names the group."""
    table = declared([], unit=ROW, other=True)
    said = {one.column: one.said for one in meanings(table, "Z") if one.role == "keys"}

    assert said == {"ward": "the key 'a'", "floor": "the key 3"}


def test_a_plan_file_names_it(tmp_path):
    """Under [other]; a column without keys, or a name of another type, is refused with its line."""
    text = """\
[data]
source = "people.csv"
unit = "row"
[keys]
ward = ["A", "B"]
grade = { from = 1, to = 3 }
[other]
ward = "elsewhere"
grade = 9
[spend]
rho = "1/50"
[[ask]]
statistic = "count"
by = ["ward", "grade"]
"""
    path = tmp_path / "plan.toml"
    path.write_text(text)
    table = read_plan_file(path).plan.table
    assert table.keys["grade"] == (1, 2, 3, 9)
    assert table.others == {"ward", "grade"}
    for good, bad, words in [
        ("grade = 9", 'grade = "rest"', "not like the keys"),
        ("grade = 9", "grade = 2", "a key of grade already"),
        ("grade = 9", "floor = 9", "no keys of floor"),
    ]:
        path.write_text(text.replace(good, bad))
        with pytest.raises(InputError, match=words) as refused:
            read_plan_file(path)
        assert "line 9" in str(refused.value)


def test_a_name_must_be_like_the_keys():
    """Text beside text, and not one of them."""
    with pytest.raises(InputError, match="not like the keys"):
        dp.keys(1, 2, other="rest")
    with pytest.raises(InputError, match="already"):
        dp.keys("A", "B", other="A")
