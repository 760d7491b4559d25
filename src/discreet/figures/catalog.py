"""All figures, and how one is written."""

from pathlib import Path

from . import (
    clamped_count,
    gaussian_noise,
    histogram_release,
    private_mean,
    proportions,
    redrawn_count,
)
from .figure import Figure, csv_of
from .look import png_of, svg_of

FIGURES = {
    figure.name: figure
    for figure in (
        clamped_count.FIGURE,
        redrawn_count.FIGURE,
        proportions.FIGURE,
        gaussian_noise.FIGURE,
        private_mean.FIGURE,
        histogram_release.FIGURE,
    )
}


def write(figure: Figure, folder: Path) -> list[Path]:
    """Write a figure's picture as PNG and SVG and its numbers as CSV; return the files."""
    curves = figure.curves()
    picture = figure.draw(curves)
    files = {
        "png": png_of(picture),
        "svg": svg_of(picture),
        "csv": csv_of(curves).encode("utf-8"),
    }
    places = []
    for ending, content in files.items():
        place = folder / f"{figure.name}.{ending}"
        place.write_bytes(content)
        places.append(place)
    return places
