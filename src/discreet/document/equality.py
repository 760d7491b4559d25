"""Whether two sets of answers are the same, up to how processors round.

Rules of this module:
- integers, text and shape must be equal; a double may differ by a billionth, because libraries
  take e^x and square roots with other last digits on other processors.
"""

from collections.abc import Sequence
from math import isclose

from .document import Released, canonical
from .rows import Column

_ROUNDING = 1e-9


def same_answers(stated: Sequence[Released], derived: Sequence[Released]) -> bool:
    """Tell whether answers that a release states are those that were derived from its integers."""
    return len(stated) == len(derived) and all(map(_same, stated, derived))


def _same(one: Released, other: Released) -> bool:
    stated, derived = one.answer, other.answer
    mine, theirs = stated.rows.columns, derived.rows.columns
    return (
        (one.label, one.vectors) == (other.label, other.vectors)
        and canonical(one.question) == canonical(other.question)
        and (stated.axes, stated.measure) == (derived.axes, derived.measure)
        and (stated.columns, stated.adds_up) == (derived.columns, derived.adds_up)
        and _alike([stated.rows_within], [derived.rows_within])
        and len(mine) == len(theirs)
        and all(map(_alike, mine, theirs))
    )


def _alike(one: Column, other: Column) -> bool:
    """Tell whether two columns hold the same cells: 1 is neither 1.0 nor True."""
    if list(map(type, one)) != list(map(type, other)):
        return False
    return one == other or all(
        isclose(a, b, rel_tol=_ROUNDING, abs_tol=_ROUNDING) if isinstance(a, float) else a == b
        for a, b in zip(one, other, strict=True)
    )
