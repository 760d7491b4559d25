"""The same strange cells in two tables that are joined: as links, units, keys, values, and unused."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

import discreet as dp

from .cases import BOUNDS, PEOPLE, ROWS, Share, usual
from .cells import OBJECTS
from .columns import COLUMNS, Column
from .harness import Found, compared, outcome
from .sources import LOOSE, ORDER, TYPED, Made

_FEWER = 8  # each cell is tried in other groups, too
_OWN = {"duckdb", "view"}  # a connection each: their tables lie in two places
_ROLES = {  # by the kind of join: in which table a strange cell stands, and as what
    "own": ("first u", "first z", "second u", "second k", "second v", "second z"),
    "owner": ("first z", "first v", "second z", "second u", "second k"),
}
_FIRST = {"own": ("u", "z", "n"), "owner": ("z", "v", "n")}  # what the first table has: no name
# that the second one gives
Rows = Sequence[dict[str, object]]


@dataclass(frozen=True)
class Beside:
    """Two tables: the second one's keys and values, by the unit, or with the unit over z."""

    kind: str

    def table(self, made: Made) -> Any:
        source, how = made
        columns = {"v": BOUNDS}
        second = how["second"]
        one = (
            dp.join(second, name="o", key="u", gives=["k", "v"])
            if self.kind == "own"
            else dp.owner(second, name="o", on="z", gives=["u", "k"])
        )
        found = dp.table(source, name="t", unit=PEOPLE, columns=columns, keys={"k": ["A", "B"]})
        # a list has no public names: what questions read is named by the table
        return found.joined(one).derive(named=dp.derived("z = 'z1'", keys=[True, False]))

    def asked(self, table: Any) -> tuple[Any, ...]:
        some = [dp.count("k"), dp.count_units("k"), dp.sum("v", "k"), dp.mean("v")]
        some += [dp.count("k", where="v > 0 OR z = 'z1'"), dp.histogram("v", bins=3)]
        return tuple(a for one in some for a in one.aggregates(table))


def joins(share: Share) -> Iterator[Found]:
    """Cells of their own kinds, and extreme cells of each type, in both tables: one case of eight."""
    share = share.fewer(_FEWER)
    for kind in _ROLES:
        for source, make in LOOSE.items():
            yield from loose(source, make, kind, share)
        for source, make in TYPED.items():
            if source not in _OWN:
                for column in COLUMNS:
                    yield from _typed(source, make, column, kind, share)


def loose(source: str, make: Any, kind: str, share: Share) -> Iterator[Found]:
    """Cells of their own kinds."""
    before = outcome(partial(_both, make, *_usual(kind)), Beside(kind))
    for role in _ROLES[kind]:
        for name, cell in OBJECTS:
            case = f"{source}, {name} as {role} of a join by {kind}"
            if share.has(case):
                after = outcome(partial(_both, make, *_more(kind, role, cell)), Beside(kind))
                yield from compared("", case, before, after)


def _typed(source: str, make: Any, column: Column, kind: str, share: Share) -> Iterator[Found]:
    for role in _ROLES[kind]:
        which, name = role.split()
        tables, before = _usual(kind), None
        for row in tables[which == "second"]:
            row[name] = column.usual[int(str(row["n"])) % len(column.usual)]
        for strange, cell in column.strange:
            case = f"{source}, {column.name}, {strange} as {role} of a join by {kind}"
            if not share.has(case):
                continue
            more = _with(kind, tables, role, cell)
            try:
                one, other = (_made(some, role, column) for some in (tables, more))
                before = before or outcome(partial(_both, make, *one), Beside(kind))
                after = outcome(partial(_both, make, *other), Beside(kind))
            except Exception:
                continue
            yield from compared(column.finding, case, before, after)


def _usual(kind: str) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Two ordinary tables: visits with a number each, and rows of people who have some of them."""
    every = ({**usual(n), "z": f"z{n % 11}", "n": n} for n in range(ROWS))
    first = [{name: row[name] for name in _FIRST[kind]} for row in every]
    second = [{**usual(n), "z": f"z{n % 7}", "n": n} for n in range(ROWS // 2)]
    return first, second


def _more(kind: str, role: str, cell: object) -> tuple[Rows, Rows]:
    return _with(kind, _usual(kind), role, cell)


def _with(kind: str, tables: tuple[Rows, Rows], role: str, cell: object) -> tuple[Rows, Rows]:
    """The tables with a unit more: its rows in both, one of which holds a strange cell."""
    which, name = role.split()
    unit = {"u": "q"} if kind == "own" else {}
    rows = [{**tables[0][8], **unit, "z": "zq"}, {**tables[1][8], "u": "q", "z": "zq"}]
    rows[which == "second"][name] = cell
    return [*tables[0], rows[0]], [*tables[1], rows[1]]


def _made(tables: tuple[Rows, Rows], role: str, column: Column) -> tuple[Any, Any]:
    """The tables as Arrow's, with the type of one column of one of them."""
    which, name = role.split()
    plain = Column("text", pa.string(), [], [])
    sides = [(name, column) if which == side else ("z", plain) for side in ("first", "second")]
    first, second = (_table_of(rows, *how) for rows, how in zip(tables, sides, strict=True))
    return first, second


def _table_of(rows: Rows, role: str, column: Column) -> pa.Table:
    """The rows, with the type of one column in one role; of the names that they have."""
    kinds = {"u": pa.string(), "k": pa.string(), "v": pa.float64(), "z": pa.string()}
    there = [name for name in ORDER if name in rows[0]]
    return pa.table(
        {
            name: column.array([row[name] for row in rows])
            if name == role
            else pa.array([row[name] for row in rows], kinds[name])
            for name in there
        }
    )


def _both(make: Any, first: Any, second: Any, folder: Path) -> Made:
    (folder / "o").mkdir()
    return make(first, folder)[0], {"second": make(second, folder / "o")[0]}
