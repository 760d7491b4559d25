"""Data that does not fit its declaration: refused from names and types alone, for nothing.

A case is the path that the plan names, how to make the files, and what comes of it. Damage that
only reading can find comes after the charge, which then stays open.
"""

import datetime as dt
import gzip
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from discreet.errors import EngineError, InputError

from .world import PEOPLE, Refused

ROWS = PEOPLE.split("\n", 1)[1]


def text(content, name="people.csv"):
    def make():
        Path(name).write_bytes(content.encode() if isinstance(content, str) else content)

    return make


def columns(name="people.parquet", **changes):
    def make():
        usual = {"ward": ["A", "B"], "cost": [1.5, 4711.25]}
        pq.write_table(pa.table({**usual, **changes}), name)

    return make


def both(*makes):
    return lambda: [make() for make in makes]


def damaged():
    """A Parquet file whose schema can be read and whose cells cannot."""
    columns(
        ward=["ABC"[i % 3] for i in range(2000)], cost=[i * 7 % 9973 / 4 for i in range(2000)]
    )()
    raw = bytearray(Path("people.parquet").read_bytes())
    raw[40 : len(raw) // 2] = bytes(len(raw) // 2 - 40)
    Path("people.parquet").write_bytes(bytes(raw))


def cut_off():
    """A compressed CSV file that ends in the middle."""
    packed = gzip.compress(PEOPLE.encode() * 50)
    Path("people.csv.gz").write_bytes(packed[: len(packed) // 2])


def no(path, make, what, error=InputError, charged="nothing"):
    return path, make, Refused(error, what, charged)


def nothing():
    pass


# fmt: off
PATHS = {
    "missing file": no("nowhere.csv", nothing, "^there is no file .*nowhere.csv"),
    "glob without a match": no("no*.csv", nothing, r"^there is no file .*no\*\.csv"),
    "folder for a file": no("sub", lambda: os.mkdir("sub"), "^.*sub is a folder"),
    "folder named like a file": no("sub.csv", lambda: os.mkdir("sub.csv"), "^.*sub.csv is a folder"),
    "pipe for a file": no("pipe.csv", lambda: os.mkfifo("pipe.csv"), "^there is no file"),
    "link to nothing": no("link.csv", lambda: os.symlink("gone", "link.csv"), "^there is no file"),
    "link to itself": no("link.csv", lambda: os.symlink("link.csv", "link.csv"), "^there is no file"),
    "name of 300 letters": no("x" * 300 + ".csv", nothing, "^there is no file"),
    "spreadsheet": no("people.xlsx", text("PK", "people.xlsx"), "^people.xlsx cannot be opened", EngineError),
    "file of R": no("people.rds", text("X", "people.rds"), "^people.rds is not"),
    "name without an ending": no("people", text(PEOPLE, "people"), "^people is not a CSV, Parquet or Arrow file"),
    "CSV and Parquet files": no("people.*[vt]", columns(), "^the source mixes files of several kinds"),
}
HEADERS = {
    "empty file": no("people.csv", text(""), "^people.csv has no header"),
    "blank first line": no("people.csv", text("\n" + PEOPLE), "^people.csv has no header"),
    "file of zero bytes": no("people.csv", text(b"\0" * 4096), "^people.csv is no CSV file: by its first bytes it is no text"),
    "no header": no("people.csv", text(ROWS), "^people.csv has none of the columns"),
    "second file without a header": no("pe*.csv", text(ROWS, "people2.csv"), "^people2.csv has none of the columns that are asked for: cost, ward"),
    "missing column": no("people.csv", text("ward,price\nA,1\n"), "^people.csv has no column 'cost'"),
    "column in other case": no("people.csv", text("Ward,cost\nA,1\n"), "^people.csv has no column 'ward'"),
    "column twice": no("people.csv", text("ward,cost,cost\nA,1,2\n"), "^people.csv names the column cost twice"),
    "header that never ends": no("people.csv", text("x" * 3_000_000), "^people.csv has no header"),
    "open quote in the header": no("people.csv", text('ward,"cost\nA,1\n'), "^people.csv opens a quotation mark"),
    "line feed in a name": no("people.csv", text('ward,cost,"a\nb"\nA,1,2\n'), "^people.csv opens a quotation mark"),
    "UTF-16": no("people.csv", text(PEOPLE.encode("utf-16")), "^people.csv is written in UTF-16"),
    "Parquet by another name": no("people.csv", columns("people.csv"), "^people.csv is no CSV file: by its first bytes it is a Parquet file"),
}
TYPES = {
    "numbers that are days": no("people.parquet", columns(cost=[dt.date(2026, 1, 4)] * 2), "^cost is of type DATE"),
    "numbers that are lists": no("people.parquet", columns(cost=[[1], [2]]), "^cost is of type"),
    "keys that are lists": no("people.parquet", columns(ward=[["A"], ["B"]]), "^ward is of type"),
    "files of different types": no("p*.parquet", both(columns("p1.parquet"), columns("p2.parquet", cost=[[1], [2]])), "^cost is of type"),
}
DAMAGE = {
    "Parquet that is text": no("people.parquet", text(PEOPLE, "people.parquet"), "^.*people.parquet cannot be opened", EngineError),
    "Parquet cut off": no("people.parquet", both(columns(), lambda: os.truncate("people.parquet", 99)), "cannot be opened", EngineError),
    "gzip that is text": no("people.csv.gz", text(PEOPLE, "people.csv.gz"), "^people.csv.gz cannot be opened", EngineError),
    "Parquet damaged inside": no("people.parquet", damaged, "^the data could not be read", EngineError, "open"),
    "gzip cut off": no("people.csv.gz", cut_off, "^the data could not be read", EngineError, "open"),
}
# fmt: on
SLOW = {"gzip cut off"}
CASES = {**PATHS, **HEADERS, **TYPES, **DAMAGE}
