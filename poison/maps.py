"""Heat maps: the same rows through the door for points."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

import discreet as dp
from discreet.engine.select_engine import engine_for
from discreet.errors import DiscreetError
from discreet.maps.heatmap import Points, planned
from discreet.maps.net import grid

from .cases import Share
from .cells import LINES, OBJECTS
from .columns import COLUMNS
from .harness import Found, compared

NET = grid(0, 0, 4, 1, columns=4, rows=1)
WHOSE = {"row": "row", "2 rows": dp.unit("u", max_rows=2)}


def _row(number: int) -> dict[str, object]:
    return {"u": f"p{number % 5}", "x": number % 4 + 0.5, "y": 0.5, "w": float(number % 3)}


def _outcome(source: object, unit: Any, weight: bool) -> tuple[str, list[Any], tuple[Any, ...]]:
    more: Any = {"weight": "w", "max_weight": 3} if weight else {}
    try:
        plan = planned(Points(source, "x", "y", unit=unit, name="t", **more), NET, spend=dp.pure(1))
        prepared = engine_for(plan.table.source).prepare(plan.table, plan.aggregates)
    except DiscreetError as error:
        return f"refused: {type(error).__name__}", [], ()
    except Exception as error:
        return f"raised before the charge: {type(error).__name__}", [], ()
    try:
        return "answered", [v.opened_by_the_door() for v in prepared.count(1)], plan.aggregates
    except DiscreetError as error:
        return f"failed after the charge: {type(error).__name__}", [], ()
    except Exception as error:
        return f"raised after the charge: {type(error).__name__}", [], ()


def maps(share: Share) -> Iterator[Found]:
    """Points from rows, frames and files."""
    rows = [_row(n) for n in range(20)]
    for whose, unit in WHOSE.items():
        for weight in (False, True):
            ask = partial(_outcome, unit=unit, weight=weight)
            yield from _objects(rows, ask, whose, share)
            yield from _arrow(rows, ask, whose, share)


def _objects(rows: list[Any], ask: Any, whose: str, share: Share) -> Iterator[Found]:
    makers = {"rows": list, "pandas objects": lambda some: pd.DataFrame(some).astype(object)}
    for name, make in makers.items():
        before = ask(make(rows))
        for role in ("u", "x", "y", "w"):
            for what, cell in OBJECTS:
                case = f"map of {name}, {what} as {role}, unit {whose}"
                if not share.has(case):
                    continue
                try:
                    source = make([*rows, {**_row(1), "u": "q"}])
                    source = _with(source, role, cell)
                except Exception:
                    continue
                finding = "P0m" if name != "rows" or "raises" in what else "P1"
                yield from compared(finding, case, before, ask(source))


def _with(source: Any, role: str, cell: object) -> Any:
    if isinstance(source, list):
        return [*source[:-1], {**source[-1], role: cell}]
    cells = np.empty(len(source), dtype=object)
    cells[:-1] = source[role].to_numpy(dtype=object)[:-1]
    cells[-1] = cell
    return source.assign(**{role: pd.Series(cells, dtype=object)})


def _arrow(rows: list[Any], ask: Any, whose: str, share: Share) -> Iterator[Found]:
    for column in COLUMNS:
        if not column.is_unit:
            continue
        units = [column.usual[n % 5] for n in range(len(rows))]
        for name, cell in column.strange:
            case = f"map of arrow, {column.name} as unit, {name}, unit {whose}"
            if not share.has(case):
                continue
            one, other = (
                pa.table({"u": column.array(some), **{c: _doubles(len(some), c) for c in "xyw"}})
                for some in (units, [*units, cell])
            )
            yield from compared("P0m", case, ask(one), ask(other))


def _doubles(size: int, name: str) -> pa.Array:
    return pa.array([float(_row(n)[name]) for n in range(size)])  # type: ignore[arg-type]


def hostile_lines() -> list[bytes]:
    """Lines for a file of points."""
    return [line.replace(b"p,A,1,z", b"p,0.5,0.5,1") for _, line in LINES]


def files(share: Share) -> Iterator[Found]:
    """Points from CSV files with one damaged line."""
    import tempfile

    good = [",".join(map(str, _row(n).values())).encode() for n in range(20)]
    for whose, unit in WHOSE.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "p.csv")
            path.write_bytes(b"\n".join([b"u,x,y,w", *good, b""]))
            before = _outcome(path, unit, weight=True)
            for number, line in enumerate(hostile_lines()):
                case = f"map of csv, line {LINES[number][0]}, unit {whose}"
                if share.has(case):
                    path.write_bytes(b"\n".join([b"u,x,y,w", line, *good, b""]))
                    yield from compared("P0h", case, before, _outcome(path, unit, weight=True))
