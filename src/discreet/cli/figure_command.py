"""`discreet figure`: the documents' figures, drawn again from the shipped laws."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..documents.catalog import FIGURES, WITH_DATA, write
from ..documents.figure import Figure
from ..errors import InputError, shown
from .json_replies import FigureReply
from .output import Screen

EVERY = "all"


def figure(screen: Screen, names: list[str], *, out: Path, data: Path | None = None) -> FigureReply:
    """Write the named figures, each as PNG, SVG and CSV; without a name, list them."""
    known = {name: found.redraws for name, found in FIGURES.items()}
    known |= {name: redraws for name, (redraws, _) in WITH_DATA.items()}
    wanted = list(FIGURES if data is None else known) if EVERY in names else names
    for name in wanted:
        if name not in known:
            raise _unknown(name, list(known))
        if name in WITH_DATA and data is None:
            raise _no_data(name)
    for name, redraws in ({} if wanted else known).items():
        screen.say(f"{name:16} {redraws}")
    saved = []
    for name in wanted:
        with screen.working(f"Drawing {name}"), _written(out):
            out.mkdir(parents=True, exist_ok=True)
            places = write(_made(name, data), out)
        saved += [str(place) for place in places]
        screen.say(f"Wrote {', '.join(shown(place) for place in places)}.")
    return FigureReply(figures=known, saved=saved)


def _made(name: str, data: Path | None) -> Figure:
    return FIGURES[name] if data is None or name in FIGURES else WITH_DATA[name][1](data)


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


def _unknown(name: str, known: list[str]) -> InputError:
    return InputError(
        f"there is no figure {shown(name)!r}.",
        why=f"the figures are {', '.join(known)}",
        fix="see: discreet figure --list",
    )


def _no_data(name: str) -> InputError:
    return InputError(
        f"{name} is drawn from data that discreet does not have.",
        why="it is not ours to hand on",
        fix=f"name the folder that holds it: discreet figure {name} --data FOLDER",
    )
