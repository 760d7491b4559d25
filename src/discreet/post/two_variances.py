"""The difference of two variances of values in [-1, 1], or of their roots, from noisy sums.

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
"""

from collections.abc import Sequence
from dataclasses import replace

from .two_shares import Kind, Side, Vector, Widths, rows

_NONE = 1e-100  # nothing, where something is divided by it
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
    one = np.ones_like(v)
    return Side(v, off**2, weights, signed, reach, (one, one, one))


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
