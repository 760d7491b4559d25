"""Each question about noise as one function, as the page had them before there was a noun.

Rules of this module:
- a function takes what says the noise, and what its method takes, in one order for all of them;
- it asks the method, and nothing else: what it answers and refuses is the method's.
"""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from inspect import Parameter, Signature, cleandoc, signature
from typing import Any

from ..exact.number import Number
from .laws import noise_of
from .questions import KnownNoise, noise

_ORDER = (
    *("law", "alpha", "error", "at_epsilon", "at_delta"),
    *("epsilon", "delta", "rho", "mu2", "sigma", "sigma2", "scale", "sensitivity"),
    *("convention", "coordinates", "releases", "chance", "bounds", "truth", "norm", "rule"),
)
_STATED = ("sigma", "sigma2", "scale", "bounds")
_METHODS: dict[str, tuple[str, tuple[str, ...]]] = {  # and what of the noise is not taken
    "accuracy": ("accuracy", ()),
    "tail_of": ("tail", ("bounds",)),
    "delta_of": ("delta", ("delta",)),
    "epsilon_of": ("epsilon", ("delta",)),
    "rho_of": ("rho", ("delta", "rho", "mu2")),
    "mu2_of": ("mu2", ("delta", "rho", "mu2")),
    "sigma_for": ("sigma", _STATED),
    "sigma2_for": ("sigma2", _STATED),
    "scale_for": ("scale", (*_STATED, "delta", "rho", "mu2")),
}
_LAWS = {"sigma_for": "gaussian", "sigma2_for": "discrete_gaussian", "scale_for": "geometric"}


def _signature(name: str) -> Signature:
    """Return what a function takes: the noise's keywords and the method's, in one order."""
    method, without = _METHODS[name]
    own = signature(getattr(KnownNoise, method))
    known = {**signature(noise).parameters, **own.parameters}
    taken = {x: known[x] for x in _ORDER if x in known and x not in without}
    if name in _LAWS:
        taken["law"] = taken["law"].replace(default=_LAWS[name])
    if name == "scale_for":
        needed = Parameter("epsilon", Parameter.KEYWORD_ONLY, annotation=Number)
        taken["epsilon"] = needed
    return Signature([*taken.values()], return_annotation=own.return_annotation)


def _function(name: str) -> Callable[..., Any]:
    """Return the function that makes the noise of its keywords, and asks the method the others."""
    method, shown, of_noise = _METHODS[name][0], _signature(name), signature(noise).parameters

    def function(*args: Any, **options: Any) -> Any:
        call = shown.bind(*args, **options)
        call.apply_defaults()
        size = {x: call.arguments.pop(x) for x in of_noise if x in call.arguments}
        return getattr(KnownNoise(noise_of(**size)), method)(**call.arguments)

    function.__name__ = function.__qualname__ = name
    words = cleandoc(str(getattr(KnownNoise, method).__doc__))
    function.__doc__ = f"{words}\n\nIt is `{method}` of `noise`, which has the other settings."
    function.__signature__ = shown  # type: ignore[attr-defined]
    return function


FUNCTIONS = {name: _function(name) for name in _METHODS}

accuracy: Callable[..., int | Decimal] = FUNCTIONS["accuracy"]
tail_of: Callable[..., Decimal] = FUNCTIONS["tail_of"]
delta_of: Callable[..., Decimal] = FUNCTIONS["delta_of"]
epsilon_of: Callable[..., Decimal] = FUNCTIONS["epsilon_of"]
rho_of: Callable[..., Fraction] = FUNCTIONS["rho_of"]
mu2_of: Callable[..., Decimal] = FUNCTIONS["mu2_of"]
sigma_for: Callable[..., Decimal] = FUNCTIONS["sigma_for"]
sigma2_for: Callable[..., Decimal] = FUNCTIONS["sigma2_for"]
scale_for: Callable[..., Fraction] = FUNCTIONS["scale_for"]
