"""The public places of a map: junctions of a graph, or cells of a grid, and which are neighbors.

Rules of this module:
- places come from a public map or a public box, never from the points;
- a place is named by its longitude and latitude, so that a release says what it counted;
- lonely places and several components are allowed: each component is denoised by itself.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..exact.number import Number, rational, text_of, whole
from ..fix import BLANK, Set, write
from ..post.denoise.graph import Graph
from ..post.denoise.noise import needed
from .earth import PLACES, Doubles, in_space, is_on_earth, named, offset_east

Places = NDArray[np.int64]

MOST = 1_000_000  # places
_FARTHEST = 100_000  # meters
_WIDEST = 180  # degrees of a box that is written with west above east


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
    points_named = _checked_places(places)
    distance = rational(within, "within")
    if not 0 < distance <= _FARTHEST:
        raise InputError(
            f"within = {text_of(distance)} meters must be above 0 and at most {_FARTHEST}.",
            kind="out-of-range",
            why="it says how far from its junction a point may be; it is public",
            fix=write("with a number of meters, such as 150", within=BLANK),
        )
    tree = needed("scipy.spatial").cKDTree(in_space(points_named))

    def snap(lon: Doubles, lat: Doubles) -> Places:
        near = np.full(lon.size, -1, dtype=np.int64)
        real = is_on_earth(lon, lat)
        points = in_space(np.stack([lon[real], lat[real]], axis=1))
        _, place = tree.query(points, distance_upper_bound=float(distance))
        near[real] = np.where(place < len(points_named), place, -1)
        return near

    column = f"junction within {text_of(distance)} m"
    return Net(column, points_named, _checked_edges(edges, len(points_named)), None, snap)


def grid(
    west: Number, south: Number, east: Number, north: Number, *, columns: int, rows: int
) -> Net:
    """Return the net of a plain grid over a public box, in degrees; points outside do not count.

    A box over the antimeridian has its west above its east, or an east above 180.

    Raises:
        InputError: the box is empty or not on earth, or there are too many cells.

    Example: cells are counted from the south-west, row by row.

        >>> net = grid(179, 0, -179, 1, columns=2, rows=1)
        >>> net.names(), net.snap(np.array([-179.5, 3.0]), np.array([0.5, 0.5])).tolist()
        (['179.5000000 0.5000000', '-179.5000000 0.5000000'], [1, -1])
    """
    ends = {"west": west, "south": south, "east": east, "north": north}
    w, s, e, n = (float(rational(value, name)) for name, value in ends.items())
    width = _width(w, s, e, n)
    across, up = whole(columns, "columns", least=1), whole(rows, "rows", least=1)
    _check_number(across * up)
    wide, high = width / across, (n - s) / up

    def snap(lon: Doubles, lat: Doubles) -> Places:
        east_of = offset_east(lon, w)
        with np.errstate(invalid="ignore"):
            inside = is_on_earth(lon, lat) & (east_of <= width) & (lat >= s) & (lat <= n)
        x = np.minimum(np.where(inside, east_of, 0.0) / wide, across - 1).astype(np.int64)
        y = np.minimum((np.where(inside, lat, s) - s) / high, up - 1).astype(np.int64)
        return np.where(inside, y * across + x, -1)

    at = np.arange(across * up).reshape(up, across)
    pairs = [(at[:, :-1], at[:, 1:]), (at[:-1], at[1:])]
    edges = np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in pairs])
    lon, lat = w + wide * (np.arange(across) + 0.5), s + high * (np.arange(up) + 0.5)
    places = _checked_places(np.stack([np.tile(lon, up), np.repeat(lat, across)], axis=1))
    box = f"{w:g},{s:g},{e:g},{n:g}"
    return Net(f"cell of {across} x {up} in {box}", places, edges, (up, across), snap)


def _width(w: float, s: float, e: float, n: float) -> float:
    """Return how many degrees a box reaches from west to east, once it is one."""
    over = w > e
    width = float(offset_east(np.array(e), w)) if over or e - w < 360 else e - w
    angles = max(abs(w), abs(e)) <= 360 and -90 <= s < n <= 90
    if not angles or not 0 < width <= 360:
        raise InputError(
            f"the box {w:g},{s:g},{e:g},{n:g} is empty or not on earth.",
            kind="map-wrong",
            why="it goes from west to east and from south to north, in degrees, as in "
            "-74.02,40.70,-73.91,40.88; over the antimeridian west is above east",
            fix=write(west=BLANK, south=BLANK, east=BLANK, north=BLANK),
        )
    if over and width >= _WIDEST:
        west, east = (w, e + 360) if e <= 0 else (w - 360, e)
        raise InputError(
            f"the box {w:g},{s:g},{e:g},{n:g} goes around the earth, over {width:g} degrees.",
            kind="map-wrong",
            why="with west above east a box goes over the antimeridian; west and east seem to be "
            "exchanged",
            fix=(
                _box(e, s, w, n),
                _box(west, s, east, n, note=", if so wide a box is meant"),
            ),
        )
    return width


def _box(west: float, south: float, east: float, north: float, note: str = "") -> Set:
    sides = {"west": west, "south": south, "east": east, "north": north}
    return Set({side: f"{degrees:g}" for side, degrees in sides.items()}, note=note)


def _checked_places(places: Any) -> Doubles:
    try:
        points = np.asarray(places, dtype=float)
    except (TypeError, ValueError):
        points = np.empty(0)
    if points.ndim != 2 or points.shape[1] != 2 or not is_on_earth(*points.T).all():
        raise InputError(
            "the places of the map are not a list of longitudes and latitudes.",
            kind="map-wrong",
            why="each place has a longitude from -180 to 180, or up to 360 either way around the "
            "earth, and a latitude from -90 to 90",
            fix="write [[-73.96, 40.79], [-73.95, 40.78]], longitude first",
        )
    _check_number(len(points))
    rounded = named(points)
    if len(np.unique(rounded, axis=0)) < len(rounded):
        raise InputError(
            "two places of the map are at one point.",
            kind="map-wrong",
            why=f"a place is named by where it is, to {PLACES} decimals of a degree; longitudes "
            "of 180 and -180 are one, and a pole is one place",
            fix="merge places that are one",
        )
    return rounded


def _check_number(count: int) -> None:
    if not 0 < count <= MOST:
        raise InputError(
            f"the map has {count:,} places.",
            kind="map-wrong",
            why=f"a heat map counts at 1 to {MOST:,} public places",
            fix="choose a smaller map, or a coarser grid",
        )


def _checked_edges(edges: Any, places: int) -> Places:
    """Return the edges as pairs of places, each once; none is allowed."""
    from ..post.denoise.graph import graph_of

    try:
        pairs = list(edges)
        loops = all(int(a) == int(b) for a, b in pairs)
    except (TypeError, ValueError, OverflowError):
        pairs, loops = [None], False
    if loops:
        return np.empty((0, 2), dtype=np.int64)
    return graph_of(pairs, places).ends
