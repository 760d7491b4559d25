"""What a noise law is asked here, and what is refused unless a law says otherwise.

Rules of this module:
- a law is one object, and everybody else asks it: no other room compares its name;
- what has no answer under a law is an InputError that names the law and the true reason.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

from ...errors import InputError, shown
from ...exact.enclosure import Real
from ...exact.number import Number, whole
from ...fix import Fix, write
from ..formulas.clamped_geometric import ClampedGeometric
from ..formulas.truncated_geometric import TruncatedGeometric
from ..inputs import ONE, accuracy_in, no_size
from ..inputs import noise_in as in_range
from .choice import Budget, LawChoice, Moves
from .noise_size import Chance, NoiseSize, Printed

Answer = int | Decimal | Fraction
Known = Mapping[str, Any]
Found = tuple[str, Answer, str]  # a naive formula, its answer, and why that differs
Formula = Callable[["NoiseLaw", Answer, Known], Found | None]

_NORMS = frozenset({"max", "l2"})


@dataclass(frozen=True)
class NoiseLaw(ABC):
    """A noise law as the calculator knows it; its class says what the law is, `name` what to say.

    Attributes:
        whole: errors are whole numbers.
        bounded: it is of a count between public bounds.
        redrawn: its noise is drawn again outside them.
        size_name: what its size is called.
        sizes: the keywords that say how much noise there is.
        exact_rho: its rho is its own, not that of any noise with its epsilon.
        norms: which norms of several errors are bounded, with the source of the law's tail.
        sum_source: the same for a sum of releases, where it differs.
        with_loss: what the source adds where the size follows from an epsilon.
        curve_source: of its privacy curve.
        rho_source: of its zCDP loss.
        mu2_source: of its Gaussian loss.
        between: makes the law of a count between bounds.
        own_rho: whether a rho says its privacy curve, whatever else has that rho.
        one_release: why its privacy curve is that of one release.
    """

    name: str

    whole: ClassVar[bool] = True
    bounded: ClassVar[bool] = False
    redrawn: ClassVar[bool] = False
    size_name: ClassVar[str]
    sizes: ClassVar[tuple[str, ...]]
    exact_rho: ClassVar[bool] = False
    norms: ClassVar[Mapping[str, str]]
    sum_source: ClassVar[str] = ""
    with_loss: ClassVar[str] = ""
    curve_source: ClassVar[str]
    rho_source: ClassVar[str]
    mu2_source: ClassVar[str] = "mu^2 = sensitivity^2 / sigma^2 (Dong, Roth and Su 2022)"
    own_rho: ClassVar[bool] = True
    one_release: ClassVar[str] = ""
    between: ClassVar[Callable[..., ClampedGeometric | TruncatedGeometric]]

    # What was typed

    def norm_in(self, norm: str) -> str:
        """Return a norm of several errors that this law has an answer for."""
        if norm not in _NORMS:
            raise InputError(
                f"there is no norm {shown(norm)!r} of several errors.",
                kind="unknown-choice",
                why='"max" bounds the largest of them, "l2" the root of the sum of their squares',
                fix=write(norm="l2"),
            )
        if norm not in self.norms:
            raise InputError(
                f'norm = "l2" is not calculated for {self.name} noise.',
                kind="not-calculated",
                why="the law of a sum of squares is known in closed form for Gaussian errors only",
                fix=(write(law="gaussian"), write(norm="max")),
            )
        return norm

    def accuracy_in(self, value: Number, convention: str) -> Fraction:
        """Return a promised accuracy, whole for a law on whole numbers."""
        return accuracy_in(value, convention=convention if self.whole else None)

    def error_in(self, value: Number) -> Fraction:
        """Return an error whose chance is asked for."""
        if self.whole:
            return Fraction(whole(value, "error", least=0))
        return accuracy_in(value, convention=None)

    # Accuracy, both ways

    @abstractmethod
    def size_of(self, noise: NoiseSize) -> Fraction:
        """Return the size that is known in one of the ways in `sizes`."""

    def accuracy(self, noise: NoiseSize, chance: Chance, truth: int | None) -> int | Decimal:
        """Return the error that has the chance alpha, at a stated or at the worst count."""
        if noise.bounds is not None or truth is not None:
            raise self.nowhere_held_back("an accuracy with bounds or a truth")
        return self.width(noise.size(), chance)

    def width(self, size: Fraction, chance: Chance) -> int | Decimal:
        """Return the same for noise of a size; nobody asks it of bounded counts."""
        raise NotImplementedError

    @abstractmethod
    def tail(self, noise: NoiseSize, error: Fraction, chance: Chance) -> Real:
        """Return the chance of a miss by an error; alpha is not looked at."""

    @abstractmethod
    def epsilon_for(self, noise: NoiseSize, accuracy: Fraction, chance: Chance) -> Fraction:
        """Return the least epsilon that keeps an accuracy, rounded up."""

    @abstractmethod
    def noise_for(self, accuracy: Fraction, chance: Chance) -> Fraction:
        """Return the largest scale, sigma or sigma2 that keeps an accuracy, rounded down."""

    def variance_for(self, accuracy: Fraction, chance: Chance) -> Fraction:  # noqa: ARG002
        """Return the largest variance parameter that keeps an accuracy, rounded down."""
        raise self.not_for(
            "a rho for an accuracy",
            why="it is priced by epsilon, and its rho follows as epsilon^2 / 2",
            fix="ask for epsilon",
        )

    # Privacy

    @abstractmethod
    def delta(self, noise: NoiseSize, epsilon: Fraction, releases: int) -> Fraction:
        """Return delta(epsilon), rounded up."""

    @abstractmethod
    def epsilon(self, noise: NoiseSize, delta: Fraction, releases: int) -> Fraction:
        """Return the least epsilon at a delta, rounded up."""

    @abstractmethod
    def rho(self, noise: NoiseSize, releases: int) -> Fraction:
        """Return the zCDP loss, or a bound on it."""

    @abstractmethod
    def mu2(self, noise: NoiseSize, releases: int) -> Fraction:
        """Return the mu^2 of Gaussian differential privacy, or a bound on it."""

    def sigma(self, noise: NoiseSize, releases: int, rule: str) -> Fraction:  # noqa: ARG002
        """Return the standard deviation that a rule gives for a loss, rounded up."""
        raise no_size(self.name, "sigma", self.size_name)

    def scale(self, noise: NoiseSize, releases: int) -> Fraction:  # noqa: ARG002
        """Return the scale that keeps a loss, exactly."""
        raise no_size(self.name, "scale", self.size_name)

    def sigma2(self, noise: NoiseSize, releases: int) -> Fraction:  # noqa: ARG002
        """Return the variance parameter from which on a loss is kept, rounded up."""
        raise no_size(self.name, "sigma2", self.size_name)

    def choices(self, moves: Moves, budget: Budget, alpha: Fraction) -> list[LawChoice]:  # noqa: ARG002
        """Return this law's noise that keeps a budget, for a comparison."""
        return []

    def choice(
        self, size: Fraction, moves: Moves, alpha: Fraction, deviation: float, paid: str
    ) -> LawChoice:
        """Return noise of a size, called as `size_name` says, with its errors."""
        noise = NoiseSize(self, Fraction(1), **{self.size_name: in_range(size, self.size_name)})
        error, together = (
            self.width(noise.size(), Chance(alpha, coordinates=many))
            for many in (1, moves.coordinates)
        )
        return LawChoice(self.name, self.size_name, size, error, together, deviation, paid)

    # What is said

    def note_accuracy(self, noise: NoiseSize, form: Printed) -> int | Decimal:  # noqa: ARG002
        """Return the accuracy that the printed formula gives."""
        raise self.not_printed()

    def note_epsilon(self, noise: NoiseSize, accuracy: Fraction, form: Printed) -> Fraction:  # noqa: ARG002
        """Return the epsilon that the printed formula gives."""
        raise self.not_printed()

    def is_bound(self, known: Known) -> bool:  # noqa: ARG002
        """Tell whether its privacy curve is that of any pure noise, and not the law's own."""
        return False

    def for_promise(self, known: Known) -> str:  # noqa: ARG002
        """Return what else must be said of a loss that keeps a promise."""
        return ""

    def least(self, wanted: str, kept: str, known: Known) -> str:  # noqa: ARG002
        """Return the words for a size of noise that keeps a loss."""
        return f"the least {wanted} that {kept}"

    def naive(self) -> Mapping[str, Formula]:
        """Return what a naive formula says, by the function that answered."""
        return {}

    # What is refused

    def not_for(self, what: str, *, why: str, fix: Fix) -> InputError:
        """Return the error that this law has no such answer."""
        return InputError(
            f"{what} is not calculated for {self.name} noise.",
            kind="not-calculated",
            why=why,
            fix=fix,
        )

    def nowhere_held_back(self, what: str) -> InputError:
        """Return the error that bounds were given for noise that has none."""
        return self.not_for(
            what,
            why="the same error is made at every count, and nothing holds it back",
            fix=write(law="clamped_geometric"),
        )

    def no_curve(self) -> InputError:
        """Return the error that the privacy curve of several releases is not built in."""
        return self.not_for("this privacy curve", why=self.one_release, fix=ONE)

    def not_printed(self) -> InputError:
        """Return the error that the documents print no formula for this law."""
        return self.not_for(
            "this formula",
            why="the documents print one for geometric noise, and one with delta for Gaussian",
            fix=(write("without delta", law="geometric"), write("with it", law="gaussian")),
        )
