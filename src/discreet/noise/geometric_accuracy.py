"""Accuracy of two-sided geometric noise (the discrete Laplace), both conventions, both ways.

Rules of this module:
- Y is the size of the error; "gt" asks for the least whole a with Pr[Y > a] <= alpha, "ge" for the
  least whole a with Pr[Y >= a] <= alpha, which for alpha below 1 is always one more;
- `rate` is epsilon / sensitivity, an exact rational above 0, and q = e^-rate;
- whole numbers are exact: e^-rate is transcendental, so no tail ever equals a rational alpha and
  every comparison is decided by enough bits;
- a rate found from an accuracy is rounded up and certified; a function with `note` in its name is
  the formula as document 000 prints it.
"""

from fractions import Fraction
from typing import Literal

from ..errors import InputError, InternalError
from ..exact.enclosure import Ball, Real, ball, floor_of, is_less, round_up
from ..fix import write
from .reals import Curve, fraction_up, log2_of, newton_root, real_up

Convention = Literal["gt", "ge"]

_NUDGE = 1 + Fraction(1, 1 << 56)
_WITHIN = 1 - Fraction(1, 1 << 44)
_BITS = 160


def tail(*, rate: Fraction, a: int, convention: Convention, sides: int = 2) -> Real:
    """Return Pr[Y > a] ("gt") or Pr[Y >= a] ("ge") as a real, for a whole a of at least 0.

    Args:
        rate: epsilon / sensitivity, above 0.
        a: the size of error.
        convention: which inequality.
        sides: 2 for noise that can err both ways, 1 where only one side is left, 0 for none.

    Source: Pr[Y > a] = 2 q^(a + 1) / (1 + q), summed from the law.
    """
    power = a + 1 if convention == "gt" else a
    if power == 0:
        return lambda: ball(Fraction(1))
    return lambda: sides * (-ball(rate) * power).exp() / (1 + (-ball(rate)).exp())


def accuracy(
    *, rate: Fraction, alpha: Fraction, convention: Convention, coordinates: int = 1
) -> int:
    """Return the exact accuracy: the least whole a whose tail is at most alpha.

    Args:
        rate: epsilon / sensitivity, above 0.
        alpha: in (0, 1].
        convention: "gt" or "ge".
        coordinates: with more than one, the a that all of so many independent errors keep.

    Example: the printed formula says 3 in both conventions.

        >>> one, twentieth = Fraction(1), Fraction(1, 20)
        >>> accuracy(rate=one, alpha=twentieth, convention="gt")
        3
        >>> accuracy(rate=one, alpha=twentieth, convention="ge")
        4
    """
    if alpha == 1:
        return 0
    greater = _least(rate, share_of(alpha, coordinates), sides=2)
    return greater if convention == "gt" else greater + 1


def clamped_accuracy(
    *,
    rate: Fraction,
    alpha: Fraction,
    below: int,
    above: int,
    convention: Convention,
    coordinates: int = 1,
) -> int:
    """Return the exact accuracy of noise that is clamped to bounds, at a stated truth.

    Args:
        rate: epsilon / sensitivity, above 0.
        alpha: in (0, 1].
        below: truth - lower, at least 0.
        above: upper - truth, at least 0.
        convention: "gt" or "ge".
        coordinates: with more than one, the a that all of so many such errors keep.

    An error of more than `below` downwards, or `above` upwards, cannot happen.
    """
    if alpha == 1:
        return 0
    share = share_of(alpha, coordinates)
    greater = _clamped(rate, share, near=min(below, above), far=max(below, above))
    return greater if convention == "gt" else greater + 1


def clamped_accuracy_worst(
    *, rate: Fraction, alpha: Fraction, width: int, convention: Convention, coordinates: int = 1
) -> int:
    """Return the accuracy of clamped noise at the worst truth; width is upper - lower.

    Errors above a on both sides need 2a + 2 <= width, on one side a + 1 <= width.

    Example: unclamped it is 30.

        >>> tenth, twentieth = Fraction(1, 10), Fraction(1, 20)
        >>> clamped_accuracy_worst(rate=tenth, alpha=twentieth, width=30, convention="gt")
        23
    """
    if alpha == 1:
        return 0
    share = share_of(alpha, coordinates)
    greater = _clamped(rate, share, near=width // 2, far=width)
    return greater if convention == "gt" else greater + 1


def rate_up(
    *,
    accuracy: int,
    alpha: Fraction,
    convention: Convention,
    coordinates: int = 1,
    sides: int = 2,
) -> Fraction:
    """Return the least rate (epsilon / sensitivity) that keeps an accuracy, rounded up.

    The logarithm of the tail is concave and decreasing in the rate, so Newton's method stays on
    the safe side after its first step. With one side only, a large alpha needs no noise limit at
    all and the answer is 0.

    Args:
        accuracy: the promised a; at least 0 for "gt", at least 1 for "ge".
        alpha: in (0, 1).
        convention: "gt" or "ge".
        coordinates: how many independent errors must keep it together.
        sides: see `tail`.

    Raises:
        InputError: "ge" with accuracy 0, which only an alpha of 1 allows.
    """
    check_promise(accuracy, convention)
    power = accuracy + 1 if convention == "gt" else accuracy
    share = share_of(alpha, coordinates)
    limit = 1 - Fraction(1, 2**coordinates) if sides == 1 else Fraction(1)  # of alpha at rate 0
    if sides == 0 or alpha >= limit:
        return Fraction(0)
    bits = _BITS + 2 * max(0, -log2_of(limit - alpha))
    root = newton_root(_log_tail(power, share, sides), _start(power, alpha), bits=bits)
    rate = round_up(fraction_up(root) * _NUDGE)
    if _keeps(rate, power, share, sides) and not _keeps(rate * _WITHIN, power, share, sides):
        return rate
    raise InternalError(
        "the rate for an accuracy could not be certified.",
        kind="not-certified",
        why="its enclosed tail did not settle on the safe side of alpha",
        fix="please report it, with the parameters that were asked for",
    )


def clamped_rate_up(
    *,
    accuracy: int,
    alpha: Fraction,
    width: int,
    convention: Convention,
    coordinates: int = 1,
) -> Fraction:
    """Return the least rate at which clamped noise keeps an accuracy at every truth, rounded up.

    It is 0 where the bounds alone keep it: upper - lower is then at most the accuracy.
    """
    greater = accuracy if convention == "gt" else accuracy - 1
    sides = 2 if width >= 2 * greater + 2 else 1 if width >= greater + 1 else 0
    return rate_up(
        accuracy=accuracy,
        alpha=alpha,
        convention=convention,
        coordinates=coordinates,
        sides=sides,
    )


def note_accuracy_real_up(*, rate: Fraction, alpha: Fraction) -> Fraction:
    """Return ln(1 / alpha) / rate, document 000's accuracy without its ceiling, rounded up.

    It is the Laplace mechanism's exact accuracy, and an overstatement for the geometric one.
    """
    if alpha == 1:
        return Fraction(0)
    return real_up(lambda: -ball(alpha).log() / ball(rate))


def note_accuracy(*, rate: Fraction, alpha: Fraction) -> int:
    """Return document 000's accuracy, the ceiling of ln(1 / alpha) / rate.

    It is right for exactly one of the two conventions, and which one changes with alpha.
    """
    if alpha == 1:
        return 0
    return floor_of(lambda: -ball(alpha).log() / ball(rate)) + 1


def note_rate_up(*, accuracy: Fraction, alpha: Fraction) -> Fraction:
    """Return document 000's way back: ln(1 / alpha) / accuracy, rounded up.

    Raises:
        InputError: accuracy is 0, by which the formula divides.
    """
    if accuracy == 0:
        raise InputError(
            "accuracy = 0 has no epsilon by the printed formula.",
            kind="formula-not-valid",
            why="the formula divides by the accuracy",
            fix=(
                write(accuracy=1),
                write(", which answers for 0 without the formula", convention="gt"),
            ),
        )
    return note_accuracy_real_up(rate=accuracy, alpha=alpha)


def _least(rate: Fraction, share: Real, *, sides: int) -> int:
    """Return the least a >= 0 with sides q^(a+1) / (1+q) <= share, by one floor."""

    def crossing() -> Ball:
        weight = sides / (1 + (-ball(rate)).exp())
        return (weight.log() - share().log()) / ball(rate)

    return max(0, floor_of(crossing))  # the real is never whole: a + 1 is its ceiling


def _clamped(rate: Fraction, share: Real, *, near: int, far: int) -> int:
    """Return the least a, where both sides can exceed it below `near`, one below `far`."""
    both = _least(rate, share, sides=2)
    if both < near:
        return both
    return max(near, min(far, _least(rate, share, sides=1)))


def check_promise(accuracy: int, convention: Convention) -> None:
    """Raise InputError if no noise keeps this accuracy."""
    if accuracy == 0 and convention == "ge":
        raise InputError(
            'accuracy = 0 cannot be promised with convention = "ge".',
            kind="formula-not-valid",
            why="Pr[error >= 0] is 1 whatever the noise",
            fix=(write(accuracy=1), write(convention="gt")),
        )


def share_of(alpha: Fraction, coordinates: int) -> Real:
    """Return the chance of missing that each of several independent errors may have."""
    if coordinates == 1:
        return lambda: ball(alpha)
    return lambda: -((ball(-alpha).log1p() / coordinates).expm1())


def _log_tail(power: int, share: Real, sides: int) -> Curve:
    def curve(rate: Ball) -> tuple[Ball, Ball]:
        q = (-rate).exp()
        value = (sides / (1 + q)).log() - rate * power - share().log()
        return value, q / (1 + q) - power

    return curve


def _start(power: int, alpha: Fraction) -> Fraction:
    """Return a rate within a small factor of the root: ln(2 / alpha) / power is above it."""
    return Fraction(max(1, 2 - log2_of(alpha)), power)


def _keeps(rate: Fraction, power: int, share: Real, sides: int) -> bool:
    real = tail(rate=rate, a=power, convention="ge", sides=sides)
    return is_less(real, share)
