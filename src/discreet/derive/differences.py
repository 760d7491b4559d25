"""Totals and differences of released numbers.

Differences of released numbers that do not add up: of means, and of everything else.

Rules of this module:
- each half-width is that of the noise of all that is added and taken away, by its own law;
- totals of a question with a rule of publication are of what is shown, and hold whatever was
  selected (`post.selected`): what is not shown is not 0, and is in no total;
- numbers that hold together have separate noise, or share out their alpha (`post.together`);
- means, variances and standard deviations have an interval of their own for a difference
  (`post.two_shares`);
- of what else does not add up both numbers are held by intervals at many levels, where their groups
  have noise of their own (`post.two_shares`), and else at half the level each.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod
from operator import eq
from typing import Any

from ..document.accessors import in_all
from ..document.document import Document, Released
from ..errors import InputError, shown
from ..exact.number import Number
from ..fix import Do, call
from ..noise.registry import law_of
from ..post.fieller import Ratio, sum_half_width
from ..post.interval import at_least, up
from ..post.selected import total_half_width
from ..post.together import level_for
from ..post.two_shares import SHARES, STDS, VARIANCES, ZONE, Kind, differences, levels_apart
from ..post.two_shares import difference as interval_of_difference
from ..report.additive import (
    Numbers,
    Part,
    axes_in,
    compared_of,
    numbers_of,
    parts_of,
    released_of,
    selected,
    several,
    shown_numbers_of,
)
from ..schema import table_of
from ..statistic.catalog import statistic_of
from ..statistic.chosen_quantile import ALPHA as AIMED
from ..statistic.statistic import CHOSEN
from .derivation import Axes, Keys, Side, derivation
from .derived import (
    DerivedColumn,
    DerivedNumbers,
    again,
    axes_of,
    chance_of,
    derived,
    plainly,
    rounded,
    said,
    sharing,
)

_OF_SHOWN = (
    "Totals are of the numbers that are shown. What is not shown is not 0; the total of all is a "
    "question of its own, and narrower."
)
_AIMED = (
    "The ends of each choice are aimed to hold the truth in 95 % of releases: of two they do in "
    '90 %, so that a difference is told with alpha="0.1", and nothing with less.'
)


@derivation("total", of=1, words={"by": "An axis that stays.", "only": "These keys alone."})
def total(
    document: Document,
    name: str,
    by: Axes = None,
    *,
    only: Keys = None,
    alpha: Number | None = None,
    together: bool = False,
) -> DerivedNumbers:
    """Return sums of the numbers of a count or a sum, each with the interval of that sum; free.

    If the question has a rule of publication, these are sums of the shown numbers. Their intervals
    hold whatever the rule selected.

    Args:
        name: the statistic: "count by ward and sex".
        by: the axes that stay; by default no axis stays, and the answer is one number.
        only: the keys to add up, by axis: {"ward": ["A", "B"]}; for bins, the two ends.
        alpha: the chance that an interval misses; by default the release's own.
        together: whether all intervals hold at once.

    Returns: derived numbers, with value, low and high for each group of the axes that stay, in the
        units of the statistic: rows, or the units of the column.

    Raises:
        InputError: there is no such statistic, axis or key, or its numbers cannot be added.

    Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so your
        numbers, will differ.

        >>> release.total("count by ward").values
        [1000]
    """
    selection, chance = shown_numbers_of(document, name), chance_of(document, alpha)
    numbers = numbers_of(document, name) if selection is None else selection
    kept = axes_in(numbers.released, () if by is None else by, chooses=True)
    chosen = selected(numbers.released, {} if only is None else only)
    groups = numbers.folded(kept, chosen)
    sums, sizes = ([act(part) for part in groups.values()] for act in (sum, len))
    title, notes = f"total of {name}{_words(kept)}", several(document, numbers, max([0, *sizes]))
    if selection is None:
        level = level_for(len(groups), chance) if together else chance
        half = [sum_half_width([(numbers.law, sizes[0])], level)] * len(sizes)
    else:
        among = in_all(numbers.released)
        half = [total_half_width(numbers.law, size, among, chance) for size in sizes]
        title, notes = f"{title}, of what is shown", [*notes, _OF_SHOWN]
    low, high = ([s + sign * off for s, off in zip(sums, half, strict=True)] for sign in (-1, 1))
    recipe = {"derive": "total", "of": name}
    recipe |= said(by=kept, only=chosen, alpha=chance, together=together)
    return derived(
        document,
        title,
        recipe,
        axes=axes_of(numbers.released, kept),
        index=list(groups),
        numbers=_measured(numbers, sums, at_least(0, low) if numbers.counted else low, high),
        measure=numbers.released.answer.measure,
        notes=notes,
    )


@derivation("difference", of=2, words={"first": "One side.", "second": "The other side."})
def difference(
    document: Document,
    name: str,
    first: Side = None,
    second: Side = None,
    *,
    other: str | None = None,
    alpha: Number | None = None,
    together: bool = False,
) -> DerivedNumbers:
    """Return the difference of two groups, or of two statistics; free.

    Args:
        name: the statistic, which may also be a mean.
        first, second: two keys, or two dicts of axes and keys: {"sex": "f"}, {"sex": "m"}.
        other: a second statistic with the same layout, instead of two keys: each of its numbers is
            subtracted.
        alpha: the chance that an interval misses; by default the release's own.
        together: whether all intervals hold at once, with probability 1 - alpha.

    Returns: derived numbers, with value, low and high in the units of the statistics: one number
        for two keys, or a number for each group of two statistics. If the value is below 0, the
        second side is larger.

    Raises:
        InputError: a side does not exist, the two sides share a number, or the sides cannot be
            compared.

    Example: The example uses the release made in `help(discreet.Release)`. Your noise, and so your
        numbers, will differ.

        >>> release.difference("count by ward", "A", "B").values
        [182]
    """
    if (other is None) == (first is None and second is None) or (first is None) != (second is None):
        raise _of_one(compared_of(document, name))
    chance = chance_of(document, alpha)
    if other is not None:
        return _of_two(document, name, other, chance, together=together)
    released = compared_of(document, name)
    plus, minus = selected(released, first, "first"), selected(released, second, "second")
    kept = tuple(axis.name for axis in released.answer.axes if axis.name not in {*plus, *minus})
    recipe = {"derive": "difference", "of": name, "first": plainly(plus), "second": plainly(minus)}
    recipe |= said(alpha=chance, together=together)
    notes = [_AIMED] * (released.answer.measure == CHOSEN and chance < 2 * AIMED)
    if not released.answer.adds_up:
        groups, numbers = apart(document, name, (plus, minus), kept, recipe)
    else:
        source = numbers_of(document, name)
        left, right = source.folded(kept, plus), source.folded(kept, minus)
        _refuse_overlap(name, plus, minus)
        count = sum(len(next(iter(side.values()))) for side in (left, right))
        level = level_for(len(left), chance) if together else chance
        half = sum_half_width([(source.law, count)], level)
        moved = [sum(left[group]) - sum(right[group]) for group in left]
        ends = ([s + off for s in moved] for off in (-half, half))
        groups, numbers = list(left), _measured(source, moved, *ends)
        notes += several(
            document, source, max(len(next(iter(side.values()))) for side in (left, right))
        )
    return derived(
        document,
        f"difference in {name}: {selection_text(plus)} less {selection_text(minus)}",
        recipe,
        axes=axes_of(released, kept),
        index=groups,
        numbers=numbers,
        measure=released.answer.measure,
        notes=notes,
    )


def _of_one(released: Released) -> InputError:
    """Return the refusal of a difference that has one side, or three."""
    names, keys = [axis.name for axis in released.answer.axes], parts_of(released)
    sides = list(dict.fromkeys(parts[0] for parts in keys if parts))[:2]
    ends = [list(part) if len(part) > 1 else part[0] for part in sides]
    pair = [{names[0]: end} for end in ends] if len(names) > 1 else ends
    note = ", or name another statistic as the other one"
    return InputError(
        "a difference needs two parts of one statistic, or two statistics.",
        kind="settings-clash",
        why="each side is named once",
        fix=Do(call("release.difference", released.label, *pair), note)
        if len(pair) > 1
        else "name another statistic as the other one",
    )


def _of_two(
    document: Document, name: str, other: str, chance: Fraction, *, together: bool
) -> DerivedNumbers:
    """Return a statistic less another of the same axes, number by number."""
    left, right = numbers_of(document, name), numbers_of(document, other)
    if name == other or left.parts() != right.parts() or left.axes != right.axes:
        raise InputError(
            f"{shown(name)} and {shown(other)} do not have the same layout.",
            kind="not-comparable",
            why="a difference is taken number by number, of two statistics with the same groups",
            fix=Do(call("release.total", name, by=[]), ", and so for the other: totals compare"),
        )
    level = level_for(len(left.noisy), chance) if together else chance
    if left.step == right.step:
        half = left.step * sum_half_width([(left.law, 1), (right.law, 1)], level)
    else:
        worth = right.step / left.step
        bound = Ratio([(left.law, 1)], [(right.law, 1)], 1.0, level).bound(float(worth))
        half = left.step * Fraction(bound) * (1 + Fraction(1, 2**40))
    pairs = zip(left.noisy, right.noisy, strict=True)
    exact = [a * left.step - b * right.step for a, b in pairs]
    recipe = {"derive": "difference", "of": name, "other": other}
    recipe |= said(alpha=chance, together=together)
    return derived(
        document,
        f"{name} less {other}",
        recipe,
        axes=left.released.answer.axes,
        index=left.parts(),
        numbers=rounded(exact, [x - half for x in exact], [x + half for x in exact]),
        measure="sum",
    )


def _measured(
    numbers: Numbers, values: Sequence[int], low: Sequence[int], high: Sequence[int]
) -> DerivedColumn:
    """Return whole numbers of steps as they are shown: counts whole, sums in their measure."""
    if numbers.counted and numbers.step == 1:
        return DerivedColumn(list(values), list(low), list(high))
    return rounded(*([n * numbers.step for n in part] for part in (values, low, high)))


def _refuse_overlap(
    name: str, left: Mapping[str, frozenset[Part]], right: Mapping[str, frozenset[Part]]
) -> None:
    """Raise InputError where the sides share a number: its noise would cancel."""
    apart = any(not left[axis] & right[axis] for axis in left if axis in right)
    if not apart or {*left} != {*right}:
        raise not_apart(name)


def _words(kept: Sequence[str]) -> str:
    return f", by {' and '.join(kept)}" if kept else ""


def selection_text(chosen: Mapping[str, frozenset[Part]]) -> str:
    """Return keys that were selected in words."""
    return " and ".join(
        ", ".join(" to ".join(map(str, part)) for part in sorted(parts, key=repr))
        for parts in chosen.values()
    )


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
    row_numbers = [_numbers(whole, side, kept) for side in sides]
    if len(row_numbers[0]) != many or row_numbers[0].keys() != row_numbers[1].keys():
        raise InputError(
            f"the two sides of {shown(name)} do not name the same axes.",
            kind="not-comparable",
            why="what is compared differs in one key, and is alike in all others",
            fix=_ALIKE,
        )
    at = [[side[group] for group in row_numbers[0]] for side in row_numbers]
    if any(map(eq, *at)):
        raise not_apart(name)
    each = sharing(document, name)
    left, right = ({row // each for row in side} for side in at)  # groups with noise of their own
    alpha = Fraction(recipe["alpha"])
    level = level_for(len(left), alpha) * len(left) / many if recipe["together"] else alpha
    kind = _kind(whole)
    part = level * (1 - ZONE) if kind else level  # exact: rationals
    ends = _ends(document, name, at, part, apart=not left & right)
    cells = [whole.answer.rows.columns[-3][row] for row in (*at[0], *at[1])]
    pairs = zip(cells[:many], cells[many:], strict=True)
    values = [None if a is None or b is None else a - b for a, b in pairs]
    if kind:
        ends = _compared(document, whole, (kind, at), ends, level)
    values = [
        None if value is None else min(max(value, a), b)
        for value, a, b in zip(values, *ends, strict=True)
    ]
    return list(row_numbers[0]), DerivedColumn(values, *ends)


_ALIKE = "name the same axes on both sides, as dicts, and another key of one of them"


def not_apart(name: str) -> InputError:
    """Return the refusal of two sides that have a number in common: its noise would cancel."""
    return InputError(
        f"the two sides of {shown(name)} have numbers in common.",
        kind="not-comparable",
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
        chance: [list(c) for c in again(document, [name], chance)[0].answer.rows.columns[-2:]]
        for chance in dict.fromkeys(every)
    }
    first, second = (
        [[(columns[chance][0][row], columns[chance][1][row]) for chance in every] for row in side]
        for side in at
    )
    pairs = [interval_of_difference(a, b) for a, b in zip(first, second, strict=True)]
    return [low for low, _ in pairs], [high for _, high in pairs]


def _numbers(
    released: Released, side: KeysOfSide, kept: Sequence[str]
) -> dict[tuple[Part, ...], int]:
    """Return the row of each group on one side, or raise InputError where several make it up."""
    name, names = released.label, [axis.name for axis in released.answer.axes]
    if any(len(chosen) > 1 for chosen in side.values()):
        raise InputError(
            f"several groups of {shown(name)} do not add up to one number.",
            kind="no-joint-number",
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
    left, right = (
        [[vector.noisy[sums * row + place] for row in side] for place in range(sums)] for side in at
    )
    shares = (np.array(ends[0]) / width - _SLACK, np.array(ends[1]) / width + _SLACK)
    low, high = differences(left, right, shares, (kind, law_of(vector.noise)), level)
    slack = _SLACK * width
    clipped = [np.clip(end, -width, width) for end in (low * width - slack, high * width + slack)]
    return clipped[0].tolist(), clipped[1].tolist()
