"""The quotient of two numbers with noise of their own, from their intervals at many levels.

Nothing is asked of the numbers but intervals that miss as seldom as they say, at any level, and
truths of at least 0: they may be means, medians or variances.

Proof. `post.two_shares` has boxes of pairs of levels, one of which holds both noises but with
probability alpha: in it the first truth lies in its interval and the second in its own. There the
quotient is between the least of the first over the most of the second, and the most of the first
over the least of the second, because it grows with the first and falls with the second. The hull of
all boxes so holds the quotient, except with probability alpha. Where a second number may be 0 its
quotient has no upper end.

Decision 103.
"""

from fractions import Fraction

from .interval import down, up
from .two_shares import Ends, stretched


def quotient(top: Ends, bottom: Ends) -> tuple[float, float | None]:
    """Return the ends of an interval for the first number over the second; None where it has none.

    Args:
        top, bottom: the intervals of both, at each of `levels_apart`.

    Example:
        >>> quotient([(3, 6)], [(2, 4)]), quotient([(3, 6)], [(0, 4)])
        ((0.75, 3.0), (0.75, None))
    """
    above = [(max(0.0, low), max(0.0, high)) for low, high in stretched(top)]
    pairs = list(zip(above, stretched(bottom)[::-1], strict=True))
    low = min(down(*_over(a[0], b[1])) if b[1] > 0 else 0.0 for a, b in pairs)
    if any(b[0] <= 0 for _, b in pairs):
        return low, None
    return low, max(up(*_over(a[1], b[0])) for a, b in pairs)


def _over(top: float, bottom: float) -> tuple[int, int]:
    return (Fraction(top) / Fraction(bottom)).as_integer_ratio()
