"""Derived numbers from their recipes, and whether a file of them follows from a release.

Rules of this module:
- a recipe is read as if somebody hostile had written it: what it does not make is not there.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..document.document import Document, canonical
from ..errors import DiscreetError, InputError, as_given
from .again import intervals
from .between import difference, total
from .cells import Part
from .derived import FORMAT, NAME, TABLE, DerivedNumbers, table_of_all, text_of_all
from .ratios import ratio, share

_MOST = 100  # recipes in a file
Recipe = Mapping[str, Any]


def made(document: Document, recipe: Recipe) -> DerivedNumbers:
    """Return the derived numbers that a recipe makes of a release.

    Raises:
        InputError: it cannot be made of this release.
        KeyError, TypeError, ValueError, AttributeError: it is no recipe.
    """
    if not isinstance(recipe["together"], bool):
        raise TypeError
    return _MAKERS[recipe["derive"]](document, recipe)


def derived_parts(document: Document, also: Iterable[DerivedNumbers]) -> dict[str, tuple[str, ...]]:
    """Return derived.json and derived.csv with their texts, or nothing where nothing was derived.

    Raises:
        InputError: something was not derived from this release.
    """
    found = list(also)
    for one in found:
        if not isinstance(one, DerivedNumbers) or one.document.digest != document.digest:
            raise _foreign(one)
        if made(document, one.recipe).plain() != one.plain():
            raise _foreign(one)
    if not found:
        return {}
    return {NAME: (text_of_all(document, found),), TABLE: (table_of_all(found),)}


def _foreign(one: object) -> InputError:
    return InputError(
        f"{as_given(one)} was not derived from this release.",
        why="what is saved beside a release follows from it, so that anybody can make it again",
        fix="give what release.total, difference, ratio, share or intervals returned",
    )


def made_again(document: Document, text: bytes) -> list[DerivedNumbers] | None:
    """Return what the recipes of a derived.json make; None unless it holds that and no more."""
    try:
        plain = json.loads(text.decode("utf-8"))
        recipes = [one["recipe"] for one in plain["derived"]]
        if plain["format"] != FORMAT or len(recipes) > _MOST:
            return None
        again = []
        for recipe, one in zip(recipes, plain["derived"], strict=True):
            again.append(made(document, recipe))
            if json.loads(canonical(again[-1].plain())) != one:
                return None  # the rest is not worth its time
    except (DiscreetError, ValueError, LookupError, TypeError, AttributeError):
        return None
    except (RecursionError, ArithmeticError):
        return None
    return again if text_of_all(document, again).encode("utf-8") == text else None


def _total(document: Document, recipe: Recipe) -> DerivedNumbers:
    only, by, alpha = _parts(recipe.get("only", {})), recipe.get("by", []), recipe["alpha"]
    return total(document, recipe["of"], by, only, alpha, together=recipe["together"])


def _difference(document: Document, recipe: Recipe) -> DerivedNumbers:
    sides = [_parts(recipe[side]) if side in recipe else None for side in ("first", "second")]
    return difference(
        document,
        recipe["of"],
        *sides,
        other=recipe.get("other"),
        alpha=recipe["alpha"],
        together=recipe["together"],
    )


def _ratio(document: Document, recipe: Recipe) -> DerivedNumbers:
    return ratio(
        document,
        recipe["of"],
        recipe["other"],
        by=recipe.get("by", []),
        only=_parts(recipe.get("only", {})),
        alpha=recipe["alpha"],
        together=recipe["together"],
    )


def _share(document: Document, recipe: Recipe) -> DerivedNumbers:
    by, alpha = recipe.get("by", []), recipe["alpha"]
    known = recipe.get("known")
    return share(document, recipe["of"], by, alpha, known=known, together=recipe["together"])


def _intervals(document: Document, recipe: Recipe) -> DerivedNumbers:
    return intervals(document, recipe["of"], recipe["alpha"], together=recipe["together"])


_MAKERS: dict[str, Callable[[Document, Recipe], DerivedNumbers]] = {
    "total": _total,
    "difference": _difference,
    "ratio": _ratio,
    "share": _share,
    "intervals": _intervals,
}


def _parts(chosen: Mapping[str, list[list[Any]]]) -> dict[str, frozenset[Part]]:
    return {name: frozenset(tuple(part) for part in parts) for name, parts in chosen.items()}
