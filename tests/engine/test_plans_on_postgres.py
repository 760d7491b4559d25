"""How PostgreSQL goes about a count: never by each row with each, and no row read twice in vain."""

import pytest

import discreet as dp
from discreet.engine.postgres import connection
from discreet.engine.select_engine import engine_for
from discreet.engine.sql.faster import unit_lists
from discreet.errors import InputError
from engine.sources import opened
from servers import connected, filled

pytestmark = [pytest.mark.claim("C83"), pytest.mark.of_speed]

ROWS = 3_000
MADE = """CREATE TABLE t AS SELECT (i / {each})::bigint AS u, hashint4(i) & 7 AS g,
    hashint4(i + 7) & 3 AS h, (i % 5)::float8 AS v FROM generate_series(1, {rows}) AS i"""
LIMITS = {"max_groups": 2, "max_rows_per_group": 2}
HARMLESS = "v > -1 AND v > -2 AND h > -1 AND h > -2 AND h + 0 = h AND v + 0 = v"


@pytest.fixture(autouse=True)
def _units_are_small(monkeypatch):
    """As the server noted of them: rows are read once, and none are pruned."""
    monkeypatch.setattr(connection.PostgresConnection, "has_large_units", lambda *_: False)


def table(each, *settings, where=None):
    """Units of so many rows; conditions that all rows pass, and the server expects one row to."""
    source = connected()
    source.execute(MADE.format(each=each, rows=ROWS))
    for setting in ("max_parallel_workers_per_gather = 0", *settings):
        source.execute(f"SET {setting}")
    source.execute("ANALYZE t")
    keys = {"g": range(8), "h": range(4)}
    columns = {"v": dp.bounds(0, 3, step=1)}
    found = dp.table(source, name="t", unit=dp.unit("u"), keys=keys, columns=columns)
    return found.where(where) if where else found


def plan_of(found, monkeypatch, *statistics, listed=True, more=""):
    """The plan by which a count ran, and what it counted."""
    lines, fetched = [], connection._fetched

    def act(cursor, wanted):
        said = f"EXPLAIN (ANALYZE, TIMING OFF{more}) {wanted.text}"
        lines.extend(line for (line,) in cursor.execute(said, wanted.parameters).fetchall())
        return fetched(cursor, wanted)

    asked = tuple(one for statistic in statistics for one in statistic.aggregates(found))
    prepared = engine_for(found.source).prepare(found, asked)
    with monkeypatch.context() as patch:
        patch.setattr(connection, "_fetched", act)
        counted = [one.opened_by_the_door() for one in prepared.count(3)]
    assert any("discreet_listed_0" in line for line in lines) == listed
    return lines, counted


ASKED = {
    "conditions": (HARMLESS, [dp.mean("v", "g", **LIMITS)]),
    "two questions": (
        None,
        [dp.mean("v", "g", where="v >= 0", **LIMITS), dp.mean("v", "h", where="h >= 0", **LIMITS)],
    ),
}
SETTINGS = [
    [],
    ["enable_hashjoin = off", "enable_material = off"],
    ["enable_hashagg = off", "enable_sort = off"],
]


@pytest.mark.exhaustive
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("asked", ASKED)
def test_no_row_is_compared_with_each_other_row(asked, settings, monkeypatch):
    """Where one row is expected and all are there: it took the square of their number."""
    where, statistics = ASKED[asked]

    lines, counted = plan_of(table(10, *settings, where=where), monkeypatch, *statistics)

    assert not any("Nested Loop" in line for line in lines)
    assert any("rows=1 " in line and f"rows={ROWS} " in line for line in lines)
    assert sum(counted[0]) > 100


def test_rows_that_are_units_are_not_sorted_to_be_counted(monkeypatch):
    """What leaves out groups would leave out rows, and the server would expect few of these."""
    source = table(10).source
    keys = {"g": range(8), "h": range(4)}
    rows = dp.table(source, name="t", unit="row", keys=keys, columns={"v": dp.bounds(0, 3, step=1)})

    lines, counted = plan_of(rows, monkeypatch, dp.cube(["g", "h"]), listed=False)

    (read,) = (at for at, line in enumerate(lines) if "Seq Scan on t s" in line)
    assert "HashAggregate" in next(line for line in reversed(lines[:read]) if "->" in line)
    assert "((g >= 0) AND (g <= 7) AND (h >= 0) AND (h <= 3))" in lines[read + 1]
    assert sum(counted[0]) == ROWS


@pytest.mark.claim("C586")
@pytest.mark.parametrize("ask", [dp.mean, dp.variance, None], ids=["mean", "variance", "quantile"])
def test_a_value_is_laid_on_its_grid_once_a_row(ask, monkeypatch):
    """However many sums and bins read it; it was worked out anew for each name of it."""
    source = table(10).source
    columns = {"v": dp.bounds(0, 3, step="0.25")}
    rows = dp.table(source, name="t", unit="row", keys={"g": range(2)}, columns=columns)
    one = dp.quantile("v", [0.25, 0.5], by="g", bins=7) if ask is None else ask("v", "g")

    lines, counted = plan_of(rows, monkeypatch, one, listed=False, more=", VERBOSE")

    (read,) = (at for at, line in enumerate(lines) if "Seq Scan on" in line)
    below = "".join(lines[read:])
    assert "".join(lines).count("floor(") == below.count("floor(") == 1
    assert "Filter: ((s.g >= 0) AND (s.g <= 1))" in below
    assert sum(counted[0]) > 100


@pytest.mark.claim("C586")
def test_rows_that_one_scan_alone_leaves_out_stay_in_others():
    """Two groupings whose groups are too many for one scan read values of rows of all keys."""
    source = filled({"g": "int", "h": "int", "v": "float8"}, [(n, 9 - n, n) for n in range(10)])
    keys = {"g": range(3), "h": range(5)}
    columns = {"v": dp.bounds(0, 9, step="0.01")}
    rows = dp.table(source, name="t", unit="row", keys=keys, columns=columns)
    asked = [dp.histogram("v", by, bins=900) for by in keys]

    counted = engine_for(source).prepare(
        rows, tuple(one for each in asked for one in each.aggregates(rows))
    )

    assert [sum(one.opened_by_the_door()) for one in counted.count(3)] == [3, 5]


def scans(lines, name):
    """How often rows are read, and how often they would be where some unit has many."""
    every = [line for line in lines if f"Scan on {name}" in line]
    return sum("(never executed)" not in line for line in every), len(every)


def test_rows_are_read_once_where_no_unit_has_many(monkeypatch):
    """Of one grouping they are read from the table, of two from the step that both share."""
    where, one = ASKED["conditions"]
    _, two = ASKED["two questions"]

    of_one, _ = plan_of(table(10, where=where), monkeypatch, *one)
    of_two, _ = plan_of(table(10), monkeypatch, *two)

    assert scans(of_one, "t s") == (1, 2)
    assert (scans(of_two, "t s"), scans(of_two, "discreet_rows")) == ((1, 1), (2, 4))


def test_rows_are_read_twice_where_units_are_large(monkeypatch):
    """Not written down: first for the hashes by which most are left out, then for the others."""
    monkeypatch.setattr(connection.PostgresConnection, "has_large_units", lambda *_: True)

    lines, _ = plan_of(table(600), monkeypatch, dp.mean("v", "g", **LIMITS))

    assert scans(lines, "t s") == (2, 3)
    assert not any("CTE discreet_rows" in line for line in lines)


def test_rows_are_read_again_where_a_unit_has_many(monkeypatch):
    """The test above has power."""
    monkeypatch.setattr(unit_lists, "_LONG", 5)

    lines, _ = plan_of(table(10), monkeypatch, dp.mean("v", "g", **LIMITS))

    assert scans(lines, "t s") == (2, 2)


@pytest.mark.exhaustive
@pytest.mark.claim("C18")
@pytest.mark.parametrize(("columns", "is_refused"), [(60, False), (70, True), (200, True)])
def test_more_columns_than_a_query_can_hash_are_refused(columns, is_refused):
    """Before the charge: one within the other they ended in an error of Python's stack."""
    names = [f"v{number}" for number in range(columns)]
    source = filled({"u": "bigint", **dict.fromkeys(names, "float8")}, [(1, *[1.0] * columns)])
    known = {"columns": {name: dp.bounds(0, 1, step=1) for name in names}}
    found = dp.table(source, name="t", unit=dp.unit("u", max_rows=2), **known)
    asked = tuple(one for name in names for one in dp.sum(name).aggregates(found))

    if is_refused:
        with pytest.raises(InputError, match="more than 64 columns"):
            engine_for(source).prepare(found, asked)
        found = dp.table(
            source, name="t", unit=dp.unit("u", max_rows=2, sampling="portable"), **known
        )
    vectors = opened(engine_for(source).prepare(found, asked).count(3))

    assert vectors == [(1,)] * columns
