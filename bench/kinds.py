"""Every kind of question on each engine that is here, beside the best query by hand.

Rules of this module:
- each question is one count of the same table; beside it stand one or more queries by hand that
  count the same, each with the engine's own quick hash and none with a second look;
- a query by hand must find as many rows or units as the count, or this part ends with an error; of
  rows whose groups are chosen, which the hash decides, within two in a hundred;
- CPU seconds of the process that counts, the least of some turns in one run;
- units have ten rows each (u), or as many as Zipf's law says (z).

Joins stand in `rows`, keys that nobody knows in `keys`.
"""

import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

import discreet as dp
from discreet.engine.select_engine import engine_for

from . import engines
from .numbered import GRID, ran
from .servers import BEFORE, NAMES, TIMES_DUCKDB, source_on
from .table import Cell, Section, got

ROWS = 1_000_000
TURNS = {"duckdb": 5, "postgres": 3, "spark": 5}
BY_HAND = 1.3  # at most so many times the best by hand
NEAR = 0.02  # how far the rows in chosen groups may be apart, by two hashes
COLUMNS = ("engine, what", "by hand, CPU s", "CPU s", "beside the best by hand", "beside DuckDB")
KEYS = {"g": range(1_000), "s": range(50), "k": range(20), "m": range(2)}
DIVIDES = {"duckdb": "//", "spark": "DIV"}  # whole numbers, down; "/" elsewhere
CHOSEN = "SELECT {u}, g, {hash} AS h FROM t WHERE g BETWEEN 0 AND 999"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of question, and queries by hand that count the same: the second column is a count.

    Attributes:
        asked: what is counted, of a declared table.
        by_hand: the queries; none where it is that of `engines`.
        unit: the column of the unit; "" where a row is the unit.
        is_exact: whether the counts of both are the same.
    """

    asked: Callable[[], Sequence[Any]]
    by_hand: tuple[str, ...]
    unit: str = ""
    is_exact: bool = True


OF_ROWS = {
    "count by 1,000 keys": Kind(
        lambda: [dp.count("g")],
        ("SELECT g, COUNT(*) FROM t WHERE g BETWEEN 0 AND 999 GROUP BY g",),
    ),
    "count and mean by 1,000 keys": Kind(
        lambda: [dp.count("g"), dp.mean("v", "g")],
        (
            "SELECT g, COUNT(*), COUNT(q), SUM(q) FROM (SELECT g, "
            f"{GRID} AS q FROM t WHERE g BETWEEN 0 AND 999) AS a GROUP BY g",
        ),
    ),
    "quartiles by 50 keys": Kind(
        lambda: [dp.quantile("v", [0.25, 0.5, 0.75], by="s", bins=1_000)],
        (
            "SELECT s, COUNT(*), ((q + 1) * 1000 - 1) {div} 10001 AS b FROM (SELECT s, CAST(FLOOR("
            "LEAST(GREATEST(v * 100, 0), 10000) + 0.5) AS INT) AS q FROM t WHERE s BETWEEN 0 AND "
            "49 AND v BETWEEN -1e300 AND 1e300) AS a GROUP BY s, b",
        ),
    ),
    "a cube of three columns": Kind(
        lambda: [dp.cube(["s", "k", "m"])],
        (
            "SELECT s, COUNT(*), k, m FROM t WHERE s BETWEEN 0 AND 49 AND k BETWEEN 0 AND 19 "
            "AND m BETWEEN 0 AND 1 GROUP BY s, k, m",
        ),
    ),
}
OF_UNITS = {
    "units": Kind(
        lambda: [dp.count_units()],
        (
            "SELECT 0, COUNT(DISTINCT {u}) FROM t",
            "SELECT 0, COUNT(*) FROM (SELECT {u} FROM t GROUP BY {u}) AS a",
        ),
    ),
    "units by 1,000 keys, 5 groups a unit": Kind(
        lambda: [dp.count_units("g", max_groups=5)],
        (
            f"SELECT g, COUNT(*) FROM (SELECT g, ROW_NUMBER() OVER (PARTITION BY {{u}} ORDER BY h, "
            f"g) AS r FROM (SELECT DISTINCT {{u}}, g, h FROM ({CHOSEN}) AS a) AS b) AS c "
            "WHERE r <= 5 GROUP BY g",
            f"SELECT g, COUNT(DISTINCT {{u}}) FROM (SELECT {{u}}, g, DENSE_RANK() OVER (PARTITION "
            f"BY {{u}} ORDER BY h, g) AS r FROM ({CHOSEN}) AS a) AS b WHERE r <= 5 GROUP BY g",
        ),
    ),
    "count by 1,000 keys, one row of a unit": Kind(
        lambda: [dp.count("g", max_groups=1, max_rows_per_group=1)],
        (
            f"SELECT g, COUNT(*) FROM (SELECT g, ROW_NUMBER() OVER (PARTITION BY {{u}} ORDER BY h, "
            f"g) AS r FROM ({CHOSEN}) AS a) AS b WHERE r = 1 GROUP BY g",
        ),
    ),
    "count and mean by 1,000 keys, 5 groups, 3 rows a group": Kind(
        lambda: [dp.count("g", **engines.LIMITS), dp.mean("v", "g", **engines.LIMITS)],
        (),
        is_exact=False,
    ),
}


def kinds() -> Iterator[tuple[str, Kind]]:
    """Yield what is asked, with its name: of rows, of units alike, and of units by Zipf's law."""
    yield from OF_ROWS.items()
    for unit, whose in (("u", "units of ten rows"), ("z", "units by Zipf's law")):
        for name, kind in OF_UNITS.items():
            yield f"{name}, {whose}", Kind(kind.asked, kind.by_hand, unit, kind.is_exact)


def sections(rows: int = ROWS, *names: str) -> list[Section]:
    """Return what each engine takes for each kind, and how that is beside a query by hand."""
    lines: list[Sequence[Cell | str]] = []
    on_duckdb: dict[str, float] = {}
    data = source_of(rows)
    with tempfile.TemporaryDirectory(prefix="kinds-") as folder:
        for name in names or NAMES:
            source = source_on(name, data, folder)
            for what, kind in kinds() if source is not None else ():
                hand, own = _taken(name, source, kind)
                first = on_duckdb.setdefault(what, own)
                most = TIMES_DUCKDB["postgres"] if name == "postgres" else None
                ratios = got(own / hand, most=BY_HAND), got(own / first, most=most)
                lines.append([f"{NAMES[name]}: {what}", got(hand), got(own), *ratios])
    about = (
        f"{rows:,} rows. Seconds of CPU of the process that counts, the least of some turns in one "
        "run, the best of the queries by hand first; each finds as many rows or units as the count."
    )
    return [Section("Kinds of questions", about, COLUMNS, lines)]


def source_of(rows: int) -> pa.Table:
    """Return rows with units, four keys and a value."""
    random = np.random.default_rng(1)
    return pa.table(
        {
            "u": random.integers(0, rows // 10, rows),
            "z": np.minimum(random.zipf(1.3, rows), rows // 10),
            "g": random.integers(0, 1_000, rows).astype("i4"),
            "s": random.integers(0, 50, rows).astype("i4"),
            "k": random.integers(0, 20, rows).astype("i4"),
            "m": random.integers(0, 2, rows).astype("i4"),
            "v": random.random(rows) * 100,
        }
    )


def _taken(name: str, source: Any, kind: Kind) -> tuple[float, float]:
    """Return the seconds of the best query by hand, and ours."""
    own = _counted(source, kind)
    by_hand = [ran(name, source, query) for query in _queries(name, kind)]
    counts = own()
    for act in by_hand:
        hand = sum(row[1] for row in act())
        if abs(hand - counts) > (0 if kind.is_exact else NEAR * counts):
            raise AssertionError(f"{name}: {hand} by hand, {counts} counted")
    acts, first = [*by_hand, own], BEFORE.get(name, 2)
    *hands, ours = engines.least(source, *acts, turns=TURNS[name], first=first)
    return min(hands), ours


def _queries(name: str, kind: Kind) -> Iterator[str]:
    if kind.by_hand:
        hashed = re.sub(r"\bu\b", kind.unit or "u", engines.HASHES[name][0])
        for query in kind.by_hand:
            yield query.format(u=kind.unit, hash=hashed, div=DIVIDES.get(name, "/"))
        return
    group, row = engines.HASHES[name]
    for text in dict.fromkeys((engines.TEXTS.get(name, engines.BY_HAND), engines.BY_HAND)):
        yield re.sub(r"\bu\b", kind.unit, text.format(group=group, row=row))


def _counted(source: object, kind: Kind) -> Callable[[], int]:
    """Return what counts the source once, and says how many rows or units there are in all."""
    table = dp.table(
        source,
        name="t",
        unit=dp.unit(kind.unit, sampling="native") if kind.unit else "row",
        keys=KEYS,
        columns={"v": dp.bounds(0, 100, step="0.01")},
    )
    aggregates = tuple(a for question in kind.asked() for a in question.aggregates(table))

    def count() -> int:
        vectors = engine_for(source).prepare(table, aggregates).count(7)
        return int(sum(vectors[0].opened_by_the_door()))

    return count
