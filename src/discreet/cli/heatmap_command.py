"""`discreet heatmap`: from points and a public map to a released, cleaned, drawn heat map.

Rules of this module:
- the map and every option are checked, and the price is shown, before any point is read;
- the place of the result is looked at before the charge;
- the release is written as soon as it is paid, before it is cleaned and drawn.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError, shown
from .output import Screen

if TYPE_CHECKING:
    from ..fix import Way, Ways
    from ..maps.heatmap import Points
    from ..maps.net import Net
    from ..schema import Unit
    from .charge import Wishes
    from .json_replies import ReleaseReply


_NO_LOSS = "the options do not say what the map may cost."
_LOSS = "a map spends rho, mu2 or epsilon, with or without delta; how much is yours to decide"
_CHOICE = "it is a public choice, made without the points: only you know it"
_SIDES = ("west", "south", "east", "north")
_BOX = "--box '?' --cells '?'"


@dataclass(frozen=True, slots=True)
class Where:
    """The public places: a map file with a distance, or a box with cells."""

    graph: Path | None
    within: str | None
    largest: bool
    box: str | None
    cells: str | None


def run_heatmap(
    screen: Screen,
    points: Mapping[str, str | None],
    where: Where,
    loss: Mapping[str, str | None],
    wishes: "Wishes",
    *,
    how: str,
) -> "ReleaseReply":
    """Show the price, pay, count, add noise, clean, and write the map."""
    from ..maps.heatmap import add_map, checked_how, cleaned, planned, refuse_zip
    from ..plan_file.in_file import OPTIONS, in_words, loss_of, refuse_blanks
    from .charge import charged_words, interruptible, left_in, opened, paid
    from .json_replies import ReleaseReply
    from .output_path import keeping, refuse_other, saved

    spend, out = loss_of(loss, what=_NO_LOSS, why=_LOSS), wishes.out or Path("heatmap")
    with in_words(_words):
        refuse_blanks({**points, **asdict(where)}, why=_CHOICE)
        net = _net(where)
        asked = planned(_points(points), net, spend=spend)
        checked_how(how, asked, net)
        refuse_zip(out)
    path = wishes.ledger or Path()
    book, head = opened(path, asked, OPTIONS)
    screen.show(asked.sheet())
    screen.say(left_in(path, head.left()))
    wishes = replace(wishes, why="a heat map" if wishes.why is None else wishes.why)
    refuse_other(out, asked, book, wishes)
    with interruptible(book, wishes.name(asked), head.seq) as course:
        course.done = done = paid(screen, asked, path, wishes, OPTIONS)
        with keeping(out):
            place = saved(done, out)
            with screen.counting("Cleaning") as progress:
                found = cleaned(done, asked, net, how=how, progress=progress)
            with screen.working("Drawing"):
                add_map(found, place)
        course.place = place
        left, charged = charged_words(book, asked, done)
        screen.say(found.cleaned.words())
        screen.say(f"The map is in {shown(place)}: map.png, map.geojson, and the release.")
        screen.say(charged)
        return ReleaseReply.paid("heatmap", done, place, left)


def _words(ways: "Ways") -> str:
    """Return ways out with the options of this command; the sides of a box are one of them."""
    from ..fix import renamed
    from ..plan_file.in_file import as_options

    return as_options(tuple(map(_boxed, renamed(ways, {"how": "clean", "path": "graph"}))))


def _boxed(way: "Way") -> "Way":
    from ..fix import BLANK, Set, write

    sides = (
        [way.settings[side] for side in _SIDES if side in way.settings]
        if isinstance(way, Set)
        else []
    )
    if not sides:
        return way
    box = BLANK if BLANK in sides else ",".join(map(str, sides))
    return write(way.note, box=box)


def _points(given: Mapping[str, str | None]) -> "Points":
    from ..maps.heatmap import Points

    return Points(
        given["source"] or "",
        longitude=given["longitude"] or "longitude",
        latitude=given["latitude"] or "latitude",
        weight=given["weight"],
        max_weight=given["max_weight"],
        unit=_unit(given["unit"], given["max_rows"]),
        name=given["name"],
        csv={option: said for option in ("decimal", "encoding") if (said := given.get(option))},
    )


def _unit(column: str | None, max_rows: str | None) -> "Unit | str":
    from ..plan_file.examples import ASKED
    from ..plan_file.in_file import typed
    from ..schema import unit

    if (column is None) != (max_rows is None):
        raise InputError(
            "--unit and --max-rows go together.",
            why="a unit with several points is protected only up to a number of them",
            fix=f"write --unit {typed(column or ASKED)} --max-rows {typed(max_rows or ASKED)}, or "
            "leave both out to protect each point",
        )
    if column is None or max_rows is None:
        return "row"
    return unit(column, max_rows=_number(max_rows, "--max-rows '?'"))


def _net(where: Where) -> "Net":
    from ..maps.net import grid
    from ..maps.roads import read_net

    if where.graph is not None and where.box is None and where.cells is None:
        if where.within is None:
            raise InputError(
                "a map of roads needs --within.",
                why="how far from its junction a point may be is a public choice, in meters",
                fix="add --within '?' with a number of meters, such as 150",
            )
        return read_net(where.graph, within=where.within, largest=where.largest)
    if where.graph is not None or where.box is None or where.cells is None:
        raise InputError(
            "the options do not say where points are counted.",
            why="the places are a map of roads, or the cells of a public box",
            fix=f"add --graph '?' --within '?', or {_BOX}",
        )
    sides, cells = where.box.split(","), where.cells.lower().split("x")
    if len(sides) != 4 or len(cells) != 2:
        raise InputError(
            f"--box {shown(where.box)} --cells {shown(where.cells)} is no grid.",
            why="a box has four sides, as in -74.02,40.70,-73.91,40.88 for west, south, east and "
            "north, and cells are columns by rows, as in 40x80",
            fix=f"write {_BOX}",
        )
    across, up = (_number(part, "--cells '?'") for part in cells)
    west, south, east, north = sides
    return grid(west, south, east, north, columns=across, rows=up)


def _number(text: str, example: str) -> int:
    if text.isascii() and text.isdigit():
        return int(text[:12])
    raise InputError(
        f"{shown(text)!r} is not a whole number.",
        why="rows and cells are counted",
        fix=f"write {example}",
    )
