"""Public places: junctions of a graph and cells of a grid, and to which of them a point belongs."""

import json

import numpy as np
import pytest

from discreet.errors import InputError
from discreet.maps.earth import meters
from discreet.maps.net import grid, junctions
from discreet.maps.roads import read_net

NAN = float("nan")


def written(tmp_path, data):
    path = tmp_path / "roads.geojson"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def roads(*lines, **about):
    """GeoJSON of one road a line."""
    features = [
        {
            "type": "Feature",
            "properties": about,
            "geometry": {"type": "LineString", "coordinates": line},
        }
        for line in lines
    ]
    return {"type": "FeatureCollection", "features": features}


CROSS = roads([(0, 0), (1, 0), (2, 0)], [(1, -1), (1, 0)], [(1, 0), (1.5, 0.5), (1, 1)])


def test_roads_meet_at_shared_vertices_and_bends_are_no_junctions(tmp_path):
    """Four arms of a crossing, one of them bent: five places and four edges."""
    net = read_net(written(tmp_path, CROSS), within=10)

    assert net.names()[2] == "1.0000000 0.0000000"
    assert net.places.tolist() == [[0, 0], [1, -1], [1, 0], [1, 1], [2, 0]]
    assert net.edges.tolist() == [[0, 2], [1, 2], [2, 3], [2, 4]]


def test_only_motor_roads_are_kept_where_the_class_is_known(tmp_path):
    """A footway is no road; a road without a class, or with several of which one is, is one."""
    both = roads([(0, 0), (1, 0)], highway="footway")["features"] + CROSS["features"][:2]
    both += roads([(1, 0), (1.5, 0.5), (1, 1)], highway=["track", "residential"])["features"]
    net = read_net(written(tmp_path, {"type": "FeatureCollection", "features": both}), within=10)

    assert len(net.places) == 5


def test_parallel_roads_are_one_edge_and_a_road_to_itself_is_none(tmp_path):
    """Two ways between the same junctions, and a loop at one of them."""
    lines = [
        *([(0, 0), (1, 0)], [(0, 0), (0.5, 1), (1, 0)]),
        *([(-1, 0), (0, 0)], [(1, 0), (2, 0)], [(2, 0), (3, 1), (3, -1), (2, 0)]),
    ]
    net = read_net(written(tmp_path, roads(*lines)), within=10)

    assert net.edges.tolist() == [[0, 1], [1, 2], [2, 3]]


def test_several_components_are_kept_or_the_largest_alone(tmp_path):
    """A stray road counts unless it is left out."""
    path = written(
        tmp_path,
        roads(*[r["geometry"]["coordinates"] for r in CROSS["features"]], [(9, 9), (9, 8)]),
    )

    assert len(read_net(path, within=10).places) == 7
    assert len(read_net(path, within=10, largest=True).places) == 5


def test_a_map_of_places_and_edges_is_read_too(tmp_path):
    """Lonely places, loops and doubles are no trouble; without an edge there is no graph."""
    places = [[0, 0], [1, 0], [2, 0]]
    path = written(tmp_path, {"places": places, "edges": [[0, 1], [1, 0], [1, 1]]})

    assert read_net(path, within=10).edges.tolist() == [[0, 1]]
    assert junctions(places, [], within=10).graph() is None
    assert junctions(places, [(1, 1)], within=10).graph() is None


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ([], "no map of roads"),
        ({"features": []}, "no map of roads"),
        ({"features": [1]}, "no map of roads"),
        (roads([(0, 0)]), "no map of roads"),
        (roads([(0, 0), ("x", 1)]), "no map of roads"),
        (roads([(0, 0), (NAN, 1)]), "longitudes and latitudes"),
        (roads([(0, 0), (0, 91)]), "longitudes and latitudes"),
        ({"places": [], "edges": []}, "longitudes and latitudes"),
        ({"places": [[0, 0], [0, 0]], "edges": []}, "at one point"),
        ({"places": [[0, NAN]], "edges": []}, "longitudes and latitudes"),
        ({"places": [[0, 0]], "edges": [[0, 1]]}, "outside 0 to 0"),
        ({"places": [[0, 0]], "edges": [[0]]}, "pairs"),
        ({"places": [[0, 0]], "edges": 3}, "pairs"),
        ({"places": [[0, 0], [1, 1]], "edges": [[0, float("inf")]]}, "pairs"),
    ],
)
def test_a_broken_map_is_refused(data, says, tmp_path):
    """In three lines; a map is public, and nothing has been charged."""
    with pytest.raises(InputError, match=says):
        read_net(written(tmp_path, data), within=10)


@pytest.mark.parametrize("text", ["", "not json", "[" * 100_000])
def test_a_file_that_is_no_json_is_refused(text, tmp_path):
    path = tmp_path / "roads.geojson"
    path.write_text(text)

    with pytest.raises(InputError, match="no map of roads"):
        read_net(path, within=10)
    with pytest.raises(InputError, match="cannot be read"):
        read_net(tmp_path / "nothing", within=10)


@pytest.mark.parametrize("within", [0, -1, "far", 1e9])
def test_a_distance_must_be_one(within):
    with pytest.raises(InputError):
        junctions([[0, 0]], [], within=within)


def test_a_point_belongs_to_the_nearest_junction_within_the_distance():
    """As if every distance were measured along the sphere; what is no point belongs nowhere."""
    places = np.array([(0, 60), (0.002, 60), (179.9999, 0), (0, 90)])
    net = junctions(places, [], within=150)
    lon = np.array([0.0009, 0.0011, -179.9999, 77.0, 0.0, NAN, np.inf, 400.0, 0.0])
    lat = np.array([60.0, 60.0, 0.0, 89.9995, 60.002, 60.0, 60.0, 60.0, -91.0])

    assert net.snap(lon, lat).tolist() == [0, 1, 2, 3, -1, -1, -1, -1, -1]


def test_a_grid_counts_cells_row_by_row_and_nothing_outside():
    """The public box is closed; each cell neighbors those beside, above and below it."""
    net = grid(0, 0, 3, 2, columns=3, rows=2)
    lon = np.array([0.0, 3.0, 1.5, -0.001, NAN, np.inf])
    lat = np.array([0.0, 2.0, 0.5, 1.0, 1.0, 1.0])

    assert net.snap(lon, lat).tolist() == [0, 5, 1, -1, -1, -1]
    assert sorted(map(tuple, net.edges.tolist())) == [
        (0, 1),
        (0, 3),
        (1, 2),
        (1, 4),
        (2, 5),
        (3, 4),
        (4, 5),
    ]


WAYS = (lambda lon: lon, lambda lon: lon + 360, lambda lon: lon - 360)


@pytest.mark.parametrize("way", WAYS)
def test_a_longitude_is_taken_around_the_earth(way):
    """The same point is at the same place, whichever of its longitudes is written."""
    net = junctions([(-180, 0), (-170, 0), (0, 90), (120, -90)], [], within=1_000)
    box = grid(170, -10, -170, 10, columns=20, rows=1)
    lon, lat = np.array([180.0, -170.0, 55.0, 7.0, 0.0]), np.array([0.0, 0.0, 90.0, -90.0, 5.0])
    there = np.abs(way(lon)) <= 360

    assert net.snap(way(lon), lat)[there].tolist() == np.array([0, 1, 2, 3, -1])[there].tolist()
    assert (
        box.snap(way(lon), 0 * lat)[there].tolist()
        == np.array([10, 19, -1, -1, -1])[there].tolist()
    )
    assert box.snap(np.array([535.0, 175.0]), np.array([0.0, 0.0])).tolist() == [-1, 5]


@pytest.mark.parametrize("east", [-170, 190])
def test_a_box_over_the_antimeridian_is_whole(east):
    """West above east, or an east above 180: the cells run on, closed at both ends, and nothing
    outside counts."""
    net = grid(170, 0, east, 2, columns=4, rows=2)
    lon = np.array([170.0, 179.9, 180.0, -180.0, -170.0, 169.9, -169.9, 0.0])

    assert net.snap(lon, np.ones(8)).tolist() == [4, 5, 6, 6, 7, -1, -1, -1]
    assert [name.split()[0] for name in net.names()[:4]] == [
        "172.5000000", "177.5000000", "-177.5000000", "-172.5000000",
    ]  # fmt: skip
    assert (np.diff(meters(net.places)[:4, 0]) > 0).all()


def test_the_whole_earth_is_a_box():
    """Its east and its west side are one; a point there is in the first column."""
    net = grid(-180, -90, 180, 90, columns=4, rows=1)
    lon = np.array([-180.0, 180.0, 179.9, -0.1, 0.0, 360.0])

    assert net.snap(lon, np.zeros(6)).tolist() == [0, 0, 3, 1, 2, 2]
    assert grid(0, -90, 360, 90, columns=4, rows=1).snap(lon, np.zeros(6)).tolist() == [
        2, 2, 1, 3, 0, 0,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "places", [[(-180, 0), (180, 0)], [(0, 90), (10, 90)], [(-170, 1), (190, 1)]]
)
def test_one_point_of_the_earth_is_one_place(places):
    """Two names of it would be two keys, of which one counts nothing."""
    with pytest.raises(InputError, match="at one point"):
        junctions(places, [], within=10)


def test_roads_meet_over_the_antimeridian(tmp_path):
    """A road to 180 and one from -180 are one road; drawn, it is not as wide as the earth."""
    lines = [(179.9, 0), (180, 0)], [(-180, 0), (-179.9, 0)], [(190, 0), (-179.9, 0)]
    net = read_net(written(tmp_path, roads(*lines)), within=10)

    assert net.names() == ["-170.0000000 0.0000000", "179.9000000 0.0000000"]
    assert net.edges.tolist() == [[0, 1]]
    assert np.ptp(meters(net.places)[:, 0]) == pytest.approx(1_123_000, rel=0.01)


def test_a_map_away_from_the_antimeridian_is_drawn_as_it_was():
    """Its longitudes stay, as long as no gap inside is wider than that across the antimeridian."""
    places = np.array([(-100.0, 0.0), (0.0, 0.0), (100.0, 0.0)])

    assert meters(places)[:, 0].tolist() == sorted(meters(places)[:, 0].tolist())
    assert meters(np.array([[5.0, 1.0]])).shape == (1, 2)


def test_an_exchanged_box_is_not_taken_for_one_around_the_earth():
    """With west above east it is over the antimeridian; over half the earth it is a slip."""
    with pytest.raises(InputError, match="goes around the earth, over 359 degrees") as caught:
        grid(1, 0, 0, 1, columns=2, rows=2)

    meant, wide = [tuple(way.settings.values()) for way in caught.value.ways]
    assert grid(*meant, columns=2, rows=2).places[0].tolist() == [0.25, 0.25]
    assert grid(*wide, columns=359, rows=1).places[0].tolist() == [1.5, 0.5]


@pytest.mark.parametrize(
    ("box", "cells"),
    [
        ((1, 0, 0, 1), (2, 2)),
        ((180, 0, -180, 1), (2, 2)),
        ((0, 0, 361, 1), (2, 2)),
        ((-400, 0, -390, 1), (2, 2)),
        ((0, 0, 0, 1), (2, 2)),
        ((0, 0, 1, 91), (2, 2)),
        ((0, 0, 1, 1), (0, 2)),
        ((0, 0, 1, 1), (2_000, 2_000)),
    ],
)
def test_a_box_that_is_none_is_refused(box, cells):
    with pytest.raises(InputError):
        grid(*box, columns=cells[0], rows=cells[1])
