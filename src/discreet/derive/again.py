"""Released numbers answered anew from their integers: with other intervals, alone or together.

Rules of this module:
- numbers that hold together have separate noise, or share out their alpha (`post.together`).
"""

from collections.abc import Sequence
from fractions import Fraction

from ..aggregate import Aggregate, Noisy
from ..document.accessors import labels
from ..document.answers import answer_table
from ..document.document import Document, Released
from ..exact.number import Number
from ..plans.line import Line
from ..plans.plan import plan_of
from ..post.together import common_level
from ..report.cells import released_of
from ..statistic.joined import Joined, Joint
from ..statistic.statistic import CHOSEN
from .derivation import derivation
from .derived import DerivedNumbers, chance_of, of_statistics, said

_AIMED = (
    "A quantile that was chosen has the ends that were chosen with it: at a smaller chance of a "
    "miss they say nothing, and the number stands in the release alone."
)


@derivation("intervals", of=1)
def intervals(
    document: Document,
    name: str | None = None,
    *,
    alpha: Number | None = None,
    together: bool = False,
) -> DerivedNumbers:
    """Return the same numbers with other intervals; free.

    Args:
        name: the statistic; without, all of them.
        alpha: the chance that an interval misses; without, the release's own.
        together: whether all of them hold at once, with probability 1 - alpha.

    Raises:
        InputError: there is no such statistic, or alpha is not a chance.
    """
    chance = chance_of(document, alpha)
    names = labels(document) if name is None else [name]
    for one in names:
        released_of(document, one)
    recipe = {"derive": "intervals", "of": name, **said(alpha=chance, together=together)}
    level = _level(document, names, chance) if together else chance
    found = again(document, names, level, together=together)
    label = name if name is not None else "all statistics"
    return of_statistics(document, label, recipe, found, _notes(document, names, found))


def _notes(document: Document, names: Sequence[str], found: Sequence[Released]) -> tuple[str, ...]:
    """Return why a number is told no more: the ends of a chosen quantile are for one chance."""
    every = labels(document)
    for name, now in zip(names, found, strict=True):
        before = document.statistics[every.index(name)].answer
        values = zip(before.rows.columns[-3], now.answer.rows.columns[-3], strict=True)
        gone = any(old is not None and new is None for old, new in values)
        if before.measure == CHOSEN and gone:
            return (_AIMED,)
    return ()


def _level(document: Document, names: Sequence[str], alpha: Fraction) -> Fraction:
    """Return the level of each block of numbers with noise of its own."""
    lines = _lines(document, names)
    laws = [(line.statistic.errs(line.laws[0]), size) for line, size, each in lines if each == 0]
    blocks = {joint_of(line) or line: size for line, size, each in lines if each}
    return common_level(laws, alpha, others=sum(blocks.values()))


def joint_of(line: Line) -> Joint | None:
    """Return the vector that a question shares with others; None where it has its own."""
    return line.statistic.joint if isinstance(line.statistic, Joined) else None


def _lines(document: Document, names: Sequence[str]) -> list[tuple[Line, int, int]]:
    """Return lines of the plan, in how many blocks their noise is separate, and how many numbers
    of a block share it, those of other lines with the same vector among them; 0 where each number
    has noise of its own."""
    plan, every = plan_of(document.plan), labels(document)
    found = []
    shared = [joint for name in names if (joint := joint_of(plan.lines[every.index(name)]))]
    for name in names:
        line, released = plan.lines[every.index(name)], document.statistics[every.index(name)]
        size = len(released.answer.rows)
        own = [one.transform is None and one.size(plan.table) == size for one in line.aggregates]
        mates = max(1, shared.count(joint)) if (joint := joint_of(line)) else 1
        if released.answer.adds_up and own == [True] and mates == 1:
            found.append((line, size, 0))
        else:
            blocks = 1  # of a cube, whose numbers are all made of the same noise
            if line.statistic.cells(plan.table) is None:
                blocks = _blocks(line.aggregates, plan.table.groups(line.aggregates[0].by))
            found.append((line, blocks, size // blocks * mates))
    return found


def sharing(document: Document, name: str) -> int:
    """Return how many numbers of a statistic, one after the other, are made of the same noise."""
    ((_, _, each),) = _lines(document, [name])
    return max(1, each)


def _blocks(aggregates: Sequence[Aggregate], groups: int) -> int:
    """Return how many groups have noise of their own; 1 where a matrix mixes all of them."""
    if any(found.choice for found in aggregates):
        return 1  # each pick is of what others left
    mixed = any(found.transform and found.transform.of == "vector" for found in aggregates)
    return groups if not mixed and all(found.by == aggregates[0].by for found in aggregates) else 1


def again(
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
