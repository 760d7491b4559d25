"""Totals and differences of released numbers.

Rules of this module:
- each half-width is that of the noise of all that is added and taken away, by its own law;
- numbers that hold together have separate noise, or share out their alpha (`post.together`).
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ..document.document import Document
from ..errors import InputError, shown
from ..exact.number import Number
from ..fix import Do, call
from ..post.fieller import Ratio, sum_half_width
from ..post.interval import at_least
from ..post.together import level_for
from ..report.cells import Numbers, Part, axes_in, compared_of, numbers_of, selected, several
from ..statistic.quantile import ALPHA as AIMED
from ..statistic.statistic import CHOSEN
from .apart import apart, not_apart
from .derivation import Axes, Keys, Side, derivation
from .derived import (
    DerivedColumn,
    DerivedNumbers,
    axes_of,
    chance_of,
    derived,
    plainly,
    rounded,
    said,
)

_AIMED = (
    "The ends of each choice are aimed for 95 %: of two they hold together in 90 %, so that a "
    'difference is told with alpha="0.1", and nothing with less.'
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
    """Return sums of a count's or sum's numbers; free, with the interval of the sum itself.

    Args:
        name: the statistic: "count by ward and sex".
        by: the axes that stay; without, one number.
        only: which keys, by axis: {"ward": ["A", "B"]}; of bins, from where to where.
        alpha: the chance that an interval misses; without, the release's own.
        together: whether all intervals hold at once.

    Raises:
        InputError: there is no such statistic, axis or key, or its numbers do not add up.
    """
    found, chance = numbers_of(document, name), chance_of(document, alpha)
    kept = axes_in(found.released, () if by is None else by, chooses=True)
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
        notes=several(document, found, each),
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
    """Return one group less another, or a statistic less another; free.

    Args:
        name: the statistic; a mean too.
        first, second: a key each, or a dict of axes and keys: {"sex": "f"}, {"sex": "m"}.
        other: instead, a statistic laid out alike, which is taken away number by number.
        alpha, together: as for `total`.

    Raises:
        InputError: the sides are not there, are not apart, or cannot be compared.
    """
    if (other is None) == (first is None and second is None) or (first is None) != (second is None):
        raise InputError(
            "a difference is of two parts of one statistic, or of two statistics.",
            why="each side is named once",
            fix=f"name two keys of {shown(name)}, or another statistic as the other one",
        )
    chance = chance_of(document, alpha)
    if other is not None:
        return _of_two(document, name, other, chance, together=together)
    released = compared_of(document, name)
    one, two = selected(released, first, "first"), selected(released, second, "second")
    kept = tuple(axis.name for axis in released.answer.axes if axis.name not in {*one, *two})
    recipe = {"derive": "difference", "of": name, "first": plainly(one), "second": plainly(two)}
    recipe |= said(alpha=chance, together=together)
    notes = [_AIMED] * (released.answer.measure == CHOSEN and chance < 2 * AIMED)
    if not released.answer.adds_up:
        groups, numbers = apart(document, name, (one, two), kept, recipe)
    else:
        found = numbers_of(document, name)
        left, right = found.folded(kept, one), found.folded(kept, two)
        _refuse_overlap(name, one, two)
        count = sum(len(next(iter(side.values()))) for side in (left, right))
        level = level_for(len(left), chance) if together else chance
        half = sum_half_width([(found.law, count)], level)
        moved = [sum(left[group]) - sum(right[group]) for group in left]
        ends = ([s + off for s in moved] for off in (-half, half))
        groups, numbers = list(left), _measured(found, moved, *ends)
        notes += several(
            document, found, max(len(next(iter(side.values()))) for side in (left, right))
        )
    return derived(
        document,
        f"difference in {name}: {_selection(one)} less {_selection(two)}",
        recipe,
        axes=axes_of(released, kept),
        index=groups,
        numbers=numbers,
        measure=released.answer.measure,
        notes=notes,
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
        raise not_apart(name)


def _words(kept: Sequence[str]) -> str:
    return f", by {' and '.join(kept)}" if kept else ""


def _selection(chosen: Mapping[str, frozenset[Part]]) -> str:
    return " and ".join(
        ", ".join(" to ".join(map(str, part)) for part in sorted(parts, key=repr))
        for parts in chosen.values()
    )
