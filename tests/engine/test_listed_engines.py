"""Every engine of the register counts what the reference counts, and bounds units as it does.

Each engine is given random tables by its own examples; what it refuses in `prepare` it need not
count, but rows by group it must. Which rows of a unit stay is an engine's own choice: where limits
bind, compared are the numbers that no choice changes, and how far one unit moves a vector. On Spark
a query takes seconds: there are fewer tables, and all questions of one are one query (`make spark`).
"""

import random

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from adversarial.moves import exceeds, move
from adversarial.test_one_unit import QUERIES
from discreet.engine.memory import MemoryEngine
from discreet.engine.select_engine import ENGINES, engine_for
from discreet.errors import InputError
from discreet.schema import ROW, unit
from discreet.statistic.catalog import LISTED, statistic_of
from discreet.statistic.count import count, count_units
from engine.sources import opened
from engine.unguarded import unguarded
from property.strategies import KEYS, declared, salts
from servers import postgres_examples, spark_examples

ELSEWHERE = {"made"}  # by a function: `test_made`
SLOW = {"spark"}
EXAMPLES = {"postgres": postgres_examples, "spark": spark_examples}  # sources that a server holds
NAMES = [name for name in ENGINES if name not in ELSEWHERE]
EVERY_ENGINE = pytest.mark.parametrize("name", NAMES)
ENGINE = pytest.mark.parametrize("name", [name for name in NAMES if name not in SLOW])
SLOWLY = pytest.mark.parametrize("name", sorted(SLOW))
SETTINGS = {
    "suppress_health_check": list(HealthCheck),
    "phases": (Phase.explicit, Phase.generate),  # rows are few: a failure needs no long shrinking
}
UNITS = ["ann", "bob", "Ann", "ann ", "o'hara; --", None]
FULL = {"who": "full", "ward": "B", "floor": 1.0, "cost": 1.0, "age": 2.0}  # each column has a type
NOBODY = {"who": "full", "ward": "elsewhere", "floor": 9.0, "cost": 1.0, "age": 2.0}
CELLS = {
    "who": UNITS,
    "ward": [*KEYS["ward"], "elsewhere", None],
    "floor": [0.0, 1.0, 2.0, 3.0, None],
    "cost": [0.0, -0.0, 1.0, 2.25, -7.0, 99.0, 1e300, None],
    "age": [0.0, 0.5, 2.0, 5e-324, -1e308, None],
}
ROWS = st.lists(
    st.fixed_dictionaries({name: st.sampled_from(cells) for name, cells in CELLS.items()}),
    max_size=20,
).map(lambda rows: [FULL, *rows])


def drawn(seed, many=60):
    """Rows of the same cells, drawn once."""
    chance = random.Random(seed)
    return [FULL, *({name: chance.choice(cells) for name, cells in CELLS.items()}
                    for _ in range(many))]  # fmt: skip


CROWD = [  # every limit binds: three units with one to four rows in each of three groups
    {**FULL, "who": who, "ward": ward, "cost": float(cost)}
    for who, many in [("ann", 4), ("bob", 3), ("Ann", 1)]
    for ward in ("A", "B", "it's")
    for cost in range(many)
]


def counted(name, rows, questions, salt=0, **how):
    """What an engine counts of rows, source by source; None for a question that it refuses."""
    columns = {column: [row[column] for row in rows] for column in FULL}
    for source in EXAMPLES.get(name, ENGINES[name].examples)(columns):
        assert type(engine_for(source)) is type(ENGINES[name].make())
        if name in SLOW:
            yield all_counted(source, questions, salt, how)
        else:
            yield [one_counted(source, question, salt, how) for question in questions]


def all_counted(source, questions, salt, how):
    """What is counted of all questions in one query, of which none may be refused."""
    table = declared(source, **how)
    each = [question.aggregates(table) for question in questions]
    found = iter(opened(engine_for(source).prepare(table, sum(each, ())).count(salt)))
    return [[next(found) for _ in one] for one in each]


def one_counted(source, question, salt, how):
    table = declared(source, **how)
    try:
        prepared = engine_for(source).prepare(table, question.aggregates(table))
    except InputError:
        return None
    return opened(prepared.count(salt))


def reference(rows, question, salt=0, **how):
    table = declared(list(rows), **how)
    return opened(MemoryEngine().prepare(table, question.aggregates(table)).count(salt))


EVERY = [
    statistic_of({"statistic": name, **options, "by": by})
    for name, one in LISTED.items()
    for options in one.examples(declared([], unit=ROW))
    for by in ([], ["ward"], ["floor", "ward"])
    if by or not one.chooses
]


@EVERY_ENGINE
def test_an_engine_brings_sources_that_try_it(name):
    """At least one, which the register gives to this engine, and of which rows can be counted."""
    every = list(counted(name, [FULL], [count("ward"), count()], unit=ROW))

    assert every
    assert all(found == [[(0, 1, 0, 0)], [(1,)]] for found in every)


WHOSE = pytest.mark.parametrize("whose", [ROW, unit("who", max_rows=99)], ids=str)


def check_integers(name, whose, rows, salt, some):
    """Every integer is that of the reference."""
    asked = [count(["floor", "ward"]), count_units("ward"), *some]
    expected = [reference(rows, question, salt, unit=whose) for question in asked]

    for found in counted(name, rows, asked, salt, unit=whose):
        assert found[0] is not None
        for one, other in zip(found, expected, strict=True):
            assert one in (None, other)


@pytest.mark.exhaustive("listed engines")
@ENGINE
@pytest.mark.slow
@WHOSE
@settings(max_examples=10, **SETTINGS)
@given(rows=ROWS, salt=salts(), some=st.lists(st.sampled_from(EVERY), min_size=3, max_size=3))
def test_where_no_limit_binds_the_integers_are_those_of_the_reference(
    name, whose, rows, salt, some
):
    """Of any rows, for every statistic of the register that the engine does not refuse."""
    check_integers(name, whose, rows, salt, some)


@SLOWLY
@pytest.mark.slow
@WHOSE
def test_so_they_are_where_an_engine_is_slow(name, whose):
    """Of one table, for some statistics of the register."""
    check_integers(name, whose, drawn(1), 3, random.Random(str(whose)).sample(EVERY, 4))


LIMITED = {  # of vectors that no choice of rows changes, or whose sum it does not change
    "rows of each group": (unit("who"), {"max_rows_per_group": 2}, tuple),
    "rows of a unit": (unit("who", max_rows=2), {}, sum),
    "groups of a unit": (unit("who"), {"max_groups": 2, "max_rows_per_group": 1}, sum),
}
LIMIT = pytest.mark.parametrize("limit", LIMITED)


def check_kept(name, limit, rows, salt):
    """As much is kept as by the reference."""
    whose, limits, made = LIMITED[limit]
    asked = [count("ward", **limits)]
    if limit != "rows of a unit":  # which may lie in one group, or in several
        asked.append(count_units("ward", **limits))
    pairs = [reference(rows, question, salt, unit=whose) for question in asked]
    expected = [made(vector) for (vector,) in pairs]

    for found in counted(name, rows, asked, salt, unit=whose):
        for one, other in zip(found, expected, strict=True):
            assert one is None or made(one[0]) == other


@pytest.mark.exhaustive("listed engines")
@ENGINE
@pytest.mark.claim("C07")
@pytest.mark.slow
@LIMIT
@settings(max_examples=20, **SETTINGS)
@example(rows=CROWD, salt=5)
@given(rows=ROWS, salt=salts())
def test_where_a_limit_binds_as_much_is_kept_as_by_the_reference(name, limit, rows, salt):
    """Not more, which would cost privacy, and not less, as where the second look cuts a unit off."""
    check_kept(name, limit, rows, salt)


@SLOWLY
@pytest.mark.claim("C07")
@pytest.mark.slow
@LIMIT
def test_as_much_is_kept_where_an_engine_is_slow(name, limit):
    """Of one table, in which every limit binds among hostile cells."""
    check_kept(name, limit, CROWD + drawn(2), 5)


@pytest.mark.claim("C07")
@pytest.mark.slow
@pytest.mark.parametrize("name", ["duckdb", "postgres", "spark"])
def test_an_engine_that_keeps_twice_as_many_rows_is_caught(name, monkeypatch):
    """The check has power on each, without the second look."""
    unguarded(monkeypatch)
    monkeypatch.setattr(*QUERIES["keeps twice as many rows"])

    with pytest.raises(AssertionError):
        check_kept(name, "rows of a unit", CROWD, 5)


def check_moves(name, limit, pair, salt, neighbors):
    """One unit moves no vector too far, and the order of rows none at all."""
    (rows, after), (whose, limits, _) = pair, LIMITED[limit]
    how = {"unit": whose, "neighbors": neighbors}
    asked = [count("ward", **limits), count_units("ward", **limits), count(**limits)]

    one = list(counted(name, rows, asked, salt, **how))
    assert list(counted(name, rows[::-1], asked, salt, **how)) == one
    for before, then in zip(one, counted(name, after, asked, salt, **how), strict=True):
        for question, a, b in zip(asked, before, then, strict=True):
            (aggregate,) = question.aggregates(declared([], **how))
            assert a is None or not exceeds(move(a[0], b[0]), aggregate.sensitivity)


def neighbor(rows, other, gone, salt):
    """The rows without those of a unit, with those of another, in another order."""
    newcomer = [{**row, "who": "new"} for row in other]
    after = [row for row in rows if row["who"] != gone or gone is None] + newcomer
    random.Random(salt).shuffle(after)
    return after


@pytest.mark.exhaustive("listed engines")
@ENGINE
@pytest.mark.claim("C07")
@pytest.mark.claim("C08")
@pytest.mark.slow
@LIMIT
@settings(max_examples=8, **SETTINGS)
@given(
    rows=ROWS,
    other=ROWS,
    salt=salts(),
    neighbors=st.sampled_from(["add_remove", "replace"]),
    data=st.data(),
)
def test_one_unit_moves_no_vector_too_far_and_order_none(
    name, limit, rows, other, salt, neighbors, data
):
    """Salt by salt, with the rows of its neighbor in another order, for both relations by turns."""
    gone = data.draw(st.sampled_from(UNITS))
    after = neighbor(rows, other if neighbors == "replace" else [], gone, salt)
    check_moves(name, limit, (rows, after), salt, neighbors)


@SLOWLY
@pytest.mark.claim("C07")
@pytest.mark.claim("C08")
@pytest.mark.slow
def test_so_it_is_where_an_engine_is_slow(name):
    """The unit of most rows is exchanged, where groups and rows of each are limited."""
    rows = CROWD + drawn(3)
    pair = rows, neighbor(rows, drawn(4, 20), "ann", 3)
    check_moves(name, "groups of a unit", pair, 7, "replace")


@pytest.mark.exhaustive("listed engines")
@EVERY_ENGINE
def test_a_table_of_no_row_that_counts_is_answered_with_zeros(name):
    """Whole vectors, for every statistic that the engine does not refuse; of a slow one for some."""
    asked = [one for one in EVERY if one.ask.by]
    for found in counted(name, [NOBODY], asked[::7] if name in SLOW else asked, unit=ROW):
        assert any(vectors is not None for vectors in found)
        assert {n for vectors in found for vector in vectors or [] for n in vector} == {0}
