"""What may be said of one row: a small language, read into a tree of our own; no data, no engine.

A filter or a derived column maps a row to a row, or to none, and looks at that row alone. So the
rows of a unit stay that unit's own, and every sensitivity proved for a table holds for what is left
of it.
"""

from .beside import settled
from .contradictions import contradicted
from .expression import Expression, Formula, expression, text_of
from .kinds import Kind, KnownNames, Piece, Typed
from .logarithms import series
from .typing import typed

__all__ = [
    "Expression",
    "Formula",
    "Kind",
    "KnownNames",
    "Piece",
    "Typed",
    "contradicted",
    "expression",
    "series",
    "settled",
    "text_of",
    "typed",
]
