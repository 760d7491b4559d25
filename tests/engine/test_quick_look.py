"""The quick look at whom to look at closely, in the words of each engine: it clears nobody wrongly.

Spark does not take it: measured, it gains nothing there.
"""

import random
from collections import Counter

import duckdb
import pyarrow as pa
import pytest
from sqlglot import exp

from discreet.engine.guard import Limits, fit
from discreet.engine.postgres.dialect import POSTGRES
from discreet.engine.sql.dialect import DUCKDB
from discreet.engine.sql.guard import quick_query, unfit_query
from servers import placed

pytestmark = [pytest.mark.claim("C35"), pytest.mark.of_speed]

ENGINES = {
    "duckdb": DUCKDB,
    "postgres": POSTGRES,
}
DIALECTS = pytest.mark.parametrize("dialect", ENGINES.values(), ids=ENGINES)
NUMBERS = [0, 1, 64, 65, 128, -1, -64, -(2**31), 2**31 - 1, -(2**63), 2**63 - 1, None]
LIMITS = [
    Limits(2, 4, 2),
    Limits(3, None, 1),
    Limits(9, 7, 4),
    Limits(5, None, 3),
    Limits(2, None, None),
]


def asking(dialect, rows):
    """What asks an engine of rows, in a table called t: u and g."""
    found = pa.table({"u": [u for u, _ in rows], "g": pa.array([g for _, g in rows], pa.int64())})
    source = found if dialect.name == "duckdb" else placed(dialect.name, found)
    if dialect.name == "duckdb":
        source = duckdb.connect()
        source.register("t", found)
    return lambda query: source.execute(query.sql(dialect.name)).fetchall()


def beyond(ask, limits, taken):
    """Who is beyond a limit, of those that the quick look does not clear."""
    quick = quick_query("t", limits, taken)
    query = unfit_query("t", limits, "quick").with_("quick", quick)
    return {who for (who,) in ask(query)}


def worlds():
    """Units with up to nine rows each, in up to ten groups of the strangest numbers."""
    chance = random.Random(5)
    return {
        who: [chance.choice(NUMBERS[who % 7 :][: 1 + who % 5]) for _ in range(1 + chance.randrange(9))]
        for who in range(300)
    }  # fmt: skip


@DIALECTS
def test_after_a_quick_look_the_same_units_are_beyond_a_limit(dialect):
    """Groups of the ends of 64 bits, negative ones, and none; by the reference, and by each engine."""
    there = worlds()
    ask = asking(dialect, [(who, group) for who, groups in there.items() for group in groups])
    counts = {who: Counter(groups).values() for who, groups in there.items()}

    for limits in LIMITS:
        expected = there.keys() - fit(counts, limits)

        assert beyond(ask, limits, dialect.speed.takes) == expected
        assert 20 < len(expected) < 280


@DIALECTS
def test_places_that_are_counted_twice_would_be_seen(dialect):
    """The test above has power: one place more than there is clears units that are beyond."""
    there = worlds()
    ask = asking(dialect, [(who, group) for who, groups in there.items() for group in groups])
    counts = {who: Counter(groups).values() for who, groups in there.items()}

    def too_many(group):
        return exp.paren(exp.Add(this=dialect.speed.takes(group), expression=exp.Literal.number(1)))

    missed = [
        there.keys() - fit(counts, limits) - beyond(ask, limits, too_many) for limits in LIMITS
    ]

    assert any(missed)


@DIALECTS
def test_places_are_those_of_the_last_six_binary_digits(dialect):
    """Of 64 numbers in a row each has its own; no number fails, and none at all take no place."""
    rows = [(n, g) for n, g in enumerate(NUMBERS)]
    rows += [(100, g) for g in range(-32, 32)] + [(101, 64 * g) for g in range(-5, 5)]
    ask = asking(dialect, rows)
    query = exp.select("u", dialect.speed.takes(exp.column("g"))).from_("t").group_by("u")

    found = {who: int(taken) for who, taken in ask(query)}

    assert found == {n: int(g is not None) for n, g in enumerate(NUMBERS)} | {100: 64, 101: 1}


@DIALECTS
def test_few_units_within_their_limits_are_looked_at_closely(dialect):
    """Of 2,000 units with five groups each: that these take two places has a chance of 6e-5."""
    chance = random.Random(1)
    ask = asking(dialect, [(i // 5, chance.randrange(10**6)) for i in range(10_000)])

    assert len(ask(quick_query("t", Limits(5, 15, 3), dialect.speed.takes))) < 20
