"""An answer in sentences: what it means, where it comes from, what the naive formula would say.

Rules of this module:
- every number comes from the functions of this page; nothing is computed here;
- what does not belong to a question is refused, never ignored.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ..errors import InputError, shown
from ..exact.number import text_of
from ..fix import Set, leave_out, write
from ..noise.reals import decimal_up
from ..privacy.conversion import delta_up, epsilon_up
from . import naive
from .errors import no_size
from .for_accuracy import epsilon_for, noise_for, rho_for
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
from .inputs import counted, delta_in, loss, positive_delta
from .laws import LAWS
from .laws.law import Answer, NoiseLaw
from .meaning import meaning_of
from .step import Step, next_step

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
    naive: naive.Naive | None
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
            f"{shown(wanted)!r} is not something that is calculated.",
            why=f"it can be {', '.join(_WAYS)}",
            fix='ask for "accuracy"',
        )
    given = {name: value for name, value in known.items() if value is not None}
    if not law:
        return _converted(wanted, given)
    way = _way(wanted, law, given)
    given = {way.renamed.get(name, name): value for name, value in given.items()}
    _check(way, wanted, given)
    given |= {name: counted(given[name], name) for name in _COUNTED if name in given}
    answer: Answer = way.function(law, **given)
    function, noise_law = way.function.__name__, LAWS[law]
    return Explained(
        wanted=wanted,
        law=law,
        answer=answer,
        meaning=meaning_of(function, noise_law, wanted, answer, given),
        source=_source(function, noise_law, given),
        naive=None if "chance" in given else naive.naive(function, noise_law, answer, given),
        step=next_step(law, answer, given) if way.function is accuracy else None,
    )


def _converted(wanted: str, given: Mapping[str, Any]) -> Explained:
    """Return what a rho implies, whatever noise has it: as ledgers and reports read it."""
    at = {"epsilon": "delta", "delta": "epsilon"}.get(wanted, "")
    if {*given} != {"rho", at}:
        raise InputError(
            f"{wanted} is not calculated without a law.",
            why="what follows whatever the noise is, is the epsilon of a rho at a delta, and back",
            fix=write(law="discrete_gaussian"),
        )
    rho = loss(given["rho"], "rho")
    if wanted == "epsilon":
        found = epsilon_up(rho, positive_delta(delta_in(given["delta"])))
    else:
        found = delta_up(rho, loss(given["epsilon"], "epsilon"))
    return Explained(
        wanted=wanted,
        law="",
        answer=decimal_up(found),
        meaning=f"the {wanted} that rho = {given['rho']} implies at {at} = {given[at]}, whatever "
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


def _way(wanted: str, law: str, given: Mapping[str, Any]) -> _Way:
    if "accuracy" not in given or wanted not in _PROMISE:
        return _WAYS[wanted]
    function = _PROMISE[wanted]
    known = LAWS.get(law)
    size = wanted if known is None or known.bounded else known.size_name
    if function is noise_for and size != wanted:
        raise no_size(shown(law), wanted, size, says="is not sized by")
    return _Way(function, {})


def _check(way: _Way, wanted: str, given: Mapping[str, Any]) -> None:
    """Raise InputError if a name does not belong to the question, or is missing."""
    named = inspect.signature(way.function).parameters
    back = {new: old for old, new in way.renamed.items()}
    allowed = [back.get(name, name) for name in named if name != "law"]
    foreign = [name for name in given if name not in named]
    if foreign:
        raise InputError(
            f"{foreign[0]} has nothing to do with this {wanted}.",
            why=f"what may be known here is {', '.join(allowed)}",
            fix=leave_out(foreign[0]),
        )
    required = [n for n, p in named.items() if p.default is inspect.Parameter.empty and n != "law"]
    lacking = [back.get(name, name) for name in required if name not in given]
    if lacking:
        raise InputError(
            f"{wanted} is not known without {' and '.join(lacking)}.",
            why=f"what may be known here is {', '.join(allowed)}",
            fix=Set({lacking[0]: _EXAMPLES[lacking[0]]}, note="too"),
        )


_EXAMPLES = {"alpha": "0.05", "accuracy": "10", "epsilon": "1", "delta": "1e-6", "error": "10"}


def _source(function: str, law: NoiseLaw, given: Mapping[str, Any]) -> str:
    if function in _OF_ERRORS:
        if law.sum_source and given.get("releases", 1) != 1:
            return law.sum_source
        norm = given.get("norm", "max")
        shared = given.get("coordinates", 1) != 1 and norm == "max"
        return (
            law.norms[norm]
            + (law.with_loss if "epsilon" in given else "")
            + ("; of d numbers each may miss with 1 - (1-alpha)^(1/d)" if shared else "")
        )
    if function == "scale_for":
        return "scale = sensitivity / epsilon, exactly (Dwork, McSherry, Nissim, Smith 2006)"
    if function == "sigma_for" and given.get("rule", "analytic") != "analytic":
        return _RULES[str(given["rule"])]
    asked = {"mu2_of": "mu2", "rho_of": "rho"}.get(function)
    sources = {"mu2": law.mu2_source, "rho": law.rho_source}
    if function in ("epsilon_of", "delta_of") and law.is_bound(given):
        return law.curve_source
    by = next((name for name in sources if name in given or name == asked), "")
    return sources.get(by, law.curve_source)


_OF_ERRORS = frozenset({"accuracy", "epsilon_for", "rho_for", "noise_for", "tail_of"})
_RULES = {
    "classical": "sensitivity sqrt(2 ln(1.25/delta)) / epsilon (Dwork and Roth 2014, Theorem A.1)",
    "tight": "the classical formula with 1.2443995 instead of 1.25 (Dwork and Roth 2014, proof)",
    "pinsker": "sensitivity / (2 delta), for epsilon = 0 (Balle and Wang 2018, Theorem 2)",
    "vinterbo": "a closed form for every epsilon (Vinterbo 2020)",
}
