"""The difference of two variances of values in [-1, 1], each from three noisy sums.

The sums are those of `post.spread`: y_-, y_0 and y_+, with S their sum. With a = (y_+ - y_-) / S
and v = (y_+ + y_-) / S - a^2 of the noisy sums, m the true mean and V the true variance:
e = sum of (k_i - V) y_i with k = ((1 + m)^2, m^2, (1 - m)^2) is noise alone, and
e = S (v + (m - a)^2 - V). This is the e of `post.two_shares`, with V for t and S for n: its proof
holds word for word, but that v is replaced by v + (m - a)^2, of which only an upper bound is known.

Proof of that bound, and of the others. f = y_+ - y_- - m S is noise with weights 1 + m, m and
1 - m. With |f| at most q of them, |m - a| = |f| / S is at most q(2, 1, 2) / S, because |m| <= 1; so
m lies in a known interval, where the weights have their largest sizes, whose q bounds |m - a|
again. Then k lies in known intervals, and with |e| <= q(k - V), 0 <= V <= 1, V does; again the
weights have their largest sizes there, whose q over S bounds |e| / S. QED
"""

from collections.abc import Sequence

from .two_shares import PART, Kind, Side, Vector, Widths


def variance(sums: Sequence[Vector], whole: Vector, widths: Widths) -> Side:
    """Return what is known of a variance of three noisy sums, in squares of half the range."""
    import numpy as np

    once, a = 1 / whole, (sums[2] - sums[0]) / whole
    v = (sums[2] + sums[0]) / whole - a * a

    off = widths(PART, 2 * once, once, 2 * once)
    low, high = np.maximum(a - off, -1.0), np.minimum(a + off, 1.0)
    low, high = np.minimum(low, high), np.maximum(low, high)
    far = np.maximum(abs(low), abs(high))
    off = np.minimum(off, widths(PART, (1 + high) * once, far * once, (1 - low) * once))

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
        reach = widths(PART, *(w * once for w in weights))
        least, most = np.clip(v - reach, 0.0, 1.0), np.clip(v + off**2 + reach, 0.0, 1.0)
    return Side(v, off**2, weights, reach)


VARIANCES = Kind(variance, 4)
