"""What a pair of neighbors costs: the loss of the movement that was seen, under the noise in force.

Each number here is at most the true loss of the pair, so that what is above a price is a fault:
- additive noise: Pr[y] / Pr'[y] at the center of each number that moves by d is p(0) / p(d), and
  the numbers are independent; their Kullback-Leibler divergences add up, and rho and mu^2 / 2 are
  at least that;
- a choice: its exact chances for both neighbors, pick after pick;
- (epsilon, delta): the chances are put into coarse cells, which only lowers what they lose.

The masses are those that each law says of itself; `laws` compares them with what its sampler does.

Rules of this module:
- no sensitivity is looked at: what moves is what was counted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import exp, log
from typing import Any

from ..exact.enclosure import Ball, enclosed
from ..noise.law import Law

_BITS = 192
_CELLS, _GRID, _TOP = 600, 6_000, 16.0
_FAR = Fraction(1, 10**16)
_MOST_MOVED = 24  # numbers whose losses are put together for a delta
_STRAIGHT = Fraction(1, 10**18)


@dataclass(frozen=True, slots=True)
class Move:
    """One number that moves, or one pick: how it is told.

    Attributes:
        law: of the noise, or of the choice.
        moved: by how much, of a number.
        chances: of each outcome for both neighbors, of a pick.
        is_later: whether other picks came before, on which its chances hang.
    """

    law: Law
    moved: int = 0
    chances: tuple[tuple[float, ...], tuple[float, ...]] | None = None
    is_later: bool = False

    def pure(self) -> Fraction | None:
        """Return the largest log ratio that was found; None where it has no end."""
        if self.chances is not None:
            pairs = zip(*self.chances, strict=True)
            ratios = [abs(log(p / q)) for p, q in pairs if p > _TINY and q > _TINY]
            return Fraction(max(ratios, default=0) * _SAFE)
        return ratio_down(self.law, self.moved) if self.law.costs == "pure" else None

    def divergence(self) -> Fraction:
        """Return the divergence of both, at most; of a later pick none is known."""
        if self.is_later:
            return Fraction(0)
        if self.chances is not None:
            return max(_divergence(*self.chances), _divergence(*self.chances[::-1]))
        if is_straight(self.law, self.moved):
            return ratio_down(self.law, self.moved)
        return _of_one_cut(self.law, self.moved)

    def cut(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Return the chances of some outcomes for both neighbors, coarsely."""
        return self.chances if self.chances is not None else _coarse(self.law, self.moved)


_TINY, _LEAST, _SAFE = 1e-280, 1e-40, 1 - 1e-9


@lru_cache(maxsize=4096)
def ratio_down(law: Law, moved: int) -> Fraction:
    """Return ln(p(0) / p(d)), rounded down."""
    bits = _BITS + moved.bit_length()
    return max(Fraction(0), enclosed(lambda: _ratio(law, 0, moved), bits)[0])


def _ratio(law: Law, k: int, moved: int) -> Ball:
    return law.mass(k).log() - law.mass(k - moved).log()


@lru_cache(maxsize=4096)
def is_straight(law: Law, moved: int) -> bool:
    """Tell whether ln(p(k) / p(k - d)) is a straight line in k, as of Gaussian noise.

    Then its mean, which is the divergence, is its value at 0.
    """
    if law.costs == "pure":
        return False
    places = (-2 * moved - 1, 0, moved, 3 * moved + 5)
    bits = _BITS + 2 * moved.bit_length()

    def bend(a: int, b: int, c: int) -> Ball:
        first, middle, last = (_ratio(law, k, moved) for k in (a, b, c))
        return ((middle - first) * (c - b) - (last - middle) * (b - a)) / (1 + abs(first))

    bends = [enclosed(lambda a=a, b=b, c=c: bend(a, b, c), bits)  # type: ignore[misc]
             for a, b, c in (places[:3], places[1:])]  # fmt: skip
    return all(-_STRAIGHT < low <= high < _STRAIGHT for low, high in bends)


@lru_cache(maxsize=4096)
def _of_one_cut(law: Law, moved: int) -> Fraction:
    """Return the divergence of whether a number is above the middle of both."""
    at = (moved + 1) // 2
    p = float(enclosed(lambda: law.tail(at), _BITS)[0])
    q = float(enclosed(lambda: law.tail(at - moved), _BITS)[1])
    return Fraction(_divergence((p, 1 - p), (q, 1 - q)))


def _divergence(here: Sequence[float], other: Sequence[float]) -> Fraction:
    pairs = zip(here, other, strict=True)
    whole = sum(p * log(p / q) for p, q in pairs if p > _TINY and q > _TINY)
    return Fraction(max(0.0, whole * _SAFE - 1e-13))


@lru_cache(maxsize=512)
def _coarse(law: Law, moved: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the chances of some intervals for noise alone and for noise on a moved number."""
    far = law.half_width(_FAR)
    step = max(1, (2 * far + moved) // _CELLS)
    ends = [*range(-far, far + moved + 1, step)]
    both = []
    for off in (0, moved):
        tails = [enclosed(lambda k=k, off=off: law.tail(k - off), _BITS) for k in ends]  # type: ignore[misc]
        between = [float(max(Fraction(0), a[0] - b[1])) for a, b in pairwise(tails)]
        both.append((*between, float(tails[-1][0])))
    return both[0], both[1]


def delta_down(parts: Sequence[Move], epsilon: Fraction) -> float:
    """Return a delta that the pair has at an epsilon at least, from up to so many of its parts."""
    import numpy as np

    first = [part for part in parts if not part.is_later]
    some = sorted(first, key=lambda part: part.divergence())[-_MOST_MOVED:]
    top = float(epsilon) + _TOP
    step = 2 * top / _GRID
    best = 0.0
    for turn in (0, 1):
        whole: Any = None
        for part in some:
            mine = _losses(part.cut()[turn], part.cut()[1 - turn], top, step)
            whole = mine if whole is None else _folded(np.convolve(whole, mine))
        if whole is not None:
            losses = np.arange(len(whole)) * step - top
            gains = whole * np.maximum(0.0, 1 - np.exp(np.minimum(0.0, float(epsilon) - losses)))
            best = max(best, float(gains.sum()))
    return best * (1 - 1e-6)


def _losses(here: Sequence[float], other: Sequence[float], top: float, step: float) -> Any:
    """Return the chances of losses from -top to top, each rounded down."""
    import numpy as np

    mine = np.zeros(_GRID + 1)
    for p, q in zip(here, other, strict=True):
        if p <= _LEAST:
            continue
        loss = log(p / max(q, _LEAST))
        place = int((min(loss, top) + top) // step)
        if place >= 0:
            mine[min(place, _GRID)] += p
    return mine


def _folded(wide: Any) -> Any:
    """Return a convolution with its losses from -top to top; what is above is put at the top."""
    half = _GRID // 2
    mine = wide[half : half + _GRID + 1].copy()
    mine[-1] += wide[half + _GRID + 1 :].sum()
    return mine


def picks(law: Law, here: Sequence[int], other: Sequence[int], times: int) -> list[Move]:
    """Return each pick of a choice, along the picks by which most is told."""
    left, parts = list(range(len(here))), list[Move]()
    for _ in range(min(times, len(left))):
        p, q = (chances_of(law, [scores[place] for place in left]) for scores in (here, other))
        parts.append(Move(law, chances=(p, q), is_later=bool(parts)))
        pairs = list(zip(p, q, strict=True))
        ratios = [abs(log(a / b)) if min(a, b) > _TINY else 0.0 for a, b in pairs]
        left.pop(ratios.index(max(ratios)))
    return parts


def chances_of(law: Law, scores: Sequence[int]) -> tuple[float, ...]:
    """Return how likely each of some numbers is chosen by a law's own test of one of them."""
    import numpy as np

    top = max(scores)
    keeps = np.array([_kept(law, top - score) for score in scores])
    if getattr(law, "again", True):
        return tuple((keeps / keeps.sum()).tolist())
    nodes, weights = _nodes(len(scores) // 2 + 2)
    places, shares = (nodes + 1) / 2, weights / 2
    whole = np.prod(1 - np.outer(places, keeps), axis=1)
    each = [float(a * (shares * whole / (1 - places * a)).sum()) for a in keeps]
    return tuple(each)


@lru_cache(maxsize=32)
def _nodes(count: int) -> Any:
    """Return where a polynomial is looked at, so that its integral is exact."""
    import numpy as np

    return np.polynomial.legendre.leggauss(count)


def _kept(law: Law, below: int) -> float:
    scale: Any = getattr(law, "scale", Fraction(1))
    return exp(-min(700.0, float(below / scale)))
