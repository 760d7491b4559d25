"""`discreet explore`: a plan file becomes one page on which its errors can be moved.

Rules of this module:
- the data is not opened, nothing is charged, and the page asks for nothing;
- no file is written over, but a page that an exploration wrote before.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .words import Job, Json, Ledger, Out, PlanPath

if TYPE_CHECKING:
    from .json_replies import ExploreReply
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
    """Write a page to explore a plan: errors, prices, and what is left.

    One HTML file with sliders, for a browser; it holds no data and asks for nothing. The data is
    not opened. Without --out it is called as the plan file, with .html.
    """
    return Job(lambda screen: _explore(screen, file, out, ledger, without_ledger), as_json)


def _explore(
    screen: "Screen", file: Path, out: Path | None, ledger: Path | None, without_ledger: bool
) -> "ExploreReply":
    from ..errors import shown
    from ..plan_file.in_file import in_words, typed
    from ..plan_file.plan_file import read_plan_file
    from .charge import opened
    from .json_replies import ExploreReply
    from .paths import there

    found = read_plan_file(file)
    path = None if without_ledger else ledger or found.ledger
    left = None
    if path is not None and (ledger is not None or there(path)):
        left = opened(path, found.plan, found.face)[1].left()
    place = out or file.with_suffix(".html")
    with screen.working("Pricing every error"), in_words(found.face.spell):
        found.plan.explore(place, left=left)
    screen.say(f"The page is in {shown(place)}. Open it in a browser: {typed(place)}")
    screen.say("Nothing was read and nothing was charged; it holds the plan and no data.")
    return ExploreReply(saved=str(place), left=left.plain() if left else None)
