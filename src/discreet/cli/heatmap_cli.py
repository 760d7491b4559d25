"""`discreet heatmap`: the words of whoever maps points."""

from pathlib import Path
from typing import Annotated, Any

import typer

from .words import Job, Json, Who

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
        str, _text("clean", "auto, raw, or a denoiser by name; it costs nothing.", "HOW")
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

    The map, the distance and the box are public. The price is shown before any point is read; a
    point that has no place does not count. It writes map.png, map.geojson and the release.
    """
    from . import heatmap_command as room
    from .charge import Wishes

    given = {
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
    where = room.Where(graph, within, largest, box, cells)
    loss = {"rho": rho, "mu2": mu2, "epsilon": epsilon, "delta": delta}
    wishes = Wishes(ledger=ledger, out=out, request=request, who=who, why=why)
    return Job(lambda s: room.run_heatmap(s, given, where, loss, wishes, how=how), as_json)
