"""What must be, whatever the data is: the least noise at a loss, and the least worst error.

Rules of this module:
- nothing here looks at numbers: it says what no rule, or no Gaussian noise, can beat.
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from ..errors import InputError
from ..exact.enclosure import Real, ball, enclosed, is_less
from ..exact.number import Number, rational, text_of, whole
from ..fix import write
from ..noise.reals import decimal_down, decimal_near
from .formulas import gaussian, minimax
from .inputs import above_zero, delta_in, loss, noise_in

_BITS = 256


def necessary_sigma(*, epsilon: Number, delta: Number, sensitivity: Number = 1) -> Decimal | None:
    """Return a sigma that no Gaussian noise with this loss can stay below, or None.

    It is sensitivity / sqrt(2 epsilon), rounded down, wherever delta is below 1/2 - e^epsilon
    Phi(-sqrt(2 epsilon)); from there on the theorem says nothing. The least sigma that is enough is
    `noise("gaussian", ...).sigma()`, which is above it.

    Source: Balle and Wang 2018, Theorem 4, with the constant that their Algorithm 1 has: as it is
        often quoted, with e^(-3 epsilon) / sqrt(4 pi epsilon), it is false.

    Example: at epsilon = 10 noise of less than a fifth is never enough.

        >>> necessary_sigma(epsilon=10, delta="1e-6"), necessary_sigma(epsilon="0.1", delta="0.4")
        (Decimal('0.22360679774997896'), None)
    """
    size, chance = above_zero(loss(epsilon), "epsilon"), delta_in(delta)
    moved = above_zero(rational(sensitivity, "sensitivity"), "sensitivity")
    if not is_less(lambda: ball(chance), lambda: gaussian.branch_delta(size)):
        return None
    low, _ = enclosed(lambda: ball(moved) / ball(2 * size).sqrt(), _BITS)
    return decimal_down(low)


@dataclass(frozen=True, slots=True)
class Minimax:
    """The least worst summed squared error over a ball of truths.

    Attributes:
        risk: of the best rule: exact among linear rules on an l2 ball, the linear one's for a
            larger p, an order up to constants for a smaller one.
        kind: "linear" or "rate".
        factor: by which the linear rule shrinks every number; None for a rate.
        raw: d sigma^2, the error of the noisy numbers.
    """

    risk: Decimal
    kind: Literal["linear", "rate"]
    factor: Decimal | None
    raw: Fraction

    def __str__(self) -> str:
        """Return what is known, as a sentence."""
        if self.kind == "rate":
            return (
                f"The least worst squared error is of the order {self.risk:.4g} (up to constants "
                f"that are not known); the raw numbers' is {text_of(self.raw)}."
            )
        return (
            f"Each number times {self.factor:.4g} has a squared error of at most {self.risk:.4g} "
            f"in all; the raw numbers' is {text_of(self.raw)}."
        )


def minimax_over(p: Number, *, radius: Number, coordinates: int, sigma: Number) -> Minimax:
    """Return the least worst squared error of numbers whose truths lie in an lp ball.

    Args:
        p: 2 and more: the linear minimax rule, whose risk for p = 2 no linear rule beats, and for
            p > 2 no rule by more than a factor of 1.25. Between 0 and 2: the order of the risk. 0:
            at most `radius` of the truths are not 0, and again the order.
        radius: of the ball: sum |theta|^p is at most radius^p; for p = 0 a whole number.
        coordinates: how many numbers there are, d.
        sigma: the deviation of their Gaussian noise.

    Raises:
        InputError: for p < 2 the radius is beyond sigma d^(1/p), where the raw numbers do as well.

    Source: Pinsker 1980; Donoho, Liu and MacGibbon 1990; Birge and Massart 2001, Proposition 5.

    Example:
        >>> print(minimax_over(2, radius=30, coordinates=100, sigma=4))
        Each number times 0.36 has a squared error of at most 576 in all; the raw numbers' is 1600.
    """
    power, size = rational(p, "p"), noise_in(sigma, "sigma")
    count = whole(coordinates, "coordinates", least=1)
    raw = count * size**2
    if power < 0:
        raise InputError(
            f"p = {text_of(power)} must be at least 0.",
            kind="out-of-range",
            why="a ball is that of a sum of powers, or of a number of truths that are not 0",
            fix=write(p=2),
        )
    if power == 0:
        some = whole(radius, "radius", least=1)
        if some > count:
            raise _too_large(f"{some} of {count} truths cannot differ from 0")
        rate = minimax.few_rate(count=some, dimensions=count, sigma=size)
        return Minimax(_near(rate), "rate", None, raw)
    length = above_zero(rational(radius, "radius"), "radius")
    square = minimax.ball_per_number(radius=length, dimensions=count, p=power)
    if power < 2:
        if not is_less(square, lambda: ball(size**2 + Fraction(1, 1 << _BITS))):
            raise _too_large("the ball reaches beyond sigma in every number, so raw is as good")
        rate = minimax.sparse_rate(radius=length, dimensions=count, p=power, sigma=size)
        return Minimax(_near(rate), "rate", None, raw)
    if power == 2:
        exact = length**2 / (length**2 + count * size**2)
        return Minimax(decimal_near(raw * exact), "linear", decimal_near(exact), raw)
    factor = minimax.linear_factor(square=square, sigma=size)
    risk = minimax.linear_risk(square=square, sigma=size, dimensions=count)
    return Minimax(_near(risk), "linear", _near(factor), raw)


def _near(real: Real) -> Decimal:
    low, high = enclosed(real, _BITS)
    return decimal_near((low + high) / 2)


def _too_large(why: str) -> InputError:
    return InputError(
        "the radius is too large.",
        kind="too-large-to-calculate",
        why=why,
        fix="write a smaller radius",
    )
