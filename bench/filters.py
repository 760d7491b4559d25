"""What a filter costs by the column it looks at, by how many rows pass, and by where the rows lie.

Rules of this module:
- where a row is the unit there is nothing to do but to count, and a filter shows most; where rows
  of persons are limited, the same filters are measured beside that;
- each filter takes turns with the same questions without it, and with a query by hand.
"""

import tempfile
from collections.abc import Callable

import duckdb

import discreet as dp
from discreet.engine.select_engine import engine_for
from discreet.schema import Table

from .engine import BY_HAND, KEYS, by_hand, made, side_by_side
from .table import Cell, Section, got

_DRAWN = """SELECT unit, key, value, age, CAST(FLOOR(age) AS INT) AS years,
    (ARRAY['MA', 'NY', 'CA', 'TX', 'WA'])[1 + CAST(FLOOR(random() * 5) AS INT)] AS place,
    DATE '1920-01-01' + CAST(FLOOR(random() * 36500) AS INT) AS born, random() < 0.5 AS employed,
    TIMESTAMP '1990-01-01' + to_seconds(CAST(FLOOR(random() * 1e9) AS BIGINT)) AS seen"""
_FIVE = (
    "years >= 1 AND years < 99 AND born >= DATE '1921-01-01' AND born < DATE '2019-01-01' "
    "AND place IN ('MA', 'NY', 'CA', 'TX', 'WA')"
)
_NEARLY_ALL = "97 %"
_OF_CSV = "CSV, a tenth of the rows"  # read by hand by a reader that is lenient: `bench.reading`
_HAND = ("beside by hand", "by hand, beside by hand without")
_PARQUET = (  # the share that passes, the filter, and the most that it may cost
    ("99 %", "years >= 1", 1.2),
    ("50 %", "years >= 50", 1.2),
    ("1 %", "years >= 99", 1.2),
    ("99 %", "born >= DATE '1921-01-01'", 1.2),
    ("50 %", "born >= DATE '1970-01-01'", 1.2),
    ("1 %", "born >= DATE '2018-12-01'", 1.2),
    ("50 %", "year(born) >= 1970", None),
    ("20 %", "place = 'MA'", 1.2),
    ("40 %", "place IN ('MA', 'NY')", None),
    ("80 %", "place <> 'MA'", None),
    ("50 %", "employed", 1.2),
    ("99 %", "age >= 1", None),
    ("50 %", "age >= 50", 1.2),
    ("1 %", "age >= 99", 1.2),
    ("98 %", "seen >= TIMESTAMP '1990-08-01 00:00:00'", None),
    ("97 %", _FIVE, None),
)
_TABLE = (
    ("99 %", "years >= 1", 1.2),
    ("99 %", "age >= 1", 1.2),
    ("50 %", "age >= 50", 1.2),
    ("40 %", "place IN ('MA', 'NY')", None),
    ("97 %", _FIVE, None),
)
_PERSONS = (
    ("99 %", "years >= 1", 1.2),
    ("50 %", "years >= 50", 1.2),
    ("40 %", "place IN ('MA', 'NY')", 1.2),
    ("99 %", "age >= 1", 1.2),
    ("98 %", "seen >= TIMESTAMP '1990-08-01 00:00:00'", 1.2),
    ("97 %", _FIVE, 1.2),
)
_LIMITS: tuple[tuple[str, object, dict[str, int]], ...] = (
    ("15 rows a person", dp.unit("unit", max_rows=15), {}),
    ("5 groups, 3 rows each", dp.unit("unit"), {"max_groups": 5, "max_rows_per_group": 3}),
)
_CSV = (("99 %", "years >= 1", 1.2), ("99 %", "age >= 1", None), ("20 %", "place = 'MA'", 1.2))


def sections(size: int = 10_000_000, rounds: int = 5) -> list[Section]:
    """Return the tables of filters."""
    with tempfile.TemporaryDirectory() as folder:
        drawn = f"{_DRAWN} FROM '{made(folder, size)}'"
        parquet, csv = f"{folder}/drawn.parquet", f"{folder}/drawn.csv"
        memory = duckdb.connect()
        memory.execute("SET enable_progress_bar = false")
        memory.execute(f"CREATE TABLE big AS {drawn}")
        memory.execute(f"COPY big TO '{parquet}'")
        memory.execute(f"COPY (FROM big LIMIT {size // 10}) TO '{csv}'")
        rows = _rows("Parquet", parquet, by_hand_on(parquet), _PARQUET, rounds)
        rows += _rows("a table in memory", memory, _in_memory(memory), _TABLE, rounds)
        rows += _rows(_OF_CSV, csv, by_hand_on(csv), _CSV, rounds)
        memory.close()
        persons = _rows_of_persons(parquet, min(rounds, 3))
    about = (
        f"{size:,} rows, count and mean by 1,000 keys, a row is the unit. CPU seconds, both "
        "cores together. A filter reads a column more. Of doubles that are all different that "
        "alone is about a fifth of the whole. So where nearly all rows pass, doubles are not "
        "held to 1.2, but to the same filter by hand. Three others are not held to 1.2: a year, "
        "which is worked out; text that differs; and five filters. Each cell of a text must be "
        "known to be text. The last column is the price of the filter in a query by hand."
    )
    columns = ("source", "filter", "rows that pass", "CPU s", "beside none", *_HAND)
    return [Section("Filters by column", about, columns, rows), _of_persons(size, persons)]


def _rows(
    name: str,
    source: object,
    hand: Callable[[str], Callable[[], object]],
    filters: tuple[tuple[str, str, float | None], ...],
    rounds: int,
) -> list[list[Cell | str]]:
    """Return the rows of one source; all its filters take turns."""
    plain = _declared(source, "row")
    acts = {"": _counts(plain), " by hand": hand("TRUE")}
    for _, where, _ in filters:
        acts[where], acts[f"{where} by hand"] = _counts(plain.where(where)), hand(where)
    acts[""]()  # what is imported, and what the system keeps of the file, is nobody's
    taken = side_by_side(acts, rounds)
    found: list[list[Cell | str]] = []
    for share, where, most in filters:
        ours, by_hand_too = taken[where], taken[f"{where} by hand"]
        is_held = share >= _NEARLY_ALL and name != _OF_CSV  # else the making of the query shows
        held = 1.25 if is_held else None
        row = [name, f"`{where}`", share, got(ours), got(ours / taken[""], most=most)]
        row += [got(ours / by_hand_too, most=held), got(by_hand_too / taken[" by hand"])]
        found.append(row)
    return found


def _rows_of_persons(path: str, rounds: int) -> list[list[Cell | str]]:
    """Return what filters cost where rows are chosen; all of one limit take turns."""
    found: list[list[Cell | str]] = []
    for words, whose, limits in _LIMITS:
        plain = _declared(path, whose)
        acts = {"": _counts(plain, **limits)}
        acts |= {where: _counts(plain.where(where), **limits) for _, where, _ in _PERSONS}
        taken = side_by_side(acts, rounds)
        for share, where, most in _PERSONS:
            beside = got(taken[where] / taken[""], most=most)
            found.append([words, f"`{where}`", share, got(taken[where]), beside])
    return found


def _of_persons(size: int, rows: list[list[Cell | str]]) -> Section:
    about = (
        f"The same rows, of {size // 10:,} persons: count and mean by 1,000 keys, with the rows of "
        "each person limited. A filter reads a column more and leaves less to choose from."
    )
    columns = ("limits", "filter", "rows that pass", "CPU s", "beside none")
    return Section("Filters on limited persons", about, columns, rows)


def _declared(source: object, whose: object) -> Table:
    return dp.table(
        source,
        name="big",
        unit=whose,  # type: ignore[arg-type]
        columns={"value": dp.bounds(0, 1000, step="0.01")},
        keys={"key": KEYS},
    )


def _counts(table: Table, **limits: int) -> Callable[[], object]:
    asked = (dp.count(by="key", **limits), dp.mean("value", by="key", **limits))
    aggregates = tuple(found for one in asked for found in one.aggregates(table))
    return lambda: engine_for(table.source).prepare(table, aggregates).count(42)


def by_hand_on(path: str) -> Callable[[str], Callable[[], object]]:
    """Return what makes a query by hand with a filter, over a file."""
    return lambda where: by_hand(_filtered(where), path)


def _filtered(where: str) -> str:
    return BY_HAND.replace("FROM big)", f"FROM big WHERE {where})")


def _in_memory(connection: duckdb.DuckDBPyConnection) -> Callable[[str], Callable[[], object]]:
    return lambda where: lambda: connection.execute(_filtered(where)).fetchall()
