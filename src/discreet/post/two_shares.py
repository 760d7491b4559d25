"""The difference of two shares a / (a + b) of noisy sums, with an interval that covers.

What is not of shares alone serves variances, too (`post.two_variances`).

Of either group let the truth be t = A / N with N = A + B, and n = a + b, s = a / n what is noisy.
Then e = a - t n = (1 - t) X - t Y is noise alone. With r = N1 / N2 and d = t1 - t2, e1 - r e2 is
noise with known weights, and with r = (n1 / n2) (1 + c) it is n1 (s1 - s2 - d - c (s2 - t2)).

Proof. Let q(w) be what a sum of draws with weights w exceeds in size at most at some level: a norm
of w that does not fall with a weight (`noise.continuous`). But with probability `level`:
(1) |e1 - r e2| <= q(1 - t1, t1, r (1 - t2), r t2), at the main part of the level;
(2) |n1 - r n2|, which is noise with weights 1, 1, r, r, stays within their q;
(3) |e1| and |e2| stay within q(1 - t, t), so that t lies within g = q(1 - u, u) / n of s, with u as
    far from 1/2 as t can be: q(1, 0) / n away from s.
Let h(x, y) be q of (1) over n1 for n1 / n2 in place of r, with the weights of both groups times x
and y, and with u for t; and k that of (2), q(1/n1, 1/n1, 1/n2, 1/n2). Where c <= 0, (2) gives
|c| <= k, and (1) gives |s1 - s2 - d| <= |c| g2 + h(1, 1 + c), at most k g2 + h(1, 1). Where c > 0,
(1) gives c g2 + h(1, 1 + c), and (2) c <= k + c k2, k2 = q(0, 0, 1/n2, 1/n2), so that c is at most
m = k / (1 - k2) where k2 < 1: in all m g2 + h(1, 1 + m). With both groups exchanged the same holds
of c' = 1 / (1 + c) - 1, which is above 0 where c is below: so that of each sign of c two bounds
hold, and the less is taken; of both signs the larger. QED

Of groups that are small for the noise this is wider than two intervals at half the level each. So a
hypothesis with a count below a line that the noise alone decides is tested by those, and every
other one as here. What is left of all hypotheses lies within one interval, or the other, or both,
where the noisy counts do not tell on which side of the line the true ones are.

A difference is told where both groups are shown. With p the chances that they are, the level is
alpha p1 p2, less what rules out smaller groups (`shown`): so it misses with at most alpha, also
given that both are shown.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from ..noise.law import Continuous, Law
from .shown import RULED_OUT, for_interval, levels

ZONE = Fraction(1, 100)  # the part of a level that says on which side of the line counts are
PART = 0.01  # of the level, for what each group's own noise stays within
_RATIO = 0.02  # of the level, for (2)
_FEW = 0.15  # the line: where the reach of a count's noise is so much of it
_SPARED = 4  # so much less than for one mean rules out smaller groups
_SURE = 0.998  # what chances of being shown above it are rounded down to, and
_GRID = 4  # levels are rounded down to so many in a factor of two
_NONE = 1e-9
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
        reach: what |e| / n is at most.
    """

    value: Vector
    over: Vector
    weights: Sequence[Vector]
    reach: Vector


@dataclass(frozen=True, slots=True)
class Kind:
    """How a side is made of noisy sums and their whole, and how many parts of a level it takes."""

    side: Callable[[Sequence[Vector], Vector, Widths], Side]
    parts: int


def differences(
    one: Sums, two: Sums, apart: tuple[Vector, Vector], how: tuple[Kind, Law], alpha: Fraction
) -> tuple[Vector, Vector]:
    """Return the ends of an interval for each difference of shares, within -1 and 1.

    Args:
        one, two: the noisy sums of both groups, each number with independent noise.
        apart: the ends of intervals that miss with at most alpha (1 - ZONE), for small groups.
        how: what is compared, and the noise of every number.
        alpha: the chance that one interval misses.
    """
    import numpy as np

    (kind, law), draws = how, len(one)
    noise = law.continuous()
    sums = [[np.array(of, dtype=float) for of in side] for side in (one, two)]
    wholes = [np.array(list(map(sum, zip(*side, strict=True))), dtype=float) for side in (one, two)]
    above, less = partial(noise.above, draws=draws), alpha / _SPARED  # exact: rationals
    found = [levels(n, above, less) / float(for_interval(less)) for n in wholes]
    chances = np.minimum(found[0], 1.0) * np.minimum(found[1], 1.0)
    with np.errstate(divide="ignore"):
        steps = np.where(chances > 0, np.ceil(-_GRID * np.log2(chances)), 0.0)
    sure = np.where(chances >= _SURE, _SURE, 2.0 ** (-steps / _GRID))
    level = float(alpha * (1 - 2 * RULED_OUT / _SPARED)) * sure
    low, high = (ends.copy() for ends in apart)
    for part in np.unique(level[chances > 0]).tolist():
        line, around = _line(noise, draws, float(alpha), part)
        least = np.minimum(*wholes)
        at = (level == part) & (chances > 0) & (least + around >= line)
        if not at.any():
            continue
        some = [[of[at] for of in side] for side in sums]
        start, end = _around(kind, some, [n[at] for n in wholes], partial(_widths, noise, part))
        both = (least - around < line)[at]
        low[at] = np.where(both, np.minimum(low[at], start), start)
        high[at] = np.where(both, np.maximum(high[at], end), end)
    return np.clip(low, -1.0, 1.0), np.clip(high, -1.0, 1.0)  # both: all may lie beyond an end


def share(sums: Sequence[Vector], whole: Vector, widths: Widths) -> Side:
    """Return what is known of a share of two noisy sums: (3) of the proof."""
    import numpy as np

    value, once = sums[0] / whole, 1 / whole
    u = 0.5 + np.minimum(abs(value - 0.5) + widths(PART, once), 0.5)
    reach = widths(PART, (1 - u) * once, u * once)
    return Side(value, np.zeros_like(value), (1 - u, u), reach)


SHARES = Kind(share, 2)


def _widths(noise: Continuous, level: float, part: float, *weights: Vector) -> Vector:
    import numpy as np

    return noise.widths(np.stack(np.broadcast_arrays(*weights), axis=1), [part * level])[0]


def _line(noise: Continuous, draws: int, alpha: float, level: float) -> tuple[float, float]:
    """Return the least count that is not small, and what a noisy count is off by at most."""
    import numpy as np

    count = np.ones((1, draws))
    reach = float(noise.widths(count, [_RATIO * alpha])[0, 0])
    return reach / _FEW, float(noise.widths(count, [float(ZONE) / 2 * level])[0, 0])


def _around(
    kind: Kind, sums: Sequence[Sequence[Vector]], wholes: Sequence[Vector], widths: Widths
) -> tuple[Vector, Vector]:
    """Return the ends of intervals for differences, of groups that are all shown at one level."""
    import numpy as np

    draws, once = len(sums[0]), [1 / n for n in wholes]
    sides = [kind.side(of, whole, widths) for of, whole in zip(sums, wholes, strict=True)]
    ratio = widths(_RATIO, *(once[:1] * draws), *(once[1:] * draws))
    main = 1 - _RATIO - kind.parts * PART - float(ZONE)

    def half(*factors: Vector) -> Vector:
        made = [f * o for f, o in zip(factors, once, strict=True)]
        weights = [w * m for side, m in zip(sides, made, strict=True) for w in side.weights]
        return widths(main, *weights)

    plain, bounds = half(1.0, 1.0), list[Vector]()
    for at in (0, 1):  # where this group has more rows, for the other's, than it seems
        other = 1 - at
        alone = widths(_RATIO, *(once[other : other + 1] * draws))
        more = np.where(alone < 1, ratio / np.maximum(1 - alone, _NONE), 1 / _NONE)
        wider = half(*((1.0, 1 + more) if other else (1 + more, 1.0)))
        found = np.minimum(plain + ratio * sides[at].reach, wider + more * sides[other].reach)
        bounds.append(found)
    middle = sides[0].value - sides[1].value
    wide = np.maximum(*bounds) * (1 + _SLACK) + _SLACK
    return middle - sides[1].over - wide, middle + sides[0].over + wide
