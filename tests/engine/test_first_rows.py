"""A look at the first rows says whether rows are pruned: what it says changes no integer."""

import duckdb
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import discreet as dp
from discreet.engine.duckdb.engine import DuckEngine
from discreet.engine.duckdb.faster import first_rows
from discreet.engine.sql.faster.pruned import LOW
from engine.sources import opened

pytestmark = [pytest.mark.claim("C86"), pytest.mark.of_speed]

UNITS = {  # of n, from 0 to 3,999: mixed up, whatever their size is
    "small": "(n * 7919) % 400",
    "large": "(n * 7919) % 20",
    "mixed": "CASE WHEN n % 2 = 0 THEN 1 ELSE n END",
    "sorted": "n // 10",
    "none": "NULL::BIGINT",
    "odd": "CASE n % 3 WHEN 0 THEN 'NaN' WHEN 1 THEN '-0.0' ELSE n::VARCHAR END::DOUBLE",
    "text": "'p' || (n * 7919) % 400",
}
FEW_A_UNIT = {"small", "text"}
LIMITS = [
    ({}, {"max_groups": 2, "max_rows_per_group": 3}),
    ({"max_rows": 100}, {"max_groups": 2}),
    ({"max_rows": 40}, {"max_groups": 1, "max_rows_per_group": 2}),
]


@pytest.fixture(autouse=True)
def _little(monkeypatch):
    """Sources of some rows are looked at as those of a million are."""
    monkeypatch.setattr(first_rows, "_FEW", 1_000)
    monkeypatch.setattr(first_rows, "_FIRST", 80)


@pytest.fixture(scope="module")
def database():
    with duckdb.connect() as connection:
        units = ", ".join(f"{cell} AS {name}" for name, cell in UNITS.items())
        connection.execute(
            f"CREATE TABLE t AS SELECT {units}, (hash(n) % 90)::INT AS k, n % 50 AS v "
            "FROM range(4000) r(n)"
        )
        yield connection


def prepared(source, unit, limits=LIMITS[0], joins=(), **more):
    of_unit, of_question = limits
    table = dp.table(
        source,
        name="t",
        unit=dp.unit(unit, **of_unit),
        keys={"k": range(90)},
        columns={"v": dp.bounds(0, 40, step=1)},
        **more,
    ).joined(*joins)
    asked = dp.count("k", **of_question), dp.sum("v", "k", **of_question)
    return DuckEngine().prepare(table, tuple(a for one in asked for a in one.aggregates(table)))


def looked(count):
    """The integers, and whether rows were pruned."""
    found = opened(count.count(5))
    return found, LOW in count._text


def sources(database, folder):
    """What is looked at: a table, a file, and Arrow's own."""
    table = database.sql("FROM t").to_arrow_table()
    pq.write_table(table, folder / "t.parquet")
    return database, str(folder / "t.parquet"), table


@pytest.mark.exhaustive
@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("unit", UNITS)
def test_no_integer_depends_on_the_first_rows(unit, limits, database, tmp_path, monkeypatch):
    """Whatever is believed of the units; and what is found is what they are."""
    for source in sources(database, tmp_path):
        found, is_pruned = looked(prepared(source, unit, limits))
        assert is_pruned is (unit not in FEW_A_UNIT)
        for said in (False, True):
            with monkeypatch.context() as patch:
                patch.setattr(
                    "discreet.engine.duckdb.engine.has_small_units", lambda *_, is_so=said: is_so
                )
                other, is_pruned = looked(prepared(source, unit, limits))

            assert is_pruned is not said
            assert other == found


@pytest.mark.parametrize("unit", ["small", "large"])
def test_a_count_is_repeated_and_cut_into_passes_after_a_look(unit, database, monkeypatch):
    """Where units are large the query that prunes takes the other one's place in all that follows.

    So it does where the first count is cut into passes, too.
    """
    count = prepared(database, unit)
    first = opened(count.count(5))
    monkeypatch.setattr("discreet.engine.duckdb.engine.enough", lambda *_: 3)

    assert opened(count.count(5)) == first
    assert opened(prepared(database, unit).count(5)) == first
    assert looked(count) == (first, unit == "large")


def test_what_can_be_read_once_or_is_dear_to_begin_is_not_looked_at(database, tmp_path):
    """A reader, lines of text, joins, and what somebody vouches for; small sources neither."""
    rows = database.sql("FROM t").to_arrow_table()
    pyarrow.csv.write_csv(rows, tmp_path / "t.csv")
    more = pa.table({"small": range(400), "w": range(400)})
    joined = dp.join(more, gives=["w"], on="small", name="more")
    for source, how in [
        (rows.to_reader(), {}),
        (str(tmp_path / "t.csv"), {}),
        (rows, {"joins": [joined]}),
        (database, {"vouched": "one row is one visit"}),
        (rows.slice(0, 900), {}),
    ]:
        assert looked(prepared(source, "small", **how))[1]


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_a_source_that_is_known_to_be_small_is_not_pruned(limits, database, tmp_path, monkeypatch):
    """Whatever its units are; what says nothing of its size is, and none finds other integers."""
    rows = database.sql("FROM t").to_arrow_table()
    pruned, is_pruned = looked(prepared(rows.slice(0, 900), "large", limits))
    monkeypatch.setattr(first_rows, "_SMALL", 5_000)
    monkeypatch.setattr(first_rows, "_FEW", 5_000)

    assert is_pruned
    assert looked(prepared(rows.slice(0, 900), "large", limits)) == (pruned, False)
    for source in sources(database, tmp_path):
        assert not looked(prepared(source, "large", limits))[1]
    assert looked(prepared(rows.to_reader(), "large", limits))[1]


def test_text_that_is_none_among_the_first_rows_is_met_by_the_count_alone(database, tmp_path):
    """What stops the look stops nothing else: the outcome is that of a unit that is missing."""
    rows = database.sql("SELECT encode(text) AS u, k, v FROM t").to_arrow_table()
    odd = [b"\xff" if n == 7 else cell for n, cell in enumerate(rows["u"].to_pylist())]
    blank = [None if n == 7 else cell for n, cell in enumerate(rows["u"].to_pylist())]
    counts = []
    for name, cells in (("odd", odd), ("blank", blank)):
        found = pa.array(cells, pa.binary()).cast(pa.string(), safe=False)
        path = str(tmp_path / f"{name}.parquet")
        pq.write_table(rows.set_column(0, "u", found), path)
        counts.append(looked(prepared(path, "u"))[0])

    assert counts[0] == counts[1]
