"""Postgres limits rows, and looks at them, by one count by unit where that takes less time.

Both ways must leave the same rows, and of the two barriers each must hold where the other fails.
"""

import random

import psycopg.types.numeric
import pytest
from sqlglot import exp

import discreet as dp
from discreet.engine.choose import engine_for
from discreet.engine.postgres import connection
from discreet.engine.sql import bounding, repeats
from discreet.schema import unit
from engine.sources import opened
from engine.test_one_person import is_within
from engine.unguarded import unguarded
from servers import filled

pytestmark = [pytest.mark.claim("C86"), pytest.mark.claim("C35")]

KINDS = {"number": "bigint", "text": "text"}
LIMITS = [(1, 2), (2, 1), (2, 2), (3, 4), (9, 1)]
BOTH = {"max_groups": 2, "max_rows_per_group": 2}
GROUPS, CELLS = 70, [0.0, -0.0, 1.0, 2.0, 3.0, float("nan"), 1e308, None]


def crowd(seed):
    """Units with up to 40 rows, in few groups, in many, and in one place of 64; many rows are equal."""
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


def asked(source, **limits):
    """A count, a mean and a histogram by g, and a count by nothing, of one table."""
    table = dp.table(
        source,
        name="t",
        unit=unit("u"),
        keys={"g": range(GROUPS)},
        columns={"v": dp.bounds(0, 3, step=1)},
    )
    statistics = (
        dp.count("g", **limits),
        dp.mean("v", "g", **limits),
        dp.histogram("v", "g", bins=3, **limits),
        dp.count_units("g", max_groups=3),
    )
    return table, tuple(a for one in statistics for a in one.aggregates(table))


@pytest.fixture
def once(monkeypatch):
    """From here on rows are limited by one count by unit."""

    def act(*, pays=True):
        monkeypatch.setattr(connection.PostgresConnection, "size", lambda _self: 10**6)
        monkeypatch.setattr(repeats.Quicker, "pays", lambda _self, _found: pays)

    return act


def vectors(source, salt=7, **limits):
    table, aggregates = asked(source, **(limits or BOTH))
    return aggregates, opened(engine_for(source).prepare(table, aggregates).count(salt))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_both_ways_leave_the_same_rows(limits, kind, once):
    """Of hostile units: in many groups, in one again and again, in groups that share a place."""
    how = dict(zip(("max_groups", "max_rows_per_group"), limits, strict=True))
    source = source_of(crowd(sum(limits)), kind)
    plain = [vectors(source, salt, **how)[1] for salt in (0, 2**64 - 1)]
    once()

    assert [vectors(source, salt, **how)[1] for salt in (0, 2**64 - 1)] == plain
    assert plain[0] != plain[1]


def keeps_all(patch):
    """Ranks leave every group, and say of no row that it is one too many."""
    patch.setattr(bounding, "_at_once", lambda _grouping, rows, *_rest: rows.select("0 AS m"))


def chooses_none(patch):
    """Of whoever is named, all rows stay."""
    patch.setattr(bounding, "first_of", lambda _names, rows, *_rest: rows)


def chooses_all(patch):
    """Rows are chosen of everybody, and all of them."""
    patch.setattr(
        bounding, "_chosen",
        lambda _names, rows, _often, values, _limit: exp.select("u", "g", *values).from_(rows),
    )  # fmt: skip


def looks_away(patch):
    """The look clears everybody."""
    made = bounding.quick_query

    def cleared(*given):
        found = made(*given)
        found.args["having"].set("this", exp.false())
        return found

    patch.setattr(bounding, "quick_query", cleared)


def clears_closely(patch):
    """Nobody who is named is found to be beyond a limit."""
    made = bounding.unfit_query
    patch.setattr(bounding, "unfit_query", lambda *given: made(*given).where("FALSE"))


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


def is_still(new, limits=BOTH):
    """Whether a unit with these rows moves no vector too far."""
    aggregates, before = vectors(source_of(OTHERS), **limits)
    _, after = vectors(source_of(OTHERS + new), **limits)
    return is_within(aggregates, before, after)


@pytest.mark.parametrize("fault", [None, *HARMLESS])
def test_one_unit_moves_no_vector_too_far_whichever_barrier_fails(fault, once, monkeypatch):
    """Each of the two is enough, with the other one broken on purpose."""
    for act in HARMLESS.get(fault, []):
        act(monkeypatch)
    once()

    assert is_still(NEW)
    assert is_still([(99, 5, 3.0)] * 3)
    assert is_still([(99, 0, 3.0), (99, 64, 3.0), (99, 1, 3.0)])
    assert is_still([(99, 0, 3.0)] * 2)  # whom the look clears


@pytest.mark.parametrize("fault", HARM)
def test_where_both_barriers_fail_one_unit_would_move_a_vector_too_far(fault, once, monkeypatch):
    """The test above has power."""
    for act in HARM[fault]:
        act(monkeypatch)
    once()

    assert not is_still(NEW)


def test_ranks_alone_limit_rows(once, monkeypatch):
    """Without any look the rows that stay are the same."""
    source = source_of(crowd(3))
    plain = vectors(source)[1]
    once()
    looks_away(monkeypatch)
    unguarded(monkeypatch)

    assert vectors(source)[1] == plain


def ways(source, monkeypatch, **limits):
    """Which way a count takes: the names of the steps that tell."""
    told, said = [], connection.statement
    monkeypatch.setattr(connection, "statement", lambda *of: told.append(said(*of)) or told[-1])
    vectors(source, **limits)
    return "discreet_named_0" in told[-1].text, len(told)


def some(groups):
    """Units of some ten rows, in random groups out of so many."""
    chance = random.Random(groups)
    return [(chance.randrange(400), chance.randrange(groups), 1.0) for _ in range(4_000)]


FEW, MANY = some(GROUPS), some(3)


@pytest.mark.parametrize(
    ("rows", "is_once"),
    [(FEW, True), (MANY, False), (sorted(MANY), False)],
    ids=["few in a group", "many in a group", "unit after unit"],
)
def test_the_way_follows_from_how_many_rows_of_a_unit_are_in_a_group(rows, is_once, monkeypatch):
    """Of a table whose size the server knows, by its first rows."""
    source = source_of(rows)
    monkeypatch.setattr(repeats, "_FEW", 1_000)
    untold = ways(source, monkeypatch)
    source.execute("ANALYZE t")

    assert untold == (False, 2)  # planned, and counted
    assert ways(source, monkeypatch) == (is_once, 5)  # three are planned, the first rows looked at


def test_each_grouping_has_a_say(monkeypatch):
    """Few rows in a group of one column, and many over all: rows are limited as they were."""
    source = filled({"u": "bigint", "g": "int", "h": "int"}, [(u, g, 1) for u, g, _ in FEW])
    source.execute("ANALYZE t")
    monkeypatch.setattr(repeats, "_FEW", 1_000)
    keys = {"g": range(GROUPS), "h": [1, 2, 3]}
    found = dp.table(source, name="t", unit=unit("u"), keys=keys)
    told, said = [], connection.statement
    monkeypatch.setattr(connection, "statement", lambda *of: told.append(said(*of)) or told[-1])
    for by, is_once in [(["g"], True), (["h"], False), (["g", "h"], False)]:
        asked = [a for one in by for a in dp.count(one, **BOTH).aggregates(found)]
        engine_for(source).prepare(found, tuple(asked)).count(1)

        assert ("discreet_named_0" in told[-1].text) is is_once


def test_nothing_is_looked_at_where_there_is_one_way(monkeypatch):
    """One group of a unit, whose rows are counted by unit anyhow."""
    source = source_of(FEW)
    source.execute("ANALYZE t")
    monkeypatch.setattr(repeats, "_FEW", 1_000)
    one = {"max_groups": 1, "max_rows_per_group": 2}

    assert ways(source, monkeypatch, **one) == (False, 2)


def test_what_a_caller_reads_numbers_as_changes_nothing(once):
    """psycopg lets a connection read decimals as doubles."""
    source = source_of(crowd(4))
    once()
    plain = vectors(source)[1]
    source.adapters.register_loader("numeric", psycopg.types.numeric.FloatLoader)
    source.adapters.register_loader("int8", psycopg.types.numeric.FloatLoader)

    found = vectors(source)[1]

    assert found == plain
    assert {type(cell) for vector in found for cell in vector} == {int}


def test_a_small_table_is_counted_without_a_look_at_its_first_rows(monkeypatch):
    source = source_of(FEW)
    source.execute("ANALYZE t")

    assert ways(source, monkeypatch) == (False, 2)
