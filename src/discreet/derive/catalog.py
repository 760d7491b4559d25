"""All kinds of derived numbers by name, in the order in which they are told of.

Rules of this module:
- a new kind is one line here; its file is imported when it is first asked for.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

from .derivation import COMMON, FACES, REGISTERED, Derivation, Option

_PLACES = {  # by kind: the file of this room that makes it
    "total": "differences",
    "difference": "differences",
    "ratio": "ratios",
    "share": "ratios",
    "relative": "baselines",
    "change": "baselines",
    "rate": "rates",
    "standardized": "standardized",
    "median": "medians",
    "ranks": "ranks",
    "intervals": "derived",
}
KINDS = tuple(_PLACES)
Face = TypeVar("Face")


def derivations() -> dict[str, Derivation[...]]:
    """Return all kinds; what was registered and is not listed comes last."""
    for place in dict.fromkeys(_PLACES.values()):
        import_module(f".{place}", __package__)
    return {kind: REGISTERED[kind] for kind in (*_PLACES, *REGISTERED)}


def derivation_of(kind: str) -> Derivation[...]:
    """Return a kind, for which no other file is imported."""
    if kind not in REGISTERED:
        import_module(f".{_PLACES[kind]}", __package__)
    return REGISTERED[kind]


def options() -> dict[str, Option]:
    """Return all options of all kinds, but what names a statistic; those of every kind come last.

    Of two kinds with an option of the same name the first says what it is.
    """
    kinds = derivations().values()
    taken = [
        option
        for kind in kinds
        for option in kind.takes.values()
        if option.name not in kind.operands
    ]
    own = {option.name: option for option in reversed(taken)}
    order = dict.fromkeys(option.name for option in taken)
    return {name: own[name] for name in (*(n for n in order if n not in COMMON), *COMMON)}


class Method:
    """A kind as a method of a class; its file is imported when the method is first asked for."""

    __slots__ = ("kind",)

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __get__(self, release: Any, of: type) -> Callable[..., Any]:
        return derivation_of(self.kind).__get__(release, of)


def derives(face: type[Face]) -> type[Face]:
    """Give a class of objects with a document a method for each kind, whenever it is registered."""
    for kind in dict.fromkeys((*_PLACES, *REGISTERED)):
        setattr(face, kind, REGISTERED[kind].method if kind in REGISTERED else Method(kind))
    FACES.append(face)
    return face
