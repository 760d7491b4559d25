"""A map for the keys of a column: the outline of each region, from a public GeoJSON file.

Rules of this module:
- it is geometry that anybody may know, and part of a publisher's words: no number depends on it, no
  plan and no digest, and nothing in it comes from the data;
- what is kept is small: whole numbers on a grid, few enough that a page stays below 150 kB, so that
  the words beside a release hold the whole map, and the page can be made again of them;
- an outline is made of digits, blanks and four letters alone, and can be no markup.

Decision 135. Source: RFC 7946, The GeoJSON Format, sections 3.1 to 3.3.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from ..errors import InputError, as_given, names_shown, shown
from ..exact.number import whole
from ..fix import Set, write
from .outline_lines import WIDE, Ring, drawn_small
from .public_list import text_of_list

MOST_REGIONS = 400  # each has a title on the page
_SAYS = ("file", "property")
_D = re.compile(r"[MLlz0-9 -]{1,200000}", re.ASCII)
_FINE = 10**7  # of a degree, or of a metre: a centimetre on the ground
_FARTHEST = 10**9
_AREAS = {"Polygon": 1, "MultiPolygon": 2}  # lists around a ring


@dataclass(frozen=True, slots=True)
class Outline:
    """The shapes of a map.

    Attributes:
        width, height: of the grid.
        regions: the outline of each key, in the language of SVG's paths.
    """

    width: int
    height: int
    regions: Mapping[str, str] = field(repr=False)

    def plain(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"width": self.width, "height": self.height, "regions": {**self.regions}}


def outline(column: str, argument: object) -> Outline:
    """Return the map of a column's keys: from a file, from GeoJSON, or from what was kept of it.

    Raises:
        InputError: there is no such file, or it is no map of regions.
    """
    if isinstance(argument, Outline):
        return argument
    if isinstance(argument, Mapping) and "regions" in argument:
        return _kept(argument)
    parts = argument if isinstance(argument, Mapping) else {"file": argument}
    parts = {"file": parts} if "type" in parts or "features" in parts else parts
    if "file" not in parts or not {*parts} <= {*_SAYS}:
        raise _refused(f"map = {as_given(argument)} is no map.", "it says file, and property")
    name = parts.get("property", column)
    if not isinstance(name, str):
        raise _refused(f"property = {as_given(name)} is no name.", "features have names in one")
    return drawn_small(_regions(_collection(parts["file"]), name))


def _kept(plain: Mapping[str, Any]) -> Outline:
    """Return what a map's plain data says; all of it is drawn, so that each letter is looked at."""
    regions, width, height = plain["regions"], plain.get("width"), plain.get("height")
    fits = {*plain} == {"width", "height", "regions"} and isinstance(regions, Mapping)
    fits = fits and all(type(size) is int and 0 < size <= WIDE for size in (width, height))
    fits = fits and 0 < len(regions) <= MOST_REGIONS
    if not fits or not all(isinstance(d, str) and _D.fullmatch(d) for d in regions.values()):
        raise _refused("regions are no outlines.", "discreet makes them of a GeoJSON file")
    shapes = {str(key): d for key, d in regions.items()}
    return Outline(whole(width, "width", least=1), whole(height, "height", least=1), shapes)


def _collection(source: object) -> Mapping[str, Any]:
    """Return GeoJSON as plain data, its numbers exact."""
    made = getattr(source, "__geo_interface__", source)
    if isinstance(made, Mapping):
        made = json.dumps(made, allow_nan=False)
    elif isinstance(made, (str, os.PathLike)):
        made, _ = text_of_list(Path(os.fspath(made)), "map", form="GeoJSON")
    else:
        raise _refused(f"map = {as_given(source)} is no map.", "it is the path of a GeoJSON file")
    try:
        plain = json.loads(made, parse_float=Decimal, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise _refused("the map is no JSON.", "it is read as GeoJSON, in UTF-8") from None
    collection: dict[str, Any] = plain if isinstance(plain, dict) else {}
    features = collection.get("features")
    if not isinstance(features, list) or not all(isinstance(f, dict) for f in features):
        raise _refused(
            f"the map is no collection of features, but {as_given(collection.get('type'))}.",
            "GeoJSON has a FeatureCollection, with a feature for each region",
        )
    return collection


def _no_number(text: str) -> object:
    raise ValueError(text)


def _regions(plain: Mapping[str, Any], name: str) -> dict[str, list[Ring]]:
    """Return the rings of each region, by the property that names it."""
    regions: dict[str, list[Ring]] = {}
    for feature in plain["features"]:
        known = feature.get("properties")
        known = known if isinstance(known, dict) else {}
        key = known.get(name, feature.get("id") if name == "id" else None)
        if type(key) not in (str, int, bool):
            raise InputError(
                f"a region of the map has no {shown(name)}.",
                kind="publishers-words",
                why=f"it is found by its key; features have {names_shown([*known]) or 'no names'}",
                fix=write(map={"file": "states.geojson", "property": "name"}),
                at="map",
            )
        rings = [*_rings(feature.get("geometry"))]
        if rings:
            regions.setdefault(str(key), []).extend(rings)
    if not 0 < len(regions) <= MOST_REGIONS:
        raise _refused(
            f"the map has {len(regions):,} regions.",
            f"a page of 150 kB has room for 1 to {MOST_REGIONS}, each an area",
        )
    return regions


def _rings(geometry: object) -> Iterator[Ring]:
    """Yield the rings of an area, outer and inner alike: what lies in two of them lies outside."""
    if geometry is None:
        return
    plain = geometry if isinstance(geometry, dict) else {}
    if plain.get("type") == "GeometryCollection":
        for part in plain.get("geometries") or ():
            yield from _rings(part)
        return
    depth = _AREAS.get(str(plain.get("type")))
    if depth is None:
        raise _refused(
            f"a region is a {as_given(plain.get('type'))}.", "each is an area: a polygon"
        )
    rings = plain.get("coordinates")
    for _ in range(depth - 1):
        rings = [ring for part in _listed(rings) for ring in _listed(part)]
    for ring in filter(None, map(_listed, _listed(rings))):
        yield [_point(point) for point in ring]


def _listed(value: object) -> Sequence[Any]:
    if not isinstance(value, list):
        raise _refused("coordinates of the map are no lists.", "a ring is a list of points")
    return value


def _point(place: object) -> tuple[int, int]:
    """Return a point in ten-millionths."""
    numbers = _listed(place)[:2]
    fit = [type(number) in (int, Decimal) and -_FARTHEST < number < _FARTHEST for number in numbers]
    if fit != [True, True]:
        raise _refused("a point of the map is no pair of numbers.", "it has an x and a y")
    return int(numbers[0] * _FINE), int(numbers[1] * _FINE)


def _refused(what: str, why: str) -> InputError:
    fix = Set({"map": {"file": "states.geojson", "property": "name"}})
    return InputError(what, kind="publishers-words", why=why, fix=fix, at="map")
