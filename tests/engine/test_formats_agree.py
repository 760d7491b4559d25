"""Each ending of a file that is read goes through the parity suite, and through the table of cells.

The endings are those of `poison/formats.py`, which are those of the code that reads: a new one is
tried unasked. The integers are those of the reference, and a cell means what `docs/cells.md` says.
"""

import datetime as dt
from importlib.util import find_spec

import pandas as pd
import pytest
from poison import formats

import discreet as dp
from discreet.engine.select_engine import engine_for
from engine.sources import arrow, by_memory, opened
from engine.test_cells_page import EXAMPLES
from engine.test_engines_agree import HOWS, everything
from property.strategies import declared

for package in ("python_calamine", "fastavro", "pyreadstat", "xlsxwriter", "xlwt", "odf"):
    pytest.importorskip(package)

ENDINGS = [*formats.WRITERS]
TYPED = ("parquet", "arrow", "orc", "duckdb")  # whose columns have types of their own
# Hostile cells of the parity suite, but those that a format has no place for: no text begins or
# ends in a blank (fixed width), none has a line end (a line of it), no number is beyond Stata's.
WHO = ["ann", "bob", "a|b", "Ann", "ann b", "e\u0301", "\u00e9", "o'hara; --", None]
WARDS = ["A", "B", "it's", "C;", "a", None]
FLOORS = ["1", "01", "2", "2e0", "3", "x", "-0", None]
COSTS = [0.0, -0.0, 1.0, 2.5, 2.25, -7.0, 99.0, 1e15, -1e15, 3.75, 0.25, None]
AGES = ["1", "2", "2.5", "1e+05", "Miller", "1_000", "0x10", "nan", "-inf", "3", "1e400", None]
ROWS = [
    {
        "who": WHO[i * 7 % len(WHO)],
        "ward": WARDS[i * 5 % len(WARDS)],
        "floor": FLOORS[i * 3 % len(FLOORS)],
        "cost": COSTS[i % len(COSTS)],
        "age": AGES[i % len(AGES)],
    }
    for i in range(200)
]


def written(ending, frame, folder):
    if ending.endswith(".zst") and find_spec("zstandard") is None:
        pytest.skip("pip install zstandard")
    path = formats.written(ending, frame, folder)
    fixed = formats.layout(path)
    return path, {} if fixed is None else {"csv": {"fixed": fixed}}


def frame_of(ending, rows):
    """Numbers as numbers where a format gives its columns types, else as they are."""
    if any(ending in formats.KINDS[kind] for kind in TYPED):
        return arrow(rows).to_pandas()
    frame = pd.DataFrame(
        {name: pd.Series([row[name] for row in rows], dtype=object) for name in rows[0]}
    )
    return frame.assign(cost=frame["cost"].astype(float))


@pytest.mark.exhaustive("formats agree")
@pytest.mark.claim("C627")
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_gives_the_integers_of_the_reference(ending, tmp_path):
    """A dozen statistics of hostile cells at once; a kind of unit in turn."""
    how = HOWS[ENDINGS.index(ending) % len(HOWS)]
    path, more = written(ending, frame_of(ending, ROWS), tmp_path)
    table = declared(path, **how, **more)

    found = opened(engine_for(path).prepare(table, everything(**how)).count(7))

    assert found == by_memory(ROWS, everything(**how), 7, **how)


NO_BLANKS = ("fixed", "statistical")  # which cut blanks off
OF_TEXT = ("csv", "fixed")  # where a number is the text that its writer made of it
NO_TRUTH = ("statistical", "orc", "duckdb", "avro", *OF_TEXT)  # or the writer here has none


def examples_of(kind):
    """The examples of the page that a kind of file can hold, by the type of their column."""
    texts = [e for e in EXAMPLES if isinstance(e[0], str) and e[0]]
    yield "text", [e for e in texts if kind not in NO_BLANKS or e[0] == e[0].strip()]
    if kind in OF_TEXT:
        return
    doubles = [e for e in EXAMPLES if isinstance(e[0], float) and abs(e[0]) < float("inf")]
    yield "number", [*doubles, next(e for e in EXAMPLES if e[0] is None)]
    yield "day", [e for e in EXAMPLES if type(e[0]) is dt.date]
    if kind not in NO_TRUTH:
        yield "truth", [e for e in EXAMPLES if e[0] is True]


@pytest.mark.exhaustive("formats agree")
@pytest.mark.claim("C627")
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_cell_of_a_file_means_what_the_page_says(ending, tmp_path):
    """Its keys one by one, its number by a sum in tenths, and how many units there are."""
    kind = next(kind for kind, endings in formats.KINDS.items() if ending in endings)

    for name, some in examples_of(kind):
        cells = [cell for cell, _, _, _ in some]
        folder = tmp_path / name
        folder.mkdir()
        column = pd.Series(cells, dtype=float if name == "number" else object)
        path, how = written(ending, pd.DataFrame({"u": column, "k": column}), folder)

        nowhere = {"elsewhere"} if name == "text" or kind not in TYPED else set()
        for key in {*nowhere, *(key for _, _, keys, _ in some for key in keys)}:
            table = dp.table(path, unit="row", keys={"k": [key]}, **how)
            assert counted(table, dp.count("k")) == [(sum(key in e[2] for e in some),)], key
        units = {unit for _, _, _, unit in some} - {"nobody"}
        table = dp.table(path, unit=dp.unit("u", max_rows=9), **how)
        assert counted(table, dp.count_units()) == [(len(units),)]
        if name == "number" or kind not in TYPED:
            bounds = {"k": dp.bounds(-100, 100, step="1/10")}
            total = sum(round(float(e[1]) * 10) for e in some if e[1] != "missing")
            table = dp.table(path, unit="row", columns=bounds, **how)
            assert counted(table, dp.sum("k")) == [(total,)]


def counted(table, question):
    return opened(
        engine_for(table.source).prepare(table, tuple(question.aggregates(table))).count(7)
    )
