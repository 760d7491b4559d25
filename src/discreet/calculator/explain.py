"""An answer in sentences: what it means, where it comes from, what the naive formula would say.

What an answer says, in a sentence that is never stronger than what is proved.

What the naive formula would have said, and why it differs.

Rules of this module:
- every number comes from the functions of this page; nothing is computed here;
- what does not belong to a question is refused, never ignored;
- "the least" is said of what is the least, and of nothing that merely suffices;
- where more noise can lose more, it says so;
- nothing here is a guarantee; it only reports, and floats are only shown;
- a formula without a value says why, and a question without a naive formula gets None.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING
from fractions import Fraction
from typing import Any

from ..errors import InputError, shown
from ..exact.number import in_digits, text_of
from ..fix import Set, leave_out, write
from ..noise.reals import decimal_up
from ..privacy.conversion import delta_up, epsilon_up
from .for_accuracy import Step, epsilon_for, next_step, noise_for, rho_for
from .functions import (
    accuracy,
    delta_of,
    epsilon_of,
    mu2_of,
    rho_of,
    scale_for,
    sigma2_for,
    sigma_for,
    tail_of,
)
from .inputs import counted, delta_in, loss, no_size, positive_delta
from .laws import LAWS
from .laws.law import Answer, Known, NoiseLaw
from .naive_formulas import short

_SHOWN = 6  # digits
_PROMISES = frozenset({"epsilon_for", "rho_for", "noise_for"})


def meaning_of(
    function: str, law: NoiseLaw, wanted: str, answer: object, inputs: Mapping[str, Any]
) -> str:
    """Return what an answer means.

    Args:
        function: which function of the page answered.
        law: which noise.
        wanted: what was asked for.
        answer: its answer.
        inputs: its keywords.
    """
    if function == "accuracy":
        return f"{_error(answer, inputs)} has a chance of at most {inputs['alpha']}"
    if function in _PROMISES:
        return _promise(function, law, wanted, inputs)
    if function == "tail_of":
        return f"the chance of {_error(inputs['error'], inputs)}"
    return _loss(function, law, wanted, inputs)


def _promise(function: str, law: NoiseLaw, wanted: str, inputs: Mapping[str, Any]) -> str:
    least = "the most noise" if function == "noise_for" else f"the least {wanted}"
    error = _error(inputs["accuracy"], inputs)
    which = law.for_promise(inputs)
    return f"{least} at which {error} has a chance of at most {inputs['alpha']}{which}"


def _loss(function: str, law: NoiseLaw, wanted: str, inputs: Mapping[str, Any]) -> str:
    releases = inputs.get("releases", 1)
    where = f" of {releases} releases together" if releases != 1 else ""
    at = [f"{name[3:]} = {inputs[name]}" for name in ("at_epsilon", "at_delta") if name in inputs]
    if at:
        bound = "an upper bound on " if law.is_bound(inputs) else ""
        beside = f", beside a chance of {inputs['chance']} to fail" if "chance" in inputs else ""
        once = " of one number, released once," if _of_one(law, inputs) else ""
        return f"{bound}the least {wanted}{where}{once} at {at[0]}{beside}"
    if function == "rho_of":
        return f"the rho{where}" if law.exact_rho else f"a rho that is kept{where}"
    if function == "mu2_of":
        return f"the mu^2{where}" if law.exact_rho else f"a mu^2 that is kept{where}"
    losses = [f"{n} = {inputs[n]}" for n in ("epsilon", "delta", "rho", "mu2") if n in inputs]
    kept = f"keeps {' and '.join(losses)}{where}"
    if inputs.get("rule", "analytic") != "analytic":
        return f"a sigma that {kept}; the least is {_least_sigma(inputs)}"
    return law.least(wanted, kept, inputs)


def _of_one(law: NoiseLaw, inputs: Mapping[str, Any]) -> bool:
    """Tell whether a rho was named that other noise has too, and that is read otherwise there."""
    return "rho" in inputs and not law.own_rho and inputs.get("releases", 1) == 1


def _least_sigma(inputs: Mapping[str, Any]) -> str:
    least = sigma_for(**{name: number for name, number in inputs.items() if name != "rule"})
    with in_digits(_SHOWN, ROUND_CEILING):
        return text_of(Fraction(+least))


def _error(size: object, inputs: Mapping[str, Any]) -> str:
    """Return the words for a miss: whose error, and whether `size` itself is one."""
    ge = inputs.get("convention", "gt") == "ge"
    many, kind = inputs.get("coordinates", 1), "an error"
    if inputs.get("norm") == "l2":
        many, kind = 1, f"an l2 norm of the errors of {many} numbers"
    error = f"{kind} of {size} or more" if ge else f"{kind} above {size}"
    if inputs.get("releases", 1) != 1:
        error += f" in the sum of {inputs['releases']} releases"
    if many != 1:
        error += f" in any of {many} numbers"
    if inputs.get("truth") is not None:
        return f"{error} at a true count of {inputs['truth']}"
    return f"{error} at the worst count inside the bounds" if "bounds" in inputs else error


@dataclass(frozen=True, slots=True)
class Naive:
    """A naive formula's answer; without a value where the formula has none."""

    formula: str
    value: str | None
    why: str

    def __str__(self) -> str:
        says = "has no value" if self.value is None else f"says {self.value}"
        return f"{self.formula} {says}\n          {self.why}"


def naive(function: str, law: NoiseLaw, answer: Answer, known: Known) -> Naive | None:
    """Return what a naive formula says to a question that was answered, or None.

    Args:
        function: which function of the page answered.
        law: which noise.
        answer: its answer.
        known: its keywords.
    """
    find = law.naive().get(function)
    if find is None:
        return None
    try:
        formula = find(law, answer, known)
    except InputError as error:
        is_zero = known.get("epsilon") is not None and loss(known["epsilon"]) == 0
        why = "it divides by epsilon, which is 0" if is_zero else error.why
        return Naive("the printed formula", None, why)
    return None if formula is None else Naive(formula[0], short(formula[1]), formula[2])


_COUNTED = ("coordinates", "releases")


@dataclass(frozen=True, slots=True)
class Explained:
    """An answer with its meaning, its source and what a naive formula would have said.

    Args:
        wanted: what was asked for.
        law: of which noise.
        answer: the number, exact or rounded to the safe side.
        meaning: what the number says, in the convention asked for.
        source: the formula, and who proved it.
        naive: the naive formula's name, its answer, and why it differs; None where there is none.
        step: of an accuracy on whole numbers, what the next smaller error takes; else None.
    """

    wanted: str
    law: str
    answer: Answer
    meaning: str
    source: str
    naive: Naive | None
    step: Step | None = None

    @property
    def text(self) -> str:
        """The answer as text that can be typed again."""
        return text_of(self.answer) if isinstance(self.answer, Fraction) else str(self.answer)

    def __str__(self) -> str:
        lines = [f"{self.wanted} = {self.text}", f"  means:  {self.meaning}"]
        if self.step is not None:
            lines.append(f"  next:   {self.step}")
        lines.append(f"  source: {self.source}")
        if self.naive is not None:
            lines.append(f"  naive:  {self.naive}")
        return "\n".join(lines)


def explain(wanted: str, law: str, known: Mapping[str, Any]) -> Explained:
    """Return the answer to a question with its meaning, its source and the naive answer.

    Args:
        wanted: "accuracy", "epsilon", "rho", "mu2", "sigma", "sigma2", "scale", "delta" or "tail".
        law: see `accuracy`; empty for what a rho implies, whatever noise has it.
        known: what is known, by the names of this page's functions. With `accuracy` among them a
            promise is turned into a loss or a size of noise; `delta` is answered at `epsilon`, and
            `epsilon` without an accuracy at `delta`.

    Raises:
        InputError: a number is out of its range, missing, or does not belong to the question.

    Example:
        >>> print(explain("sigma", "gaussian", {"epsilon": 1, "delta": "1e-6"}))
        sigma = 4.2246788893268354
          means:  the least sigma that keeps epsilon = 1 and delta = 1e-6
          source: Balle and Wang 2018, Theorem 8, certified
          naive:  the classical Gaussian says 5.2988
                  its sigma is 1.254 times the least that works
    """
    if wanted not in _WAYS:
        raise InputError(
            f"{shown(wanted)!r} cannot be calculated.",
            kind="unknown-choice",
            why=f"it can be {', '.join(_WAYS)}",
            fix='ask for "accuracy"',
        )
    inputs = {name: value for name, value in known.items() if value is not None}
    if not law:
        return _converted(wanted, inputs)
    way = _way(wanted, law, inputs)
    inputs = {way.renamed.get(name, name): value for name, value in inputs.items()}
    _check(way, wanted, inputs)
    inputs |= {name: counted(inputs[name], name) for name in _COUNTED if name in inputs}
    answer: Answer = way.function(law, **inputs)
    function, noise_law = way.function.__name__, LAWS[law]
    return Explained(
        wanted=wanted,
        law=law,
        answer=answer,
        meaning=meaning_of(function, noise_law, wanted, answer, inputs),
        source=_source(function, noise_law, inputs),
        naive=None if "chance" in inputs else naive(function, noise_law, answer, inputs),
        step=next_step(law, answer, inputs) if way.function is accuracy else None,
    )


def _converted(wanted: str, inputs: Mapping[str, Any]) -> Explained:
    """Return what a rho implies, whatever noise has it: as ledgers and reports read it."""
    at = {"epsilon": "delta", "delta": "epsilon"}.get(wanted, "")
    if {*inputs} != {"rho", at}:
        raise InputError(
            f"{wanted} is not calculated without a law.",
            kind="not-calculated",
            why="what follows whatever the noise is, is the epsilon of a rho at a delta, and back",
            fix=write(law="discrete_gaussian"),
        )
    rho = loss(inputs["rho"], "rho")
    if wanted == "epsilon":
        bound = epsilon_up(rho, positive_delta(delta_in(inputs["delta"])))
    else:
        bound = delta_up(rho, loss(inputs["epsilon"], "epsilon"))
    return Explained(
        wanted=wanted,
        law="",
        answer=decimal_up(bound),
        meaning=f"the {wanted} that rho = {inputs['rho']} implies at {at} = {inputs[at]}, whatever "
        "noise has it; reports say this",
        source="the conversion of zCDP (Canonne, Kamath, Steinke 2020, Proposition 12)",
        naive=None,
    )


@dataclass(frozen=True, slots=True)
class _Way:
    function: Callable[..., Any]
    renamed: Mapping[str, str]


_PROMISE = {"epsilon": epsilon_for, "rho": rho_for} | dict.fromkeys(
    ("sigma", "sigma2", "scale"), noise_for
)
_WAYS: dict[str, _Way] = {
    "accuracy": _Way(accuracy, {}),
    "epsilon": _Way(epsilon_of, {"delta": "at_delta"}),
    "delta": _Way(delta_of, {"epsilon": "at_epsilon"}),
    "rho": _Way(rho_of, {}),
    "mu2": _Way(mu2_of, {}),
    "sigma": _Way(sigma_for, {}),
    "sigma2": _Way(sigma2_for, {}),
    "scale": _Way(scale_for, {}),
    "tail": _Way(tail_of, {"accuracy": "error"}),
}


def _way(wanted: str, law: str, inputs: Mapping[str, Any]) -> _Way:
    if "accuracy" not in inputs or wanted not in _PROMISE:
        return _WAYS[wanted]
    function = _PROMISE[wanted]
    known = LAWS.get(law)
    size = wanted if known is None or known.bounded else known.size_name
    if function is noise_for and size != wanted:
        raise no_size(shown(law), wanted, size, says="is not sized by")
    return _Way(function, {})


def _check(way: _Way, wanted: str, inputs: Mapping[str, Any]) -> None:
    """Raise InputError if a name does not belong to the question, or is missing."""
    named = inspect.signature(way.function).parameters
    back = {new: old for old, new in way.renamed.items()}
    allowed = [back.get(name, name) for name in named if name != "law"]
    foreign = [name for name in inputs if name not in named]
    if foreign:
        raise InputError(
            f"{foreign[0]} has nothing to do with this {wanted}.",
            kind="setting-out-of-place",
            why=f"this question takes {', '.join(dict.fromkeys(allowed))}",
            fix=leave_out(foreign[0]),
        )
    required = [n for n, p in named.items() if p.default is inspect.Parameter.empty and n != "law"]
    lacking = [back.get(name, name) for name in required if name not in inputs]
    if lacking:
        raise InputError(
            f"{wanted} is not known without {' and '.join(lacking)}.",
            kind="setting-missing",
            why=f"this question takes {', '.join(dict.fromkeys(allowed))}",
            fix=Set({lacking[0]: _EXAMPLES[lacking[0]]}, note="too"),
        )


_EXAMPLES = {"alpha": "0.05", "accuracy": "10", "epsilon": "1", "delta": "1e-6", "error": "10"}


def _source(function: str, law: NoiseLaw, inputs: Mapping[str, Any]) -> str:
    if function in _OF_ERRORS:
        if law.sum_source and inputs.get("releases", 1) != 1:
            return law.sum_source
        norm = inputs.get("norm", "max")
        shared = inputs.get("coordinates", 1) != 1 and norm == "max"
        return (
            law.norms[norm]
            + (law.with_loss if "epsilon" in inputs else "")
            + ("; of d numbers each may miss with 1 - (1-alpha)^(1/d)" if shared else "")
        )
    if function == "scale_for":
        return "scale = sensitivity / epsilon, exactly (Dwork, McSherry, Nissim, Smith 2006)"
    if function == "sigma_for" and inputs.get("rule", "analytic") != "analytic":
        return _RULES[str(inputs["rule"])]
    asked = {"mu2_of": "mu2", "rho_of": "rho"}.get(function)
    sources = {"mu2": law.mu2_source, "rho": law.rho_source}
    if function in ("epsilon_of", "delta_of") and law.is_bound(inputs):
        return law.curve_source
    by = next((name for name in sources if name in inputs or name == asked), "")
    return sources.get(by, law.curve_source)


_OF_ERRORS = frozenset({"accuracy", "epsilon_for", "rho_for", "noise_for", "tail_of"})
_RULES = {
    "classical": "sensitivity sqrt(2 ln(1.25/delta)) / epsilon (Dwork and Roth 2014, Theorem A.1)",
    "tight": "the classical formula with 1.2443995 instead of 1.25 (Dwork and Roth 2014, proof)",
    "pinsker": "sensitivity / (2 delta), for epsilon = 0 (Balle and Wang 2018, Theorem 2)",
    "vinterbo": "a closed form for every epsilon (Vinterbo 2020)",
}
