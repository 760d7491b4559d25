"""The (epsilon, delta) of both laws together, where all of it was fixed in advance.

Rules of this module:
- what is returned is never below the truth: chances are whole numbers of 2^-128, rounded up, and
  rounding moves them to larger losses only, where delta grows;
- it holds for noise that was chosen before any answer was seen: one plan, or a figure beside a
  ledger; what an adaptive analyst may spend is added in purses;
- doubles say only where a table is cut, and what is cut off counts as larger than it is;
- a coarser table is no less safe, only nearer to what adds up.

With L the logarithm of the ratio of both chances, delta(epsilon) = E(1 - e^(epsilon - L))+ under
the first law. Losses of independent noise add. All Gaussian noise together is one Gaussian loss,
and Laplace noise that of one number (docs/laws/gdp.md, Theorems 2 and 1). They are put on a grid
of step h: a cell with chance a under the first law and b under the second goes to its two ends so
that both stay, which is the loosest pair with these sums (Doroshenko et al. 2022); the upper end,
above the lower e, gets y = (a - e^e b) / (1 - e^-h).
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from ..exact.enclosure import Ball, ball, round_up
from ..exact.number import common_step
from ..privacy import gdp
from .reals import fraction_up, start_of

_WHOLE = 1 << 128  # parts of a chance
_LEAST = Fraction(1, 1 << 96)  # a delta below it is no smaller than what is rounded
_MOST = 64  # an epsilon beyond all use is told by what adds up: a table of it is long
_BITS = 224
_TAIL = 16.0  # at e^-16 of delta a table is cut
_MOST_ATOMS = 256  # of one Laplace loss; beyond, it counts as randomized response
FINE, COARSE = 2048, 512  # points of a table, at most
_STEP = Fraction(1, 1000)

Laplace = tuple[Fraction, int]  # a scale, and how far one unit moves the vector (l1)


@dataclass(frozen=True, slots=True)
class _Table:
    """Chances of losses (first + i) h, in parts, rounded up; `far` is that of an endless loss."""

    first: int
    parts: list[int]
    far: int


def epsilon_up(
    mu2: Fraction, laplace: Sequence[Laplace], delta: Fraction, *, points: int = FINE
) -> Fraction:
    """Return an epsilon that Gaussian and Laplace noise keep together at a delta.

    Args:
        mu2: the sum of all mu^2 of Gaussian noise; 0 where there is none.
        laplace: of each vector with Laplace noise.
        delta: in (0, 1).
        points: how many a table has, at most.

    Example: a hundred counts at epsilon = 0.1; added up they would be 10.

        >>> found = epsilon_up(Fraction(0), [(Fraction(10), 1)] * 100, Fraction(1, 10**6))
        >>> print(f"{float(found):.6f}")
        4.774568
    """
    pure = sum((l1 / scale for scale, l1 in laplace), Fraction(0))
    added = pure + (gdp.epsilon_up(mu2, delta) if mu2 else 0)
    if not laplace or delta < _LEAST or added > _MOST:
        return added
    return min(added, tabled(mu2, tuple(sorted(laplace)), delta, points))


@lru_cache(maxsize=256)
def tabled(mu2: Fraction, laplace: tuple[Laplace, ...], delta: Fraction, points: int) -> Fraction:
    """Return the same from a table, which need not be below what adds up; of sorted noise."""
    from flint import ctx

    step = _step(mu2, laplace, points)
    with ctx.workprec(_BITS):
        tables = [_power(_laplace(part, step), n) for part, n in Counter(laplace).items()]
        tables += [_gaussian(mu2, step, delta)] if mu2 else []
        while len(tables) > 1:  # the two shortest first: fewer chances are rounded
            tables.sort(key=lambda table: len(table.parts), reverse=True)
            tables.append(_together(tables.pop(), tables.pop()))
        return _epsilon(tables[0], step, delta)


def _step(mu2: Fraction, laplace: Sequence[Laplace], points: int) -> Fraction:
    """Return a step that keeps the table short, and on which Laplace losses lie where they can.

    Any step is safe; a finer one is nearer to the truth.
    """
    reach = 2 * sum(l1 / scale for scale, l1 in laplace) + 24 * Fraction(math.sqrt(start_of(mu2)))
    wanted = max(_STEP, Fraction(math.ceil(reach * 10**6), 10**6 * points))
    shared = common_step(*(1 / scale for scale, _ in laplace))
    return shared / (shared // wanted) if shared >= wanted else wanted  # exact: rationals


def _laplace(part: Laplace, step: Fraction) -> _Table:
    """Return the losses of one number that moves by l1, by Theorem 1 of docs/laws/gdp.md."""
    scale, l1 = part
    if l1 > _MOST_ATOMS:
        scale, l1 = scale / l1, 1
    rate = 1 / scale
    q = (-ball(rate)).exp()
    chances = [1 / (1 + q), *((1 - q) / (1 + q) * q**j for j in range(1, l1)), q**l1 / (1 + q)]
    first, last = math.floor(-rate * l1 / step), math.ceil(rate * l1 / step)
    parts = [0] * (last - first + 1)
    for j, chance in enumerate(chances):
        loss = rate * (l1 - 2 * j)
        place = math.floor(loss / step)
        other = chance * (-ball(loss)).exp()
        lower = ball(place * step).exp()
        share = (chance - lower * other) / (1 - (-ball(step)).exp())
        high = 0 if place * step == loss else _part(chance, share)
        parts[place - first] += _up(chance) - high
        if high:
            parts[place - first + 1] += high
    return _Table(first, parts, 0)


def _gaussian(mu2: Fraction, step: Fraction, delta: Fraction) -> _Table:
    """Return the losses of N(0, 1) against N(mu, 1): normal, of mean mu^2 / 2 and variance mu^2.

    With Q the upper tail of N(0, 1), the loss exceeds e with chance Q(e / mu - mu / 2) under the
    first law, and with Q(e / mu + mu / 2) = 1 - Q(-e / mu - mu / 2) under the second.
    """
    from flint import ctx

    wide = math.sqrt(2 * start_of(mu2) * (_TAIL + _size(delta)))
    first = math.floor((start_of(mu2) / 2 - wide) / float(step))
    last = math.ceil((start_of(mu2) / 2 + wide) / float(step))
    with ctx.workprec(_BITS + 2 * math.ceil(last * step)):
        mu, h = ball(mu2).sqrt(), ball(step)
        low = min(first, -last)
        tails = [gdp.upper_tail(h * n / mu - mu / 2) for n in range(low, max(last, -first) + 1)]
        whole, growth = 1 - (-h).exp(), h.exp()
        place = (h * first).exp()
        parts = [0] * (last - first + 1)
        for n in range(first, last):
            chance = tails[n - low] - tails[n + 1 - low]
            other = tails[-n - 1 - low] - tails[-n - low]  # exact: both are 1 - a tail
            above = _part(chance, (chance - place * other) / whole)
            parts[n - first] += _up(chance) - above
            parts[n + 1 - first] += above
            place *= growth
        parts[0] += _up(1 - tails[first - low])
        return _Table(first, parts, _up(tails[last - low]))


def _size(delta: Fraction) -> float:
    """Return about -ln delta, however small it is."""
    return math.log(delta.denominator) - math.log(delta.numerator)


def _part(chance: Ball, share: Ball) -> int:
    """Return the part of a cell's chance that goes to its upper end, rounded up."""
    return min(_up(chance), max(0, _up(share)))


def _up(chance: Ball) -> int:
    """Return a chance in parts, rounded up."""
    return int((chance * _WHOLE).upper().ceil().unique_fmpz())


def _together(first: _Table, other: _Table) -> _Table:
    """Return the losses of both, each chance rounded up."""
    from flint import fmpz_poly

    length = len(first.parts) + len(other.parts) - 1
    parts = [
        -(-int(c) // _WHOLE) for c in (fmpz_poly(first.parts) * fmpz_poly(other.parts)).coeffs()
    ]
    parts += [0] * (length - len(parts))
    far = first.far * (sum(other.parts) + other.far) + other.far * sum(first.parts)
    return _Table(first.first + other.first, parts, -(-far // _WHOLE))


def _power(table: _Table, times: int) -> _Table:
    """Return the losses of so many alike."""
    product = None
    while times:
        if times & 1:
            product = table if product is None else _together(product, table)
        times //= 2
        table = _together(table, table) if times else table
    return table if product is None else product


def _epsilon(table: _Table, step: Fraction, delta: Fraction) -> Fraction:
    """Return the epsilon at which delta is reached: between two losses it is A - e^epsilon B."""
    target = math.floor(delta * _WHOLE)
    last = table.first + len(table.parts) - 1
    above, below = ball(Fraction(table.far)), ball(Fraction(0))
    decay, growth = (-ball(step) * last).exp(), ball(step).exp()  # e^-loss, and its next
    for n in range(len(table.parts) - 1, max(-1, -1 - table.first), -1):
        if not above * decay - below <= target * decay:
            break
        above += table.parts[n]
        below += table.parts[n] * decay
        decay *= growth
    else:
        if above - below <= target:
            return Fraction(0)
    return max(Fraction(0), round_up(fraction_up(((above - target) / below).log())))
