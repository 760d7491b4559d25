"""Columns of Arrow types: ordinary cells for each role, and the strangest that the type can hold."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from .cells import BYTES

FAR = [0, 1, -1, 2**62, -(2**62), 2**63 - 1, -(2**63), -(2**63) + 1]
FLOATS = [math.nan, math.inf, -math.inf, -0.0, 5e-324, 1e308, -1e308, 2.0**53, 1e-310]


@dataclass(frozen=True)
class Column:
    """A type, how its cells are made of plain values, and which they are.

    Attributes:
        name: of the type.
        dtype: Arrow's.
        usual: cells of ordinary rows.
        strange: a name and a cell, each.
        keys: public keys, where it can be a key.
        is_value: whether it can have bounds.
        is_unit: whether it can name a unit.
        finding: what a failure here was called.
    """

    name: str
    dtype: Any
    usual: Sequence[object]
    strange: Sequence[tuple[str, object]]
    keys: Sequence[object] = ()
    is_value: bool = False
    is_unit: bool = True
    finding: str = ""

    def array(self, cells: Sequence[object]) -> Any:
        """Return an Arrow array; counts become moments without a check."""
        if pa.types.is_string(self.dtype) or pa.types.is_large_string(self.dtype):
            wide = pa.types.is_large_string(self.dtype)
            raw = pa.array([c.encode() if isinstance(c, str) else c for c in cells],
                           pa.large_binary() if wide else pa.binary())  # fmt: skip
            return raw.view(self.dtype)
        if pa.types.is_temporal(self.dtype) and not pa.types.is_interval(self.dtype):
            wide = self.dtype.bit_width == 64
            return pa.array(cells, pa.int64() if wide else pa.int32()).view(self.dtype)
        if pa.types.is_float16(self.dtype):
            return pa.array([None if c is None else np.float16(c) for c in cells], self.dtype)
        return pa.array(cells, self.dtype)


def _named(cells: Sequence[object]) -> list[tuple[str, object]]:
    return [(repr(cell)[:40], cell) for cell in cells]


def _moments(unit: str, zone: str | None = None) -> Column:
    name = f"timestamp {unit}{' ' + zone if zone else ''}"
    usual = [
        day * 86_400 * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit] for day in range(8)
    ]
    return Column(
        name, pa.timestamp(unit, zone), usual, _named([*FAR, None]),
        keys=["1970-01-01", "1970-01-02"], finding="P0e",
    )  # fmt: skip


def _clocks(unit: str) -> Column:
    dtype = pa.time32(unit) if unit in ("s", "ms") else pa.time64(unit)
    step = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    far = [c for c in [*FAR, -1, 86_400 * step, 2**31 - 1, -(2**31)]
           if dtype.bit_width == 64 or -(2**31) <= c < 2**31]  # fmt: skip
    return Column(
        f"time {unit}", dtype, [3600 * hour * step for hour in range(8)], _named([*far, None]),
        keys=["00:00:00", "01:00:00"], finding="P0e",
    )  # fmt: skip


NAMES = [f"p{number}" for number in range(8)]
COLUMNS = [
    Column("string", pa.string(), NAMES, [*BYTES, ("None", None)], keys=["p0", "p1"]),
    Column("large string", pa.large_string(), NAMES, [*BYTES[:4], ("None", None)], keys=["p0"]),
    Column("binary", pa.binary(), [n.encode() for n in NAMES], [*BYTES, ("None", None)]),
    Column("int8", pa.int8(), range(8), _named([-128, 127, None]), keys=[0, 1], is_value=True),
    Column("int32", pa.int32(), range(8), _named([-(2**31), 2**31 - 1, None]), keys=[0, 1],
           is_value=True),
    Column("int64", pa.int64(), range(8), _named([*FAR, 2**53 + 1, None]), keys=["0", "1"],
           is_value=True),
    Column("uint64", pa.uint64(), range(8), _named([2**64 - 1, 2**63, None]), keys=[0, 1],
           is_value=True),
    Column("double", pa.float64(), [float(n) for n in range(8)], _named([*FLOATS, None]), keys=[0, 1],
           is_value=True),
    Column("float", pa.float32(), [float(n) for n in range(8)],
           _named([math.nan, math.inf, -0.0, 3e38, None]), keys=["0", "1"], is_value=True),
    Column("half float", pa.float16(), [float(n) for n in range(8)],
           _named([math.nan, math.inf, -0.0, 65504.0, None]), keys=[0, 1], is_value=True, finding="D3"),
    Column("bool", pa.bool_(), [n % 2 == 0 for n in range(8)], _named([True, False, None]),
           keys=[True, False], is_value=True),
    Column("decimal 9 2", pa.decimal128(9, 2), [Decimal(n) for n in range(8)],
           _named([Decimal("9999999.99"), Decimal("-9999999.99"), None]), keys=[0, 1], is_value=True),
    Column("decimal 38 0", pa.decimal128(38, 0), [Decimal(n) for n in range(8)],
           _named([Decimal(10**38 - 1), Decimal(-(10**38) + 1), None]), keys=["0", "1"], is_value=True),
    Column("decimal 38 30", pa.decimal128(38, 30), [Decimal(n) for n in range(8)],
           _named([Decimal("99999999.123456789012345678901234567890"), None]), keys=[0], is_value=True),
    Column("date32", pa.date32(), range(8), _named([-(2**31), 2**31 - 1, -719_163, 2_932_897, None]),
           keys=["1970-01-01"], finding="P0e"),
    Column("date64", pa.date64(), [d * 86_400_000 for d in range(8)], _named([*FAR, None]),
           keys=["1970-01-01"], finding="P0e"),
    *(_moments(unit) for unit in ("s", "ms", "us", "ns")),
    *(_moments(unit, zone) for unit in ("s", "ms", "us", "ns") for zone in ("UTC", "Europe/Berlin")),
    *(_clocks(unit) for unit in ("s", "ms", "us", "ns")),
    Column("duration s", pa.duration("s"), range(8), _named([*FAR, None]), finding="P0e"),
    Column("duration ns", pa.duration("ns"), range(8), _named([*FAR, None]), finding="P0e"),
    Column("dictionary", pa.dictionary(pa.int8(), pa.string()), NAMES, _named(["p9", "", None]),
           keys=["p0", "p1"]),
    Column("null", pa.null(), [None] * 8, _named([None]), keys=["p0"], is_value=True, finding="D6"),
    Column("list", pa.list_(pa.int64()), [[1]] * 8, _named([None, []]), is_unit=False, finding="D3"),
    Column("struct", pa.struct([("a", pa.int64())]), [{"a": 1}] * 8, _named([None]), is_unit=False,
           finding="D3"),
    Column("month interval", pa.month_day_nano_interval(), [None] * 8, _named([None, (2**31 - 1, 0, 0)]),
           is_unit=False, finding="D3"),
]  # fmt: skip
