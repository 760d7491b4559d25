"""The formulas as documents 000 and 001 print them, so that an old number can be made again.

Rules of this module:
- nothing here is a guarantee; `accuracy`, `epsilon_for` and `sigma_for` are;
- a formula is refused only where it has no value;
- reals are decimals of 17 digits, rounded up.
"""

from decimal import Decimal

from ..exact.number import Number
from ..noise.reals import decimal_up
from .formulas import gaussian_closed_forms
from .inputs import above_zero, accuracy_in, alpha_in
from .laws import GAUSSIAN, noise_of
from .laws.gaussian import constant_in
from .laws.noise_size import Printed


def note_accuracy(
    law: str,
    *,
    epsilon: Number,
    alpha: Number,
    delta: Number | None = None,
    sensitivity: Number = 1,
    ceiling: bool = True,
    constant: str = "classical",
) -> int | Decimal:
    """Return the accuracy that the printed formula gives.

    Args:
        law: "geometric" (document 000: the ceiling of (sensitivity / epsilon) ln(1 / alpha)) or
            "gaussian" (document 001: the classical sigma times sqrt(2) erfc^-1(alpha)).
        epsilon: above 0.
        alpha: in (0, 1].
        delta: for the Gaussian, in (0, 1).
        sensitivity: above 0.
        ceiling: without it, document 000's "more information", a decimal.
        constant: for the Gaussian, "classical" (1.25) or "tight" (1.2443995...).

    Example: the exact answer is 4, and its chance of failing 0.0404.

        >>> note_accuracy("geometric", epsilon="0.7", alpha="0.05")
        5
    """
    noise = noise_of(law, sensitivity, epsilon=epsilon, delta=delta)
    return noise.law.note_accuracy(noise, Printed(alpha_in(alpha), constant, ceiling))


def note_epsilon(
    law: str,
    *,
    accuracy: Number,
    alpha: Number,
    delta: Number | None = None,
    sensitivity: Number = 1,
    constant: str = "classical",
) -> Decimal:
    """Return the epsilon that the printed formula gives for an accuracy above 0.

    Args: see `note_accuracy`.

    Example: the exact answer is 1.7655.

        >>> note_epsilon("geometric", accuracy=1, alpha="0.05")
        Decimal('2.9957322735539910')
    """
    noise = noise_of(law, sensitivity, delta=delta)
    share, wanted = alpha_in(alpha), accuracy_in(accuracy, convention=None)
    return decimal_up(noise.law.note_epsilon(noise, wanted, Printed(share, constant)))


def note_sigma(
    *, epsilon: Number, delta: Number, sensitivity: Number = 1, constant: str = "classical"
) -> Decimal:
    """Return sensitivity sqrt(2 ln(constant / delta)) / epsilon, without the proof's limits.

    Example: at epsilon = 10 its true delta is 1.9e-6.

        >>> note_sigma(epsilon=10, delta="1e-6")
        Decimal('0.52988025268504740')
    """
    noise = noise_of(GAUSSIAN.name, sensitivity, epsilon=epsilon, delta=delta)
    pair = noise.pair()
    return decimal_up(
        gaussian_closed_forms.note_sigma_up(
            epsilon=above_zero(pair[0], "epsilon"),
            delta=pair[1],
            sensitivity=noise.sensitivity,
            constant=constant_in(constant),
        )
    )
