"""What is derived of a release by name: for a plan file, and for the command line.

Rules of this module:
- a name is that of a kind of the register, and what is asked for are its options.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import InputError, as_given, names_shown, shown
from ..fix import Rename, leave_out, nearest_name
from .catalog import derivations
from .derivation import Derivation

if TYPE_CHECKING:
    from ..document.document import Document
    from .derived import DerivedNumbers


def derived_by(document: "Document", kind: str, wanted: Mapping[str, Any]) -> "DerivedNumbers":
    """Return what follows from a release.

    Args:
        document: the release's.
        kind: "total", "difference", "ratio", "share", "ranks", or what else is registered.
        wanted: the options of that kind; `of` is the name of the statistic.

    Raises:
        InputError: there is no such kind, it does not take what is wanted, or cannot be made.
    """
    derivation = check_options(kind, wanted)
    for operand in derivation.operands:
        if operand in wanted:
            _check_name(document, operand, wanted[operand])
    return derivation.by_name(document, wanted)


def _check_name(document: "Document", setting: str, name: object) -> None:
    """Raise InputError where a release has no statistic of this name."""
    from ..document.accessors import labels
    from ..report.result import meant_label

    names = labels(document)
    if name not in names:
        near = meant_label(name, names)
        raise InputError(
            f"there is no statistic {as_given(name)} in this release.",
            kind="no-such-statistic",
            why=f"there {'are' if len(names) > 1 else 'is'} {names_shown(names)}",
            fix=f"name {shown(near)!r} in its place" if near else "name one of them",
            at=setting,
        )


def check_options(kind: str, wanted: Mapping[str, Any]) -> Derivation[...]:
    """Return a kind of derived numbers, or raise InputError unless it takes what is wanted."""
    kinds = derivations()
    if kind not in kinds:
        near = nearest_name(kind, kinds)
        raise InputError(
            f"{as_given(kind)} cannot be derived.",
            kind="unknown-choice",
            why=f"what follows from released numbers is {', '.join(kinds)}",
            fix=f"write {near or 'total'} in its place",
            at="derive",
        )
    takes = kinds[kind].takes
    for name in wanted:
        if name not in takes:
            near = nearest_name(name, [option for option in takes if option not in wanted])
            raise InputError(
                f"{kind} has no {shown(name)}.",
                kind="wrong-call",
                why=f"it takes {', '.join(takes)}",
                fix=Rename(name, near) if near else leave_out(name),
                at=name,
            )
    for name, option in takes.items():
        if option.needed and name not in wanted:
            raise _lacking(kinds[kind], name)
    return kinds[kind]


def _lacking(derivation: Derivation[...], name: str) -> InputError:
    """Return the refusal of a kind without something that it needs."""
    what = f"{derivation.kind} needs {name}."
    if name in derivation.operands:
        why = "it is of numbers that are released, by the name that their plan shows"
        return InputError(
            what, kind="setting-missing", why=why, fix=f"name a statistic of the release in {name}"
        )
    words = derivation.takes[name].words.rstrip(".")
    return InputError(
        what,
        kind="setting-missing",
        why=f"that is {words[:1].lower()}{words[1:]}",
        fix=f"say {name}, too",
    )
