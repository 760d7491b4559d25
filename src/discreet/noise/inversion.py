"""Lazy bits: an exact draw from a known discrete law, one at a time.

A draw is a uniform real U in [0, 1), revealed only as far as needed; the outcome is the first i
with U < t_i, where t_i is the i-th cumulative probability. 64 bits and a binary search among
floor(2^64 t_i) decide nearly every draw; what is still undecided (one in 2^64 a threshold) takes
word after word until the enclosed t_i decides. `look` does the same for many draws at once.

Rules of this module:
- nothing is rounded: a draw is decided by a proof, or postponed until more bits are there;
- what 64 bits leave open is open in the table too, never settled by a nearest entry;
- one draw alone takes 64 bits whatever its value;
- nothing here needs NumPy, so that a plan does not load it.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from ..errors import InternalError
from ..exact.enclosure import Ball, Real, ball, floor_of
from .law import CoinSource, Integers

_FIRST_BITS = 128
_LAST_BITS = 1 << 17
_WORD = 64
_FEW = 24  # below this many draws, one by one is faster than arrays


@dataclass(frozen=True, slots=True)
class Outcomes:
    """A discrete law, listed.

    cumulative: returns the first n cumulative probabilities t_0 < t_1 < ... at the working
        precision, each in a ball.
    label: the i-th outcome's value.
    reach: how many thresholds the table holds.
    then: what U >= t_(reach - 1) means: "last", one more outcome; "more", the outcomes that
        `cumulative` goes on to list; or a function: draw the same law again and apply it.
    """

    cumulative: Callable[[int], list[Ball]]
    label: Callable[[int], int]
    reach: int
    then: Literal["last", "more"] | Callable[[int], int]


class Uniform:
    """A uniform real in [0, 1) of which the first bits are known; more are drawn when needed."""

    __slots__ = ("_bits", "_coins", "_prefix")

    def __init__(self, prefix: int, bits: int, coins: CoinSource) -> None:
        self._prefix = prefix
        self._bits = bits
        self._coins = coins

    def is_below(self, threshold: Real) -> bool:
        """Tell whether U < threshold, exactly, for a threshold in [0, 1]."""
        while True:
            scale = 1 << self._bits
            floor = floor_of(lambda scale=scale: threshold() * scale)  # type: ignore[misc]
            if self._prefix != floor:
                return self._prefix < floor
            self._prefix = self._prefix << _WORD | word(self._coins)
            self._bits += _WORD


class InversionTable:
    """An exact sampler for listed outcomes, one draw at a time; made once, never changed."""

    __slots__ = ("floors", "law")

    def __init__(self, law: Outcomes) -> None:
        self.law = law
        self.floors = floors_of(law)

    def one(self, coins: CoinSource) -> int:
        """Return one draw; it takes 64 bits, but for one draw in 2^64 or one beyond the table."""
        first = word(coins)
        place = bisect_left(self.floors, first)
        if place < len(self.floors):
            if self.floors[place] != first:
                return self.law.label(place)
        elif self.law.then == "last":
            return self.law.label(place)
        return self.beyond(first, place, coins)

    def beyond(self, first: int, place: int, coins: CoinSource) -> int:
        """Return the draw that begins with these 64 bits and is not below t_(place - 1)."""
        law, real = self.law, Uniform(first, _WORD, coins)
        while place < law.reach or law.then == "more":
            if real.is_below(lambda place=place: law.cumulative(place + 1)[place]):  # type: ignore[misc]
                return law.label(place)
            place += 1
        if callable(law.then):
            return law.then(self.one(coins))
        return law.label(place)


def few(count: int) -> bool:
    """Tell whether so few draws are faster one by one."""
    return count < _FEW


def word(coins: CoinSource) -> int:
    """Return 64 random bits as an integer."""
    return int.from_bytes(coins.bytes(8), "little")


def floors_of(law: Outcomes) -> list[int]:
    """Return floor(2^64 t_i) for the thresholds of the table, each proved by an enclosure."""
    from flint import ctx

    bits = _FIRST_BITS
    while bits <= _LAST_BITS:
        with ctx.workprec(bits):
            scale = ball(Fraction(1 << _WORD))
            floors = [(t * scale).floor().unique_fmpz() for t in law.cumulative(law.reach)]
        if None not in floors:
            return [int(floor) for floor in floors]
        bits *= 2
    raise InternalError(
        "a noise table was not decided by a hundred thousand bits.",
        kind="not-certified",
        why="a cumulative probability seems to be a multiple of 2^-64 exactly",
        fix="please report it, with the parameters of the law",
    )


def listed(draws: Sequence[int], *, wide: bool) -> Integers:
    """Return draws as an array: of int64, or of Python ints where the law is too wide for it."""
    import numpy as np

    return np.array(draws, dtype=object if wide else np.int64)
