"""How far a weighted sum of whole-number noises reaches, without a normal approximation.

An estimate of a cell is off by E, a sum of some hundred noises, each times a factor. With G normal
and of a hundredth of E's deviation or less, E + G has a density, and its chances follow from its
characteristic function c by Davies' formula: for a step d,

    Pr[|E + G| > x] = 1 - 4 sum over k of sin((k + 1/2) d x) c((k + 1/2) d) / (2 pi (k + 1/2)),

up to twice Pr[|E + G| > 2 pi / d - x]. That is bounded by moments, and Pr[|E| > x + g] is at most
Pr[|E + G| > x] + Pr[|G| > g].

Rules of this module:
- a half-width misses with probability at most alpha, for every noise; what floats add is less than
  `_ROUNDED`, which is taken off alpha;
- of noise without a closed form, Chebyshev's inequality bounds the reach.

Source: Davies 1973 (Biometrika 60, 415-417), equation 4 and its error.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, log, log1p, pi, sqrt
from statistics import NormalDist

from ...noise.law import Law
from .attribute import Vector

_SMOOTH = 1 / 300  # the deviation of G, in that of E
_SHARE = 1e-4  # of alpha, for |G| > g
_STEP = 0.05  # d, in 1 / (deviation of E)
_FAR = 40.0  # e to the minus that is nothing
_FEW = 1_000  # places
_NOTHING = 1e-15  # characteristic functions below it are left out
_ROUNDED = 1e-10
_LEAST = 1e-7  # an alpha below is refused to floats: Chernoff's or Chebyshev's bound stands


@dataclass(frozen=True, slots=True)
class NoisePart:
    """So many independent noises of one law, each times a factor of this size."""

    law: Law
    factor: float
    count: float


def half_width(parts: Sequence[NoisePart], alpha: float) -> float:
    """Return a number that the size of a weighted sum exceeds with probability at most alpha.

    Args:
        parts: what is added up.
        alpha: between 0 and 1.

    Example: of one discrete Gaussian alone, a little more than its own.

        >>> from fractions import Fraction
        >>> from ...noise.discrete_gaussian import DiscreteGaussian
        >>> law = DiscreteGaussian(Fraction(25))
        >>> law.half_width(Fraction(1, 20)), round(half_width([NoisePart(law, 1.0, 1.0)], 0.05), 2)
        (10, 10.07)
    """
    kept = tuple(sorted(((p.law, abs(p.factor), p.count) for p in parts if p.factor), key=_order))
    return _half_width(kept, alpha) if kept else 0.0


def _order(part: tuple[Law, float, float]) -> tuple[float, float]:
    return -(part[1] ** 2) * part[2] * variance_up(part[0]), part[1]


@lru_cache(maxsize=4096)
def _half_width(parts: tuple[tuple[Law, float, float], ...], alpha: float) -> float:
    import numpy as np

    forms = [law.closed_form() for law, _, _ in parts]
    spread = sqrt(sum(n * a * a * variance_up(law) for law, a, n in parts))
    if None in forms:
        return spread / sqrt(alpha)
    normal = all(form is not None and form[0] == "discrete_gaussian" for form in forms)
    widest = _rough(spread, alpha, normal=normal)
    if alpha < _LEAST:
        return widest
    told = [(*form, a, n) for form, (_, a, n) in zip(forms, parts, strict=True) if form]
    places, values = _characteristic(told, spread)
    beyond = _beyond(2 * pi / _STEP - widest / spread, normal=normal)
    room = alpha * (1 - _SHARE) - 2 * beyond - _ROUNDED
    aside = NormalDist().inv_cdf(1 - alpha * _SHARE / 2) * _SMOOTH * spread
    if room <= 0:
        return widest
    weights = values / (np.rint(places / (_STEP / spread) - 0.5) + 0.5) * (2 / pi)

    def missed(x: float) -> float:
        return 1 - float(np.sum(np.sin(places * x) * weights))

    low, high = 0.0, widest
    while high - low > 1e-5 * spread:
        middle = (low + high) / 2
        low, high = (low, middle) if missed(middle) <= room else (middle, high)
    return min(widest, high + aside)


def _characteristic(
    parts: Sequence[tuple[str, float, float, float]], spread: float
) -> tuple[Vector, Vector]:
    """Return where the characteristic function of E + G is not nothing, and what it is there.

    G takes away all beyond some deviations; every part only makes it less. Where few places are
    left, parts of one law are worked out together.
    """

    import numpy as np

    tau = _SMOOTH * spread
    last = sqrt(-2 * log(_NOTHING)) / tau
    places: Vector = (
        np.float64(1) * (np.arange(int(last * spread / _STEP) + 1) + 0.5) * (_STEP / spread)
    )
    logs: Vector = -0.5 * (tau * places) ** 2
    alone = 0
    while alone < len(parts) and places.size > _FEW:
        form, size, factor, count = parts[alone]
        logs = logs + count * _log(form, size, factor * places)
        left = logs > log(_NOTHING)
        places, logs, alone = places[left], logs[left], alone + 1
    same: dict[tuple[str, float], list[tuple[float, float]]] = {}
    for form, size, factor, count in parts[alone:]:
        same.setdefault((form, size), []).append((factor, count))
    for (form, size), each in same.items():
        factors, counts = np.array(each).T
        logs = logs + counts @ _log(form, size, np.outer(factors, places))
    return places, np.exp(logs)


def _log(form: str, size: float, angles: Vector) -> Vector:
    """Return the logarithm of a law's characteristic function, which is above 0.

    Of a discrete Gaussian it is a sum of normal ones at the angle and at all turns of it, by
    Poisson's formula, over the same sum at 0; or, where sigma2 is small, of its chances.
    """

    import numpy as np

    if form == "discrete_laplace":
        return np.asarray(-np.log1p(np.sin(angles / 2) ** 2 / np.sinh(1 / (2 * size)) ** 2))
    turned = np.abs(angles - 2 * pi * np.rint(angles / (2 * pi)))
    if size >= 1:
        whole = 2 * sum(exp(-2 * pi * pi * size * turns**2) for turns in (1, 2))
        found = -size / 2 * turned**2 - log1p(whole)
        near = turned > pi - _FAR / (2 * pi * size)  # elsewhere all other turns are nothing
        close = turned[near]
        others = sum(
            np.exp(-2 * pi * size * turns * (pi * turns - sign * close))
            for turns in (1, 2)
            for sign in (1, -1)
        )
        found[near] += np.log1p(others)
        return np.asarray(found)
    chances = [exp(-k * k / (2 * size)) for k in range(1, 12)]
    found = 1 + 2 * sum(p * np.cos(k * turned) for k, p in enumerate(chances, start=1))
    return np.asarray(np.log(np.maximum(found, 1e-300)) - np.log(1 + 2 * sum(chances)))


def _rough(spread: float, alpha: float, *, normal: bool) -> float:
    """Return a half-width that always holds: a discrete Gaussian's tail is below a Gaussian's."""
    if normal:
        return spread * sqrt(-2 * log(alpha / 2))
    return spread * min(1 / sqrt(alpha), sqrt(sqrt(6 / alpha)))


def _beyond(deviations: float, *, normal: bool) -> float:
    """Return a bound on the chance that E + G exceeds so many deviations of E."""
    size = deviations / sqrt(1 + _SMOOTH**2)
    return 2 * exp(-size * size / 2) if normal else 6 / size**4


def variance_up(law: Law) -> float:
    """Return a number that the variance of a law does not exceed: what its size alone says."""
    form = law.closed_form()
    if form is None:
        return law.variance()
    return 2 * form[1] ** 2 if form[0] == "discrete_laplace" else form[1]
