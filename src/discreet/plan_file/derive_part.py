"""[[also]] in a plan file: what is derived of the release, and saved beside it for nothing.

What a publisher says in a plan file.

Rules of this module:
- it is tried on a rehearsal before anything is charged, so that a name that is not there costs
  nothing; of keys that are to be found nothing can be tried;
- what is said of a question stands under its [[ask]], and is no part of what is asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..derive.by_name import check_options, derived_by
from ..document.headings import check_heading, check_label, check_length, headed
from ..paths import at_home
from ..plans.plan import Plan
from ..schema import About, Heading, Label, Table, about, heading, label
from ..statistic.statistic import Statistic
from .keys_part import local
from .location import Place
from .schema import HEADING, AboutPart, AskPart, FilePart

if TYPE_CHECKING:
    from ..derive.derived import DerivedNumbers
    from ..releases.release import Release

_HERE = Path()


@dataclass(frozen=True, slots=True)
class Also:
    """One entry: what is derived, of what, and where it stands in the file."""

    kind: str
    said: Mapping[str, Any]
    place: Place

    def made(self, release: "Release") -> "DerivedNumbers":
        """Return it of a release; an error names its place in the file."""
        with self.place.named():
            return derived_by(release.document, self.kind, self.said)


def also_of(parts: Sequence[Mapping[str, Any]], place: Place) -> tuple[Also, ...]:
    """Return the entries of a plan file, or raise InputError where one says what none takes."""
    entries = []
    for number, part in enumerate(parts):
        options = {name: value for name, value in part.items() if name != "derive"}
        here = place.at("also", number)
        with here.named():
            check_options(str(part["derive"]), options)
        entries.append(Also(str(part["derive"]), options, here))
    return tuple(entries)


def tried(also: Sequence[Also], plan: Plan) -> None:
    """Raise InputError where an entry cannot be made of a release of this plan."""
    from ..releases.rehearsal import rehearse

    if also and not plan.findings:
        release = rehearse(plan)
        for entry in also:
            entry.made(release)


def said_of(
    parts: FilePart,
    place: Place,
    declared: Table,
    asked: Sequence[Statistic],
    folder: Path = _HERE,
) -> About:
    """Return what a plan file in a folder says of the release, and of its questions."""
    over: list[tuple[str, Heading]] = []
    for number, (ask, question) in enumerate(zip(parts.ask, asked, strict=True)):
        with place.at("ask", number).named():
            over.append((question.label, heading(asked_and_said(ask)[1])))
            check_heading(over[-1][1], question.label, question.plain())
    words = about_of(parts, place, folder)
    for column, text in words.labels.items():
        with place.at("labels", column).named():
            check_label(column, text, declared)
    words = replace(words, questions=headed(over))
    with place.named():
        check_length(words)
    return words


def asked_and_said(ask: AskPart) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what a question asks, and what is said of it."""
    plain = ask.model_dump(exclude_unset=True)
    return plain, {name: plain.pop(name) for name in HEADING if name in plain}


def about_of(parts: FilePart | AboutPart, place: Place, folder: Path = _HERE) -> About:
    """Return what [about] and [labels] say; the title may stand at the head of the file."""
    title = {} if parts.title is None else {"title": parts.title}
    if title and "title" in parts.about:
        raise place.at("about", "title").error(
            "the title stands at the head of the file, too.",
            why="a release has one title",
            fix="remove one of the two",
        )
    labels: dict[str, Label] = {}
    for column, text in parts.labels.items():
        with place.at("labels", column).named():
            labels[column] = label(column, _from(folder, text, place.at("labels", column)))
    with place.at("about").named():
        return about(**{**title, **parts.about}, labels=labels)


def _from(folder: Path, text: Any, place: Place) -> Any:
    """Return what is said of a column, with the path of its map from the folder of the file."""
    of_map = text.get("map") if isinstance(text, dict) else None
    file = of_map.get("file") if isinstance(of_map, dict) else of_map
    if not isinstance(file, str):
        return text
    local(file, folder, place.at("map"))
    path = str(folder / at_home(file))
    return {**text, "map": {**of_map, "file": path} if isinstance(of_map, dict) else path}
