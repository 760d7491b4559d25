"""The door: the one place where a private number becomes public.

Rules of this module:
- `door` adds noise that was drawn before: integers to integers, cell by cell, once;
- `chosen` tells where the largest numbers stand, by a choice that was priced, and nothing else;
- `passed` adds noise likewise, and tells only sums that reach a public threshold, and where;
- `reached` tells which totals of noisy sums reach a threshold, and nothing else of them;
- nothing else makes private integers public; `sealed` makes other sealed ones of them.

Decisions 26, 101.
"""

from operator import add

from ..aggregate import Exact, Noisy
from ..errors import InternalError
from .draws import Fresh, Picks, SparseNoise
from .sealed import Aside


def door(exact: Exact, noise: Fresh) -> Noisy:
    """Add the noise, or choose: what goes in is private, what comes out is public.

    The sums are of Python's whole numbers, so that none overflows.
    """
    if isinstance(noise, Picks):
        return chosen(exact, noise)
    if isinstance(noise, SparseNoise):
        return passed(exact, noise)
    values = exact.opened_by_the_door()
    if len(values) != len(noise.values):
        raise InternalError(
            "a vector and its noise have different lengths.",
            kind="internal-fault",
            why="the length follows from the public keys, so the engine returned something else",
            fix="please report it, with the plan",
        )
    return Noisy(tuple(map(add, values, noise.values.tolist())))


def chosen(exact: Exact, picks: Picks) -> Noisy:
    """Return where the largest numbers stand, by their choice: places, and no number."""
    values = exact.opened_by_the_door()
    if picks.rank is None:
        among = len(values) if picks.of is None else picks.of.among(len(values))
        return Noisy(picks.law.picked(values[:among], picks.count, picks.coins))
    picked, bins = list[int](), len(values) // picks.count
    for start in range(0, len(values), bins):
        numbers = picks.rank.numbers(values[start : start + bins], picks.off)
        picked.extend(picks.law.picked(numbers, 1, picks.coins))
    return Noisy(tuple(picked))


def passed(exact: Exact, noise: SparseNoise) -> Noisy:
    """Return the sums that reach the threshold, with their places in rising order.

    What has the law of adding noise to every cell: a cell without rows passes with its noise alone,
    and so exactly if it is lifted. A cell with rows has the noise that was drawn for it, whether it
    is lifted or not.
    """
    counted, lifted = exact.cells_opened_by_the_door(), noise.lifted
    if counted and not 0 <= min(counted) <= max(counted) < noise.cells:
        raise InternalError(
            "a cell was counted that is not public.",
            kind="internal-fault",
            why="the cells follow from the public keys, so the engine returned something else",
            fix="please report it, with the plan",
        )
    others = [place for place in counted if place not in lifted]
    sums = [(place, counted.get(place, 0) + z) for place, z in lifted.items()]
    sums += [(p, counted[p] + z) for p, z in zip(others, noise.below(others), strict=True)]
    over = sorted([pair for pair in sums if pair[1] >= noise.threshold])
    return Noisy(tuple([number for _, number in over]), tuple([place for place, _ in over]))


def reached(total: Exact, threshold: int, aside: Aside) -> frozenset[int]:
    """Return the places where a total, noise included, is at least the threshold: public.

    Those that were set aside are not among them.
    """
    values = total.opened_by_the_door()
    over = [place for place, value in enumerate(values) if value >= threshold]
    return frozenset(over) - aside.opened_by_the_door()
