"""The examples of docs/cells.md, read from the page and asked of every source that can hold them."""

import math
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import pytest
from poison.sources import LOOSE, by_csv_crlf

import discreet as dp
from discreet.engine.select_engine import engine_for

PAGE = Path(__file__).parents[2] / "docs" / "cells.md"
KNOWN = {"date": date, "datetime": datetime, "time": time, "Decimal": Decimal, "UUID": UUID}
STEP = dp.bounds(-100, 100, step="1/10")
SOURCES = {name: make for name, make in LOOSE.items() if name != "polars objects"}


def examples() -> list[tuple[object, str, list[str], str]]:
    """The rows of the table: a cell, its number, the keys it matches, its unit."""
    text = PAGE.read_text(encoding="utf-8").partition("## Examples")[2].partition("## Sources")[0]
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    found = []
    for line in lines:
        cell, number, keys, unit = (part.strip() for part in line.strip("|").split(" | "))
        value = eval(cell.strip("`"), {"__builtins__": {"float": float, "True": True}}, KNOWN)
        found.append((value, number, [key.strip("` ") for key in keys.split(",") if key], unit))
    return found


EXAMPLES = examples()
KEYS = [*sorted({key for _, _, keys, _ in EXAMPLES for key in keys}), "elsewhere"]


def asked(make, folder, cells, unit="row"):
    rows = [{"u": cell, "k": cell, "v": cell, "z": cell} for cell in cells]
    source, how = make(rows, folder)
    found = dp.table(source, unit=unit, columns={"v": STEP}, keys={"k": KEYS}, **how)
    statistics = [dp.histogram("v", bins=[-100, 100]), dp.sum("v"), dp.count_units()]
    found_keys = []
    for key in KEYS:  # one at a time: two keys that one cell fits are not to hide each other
        one = dp.table(source, unit=unit, keys={"k": [key]}, **how)
        (vector,) = engine_for(source).prepare(one, dp.count("k").aggregates(one)).count(1)
        found_keys += [key] * sum(vector.opened_by_the_door())
    aggregates = tuple(a for s in statistics for a in s.aggregates(found))
    vectors = engine_for(source).prepare(found, aggregates).count(1)
    return found_keys, [vector.opened_by_the_door()[0] for vector in vectors]


def test_the_page_has_examples():
    assert len(EXAMPLES) >= 20


@pytest.mark.exhaustive
@pytest.mark.claim("C39")
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(("cell", "number", "keys", "unit"), EXAMPLES, ids=lambda e: repr(e)[:30])
def test_a_cell_means_what_the_page_says(cell, number, keys, unit, source, tmp_path):
    """Its number by a sum in tenths, its keys one by one, its unit by whether there is one."""
    matched, (present, total, _) = asked(SOURCES[source], tmp_path, [cell])
    _, (_, _, units) = asked(SOURCES[source], tmp_path, [cell, cell], dp.unit("u", max_rows=2))

    assert matched == sorted(keys)
    assert present == (number != "missing")
    assert total == (0 if number == "missing" else math.floor(float(number) * 10 + 0.5))
    is_far = isinstance(cell, int) and abs(cell) >= 2**53 and source == "pandas objects"
    assert units == (unit != "nobody" and not is_far)


@pytest.mark.exhaustive
@pytest.mark.claim("C39")
@pytest.mark.parametrize(("cell", "number", "keys", "unit"),
                         [one for one in EXAMPLES if isinstance(one[0], str) and one[0]],
                         ids=lambda e: repr(e)[:30])  # fmt: skip
def test_a_cell_of_a_csv_file_means_the_same(cell, number, keys, unit, tmp_path):
    """Text, as Python's own writer writes it."""
    matched, (present, _, _) = asked(by_csv_crlf, tmp_path, [cell])

    assert (matched, present) == (sorted(keys), number != "missing")
    assert unit != "nobody"


@pytest.mark.claim("C39")
def test_cells_that_have_one_unit_on_the_page_are_one_unit(tmp_path):
    """Of all pairs of examples."""
    for one, _, _, first in EXAMPLES:
        for other, _, _, second in EXAMPLES:
            if "nobody" in (first, second):
                continue
            _, (_, _, units) = asked(
                LOOSE["rows"], tmp_path, [one, other], dp.unit("u", max_rows=2)
            )
            assert units == (1 if first == second else 2), (one, other)


class Told(str):
    """Text whose own code says something else."""

    __slots__ = ()

    def __str__(self):
        return "9"

    __format__ = __repr__ = __hash__ = __eq__ = None


class Whole(int):
    """A whole number whose own code fails."""

    __int__ = __float__ = __index__ = __str__ = __repr__ = __hash__ = __eq__ = None


class Nothing:
    """An object whose own code fails, whatever it is asked."""

    __str__ = __repr__ = __hash__ = __eq__ = __bool__ = __float__ = __iter__ = None


STRANGE = {
    "text of its own kind": (Told("2"), "2"),
    "a number of its own kind": (Whole(2), 2),
    "an object of its own kind": (Nothing(), None),
    "a decimal that is no number": (Decimal("sNaN"), None),
    "an infinite decimal": (Decimal("Infinity"), None),
    "a number of 5,000 digits": (10**5000, None),
}


@pytest.mark.exhaustive
@pytest.mark.claim("C39")
@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", STRANGE)
def test_no_code_of_a_cell_runs_and_none_stops_the_release(name, source, tmp_path):
    """It counts as the plain value does, or as no cell; the cell beside it counts."""
    cell, same = STRANGE[name]

    assert asked(SOURCES[source], tmp_path, [cell, "1"]) == asked(
        SOURCES[source], tmp_path, [same, "1"]
    )
