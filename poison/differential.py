"""Random tables through every source, and the same tables through a reference that is not ours."""

import datetime as dt
import math
import random
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pyarrow as pa

import discreet as dp
from discreet.engine.select_engine import engine_for

from . import reference
from .cases import Share
from .harness import Found
from .reference import Loose
from .sources import CHOSEN, LOOSE, ORDER, TYPED, WRITERS, Made

TABLES = 10_000
NOON = dt.datetime(2026, 11, 3, 12)
DAYS = [dt.date(2026, 11, 3), dt.date(1, 1, 1), dt.date(9999, 12, 31), None]
CLOCKS = [dt.time(10), dt.time(23, 59, 59), dt.time(0), None]
TEXT = [
    "A",
    "B",
    "",
    "é",
    "1",
    "01",
    "true",
    " A ",
    'a"b',
    "a,b",
    "1e3",
    "-.5",
    "NA",
    "x" * 40,
    "1_0",
    "٣",
]
FLOATS = [0.0, -0.0, 1.0, 0.1, 2.5, -2.5, 0.125, 1e308, -1e308, 5e-324, math.nan, math.inf, None]


@dataclass(frozen=True)
class Kind:
    """Cells of one type, and lists of keys that a column of it may have."""

    dtype: Any
    cells: Sequence[object]
    keys: Sequence[Sequence[object]]
    is_value: bool = False


KINDS = [
    Kind(pa.string(), [*TEXT, None], [["A", "B"], ["", "01", "1"], ["é", " A "]]),
    Kind(pa.int64(), [0, 1, -1, 7, 2**53 + 2, -(2**62), None], [[0, 1], ["7", "-1", "0"], [True]], True),
    Kind(pa.int8(), [0, 1, -128, 127], [[0, 127], ["1"], ["1.0", "-128"]], True),
    Kind(pa.float64(), FLOATS, [[0, 1], ["0.1", "2.5", "1"], ["-0", "0.125"]], True),
    Kind(pa.decimal128(10, 2), [Decimal("0.10"), Decimal("1.00"), Decimal("-2.50"), None],
         [["0.1", "1"], [1, 2], ["-2.500"]], True),
    Kind(pa.bool_(), [True, False, None], [[True, False], ["true"], ["False", "true"], [0, 1]], True),
    Kind(pa.date32(), DAYS, [["2026-11-03"], [dt.date(9999, 12, 31), "0001-01-01"]]),
    Kind(pa.timestamp("us"), [NOON, dt.datetime(1970, 1, 1), None],
         [["2026-11-03"], ["2026-11-03 12:00:00", "1970-01-01 00:00:00"]]),
    Kind(pa.time64("us"), CLOCKS, [["10:00:00", "23:59:59"]]),
]  # fmt: skip
OBJECTS = [
    *map(Loose, TEXT), *FLOATS, *DAYS, *CLOCKS, NOON, True, False, 0, 1, 7, 2**53 + 2, 10**30,
    Decimal("0.10"), Decimal("NaN"), UUID(int=7), b"A", dt.datetime(2026, 11, 3, 12, tzinfo=dt.UTC),
]  # fmt: skip
KEYS: list[Sequence[object]] = [
    ["A", "B", "01"], [0, 1, 7], [True, False], ["2026-11-03", "10:00:00"], ["0.1", "1", "é"],
    ["1", "true", "01"], ["00000000-0000-0000-0000-000000000007", "A"],
]  # fmt: skip
BOUNDS = [("-5", "5", "1"), ("-5", "5", "1/4"), ("-500", "1000", "1/100"), ("-10", "1000", "5")]


@dataclass(frozen=True)
class Case:
    """A random table: rows as the reference reads them, and what makes the source.

    `chosen` says whether the cells choose the types of the source's columns.
    """

    name: str
    rows: list[dict[str, object]]
    keys: Sequence[object]
    make: Callable[[Path], Made]
    chosen: bool
    has_unit: bool
    bounds: tuple[Fraction, Fraction, Fraction]


class _Drawn(NamedTuple):
    """What hands over something, what it hands over, its rows, and the keys that are asked."""

    source: Callable[[Any, Path], Made]
    given: Any
    rows: list[dict[str, object]]
    keys: Sequence[object]


def case_of(number: int) -> Case:
    """The table of a number."""
    rnd = random.Random(number)
    lower, upper, step = map(Fraction, rnd.choice(BOUNDS))
    kind = rnd.choice(["typed", "loose", "written"])
    drawn = {"typed": _typed, "loose": _loose, "written": _written}[kind](rnd)
    make = partial(drawn.source, drawn.given)
    chosen = drawn.source in CHOSEN
    name = f"table {number}, {kind}"
    return Case(
        name, drawn.rows, drawn.keys, make, chosen, rnd.random() < 0.7, (lower, upper, step)
    )


def _typed(rnd: random.Random) -> _Drawn:
    kinds = {name: rnd.choice(KINDS) for name in ORDER}
    kinds["v"] = rnd.choice([kind for kind in KINDS if kind.is_value])
    length = rnd.randint(1, 40)
    columns = {n: [rnd.choice(kind.cells) for _ in range(length)] for n, kind in kinds.items()}
    table = pa.table({n: pa.array(cells, kinds[n].dtype) for n, cells in columns.items()})
    make = TYPED[rnd.choice([*TYPED])]
    rows = [dict(zip(ORDER, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return _Drawn(make, table, rows, rnd.choice(kinds["k"].keys))


def _loose(rnd: random.Random) -> _Drawn:
    rows = [{n: rnd.choice(OBJECTS) for n in ORDER} for _ in range(rnd.randint(1, 40))]
    make = LOOSE[rnd.choice([*LOOSE])]
    given = [{n: str(c) if isinstance(c, Loose) else c for n, c in row.items()} for row in rows]
    return _Drawn(make, given, rows, rnd.choice(KEYS))


def _written(rnd: random.Random) -> _Drawn:
    given = [{n: rnd.choice(TEXT) for n in ORDER} for _ in range(rnd.randint(1, 40))]
    make = WRITERS[rnd.choice([*WRITERS])]
    rows = [{n: Loose(c) if c else None for n, c in row.items()} for row in given]
    return _Drawn(make, given, rows, rnd.choice(KEYS))


def _counted(case: Case) -> dict[str, list[int]]:
    lower, upper, step = case.bounds
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        source, how = case.make(Path(folder))
        found = dp.table(
            source,
            unit=dp.unit("u", max_rows=99) if case.has_unit else "row",
            columns={"v": dp.bounds(str(lower), str(upper), step=str(step))},
            keys={"k": list(case.keys)},
            **how,
        )
        asked = {
            "count": dp.count("k"),
            "count_units": dp.count_units("k"),
            "sum": dp.sum("v", "k"),
            "histogram": dp.histogram("v", bins=[lower, 0, upper]),
            "variance": dp.variance("v", "k"),
        }
        aggregates = tuple(a for one in asked.values() for a in one.aggregates(found))
        vectors = engine_for(source).prepare(found, aggregates).count(case.bounds[1].numerator)
    return {
        name: list(vector.opened_by_the_door()) for name, vector in zip(asked, vectors, strict=True)
    }


def differential(share: Share) -> Iterator[Found]:
    """Every table whose answers are not those of the reference."""
    for number in range(0, TABLES, share.of):
        case = case_of(number)
        lower, upper, step = case.bounds
        wanted = reference.answers(
            case.rows, has_unit=case.has_unit, keys=case.keys, bounds=case.bounds,
            bins=[int(lower / step), 0, int(upper / step)], chosen=case.chosen,
        )  # fmt: skip
        try:
            got = _counted(case)
        except Exception as error:
            yield Found("reference", case.name, f"{type(error).__name__}: {error}"[:200])
            continue
        for name, vector in wanted.items():
            if got[name] != vector:
                yield Found("reference", case.name, f"{name} {got[name]}, wanted {vector}")
