"""From a promised accuracy: the least loss that keeps it, and the most noise that does.

Rules of this module:
- a loss is rounded up, a size of noise is rounded down, each within 1e-12: both keep the promise;
- a law on whole numbers is answered in the convention asked for (see `accuracy`).
"""

from decimal import Decimal
from fractions import Fraction

from ..errors import InputError
from ..exact.number import Number
from ..fix import write
from ..noise.reals import decimal_down, decimal_up
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
