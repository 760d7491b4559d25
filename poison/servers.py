"""The strangest cells of a server: every type of PostgreSQL in every role, one row more or less.

The table stays; a row is put in, counted and taken out again, so that a case costs two statements.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import discreet as dp
from discreet.engine.select_engine import engine_for
from discreet.errors import DiscreetError
from discreet.finding.pairs import Pairs

from .cases import BOUNDS, ROLES, ROWS, WHOSE, WIDE, Share, usual
from .expressions import _Z, Worked
from .harness import Declared, Found, compared, outcome

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

PAIRS = Pairs("k", (60, 42, 34))
_PLAIN = {"u": "text", "k": "text", "v": "float8", "z": "text"}
_DAYS = ["infinity", "-infinity", "0001-01-01", "9999-12-31", "10000-01-01", "294276-01-01"]
_DAYS += ["4713-01-01 BC", "0001-12-31 BC", "1969-12-31"]
_ENDS = [f"{day} {clock}" for day in _DAYS[2:6] for clock in ("00:00:00", "23:59:59.999999")]
_FAR = [
    "NaN",
    "Infinity",
    "-Infinity",
    "1e307",
    "-1.7976931348623157e308",
    "5e-324",
    "-0",
    "1e-310",
]
_LONG = ["NaN", "1" + "0" * 400, "-" + "9" * 309, "0." + "0" * 400 + "1", "1e-16000", "9" * 5000]
_TEXTS = [
    "",
    " ",
    "p0 ",
    "P0",
    "\u00e9",
    "e\u0301",
    "1e400",
    "1\n",
    "NaN",
    "x" * 100_000,
    "'; --",
    "\\N",
]
_TEXTS += ["CANARY-7f3a", "\u2028", "%s", "$1", "n|", "2026-02-30", "\U0001f600" * 200, "\uffff"]


@dataclass(frozen=True)
class ServerColumn:
    """A type: cells of ordinary rows and strange ones, as text that the server reads; and keys."""

    kind: str
    usual: Sequence[str]
    strange: Sequence[str | None]
    keys: Sequence[object] = ()


DIGITS, WORDS = [str(n) for n in range(8)], [f"p{n}" for n in range(8)]
DAYS = [f"2026-11-{n + 1:02d}" for n in range(8)]
COLUMNS = [
    ServerColumn("smallint", DIGITS, ["-32768", "32767"], [0, 1]),
    ServerColumn("integer", DIGITS, ["-2147483648", "2147483647"], ["0", "1"]),
    ServerColumn("bigint", DIGITS, [str(-(2**63)), str(2**63 - 1), str(2**53 + 1)], ["0", "1"]),
    ServerColumn("real", DIGITS, ["NaN", "-Infinity", "3e38", "1e-45"], [0, 1]),
    ServerColumn("float8", DIGITS, _FAR, [0, 1]),
    ServerColumn("numeric", DIGITS, [*_LONG, "Infinity", "-Infinity"], [0, 1]),
    ServerColumn("numeric(9,2)", DIGITS, ["NaN", "-9999999.99"], ["0", "1.5"]),
    ServerColumn("numeric(38,0)", DIGITS, ["NaN", "9" * 38, "-" + "9" * 38], ["0", "1"]),
    ServerColumn("numeric(38,30)", DIGITS, ["NaN", "99999999." + "1" * 30], [0]),
    ServerColumn("boolean", ["true", "false"], ["true"], [True, False]),
    ServerColumn("date", DAYS, _DAYS, ["2026-11-01"]),
    ServerColumn("timestamp", DAYS, [*_DAYS, *_ENDS], ["2026-11-01", "9999-12-31"]),
    ServerColumn("timestamptz", DAYS, [*_DAYS, *_ENDS], ["2026-11-01", "0001-01-01"]),
    ServerColumn("time", ["10:00", "11:00"], ["24:00:00", "23:59:59.999999"], ["10:00:00"]),
    ServerColumn("timetz", ["10:00+02"], ["24:00:00-15:59", "00:00+15:59"]),
    ServerColumn("interval", ["1 day"], ["178000000 years", "-178000000 years", "1 mon -30 days"]),
    ServerColumn("uuid", [f"{'0' * 8}-{'0000-' * 3}{n:012d}" for n in range(8)], ["f" * 32]),
    ServerColumn("text", WORDS, _TEXTS, ["p0", "p1"]),
    ServerColumn("varchar(40)", WORDS, _TEXTS[:6], ["p0", "p1"]),
    ServerColumn('text COLLATE "C"', WORDS, _TEXTS, ["p0", "p1"]),
    ServerColumn("char(4)", WORDS, ["p0", ""]),
    ServerColumn("bytea", [r"\x00"], [r"\xff", r"\x"]),
    ServerColumn("text[]", ["{a}"], ["{}", "{NULL}"]),
    ServerColumn("json", ["1"], ["{}", "null"]),
    ServerColumn("inet", ["::1"], ["0.0.0.0/0"]),
    ServerColumn("money", ["1"], ["92233720368547758.07"]),
]  # fmt: skip


def servers(share: Share) -> Iterator[Found]:
    """Every type in every role on PostgreSQL, plainly, in expressions, and as keys to be found."""
    from servers import _postgres, connected

    if _postgres() is None:
        print("no PostgreSQL: its cases are left out (`make postgres` brings it)")
        return
    source = connected()
    for column in COLUMNS:
        for role in ROLES:
            cells = [
                (n, c)
                for n, c in enumerate((*column.strange, None))
                if _has(share, column, role, n)
            ]
            if cells:
                yield from _of_column(source, column, role, cells)


def _has(share: Share, column: ServerColumn, role: str, number: int) -> bool:
    return share.has(f"postgres, {column.kind} as {role}, cell {number}")


def _of_column(
    source: Any, column: ServerColumn, role: str, cells: Sequence[tuple[int, str | None]]
) -> Iterator[Found]:
    """All ways to ask, of one table of which one column is of the type."""
    rows = [{**usual(n), role: column.usual[n % len(column.usual)]} for n in range(ROWS)]
    kinds = {**_PLAIN, role: column.kind}
    source.execute("DROP TABLE IF EXISTS t")
    source.execute(
        f"CREATE TABLE t ({', '.join(f'{name} {kind}' for name, kind in kinds.items())})"
    )
    for row in rows:
        _insert(source, row)
    asked = [*_asked(column, role)]
    before = [one.outcome(source) for one in asked]
    for number, cell in cells:
        try:
            _insert(source, {**usual(8), "u": "q", role: cell})
        except Exception:  # the type cannot hold it
            continue
        for one, first in zip(asked, before, strict=True):
            case = f"postgres, {column.kind} as {role}, {one.name}, cell {number}"
            yield from compared("server", case, first, one.outcome(source))
        source.execute("DELETE FROM t WHERE ctid = (SELECT max(ctid) FROM t)")


def _insert(source: Any, row: dict[str, object]) -> None:
    texts = [None if cell is None else str(cell) for cell in row.values()]
    marks = ", ".join(f"${n + 1}" for n in range(len(texts)))
    import psycopg

    with psycopg.RawCursor(source) as cursor:
        insert = f"INSERT INTO t ({', '.join(row)}) VALUES ({marks})"
        cursor.execute(insert, texts, prepare=False)  # `t` is another table each time


@dataclass(frozen=True)
class Way:
    """A declaration and its questions."""

    name: str
    declared: Declared

    def outcome(self, source: Any) -> Any:
        return outcome(lambda _: (source, {"name": "t"}), self.declared)


@dataclass(frozen=True)
class Looked:
    """Keys of k that are looked for; what a round adds is a vector over texts."""

    name: str
    unit: Any

    def outcome(self, source: Any) -> Any:
        table = dp.table(source, unit=self.unit, keys={"k": dp.unknown(max_groups=3)}, name="t")
        try:
            pooling = engine_for(source).pooling(table, PAIRS)
        except DiscreetError as error:
            return f"refused: {type(error).__name__}", [], ()
        try:
            pool = pooling.read(7)
        except DiscreetError as error:
            return f"failed after the charge: {type(error).__name__}", [], ()
        pool.close()
        return "answered", [], ()


def _asked(column: ServerColumn, role: str) -> Iterator[Any]:
    keys = (column.keys or ["A"]) if role == "k" else ["A", "B"]
    for whose, unit in WHOSE.items():
        if role == "u" and whose == "row":
            continue
        yield Way(f"unit {whose}", Declared(unit, BOUNDS, keys, has_value=True))
        if role == "v":
            yield Way(f"unit {whose}, on a fine grid", Declared(unit, WIDE, keys, has_value=True))
        worked = Worked(unit, BOUNDS, keys, has_value=True)
        for z in _Z if role == "z" else ("text",):
            yield Way(f"unit {whose}, in expressions, z {z}", replace(worked, z=z))
        if role in "uk" and whose != "row":
            yield Looked("keys to be found", unit)
