"""The formulas as documents 000 and 001 print them, so that an old number can be made again.

Rules of this module:
- nothing here is a guarantee; `accuracy`, `epsilon_for` and `sigma_for` are;
- a formula is refused only where it has no value;
- reals are decimals of 17 digits, rounded up.
"""

from decimal import Decimal

from ..errors import InputError, shown
from ..exact.number import Number
from ..fix import write
from ..formulas import gaussian_closed_forms
from ..formulas.gaussian_closed_forms import Constant
from ..noise import geometric_accuracy
from ..noise.reals import decimal_up
from .errors import delta_missing, not_for
from .inputs import GEOMETRIC, above_zero, accuracy_in, alpha_in, asked


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
    known = asked(law, sensitivity=sensitivity, epsilon=epsilon, delta=delta)
    share = alpha_in(alpha)
    if law in GEOMETRIC | {"laplace"} and delta is None:
        rate = known.rate()
        if ceiling and law in GEOMETRIC:
            return geometric_accuracy.note_accuracy(rate=rate, alpha=share)
        return decimal_up(geometric_accuracy.note_accuracy_real_up(rate=rate, alpha=share))
    _check_gaussian(law)
    pair = known.pair()
    above_zero(pair[0], "epsilon")
    return decimal_up(
        gaussian_closed_forms.note_accuracy_up(
            epsilon=pair[0],
            delta=pair[1],
            sensitivity=known.sensitivity,
            alpha=share,
            constant=_constant(constant),
        )
    )


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
    known = asked(law, sensitivity=sensitivity, delta=delta)
    share, wanted = alpha_in(alpha), accuracy_in(accuracy, convention=None)
    if law in GEOMETRIC | {"laplace"} and delta is None:
        rate = geometric_accuracy.note_rate_up(accuracy=wanted, alpha=share)
        return decimal_up(rate * known.sensitivity)
    _check_gaussian(law)
    if known.delta is None:
        raise delta_missing(law)
    return decimal_up(
        gaussian_closed_forms.note_epsilon_up(
            accuracy=above_zero(wanted, "accuracy"),
            delta=above_zero(known.delta, "delta"),
            sensitivity=known.sensitivity,
            alpha=share,
            constant=_constant(constant),
        )
    )


def note_sigma(
    *, epsilon: Number, delta: Number, sensitivity: Number = 1, constant: str = "classical"
) -> Decimal:
    """Return sensitivity sqrt(2 ln(constant / delta)) / epsilon, without the proof's limits.

    Example: at epsilon = 10 its true delta is 1.9e-6.

        >>> note_sigma(epsilon=10, delta="1e-6")
        Decimal('0.52988025268504740')
    """
    known = asked("gaussian", sensitivity=sensitivity, epsilon=epsilon, delta=delta)
    pair = known.pair()
    return decimal_up(
        gaussian_closed_forms.note_sigma_up(
            epsilon=above_zero(pair[0], "epsilon"),
            delta=pair[1],
            sensitivity=known.sensitivity,
            constant=_constant(constant),
        )
    )


def _constant(constant: str) -> Constant:
    if constant == "classical":
        return "classical"
    if constant == "tight":
        return "tight"
    raise InputError(
        f"there is no constant {shown(constant)!r}.",
        why='"classical" stands for 1.25 and "tight" for sqrt(2 e^(8/9) / pi)',
        fix=write(constant="classical"),
    )


def _check_gaussian(law: str) -> None:
    """Refuse a law whose formula the documents do not print."""
    if law != "gaussian":
        raise not_for(
            law,
            "this formula",
            why="the documents print one for geometric noise, and one with delta for Gaussian",
            fix=(
                write("without delta", law="geometric"),
                write("with it", law="gaussian"),
            ),
        )
