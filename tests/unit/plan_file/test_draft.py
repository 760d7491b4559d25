"""A draft holds names and types, and a question mark wherever a person must answer."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.plan_file.draft import drafted, is_id, stem_of
from discreet.plan_file.plan_file import read_plan_file

SCHEMA = {
    "age": "BIGINT",
    "wage": "DOUBLE",
    "city": "VARCHAR",
    "member": "BOOLEAN",
    "day": "DATE",
    "tags": "VARCHAR[]",
}
NAMES = st.text(max_size=30)


def test_numbers_get_ranges_and_categories_get_keys():
    """A column stands where its type allows, and nested types nowhere."""
    lines = drafted("people.parquet", SCHEMA, plan="people.toml").split("\n")

    ranges = lines[lines.index("[columns]") : lines.index("[keys]")]
    keys = lines[lines.index("[keys]") : lines.index("[spend]")]
    assert [line.split()[1] for line in ranges if " = " in line] == ["age", "wage", "day"]
    assert [line.split()[1] for line in keys if " = " in line] == ["age", "city", "member", "day"]


@pytest.mark.claim("C364")
@pytest.mark.parametrize("name", ["id", "ID", "pid", "person_id", "userId", "id_person", "uuid"])
def test_an_id_is_no_group_and_no_number_but_perhaps_the_unit(name):
    """It was drafted as the column of a mean and as the groups of one."""
    schema = {name: "BIGINT", "age": "BIGINT", "code": "INTEGER", "city": "VARCHAR"}

    text = drafted("people.parquet", schema, plan="people.toml")

    assert f'or {{ column = "{name}", max_rows = "?" }}' in text
    assert text.count(name) == 1
    assert text.endswith('# statistic = "mean"\n# column = "age"\n# by = "city"\n')
    both = drafted("people.parquet", {**schema, "other_id": "BIGINT"}, plan="people.toml")
    assert 'or { column = "?", max_rows = "?" }' in both


@pytest.mark.parametrize(
    "name", ["idea", "paid", "Madrid", "width", "solid_fuel", "grid", "median"]
)
def test_a_name_that_only_holds_id_is_a_column_like_others(name):
    """Letters inside of a word name no id."""
    text = drafted("people.parquet", {name: "BIGINT", "sex": "VARCHAR"}, plan="people.toml")

    assert text.count(f"# {name} = ") == 2
    assert f'# column = "{name}"' in text


def test_days_and_moments_have_ranges_that_a_plan_takes(tmp_path):
    """They were left out, though a median of days can be asked for."""
    schema = {"born": "DATE", "seen": "TIMESTAMP_NS", "zoned": "TIMESTAMP WITH TIME ZONE"}
    text = drafted("people.parquet", schema, plan="people.toml")
    for name, kind in schema.items():
        line = f'# {name} = {{ lower = "?", upper = "?" }}    # {kind}, as in 2020-01-31'
        assert line in text
        text = text.replace(line, f"{name} = {{ lower = 2020-01-31, upper = 2021-01-31 }}")
    text = text.replace('unit = "?"', 'unit = "row"').replace('rho = "?"', 'rho = "1/50"')
    (tmp_path / "people.toml").write_text(f'{text}[[ask]]\nstatistic = "median"\ncolumn = "seen"\n')

    assert read_plan_file(tmp_path / "people.toml").plan.table.columns.keys() == schema.keys()


def test_a_file_without_types_lists_each_column_under_both_headings():
    """In a CSV file all is text, so the draft cannot tell numbers from names."""
    text = drafted("people.csv", {"age": "VARCHAR", "city": "VARCHAR"}, plan="people.toml")

    assert text.count("# age = ") == text.count("# city = ") == 2
    assert "does not say which columns are numbers" in text


def test_no_decision_is_taken_for_the_owner(tmp_path):
    """Unit and loss are question marks that a plan refuses, one after the other."""
    path = tmp_path / "people.toml"
    text = drafted("people.parquet", SCHEMA, plan="people.toml")
    for blank, answer in (('unit = "?"', 'unit = "row"'), ('rho = "?"', 'rho = "1/50"')):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match="still a question mark"):
            read_plan_file(path)
        text = text.replace(blank, answer)

    path.write_text(text, encoding="utf-8")
    assert read_plan_file(path).plan.lines[0].statistic.label == "count"


@pytest.mark.slow
@given(names=st.lists(NAMES, max_size=5), source=st.text(min_size=1, max_size=30))
def test_a_draft_is_toml_whatever_the_columns_are_called(names, source):
    """Quotes, newlines, escapes and half characters in names do not break out of their line."""
    schema = dict.fromkeys(names, "BIGINT")

    said = tomllib.loads(drafted(source, schema, plan=source))

    assert set(said) == {"title", "data", "columns", "keys", "spend", "ask"}
    assert (said["columns"], said["keys"], len(said["ask"])) == ({}, {}, 1)


@pytest.mark.slow
@given(names=st.lists(NAMES.filter(lambda n: n and not is_id(n)), max_size=5, unique=True))
def test_a_name_is_drafted_so_that_it_means_the_column(names):
    """With the # taken away, TOML reads the column's own name; half characters cannot be kept."""
    text = drafted("people.parquet", dict.fromkeys(names, "BIGINT"), plan="people.toml")
    lines = [
        line[2:] for line in text.split("\n") if line.startswith("# ") and "{ lower = " in line
    ]

    read = [next(iter(tomllib.loads(line))) for line in lines]

    whole = [name.encode("utf-8", "replace").decode() for name in names]
    assert [name.replace("\ufffd", "?") for name in read] == [
        name.replace("\ufffd", "?") for name in whole
    ]


@pytest.mark.parametrize(
    ("source", "stem"),
    [
        ("people.csv", "people"),
        ("a/visits-*.parquet", "visits"),
        ("parts/*.parquet", "parts"),
        ("x.csv.gz", "x"),
        ("*", "data"),
    ],
)
def test_a_source_gets_a_short_name(source, stem):
    """The ledger and the plan are called after the data."""
    assert stem_of(source) == stem
