"""Whether two sets of answers are the same, up to how processors round.

Rules of this module:
- integers, text and shape must be equal; a double may differ by a billionth, because libraries
  take e^x and square roots with other last digits on other processors.
"""

from collections.abc import Sequence
from math import isclose

from .document import Released

_ROUNDING = 1e-9


def same_answers(stated: Sequence[Released], derived: Sequence[Released]) -> bool:
    """Tell whether answers that a release states are those that were derived from its integers."""
    return len(stated) == len(derived) and all(
        _alike(one.model_dump(), other.model_dump())
        for one, other in zip(stated, derived, strict=True)
    )


def _alike(one: object, other: object) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=_ROUNDING, abs_tol=_ROUNDING)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_alike(one[name], other[name]) for name in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_alike, one, other))
    return one == other
