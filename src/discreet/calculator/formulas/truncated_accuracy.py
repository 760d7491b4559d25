"""Accuracy of truncated geometric noise, both ways, at a stated truth and at the worst one.

Rules of this module:
- `rate` is epsilon' / sensitivity of the noise as made; `below` and `above` are how far the truth
  is from its bounds, and `width` is how far those are apart;
- whole numbers are exact; an epsilon found from an accuracy is rounded up, within 1e-12, and the
  law that is made from it is certified to keep the promise.

Write x = q^(near+1) + q^(far+1), near and far being the distances. For a >= 0 the chance of an
error above a is 0 where a >= far; (q^(a+1) - q^(far+1)) / (1 + q - x) where near <= a < far, which
grows as the truth moves to a bound; and (2q^(a+1) - x) / (1 + q - x) where a < near, which grows as
x falls, to the middle. So the worst truth for any a is a bound or the middle. And at every truth
the chance falls as the rate grows: the law has a monotone likelihood ratio in the error's size.
"""

from fractions import Fraction

from ...errors import InternalError
from ...exact.enclosure import Ball, Real, ball, enclosed, is_less
from ...noise.geometric_accuracy import Convention, check_promise, share_of
from ...noise.reals import decimal_up, least_that_holds, least_whole, log_ratio
from .truncated_factor import calibrated_epsilon_down, power, true_epsilon_up

_STEP = Fraction(1, 10**13)
_STEPS = 8
_BITS = 256


def tail(*, rate: Fraction, a: int, below: int, above: int) -> Real:
    """Return Pr[|error| > a], the sides' sums of q^j over j > a, over all of them."""

    def real() -> Ball:
        sides = ball(Fraction(0))
        for side in (below, above):
            if side > a:
                sides += power(rate, a + 1) - power(rate, side + 1)
        q = (-ball(rate)).exp()
        return sides / (1 + q - power(rate, below + 1) - power(rate, above + 1))

    return real


def accuracy(
    *,
    rate: Fraction,
    alpha: Fraction,
    below: int,
    above: int,
    convention: Convention,
    coordinates: int = 1,
) -> int:
    """Return the exact accuracy at a stated truth: the least whole a whose tail is at most alpha.

    Args:
        rate: of the noise as made, above 0.
        alpha: in (0, 1].
        below: truth - lower, at least 0.
        above: upper - truth, at least 0.
        convention: "gt" or "ge".
        coordinates: with more than one, the a that all of so many such errors keep.
    """
    if alpha == 1:
        return 0
    share = share_of(alpha, coordinates)

    def holds(a: int) -> bool:
        return not is_less(share, tail(rate=rate, a=a, below=below, above=above))

    greater = least_whole(holds, -1, max(below, above))  # at the last no error is left
    return greater if convention == "gt" else greater + 1


def worst_accuracy(
    *, rate: Fraction, alpha: Fraction, width: int, convention: Convention, coordinates: int = 1
) -> int:
    """Return the accuracy at the worst truth, which is a bound or the middle (see above)."""
    return max(
        accuracy(
            rate=rate,
            alpha=alpha,
            below=near,
            above=width - near,
            convention=convention,
            coordinates=coordinates,
        )
        for near in (0, width // 2)
    )


def epsilon_up(
    *,
    accuracy: int,
    alpha: Fraction,
    width: int,
    sensitivity: int,
    convention: Convention,
    coordinates: int = 1,
) -> Fraction:
    """Return the least epsilon whose law keeps an accuracy at every truth, rounded up.

    There is one least epsilon: the worst tail falls as epsilon' grows (see above), and epsilon'
    grows with epsilon, since d/d rate of ln(q^-s Z_s / Z_0) = s - E_s|error| + E_0|error| is above
    0: an error at truth s is at most s on the one side, and tends to be smaller than at truth 0 on
    the other. It is 0 where even the uniform law, which costs nothing, keeps the promise.

    Args:
        accuracy: the promised a; at least 0 for "gt", at least 1 for "ge".
        alpha: in (0, 1).
        width: upper - lower, public.
        sensitivity: at least 1.
        convention: "gt" or "ge".
        coordinates: how many independent errors must keep it together.

    Raises:
        InputError: "ge" with accuracy 0, which only an alpha of 1 allows.

    Example: clamped noise needs 0.284348 for the same promise.

        >>> answer = epsilon_up(
        ...     accuracy=10, alpha=Fraction(1, 20), width=30, sensitivity=1, convention="gt"
        ... )
        >>> print(f"{float(answer):.6f}")
        0.438654
    """
    check_promise(accuracy, convention)
    greater = accuracy if convention == "gt" else accuracy - 1
    share, shift = share_of(alpha, coordinates), min(sensitivity, max(1, width))
    truths = (0, width // 2)
    rates = [
        _rate_up(greater, share, near, width - near)
        for near in truths
        if not _at_most(_uniform(greater, near, width), alpha, coordinates)
    ]
    if not rates:
        return Fraction(0)
    least = true_epsilon_up(epsilon=max(rates) * shift, width=width, sensitivity=sensitivity)
    for step in range(_STEPS):
        epsilon = Fraction(decimal_up(least * (1 + step * _STEP)))
        made_at = calibrated_epsilon_down(epsilon=epsilon, width=width, sensitivity=sensitivity)
        tails = [
            tail(rate=made_at / shift, a=greater, below=near, above=width - near) for near in truths
        ]
        if not any(is_less(share, chance) for chance in tails):
            return epsilon
    raise InternalError(
        "the epsilon for an accuracy could not be certified.",
        kind="not-certified",
        why="the law made from it did not settle on the safe side of alpha",
        fix="please report it, with the parameters that were asked for",
    )


def _rate_up(a: int, share: Real, below: int, above: int) -> Fraction:
    """Return the least rate at which the tail at a truth is at most the share, rounded up."""

    def excess(rate: Fraction) -> Real:
        return log_ratio(tail(rate=rate, a=a, below=below, above=above), share)

    def holds(rate: Fraction) -> bool:
        return is_less(excess(rate), lambda: ball(Fraction(0)))

    low = high = Fraction(1, a + 1)
    while not holds(high):
        low, high = high, 2 * high
    while holds(low):
        low, high = low / 2, low
    return least_that_holds(excess, low, high)


def _uniform(a: int, below: int, width: int) -> Fraction:
    """Return the chance of an error above a at rate 0, where all outcomes are equally likely."""
    beyond = sum(max(0, side - a) for side in (below, width - below))
    return Fraction(beyond, width + 1)


def _at_most(chance: Fraction, alpha: Fraction, coordinates: int) -> bool:
    """Tell whether chance <= 1 - (1 - alpha)^(1 / coordinates), exactly."""
    low, high = enclosed(share_of(alpha, coordinates), _BITS)
    if not low <= chance <= high:
        return chance < low
    return (1 - chance) ** coordinates >= 1 - alpha
