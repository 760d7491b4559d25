"""Rows and cells whose own code lies or fails: none of it runs, and no row decides about another."""

from datetime import UTC, datetime
from fractions import Fraction
from uuid import UUID

import pandas as pd
import pyarrow as pa
import pytest

import discreet as dp
from discreet.engine.select_engine import engine_for

RAN = []


def lies(*_):
    RAN.append("code of a cell")
    raise RuntimeError("a secret")


class Hashing(type):
    __hash__ = lies
    __eq__ = lies


class Odd(metaclass=Hashing):
    pass


class Key:
    def __hash__(self):
        return hash("v")

    def __eq__(self, other):
        raise KeyboardInterrupt


class Row:
    __class__ = property(lies)


def fraction(above):
    found = Fraction(1, 3)
    found._numerator = above
    return found


def uuid(count):
    found = object.__new__(UUID)
    if count is not None:
        object.__setattr__(found, "int", count)
    return found


CELLS = {
    "a class that fails to hash": Odd(), "a fraction of floats": fraction(0.5),
    "a fraction of objects": fraction(Odd()), "a fraction of nothing": object.__new__(Fraction),
    "a UUID of nothing": uuid(None), "a UUID of an object": uuid(Odd()),
}  # fmt: skip
ROWS = [{"u": f"p{i % 3}", "k": "A", "v": 1} for i in range(6)]


def answers(source):
    found = dp.table(
        source,
        unit=dp.unit("u", max_rows=3),
        columns={"v": dp.bounds(0, 5, step=1)},
        keys={"k": ["A", "B"]},
        name="t",
    )
    asked = (dp.count("k"), dp.sum("v", "k"), dp.count_units())
    aggregates = tuple(a for one in asked for a in one.aggregates(found))
    vectors = engine_for(source).prepare(found, aggregates).count(5)
    return [vector.opened_by_the_door() for vector in vectors]


@pytest.mark.exhaustive
@pytest.mark.claim("C39")
@pytest.mark.parametrize("role", ["u", "k", "v"])
@pytest.mark.parametrize("name", CELLS)
def test_an_object_that_was_not_made_whole_is_missing(name, role):
    """In a list of dicts and in a pandas column of objects, and no code of it runs."""
    more = [*ROWS, {"u": "q", "k": "A", "v": 1, role: CELLS[name]}]
    frame = pd.DataFrame(
        {name: pd.Series([row[name] for row in more], dtype=object) for name in "ukv"}
    )
    RAN.clear()
    counted = {
        "u": [(6, 0), (6, 0), (3,)],
        "k": [(6, 0), (6, 0), (4,)],
        "v": [(7, 0), (6, 0), (4,)],
    }

    assert answers(more) == answers(frame) == counted[role]
    assert RAN == []


@pytest.mark.claim("C39")
@pytest.mark.parametrize("which", range(6))
@pytest.mark.parametrize("place", [0, 3, 6])
def test_a_row_that_is_none_is_a_row_without_cells(which, place):
    """Wherever it stands; a name that cannot be compared is no name."""
    row = [None, 3, "x", Row(), [], {Key(): 1}][which]
    assert answers([*ROWS[:place], row, *ROWS[place:]]) == answers(ROWS)


@pytest.mark.claim("C39")
def test_moments_that_are_told_once_or_numbered_are_read_as_others():
    """Run-end-encoded and dictionary columns of moments in a time zone, one far out of range."""
    far = pa.array([0, 2**62], pa.int64()).view(pa.timestamp("s", "UTC"))
    near = pa.array([0], pa.int64()).view(pa.timestamp("s", "UTC"))
    for moments, names in ((near, ["1970-01-01"]), (far, ["1970-01-01"])):
        ends = list(range(1, len(moments) + 1))
        columns = {
            "told": pa.RunEndEncodedArray.from_arrays(pa.array(ends, pa.int32()), moments),
            "numbered": pa.DictionaryArray.from_arrays(pa.array(range(len(moments))), moments),
        }
        for column in columns.values():
            source = pa.table({"k": column})
            found = dp.table(source, unit="row", keys={"k": names}, name="t")
            prepared = engine_for(source).prepare(found, dp.count("k").aggregates(found))

            assert prepared.count(1)[0].opened_by_the_door() == (1,)


@pytest.mark.claim("C39")
@pytest.mark.parametrize("text", ["object", "string[python]", pd.ArrowDtype(pa.string())], ids=str)
def test_a_moment_that_is_missing_is_nobody_whatever_the_other_columns_are(text):
    """NaT has a number of its own; beside a column that Arrow keeps, the frame is handed to Arrow."""
    days = pd.to_datetime(pd.Series(["2026-11-03", None, "1970-01-01", None]))
    frame = pd.DataFrame({"u": days, "k": pd.Series(list("AABB"), dtype=text), "v": [1, 2, 3, 4]})

    assert answers(frame) == [(1, 1), (1, 3), (2,)]


@pytest.mark.claim("C39")
def test_a_moment_without_a_zone_is_the_same_person_as_that_moment_in_utc():
    """Where one list holds both."""
    moment = datetime(2026, 11, 3, 12)
    rows = [{"u": one, "k": "A", "v": 1} for one in (moment, moment.replace(tzinfo=UTC))]

    assert answers(rows)[2] == (1,)
