"""Joins of private tables as they are declared: in Python, in a plan file, in a release."""

import pytest

import discreet as dp
from discreet.errors import InputError
from discreet.plan_file.plan_file import read_plan_file
from discreet.plans.plan import plan_of
from discreet.report.words import rows as said_of_rows
from discreet.schema import table_of
from visits import FILE

PEOPLE = dp.join("people.csv", key="id", gives=["age"], name="people")
ORDERS = dp.owner("orders.csv", on="visit", gives=["who"], name="orders")


def declared(*joins, **how):
    how = {"unit": dp.unit("who", max_rows=2), **how}
    columns = {"age": dp.bounds(0, 9, step=1), "cost": dp.bounds(0, 5, step=1)}
    return dp.table("visits.csv", columns=columns, **how).joined(*joins)


REFUSED = {
    "a household": (
        lambda: declared(dp.join("people.csv", gives=["age"], on="household")),
        "joined by household, which is not the unit who",
        "one unit could move them all",
        'discreet.owner(source, on="household", gives=["who"])',
    ),
    "a column of the other table": (
        lambda: declared(dp.join("people.csv", gives=["street", "age"], on="street")),
        "joined by street, which is not the unit who",
        "rows of others",
        "leave on out",
    ),
    "a chain of owners": (
        lambda: declared(ORDERS, dp.owner("homes.csv", on="home", gives=["who"])),
        "orders and homes.csv both say who owns",
        "proved for one link alone",
        "into one table first",
    ),
    "an owner without a unit": (
        lambda: declared(dp.owner("orders.csv", on="visit", gives=["kind"])),
        "does not give who",
        "the unit that is protected is the owner",
        'gives=["kind", "who"]',
    ),
    "rows of nobody": (
        lambda: declared(PEOPLE, unit="row"),
        "people is joined, and the unit is a row",
        "not one unit's",
        "discreet.unit(?, max_rows=?)",
    ),
    "keys to be found": (
        lambda: declared(PEOPLE, keys={"film": dp.unknown(max_groups=3)}),
        "keys of film cannot be looked for in joined tables",
        "one table",
        "list the keys",
    ),
    "the unit twice": (
        lambda: declared(dp.join("people.csv", gives=["who"])),
        "gives who, which is the unit",
        "known already",
        "in gives",
    ),
    "one column of two tables": (
        lambda: declared(PEOPLE, dp.join("b.csv", gives=["age"])),
        "both give age",
        "which column is meant",
        "rename it there",
    ),
    "two tables of one name": (
        lambda: declared(PEOPLE, dp.join("b.csv", gives=["sex"], name="people")),
        "two joined tables have one name",
        "tell them apart",
        "give each a name",
    ),
    "a column made again": (
        lambda: declared(PEOPLE, ORDERS).derive(age=dp.derived("cost + 1", keys=[1, 2])),
        "age is a column of the data already",
        "inherit",
        "age_2",
    ),
    "a column that is given": (
        lambda: declared(ORDERS).derive(who=dp.derived("cost + 1", keys=[1, 2])),
        "who is a column of the data already",
        "inherit",
        "who_2",
    ),
    "public rows": (
        lambda: declared(PEOPLE, rows=9),
        "rows = 9 is public, and tables are joined",
        "more rows, or fewer",
        "leave rows out",
    ),
    "no joins": (
        lambda: declared(3),
        "3 is no join",
        "belong to a unit",
        "make it by discreet.join",
    ),
    "no columns": (
        lambda: dp.join("people.csv", gives="age"),
        "not a list of columns",
        "by name",
        'gives=["age"]',
    ),
    "no name": (lambda: dp.join([], gives=["age"]), "has no name", "no file", "give it a name"),
    "NOT IN": (
        lambda: dp.join("people.csv", gives=["age"], how="anti"),
        "how = anti",
        "NOT IN takes everybody's",
        "leave how out",
    ),
    "a left join": (
        lambda: dp.join("people.csv", gives=["age"], how="left"),
        "how = left",
        "missing cells",
        "leave how out",
    ),
    "the nearest row": (
        lambda: dp.join("people.csv", gives=["age"], how="asof"),
        "how = asof",
        "somebody else",
        "leave how out",
    ),
    "no word": (
        lambda: dp.join("people.csv", gives=["age"], how=3),
        "how = 3",
        "of one unit alone",
        "leave how out",
    ),
}


@pytest.mark.claim("C120")
@pytest.mark.parametrize("case", REFUSED)
def test_what_would_let_one_unit_move_others_is_refused(case):
    """In three lines: what it is, why not, what to type."""
    make, *parts = REFUSED[case]
    with pytest.raises(InputError) as refused:
        make()
    what, why, fix = str(refused.value).splitlines()
    for part, line in zip(parts, (what, why, fix), strict=True):
        assert part in line


@pytest.mark.claim("C120")
def test_a_join_is_a_part_of_the_plan_that_is_made_again():
    """Its plain data, the digest, a release, its report and `verify` follow from it."""
    joined = declared(PEOPLE, ORDERS).where("age > 3")
    asked = dp.plan(joined, dp.count(where="cost > 1"), dp.mean("age"), spend=dp.zcdp(1))
    alone = dp.plan(declared(), dp.count(), spend=dp.zcdp(1))
    release = dp.rehearse(asked)

    assert [one.name for one in joined.joins] == ["orders", "people"]
    assert table_of(joined.plain()) == joined
    assert plan_of(asked.plain()).digest == asked.digest
    assert "joins" not in alone.plain()["table"]
    digests = {dp.plan(declared(*some), dp.count(), spend=dp.zcdp(1)).digest for some in
               ([], [PEOPLE], [ORDERS], [PEOPLE, ORDERS])}  # fmt: skip
    assert len(digests) == 4
    assert dp.verify(release)
    for said in (str(asked), str(release), " ".join(said_of_rows(joined))):
        assert "no other unit's rows in orders refer to" in " ".join(said.split())
    assert "Joined: people, each row with all of the same unit (who = id)." in str(asked)


def read(folder, text=FILE):
    path = folder / "visits.toml"
    path.write_text(text)
    return read_plan_file(path)


def test_a_plan_file_says_the_same(tmp_path):
    """Joins by their name, and a lookup in a public table; files lie beside the plan file."""
    houses = dp.levels(["house", "ward"], rows=[["North", "A"], ["South", "B"]])
    table = declared(PEOPLE, ORDERS).derive(house=houses.lookup("house"))
    found = read(tmp_path).plan

    assert found.digest == dp.plan(table, dp.count(by="house"), spend=dp.zcdp(1)).digest
    sources = [str(tmp_path / name) for name in ("orders.csv", "people.csv")]
    assert [one.source for one in found.table.joins] == sources


def test_a_database_holds_all_tables_of_a_plan_file(tmp_path):
    """There a join lies where the first table does, under the name of its part."""
    at = 'source = "postgresql://here/db"\nname = "visits.csv"'
    text = FILE.replace('source = "visits.csv"', at)
    with pytest.raises(InputError, match="lies in the same database"):
        read(tmp_path, text)
    for line in ('source = "people.csv"\n', 'source = "orders.csv"\n'):
        text = text.replace(line, "")
    table = read(tmp_path, text).plan.table

    assert {one.source for one in table.joins} == {table.source}


SLIPS = {
    "no source": ('source = "people.csv"', "", "join, people, source: this is missing", "source"),
    "no columns": ('gives = ["age"]', "", "join, people, gives: this is missing", 'gives = ["?"]'),
    "a question mark": (
        'source = "orders.csv"',
        'source = "?"',
        "still a question mark",
        "who owns each row",
    ),
    "an address": ('"people.csv"', '"s3://people"', "not a path of this machine", "source"),
    "a household": ('key = "id"', 'on = "home"', "join, people, on: people is joined", "remove on"),
    "a kind of join": ('key = "id"', 'how = "anti"', "join, people, how", "remove how"),
    "a slip": ('key = "id"', 'kez = "id"', "kez: this name is not known", "write key"),
    "no reference": ('on = "visit"', "", "owner, orders, on: this is missing", 'on = "?"'),
    "no unit": (
        'gives = ["who"]',
        'gives = ["kind"]',
        "owner, orders, gives: orders says who owns",
        'gives = ["kind", "who"]',
    ),
    "no public table": (
        'lookup = "ward"',
        'lookup = "street"',
        "no public table of street",
        "[levels.street]",
    ),
    "a lookup and more": (
        'lookup = "ward"',
        'lookup = "ward"\nkeys = ["North"]',
        "a lookup says this itself",
        "remove keys",
    ),
    "nothing made": ('lookup = "ward"', "", "expression: this is missing", 'expression = "?"'),
}


@pytest.mark.parametrize("case", SLIPS)
def test_a_slip_in_a_plan_file_is_named_with_its_place(case, tmp_path):
    old, new, what, fix = SLIPS[case]
    with pytest.raises(InputError) as refused:
        read(tmp_path, FILE.replace(old, new, 1))
    first, _, last = str(refused.value).splitlines()

    assert what in first
    assert fix in last
