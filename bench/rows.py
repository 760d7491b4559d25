"""What filters and derived columns cost beside the same questions without, and a join by person.

Rules of this module:
- both sides of a ratio read the same Parquet file, and take turns;
- nearly every row passes the filter: one that leaves few rows saves more than it costs.
"""

import tempfile
import time
from collections.abc import Callable

import duckdb

import discreet as dp
from discreet.engine.duckdb.engine import DuckEngine
from discreet.engine.select_engine import engine_for
from discreet.plans.plan import Plan
from discreet.privacy.loss import Loss
from discreet.schema import Table, derived, unit
from discreet.statistic.statistic import Statistic

from .engine import BY_HAND, by_hand, cpu, declared, made, side_by_side
from .planning import KEYS
from .table import Cell, Section, got, median, seconds

_FILTER = "age >= 1 AND state <> 50"
_HAND = "the same filter in a query by hand"
_BY_ROW = (  # what does as much as the query by hand
    "a filter of the table, unit a row",
    "a filter of both questions, unit a row",
)
_SEGMENTS = ["AUTOMOBILE", "BUILDING", "FURNITURE", "MACHINERY", "HOUSEHOLD"]
_VOUCHED = "a line has one order, and an order one customer: their numbers are unique"
_JOINED = """SELECT c_custkey, c_mktsegment, l_extendedprice, l_discount, l_shipdate
    FROM lineitem JOIN orders ON l_orderkey = o_orderkey JOIN customer ON o_custkey = c_custkey"""


def sections(size: int = 10_000_000, rounds: int = 5, scale: float = 1.0) -> list[Section]:
    """Return the tables of filters, of planning with them, and of a join."""
    return [_filters(size, rounds), _planning(), _join(scale)]


def _filters(size: int, rounds: int) -> Section:
    with tempfile.TemporaryDirectory() as folder:
        path = made(folder, size)
        pairs = _pairs(path)
        acts = {f"{name}{side}": act for name, both in pairs.items() for side, act in both.items()}
        taken = side_by_side(acts, rounds)
    rows: list[list[Cell | str]] = []
    for name in pairs:
        without, beside = taken[f"{name}, without"], taken[f"{name}, with"]
        most, hand = None if name == _HAND else 1.2, taken[f"{_HAND}, with"]
        ours = got(beside / hand, most=1.2) if name in _BY_ROW else ""
        rows.append([name, got(without), got(beside), got(beside / without, most=most), ours])
    about = (
        f"{size:,} rows of a Parquet file, count and mean by 1,000 keys; nearly all rows pass "
        f"`{_FILTER}`. CPU seconds, both cores together. If the unit is a row, there is nothing "
        "to do but to count, and the filter must read a column more. This alone is more than a "
        "fifth, in the query by hand too, so ours is also held to the query by hand."
    )
    columns = ("what", "without, CPU s", "with, CPU s", "ratio", "beside the query by hand")
    return Section("Filters", about, columns, rows)


def _pairs(path: str) -> dict[str, dict[str, Callable[[], object]]]:
    found: dict[str, dict[str, Callable[[], object]]] = {}
    for words, whose in (("unit a row", "row"), ("15 rows a unit", unit("unit", max_rows=15))):
        plain = declared(path, whose)
        asked = (dp.count(by="key"), dp.mean("value", by="key"))
        some = (dp.count(by="key", where=_FILTER), dp.mean("value", by="key", where=_FILTER))
        found[f"a filter of the table, {words}"] = _both(plain, plain.where(_FILTER), asked, asked)
        found[f"a filter of both questions, {words}"] = _both(plain, plain, asked, some)
    filtered = BY_HAND.replace("FROM big)", f"FROM big WHERE {_FILTER})")
    found[_HAND] = {", without": by_hand(BY_HAND, path), ", with": by_hand(filtered, path)}
    plain = declared(path)
    whole = plain.derive(floor=derived("floor(value / 3)", bounds=dp.bounds(0, 400, step=1)))
    asked = (dp.count(by="key"), dp.mean("value", by="key"))
    made_of = (dp.count(by="key"), dp.mean("floor", by="key"))
    found["the mean of floor(value / 3), unit a row"] = _both(plain, whole, asked, made_of)
    return found


def _both(
    plain: Table, other: Table, asked: tuple[Statistic, ...], beside: tuple[Statistic, ...]
) -> dict[str, Callable[[], object]]:
    return {", without": _counts(plain, asked), ", with": _counts(other, beside)}


def _counts(table: Table, asked: tuple[Statistic, ...]) -> Callable[[], object]:
    aggregates = tuple(found for one in asked for found in one.aggregates(table))
    return lambda: DuckEngine().prepare(table, aggregates).count(42)


def _planning() -> Section:
    loss = dp.zcdp("1/50")
    rows = [
        [f"plan {many} statistics with filters", got(1e3 * median(act, rounds=7), "ms", most=20)]
        for many, act in ((1, lambda: _planned(1, loss)), (20, lambda: _planned(20, loss)))
    ]
    about = (
        "Over 1,000 keys, with a filter of the table, a derived column and one of each question."
    )
    return Section("Planning with filters", about, ("what", "time"), rows)


def _planned(many: int, loss: Loss) -> Plan:
    table = dp.table(
        "no-such-file.parquet",
        unit=dp.unit("unit", max_rows=5),
        columns={f"x{number}": dp.bounds(0, 1000, step="0.01") for number in range(many)},
        keys={"key": KEYS},
    )
    band = dp.derived("band(age, 0, 18, 65)", keys=[0, 18, 65])
    table = table.where("age >= 18 AND state IN ('MA', 'NY')").derive(band=band)
    asked = [dp.mean(f"x{n}", by="band", where=f"hours > {n} OR own") for n in range(many)]
    return dp.plan(table, *asked, spend=loss)


def _join(scale: float) -> Section:
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        lines, orders, customers = _tables(connection, scale)
        clock, spent = _times(_declared(connection))
        by_hand = _times(_by_hand(connection))
    rows = [
        ["joined by discreet", got(clock, "s", most=10), got(spent)],
        ["over a relation that joins them by hand", *map(got, by_hand)],
    ]
    about = (
        f"Tables with the sizes and the keys of TPC-H's, made here. {lines:,} lines are joined "
        f"to {orders:,} orders and these to {customers:,} customers, at most 50 lines of each "
        "customer. Lines, customers and the mean paid by segment, with a filter and a derived "
        "column. Two cores."
    )
    return Section("A join by person", about, ("what", "by the clock, s", "CPU s"), rows)


def _times(table: Table) -> tuple[float, float]:
    """Return how long a count takes by the clock, and its CPU seconds."""
    segment = {"by": "c_mktsegment"}
    asked = (
        dp.count(**segment),
        dp.count_units(**segment),
        dp.mean("paid", **segment, where="year(l_shipdate) >= 1995"),
    )
    aggregates = tuple(found for one in asked for found in one.aggregates(table))

    def act() -> object:
        return engine_for(table.source).prepare(table, aggregates).count(42)

    act()
    return seconds(act, clock=time.perf_counter), cpu(act)


def _with_paid(table: Table) -> Table:
    ends = dp.bounds(0, 110_000, step="0.01")
    return table.derive(paid=dp.derived("l_extendedprice * (1 - l_discount)", bounds=ends))


def _declared(connection: duckdb.DuckDBPyConnection) -> Table:
    """Declare the lines, who owns them, and the customers."""
    lines = dp.table(
        connection,
        name="lineitem",
        unit=dp.unit("o_custkey", max_rows=50),
        keys={"c_mktsegment": _SEGMENTS},
    )
    orders = dp.owner(
        connection, name="orders", on="l_orderkey", key="o_orderkey", gives=["o_custkey"]
    )
    customers = dp.join(connection, name="customer", key="c_custkey", gives=["c_mktsegment"])
    return _with_paid(lines.joined(orders, customers))


def _by_hand(connection: duckdb.DuckDBPyConnection) -> Table:
    """Declare the lines of each customer, as one relation that its curator vouches for."""
    return _with_paid(
        dp.table(
            connection.sql(_JOINED),
            name="lines",
            unit=dp.unit("c_custkey", max_rows=50),
            keys={"c_mktsegment": _SEGMENTS},
            vouched=_VOUCHED,
        )
    )


def _tables(connection: duckdb.DuckDBPyConnection, scale: float) -> tuple[int, int, int]:
    """Make customers, their orders, and one to seven lines of each."""
    customers, orders = int(150_000 * scale), int(1_500_000 * scale)
    connection.execute(
        "CREATE TABLE customer AS SELECT i AS c_custkey, "
        f"{_SEGMENTS}[1 + CAST(FLOOR(random() * 5) AS INT)] AS c_mktsegment "
        f"FROM range({customers}) t(i)"
    )
    connection.execute(
        "CREATE TABLE orders AS SELECT i AS o_orderkey, CAST(FLOOR(random() * "
        f"{customers}) AS BIGINT) AS o_custkey FROM range({orders}) t(i)"
    )
    connection.execute(
        "CREATE TABLE lineitem AS SELECT o_orderkey AS l_orderkey, "
        "900 + random() * 104000 AS l_extendedprice, FLOOR(random() * 11) / 100 AS l_discount, "
        "DATE '1992-01-02' + CAST(FLOOR(random() * 2500) AS INT) AS l_shipdate "
        "FROM orders, range(7) t(n) WHERE n <= o_orderkey % 7"
    )
    ((lines,),) = connection.execute("SELECT COUNT(*) FROM lineitem").fetchall()
    return lines, orders, customers
