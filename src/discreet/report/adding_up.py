"""Counts of finer and finer groups, made to add up: the least squares of what was released.

Rules of this module:
- only counts that must add up are made to: one chain of groupings, each finer than the one before
  it, over the same rows, in which every other row has a group (`keys(..., other=)`);
- the estimates are linear in the noisy numbers, and unbiased: their error is known from the laws;
- whole numbers are made from the top down, so that they add up, too.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from ..document.document import Released
from ..errors import InputError, shown
from ..fix import Do, call, write
from ..noise.registry import law_of
from ..post.denoise.consistent import consistent
from ..post.denoise.known_facts import whole, with_total
from ..post.denoise.noise import Vector
from ..schema import Table
from .cells import Part, parts_of
from .cleaned import CleanedStatistic
from .constraints import Facts

NAME = "consistent"
_OPTIONS = {"statistic", "by", "where", "weight", "within", "rows", "together"}

Places = NDArray[np.int64]
Chain = Sequence[tuple[str, Released]]  # the coarsest first


def added_up(found: Mapping[str, Released], table: Table, facts: Facts) -> list[CleanedStatistic]:
    """Return counts that add up, in the order in which they were asked.

    Args:
        found: the counts of a release, by their names.
        table: what was declared.
        facts: what is publicly known; here at most that no count is below 0.

    Raises:
        InputError: they are no chain of groupings that must add up.
    """
    chain = sorted(found.items(), key=lambda one: len(one[1].answer.axes))
    _check(chain, table, facts)
    parents, levels = _parents(chain)
    laws = [law_of(one.vectors[0].noise) for _, one in chain]
    noisy = np.array([n for _, one in chain for n in one.vectors[0].noisy], dtype=float)
    sizes = [len(one.answer.rows) for _, one in chain]
    variances = np.repeat([law.variance() for law in laws], sizes)
    values, final = consistent(noisy, variances, parents)
    counts = _whole(values, parents, least=0.0 if facts.known else None)
    errors = final + (counts - values) ** 2
    made = {
        name: CleanedStatistic(
            label=name,
            denoiser=NAME,
            raw_error=sqrt(law.variance()),
            error=sqrt(float(errors[part].mean())),
            words=f"made to add up with {_others(found, name)}; its error is known from the noise.",
            values=tuple(int(x) for x in counts[part].tolist()),
        )
        for (name, _), part, law in zip(chain, levels, laws, strict=True)
    }
    return [made[name] for name in found]


def _others(found: Mapping[str, Released], name: str) -> str:
    return ", ".join(one for one in found if one != name)


def _check(chain: Chain, table: Table, facts: Facts) -> None:
    asked = [{**one.question} for _, one in chain]
    plain = all(one["statistic"] == "count" and not {*one} - _OPTIONS for one in asked)
    if len(chain) < 2 or not plain or len({str(one.get("where")) for one in asked}) > 1:
        raise _not_a_chain("they are two or more counts of the same rows, without limits of theirs")
    if facts.totals or facts.known - {"nonnegative"}:
        raise InputError(
            "numbers that are made to add up take no totals and no order.",
            why="known sums are given to tables, which are fitted to all of them at once",
            fix=write(known=["nonnegative"]),
        )
    for (_, coarse), (name, fine) in pairwise(chain):
        few, many = ({axis.name for axis in one.answer.axes} for one in (coarse, fine))
        if not few < many:
            raise _not_a_chain(f"{shown(name)} has not all columns of the one before it, and more")
        for column in sorted(many - few):
            if column not in table.others:
                raise InputError(
                    f"{shown(name)} need not add up to the coarser counts.",
                    why=f"a row whose {shown(column)} is on no list is in no group of it",
                    fix=write(of="table", keys={column: call("discreet.keys", "?", other="other")}),
                )


def _not_a_chain(why: str) -> InputError:
    return InputError(
        "these numbers are no counts of finer and finer groups.",
        why=why,
        fix=(
            "take another denoiser",
            Do(call("discreet.tables", ["?"], ["?", "?"]), ", whose numbers add up"),
        ),
    )


def _parents(chain: Chain) -> tuple[Places, list[slice]]:
    """Return the place of each number's parent, -1 at the top, and where each statistic lies."""
    parents: list[int] = []
    levels: list[slice] = []
    before: dict[tuple[Part, ...], int] = {}
    axes: list[str] = []
    for _, one in chain:
        names = [axis.name for axis in one.answer.axes]
        start, here = len(parents), dict[tuple[Part, ...], int]()
        for parts in parts_of(one):
            up = tuple(parts[names.index(name)] for name in axes)
            parents.append(before[up] if before else -1)
            here[tuple(parts)] = len(parents) - 1
        levels.append(slice(start, len(parents)))
        before, axes = here, names
    return np.array(parents, dtype=np.int64), levels


def _whole(values: Vector, parents: Places, *, least: float | None) -> Vector:
    """Return whole numbers that add up, from the top down."""
    found = values.copy()
    top = parents < 0
    found[top] = np.rint(values[top] if least is None else np.maximum(values[top], least))
    order = np.argsort(parents, kind="stable")
    ends = np.searchsorted(parents[order], np.arange(values.size + 1))
    for parent, (start, end) in enumerate(pairwise(ends.tolist())):
        below = order[start:end]
        if below.size:
            total = int(found[parent])
            near = with_total(values[below], float(total), least=least)
            found[below] = whole(near, total)
    return found
