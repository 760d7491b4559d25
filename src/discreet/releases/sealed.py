"""Private integers made of private integers: sealed before, sealed after.

Rules of this module:
- nothing here is public: each function returns what only the door opens, or hands it to the engine
  whose rows it came from.

Decision 77.
"""

from collections.abc import Callable, Sequence
from operator import add

from ..aggregate import Exact
from ..engine.protocol import Pool


class Aside:
    """The places that a finding has set aside: for its next round, and for nobody else.

    How many there are tells how many keys there are.
    """

    __slots__ = ("_aside",)

    def __init__(self, places: frozenset[int] = frozenset()) -> None:
        self._aside = places

    def opened_by_the_door(self) -> frozenset[int]:
        """Return the private places."""
        return self._aside

    def __repr__(self) -> str:
        return "Aside(sealed)"


def with_noise(total: Exact | None, sums: Exact, noise: Exact, precision: int) -> Exact:
    """Return a total with `precision` times the noisy sums of one round more.

    Args:
        total: what the rounds before brought; None in the first.
        sums: of each key.
        noise: of each key, drawn for this round.
    """
    pairs = zip(sums.opened_by_the_door(), noise.opened_by_the_door(), strict=True)
    scaled = tuple([precision * (value + drawn) for value, drawn in pairs])
    return Exact(scaled if total is None else tuple(map(add, total.opened_by_the_door(), scaled)))


def at_least(sums: Exact, sizes: Sequence[int]) -> Exact:
    """Return how many of the sums reach each size.

    Args:
        sums: of each key its number of units.
        sizes: public.
    """
    values = sums.opened_by_the_door()
    return Exact(tuple([sum(value >= size for value in values) for size in sizes]))


def missed(total: Exact, level: int, keys_found: frozenset[int], aside: Aside) -> Aside:
    """Return the places set aside with those where a total is below a level, but what is found."""
    values = total.opened_by_the_door()
    below = frozenset([place for place, value in enumerate(values) if value < level])
    return Aside(aside.opened_by_the_door() | (below - keys_found))


def sums_of(pool: Pool, keys_found: frozenset[int], aside: Aside) -> Exact:
    """Return the sums of a round: of the keys that are neither found nor set aside."""
    return pool.sums(keys_found | aside.opened_by_the_door())


def noise_of(
    pool: Pool,
    draw: Callable[[Sequence[bytes]], Sequence[int]],
    keys_found: frozenset[int],
    aside: Aside,
) -> Exact:
    """Return the noise of a round: of the keys that are neither found nor set aside.

    A key's noise is named by the key, so that who else is asked for changes nothing. Others have 0,
    and nobody looks at their totals again (`missed`, `door.reached`).
    """
    gone = keys_found | aside.opened_by_the_door()

    def of_those_left(keys: Sequence[bytes]) -> Sequence[int]:
        left = [place for place in range(len(keys)) if place not in gone]
        noise = [0] * len(keys)
        for place, drawn in zip(left, draw([keys[place] for place in left]), strict=True):
            noise[place] = drawn
        return noise

    return pool.noise(of_those_left if gone else draw)
