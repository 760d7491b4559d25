"""`discreet annotate`: a publisher's words put right where a release was saved.

Rules of this module:
- no number is changed and nothing is charged; the release is checked to be that of a plan file.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .words import Job, Json, Saved

if TYPE_CHECKING:
    from .json_replies import AnnotateReply
    from .output import Screen

ANNOTATE = "discreet annotate people.release about.toml"


def annotate(
    saved: Saved,
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Words in TOML: [about], [labels.COLUMN]; or a plan."),
    ],
    as_json: Json = False,
) -> Job:
    """Put titles, labels and sources of a release right.

    The page is drawn again and no number changes, so it costs nothing. The file holds title,
    [about], [labels.COLUMN] and [questions."count by ward"]; or it is the release's own plan file.
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
            why="its titles stand under questions that were not asked here, or not so",
            fix="write the words into a file of their own: [about], [labels.COLUMN], "
            '[questions."count by ward"]',
        )
    release.annotate(saved, words)
    said = said_beside(saved) or NOTHING
    screen.say(f"The words of {shown(saved)} are those of {shown(file.name)}; no number changed.")
    screen.say(f"Look at {shown(saved / 'report.html')}.")
    times = len(said.changes)
    if times:
        often = "once" if times == 1 else f"{times:,} times"
        screen.say(
            f"Changed {often} since it was saved; {NAME} keeps the hash of all words before."
        )
    return AnnotateReply(saved=str(saved), sha256=said.hash, changes=times)
