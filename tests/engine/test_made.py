"""Rows that are made while the engine counts: paid first, and one unit reaches no farther."""

import gc
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import discreet as dp
from discreet.engine.derived import Made
from discreet.engine.select_engine import engine_for
from discreet.errors import EngineError, InputError
from discreet.ledgers.file import open_ledger
from discreet.maps.heatmap import Points, cleaned, geojson, heatmap, planned, save
from discreet.maps.net import grid, junctions

NET = grid(0, 0, 4, 1, columns=4, rows=1)
NAN = float("nan")
ROWS = [
    {"x": 0.5, "y": 0.5, "who": "a", "kg": 2},
    {"x": 0.6, "y": 0.5, "who": "a", "kg": -5},
    {"x": 2.5, "y": 0.5, "who": "a", "kg": 1e300},
    {"x": 2.5, "y": 0.1, "who": "b", "kg": NAN},
    {"x": 3.5, "y": 0.2, "who": None, "kg": 1},
    {"x": NAN, "y": 0.2, "who": "c", "kg": 1},
    {"x": 9.0, "y": 0.2, "who": "c", "kg": 1},
    {"x": None, "y": "nowhere", "who": "c", "kg": 1},
]


def counted(points, net=NET, salt=0):
    """The private integers: tests may look at them."""
    plan = planned(points, net, spend=dp.pure(1))
    prepared = engine_for(plan.table.source).prepare(plan.table, plan.aggregates)
    return list(prepared.count(salt)[0].opened_by_the_door())


def csv_of(rows, path):
    lines = [",".join("" if row[c] is None else str(row[c]) for c in rows[0]) for row in rows]
    path.write_text("\n".join([",".join(rows[0]), *lines]) + "\n")
    return path


def sources(tmp_path):
    rows = [{**row, "y": None if row["y"] == "nowhere" else row["y"]} for row in ROWS]
    return ROWS, csv_of(ROWS, tmp_path / "points.csv"), pa.Table.from_pylist(rows)


@pytest.mark.slow
def test_every_kind_of_source_is_counted_alike(tmp_path):
    """A list, a file and a frame; what is no point of the box does not count."""
    for source in sources(tmp_path):
        at = {"longitude": "x", "latitude": "y"}

        assert counted(Points(source, **at)) == [2, 0, 2, 1]
        assert counted(Points(source, **at, weight="kg", max_weight=10)) == [2, 0, 10, 1]
        assert counted(Points(source, **at, unit=dp.unit("who", max_rows=9))) == [2, 0, 2, 0]


@pytest.mark.claim("C07")
@pytest.mark.slow
def test_one_unit_reaches_no_farther_than_declared(tmp_path):
    """Salt by salt: with and without one unit the counts differ by at most its rows."""
    rows = [{"x": float(i % 4) + 0.5, "y": 0.5, "who": str(i % 7)} for i in range(60)]
    fewer = [row for row in rows if row["who"] != "3"]
    whose = dp.unit("who", max_rows=2)
    for source in (list, lambda found: csv_of(found, tmp_path / "points.csv")):
        for salt in range(8):
            found, without = (
                np.array(counted(Points(source(some), "x", "y", unit=whose), salt=salt))
                for some in (rows, fewer)
            )
            assert 0 < np.abs(found - without).sum() <= 2


@pytest.mark.claim("C07")
def test_a_limit_that_is_forgotten_is_seen(tmp_path):
    """The check has power: without the limit one unit moves the counts farther."""
    rows = [{"x": 0.5, "y": 0.5, "who": str(i % 7)} for i in range(60)]
    fewer = [row for row in rows if row["who"] != "3"]
    found, without = (sum(counted(Points(some, "x", "y"))) for some in (rows, fewer))

    assert found - without > 2


@pytest.mark.claim("C07")
def test_a_row_that_is_made_into_several_is_refused():
    """Where a row is the unit it may count once; where the unit is a column its limit holds."""

    def twice(read):
        places = np.repeat(np.arange(read["x"].size), 2)
        return places, {"place": np.zeros(places.size, dtype=np.int32)}

    made = Made([{"x": 1.0, "who": "a"}], ("x",), twice)
    for unit, refused in (("row", True), (dp.unit("who", max_rows=1), False)):
        table = dp.table(made.source, unit=unit, keys={"place": ["here"]}, name="points")
        plan = dp.plan(table, dp.count(by="place"), spend=dp.pure(1))
        prepared = engine_for(made).prepare(replace(table, source=made), plan.aggregates)
        if refused:
            with pytest.raises(EngineError):
                prepared.count(1)
        else:
            assert list(prepared.count(1)[0].opened_by_the_door()) == [1]


HOSTILE = ["inf", "-inf", "nan", "1e400", "-1e308", "5e-324", "x", "0x1", "1_0", "", None, " 2 "]


@pytest.mark.claim("C09")
@pytest.mark.slow
def test_hostile_cells_are_missing_without_a_word(tmp_path, capfd):
    """Whatever stands in a cell: every source counts alike, and nothing is printed or warned."""
    plain = {"x": 0.5, "y": 0.5, "who": "a", "kg": 1}
    rows = [{**plain, column: cell} for column in ("x", "y", "kg") for cell in HOSTILE]
    rows += [{**plain, column: float(cell)} for column in ("x", "kg") for cell in HOSTILE[:6]]
    for more in ({}, {"weight": "kg", "max_weight": 5}):
        for whose in ("row", dp.unit("who", max_rows=1_000)):
            points = Points(rows, "x", "y", **more, unit=whose)
            of_file = Points(csv_of(rows, tmp_path / "p.csv"), "x", "y", **more, unit=whose)
            of_frame = Points(
                pd.DataFrame({c: pd.Series([r[c] for r in rows], dtype=object) for c in plain}),
                *("x", "y"),
                **more,
                unit=whose,
            )

            assert counted(points) == counted(of_file) == counted(of_frame)
    assert capfd.readouterr() == ("", "")


@pytest.fixture
def ledger(tmp_path):
    return dp.ledger(tmp_path / "points.ledger", budget=dp.pure(4))


@pytest.mark.claim("C11")
@pytest.mark.slow
def test_nothing_is_read_or_snapped_before_the_charge(ledger):
    """The first look at a point finds the charge in the ledger's file, and noise bought."""
    seen = []

    def snap(lon, lat):
        seen.append(open_ledger(ledger.path).book().left())
        return NET.snap(lon, lat)

    net = type(NET)(NET.column, NET.places, NET.edges, NET.shape, snap)
    points = Points(ROWS, "x", "y", name="points")
    planned(points, net, spend=dp.pure(1))
    assert seen == []

    heatmap(points, net, spend=dp.pure(1), ledger=ledger)
    assert [str(left) for left in seen] == ["epsilon = 3"]


@pytest.mark.claim("C18")
@pytest.mark.parametrize(
    ("points", "says"),
    [
        (Points("no.csv"), "no file"),
        (Points(pd.DataFrame(ROWS), "lon", "y"), "no column"),
        (
            Points(pd.DataFrame(ROWS), "x", "y", unit=dp.unit("cab", max_rows=1)),
            "no column",
        ),
        (Points(ROWS, "x", "y", unit=dp.unit("who")), "nothing limits"),
        (Points(ROWS, "x", "y", weight="kg"), "upper end"),
        (Points(ROWS, "x", "y", weight="kg", max_weight=0), "max_weight"),
        (Points(3, "x", "y"), "cannot be read"),
        (Points(pa.table({"x": [b"1"], "y": [1.0]}), "x", "y"), "BLOB"),
    ],
)
def test_a_wrong_declaration_is_refused_and_costs_nothing(points, says, ledger):
    """Before the charge: what can be known without reading a point."""
    with pytest.raises(InputError, match=says):
        heatmap(points, NET, spend=dp.pure(1), ledger=ledger)

    assert str(ledger.left()) == "epsilon = 4"


@pytest.mark.slow
def test_nothing_stays_in_the_folder_for_temporary_files(tmp_path, monkeypatch):
    """Neither of a source that was opened alone, nor of one that was counted."""
    spill = tmp_path / "spill"
    spill.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spill))
    plan = planned(Points(csv_of(ROWS, tmp_path / "p.csv"), "x", "y"), NET, spend=dp.pure(1))
    prepared = engine_for(plan.table.source).prepare(plan.table, plan.aggregates)
    assert list(spill.iterdir())

    del prepared
    prepared = engine_for(plan.table.source).prepare(plan.table, plan.aggregates)
    prepared.count(1)
    del prepared
    gc.collect()
    assert list(spill.iterdir()) == []


def test_an_unknown_denoiser_is_refused_and_costs_nothing(ledger):
    with pytest.raises(InputError, match="no denoiser"):
        heatmap(Points(ROWS, "x", "y"), NET, spend=dp.pure(1), ledger=ledger, how="magic")

    assert str(ledger.left()) == "epsilon = 4"


@pytest.mark.claim("C09")
def test_a_failure_while_points_are_read_says_nothing_of_them(ledger):
    """One fixed text; the charge stays."""

    def make(read):
        raise ValueError(read["x"])

    plan = planned(Points(ROWS, "x", "y", name="points"), NET, spend=dp.pure(1))
    object.__setattr__(plan.table, "source", Made(ROWS, ("x", "y"), make))
    with pytest.raises(EngineError) as caught:
        dp.run(plan, ledger=ledger)

    assert "0.5" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert str(ledger.left()) == "epsilon = 3"


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("rows", [[], ROWS[5:]], ids=["no row", "no point"])
@pytest.mark.parametrize(
    "net",
    [
        NET,
        grid(0, 0, 1, 1, columns=1, rows=1),
        junctions([[0, 0], [50, 50]], [], within=9),
        junctions([[0, 0], [0, 1], [5, 5], [9, 9], [9, 8]], [(0, 1), (3, 4)], within=9),
    ],
    ids=["grid", "one cell", "no edge", "pieces"],
)
def test_nothing_to_count_is_released_like_all_else(rows, net, ledger, tmp_path):
    """Without points, without edges, with one place: a map, and its files."""
    found = heatmap(Points(rows, "x", "y", name="points"), net, spend=dp.pure(1), ledger=ledger)
    place = save(found, tmp_path / "map")

    assert len(found.raw) == len(found.cleaned.values) == len(net.places)
    assert {"map.png", "map.geojson", "release.json"} <= {file.name for file in place.iterdir()}


def test_a_map_says_what_was_released_and_nothing_of_the_truth(ledger):
    """GeoJSON holds the noisy number, its interval and the cleaned one; made again, the same."""
    points = Points(ROWS, "x", "y", name="points")
    found = heatmap(points, NET, spend=dp.pure(1), ledger=ledger)
    again = heatmap(points, NET, spend=dp.pure(1), ledger=ledger)
    made = geojson(found)
    answers = found.release.document.statistics[0].answer.rows

    assert again.release.repeated
    assert geojson(again) == made
    assert dp.verify(found.release, ledger=ledger)
    for feature, (name, value, low, high) in zip(made["features"], answers, strict=True):
        about = feature["properties"]
        assert name == "{:.7f} {:.7f}".format(*feature["geometry"]["coordinates"])
        assert (about["raw"], about["low"], about["high"]) == (value, low, high)
        assert about["cleaned"] >= 0


def test_other_columns_or_places_are_another_request():
    """What was snapped to where is in the plan: no stored answer is taken for another question."""
    spend = dp.pure(1)
    other = grid(0, 0, 4, 2, columns=4, rows=1)
    plans = [
        planned(Points(ROWS, "x", "y"), NET, spend=spend),
        planned(Points(ROWS, "y", "x"), NET, spend=spend),
        planned(Points(ROWS, "x", "y"), other, spend=spend),
        planned(Points(ROWS, "x", "y"), junctions(NET.places, NET.edges, within=100), spend=spend),
        planned(Points(ROWS, "x", "y"), junctions(NET.places, NET.edges, within=99), spend=spend),
    ]

    assert len({plan.digest for plan in plans}) == len(plans)


def test_a_rehearsed_map_is_marked():
    """Made-up points walk the whole way, and the map says so."""
    plan = planned(Points("nothing.csv", "x", "y"), NET, spend=dp.pure(1))
    found = cleaned(dp.rehearse(plan), plan, NET)

    assert geojson(found)["discreet"]["kind"] == "rehearsal"
