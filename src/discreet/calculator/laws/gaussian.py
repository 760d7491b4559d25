"""Continuous Gaussian noise, and what it shares with the discrete Gaussian.

Discrete Gaussian noise, by its variance parameter.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar

from ...errors import InputError, shown
from ...exact.enclosure import Ball, Real, ball, sqrt_up
from ...exact.number import is_short, rational, text_of
from ...fix import leave_out, write
from ...noise import discrete_gaussian_accuracy
from ...noise.discrete_gaussian import DiscreteGaussian as Drawn
from ...noise.reals import decimal_up, real_up
from ...privacy.conversion import delta_up, epsilon_up, rho_down
from ...privacy.loss import Loss
from ..formulas import discrete_gaussian_calibration as calibration
from ..formulas import discrete_gaussian_vector, gaussian, gaussian_closed_forms
from ..formulas.gaussian_closed_forms import Constant
from ..inputs import above_zero, delta_missing, positive_delta
from ..inputs import noise_in as in_range
from .choice import Budget, LawChoice, Moves
from .law import Formula, Known, NoiseLaw
from .noise_size import Chance, NoiseSize, Printed


class GaussianLike(NoiseLaw):
    """Noise that keeps an epsilon beside a delta, or a rho."""

    exact_rho = True
    rho_source = "rho = sensitivity^2 / (2 sigma^2) (Bun and Steinke 2016, Proposition 1.6)"

    def epsilon_for(self, noise: NoiseSize, accuracy: Fraction, chance: Chance) -> Fraction:
        """Return the epsilon, at the delta that is known, of the most noise."""
        delta = noise.positive_delta()
        if chance.alpha == 1:
            return Fraction(0)
        return self.epsilon_at(noise, delta, self.noise_for(accuracy, chance))

    def epsilon_at(self, noise: NoiseSize, delta: Fraction, size: Fraction) -> Fraction:
        """Return the epsilon at a delta of noise of this size, rounded up."""
        raise NotImplementedError


class Gaussian(GaussianLike):
    """The continuous Gaussian."""

    whole = False
    size_name = "sigma"
    sizes = ("epsilon", "delta", "rho", "mu2", "sigma")
    norms: ClassVar = {
        "max": "the exact tail, Pr[|Y| > a] = erfc(a / (sigma sqrt 2))",
        "l2": "the exact tail: the sum of d squared errors over sigma^2 is chi-squared",
    }
    with_loss = ", with the sigma of Balle and Wang 2018, Theorem 8"
    curve_source = "Balle and Wang 2018, Theorem 8, certified"

    def size_of(self, noise: NoiseSize) -> Fraction:
        """Return sigma."""
        if noise.sigma is not None:
            return noise.sigma
        if noise.rho is not None:
            return _sigma_of_rho(noise.rho, noise.sensitivity)
        if noise.mu2 is not None:  # exactly 2 rho
            return _sigma_of_rho(noise.mu2 / 2, noise.sensitivity)
        epsilon, delta = noise.pair()
        return gaussian.sigma_up(epsilon=epsilon, delta=delta, sensitivity=noise.sensitivity)

    def width(self, size: Fraction, chance: Chance) -> Decimal:
        """Return the error, or l2 norm of the errors, that has the chance alpha, rounded up."""
        known = {"sigma": size, "alpha": chance.alpha}
        many, sums = chance.coordinates, chance.releases
        if chance.norm == "l2":
            return decimal_up(gaussian.norm_accuracy_up(**known, dimensions=many, releases=sums))
        return decimal_up(gaussian.accuracy_up(**known, coordinates=many, releases=sums))

    def tail(self, noise: NoiseSize, error: Fraction, chance: Chance) -> Real:
        """Return the tail of a sum of releases, which is a Gaussian."""
        widths, releases = error / noise.size(), chance.releases

        def real() -> Ball:
            return (ball(widths) / ball(Fraction(2 * releases)).sqrt()).erfc()

        return real

    def noise_for(self, accuracy: Fraction, chance: Chance) -> Fraction:
        """Return the largest sigma."""
        known = {"accuracy": above_zero(accuracy, "accuracy"), "alpha": chance.alpha}
        many, sums = chance.coordinates, chance.releases
        if chance.norm == "l2":
            return gaussian.norm_sigma_down(**known, dimensions=many, releases=sums)
        return gaussian.sigma_down(**known, coordinates=many, releases=sums)

    def variance_for(self, accuracy: Fraction, chance: Chance) -> Fraction:
        """Return the square of the largest sigma."""
        return self.noise_for(accuracy, chance) ** 2

    def epsilon_at(self, noise: NoiseSize, delta: Fraction, size: Fraction) -> Fraction:
        """Return the exact curve, turned around."""
        return gaussian.epsilon_up(delta=delta, sigma=size, sensitivity=noise.sensitivity)

    def delta(self, noise: NoiseSize, epsilon: Fraction, releases: int) -> Fraction:
        """Return the exact curve; several releases are one of a larger sensitivity."""
        return gaussian.delta_up(
            epsilon=epsilon,
            sigma=noise.size(),
            sensitivity=_added_up(noise.sensitivity, releases),
        )

    def epsilon(self, noise: NoiseSize, delta: Fraction, releases: int) -> Fraction:
        """Return the way back from `delta`."""
        return gaussian.epsilon_up(
            delta=positive_delta(delta),
            sigma=noise.size(),
            sensitivity=_added_up(noise.sensitivity, releases),
        )

    def rho(self, noise: NoiseSize, releases: int) -> Fraction:
        """Return sensitivity^2 / (2 sigma^2)."""
        return releases * gaussian.rho_of(sigma=noise.size(), sensitivity=noise.sensitivity)

    def mu2(self, noise: NoiseSize, releases: int) -> Fraction:
        """Return sensitivity^2 / sigma^2."""
        return 2 * self.rho(noise, releases)

    def sigma2(self, noise: NoiseSize, releases: int) -> Fraction:
        """Return the square of the least sigma."""
        return self.sigma(noise, 1) ** 2 * releases

    def sigma(self, noise: NoiseSize, releases: int, rule: str = "analytic") -> Fraction:
        """Return the sigma that a rule gives for a loss, rounded up."""
        moved = _added_up(noise.sensitivity, releases)
        if rule == "analytic" and noise.stated:
            return noise.size()
        if rule == "analytic":
            return replace(noise, sensitivity=Fraction(1)).size() * moved
        if noise.rho is not None:
            raise self.not_for(
                f"rule = {shown(rule)}",
                why="the closed forms are for an epsilon and a delta, and a rho needs none",
                fix=leave_out("rule"),
            )
        return _by_rule(rule, *noise.pair(), moved)

    def choices(self, moves: Moves, budget: Budget, alpha: Fraction) -> list[LawChoice]:
        """Return the least sigma, and the classical formula's where it has a proof."""
        epsilon, delta, rho = budget.epsilon, budget.delta, budget.rho
        if rho is None and (epsilon is None or delta is None):
            return []
        moved = in_range(sqrt_up(moves.l2_squared), "sensitivity")
        noise = NoiseSize(self, moved, epsilon=epsilon, delta=delta, rho=rho)

        def choice(paid: str, rule: str = "analytic") -> LawChoice:
            sigma = Fraction(decimal_up(self.sigma(noise, 1, rule)))
            return self.choice(sigma, moves, alpha, float(sigma), f"l2, by {paid}")

        if epsilon is None or delta is None:
            return [choice("zCDP")]
        exact = choice("its exact curve")
        if epsilon > 1 or delta > Fraction(4, 10):
            return [exact]
        classical = choice("the classical formula", "classical")
        return [exact, replace(classical, law="classical_gaussian")]

    def note_accuracy(self, noise: NoiseSize, form: Printed) -> Decimal:
        """Return document 001's formula: the classical sigma times sqrt(2) erfc^-1(alpha)."""
        epsilon, delta = noise.pair()
        return decimal_up(
            gaussian_closed_forms.note_accuracy_up(
                epsilon=above_zero(epsilon, "epsilon"),
                delta=delta,
                sensitivity=noise.sensitivity,
                alpha=form.alpha,
                constant=constant_in(form.constant),
            )
        )

    def note_epsilon(self, noise: NoiseSize, accuracy: Fraction, form: Printed) -> Fraction:
        """Return the same turned around."""
        if noise.delta is None:
            raise delta_missing(self.name)
        return gaussian_closed_forms.note_epsilon_up(
            accuracy=above_zero(accuracy, "accuracy"),
            delta=above_zero(noise.delta, "delta"),
            sensitivity=noise.sensitivity,
            alpha=form.alpha,
            constant=constant_in(form.constant),
        )

    def naive(self) -> Mapping[str, Formula]:
        """Return the classical Gaussian, and what people do with it."""
        from .. import naive_formulas as said  # it asks the page, which stands on the laws

        return {
            "accuracy": said.gaussian_accuracy,
            "epsilon_for": said.gaussian_epsilon,
            "epsilon_of": said.gaussian_curve,
            "sigma_for": said.gaussian_sigma,
            "delta_of": said.gaussian_delta,
        }


def constant_in(constant: str) -> Constant:
    """Return the constant of a printed formula."""
    if constant == "classical":
        return "classical"
    if constant == "tight":
        return "tight"
    raise InputError(
        f"there is no constant {shown(constant)!r}.",
        kind="unknown-choice",
        why='"classical" stands for 1.25 and "tight" for sqrt(2 e^(8/9) / pi)',
        fix=write(constant="classical"),
    )


def _sigma_of_rho(rho: Fraction, sensitivity: Fraction) -> Fraction:
    """Return sensitivity / sqrt(2 rho), exactly where it is rational, else rounded up."""
    square = sensitivity**2 / (2 * above_zero(rho, "rho"))
    root = Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
    return root if root**2 == square else real_up(lambda: ball(square).sqrt())


def _added_up(sensitivity: Fraction, releases: int) -> Fraction:
    """Return sensitivity x sqrt(releases), rounded up: what Gaussian releases compose to."""
    return sensitivity * sqrt_up(Fraction(releases)) if releases > 1 else sensitivity


def _by_rule(rule: str, epsilon: Fraction, delta: Fraction, sensitivity: Fraction) -> Fraction:
    known = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
    if rule in ("classical", "tight"):
        if epsilon == 0:
            raise InputError(
                f"rule = {shown(rule)} has no sigma at epsilon = 0.",
                kind="formula-not-valid",
                why="the closed form divides by epsilon",
                fix=(write(rule="pinsker"), leave_out("rule")),
            )
        return gaussian_closed_forms.classical_sigma_up(**known, constant=constant_in(rule))
    if rule == "pinsker":
        return gaussian_closed_forms.pinsker_sigma(delta=delta, sensitivity=sensitivity)
    if rule == "vinterbo":
        return gaussian_closed_forms.vinterbo_sigma_up(**known)
    raise InputError(
        f"there is no rule {shown(rule)!r}.",
        kind="unknown-choice",
        why="the rules are analytic, classical, tight, pinsker and vinterbo",
        fix=leave_out("rule", note="for the exact sigma"),
    )


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
            exact = NoiseSize(self, moves.linf, epsilon=epsilon, delta=delta)
            return Fraction(decimal_up(exact.size())), "by its own exact curve"
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
