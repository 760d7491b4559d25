"""The difference of two shares a / (a + b) of noisy sums, with an interval that covers.

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

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from ..noise.law import Continuous, Law
from .shown import RULED_OUT, for_interval, levels

ZONE = Fraction(1, 100)  # the part of a level that says on which side of the line counts are
_RATIO, _SHARE = 0.02, 0.01  # parts of the level for (2), and for each half of (3)
_FEW = 0.15  # the line: where the reach of a count's noise is so much of it
_SPARED = 4  # so much less than for one mean rules out smaller groups
_SURE = 0.998  # what chances of being shown above it are rounded down to, and
_GRID = 4  # levels are rounded down to so many in a factor of two
_NONE = 1e-9
_SLACK = 2.0**-40  # of an end's size: more than all rounding
Vector = Any  # numpy array of float64, one number a pair
Sums = tuple[Sequence[int], Sequence[int]]  # a and b of each pair


def differences(
    one: Sums, two: Sums, apart: tuple[Vector, Vector], law: Law, alpha: Fraction
) -> tuple[Vector, Vector]:
    """Return the ends of an interval for each difference of shares, within -1 and 1.

    Args:
        one, two: the noisy sums of both groups, each number with independent noise from `law`.
        apart: the ends of intervals that miss with at most alpha (1 - ZONE), for small groups.
        law: the noise of every number.
        alpha: the chance that one interval misses.
    """
    import numpy as np

    noise = law.continuous()
    tops = [np.array(a, dtype=float) for a, _ in (one, two)]
    wholes = [
        np.array([x + y for x, y in zip(a, b, strict=True)], dtype=float) for a, b in (one, two)
    ]
    above, less = partial(noise.above, draws=2), alpha / _SPARED  # exact: rationals
    found = [levels(n, above, less) / float(for_interval(less)) for n in wholes]
    chances = np.minimum(found[0], 1.0) * np.minimum(found[1], 1.0)
    with np.errstate(divide="ignore"):
        steps = np.where(chances > 0, np.ceil(-_GRID * np.log2(chances)), 0.0)
    sure = np.where(chances >= _SURE, _SURE, 2.0 ** (-steps / _GRID))
    level = float(alpha * (1 - 2 * RULED_OUT / _SPARED)) * sure
    low, high = (ends.copy() for ends in apart)
    for part in np.unique(level[chances > 0]).tolist():
        line, around = _line(noise, float(alpha), part)
        least = np.minimum(*wholes)
        at = (level == part) & (chances > 0) & (least + around >= line)
        if not at.any():
            continue
        middle, half = _around([t[at] for t in tops], [n[at] for n in wholes], noise, part)
        half = half * (1 + _SLACK) + _SLACK
        both = (least - around < line)[at]
        low[at] = np.where(both, np.minimum(low[at], middle - half), middle - half)
        high[at] = np.where(both, np.maximum(high[at], middle + half), middle + half)
    return np.clip(low, -1.0, 1.0), np.clip(high, -1.0, 1.0)  # both: all may lie beyond an end


def _line(noise: Continuous, alpha: float, level: float) -> tuple[float, float]:
    """Return the least count that is not small, and what a noisy count is off by at most."""
    import numpy as np

    count = np.array([[1.0, 1.0]])
    reach = float(noise.widths(count, [_RATIO * alpha])[0, 0])
    return reach / _FEW, float(noise.widths(count, [float(ZONE) / 2 * level])[0, 0])


def _around(
    tops: Sequence[Vector], wholes: Sequence[Vector], noise: Continuous, level: float
) -> tuple[Vector, Vector]:
    """Return the differences and their half-widths, of groups that are all shown at one level."""
    import numpy as np

    def widths(part: float, *weights: Vector) -> Vector:
        return noise.widths(np.stack(np.broadcast_arrays(*weights), axis=1), [part * level])[0]

    shares = [a / n for a, n in zip(tops, wholes, strict=True)]
    once = [1 / n for n in wholes]
    far, reach = list[Vector](), list[Vector]()
    for s, o in zip(shares, once, strict=True):
        u = 0.5 + np.minimum(abs(s - 0.5) + widths(_SHARE, o), 0.5)
        far.append(u)
        reach.append(widths(_SHARE, (1 - u) * o, u * o))
    ratio = widths(_RATIO, once[0], once[0], once[1], once[1])
    main = 1 - _RATIO - 2 * _SHARE - float(ZONE)

    def half(*factors: Vector) -> Vector:
        made = [f * o for f, o in zip(factors, once, strict=True)]
        return widths(main, *(p * m for u, m in zip(far, made, strict=True) for p in (1 - u, u)))

    plain, bounds = half(1.0, 1.0), list[Vector]()
    for at in (0, 1):  # where this group has more rows, for the other's, than it seems
        other = 1 - at
        alone = widths(_RATIO, once[other], once[other])
        more = np.where(alone < 1, ratio / np.maximum(1 - alone, _NONE), 1 / _NONE)
        wider = half(*((1.0, 1 + more) if other else (1 + more, 1.0)))
        bounds.append(np.minimum(plain + ratio * reach[at], wider + more * reach[other]))
    return shares[0] - shares[1], np.maximum(*bounds)
