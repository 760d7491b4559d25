"""Differences of released numbers that do not add up: of means, and of everything else.

Rules of this module:
- means have an interval of their own for a difference (`post.two_shares`); what else does not add
  up is held by both intervals at half the level each, which is safe, and up to 1.6 times as wide.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import Any

from ..document.document import Document, Released
from ..errors import InputError, shown
from ..fix import BLANK, Do, call
from ..noise.registry import law_of
from ..post.interval import downs, up
from ..post.together import level_for
from ..post.two_shares import ZONE, differences
from ..schema import table_of
from .again import again
from .cells import Part, parts_of, released_of
from .derived import DerivedColumn

_SLACK = 2.0**-40  # of an end's size: more than all rounding
Side = Mapping[str, frozenset[Part]]
Groups = list[tuple[Part, ...]]


def apart(
    document: Document,
    name: str,
    sides: Sequence[Side],
    kept: Sequence[str],
    recipe: Mapping[str, Any],
) -> tuple[Groups, DerivedColumn]:
    """Return differences of numbers that do not add up."""
    whole = released_of(document, name)
    places = [at for at, axis in enumerate(whole.answer.axes) if axis.name in kept]
    many = prod(len({parts[at] for parts in parts_of(whole)}) for at in places)
    alpha = Fraction(recipe["alpha"])
    level = level_for(many, alpha) if recipe["together"] else alpha
    is_mean = _is_mean(whole)
    part = level * (1 - ZONE) if is_mean else level
    both = level_for(2 * many, alpha) if recipe["together"] and not is_mean else level_for(2, part)
    released = again(document, [name], both)[0]
    found = [_numbers(released, side, kept) for side in sides]
    if len(found[0]) != many or found[0].keys() != found[1].keys():
        raise InputError(
            f"the two sides of {shown(name)} do not name the same axes.",
            why="what is compared differs in one key, and is alike in all others",
            fix=Do(call("release.difference", name, {"?": BLANK}, {"?": BLANK})),
        )
    groups = list(found[0])
    rows: list[Any] = list(released.answer.rows)
    pairs = [(rows[found[0][group]][-3:], rows[found[1][group]][-3:]) for group in groups]
    low = [_down(a[1], b[2]) for a, b in pairs]
    high = [-_down(b[1], a[2]) for a, b in pairs]
    values = [None if a[0] is None or b[0] is None else a[0] - b[0] for a, b in pairs]
    if is_mean:
        at = [[side[group] for group in groups] for side in found]
        low, high = _of_means(document, whole, at, (low, high), level)
        values = [
            None if value is None else min(max(value, a), b)
            for value, a, b in zip(values, low, high, strict=True)
        ]
    return groups, DerivedColumn(values, low, high)


def _numbers(released: Released, side: Side, kept: Sequence[str]) -> dict[tuple[Part, ...], int]:
    """Return the row of each group on one side, or raise InputError where several make it up."""
    name, names = released.label, [axis.name for axis in released.answer.axes]
    if any(len(chosen) > 1 for chosen in side.values()):
        raise InputError(
            f"several groups of {shown(name)} have no number together.",
            why="its numbers do not add up",
            fix=Do(call("release.difference", name, BLANK, BLANK), ", one key on each side"),
        )
    return {
        tuple(part for part, axis in zip(parts, names, strict=True) if axis in kept): at
        for at, parts in enumerate(parts_of(released))
        if all(parts[names.index(axis)] in chosen for axis, chosen in side.items())
    }


def _is_mean(released: Released) -> bool:
    """Tell whether numbers are means of one column, with noise of their own in each group."""
    question, (first, *others) = released.question, released.vectors
    plain = question["statistic"] == "mean" and isinstance(question.get("column"), str)
    alone = not others and first.times is None and len(first.noisy) == 2 * len(released.answer.rows)
    return plain and alone and "weights" not in question


def _of_means(
    document: Document,
    released: Released,
    at: Sequence[Sequence[int]],
    ends: tuple[Sequence[float], Sequence[float]],
    level: Fraction,
) -> tuple[list[float], list[float]]:
    """Return the ends of intervals of differences of means, in the measure of their column.

    Args:
        document, released: the release, and its means.
        at: of each side, the rows of its groups.
        ends: intervals that miss with at most level (1 - ZONE).
        level: the chance of missing.
    """
    import numpy as np

    bounds = table_of(document.plan["table"]).columns[str(released.question["column"])]
    size = bounds.upper - bounds.lower
    width = up(size.numerator, size.denominator)
    (vector,) = released.vectors
    one, two = (
        ([vector.noisy[2 * i] for i in side], [vector.noisy[2 * i + 1] for i in side])
        for side in at
    )
    shares = (np.array(ends[0]) / width - _SLACK, np.array(ends[1]) / width + _SLACK)
    low, high = differences(one, two, shares, law_of(vector.noise), level)
    slack = _SLACK * width
    found = [np.clip(one, -width, width) for one in (low * width - slack, high * width + slack)]
    return found[0].tolist(), found[1].tolist()


def _down(a: float, b: float) -> float:
    return downs([(exact := Fraction(a) - Fraction(b)).numerator], exact.denominator)[0]
