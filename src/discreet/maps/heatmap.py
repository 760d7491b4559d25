"""A heat map: points are snapped and counted, paid for, made noisy, denoised, and drawn.

What is written of a heat map: GeoJSON, a picture, and the release itself.

Rules of this module:
- the map, the distance and the box are public and checked before the charge; points are read and
  snapped while the engine counts, after it;
- a point that has no place (no number, not on earth, outside, too far) does not count, and nothing
  says how many there are;
- what is denoised and drawn are the released numbers: the truth never comes here;
- everything is made of the release and the public net; the truth is not there to be drawn;
- files are 0600, as those of the release.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..document.mapfile import NAME, CleanedMap, map_text
from ..engine.derived import Made
from ..errors import InputError, shown
from ..exact.number import Number, whole
from ..fix import BLANK, leave_out, write
from ..ledgers.file import Ledger
from ..plans.plan import Plan, plan
from ..post.denoise.select import Denoised, Progress, denoise
from ..privacy.loss import Loss
from ..releases.release import Release
from ..releases.run import run
from ..report.about_file import put, said_before
from ..report.heatmap import Ground, Layer, drawn, map_png
from ..report.page import page
from ..schema import Bounds, Unit, bounds, table
from ..statistic.count import count
from ..statistic.statistic import Statistic
from ..statistic.sum import sum_
from .earth import Doubles, meters
from .kernel import kernel_of
from .net import Net, Places

if TYPE_CHECKING:
    from ..report.picture import Picture


@dataclass(frozen=True, slots=True)
class Points:
    """Where the points are, and what their columns say.

    Attributes:
        source: a CSV or Parquet path, a frame, a connection or a list of dicts.
        longitude, latitude: the columns of a point, in degrees; a longitude of up to 360 either
            way is taken around the earth.
        weight: a column that each point adds in place of 1, in whole numbers.
        max_weight: the public upper end of `weight`; more counts as this, less than 0 as 0.
        unit: "row", or `discreet.unit(column, max_rows=...)`.
        name: what the release calls the data; by default the file's name.
        csv: how CSV cells are written, as for `discreet.table`.
    """

    source: object
    longitude: str = "longitude"
    latitude: str = "latitude"
    weight: str | None = None
    max_weight: Number | None = None
    unit: Unit | str = "row"
    name: str | None = None
    csv: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class HeatMap:
    """A released heat map.

    Attributes:
        net: the public places.
        release: the raw release, with its account and its intervals.
        cleaned: the denoised numbers, with the errors expected of them and of raw.
    """

    net: Net
    release: Release
    cleaned: Denoised

    @property
    def raw(self) -> Doubles:
        """The noisy numbers."""
        return np.array(self.release.document.statistics[0].vectors[0].noisy, dtype=float)


def planned(points: Points, net: Net, *, spend: Loss) -> Plan:
    """Return the priced plan of a heat map; no point is read.

    Raises:
        InputError: a declaration that cannot be kept, or a loss that buys nothing.
    """
    place = _place(points, net)
    question, columns = _question(points, place)
    declared = table(
        points.source,
        unit=points.unit,
        columns=columns,
        keys={place: net.names()},
        name=points.name,
        csv=points.csv,
    )
    reads = [points.longitude, points.latitude, points.weight]
    made = Made(points.source, tuple(dict.fromkeys(r for r in reads if r)), _snapped(points, net))
    return plan(replace(declared, source=made), question, spend=spend)


def heatmap(
    points: Points,
    net: Net,
    *,
    spend: Loss,
    ledger: Ledger | str | PathLike[str],
    how: str = "auto",
    request: str | None = None,
    who: str | None = None,
    why: str = "",
) -> HeatMap:
    """Pay for a heat map, count, add noise, and denoise.

    Args:
        points: where the points are.
        net: the public places, of `junctions`, `grid` or `read_net`.
        spend: what it costs.
        ledger: the ledger that holds the budget.
        how: "auto" lets the brake choose, at no price; or the name of one denoiser, or "raw"; or
            "kernel 200", which gives each count to the places within 200 meters (`kernel`).
        request, who, why: as for `discreet.run`.

    Raises: as `discreet.run`; nothing is charged for an InputError.
    """
    asked = planned(points, net, spend=spend)
    checked_how(how, asked, net)
    release = run(asked, ledger=ledger, request=request, who=who, why=why)
    return cleaned(release, asked, net, how=how)


def cleaned(
    release: Release,
    asked: Plan,
    net: Net,
    *,
    how: str = "auto",
    progress: Progress | None = None,
) -> HeatMap:
    """Return the heat map of a release, denoised by post-processing, which costs nothing.

    `progress` is called as by `denoise`: before each denoiser, with its name, place and number.
    """
    noisy = np.array(release.document.statistics[0].vectors[0].noisy, dtype=float)
    graph = None if how == "raw" else net.graph()
    law, alpha = asked.laws[0], asked.alpha
    how, own = kernel_of(how, net)
    denoised = denoise(
        noisy, law, how, graph=graph, least=0.0, alpha=alpha, own=own, progress=progress
    )
    return HeatMap(net, release, denoised)


def checked_how(how: str, asked: Plan, net: Net) -> None:
    """Refuse, before anything is charged, a denoiser that is not there.

    Raises:
        InputError: there is no such denoiser, or a library that it needs is missing.
    """
    if kernel_of(how, net)[0] != how:
        return
    pair = [(0, 1)] if len(net.edges) else None  # the names depend on there being edges alone
    denoise([0.0, 0.0], asked.laws[0], how, graph=pair)


def _place(points: Points, net: Net) -> str:
    """Return what a release calls a place; it says what was snapped, so that plans differ by it."""
    return f"{net.column} of {points.longitude}, {points.latitude}"


def _question(points: Points, place: str) -> tuple[Statistic, dict[str, Bounds]]:
    if (points.weight is None) != (points.max_weight is None):
        raise InputError(
            "a weight needs its public upper end, and an upper end its weight.",
            kind="setting-missing",
            why="how far one point can move the map must not come from the data",
            fix=(
                write(weight=points.weight or "?", max_weight=points.max_weight or BLANK),
                leave_out("weight", "max_weight"),
            ),
        )
    if points.weight is None or points.max_weight is None:
        return count(by=place), {}
    most = whole(points.max_weight, "max_weight", least=1)
    return sum_(points.weight, by=place), {points.weight: bounds(0, most, step=1)}


def _snapped(points: Points, net: Net) -> Any:
    """Return how rows of points become rows of places."""
    place = _place(points, net)

    def make(read: Mapping[str, Doubles]) -> tuple[Places, dict[str, Any]]:
        near = net.snap(read[points.longitude], read[points.latitude])
        rows = np.flatnonzero(near >= 0)
        columns: dict[str, Any] = {place: near[rows].astype(np.int32)}
        if points.weight is not None:
            columns[points.weight] = read[points.weight][rows]
        return rows, columns

    return make


FILES = ("map.png", NAME)
_SEEN = 0.95  # the share of raw numbers that the common scale holds at least


def picture(heat_map: HeatMap) -> "Picture":
    """Return raw and cleaned on one scale, and the expected error in parts of the number."""
    raw, values = heat_map.raw, heat_map.cleaned.values
    error, most = heat_map.cleaned.error, heat_map.cleaned.most
    known = f" (0 to {most:.3g})" if heat_map.cleaned.is_vague else ""
    mark = "REHEARSAL, made-up points. " if heat_map.release.document.kind == "rehearsal" else ""
    share = error / np.maximum(values, max(error, 1e-12))
    by = (
        "a mixture" if " + " in heat_map.cleaned.name else heat_map.cleaned.name
    )  # map.geojson says all
    layers = [
        Layer(f"{mark}Raw: as released\nerror {heat_map.cleaned.raw_error:.3g} a place", raw),
        Layer(f"{mark}Cleaned: {by}\nexpected error {error:.3g} a place{known}", values),
        Layer(f"{mark}Expected error of cleaned\n100 % where it is no less", share, is_error=True),
    ]
    most = max(float(values.max()), float(np.quantile(raw, _SEEN)), 1.0)
    label = heat_map.release.document.statistics[0].question["statistic"]
    return drawn(ground_of(heat_map.net), layers, most=most, words=f"{label} at each place")


def ground_of(net: Net) -> Ground:
    """Return where a net is drawn."""
    return Ground(meters(net.places), net.edges, net.shape)


def geojson(heat_map: HeatMap) -> dict[str, Any]:
    """Return the map as GeoJSON: a feature for each place, with its raw and cleaned number.

    low and high are the interval of the raw number; error is the cleaned number's expected one.
    """
    made: dict[str, Any] = json.loads(_text(heat_map))
    return made


def _text(heat_map: HeatMap) -> str:
    values = heat_map.cleaned.values.round(3).tolist()
    cleaned = CleanedMap(values, round(heat_map.cleaned.error, 3), heat_map.cleaned.words())
    return map_text(heat_map.release.document, cleaned)


def save(heat_map: HeatMap, folder: str | PathLike[str]) -> Path:
    """Write the release as a folder, with map.png and map.geojson in it, and return the folder.

    Raises:
        InputError: the folder is there already, or cannot be written.
    """
    place = Path(folder)
    refuse_zip(place)
    return add_map(heat_map, heat_map.release.save(place))


def refuse_zip(place: Path) -> None:
    """Refuse a zip: a heat map is written as a folder."""
    if place.suffix.lower() == ".zip":
        raise InputError(
            f"{shown(place)} would be a zip.",
            kind="cannot-write",
            why="a heat map is written as a folder, so that map programs can open it",
            fix=f"name a folder: {shown(place.with_suffix(''))}",
        )


def add_map(heat_map: HeatMap, folder: Path) -> Path:
    """Write map.png and map.geojson into the folder of the release."""
    contents = map_png(picture(heat_map)), _text(heat_map).encode("ascii")
    try:
        for name, content in zip(FILES, contents, strict=True):
            (folder / name).touch(mode=0o600)
            (folder / name).write_bytes(content)
        document = heat_map.release.document
        put(folder, "report.html", page(document, said_before(folder), contents[0]))
    except OSError as error:
        raise InputError(
            f"the map cannot be written to {shown(folder)}.",
            kind="cannot-write",
            why=f"the operating system says: {error.strerror}; the release itself is there",
            fix="make room, and run the same command again; it costs nothing",
        ) from None
    return folder
