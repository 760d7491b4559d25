"""Differences of released numbers that do not add up: of means, and of everything else.

Rules of this module:
- means, variances and standard deviations have an interval of their own for a difference
  (`post.two_shares`, `post.two_shares`);
- of what else does not add up both numbers are held by intervals at many levels, where their groups
  have noise of their own (`post.two_shares`), and else at half the level each.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod
from operator import eq
from typing import Any

from ..document.document import Document, Released
from ..errors import InputError, shown
from ..noise.registry import law_of
from ..post.interval import up
from ..post.together import level_for
from ..post.two_shares import (
    SHARES,
    STDS,
    VARIANCES,
    ZONE,
    Kind,
    difference as interval_of_difference,
    differences,
    levels_apart,
)
from ..report.cells import Part, parts_of, released_of
from ..schema import table_of
from ..statistic.catalog import statistic_of
from .again import again, sharing
from .derived import DerivedColumn

_KINDS = {"": None, "shares": SHARES, "variances": VARIANCES, "stds": STDS}
_SLACK = 2.0**-40  # of an end's size: more than all rounding
KeysOfSide = Mapping[str, frozenset[Part]]
Groups = list[tuple[Part, ...]]


def apart(
    document: Document,
    name: str,
    sides: Sequence[KeysOfSide],
    kept: Sequence[str],
    recipe: Mapping[str, Any],
) -> tuple[Groups, DerivedColumn]:
    """Return differences of numbers that do not add up."""
    whole = released_of(document, name)
    places = [at for at, axis in enumerate(whole.answer.axes) if axis.name in kept]
    many = prod(len({parts[at] for parts in parts_of(whole)}) for at in places)
    found = [_numbers(whole, side, kept) for side in sides]
    if len(found[0]) != many or found[0].keys() != found[1].keys():
        raise InputError(
            f"the two sides of {shown(name)} do not name the same axes.",
            why="what is compared differs in one key, and is alike in all others",
            fix=_ALIKE,
        )
    at = [[side[group] for group in found[0]] for side in found]
    if any(map(eq, *at)):
        raise not_apart(name)
    each = sharing(document, name)
    one, two = ({row // each for row in side} for side in at)  # groups with noise of their own
    alpha = Fraction(recipe["alpha"])
    level = level_for(len(one), alpha) * len(one) / many if recipe["together"] else alpha
    kind = _kind(whole)
    part = level * (1 - ZONE) if kind else level  # exact: rationals
    ends = _ends(document, name, at, part, apart=not one & two)
    told = [whole.answer.rows.columns[-3][row] for row in (*at[0], *at[1])]
    pairs = zip(told[:many], told[many:], strict=True)
    values = [None if a is None or b is None else a - b for a, b in pairs]
    if kind:
        ends = _compared(document, whole, (kind, at), ends, level)
    values = [
        None if value is None else min(max(value, a), b)
        for value, a, b in zip(values, *ends, strict=True)
    ]
    return list(found[0]), DerivedColumn(values, *ends)


_ALIKE = "name the same axes on both sides, as dicts, and another key of one of them"


def not_apart(name: str) -> InputError:
    """Return the refusal of two sides that have a number in common: its noise would cancel."""
    return InputError(
        f"the two sides of {shown(name)} are not apart.",
        why="both name the same axes, and differ in the keys of one of them",
        fix=_ALIKE,
    )


def _ends(
    document: Document, name: str, at: Sequence[Sequence[int]], level: Fraction, *, apart: bool
) -> tuple[list[float], list[float]]:
    """Return the ends of an interval for each difference, by both numbers' intervals.

    Args:
        document, name: the release, and its statistic.
        at: of each side, the rows of its numbers.
        level: the chance of missing.
        apart: whether the two numbers of a difference have noise of their own.
    """
    every = levels_apart(level) if apart else (level / 2,)  # exact: rationals
    columns = {
        one: [list(c) for c in again(document, [name], one)[0].answer.rows.columns[-2:]]
        for one in dict.fromkeys(every)
    }
    first, second = (
        [[(columns[one][0][row], columns[one][1][row]) for one in every] for row in side]
        for side in at
    )
    found = [interval_of_difference(a, b) for a, b in zip(first, second, strict=True)]
    return [low for low, _ in found], [high for _, high in found]


def _numbers(released: Released, side: KeysOfSide, kept: Sequence[str]) -> dict[tuple[Part, ...], int]:
    """Return the row of each group on one side, or raise InputError where several make it up."""
    name, names = released.label, [axis.name for axis in released.answer.axes]
    if any(len(chosen) > 1 for chosen in side.values()):
        raise InputError(
            f"several groups of {shown(name)} have no number together.",
            why="its numbers do not add up",
            fix="name one key on each side",
        )
    return {
        tuple(part for part, axis in zip(parts, names, strict=True) if axis in kept): at
        for at, parts in enumerate(parts_of(released))
        if all(parts[names.index(axis)] in chosen for axis, chosen in side.items())
    }


def _kind(released: Released) -> Kind | None:
    """Return what numbers are, with noise of their own in each group and of one column; None where
    they are something else."""
    first, *others = released.vectors
    kind = _KINDS[statistic_of(released.question).telling().compared]
    many = (2 if kind is SHARES else 3) * len(released.answer.rows)
    return kind if not others and first.times is None and len(first.noisy) == many else None


def _compared(
    document: Document,
    released: Released,
    what: tuple[Kind, Sequence[Sequence[int]]],
    ends: tuple[Sequence[float], Sequence[float]],
    level: Fraction,
) -> tuple[list[float], list[float]]:
    """Return the ends of intervals of differences, in the measure of their column.

    Args:
        document, released: the release, and its means, variances or standard deviations.
        what: what they are, and of each side the rows of its groups.
        ends: intervals that miss with at most level (1 - ZONE).
        level: the chance of missing.
    """
    import numpy as np

    bounds = table_of(document.plan["table"]).columns[str(released.question["column"])]
    size, (kind, at), (vector,) = bounds.upper - bounds.lower, what, released.vectors
    if kind is not SHARES:
        size = (size / 2) ** (2 if kind is VARIANCES else 1)  # exact: rationals
    width, sums = (
        up(size.numerator, size.denominator),
        len(vector.noisy) // len(released.answer.rows),
    )
    one, two = (
        [[vector.noisy[sums * row + place] for row in side] for place in range(sums)] for side in at
    )
    shares = (np.array(ends[0]) / width - _SLACK, np.array(ends[1]) / width + _SLACK)
    low, high = differences(one, two, shares, (kind, law_of(vector.noise)), level)
    slack = _SLACK * width
    found = [np.clip(one, -width, width) for one in (low * width - slack, high * width + slack)]
    return found[0].tolist(), found[1].tolist()
