"""What is written of a heat map: GeoJSON, a picture, and the release itself.

Rules of this module:
- everything is made of the release and the public net; the truth is not there to be drawn;
- files are 0600, as those of the release.
"""

import json
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..document.mapfile import NAME, CleanedMap, map_text
from ..errors import InputError, shown
from ..report.heatmap import Ground, Layer, drawn, png_of
from .earth import meters
from .heatmap import HeatMap
from .net import Net

if TYPE_CHECKING:
    from ..report.picture import Picture

FILES = ("map.png", NAME)
_SEEN = 0.95  # the share of raw numbers that the common scale holds at least


def picture(found: HeatMap) -> "Picture":
    """Return raw and cleaned on one scale, and the expected error in parts of the number."""
    raw, values = found.raw, found.cleaned.values
    error = found.cleaned.error
    mark = "REHEARSAL, made-up points. " if found.release.document.kind == "rehearsal" else ""
    share = error / np.maximum(values, max(error, 1e-12))
    by = "a mixture" if " + " in found.cleaned.name else found.cleaned.name  # map.geojson says all
    layers = [
        Layer(f"{mark}Raw: as released\nerror {found.cleaned.raw_error:.3g} a place", raw),
        Layer(f"{mark}Cleaned: {by}\nexpected error {error:.3g} a place", values),
        Layer(f"{mark}Expected error of cleaned\n100 % where it is no less", share, is_error=True),
    ]
    most = max(float(values.max()), float(np.quantile(raw, _SEEN)), 1.0)
    label = found.release.document.statistics[0].question["statistic"]
    return drawn(ground_of(found.net), layers, most=most, words=f"{label} at each place")


def ground_of(net: Net) -> Ground:
    """Return where a net is drawn."""
    return Ground(meters(net.places), net.edges, net.shape)


def geojson(found: HeatMap) -> dict[str, Any]:
    """Return the map as GeoJSON: a feature for each place, with its raw and cleaned number.

    low and high are the interval of the raw number; error is the cleaned number's expected one.
    """
    made: dict[str, Any] = json.loads(_text(found))
    return made


def _text(found: HeatMap) -> str:
    values = found.cleaned.values.round(3).tolist()
    cleaned = CleanedMap(values, round(found.cleaned.error, 3), found.cleaned.words())
    return map_text(found.release.document, cleaned)


def save(found: HeatMap, folder: str | PathLike[str]) -> Path:
    """Write the release as a folder, with map.png and map.geojson in it, and return the folder.

    Raises:
        InputError: the folder is there already, or cannot be written.
    """
    place = Path(folder)
    refuse_zip(place)
    return add_map(found, found.release.save(place))


def refuse_zip(place: Path) -> None:
    """Refuse a zip: a heat map is written as a folder."""
    if place.suffix.lower() == ".zip":
        raise InputError(
            f"{shown(place)} would be a zip.",
            why="a heat map is written as a folder, so that map programs can open it",
            fix=f"name a folder: {shown(place.with_suffix(''))}",
        )


def add_map(found: HeatMap, folder: Path) -> Path:
    """Write map.png and map.geojson into the folder of the release."""
    contents = png_of(picture(found)), _text(found).encode("ascii")
    try:
        for name, content in zip(FILES, contents, strict=True):
            (folder / name).touch(mode=0o600)
            (folder / name).write_bytes(content)
    except OSError as error:
        raise InputError(
            f"the map cannot be written to {shown(folder)}.",
            why=f"the operating system says: {error.strerror}; the release itself is there",
            fix="make room, and run the same command again; it costs nothing",
        ) from None
    return folder
