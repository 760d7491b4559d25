"""What an answer says, in a sentence that is never stronger than what is proved.

Rules of this module:
- "the least" is said of what is the least, and of nothing that merely suffices;
- where more noise can lose more, it says so.
"""

from collections.abc import Mapping
from decimal import ROUND_CEILING, localcontext
from fractions import Fraction
from typing import Any

from ..exact.number import is_short, rational, text_of
from .inputs import GEOMETRIC
from .noise import sigma_for, smaller_sigma2

_SHOWN = 6  # digits
_PROMISES = frozenset({"epsilon_for", "rho_for", "noise_for"})
_UNEVEN = "discrete_gaussian"  # under epsilon and delta, more of its noise can lose more


def meaning_of(
    function: str, law: str, wanted: str, answer: object, given: Mapping[str, Any]
) -> str:
    """Return what an answer means.

    Args:
        function: which function of the page answered.
        law: see `accuracy`.
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


def _promise(function: str, law: str, wanted: str, given: Mapping[str, Any]) -> str:
    least = "the most noise" if function == "noise_for" else f"the least {wanted}"
    error = _error(given["accuracy"], given)
    which = ", with sigma2 as calculated for it" if law == _UNEVEN and "delta" in given else ""
    return f"{least} at which {error} has a chance of at most {given['alpha']}{which}"


def _loss(function: str, law: str, wanted: str, given: Mapping[str, Any]) -> str:
    releases = given.get("releases", 1)
    where = f" of {releases} releases together" if releases != 1 else ""
    at = [f"{name[3:]} = {given[name]}" for name in ("at_epsilon", "at_delta") if name in given]
    if at:
        bound = "an upper bound on " if _bounded(law, given) else ""
        return f"{bound}the least {wanted}{where} at {at[0]}"
    if function == "rho_of":
        return f"the rho{where}" if "gaussian" in law else f"a rho that is kept{where}"
    losses = [f"{n} = {given[n]}" for n in ("epsilon", "delta", "rho") if n in given]
    kept = f"keeps {' and '.join(losses)}{where}"
    if given.get("rule", "analytic") != "analytic":
        return f"a sigma that {kept}; the least is {_least_sigma(given)}"
    return _uneven(kept, given) if law == _UNEVEN and "delta" in given else _least(wanted, kept)


def _bounded(law: str, given: Mapping[str, Any]) -> bool:
    """Tell whether a curve is that of any pure noise, and not the law's own."""
    many = given.get("releases", 1) != 1
    return law in GEOMETRIC and many and rational(given.get("sensitivity", 1), "sensitivity") != 1


def _least(wanted: str, kept: str) -> str:
    return f"the least {wanted} that {kept}"


def _uneven(kept: str, given: Mapping[str, Any]) -> str:
    """Say which variances keep a loss, where delta does not always fall as they grow."""
    names = ("epsilon", "delta", "sensitivity")
    smaller = smaller_sigma2(**{name: given[name] for name in names if name in given})
    if smaller is None:
        return _least("sigma2", kept)
    which = text_of(smaller) if is_short(smaller) else "a smaller one"
    return f"from this sigma2 on each {kept}; {which} does, too, but some between do not"


def _least_sigma(given: Mapping[str, Any]) -> str:
    least = sigma_for(**{name: number for name, number in given.items() if name != "rule"})
    with localcontext(prec=_SHOWN, rounding=ROUND_CEILING):
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
