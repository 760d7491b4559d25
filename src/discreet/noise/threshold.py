"""Noise of many cells, of which few reach a threshold: which do, how far, and what the others get.

Drawn in two steps, first whether Z reaches t, then its value given that, Z has its law.

Which cells. Each reaches t by itself, with chance p = Pr[Z >= t]. So how many stay below before the
next one that reaches it is geometric, and floor(ln U / ln(1 - p)) for an even U in (0, 1) is that,
as Pr[ln U / ln(1 - p) >= g] = Pr[U <= (1 - p)^g] = (1 - p)^g. So these are binomially many cells,
evenly placed, and are drawn in as many steps, however many cells there are.

How far. Given that it reaches t, Z is the largest z with U < Pr[Z >= z] / Pr[Z >= t], which falls
from 1: Pr[Z >= z | Z >= t] is the chance of that. It is found by halving.

The others. Of draws of the law the first one that is below t has the law given that it is below.
Each cell takes them from the stream of its own name, so that they are settled before it is known
which cells are asked for.

Rules of this module:
- U is revealed word by word until an enclosure decides: no float and no rounding decides anything;
- nothing here sees data; what is asked for in `below` is no part of what it gives for a name.

Decision 101.
"""

from collections.abc import Sequence
from fractions import Fraction

from ..exact.enclosure import Ball, ball, enclosed, floor_of
from .inversion import Uniform, word
from .law import CoinSource, Law, Streams

_WORD = 64
_GUARD = 128  # bits of the working precision beyond those of U
_BITS = 192
_NAME = 8  # bytes of the number of an attempt, and of that of a cell
_CHUNK = 1 << 15  # streams that are begun at once


def expected_up(law: Law, threshold: int, cells: int) -> Fraction:
    """Return how many of so many cells without rows reach a threshold on average, rounded up.

    Example: of a billion cells with sigma = 18 about 330 reach 90.

        >>> from .discrete_gaussian import DiscreteGaussian
        >>> int(expected_up(DiscreteGaussian(Fraction(324)), 90, 10**9))
        329
    """
    return cells * enclosed(lambda: law.tail(threshold), _BITS)[1]


class Lifted:
    """The noise of cells that reaches a threshold by itself; the cells are numbered from 0 on.

    Args:
        law: the noise of each cell.
        threshold: at least 1.
    """

    __slots__ = ("_floors", "_logs", "_tails", "law", "threshold")

    def __init__(self, law: Law, threshold: int) -> None:
        self.law = law
        self.threshold = threshold
        self._floors: dict[int, int] = {}
        self._logs: dict[int, Ball] = {}
        self._tails: dict[int, Ball] = {}

    def drawn(self, cells: int, coins: CoinSource) -> dict[int, int]:
        """Return which of so many cells have noise from the threshold on, with that noise."""
        lifted, cell = dict[int, int](), 0
        while (gap := self.gap(cells - cell, coins)) is not None:
            lifted[cell + gap] = self.value(coins)
            cell += gap + 1
        return lifted

    def gap(self, cells: int, coins: CoinSource) -> int | None:
        """Return how many of so many cells stay below before one that does not; None if all do."""
        from flint import ctx

        if cells <= 0:
            return None
        prefix, bits = word(coins), _WORD
        while True:
            with ctx.workprec(bits + _GUARD):
                scale = Fraction(1, 1 << bits)
                low, high = ball(prefix * scale), ball((prefix + 1) * scale)
                ratio = low.union(high).log() / self._log(bits)
                if ratio > cells:  # for all that U can be
                    return None
                gap = ratio.floor().unique_fmpz()
            if gap is not None:
                return int(gap) if gap < cells else None
            prefix = prefix << _WORD | word(coins)
            bits += _WORD

    def value(self, coins: CoinSource) -> int:
        """Return noise given that it is at least the threshold."""
        first = word(coins)
        real, sure, reach = Uniform(first, _WORD, coins), self.threshold, 1
        while self._reaches(sure + reach, first, real):
            sure, reach = sure + reach, 2 * reach
        beyond = sure + reach
        while beyond - sure > 1:
            middle = (sure + beyond) // 2
            sure, beyond = (
                (middle, beyond) if self._reaches(middle, first, real) else (sure, middle)
            )
        return sure

    def _reaches(self, z: int, first: int, real: Uniform) -> bool:
        """Tell whether U, which begins with 64 bits, is below Pr[Z >= z] / Pr[Z >= t]."""
        floor = self._floors.get(z)
        if floor is None:
            floor = floor_of(lambda: self._share(z) * (1 << _WORD))
            self._floors[z] = floor
        return first < floor if first != floor else real.is_below(lambda: self._share(z))

    def _share(self, z: int) -> Ball:
        from flint import ctx

        if ctx.prec not in self._tails:
            self._tails[ctx.prec] = self.law.tail(self.threshold)
        return self.law.tail(z) / self._tails[ctx.prec]

    def _log(self, bits: int) -> Ball:
        """Return ln(1 - p) at the working precision, which so many bits of U ask for."""
        if bits not in self._logs:
            self._logs[bits] = (-self.law.tail(self.threshold)).log1p()
        return self._logs[bits]


def below(law: Law, threshold: int, streams: Streams, cells: Sequence[int]) -> list[int]:
    """Return the noise of some cells given that it is below a threshold, each by its number.

    Args:
        law, threshold: as for `Lifted`; at least half of all draws are below.
        streams: one secret; a cell's noise follows from it and the cell's number.
        cells: their numbers.
    """
    drawn, left, attempt = [threshold] * len(cells), list(range(len(cells))), 0
    while left:
        prefix = attempt.to_bytes(_NAME, "big")
        for start in range(0, len(left), _CHUNK):
            part = left[start : start + _CHUNK]
            names = [cells[at].to_bytes(_NAME, "big") for at in part]
            for at, noise in zip(part, law.named(streams, prefix, names), strict=True):
                drawn[at] = noise
        left = [at for at in left if drawn[at] >= threshold]
        attempt += 1
    return drawn
