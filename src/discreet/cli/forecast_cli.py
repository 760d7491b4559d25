"""`discreet forecast`: how many keys that nobody knows would show, for a public guess of the data.

Rules of this module:
- no data is opened and nothing is charged: what is looked at is made up from the guess.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError, shown
from .words import Job, Json, PlanPath

if TYPE_CHECKING:
    from .json_replies import ForecastReply
    from .output import Screen

_DIGITS = 15
FORECAST = "discreet forecast films.toml --units 10000 --keys 500 --each 4"


def forecast(
    file: PlanPath,
    units: Annotated[int, typer.Option("--units", metavar="N", help="How many units there are.")],
    keys: Annotated[
        int | None, typer.Option("--keys", metavar="N", help="How many keys may occur.")
    ] = None,
    each: Annotated[
        int | None, typer.Option("--each", metavar="N", help="How many keys one unit has.")
    ] = None,
    exponent: Annotated[
        str,
        typer.Option(
            "--exponent", metavar="NUMBER", help="Of Zipf's law: 0 alike, 1 as words and films."
        ),
    ] = "1",
    sizes: Annotated[
        str | None,
        typer.Option(
            "--sizes",
            metavar="N:KEYS,...",
            help="In place of --keys and --each: how many keys have at least N units.",
        ),
    ] = None,
    as_json: Json = False,
) -> Job:
    """Say how many unknown keys would show, for a guess.

    Made-up units choose made-up keys, the i-th in proportion to 1 / i^exponent, and the plan's own
    finder looks for them. No data is opened and nothing is charged.
    """
    guess = {"keys": keys, "each": each}
    return Job(lambda screen: _forecast(screen, file, units, guess, (exponent, sizes)), as_json)


def _forecast(
    screen: "Screen",
    file: Path,
    units: int,
    guess: dict[str, int | None],
    more: tuple[str, str | None],
) -> "ForecastReply":
    from ..plan_file.in_file import as_options, in_words
    from ..plan_file.plan_file import read_plan_file
    from ..releases.forecast import forecast as foretold
    from .json_replies import ForecastReply

    found = read_plan_file(file)
    with screen.working("Rehearsing on made-up keys"), in_words(as_options):
        told = foretold(
            found.plan,
            units=units,
            keys=guess["keys"],
            each=guess["each"],
            exponent=more[0],
            sizes=None if more[1] is None else _sizes(more[1]),
        )
    for one in told:
        screen.say(str(one))
    screen.say("This is a guess: no data was read and nothing was charged.")
    return ForecastReply(
        forecasts=[
            {
                "column": one.column,
                "expected": one.expected,
                "keys": one.keys,
                "needs": {str(most): units for most, units in one.needs.items()},
                "better": None if one.better is None else [*one.better],
                "warning": one.warning,
            }
            for one in told
        ]
    )


def _sizes(text: str) -> dict[int, float]:
    """Return how many keys have at least so many units, from "10:4300,100:350"."""
    parts = [part.partition(":") for part in text.split(",")]
    if all(
        _is_whole(size) and _is_whole(many.strip().removeprefix("-")) for size, _, many in parts
    ):
        return {int(size): int(many) for size, _, many in parts}
    raise InputError(
        f"--sizes {shown(text)} does not say how many keys have at least so many units.",
        why="each of them is a whole number of units, with a whole number of keys",
        fix="write --sizes 10:4300,100:350",
    )


def _is_whole(text: str) -> bool:
    return text.strip().isascii() and text.strip().isdigit() and len(text) <= _DIGITS
