"""The street graph of a public map file: GeoJSON roads, or a list of places and edges.

Rules of this module:
- roads meet where they share a vertex; a vertex with two neighbors is no junction, only a bend;
- two roads between the same junctions are one edge, a road back to its own junction is none;
- what a file says is checked before anything is charged; it is public, so errors may speak of it.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..document.regular import regular, why_not
from ..errors import InputError, shown
from ..exact.number import Number
from .earth import named
from .net import Net, junctions

MOTOR = frozenset(
    {
        *("motorway", "trunk", "primary", "secondary", "tertiary", "unclassified", "residential"),
        *("motorway_link", "trunk_link", "primary_link", "secondary_link", "tertiary_link"),
        "living_street",
    }
)
MOST_BYTES = 256 * 2**20  # of a map file: the streets of a large city are some 30 MB
_CLASSES = ("highway", "fclass")  # what OpenStreetMap and its extracts call a road's class

Point = tuple[float, float]
Near = dict[Point, set[Point]]


def read_net(path: str | PathLike[str], *, within: Number, largest: bool = False) -> Net:
    """Return the net of a map file.

    Args:
        path: GeoJSON with LineString or MultiLineString roads, of which the motor roads are kept
            where their class is known (`highway` or `fclass`); or JSON with `places`, a list of
            [longitude, latitude], and `edges`, a list of pairs of their numbers from 0 on.
        within: how far from its junction a point may be, in meters; public.
        largest: keep the largest connected component only.

    Raises:
        InputError: the file is not there, or holds no such map.
    """
    data = _json(Path(path))
    if isinstance(data, dict) and "places" in data:
        net = junctions(data["places"], data.get("edges", []), within=within)
        return _largest(net, within) if largest else net
    if not isinstance(data, dict) or not isinstance(data.get("features"), list):
        raise _no_map(path)
    try:
        near = _near(_named(list(_lines(data["features"]))))
    except (TypeError, ValueError, AttributeError, KeyError, OverflowError):
        raise _no_map(path) from None
    places, edges = _contracted(near)
    if not places:
        raise _no_map(path)
    net = junctions(places, edges, within=within)
    return _largest(net, within) if largest else net


def _json(path: Path) -> Any:
    try:
        return json.loads(regular(path, MOST_BYTES))
    except OSError as error:
        raise InputError(
            f"the map {shown(path)} cannot be read.",
            kind="map-wrong",
            why=why_not(error),
            fix="give the path of a GeoJSON file",
        ) from None
    except (ValueError, RecursionError):
        raise _no_map(path) from None


def _no_map(path: str | PathLike[str]) -> InputError:
    return InputError(
        f"{shown(Path(path).name)} is no map of roads.",
        kind="map-wrong",
        why="it must be GeoJSON with LineString features, longitude first, or JSON with places "
        "and edges",
        fix="export the roads as GeoJSON, for example from OpenStreetMap",
    )


def _lines(features: Iterable[Any]) -> Iterator[list[Point]]:
    """Return the vertices of each motor road."""
    for feature in features:
        shape = feature.get("geometry") or {}
        about = feature.get("properties") or {}
        if not _is_for_cars(about):
            continue
        lines = shape["coordinates"] if shape.get("type") == "MultiLineString" else []
        lines = [shape["coordinates"]] if shape.get("type") == "LineString" else lines
        for line in lines:
            yield [(float(x), float(y)) for x, y, *_ in line]


def _named(lines: list[list[Point]]) -> Iterator[list[Point]]:
    """Return the lines with each point of the earth written in one way, so that roads meet."""
    points = np.array([point for line in lines for point in line], dtype=float).reshape(-1, 2)
    rest = iter([(x, y) for x, y in named(points).tolist()])
    for line in lines:
        yield list(islice(rest, len(line)))


def _is_for_cars(about: dict[str, Any]) -> bool:
    """Tell whether a road is a motor road, by its class or one of its classes, or of no class."""
    values = [about[name] for name in _CLASSES if about.get(name)]
    classes = [part for tag in values for part in (tag if isinstance(tag, list) else [tag])]
    return not classes or any(part in MOTOR for part in classes)


def _near(lines: Iterable[list[Point]]) -> Near:
    near: Near = defaultdict(set)
    for line in lines:
        for here, there in pairwise(line):
            if here != there:
                near[here].add(there)
                near[there].add(here)
    return near


def _contracted(near: Near) -> tuple[list[Point], set[tuple[int, int]]]:
    """Return junctions and ends, and the edges between them along the bends."""
    number = {p: i for i, p in enumerate(sorted(p for p in near if len(near[p]) != 2))}
    edges = set()
    for start, first in number.items():
        for step in near[start]:
            before, here = start, step
            while here not in number:
                onward = next(point for point in near[here] if point != before)
                before, here = here, onward
            if first < number[here]:
                edges.add((first, number[here]))
    return list(number), edges


def _largest(net: Net, within: Number) -> Net:
    graph = net.graph()
    if graph is None:
        return net
    _, label = graph.pieces()
    kept = label == np.bincount(label).argmax()
    number = np.cumsum(kept) - 1
    edges = number[net.edges[kept[net.edges[:, 0]]]]
    return junctions(net.places[kept], edges, within=within)
