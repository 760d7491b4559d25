"""Noise at hand, and whatever can be asked of it: by one noun, whose methods are the questions.

Rules of this module:
- what says the noise is checked once, where the noun is made; a question checks its own options;
- whole answers and rationals are exact; reals are decimals of 17 digits, rounded up, within 1e-12;
- an answer about a loss or a chance is never below the true value;
- the laws answer (`laws`): nothing is calculated here.

Decision 74.
"""

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from ..calls import checked_methods
from ..errors import InputError
from ..exact.number import Number, text_of
from ..fix import write
from ..noise.reals import decimal_up, real_up
from .inputs import alpha_in, convention_in, counted, delta_in, left_of, loss
from .laws import noise_of
from .laws.noise_size import Chance, NoiseSize


def noise(  # noqa: PLR0913 (one keyword for each thing that may be known)
    law: str,
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    mu2: Number | None = None,
    sigma: Number | None = None,
    sigma2: Number | None = None,
    scale: Number | None = None,
    sensitivity: Number = 1,
    bounds: tuple[int, int] | None = None,
) -> "KnownNoise":
    """Return noise of a law and a size, of which accuracy and privacy can be asked.

    Args:
        law: "geometric" (also called "discrete_laplace"), "laplace", "gaussian",
            "discrete_gaussian", "clamped_geometric" or "truncated_geometric".
        epsilon: loss that the noise is made for; with `delta` for the Gaussians.
        delta: see epsilon.
        rho: zCDP loss, for the Gaussians.
        mu2: instead, the mu^2 of Gaussian differential privacy, for the Gaussians.
        sigma: instead of a loss, the Gaussians' standard deviation.
        sigma2: instead of a loss, the discrete Gaussian's variance parameter.
        scale: instead of a loss, the geometric's or Laplace's scale.
        sensitivity: how far one unit moves the answer: l1 for geometric and Laplace, l2 for the
            Gaussians; in the answer's units.
        bounds: public (lower, upper) of a clamped or truncated count.

    Raises:
        InputError: a number is out of its range, missing, or does not belong to the law.

    Example:
        >>> four = noise("gaussian", sigma=4)
        >>> four.accuracy(alpha="0.05", coordinates=10, norm="l2")
        Decimal('17.114689855571754')
        >>> four.epsilon(at_delta="1e-6", releases=100), four.rho(releases=100)
        (Decimal('14.450776965991358'), Fraction(25, 8))
    """
    known = noise_of(
        law,
        sensitivity,
        epsilon=epsilon,
        delta=delta,
        rho=rho,
        mu2=mu2,
        sigma=sigma,
        sigma2=sigma2,
        scale=scale,
        bounds=bounds,
    )
    if known.law.bounded:
        known = replace(known, bounds=known.limits())
    known.size()
    return KnownNoise(known)


@checked_methods("noise")
@dataclass(frozen=True, slots=True, repr=False)
class KnownNoise:
    """Noise of a known law and size; `noise` makes it, and each method is a question."""

    _size: NoiseSize

    @property
    def law(self) -> str:
        """The name of its law."""
        return self._size.law.name

    def accuracy(
        self,
        *,
        alpha: Number,
        convention: str = "gt",
        coordinates: int = 1,
        releases: int = 1,
        truth: int | None = None,
        norm: str = "max",
    ) -> int | Decimal:
        """Return the error that noise exceeds with a chance of at most alpha.

        Args:
            alpha: the chance of a larger error, in (0, 1].
            convention: for whole numbers, "gt" bounds Pr[error > a], "ge" bounds Pr[error >= a].
            coordinates: how many independent errors must keep the bound together.
            releases: how many independent releases are added up.
            truth: a made-up true count, instead of the worst one inside the bounds.
            norm: what is bounded of several Gaussian errors: "max" the largest of them, "l2" the
                root of the sum of their squares.

        Returns: a whole number for laws on whole numbers, else a decimal rounded up.

        Example:
            >>> noise("geometric", epsilon="0.1").accuracy(alpha="0.05", releases=10)
            89
            >>> noise("clamped_geometric", epsilon="0.1", bounds=(0, 30)).accuracy(alpha="0.05")
            23
        """
        share, kind = alpha_in(alpha), convention_in(convention)
        size, law = self._size, self._size.law
        which = law.norm_in(norm)
        many, sums = counted(coordinates, "coordinates"), counted(releases, "releases")
        return law.accuracy(size, Chance(share, kind, many, sums, which), truth)

    def tail(self, *, error: Number, convention: str = "gt", releases: int = 1) -> Decimal:
        """Return the chance of an error above `error` ("gt") or of `error` or more ("ge").

        Args:
            error: whole for the geometric and the discrete Gaussian.
            convention: see `accuracy`.
            releases: see `accuracy`.

        Example:
            >>> noise("geometric", epsilon=1).tail(error=3)
            Decimal('0.026779609865396904')
            >>> noise("laplace", epsilon=1).tail(error=3)
            Decimal('0.049787068367863943')
        """
        kind, sums = convention_in(convention), counted(releases, "releases")
        size, law = self._size, self._size.law
        tail = law.tail(size, law.error_in(error), Chance(Fraction(1), kind, releases=sums))
        return decimal_up(min(Fraction(1), real_up(tail)))

    def delta(self, *, at_epsilon: Number, releases: int = 1, chance: Number = 0) -> Decimal:
        """Return the delta that this noise keeps at an epsilon, rounded up.

        Args:
            at_epsilon: where on the curve delta(epsilon), at least 0.
            releases: how many such releases together; for geometric noise exact at sensitivity 1
                and an upper bound above it.
            chance: that what stands beside the noise fails, as finding unknown keys may: the delta
                beside a rho or mu^2.

        Example:
            >>> noise("gaussian", sigma="5.2988025268504740").delta(at_epsilon=1)
            Decimal('3.1999128191410738E-9')
        """
        where, many = loss(at_epsilon, "at_epsilon"), counted(releases, "releases")
        fails = delta_in(chance, "chance")
        delta = self._size.law.delta(self._size, where, many)
        return decimal_up(fails + (1 - fails) * delta)

    def epsilon(self, *, at_delta: Number, releases: int = 1, chance: Number = 0) -> Decimal:
        """Return the least epsilon that this noise keeps at a delta, rounded up.

        For several releases of geometric noise above sensitivity 1 it is an upper bound on the
        least.

        Args:
            at_delta: in [0, 1), above 0 for the Gaussians.
            releases: see `delta`.
            chance: see `delta`.

        Example: a hundred releases at 0.1, exactly.

            >>> noise("geometric", epsilon="0.1").epsilon(at_delta="1e-6", releases=100)
            Decimal('4.7745675881081219')
        """
        whole, many = delta_in(at_delta), counted(releases, "releases")
        where = left_of(whole, delta_in(chance, "chance"))
        return decimal_up(self._size.law.epsilon(self._size, where, many))

    def rho(self, *, releases: int = 1) -> Fraction:
        """Return the zCDP loss of this noise, exactly; for pure noise epsilon^2 / 2, a bound.

        Example:
            >>> noise("discrete_gaussian", sigma2=25).rho()
            Fraction(1, 50)
        """
        return self._size.law.rho(self._size, counted(releases, "releases"))

    def mu2(self, *, releases: int = 1) -> Decimal:
        """Return the mu^2 of Gaussian differential privacy that this noise keeps, rounded up.

        For the Gaussians it is their own, and the least that holds for a move by 1; for pure noise
        that of randomized response, a bound.

        Example: discrete noise of sigma2 = 25, where continuous noise has 1/25.

            >>> noise("discrete_gaussian", sigma2=25).mu2()
            Decimal('0.040133913919191705')
        """
        return decimal_up(self._size.law.mu2(self._size, counted(releases, "releases")))

    def sigma(self, *, releases: int = 1, rule: str = "analytic") -> Decimal:
        """Return the least sigma of continuous Gaussian noise that keeps the loss, rounded up.

        A closed form keeps it, too, but is not the least.

        Args:
            releases: how many releases the loss is for, together.
            rule: "analytic" (exact), or a closed form: "classical" and "tight" (refused beyond
                their proof), "pinsker" (epsilon = 0) or "vinterbo" (delta at most 1/2).

        Example: sigma is certified, as sigma2 is: its enclosed delta is at most the target.

            >>> made = noise("gaussian", epsilon="0.1", delta="1e-6")
            >>> made.sigma(), made.sigma(rule="classical")
            (Decimal('36.304690426195786'), Decimal('52.988025268504740'))
        """
        return decimal_up(self._size.law.sigma(self._size, self._shared(releases), rule))

    def sigma2(self, *, releases: int = 1) -> Decimal:
        """Return the variance parameter from which on the loss is kept, rounded up.

        For the discrete Gaussian with epsilon and delta it is the law's own exact calibration, of
        one whole number that moves by at most a whole sensitivity. At large epsilon a smaller
        variance may keep it too, but one between the two would not.

        Args:
            releases: how many releases the loss is for, together.

        Example: the continuous Gaussian's 0.4263246 would miss this delta three times over.

            >>> noise("discrete_gaussian", epsilon=8, delta="1e-6").sigma2()
            Decimal('0.43462284123133699')
        """
        return decimal_up(self._size.law.sigma2(self._size, self._shared(releases)))

    def scale(self, *, releases: int = 1) -> Fraction:
        """Return the scale of geometric or Laplace noise, sensitivity / epsilon, exactly.

        Args:
            releases: how many releases the epsilon is for, together.

        Example:
            >>> noise("geometric", epsilon="0.3", sensitivity=2).scale()
            Fraction(20, 3)
        """
        return self._size.law.scale(self._size, self._shared(releases))

    def _shared(self, releases: int) -> int:
        """Return among how many releases a loss is shared; a size that is stated is not."""
        many = counted(releases, "releases")
        if many > 1 and self._size.stated:
            raise InputError(
                f"the size of this {self.law} noise is stated, and no loss to share.",
                kind="setting-out-of-place",
                why="of several releases each has the noise that the loss of all allows",
                fix=write(releases=1),
            )
        return many

    def __repr__(self) -> str:
        size = self._size
        known = {**size.typed, "sensitivity": size.sensitivity}
        if size.sensitivity == 1:
            del known["sensitivity"]
        words = [f'"{self.law}"', *(f'{name}="{text_of(x)}"' for name, x in known.items())]
        words += [f"bounds={size.limits()}"] if size.law.bounded else []
        return f"discreet.calculator.noise({', '.join(words)})"
