"""The continuous Gaussian: its whole privacy curve, both ways, and its accuracy, both ways.

Rules of this module:
- what discreet releases is drawn on a grid; this law is here to plan and to compare with, and its
  sigma does not hold for the discrete Gaussian (see `discrete_gaussian_calibration`);
- epsilon, delta, sensitivity, sigma and alpha come in as exact rationals, checked by the caller;
- `sigma_up`, `epsilon_up` and `delta_up` are never below the true value, `sigma_down` never above;
  each is within 1e-12 of it, and `sigma_up` and `epsilon_up` certify what they return.
"""

import math
from fractions import Fraction
from statistics import NormalDist

from ...errors import InternalError
from ...exact.enclosure import Ball, Real, ball, is_less, round_up
from ...noise.reals import (
    Curve,
    fraction_up,
    least_that_holds,
    log2_of,
    log_ratio,
    mills,
    newton_root,
    real_down,
    real_up,
    start_of,
)

_NUDGE = 1 + Fraction(1, 1 << 56)  # what a result may be raised by before it is certified
_WITHIN = 1 - Fraction(1, 1 << 44)  # this much less would break the promise: certified too
_NUDGES = 8
_FAR = 1000  # sigmas beyond which a tail is its density times an asymptotic series


def delta_up(*, epsilon: Fraction, sigma: Fraction, sensitivity: Fraction) -> Fraction:
    """Return the delta at which Gaussian noise is (epsilon, delta)-DP, rounded up.

    Args:
        epsilon: in nats, at least 0.
        sigma: the standard deviation of the noise, above 0.
        sensitivity: l2 sensitivity, above 0, in the units of sigma.

    Source: Balle and Wang 2018, Theorem 8 (arXiv 1805.06530).

    Example:
        >>> one = Fraction(1)
        >>> print(f"{float(delta_up(epsilon=one, sigma=one, sensitivity=one)):.12f}")
        0.126936737507
    """
    return min(Fraction(1), real_up(_delta(epsilon, sensitivity / sigma)))


def epsilon_up(*, delta: Fraction, sigma: Fraction, sensitivity: Fraction) -> Fraction:
    """Return the least epsilon at which Gaussian noise is (epsilon, delta)-DP, rounded up.

    ln delta(epsilon) is concave and decreasing, so that Newton's method stays on the safe side.
    """
    ratio = sensitivity / sigma
    if _holds(Fraction(0), ratio, delta):
        return Fraction(0)
    start = round_up(_epsilon_start(delta, ratio))
    bits = _bits(ratio) + 2 * max(0, log2_of(ratio))
    for _ in range(_NUDGES):
        epsilon = round_up(fraction_up(newton_root(_in_epsilon(delta, ratio), start, bits=bits)))
        epsilon *= _NUDGE
        if _holds(epsilon, ratio, delta) and not _holds(epsilon * _WITHIN, ratio, delta):
            return round_up(epsilon)
        bits *= 2
    raise _uncertified("epsilon")


def sigma_up(*, epsilon: Fraction, delta: Fraction, sensitivity: Fraction) -> Fraction:
    """Return the least sigma at which Gaussian noise is (epsilon, delta)-DP, rounded up.

    Guarantee: the enclosed delta of what is returned is at most the target, and a sigma smaller
    by 6e-14 of itself would miss it.

    Args:
        epsilon: in nats, at least 0.
        delta: in (0, 1).
        sensitivity: l2 sensitivity, above 0.

    Source: Balle and Wang 2018, Theorems 8 and 9, solved in ln(sensitivity / sigma), where
        ln delta is concave (it is the integral of a log-concave density): after its first step
        Newton's method is on the safe side for good.

    Example:
        >>> one, millionth = Fraction(1), Fraction(1, 10**6)
        >>> print(f"{float(sigma_up(epsilon=one, delta=millionth, sensitivity=one)):.9f}")
        4.224678889
    """
    bits = _bits(epsilon)
    for _ in range(_NUDGES):
        root = newton_root(
            _in_ratio(epsilon, delta), _ratio_start(epsilon, delta), bits=bits, in_logarithm=True
        )
        sigma = round_up(1 / fraction_up(root) * _NUDGE)
        if _holds(epsilon, 1 / sigma, delta) and not _holds(epsilon, 1 / (sigma * _WITHIN), delta):
            return round_up(sigma * sensitivity)
        bits *= 2
    raise _uncertified("sigma")


def branch_delta_up(epsilon: Fraction) -> Fraction:
    """Return the delta at sigma = sensitivity / sqrt(2 epsilon), where the algorithm branches.

    At a larger target the paper's algorithm takes its branch B+, at a smaller one B-.

    Source: Balle and Wang 2018, Algorithm 1: Phi(0) - e^epsilon Phi(-sqrt(2 epsilon)).
    """
    return real_up(lambda: branch_delta(epsilon))


def branch(*, epsilon: Fraction, delta: Fraction) -> str:
    """Return which branch of the paper's algorithm the target takes: "B+" or "B-"."""
    return "B-" if is_less(lambda: ball(delta), lambda: branch_delta(epsilon)) else "B+"


def rho_of(*, sigma: Fraction, sensitivity: Fraction) -> Fraction:
    """Return the zCDP loss of Gaussian noise, exactly (Bun and Steinke 2016, Proposition 1.6)."""
    return (sensitivity / sigma) ** 2 / 2


def accuracy_up(
    *, sigma: Fraction, alpha: Fraction, coordinates: int = 1, releases: int = 1
) -> Fraction:
    """Return the a that an error exceeds with chance alpha, rounded up; 0 where alpha is 1.

    Args:
        sigma: the standard deviation, above 0.
        alpha: in (0, 1].
        coordinates: with more than one, the a that all of so many independent errors keep.
        releases: how many of them are added up.

    Source: a = sigma sqrt(2) erfc^-1(alpha); for several, alpha becomes 1 - (1 - alpha)^(1/d).

    Example:
        >>> print(f"{float(accuracy_up(sigma=Fraction(1), alpha=Fraction(1, 20))):.9f}")
        1.959963985
    """
    if alpha == 1:
        return Fraction(0)
    return real_up(lambda: ball(sigma) * _deviates(alpha, coordinates, releases))


def sigma_down(
    *, accuracy: Fraction, alpha: Fraction, coordinates: int = 1, releases: int = 1
) -> Fraction:
    """Return the largest sigma that keeps a promised accuracy, rounded down; alpha is below 1."""
    return real_down(lambda: ball(accuracy) / _deviates(alpha, coordinates, releases))


def norm_accuracy_up(
    *, sigma: Fraction, alpha: Fraction, dimensions: int, releases: int = 1
) -> Fraction:
    """Return the a that the l2 norm of a vector of errors exceeds with chance alpha, rounded up.

    Source: the squared norm over sigma^2 is chi-squared; its upper tail is Q(d / 2, x / 2).
    """
    if alpha == 1:
        return Fraction(0)
    square = releases * _chi_squared_up(alpha, dimensions)
    return real_up(lambda: ball(sigma) * ball(square).sqrt())


def norm_sigma_down(
    *, accuracy: Fraction, alpha: Fraction, dimensions: int, releases: int = 1
) -> Fraction:
    """Return the largest sigma that keeps a promised l2 norm, rounded down; alpha is below 1."""
    square = releases * _chi_squared_up(alpha, dimensions)
    return real_down(lambda: ball(accuracy) / ball(square).sqrt())


def _chi_squared_up(alpha: Fraction, dimensions: int) -> Fraction:
    """Return what the sum of so many squared normals exceeds with chance alpha, rounded up."""

    def excess(x: Fraction) -> Real:
        half = Fraction(dimensions, 2)
        return log_ratio(
            lambda: ball(x / 2).gamma_upper(ball(half), regularized=1), lambda: ball(alpha)
        )

    low, high = Fraction(dimensions), Fraction(2 * dimensions)
    while not is_less(excess(high), lambda: ball(Fraction(0))):
        low, high = high, 2 * high
    while is_less(excess(low), lambda: ball(Fraction(0))):
        high, low = low, low / 2
    return least_that_holds(excess, low, high)


def _holds(epsilon: Fraction, ratio: Fraction, delta: Fraction) -> bool:
    """Tell whether delta(epsilon) is at most delta; both answers are proofs."""
    return not is_less(lambda: ball(delta), _delta(epsilon, ratio))


def _delta(epsilon: Fraction, ratio: Fraction) -> Real:
    """Return delta(epsilon) as a real; ratio is sensitivity / sigma."""
    return lambda: _curve(epsilon, ball(epsilon), ball(ratio))[0]


def _curve(exact: Fraction, epsilon: Ball, ratio: Ball) -> tuple[Ball, Ball, Ball]:
    """Return delta, its derivative in the ratio, and minus its derivative in epsilon.

    With a and b the arguments of the two normals, density(a) = e^epsilon density(b), which is why
    both derivatives are so short, and why no e^epsilon is needed far out.
    """
    pi, root_two = _pi_and_root_two()
    half, shift = ratio / 2, epsilon / ratio
    density = (-((half - shift) ** 2) / 2).exp() / (2 * pi).sqrt()
    far = half + shift
    second = density * mills(far) if far > _FAR else epsilon.exp() * (far / root_two).erfc() / 2
    if exact == 0:
        return (half / root_two).erf(), density, second
    if shift - half > _FAR:
        return density * mills(shift - half) - second, density, second
    return ((shift - half) / root_two).erfc() / 2 - second, density, second


def _in_ratio(epsilon: Fraction, delta: Fraction) -> Curve:
    def curve(ratio: Ball) -> tuple[Ball, Ball]:
        value, density, _ = _curve(epsilon, ball(epsilon), ratio)
        return (value / ball(delta)).log(), ratio * density / value

    return curve


def _in_epsilon(delta: Fraction, ratio: Fraction) -> Curve:
    def curve(epsilon: Ball) -> tuple[Ball, Ball]:
        value, _, second = _curve(Fraction(1), epsilon, ball(ratio))
        return (value / ball(delta)).log(), -second / value

    return curve


def branch_delta(epsilon: Fraction) -> Ball:
    """Return Phi(0) - e^epsilon Phi(-sqrt(2 epsilon)), at the precision in force."""
    return ball(Fraction(1, 2)) - ball(epsilon).exp() * ball(epsilon).sqrt().erfc() / 2


def _deviates(alpha: Fraction, coordinates: int, releases: int) -> Ball:
    """Return how many sigmas an error (or the largest of several) exceeds with chance alpha."""
    share = ball(alpha)
    if coordinates > 1:
        share = -((ball(-alpha).log1p() / coordinates).expm1())
    return (2 * ball(Fraction(releases))).sqrt() * share.erfcinv()


def _ratio_start(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return a ratio near the root and below it: each of its two ways is itself a valid bound."""
    z, loss = _quantile(delta), start_of(epsilon)
    root = math.sqrt(z * z + 2 * loss)
    tail = 2 * loss / (root - z) if z <= 0 < root else z + root
    shift = -2 * _quantile((1 - delta) / 2) if log2_of(delta) > -20 else 2.5 * start_of(delta)
    return Fraction(max(tail, shift))


def _epsilon_start(delta: Fraction, ratio: Fraction) -> Fraction:
    width = Fraction(math.sqrt(2 * math.log(2) * (1 + max(0, -log2_of(delta)))))
    return ratio * (ratio / 2 + width)


def _quantile(p: Fraction) -> float:
    if p > Fraction(1, 2):
        return -_quantile(1 - p)
    power = log2_of(p)
    if power < -500:
        return -math.sqrt(2 * math.log(2) * (1 - power))
    return NormalDist().inv_cdf(float(p))


def _bits(size: Fraction) -> int:
    """Return bits enough for what the two normals cancel, and more than a hundred besides.

    They differ by about the smaller of epsilon and sensitivity / sigma, relatively.
    """
    return 128 + (max(0, -log2_of(size)) if size else 0)


def _pi_and_root_two() -> tuple[Ball, Ball]:
    from flint import arb

    return arb.pi(), arb(2).sqrt()


def _uncertified(name: str) -> InternalError:
    return InternalError(
        f"the {name} of a Gaussian could not be certified.",
        kind="not-certified",
        why="its enclosed delta did not settle on the safe side of the target",
        fix="please report it, with the parameters that were asked for",
    )
