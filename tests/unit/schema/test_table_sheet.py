"""print(table) shows what is declared, and reads nothing."""

import discreet as dp
from discreet.schema.table_sheet import sheet_of


def test_each_declared_column_has_a_row():
    """What is made, what has bounds, and what has keys, in this order; unknown keys as such."""
    table = dp.table(
        "none.csv",
        unit=dp.unit("person", max_rows=3),
        columns={"age": dp.bounds(0, 99, step=1)},
        keys={"sex": ["f", "m"], "film": dp.unknown(max_groups=2)},
    ).where("age >= 18")
    sheet = sheet_of(table.derive(old=dp.derived("age >= 65")))

    assert [row[:2] for row in sheet.rows] == [
        ("old", "made"),
        ("age", "bounds"),
        ("sex", "keys"),
        ("film", "keys"),
    ]
    assert "f, m" in sheet.rows[2]
    assert "Rows: age >= 18." in sheet.above


def test_a_long_list_of_keys_is_cut():
    """A terminal shows eight of them."""
    table = dp.table("none.csv", unit="row", keys={"day": range(1, 32)})

    ((_, _, words),) = sheet_of(table).rows

    assert words == "1, 2, 3, 4, 5, 6, 7, 8 and 23 more"
