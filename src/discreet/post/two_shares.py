"""The difference of two shares a / (a + b) of noisy sums, with an interval that covers.

What is not of shares alone serves variances and standard deviations, too (`post.two_shares`).

Of either group let the truth be t = A / N with N = A + B, and n = a + b, s = a / n what is noisy.
Then e = a - t n = (1 - t) X - t Y is noise alone, and s - t = e / n. With r = N1 / N2 and
d = t1 - t2, e1 - r e2 is noise with known weights, and so is u = n1 - r n2. In two forms,

    s1 - s2 - d = (e1 - r e2) / n1 - u e2 / (n1 n2) = (e1 - r e2) / (r n2) - u e1 / (r n1 n2).

Proof. Let q(w) be what a sum of draws with weights w exceeds in size at most at some level: a norm
of w that does not fall with a weight (`noise.continuous`). But with probability `level`:
(1) |e1 - r e2| <= q(1 - t1, t1, r (1 - t2), r t2), at the main part of the level;
(2) |u| <= q(1, 1, r, r);
(3) |e1| and |e2| stay within q(1 - t, t), so that t lies within g = q(1 - v, v) / n of s, with v as
    far from 1/2 as t can be: q(1, 0) / n away from s;
(4) where u >= 0, |u + l e2| and |u - l e2| stay within their q, for an l > 0 that is made of the
    truth alone; their squares differ by 4 l u e2, which so is at most the larger of both. Where
    u < 0 the same holds with both groups exchanged, of u' = n2 - n1 / r = -u / r and e1.
Of (4) both cases together miss as often as one would whatever the sign of u is: all noise is even,
so that u e2 is as large with u >= 0 as with u <= 0.
Let u >= 0, so that r <= n1 / n2. With k = q(1/n1, 1/n1, 1/n2, 1/n2), (2) gives u <= k n1, hence
r >= (1 - k) n1 / n2. The first form is at most h(1, 1) and what (4) leaves, where h(x, y) is q of
(1) over n1 for n1 / n2 in place of r, with v for t and the weights of both groups times x and y.
The second form is at most h(1 + m, 1) + m g1, m = k / (1 - k), where k < 1. The less is taken.
Where u < 0 the same holds of both groups exchanged; of both signs the larger is taken. QED

Where s - t is e / (n h) with an h that has noise, too, which without noise is H (roots of
variances), let r = N1 H1 / (N2 H2), and z = (h2 / H2) (H1 / h1). Then s1 - s2 - d is, with
c = 1 - r n2 h2 / (n1 h1) = 1 - (1 - u / n1) z,

    (e1 - r e2) / (n1 h1) - c e2 / (n2 h2)  =  (e1 / r - e2) / (n2 h2) - c e1 / ((1 - c) n1 h1).

With u >= 0, c is at most z u / n1 and |1 - z| more, and r / (n1 h1) = (1 - c) / (n2 h2) at most
z / (n2 h2); 1 - c is at least (1 - k) z and at most z. Each number is taken where it is furthest.

What (2) to (4) add to h is of second order: products of noise over counts. Of many rows their parts
of the level may be small, because less than they spare is lost; of few rows not. So hypotheses are
of one of several classes by the smaller of their counts, which the noise alone decides, each with
parts of its own. In the first class, of counts that are small for the noise, two intervals at half
the level each are narrower, and are taken. What is left of all hypotheses lies within the interval
of one class, or of several, where the noisy counts do not tell which is the true ones'.

A difference is told where both groups are shown. With p the chances that they are, the level is
alpha p1 p2, less what rules out smaller groups (`shown`): so it misses with at most alpha, also
given that both are shown.

Decision 25.

The difference of two variances of values in [-1, 1], or of their roots, from noisy sums.

The sums are those of `post.spread`: y_-, y_0 and y_+, with S their sum. With a = (y_+ - y_-) / S
and v = (y_+ + y_-) / S - a^2 of the noisy sums, m the true mean and V the true variance:
e = sum of (k_i - V) y_i with k = ((1 + m)^2, m^2, (1 - m)^2) is noise alone, and
e = S (v + (m - a)^2 - V). This is the e of `post.two_shares`, with V for t and S for n: its proof
holds word for word, but that v is replaced by v' = v + (m - a)^2, of which only bounds are known.

Proof of these, and of the others. f = y_+ - y_- - m S is noise with weights 1 + m, m and
1 - m. With |f| at most q of them, |m - a| = |f| / S is at most q(2, 1, 2) / S, because |m| <= 1; so
m lies in a known interval, where the weights have their largest sizes, whose q bounds |m - a|
again. Then k lies in known intervals, and with |e| <= q(k - V), 0 <= V <= 1, V does; again the
weights have their largest sizes there, whose q over S bounds |e| / S. QED

Roots. v' - V = e / S, so that the root of v' less that of V is e / (S h), h the sum of both roots.
The proof of `post.two_shares` then goes on with H = 2 V^(1/2), which is h without noise. Where
|v' - V| <= g and V >= V0, h is at least v^(1/2) + V0^(1/2), and h / H = (1 + (v' / V)^(1/2)) / 2 is
between the same of 1 - g / V0 and of 1 + g / V0. The root of v' lies above that of v, by |m - a| or
(m - a)^2 / (2 v^(1/2)) at most. Rounding moves a small root far: it is the root of what v is at
least, rounding and all, and what v is at most is counted to what it may lie above. Groups are of a
class by their rows, or by what V is for the noise of e over N where that is less: both are known as
far as n, f and e are.

The difference of two numbers with noise of their own, from their intervals at many levels.

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
except with probability alpha. If numbers are told only where something is shown, intervals hold
given that they are shown, and the proof is of what is left. QED

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

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from itertools import pairwise
from math import erfc, pi, sin, sqrt
from typing import Any

from ..exact.number import few_down
from ..noise.law import Continuous, Law
from .interval import downs
from .thresholds import RULED_OUT, for_interval, levels

ZONE = Fraction(1, 500)  # the part of a level that says of which class counts are
_OWN = 0.02  # of alpha: what a count's noise stays within is the unit of
_CLASSES = (  # the lines: from how many units on counts are of a class, and the parts in it
    (8.0, 0.012),
    (25.0, 0.006),
    (70.0, 0.003),
    (200.0, 0.0012),
    (800.0, 0.0005),
    (4_000.0, 0.0001),
)
_RATIO = 2  # parts of the level for (2)
_PRODUCT = 2  # for each of two sums of (4)
_FLOOR = 0.25  # what l takes the length of weights to be at least
_SPARED = 10  # so much less than for one mean rules out smaller groups
_SURE = 0.998  # what chances of being shown above it are rounded down to, and
_GRID = 4  # levels are rounded down to so many in a factor of two
_NONE = 1e-100  # nothing, where something is divided by it
_SLACK = 2.0**-40  # of an end's size: more than all rounding
Vector = Any  # numpy array of float64, one number a pair
Sums = Sequence[Sequence[int]]  # of each pair a and b; or more
Widths = Callable[..., Vector]  # what noise with weights stays within, at a part of the level


@dataclass(frozen=True, slots=True)
class Side:
    """What is known of one group of each pair, where its noise stays within what it mostly does.

    Attributes:
        value: t as it is estimated, at e = 0.
        over: how far t - e / n lies above the value at most, and never below.
        weights: of the noise in e, in size, at most.
        signed: between what each weight lies, with its sign or that of all turned.
        reach: what |e| / n is at most.
        slope: h at least, and between what h / H lies; 1 where a number is linear in its truth.
    """

    value: Vector
    over: Vector
    weights: Sequence[Vector]
    signed: Sequence[tuple[Vector, Vector]]
    reach: Vector
    slope: tuple[Vector, Vector, Vector]


@dataclass(frozen=True, slots=True)
class Kind:
    """What is compared.

    Attributes:
        side: how a side is made of noisy sums and their whole.
        parts: how many parts of a level it takes.
        size: between what the number lies by which a group is of a class, by up to three sums
            of draws.
    """

    side: Callable[[Sequence[Vector], Vector, Widths], Side]
    parts: int
    size: Callable[[Sequence[Vector], Vector, Widths], tuple[Vector, Vector]]


def differences(
    left: Sums, right: Sums, apart: tuple[Vector, Vector], how: tuple[Kind, Law], alpha: Fraction
) -> tuple[Vector, Vector]:
    """Return the ends of an interval for each difference of shares, within -1 and 1.

    Args:
        left, right: the noisy sums of both groups, each number with independent noise.
        apart: the ends of intervals that miss with at most alpha (1 - ZONE), for small groups.
        how: what is compared, and the noise of every number.
        alpha: the chance that one interval misses.
    """
    import numpy as np

    (kind, law), draws = how, len(left)
    noise = law.continuous()
    sums = [[np.array(of, dtype=float) for of in side] for side in (left, right)]
    wholes = [
        np.array(list(map(sum, zip(*side, strict=True))), dtype=float) for side in (left, right)
    ]
    level = _shown(wholes, noise, draws, alpha)
    low, high = (ends.copy() for ends in apart)
    for one_level in np.unique(level[level > 0]).tolist():
        here, widths = level == one_level, partial(_widths, noise, one_level)
        lines = _lines(noise, draws, float(alpha))
        ends = [
            kind.size([x[here] for x in of], whole[here], partial(widths, float(ZONE) / 6))
            for of, whole in zip(sums, wholes, strict=True)
        ]
        least, most = np.full_like(low, np.inf), np.full_like(low, -np.inf)
        least[here], most[here] = (np.minimum(a, b) for a, b in zip(*ends, strict=True))
        for (start, end), (_, part) in zip(pairwise([*lines, np.inf]), _CLASSES, strict=True):
            at = here & (most >= start) & (least < end)
            if not at.any():
                continue
            some = [[of[at] for of in side] for side in sums]
            pair = _around(kind, some, [n[at] for n in wholes], widths, part)
            first = least[at] >= start  # all smaller ones are ruled out
            low[at] = np.where(first, pair[0], np.minimum(low[at], pair[0]))
            high[at] = np.where(first, pair[1], np.maximum(high[at], pair[1]))
    return np.clip(low, -1.0, 1.0), np.clip(high, -1.0, 1.0)  # both: all may lie beyond an end


def _shown(wholes: Sequence[Vector], noise: Continuous, draws: int, alpha: Fraction) -> Vector:
    """Return the level of each pair, one of few; 0 where one of its groups is not shown."""
    import numpy as np

    above, less = partial(noise.above, draws=draws), alpha / _SPARED  # exact: rationals
    ratios = [levels(n, above, less) / float(for_interval(less)) for n in wholes]
    chances = np.minimum(ratios[0], 1.0) * np.minimum(ratios[1], 1.0)
    with np.errstate(divide="ignore"):
        steps = np.where(chances > 0, np.ceil(-_GRID * np.log2(chances)), 0.0)
    sure = np.where(chances >= _SURE, _SURE, 2.0 ** (-steps / _GRID))
    return np.where(chances > 0, float(alpha * (1 - 2 * RULED_OUT / _SPARED)) * sure, 0.0)


def share(sums: Sequence[Vector], whole: Vector, widths: Widths) -> Side:
    """Return what is known of a share of two noisy sums: (3) of the proof."""
    import numpy as np

    value, once = sums[0] / whole, 1 / whole
    reach = widths(once)
    for _ in range(2):
        v = 0.5 + np.minimum(abs(value - 0.5) + reach, 0.5)
        reach = widths((1 - v) * once, v * once)
    low, high = (np.clip(value + off, 0.0, 1.0) for off in (-reach, reach))
    signed = ((1 - high, 1 - low), (-high, -low))
    ones = np.ones_like(value)
    return Side(value, 0 * ones, (1 - v, v), signed, reach, (ones, ones, ones))


def rows(sums: Sequence[Vector], whole: Vector, widths: Widths) -> tuple[Vector, Vector]:
    """Return between what a number of rows lies."""
    import numpy as np

    around = widths(*[np.ones_like(whole[:1])] * len(sums))[0] if len(whole) else 0.0
    return whole - around, whole + around


SHARES = Kind(share, 2, rows)


def _widths(noise: Continuous, level: float, part: float, *weights: Vector) -> Vector:
    import numpy as np

    return noise.widths(np.stack(np.broadcast_arrays(*weights), axis=1), [part * level])[0]


def _lines(noise: Continuous, draws: int, alpha: float) -> list[float]:
    """Return the lines between classes of counts."""
    import numpy as np

    unit = float(noise.widths(np.ones((1, draws)), [_OWN * alpha])[0, 0])
    return [units * unit for units, _ in _CLASSES]


def _around(
    kind: Kind,
    sums: Sequence[Sequence[Vector]],
    wholes: Sequence[Vector],
    widths: Widths,
    part: float,
) -> tuple[Vector, Vector]:
    """Return the ends of intervals for differences, of groups that are all shown at one level."""
    import numpy as np

    draws, once = len(sums[0]), [1 / n for n in wholes]
    every = zip(sums, wholes, strict=True)
    sides = [kind.side(of, whole, partial(widths, part)) for of, whole in every]
    ratio = widths(_RATIO * part, *(once[:1] * draws), *(once[1:] * draws))
    left = np.maximum(1 - ratio, _NONE)  # of r n2 / n1, at least
    main = 1 - (_RATIO + 2 * _PRODUCT + kind.parts) * part - float(ZONE)
    scales = [o / side.slope[0] for o, side in zip(once, sides, strict=True)]

    def half(at: int, here: Vector, there: Vector) -> Vector:
        factors = (here, there) if at == 0 else (there, here)
        made = [f * scale for f, scale in zip(factors, scales, strict=True)]
        weights = [w * m for side, m in zip(sides, made, strict=True) for w in side.weights]
        return widths(main, *weights)

    bounds = list[Vector]()
    for at in (0, 1):  # where this group has more rows, for the other's, than it seems
        (_, low, high), other = sides[at].slope, sides[1 - at]
        bent = other.slope[1] / high, other.slope[2] / low
        form = partial(widths, _PRODUCT * part)
        product = _product(other, (once[at], once[1 - at]), ratio, form, draws)
        curved = np.maximum(bent[1] - 1, 1 - bent[0])
        first = half(at, np.ones_like(low), bent[1])
        first = first + (bent[1] * product + curved * other.reach) / other.slope[0]
        more = 1 / (left * np.maximum(bent[0], _NONE))
        off = np.maximum(more - 1, 1 - 1 / bent[1])
        second = half(at, more, np.ones_like(low)) + off * sides[at].reach / sides[at].slope[0]
        bounds.append(np.minimum(first, second))
    middle = sides[0].value - sides[1].value
    wide = np.where(ratio < 1, np.maximum(*bounds), 2.0) * (1 + _SLACK) + _SLACK
    return middle - sides[1].over - wide, middle + sides[0].over + wide


def _product(
    other: Side, once: tuple[Vector, Vector], ratio: Vector, form: Widths, draws: int
) -> Vector:
    """Return what |u e2| / (n1 n2) is at most: (4) of the proof, at a level for each sum.

    The l of the proof is ((1 + r^2) draws)^(1/2) / max(|w|, _FLOOR), with w the weights of e2.

    Args:
        other: the group of e2.
        once: 1 / n1 and 1 / n2.
        ratio: what |u| / n1 is at most.
        form: what noise with weights stays within.
        draws: how many numbers make up a count.
    """
    import numpy as np

    least = sum(np.where(a * b > 0, np.minimum(a * a, b * b), 0.0) for a, b in other.signed)
    most = sum(np.maximum(a * a, b * b) for a, b in other.signed)
    least, most = (np.maximum(np.sqrt(size), _FLOOR) for size in (least, most))
    left = np.maximum(1 - ratio, _NONE)  # of r n2 / n1, at least
    length = np.sqrt(draws * (once[0] ** 2 + once[1] ** 2))
    factors = (length * left / most, length / least)  # l / n1 lies between
    sizes = list[Vector]()
    for sign in (1.0, -1.0):
        weights = [once[0]] * draws
        for ends in other.signed:
            a, b = np.minimum(*ends), np.maximum(*ends)
            moved = sign * np.stack([f * x for f in factors for x in (a, b)])
            top = abs(once[1] + moved.max(axis=0))
            weights.append(np.maximum(top, abs(left * once[1] + moved.min(axis=0))))
        sizes.append(form(*weights))
    return np.maximum(*sizes) ** 2 / (4 * factors[0]) * once[1]


_ROUNDED = 2.0**-47  # more than rounding moves a variance in squares of half the range
_LATER = (2, 2)  # that variances and roots bend more: so much later classes begin


def variance(sums: Sequence[Vector], whole: Vector, widths: Widths) -> Side:
    """Return what is known of a variance of three noisy sums, in squares of half the range."""
    import numpy as np

    once, a = 1 / whole, (sums[2] - sums[0]) / whole
    v = (sums[2] + sums[0]) / whole - a * a

    off = widths(2 * once, once, 2 * once)
    low, high = np.maximum(a - off, -1.0), np.minimum(a + off, 1.0)
    low, high = np.minimum(low, high), np.maximum(low, high)
    far = np.maximum(abs(low), abs(high))
    off = np.minimum(off, widths((1 + high) * once, far * once, (1 - low) * once))

    low, high = np.maximum(a - off, -1.0), np.minimum(a + off, 1.0)
    low, high = np.minimum(low, high), np.maximum(low, high)
    near = np.where((low <= 0) & (high >= 0), 0.0, np.minimum(abs(low), abs(high)))
    far = np.maximum(abs(low), abs(high))
    squares = (
        ((1 + low) ** 2, (1 + high) ** 2),
        (near**2, far**2),
        ((1 - high) ** 2, (1 - low) ** 2),
    )
    least, most = np.zeros_like(a), np.ones_like(a)
    for _ in range(2):
        weights = [np.maximum(top - least, most - bottom) for bottom, top in squares]
        reach = widths(*(w * once for w in weights))
        least, most = np.clip(v - reach, 0.0, 1.0), np.clip(v + off**2 + reach, 0.0, 1.0)
    signed = [(bottom - most, top - least) for bottom, top in squares]
    ones = np.ones_like(v)
    return Side(v, off**2, weights, signed, reach, (ones, ones, ones))


def std(sums: Sequence[Vector], whole: Vector, widths: Widths) -> Side:
    """Return what is known of the root of a variance, in halves of the range."""
    import numpy as np

    square = variance(sums, whole, widths)
    v, above = square.value - _ROUNDED, square.over + 2 * _ROUNDED
    root, least = np.sqrt(np.maximum(v, 0.0)), np.maximum(v - square.reach, _NONE)
    bend = square.reach / least
    slope = (
        root + np.sqrt(least),
        (1 + np.sqrt(np.maximum(1 - bend, 0.0))) / 2,
        (1 + np.sqrt(1 + bend)) / 2,
    )
    over = np.minimum(np.sqrt(above), above / np.maximum(2 * root, _NONE))
    return replace(square, value=root, over=over, slope=slope)


def fewer(sums: Sequence[Vector], whole: Vector, widths: Widths) -> tuple[Vector, Vector]:
    """Return between what a part of a number of rows lies."""
    low, high = rows(sums, whole, widths)
    return low / _LATER[0], high / _LATER[0]


def spread(sums: Sequence[Vector], whole: Vector, widths: Widths) -> tuple[Vector, Vector]:
    """Return between what a part of the rows lies, or of what V is for its noise if less."""
    import numpy as np

    side, (few, many) = variance(sums, whole, widths), fewer(sums, whole, widths)
    least, most = np.zeros_like(whole), np.zeros_like(whole)
    for low, high in side.signed:
        least += np.where(low * high > 0, np.minimum(low * low, high * high), 0.0)
        most += np.maximum(low * low, high * high)
    sure, top = side.value - side.reach, side.value + side.over + side.reach
    times = 3**0.5 * _LATER[0] / _LATER[1]
    low = few * np.maximum(sure, 0.0) / np.sqrt(most)
    high = many * np.clip(top, 0.0, 1.0) / np.maximum(np.sqrt(least), _NONE)
    return np.minimum(few, times * low), np.minimum(many, times * high)


VARIANCES = Kind(variance, 4, fewer)
STDS = Kind(std, 4, spread)


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


def difference(left: Ends, right: Ends) -> tuple[float, float]:
    """Return the ends of an interval for the first number less the second.

    Args:
        left, right: the intervals of both, at each of `levels_apart`.
    """
    first, second = stretched(left), stretched(right)[::-1]
    pairs = list(zip(first, second, strict=True))
    low = min(_down(a[0], b[1]) for a, b in pairs)
    return low, max(-_down(b[0], a[1]) for a, b in pairs)


def stretched(ends: Ends) -> list[tuple[float, float]]:
    """Return intervals that hold all that stood before them."""
    stretched, low, high = list[tuple[float, float]](), ends[0][0], ends[0][1]
    for start, end in ends:
        low, high = min(low, start), max(high, end)
        stretched.append((low, high))
    return stretched


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
