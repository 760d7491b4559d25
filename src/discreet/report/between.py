"""Totals and differences of released numbers, and other intervals for them.

Rules of this module:
- each half-width is that of the noise of all that is added and taken away, by its own law;
- numbers that hold together have separate noise, or share out their alpha (`post.together`).
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import Any

from ..aggregate import Aggregate, Noisy
from ..document.accessors import labels
from ..document.answers import answer_table
from ..document.document import Document, Released
from ..errors import InputError, shown
from ..fix import BLANK, Do, call
from ..plans.line import Line
from ..plans.plan import plan_of
from ..post.combination import sum_half_width
from ..post.fieller import Ratio
from ..post.interval import at_least, downs
from ..post.together import common_level, level_for
from .cells import Numbers, Part, axes_in, compared_of, numbers_of, parts_of, released_of, selected
from .derived import (
    DerivedColumn,
    DerivedNumbers,
    axes_of,
    chance_of,
    derived,
    of_statistics,
    plainly,
    rounded,
    said,
)

_UNITS = "A unit that is in several groups counts in each of them."


def total(
    document: Document, name: str, by: object, only: object, alpha: object, *, together: bool
) -> DerivedNumbers:
    """Return sums of a statistic's numbers over all axes but `by`."""
    found, chance = numbers_of(document, name), chance_of(document, alpha)
    kept = axes_in(found.released, () if by is None else by)
    chosen = selected(found.released, {} if only is None else only)
    groups = found.folded(kept, chosen)
    level = level_for(len(groups), chance) if together else chance
    sums, each = [sum(part) for part in groups.values()], len(next(iter(groups.values())))
    half = sum_half_width([(found.law, each)], level)
    low, high = [s - half for s in sums], [s + half for s in sums]
    measure, recipe = found.released.answer.measure, {"derive": "total", "of": name}
    recipe |= said(by=kept, only=chosen, alpha=chance, together=together)
    return derived(
        document,
        f"total of {name}{_words(kept)}",
        recipe,
        axes=axes_of(found.released, kept),
        index=list(groups),
        numbers=_measured(found, sums, at_least(0, low) if found.counted else low, high),
        measure=measure,
        notes=[_UNITS] if measure == "units" and each > 1 else [],
    )


def difference(
    document: Document,
    name: str,
    first: object,
    second: object,
    *,
    other: str | None,
    alpha: object,
    together: bool,
) -> DerivedNumbers:
    """Return one part of a statistic less another part, or a statistic less another."""
    if (other is None) == (first is None and second is None) or (first is None) != (second is None):
        raise InputError(
            "a difference is of two parts of one statistic, or of two statistics.",
            why="each side is named once",
            fix=(
                Do(call("release.difference", name, BLANK, BLANK), ", two of its keys"),
                Do(call("release.difference", name, other="?")),
            ),
        )
    chance = chance_of(document, alpha)
    if other is not None:
        return _of_two(document, name, other, chance, together=together)
    released = compared_of(document, name)
    one, two = (
        selected(released, given, word) for given, word in ((first, "first"), (second, "second"))
    )
    kept = tuple(axis.name for axis in released.answer.axes if axis.name not in {*one, *two})
    recipe = {"derive": "difference", "of": name, "first": plainly(one), "second": plainly(two)}
    recipe |= said(alpha=chance, together=together)
    if not released.answer.adds_up:
        groups, numbers = _apart(document, name, (one, two), kept, recipe)
    else:
        found = numbers_of(document, name)
        left, right = found.folded(kept, one), found.folded(kept, two)
        _refuse_overlap(name, one, two)
        level = level_for(len(left), chance) if together else chance
        count = sum(len(next(iter(side.values()))) for side in (left, right))
        half = sum_half_width([(found.law, count)], level)
        moved = [sum(left[group]) - sum(right[group]) for group in left]
        low, high = [s - half for s in moved], [s + half for s in moved]
        groups, numbers = list(left), _measured(found, moved, low, high)
    return derived(
        document,
        f"difference in {name}: {_selection(one)} less {_selection(two)}",
        recipe,
        axes=axes_of(released, kept),
        index=groups,
        numbers=numbers,
        measure=released.answer.measure,
    )


def _of_two(
    document: Document, name: str, other: str, chance: Fraction, *, together: bool
) -> DerivedNumbers:
    """Return a statistic less another of the same axes, number by number."""
    left, right = numbers_of(document, name), numbers_of(document, other)
    if name == other or left.parts() != right.parts() or left.axes != right.axes:
        raise InputError(
            f"{shown(name)} and {shown(other)} are not laid out alike.",
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


def _apart(
    document: Document,
    name: str,
    sides: Sequence[Mapping[str, frozenset[Part]]],
    kept: Sequence[str],
    recipe: Mapping[str, Any],
) -> tuple[list[tuple[Part, ...]], DerivedColumn]:
    """Return differences of numbers that do not add up, from both intervals at a smaller alpha."""
    whole = released_of(document, name)
    places = [at for at, axis in enumerate(whole.answer.axes) if axis.name in kept]
    many = prod(len({parts[at] for parts in parts_of(whole)}) for at in places)
    chance = Fraction(recipe["alpha"])
    level = level_for(2 * many if recipe["together"] else 2, chance)
    released = _again(document, [name], level)[0]
    names = [axis.name for axis in released.answer.axes]
    found: list[dict[tuple[Part, ...], tuple[Any, ...]]] = []
    for side in sides:
        rows = zip(parts_of(released), released.answer.rows, strict=True)
        mine = {
            tuple(part for part, axis in zip(parts, names, strict=True) if axis in kept): row[-3:]
            for parts, row in rows
            if all(parts[names.index(axis)] in chosen for axis, chosen in side.items())
        }
        if any(len(chosen) > 1 for chosen in side.values()):
            raise InputError(
                f"several groups of {shown(name)} have no number together.",
                why="its numbers do not add up",
                fix=Do(call("release.difference", name, BLANK, BLANK), ", one key on each side"),
            )
        found.append(mine)
    if len(found[0]) != many or found[0].keys() != found[1].keys():
        raise InputError(
            f"the two sides of {shown(name)} do not name the same axes.",
            why="what is compared differs in one key, and is alike in all others",
            fix=Do(call("release.difference", name, {"?": BLANK}, {"?": BLANK})),
        )
    groups = list(found[0])
    pairs = [(found[0][group], found[1][group]) for group in groups]
    return groups, DerivedColumn(
        [None if a[0] is None or b[0] is None else a[0] - b[0] for a, b in pairs],
        [_down(a[1], b[2]) for a, b in pairs],
        [-_down(b[1], a[2]) for a, b in pairs],
    )


def _down(a: float, b: float) -> float:
    return downs([(exact := Fraction(a) - Fraction(b)).numerator], exact.denominator)[0]


def intervals(
    document: Document, name: str | None, alpha: object, *, together: bool
) -> DerivedNumbers:
    """Return the numbers of one statistic, or of all, with intervals at another alpha."""
    chance = chance_of(document, alpha)
    names = labels(document) if name is None else [name]
    for one in names:
        released_of(document, one)
    recipe = {"derive": "intervals", "of": name, **said(alpha=chance, together=together)}
    level = _level(document, names, chance) if together else chance
    found = _again(document, names, level, together=together)
    label = name if name is not None else "all statistics"
    return of_statistics(document, label, recipe, found)


def _level(document: Document, names: Sequence[str], alpha: Fraction) -> Fraction:
    """Return the level of each block of numbers with noise of its own."""
    lines = _lines(document, names)
    laws = [(line.laws[0], size) for line, size, each in lines if each == 0]
    return common_level(laws, alpha, others=sum(size for _, size, each in lines if each))


def _lines(document: Document, names: Sequence[str]) -> list[tuple[Line, int, int]]:
    """Return lines of the plan, in how many blocks their noise is separate, and how many numbers
    of a block share it; 0 where each number has noise of its own."""
    plan, every = plan_of(document.plan), labels(document)
    found = []
    for name in names:
        line, released = plan.lines[every.index(name)], document.statistics[every.index(name)]
        size = len(released.answer.rows)
        own = [one.transform is None and one.size(plan.table) == size for one in line.aggregates]
        if released.answer.adds_up and own == [True]:
            found.append((line, size, 0))
        else:
            blocks = 1  # of a cube, whose numbers are all made of the same noise
            if line.statistic.cells(plan.table) is None:
                blocks = _blocks(line.aggregates, plan.table.groups(line.aggregates[0].by))
            found.append((line, blocks, size // blocks))
    return found


def _blocks(aggregates: Sequence[Aggregate], groups: int) -> int:
    """Return how many groups have noise of their own; 1 where a matrix mixes all of them."""
    if any(found.choice for found in aggregates):
        return 1  # each pick is of what others left
    mixed = any(found.transform and found.transform.of == "vector" for found in aggregates)
    return groups if not mixed and all(found.by == aggregates[0].by for found in aggregates) else 1


def _again(
    document: Document, names: Sequence[str], level: Fraction, *, together: bool = False
) -> list[Released]:
    """Return statistics answered anew from their integers, at a level."""
    plan, every = plan_of(document.plan), labels(document)
    vectors = [[Noisy(tuple(v.noisy)) for v in one.vectors] for one in document.statistics]
    found = []
    for (line, _, each), name in zip(_lines(document, names), names, strict=True):
        released = document.statistics[every.index(name)]
        noisy = plan.given(every.index(name), vectors)
        mine = level / each if together and each else level
        answer = answer_table(line.statistic.answer(plan.table, noisy, line.laws, mine))
        found.append(released.model_copy(update={"answer": answer}))
    return found


def _measured(
    found: Numbers, values: Sequence[int], low: Sequence[int], high: Sequence[int]
) -> DerivedColumn:
    """Return whole numbers of steps as they are shown: counts whole, sums in their measure."""
    if found.counted and found.step == 1:
        return DerivedColumn(list(values), list(low), list(high))
    return rounded(*([n * found.step for n in part] for part in (values, low, high)))


def _refuse_overlap(
    name: str, one: Mapping[str, frozenset[Part]], two: Mapping[str, frozenset[Part]]
) -> None:
    """Raise InputError where the sides share a number: its noise would cancel."""
    apart = any(not one[axis] & two[axis] for axis in one if axis in two)
    if not apart or {*one} != {*two}:
        raise InputError(
            f"the two sides of {shown(name)} are not apart.",
            why="both name the same axes, and differ in the keys of one of them",
            fix=Do(call("release.difference", name, {"?": BLANK}, {"?": BLANK})),
        )


def _words(kept: Sequence[str]) -> str:
    return f", by {' and '.join(kept)}" if kept else ""


def _selection(chosen: Mapping[str, frozenset[Part]]) -> str:
    return " and ".join(
        ", ".join(" to ".join(map(str, part)) for part in sorted(parts, key=repr))
        for parts in chosen.values()
    )
