"""Maps of numbers at places: panels on one color scale, an error layer on its own.

Rules of this module:
- what is drawn is public: noisy numbers, what cleaning made of them, and expected errors;
- all panels of numbers share one scale from 0, so that they can be compared; what lies beyond its
  ends is drawn in the color of the end;
- no state of pyplot: a picture is made, written and forgotten.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .pictures import INK, QUIET

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .picture import Picture

_TALL, _HEAD, _FOOT, _GAP, _SIDE = 5.0, 0.6, 0.75, 0.25, 0.2  # inches
_WIDEST, _NARROWEST = 6.0, 2.6
_DPI = 110
_LOOK: Any = {"svg.hashsalt": "discreet", "svg.fonttype": "path", "text.usetex": False}


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """Where the numbers lie: x and y of each place, pairs of neighbors, rows of a grid if one."""

    xy: NDArray[np.float64]
    edges: NDArray[np.int64]
    shape: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """One panel: its title, and a number for each place; an error layer goes from 0 to 1."""

    title: str
    values: NDArray[np.float64]
    is_error: bool = False


def drawn(
    ground: Ground, layers: Sequence[Layer], *, most: float, words: str, tall: float = _TALL
) -> "Picture":
    """Return the panels side by side.

    Args:
        ground: the map.
        layers: the panels, from left to right.
        most: the upper end of the common scale, which begins at 0.
        words: what the numbers count, for the scale.
        tall: how tall a panel is, in inches.
    """
    from .picture import Picture

    low, high = ground.xy.min(axis=0), ground.xy.max(axis=0)
    aspect = float((high[0] - low[0]) / max(high[1] - low[1], 1e-9)) or 1.0
    height = tall + _HEAD + _FOOT
    wide = float(np.clip(tall * aspect, _NARROWEST, _WIDEST))
    width = 2 * _SIDE + len(layers) * (wide + _GAP) - _GAP
    made = Picture(figsize=(width, height), dpi=_DPI, facecolor="white")
    for number, layer in enumerate(layers):
        left = _SIDE + number * (wide + _GAP)
        place = (left / width, _FOOT / height, wide / width, tall / height)
        axes = made.add_axes(place)
        shown = _panel(axes, ground, layer, 1.0 if layer.is_error else most)
        bar = made.add_axes((place[0] + 0.1 * place[2], 0.5 / height, 0.8 * place[2], 0.1 / height))
        _scale(made, shown, bar, layer, words)
    return made


def _panel(axes: "Axes", ground: Ground, layer: Layer, most: float) -> Any:
    axes.set_title(layer.title, loc="left", fontsize=9, color=INK, parse_math=False)
    axes.set_aspect("equal", adjustable="box")
    axes.set_axis_off()
    axes.margins(0.01)
    look: dict[str, Any] = {"cmap": "Greys" if layer.is_error else "viridis"}
    if ground.shape is not None:
        x, y = ground.xy.T
        halves = [
            np.ptp(a) / max(2 * (n - 1), 1) for a, n in zip((x, y), ground.shape[::-1], strict=True)
        ]
        wide, high = (half or max(*halves, 0.5) for half in halves)  # one row or column alone
        extent = (x.min() - wide, x.max() + wide, y.min() - high, y.max() + high)
        picture = layer.values.reshape(ground.shape)
        return axes.imshow(picture, origin="lower", extent=extent, vmin=0, vmax=most, **look)
    return _streets(axes, ground, layer, {**look, "clim": (0, most)})


def _streets(axes: "Axes", ground: Ground, layer: Layer, look: dict[str, Any]) -> Any:
    from matplotlib.collections import LineCollection

    ends = ground.edges
    lines: Any = LineCollection(ground.xy[ends], linewidths=1.1, **look)  # type: ignore[arg-type]
    lines.set_array(layer.values[ends].mean(axis=1))
    lines.set_rasterized(True)
    axes.add_collection(lines)
    limits = look.pop("clim")
    dots = axes.scatter(
        ground.xy[:, 0],
        ground.xy[:, 1],
        c=layer.values,
        s=3.2,
        linewidths=0,
        vmin=limits[0],
        vmax=limits[1],
        **look,
    )
    dots.set_rasterized(True)
    axes.set_facecolor("white")
    return dots


def _scale(made: "Picture", shown: Any, bar: "Axes", layer: Layer, words: str) -> None:
    colorbar = made.colorbar(shown, cax=bar, orientation="horizontal")
    colorbar.outline.set_visible(False)
    bar.tick_params(labelsize=7.5, labelcolor=INK, color=QUIET)
    if layer.is_error:
        bar.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    bar.set_xlabel(
        "expected error, in parts of the number" if layer.is_error else words,
        fontsize=7.5,
        color=INK,
        labelpad=1,
    )


def map_png(picture: "Picture") -> bytes:
    """Return a picture as PNG, the same bytes for the same picture."""
    from matplotlib import rc_context

    out = BytesIO()
    with rc_context(_LOOK):
        picture.savefig(out, format="png", metadata={"Software": None})
    return out.getvalue()
