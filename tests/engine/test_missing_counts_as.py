"""A column that says what a missing cell counts as is complete, on every engine and in every statistic."""

import duckdb
import pandas as pd
import pytest

import discreet as dp
from discreet.engine.select_engine import engine_for

pytestmark = pytest.mark.claim("C112")

CELLS = [0, 3, None, float("nan"), 7, "x", "", 12, True, None, "5"]
PLAIN = [0, 3, 4, 4, 7, 4, 4, 10, 1, 4, 5]  # as they count: clamped to 10, missing as 4
NUMBERS = [0.0, 3.0, None, float("nan"), 7.0, None, None, 12.0, 1.0, None, 5.0]
STATISTICS = {
    "sum": dp.sum("v", by="k"),
    "mean": dp.mean("v", by="k"),
    "histogram": dp.histogram("v", bins=5),
    "variance": dp.variance("v"),
    "median": dp.median("v"),
    "covariance": dp.covariance(["v", "w"]),
    "several": dp.mean(["v", "w"], by="k"),
    "count": dp.count(by="k"),
}


def sources(folder, cells):
    """The same rows as a list of dicts, a frame of objects, a CSV file and a table with types."""
    rows = [{"k": n % 2, "v": v, "w": n % 4} for n, v in enumerate(cells)]
    yield rows
    frame = pd.DataFrame(
        {"k": [n % 2 for n in range(len(rows))], "w": [n % 4 for n in range(len(rows))]}
    )
    frame["v"] = pd.Series(cells, dtype=object)
    yield frame
    file = folder / f"{len(list(folder.iterdir()))}.csv"
    lines = [f"{row['k']},{'' if row['v'] is None else row['v']},{row['w']}" for row in rows]
    file.write_text("k,v,w\n" + "\n".join(lines) + "\n")
    yield str(file)


def vectors(source, statistic, missing, **name):
    """What an engine counts, in steps."""
    columns = {"v": dp.bounds(0, 10, step=1, missing=missing), "w": dp.bounds(0, 3, step=1)}
    found = dp.table(source, unit="row", columns=columns, keys={"k": [0, 1]}, **name)
    prepared = engine_for(source).prepare(found, statistic.aggregates(found))
    return [one.opened_by_the_door() for one in prepared.count(3)]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", STATISTICS)
def test_missing_cells_count_as_the_value_that_is_declared(name, tmp_path):
    """Each source gives what the same rows give with that value written in their place."""
    statistic = STATISTICS[name]
    written = vectors(next(sources(tmp_path, PLAIN)), statistic, None)

    for source in sources(tmp_path, CELLS):
        assert vectors(source, statistic, 4) == written


@pytest.mark.slow
def test_a_column_of_a_type_is_complete_too():
    """NULL and NaN of a DuckDB table."""
    connection = duckdb.connect()
    connection.execute("create table t (k int, v double, w int)")
    rows = [(n % 2, v, n % 4) for n, v in enumerate(NUMBERS)]
    connection.executemany("insert into t values (?, ?, ?)", rows)
    plain = [{"k": n % 2, "v": v, "w": n % 4} for n, v in enumerate(PLAIN)]

    for statistic in STATISTICS.values():
        assert vectors(connection, statistic, 4, name="t") == vectors(plain, statistic, None)


def test_without_it_missing_cells_are_in_nothing():
    """So that the test above could fail."""
    rows = [{"k": 0, "v": v, "w": 0} for v in CELLS]

    assert vectors(rows, STATISTICS["sum"], 4) != vectors(rows, STATISTICS["sum"], None)


def test_it_stays_what_it_is_in_plain_data_and_of_a_derived_column():
    """A release holds the declaration, and the table that it makes is the same."""
    from discreet.schema import table_of

    made = dp.derived("v / 2", bounds=dp.bounds(0, 5, step=1, missing=2))
    found = dp.table(
        [{"v": None}, {"v": 8}],
        unit="row",
        name="t",
        columns={"v": dp.bounds(0, 10, step=1, missing=4)},
    ).derive(half=made)
    statistic = dp.sum("half")
    (vector,) = engine_for(found.source).prepare(found, statistic.aggregates(found)).count(1)

    assert table_of(found.plain()).plain() == found.plain()
    assert found.plain()["columns"]["v"]["missing"] == "4"
    assert vector.opened_by_the_door() == (2 + 4,)
