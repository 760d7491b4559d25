"""What an answer says, in a sentence that is never stronger than what is proved.

Rules of this module:
- "the least" is said of what is the least, and of nothing that merely suffices;
- where more noise can lose more, it says so.
"""

from collections.abc import Mapping
from decimal import ROUND_CEILING
from fractions import Fraction
from typing import Any

from ..exact.number import in_digits, text_of
from .functions import sigma_for
from .laws.law import NoiseLaw

_SHOWN = 6  # digits
_PROMISES = frozenset({"epsilon_for", "rho_for", "noise_for"})


def meaning_of(
    function: str, law: NoiseLaw, wanted: str, answer: object, given: Mapping[str, Any]
) -> str:
    """Return what an answer means.

    Args:
        function: which function of the page answered.
        law: which noise.
        wanted: what was asked for.
        answer: its answer.
        given: its keywords.
    """
    if function == "accuracy":
        return f"{_error(answer, given)} has a chance of at most {given['alpha']}"
    if function in _PROMISES:
        return _promise(function, law, wanted, given)
    if function == "tail_of":
        return f"the chance of {_error(given['error'], given)}"
    return _loss(function, law, wanted, given)


def _promise(function: str, law: NoiseLaw, wanted: str, given: Mapping[str, Any]) -> str:
    least = "the most noise" if function == "noise_for" else f"the least {wanted}"
    error = _error(given["accuracy"], given)
    which = law.for_promise(given)
    return f"{least} at which {error} has a chance of at most {given['alpha']}{which}"


def _loss(function: str, law: NoiseLaw, wanted: str, given: Mapping[str, Any]) -> str:
    releases = given.get("releases", 1)
    where = f" of {releases} releases together" if releases != 1 else ""
    at = [f"{name[3:]} = {given[name]}" for name in ("at_epsilon", "at_delta") if name in given]
    if at:
        bound = "an upper bound on " if law.is_bound(given) else ""
        beside = f", beside a chance of {given['chance']} to fail" if "chance" in given else ""
        once = " of one number, released once," if _of_one(law, given) else ""
        return f"{bound}the least {wanted}{where}{once} at {at[0]}{beside}"
    if function == "rho_of":
        return f"the rho{where}" if law.exact_rho else f"a rho that is kept{where}"
    if function == "mu2_of":
        return f"the mu^2{where}" if law.exact_rho else f"a mu^2 that is kept{where}"
    losses = [f"{n} = {given[n]}" for n in ("epsilon", "delta", "rho", "mu2") if n in given]
    kept = f"keeps {' and '.join(losses)}{where}"
    if given.get("rule", "analytic") != "analytic":
        return f"a sigma that {kept}; the least is {_least_sigma(given)}"
    return law.least(wanted, kept, given)


def _of_one(law: NoiseLaw, given: Mapping[str, Any]) -> bool:
    """Tell whether a rho was named that other noise has too, and that is read otherwise there."""
    return "rho" in given and not law.own_rho and given.get("releases", 1) == 1


def _least_sigma(given: Mapping[str, Any]) -> str:
    least = sigma_for(**{name: number for name, number in given.items() if name != "rule"})
    with in_digits(_SHOWN, ROUND_CEILING):
        return text_of(Fraction(+least))


def _error(size: object, given: Mapping[str, Any]) -> str:
    """Return the words for a miss: whose error, and whether `size` itself is one."""
    ge = given.get("convention", "gt") == "ge"
    many, kind = given.get("coordinates", 1), "an error"
    if given.get("norm") == "l2":
        many, kind = 1, f"an l2 norm of the errors of {many} numbers"
    error = f"{kind} of {size} or more" if ge else f"{kind} above {size}"
    if given.get("releases", 1) != 1:
        error += f" in the sum of {given['releases']} releases"
    if many != 1:
        error += f" in any of {many} numbers"
    if given.get("truth") is not None:
        return f"{error} at a true count of {given['truth']}"
    return f"{error} at the worst count inside the bounds" if "bounds" in given else error
