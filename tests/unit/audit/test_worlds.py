"""Made-up neighbors differ by one unit, and a case makes the same pair again."""

import pytest

import discreet as dp
from discreet.audit.worlds import ANN, BOB, FAMILIES, layout_of, pair_of, smaller

COLUMNS = {"cost": dp.bounds(0, 50, step=1)}


def planned(neighbors="add_remove", unit=None, joins=()):
    declared = dp.table(
        "people.csv",
        unit=unit or dp.unit("who", max_rows=2),
        columns=COLUMNS,
        keys={"ward": ["A", "B"]},
        neighbors=neighbors,
    )
    asked = dp.count(by="ward"), dp.sum("cost")
    return dp.plan(declared.joined(*joins), *asked, spend=dp.pure(1))


JOINS = {
    "none": (),
    "owner": (dp.owner("owners.csv", on="visit", gives=["who"]),),
    "second": (dp.join("more.csv", gives=["cost"]),),
}


def rows(world):
    return [row for table in world for row in table]


@pytest.mark.claim("C531")
@pytest.mark.parametrize("joins", JOINS)
@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
def test_a_pair_differs_by_the_rows_of_one_unit(neighbors, joins):
    """In every table; nobody else's row is touched, whoever refers to whom."""
    layout = layout_of(planned(neighbors, joins=JOINS[joins]))
    for number in range(40):
        pair = pair_of(layout, number)
        before = [row for row in rows(pair.before) if row.whose != ANN]
        after = [row for row in rows(pair.after) if row.whose != BOB]

        assert [id(row) for row in before] == [id(row) for row in after]
        assert any(row.whose == ANN for row in rows(pair.before))
        assert any(row.whose == BOB for row in rows(pair.after)) == (neighbors == "replace")


@pytest.mark.claim("C531")
def test_no_other_row_refers_to_what_one_unit_alone_owns():
    """Facts that name no unit are one unit's where nobody else's row refers to them."""
    layout = layout_of(planned(joins=JOINS["owner"]))
    for number in range(60):
        facts, owners = pair_of(layout, number).before
        own = {row.cells["visit"] for row in facts if row.whose == ANN}

        assert not own & {row.cells["visit"] for row in owners if row.whose not in (ANN, "")}
        assert not own & {row.cells["visit"] for row in facts if row.whose != ANN}


@pytest.mark.claim("C532")
def test_a_case_makes_the_same_pair_again():
    """Of a plan that is read anew, row by row; another number makes another pair."""
    pairs = [pair_of(layout_of(planned()), number) for number in (5, 5, 14)]

    assert pairs[0] == pairs[1]
    assert pairs[0] != pairs[2]
    assert pairs[0].family == FAMILIES[5]


def test_a_unit_that_is_a_row_has_one():
    """And each other row is a unit of its own."""
    layout = layout_of(planned(unit="row"))
    for number in range(30):
        whose = [row.whose for row in rows(pair_of(layout, number).before)]

        assert len(whose) == len({*whose})


def test_a_pair_is_made_smaller_as_long_as_something_holds():
    """Down to the one row that it takes."""
    pair = pair_of(layout_of(planned()), 9)

    least = smaller(pair, lambda one: any(row.whose == ANN for row in rows(one.before)))

    assert len(rows(least.before)) == 1
    assert rows(least.after) == []


@pytest.mark.claim("C577")
@pytest.mark.parametrize(
    ("high", "bits"), [(10**15, 53), (-(10**15), 53), (10**13, 32), (10**6, 24), (50, 0)]
)
def test_some_pairs_pass_the_next_width_of_machine_numbers(high, bits):
    """Rows of units with one row each, in one group, at the end that is further from 0."""
    ends = sorted((0, high))
    columns, unit = {"cost": dp.bounds(*ends, step=1)}, dp.unit("who", max_rows=1)
    declared = dp.table("people.csv", unit=unit, columns=columns)
    pair = pair_of(layout_of(dp.plan(declared, dp.sum("cost"), spend=dp.pure(1))), 4)
    values = [max(ends[0], min(ends[1], int(row.cells["cost"]))) for row in rows(pair.before)]

    assert pair.family == "tall"
    assert len({row.whose for row in rows(pair.before)}) == len(values) <= 1_001
    assert abs(sum(values)) > 2**bits
