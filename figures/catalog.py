"""All figures, and how one is written."""

from collections.abc import Callable
from pathlib import Path

from discreet.report.look import png_of, svg_of

from . import (
    clamped_count,
    gaussian_noise,
    heat_map,
    histogram_release,
    private_mean,
    proportions,
    redrawn_count,
    street_map,
)
from .figure import Figure

FIGURES = {
    figure.name: figure
    for figure in (
        clamped_count.FIGURE,
        redrawn_count.FIGURE,
        proportions.FIGURE,
        gaussian_noise.FIGURE,
        private_mean.FIGURE,
        histogram_release.FIGURE,
        heat_map.FIGURE,
    )
}

WITH_DATA: dict[str, tuple[str, Callable[[Path], Figure]]] = {
    street_map.NAME: (street_map.REDRAWS, street_map.figure),
}  # what each redraws, and how it is made of a folder


def write(figure: Figure, folder: Path) -> list[Path]:
    """Write a figure's picture as PNG and SVG and its numbers as CSV; return the files."""
    curves = figure.curves()
    picture = figure.draw(curves)
    tables = figure.tables(curves)
    files = {".png": png_of(picture), ".svg": svg_of(picture)}
    files |= {ending: text.encode("utf-8") for ending, text in tables.items()}
    places = []
    for ending, content in files.items():
        place = folder / f"{figure.name}{ending}"
        place.write_bytes(content)
        places.append(place)
    return places
