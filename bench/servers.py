"""A bounded count and mean on each engine that is here, beside the best query by hand that we know.

Rules of this module:
- the rows and the queries are those of `engines`; each engine counts by its own hash;
- both open what they read: on DuckDB a connection each, on servers the one that is there;
- an engine that is not here has no line.
"""

import importlib.util
import tempfile
from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest

from . import engines
from .table import Cell, Section, got

JUDGED = {1_000_000: 8, 10_000_000: 2}  # turns on servers, by the number of rows
ON_DUCKDB = 9  # turns there, which are short
BEFORE = {"postgres": 2, "spark": 8}  # turns before the first ones that are judged
BY_HAND = 1.2
TIMES_DUCKDB = {"postgres": 8.0, "spark": 15.0}
NAMES = {"duckdb": "DuckDB", "postgres": "PostgreSQL", "spark": "Spark"}
COLUMNS = ("engine, rows", "by hand, CPU s", "CPU s", "beside by hand", "beside DuckDB")


def sections() -> list[Section]:
    """Return what each engine takes, of a million rows and of ten million."""
    rows: list[list[Cell | str]] = []
    with tempfile.TemporaryDirectory(prefix="engines-") as folder:
        for size in JUDGED:
            first = 0.0
            for name, hand, own in _taken(size, folder):
                first = first or own
                most = TIMES_DUCKDB.get(name)
                rows.append(
                    [
                        f"{NAMES[name]}, {size:,}",
                        got(hand),
                        got(own),
                        got(own / hand, most=BY_HAND),
                        got(own / first, most=most),
                    ]
                )
    about = (
        "A count and a mean by 1,000 consecutive keys, 5 groups a unit and 3 rows a group; "
        "units have ten random groups each. Seconds of CPU are of the process that counts. Of "
        "DuckDB that is ours, so the building of the query is in it. A figure is the least of "
        "some turns after the first two. Spark has eight turns before, until it has compiled "
        "what it runs. Servers at 10,000,000 rows have two turns, right after those of "
        "1,000,000. The query by hand has the engine's own hash and no second look."
    )
    return [Section("One plan on each engine", about, COLUMNS, rows)]


def _taken(size: int, folder: str) -> Iterator[tuple[str, float, float]]:
    """Count on each engine, and return its name, the seconds by hand, and ours."""
    data = engines.source_of(size)
    for name in NAMES:
        source = source_on(name, data, folder)
        if source is None:
            continue
        own = engines.counter(source, "native")
        if name == "duckdb":
            yield name, *engines.least(source, _anew(source), own, turns=ON_DUCKDB)
            continue
        hand = engines.by_hand(name, source)
        before = BEFORE[name] if size == min(JUDGED) else 0
        yield name, *engines.least(source, hand, own, turns=JUDGED[size], first=before)


def _anew(source: object) -> Callable[[], object]:
    """Return what runs DuckDB's query by hand once, in a connection of its own."""

    def act() -> object:
        return engines.by_hand("duckdb", source)()

    return act


def source_on(name: str, data: pa.Table, folder: str) -> object | None:
    """Return the rows where an engine counts them; None where it is not here."""
    if name == "spark" and importlib.util.find_spec("pyspark") is None:
        return None
    made: dict[str, Callable[[], object]] = {
        "duckdb": lambda: data,
        "postgres": lambda: engines.in_postgres(data),
        "spark": lambda: engines.in_spark(data, folder),
    }
    try:
        return made[name]()
    except pytest.skip.Exception:
        return None
