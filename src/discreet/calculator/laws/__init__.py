"""The noise laws that the calculator knows: one line each, and one object that answers for itself.

Rules of this module:
- a law is looked up by its name here, once a question, and asked from then on;
- a comparison lists the laws in this order, each once.
"""

from difflib import get_close_matches

from ...errors import InputError, shown
from ...exact.number import Number, rational
from ...fix import write
from ..errors import no_size
from ..inputs import above_zero, delta_in, loss, noise
from .bounded import Clamped, Truncated
from .discrete_gaussian import DiscreteGaussian
from .gaussian import Gaussian
from .geometric import Geometric
from .laplace import Laplace
from .law import NoiseLaw
from .noise_size import NoiseSize

GAUSSIAN = Gaussian("gaussian")
LISTED: tuple[NoiseLaw, ...] = (
    Geometric("geometric"),
    Laplace("laplace"),
    GAUSSIAN,
    DiscreteGaussian("discrete_gaussian"),
    Clamped("clamped_geometric"),
    Truncated("truncated_geometric"),
)
_CALLED = {"normal": "gaussian", "exponential": "laplace", "two_sided_geometric": "geometric"}
LAWS = {law.name: law for law in (*LISTED, Geometric("discrete_laplace"))}


def noise_of(  # noqa: PLR0913 (one keyword for each thing that may be known)
    law: str,
    sensitivity: Number = 1,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    sigma: Number | None = None,
    sigma2: Number | None = None,
    scale: Number | None = None,
    *,
    mu2: Number | None = None,
    bounds: object = None,
) -> NoiseSize:
    """Return what was typed about noise as a law and exact rationals, or raise InputError.

    The sizes stand in one order everywhere: in the page's functions, here and in `NoiseSize`.
    """
    asked = _named(law)
    if bounds is not None and not asked.bounded:
        raise InputError(
            f"bounds have nothing to do with {asked.name} noise.",
            why="it reaches every whole number, or every real one",
            fix=("leave them out", write(law="clamped_geometric")),
        )
    return NoiseSize(
        law=asked,
        sensitivity=noise(sensitivity, "sensitivity"),
        epsilon=None if epsilon is None else loss(epsilon),
        delta=None if delta is None else delta_in(delta),
        rho=None if rho is None else above_zero(rational(rho, "rho"), "rho"),
        sigma=None if sigma is None else noise(sigma, "sigma"),
        sigma2=None if sigma2 is None else noise(sigma2, "sigma2"),
        scale=None if scale is None else noise(scale, "scale"),
        mu2=None if mu2 is None else above_zero(rational(mu2, "mu2"), "mu2"),
        bounds=bounds,
    )


def sized_by(law: str, wanted: str) -> None:
    """Raise InputError unless a law's size is called `wanted`."""
    size = _named(law).size_name
    if size != wanted:
        raise no_size(law, wanted, size)


def _named(law: str) -> NoiseLaw:
    if law not in LAWS:
        raise InputError(
            f"there is no noise law {shown(law)!r} to calculate with.",
            why=f"the laws are {', '.join(sorted(LAWS))}",
            fix=write(law=_nearest(law)),
        )
    return LAWS[law]


def _nearest(law: str) -> str:
    """Return the law that a name without one is likely meant for; geometric where none is."""
    word = law.casefold().replace(" ", "_")
    begun = [one for one in sorted(LAWS) if word and (one.startswith(word) or word.startswith(one))]
    close = get_close_matches(word, LAWS, n=1, cutoff=0.7)
    return _CALLED.get(word) or next(iter([*begun, *close]), "geometric")
