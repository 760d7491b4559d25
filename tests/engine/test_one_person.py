"""One person: for random tables, one unit moves no vector further than its sensitivity says."""

import dataclasses
from hashlib import blake2b

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from discreet.engine import memory
from discreet.engine.memory import MemoryEngine
from discreet.schema import ROW, unit
from discreet.statistic.count import count, count_units
from discreet.statistic.sum import sum_
from engine.sources import by_memory, quickly
from engine.unguarded import unguarded
from property.strategies import declarations, declared, questions, rows, salts
from shares import in_parts


def neighbor(data, how, newcomer):
    """The same rows without one unit; in the replace relation, with another one instead."""
    if how["unit"] == ROW:
        return data[1:] + (newcomer[:1] if how["neighbors"] == "replace" else [])
    gone = next((row["who"] for row in data if row["who"] is not None), None)
    rest = [row for row in data if row["who"] is None or row["who"] != gone]
    if how["neighbors"] == "replace":
        rest += [{**row, "who": "newcomer"} for row in newcomer]
    return rest


def is_within(aggregates, before, after):
    """Whether each vector moved no further than declared, in all three measures."""
    for aggregate, one, other in zip(aggregates, before, after, strict=True):
        moved = [abs(a - b) for a, b in zip(one, other, strict=True)]
        said = aggregate.sensitivity
        if sum(moved) > said.l1 or sum(m * m for m in moved) > said.l2_squared:
            return False
        if max(moved) > said.linf:
            return False
    return True


def check_one_person(engine, data, how, aggregates, newcomer, salt):
    """The body of the test, for any engine that takes a list of rows."""
    before = engine(data, aggregates, salt, **how)
    after = engine(neighbor(data, how, newcomer), aggregates, salt, **how)

    assert is_within(aggregates, before, after)


@pytest.mark.claim("C07")
@pytest.mark.slow
@in_parts(7)
@settings(max_examples=100)
@given(data=st.data(), found=rows(least=1), how=declarations(), newcomer=rows(most=6), salt=salts())
def test_one_person_moves_no_vector_of_the_reference_too_far(data, found, how, newcomer, salt):
    """Random tables, every statistic, both relations, salt by salt; rows in another order."""
    aggregates = data.draw(questions(how))

    check_one_person(own_hash, found, how, aggregates, newcomer, salt)


@pytest.mark.claim("C07")
@pytest.mark.slow
@in_parts(4)
@settings(max_examples=20)
@given(data=st.data(), found=rows(least=1), how=declarations(), newcomer=rows(most=6), salt=salts())
def test_one_person_moves_no_vector_of_duckdb_too_far(data, found, how, newcomer, salt):
    """The same of the query."""
    aggregates = data.draw(questions(how))

    check_one_person(on_duckdb, found, how, aggregates, newcomer, salt)


def own_hash(data, aggregates, salt, **how):
    found = MemoryEngine().prepare(declared(list(data), **how), aggregates).count(salt)
    return [one.opened_by_the_door() for one in found]


def on_duckdb(data, aggregates, salt, **how):
    return quickly(data, aggregates, salt, **how)


PEOPLE = {"unit": unit("who"), "neighbors": "add_remove"}
LIMITS = {"max_groups": 1, "max_rows_per_group": 1}


def row(who, ward="A", cost=0.0, age=None):
    return {"who": who, "ward": ward, "floor": "1", "cost": cost, "age": age}


def planted(monkeypatch, fault):
    """Break the reference in one way."""
    if fault == "forgets to clamp":
        monkeypatch.setattr(memory, "in_steps", lambda cell, _bounds: round(cell or 0))
    if fault == "ranks by position in the file":
        # What ROW_NUMBER over all rows and a hash of that number would do.
        monkeypatch.setattr(memory, "_first", _first_by_position)
    if fault == "drops the unit's limit on groups":
        monkeypatch.setattr(
            memory, "groupings", lambda *a: {_free(g): items for g, items in GROUPINGS(*a).items()}
        )
    if fault == "keeps a missing unit as a new person each time":
        read = memory.RowReader.read
        monkeypatch.setattr(
            memory.RowReader,
            "read",
            lambda self, row: read(self, {**row, "who": row["who"] or f"{id(row)}"}),
        )
    if fault == "joins the table to itself":
        kept = memory.MemoryPrepared._kept_of
        monkeypatch.setattr(
            memory.MemoryPrepared,
            "_kept_of",
            lambda self, *rest: [one for one in kept(self, *rest) for _ in kept(self, *rest)],
        )


GROUPINGS = memory.groupings


def _free(grouping):
    return dataclasses.replace(grouping, max_groups=None)


def _first_by_position(items, limit, part_of, place_of):
    """Keep rows by a hash of their running number: others' numbers move when one leaves."""
    numbered = list(enumerate(sorted(items, key=repr)))  # a set has no order to count on
    parts = {}
    for number, item in numbered:
        parts.setdefault(part_of(item), []).append(
            (blake2b(bytes([number])).digest(), number, item)
        )
    return [item for part in parts.values() for _, _, item in sorted(part)[:limit]]


FAULTS = [
    "forgets to clamp",
    "ranks by position in the file",
    "drops the unit's limit on groups",
    "joins the table to itself",
]


GUARDED = {"forgets to clamp", "drops the unit's limit on groups", "joins the table to itself"}


@pytest.mark.claim("C07")
@pytest.mark.parametrize("guarded", [False, True], ids=["unguarded", "guarded"])
@pytest.mark.parametrize("fault", [None, *FAULTS])
def test_a_planted_fault_is_caught_or_does_no_harm(fault, guarded, monkeypatch):
    """The check has power: it refuses each broken engine, and accepts the one that is not.

    With the second look a broken clamp or limit moves nothing further than declared; a choice of rows
    by position stays within all limits, and is what the check is for.
    """
    if not guarded:
        unguarded(monkeypatch)
    data = [row("ann", cost=1e9), *(row("ann", ward) for ward in ("A", "B", "it's"))]
    data += [row(f"p{i}", ward, 9.0 * (i % 2)) for i in range(70) for ward in ("A", "B", "it's")]
    found = declared([], **PEOPLE)
    asked = [sum_("cost", "ward", **LIMITS), count("ward", **LIMITS), count_units(**LIMITS)]
    aggregates = tuple(a for one in asked for a in one.aggregates(found))
    planted(monkeypatch, fault)

    held = all(
        is_within(
            aggregates,
            own_hash(data, aggregates, salt, **PEOPLE),
            own_hash(neighbor(data, PEOPLE, []), aggregates, salt, **PEOPLE),
        )
        for salt in range(8)
    )

    assert held == (fault is None or (guarded and fault in GUARDED))


@pytest.mark.parametrize("fault", [None, "keeps a missing unit as a new person each time"])
def test_rows_without_a_unit_are_dropped_together(fault, monkeypatch):
    """Nobody's rows move nothing; an engine that counts them as persons is caught."""
    data = [row("ann"), *(row(None) for _ in range(5))]
    aggregates = count_units(**LIMITS).aggregates(declared([], **PEOPLE))
    planted(monkeypatch, fault)

    before = own_hash(data, aggregates, 1, **PEOPLE)
    after = own_hash([row for row in data if row["who"] is not None], aggregates, 1, **PEOPLE)

    assert is_within(aggregates, before, after) == (fault is None)


@pytest.mark.slow
def test_hypothesis_itself_finds_an_engine_that_ranks_by_position(monkeypatch):
    """Random search has power too, without a table made for the fault."""
    planted(monkeypatch, "ranks by position in the file")
    aggregates = count("ward", **LIMITS).aggregates(declared([], **PEOPLE))

    def is_broken(found):
        before = own_hash(found, aggregates, 3, **PEOPLE)
        return not is_within(
            aggregates, before, own_hash(neighbor(found, PEOPLE, []), aggregates, 3, **PEOPLE)
        )

    try:
        caught = find(
            rows(least=4, most=30),
            is_broken,
            settings=settings(max_examples=2_000, phases=[Phase.generate], derandomize=True),
        )
    except NoSuchExample:
        caught = None

    assert caught is not None


def test_the_reference_and_duckdb_keep_the_same_rows_of_others_when_one_leaves():
    """Removing a unit changes its own rows only: the vectors differ by what it had."""
    data = [row(f"p{i % 5}", "AB"[i % 2], cost=i % 7 - 2.0) for i in range(60)]
    how = {"unit": unit("who", max_rows=3), "neighbors": "add_remove"}
    aggregates = sum_("cost", "ward").aggregates(declared([], **how))
    alone = [row for row in data if row["who"] == "p0"]
    rest = [row for row in data if row["who"] != "p0"]

    for engine in (by_memory, on_duckdb):
        (whole,), (without,), (only,) = (
            engine(part, aggregates, 11, **how) for part in (data, rest, alone)
        )
        assert whole == tuple(a + b for a, b in zip(without, only, strict=True))
