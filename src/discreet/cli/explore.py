"""Four commands that look and pay nothing: explore, expression, annotate, forecast.

`explore` makes one page of a plan file, on which its errors can be moved; `expression` says what
each engine is told; `annotate` puts the publisher's words of a
saved release right; `forecast` says how many keys that nobody knows would show.

Rules of this module:
- no data is opened and nothing is charged: what a forecast looks at is made up from a guess;
- no file is written over, but a page that an exploration wrote before;
- no number of a release is changed; words are taken only for the release of their plan file.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError, shown
from .output import Job, Json, Ledger, Out, PlanPath, Saved
from .twice import each_once

if TYPE_CHECKING:
    from .json_replies import AnnotateReply, ExploreReply, ExpressionReply, ForecastReply
    from .output import Screen


EXPLORE = "discreet explore people.toml --out people.html"


def explore(
    file: PlanPath,
    out: Out = None,
    ledger: Ledger = None,
    without_ledger: Annotated[
        bool,
        typer.Option(
            "--without-ledger", help="Leave out what is left: some houses keep it secret."
        ),
    ] = False,
    as_json: Json = False,
) -> Job:
    """Write a page to explore a plan: errors, prices, and the rest of the budget.

    The page is one HTML file with sliders, for a browser; the file contains no data and loads
    nothing. The data is not opened. Without --out, the page has the name of the plan file, with
    .html.
    """
    return Job(lambda screen: _explore(screen, file, out, ledger, without_ledger), as_json)


def _explore(
    screen: "Screen", file: Path, out: Path | None, ledger: Path | None, without_ledger: bool
) -> "ExploreReply":
    from ..errors import shown
    from ..plan_file.in_file import in_words, typed
    from ..plan_file.plan_file import read_plan_file
    from .charge import opened, there
    from .json_replies import ExploreReply

    plan_file = read_plan_file(file)
    path = None if without_ledger else ledger or plan_file.ledger
    left = None
    if path is not None and (ledger is not None or there(path)):
        left = opened(path, plan_file.plan, plan_file.face)[1].left()
    place = out or file.with_suffix(".html")
    with screen.working("Pricing every error"), in_words(plan_file.face.spell):
        plan_file.plan.explore(place, left=left)
    screen.say(f"The page is in {shown(place)}. Open it in a browser: {typed(place)}")
    screen.say("Nothing was read and nothing was charged; it holds the plan and no data.")
    return ExploreReply(saved=str(place), left=left.plain() if left else None)


EXPRESSION = "discreet expression 'floor(age / 10)'"


def expression(
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="What is said of a row: 'age >= 18'.")
    ],
    plan: Annotated[
        Path | None,
        typer.Option("--plan", metavar="FILE", help="A plan file that declares its columns."),
    ] = None,
    as_json: Json = False,
) -> Job:
    """Show how discreet reads a filter or a derived column: the type, the columns and the SQL.

    The command shows the text in the form of plans and releases, and the SQL for each engine. No
    data is opened.
    """
    return Job(lambda screen: _expression(screen, text, plan), as_json)


def _expression(screen: "Screen", text: str, plan: Path | None) -> "ExpressionReply":
    from ..engine.explain_expression import told
    from ..plan_file.plan_file import read_plan_file
    from ..text import Sheet
    from .json_replies import ExpressionReply

    explained = told(text, None if plan is None else read_plan_file(plan).plan.table)
    screen.show(
        Sheet(
            title=str(explained.expression),
            above=(f"It gives {explained.gives}, and looks at one row. No data was opened.",),
            columns=("column", "is read as"),
            rows=explained.reads,
        )
    )
    for engine, query in explained.queries.items():
        screen.say(f"{engine}, of a table t:")
        screen.say(f"  {query}")
    return ExpressionReply(
        expression=explained.expression.text,
        gives=explained.gives,
        reads=dict(explained.reads),
        queries=dict(explained.queries),
    )


ANNOTATE = "discreet annotate people.release about.toml"


def annotate(
    saved: Saved,
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Words in TOML: [about], [labels.COLUMN]; or a plan."),
    ],
    as_json: Json = False,
) -> Job:
    """Correct titles, labels and sources of a release.

    The command draws the page again and changes no number, so a correction costs nothing. The file
    holds title, [about], [labels.COLUMN] and [questions."count by ward"]; or pass the release's own
    plan file.
    """
    return Job(lambda screen: _annotate(screen, saved, file), as_json)


def _annotate(screen: "Screen", saved: Path, file: Path) -> "AnnotateReply":
    from ..errors import InputError, shown
    from ..plan_file.words_file import read_words
    from ..releases.release import load
    from ..report.about_file import NAME, NOTHING, said_beside
    from .json_replies import AnnotateReply

    release, (words, plan) = load(saved), read_words(file)
    if plan is not None and plan.digest != release.document.digest:
        raise InputError(
            f"{shown(file.name)} is not the plan of this release.",
            kind="other-release",
            why="its titles stand under questions that were not asked here, or not so",
            fix="write the words into a file of their own: [about], [labels.COLUMN], "
            '[questions."count by ward"]',
        )
    release.annotate(saved, words)
    beside = said_beside(saved) or NOTHING
    screen.say(f"The words of {shown(saved)} are those of {shown(file.name)}; no number changed.")
    screen.say(f"Look at {shown(saved / 'report.html')}.")
    times = len(beside.changes)
    if times:
        often = "once" if times == 1 else f"{times:,} times"
        screen.say(
            f"Changed {often} since it was saved; {NAME} keeps the hash of all words before."
        )
    return AnnotateReply(saved=str(saved), sha256=beside.hash, changes=times)


_DIGITS = 15
FORECAST = "discreet forecast films.toml --units 10000 --keys 500 --each 4"


def forecast(
    file: PlanPath,
    units: Annotated[int, typer.Option("--units", metavar="N", help="How many units there are.")],
    keys: Annotated[
        int | None, typer.Option("--keys", metavar="N", help="How many keys may occur.")
    ] = None,
    each: Annotated[
        str | None,
        typer.Option(
            "--each",
            metavar="N|N:UNITS,...",
            help="How many keys one unit has, or, if units differ, how many units have N keys.",
        ),
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
            help="In place of --keys: how many keys have at least N units.",
        ),
    ] = None,
    as_json: Json = False,
) -> Job:
    """Say how many unknown keys a plan would show, from a guess.

    Made-up units choose made-up keys, the i-th key in proportion to 1 / i^exponent, and the plan's
    own finder looks for these keys. No data is opened and nothing is charged.
    """
    guess = (units, keys, each, exponent, sizes)
    return Job(lambda screen: _forecast(screen, file, *guess), as_json)


def _forecast(
    screen: "Screen",
    file: Path,
    units: int,
    keys: int | None,
    each: str | None,
    exponent: str,
    sizes: str | None,
) -> "ForecastReply":
    from ..plan_file.in_file import as_options, in_words
    from ..plan_file.plan_file import read_plan_file
    from ..releases.forecast import forecast as foretold
    from .json_replies import ForecastReply

    plan_file = read_plan_file(file)
    with screen.working("Rehearsing on made-up keys"), in_words(as_options):
        forecasts = foretold(
            plan_file.plan,
            units=units,
            keys=keys,
            each=None if each is None else _each(each),
            exponent=exponent,
            sizes=None if sizes is None else _sizes(sizes),
        )
    for outlook in forecasts:
        screen.say(str(outlook))
    screen.say("This is a guess: no data was read and nothing was charged.")
    return ForecastReply(
        forecasts=[
            {
                "column": outlook.column,
                "expected": outlook.expected,
                "keys": outlook.keys,
                "needs": {str(most): units for most, units in outlook.needs.items()},
                "better": None if outlook.better is None else [*outlook.better],
                "warning": outlook.warning,
            }
            for outlook in forecasts
        ]
    )


def _each(text: str) -> int | dict[int, int]:
    """Return how many keys a unit has, or how many units have so many, from "20:900,200:100"."""
    if text.strip().removeprefix("-").isdecimal():
        return int(text)
    return _pairs("--each", text, "a number, or how many units have so many keys", "20:900,200:100")


def _sizes(text: str) -> dict[int, float]:
    """Return how many keys have at least so many units, from "10:4300,100:350"."""
    meaning = "how many keys have at least so many units"
    return {**_pairs("--sizes", text, meaning, "10:4300,100:350")}


def _pairs(option: str, text: str, meaning: str, example: str) -> dict[int, int]:
    """Return whole numbers by whole numbers, from "N:M,N:M"."""
    parts = [part.partition(":") for part in text.split(",")]
    if all(
        _is_whole(size) and _is_whole(many.strip().removeprefix("-")) for size, _, many in parts
    ):
        pairs = [(str(int(size)), many.strip()) for size, _, many in parts]
        return {int(size): int(many) for size, many in each_once(option, pairs).items()}
    raise InputError(
        f"{option} {shown(text)} does not say {meaning}.",
        kind="command-not-read",
        why="each part is a whole number, a colon, and a whole number",
        fix=f"write {option} {example}",
    )


def _is_whole(text: str) -> bool:
    return text.strip().isascii() and text.strip().isdigit() and len(text) <= _DIGITS
