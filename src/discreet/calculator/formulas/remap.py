"""The optimal remap of a clamped geometric count: better answers from the same release.

Rules of this module:
- a remap is a function of what was released and of public numbers: it costs no privacy;
- for a prior and a loss, the best remap of each outcome minimizes the expected loss given that
  outcome, and no other epsilon-DP mechanism does better (for every loss that grows with the
  distance);
- which value is best is decided by enclosures; where two are equally good, the smaller is taken.

Source: Ghosh, Roughgarden and Sundararajan 2012, Theorem 1.1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from ...errors import InputError
from ...exact.enclosure import Ball, Real, ball
from ...noise.reals import real_near
from .clamped_geometric import ClampedGeometric

Aim = Literal["absolute", "squared"]

_WIDEST = 1 << 10
_BITS = 256


@dataclass(frozen=True, slots=True)
class Remap:
    """A remap of the outcomes lower..upper of a clamped geometric count.

    Args:
        law: what was released.
        values: what to say instead of lower, lower + 1, ..., upper.
        aim: the loss that it minimizes.
    """

    law: ClampedGeometric
    values: tuple[int, ...]
    aim: Aim

    def __call__(self, released: int) -> int:
        """Return what to say instead of a released count."""
        return self.values[released - self.law.lower]

    def mean_error(self, *, truth: int) -> Fraction:
        """Return E|said - truth| at a stated truth, within 2^-59."""
        masses = [self.law.mass(y, truth=truth) for y in range(self.law.lower, self.law.upper + 1)]

        def real() -> Ball:
            pairs = zip(self.values, masses, strict=True)
            return sum((abs(value - truth) * mass() for value, mass in pairs), ball(Fraction(0)))

        return real_near(real)

    def gain(self, prior: Sequence[Fraction] | None = None) -> tuple[Fraction, Fraction]:
        """Return E|error| over the prior, before and after the remap, within 2^-58."""
        weights = _prior(prior, len(self.values))
        before = after = Fraction(0)
        for truth, weight in enumerate(weights, self.law.lower):
            if weight:
                before += weight * self.law.mean_error(truth=truth)
                after += weight * self.mean_error(truth=truth)
        return before, after


def optimal_remap(
    law: ClampedGeometric, *, aim: Aim = "absolute", prior: Sequence[Fraction] | None = None
) -> Remap:
    """Return the best remap of a clamped count for a prior over the truth.

    Args:
        law: the clamped geometric law, with at most 1,024 outcomes.
        aim: "absolute" error (a median of what is then likely) or "squared" (its rounded mean).
        prior: public weights of lower..upper that add up to 1; without them all are equal.

    Raises:
        InputError: the bounds are too far apart, or the prior has the wrong length or sum.

    Example: at epsilon = 0.1 the ends of 0..30 are pulled in, at epsilon = 1 nothing moves.

        >>> law = ClampedGeometric(Fraction(1, 10), sensitivity=1, lower=0, upper=30)
        >>> optimal_remap(law)(0), optimal_remap(law)(30)
        (6, 24)
    """
    from flint import ctx

    outcomes = law.upper - law.lower + 1
    if outcomes > _WIDEST:
        raise InputError(
            f"{outcomes} outcomes are too many to remap.",
            kind="too-large-to-calculate",
            why=f"a remap is a list, up to {_WIDEST} outcomes",
            fix="narrow the public bounds, or keep the clamped count",
        )
    weights = _prior(prior, outcomes)
    with ctx.workprec(_BITS):
        best = _medians(law.rate, weights) if aim == "absolute" else _means(law.rate, weights)
    return Remap(law, tuple(law.lower + value for value in best), aim)


def _prior(prior: Sequence[Fraction] | None, outcomes: int) -> list[Fraction]:
    weights = [Fraction(1, outcomes)] * outcomes if prior is None else list(prior)
    if len(weights) != outcomes or sum(weights) != 1 or min(weights) < 0:
        raise InputError(
            f"the prior has {len(weights)} weights of sum {sum(weights)}.",
            kind="wrong-numbers",
            why=f"it needs one weight of at least 0 for each of {outcomes} counts, of sum 1",
            fix="leave the prior out to weigh all counts equally",
        )
    return weights


def _sides(rate: Fraction, weights: list[Fraction], order: int) -> tuple[list[Ball], list[Ball]]:
    """Return, for each y, the sums of w_t t^order q^|y-t| over t <= y and over t >= y."""
    q = (-ball(rate)).exp()
    terms = [ball(weight * t**order) for t, weight in enumerate(weights)]
    up, down = [terms[0]], [terms[-1]]
    for term in terms[1:]:
        up.append(up[-1] * q + term)
    for term in reversed(terms[:-1]):
        down.append(down[-1] * q + term)
    return up, down[::-1]


def _medians(rate: Fraction, weights: list[Fraction]) -> list[int]:
    """Return for each outcome the least count with at least half of the weight up to it."""
    up, down = _sides(rate, weights, 0)
    power = [(-ball(rate) * k).exp() for k in range(len(weights) + 1)]
    last = len(weights) - 1
    best: list[int] = []
    for y in range(last + 1):
        # a clamped end stands for all noise beyond it; that multiplies every count's weight alike
        half = (up[y] + down[y] - ball(weights[y])) / 2
        z = best[-1] if best else 0  # the best count never falls as the outcome grows
        while z < last and _up_to(z, y, up, down, power, half) < half:
            z += 1
        best.append(z)
    return best


def _up_to(z: int, y: int, up: list[Ball], down: list[Ball], power: list[Ball], half: Ball) -> Ball:
    if z <= y:
        return up[z] * power[y - z]
    return 2 * half - down[z + 1] * power[z + 1 - y]


def _means(rate: Fraction, weights: list[Fraction]) -> list[int]:
    plain, first = _sides(rate, weights, 0), _sides(rate, weights, 1)
    means = []
    for y, weight in enumerate(weights):
        total = plain[0][y] + plain[1][y] - ball(weight)
        moment = first[0][y] + first[1][y] - ball(weight * y)
        mean = real_near(_quotient(moment, total)) + Fraction(1, 2)
        means.append(mean.numerator // mean.denominator)
    return means


def _quotient(moment: Ball, total: Ball) -> Real:
    return lambda: moment / total
