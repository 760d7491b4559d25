"""Postgres limits rows, and looks at them, by one row of lists for each unit.

What stays must be what stays without lists, and of the two barriers each must hold where the other
fails.
"""

import random
from dataclasses import replace

import psycopg.types.numeric
import pytest
import sqlglot

import discreet as dp
from discreet.engine.postgres import connection, engine
from discreet.engine.select_engine import engine_for
from discreet.engine.sql.faster import unit_lists
from discreet.engine.sql.faster.speed import SLOW
from discreet.schema import unit
from engine.sources import opened
from engine.test_one_person import is_within
from engine.unguarded import (
    chooses_all,
    chooses_none,
    clears_closely,
    keeps_all,
    looks_away,
    unguarded,
)
from servers import filled

pytestmark = [pytest.mark.claim("C86"), pytest.mark.claim("C35")]

KINDS = {"number": "bigint", "text": "text"}
LIMITS = [(1, 2), (2, 1), (2, 2), (3, 4), (9, 1)]
BOTH = {"max_groups": 2, "max_rows_per_group": 2}
OF_ONE = {"max_groups": 2, "max_rows_per_group": 1}  # whose chosen rows are looked at quickly first
GROUPS, CELLS = 70, [0.0, -0.0, 1.0, 2.0, 3.0, float("nan"), 1e308, None]
LENGTHS = [1, 2, 5, unit_lists._LONG]


def crowd(seed):
    """Units with up to 40 rows, in few groups, in many, and in one place of 64; many are equal."""
    chance = random.Random(seed)
    found = []
    for who in range(150):
        groups = [range(1 + who % 5), range(GROUPS), (0, 64), (1, 65, None, 99)][who % 4]
        many = 1 + chance.randrange((2, 5, 40)[who % 3])
        found += [(who, chance.choice(groups), chance.choice(CELLS)) for _ in range(many)]
    found += [(None, chance.choice(range(GROUPS)), 1.0) for _ in range(50)]
    chance.shuffle(found)
    return found


def source_of(rows, kind="number"):
    names = [(u if u is None or kind == "number" else f"u{u}", g, v) for u, g, v in rows]
    return filled({"u": KINDS[kind], "g": "int", "v": "double precision"}, names)


def asked(source, max_rows=None, **limits):
    """Counts, a mean and a histogram by g, and a count by what is made of a value."""
    table = dp.table(
        source,
        name="t",
        unit=unit("u", max_rows=max_rows),
        keys={"g": range(GROUPS)},
        columns={"v": dp.bounds(0, 3, step=1)},
    ).derive(some=dp.derived("floor(v / 2)", keys=[0, 1]))
    statistics = (
        dp.count("g", **limits),
        dp.mean("v", "g", **limits),
        dp.histogram("v", "g", bins=3, **limits),
        dp.count_units("g", max_groups=3),
        dp.count("some", where="v > 0", **limits),
        dp.mean("v", ["some", "g"], **limits),
    )
    return table, tuple(a for one in statistics for a in one.aggregates(table))


def vectors(source, salt=7, **limits):
    table, aggregates = asked(source, **(limits or BOTH))
    return aggregates, opened(engine_for(source).prepare(table, aggregates).count(salt))


def by_rows(patch):
    """From here on no lists are made."""
    made = engine.dialect_of
    patch.setattr(engine, "dialect_of", lambda *of: replace(made(*of), speed=SLOW))


def texts(source, monkeypatch, **limits):
    """What is sent to the server: first to be planned, then to be run."""
    told, said = [], connection.statement
    with monkeypatch.context() as patch:
        patch.setattr(connection, "statement", lambda *of: told.append(said(*of)) or told[-1])
        vectors(source, **limits)
    return told


@pytest.mark.exhaustive
@pytest.mark.parametrize("max_rows", [None, 4])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_lists_leave_the_rows_that_stay_without_them(limits, kind, max_rows, monkeypatch):
    """Of hostile units: in many groups, in one again and again, in groups that share a place.

    However many rows of a unit a list may hold: those of all others are read again.
    """
    how = dict(zip(("max_groups", "max_rows_per_group"), limits, strict=True))
    how |= {"max_rows": max_rows} if max_rows else {}
    source, salts = source_of(crowd(sum(limits)), kind), (0, 2**64 - 1)
    found = []
    for length in LENGTHS:
        monkeypatch.setattr(unit_lists, "_LONG", length)
        found.append([vectors(source, salt, **how)[1] for salt in salts])
    by_rows(monkeypatch)
    plain = [vectors(source, salt, **how)[1] for salt in salts]

    assert found == [plain] * len(LENGTHS)
    assert plain[0] != plain[1]


def test_a_unit_of_more_rows_than_a_list_holds_is_limited_alike(monkeypatch):
    """By the length that is used: its rows in groups that stay are read again."""
    rows = [(1, n % 3, float(n % 4)) for n in range(2 * unit_lists._LONG)] + crowd(5)
    source = source_of(rows)
    for limits in (BOTH, {"max_groups": 2, "max_rows_per_group": 10**6}):
        in_lists = vectors(source, **limits)[1]
        with monkeypatch.context() as patch:
            by_rows(patch)

            assert vectors(source, **limits)[1] == in_lists


def test_no_list_is_longer_than_it_may_be(monkeypatch):
    """Where a unit has many rows, in one group or in many, and may have them all."""
    monkeypatch.setattr(unit_lists, "_LONG", 5)
    source = source_of(crowd(6))
    for limits in (BOTH, {"max_groups": 60, "max_rows_per_group": 60}):
        told = texts(source, monkeypatch, **limits)[-1]
        query = sqlglot.parse_one(told.text, read="postgres")
        longest = sqlglot.select("MAX(CARDINALITY(g))", "MAX(n)").from_("discreet_listed_0")
        longest.set("with_", query.args["with_"])
        cursor = psycopg.RawCursor(source)
        cursor.execute(longest.sql("postgres"), told.parameters)
        ((length, rows),) = cursor.fetchall()

        assert (length, rows > 5) == (5, True)


OTHERS = [(n % 9, n % 3, 1.0) for n in range(60)]
NEW = [(99, group, 3.0) for group in (0, 1, 2, 64) for _ in range(40)]
HARMLESS = {  # what one barrier does wrong, and what both do
    "ranks": [keeps_all],
    "ranks, and rows chosen": [keeps_all, chooses_none],
    "rows chosen": [chooses_none],
    "rows chosen of everybody": [chooses_all],
    "all that chooses": [keeps_all, chooses_all],
    "the quick look": [looks_away],
    "the look": [looks_away, clears_closely],
    "the close look": [clears_closely],
}
HARM = {
    "ranks, and the quick look": [keeps_all, looks_away],
    "all that chooses, and the close look": [keeps_all, chooses_none, clears_closely],
    "rows chosen, and the close look": [chooses_none, clears_closely],
}


def is_still(new, limits):
    """Whether a unit with these rows moves no vector too far."""
    aggregates, before = vectors(source_of(OTHERS), **limits)
    _, after = vectors(source_of(OTHERS + new), **limits)
    return is_within(aggregates, before, after)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("length", "limits"), [*((length, BOTH) for length in LENGTHS), (5, OF_ONE), (2**16, OF_ONE)]
)
@pytest.mark.parametrize("fault", [None, *HARMLESS])
def test_one_unit_moves_no_vector_too_far_whichever_barrier_fails(
    fault, length, limits, monkeypatch
):
    """Each of the two is enough, with the other one broken on purpose."""
    monkeypatch.setattr(unit_lists, "_LONG", length)
    for act in HARMLESS.get(fault, []):
        act(monkeypatch)

    assert is_still(NEW, limits)
    assert is_still([(99, 5, 3.0)] * 3, limits)
    assert is_still([(99, 0, 3.0), (99, 64, 3.0), (99, 1, 3.0)], limits)
    assert is_still([(99, 0, 3.0)] * 2, limits)  # whom the look clears, where he may have two


@pytest.mark.parametrize("limits", [BOTH, OF_ONE], ids=str)
@pytest.mark.parametrize("fault", HARM)
def test_where_both_barriers_fail_one_unit_would_move_a_vector_too_far(fault, limits, monkeypatch):
    """The test above has power."""
    for act in HARM[fault]:
        act(monkeypatch)

    assert not is_still(NEW, limits)


def test_ranks_alone_limit_rows(monkeypatch):
    """Without any look the rows that stay are the same."""
    source = source_of(crowd(3))
    plain = vectors(source)[1]
    unguarded(monkeypatch)

    assert vectors(source)[1] == plain


ONE_EACH = {"max_groups": 1, "max_rows_per_group": 2}


@pytest.mark.parametrize(
    ("sampling", "limits", "is_listed"),
    [
        ("native", BOTH, True),
        ("portable", BOTH, False),  # whose hash is dear: no row is hashed whose unit is within
        ("native", ONE_EACH, False),  # whose rows are counted by unit anyhow
    ],
)
def test_lists_are_made_where_both_limits_are_met_by_them(sampling, limits, is_listed, monkeypatch):
    source, told, said = source_of(crowd(1)), [], connection.statement
    found = dp.table(source, name="t", unit=unit("u", sampling=sampling), keys={"g": range(GROUPS)})
    monkeypatch.setattr(connection, "statement", lambda *of: told.append(said(*of)) or told[-1])
    prepared = engine_for(source).prepare(found, dp.count("g", **limits).aggregates(found))
    prepared.count(3)

    assert ["discreet_listed_0" in one.text for one in told] == [is_listed] * 2


def test_what_a_caller_reads_numbers_as_changes_nothing():
    """psycopg lets a connection read decimals as doubles."""
    source = source_of(crowd(4))
    plain = vectors(source)[1]
    source.adapters.register_loader("numeric", psycopg.types.numeric.FloatLoader)
    source.adapters.register_loader("int8", psycopg.types.numeric.FloatLoader)

    found = vectors(source)[1]

    assert found == plain
    assert {type(cell) for vector in found for cell in vector} == {int}
