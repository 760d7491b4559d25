"""The public places of a map: junctions of a graph, or cells of a grid, and which are neighbors.

Rules of this module:
- places come from a public map or a public box, never from the points;
- a place is named by its longitude and latitude, so that a release says what it counted;
- lonely places and several components are allowed: each component is denoised by itself.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..exact.number import Number, rational, text_of, whole
from ..post.denoise.graph import Graph
from ..post.denoise.needs import needed

Doubles = NDArray[np.float64]
Places = NDArray[np.int64]

PLACES = 7  # decimals of a degree: about a centimeter
MOST = 1_000_000  # places
_EARTH = 6_371_008.8  # mean radius in meters
_FARTHEST = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class Net:
    """Places and the edges between neighbors.

    Attributes:
        column: what a release calls a place; for a graph it says how far a point may be.
        places: longitude and latitude of each place, in degrees.
        edges: pairs of places, each once.
        shape: rows and columns of a grid; None for a graph.
        snap: from longitudes and latitudes to the place of each point, -1 where it has none.
    """

    column: str
    places: Doubles
    edges: Places
    shape: tuple[int, int] | None
    snap: Callable[[Doubles, Doubles], Places]

    def names(self) -> list[str]:
        """Return the name of each place: its longitude and latitude."""
        return [f"{lon:.{PLACES}f} {lat:.{PLACES}f}" for lon, lat in self.places.tolist()]

    def graph(self) -> Graph | None:
        """Return which places are neighbors, for a denoiser; None if none are."""
        return Graph(len(self.places), self.edges) if len(self.edges) else None


def junctions(places: Any, edges: Any, *, within: Number) -> Net:
    """Return the net of a graph: each point counts at the nearest junction.

    Args:
        places: longitude and latitude of each junction, in degrees.
        edges: pairs of junctions, by their places in the list, from 0 on.
        within: in meters; a point farther than this from every junction does not count. Public.

    Raises:
        InputError: no junction, two at one place, a coordinate that is none, an edge to nowhere.

    Example: the second point is some 111 km from both junctions.

        >>> net = junctions([(0, 0), (0.001, 0)], [(0, 1)], within=100)
        >>> net.snap(np.array([0.0009, 0.0]), np.array([0.0, 1.0])).tolist()
        [1, -1]
    """
    found = _checked_places(places)
    distance = rational(within, "within")
    if not 0 < distance <= _FARTHEST:
        raise InputError(
            f"within = {text_of(distance)} meters must be above 0 and at most {_FARTHEST}.",
            why="it says how far from its junction a point may be; it is public",
            fix="write within=150",
        )
    tree = needed("scipy.spatial").cKDTree(_on_the_globe(found))

    def snap(lon: Doubles, lat: Doubles) -> Places:
        near = np.full(lon.size, -1, dtype=np.int64)
        real = _is_on_earth(lon, lat)
        points = _on_the_globe(np.stack([lon[real], lat[real]], axis=1))
        _, place = tree.query(points, distance_upper_bound=float(distance))
        near[real] = np.where(place < len(found), place, -1)
        return near

    column = f"junction within {text_of(distance)} m"
    return Net(column, found, _checked_edges(edges, len(found)), None, snap)


def grid(
    west: Number, south: Number, east: Number, north: Number, *, columns: int, rows: int
) -> Net:
    """Return the net of a plain grid over a public box, in degrees; points outside do not count.

    Raises:
        InputError: the box is empty or not on earth, or there are too many cells.

    Example: cells are counted from the south-west, row by row.

        >>> net = grid(0, 0, 2, 1, columns=2, rows=1)
        >>> net.names(), net.snap(np.array([1.5, 3.0]), np.array([0.5, 0.5])).tolist()
        (['0.5000000 0.5000000', '1.5000000 0.5000000'], [1, -1])
    """
    given = {"west": west, "south": south, "east": east, "north": north}
    w, s, e, n = (float(rational(value, name)) for name, value in given.items())
    if not (-180 <= w < e <= 180 and -90 <= s < n <= 90):
        raise InputError(
            f"the box {w:g},{s:g},{e:g},{n:g} is empty or not on earth.",
            why="it goes from west to east and from south to north, in degrees",
            fix="write west, south, east, north: --box -74.02,40.70,-73.91,40.88",
        )
    across, up = whole(columns, "columns", least=1), whole(rows, "rows", least=1)
    _check_number(across * up)
    wide, high = (e - w) / across, (n - s) / up

    def snap(lon: Doubles, lat: Doubles) -> Places:
        with np.errstate(invalid="ignore"):
            inside = (lon >= w) & (lon <= e) & (lat >= s) & (lat <= n)
        x = np.minimum((np.where(inside, lon, w) - w) / wide, across - 1).astype(np.int64)
        y = np.minimum((np.where(inside, lat, s) - s) / high, up - 1).astype(np.int64)
        return np.where(inside, y * across + x, -1)

    at = np.arange(across * up).reshape(up, across)
    pairs = [(at[:, :-1], at[:, 1:]), (at[:-1], at[1:])]
    edges = np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in pairs])
    lon, lat = w + wide * (np.arange(across) + 0.5), s + high * (np.arange(up) + 0.5)
    places = _checked_places(np.stack([np.tile(lon, up), np.repeat(lat, across)], axis=1))
    box = f"{w:g},{s:g},{e:g},{n:g}"
    return Net(f"cell of {across} x {up} in {box}", places, edges, (up, across), snap)


def _on_the_globe(places: Doubles) -> Doubles:
    """Return places as points in space, in meters: near by, a chord is as long as its arc."""
    lon, lat = np.radians(places[:, 0]), np.radians(places[:, 1])
    flat = np.cos(lat)
    found = np.stack([flat * np.cos(lon), flat * np.sin(lon), np.sin(lat)], axis=1)
    return np.asarray(_EARTH * found, dtype=float)


def _is_on_earth(lon: Doubles, lat: Doubles) -> NDArray[np.bool_]:
    with np.errstate(invalid="ignore"):
        return (np.abs(lon) <= 180) & (np.abs(lat) <= 90)


def _checked_places(places: Any) -> Doubles:
    try:
        found = np.round(np.asarray(places, dtype=float), PLACES) + 0.0  # no -0
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.ndim != 2 or found.shape[1] != 2 or not _is_on_earth(*found.T).all():
        raise InputError(
            "the places of the map are not a list of longitudes and latitudes.",
            why="each place has a longitude from -180 to 180 and a latitude from -90 to 90",
            fix="write [[-73.96, 40.79], [-73.95, 40.78]], longitude first",
        )
    _check_number(len(found))
    if len(np.unique(found, axis=0)) < len(found):
        raise InputError(
            "two places of the map are at one point.",
            why=f"a place is named by where it is, to {PLACES} decimals of a degree",
            fix="merge places that are one",
        )
    return found


def _check_number(count: int) -> None:
    if not 0 < count <= MOST:
        raise InputError(
            f"the map has {count:,} places.",
            why=f"a heat map counts at 1 to {MOST:,} public places",
            fix="choose a smaller map, or a coarser grid",
        )


def _checked_edges(edges: Any, places: int) -> Places:
    """Return the edges as pairs of places, each once; none is allowed."""
    from ..post.denoise.graph import graph_of

    try:
        given = list(edges)
        loops = all(int(a) == int(b) for a, b in given)
    except (TypeError, ValueError, OverflowError):
        given, loops = [None], False
    if loops:
        return np.empty((0, 2), dtype=np.int64)
    return graph_of(given, places).ends


def meters(places: Doubles) -> Doubles:
    """Return places as they are drawn: x and y in meters, true in the middle of the map."""
    middle = math.cos(math.radians(float(places[:, 1].mean())))
    return np.asarray(np.radians(places) * _EARTH * (middle, 1.0), dtype=float)
