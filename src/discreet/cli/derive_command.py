"""`discreet derive`: totals, differences, ratios, shares and other intervals of a saved release.

Rules of this module:
- it opens the release and nothing else; nothing is charged, and nothing is written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..derive.by_name import derived_by
from ..derive.catalog import derivations, options
from ..document.numbers import plainly
from ..errors import InputError, shown
from .json_replies import DeriveReply
from .output import Screen

if TYPE_CHECKING:
    from ..derive.derived import DerivedNumbers
    from ..releases.release import Release


@dataclass(frozen=True, slots=True)
class DeriveOptions:
    """The options as they were typed."""

    kind: str
    name: str | None
    other: str | None
    typed: Mapping[str, Any]  # by option; nothing, or False, where it was not typed


def derive(screen: Screen, path: Path, wanted: DeriveOptions) -> DeriveReply:
    """Show what follows from released numbers, with its intervals."""
    from ..releases.release import load

    found = _made(load(path), wanted)
    screen.show(found.sheet())
    return DeriveReply(recipe=dict(found.recipe), answers=found.plain()["answers"])


def _made(release: "Release", wanted: DeriveOptions) -> "DerivedNumbers":
    kinds, operands = derivations(), {"of": wanted.name, "other": wanted.other}
    asked: dict[str, Any] = {name: typed for name, typed in operands.items() if typed}
    for name, option in options().items():
        typed = wanted.typed[name]
        if option.form == "keys":
            typed = _chosen(release, typed or ())
        if typed or (option.form == "value" and typed is not None):
            asked[name] = typed
    if wanted.kind in kinds:
        kind = kinds[wanted.kind]
        asked |= {name: operands[name] or "" for name in kind.operands if kind.takes[name].needed}
    return derived_by(release.document, wanted.kind, asked)


def _chosen(release: "Release", typed: Sequence[str]) -> Mapping[str, list[object]]:
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
