"""What the naive formula would have said, and why it differs.

Rules of this module:
- nothing here is a guarantee; it only reports, and floats are only shown;
- a formula without a value says why, and a question without a naive formula gets None.
"""

from dataclasses import dataclass

from ..errors import InputError
from .inputs import loss
from .laws.law import Answer, Known, NoiseLaw
from .naive_formulas import short


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
        found = find(law, answer, known)
    except InputError as error:
        is_zero = known.get("epsilon") is not None and loss(known["epsilon"]) == 0
        why = "it divides by epsilon, which is 0" if is_zero else error.why
        return Naive("the printed formula", None, why)
    return None if found is None else Naive(found[0], short(found[1]), found[2])
