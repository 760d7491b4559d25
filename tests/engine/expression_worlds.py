"""Random expressions and hostile rows, for the tests of the language."""

import random
from contextlib import suppress
from datetime import date, datetime

NUMBERS = [
    None, 0.0, -0.0, 1.0, -1.0, 0.1, 2.5, -2.5, 3.0, 7.0, 18.0, 65.0, 1e300, -1e308, 1e149, 1e150,
    1.1e150, 5e-324, 1e-150, -9e-151, 2.0**52, 2.0**53 + 2, float("nan"), float("inf"),
    float("-inf"), 1 / 3, 4503599627370495.5, 123456.789,
]  # fmt: skip
TEXTS = [
    None,
    "",
    "a",
    "A",
    "b",
    "a ",
    "ß",
    "é",
    "é",
    "a\\_b",
    "a'b",
    "%",
    "1",
    "true",
    "👍🏽",
    "\t",
]
DAYS = [
    None, date(1, 1, 1), date(9999, 12, 31), date(1969, 12, 31), date(1970, 1, 1),
    date(2000, 2, 29), date(2026, 11, 22), date(1900, 3, 1), date(2024, 12, 31),
]  # fmt: skip
MOMENTS = [
    None, datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999),
    datetime(1969, 12, 31, 23, 59, 59, 500000), datetime(2000, 2, 29, 12, 30),
    datetime(1970, 1, 1), datetime(2026, 11, 22, 8, 0, 1),
]  # fmt: skip
TRUTHS = [None, True, False]
KINDS = {"x": NUMBERS, "y": NUMBERS, "s": TEXTS, "t": TEXTS, "d": DAYS, "m": MOMENTS, "b": TRUTHS}


def rows(count: int, seed: int) -> list[dict]:
    """Rows of whatever may stand in cells."""
    chance = random.Random(seed)
    return [{name: chance.choice(cells) for name, cells in KINDS.items()} for _ in range(count)]


def between(cell: str, lower: str, upper: str) -> str:
    """An interval; two numbers the wrong way round are refused."""
    with suppress(ValueError):
        lower, upper = sorted((lower, upper), key=float)
    return f"{cell} BETWEEN {lower} AND {upper}"


class Maker:
    """Makes random expressions of a type, up to a depth."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def one(self, kind: str, depth: int) -> str:
        """An expression."""
        makers = {"number": self.number, "truth": self.truth, "text": self.text, "day": self.day}
        return makers[kind](depth)

    def number(self, depth: int) -> str:
        pick = self.chance.choice
        if depth <= 0:
            literals = [
                "0",
                "1",
                "-1",
                "0.1",
                "2.5",
                "1e150",
                "1e-150",
                "100",
                "-3",
                "4503599627370496",
                "0.5",
                "1e100",
            ]
            return pick(["x", "y", "x", "y", pick(literals)])
        n = lambda: self.number(depth - pick([1, 1, 2]))  # noqa: E731
        return pick([
            lambda: f"({n()} {pick('+-*/')} {n()})",
            lambda: f"{n()} {pick('+-*/')} {n()}",
            lambda: f"-({n()})",
            lambda: f"abs({n()})",
            lambda: f"floor({n()})",
            lambda: f"round({n()}, {pick([0, 1, 2, -1, 12])})",
            lambda: f"{pick(['least', 'greatest'])}({n()}, {n()}, {n()})",
            lambda: f"coalesce({n()}, {n()})",
            lambda: f"CASE WHEN {self.truth(depth - 1)} THEN {n()} ELSE {n()} END",
            lambda: f"CASE WHEN {self.truth(depth - 1)} THEN {n()} END",
            lambda: f"CASE WHEN {self.truth(depth - 1)} THEN NULL ELSE {n()} END",
            lambda: f"nullif({n()}, {n()})",
            lambda: f"band({n()}, -1, 0, 18, 65)",
            lambda: f"{pick(['year', 'month', 'day', 'weekday', 'days'])}({self.day(depth - 1)})",
            lambda: f"days({self.day(depth - 1)}, DATE '2000-01-01')",
            lambda: f"{pick(['hour', 'seconds', 'minute', 'second'])}(m)",
            lambda: f"{pick(['ceil', 'trunc', 'sign', 'sqrt'])}({n()})",
            lambda: f"{pick(['mod', 'div'])}(abs({n()}), {pick([1, 3, 10])})",
            lambda: f"({n()}) ** {pick([2, 3])}",
            lambda: f"{pick(['quarter', 'dayofyear'])}({self.day(depth - 1)})",
            lambda: f"{pick(['isoweek', 'isoyear'])}({self.day(0)})",
            lambda: f"length({self.text(depth - 1)})",
            lambda: f"CAST({self.truth(depth - 1)} AS INTEGER)",
        ])()  # fmt: skip

    def day(self, depth: int) -> str:
        pick = self.chance.choice
        if depth <= 0:
            return pick(["d", "d", "m", "DATE '2000-02-29'", "DATE '0001-01-01'"])
        d = lambda: self.day(depth - 1)  # noqa: E731
        return pick([
            lambda: f"coalesce({d()}, {d()})",
            lambda: f"{pick(['least', 'greatest'])}({d()}, {d()})",
            lambda: f"CASE WHEN {self.truth(depth - 1)} THEN {d()} ELSE {d()} END",
            lambda: f"CASE WHEN {self.truth(depth - 1)} THEN NULL ELSE {d()} END",
            lambda: f"date_trunc('{pick(['day', 'week', 'month', 'quarter', 'year'])}', {self.day(0)})",
        ])()  # fmt: skip

    def text(self, depth: int) -> str:
        pick = self.chance.choice
        if depth <= 0:
            return pick(["s", "t", "s", "'a'", "'A'", "'ß'", "'a''b'", "'a\\_b'", "'a '"])
        return pick([
            lambda: f"coalesce({self.text(depth - 1)}, {self.text(depth - 1)})",
            lambda: f"CASE WHEN {self.truth(depth - 1)} THEN {self.text(depth - 1)} ELSE 'b' END",
            lambda: f"{pick(['lower', 'upper', 'trim'])}({self.text(depth - 1)})",
            lambda: f"{pick(['left', 'right'])}({self.text(depth - 1)}, {pick([1, 2, 9])})",
            lambda: f"substr({self.text(depth - 1)}, {pick([1, 2, 7])}, {pick([1, 2])})",
            lambda: f"CASE {self.text(depth - 1)} WHEN 'a' THEN NULL ELSE {self.text(depth - 1)} END",
        ])()  # fmt: skip

    def truth(self, depth: int) -> str:
        pick = self.chance.choice
        if depth <= 0:
            return pick(["b", "b", "TRUE", "FALSE", "s IS NULL", "x > 0", "s = 'a'"])
        less = depth - 1
        sign = lambda: pick(["=", "<>", "<", "<=", ">", ">="])  # noqa: E731
        n, t, s, d = (lambda f=f: f(less) for f in (self.number, self.truth, self.text, self.day))
        return pick([
            lambda: f"{n()} {sign()} {n()}",
            lambda: between(n(), n(), n()),
            lambda: f"{n()} NOT IN (1, 2.5, -1, 0)",
            lambda: f"{s()} IN ('a', 'é', '')",
            lambda: f"{s()} {pick(['=', '<>'])} {s()}",
            lambda: f"{d()} {sign()} {d()}",
            lambda: f"{d()} IN (DATE '2000-02-29', DATE '1970-01-01')",
            lambda: "m >= TIMESTAMP '2000-02-29 12:30:00'",
            lambda: f"date_trunc('{pick(['hour', 'minute', 'second'])}', m) = m",
            lambda: f"({t()} {pick(['AND', 'OR'])} {t()})",
            lambda: f"NOT ({t()})",
            lambda: f"({n()}) IS {pick(['', 'NOT '])}NULL",
            lambda: f"({t()}) IS NOT NULL",
            lambda: f"{pick(['starts_with', 'contains'])}({s()}, {pick(['a', 'A', 'ß', '_', ' '])!r})",
            lambda: f"({t()}) = ({t()})",
            lambda: f"ends_with({s()}, {pick(['a', 'A', 'ß', '_', ' ', 'a '])!r})",
            lambda: f"({t()}) IS {pick(['', 'NOT '])}{pick(['TRUE', 'FALSE'])}",
            lambda: f"({n()}) IS {pick(['', 'NOT '])}DISTINCT FROM ({n()})",
            lambda: f"{n()} < {n()} <= {n()}",
            lambda: f"({t()}) {pick(['&&', 'or'])} ({t()})",
        ])()  # fmt: skip
