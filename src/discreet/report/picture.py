"""A Matplotlib figure that a notebook shows by itself.

Rules of this module:
- pyplot does not know the figure: it is shown where it is asked for, once, and nothing keeps it.
"""

from io import BytesIO
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

_SHARPER = 2  # pixels of a sharp screen for each of the figure's


class Picture(Figure):
    """A figure like any other of Matplotlib, and a PNG for notebooks."""

    def __init__(self, *sizes: Any, **options: Any) -> None:
        super().__init__(*sizes, **options)
        FigureCanvasAgg(self)

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """Return the picture for sharp screens, with the size at which it is shown."""
        content = BytesIO()
        dpi = float(self.dpi)
        self.savefig(content, format="png", dpi=_SHARPER * dpi, metadata={"Software": None})
        width, height = (round(inches * dpi) for inches in self.get_size_inches())
        return content.getvalue(), {"width": width, "height": height}
