"""A row more that changes the type of a column: in pandas, in Polars with a schema, in lists of dicts."""

import datetime as dt
import gc
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

import discreet as dp
from discreet.engine.reading import unit_of
from discreet.engine.select_engine import engine_for
from discreet.errors import DiscreetError
from discreet.finding.pairs import Pairs
from discreet.schema import csv_options

from .cases import Share
from .harness import SALT, Found

ROWS = 24
_FEWER = 8
GROUPS = 2  # the most keys of a unit that count where keys are found
_DAY, _MOMENT = dt.date(2020, 1, 1), dt.datetime(2020, 1, 1, 10)
Cells = list[object]

USUAL: dict[str, Cells] = {  # cells of ordinary rows, a kind of column each
    "whole": [1, 2, 3, 4], "whole 0": [0, 1, 0, 2], "far": [2**53 - 1, 2**53, 2**53 + 1, 2**60 + 1],
    "farther": [2**63, 2**63 + 1, 2**64 - 1, 7], "broken": [0.5, 1.0, 2.5, 1.0],
    "floats": [1.0, 2.0, 3.0, 4.0], "far floats": [2.0**53, 2.0**53 + 2, 1e300, 4.0],
    "truth": [True, False, True, True], "text": ["a", "b", "c", "1"], "digits": ["1", "2", "01", "1.0"],
    "days": [_DAY, _DAY.replace(day=2), _DAY, _DAY], "moments": [_MOMENT, _MOMENT.replace(day=2), _MOMENT, _MOMENT],
    "zoned": [_MOMENT.replace(tzinfo=dt.UTC), _MOMENT.replace(day=2, tzinfo=dt.UTC)] * 2,
    "lengths": [dt.timedelta(1), dt.timedelta(2), dt.timedelta(3), dt.timedelta(1)],
    "complex": [1 + 0j, 2 + 0j, 1j, 3 + 0j], "nothing": [None, None, None, None],
    "decimals": [Decimal(1), Decimal("0.5"), Decimal(2), Decimal(1)],
    "months": [pd.Period("2020-01", "M"), pd.Period("2020-02", "M")] * 2,
    "periods": [pd.Period("2020-01-01", "D"), pd.Period("2020-01-02", "D")] * 2,
    "bytes": [b"a", b"b", b"c", b"a"],
}  # fmt: skip
CELLS: list[object] = [  # what one row more may hold
    None, float("nan"), 0.5, 1.0, -0.0, float("inf"), True, 1, "x", "1", 2**53, 2**60 + 1, 2**63, 2**64,
    -(2**63) - 1, Decimal("0.5"), _DAY, _MOMENT, _MOMENT.replace(tzinfo=dt.UTC), dt.timedelta(1), b"x",
    1j, 1 + 0j, [1], object(), pd.NA, pd.NaT, pd.Period("2020-01", "M"), pd.Period("2020-01-01", "D"), np.float32(0.1), np.longdouble(0.1),
    np.uint64(2**64 - 1), np.datetime64("2020-01-01"),
]  # fmt: skip


def _as(dtype: str) -> Callable[[Cells], Any]:
    return lambda cells: pd.Series(cells).astype(dtype)


def _concatenated(dtype: str) -> Callable[[Cells], Any]:
    """The ordinary cells in a narrow type, and the cell of one row more put beside them."""

    def made(cells: Cells) -> Any:
        narrow = pd.Series(np.array(cells[:ROWS]).astype(dtype))
        return (
            pd.concat([narrow, pd.Series(cells[ROWS:])], ignore_index=True)
            if cells[ROWS:]
            else narrow
        )

    return made


def _typed(dtype: Any) -> Callable[[Cells], Any]:
    return lambda cells: pl.Series(cells, dtype=dtype, strict=False)


FRAMES: dict[str, tuple[Callable[[Cells], Any], Sequence[str]]] = {  # and the kinds that it holds
    "pandas": (pd.Series, [*USUAL]),
    "pandas category": (_as("category"), ["whole", "broken", "truth", "text", "moments"]),
    "pandas objects": (_as("object"), [*USUAL]),
    "pandas sparse": (lambda cells: pd.Series(pd.arrays.SparseArray(cells)), ["whole", "broken"]),
    **{f"pandas {kind}": (_concatenated(kind), ["whole", "whole 0"])
       for kind in ("int8", "int32", "uint8", "uint64", "float32", "float16", "longdouble")},
    "pandas M8[s]": (_concatenated("M8[s]"), ["moments"]),
    "polars int": (_typed(pl.Int64), ["whole", "far"]), "polars float": (_typed(pl.Float64), ["broken", "floats"]),
    "polars text": (_typed(pl.String), ["text", "digits"]), "polars truth": (_typed(pl.Boolean), ["truth"]),
    "polars objects": (_typed(pl.Object), [*USUAL]),
}  # fmt: skip
IN_FORMS = {name: FRAMES[name] for name in ("pandas", "pandas objects", "polars text")}


def _plain(**how: Any) -> Callable[[Any], Any]:
    return lambda source: dp.table(source, name="t", **{"unit": dp.unit("u", max_rows=2), **how})


_V = {"v": dp.bounds(-5, 5, step=1)}
_K = {"k": ["1", "2", "a", "true", "2020-01-01"]}
_UNKNOWN = {"x": dp.unknown(max_groups=GROUPS)}
ROLES: dict[str, tuple[Callable[[Any], Any], Callable[[], Any] | None]] = {  # a declaration, and a question
    "a unit": (_plain(unit=dp.unit("x", max_rows=2), keys=_K), lambda: dp.count("k", max_groups=1, max_rows_per_group=1)),
    "a counted unit": (_plain(unit=dp.unit("x"), keys=_K), lambda: dp.count_units("k", max_groups=2)),
    "a portable unit": (_plain(unit=dp.unit("x", max_rows=1, sampling="portable"), columns=_V), lambda: dp.sum("v")),
    "a key of texts": (_plain(keys={"x": ["1", "0.5", "true", "2020-01-01", "a"]}), lambda: dp.count("x")),
    "a key of numbers": (_plain(keys={"x": dp.keys(0, 1, 2, other=8, missing=9)}), lambda: dp.count("x")),
    "a key of truth": (_plain(keys={"x": [True, False]}), lambda: dp.count("x")),
    "an unknown key": (_plain(keys=_UNKNOWN), None),
    "an unknown key of several": (_plain(keys={"x2": dp.unknown(max_groups=GROUPS, of=["x", "k"])}), None),
    "a value": (_plain(columns={"x": dp.bounds(-5, 5, step="0.5")}), lambda: dp.sum("x")),
    "a far value": (_plain(columns={"x": dp.bounds(0, 2**60, step=2**10)}), lambda: dp.sum("x")),
    "a day": (_plain(columns={"x": dp.bounds("2019-01-01", "2021-01-01")}), lambda: dp.quantile("x", "1/2")),
    "a moment": (_plain(columns={"x": dp.bounds("2019-01-01 00:00:00", "2021-01-01 00:00:00")}), lambda: dp.quantile("x", "1/2")),
    "a histogram": (_plain(columns={"x": dp.bounds(-5, 5, step=1)}), lambda: dp.histogram("x", bins=5)),
    "a variance": (_plain(columns={"x": dp.bounds(-5, 5, step=1)}), lambda: dp.variance("x")),
    "a choice": (_plain(keys={"x": ["1", "2", "a", "true"]}), lambda: dp.choose("x")),
    "a cube": (_plain(keys={**_K, "x": ["1", "a"]}), lambda: dp.cube(["x", "k"])),
    "a number of a filter": (lambda s: _plain()(s).where("x > 1"), dp.count),
    "a text of a filter": (lambda s: _plain()(s).where("x = 'a' OR x = '1'"), dp.count),
    "a truth of a filter": (lambda s: _plain()(s).where("x"), dp.count),
    "a day of a filter": (lambda s: _plain()(s).where("year(x) = 2020"), dp.count),
    "a moment of a filter": (lambda s: _plain()(s).where("hour(x) = 10"), dp.count),
    "a gap of a filter": (lambda s: _plain()(s).where("x IS NULL OR x > 2"), dp.count),
    "derived": (lambda s: _plain()(s).derive(y=dp.derived("floor(x / 2)", keys=[0, 1, 2])), lambda: dp.count("y")),
    "a derived value": (lambda s: _plain()(s).derive(y=dp.derived("x + 1", bounds=dp.bounds(0, 5, step=1))), lambda: dp.sum("y")),
    "a link of the first": (lambda s: _joined(s, "x"), lambda: dp.count("k")),
    "a link of the second": (lambda s: _joined(s, "z", "x"), lambda: dp.count("k")),
    "a unit of both": (lambda s: _of_both(s, "x"), lambda: dp.count("k")),
}  # fmt: skip


def _like(source: Any, columns: dict[str, Any]) -> Any:
    """Columns as a source of the same kind."""
    if isinstance(source, list):
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if isinstance(source, Path):
        from .files import beside

        return beside(source, columns)
    return (pd if isinstance(source, pd.DataFrame) else pl).DataFrame(columns)


def _joined(source: Any, on: str, key: str = "u") -> Any:
    """A table whose rows are owned by rows of another: in either the strange column is the link."""
    if key == "u":
        owner = _like(source, {"z": [1, 2, 3, 0], "owner": list("pqrs")})
        who, one = "owner", dp.owner(owner, name="o", on=on, key="z", gives=["owner"])
    else:
        who, one = "u", dp.owner(source, name="o", on=on, key=key, gives=["u"])
        source = _like(source, {"z": USUAL["whole"], "k": ["1", "2", "1", "a"]})
    return dp.table(source, name="t", unit=dp.unit(who, max_rows=9), keys=_K).joined(one)


def _of_both(source: Any, name: str) -> Any:
    """A unit that finds its rows in two tables by the strange column."""
    first = _like(source, {name: USUAL["whole"]})
    unit = dp.unit(name, max_rows=3)
    return dp.table(first, name="t", unit=unit, keys=_K).joined(
        dp.join(source, name="o", gives=["k"])
    )


DECLARED = {  # forms of text, in which some numbers are codes of missing cells
    "missing": ["", "x", -99, 5, "101"], "decimal": ",", "trim": True, "days": "%Y-%m-%d", "times": "%H:%M:%S",
}  # fmt: skip


def _in_forms(table: Any, csv: Any) -> Any:
    """The table with the forms in which its cells are written: of files those of each."""
    joins = tuple(replace(one, csv=_forms(one.source, csv)) for one in table.joins)
    return replace(table, csv=_forms(table.source, csv), joins=joins)


def _forms(source: Any, csv: Any) -> Any:
    if not isinstance(source, Path):
        return csv_options(csv)
    from .files import forms_of

    return csv_options(forms_of(source))


def outcome(source: Any, role: str, csv: Any = None) -> tuple[str, Any]:
    """How a question ends, and what was counted.

    Args:
        source: of the rows.
        role: in which x is read.
        csv: the forms in which text of a frame is written; a file says its own.
    """
    declare, question = ROLES[role]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stage = "refused before the charge"
        try:
            table = _in_forms(declare(source), csv)
            if question is None:
                (column,) = table.unknown
                pooling = engine_for(source).pooling(table, Pairs(column, (1,) * GROUPS))
                stage = "failed after the charge"
                return "answered", _pooled(pooling.read(SALT))
            aggregates = question().aggregates(table)
            prepared = engine_for(source).prepare(table, aggregates)
            stage = "failed after the charge"
            counted = [one.opened_by_the_door() for one in prepared.count(SALT)]
        except DiscreetError as error:
            return f"{stage}: {error.args[0].splitlines()[0][:90]}", None
        except Exception as error:
            return f"{stage}: bare {type(error).__name__}", None
    return "answered", [
        (one.sensitivity, vector) for one, vector in zip(aggregates, counted, strict=True)
    ]


def _pooled(pool: Any) -> dict[str, int]:
    sums = pool.sums(frozenset()).opened_by_the_door()
    return {pool.names(frozenset([place]))[0]: added for place, added in enumerate(sums)}


def wrong(before: tuple[str, Any], after: tuple[str, Any], units: int = 1) -> str | None:
    """What is wrong between two outcomes: their kinds, or how far they are apart."""
    (kind, one), (other, two) = before, after
    if kind.split(":")[0] != other.split(":")[0]:
        return f"{kind}, with the row {other}"
    if kind != other:
        return f"other words: {kind}, with the row {other}"
    if one is None:
        return None
    if isinstance(one, dict):
        apart = sum(abs(one.get(key, 0) - two.get(key, 0)) for key in {*one, *two})
        return f"moved by {apart}, declared {units * GROUPS}" if apart > units * GROUPS else None
    for (most, left), (_, right) in zip(one, two, strict=True):
        moves = [abs(a - b) for a, b in zip(left, right, strict=True)]
        if sum(moves) > units * most.l1 or max(moves, default=0) > units * most.linf:
            return f"moved by {sum(moves):,}, declared {units * most.l1:,}"
    return None


def _frame(source: str, make: Callable[[Cells], Any], cells: Cells) -> Any:
    rows = range(len(cells))
    plain = {
        "u": [f"p{n % 7}" for n in rows[:ROWS]] + ["q"] * (len(cells) - ROWS),
        "k": ["12a"[n % 3] for n in rows], "v": [n % 5 for n in rows],
    }  # fmt: skip
    return (pl if source.startswith("polars") else pd).DataFrame({**plain, "x": make(cells)})


def dtypes(share: Share) -> Iterator[Found]:
    """Each kind of column, each cell more, in each role: alike, and within what is declared.

    One of eight, for each of which there are some 70,000 frames.
    """
    share = share.fewer(_FEWER)
    yield from _names(share)
    each = [(name, None, *how) for name, how in FRAMES.items()]
    each += [(f"{name} in forms", DECLARED, *how) for name, how in IN_FORMS.items()]
    for source, csv, make, kinds in each:
        for kind in kinds:
            usual = [USUAL[kind][n % 4] for n in range(ROWS)]
            for role in ROLES:
                before = None
                for number, cell in enumerate(CELLS):
                    case = f"{source}, {kind} as {role}, {_said(cell)} {number}"
                    if not share.has(case):
                        continue
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        try:
                            one, other = (
                                _frame(source, make, some) for some in (usual, [*usual, cell])
                            )
                        except Exception:
                            continue  # the library does not make such a frame
                    before = before or outcome(one, role, csv)
                    what = wrong(before, outcome(other, role, csv), _changed(role, usual, cell))
                    if what:
                        yield Found("P2", case, what)
            gc.collect(0)


OF_UNITS = ("a unit", "a counted unit", "a portable unit")


def _changed(role: str, usual: Cells, cell: object) -> int:
    """By how many units a row more is another table: of a unit that is there, it goes and comes."""
    is_there = role in OF_UNITS and unit_of(cell) in {unit_of(one) for one in usual}
    return 2 if is_there else 1


def _names(share: Share) -> Iterator[Found]:
    """Lists of dicts, and a row more with names that no other row has: in each role."""
    for role in ROLES:
        for has_x in (True, False):
            rows = [
                {"u": f"p{n % 7}", "k": "12a"[n % 3], "v": n % 5, **({"x": n % 3} if has_x else {})}
                for n in range(ROWS)
            ]
            before = None
            for name in NAMES:
                for cell in (1, "a", None):
                    case = f"list of dicts, x {has_x} as {role}, {name!r} {cell!r}"
                    if share.has(case):
                        before = before or outcome(rows, role)
                        what = wrong(before, outcome([*rows, {"u": "q", name: cell}], role))
                        if what:
                            yield Found("P4", case, what)
                        if not before[0].startswith("answered"):
                            yield Found("P4", case, f"{before[0]}, though it is declared")


NAMES: list[object] = [
    "x",
    "y",
    "x2",
    "k",
    "u",
    "v",
    "z",
    "zz",
    "owner",
    "HIV positive",
    "",
    "X",
    " x",
    5,
    None,
]


def _said(cell: object) -> str:
    return type(cell).__name__ if type(cell) is object else repr(cell)[:40]
