"""`discreet derive`: totals, differences, ratios, shares and other intervals of a saved release.

Rules of this module:
- it opens the release and nothing else; nothing is charged, and nothing is written.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..document.numbers import plainly
from ..errors import InputError, shown
from ..releases.also import derived_by
from .json_replies import DeriveReply
from .output import Screen

if TYPE_CHECKING:
    from ..releases.release import Release
    from ..report.derived import DerivedNumbers


@dataclass(frozen=True, slots=True)
class DeriveOptions:
    """The options as they were typed."""

    kind: str
    name: str | None
    other: str | None
    by: tuple[str, ...]
    only: tuple[str, ...]
    first: tuple[str, ...]
    second: tuple[str, ...]
    alpha: str | None
    together: bool


def derive(screen: Screen, path: Path, wanted: DeriveOptions) -> DeriveReply:
    """Show what follows from released numbers, with its intervals."""
    from ..releases.release import load

    found = _made(load(path), wanted)
    screen.show(found.sheet())
    return DeriveReply(recipe=dict(found.recipe), answers=found.plain()["answers"])


def _made(release: "Release", wanted: DeriveOptions) -> "DerivedNumbers":
    typed: dict[str, Any] = {
        "of": wanted.name,
        "other": wanted.other,
        "by": list(wanted.by),
        **{name: _chosen(release, getattr(wanted, name)) for name in ("only", "first", "second")},
    }
    said = {name: value for name, value in typed.items() if value}
    if wanted.kind != "intervals":
        said["of"] = wanted.name or ""
    if wanted.kind == "ratio":
        said["other"] = wanted.other or ""
    if wanted.alpha is not None:
        said["alpha"] = wanted.alpha
    return derived_by(release, wanted.kind, {**said, "together": wanted.together})


def _chosen(release: "Release", typed: tuple[str, ...]) -> Mapping[str, list[object]]:
    """Return which keys were typed, as `column=key`, several of one column more than once."""
    keys = release.document.plan["table"]["keys"]
    found: dict[str, list[object]] = {}
    for text in typed:
        column, equals, key = text.partition("=")
        if not equals:
            raise InputError(
                f"{shown(text)} selects nothing.",
                why="a selection names a column and one of its keys",
                fix="write --only 'ward=A'",
            )
        named = {plainly(one): one for one in keys.get(column, [])}
        found.setdefault(column, []).append(named.get(key, key))
    return found
