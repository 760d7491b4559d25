"""The door: the one place where a private number becomes public.

Rules of this module:
- `door` adds noise that was drawn before: integers to integers, cell by cell, once;
- `chosen` tells where the largest numbers stand, by a choice that was priced, and nothing else;
- `reached` tells which totals of noisy sums reach a threshold, and nothing else of them;
- nothing else makes private integers public; `sealed` makes other sealed ones of them.

Decision 26.
"""

from operator import add

from ..aggregate import Exact, Noisy
from ..errors import InternalError
from .draws import DrawnNoise, Picks
from .sealed import Aside


def door(exact: Exact, noise: DrawnNoise | Picks) -> Noisy:
    """Add the noise, or choose: what goes in is private, what comes out is public.

    The sums are of Python's whole numbers, so that none overflows.
    """
    if isinstance(noise, Picks):
        return chosen(exact, noise)
    values = exact.opened_by_the_door()
    if len(values) != len(noise.values):
        raise InternalError(
            "a vector and its noise have different lengths.",
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


def reached(total: Exact, threshold: int, aside: Aside) -> frozenset[int]:
    """Return the places where a total, noise included, is at least the threshold: public.

    Those that were set aside are not among them.
    """
    values = total.opened_by_the_door()
    over = [place for place, value in enumerate(values) if value >= threshold]
    return frozenset(over) - aside.opened_by_the_door()
