"""Filters with keys that are found: the pool is that of the rows that count, and units stay bounded."""

import random
from itertools import combinations_with_replacement

import pandas as pd
import pyarrow as pa
import pytest
from sqlglot import exp

import discreet as dp
from adversarial.moves import exceeds, move
from adversarial.test_unknown_keys import Near, small
from adversarial.worlds import histories
from discreet.engine.memory import MemoryEngine
from discreet.engine.select_engine import engine_for
from discreet.engine.sql import bounding
from discreet.finding.pairs import Pairs
from discreet.plan_file.plan_file import read_plan_file
from engine.sources import native_hash, opened
from servers import filled

pytestmark = pytest.mark.claim("C150")

REFERENCE = MemoryEngine(hash_of=native_hash)
WHERE = "grown AND NOT starts_with(coalesce(film, ''), 'x')"


def declared(
    source, *, most=2, groups=2, found=None, neighbors="add_remove", where=WHERE, sampling="native"
):
    """Films that are to be found among the rows of grown-ups; their age is read by an expression."""
    films = dp.table(
        source,
        unit=dp.unit("who", max_rows=most, sampling=sampling),
        columns={"stars": dp.bounds(0, 5, step="0.5")},
        keys={"film": dp.unknown(max_groups=groups)},
        neighbors=neighbors,
        name="films",
    ).derive(grown=dp.derived("age >= 18"), half=dp.derived("stars / 2", bounds=dp.bounds(0, 3)))
    films = films.where(where) if where else films
    return films if found is None else films.with_keys("film", found)


def questions(groups=2):
    """Of all found films, and of the rows of the old: their condition is decided beforehand."""
    old = {"by": "film", "max_groups": groups, "where": "age > 60 OR stars = 5"}
    return [
        dp.count(by="film", max_groups=groups),
        dp.count(**old),
        dp.count_units(**old),
        dp.mean("half", **old),
        dp.count(where="film IS NULL OR age > 60"),
    ]


def made(seed, many=200):
    """Rows of 25 units; an age may be missing, and then nobody knows whether it counts."""
    chance = random.Random(seed)
    return [
        {
            "who": f"p{chance.randrange(25)}",
            "film": chance.choice(["a", "b", "c", "xa", "é", None]),
            "age": chance.choice([3.0, 17.9, 18.0, 44.0, 61.0, None]),
            "stars": chance.choice([0.0, 2.5, 5.0, 5.1, None]),
        }
        for _ in range(many)
    ]


def csv_of(rows, folder):
    pd.DataFrame(rows).to_csv(folder / "films.csv", index=False)
    return str(folder / "films.csv")


SOURCES = {
    "pandas": lambda rows, _: pd.DataFrame(rows),
    "objects": lambda rows, _: pd.DataFrame(rows).astype(object),
    "arrow": lambda rows, _: pa.Table.from_pylist(rows),
    "csv": csv_of,
}


def pooled(source, engine=None, salt=3, **how):
    """Each key of the pool, with what the units add to it."""
    pairs = Pairs("film", (60, 42))
    pool = (engine or engine_for(source)).pooling(declared(source, **how), pairs).read(salt)
    size = len(pool.noise(lambda keys: [0] * len(keys)).opened_by_the_door())
    sums = pool.sums(frozenset()).opened_by_the_door()
    return {pool.names(frozenset([at]))[0]: sums[at] for at in range(size)}


def counted(source, engine=None, salt=3, **how):
    films = declared(source, found=("a", "é"), **how)
    aggregates = tuple(a for one in questions() for a in one.aggregates(films))
    return opened((engine or engine_for(source)).prepare(films, aggregates).count(salt))


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", SOURCES)
def test_pools_and_counts_are_those_of_the_reference(kind, tmp_path):
    """Key for key and integer for integer, where limits bind."""
    for seed in range(2):
        rows = made(seed)
        source = SOURCES[kind](rows, tmp_path)

        assert pooled(source, salt=seed) == pooled(rows, REFERENCE, salt=seed)
        assert counted(source, salt=seed) == counted(rows, REFERENCE, salt=seed)


def test_postgres_pools_and_counts_what_the_reference_does():
    """The same of a server, where rows are chosen alike; of Spark it is `test_spark` that asks."""
    rows, alike = made(4), {"salt": 4, "sampling": "portable"}
    kinds = {"who": "text", "film": "text", "age": "float8", "stars": "float8"}
    source = filled(kinds, [[row[name] for name in kinds] for row in rows], name="films")

    assert pooled(source, **alike) == pooled(rows, **alike)
    assert counted(source, **alike) == counted(rows, **alike)


def test_the_pool_is_that_of_the_rows_that_count():
    """A row of which nobody knows whether it counts has no key, and a unit of such rows none."""
    rows = made(5)
    some = [
        row
        for row in rows
        if row["age"] is not None and row["age"] >= 18 and (row["film"] or "")[:1] != "x"
    ]

    assert 0 < len(some) < len(rows)
    for make in (list, pd.DataFrame):
        assert pooled(make(rows)) == pooled(make(some), where=None)


FILMS = [("a", 17), ("a", 18), ("b", None), ("b", 70)]
KINDS = [kind for size in (0, 1, 2) for kind in combinations_with_replacement(FILMS, size)]


def world(kinds):
    """The rows of some units, each by the rows that it has."""
    return [
        {"who": f"u{n}", "film": film, "age": age, "stars": 5.0}
        for n, kind in enumerate(kinds)
        for film, age in kind
    ]


def check_worlds(pool_of, most):
    """All tables of so many units, against the same without any one of them."""
    near = Near()
    for size in range(1, most + 1):
        for kinds in combinations_with_replacement(KINDS, size):
            told = histories(pool_of(kinds), small(2))
            for left in range(size):
                fewer = kinds[:left] + kinds[left + 1 :]
                near.check(told, histories(pool_of(fewer), small(2)))
    return near


@pytest.mark.slow
def test_all_small_tables_with_a_filter_are_as_near_as_the_price_says():
    """15 kinds of units, up to two of them, one less: some rows count, some do not, some nobody knows."""

    def pool_of(kinds):
        films = declared(world(kinds))
        return MemoryEngine().pooling(films, small(2).pairs).read(5)

    assert len(check_worlds(pool_of, 2).seen) >= 10


@pytest.mark.slow
def test_a_filter_that_looks_at_other_units_is_caught():
    """The check has power: where rows count while few have the film, one unit takes others' keys."""

    def pool_of(kinds):
        rows = world(kinds)
        crowd = [*rows, *({**row, "who": f"{row['who']} again"} for row in rows)]
        films = [row["film"] for row in rows]
        lonely = [row for row in crowd if films.count(row["film"]) == 1]
        return MemoryEngine().pooling(declared(lonely, where=None), small(2).pairs).read(5)

    with pytest.raises(AssertionError):
        check_worlds(pool_of, 2)


@pytest.mark.exhaustive
@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize("groups", [1, 2])
def test_no_unit_moves_an_answer_over_found_keys_too_far(groups, neighbors):
    """Every kind of unit beside a crowd, whatever was found, salt by salt, for limits of one and two."""
    crowd = made(1, 40)
    for found in ((), ("a",), ("a", "b")):
        films = declared([], most=groups, groups=groups, found=found, neighbors=neighbors)
        aggregates = tuple(a for one in questions(groups) for a in one.aggregates(films))

        def vectors(kind, salt, how=(found, aggregates)):
            own = [{**row, "who": "own"} for row in world([kind])]
            rows = declared([*own, *crowd], most=groups, groups=groups, found=how[0])
            return opened(MemoryEngine().prepare(rows, how[1]).count(salt))

        for salt in range(2):
            every = [vectors(kind, salt) for kind in KINDS]
            others = every if neighbors == "replace" else [vectors((), salt)]
            for one in every:
                for other in others:
                    for aggregate, a, b in zip(aggregates, one, other, strict=True):
                        assert not exceeds(move(a, b), aggregate.sensitivity)


def orders(count_of):
    """The same rows in some orders: units of many rows that tie on the grid, but not in a condition."""
    rows = [
        {"who": f"u{n % 30}", "film": "ab"[n % 2], "age": 20.0, "stars": 4 + (n * 7919 % 49) / 100}
        for n in range(600)
    ]
    films = declared([], found=("a", "b"), where=None)
    asked = dp.count(by="film", where="stars > 4.2", max_groups=2).aggregates(films)
    asked += dp.sum("stars", by="film", max_groups=2).aggregates(films)
    shuffled = (random.Random(n).sample(rows, len(rows)) for n in range(4))
    return {count_of(pa.Table.from_pylist(one), asked) for one in shuffled}


def by_duckdb(source, asked):
    films = declared(source, found=("a", "b"), where=None)
    return tuple(opened(engine_for(source).prepare(films, asked).count(7)))


def test_what_is_counted_of_found_keys_depends_on_no_order():
    """Whether a condition holds is part of what rows are chosen by."""
    assert len(orders(by_duckdb)) == 1


def test_a_filter_that_is_read_from_raw_cells_after_bounding_is_caught(monkeypatch):
    """The check has power: of rows that tie on the grid any may stay, and another stays each time."""
    whole = bounding.rows

    def forgetful(names, groupings):
        query = whole(names, groupings)
        for window in query.find_all(exp.Window):
            for one in window.find_all(exp.Column):
                if one.name.startswith("t"):
                    one.replace(exp.Literal.number(1))
            kept = [o for o in window.args["order"].expressions if not o.find(exp.Literal)]
            window.args["order"].set("expressions", kept)
        for one in list(query.find_all(exp.Anonymous)):
            if one.name.upper() == "HASH":
                one.set("expressions", [e for e in one.expressions if e.name != "t0"])
        return query

    monkeypatch.setattr("discreet.engine.sql.query.rows", forgetful)

    assert len(orders(by_duckdb)) > 1


def test_a_plan_file_filters_and_finds(tmp_path):
    """The plan says which rows count; the release is checked with its filter."""
    pd.DataFrame(made(3)).to_csv(tmp_path / "films.csv", index=False)
    (tmp_path / "films.toml").write_text(
        """\
        [data]
        source = "films.csv"
        unit = { column = "who", max_rows = 2 }
        where = "age >= 18"
        [keys]
        film = { unknown = true, max_groups = 2 }
        [spend]
        epsilon = 9
        delta = "1e-3"
        [[ask]]
        statistic = "count"
        by = "film"
        where = "stars = 5"
        """,
        encoding="utf-8",
    )
    plan = read_plan_file(tmp_path / "films.toml").plan
    release = dp.run(plan, ledger=dp.ledger(tmp_path / "l", budget=dp.approx(9, "1e-3")))

    assert "Rows: those where age >= 18." in str(plan)
    assert release.keys() == ["count by film where stars = 5"]
    assert {"other"} < {str(row["film"]) for row in release[release.keys()[0]]}
    assert "thresholds and price of finding film follow" in str(dp.verify(release))
