"""The whole privacy curve of a count between public bounds: delta at an epsilon, and back.

Rules of this module:
- `rate` is the noise's, so that q = e^-rate; `width` is upper - lower; a count moves by at most
  `sensitivity`, and by no more than the width;
- an answer is never below the true value.

Clamped: moving what leaves the bounds to the bound keeps every event "at least j" inside them, and
the best event against unclamped noise is such a one, between the two counts. So the curve is that
of the noise itself, for the farthest move that the bounds allow.

Truncated (redrawn): let counts t and t + d have the laws P and P'. P(y) / P'(y) is
e^(rate (|y-t-d| - |y-t|)) Z'/Z: the same for all y <= t, falling up to t + d, and the same from
there on. So the best event is "at most j" with t <= j < t + d. With n = width

    P(y <= j)  = (1 + q - q^(t+1) - q^(j-t+1)) / (1 + q - q^(t+1) - q^(n-t+1)),
    P'(y <= j) = q^(t+d-j) (1 - q^(j+1)) / (1 + q - q^(t+d+1) - q^(n-t-d+1)),

delta(epsilon) is the largest P - e^epsilon P' over t, d and j, and epsilon(delta) the largest
ln((P - delta) / P'). Counting from the upper bound gives the moves down.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction

from ...errors import InputError
from ...exact.enclosure import Ball, ball, round_up
from ...noise.reals import fraction_up
from .composition import epsilon_up, single_delta_up

_MOST = 20_000  # events that are compared
_BITS = 256


def clamped_delta_up(
    *, epsilon: Fraction, rate: Fraction, sensitivity: int, width: int
) -> Fraction:
    """Return delta(epsilon) of a clamped geometric count, rounded up."""
    moved = min(sensitivity, width)
    if moved == 0:
        return Fraction(0)
    return single_delta_up(epsilon=epsilon, rate=rate, sensitivity=moved)


def truncated_delta_up(
    *, epsilon: Fraction, rate: Fraction, sensitivity: int, width: int
) -> Fraction:
    """Return delta(epsilon) of a redrawn geometric count, rounded up.

    Args:
        epsilon: in nats, at least 0.
        rate: the noise's, above 0.
        sensitivity: how far one unit moves the count.
        width: upper - lower; at sensitivity 1 at most 20,000, and less where counts move farther.

    Example: a count between 0 and 30, drawn with q = e^-0.05.

        >>> found = truncated_delta_up(
        ...     epsilon=Fraction(0), rate=Fraction(1, 20), sensitivity=1, width=30
        ... )
        >>> print(f"{float(found):.6f}")
        0.024983
    """
    return _largest(rate, sensitivity, width, lambda p, other: p - ball(epsilon).exp() * other)


def truncated_epsilon_up(
    *, delta: Fraction, rate: Fraction, sensitivity: int, width: int
) -> Fraction:
    """Return the least epsilon at which a redrawn geometric count keeps delta, rounded up.

    Args: see `truncated_delta_up`; delta is in [0, 1), and 0 gives the pure loss.
    """

    def least(p: Ball, other: Ball) -> Ball:
        above = (p - ball(delta)).upper()  # from above, also where the two are too close to tell
        return (above / other).log() if above > 0 else ball(Fraction(0))

    return _largest(rate, sensitivity, width, least)


def clamped_epsilon_up(
    *, delta: Fraction, rate: Fraction, sensitivity: int, width: int
) -> Fraction:
    """Return an epsilon at which a clamped geometric count keeps delta, rounded up.

    It is the least one for moves by 1; farther moves are bounded by it as pure losses are.
    """
    moved = min(sensitivity, width)
    if moved == 0:
        return Fraction(0)
    return epsilon_up(delta=delta, epsilon_each=rate * moved, releases=1)


def _largest(
    rate: Fraction, sensitivity: int, width: int, of: Callable[[Ball, Ball], Ball]
) -> Fraction:
    """Return the largest of a number over all pairs of chances, at least 0, rounded up."""
    from flint import ctx

    farthest = min(sensitivity, width)
    events = sum(d * (width - d + 1) for d in range(1, farthest + 1))
    if events > _MOST:
        raise InputError(
            f"this privacy curve has {events:,} events to compare, more than {_MOST:,}.",
            kind="too-large-to-calculate",
            why="the curve of a redrawn count is found by looking at all moves between the bounds",
            fix="ask for narrower bounds, or for its pure loss, which has a closed form",
        )
    with ctx.workprec(_BITS):
        values = [of(p, other) for p, other in _pairs(rate, farthest, width)]
        highest = max((fraction_up(value) for value in values), default=Fraction(0))
    return round_up(highest) if highest > 0 else Fraction(0)


def _pairs(rate: Fraction, farthest: int, width: int) -> Iterator[tuple[Ball, Ball]]:
    """Return the chances of "at most j" at a count and at one that is d larger."""
    powers = [(-ball(rate) * k).exp() for k in range(width + 2)]
    q = powers[1]
    totals = [1 + q - powers[t + 1] - powers[width - t + 1] for t in range(width + 1)]
    for d in range(1, farthest + 1):
        for t in range(width - d + 1):
            for j in range(t, t + d):
                p = (1 + q - powers[t + 1] - powers[j - t + 1]) / totals[t]
                yield p, powers[t + d - j] * (1 - powers[j + 1]) / totals[t + d]
