"""Derived numbers from their recipes, and whether a file of them follows from a release.

Rules of this module:
- a recipe is read as if somebody hostile had written it: what it does not make is not there.
"""

import json
from collections.abc import Iterable
from pathlib import Path

from ..document.document import Document, canonical
from ..errors import DiscreetError, InputError, as_given
from ..report.bundle import DERIVED, DERIVED_TABLE
from .catalog import derivations
from .derivation import Recipe
from .derived import FORMAT, DerivedNumbers, table_of_all, text_of_all

_MOST = 100  # recipes in a file


def made(document: Document, recipe: Recipe) -> DerivedNumbers:
    """Return the derived numbers that a recipe makes of a release.

    Raises:
        InputError: it cannot be made of this release.
        KeyError, TypeError, ValueError, AttributeError: it is no recipe.
    """
    if not isinstance(recipe["together"], bool):
        raise TypeError
    return derivations()[recipe["derive"]].by_recipe(document, recipe)


def derived_parts(
    document: Document, also: Iterable[DerivedNumbers] | DerivedNumbers
) -> dict[str, tuple[str, ...]]:
    """Return derived.json and derived.csv with their texts, or nothing where nothing was derived.

    Raises:
        InputError: something was not derived from this release.
    """
    parts = checked_parts(document, also)
    if not parts:
        return {}
    return {DERIVED: (text_of_all(document, parts),), DERIVED_TABLE: (table_of_all(parts),)}


def checked_parts(
    document: Document, also: Iterable[DerivedNumbers] | DerivedNumbers
) -> list[DerivedNumbers]:
    """Return what was derived of this release, as a list.

    Raises:
        InputError: something was not derived from this release.
    """
    if isinstance(also, str) or not isinstance(also, Iterable):
        raise _foreign(also)
    parts = [also] if isinstance(also, DerivedNumbers) else list(also)
    for part in parts:
        if not isinstance(part, DerivedNumbers) or part.document.digest != document.digest:
            raise _foreign(part)
        if made(document, part.recipe).plain() != part.plain():
            raise _foreign(part)
    return parts


def _foreign(argument: object) -> InputError:
    *kinds, last = derivations()
    return InputError(
        f"{as_given(argument)} was not derived from this release.",
        kind="other-release",
        why="what is saved beside a release follows from it, so that anybody can make it again",
        fix=f"give what release.{', '.join(kinds)} or {last} returned",
    )


def made_again(document: Document, text: bytes) -> list[DerivedNumbers] | None:
    """Return what the recipes of a derived.json make; None unless it holds that and no more."""
    try:
        plain = json.loads(text.decode("utf-8"))
        recipes = [entry["recipe"] for entry in plain["derived"]]
        if plain["format"] != FORMAT or len(recipes) > _MOST:
            return None
        again = []
        for recipe, entry in zip(recipes, plain["derived"], strict=True):
            again.append(made(document, recipe))
            if json.loads(canonical(again[-1].plain())) != entry:
                return None  # the rest is not worth its time
    except (DiscreetError, ValueError, LookupError, TypeError, AttributeError):
        return None
    except (RecursionError, ArithmeticError):
        return None
    return again if text_of_all(document, again).encode("utf-8") == text else None


def beside(document: Document, path: Path) -> list[DerivedNumbers]:
    """Return what was derived of a release and saved beside it; nothing where none follows."""
    from ..report.files_check import derived_text

    text = derived_text(path)
    return [] if text is None else made_again(document, text) or []


def table_again(document: Document, text: bytes) -> str | None:
    """Return the derived.csv that belongs to a derived.json; None unless that follows."""
    again = made_again(document, text)
    if again is None:
        return None
    return table_of_all(again) if again else ""
