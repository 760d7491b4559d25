"""The noise laws that the calculator knows: one line each, and one object that answers for itself.

Rules of this module:
- a law is looked up by its name here, once a question, and asked from then on;
- a comparison lists the laws in this order, each once.
"""

from collections.abc import Callable
from difflib import get_close_matches
from fractions import Fraction
from typing import Any

from ...errors import InputError, shown
from ...exact.number import Number, rational
from ...fix import write
from ..inputs import above_zero, delta_in, loss, noise_in
from .bounded import Clamped, Truncated
from .gaussian import DiscreteGaussian, Gaussian
from .law import NoiseLaw
from .noise_size import NoiseSize
from .pure import Geometric, Laplace

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


def noise_of(
    law: str, sensitivity: Number = 1, *, bounds: object = None, **sizes: Any
) -> NoiseSize:
    """Return what was typed about noise as a law and exact rationals, or raise InputError."""
    named = _named(law)
    if bounds is not None and not named.bounded:
        raise InputError(
            f"bounds have nothing to do with {named.name} noise.",
            kind="setting-out-of-place",
            why="it reaches every whole number, or every real one",
            fix=("leave them out", write(law="clamped_geometric")),
        )
    moved = noise_in(sensitivity, "sensitivity")
    typed = {name: sizes[name] for name in _READ if sizes.get(name) is not None}
    known = {name: _READ[name](value, name) for name, value in typed.items()}
    return NoiseSize(law=named, sensitivity=moved, bounds=bounds, **known)


def _positive(value: Number, name: str) -> Fraction:
    return above_zero(rational(value, name), name)


_READ: dict[str, Callable[[Number, str], Fraction]] = {  # each size, as it is checked
    "epsilon": loss,
    "delta": delta_in,
    "rho": _positive,
    "sigma": noise_in,
    "sigma2": noise_in,
    "scale": noise_in,
    "mu2": _positive,
}


def _named(law: str) -> NoiseLaw:
    if not isinstance(law, str) or law not in LAWS:
        raise InputError(
            f"there is no noise law {shown(law)!r} to calculate with.",
            kind="unknown-choice",
            why=f"the laws are {', '.join(sorted(LAWS))}",
            fix=write(law=_nearest(law)),
        )
    return LAWS[law]


def _nearest(law: str) -> str:
    """Return the law that a name without one is likely meant for; geometric where none is."""
    word = str(law).casefold().replace(" ", "_")
    begun = [
        name for name in sorted(LAWS) if word and (name.startswith(word) or word.startswith(name))
    ]
    close = get_close_matches(word, LAWS, n=1, cutoff=0.7)
    return _CALLED.get(word) or next(iter([*begun, *close]), "geometric")
