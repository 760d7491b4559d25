"""Strange cells: Python objects, Arrow values, text, and lines of CSV files."""

import datetime as dt
import random
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd

METHODS = [
    "__str__", "__repr__", "__eq__", "__ne__", "__hash__", "__float__", "__int__", "__index__",
    "__bool__", "__lt__", "__iter__", "__len__", "__format__", "__sub__", "__add__", "__getattribute__",
    "__class__", "__array__", "__arrow_array__", "__reduce__",
]  # fmt: skip
BASES = [object, str, int, float, Decimal, Fraction, bytes, dt.date, dt.datetime, dt.timedelta]


class Bomb(Exception):
    """What the methods of hostile classes raise."""


def _raises(*_args: object, **_more: object) -> Any:
    raise Bomb


def _hostile() -> Iterator[tuple[str, object]]:
    """Objects of classes in which one method raises, for many bases."""
    for base in BASES:
        for method in METHODS:
            body = {method: property(_raises) if method == "__class__" else _raises}
            try:
                kind = type(f"Hostile{base.__name__}", (base,), body)
                made = {
                    dt.date: lambda k: k(2026, 11, 3), dt.datetime: lambda k: k(2026, 11, 3),
                    bytes: lambda k: k(b"A"), str: lambda k: k("A"), object: lambda k: k(),
                }.get(base, lambda k: k(1))(kind)  # fmt: skip
            except Exception:
                continue
            yield f"P1 {base.__name__} whose {method} raises", made


class Zone(dt.tzinfo):
    """A time zone whose methods raise."""

    utcoffset = dst = tzname = _raises


OBJECTS: list[tuple[str, object]] = [
    ("P1 Decimal sNaN", Decimal("sNaN")), ("P1 Decimal NaN", Decimal("NaN")),
    ("P1 Decimal -inf", Decimal("-Infinity")), ("P1 Decimal 1e999999", Decimal("1e999999")),
    ("P1 Decimal 1e-999999", Decimal("1e-999999")), ("P1 int of 5000 digits", 10**5000),
    ("P1 int of -5000 digits", -(10**5000)), ("P1 Fraction of 5000 digits", Fraction(10**5000, 3)),
    ("P1 Fraction 1/10^5000", Fraction(1, 10**5000)), ("int 2^63", 2**63), ("int -2^63-1", -(2**63) - 1),
    ("int 2^64", 2**64), ("int 2^127", 2**127), ("int 2^128", 2**128), ("int 2^1024", 2**1024),
    ("int 2^53+1", 2**53 + 1), ("int 10^308", 10**308), ("float nan", float("nan")),
    ("float inf", float("inf")), ("float -inf", float("-inf")), ("float -0.0", -0.0),
    ("float 5e-324", 5e-324), ("float 1e308", 1e308), ("P0d None", None), ("P0d True", True),
    ("P0d False", False), ("NA", pd.NA), ("NaT", pd.NaT), ("text empty", ""), ("text A", "A"),
    ("text 1e400", "1e400"), ("text lone surrogate", "\ud800"), ("text half pair", "A\udfff"),
    ("text NUL", "A\0B"), ("text CR", "A\rB"), ("text LF", "A\nB"), ("text of 10^6", "x" * 10**6),
    ("text digits of 10^5", "9" * 10**5), ("text Arabic digits", "\u0661"), ("text 0x10", "0x10"),
    ("text nan", "nan"), ("text inf", "inf"), ("text quote", '"'), ("text comma", "A,B"),
    ("D4 bytes", b"A"), ("D4 bytes ff", b"\xff\xfe"), ("bytearray", bytearray(b"A")),
    ("memoryview", memoryview(b"A")), ("D4 uuid", UUID(int=7)), ("D4 time", dt.time(10)),
    ("time max", dt.time.max), ("time zone", dt.time(10, tzinfo=dt.UTC)), ("date min", dt.date.min),
    ("date max", dt.date.max), ("datetime min", dt.datetime.min), ("datetime max", dt.datetime.max),
    ("datetime min UTC", dt.datetime.min.replace(tzinfo=dt.UTC)),
    ("datetime min far zone", dt.datetime.min.replace(tzinfo=dt.timezone(dt.timedelta(hours=23)))),
    ("datetime hostile zone", dt.datetime(2026, 1, 1, tzinfo=Zone())),
    ("timedelta max", dt.timedelta.max), ("timedelta min", dt.timedelta.min),
    ("complex", 1j), ("list", [1]), ("tuple", (1, 2)), ("set", {1}), ("dict", {"a": 1}),
    ("type", int), ("lambda", lambda: 1), ("Ellipsis", ...), ("NotImplemented", NotImplemented),
    ("object", object()), ("namespace", SimpleNamespace(a=1)), ("generator", (i for i in ())),
    ("np.int8", np.int8(-128)), ("np.uint64", np.uint64(2**64 - 1)), ("np.float16 nan", np.float16("nan")),
    ("np.float32", np.float32(1e38)), ("np.longdouble 1e4000", np.longdouble("1e4000")),
    ("np.longdouble nan", np.longdouble("nan")), ("np.longdouble inf", np.longdouble("inf")),
    ("np.bool", np.bool_(True)), ("np.str", np.str_("A")), ("np.bytes", np.bytes_(b"A")),
    ("np.complex", np.complex64(1j)), ("np.void", np.void(b"A")), ("np.array 0d", np.array(1)),
    ("np.array 1d", np.array([1])), ("np.array 2d", np.ones((2, 2))), ("np.NaT", np.datetime64("NaT")),
    ("P1 np.timedelta64 s", np.timedelta64(1, "s")), ("np.timedelta64 Y", np.timedelta64(1, "Y")),
    ("np.timedelta64 max", np.timedelta64(2**63 - 1, "s")), ("np.timedelta64 NaT", np.timedelta64("NaT")),
    ("np.datetime64 D", np.datetime64("2026-11-03")), ("np.datetime64 far s", np.datetime64(2**62, "s")),
    ("np.datetime64 max ns", np.datetime64(2**63 - 1, "ns")), ("np.datetime64 Y", np.datetime64("2026")),
    ("np.datetime64 as", np.datetime64(1, "as")), ("np.ma.masked", np.ma.masked),
    ("Timestamp max", pd.Timestamp.max), ("Timestamp min", pd.Timestamp.min),
    ("Timestamp zone", pd.Timestamp("2026-11-03", tz="Europe/Berlin")),
    ("Timedelta max", pd.Timedelta.max), ("Period", pd.Period("2026-11", "M")),
    ("Period far D", pd.Period(ordinal=2**62, freq="D")), ("Period far h", pd.Period(ordinal=-(2**62), freq="h")),
    ("Interval", pd.Interval(0, 1)), ("Series", pd.Series([1])), ("DataFrame", pd.DataFrame({"a": [1]})),
    ("class with hostile metaclass", type("Meta", (type,), {"__mro__": property(_raises)})("M", (), {})()),
    *_hostile(),
]  # fmt: skip

BYTES = [  # for text and bytes of Arrow, which nobody checks
    ("P0a bytes ff fe J 0", b"\xff\xfeJ\x00"), ("P0a byte ff", b"\xff"), ("empty", b""), ("NUL", b"\x00"),
    ("A NUL", b"A\x00"), ("surrogate", b"\xed\xa0\x80"), ("overlong", b"\xc0\x80"),
    ("beyond Unicode", b"\xf4\x90\x80\x80"), ("cut", b"A\xc3"), ("P0a ff x 100", b"\xff" * 100),
    ("P0a fe 12 bytes", b"\xfe" * 12), ("P0a fe 13 bytes", b"\xfe" * 13), ("long", b"x" * 10**6),
    ("long ff", b"\xff" * 10**5), ("A", b"A"), ("CR", b"A\rB"), ("U+FFFD", "\ufffd".encode()),
    ("U+001A", b"\x1a"), ("backslash x", b"\\xFF"),
]  # fmt: skip

TEXTS = [
    "", "A", " A", "A ", "\t", "'A'", '"', '""', '"A"', 'A"B', 'A"', '"A', "A,B", "A;B", "A|B", "A\tB",
    "A\rB", "A\r", "\r", "a" + "\ra" * 1000, "\rp,A,1,z" * 50, "A\nB", "\n", "A\n\nB", "\x00", "A\x00B",
    "\x1a", "\x1f", "\x1c", "\x85", "\u2028", "\ufeff", "\ufffd", "é", "\U0001f600", "1", "01", "1.0",
    "1e400", "-1e308", "1e-400", "nan", "inf", "1,5", "1 500", "$1", "0x1", "1_0", "\u0661", "true",
    "TRUE", "None", "NULL", "NA", "#", "#A", "\\", "\\N", "\\n", "=1+1", "A" * 70_000, "9" * 10_000,
    '"' * 1001, "," * 1001, "'" * 7, "-", "+", ".", "e", "2026-11-03", "2026-11-03 10:00:00",
    "a\x0bb", "\x0c",
]  # fmt: skip

LINES = [  # one line of a CSV file as bytes, without its end
    ("P0h open quote", b'"x,A,1,z'), ("P0h open quote in unused", b'p,A,1,"z'), ("P0h quote alone", b'"'),
    ("P0h three quotes", b'p,"""A,1,z'), ("quoted whole line", b'"p,A,1,z"'), ("P0b CR", b"p,A\r,1,z"),
    ("P0b CRs", b"p,A" + b"\ra" * 1000 + b",1,z"), ("P0b CR rows", b"p,A,1,z" + b"\rp,A,1,z" * 50),
    ("CR at end", b"p,A,1,z\r"), ("P0b CR CR at end", b"p,A,1,z\r\r"), ("few cells", b"p,A"),
    ("many cells", b"p,A,1,z,z,z"), ("very many cells", b"," * 100_000), ("empty", b""), ("blank", b" "),
    ("NUL", b"p,A\x00,1,z"), ("NULs", b"\x00" * 100), ("byte ff", b"p,\xff,1,z"),
    ("byte ff unused", b"p,A,1,\xff"), ("byte ff unit", b"\xff,A,1,z"), ("cut character", b"p,A,1,\xc3"),
    ("U+FFFD", "p,\ufffd,1,z".encode()), ("mark of order", b"\xef\xbb\xbfp,A,1,z"),
    ("UTF-16", "p,A,1,z".encode("utf-16")), ("long", b"p,A,1," + b"z" * 2_100_000),
    ("long open quote", b'p,A,1,"' + b"z" * 2_100_000), ("longer than a block", b"z" * 9_000_000),
    ("separator of rows", b"p,A,1,z\x1e"), ("unit separators", b"p\x1fA\x1f1\x1fz"),
    ("substitute", b"p,\x1a,1,z"), ("quotes and commas", b'p,"A,A",1,"z,z"'), ("single quotes", b"'p','A',1,z"),
    ("backslash", b"p,A\\,1,z"), ("backslash quote", b'p,"A\\",1,z'), ("comment", b"#p,A,1,z"),
    ("header again", b"u,k,v,z"), ("JSON", b'{"u": "p", "k": "A"}'), ("U+2028", "p,A,1,\u2028".encode()),
    ("U+0085", "p,A,1,\u0085".encode()), ("vertical tab", b"p,A,1,\x0b"), ("form feed", b"p,A,1,\x0c"),
]  # fmt: skip


def random_objects(how_many: int, seed: int) -> Iterator[object]:
    """Python objects and byte strings without end, of every kind above and between."""
    draw = random.Random(seed)
    plain = [cell for _, cell in OBJECTS]
    for _ in range(how_many):
        yield draw.choice(_MAKERS)(draw, plain)


def _text(draw: random.Random, _plain: list[object]) -> object:
    letters = draw.choice(
        ["0123456789.eE+-_ ", 'AB\ud800\x00\r\n",', "truefalsTRUE ", "é\u0661\uff11"]
    )
    return "".join(draw.choice(letters) for _ in range(draw.randrange(20)))


def _moment(draw: random.Random, _plain: list[object]) -> object:
    unit = draw.choice(["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"])
    kind = draw.choice([np.datetime64, np.timedelta64])
    return kind(draw.randrange(-(2**63), 2**63), unit)


_MAKERS = [
    lambda draw, plain: draw.choice(plain),
    _text,
    _moment,
    lambda draw, _: draw.randrange(-(2 ** draw.randrange(1, 3000)), 2 ** draw.randrange(1, 3000)),
    lambda draw, _: draw.choice([1, -1]) * 10.0 ** draw.randrange(-320, 309) * draw.random(),
    lambda draw, _: Decimal(draw.randrange(10**20)).scaleb(draw.randrange(-3000, 3000)),
    lambda draw, _: Fraction(draw.randrange(10**30), draw.randrange(1, 10**30)),
    lambda draw, _: bytes(draw.randrange(256) for _ in range(draw.randrange(20))),
    lambda draw, _: np.frombuffer(draw.randbytes(8), draw.choice(["f8", "f4", "i8", "u4", "f2"]))[
        0
    ],
    lambda draw, _: dt.date.fromordinal(draw.randrange(1, 3_652_059)),
    lambda draw, _: [draw.random()] * draw.randrange(3),
]
