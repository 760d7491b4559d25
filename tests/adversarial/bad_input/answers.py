"""Strange data that is no error: what a cell, a row, a name or a file then counts for.

A case is a question, the source, what is declared of it, and the answer.
"""

import datetime as dt
import gzip
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import discreet as dp

WARD, ALL, COST = dp.count(by="ward"), dp.count(), dp.sum("cost")
DAY = dt.date(2026, 1, 4)
WIDE = {"columns": {"cost": dp.bounds(-(2**52), 2**52, step=1)}}
PERSON = {"unit": dp.unit("person", max_rows=3)}


def csv(*contents, name="people.csv"):
    """Return what writes one file, or several numbered ones, and gives the path or glob."""

    def make():
        raw = [c.encode() if isinstance(c, str) else c for c in contents]
        if len(raw) == 1:
            Path(name).write_bytes(raw[0])
            return name
        for number, content in enumerate(raw):
            Path(f"part{number}.csv").write_bytes(content)
        return "part*.csv"

    return make


def frame(**columns):
    return lambda: pa.table(columns)


def parquet(**columns):
    def make():
        pq.write_table(pa.table(columns), "people.parquet")
        return "people.parquet"

    return make


def cost(*cells):
    """A CSV file with these cells, quoted, as costs."""
    return csv("ward,cost\n" + "".join(f'A,"{cell}"\n' for cell in cells))


def named(name):
    """Both the keys and the numbers are in columns of strange names."""
    ward, price = f"{name}w", f"{name}c"
    data = pd.DataFrame({ward: ["A", "B", "B"], price: [1.0, 2.0, 4.0]})
    declared = {"columns": {price: dp.bounds(0, 5, step=1)}, "keys": {ward: ["A", "B"]}}
    return dp.sum(price, by=ward), lambda: data, declared, [1, 6]


def crowd():
    """One person has a million rows, another one has one."""
    rows = "1,A,5\n" * 1_000_000
    Path("people.csv").write_text(f"person,ward,cost\n{rows}2,B,5\n", encoding="utf-8")
    return "people.csv"


# fmt: off
CELLS = {
    "1e+05": (COST, cost("1e+03", "1E3", "1e0"), {}, [2001]),
    "Miller": (COST, cost("Miller", 5), {}, [5]),
    "blanks": (COST, cost(" 7 ", "", " ", 5), {}, [12]),
    "commas, hexadecimal, underscores": (COST, cost("1,5", "0x10", "1_000", "٣", "1/2", 5), {}, [5]),
    "infinite and no number": (COST, cost("inf", "-inf", "nan", "NaN", "Infinity", 5), {}, [5]),
    "beyond every double": (COST, cost("1e999", 5), {}, [5]),
    "negative zero": (COST, cost("-0.0", "-0", 5), {}, [5]),
    "beyond the bounds": (COST, cost(1e308, -1e308, 5), {}, [5005]),
    "between the steps": (COST, cost("0.124", "0.125", "0.126"), {}, [0.5]),
    "beyond 128 bits": (COST, cost("9" * 300, "-" + "9" * 300, "9" * 300), WIDE, [2**52]),
    "whole numbers at the end of 64 bits": (COST, frame(cost=[2**63 - 1, -(2**63), -(2**63)]), WIDE, [-(2**52)]),
    "days in a column of numbers": (COST, cost("2026-01-04", 5), {}, [5]),
    "floats that are not numbers": (COST, frame(cost=[float("nan"), float("inf"), -0.0, None, 3.0]), {}, [3]),
}
KEYS = {
    "keys of other case and with blanks": (WARD, csv("ward\na\nA \n A\nA\n"), {}, [1, 0, 0]),
    "keys with zero bytes": (WARD, csv("ward\nA\0\nA\n"), {}, [1, 0, 0]),
    "keys that are not listed": (WARD, csv("ward\nA\nD\n\nzebrafish\n"), {}, [1, 0, 0]),
    "zero in several spellings": (WARD, csv("ward\n0\n-0\n+0\n00\n0.0\n1\n"), {"keys": {"ward": [0, 1]}}, [5, 1]),
    "days as text": (WARD, csv("ward\n2026-01-04\n2026-1-4\n04.01.2026\n"), {"keys": {"ward": [DAY]}}, [1]),
    "days as days": (WARD, parquet(ward=[DAY, DAY, None]), {"keys": {"ward": [DAY]}}, [2]),
    "text keys for whole numbers": (WARD, parquet(ward=[1, 2, 2]), {"keys": {"ward": ["1", "2"]}}, [1, 2]),
    "truth values": (WARD, frame(ward=[True, False, None, True]), {"keys": {"ward": [True, False]}}, [2, 1]),
    "categories": (WARD, lambda: pd.DataFrame({"ward": pd.Categorical(["A", None, "C"])}), {}, [1, 0, 1]),
    "hostile keys": (WARD, frame(ward=["'); DROP TABLE t; --", "\n", "\u202e"]), {"keys": {"ward": ["\n", "'); DROP TABLE t; --"]}}, [1, 1]),
}
NAMES = {
    f"name with {what}": named(letters)
    for what, letters in {
        "a quote": 'a"b', "an apostrophe": "a'b", "a semicolon": "a;b", "a line feed": "a\nb",
        "a tab": "a\tb", "a blank": " a b ", "a comma": "a,b", "a backslash": "a\\b",
        "a percent sign": "%s", "braces": "{a}", "a dollar": "$1", "a question mark": "?",
        "Cyrillic": "ключ", "an emoji": "💉", "a sign that turns the text": "\u202e",
        "a statement": '"; DROP TABLE discreet_source; --',
    }.items()
}
NAMES["quotes in a CSV header"] = (dp.count(by='wa"r;d'), csv('"wa""r;d"\nA\n'), {"keys": {'wa"r;d': ["A"]}}, [1])
FILES = {
    "header only": (WARD, csv("ward,cost\n"), {}, [0, 0, 0]),
    "no header, and no column asked for": (ALL, csv("A,1\nB,2\nC,3\n"), {}, [2]),
    "header without a line feed": (COST, csv("ward,cost"), {}, [0]),
    "no rows in a frame": (WARD, frame(ward=pa.array([], pa.string())), {}, [0, 0, 0]),
    "no rows in Parquet": (COST, parquet(cost=pa.array([], pa.float64())), {}, [0]),
    "rows too short and too long": (WARD, csv("x,ward,cost\n1,A\n1,B,2,3,4\n1\n1,C,5\n"), {}, [0, 0, 1]),
    "blank lines": (WARD, csv("ward,cost\nA,1\n\n\nA,2\n"), {}, [2, 0, 0]),
    "a quote in the middle of a cell": (WARD, csv('x,ward\n1"1,A\n1,B\n'), {}, [1, 1, 0]),
    "a cell that is not UTF-8": (WARD, csv(b"x,ward\n1,A\n1,B\xff\n1,C\n"), {}, [1, 0, 1]),
    "a row of 2.1 million letters": (WARD, csv("x,ward\n1,A\n" + "1" * 2_100_000 + ",B\n1,C\n"), {}, [1, 0, 1]),
    "a byte order mark and other line ends": (WARD, csv("\ufeffward,cost\r\nA,1\r\nB,2\r\n"), {}, [1, 1, 0]),
    "semicolons": (COST, csv("ward;cost\nA;1\nB;2\n"), {"csv": {"decimal": "."}}, [3]),
    "a second column in other case": (COST, csv("ward,cost,COST\nA,1,2\n"), {}, [1]),
    "tabs": (COST, csv("ward\tcost\nA\t1\nB\t2\n", name="people.tsv"), {}, [3]),
    "compressed": (COST, csv(gzip.compress(b"ward,cost\nA,1\nB,2\n"), name="people.csv.gz"), {}, [3]),
    "files with columns in another order": (COST, csv("ward,cost\nA,1\n", "cost,ward\n2,B\n"), {}, [3]),
    "files with other separators": (COST, csv("ward,cost\nA,1\n", "ward;cost\nB;2\n"), {"csv": {"decimal": "."}}, [3]),
    "a file without one of the columns": (dp.sum("cost", by="ward"), csv("ward,cost\nA,1\n", "ward,price\nB,2\n"), {}, [1, 0, 0]),
    "one file is empty but for its header": (WARD, csv("ward,cost\nA,1\n", "ward,cost\n"), {}, [1, 0, 0]),
}
UNITS = {
    "a unit with a million rows": (WARD, crowd, PERSON, [3, 1, 0]),
    "units without a name": (ALL, frame(person=["", None, "8x0815"]), PERSON, [2]),
    "units of floats": (dp.count_units(), frame(person=[float("nan"), None, 0.0, -0.0]), PERSON, [1]),
}
# fmt: on
SLOW = {"a unit with a million rows"}
CASES = {**CELLS, **KEYS, **NAMES, **FILES, **UNITS}
