"""Counts of finer and finer groups, made to add up: the least squares of what was released.

Rules of this module:
- only counts that must add up are made to: one chain of groupings, each finer than the one before
  it, over the same rows, in which every other row has a group (`keys(..., other=)`);
- each level has one law, and each group as many parts as the others: the solver of lists of tables
  makes the estimates, which are least squares, with their variances;
- whole numbers are made from the top down, so that they add up, too.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import sqrt

import numpy as np

from ..document.document import Released
from ..errors import InputError, shown
from ..fix import call, write
from ..noise.registry import law_of
from ..post.denoise.known_facts import whole, with_total
from ..post.denoise.noise import Vector
from ..post.tables.attribute import Attribute
from ..post.tables.estimates import estimated
from ..post.tables.family import CountedTable, family
from ..schema import Table
from .additive import Part, parts_of
from .cleaned import CleanedStatistic
from .constraints import Facts

NAME = "consistent"
_OPTIONS = {"statistic", "by", "where", "weight", "within", "spend", "rows", "together"}

Chain = Sequence[tuple[str, Released]]  # the coarsest first


def added_up(
    statistics: Mapping[str, Released], table: Table, facts: Facts
) -> list[CleanedStatistic]:
    """Return counts that add up, in the order in which they were asked.

    Args:
        statistics: the counts of a release, by their names.
        table: what was declared.
        facts: what is publicly known; here at most that no count is below 0.

    Raises:
        InputError: they are no chain of groupings that must add up.
    """
    chain = sorted(statistics.items(), key=lambda pair: len(pair[1].answer.axes))
    _check(chain, table, facts)
    attribute = _attribute(chain)
    depth = len(attribute.levels)
    levels = [(level,) for level in range(depth - len(chain), depth)]
    laws = [law_of(released.vectors[0].noise) for _, released in chain]
    vectors = {
        CountedTable(n): released.vectors[0].noisy
        for n, (_, released) in zip(levels, chain, strict=True)
    }
    precisions = {counted: 1 / law.variance() for counted, law in zip(vectors, laws, strict=True)}
    fitted = family([attribute], [(level,) for level in range(depth)], precisions, ())
    estimates = estimated(fitted, vectors, {})
    values = [estimates.table(level).ravel() for level in levels]
    counts = _whole(attribute, values, least=0.0 if facts.known else None)
    made = {
        name: CleanedStatistic(
            label=name,
            denoiser=NAME,
            raw_error=sqrt(law.variance()),
            error=sqrt(fitted.variance(level) + float(((count - value) ** 2).mean())),
            words=f"made to add up with {_others(statistics, name)}; its error is known from the "
            "noise.",
            values=tuple(int(x) for x in count.tolist()),
        )
        for (name, _), level, law, value, count in zip(
            chain, levels, laws, values, counts, strict=True
        )
    }
    return [made[name] for name in statistics]


def _others(statistics: Mapping[str, Released], name: str) -> str:
    return ", ".join(other for other in statistics if other != name)


def _check(chain: Chain, table: Table, facts: Facts) -> None:
    asked = [{**released.question} for _, released in chain]
    plain = all(
        question["statistic"] == "count" and not {*question} - _OPTIONS for question in asked
    )
    if len(chain) < 2 or not plain or len({str(question.get("where")) for question in asked}) > 1:
        raise _not_a_chain("they are two or more counts of the same rows, without limits of theirs")
    if facts.totals or facts.known - {"nonnegative"}:
        raise InputError(
            "numbers that must add up take neither totals nor an order.",
            kind="does-not-add-up",
            why="known sums are given to tables, which are fitted to all of them at once",
            fix=write(known=["nonnegative"]),
        )
    for (_, coarse), (name, fine) in pairwise(chain):
        few, many = ({axis.name for axis in released.answer.axes} for released in (coarse, fine))
        if not few < many:
            raise _not_a_chain(f"{shown(name)} has not all columns of the one before it, and more")
        for column in sorted(many - few):
            if column not in table.others:
                raise InputError(
                    f"{shown(name)} need not add up to the coarser counts.",
                    kind="does-not-add-up",
                    why=f"a row whose {shown(column)} is on no list is in no group of it",
                    fix=write(of="table", keys={column: call("discreet.keys", "?", other="other")}),
                )


def _not_a_chain(why: str) -> InputError:
    return InputError(
        "these numbers are no chain of counts by finer and finer groups.",
        kind="does-not-add-up",
        why=why,
        fix=(
            "take another denoiser",
            "ask for discreet.tables of these columns, whose numbers add up",
        ),
    )


def _attribute(chain: Chain) -> Attribute:
    """Return in which group of each grouping, and of all together, the finest groups lie."""
    names = [axis.name for axis in chain[-1][1].answer.axes]
    finest = parts_of(chain[-1][1])
    levels = [] if not chain[0][1].answer.axes else [(0,) * len(finest)]
    for _, released in chain:
        kept = [names.index(axis.name) for axis in released.answer.axes]
        places: dict[tuple[Part, ...], int] = {
            tuple(parts): place for place, parts in enumerate(parts_of(released))
        }
        levels.append(tuple(places[tuple(parts[at] for at in kept)] for parts in finest))
    return Attribute(tuple(levels))


def _whole(attribute: Attribute, values: Sequence[Vector], *, least: float | None) -> list[Vector]:
    """Return whole numbers that add up, from the top down."""
    top = values[0] if least is None else np.maximum(values[0], least)
    numbers = [np.rint(top)]
    last = len(attribute.levels)
    for level, near in enumerate(values[1:], start=last - len(values) + 1):
        above, here = attribute.above(level, level - 1), np.zeros(near.size)
        order = np.argsort(above, kind="stable")
        ends = np.searchsorted(above[order], np.arange(numbers[-1].size + 1))
        for total, (start, end) in zip(
            numbers[-1].astype(int).tolist(), pairwise(ends.tolist()), strict=True
        ):
            below = order[start:end]
            here[below] = whole(with_total(near[below], float(total), least=least), total)
        numbers.append(here)
    return numbers
