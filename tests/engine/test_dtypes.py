"""One row more changes the dtype of a pandas column, or the names of a list of dicts: nothing hangs on it."""

import io
from datetime import date

import numpy as np
import pandas as pd
import pytest
from poison import dtypes as poison

import discreet as dp
from discreet.engine.duckdb import pandas_frame
from discreet.engine.reading import plain, unit_of
from discreet.engine.select_engine import engine_for
from discreet.errors import InputError

PAIRS = [
    ("whole", None), ("far", None), ("far", "x"), ("farther", -1), ("whole 0", 1j), ("truth", None),
    ("text", 1), ("moments", "x"), ("broken", 2**64),
]  # fmt: skip


def difference(role, kind, cell):
    """What is wrong between ordinary rows and these with one more."""
    usual = [poison.USUAL[kind][n % 4] for n in range(poison.ROWS)]
    frames = [poison._frame("pandas", pd.Series, some) for some in (usual, [*usual, cell])]
    assert len({frame["x"].dtype for frame in frames}) == 2 or kind == "farther"
    before, after = (poison.outcome(frame, role) for frame in frames)
    assert before[0] == "answered"
    return poison.wrong(before, after)


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.claim("C215")
@pytest.mark.parametrize("role", poison.ROLES)
def test_a_cell_that_changes_a_dtype_moves_no_more_than_one_unit(role):
    """Answered with it and without, and within the declared sensitivity, salt by salt."""
    assert [difference(role, *pair) for pair in PAIRS] == [None] * len(PAIRS)


@pytest.mark.claim("C215")
@pytest.mark.parametrize("role", ["a unit", "an unknown key", "a link of the first"])
def test_a_missing_cell_refuses_and_merges_nothing(role):
    """int64 with its first gap is float64."""
    assert [difference(role, kind, None) for kind in ("whole", "far")] == [None, None]


@pytest.mark.claim("C215")
def test_a_column_that_is_read_as_its_dtype_says_is_found(monkeypatch):
    """The harness has power: it finds moments that are handed over as such."""
    monkeypatch.setattr(pandas_frame, "is_inferred", lambda dtype: str(dtype) == "object")
    monkeypatch.setattr(pandas_frame, "_array", lambda series: series.to_numpy())
    monkeypatch.setattr(pandas_frame, "_is_masked", lambda dtype: True)

    assert difference("a unit", "whole", None) or difference("a unit", "moments", "x")


def units_of(ids):
    table = dp.table(pd.DataFrame({"u": ids}), unit=dp.unit("u"), name="t")
    aggregates = dp.count_units().aggregates(table)
    (vector,) = engine_for(table.source).prepare(table, aggregates).count(1)
    return vector.opened_by_the_door()[0]


@pytest.mark.claim("C215")
def test_whole_numbers_that_doubles_merge_are_nobody_in_every_dtype():
    """From 2^53 on in int64, float64 and objects; as text or Int64 they are units."""
    far = [2**60 + n for n in range(100)]
    for ids in (far, [*far, None], [*far, "x"], [*far, 2**70], [float(n) for n in far]):
        assert units_of(ids) == sum(isinstance(one, str) for one in ids)

    assert units_of(list(map(str, far))) == units_of(pd.array([*far, None], dtype="Int64")) == 100
    assert units_of([2**53 - 1, 2**53, 1 - 2**53, None]) == 2


@pytest.mark.claim("C215")
def test_keys_of_a_file_with_a_gap_are_found():
    """`pandas.read_csv` makes floats of them, and they are found as the digits that the file holds."""
    frame = pd.read_csv(
        io.StringIO("u,c\n" + "".join(f"{n},{n % 2}\n" for n in range(40)) + "40,\n")
    )
    table = dp.table(frame, unit=dp.unit("u"), keys={"c": dp.unknown(max_groups=1)}, name="t")
    pool = engine_for(frame).pooling(table, poison.Pairs("c", (1,))).read(1)

    assert pool.names(frozenset([0, 1])) == ["0", "1"]


@pytest.mark.claim("C215")
@pytest.mark.parametrize("cell", [7, None, "x", 0.5])
def test_the_plan_names_the_columns_in_which_far_numbers_are_missing(cell):
    """Whatever their cells are; not those of a declared dtype, nor keys that no such number is."""
    columns = {"u": [1, 2, cell], "k": ["a", "b", cell], "i": [1, 2, 3], "n": [1, 2, cell]}
    frame = pd.DataFrame(columns)
    frame["i"] = frame["i"].astype("Int64")
    keys = {"k": ["a", "b"], "i": [1, 2], "n": ["1", str(2**60)]}
    table = dp.table(frame, unit=dp.unit("u"), keys=keys, name="t")
    plan = dp.plan(table, dp.count_units(by=["k", "i"]), spend=dp.zcdp("1/2"))

    assert (
        "Whole numbers of 2^53 or more count as missing in the pandas columns u, n, unless they "
        "are text or Int64." in " ".join(str(plan).split())
    )


ROWS = [{"u": n % 3, "v": 1} for n in range(6)]


def answered(rows, **how):
    """The counts of a list by a declared key that is made of v, and by one that no row has."""
    table = dp.table(rows, unit=dp.unit("u", max_rows=2), keys={"k": [1, 2]}, name="t").derive(
        w=dp.derived("v + 1", keys=[2, 3])
    )
    asked = [dp.count("w", **how), dp.count("k")]
    aggregates = [one for question in asked for one in question.aggregates(table)]
    vectors = engine_for(rows).prepare(table, tuple(aggregates)).count(1)
    return [vector.opened_by_the_door() for vector in vectors], str(
        dp.plan(table, *asked, spend=dp.zcdp("1/2"))
    )


@pytest.mark.claim("C216")
@pytest.mark.parametrize("name", ["w", "k", "v", "W", "HIV positive"])
def test_a_name_more_of_one_row_changes_no_outcome_and_no_meaning(name):
    """A derived column hides a name of the data; a declared one that no row has is missing."""
    counted, plan = answered(ROWS)
    more, said = answered([*ROWS, {"u": "q", name: 9}])

    assert counted == more == [(6, 0), (0, 0)]
    assert plan == said
    line = "t is a list of dicts, of which no names are public: a declared column that no row has"
    assert line in " ".join(plan.split())


@pytest.mark.claim("C216")
@pytest.mark.parametrize("more", [[], [{"HIV positive": 1}], [{"x": 1}]])
def test_a_column_that_is_declared_nowhere_is_refused_and_none_are_listed(more):
    """Whether a row has it or not; what the declaration reads is declared."""
    with pytest.raises(InputError) as caught:
        answered([*ROWS, *more], where="x = 1")

    assert str(caught.value).startswith("x is asked for, but declared nowhere.")
    assert "HIV" not in str(caught.value)
    assert answered([*ROWS, *more], where="v = 1 AND w = 2")[0] == [(6, 0), (0, 0)]


@pytest.mark.slow
@pytest.mark.claim("C216")
def test_names_of_one_row_in_every_role_change_nothing():
    """Each role of the harness, in lists that have its column and that do not: one case of six."""
    assert [*poison._names(poison.Share(6))] == []


PERIODS = {
    "D": ("2020-01-02", 600, True),
    "h": ("2020-01-02 10:00", 600, True),
    "ns": ("2020-01-02 10:00:00.000000001", 600, True),
    "M": ("2020-02", 0, False),
    "2D": ("2020-01-02", 0, False),
    "W": ("2020-01-02", 0, False),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("frequency", PERIODS)
@pytest.mark.parametrize("cell", [None, "x", 7])
def test_a_period_is_its_day_or_its_moment_whatever_the_dtype(frequency, cell):
    """One strange cell more makes objects of the column, and the same periods count; longer ones
    are missing, which the plan says."""
    text, wanted, _ = PERIODS[frequency]
    cells = [pd.Period(text, freq=frequency)] * 600
    counted = []
    for found in (pd.Series(cells), pd.Series([*cells, cell], dtype=object)):
        table = dp.table(pd.DataFrame({"m": found}), unit="row", name="t")
        asked = dp.count(where="m >= DATE '2020-01-02' AND m < DATE '2020-01-03'")
        vector, *_ = engine_for(table.source).prepare(table, asked.aggregates(table)).count(1)
        counted += vector.opened_by_the_door()
        said = " ".join(str(dp.plan(table, asked, spend=dp.zcdp(1))).split())
        assert "in m: other text, and a period of more than a day, is missing there." in said

    assert counted == [wanted, wanted]


def test_a_period_is_a_unit_and_a_key_as_its_day_is():
    """The day 2020-01-02 is one unit, and matches one key, whatever says it."""
    days = [pd.Period("2020-01-02", freq="D"), date(2020, 1, 2), np.datetime64("2020-01-02")]

    assert len({unit_of(one) for one in days}) == 1
    assert unit_of(pd.Period("2020-01", freq="M")) is None


def test_a_frequency_with_code_of_its_own_runs_none():
    """What a period is made of may be of a class of somebody else's, which is never asked."""

    class Loud(pd.offsets.Day):
        @property
        def freqstr(self):
            raise KeyboardInterrupt

    assert plain(pd.Period("2020-01-02", freq=Loud())) == plain(date(2020, 1, 2))
