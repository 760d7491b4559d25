"""What all rooms of the museum share: people in wards, and what an engine counts of them."""

import pyarrow as pa

import discreet as dp
from discreet.engine.select_engine import engine_for

KEYS = ["A", "B", "C"]
PERSON = dp.unit("who", max_rows=2)
SCHEMA = pa.schema([("who", pa.string()), ("ward", pa.string()), ("cost", pa.float64())])
ENGINES = {"memory": list, "duckdb": lambda rows: pa.Table.from_pylist(list(rows), schema=SCHEMA)}

EVERY = {
    "count": dp.count(by="ward"),
    "count_units": dp.count_units(by="ward"),
    "sum": dp.sum("cost", by="ward"),
    "mean": dp.mean("cost", by="ward"),
    "histogram": dp.histogram("cost", by="ward", bins=2),
}


def row(who, ward, cost):
    return {"who": who, "ward": ward, "cost": cost}


OTHERS = [row(f"p{i}", KEYS[i % 3], i - 2.0) for i in range(6)]


def declared(source, *, unit=PERSON, neighbors="add_remove", bounds=None):
    return dp.table(
        source,
        name="t",
        unit=unit,
        columns={"cost": bounds or dp.bounds(-2, 3, step=1)},
        keys={"ward": KEYS},
        neighbors=neighbors,
    )


def counted(engine, rows, statistics, *, salt=1, **how):
    """The private integers of each vector: tests may look at them."""
    table = declared(ENGINES[engine](rows), **how)
    aggregates = tuple(a for one in statistics for a in one.aggregates(table))
    found = engine_for(table.source).prepare(table, aggregates).count(salt)
    return [one.opened_by_the_door() for one in found]
