"""Draw the rooms floor by floor, with an arrow from each to what it imports: docs/house.svg.

Rules of this module:
- the same rooms give the same bytes: no date, no random ids, text kept as text;
- an arrow that follows from others is left out, so that what the house rests on is seen;
- no arrow runs under a room: on each floor that it passes it has a place of its own.

Source: Sugiyama, Tagawa and Toda 1981 (floors, places for long arrows, order by the middle of
neighbors).
"""

from io import BytesIO
from itertools import pairwise
from statistics import mean

WIDE, HIGH, FLOOR = 1.7, 0.5, 1.0  # of a room, and between floors, in inches
BESIDE, PASSING = 2.0, 0.45  # between the middles of two rooms; of an arrow and what is beside it
SWEEPS = 60
INK, PAPER, PALE = "#30475e", "#f3f6f9", "#66717d"

Arrow = tuple[str, str]
Way = list[str]  # a room, the places that an arrow passes, a room


def drawn(floors: list[list[str]], arrows: set[Arrow], lines: dict[str, int]) -> bytes:
    """Return the picture as SVG.

    Args:
        floors: the rooms of each floor, the highest first.
        arrows: which room imports which.
        lines: how many lines of code each room has.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    levels, ways = routed(floors, needful(arrows))
    at = places(levels, ways)
    left, right = min(at.values()) - WIDE * 0.6, max(at.values()) + WIDE * 0.6
    figure = Figure(figsize=(right - left, len(levels) * FLOOR))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(left, right)
    axes.set_ylim(len(levels) * FLOOR - FLOOR / 2, -FLOOR / 2)
    axes.axis("off")
    height = {node: i * FLOOR for i, level in enumerate(levels) for node in level}
    for way in ways:
        _arrow(axes, [(at[node], height[node]) for node in way])
    for room in sorted(room for floor in floors for room in floor):
        used = sum(other == room for _, other in arrows)
        words = f"{lines.get(room, 0):,} lines, imported by {used}"
        _room(axes, (at[room], height[room]), room, words)
    file = BytesIO()
    with mpl.rc_context({"svg.hashsalt": "discreet", "svg.fonttype": "none"}):
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    return file.getvalue()


def needful(arrows: set[Arrow]) -> set[Arrow]:
    """Return the arrows that follow from no others.

    Example:
        >>> sorted(needful({("a", "b"), ("b", "c"), ("a", "c")}))
        [('a', 'b'), ('b', 'c')]
    """
    below: dict[str, set[str]] = {}
    for one, other in arrows:
        below.setdefault(one, set()).add(other)

    def deep(room: str, seen: set[str]) -> set[str]:
        for other in below.get(room, ()):
            if other not in seen:
                seen.add(other)
                deep(other, seen)
        return seen

    return {
        (one, other)
        for one, other in arrows
        if not any(other in deep(between, set()) for between in below[one] - {other})
    }


def routed(floors: list[list[str]], arrows: set[Arrow]) -> tuple[list[list[str]], list[Way]]:
    """Return the floors with a place for each arrow that passes one, and the way of each arrow."""
    levels = [list(floor) for floor in floors]
    on = {room: i for i, floor in enumerate(floors) for room in floor}
    ways = []
    for one, other in sorted(arrows):
        passed = [f"{one} > {other} @ {i}" for i in range(on[one] + 1, on[other])]
        for i, place in enumerate(passed, start=on[one] + 1):
            levels[i].append(place)
        ways.append([one, *passed, other])
    return levels, ways


def places(levels: list[list[str]], ways: list[Way]) -> dict[str, float]:
    """Order each floor by its neighbors, then move everything near them; change `levels` so."""
    near: dict[str, list[str]] = {node: [] for level in levels for node in level}
    for way in ways:
        for one, other in pairwise(way):
            near[one].append(other)
            near[other].append(one)
    at = {node: float(i) for level in levels for i, node in enumerate(level)}
    for sweep in range(SWEEPS):
        for level in levels if sweep % 2 else reversed(levels):
            wish = {node: mean([at[other] for other in near[node]] or [at[node]]) for node in level}
            level.sort(key=lambda node: (wish[node], node))
            at.update(_apart(level, wish))
    return at


def _apart(level: list[str], wish: dict[str, float]) -> dict[str, float]:
    """Return places near the wishes, in order and far enough apart."""
    right, left = [wish[level[0]]], [wish[level[-1]]]
    for one, other in pairwise(level):
        right.append(max(wish[other], right[-1] + _gap(one, other)))
    for one, other in pairwise(reversed(level)):
        left.append(min(wish[other], left[-1] - _gap(one, other)))
    return {n: (r + s) / 2 for n, r, s in zip(level, right, reversed(left), strict=True)}


def _gap(one: str, other: str) -> float:
    passing = (">" in one) + (">" in other)
    return (BESIDE, WIDE / 2 + PASSING, PASSING)[passing]


def _arrow(axes, points):
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path

    (x, y), *passed, (u, v) = points
    stops = [(x, y + HIGH / 2)]
    for at, height in passed:
        stops += [(at, height - HIGH / 2), (at, height + HIGH / 2)]
    stops.append((u, v - HIGH / 2))
    moves, codes = [stops[0]], [Path.MOVETO]
    for i, ((a, b), (c, d)) in enumerate(pairwise(stops)):
        bend = (d - b) / 2
        moves += [(c, d)] if i % 2 else [(a, b + bend), (c, d - bend), (c, d)]
        codes += [Path.LINETO] if i % 2 else [Path.CURVE4] * 3
    axes.add_patch(
        FancyArrowPatch(
            path=Path(moves, codes),
            arrowstyle="-|>,head_width=3,head_length=6",
            mutation_scale=1,
            linewidth=1.1,
            color=INK,
        )
    )


def _room(axes, place, name, words):
    from matplotlib.patches import FancyBboxPatch

    x, y = place
    style = "round,pad=0,rounding_size=0.08"
    corner = (x - WIDE / 2, y - HIGH / 2)
    axes.add_patch(FancyBboxPatch(corner, WIDE, HIGH, boxstyle=style, fc=PAPER, ec=INK, zorder=3))
    axes.text(x, y - 0.07, name, ha="center", va="center", fontsize=11, zorder=4)
    axes.text(x, y + 0.13, words, ha="center", va="center", fontsize=7, color=PALE, zorder=4)
