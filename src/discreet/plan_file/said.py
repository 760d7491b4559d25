"""What a publisher says in a plan file.

Rules of this module:
- what is said of a question stands under its [[ask]], and is no part of what is asked.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..document.headings import check_heading, check_label, check_length, headed
from ..schema import About, Heading, Label, Table, about, heading, label
from ..statistic.statistic import Statistic
from .location import Place
from .schema import HEADING, AboutPart, AskPart, FilePart


def said_of(parts: FilePart, place: Place, declared: Table, asked: Sequence[Statistic]) -> About:
    """Return what a plan file says of the release, and of its questions."""
    over: list[tuple[str, Heading]] = []
    for number, (ask, question) in enumerate(zip(parts.ask, asked, strict=True)):
        with place.at("ask", number).named():
            over.append((question.label, heading(asked_and_said(ask)[1])))
            check_heading(over[-1][1], question.label, question.plain())
    found = about_of(parts, place)
    for column, one in found.labels.items():
        with place.at("labels", column).named():
            check_label(column, one, declared)
    found = replace(found, questions=headed(over))
    with place.named():
        check_length(found)
    return found


def asked_and_said(ask: AskPart) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what a question asks, and what is said of it."""
    plain = ask.model_dump(exclude_unset=True)
    return plain, {name: plain.pop(name) for name in HEADING if name in plain}


def about_of(parts: FilePart | AboutPart, place: Place) -> About:
    """Return what [about] and [labels] say; the title may stand at the head of the file."""
    title = {} if parts.title is None else {"title": parts.title}
    if title and "title" in parts.about:
        raise place.at("about", "title").error(
            "the title stands at the head of the file, too.",
            why="a release has one title",
            fix="remove one of the two",
        )
    labels: dict[str, Label] = {}
    for column, one in parts.labels.items():
        with place.at("labels", column).named():
            labels[column] = label(column, one)
    with place.at("about").named():
        return about(**{**title, **parts.about}, labels=labels)
