"""Every kind of question on each engine that is here, beside the best query by hand.

Rules of this module:
- each question is one count of the same tables; beside it stand three queries by hand or more that
  count the same, each with the engine's own quick hash and none with a second look;
- where no hash decides, each query brings the same integers as the count, or this part ends with an
  error; where one does, all queries bring the same among themselves, and as many rows as the count,
  or as many as two in a hundred are apart;
- CPU seconds of the process that counts, the least of some turns in one run; both open what they
  read;
- units have ten rows each (u), or as many as Zipf's law says (z).

`python -m bench kinds 10000000 duckdb postgres` is that of ten million rows on two engines.
"""

import importlib.util
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import discreet as dp
from discreet.aggregate import Aggregate, Exact
from discreet.engine.select_engine import engine_for
from discreet.entropy import Coins, Keyed
from discreet.releases.find import find, keyed_noise
from discreet.schema import Table

from . import engines, plans
from .numbered import GRID
from .servers import BEFORE, NAMES, TIMES_DUCKDB
from .table import Cell, Section, got

ROWS = 1_000_000
TURNS = {"duckdb": 7, "postgres": 3, "spark": 5}  # at ROWS; of more rows fewer
BY_HAND, FOUND = 1.3, 3.0  # at most so many times the best by hand; where keys are looked for
NEAR = 0.02  # how far the rows in chosen groups may be apart, by two hashes
COLUMNS = ("engine, what", "by hand, CPU s", "CPU s", "beside the best by hand", "beside DuckDB")
KEYS = {"g": range(1_000), "s": range(50), "k": range(20), "m": range(2), "h": range(50)}
WORDS = {  # what an engine says in its own way: whole division down; the g of the least hash
    "duckdb": {
        "div": "//",
        "first": "ARG_MIN(g, h)",
        "least": "(MIN((h::UHUGEINT << 64) | g::UHUGEINT) & 18446744073709551615)::INT",
    },
    "postgres": {
        "div": "/",
        "first": "(MIN(ARRAY[h, g::bigint]))[2]",
        "least": "(ARRAY_AGG(g ORDER BY h))[1]",
    },
    "spark": {"div": "DIV", "first": "MIN_BY(g, h)", "least": "MIN(STRUCT(h, g)).g"},
}
CHOSEN = "SELECT {u}, g, {hash} AS h FROM t WHERE g BETWEEN 0 AND 999"
PAIRS = f"SELECT {{u}}, g, MIN(h) AS h FROM ({CHOSEN}) AS a GROUP BY {{u}}, g"
BINS = "((q + 1) * 1000 - 1) {div} 10001"
STEPS = "CAST(FLOOR(LEAST(GREATEST(v * 100, 0), 10000) + 0.5) AS INT)"
INSIDE = "s BETWEEN 0 AND 49 AND v BETWEEN -1e300 AND 1e300"
CUBE = "s BETWEEN 0 AND 49 AND k BETWEEN 0 AND 19 AND m BETWEEN 0 AND 1"
OWN = f"own AS (SELECT u, g, {GRID} AS q FROM t WHERE g BETWEEN 0 AND 999)"
BOUNDED = (
    f"""WITH {OWN}, few AS (SELECT g, q, DENSE_RANK() OVER (PARTITION BY u ORDER BY {{group}}, g)
        AS d, ROW_NUMBER() OVER (PARTITION BY u, g ORDER BY {{row}}, q) AS r FROM own)
    SELECT g, COUNT(*), COUNT(q), SUM(q) FROM few WHERE d <= 5 AND r <= 3 GROUP BY g""",
    f"""WITH {OWN}, pairs AS (SELECT DISTINCT u, g FROM own), chosen AS (SELECT u, g FROM (
        SELECT u, g, ROW_NUMBER() OVER (PARTITION BY u ORDER BY {{group}}, g) AS d FROM pairs) AS a
        WHERE d <= 5), few AS (SELECT g, q, ROW_NUMBER() OVER (
            PARTITION BY u, g ORDER BY {{row}}, q) AS r FROM own JOIN chosen USING (u, g))
    SELECT g, COUNT(*), COUNT(q), SUM(q) FROM few WHERE r <= 3 GROUP BY g""",
)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of question, and queries by hand that count the same.

    Attributes:
        asked: what is counted, of a declared table.
        by_hand: the queries: the digits of a cell, then its numbers.
        sizes: how many values each digit has.
        unit: the column of the unit; "" where a row is the unit.
        beside: how the table is joined with another one; "" where it is alone.
        as_ours: from the numbers of a query to those of the count.
        is_exact: whether no hash decides what is counted.
        is_found: whether keys are looked for; their number is nobody's, and is not compared.
    """

    asked: Callable[[], Sequence[Any]]
    by_hand: tuple[str, ...]
    sizes: tuple[int, ...] = (1_000,)
    unit: str = ""
    beside: str = ""
    as_ours: Callable[[Any], Any] = np.asarray
    is_exact: bool = True
    is_found: bool = False


def both_sums(numbers: Any) -> Any:
    """Return a count, a sum and how far it is below its largest, of count, sum and cells."""
    rows, total, cells = numbers.T
    return np.column_stack([rows, total, 10_000 * cells - total])


OF_ROWS = {
    "count by 1,000 keys": Kind(
        lambda: [dp.count("g")],
        (
            "SELECT g, COUNT(*) FROM t WHERE g BETWEEN 0 AND 999 GROUP BY g",
            "SELECT g, COUNT(*) FROM t GROUP BY g HAVING g BETWEEN 0 AND 999",
            "SELECT g, n FROM (SELECT g, SUM(1) AS n FROM t GROUP BY g) AS a "
            "WHERE g BETWEEN 0 AND 999",
        ),
    ),
    "count and mean by 1,000 keys": Kind(
        lambda: [dp.count("g"), dp.mean("v", "g")],
        (
            f"SELECT g, COUNT(*), SUM(q), COUNT(q) FROM (SELECT g, {GRID} AS q FROM t "
            "WHERE g BETWEEN 0 AND 999) AS a GROUP BY g",
            f"SELECT g, COUNT(*), SUM({GRID}), COUNT(v) FROM t WHERE g BETWEEN 0 AND 999 "
            "GROUP BY g",
            f"SELECT g, n, q, c FROM (SELECT g, COUNT(*) AS n, SUM({GRID}) AS q, COUNT(v) AS c "
            "FROM t GROUP BY g) AS a WHERE g BETWEEN 0 AND 999",
        ),
        as_ours=both_sums,
    ),
    "quartiles by 50 keys": Kind(
        lambda: [dp.quantile("v", [0.25, 0.5, 0.75], by="s", bins=1_000)],
        (
            f"SELECT s, {BINS} AS b, COUNT(*) FROM (SELECT s, {STEPS} AS q FROM t WHERE {INSIDE}) "
            "AS a GROUP BY s, b",
            f"SELECT c {{div}} 1000, c % 1000, COUNT(*) FROM (SELECT s * 1000 + {BINS} AS c FROM ("
            f"SELECT s, {STEPS} AS q FROM t WHERE {INSIDE}) AS a) AS e GROUP BY c",
            f"SELECT s, {BINS.replace('q', STEPS)} AS b, COUNT(*) FROM t WHERE {INSIDE} "
            "GROUP BY s, b",
        ),
        (50, 1_000),
    ),
    "a cube of three columns": Kind(
        lambda: [dp.cube(["s", "k", "m"])],
        (
            f"SELECT s, k, m, COUNT(*) FROM t WHERE {CUBE} GROUP BY s, k, m",
            "SELECT c {div} 40, c {div} 2 % 20, c % 2, COUNT(*) FROM (SELECT s * 40 + k * 2 + m "
            f"AS c FROM t WHERE {CUBE}) AS a GROUP BY c",
            f"SELECT s, k, m, COUNT(*) FROM t GROUP BY s, k, m HAVING {CUBE}",
        ),
        (50, 20, 2),
        as_ours=partial(np.repeat, repeats=8, axis=1),  # one for each of its tables
    ),
}
OF_UNITS = {
    "units": Kind(
        lambda: [dp.count_units()],
        (
            "SELECT COUNT(DISTINCT {u}) FROM t",
            "SELECT COUNT(*) FROM (SELECT {u} FROM t GROUP BY {u}) AS a WHERE {u} IS NOT NULL",
            "SELECT COUNT({u}) FROM (SELECT DISTINCT {u} FROM t) AS a",
        ),
        (),
    ),
    "units by 1,000 keys, 5 groups a unit": Kind(
        lambda: [dp.count_units("g", max_groups=5)],
        (
            f"SELECT g, COUNT(*) FROM (SELECT g, ROW_NUMBER() OVER (PARTITION BY {{u}} ORDER BY h, "
            f"g) AS r FROM (SELECT DISTINCT {{u}}, g, h FROM ({CHOSEN}) AS a) AS b) AS c "
            "WHERE r <= 5 GROUP BY g",
            f"SELECT g, COUNT(DISTINCT {{u}}) FROM (SELECT {{u}}, g, DENSE_RANK() OVER (PARTITION "
            f"BY {{u}} ORDER BY h, g) AS r FROM ({CHOSEN}) AS a) AS b WHERE r <= 5 GROUP BY g",
            f"SELECT g, COUNT(*) FROM (SELECT g, ROW_NUMBER() OVER (PARTITION BY {{u}} ORDER BY h, "
            f"g) AS r FROM ({PAIRS}) AS b) AS c WHERE r <= 5 GROUP BY g",
        ),
        is_exact=False,
    ),
    "count by 1,000 keys, one row of a unit": Kind(
        lambda: [dp.count("g", max_groups=1, max_rows_per_group=1)],
        (
            f"SELECT g, COUNT(*) FROM (SELECT g, ROW_NUMBER() OVER (PARTITION BY {{u}} ORDER BY h, "
            f"g) AS r FROM ({CHOSEN}) AS a) AS b WHERE r = 1 GROUP BY g",
            f"SELECT g, COUNT(*) FROM (SELECT {{first}} AS g FROM ({CHOSEN}) AS a GROUP BY {{u}}) "
            "AS b GROUP BY g",
            f"SELECT g, COUNT(*) FROM (SELECT {{least}} AS g FROM ({CHOSEN}) AS a GROUP BY {{u}}) "
            "AS b GROUP BY g",
            f"SELECT g, COUNT(*) FROM (SELECT g, ROW_NUMBER() OVER (PARTITION BY {{u}} ORDER BY h, "
            f"g) AS r FROM ({PAIRS}) AS b) AS c WHERE r = 1 GROUP BY g",
        ),
        is_exact=False,
    ),
    "count and mean by 1,000 keys, 5 groups, 3 rows a group": Kind(
        lambda: [dp.count("g", **engines.LIMITS), dp.mean("v", "g", **engines.LIMITS)],
        (engines.BY_HAND, *BOUNDED),
        is_exact=False,
    ),
}
BOTH = {"second": "t JOIN d ON t.u = d.u", "owner": "t JOIN e ON t.o = e.o"}
OF_JOINS = {
    "units by 50 keys of a second table": Kind(
        lambda: [dp.count_units("h", max_groups=50)],
        (
            f"SELECT h, COUNT(DISTINCT t.u) FROM {BOTH['second']} GROUP BY h",
            f"SELECT h, COUNT(*) FROM (SELECT DISTINCT t.u, h FROM {BOTH['second']}) AS a "
            "GROUP BY h",
            "SELECT h, COUNT(*) FROM (SELECT DISTINCT u FROM t) AS a JOIN (SELECT DISTINCT u, h "
            "FROM d) AS b ON a.u = b.u GROUP BY h",
            "SELECT h, COUNT(DISTINCT u) FROM d WHERE u IN (SELECT u FROM t) GROUP BY h",
        ),
        (50,),
        "u",
        beside="second",
    ),
    "owners by 50 keys of their rows": Kind(
        lambda: [dp.count_units("s", max_groups=50)],
        (
            f"SELECT s, COUNT(DISTINCT p) FROM {BOTH['owner']} GROUP BY s",
            f"SELECT s, COUNT(*) FROM (SELECT DISTINCT p, s FROM {BOTH['owner']}) AS a GROUP BY s",
            "SELECT s, COUNT(*) FROM (SELECT p, s FROM (SELECT DISTINCT o, s FROM t) AS t JOIN e "
            "ON t.o = e.o GROUP BY p, s) AS a GROUP BY s",
        ),
        (50,),
        "p",
        beside="owner",
    ),
}
STAYING = "SELECT y, COUNT(*) FROM ({rows}) AS b WHERE r <= 30 GROUP BY y"
RANKED = "SELECT y, ROW_NUMBER() OVER (PARTITION BY u ORDER BY {{hash}}, y) AS r FROM ({rows}) AS a"
OF_FOUND = {
    "units by keys that nobody knows, 30 groups a unit": Kind(
        lambda: [dp.count_units("y")],
        (
            STAYING.format(rows=RANKED.format(rows="SELECT DISTINCT u, y, y AS g FROM t")),
            STAYING.format(rows=RANKED.format(rows="SELECT u, y, y AS g FROM t GROUP BY u, y")),
            STAYING.format(
                rows="SELECT y, ROW_NUMBER() OVER (PARTITION BY u ORDER BY CASE WHEN n > 30 THEN "
                "{hash} END, y) AS r FROM (SELECT u, y, y AS g, COUNT(*) OVER (PARTITION BY u) "
                "AS n FROM (SELECT DISTINCT u, y FROM t) AS d) AS a"
            ),
        ),
        (100_000,),
        "u",
        is_exact=False,
        is_found=True,
    ),
}


def kinds() -> Iterator[tuple[str, Kind]]:
    """Yield what is asked, with its name: of rows, of units alike, and of units by Zipf's law."""
    yield from OF_ROWS.items()
    for unit, whose in (("u", "units of ten rows"), ("z", "units by Zipf's law")):
        for name, kind in OF_UNITS.items():
            yield f"{name}, {whose}", replace(kind, unit=unit)
    yield from OF_JOINS.items()
    yield from OF_FOUND.items()


@dataclass(frozen=True, slots=True)
class Source:
    """The rows, the persons and the owners where an engine counts them."""

    name: str
    rows: Any
    persons: Any
    owners: Any

    def ran(self, query: str) -> list[Sequence[Any]]:
        """Run a query once in the engine's own way; on DuckDB with a connection of its own."""
        if self.name == "postgres":
            return list(self.rows.execute(query).fetchall())
        if self.name == "spark":
            return list(self.rows.sparkSession.sql(query).collect())
        connection = duckdb.connect()
        for name, table in (("t", self.rows), ("d", self.persons), ("e", self.owners)):
            if re.search(rf"\b{name}\b", query):
                connection.register(name, table)
        return connection.execute(query).fetchall()


def sections(rows: int = ROWS, *names: str) -> list[Section]:
    """Return what each engine takes for each kind, and how that is beside a query by hand."""
    lines: list[Sequence[Cell | str]] = []
    steps: list[Sequence[str]] = []
    on_duckdb: dict[str, float] = {}
    data = source_of(rows)
    with tempfile.TemporaryDirectory(prefix="kinds-") as folder:
        for name in names or NAMES:
            source = source_on(name, data, folder)
            for what, kind in kinds() if source is not None else ():
                hand, own = _taken(source, kind, rows)
                first = on_duckdb.setdefault(what, own)
                most = TIMES_DUCKDB["postgres"] if name == "postgres" else None
                by_hand = got(own / hand, most=FOUND if kind.is_found else BY_HAND)
                place = f"{NAMES[name]}: {what}"
                lines.append([place, got(hand), got(own), by_hand, got(own / first, most=most)])
                if name in plans.KEPT and not kind.is_found:
                    steps.append([place, plans.plan_of(name, *declared(source, kind))])
    about = (
        f"{rows:,} rows. Seconds of CPU of the process that counts, the least of some turns in one "
        "run, the best of three or four queries by hand first. Where no hash decides, each of them "
        "brings the same integers as the count."
    )
    return [Section("Kinds of questions", about, COLUMNS, lines), plans.section(steps)]


def source_of(rows: int) -> tuple[pa.Table, pa.Table, pa.Table]:
    """Return rows with units, keys and a value; persons, each with a key; and owners of rows."""
    random = np.random.default_rng(1)
    units, orders = rows // 10, rows // 3
    table = pa.table(
        {
            "u": random.integers(0, units, rows),
            "z": np.minimum(random.zipf(1.3, rows), units),
            "o": random.integers(0, orders, rows),
            "g": random.integers(0, 1_000, rows).astype("i4"),
            "s": random.integers(0, 50, rows).astype("i4"),
            "k": random.integers(0, 20, rows).astype("i4"),
            "m": random.integers(0, 2, rows).astype("i4"),
            "y": (random.zipf(1.3, rows) % 100_000).astype("i4"),
            "v": random.random(rows) * 100,
        }
    )
    persons = {"u": np.arange(units), "h": random.integers(0, 50, units).astype("i4")}
    owners = {"o": np.arange(orders), "p": random.integers(0, units, orders)}
    return table, pa.table(persons), pa.table(owners)


def source_on(name: str, data: tuple[pa.Table, pa.Table, pa.Table], folder: str) -> Source | None:
    """Return the tables where an engine counts them; None where it is not here."""
    if name == "spark" and importlib.util.find_spec("pyspark") is None:
        return None
    if name == "duckdb":
        return Source(name, *data)
    if name == "postgres":
        try:
            source: Any = engines.in_postgres(data[0])
        except pytest.skip.Exception:
            return None
        for table, of in zip("de", data[1:], strict=True):
            engines.copied(source, table, of)
        return Source(name, source, source, source)
    frames = [engines.in_spark(of, folder, at) for at, of in zip("tde", data, strict=True)]
    for at, frame in zip("tde", frames, strict=True):
        frame.createOrReplaceTempView(at)
    return Source(name, *frames)


def _taken(source: Source, kind: Kind, rows: int) -> tuple[float, float]:
    """Return the seconds of the best query by hand, and ours; the first turn compares integers."""
    own = _finder(source, kind) if kind.is_found else _counter(source, kind)
    acts = [partial(source.ran, query) for query in queries(source.name, kind)]
    turns = max(1, TURNS[source.name] * ROWS // max(rows, ROWS))
    first = BEFORE.get(source.name, 2) if rows <= ROWS else 0
    taken: list[list[float]] = [[] for _ in range(len(acts) + 1)]
    for turn in range(first + turns):
        answers = []
        for seconds, act in zip(taken, [*acts, own], strict=True):
            start = engines.used(source.rows)
            answers.append(act())
            seconds.append(engines.used(source.rows) - start)
        if turn == 0:
            _check(source.name, kind, answers[-1], [_integers(kind, of) for of in answers[:-1]])
    *hands, ours = (min(seconds[first:]) for seconds in taken)
    return min(hands), ours


def _check(name: str, kind: Kind, own: Any, by_hand: Sequence[Any]) -> None:
    """End where two queries by hand bring other integers, or another count than ours."""
    alike = [np.array_equal(numbers, by_hand[0]) for numbers in by_hand]
    if kind.is_found:
        pass  # how many keys are found hangs on noise
    elif kind.is_exact:
        alike.append(np.array_equal(_numbers(kind, own), kind.as_ours(by_hand[0])))
    else:
        hand, ours = by_hand[0][:, 0].sum(), _numbers(kind, own)[:, 0].sum()
        alike.append(abs(int(hand) - int(ours)) <= NEAR * ours)
    if not all(alike):
        raise AssertionError(f"{name}: {alike} of {kind.by_hand} and the count")


def _integers(kind: Kind, rows: Sequence[Sequence[Any]]) -> Any:
    """Return the numbers of each cell, from rows of digits and numbers."""
    wide = len(kind.sizes)
    table = np.array([[int(cell) for cell in row] for row in rows], dtype=np.int64)
    cells = np.zeros(len(table), dtype=np.int64)
    for size, digits in zip(kind.sizes, table.T, strict=False):
        cells = cells * size + digits
    numbers = np.zeros((prod(kind.sizes), table.shape[1] - wide), dtype=np.int64)
    numbers[cells] = table[:, wide:]
    return numbers


def queries(name: str, kind: Kind) -> Iterator[str]:
    """Yield the queries by hand as an engine reads them."""
    group, row = engines.HASHES[name]
    texts = dict.fromkeys(kind.by_hand)
    if engines.BY_HAND in texts and name in engines.TEXTS:
        texts = dict.fromkeys((engines.TEXTS[name], *texts))
    for text in texts:
        unit = kind.unit if kind.unit in ("u", "z") else "u"
        words = {"u": unit, "hash": group, "group": group, "row": row, **WORDS[name]}
        yield re.sub(r"\bu\b", unit, text.format(**words)) if unit == "z" else text.format(**words)


def declared(source: Source, kind: Kind) -> tuple[Table, tuple[Aggregate, ...]]:
    """Return the table of a kind, joined where it is, and what is counted of it."""
    keys: dict[str, Any] = dict(KEYS)
    if kind.beside != "second":
        del keys["h"]
    if kind.is_found:
        keys = {"y": dp.unknown(max_groups=30, share="1/2")}
    table = dp.table(
        source.rows,
        name="t",
        unit=dp.unit(kind.unit, sampling="native") if kind.unit else "row",
        keys=keys,
        columns={"v": dp.bounds(0, 100, step="0.01")},
    )
    if kind.beside == "second":
        table = table.joined(dp.join(source.persons, name="d", gives=["h"]))
    elif kind.beside == "owner":
        table = table.joined(dp.owner(source.owners, name="e", on="o", gives=["p"]))
    return table, tuple(a for question in kind.asked() for a in question.aggregates(table))


def _counter(source: Source, kind: Kind) -> Callable[[], Sequence[Exact]]:
    """Return what counts the source once."""
    table, aggregates = declared(source, kind)
    return lambda: engine_for(source.rows).prepare(table, aggregates).count(7)


def _numbers(kind: Kind, vectors: Sequence[Exact]) -> Any:
    """Return the numbers of each cell, from vectors."""
    opened = (vector.opened_by_the_door() for vector in vectors)
    return np.hstack([np.array(v, np.int64).reshape(prod(kind.sizes), -1) for v in opened])


def _finder(source: Source, kind: Kind) -> Callable[[], Any]:
    """Return what looks for the keys of the source once."""
    table, _ = declared(source, kind)
    plan = dp.plan(table, *kind.asked(), spend=dp.approx(1, "1e-6"))
    finding = plan.findings[0]

    def act() -> Any:
        pool = engine_for(source.rows).pooling(plan.table, finding.pairs).read(Coins().salt())
        return find(finding, pool, keyed_noise(finding, Keyed()))

    return act
