"""Discrete Gaussian noise, by its variance parameter."""

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

from ...exact.enclosure import Real
from ...exact.number import is_short, rational, text_of
from ...fix import write
from ...noise import discrete_gaussian_accuracy
from ...noise.discrete_gaussian import DiscreteGaussian as Drawn
from ...noise.reals import decimal_up
from ...privacy.conversion import delta_up, epsilon_up, rho_down
from ...privacy.loss import Loss
from ..formulas import discrete_gaussian_calibration as calibration
from ..formulas import discrete_gaussian_vector
from ..inputs import above_zero, positive_delta
from ..inputs import noise as in_range
from .choice import Budget, LawChoice, Moves
from .gaussian import GaussianLike
from .law import Formula, Known
from .noise_size import Chance, NoiseSize

_MOVED = 200  # numbers that one unit moves by 1 and whose exact curve is searched, at most


class DiscreteGaussian(GaussianLike):
    """The discrete Gaussian; under epsilon and delta, more of its noise can lose more."""

    size_name = "sigma2"
    sizes = ("epsilon", "delta", "rho", "mu2", "sigma", "sigma2")
    mu2_source = "mu^2 = sensitivity^2 mu0^2, mu0 = 2 Phi^-1((1 + Pr[0]) / 2) (docs/laws/gdp.md)"
    norms: ClassVar = {
        "max": "the exact sum of e^(-k^2 / (2 sigma2)) (Canonne, Kamath, Steinke 2020)"
    }
    sum_source = "the exact convolution: a Gaussian weight times a periodic factor"
    curve_source = (
        "the law's own sum (Canonne, Kamath, Steinke 2020, Theorem 7), certified; of several"
        " releases the conversion of their rho (Proposition 12)"
    )
    own_rho = False

    def size_of(self, noise: NoiseSize) -> Fraction:
        """Return sigma2."""
        if noise.sigma2 is not None:
            return noise.sigma2
        if noise.sigma is not None:
            return noise.sigma**2
        if noise.rho is not None:
            return noise.sensitivity**2 / (2 * above_zero(noise.rho, "rho"))
        if noise.mu2 is not None:
            moved, loss = noise.whole_sensitivity() ** 2, Loss("gdp", (noise.mu2,))
            return Drawn.calibrated(loss, l1=moved, l2_squared=moved).sigma2
        epsilon, delta = noise.pair()
        return calibration.sigma2_up(
            epsilon=epsilon, delta=delta, sensitivity=noise.whole_sensitivity()
        )

    def width(self, size: Fraction, chance: Chance) -> int:
        """Return the least whole error that keeps alpha."""
        return discrete_gaussian_accuracy.accuracy(sigma2=size, **chance.wholes())

    def tail(self, noise: NoiseSize, error: Fraction, chance: Chance) -> Real:
        """Return the tail of a sum of releases."""
        return discrete_gaussian_accuracy.tail(
            sigma2=noise.size(),
            a=int(error),
            convention=chance.convention,
            releases=chance.releases,
        )

    def noise_for(self, accuracy: Fraction, chance: Chance) -> Fraction:
        """Return the largest sigma2."""
        return discrete_gaussian_accuracy.sigma2_down(accuracy=int(accuracy), **chance.wholes())

    def variance_for(self, accuracy: Fraction, chance: Chance) -> Fraction:
        """Return the largest sigma2."""
        return self.noise_for(accuracy, chance)

    def epsilon_at(self, noise: NoiseSize, delta: Fraction, size: Fraction) -> Fraction:
        """Return the epsilon from which on the noise made for it is no more than this."""
        return calibration.epsilon_from_up(
            delta=delta, sigma2=size, sensitivity=noise.whole_sensitivity()
        )

    def delta(self, noise: NoiseSize, epsilon: Fraction, releases: int) -> Fraction:
        """Return the law's own curve; of several releases the conversion of their rho."""
        if releases > 1:
            return delta_up(self.rho(noise, releases), epsilon)
        return calibration.delta_up(
            epsilon=epsilon, sigma2=noise.size(), sensitivity=noise.whole_sensitivity()
        )

    def epsilon(self, noise: NoiseSize, delta: Fraction, releases: int) -> Fraction:
        """Return the way back from `delta`."""
        if releases > 1:
            return epsilon_up(self.rho(noise, releases), positive_delta(delta))
        return calibration.epsilon_up(
            delta=positive_delta(delta),
            sigma2=noise.size(),
            sensitivity=noise.whole_sensitivity(),
        )

    def is_bound(self, known: Known) -> bool:
        """What a rho implies is no less than what its own noise loses."""
        return bool(known.get("releases", 1) != 1)

    def rho(self, noise: NoiseSize, releases: int) -> Fraction:
        """Return sensitivity^2 / (2 sigma2)."""
        return releases * calibration.rho_of(sigma2=noise.size(), l2_squared=noise.sensitivity**2)

    def mu2(self, noise: NoiseSize, releases: int) -> Fraction:
        """Return its own mu^2, which is the least that holds for a move by 1."""
        moved = noise.whole_sensitivity() ** 2
        return releases * Drawn(noise.size()).mu2_up(l1=moved, l2_squared=moved)

    def sigma2(self, noise: NoiseSize, releases: int) -> Fraction:
        """Return the law's own calibration; several releases are added up in rho, or in mu^2."""
        if noise.mu2 is not None:
            return replace(noise, mu2=noise.mu2 / releases).size()
        if releases > 1 and noise.rho is None:
            raise self.not_for(
                "sigma2 for several releases",
                why="they are added up in rho; its own epsilon and delta are built in for one",
                fix=write("in place of epsilon and delta", rho="1/50"),
            )
        return noise.size() * releases

    def choices(self, moves: Moves, budget: Budget, alpha: Fraction) -> list[LawChoice]:
        """Return the least variance that one of three ways allows."""
        if budget.rho is None and (budget.epsilon is None or budget.delta is None):
            return []
        sigma2, paid = self._least(moves, budget)
        deviation = math.sqrt(calibration.variance_up(in_range(sigma2, "sigma2")))
        return [self.choice(sigma2, moves, alpha, deviation, paid)]

    def _least(self, moves: Moves, budget: Budget) -> tuple[Fraction, str]:
        epsilon, delta = budget.epsilon or Fraction(0), budget.delta or Fraction(0)
        if budget.rho is not None:
            return moves.l2_squared / (2 * budget.rho), "l2, by zCDP"
        if (moves.coordinates == 1 or moves.l1 == 1) and moves.linf.denominator == 1:
            one = NoiseSize(self, moves.linf, epsilon=epsilon, delta=delta)
            return Fraction(decimal_up(one.size())), "by its own exact curve"
        enough = moves.l2_squared / (2 * rho_down(epsilon, delta))
        moved = int(min(moves.l1, moves.l2_squared))
        if moves.linf != 1 or moved > _MOVED:
            return enough, "l2, by zCDP within epsilon and delta"
        sigma2 = discrete_gaussian_vector.sigma2_up(
            epsilon=epsilon, delta=delta, moved=moved, enough=enough
        )
        return sigma2, f"by its own exact curve, 1 in each of {moved} numbers"

    def for_promise(self, known: Known) -> str:
        """Say which noise it is, as more of it can lose more."""
        return ", with sigma2 as calculated for it" if "delta" in known else ""

    def least(self, wanted: str, kept: str, known: Known) -> str:
        """Say which variances keep a loss, where delta does not always fall as they grow."""
        names = ("epsilon", "delta", "sensitivity")
        if "delta" not in known:
            return super().least(wanted, kept, known)
        epsilon, delta, moved = (rational(known.get(name, 1), name) for name in names)
        noise = NoiseSize(self, moved, epsilon=epsilon, delta=delta)
        kept_by = {"epsilon": epsilon, "delta": delta, "sigma2": noise.size()}
        smaller = calibration.smaller_that_keeps(**kept_by, sensitivity=noise.whole_sensitivity())
        if smaller is None:
            return super().least("sigma2", kept, known)
        which = text_of(smaller) if is_short(smaller) else "a smaller one"
        return f"from this sigma2 on each {kept}; {which} does, too, but some between do not"

    def naive(self) -> Mapping[str, Formula]:
        """Return what the continuous Gaussian says."""
        from .. import naive_formulas as said  # it asks the page, which stands on the laws

        return {
            "accuracy": said.continuous_accuracy,
            "sigma2_for": said.continuous_sigma2,
            "delta_of": said.continuous_delta,
            "noise_for": said.continuous_promise,
        }
