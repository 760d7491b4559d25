"""`discreet figure`: the documents' figures, drawn again from the shipped laws."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import InputError, shown
from ..figures.catalog import FIGURES, write
from .output import Screen
from .reply import FigureReply

EVERY = "all"


def figure(screen: Screen, names: list[str], *, out: Path) -> FigureReply:
    """Write the named figures, each as PNG, SVG and CSV; without a name, list them."""
    wanted = list(FIGURES) if EVERY in names else names
    for name in wanted:
        if name not in FIGURES:
            raise _unknown(name)
    for found in [] if wanted else FIGURES.values():
        screen.say(f"{found.name:16} {found.redraws}")
    saved = []
    for name in wanted:
        with screen.working(f"Drawing {name}"), _written(out):
            out.mkdir(parents=True, exist_ok=True)
            places = write(FIGURES[name], out)
        saved += [str(place) for place in places]
        screen.say(f"Wrote {', '.join(shown(place) for place in places)}.")
    return FigureReply(figures={f.name: f.redraws for f in FIGURES.values()}, saved=saved)


@contextmanager
def _written(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            f"the figure cannot be written to {shown(out)}.",
            why=str(error.strerror).lower(),
            fix="add --out figures, or another folder",
        ) from None


def _unknown(name: str) -> InputError:
    return InputError(
        f"there is no figure {shown(name)!r}.",
        why=f"the figures are {', '.join(FIGURES)}",
        fix="see: discreet figure --list",
    )
