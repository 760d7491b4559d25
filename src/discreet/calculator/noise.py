"""From a loss to the least noise that keeps it.

Rules of this module:
- an answer is never below the true value, and within 1e-12 of it; what is rational is exact;
- sigma and sigma2 are certified: the enclosed delta of what is returned is at most the target.
"""

from decimal import Decimal
from fractions import Fraction

from ..errors import InputError, shown
from ..exact.number import Number
from ..fix import leave_out, write
from ..formulas import discrete_gaussian_calibration, gaussian_closed_forms
from ..noise.reals import decimal_up
from .errors import no_size, not_for
from .inputs import GEOMETRIC, added_up, asked, counted


def sigma_for(
    law: str = "gaussian",
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    sensitivity: Number = 1,
    releases: int = 1,
    rule: str = "analytic",
) -> Decimal:
    """Return the least sigma of continuous Gaussian noise that keeps a loss, rounded up.

    A closed form keeps it, too, but is not the least.

    Args:
        law: "gaussian"; the discrete Gaussian is calibrated by `sigma2_for`.
        epsilon: in nats, at least 0; with delta.
        delta: in (0, 1).
        rho: instead of epsilon and delta, a zCDP loss above 0.
        sensitivity: l2 sensitivity, above 0.
        releases: how many releases the loss is for, together.
        rule: "analytic" (exact), or a closed form: "classical" and "tight" (refused beyond their
            proof), "pinsker" (epsilon = 0) or "vinterbo" (delta at most 1/2).

    Raises:
        InputError: a number is out of its range, or the rule's proof does not cover it.

    Example:
        >>> sigma_for(epsilon="0.1", delta="1e-6", rule="classical")
        Decimal('52.988025268504740')
        >>> sigma_for(epsilon="0.1", delta="1e-6")
        Decimal('36.304690426195786')
    """
    if law != "gaussian":
        raise no_size(law, "sigma")
    known = asked(law, sensitivity=sensitivity, epsilon=epsilon, delta=delta, rho=rho)
    moved = added_up(known.sensitivity, counted(releases, "releases"))
    if rule == "analytic":
        return decimal_up(
            asked(law, sensitivity=1, epsilon=epsilon, delta=delta, rho=rho).gaussian_sigma()
            * moved
        )
    if rho is not None:
        raise not_for(
            law,
            f"rule = {shown(rule)}",
            why="the closed forms are for an epsilon and a delta, and a rho needs none",
            fix=leave_out("rule"),
        )
    return decimal_up(_by_rule(rule, *known.pair(), moved))


def sigma2_for(
    law: str = "discrete_gaussian",
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    sensitivity: Number = 1,
    releases: int = 1,
) -> Decimal:
    """Return the variance parameter from which on a loss is kept, rounded up.

    Args: see `sigma_for`; for "discrete_gaussian" with epsilon and delta it is the law's own exact
        calibration, of one whole number that moves by at most a whole sensitivity. At large
        epsilon a smaller variance may keep it too, but one between the two would not.

    Example: the continuous Gaussian's 0.4263246 would miss this delta three times over.

        >>> sigma2_for("discrete_gaussian", epsilon=8, delta="1e-6")
        Decimal('0.43462284123133699')
    """
    known = asked(law, sensitivity=sensitivity, epsilon=epsilon, delta=delta, rho=rho)
    many = counted(releases, "releases")
    if law == "gaussian":
        one = asked(law, sensitivity=1, epsilon=epsilon, delta=delta, rho=rho)
        return decimal_up(one.gaussian_sigma() ** 2 * known.sensitivity**2 * many)
    if law != "discrete_gaussian":
        raise no_size(law, "sigma2")
    if many > 1 and rho is None:
        raise not_for(
            law,
            "sigma2 for several releases",
            why="they are added up in rho; its own epsilon and delta are built in for one",
            fix=write("in place of epsilon and delta", rho="1/50"),
        )
    return decimal_up(known.discrete_sigma2() * many)


def smaller_sigma2(*, epsilon: Number, delta: Number, sensitivity: Number = 1) -> Fraction | None:
    """Return a smaller variance than `sigma2_for` that keeps the loss, too, or None.

    It is of the discrete Gaussian, and must be used as it is: some larger ones do not keep it.

    Example:
        >>> smaller_sigma2(epsilon=8, delta="1e-6")
        Fraction(5, 16)
    """
    known = asked("discrete_gaussian", sensitivity=sensitivity, epsilon=epsilon, delta=delta)
    return discrete_gaussian_calibration.smaller_that_keeps(
        epsilon=known.pair()[0],
        delta=known.pair()[1],
        sigma2=known.discrete_sigma2(),
        sensitivity=known.whole_sensitivity(),
    )


def scale_for(
    law: str = "geometric", *, epsilon: Number, sensitivity: Number = 1, releases: int = 1
) -> Fraction:
    """Return the scale of geometric or Laplace noise, sensitivity / epsilon, exactly.

    Example:
        >>> scale_for("geometric", epsilon="0.3", sensitivity=2)
        Fraction(20, 3)
    """
    if law not in GEOMETRIC | {"laplace"}:
        raise no_size(law, "scale")
    known = asked(law, sensitivity=sensitivity, epsilon=epsilon)
    return counted(releases, "releases") / known.rate()


def _by_rule(rule: str, epsilon: Fraction, delta: Fraction, sensitivity: Fraction) -> Fraction:
    if rule in ("classical", "tight"):
        if epsilon == 0:
            raise InputError(
                f"rule = {shown(rule)} has no sigma at epsilon = 0.",
                why="the closed form divides by epsilon",
                fix=(write(rule="pinsker"), leave_out("rule")),
            )
        return gaussian_closed_forms.classical_sigma_up(
            epsilon=epsilon,
            delta=delta,
            sensitivity=sensitivity,
            constant="classical" if rule == "classical" else "tight",
        )
    if rule == "pinsker":
        return gaussian_closed_forms.pinsker_sigma(delta=delta, sensitivity=sensitivity)
    if rule == "vinterbo":
        return gaussian_closed_forms.vinterbo_sigma_up(
            epsilon=epsilon, delta=delta, sensitivity=sensitivity
        )
    raise InputError(
        f"there is no rule {shown(rule)!r}.",
        why="the rules are analytic, classical, tight, pinsker and vinterbo",
        fix=leave_out("rule", note="for the exact sigma"),
    )
