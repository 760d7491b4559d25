"""Shrinking a noisy vector: James and Stein, soft thresholds, and what each is expected to cost.

Rules of this module:
- everything here is a function of public numbers, so it costs no privacy;
- numbers are exact rationals where the formula is rational, else within 2^-60 of it;
- the noise is Gaussian of a known sigma, the same on every number.
"""

from collections.abc import Sequence
from fractions import Fraction

from ...errors import InputError
from ...exact.enclosure import Ball, Real, ball, enclosed
from ...fix import write

_BITS = 256
_LAST_BITS = 1 << 14


def james_stein_factor(values: Sequence[Fraction], sigma: Fraction) -> Fraction:
    """Return 1 - (d - 2) sigma^2 / |y|^2, by which James and Stein shrink toward 0.

    Args:
        values: the noisy vector y, of at least three numbers.
        sigma: standard deviation of the noise, at least 0.

    Raises:
        InputError: there are fewer than three numbers, where nothing is gained.

    Source: James and Stein 1961; a vector of zeros stays what it is.

    Example:
        >>> james_stein_factor([Fraction(10), Fraction(0), Fraction(0)], Fraction(2))
        Fraction(24, 25)
    """
    if len(values) < 3:
        raise InputError(
            f"a vector of {len(values)} cannot be shrunk in this way.",
            kind="wrong-numbers",
            why="below three dimensions the noisy values themselves cannot be beaten everywhere",
            fix="keep the noisy values",
        )
    square = sum((value * value for value in values), Fraction(0))
    return 1 - (len(values) - 2) * sigma**2 / square if square else Fraction(1)


def james_stein(
    values: Sequence[Fraction], sigma: Fraction, *, positive_part: bool = True
) -> list[Fraction]:
    """Return the vector times the James-Stein factor, held at 0 or above unless told otherwise.

    Without the positive part a small vector is turned around, which is never better.
    """
    factor = james_stein_factor(values, sigma)
    if positive_part:
        factor = max(Fraction(0), factor)
    return [factor * value for value in values]


def soft_threshold(values: Sequence[Fraction], threshold: Fraction) -> list[Fraction]:
    """Return each value moved toward 0 by the threshold, and 0 where it is smaller.

    Raises:
        InputError: the threshold is negative.

    Example:
        >>> soft_threshold([Fraction(3), Fraction(-1)], Fraction(2))
        [Fraction(1, 1), Fraction(0, 1)]
    """
    if threshold < 0:
        raise InputError(
            f"threshold = {threshold} must be at least 0.",
            kind="out-of-range",
            why="a negative threshold would move values away from 0",
            fix=write("to keep the values, or a positive number", threshold=0),
        )
    return [max(Fraction(0), abs(v) - threshold) * (1 if v > 0 else -1) for v in values]


def posterior_mean(
    values: Sequence[Fraction], sigma: Fraction, *, prior_variance: Fraction, center: Fraction
) -> list[Fraction]:
    """Return center + w^2 / (w^2 + sigma^2) (y - center), exactly.

    It is best for Gaussian noise and a Gaussian prior of variance w^2, and for every other the best
    of the linear rules.

    Raises:
        InputError: the prior variance is negative.

    Source: seed 004, Theorem 10.

    Example:
        >>> known = {"prior_variance": Fraction(3), "center": Fraction(0)}
        >>> posterior_mean([Fraction(4)], Fraction(1), **known)
        [Fraction(3, 1)]
    """
    if prior_variance < 0:
        raise InputError(
            f"a prior with variance {prior_variance} cannot be used.",
            kind="wrong-numbers",
            why="a variance is at least 0",
            fix=(write(prior_variance=1), 'use "james_stein", which needs no prior'),
        )
    whole = prior_variance + sigma**2
    kept = prior_variance / whole if whole else Fraction(1)
    return [center + kept * (value - center) for value in values]


def universal_threshold(dimensions: int, sigma: Fraction) -> Fraction:
    """Return sigma sqrt(2 ln d), the threshold that noise alone hardly ever exceeds.

    Source: Donoho and Johnstone 1994. It harms dense signals by a factor of up to 1 + 2 ln d.
    """
    if dimensions <= 1:
        return Fraction(0)
    return _near(lambda: ball(sigma) * (2 * ball(Fraction(dimensions)).log()).sqrt())


def soft_threshold_sure(
    values: Sequence[Fraction], sigma: Fraction, threshold: Fraction
) -> Fraction:
    """Return Stein's unbiased estimate of the squared error of the soft threshold, exactly.

    Source: Stein 1981: d sigma^2 - 2 sigma^2 #{|y| <= threshold} + sum min(y^2, threshold^2).
    """
    small = sum(1 for value in values if abs(value) <= threshold)
    kept = sum((min(abs(value), threshold) ** 2 for value in values), Fraction(0))
    return (len(values) - 2 * small) * sigma**2 + kept


def soft_threshold_risk(*, theta: Fraction, sigma: Fraction, threshold: Fraction) -> Fraction:
    """Return the mean squared error of the soft threshold at one true value theta.

    Source: by integration; Donoho and Johnstone 1994, Appendix 1.
    """
    mean, cut = theta / sigma, threshold / sigma

    def real() -> Ball:
        from flint import arb

        def tail(x: Fraction) -> Ball:
            return (ball(x) / arb(2).sqrt()).erfc() / 2

        def density(x: Fraction) -> Ball:
            return (-ball(x * x) / 2).exp() / (2 * arb.pi()).sqrt()

        square = ball(1 + cut * cut)
        beyond = tail(cut - mean) + tail(cut + mean)
        middle = ball(mean * mean) * (1 - beyond) + square * beyond
        slopes = ball(cut - mean) * density(cut + mean) + ball(cut + mean) * density(cut - mean)
        return ball(sigma * sigma) * (middle - slopes)

    return _near(real)


def james_stein_risk(*, dimensions: int, theta_squared: Fraction, sigma: Fraction) -> Fraction:
    """Return the mean squared error of James and Stein's estimate (without positive part).

    Args:
        dimensions: d, at least 3.
        theta_squared: |theta|^2 of the true vector.
        sigma: standard deviation of the noise, above 0.

    Source: d sigma^2 - (d - 2)^2 sigma^2 E[1 / (d - 2 + 2K)], K Poisson of mean
        |theta|^2 / (2 sigma^2); the mean is 1F1(1; d/2; -|theta|^2 / (2 sigma^2)) / (d - 2).
    """
    half = theta_squared / (2 * sigma * sigma)

    def real() -> Ball:
        shrunk = ball(-half).hypgeom_1f1(1, ball(Fraction(dimensions, 2)))
        return ball(sigma * sigma) * (dimensions - (dimensions - 2) * shrunk)

    return _near(real)


def bayes_risk(*, dimensions: int, prior_variance: Fraction, noise_variance: Fraction) -> Fraction:
    """Return the squared error of the posterior mean for a Gaussian prior, exactly."""
    return dimensions * prior_variance * noise_variance / (prior_variance + noise_variance)


def james_stein_bayes_risk(
    *, dimensions: int, prior_variance: Fraction, noise_variance: Fraction
) -> Fraction:
    """Return the squared error of James and Stein's estimate over a Gaussian prior, exactly."""
    shrunk = noise_variance / (prior_variance + noise_variance)
    return noise_variance * (dimensions - (dimensions - 2) * shrunk)


def _near(real: Real) -> Fraction:
    """Return a rational within 2^-60 of a real, relatively."""
    bits = _BITS
    while True:
        low, high = enclosed(real, bits)
        if (high - low) * (1 << 60) <= abs(low) or bits >= _LAST_BITS:
            return (low + high) / 2
        bits *= 2
