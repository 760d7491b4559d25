"""Two-sided geometric noise on a count between public bounds, clamped to them.

Rules of this module:
- the bounds are public; the count is clamped to them before the noise and after it, so that a
  count outside them is no louder than one at their edge;
- a draw is one draw of the discrete Laplace whatever the count and whatever the noise, zero
  included: a fixed number of look-ups, no early return;
- what is said about the law is summed in closed form and enclosed by balls;
- a truth in a method that describes the law is a number the caller makes up, never the data.
"""

from dataclasses import dataclass
from fractions import Fraction

from ...errors import InputError
from ...exact.enclosure import Ball, Real, ball
from ...fix import write
from ...noise.discrete_laplace import DiscreteLaplace
from ...noise.geometric_accuracy import (
    Convention,
    clamped_accuracy,
    clamped_accuracy_worst,
)
from ...noise.law import CoinSource
from ...noise.reals import real_near
from ...privacy.loss import Loss

_LISTED = 1 << 20  # outcomes that are still listed one by one
_LONG = 1 << 63


@dataclass(frozen=True, slots=True)
class ClampedGeometric:
    """Two-sided geometric noise, clamped to public bounds.

    Args:
        epsilon: pure loss, above 0.
        sensitivity: how far one unit moves the count, at least 1.
        lower: the least count that is released.
        upper: the largest, at least `lower`; both within 64 bits.

    Raises:
        InputError: a parameter is out of range.

    Source: Ghosh, Roughgarden and Sundararajan 2012 (the truncated geometric mechanism).

    Example: an error above 23 has a chance of at most 5 %, where unclamped it would be 30.

        >>> law = ClampedGeometric(Fraction(1, 10), sensitivity=1, lower=0, upper=30)
        >>> law.accuracy(Fraction(1, 20))
        23
    """

    epsilon: Fraction
    sensitivity: int
    lower: int
    upper: int

    def __post_init__(self) -> None:
        check_count_law(self.epsilon, self.sensitivity, self.lower, self.upper)

    @property
    def rate(self) -> Fraction:
        """epsilon / sensitivity; q = e^-rate."""
        return self.epsilon / self.sensitivity

    # Privacy

    def loss(self) -> Loss:
        """Return what one release costs: epsilon, exactly; clamping a number costs nothing."""
        return Loss("pure", (self.epsilon,))

    # Distribution

    def mass(self, outcome: int, *, truth: int) -> Real:
        """Return Pr[released = outcome] at a stated truth, as a real.

        Source: the tail q^distance / (1 + q) piles up at each bound.
        """
        return lambda: self._mass(outcome, self.clamped(truth))

    def masses(self, *, truth: int) -> list[Fraction]:
        """Return Pr[released = y] for y = lower..upper, each within 2^-60.

        Raises:
            InputError: there are more than 1,048,576 outcomes to list.
        """
        listed(self.upper - self.lower + 1)
        at = self.clamped(truth)
        span = range(self.lower, self.upper + 1)
        return [real_near(lambda y=y: self._mass(y, at)) for y in span]  # type: ignore[misc]

    def bias(self, *, truth: int) -> Fraction:
        """Return E[released] - truth within 2^-60: (q^(t-lower+1) - q^(upper-t+1)) / (1 - q^2)."""
        at = self.clamped(truth)
        below, above = at - self.lower, self.upper - at
        if below == above:
            return Fraction(at - truth)
        return (at - truth) + real_near(lambda: self._bias(below, above))

    def mean_error(self, *, truth: int) -> Fraction:
        """Return E|released - truth| within 2^-60, for a truth inside the bounds."""
        below, above = truth - self.lower, self.upper - truth
        if below == above == 0:
            return Fraction(0)
        return real_near(lambda: self._side(below) + self._side(above))

    def variance(self, *, truth: int) -> Fraction:
        """Return the variance of what is released at a truth inside the bounds, within 2^-60.

        The second moment of one side is the sum of (2j - 1) q^j / (1 + q) over j = 1..distance.
        """
        below, above = truth - self.lower, self.upper - truth
        if below == above == 0:
            return Fraction(0)
        return real_near(
            lambda: self._square(below) + self._square(above) - self._bias(below, above) ** 2
        )

    # Accuracy

    def accuracy(
        self,
        alpha: Fraction,
        *,
        truth: int | None = None,
        convention: Convention = "gt",
        coordinates: int = 1,
    ) -> int:
        """Return the exact accuracy, at the worst truth inside the bounds or at a stated one.

        With several coordinates it is kept by all of so many counts, each released by itself.
        """
        if truth is None:
            return clamped_accuracy_worst(
                rate=self.rate,
                alpha=alpha,
                width=self.upper - self.lower,
                convention=convention,
                coordinates=coordinates,
            )
        return clamped_accuracy(
            rate=self.rate,
            alpha=alpha,
            below=self.clamped(truth) - self.lower,
            above=self.upper - self.clamped(truth),
            convention=convention,
            coordinates=coordinates,
        )

    # Sampling

    def release(self, count: int, coins: CoinSource) -> int:
        """Return the count, clamped, with noise, clamped again.

        Guarantee: exactly this law, if the coins are uniform; every call makes one draw of the
            same noise, whatever the count.
        """
        noise = DiscreteLaplace(1 / self.rate).sample(1, coins)[0]
        return self.clamped(self.clamped(count) + noise)

    def clamped(self, count: int) -> int:
        """Return the count, moved to the nearest bound if it lies outside them."""
        return max(self.lower, min(self.upper, count))

    def _mass(self, outcome: int, at: int) -> Ball:
        q = (-ball(self.rate)).exp()
        power = (-ball(self.rate) * abs(outcome - at)).exp()
        if not self.lower <= outcome <= self.upper:
            return ball(Fraction(0))
        if self.lower == self.upper:
            return ball(Fraction(1))
        if outcome in (self.lower, self.upper):
            return power / (1 + q)
        return power * (ball(self.rate) / 2).tanh()

    def _bias(self, below: int, above: int) -> Ball:
        rate = ball(self.rate)
        near, far = sorted((below, above))
        size = (-rate * (near + 1)).exp() * -((-rate * (far - near)).expm1())
        return (size if above > below else -size) / -((-2 * rate).expm1())

    def _side(self, distance: int) -> Ball:
        """Return the mean error on one side: the sum of q^j / (1 + q) over j = 1..distance."""
        rate = ball(self.rate)
        powers = (-rate).exp() * -((-rate * distance).expm1())
        return powers / -((-2 * rate).expm1())

    def _square(self, distance: int) -> Ball:
        """Return the sum of (2j - 1) q^j over j = 1..distance, over 1 + q."""
        rate = ball(self.rate)
        q, last = (-rate).exp(), (-rate * distance).exp()
        p = -((-rate).expm1())
        plain = q * (1 - last) / p
        weighted = q * (1 - (distance + 1) * last + distance * last * q) / p**2
        return (2 * weighted - plain) / (1 + q)


def check_count_law(epsilon: Fraction, sensitivity: int, lower: int, upper: int) -> None:
    """Raise InputError unless these can be the parameters of a law on bounded counts."""
    if epsilon <= 0 or sensitivity < 1:
        raise InputError(
            f"epsilon = {epsilon} and sensitivity = {sensitivity} give no noise law.",
            kind="no-such-noise",
            why="epsilon must be above 0, and one unit moves a count by at least 1",
            fix=write(", or more", epsilon="0.1", sensitivity=1),
        )
    if lower > upper:
        raise InputError(
            f"lower = {lower} is above upper = {upper}.",
            kind="bounds-wrong",
            why="a count is clamped to lower..upper, and these bounds hold no number",
            fix=write(lower=upper, upper=lower),
        )
    if max(abs(lower), abs(upper), sensitivity) >= _LONG:
        raise InputError(
            "a bound or the sensitivity does not fit into 64 bits.",
            kind="no-such-noise",
            why="counts are kept in 64 bits",
            fix="write bounds between -2**63 + 1 and 2**63 - 1",
        )


def listed(outcomes: int) -> None:
    """Raise InputError if there are too many outcomes to list one by one."""
    if outcomes > _LISTED:
        raise InputError(
            f"{outcomes} outcomes are too many to list.",
            kind="too-large-to-calculate",
            why=f"a law is listed up to {_LISTED} outcomes",
            fix="narrow the public bounds, or ask for one outcome at a time",
        )
