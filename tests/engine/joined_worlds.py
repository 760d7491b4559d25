"""Private tables that belong together: visits, orders that say whose a visit is, and people."""

import random

import discreet as dp
from discreet.engine.select_engine import engine_for
from engine.sources import opened

KINDS = ("own", "owner", "both")
PEOPLE = ("ann", "Ann", "bob", "carl")

COLUMNS = {
    "visits": {"who": "VARCHAR", "visit": "INTEGER", "ward": "VARCHAR", "cost": "DOUBLE"},
    "orders": {"visit": "VARCHAR", "buyer": "VARCHAR", "kind": "INTEGER"},
    "people": {"id": "VARCHAR", "age": "DOUBLE"},
}


def world(seed):
    """Rows of the three tables, some of which have several owners, some no partner."""
    chance = random.Random(seed)

    def visit():
        return chance.choice([1, 2, 3, 4, None])

    def who():
        return chance.choice([*PEOPLE, None])

    return {
        "visits": [
            {
                "who": who(),
                "visit": visit(),
                "ward": chance.choice("AB"),
                "cost": chance.randrange(7),
            }
            for _ in range(chance.randrange(1, 12))
        ],
        "orders": [
            {"visit": str(visit()), "buyer": who(), "kind": chance.randrange(2)}
            for _ in range(chance.randrange(8))
        ],
        "people": [
            {"id": who(), "age": chance.choice([1, 5, 9, None])} for _ in range(chance.randrange(8))
        ],
    }


def table_of(kind, made, *, most=2, neighbors="add_remove", sources=None):
    """The declaration of one kind of join over a world, or over the same in other sources."""
    there = sources or made
    joins = []
    if kind != "owner":
        joins.append(dp.join(there["people"], name="people", key="id", gives=["age"]))
    if kind != "own":
        joins.append(dp.owner(there["orders"], name="orders", on="visit", gives=["buyer", "kind"]))
    found = dp.table(
        there["visits"],
        name="visits",
        unit=dp.unit("who" if kind == "own" else "buyer", max_rows=most, sampling="portable"),
        columns={"cost": dp.bounds(0, 5, step=1), "age": dp.bounds(0, 9, step=1)},
        keys={"ward": ["A", "B"]},
        neighbors=neighbors,
    ).joined(*joins)
    return found.where("cost <> 3") if kind == "own" else found.where("kind = 1 OR cost > 1")


def questions(kind):
    asked = [
        dp.count(by="ward"),
        dp.count_units(by="ward", max_groups=1),
        dp.sum("cost", by="ward"),
    ]
    asked += [dp.count(where="cost > 2")]
    return asked if kind == "owner" else [*asked, dp.mean("age"), dp.histogram("age", bins=3)]


def asked_of(kind, found):
    return tuple(a for one in questions(kind) for a in one.aggregates(found))


def counts(kind, made, salt=1, **how):
    found = table_of(kind, made, **how)
    wanted = asked_of(kind, found)
    return wanted, opened(engine_for(found.source).prepare(found, wanted).count(salt))


SEED = 5
