"""What is derived of a release by name: for a plan file, and for the command line.

Rules of this module:
- a name is that of a method of the release, and what is said are its arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import InputError, as_given, shown
from ..fix import Rename, leave_out, nearest_name

if TYPE_CHECKING:
    from ..report.derived import DerivedNumbers
    from .release import Release

TAKES = {  # what each kind can be told, beside alpha and together
    "total": ("of", "by", "only"),
    "difference": ("of", "first", "second", "other"),
    "ratio": ("of", "other", "by", "only"),
    "share": ("of", "by", "known"),
    "intervals": ("of",),
}
_NAMED = 300  # letters of the names in a refusal
_NEEDS = {"total": ("of",), "difference": ("of",), "ratio": ("of", "other"), "share": ("of",)}


def derived_by(release: Release, kind: str, said: Mapping[str, Any]) -> DerivedNumbers:
    """Return what follows from a release.

    Args:
        release: the release.
        kind: "total", "difference", "ratio", "share" or "intervals".
        said: the arguments of that method; `of` is the name of the statistic.

    Raises:
        InputError: there is no such kind, it does not take what is said, or cannot be made.
    """
    check_said(kind, said)
    for name in ("of", "other"):
        if name in said:
            _check_name(release, name, said[name])
    given = dict(said)
    names = [given.pop(name) for name in ("of",) if name in given]
    if kind == "ratio":
        names.append(given.pop("other"))
    make: Any = getattr(release, kind)
    found: DerivedNumbers = make(*names, **given)
    return found


def _check_name(release: Release, setting: str, name: object) -> None:
    """Raise InputError where a release has no statistic of this name."""
    from ..report.result import meant_label

    names = release.keys()
    if name not in names:
        near = meant_label(name, names)
        raise InputError(
            f"there is no statistic {as_given(name)} in this release.",
            why=f"there {'are' if len(names) > 1 else 'is'} {shown(', '.join(names), _NAMED)}",
            fix=f"name {shown(near)!r} in its place" if near else "name one of them",
            at=setting,
        )


def check_said(kind: str, said: Mapping[str, Any]) -> None:
    """Raise InputError unless a kind of derived numbers is known, and takes what is said."""
    if kind not in TAKES:
        near = nearest_name(kind, TAKES)
        raise InputError(
            f"{as_given(kind)} cannot be derived.",
            why=f"what follows from released numbers is {', '.join(TAKES)}",
            fix=f"write {near or 'total'} in its place",
            at="derive",
        )
    known = (*TAKES[kind], "alpha", "together")
    for name in said:
        if name not in known:
            near = nearest_name(name, [one for one in known if one not in said])
            raise InputError(
                f"{kind} has no {shown(name)}.",
                why=f"it takes {', '.join(known)}",
                fix=Rename(name, near) if near else leave_out(name),
                at=name,
            )
    for name in _NEEDS.get(kind, ()):
        if name not in said:
            raise InputError(
                f"{kind} needs {name}.",
                why="it is of numbers that are released, by the name that their plan shows",
                fix=f"name a statistic of the release in {name}",
            )
