"""The next step: from which loss on, or up to how much noise, a whole error is smaller by one.

Rules of this module:
- the step is found by the page's own functions, and told only if `accuracy` confirms it;
- a loss is rounded up and a size of noise down, to five digits, so that what is told can be typed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from typing import Any

from ..errors import InputError
from ..exact.enclosure import sqrt_down
from ..exact.number import decimal_of, text_of
from .for_accuracy import epsilon_for, noise_for, rho_for
from .functions import accuracy, mu2_of
from .laws import noise_of

_DIGITS = 5
_MORE = 1 + Fraction(1, 10**5)  # as sigma2 of six digits, which follows from a mu^2, is rounded up
_SIZES = (
    "epsilon",
    "rho",
    "mu2",
    "scale",
    "sigma",
    "sigma2",
)  # one of them says how much noise there is
_SHARED = ("alpha", "convention", "coordinates", "releases")


@dataclass(frozen=True, slots=True)
class Step:
    """A smaller error, and what it takes.

    Args:
        accuracy: the error, less by one.
        name: "epsilon", "rho" or "mu2", from which on it is kept; else the size of noise, up to
            which it is.
        value: that number as text.
    """

    accuracy: int
    name: str
    value: str

    def __str__(self) -> str:
        if self.name in ("epsilon", "rho", "mu2"):
            return f"{self.accuracy} from {self.name} = {self.value} on"
        return f"{self.accuracy} up to {self.name} = {self.value}"


def next_step(law: str, answer: object, known: Mapping[str, Any]) -> Step | None:
    """Return the next step of an accuracy, or None where an error is no whole number or least.

    Args:
        law: see `accuracy`.
        answer: what `accuracy` answered.
        known: its keywords.

    Example:
        >>> print(next_step("geometric", 4, {"epsilon": "0.83", "alpha": "0.05"}))
        3 from epsilon = 0.83189 on
    """
    least = 1 if known.get("convention", "gt") == "ge" else 0
    if not isinstance(answer, int) or answer <= least or known.get("truth") is not None:
        return None
    (name,) = (size for size in _SIZES if size in known)
    try:
        value = _FOUND[name](law, answer - 1, known)
        confirmed = accuracy(law, **{**known, name: value}) == answer - 1
    except InputError:  # beyond what is calculated, though the answer was not
        return None
    return Step(answer - 1, name, text_of(value)) if confirmed else None


def _epsilon(law: str, error: int, known: Mapping[str, Any]) -> Fraction:
    also = _only(known, *_SHARED, "delta", "sensitivity", "bounds")
    return _rounded(epsilon_for(law, accuracy=error, **also), ROUND_CEILING)


def _rho(law: str, error: int, known: Mapping[str, Any]) -> Fraction:
    also = _only(known, *_SHARED, "sensitivity")
    return _rounded(rho_for(law, accuracy=error, **also), ROUND_CEILING)


def _mu2(law: str, error: int, known: Mapping[str, Any]) -> Fraction:
    size = noise_for(law, accuracy=error, **_only(known, *_SHARED))
    named: dict[str, Any] = {noise_of(law).law.size_name: size}
    found = Fraction(mu2_of(law, **named, **_only(known, "sensitivity")))
    return _rounded(found * _MORE, ROUND_CEILING)


def _noise(law: str, error: int, known: Mapping[str, Any]) -> Fraction:
    return _rounded(noise_for(law, accuracy=error, **_only(known, *_SHARED)), ROUND_FLOOR)


def _sigma(law: str, error: int, known: Mapping[str, Any]) -> Fraction:
    sigma2 = Fraction(noise_for(law, accuracy=error, **_only(known, *_SHARED)))
    return _rounded(sqrt_down(sigma2), ROUND_FLOOR)


_FOUND: dict[str, Callable[[str, int, Mapping[str, Any]], Fraction]] = {
    "epsilon": _epsilon,
    "rho": _rho,
    "mu2": _mu2,
    "scale": _noise,
    "sigma2": _noise,
    "sigma": _sigma,
}


def _only(known: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: known[name] for name in names if name in known}


def _rounded(number: Decimal | Fraction, side: str) -> Fraction:
    return Fraction(decimal_of(Fraction(number), _DIGITS, side))
