"""The first row of a CSV file is taken for names only where nothing in it looks like a cell."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.cli.check import init, is_name, refuse_cells
from discreet.cli.output import Screen
from discreet.errors import InputError

NAMES = [
    "age", "lweekinc", "birth_year", "x2", "AgeAtDeath", "income.2010", "sex-code", "Größe", "ключ",
    "_id", "PWGTP80", "q12b", "name", "SERIALNO", "educ", "state", "nr", "longitude", "female", "black", "min",
]  # fmt: skip
CELLS = [
    "478-12-9911", "478129911", "8x0815", "A1234567", "ann@example.org", "Ann Miller", "12 Elm St",
    "2026-01-04", "04.01.2026", "Jan-4", "jan4", "3.5", "-7", "1e5", "€ 12", "yes", "FALSE", "f",
    "NA", "null", "{name: 1", '{"name": "Ann"', "[1", "a:b", "a/b", "J45.909", "+49301234", "",
    " age", "f47ac10b-58cc-4372-a567-0e02b2c3d479", "a9f8e7d6", "x" * 41, "'age'", '"age"', "(030",
    "100%", "1,5", "\ufeffage", "age\u202e", "age\x00", "no",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_taken_for_one(name):
    """Letters first, then a few digits; no blank and no sign."""
    assert is_name(name)
    refuse_cells("people.csv", ["age", name])


@pytest.mark.parametrize("cell", CELLS)
def test_a_cell_is_never_taken_for_a_name_nor_shown(cell):
    """The message says nothing of it, wherever in the row it stands."""
    for row in ([cell], ["age", cell], [cell, "age"]):
        with pytest.raises(InputError) as caught:
            refuse_cells("people.csv", row)

        assert str(caught.value) == str(refusal())


def refusal():
    """The one text, whatever the row holds."""
    with pytest.raises(InputError) as caught:
        refuse_cells("people.csv", ["4711"])
    return caught.value


@pytest.mark.slow
@given(row=st.lists(st.text(), min_size=1, max_size=4))
def test_whatever_the_row_holds_the_message_is_the_same(row):
    """So it can quote nothing, and count nothing."""
    with pytest.raises(InputError) as caught:
        refuse_cells("people.csv", [*row, "4711"])

    assert str(caught.value) == str(refusal())


def test_a_gap_among_the_names_is_a_cell_that_is_missing():
    """The engine calls it by its place; the first one is what pandas writes over its index."""
    refuse_cells("people.csv", ["column1", "age", "wage"])
    with pytest.raises(InputError):
        refuse_cells("people.csv", ["age", "column2", "wage"])


def test_names_that_a_file_keeps_apart_are_certain():
    """A Parquet file has no first row that could be somebody's."""
    refuse_cells("people.parquet", ["Date of birth", "1st visit"])


def people(count):
    """Rows as people's files have them, from a fixed list of first choices."""
    chance = random.Random(7)
    makes = [
        lambda: f"{chance.randrange(10**9):09d}",
        lambda: f"{chance.randrange(1900, 2020)}-{chance.randrange(1, 13):02d}-05",
        lambda: chance.choice(["Ann", "Bob", "Smith", "Berlin"]),
        lambda: f"{chance.uniform(0, 9e4):.2f}",
        lambda: chance.choice(["yes", "no", "f", "m"]),
        lambda: f"{chance.choice('abc')}@example.org",
        lambda: str(chance.randrange(100)),
    ]
    for _ in range(count):
        yield [make() for make in chance.sample(makes, 4)]


def test_no_row_of_people_passes_for_names(tmp_path, monkeypatch):
    """Four columns of everyday kinds: 500 rows, each the first of a file; nothing is drafted."""
    monkeypatch.chdir(tmp_path)
    for row in people(500):
        with pytest.raises(InputError):
            refuse_cells("people.csv", row)
    Path("people.csv").write_text("\n".join(",".join(row) for row in people(3)))

    with pytest.raises(InputError) as caught:
        init(Screen(as_json=True), "people.csv")
    assert str(caught.value) == str(refusal())
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_whoever_vouches_for_the_row_gets_its_names(tmp_path, monkeypatch):
    """--header, for names that look like cells."""
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("Date of birth,2010\n1,2\n")

    assert list(init(Screen(as_json=True), "people.csv", header=True).columns) == [
        "Date of birth",
        "2010",
    ]
