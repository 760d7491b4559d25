"""The difference of two numbers with noise of their own, from their intervals at many levels.

Nothing is asked of the numbers but intervals that miss as seldom as they say, at any level: they
may be variances, quantiles or coefficients, of any law, with ends anywhere.

Proof. Of either number let p be the least of the levels, one after the other, whose interval misses
the truth, with intervals at smaller levels stretched over those at larger ones, which only widens
them: Pr[p <= b] <= b. With z the size that |N| of a normal draw N passes with probability p, z is
in law at most |N|, and both z are independent. Let z_i = c sin(i pi / 2K), i = 1..K, and let b_i be
the chance that |N| passes z_i. Where both z lie in one of the boxes [0, z_i] x [0, z_(K + 1 - i)],
the first truth lies in its interval at b_i and the second in its own at b_(K + 1 - i), for some i.
What is in the boxes stays there when z falls, so that the chance of it is at least that of two
normal draws, sum of (z_i - z_(i - 1) by |N|) times (z_(K + 1 - i) by |N|), and c is the least for
which that is 1 - alpha. So the hull of differences of these pairs of intervals holds the difference
but with probability alpha. Where numbers are told only if something is shown, intervals hold given
that they are shown, and the proof is of what is left. QED

The boxes stand around a quarter of a disk, which is the same from all sides: intervals of widths v
and w become one of about c (v^2 + w^2)^(1/2). Which part of the level is best spent on which number
depends on how wide both are, which follows from the data where they are quantiles or ratios. Who
knows it beforehand needs 1.96 where c is 2.4: a disk loses a quarter whatever the widths are, and
its boxes up to a third. No body fixed in advance loses less from every side: of those that
hold two normal draws as often the disk has the least area, hence the least perimeter, which is pi
times the mean width. Both intervals at half the level are a square, and lose three fifths where
both are alike.

Decision 59.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import erfc, pi, sin, sqrt

from ..exact.number import few_down
from .interval import downs

CORNERS = 8
_HALVINGS = 60
_HALF = Fraction(1, 2)
_SPARE = 1e-9  # of alpha: more than all rounding

Ends = Sequence[tuple[float, float]]  # of one number, at each level in turn


@cache
def levels_apart(alpha: Fraction) -> tuple[Fraction, ...]:
    """Return the levels at which both numbers' intervals are wanted, from the largest on.

    None is above a half, which is wider than need be where a number hardly counts.

    Example:
        >>> print(*(f"{float(level):.3f}" for level in levels_apart(Fraction(1, 20))[::4]))
        0.500 0.047
    """
    most = float(alpha) * (1 - _SPARE)
    low, high = 0.0, 40.0  # a normal draw hardly ever passes 38
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if _outside(middle) <= most else (middle, high)
    return tuple([min(_HALF, few_down(Fraction(_passes(z)))) for z in _sizes(high)[1:]])


def difference(one: Ends, two: Ends) -> tuple[float, float]:
    """Return the ends of an interval for the first number less the second.

    Args:
        one, two: the intervals of both, at each of `levels_apart`.
    """
    first, second = _stretched(one), _stretched(two)[::-1]
    pairs = list(zip(first, second, strict=True))
    low = min(_down(a[0], b[1]) for a, b in pairs)
    return low, max(-_down(b[0], a[1]) for a, b in pairs)


def _stretched(ends: Ends) -> list[tuple[float, float]]:
    """Return intervals that hold all that stood before them."""
    found, low, high = list[tuple[float, float]](), ends[0][0], ends[0][1]
    for start, end in ends:
        low, high = min(low, start), max(high, end)
        found.append((low, high))
    return found


def _sizes(radius: float) -> list[float]:
    return [radius * sin(i * pi / 2 / CORNERS) for i in range(CORNERS + 1)]


def _passes(size: float) -> float:
    """Return the chance that a normal draw passes a size, up or down."""
    return erfc(size / sqrt(2))


def _outside(radius: float) -> float:
    """Return the chance that two normal draws lie outside of all boxes."""
    passes = list(map(_passes, _sizes(radius)))
    strips = range(1, CORNERS + 1)
    return passes[-1] + sum((passes[i - 1] - passes[i]) * passes[CORNERS + 1 - i] for i in strips)


def _down(a: float, b: float) -> float:
    return downs([(exact := Fraction(a) - Fraction(b)).numerator], exact.denominator)[0]
