"""What is one group of the scan and one cell of the vector is not grouped again; no integer changes."""

import numpy as np
import pyarrow as pa
import pytest

import discreet as dp
from discreet.engine.duckdb.engine import DuckEngine
from engine.sources import REFERENCE, opened

pytestmark = pytest.mark.claim("C604")

ROWS = 200
KEYS = {"a": range(5), "b": range(-1, 2), "text": ["x", "y"], "apart": (4, 0, 2)}
ASKED = {  # questions, and how often their query groups: the scans, and what is summed from them
    "a count": (lambda: [dp.count("a")], 1),
    "two keys": (lambda: [dp.count(["a", "b"])], 1),
    "no key": (lambda: [dp.sum("v")], 0),
    "one scan of two": (lambda: [dp.count("b"), dp.mean("v", "b"), dp.variance("v", "b")], 1),
    "quantiles": (lambda: [dp.quantile("v", [0.5], by="a", bins=20, method="histogram")], 1),
    "finer bins": (
        lambda: [
            dp.histogram("v", bins=20, by="a"),
            dp.histogram("v", bins=[0, 3, 7, 50, 100], by="a"),
        ],
        2,
    ),
    "bins of a shared scan": (lambda: [dp.histogram("v", bins=20, by="a"), dp.count("a")], 2),
    "keys of a shared scan": (lambda: [dp.count(["a", "b"]), dp.count("a")], 2),
    "text": (lambda: [dp.count("text")], 2),
    "keys apart": (lambda: [dp.count("apart")], 2),
    "a key for the rest": (lambda: [dp.count("rest")], 2),
    "a key for none": (lambda: [dp.count("none")], 2),
    "a filter": (lambda: [dp.count("a", where="v > 10")], 1),
}


def rows():
    random = np.random.default_rng(4)
    columns = {
        name: [None if n % 17 == 0 else int(cell) for n, cell in enumerate(cells)]
        for name in ("a", "b", "apart", "rest", "none")
        for cells in [random.integers(-2, 7, ROWS)]
    }
    columns["text"] = ["xyz"[n] for n in random.integers(0, 3, ROWS)]
    columns["v"] = [*random.normal(40, 60, ROWS - 4), float("nan"), float("inf"), -7.0, None]
    return pa.table(columns)


def declared(source):
    return dp.table(
        source,
        name="t",
        unit="row",
        keys={**KEYS, "rest": dp.keys(0, 1, 2, other=9), "none": dp.keys(0, 1, 2, missing=9)},
        columns={"v": dp.bounds(0, 100, step="0.1")},
    )


def prepared(what, source):
    table = declared(source)
    aggregates = tuple(a for question in ASKED[what][0]() for a in question.aggregates(table))
    return DuckEngine().prepare(table, aggregates), aggregates


@pytest.mark.of_speed
@pytest.mark.parametrize("what", ASKED)
def test_a_group_that_is_a_cell_is_not_grouped_again(what):
    found, aggregates = prepared(what, rows())
    whole = REFERENCE.prepare(declared(rows().to_pylist()), aggregates)

    assert found._text.count("GROUP BY") == ASKED[what][1]
    assert opened(found.count(3)) == opened(whole.count(3))


@pytest.mark.parametrize("what", ASKED)
def test_no_rows_are_counted_as_none(what):
    found, aggregates = prepared(what, rows().slice(0, 0))
    whole = REFERENCE.prepare(declared([]), aggregates)

    assert opened(found.count(3)) == opened(whole.count(3))
