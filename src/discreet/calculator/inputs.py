"""What a caller of the calculator typed, checked once.

Rules of this module:
- every number becomes an exact rational (see `exact.number`), or an InputError of three lines;
- what may not be combined is refused, never ignored;
- nothing is computed here but the noise that a loss leads to.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from ..errors import InputError, shown
from ..exact.enclosure import ball, sqrt_up
from ..exact.number import Number, rational, text_of, whole
from ..fix import Set, write
from ..formulas import discrete_gaussian_calibration, gaussian
from ..noise.geometric_accuracy import Convention
from ..noise.reals import real_up
from .errors import bounds_missing, delta_missing, epsilon_missing

Law = Literal[
    "geometric",
    "discrete_laplace",
    "laplace",
    "gaussian",
    "discrete_gaussian",
    "clamped_geometric",
    "truncated_geometric",
]
Bounds = tuple[int, int]

LAWS = frozenset(Law.__args__)  # type: ignore[attr-defined]
GEOMETRIC = frozenset({"geometric", "discrete_laplace"})
COUNTS = frozenset({"clamped_geometric", "truncated_geometric"})
_CONVENTIONS = frozenset({"gt", "ge"})
_NORMS = frozenset({"max", "l2"})
_LONG = 1 << 63
_LARGEST_EPSILON = 10**6
_LARGEST_NOISE = Fraction(10) ** 100


@dataclass(frozen=True, slots=True)
class Asked:
    """What is known about the noise: its law, and what its size follows from."""

    law: str
    sensitivity: Fraction
    epsilon: Fraction | None = None
    delta: Fraction | None = None
    rho: Fraction | None = None
    sigma: Fraction | None = None
    sigma2: Fraction | None = None
    scale: Fraction | None = None

    def rate(self) -> Fraction:
        """Return epsilon / sensitivity of geometric or Laplace noise, exactly."""
        self._only("epsilon", "scale")
        if self.scale is not None:
            return 1 / self.scale
        if self.epsilon is None:
            raise epsilon_missing(self.law)
        return above_zero(self.epsilon, "epsilon") / self.sensitivity

    def gaussian_sigma(self) -> Fraction:
        """Return the sigma of continuous Gaussian noise, rounded up where it is computed."""
        self._only("epsilon", "delta", "rho", "sigma")
        if self.sigma is not None:
            return self.sigma
        if self.rho is not None:
            return noise_of_rho(self.rho, self.sensitivity)
        epsilon, delta = self.pair()
        return gaussian.sigma_up(epsilon=epsilon, delta=delta, sensitivity=self.sensitivity)

    def discrete_sigma2(self) -> Fraction:
        """Return the variance parameter of discrete Gaussian noise, rounded up where computed."""
        self._only("epsilon", "delta", "rho", "sigma", "sigma2")
        if self.sigma2 is not None:
            return self.sigma2
        if self.sigma is not None:
            return self.sigma**2
        if self.rho is not None:
            return self.sensitivity**2 / (2 * above_zero(self.rho, "rho"))
        epsilon, delta = self.pair()
        return discrete_gaussian_calibration.sigma2_up(
            epsilon=epsilon, delta=delta, sensitivity=self.whole_sensitivity()
        )

    def pair(self) -> tuple[Fraction, Fraction]:
        """Return epsilon and delta, both of which must be known, delta above 0."""
        if self.epsilon is None:
            raise epsilon_missing(self.law)
        if self.delta is None:
            raise delta_missing(self.law)
        return self.epsilon, positive_delta(self.delta)

    def whole_sensitivity(self) -> int:
        """Return the sensitivity of a law on the whole numbers."""
        return whole(self.sensitivity, "sensitivity", least=1)

    def _only(self, *allowed: str) -> None:
        given = [name for name in _SIZES if getattr(self, name) is not None]
        ways = [{"epsilon"}, {"epsilon", "delta"}, {"rho"}, {"sigma"}, {"sigma2"}, {"scale"}]
        if set(given) - set(allowed) or set(given) not in ways:
            raise InputError(
                f"how much {self.law} noise there is, is not said"
                + (f" by {' and '.join(given)}." if given else "."),
                why=f"its size follows from one of {', '.join(allowed)}"
                + (" (epsilon with delta)" if "delta" in allowed else ""),
                fix=Set({allowed[0]: "0.1"} | ({"delta": "1e-6"} if "delta" in allowed else {})),
            )


_SIZES = ("epsilon", "delta", "rho", "sigma", "sigma2", "scale")


def asked(
    law: str,
    *,
    sensitivity: Number,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    sigma: Number | None = None,
    sigma2: Number | None = None,
    scale: Number | None = None,
) -> Asked:
    """Return what was typed as exact rationals, or raise InputError."""
    if law not in LAWS:
        raise InputError(
            f"there is no noise law {shown(law)!r} to calculate with.",
            why=f"the laws are {', '.join(sorted(LAWS))}",
            fix=write(law="geometric"),
        )
    return Asked(
        law=law,
        sensitivity=noise(sensitivity, "sensitivity"),
        epsilon=None if epsilon is None else loss(epsilon),
        delta=None if delta is None else delta_in(delta),
        rho=None if rho is None else above_zero(rational(rho, "rho"), "rho"),
        sigma=None if sigma is None else noise(sigma, "sigma"),
        sigma2=None if sigma2 is None else noise(sigma2, "sigma2"),
        scale=None if scale is None else noise(scale, "scale"),
    )


def loss(value: Number, name: str = "epsilon") -> Fraction:
    """Return an epsilon of at least 0 that promises something."""
    number = rational(value, name)
    if number < 0:
        raise _range(name, number, "at least 0", "a loss of privacy cannot be negative", "0.1")
    if number > _LARGEST_EPSILON:
        why = "a loss of a million nats promises nothing, so it is likely mistyped"
        raise _range(name, number, f"at most {_LARGEST_EPSILON}", why, "0.1")
    return number


def delta_in(value: Number) -> Fraction:
    """Return a delta in [0, 1)."""
    number = rational(value, "delta")
    if not 0 <= number < 1:
        why = "delta is the chance that the protection fails; at 1 nothing is promised"
        raise _range("delta", number, "in [0, 1)", why, "1e-6")
    return number


def positive_delta(number: Fraction) -> Fraction:
    """Return a delta above 0, which every Gaussian needs."""
    if number == 0:
        why = "no finite Gaussian noise keeps delta = 0; geometric noise does"
        raise _range("delta", number, "above 0", why, "1e-6")
    return number


def alpha_in(value: Number) -> Fraction:
    """Return an alpha in (0, 1]."""
    number = rational(value, "alpha")
    if not 0 < number <= 1:
        why = "alpha is the chance that an error exceeds the bound; no finite bound holds always"
        raise _range("alpha", number, "in (0, 1]", why, "0.05")
    return number


def noise(value: Number, name: str) -> Fraction:
    """Return a size of noise or a sensitivity: above 0, and within 10^-100 to 10^100."""
    number = above_zero(rational(value, name), name)
    if not 1 / _LARGEST_NOISE <= number <= _LARGEST_NOISE:
        raise _range(name, number, "in 1e-100 to 1e100", "it is likely mistyped", "1")
    return number


_SIZED = "noise is in proportion to it"
_PROPORTION = dict.fromkeys(("epsilon", "rho"), "noise that loses nothing has no finite size")
_PROPORTION["accuracy"] = "an error of exactly 0 has no chance in continuous noise"


def above_zero(number: Fraction, name: str) -> Fraction:
    """Return a number above 0."""
    if number <= 0:
        raise _range(name, number, "above 0", _PROPORTION.get(name, _SIZED), "1")
    return number


def accuracy_in(value: Number, *, convention: str | None) -> Fraction:
    """Return a promised accuracy of at least 0; whole for a law on whole numbers.

    An error is whole, so that "above 2.5" is "above 2" and "2.5 or more" is "3 or more".
    """
    number = rational(value, "accuracy")
    if number < 0:
        why = "an accuracy is the size of an error"
        raise _range("accuracy", number, "at least 0", why, "10")
    if convention is None:
        return number
    down = number.numerator // number.denominator
    found = down if convention == "gt" or number == down else down + 1
    if found >= _LONG:
        why = "counts are kept in 64 bits"
        raise _range("accuracy", number, "below 2^63", why, "10")
    return Fraction(found)


def convention_in(convention: str) -> Convention:
    """Return "gt" or "ge"."""
    if convention not in _CONVENTIONS:
        raise InputError(
            f"there is no convention {shown(convention)!r}.",
            why='"gt" bounds the chance of an error above a, "ge" that of an error of a or more',
            fix=write(convention="gt"),
        )
    return "gt" if convention == "gt" else "ge"


def norm_in(norm: str, law: str) -> str:
    """Return "max" or, for Gaussian noise, "l2"."""
    if norm not in _NORMS:
        raise InputError(
            f"there is no norm {shown(norm)!r} of several errors.",
            why='"max" bounds the largest of them, "l2" the root of the sum of their squares',
            fix=write(norm="l2"),
        )
    if norm == "l2" and law != "gaussian":
        raise InputError(
            f'norm = "l2" is not calculated for {law} noise.',
            why="the law of a sum of squares is known in closed form for Gaussian errors only",
            fix=(write(law="gaussian"), write(norm="max")),
        )
    return norm


def counted(value: object, name: str, *, most: int = 10**6) -> int:
    """Return a count of coordinates or releases, from 1 to `most`."""
    number = whole(value, name, least=1)
    if number > most:
        raise _range(name, Fraction(number), f"at most {most}", "it is likely mistyped", "1")
    return number


def bounds_in(bounds: object, law: str) -> Bounds:
    """Return public bounds (lower, upper) of a count, each a whole number of 64 bits."""
    if bounds is None:
        raise bounds_missing(law)
    if not isinstance(bounds, tuple | list) or len(bounds) != 2:
        raise InputError(
            f"bounds = {shown(bounds)} is not a lower and an upper count.",
            why="a clamped count needs public bounds",
            fix=write(bounds=(0, 100)),
        )
    lower, upper = (whole(value, "a bound", least=1 - _LONG) for value in bounds)
    if lower > upper:
        raise InputError(
            f"the lower bound {shown(lower)} is above the upper bound {shown(upper)}.",
            why="a count is clamped to lower..upper, and these bounds hold no number",
            fix=write(bounds=(upper, lower)),
        )
    return lower, upper


def noise_of_rho(rho: Fraction, sensitivity: Fraction) -> Fraction:
    """Return sensitivity / sqrt(2 rho), exactly where it is rational, else rounded up."""
    square = sensitivity**2 / (2 * above_zero(rho, "rho"))
    root = Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
    return root if root**2 == square else real_up(lambda: ball(square).sqrt())


def added_up(sensitivity: Fraction, releases: int) -> Fraction:
    """Return sensitivity x sqrt(releases), rounded up: what Gaussian releases compose to."""
    return sensitivity * sqrt_up(Fraction(releases)) if releases > 1 else sensitivity


def _range(name: str, number: Fraction, range_: str, why: str, example: str) -> InputError:
    return InputError(
        f"{name} = {shown(text_of(number))} must be {range_}.",
        why=why,
        fix=Set({name: example}),
    )
