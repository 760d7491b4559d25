"""`python -m figures`: list the documents' figures, or draw some of them.

Rules of this module:
- a figure that is not known, or has no data, is refused before any is drawn.
"""

import argparse
import sys
from pathlib import Path

from discreet.errors import DiscreetError, InputError, shown

from .catalog import FIGURES, WITH_DATA, write
from .figure import Figure

EVERY = "all"


def main() -> int:
    """List all figures, or write those that are named; return 0, or 2 where that cannot be done."""
    words = argparse.ArgumentParser(prog="python -m figures", description=__doc__.splitlines()[0])
    words.add_argument("names", nargs="*", metavar="NAME", help="a figure's name, or: all")
    words.add_argument("--out", type=Path, default=Path("drawn"), metavar="FOLDER")
    words.add_argument("--data", type=Path, metavar="FOLDER", help="for the figures that need data")
    asked = words.parse_args()
    redraws = {name: figure.redraws for name, figure in FIGURES.items()}
    redraws |= {name: what for name, (what, _) in WITH_DATA.items()}
    if not asked.names:
        print(*(f"{name:18} {what}" for name, what in redraws.items()), sep="\n")
        return 0
    try:
        wanted = _wanted(asked.names, [*redraws], has_data=asked.data is not None)
        asked.out.mkdir(parents=True, exist_ok=True)
        for name in wanted:
            places = write(_figure(name, asked.data), asked.out)
            print(f"Wrote {', '.join(shown(place) for place in places)}.")
    except DiscreetError as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{shown(asked.out)}: {(error.strerror or 'it failed').lower()}", file=sys.stderr)
        return 2
    return 0


def _wanted(names: list[str], known: list[str], *, has_data: bool) -> list[str]:
    wanted = list(FIGURES) if EVERY in names else names
    for name in wanted:
        if name not in known:
            raise InputError(
                f"there is no figure {shown(name)!r}.",
                why=f"the figures are {', '.join(known)}",
                fix="see: python -m figures",
            )
        if name in WITH_DATA and not has_data:
            raise InputError(
                f"{name} is drawn from data that discreet does not have.",
                why="it is not ours to hand on",
                fix=f"add --data FOLDER: python -m figures {name} --data FOLDER",
            )
    return wanted


def _figure(name: str, data: Path | None) -> Figure:
    return WITH_DATA[name][1](data) if name in WITH_DATA and data else FIGURES[name]


if __name__ == "__main__":
    sys.exit(main())
