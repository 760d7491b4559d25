"""A table of a join that says of a unit no more than that it is there is looked up: no integer changes."""

import random

import pandas as pd
import pytest

import discreet as dp
from discreet.engine.select_engine import engine_for
from discreet.engine.sql.faster.speed import SLOW
from discreet.errors import InputError
from engine.sources import opened
from engine.speeds import at
from servers import connected

pytestmark = [pytest.mark.of_speed, pytest.mark.claim("C628")]

KEYS = {"k": range(3), "h": range(3), "s": ["a", "b"]}
LINKS = {  # of the rows and of the persons: types of a frame, and of a server
    "alike": (("Int64", "Int64"), ("bigint", "bigint")),
    "wider": (("Int32", "Int64"), ("int", "bigint")),
    "text": (("string", "string"), ("text", "text")),
    "mixed": (("Int64", "string"), ("bigint", "text")),
}
QUESTIONS = {  # and of which links a table is looked up
    "of the persons": (lambda: [dp.count_units("h")], {"alike"}),
    "of the rows": (lambda: [dp.count_units("k")], {*LINKS}),
    "of nothing": (lambda: [dp.count_units()], {*LINKS}),
    "of one group": (lambda: [dp.count_units("h", max_groups=1)], {"alike"}),
    "of some rows": (lambda: [dp.count_units("s", where="k > 0")], {*LINKS}),
    "of some persons": (lambda: [dp.count_units("h", where="h > 0"), dp.count_units()], {"alike"}),
    "of both": (lambda: [dp.count_units("k"), dp.count_units("h")], set()),
    "rows": (lambda: [dp.count("h", max_groups=2, max_rows_per_group=3)], set()),
    "rows beside": (lambda: [dp.count_units("h"), dp.count("h", max_groups=3, max_rows_per_group=2)], set()),
    "few rows of a group": (lambda: [dp.count_units("h", max_groups=3, max_rows_per_group=1)], set()),
}  # fmt: skip


def world(seed):
    """Rows and persons: some without a link, without a partner, with several, and equal ones."""
    chance = random.Random(seed)

    def cell(values):
        return chance.choice([*values, None])

    rows = [{"u": cell(range(9)), "k": cell(range(4)), "s": cell("abc")} for _ in range(40)]
    persons = [{"u": cell(range(2, 12)), "h": cell(range(4))} for _ in range(14)]
    return rows + rows[:9], persons + persons[:4]


def counted(first, other, questions, *, most=None, name="d", whose="join"):
    """The query's text, and the integers; `owner` has the persons' table name whose a row is."""
    unit = dp.unit("u" if whose == "join" else "h", max_rows=most, sampling="portable")
    keys = KEYS if whose == "join" else {n: of for n, of in KEYS.items() if n != "h"}
    table = dp.table(first, name="t", unit=unit, keys=keys)
    joined = dp.join(other, name=name, gives=["h"]) if whose == "join" else None
    table = table.joined(joined or dp.owner(other, name=name, on="u", gives=["h"]))
    asked = tuple(a for one in questions for a in one.aggregates(table))
    prepared = engine_for(table.source).prepare(table, asked)
    return prepared, opened(prepared.count(3))


def frame(rows, kind):
    made = pd.DataFrame(rows)
    made["u"] = pd.array(made["u"], dtype="Int64").astype(kind)
    return made.astype({name: "Int32" for name in ("k", "h") if name in made})


def as_text(rows, kind):
    return [
        row | {"u": None if row["u"] is None else str(row["u"])} if kind == "string" else row
        for row in rows
    ]


@pytest.mark.exhaustive
@pytest.mark.parametrize("asked", QUESTIONS)
@pytest.mark.parametrize("links", LINKS)
def test_on_duckdb_the_units_are_those_of_the_reference(links, asked):
    """By links of each type; a table is looked up where it may be, and nowhere else."""
    (question, looked_up), kinds = QUESTIONS[asked], LINKS[links][0]
    for seed in range(3):
        parts = [*zip(world(seed), kinds, strict=True)]
        ours, found = counted(*(frame(*part) for part in parts), question())
        _, expected = counted(*(as_text(*part) for part in parts), question())

        assert (" AS l FROM " in ours._text) is (links in looked_up)
        assert found == expected
        assert any(found[0])


def test_where_rows_are_limited_or_a_row_names_its_owner_tables_are_joined():
    """A unit may have two rows: which, hangs on all of them. An owner's rows say whose they are."""
    rows, persons = world(5)
    frames = frame(rows, "Int64"), frame(persons, "Int64")
    for question, how, is_joined in [
        (lambda: [dp.count_units("h")], {"most": 2}, True),
        (lambda: [dp.count_units("s")], {"whose": "owner"}, True),
        (lambda: [dp.count_units()], {"whose": "owner"}, False),
    ]:
        ours, found = counted(*frames, question(), **how)
        _, expected = counted(rows, persons, question(), **how)

        assert ("JOIN" in ours._text) is is_joined
        assert found == expected


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("links", LINKS)
def test_on_postgres_the_units_are_those_of_the_reference(links):
    """Of the same tables; without a look-up the same."""
    source, kinds = connected(), LINKS[links][1]
    rows, persons = world(1)
    for name, kind, columns, listed in [
        ("t", kinds[0], "k int, s text", rows),
        ("d", kinds[1], "h int", persons),
    ]:
        source.execute(f"CREATE TABLE {name} (u {kind}, {columns})")
        for row in listed:
            marks = ", ".join(["%s"] * len(row))
            source.execute(f"INSERT INTO {name} VALUES ({marks})", [*row.values()])
    of_text = ["string" if kind == "text" else "" for kind in kinds]
    for question, looked_up in QUESTIONS.values():
        ours, found = counted(source, source, question())
        _, expected = counted(as_text(rows, of_text[0]), as_text(persons, of_text[1]), question())
        with at(SLOW):
            _, slowly = counted(source, source, question())

        text = ours.query.query.sql("postgres")
        assert (" AS l FROM " in text) is (links in looked_up)
        assert found == slowly == expected


def test_a_link_that_no_rows_are_joined_by_is_refused_as_before():
    """A double: also where its table is looked up."""
    rows, persons = world(2)
    with pytest.raises(InputError, match="by which no rows are joined"):
        counted(frame(rows, "Float64"), frame(persons, "Int64"), [dp.count_units("k")])
