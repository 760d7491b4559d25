"""Regions on a grid: one plane, shared borders drawn once, and no more points than a page holds.

Rules of this module:
- whole numbers alone: every machine draws the same map;
- borders stay shared: a line between two places where borders meet is made simpler
  once, from the same end, so that no gap and no overlap comes up between neighbors;
- no region is lost: one that is smaller than a dot of the grid is a small box.

Source: Douglas and Peucker 1973, Algorithms for the reduction of the number of points required to
represent a digitized line, Cartographica 10(2), 112-122; between junctions.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .outline import Outline

Ring = list[tuple[int, int]]
Dot = tuple[int, int]

WIDE = 1_000  # of the grid, on its longer side: a page is 736 pixels wide
ROOM = 30_000  # letters of all outlines
_ROUND = 360 * 10**7  # once around the earth, in ten-millionths of a degree
_POLE = 90 * 10**7
_GAP = 20 * 10**7  # so wide a part of the earth without a point is no part of a map
_NARROWEST = Fraction(1, 20)  # of a degree of longitude, near a pole
_STEPS = 24  # how often what may be left out is doubled
_FINER = 16  # dots between two of the grid: borders are told apart before they are drawn
_FEWEST = 3  # dots of an area


def drawn_small(regions: Mapping[str, list[Ring]]) -> "Outline":
    """Return regions as outlines that a page has room for, as fine as that allows."""
    from .outline import Outline

    rings = {key: [list(ring) for ring in of] for key, of in regions.items()}
    width, height = _to_grid([ring for of in rings.values() for ring in of])
    meeting = _meeting(ring for of in rings.values() for ring in of)
    drawn: dict[str, str] = {}
    for step in range(_STEPS):
        off = 2**step * _FINER**2 // 8  # the square of what is left out
        rings = {key: [_simple(ring, meeting, off) for ring in of] for key, of in rings.items()}
        drawn = {key: _path(of, off) for key, of in rings.items()}
        if sum(map(len, drawn.values())) <= ROOM:
            break
    return Outline(width, height, drawn)


def _to_grid(rings: Sequence[Ring]) -> tuple[int, int]:
    """Move rings to a plane and to a finer grid, in place; return width and height of the grid."""
    points = [point for ring in rings for point in ring]
    if all(abs(x) <= _ROUND // 2 and abs(y) <= _POLE for x, y in points):
        start, across = _start([x for x, _ in points]), _narrowed([y for _, y in points])
    else:
        start, across = None, Fraction(1)  # metres of a plane
    top, bottom = across.numerator, across.denominator

    def plane(x: int, y: int) -> Dot:
        turned = x + _ROUND if start is not None and x < start else x
        return turned * top // bottom, -y

    for ring in rings:
        ring[:] = [plane(x, y) for x, y in ring]
    xs, ys = ([point[at] for ring in rings for point in ring] for at in (0, 1))
    left, upper = min(xs), min(ys)
    span, fine = max(max(xs) - left, max(ys) - upper, 1), WIDE * _FINER
    for ring in rings:
        dots = [((x - left) * fine // span, (y - upper) * fine // span) for x, y in ring]
        ring[:] = [dot for at, dot in enumerate(dots) if dot != dots[at - 1]] or dots[:1]
    sides = (max(xs) - left, max(ys) - upper)
    return max(1, sides[0] * WIDE // span), max(1, sides[1] * WIDE // span)


def _start(longitudes: Sequence[int]) -> int:
    """Return where a map begins: behind the widest gap, so that none is cut at 180 degrees.

    A map of the whole earth has no gap, and is cut there.
    """
    there = sorted({*longitudes})
    gaps = [(after - before, after) for before, after in pairwise(there)]
    around = (there[0] + _ROUND - there[-1], there[0])
    gap, first = max([*gaps, around])
    return first if gap >= _GAP else there[0]


def _narrowed(latitudes: Sequence[int]) -> Fraction:
    """Return how wide a degree of longitude is at the middle of a map, in degrees of latitude."""
    angle = Fraction(min(latitudes) + max(latitudes), 4 * _POLE) * Fraction(355, 113)  # about pi
    cosine, term = Fraction(1), Fraction(1)
    for at in range(1, 9):
        term *= -angle * angle * Fraction(1, (2 * at - 1) * (2 * at))
        cosine += term
    return max(cosine, _NARROWEST).limit_denominator(10_000)


def _meeting(rings: Iterator[Ring]) -> set[Dot]:
    """Return the dots where borders meet or part: those that have not just two others beside."""
    beside: dict[Dot, set[Dot]] = {}
    for ring in rings:
        for at, dot in enumerate(ring):
            beside.setdefault(dot, set()).update((ring[at - 1], ring[(at + 1) % len(ring)]))
    return {dot for dot, others in beside.items() if len(others) != 2}


def _path(rings: Sequence[Ring], off: int) -> str:
    """Return a region's outline; of its rings those that are larger than what is left out."""
    sized = [(_twice_area(ring), ring) for ring in rings]
    shown = [ring for area, ring in sized if area > 4 * off] or [max(sized)[1]]
    return "".join(filter(None, map(_letters, shown))) or _box(rings[0][0])


def _simple(ring: Ring, meeting: set[Dot], off: int) -> Ring:
    """Return a ring without the dots that lie near the line between others."""
    if len(ring) < _FEWEST:
        return ring
    ends = [at for at, dot in enumerate(ring) if dot in meeting]
    if len(ends) < 2:
        first = ends[0] if ends else ring.index(min(ring))
        ring = [*ring[first:], *ring[:first]]
        far = max(range(len(ring)), key=lambda at: (_apart(ring[0], ring[at]), ring[at]))
        ends = [0, far]
    made: Ring = []
    for at, end in enumerate(ends):
        after = ends[(at + 1) % len(ends)]
        line = ring[end : after + 1] if after > end else [*ring[end:], *ring[: after + 1]]
        made += _between(line, off)[:-1]
    return made


def _between(line: Ring, off: int) -> Ring:
    """Return a line with its ends and the dots that are farther off than allowed; from one side."""
    if line[0] > line[-1] or (line[0] == line[-1] and line > line[::-1]):
        return _between_in_order(line[::-1], off)[::-1]
    return _between_in_order(line, off)


def _between_in_order(line: Ring, off: int) -> Ring:
    kept, open_parts = {0, len(line) - 1}, [(0, len(line) - 1)]
    while open_parts:
        low, high = open_parts.pop()
        if high - low < 2:
            continue
        (x, y), (u, v) = line[low], line[high]
        long = (u - x) ** 2 + (v - y) ** 2
        inner = line[low + 1 : high]
        if long:
            sizes = [((u - x) * (q - y) - (v - y) * (p - x)) ** 2 for p, q in inner]
        else:
            sizes, long = [(p - x) ** 2 + (q - y) ** 2 for p, q in inner], 1
        most = max(sizes)
        if most > off * long:
            at = low + 1 + sizes.index(most)
            kept.add(at)
            open_parts += [(low, at), (at, high)]
    return [line[at] for at in sorted(kept)]


def _apart(dot: Dot, other: Dot) -> int:
    return (dot[0] - other[0]) ** 2 + (dot[1] - other[1]) ** 2


def _twice_area(ring: Ring) -> int:
    return abs(sum(x * ring[at - 1][1] - ring[at - 1][0] * y for at, (x, y) in enumerate(ring)))


def _box(place: Dot) -> str:
    """Return a small box where a region lies that has no area on the grid."""
    x, y = (at // _FINER for at in place)
    return f"M{x} {y}l2 0 0 2-2 0z"


def _letters(ring: Ring) -> str:
    """Return a ring in the language of paths: its first dot, and the steps to all others."""
    dots = [(x // _FINER, y // _FINER) for x, y in ring]
    dots = [dot for at, dot in enumerate(dots) if dot != dots[at - 1]]
    if len(dots) < _FEWEST:
        return ""
    steps = [f"{u - x} {v - y}" for (x, y), (u, v) in pairwise(dots)]
    return f"M{dots[0][0]} {dots[0][1]}l{' '.join(steps)}z".replace(" -", "-")
