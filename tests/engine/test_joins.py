"""Joins of private tables: no unit moves a vector too far, and a fault of joining is found.

Three tables: visits, orders that say whose a visit is, and people. A unit's rows in all of them
come or go, and with an owner the visits that only its orders refer to.
"""

import random
import sys
from dataclasses import replace

import pytest

from adversarial.moves import counted, exceeds, move
from discreet.engine import memory
from engine.joined_worlds import KINDS, PEOPLE, counts, world
from engine.unguarded import unguarded


def without(made, kind, gone, chance):
    """The world without a unit, and with or without the visits that nobody else owns."""
    if kind == "own":
        return {
            "visits": [row for row in made["visits"] if row["who"] != gone],
            "orders": made["orders"],
            "people": [row for row in made["people"] if row["id"] != gone],
        }
    theirs = [row for row in made["orders"] if row["buyer"] != gone]
    reached = {row["visit"] for row in theirs if row["buyer"] is not None}
    return {
        "visits": [
            v for v in made["visits"] if str(v["visit"]) in reached or chance.random() < 0.5
        ],
        "orders": theirs,
        "people": [row for row in made["people"] if row["id"] != gone],
    }


def exchanged(made, kind, gone, chance):
    """The world with a newcomer's rows in a unit's place; it may own visits of others, too."""
    found, new = without(made, kind, gone, chance), world(chance.randrange(10**6))
    found["people"] = [*({**row, "id": "new"} for row in new["people"]), *found["people"]]
    if kind == "own":
        found["visits"] = [*({**row, "who": "new"} for row in new["visits"]), *found["visits"]]
        return found
    reached = {row["visit"] for row in found["orders"] if row["buyer"] is not None}
    found["visits"] = [
        *(row for row in new["visits"] if str(row["visit"]) not in reached),
        *found["visits"],
    ]
    found["orders"] = [*({**row, "buyer": "new"} for row in new["orders"]), *found["orders"]]
    return found


def too_far(kind, neighbors, seeds, **how):
    """The worlds in which one unit moves a vector further than declared."""
    found = []
    for seed in seeds:
        chance, made = random.Random(seed), world(seed)
        change = without if neighbors == "add_remove" else exchanged
        wanted, before = counts(kind, made, seed, neighbors=neighbors, **how)
        for gone in PEOPLE:
            other = change(made, kind, gone, chance)
            other = {name: chance.sample(rows, len(rows)) for name, rows in other.items()}
            _, after = counts(kind, other, seed, neighbors=neighbors, **how)
            pairs = zip(wanted, counted(wanted, before), counted(wanted, after), strict=True)
            if any(exceeds(move(one, two), a.sensitivity) for a, one, two in pairs):
                found.append((seed, gone))
    return found


@pytest.mark.exhaustive
@pytest.mark.claim("C120")
@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize("kind", KINDS)
def test_one_unit_moves_no_joined_vector_too_far(kind, neighbors):
    """Its rows in all tables come or go, or are exchanged, with what only they refer to."""
    assert too_far(kind, neighbors, range(25)) == []


def _first_owner(table, rows, one):
    return [some[:1] for some in _PARTNERS(table, rows, one)]


_PARTNERS = memory._partners
_JOINED = memory.joined_rows


def _limited_first(table):
    """Each table's rows of a unit are limited, and the result is not."""

    def few(rows, name):
        seen = {}
        for row in rows:
            seen.setdefault(row[name], []).append(row)
        return [row for some in seen.values() for row in some[: table.unit.max_rows]]

    joins = tuple(replace(one, source=few(one.source, one.key)) for one in table.joins)
    return _JOINED(replace(table, source=few(table.source, table.unit.column), joins=joins))


def _copied(items, limit, part_of, place_of):
    """A public table with a double key, joined behind the limit: some rows are there twice."""
    kept = _FIRST(items, limit, part_of, place_of)
    return [*kept, *(item for item in kept if getattr(item[-1], "keys", {}).get("ward") == 0)]


_FIRST = memory._first


def _as_they_come(items, _limit, _part_of, _place_of):
    return list(items)


@pytest.mark.claim("C120")
@pytest.mark.parametrize(
    ("kind", "planted"),
    [
        ("owner", {(memory, "_partners"): _first_owner}),
        (
            "own",
            {(memory, "joined_rows"): _limited_first, (memory, "_first"): _as_they_come},
        ),
        ("own", {(memory, "_first"): _copied}),
    ],
    ids=["first owner wins", "bounded before the join", "a public table with a double key"],
)
def test_a_fault_of_joining_is_found(kind, planted, monkeypatch):
    """The check has power: each is found in some of a few worlds, without the last guard."""
    for (module, name), faulty in planted.items():
        monkeypatch.setattr(module, name, faulty)
    if kind == "own":
        unguarded(monkeypatch)
    assert too_far(kind, "add_remove", range(40))


@pytest.mark.claim("C120")
def test_a_join_by_what_several_units_share_would_be_found(monkeypatch):
    """Why a household is refused: declared past the check, one unit moves the rows of others."""
    monkeypatch.setattr(
        sys.modules["discreet.schema.table"],
        "checked_joins",
        lambda given, *_rest: tuple(replace(one, on="ward", key="ward") for one in given),
    )
    made = world(1)
    made["people"] = [{"ward": "A", "age": 5, "id": "ann"}]
    made["visits"] = [{"who": n, "visit": 1, "ward": "A", "cost": 1} for n in range(9)]
    wanted, before = counts("own", made)
    _, after = counts("own", {**made, "people": []})

    assert exceeds(move(before[0], after[0]), wanted[0].sensitivity)
