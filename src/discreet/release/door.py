"""The door: the one place where a private number becomes public.

Rules of this module:
- `drawn` makes the noise before any data is read, and refuses noise that costs more than was paid;
- `door` adds it: integers to integers, cell by cell, once;
- nothing else opens `Exact`.
"""

from dataclasses import dataclass
from operator import add

from ..aggregate import Exact, Noisy, Sensitivity
from ..errors import InternalError
from ..mechanism.law import Coins, Integers, Law
from ..privacy.loss import Pure, Zcdp, within


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Noise:
    """Drawn noise on its way to the door, as the array that its law made."""

    values: Integers


def drawn(
    law: Law, *, sensitivity: Sensitivity, paid: Pure | Zcdp, cells: int, coins: Coins
) -> Noise:
    """Return fresh noise for one vector, from a law that costs no more than was paid for it."""
    cost = law.loss(l1=sensitivity.l1, l2_squared=sensitivity.l2_squared)
    if not within(cost, paid):
        raise InternalError(
            f"the noise costs {cost}, but {paid} was paid.",
            why="a plan's law, sensitivity and price do not belong together",
            fix="please report it, with the plan",
        )
    return Noise(law.draws(cells, coins))


def door(exact: Exact, noise: Noise) -> Noisy:
    """Add the noise: what goes in is private, what comes out is public.

    The sums are of Python's whole numbers, so that none overflows.
    """
    values = exact.opened_by_the_door()
    if len(values) != len(noise.values):
        raise InternalError(
            "a vector and its noise have different lengths.",
            why="the length follows from the public keys, so the engine returned something else",
            fix="please report it, with the plan",
        )
    return Noisy(tuple(map(add, values, noise.values.tolist())))
