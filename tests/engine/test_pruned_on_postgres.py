"""PostgreSQL leaves out rows of large units before it sorts them: no integer changes."""

import pytest

import discreet as dp
from discreet.engine.postgres import unit_sizes
from discreet.engine.postgres.connection import PostgresConnection
from discreet.engine.select_engine import engine_for
from discreet.schema import unit
from engine.sources import opened
from engine.test_pruned import GROUPS, crowd
from servers import filled

pytestmark = [pytest.mark.of_speed, pytest.mark.claim("C588")]

LOOK = PostgresConnection.has_large_units  # `conftest` has each table hold large units
LIMITS = [(1, 1), (3, 2), (30, None)]


def counted(source, limits, salt, max_rows=None):
    """The text of the query, and the integers of counts, sums and units."""
    table = dp.table(
        source,
        name="t",
        unit=unit("u", max_rows=max_rows),
        keys={"k": range(GROUPS)},
        columns={"v": dp.bounds(0, 9, step=1)},
    )
    how = dict(zip(("max_groups", "max_rows_per_group"), limits, strict=True))
    units = dp.count_units("k", max_groups=limits[0])
    asked = (dp.count("k", **how), dp.sum("v", "k", **how), units) if limits[1] else (units,)
    prepared = engine_for(source).prepare(
        table, tuple(a for q in asked for a in q.aggregates(table))
    )
    return prepared.query.query.sql(), opened(prepared.count(salt))


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("max_rows", [None, 1_600])
@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("kind", ["text", "bigint"])
def test_what_is_pruned_would_not_have_stayed(kind, limits, max_rows, monkeypatch):
    """Of units digested and not, whose rows are chosen before or not, with what is sorted whole."""
    if max_rows and limits[0] > 3:
        limits = 3, None  # else no unit may have rows enough
    named = {row["u"]: number for number, row in enumerate(crowd())}
    rows = [
        (row["u"] if kind == "text" else named[row["u"]], row["k"], row["v"]) for row in crowd()
    ]
    source = filled({"u": kind, "k": "int", "v": "float8"}, rows)
    for salt in (0, 2**64 - 1):
        found = {}
        for is_pruned in (True, False):
            monkeypatch.setattr(
                PostgresConnection, "has_large_units", lambda *_, is_=is_pruned: is_
            )
            text, found[is_pruned] = counted(source, limits, salt, max_rows)
            assert ("discreet_cut_0" in text) is is_pruned

        assert found[True] == found[False]
        assert any(found[True][0])


def sizes(rows_of, *, analyzed="ANALYZE t"):
    """What is said of units with these numbers of rows, by limits of which 32 rows are large."""
    source = filled({"u": "int"}, [(who,) for who, many in enumerate(rows_of) for _ in range(many)])
    if analyzed:
        source.execute(f"ALTER TABLE t ALTER u SET STATISTICS {1 if 'one' in analyzed else 100}")
        source.execute("ANALYZE t")
    table = dp.table(source, name="t", unit=unit("u"), keys={}, columns={})
    return LOOK(PostgresConnection(table), 16)


@pytest.mark.slow
def test_the_server_says_whether_units_have_many_rows(monkeypatch):
    """By its list of common values, and by how many there are; of units that it never noted, no."""
    monkeypatch.setattr(unit_sizes, "_SMALL", 0)

    assert not sizes([10] * 200)
    assert sizes([1_000, *[10] * 200])
    assert not sizes([500, *[10] * 200])  # a fifth of all rows
    assert sizes([40] * 50)
    assert sizes([40] * 50, analyzed="of one common value")
    assert not sizes([24] * 50, analyzed="of one common value")
    assert not sizes([1_000, *[10] * 200], analyzed="")


def test_a_small_table_is_not_pruned():
    """Its rows are sorted before a longer query is planned."""
    assert not sizes([1_000, 1_000])
