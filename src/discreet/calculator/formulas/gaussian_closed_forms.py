"""The Gaussian's closed forms: classical, tight, Pinsker's and Vinterbo's, each with its limits.

Rules of this module:
- a function without `note` in its name refuses what its proof does not cover;
- a function with `note` in its name is the printed formula, which states no limits: it reproduces
  an old number and must not be used to release anything;
- every result is rounded up, within 2^-60 of the formula's value.
"""

from fractions import Fraction
from typing import Literal

from ...errors import InputError
from ...exact.enclosure import Ball, ball, is_less
from ...exact.number import text_of
from ...fix import Set, write
from ...noise.reals import real_up

Constant = Literal["classical", "tight"]  # 1.25, or sqrt(2 e^(8/9) / pi) = 1.2443995...


def tight_constant_up() -> Fraction:
    """Return sqrt(2 e^(8/9) / pi), which may stand for 1.25 in the classical formula, rounded up.

    Source: Dwork and Roth 2014, Appendix A, where 1.25 is this number rounded up.

    Example:
        >>> print(f"{float(tight_constant_up()):.15f}")
        1.244399509405815
    """
    return real_up(lambda: _constant("tight"))


def classical_sigma_up(
    *, epsilon: Fraction, delta: Fraction, sensitivity: Fraction, constant: Constant = "classical"
) -> Fraction:
    """Return the classical sigma, refused where its proof does not hold, rounded up.

    Args:
        epsilon: in (0, 1].
        delta: in (0, 0.404]: the proof needs sqrt(2 ln(constant / delta)) >= 3/2.
        sensitivity: l2 sensitivity, above 0.
        constant: "classical" for 1.25, "tight" for sqrt(2 e^(8/9) / pi).

    Raises:
        InputError: epsilon is above 1, or delta is above what the proof covers.

    Source: Dwork and Roth 2014, Theorem A.1:
        sigma = sensitivity sqrt(2 ln(1.25 / delta)) / epsilon.
    """
    if epsilon > 1:
        raise InputError(
            f"epsilon = {text_of(epsilon)} is above 1, where the classical Gaussian has no proof.",
            kind="formula-not-valid",
            why="its sigma misses the promised delta for large epsilon (at epsilon = 10 by a"
            " factor of two, at 100 altogether)",
            fix=_analytic("holds for every epsilon"),
        )
    if not is_less(lambda: ball(delta), lambda: _constant(constant) / ball(Fraction(9, 8)).exp()):
        raise InputError(
            f"delta = {text_of(delta)} is above what the classical Gaussian's proof covers.",
            kind="formula-not-valid",
            why="the proof needs sqrt(2 ln(1.25 / delta)) to be at least 3/2, so delta <= 0.404",
            fix=_analytic("holds for every delta"),
        )
    return note_sigma_up(epsilon=epsilon, delta=delta, sensitivity=sensitivity, constant=constant)


def note_sigma_up(
    *, epsilon: Fraction, delta: Fraction, sensitivity: Fraction, constant: Constant = "classical"
) -> Fraction:
    """Return the classical sigma as document 001 prints it, without limits on epsilon or delta.

    It is not (epsilon, delta)-DP for large epsilon; `gaussian.delta_up` tells what it is.

    Raises:
        InputError: delta is not below the constant, where the formula has no value.
    """
    return real_up(lambda: ball(sensitivity) * _width(delta, constant) / ball(epsilon))


def note_accuracy_up(
    *,
    epsilon: Fraction,
    delta: Fraction,
    sensitivity: Fraction,
    alpha: Fraction,
    constant: Constant = "classical",
) -> Fraction:
    """Return the accuracy that document 001 prints: its sigma times sqrt(2) erfc^-1(alpha).

    The document's erf^-1(1 - alpha) is the same number; written so, it keeps its digits.
    """
    if alpha == 1:
        return Fraction(0)
    return real_up(
        lambda: (
            ball(sensitivity)
            * _width(delta, constant)
            / ball(epsilon)
            * _root_two()
            * ball(alpha).erfcinv()
        )
    )


def note_epsilon_up(
    *,
    accuracy: Fraction,
    delta: Fraction,
    sensitivity: Fraction,
    alpha: Fraction,
    constant: Constant = "classical",
) -> Fraction:
    """Return the epsilon that the classical formula gives for an accuracy, without any check.

    It understates the true epsilon for small accuracies.
    """
    return note_accuracy_up(
        epsilon=accuracy, delta=delta, sensitivity=sensitivity, alpha=alpha, constant=constant
    )


def pinsker_sigma(*, delta: Fraction, sensitivity: Fraction) -> Fraction:
    """Return sensitivity / (2 delta), enough for (0, delta)-DP but up to 1.3 times the exact sigma.

    Source: Balle and Wang 2018, Theorem 2.
    """
    return sensitivity / (2 * delta)


def vinterbo_sigma_up(*, epsilon: Fraction, delta: Fraction, sensitivity: Fraction) -> Fraction:
    """Return Vinterbo's closed form, valid for every epsilon > 0 and delta <= 1/2, rounded up.

    With z = -ln(4 delta (1 - delta)) it is
    sensitivity (sqrt(z + epsilon) + sqrt(z)) / (epsilon sqrt(2)).

    Raises:
        InputError: delta is above 1/2, or epsilon is 0.

    Source: Vinterbo 2020 (arXiv 2002.09745).
    """
    if delta > Fraction(1, 2) or epsilon == 0:
        raise InputError(
            f"the closed form has no value at epsilon = {text_of(epsilon)},"
            f" delta = {text_of(delta)}.",
            kind="formula-not-valid",
            why="it is proved for epsilon above 0 and delta of at most 1/2",
            fix=_analytic("covers every case"),
        )

    def sigma() -> Ball:
        z = -ball(4 * delta * (1 - delta)).log() if delta < Fraction(1, 2) else ball(Fraction(0))
        roots = (z + ball(epsilon)).sqrt() + z.sqrt()
        return ball(sensitivity) * roots / (ball(epsilon) * _root_two())

    return real_up(sigma)


def _width(delta: Fraction, constant: Constant) -> Ball:
    if not is_less(lambda: ball(delta), lambda: _constant(constant)):
        raise InputError(
            f"delta = {text_of(delta)} must be below 1.",
            kind="out-of-range",
            why="the classical formula takes the root of ln(1.25 / delta)",
            fix=write(", or less", delta="1e-6"),
        )
    return (2 * (_constant(constant) / ball(delta)).log()).sqrt()


def _constant(constant: Constant) -> Ball:
    from flint import arb

    if constant == "classical":
        return ball(Fraction(5, 4))
    return (2 * ball(Fraction(8, 9)).exp() / arb.pi()).sqrt()


def _root_two() -> Ball:
    from flint import arb

    return arb(2).sqrt()


def _analytic(covers: str) -> Set:
    return write(f"without a rule: the analytic sigma {covers}", verb="use", law="gaussian")
