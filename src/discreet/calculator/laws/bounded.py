"""Geometric noise on a count between public bounds, clamped to them or redrawn outside them."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

from ...exact.enclosure import Real
from ...exact.number import whole
from ...noise import geometric_accuracy
from ...privacy.gdp import mu2_of_pure
from ..formulas import bounded_curve, truncated_accuracy
from ..formulas.clamped_geometric import ClampedGeometric, check_count_law
from ..formulas.truncated_geometric import TruncatedGeometric
from ..inputs import ONE, epsilon_missing, no_size
from .law import Formula
from .noise_size import Chance, NoiseSize
from .pure import Pure

Upper = Callable[..., Fraction]  # keywords to a bound, rounded up


class Bounded(Pure):
    """What both share: whoever asks must say the bounds, and one release is looked at.

    Attributes:
        curve: delta at an epsilon, of one count.
        curve_back: epsilon at a delta.
        kept: the least epsilon that keeps an accuracy at every count.
        unlike_free: why the same noise without bounds errs otherwise.
    """

    bounded = True
    size_name = "epsilon"
    norms: ClassVar = {
        "max": "the exact law between the bounds (Ghosh, Roughgarden, Sundararajan 2012)"
    }
    one_release = "between bounds the curve is built in for one release"
    curve: ClassVar[Upper]
    curve_back: ClassVar[Upper]
    kept: ClassVar[Upper]
    unlike_free: ClassVar[str]

    def accuracy(self, noise: NoiseSize, chance: Chance, truth: int | None) -> int | Decimal:
        """Return the error at a stated count, or at the worst."""
        self._refuse_sums(chance)
        lower, upper = noise.limits()
        if noise.epsilon is None:
            raise epsilon_missing(self.name)
        noise.size()
        law = self.between(noise.epsilon, noise.whole_sensitivity(), lower, upper)
        at = None if truth is None else whole(truth, "truth", least=-(1 << 63))
        return law.accuracy(
            chance.alpha,
            truth=None if at is None else max(lower, min(upper, at)),
            convention=chance.convention,
            coordinates=chance.coordinates,
        )

    def tail(self, noise: NoiseSize, error: Fraction, chance: Chance) -> Real:  # noqa: ARG002
        """Refuse: it is not one tail."""
        raise self.not_for(
            "a tail",
            why="it differs from count to count inside the bounds",
            fix="ask for accuracy",
        )

    def pure_for(self, noise: NoiseSize, accuracy: Fraction, chance: Chance) -> Fraction:
        """Return the least epsilon that keeps an accuracy at every count."""
        self._refuse_sums(chance)
        lower, upper = noise.limits()
        moved = noise.whole_sensitivity()
        check_count_law(Fraction(1), moved, lower, upper)
        return self.kept(
            accuracy=int(accuracy),
            alpha=chance.alpha,
            width=upper - lower,
            sensitivity=moved,
            convention=chance.convention,
            coordinates=chance.coordinates,
        )

    def noise_for(self, accuracy: Fraction, chance: Chance) -> Fraction:  # noqa: ARG002
        """Refuse: the noise's scale is not what it is sized by."""
        raise no_size(self.name, "scale", self.size_name)

    def rho(self, noise: NoiseSize, releases: int) -> Fraction:
        """Return epsilon^2 / 2, a bound."""
        return releases * self._pure(noise) ** 2 / 2

    def mu2(self, noise: NoiseSize, releases: int) -> Fraction:
        """Return that of any noise with its epsilon, a bound."""
        return releases * mu2_of_pure(self._pure(noise))

    def _pure(self, noise: NoiseSize) -> Fraction:
        count = self._count(noise, 1)
        return noise.epsilon or self.curve_back(delta=Fraction(0), **count)

    def delta(self, noise: NoiseSize, epsilon: Fraction, releases: int) -> Fraction:
        """Return the curve over all neighbors between the bounds."""
        return self.curve(epsilon=epsilon, **self._count(noise, releases))

    def epsilon(self, noise: NoiseSize, delta: Fraction, releases: int) -> Fraction:
        """Return the way back from `delta`."""
        return self.curve_back(delta=delta, **self._count(noise, releases))

    def _count(self, noise: NoiseSize, releases: int) -> dict[str, Any]:
        """Return the noise's rate, how far one unit moves a count, and how far bounds let it."""
        if releases > 1:
            raise self.no_curve()
        lower, upper = noise.limits()
        moved, rate = noise.whole_sensitivity(), noise.size()
        if self.redrawn and noise.epsilon is not None:
            rate = self.between(noise.epsilon, moved, lower, upper).rate
        return {"rate": rate, "sensitivity": moved, "width": upper - lower}

    def naive(self) -> Mapping[str, Formula]:
        """Return what the noise without bounds says."""
        from .. import naive_formulas as said  # it asks the page, which stands on the laws

        return {"accuracy": partial(said.without_bounds, why=self.unlike_free)}

    def _refuse_sums(self, chance: Chance) -> None:
        if chance.releases > 1:
            raise self.not_for(
                "a sum of releases",
                why="bounds pull each release to one side, by more the nearer its count is to them",
                fix=ONE,
            )


def _clamped_up(*, sensitivity: int, **promise: Any) -> Fraction:
    return sensitivity * geometric_accuracy.clamped_rate_up(**promise)


class Clamped(Bounded):
    """Noise that is clamped to the bounds."""

    curve_source = "the unclamped noise's exact curve, for a move that the bounds allow"
    curve = staticmethod(bounded_curve.clamped_delta_up)
    curve_back = staticmethod(bounded_curve.clamped_epsilon_up)
    kept = staticmethod(_clamped_up)
    between = staticmethod(ClampedGeometric)
    unlike_free = "no error is larger than the bounds allow"


class Truncated(Bounded):
    """Noise that is redrawn outside the bounds, and made so much wider that it keeps epsilon."""

    redrawn = True
    curve_source = "the best event, at most j, over all neighbors between the bounds"
    curve = staticmethod(bounded_curve.truncated_delta_up)
    curve_back = staticmethod(bounded_curve.truncated_epsilon_up)
    kept = staticmethod(truncated_accuracy.epsilon_up)
    between = staticmethod(TruncatedGeometric)
    unlike_free = "it forgets that redrawing changes both the error and the price"
