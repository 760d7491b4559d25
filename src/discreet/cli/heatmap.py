"""`discreet heatmap`: from points and a public map to a released, cleaned, drawn heat map.

Rules of this module:
- the map and every option are checked, and the price is shown, before any point is read;
- the place of the result is looked at before the charge;
- the release is written as soon as it is paid, before it is cleaned and drawn.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError, shown
from .output import Job, Json, Screen, Who

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
                heat_map = cleaned(done, asked, net, how=how, progress=progress)
            with screen.working("Drawing"):
                add_map(heat_map, place)
        course.place = place
        left, charged = charged_words(book, asked, done)
        screen.say(heat_map.cleaned.words())
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


def _points(options: Mapping[str, str | None]) -> "Points":
    from ..maps.heatmap import Points

    return Points(
        options["source"] or "",
        longitude=options["longitude"] or "longitude",
        latitude=options["latitude"] or "latitude",
        weight=options["weight"],
        max_weight=options["max_weight"],
        unit=_unit(options["unit"], options["max_rows"]),
        name=options["name"],
        csv={
            option: setting
            for option in ("decimal", "encoding")
            if (setting := options.get(option))
        },
    )


def _unit(column: str | None, max_rows: str | None) -> "Unit | str":
    from ..plan_file.examples import ASKED
    from ..plan_file.in_file import typed
    from ..schema import unit

    if (column is None) != (max_rows is None):
        raise InputError(
            "--unit and --max-rows go together.",
            kind="setting-missing",
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
                kind="setting-missing",
                why="how far from its junction a point may be is a public choice, in meters",
                fix="add --within '?' with a number of meters, such as 150",
            )
        return read_net(where.graph, within=where.within, largest=where.largest)
    if where.graph is not None or where.box is None or where.cells is None:
        raise InputError(
            "the options do not say where points are counted.",
            kind="setting-missing",
            why="the places are a map of roads, or the cells of a public box",
            fix=f"add --graph '?' --within '?', or {_BOX}",
        )
    sides, cells = where.box.split(","), where.cells.lower().split("x")
    if len(sides) != 4 or len(cells) != 2:
        raise InputError(
            f"--box {shown(where.box)} --cells {shown(where.cells)} is no grid.",
            kind="command-not-read",
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
        kind="not-a-number",
        why="rows and cells are counted",
        fix=f"write {example}",
    )


EXAMPLE = (
    "discreet heatmap trips.csv --graph roads.geojson --within 150 --ledger trips.ledger "
    "--rho 1/50 --out trips.map"
)


def _text(name: str, words: str, metavar: str) -> Any:
    return typer.Option(f"--{name}", metavar=metavar, help=words)


def heatmap(
    points: Annotated[
        str, typer.Argument(metavar="POINTS", help="A CSV or Parquet file of points.")
    ],
    *,
    ledger: Annotated[
        Path, typer.Option("--ledger", metavar="LEDGER", help="The ledger that pays.")
    ],
    graph: Annotated[
        Path | None, typer.Option("--graph", metavar="FILE", help="Roads as GeoJSON; public.")
    ] = None,
    within: Annotated[
        str | None, _text("within", "How far from its junction a point may be.", "METERS")
    ] = None,
    largest: Annotated[
        bool, typer.Option("--largest", help="Keep only the largest connected part of the roads.")
    ] = False,
    box: Annotated[
        str | None, _text("box", "Instead of roads, a public box, in degrees.", "W,S,E,N")
    ] = None,
    cells: Annotated[
        str | None, _text("cells", "How many cells the box has.", "COLUMNSxROWS")
    ] = None,
    longitude: Annotated[
        str, _text("longitude", "The column of the longitude.", "COLUMN")
    ] = "longitude",
    latitude: Annotated[
        str, _text("latitude", "The column of the latitude.", "COLUMN")
    ] = "latitude",
    weight: Annotated[
        str | None, _text("weight", "What a point adds, in whole numbers, not 1.", "COLUMN")
    ] = None,
    max_weight: Annotated[
        str | None, _text("max-weight", "The public upper end of the weight.", "NUMBER")
    ] = None,
    unit: Annotated[
        str | None, _text("unit", "Who is protected, with all points; else a point.", "COLUMN")
    ] = None,
    max_rows: Annotated[
        str | None, _text("max-rows", "How many points of a unit count.", "COUNT")
    ] = None,
    epsilon: Annotated[
        str | None, _text("epsilon", "Pure loss, or epsilon with --delta.", "NUMBER")
    ] = None,
    delta: Annotated[str | None, _text("delta", "The delta beside an epsilon.", "NUMBER")] = None,
    rho: Annotated[str | None, _text("rho", "Instead, a zCDP loss.", "NUMBER")] = None,
    mu2: Annotated[str | None, _text("mu2", "Instead, a Gaussian loss.", "NUMBER")] = None,
    how: Annotated[
        str, _text("clean", "auto, raw, a denoiser, or 'kernel METERS'; it costs nothing.", "HOW")
    ] = "auto",
    decimal: Annotated[
        str | None, _text("decimal", "What stands before decimals in a CSV file.", "SIGN")
    ] = None,
    encoding: Annotated[
        str | None, _text("encoding", "Of a CSV file that is not UTF-8.", "NAME")
    ] = None,
    name: Annotated[str | None, _text("name", "What the release calls the data.", "NAME")] = None,
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where to write.")] = Path(
        "heatmap"
    ),
    request: Annotated[
        str | None, _text("request", "A name: a new one pays, a known one repeats.", "NAME")
    ] = None,
    why: Annotated[str | None, _text("why", "What for, for the book.", "TEXT")] = None,
    who: Who = None,
    as_json: Json = False,
) -> Job:
    """Release a heat map: count points on a public map, add noise, clean, draw.

    The map, the distance and the box are public. The command shows the price before it reads any
    point; a point without a place does not count. The command writes map.png, map.geojson and the
    release.
    """
    from .charge import Wishes

    options = {
        "source": points,
        "longitude": longitude,
        "latitude": latitude,
        "weight": weight,
        "max_weight": max_weight,
        "unit": unit,
        "max_rows": max_rows,
        "name": name,
        "decimal": decimal,
        "encoding": encoding,
    }
    where = Where(graph, within, largest, box, cells)
    loss = {"rho": rho, "mu2": mu2, "epsilon": epsilon, "delta": delta}
    wishes = Wishes(ledger=ledger, out=out, request=request, who=who, why=why)
    return Job(lambda s: run_heatmap(s, options, where, loss, wishes, how=how), as_json)
