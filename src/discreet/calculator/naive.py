"""What the naive formula would have said, and why it differs.

Rules of this module:
- nothing here is a guarantee; it only reports, and floats are only shown;
- each formula is one that documents 000 to 004 print, or that people use without a second thought;
- a formula without a value says why, and a question without a naive formula gets None.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ..errors import InputError
from ..exact.enclosure import sqrt_up
from ..exact.number import rational
from ..formulas.geometric_sum import union_bound
from .accuracy import accuracy
from .for_accuracy import noise_for
from .inputs import COUNTS, GEOMETRIC, Asked, alpha_in, asked, loss
from .noise import sigma_for
from .printed_formulas import note_accuracy, note_epsilon, note_sigma
from .privacy import delta_of
from .tail import tail_of

Answer = int | Decimal | Fraction
Known = Mapping[str, Any]
Found = tuple[str, Answer, str]  # the formula, its answer, and why that differs


@dataclass(frozen=True, slots=True)
class Naive:
    """A naive formula's answer; without a value where the formula has none."""

    formula: str
    value: str | None
    why: str

    def __str__(self) -> str:
        says = "has no value" if self.value is None else f"says {self.value}"
        return f"{self.formula} {says}\n          {self.why}"


def naive(function: str, law: str, answer: Answer, known: Known) -> Naive | None:
    """Return what a naive formula says to a question that was answered, or None.

    Args:
        function: which function of the page answered.
        law: see `accuracy`.
        answer: its answer.
        known: its keywords.
    """
    kind = "geometric" if law in GEOMETRIC else "counts" if law in COUNTS else law
    find = _FORMULAS.get((function, kind))
    if find is None:
        return None
    try:
        found = find(law, answer, known)
    except InputError as error:
        is_zero = known.get("epsilon") is not None and loss(known["epsilon"]) == 0
        why = "it divides by epsilon, which is 0" if is_zero else error.why
        return Naive("the printed formula", None, why)
    return None if found is None else Naive(found[0], _short(found[1]), found[2])


def _geometric_accuracy(law: str, answer: Answer, known: Known) -> Found | None:
    ge = known.get("convention", "gt") == "ge"
    if known.get("releases", 1) != 1:
        rate = _noise_at(law, known).rate()
        share, many = alpha_in(known["alpha"]), int(known["releases"])
        value = union_bound(rate=rate, alpha=share, releases=many, convention="ge" if ge else "gt")
        return "adding up single bounds", value, "independent errors partly cancel in a sum"
    if known.get("coordinates", 1) != 1:
        return _for_one_number(law, known)
    if "epsilon" not in known:
        return None
    note = note_accuracy(law, **_only(known, "epsilon", "alpha", "sensitivity"))
    formula = "the ceiling of (sensitivity/epsilon) ln(1/alpha)"
    if note > answer:
        return formula, note, "one too large, because it bounds the continuous Laplace's error"
    if note < answer:
        at = _only(known, "epsilon", "sensitivity", "convention")
        fails = _short(tail_of(law, error=note, **at))
        why = f"one too small, because such an error has a chance of {fails}"
        return formula, note, why
    other = "an error of a or more counts (ge)" if not ge else "only an error above a counts (gt)"
    return formula, note, f"right here, by luck; where {other} it is wrong by one"


def _for_one_number(law: str, known: Known) -> Found:
    one = {name: value for name, value in known.items() if name != "coordinates"}
    many = int(known["coordinates"])
    value = accuracy(law, **one)
    sizes = _only(known, *_NOISE, "sensitivity", "convention", "releases")
    fails = 1 - (1 - float(tail_of(law, error=value, **sizes))) ** many
    why = f"it holds for one number: some of {many} would exceed it with a chance of {fails:.3g}"
    return "alpha for each number alone", value, why


def _for_the_largest(law: str, known: Known) -> Found:
    largest = accuracy(law, **{**known, "norm": "max"})
    value = Fraction(largest) * sqrt_up(Fraction(known.get("coordinates", 1)))
    return "sqrt(d) times the bound on the largest", value, "all are rarely that large at once"


def _gaussian_accuracy(law: str, answer: Answer, known: Known) -> Found | None:  # noqa: ARG001
    if known.get("norm") == "l2":
        return _for_the_largest(law, known)
    if known.get("coordinates", 1) != 1 and known.get("releases", 1) == 1:
        return _for_one_number(law, known)
    if "epsilon" not in known or known.get("releases", 1) != 1:
        return None
    note = note_accuracy(law, **_only(known, "epsilon", "delta", "alpha", "sensitivity"))
    return "the classical Gaussian", note, _classical(known)


def _discrete_accuracy(law: str, answer: Answer, known: Known) -> Found | None:  # noqa: ARG001
    if known.get("coordinates", 1) != 1:
        return _for_one_number(law, known)
    sizes = _only(known, "epsilon", "delta", "rho", "sigma", "sensitivity", "releases")
    if "sigma2" in known:
        sizes["sigma"] = sqrt_up(rational(known["sigma2"], "sigma2"))
    value = accuracy("gaussian", alpha=known["alpha"], **sizes)
    return "the continuous Gaussian", value, "its error is no whole number, and its tail differs"


def _clamped_accuracy(law: str, answer: Answer, known: Known) -> Found | None:  # noqa: ARG001
    free = {name: value for name, value in known.items() if name not in ("bounds", "truth")}
    return (
        "the same noise without bounds",
        accuracy("geometric", **free),
        "no error is larger than the bounds allow"
        if law == "clamped_geometric"
        else "it forgets that redrawing changes both the error and the price",
    )


def _geometric_epsilon(law: str, answer: Answer, known: Known) -> Found | None:
    if known.get("releases", 1) != 1 or known.get("coordinates", 1) != 1:
        return None
    note = note_epsilon(law, **_only(known, "accuracy", "alpha", "sensitivity"))
    formula = "(sensitivity/accuracy) ln(1/alpha)"
    if note >= answer:
        more = _ratio(note, answer)
        return formula, note, f"it is the continuous Laplace's, and spends {more} times as much"
    at = {"epsilon": note} | _only(known, "sensitivity", "convention")
    fails = _short(tail_of(law, error=known["accuracy"], **at))
    return formula, note, f"it breaks the promise: such an error then has a chance of {fails}"


def _gaussian_epsilon(law: str, answer: Answer, known: Known) -> Found | None:
    if known.get("releases", 1) != 1 or known.get("coordinates", 1) != 1:
        return None
    note = note_epsilon(law, **_only(known, "accuracy", "alpha", "delta", "sensitivity"))
    formula = "the classical formula turned around"
    if note >= answer:
        return (
            formula,
            note,
            f"its constant is generous: it spends {_ratio(note, answer)} times as much",
        )
    return (
        formula,
        note,
        f"it has no proof above epsilon = 1, and states {_ratio(note, answer)} of the true cost",
    )


def _gaussian_sigma(law: str, answer: Answer, known: Known) -> Found | None:  # noqa: ARG001
    if "epsilon" not in known or known.get("rule", "analytic") != "analytic":
        return None
    if known.get("releases", 1) != 1:
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
    true = _short(delta_of("gaussian", at_epsilon=known["epsilon"], **at))
    return f"it has no proof above epsilon = 1: with it the true delta is {true}"


def _discrete_sigma2(law: str, answer: Answer, known: Known) -> Found | None:  # noqa: ARG001
    if "epsilon" not in known:
        return None
    sigma = sigma_for(**_only(known, "epsilon", "delta", "sensitivity"))
    at = {"sigma": sigma} | _only(known, "sensitivity")
    true = _short(delta_of(law, at_epsilon=known["epsilon"], **at))
    why = f"it is made for noise that is no whole number: with it the true delta here is {true}"
    return "the continuous Gaussian's sigma^2", Fraction(sigma) ** 2, why


def _composed(law: str, answer: Answer, known: Known) -> Found | None:
    at = _noise_at(law, known)
    value = at.rate() * at.sensitivity * int(known.get("releases", 1))
    if value <= answer:
        return None
    return "adding up epsilons", value, "it makes no use of delta"


def _gaussian_curve(law: str, answer: Answer, known: Known) -> Found | None:  # noqa: ARG001
    if "sigma" not in known or known.get("releases", 1) != 1:
        return None
    delta = {"delta": known["at_delta"]}
    at = {"epsilon": 1} | delta | _only(known, "sensitivity")
    value = Fraction(note_sigma(**at)) / rational(known["sigma"], "sigma")
    formula = "sensitivity sqrt(2 ln(1.25/delta)) / sigma"
    if value <= Fraction(answer):
        return formula, value, "it has no proof above epsilon = 1, and understates it here"
    return formula, value, f"it is {_ratio(value, answer)} times the least epsilon"


def _gaussian_delta(law: str, answer: Answer, known: Known) -> Found | None:  # noqa: ARG001
    if "sigma" not in known or known.get("releases", 1) != 1:
        return None
    sizes = [rational(known.get(name, 1), name) for name in ("at_epsilon", "sigma", "sensitivity")]
    epsilon, sigma, sensitivity = sizes
    value = Decimal("1.25") * Decimal(float(-((epsilon * sigma / sensitivity) ** 2) / 2)).exp()
    formula = "1.25 e^(-(epsilon sigma / sensitivity)^2 / 2)"
    if value < answer:
        return formula, value, "it has no proof above epsilon = 1, and understates delta here"
    return formula, value, "it is the classical formula turned around, and overstates delta"


def _discrete_delta(law: str, answer: Answer, known: Known) -> Found | None:  # noqa: ARG001
    sizes = _only(known, "rho", "sigma", "sensitivity")
    if "sigma2" in known:
        sizes["sigma"] = sqrt_up(rational(known["sigma2"], "sigma2"))
    value = delta_of("gaussian", at_epsilon=known["at_epsilon"], **sizes)
    return "the continuous Gaussian's curve", value, "noise on whole numbers has a curve of its own"


def _geometric_tail(law: str, answer: Answer, known: Known) -> Found | None:  # noqa: ARG001
    if known.get("releases", 1) != 1:
        return None
    at = _only(known, "epsilon", "scale", "sensitivity")
    value = tail_of("laplace", error=known["error"], **at)
    return "the continuous Laplace's tail", value, "noise on whole numbers has a tail of its own"


def _discrete_promise(law: str, answer: Answer, known: Known) -> Found | None:  # noqa: ARG001
    plain = _only(known, "accuracy", "alpha", "coordinates", "releases")
    sigma = Fraction(noise_for("gaussian", **plain))
    return "the continuous Gaussian's sigma^2", sigma**2, "its error is no whole number"


_NOISE = ("epsilon", "delta", "rho", "sigma", "sigma2", "scale")
_FORMULAS: dict[tuple[str, str], Callable[[str, Answer, Known], Found | None]] = {
    ("accuracy", "geometric"): _geometric_accuracy,
    ("accuracy", "gaussian"): _gaussian_accuracy,
    ("accuracy", "discrete_gaussian"): _discrete_accuracy,
    ("accuracy", "counts"): _clamped_accuracy,
    ("epsilon_for", "geometric"): _geometric_epsilon,
    ("epsilon_for", "gaussian"): _gaussian_epsilon,
    ("epsilon_of", "geometric"): _composed,
    ("epsilon_of", "gaussian"): _gaussian_curve,
    ("sigma_for", "gaussian"): _gaussian_sigma,
    ("sigma2_for", "discrete_gaussian"): _discrete_sigma2,
    ("delta_of", "gaussian"): _gaussian_delta,
    ("delta_of", "discrete_gaussian"): _discrete_delta,
    ("tail_of", "geometric"): _geometric_tail,
    ("noise_for", "discrete_gaussian"): _discrete_promise,
}


def _noise_at(law: str, known: Known) -> Asked:
    return asked(law, **{"sensitivity": 1} | _only(known, "epsilon", "scale", "sensitivity"))


def _only(known: Known, *names: str) -> dict[str, Any]:
    return {name: known[name] for name in names if name in known}


def _ratio(part: Answer, whole: Answer) -> str:
    return f"{float(Fraction(part) / Fraction(whole)):.3f}" if whole else "infinitely many"


def _short(value: Answer) -> str:
    return str(value) if isinstance(value, int) else f"{float(value):.6g}"
