"""Outlines on a grid: neighbors stay neighbors, no region is lost, and a page has room for all."""

import re
from collections import Counter

import pytest

from discreet.schema.outline import outline
from discreet.schema.outline_lines import ROOM, WIDE, drawn_small
from unit.made_country import country

RING = re.compile(r"M(\d+) (\d+)l([^z]*)z")
SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]


def rings(d: str) -> list[list[tuple[int, int]]]:
    """Return the dots of a path, read as a browser reads it."""
    made = []
    for x, y, steps in RING.findall(d):
        dots = [(int(x), int(y))]
        numbers = list(map(int, re.findall(r"-?\d+", steps)))
        for u, v in zip(numbers[::2], numbers[1::2], strict=True):
            dots.append((dots[-1][0] + u, dots[-1][1] + v))
        made.append(dots)
    assert "".join(f"M{x} {y}l{s}z" for x, y, s in RING.findall(d)) == d
    return made


def edges(d: str) -> Counter:
    return Counter(
        frozenset((dot, ring[at - 1])) for ring in rings(d) for at, dot in enumerate(ring)
    )


def area(ring: list[tuple[int, int]]) -> float:
    return abs(sum(x * ring[at - 1][1] - ring[at - 1][0] * y for at, (x, y) in enumerate(ring))) / 2


def cycles(lines: set[frozenset]) -> int:
    """Return in how many connected parts lines fall."""
    beside: dict = {}
    for line in lines:
        a, b = line
        beside.setdefault(a, set()).add(b)
        beside.setdefault(b, set()).add(a)
    left, parts = {*beside}, 0
    while left:
        parts, border = parts + 1, [left.pop()]
        while border:
            for dot in beside[border.pop()] & left:
                left.discard(dot)
                border.append(dot)
    return parts


@pytest.mark.claim("C591")
@pytest.mark.parametrize("points", [4, 40])
def test_what_neighbors_share_they_share_on_the_map(points: int):
    """Each inner line is in two outlines, so that all together have one edge, the country's own."""
    made = outline("name", country(4, 3, points=points))

    every = sum((edges(d) for d in made.regions.values()), Counter())
    assert cycles({line for line, many in every.items() if many % 2}) == 1
    covered = sum(area(ring) for d in made.regions.values() for ring in rings(d))
    assert covered == pytest.approx(0.83 * made.width * made.height, rel=0.1)


@pytest.mark.claim("C591")
@pytest.mark.parametrize(("across", "down", "points"), [(4, 3, 200), (20, 20, 6)])
@pytest.mark.slow
def test_a_page_has_room_for_every_map(across: int, down: int, points: int):
    """As many letters as a page holds at most, and an area for each region."""
    made = outline("name", country(across, down, points=points))

    assert len(made.regions) == across * down
    assert 3_000 < sum(map(len, made.regions.values())) <= ROOM
    assert all(area(ring) > 0 for d in made.regions.values() for ring in rings(d))
    assert max(made.width, made.height) == WIDE


@pytest.mark.claim("C591")
def test_a_region_smaller_than_a_dot_is_seen():
    """A city in a large country is a small box; an islet beside it is left out."""
    big = [(x * 10**9, y * 10**9) for x, y in SQUARE]
    tiny = [(5 * 10**8 + x, 5 * 10**8 + y) for x, y in SQUARE]
    islet = [(2 * 10**9 + x * 1000, y * 1000) for x, y in SQUARE]
    made = drawn_small({"country": [big, islet], "city": [tiny]})

    assert [len(rings(d)) for d in made.regions.values()] == [1, 1]
    assert area(rings(made.regions["city"])[0]) == 4


def test_a_map_is_as_wide_as_the_land_at_its_middle():
    """At 60 degrees a degree of longitude is half as long as one of latitude."""
    north = [[(x * 10**7, (y + 60) * 10**7 - 5 * 10**6) for x, y in SQUARE]]
    south = [[(x * 10**7, y * 10**7) for x, y in SQUARE]]
    metres = [[(x * 10**13, y * 10**13) for x, y in SQUARE]]

    assert drawn_small({"a": north}).width == pytest.approx(500, abs=2)
    assert drawn_small({"a": south}).width == pytest.approx(WIDE, abs=2)
    assert drawn_small({"a": metres}).width == WIDE


def test_north_is_above():
    upper = [(x * 10**7, (y + 1) * 10**7) for x, y in SQUARE]
    lower = [(x * 10**7, y * 10**7) for x, y in SQUARE]
    made = drawn_small({"upper": [upper], "lower": [lower]})
    tops = [min(y for _, y in rings(d)[0]) for d in made.regions.values()]
    assert tops[0] < tops[1]


def test_what_lies_on_both_sides_of_180_degrees_lies_together():
    """Two islands a degree apart; a map of the whole earth is cut there."""
    left = [((x + 178) * 10**7, y * 10**7) for x, y in SQUARE]
    right = [((x - 180) * 10**7, y * 10**7) for x, y in SQUARE]
    made = drawn_small({"left": [left], "right": [right]})
    assert made.height > WIDE // 4
    assert rings(made.regions["left"])[0][0][0] < rings(made.regions["right"])[0][0][0]

    belt = {
        str(at): [[((x + at) * 10**7, y * 10**7) for x, y in SQUARE]] for at in range(-180, 180, 9)
    }
    whole = drawn_small(belt)
    assert rings(whole.regions["-180"])[0][0][0] == 0
    assert whole.height < 10


def test_the_same_file_gives_the_same_map():
    assert outline("name", country(3, 3)) == outline("name", country(3, 3))
