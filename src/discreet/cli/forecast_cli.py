"""`discreet forecast`: how many keys that nobody knows would show, for a public guess of the data.

Rules of this module:
- no data is opened and nothing is charged: what is looked at is made up from the guess.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .words import Job, Json, PlanPath

if TYPE_CHECKING:
    from .json_replies import ForecastReply
    from .output import Screen

EXAMPLE = "discreet forecast films.toml --units 10000 --keys 500 --each 4"


def forecast(
    file: PlanPath,
    units: Annotated[int, typer.Option("--units", metavar="N", help="How many units there are.")],
    keys: Annotated[int, typer.Option("--keys", metavar="N", help="How many keys may occur.")],
    each: Annotated[int, typer.Option("--each", metavar="N", help="How many keys one unit has.")],
    exponent: Annotated[
        str,
        typer.Option(
            "--exponent", metavar="NUMBER", help="Of Zipf's law: 0 alike, 1 as words and films."
        ),
    ] = "1",
    as_json: Json = False,
) -> Job:
    """Say how many unknown keys would show, for a guess.

    Made-up units choose made-up keys, the i-th in proportion to 1 / i^exponent, and the plan's own
    finder looks for them. No data is opened and nothing is charged.
    """
    guess = {"units": units, "keys": keys, "each": each}
    return Job(lambda screen: _forecast(screen, file, guess, exponent), as_json)


def _forecast(
    screen: "Screen", file: Path, guess: dict[str, int], exponent: str
) -> "ForecastReply":
    from ..plan_file.options import as_options, in_words
    from ..plan_file.plan_file import read_plan_file
    from ..releases.forecast import forecast as foretold
    from .json_replies import ForecastReply

    found = read_plan_file(file)
    with screen.working("Rehearsing on made-up keys"), in_words(as_options):
        told = foretold(
            found.plan,
            units=guess["units"],
            keys=guess["keys"],
            each=guess["each"],
            exponent=exponent,
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
