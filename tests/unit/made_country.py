"""A made-up country for tests of maps: regions side by side that share their borders, as GeoJSON."""

from itertools import pairwise
from random import Random
from typing import Any


def country(across: int, down: int, *, points: int = 12, west: float = 5.0) -> dict[str, Any]:
    """Return regions r0, r1, ... of a wobbling grid; neighbors have the points of a border alike."""
    chance = Random(1)
    corners = {
        (x, y): (west + x + chance.uniform(-0.3, 0.3), 47 + 0.7 * y + chance.uniform(-0.2, 0.2))
        for x in range(across + 1)
        for y in range(down + 1)
    }
    borders: dict[Any, list[list[float]]] = {}

    def border(start, end):
        ends = (min(start, end), max(start, end))
        if ends not in borders:
            (x, y), (u, v) = (corners[at] for at in ends)
            inner = [
                [
                    x + (u - x) * n / points + chance.gauss(0, 0.02),
                    y + (v - y) * n / points + chance.gauss(0, 0.02),
                ]
                for n in range(1, points)
            ]
            borders[ends] = [[x, y], *inner, [u, v]]
        line = borders[ends]
        return (line if ends[0] == start else line[::-1])[:-1]

    features = []
    for number in range(across * down):
        x, y = divmod(number, down)
        turn = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1), (x, y)]
        ring = [point for a, b in pairwise(turn) for point in border(a, b)]
        area = {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}
        known = {"name": f"r{number}", "code": number}
        features.append({"type": "Feature", "properties": known, "geometry": area})
    return {"type": "FeatureCollection", "features": features}
