"""Every engine tells the cells that hold rows of a sparse count, with their places, and no other.

They are those of the whole vector, where that can be counted at all; of joins, conditions and units
with many rows. No false alarm: no coin is thrown but the salt that chooses rows, which is one.
"""

import pandas as pd
import pytest

import discreet as dp
from discreet.aggregate import Exact
from discreet.engine.select_engine import engine_for
from discreet.schema import ROW, unit
from discreet.statistic.count import count, count_units
from engine.test_listed_engines import CROWD, EXAMPLES, NAMES, SLOW, drawn
from property.strategies import declared

RULE = dp.publish(at_least=2, most=100)
BY = ["floor", "ward"]
ASKED = {
    "rows": (ROW, {}),
    "one group": (unit("who", max_rows=9), {"max_groups": 9}),
    "limits": (unit("who"), {"max_rows_per_group": 2}),
    "where": (ROW, {"where": "cost > 0"}),
}
SALT = 5


def sources(name, rows):
    from discreet.engine.select_engine import ENGINES

    columns = {column: [row[column] for row in rows] for column in rows[0]}
    return EXAMPLES.get(name, ENGINES[name].examples)(columns)


def questions(**limits):
    """Each question told sparsely, and of all cells."""
    for asked in (count, count_units):
        yield asked(BY, publish=RULE, **limits)
        yield asked(BY, **limits)


def held(exact):
    """The cells that are not 0, by their places."""
    return {place: n for place, n in exact.cells_opened_by_the_door().items() if n}


@pytest.mark.exhaustive
@pytest.mark.claim("C465")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in NAMES]
)
@pytest.mark.parametrize("asked", ASKED)
def test_the_cells_that_hold_rows_are_those_of_the_whole_vector(name, asked):
    """In one query, sparse and whole, over the same choice of rows; in whatever order."""
    whose, limits = ASKED[asked]
    for rows in (drawn(7, 90), CROWD):
        for source in sources(name, rows):
            table = declared(source, unit=whose)
            vectors = [vector for one in questions(**limits) for vector in one.aggregates(table)]
            counted = engine_for(source).prepare(table, tuple(vectors)).count(SALT)
            sparse, whole = counted[::2], counted[1::2]

            assert [one._cell_places is None for one in counted] == [False, True] * 2
            assert [*map(held, sparse)] == [*map(held, whole)]
            assert any(map(held, whole))


@pytest.mark.parametrize("of", ["frame", "memory", "postgres"])
def test_of_a_billion_cells_the_last_has_its_place(of):
    """No place is cut to 32 bits on its way: of 10^15 cells, too."""
    keys = dict.fromkeys("abcde", range(1_000))
    rows = [dict.fromkeys("abcde", 999), dict.fromkeys("abcde", 0), {**dict.fromkeys("abcde", 1)}]
    rows = [{name: float(key) for name, key in row.items()} for row in rows]
    if of == "postgres":
        (source,) = EXAMPLES["postgres"]({n: [row[n] for row in rows] for n in "abcde"})
    else:
        source = pd.DataFrame(rows) if of == "frame" else rows
    table = dp.table(source, unit="row", keys=keys, name="t")
    for by, last in (("abc", 10**9 - 1), ("abcde", 10**15 - 1)):
        (vector,) = count([*by], publish=RULE).aggregates(table)
        (exact,) = engine_for(source).prepare(table, (vector,)).count(SALT)

        ones = sum(1_000**place for place in range(len(by)))
        assert held(exact) == {0: 1, ones: 1, last: 1}


def test_joined_rows_are_told_sparsely(tmp_path):
    """Keys of two tables: the cells of the reference, on DuckDB and in memory."""
    people = pd.DataFrame({"who": range(40), "ward": [n % 7 for n in range(40)]})
    visits = pd.DataFrame(
        {"who": [n % 45 for n in range(300)], "hour": [n % 24 for n in range(300)]}
    )
    people.to_csv(tmp_path / "people.csv", index=False)
    visits.to_csv(tmp_path / "visits.csv", index=False)
    found = []
    for first, second in (
        (str(tmp_path / "visits.csv"), str(tmp_path / "people.csv")),
        (visits.to_dict("records"), people.to_dict("records")),
    ):
        table = dp.table(
            first,
            unit=dp.unit("who", max_rows=10),
            keys={"ward": range(1_000), "hour": range(24)},
            name="visits",
        ).joined(dp.join(second, gives=["ward"], name="people"))
        (vector,) = count(["ward", "hour"], publish=RULE).aggregates(table)
        (exact,) = engine_for(first).prepare(table, (vector,)).count(SALT)
        found.append(held(exact))

    assert found[0] == found[1]
    assert sum(found[0].values()) == sum(n % 45 < 40 for n in range(300))


def test_a_sealed_sparse_vector_says_nothing():
    """Neither its sums nor its places are printed, compared, copied or stored."""
    exact = Exact((3, 4), (17, 10**9))

    assert "17" not in repr(exact)
    assert "3" not in repr(exact)
