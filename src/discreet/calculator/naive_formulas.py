"""What naive formulas say: those of documents 000 to 004, and of people in a hurry.

The formulas as documents 000 and 001 print them, so that an old number can be made again.

Rules of this module:
- nothing here is a guarantee; floats are only shown;
- a formula takes the law, the exact answer and what was known, and returns its name, its answer and
  why that differs, or None where the question has no naive formula;
- a law names its formulas itself (`laws`);
- nothing here is a guarantee; `accuracy`, `epsilon_for` and `sigma_for` are;
- a formula is refused only where it has no value;
- reals are decimals of 17 digits, rounded up.
"""

from decimal import Decimal
from fractions import Fraction
from typing import Any

from ..exact.enclosure import sqrt_up
from ..exact.number import Number, in_digits, rational
from ..noise.reals import decimal_up
from .for_accuracy import noise_for
from .formulas import gaussian_closed_forms
from .formulas.geometric_sum import union_bound
from .functions import accuracy, delta_of, sigma_for, tail_of
from .inputs import above_zero, accuracy_in, alpha_in
from .laws import GAUSSIAN, noise_of
from .laws.gaussian import constant_in
from .laws.law import Answer, Found, Known, NoiseLaw
from .laws.noise_size import Printed

_NOISE = ("epsilon", "delta", "rho", "mu2", "sigma", "sigma2", "scale")


def geometric_accuracy(law: NoiseLaw, answer: Answer, known: Known) -> Found | None:
    """The printed formula, or single bounds added up."""
    ge = known.get("convention", "gt") == "ge"
    if known.get("releases", 1) != 1:
        rate = noise_of(law.name, **_only(known, *_NOISE, "sensitivity")).size()
        share, many = alpha_in(known["alpha"]), int(known["releases"])
        value = union_bound(rate=rate, alpha=share, releases=many, convention="ge" if ge else "gt")
        return "adding up single bounds", value, "independent errors partly cancel in a sum"
    if known.get("coordinates", 1) != 1:
        return _for_one_number(law, known)
    if "epsilon" not in known:
        return None
    note = note_accuracy(law.name, **_only(known, "epsilon", "alpha", "sensitivity"))
    formula = "the ceiling of (sensitivity/epsilon) ln(1/alpha)"
    if note > answer:
        return formula, note, "one too large, because it bounds the continuous Laplace's error"
    if note < answer:
        at = _only(known, "epsilon", "sensitivity", "convention")
        fails = short(tail_of(law.name, error=note, **at))
        return formula, note, f"one too small, because such an error has a chance of {fails}"
    other = "an error of a or more counts (ge)" if not ge else "only an error above a counts (gt)"
    return formula, note, f"right here, by luck; where {other} it is wrong by one"


def _for_one_number(law: NoiseLaw, known: Known) -> Found:
    single = {name: value for name, value in known.items() if name != "coordinates"}
    many = int(known["coordinates"])
    value = accuracy(law.name, **single)
    sizes = _only(known, *_NOISE, "sensitivity", "convention", "releases")
    fails = 1 - (1 - float(tail_of(law.name, error=value, **sizes))) ** many
    why = f"it holds for one number: some of {many} would exceed it with a chance of {fails:.3g}"
    return "alpha for each number alone", value, why


def _for_the_largest(law: NoiseLaw, known: Known) -> Found:
    largest = accuracy(law.name, **{**known, "norm": "max"})
    value = Fraction(largest) * sqrt_up(Fraction(known.get("coordinates", 1)))
    return "sqrt(d) times the bound on the largest", value, "all are rarely that large at once"


def gaussian_accuracy(law: NoiseLaw, answer: Answer, known: Known) -> Found | None:  # noqa: ARG001
    """The classical Gaussian."""
    if known.get("norm") == "l2":
        return _for_the_largest(law, known)
    if known.get("coordinates", 1) != 1 and known.get("releases", 1) == 1:
        return _for_one_number(law, known)
    if "epsilon" not in known or known.get("releases", 1) != 1:
        return None
    note = note_accuracy(law.name, **_only(known, "epsilon", "delta", "alpha", "sensitivity"))
    return "the classical Gaussian", note, _classical(known)


def continuous_accuracy(law: NoiseLaw, answer: Answer, known: Known) -> Found | None:  # noqa: ARG001
    """The continuous Gaussian."""
    if known.get("coordinates", 1) != 1:
        return _for_one_number(law, known)
    sizes = _only(known, *_NOISE[:5], "sensitivity", "releases")
    if "sigma2" in known:
        sizes["sigma"] = sqrt_up(rational(known["sigma2"], "sigma2"))
    value = accuracy("gaussian", alpha=known["alpha"], **sizes)
    return "the continuous Gaussian", value, "its error is no whole number, and its tail differs"


def without_bounds(law: NoiseLaw, answer: Answer, known: Known, *, why: str) -> Found:  # noqa: ARG001
    """The same noise without bounds."""
    free = {name: value for name, value in known.items() if name not in ("bounds", "truth")}
    return "the same noise without bounds", accuracy("geometric", **free), why


def geometric_epsilon(law: NoiseLaw, answer: Answer, known: Known) -> Found | None:
    """The printed formula."""
    if known.get("releases", 1) != 1 or known.get("coordinates", 1) != 1:
        return None
    note = note_epsilon(law.name, **_only(known, "accuracy", "alpha", "sensitivity"))
    formula = "(sensitivity/accuracy) ln(1/alpha)"
    if note >= answer:
        more = _ratio(note, answer)
        return formula, note, f"it is the continuous Laplace's, and spends {more} times as much"
    at = {"epsilon": note} | _only(known, "sensitivity", "convention")
    fails = short(tail_of(law.name, error=known["accuracy"], **at))
    return formula, note, f"it breaks the promise: such an error then has a chance of {fails}"


def gaussian_epsilon(law: NoiseLaw, answer: Answer, known: Known) -> Found | None:
    """The classical formula turned around."""
    if known.get("releases", 1) != 1 or known.get("coordinates", 1) != 1:
        return None
    note = note_epsilon(law.name, **_only(known, "accuracy", "alpha", "delta", "sensitivity"))
    formula = "the classical formula turned around"
    share = _ratio(note, answer)
    if note >= answer:
        return formula, note, f"its constant is generous: it spends {share} times as much"
    return formula, note, f"it has no proof above epsilon = 1, and states {share} of the true cost"


def gaussian_sigma(law: NoiseLaw, answer: Answer, known: Known) -> Found | None:  # noqa: ARG001
    """The classical Gaussian."""
    several = known.get("releases", 1) != 1
    if several or "epsilon" not in known or known.get("rule", "analytic") != "analytic":
        return None
    note = note_sigma(**_only(known, "epsilon", "delta", "sensitivity"))
    return "the classical Gaussian", note, _classical(known)


def _classical(known: Known) -> str:
    """Return why the classical Gaussian differs at this loss."""
    note = note_sigma(**_only(known, "epsilon", "delta", "sensitivity"))
    exact = sigma_for(**_only(known, "epsilon", "delta", "sensitivity"))
    if note >= exact:
        return f"its sigma is {_ratio(note, exact)} times the least that works"
    at = {"sigma": note} | _only(known, "sensitivity")
    true = short(delta_of("gaussian", at_epsilon=known["epsilon"], **at))
    return f"it has no proof above epsilon = 1: with it the true delta is {true}"


def continuous_sigma2(law: NoiseLaw, answer: Answer, known: Known) -> Found | None:  # noqa: ARG001
    """The continuous Gaussian's variance."""
    if "epsilon" not in known:
        return None
    sigma = sigma_for(**_only(known, "epsilon", "delta", "sensitivity"))
    at = {"sigma": sigma} | _only(known, "sensitivity")
    true = short(delta_of(law.name, at_epsilon=known["epsilon"], **at))
    why = f"it is made for noise that is no whole number: with it the true delta here is {true}"
    return "the continuous Gaussian's sigma^2", Fraction(sigma) ** 2, why


def added_epsilons(law: NoiseLaw, answer: Answer, known: Known) -> Found | None:
    """Adding up epsilons."""
    at = noise_of(law.name, **_only(known, *_NOISE, "sensitivity"))
    value = at.size() * at.sensitivity * int(known.get("releases", 1))
    if value <= answer:
        return None
    return "adding up epsilons", value, "it makes no use of delta"


def gaussian_curve(law: NoiseLaw, answer: Answer, known: Known) -> Found | None:  # noqa: ARG001
    """The classical formula's epsilon."""
    if "sigma" not in known or known.get("releases", 1) != 1:
        return None
    at = {"epsilon": 1, "delta": known["at_delta"]} | _only(known, "sensitivity")
    value = Fraction(note_sigma(**at)) / rational(known["sigma"], "sigma")
    formula = "sensitivity sqrt(2 ln(1.25/delta)) / sigma"
    if value <= Fraction(answer):
        return formula, value, "it has no proof above epsilon = 1, and understates it here"
    return formula, value, f"it is {_ratio(value, answer)} times the least epsilon"


def gaussian_delta(law: NoiseLaw, answer: Answer, known: Known) -> Found | None:  # noqa: ARG001
    """The classical formula's delta."""
    if "sigma" not in known or known.get("releases", 1) != 1:
        return None
    sizes = [rational(known.get(name, 1), name) for name in ("at_epsilon", "sigma", "sensitivity")]
    epsilon, sigma, sensitivity = sizes
    with in_digits():
        value = Decimal("1.25") * Decimal(float(-((epsilon * sigma / sensitivity) ** 2) / 2)).exp()
    formula = "1.25 e^(-(epsilon sigma / sensitivity)^2 / 2)"
    if value < answer:
        return formula, value, "it has no proof above epsilon = 1, and understates delta here"
    return formula, value, "it is the classical formula turned around, and overstates delta"


def continuous_delta(law: NoiseLaw, answer: Answer, known: Known) -> Found | None:  # noqa: ARG001
    """The continuous Gaussian's curve."""
    sizes = _only(known, "rho", "mu2", "sigma", "sensitivity")
    if "sigma2" in known:
        sizes["sigma"] = sqrt_up(rational(known["sigma2"], "sigma2"))
    value = delta_of("gaussian", at_epsilon=known["at_epsilon"], **sizes)
    return "the continuous Gaussian's curve", value, "noise on whole numbers has a curve of its own"


def laplace_tail(law: NoiseLaw, answer: Answer, known: Known) -> Found | None:  # noqa: ARG001
    """The continuous Laplace's tail."""
    if known.get("releases", 1) != 1:
        return None
    value = tail_of("laplace", error=known["error"], **_only(known, *_NOISE, "sensitivity"))
    return "the continuous Laplace's tail", value, "noise on whole numbers has a tail of its own"


def continuous_promise(law: NoiseLaw, answer: Answer, known: Known) -> Found | None:  # noqa: ARG001
    """The continuous Gaussian's variance."""
    plain = _only(known, "accuracy", "alpha", "coordinates", "releases")
    sigma = Fraction(noise_for("gaussian", **plain))
    return "the continuous Gaussian's sigma^2", sigma**2, "its error is no whole number"


def _only(known: Known, *names: str) -> dict[str, Any]:
    return {name: known[name] for name in names if name in known}


def _ratio(part: Answer, whole: Answer) -> str:
    return f"{float(Fraction(part) / Fraction(whole)):.3f}" if whole else "infinitely many"


def short(value: Answer) -> str:
    """Return a number as it is shown."""
    return str(value) if isinstance(value, int) else f"{float(value):.6g}"


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
