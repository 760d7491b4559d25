"""The tiny tables of `test_tight`, `test_spread` and `test_ball` on servers, all in one query.

Each table is a world with a number of its own: the number is a key, and part of the name of each
unit. So a vector is cut into those of the worlds, and no unit is in two of them.
"""

import random
from dataclasses import replace
from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np
import pyarrow as pa
import pytest

import discreet as dp
from adversarial import test_spread as spread
from adversarial import test_tight as tight
from adversarial.moves import declared_move, exceeds
from adversarial.test_one_unit import QUERIES
from discreet.engine.select_engine import engine_for
from discreet.schema import keys, table
from discreet.sensitivity import Sensitivity
from engine import test_ball as balls
from engine.sources import opened
from engine.unguarded import unguarded
from servers import placed

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


def in_worlds(tables, whose="who"):
    """The rows of all tables, each with the number of its world."""
    return [
        {**row, whose: f"{number} {row[whose]}", "world": number}
        for number, rows in enumerate(tables)
        for row in rows
    ]


def counted(source, aggregates, worlds, **how):
    """For each aggregate its vectors, world by world."""
    known = table(
        source, name="t", **{**how, "keys": {"world": range(worlds), **how.get("keys", {})}}
    )
    asked = tuple(replace(one, by=("world", *one.by), transform=None) for one in aggregates)
    found = opened(engine_for(source).prepare(known, asked).count(5))
    return [
        [
            tuple(one.transform.applied(part) if one.transform else part)
            for part in np.array(vector, dtype=object).reshape(worlds, -1).tolist()
        ]
        for one, vector in zip(aggregates, found, strict=True)
    ]


TYPES = {"who": pa.string(), "ward": pa.string(), "world": pa.int32()}
TYPES |= {name: pa.float64() for name in tight.COLUMNS}


@cache
def stored(server, which, shape):
    """The tables of one shape on a server; and how many they are."""
    tables = tight.tables(which, shape)
    rows = pa.Table.from_pylist(in_worlds(tables), schema=pa.schema(TYPES))
    return placed(server, rows), len(tables)


def vectors(server, which, shape, aggregates):
    """For each aggregate its vector of every world; first that of the others alone."""
    source, worlds = stored(server, which, shape)
    known = {
        "unit": tight.UNITS[which][0],
        "columns": tight.COLUMNS,
        "keys": {"ward": [f"w{i}" for i in range(tight.SHAPES[shape][0])]},
    }
    return counted(source, aggregates, worlds, **known)


def moves_of(server, which, shape, aggregates):
    """What `test_tight` compares with the declared moves."""
    every = tuple(dict.fromkeys(map(tight.counted, aggregates)))
    found = vectors(server, which, shape, every)
    distinct = (np.array([*dict.fromkeys(one)], dtype=np.int64) for one in found)
    return dict(zip(every, distinct, strict=True))


CASES = [
    ("postgres", "at most 2", "few"),
    ("postgres", "by group", "few"),
    ("postgres", "at most 1", "wide"),
    ("spark", "at most 2", "few"),
]
BOTH = ["add_remove", "replace"]
SLOW = {"count", "count_units", "sum", "variance"}  # where each expression takes long to compile


def some(server, which, shape, neighbors):
    """Of each statistic a few questions, drawn from all with all limits; on Spark one of a few."""
    every = tight.asked(which, shape, neighbors)
    if server == "spark":
        every = [one for one in every if one[0] in SLOW]
    random.Random(f"{which} {neighbors}").shuffle(every)
    names, most = [name for name, _ in every], 1 if server == "spark" else 5
    return [one for at, one in enumerate(every) if names[:at].count(one[0]) < most]


@pytest.mark.exhaustive
@pytest.mark.claim("C07")
@pytest.mark.parametrize(("server", "which", "shape"), CASES)
def test_the_largest_move_of_one_unit_is_the_declared_one(server, which, shape):
    """A few questions of every statistic that is no choice, all tables of one unit among others."""
    relations = tight.RELATIONS.get(shape, BOTH)
    named = {one: some(server, which, shape, one) for one in relations}

    every = moves_of(server, which, shape, [a for one in named.values() for _, a in one])

    for neighbors, one in named.items():
        assert {name for name, _ in one} >= SLOW
        assert tight.wrong(shape, neighbors, one, every) == []


FAULTS = ["forgets to clamp", "keeps twice as many rows", "drops a question's limits"]


@pytest.mark.claim("C07")
@pytest.mark.parametrize("fault", ["nothing", *FAULTS])
def test_a_query_with_a_planted_fault_is_caught(fault, monkeypatch):
    """The check has power on a server, without the second look: too large a move is seen."""
    which = "by group" if fault == FAULTS[2] else "at most 1"
    every = [one for one in tight.asked(which, "few", "add_remove") if one[0] in ("count", "sum")]
    named = [one for one in every if one[1].max_groups == one[1].max_rows_per_group == 1]
    unguarded(monkeypatch)
    monkeypatch.setattr(*QUERIES[fault])

    every = moves_of("postgres", which, "few", [aggregate for _, aggregate in named])

    assert (tight.wrong("few", "add_remove", named, every) == []) == (fault == "nothing")


@pytest.mark.claim("C60", "C125")
@pytest.mark.parametrize(
    ("server", "neighbors"), [*product(["postgres"], BOTH), ("spark", "replace")]
)
def test_no_choice_is_between_numbers_that_one_unit_moves_further_apart(server, neighbors):
    """Of keys by rows and by sums, and of bins by ranks; by rows and by medians just so far."""
    which, shape = "at most 2", "few"
    keyed = spread.asked(which, shape, neighbors)
    ranked = spread.ranked(which, shape, neighbors, "0.5")

    every = vectors(server, which, shape, [*keyed, *ranked])

    for one, found in zip([*keyed, *ranked], every, strict=True):
        starts = dict.fromkeys(found) if neighbors == "replace" else found[:1]
        pairs = [*product(starts, dict.fromkeys(found))]
        if one.choice.rank:
            moved = [[*spread.apart(one, a, b)] for a, b in pairs]
            assert 0 < max(map(max, moved)) <= one.choice.spread
            assert 0 < max(map(sum, moved)) <= one.choice.whole
        else:
            moved = [[y - x for x, y in zip(a, b, strict=True)] for a, b in pairs]
            furthest = max(max(one) - min(one) for one in moved)
            assert 0 < furthest <= one.choice.spread
            assert one.measures[0].kind != "rows" or furthest == one.choice.spread
    assert len(keyed) >= 6
    assert len(ranked) >= 2


IN_BALLS = {"postgres": [*product([None, "k"], [None, 1, 2])], "spark": [("k", 1), (None, 2)]}


@cache
def balls_moved(server):
    """Sums of points with their balls, and the largest moves of one unit among all tables of few."""
    rows = [balls.row(x, y, k) for k in "AB" for x, y in balls.FEW]
    tables = [one for n in range(3) for one in combinations_with_replacement(rows, n)]
    schema = balls.SCHEMA.append(pa.field("world", pa.int32()))
    source = placed(server, pa.Table.from_pylist(in_worlds(tables), schema=schema))
    how = {"unit": dp.unit("who", max_rows=2), "neighbors": "add_remove"}
    known = balls.declared([], **how)
    asked = [
        (aggregate, ball)
        for by, ball in IN_BALLS[server]
        for aggregate in dp.mean(["x", "y"], by, ball=ball).aggregates(known)
    ]
    aggregates = [aggregate for aggregate, _ in asked]

    every = counted(
        source, aggregates, len(tables), columns=known.columns, keys={"k": ["A", "B"]}, **how
    )
    distinct = (np.array([*dict.fromkeys(found)], dtype=np.int64) for found in every)
    moves = (tight.largest_moves("add_remove", one) for one in distinct)
    return [(*one, furthest) for one, furthest in zip(asked, moves, strict=True)]


@pytest.mark.claim("C07")
@pytest.mark.parametrize("server", IN_BALLS)
def test_the_furthest_move_in_a_ball_is_the_declared_one(server):
    """In squares and in one cell exactly, as `test_ball` asks of the reference."""
    for one, _, furthest in balls_moved(server):
        assert furthest[0] <= one.sensitivity.l1
        assert furthest[1:] == declared_move(one.sensitivity)[1:]
        assert furthest[1] > Sensitivity(1, 1, 1).l2_squared


@pytest.mark.claim("C07")
@pytest.mark.parametrize("server", IN_BALLS)
def test_a_sensitivity_that_leaves_out_the_count_is_caught(server):
    """The check has power in squares: the largest moves are beyond it, for every ball."""
    for one, ball, furthest in balls_moved(server):
        if ball is not None:
            radius, rows = 2 * ball, 2  # half steps; of a unit
            squares = rows**2 * radius**2
            planted = replace(one.sensitivity, l2_squared=squares)
            assert not exceeds(furthest, one.sensitivity)
            assert exceeds(furthest, planted)


@pytest.mark.claim("C65")
def test_a_group_for_every_other_row_moves_no_further_than_declared():
    """Rows that no listed key names are in it, and all groups together have every row."""
    which, shape = "at most 2", "few"
    source, worlds = stored("postgres", which, shape)
    known = {
        "unit": tight.UNITS[which][0],
        "columns": tight.COLUMNS,
        "keys": {"ward": keys("w0", "w1", other="none of them")},
    }
    declared = table([], **known)
    asked = [
        aggregate
        for question in (
            dp.count("ward"),
            dp.count(),
            dp.sum("signed", "ward"),
            dp.count_units("ward", max_groups=1),
        )
        for aggregate in question.aggregates(declared)
    ]

    every = counted(source, asked, worlds, **known)

    for one, found in zip(asked, every, strict=True):
        moved = np.array([*dict.fromkeys(found)], dtype=np.int64)
        assert tight.largest_moves("add_remove", moved) == declared_move(one.sensitivity)
    assert [sum(groups) for groups in every[0]] == [whole for (whole,) in every[1]]
