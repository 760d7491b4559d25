"""Denoisers with something of the caller's own: a prior, an l1 ball, the penalty of a trend filter.

Rules of this module:
- what is the caller's own is a public assumption: it was known before the data, and where it is
  wrong, the estimate is; such a denoiser is tried by its name alone, and never by "auto";
- a Gaussian prior gives one factor, w^2 / (w^2 + s^2), which is Bayes' rule for Gaussian noise and
  the best rule that is linear for any other noise;
- a listed prior gives each number's posterior mean, by the density of the noise at its places;
- the nearest point of an l1 ball is a soft threshold that follows from the numbers: its covariance
  with Gaussian noise is one variance for each number that is not 0, less one on the sphere.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...errors import InputError, as_given
from ...exact.number import rational
from ...fix import leave_out, write
from .graph import Graph
from .james_stein import soft
from .noise import Noise, Vector
from .stein import Estimate, estimated, raw
from .trend_filter import filtered_with

OWN = ("prior", "l1_ball")
_NODES = 256  # of the integral over Laplace noise
_MOST = 10_000  # values of a listed prior
_CELLS = 1 << 22  # chances that are held at a time
_FAR = 1e100  # what a float can square
_SEEN = 2_000  # numbers of which the covariance is computed
_FORMS = (
    write(prior={"mean": 0, "sd": 30}),
    write(", which are values and weights", prior={0: 9, 100: 1}),
)


@dataclass(frozen=True, slots=True)
class OwnPrior:
    """What is believed of each truth before the data: a Gaussian, or a list of values.

    Attributes:
        mean, sd: of the Gaussian, or of the list.
        values, weights: of the list, the weights summing to 1; none for a Gaussian.
    """

    mean: float
    sd: float
    values: tuple[float, ...] = ()
    weights: tuple[float, ...] = ()

    def rule(self, noisy: Vector, noise: Noise) -> Estimate:
        """Return each number's posterior mean, linear for a Gaussian prior.

        Source: Bayes; of the Gaussian, Balle and Wang 2018, section 4.

        Example:
            >>> from .noise import gaussian
            >>> OwnPrior(0.0, 3.0).rule(np.array([50.0]), gaussian(4)).values.tolist()
            [18.0]
        """
        if self.values:
            return _posterior(noisy, noise, np.array(self.values), np.array(self.weights))
        factor = self.sd**2 / (self.sd**2 + noise.variance)
        values = self.mean + factor * (noisy - self.mean)
        covariance = noisy.size * factor * noise.variance
        return estimated("prior", noisy, values, noise=noise, covariance=covariance)


def prior_of(told: object) -> OwnPrior:
    """Return a prior that a caller states.

    Args:
        told: {"mean": 0, "sd": 30} for a Gaussian, the mean 0 where it is left out; or the weight
            of each value, {0: 9, 100: 1}, which need not sum to 1.

    Raises:
        InputError: it is neither, or a number in it cannot be.

    Example:
        >>> prior_of({"sd": 3}), prior_of({0: 3, 8: 1}).mean
        (OwnPrior(mean=0.0, sd=3.0, values=(), weights=()), 2.0)
    """
    if not isinstance(told, Mapping) or not told or len(told) > _MOST:
        raise InputError(
            f"prior = {as_given(told)} is no prior.",
            kind="wrong-numbers",
            why=f"a prior is a Gaussian by its mean and sd, or 1 to {_MOST:,} values with weights",
            fix=_FORMS,
        )
    if set(told) <= {"mean", "sd"}:
        mean, sd = _finite(told.get("mean", 0)), _finite(told.get("sd"))
        if sd <= 0:
            raise _no_number("the standard deviation of a prior is above 0")
        return OwnPrior(mean, sd)
    values = np.array([_finite(value) for value in told])
    weights = np.array([_finite(weight) for weight in told.values()])
    if weights.min() < 0 or not 0 < float(weights.sum()) < math.inf:
        raise _no_number("the weights of a prior are at least 0, and one is above 0")
    weights = weights / weights.sum()
    mean = float(weights @ values)
    sd = math.sqrt(float(weights @ (values - mean) ** 2))
    return OwnPrior(mean, sd, tuple(values.tolist()), tuple(weights.tolist()))


def l1_ball(noisy: Vector, noise: Noise, *, radius: float) -> Estimate:
    """Return the nearest numbers whose absolute values sum to at most the radius.

    Source: Nikolov, Talwar and Zhang 2013; of the covariance, Kato 2009.

    Example:
        >>> from .noise import gaussian
        >>> l1_ball(np.array([6.0, 2.0, -1.0]), gaussian(1), radius=4).values.tolist()
        [4.0, 0.0, 0.0]
    """
    if float(np.abs(noisy).sum()) <= radius:
        return raw(noisy, noise)
    falling = np.sort(np.abs(noisy))[::-1]
    thresholds = (np.cumsum(falling) - radius) / np.arange(1, noisy.size + 1)
    kept = int(np.flatnonzero(falling > thresholds)[-1])
    values = soft(noisy, float(thresholds[kept]))
    free = max(0, int(np.count_nonzero(values)) - 1)
    return estimated("l1_ball", noisy, values, noise=noise, covariance=free * noise.variance)


@dataclass(frozen=True, slots=True)
class Own:
    """What the caller brings, each None where nothing is brought."""

    prior: OwnPrior | None = None
    radius: float | None = None
    penalty: float | None = None
    kernel: Callable[[Vector, Noise], Estimate] | None = None

    def rules(self, graph: Graph | None) -> dict[str, Callable[[Vector, Noise], Estimate]]:
        """Return the denoisers that can be named with it, on a graph where there is one."""
        found: dict[str, Callable[[Vector, Noise], Estimate]] = {}
        if self.prior is not None:
            found["prior"] = self.prior.rule
        if self.radius is not None:
            found["l1_ball"] = partial(l1_ball, radius=self.radius)
        if self.kernel is not None:
            found["kernel"] = self.kernel
        if self.penalty is not None and graph is not None:
            for order in (0, 1):
                found[f"trend_filter_{order}"] = partial(
                    filtered_with, graph=graph, order=order, penalty=self.penalty
                )
        return found


NOTHING = Own()


def own_of(how: str, prior: object, radius: object, penalty: object) -> tuple[str, Own]:
    """Return which denoiser is asked for, and what the caller brings to it.

    Raises:
        InputError: something cannot be what it is called, or does not go with the denoiser.

    Example:
        >>> own_of("auto", {"sd": 3}, None, None)[0]
        'prior'
    """
    brought = {"prior": prior, "radius": radius, "penalty": penalty}
    names = [name for name, value in brought.items() if value is not None]
    takes = {"prior": "prior", "l1_ball": "radius"}
    takes |= {f"trend_filter_{order}": "penalty" for order in (0, 1)}
    asked = how if isinstance(how, str) else ""  # anything else is refused where names are known
    if asked == "auto" and names in (["prior"], ["radius"]):
        how = asked = "prior" if names == ["prior"] else "l1_ball"
    wanted = takes.get(asked)
    for name in names:
        if name != wanted:
            uses = " or ".join(rule for rule, needed in takes.items() if needed == name)
            raise InputError(
                f"{name} does not go with how = {as_given(how)}.",
                kind="setting-out-of-place",
                why=f"it is what {uses} stands on",
                fix=leave_out(name),
            )
    if asked in OWN and not names:
        raise InputError(
            f"how = {as_given(how)} says nothing of {'a prior' if how == 'prior' else 'a radius'}.",
            kind="setting-missing",
            why="it stands on what is publicly known, which only you know",
            fix=_FORMS if how == "prior" else write(radius=1000),
        )
    return how, Own(
        prior=None if prior is None else prior_of(prior),
        radius=None if radius is None else _above(radius, "radius"),
        penalty=None if penalty is None else _above(penalty, "penalty"),
    )


def _above(told: object, name: str) -> float:
    number = _finite(told, name)
    if number <= 0:
        raise _no_number(f"{name} is a number above 0", name)
    return number


def _finite(told: object, name: str = "prior") -> float:
    """Return a number that a caller typed, as a float."""
    try:
        number = float(rational(told, name))
    except (InputError, OverflowError):
        number = math.inf
    if not abs(number) < _FAR:
        raise _no_number(f"{as_given(told)} is no finite number", name)
    return number


def _no_number(why: str, name: str = "prior") -> InputError:
    fix: Any = _FORMS
    if name != "prior":
        fix = write(radius=1000) if name == "radius" else write(penalty=20)
    return InputError(f"{name} cannot be so.", kind="wrong-numbers", why=why, fix=fix)


def _posterior(noisy: Vector, noise: Noise, values: Vector, weights: Vector) -> Estimate:
    """Return the posterior mean under a list of values, and the estimate of its risk."""
    places, back = np.unique(noisy, return_inverse=True)
    density = _logarithm(noise)
    found, spread = _moments(places, values, weights, density)
    some = np.unique(np.linspace(0, noisy.size - 1, min(noisy.size, _SEEN)).round().astype(int))
    at = np.sort(noisy)[some]
    if noise.kind in ("gaussian", "discrete_gaussian"):
        follows = spread[np.searchsorted(places, at)]
    else:
        follows = np.zeros(at.size)
        for step, weight in _steps(noise):
            up, down = (_moments(at + way, values, weights, density)[0] for way in (step, -step))
            follows += weight * (up - down)
    covariance = float(follows.mean()) * noisy.size
    return estimated("prior", noisy, found[back], noise=noise, covariance=covariance)


def _moments(
    places: Vector, values: Vector, weights: Vector, density: Callable[[Vector], Vector]
) -> tuple[Vector, Vector]:
    """Return the posterior mean and variance at some places."""
    mean, variance = np.empty(places.size), np.empty(places.size)
    with np.errstate(divide="ignore"):
        logs = np.log(weights)
    rows = max(1, _CELLS // values.size)
    for first in range(0, places.size, rows):
        part = slice(first, first + rows)
        size = density(places[part, None] - values) + logs
        chances = np.exp(size - size.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        mean[part] = chances @ values
        variance[part] = (chances * (values - mean[part, None]) ** 2).sum(axis=1)
    return mean, variance


def _logarithm(noise: Noise) -> Callable[[Vector], Vector]:
    """Return the logarithm of the density of the noise, up to a constant."""
    if noise.kind in ("gaussian", "discrete_gaussian"):
        return lambda away: -(away**2) / (2 * noise.parameter)
    if noise.kind == "discrete_laplace":
        return lambda away: -np.abs(away) / noise.parameter
    mass = noise.mass(noise.reach())
    middle = mass.size // 2
    side = np.log(np.maximum(mass[middle:], 1e-300))
    cell = (noise.kernel() or (side, 1.0))[1]  # how many steps a chance is of
    width = cell * np.arange(side.size, dtype=float)
    slope = float((side[-1] - side[0]) / (width[-1] or 1.0))

    def far(away: Vector) -> Vector:
        size = np.abs(away)
        beyond = np.maximum(size - width[-1], 0)
        return np.asarray(np.interp(size, width, side) + slope * beyond, dtype=float)

    return far


def _steps(noise: Noise) -> list[tuple[float, float]]:
    """Return places and weights t, s of Stein's identity: E[Z g] is about sum s (g(y+t) - g(y-t)).

    Of Laplace noise it is the integral of e^(-t / scale), at places of equal chance.
    """
    kernel = noise.kernel()
    if kernel is not None:
        return [(kernel[1] * k, float(s)) for k, s in enumerate(kernel[0], start=1)]
    chances = (np.arange(_NODES) + 0.5) / _NODES
    places = -noise.parameter * np.log(chances)
    return [(float(place), noise.parameter / _NODES) for place in places]
