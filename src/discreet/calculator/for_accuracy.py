"""From a promised accuracy: the least loss that keeps it, and the most noise that does.

The next step: from which loss on, or up to how much noise, a whole error is smaller by one.

Rules of this module:
- a loss is rounded up, a size of noise is rounded down, each within 1e-12: both keep the promise;
- a law on whole numbers is answered in the convention asked for (see `accuracy`);
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
from ..exact.number import Number, decimal_of, text_of
from ..fix import write
from ..noise.reals import decimal_down, decimal_up
from .functions import accuracy, mu2_of
from .inputs import alpha_in, convention_in, counted
from .laws import noise_of
from .laws.law import NoiseLaw
from .laws.noise_size import Chance


def epsilon_for(  # noqa: PLR0913 (one keyword for each thing that may be known)
    law: str,
    *,
    accuracy: Number,
    alpha: Number,
    delta: Number | None = None,
    sensitivity: Number = 1,
    convention: str = "gt",
    coordinates: int = 1,
    releases: int = 1,
    bounds: tuple[int, int] | None = None,
    norm: str = "max",
) -> Decimal:
    """Return the least epsilon (of each release) that keeps a promised accuracy, rounded up.

    Args:
        law: see `accuracy`; the discrete Gaussian's noise is that of `sigma2_for`.
        accuracy: the error that may be exceeded with a chance of alpha.
        alpha: that chance, in (0, 1]; at 1 nothing is promised and the answer is 0.
        delta: for the Gaussians, in (0, 1).
        sensitivity: see `accuracy`.
        convention: see `accuracy`.
        coordinates: see `accuracy`.
        releases: see `accuracy`.
        bounds: see `accuracy`.
        norm: see `accuracy`.

    Raises:
        InputError: a number is out of its range, missing, or does not belong to the law.

    Example: the printed formula ln(20) / 2 spends 1.4979.

        >>> epsilon_for("geometric", accuracy=2, alpha="0.05")
        Decimal('1.1368756106042870')
    """
    noise = noise_of(law, sensitivity, delta=delta, bounds=bounds)
    error, chance = _promise(noise.law, accuracy, alpha, convention, coordinates, releases, norm)
    return decimal_up(noise.law.epsilon_for(noise, error, chance))


def rho_for(
    law: str,
    *,
    accuracy: Number,
    alpha: Number,
    sensitivity: Number = 1,
    convention: str = "gt",
    coordinates: int = 1,
    releases: int = 1,
    norm: str = "max",
) -> Decimal:
    """Return the least zCDP loss (of each release) that keeps a promised accuracy, rounded up.

    Args: see `epsilon_for`; law is "gaussian" or "discrete_gaussian".

    Example:
        >>> rho_for("discrete_gaussian", accuracy=10, alpha="0.05")
        Decimal('0.017371155512423374')
    """
    noise = noise_of(law, sensitivity)
    error, chance = _promise(noise.law, accuracy, alpha, convention, coordinates, releases, norm)
    if chance.alpha == 1 and noise.law.exact_rho:
        return Decimal(0)
    return decimal_up(noise.sensitivity**2 / (2 * noise.law.variance_for(error, chance)))


def noise_for(
    law: str,
    *,
    accuracy: Number,
    alpha: Number,
    convention: str = "gt",
    coordinates: int = 1,
    releases: int = 1,
    norm: str = "max",
) -> Decimal:
    """Return the most noise (in each release) that keeps a promised accuracy, rounded down.

    Args: see `epsilon_for`; alpha is below 1, as otherwise any noise keeps it.

    Returns: the scale of geometric or Laplace noise, sigma of the Gaussian, sigma2 of the discrete
        Gaussian.

    Example: how much noise an error of ten has room for.

        >>> noise_for("geometric", accuracy=10, alpha="0.05")
        Decimal('3.5168110832715311')
        >>> noise_for("gaussian", accuracy=10, alpha="0.05")
        Decimal('5.1021345692465374')
    """
    asked = noise_of(law).law
    error, chance = _promise(asked, accuracy, alpha, convention, coordinates, releases, norm)
    if chance.alpha == 1 and not asked.bounded:
        raise InputError(
            "alpha = 1 limits no noise.",
            kind="out-of-range",
            why="every error may then be exceeded, so that any noise keeps the promise",
            fix=write(alpha="0.05"),
        )
    return decimal_down(asked.noise_for(error, chance))


def _promise(
    law: NoiseLaw,
    accuracy: Number,
    alpha: Number,
    convention: str,
    coordinates: int,
    releases: int,
    norm: str,
) -> tuple[Fraction, Chance]:
    """Return the error that may be exceeded, and with which chance."""
    share, kind = alpha_in(alpha), convention_in(convention)
    error = law.accuracy_in(accuracy, kind)
    many, sums = counted(coordinates, "coordinates"), counted(releases, "releases")
    return error, Chance(share, kind, many, sums, law.norm_in(norm))


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
    mu2 = Fraction(mu2_of(law, **named, **_only(known, "sensitivity")))
    return _rounded(mu2 * _MORE, ROUND_CEILING)


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
