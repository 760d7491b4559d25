"""Continuous Gaussian noise, and what it shares with the discrete Gaussian."""

import math
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar

from ...errors import InputError, shown
from ...exact.enclosure import Ball, Real, ball, sqrt_up
from ...fix import leave_out, write
from ...noise.reals import decimal_up, real_up
from ..errors import delta_missing
from ..formulas import gaussian, gaussian_closed_forms
from ..formulas.gaussian_closed_forms import Constant
from ..inputs import above_zero, positive_delta
from ..inputs import noise as in_range
from .choice import Budget, LawChoice, Moves
from .law import Formula, NoiseLaw
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
        why="the rules are analytic, classical, tight, pinsker and vinterbo",
        fix=leave_out("rule", note="for the exact sigma"),
    )
