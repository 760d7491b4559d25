"""What is publicly known of the columns that an expression may name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from .kinds import Kind


@dataclass(frozen=True, slots=True)
class KnownNames:
    """What is publicly known of the columns that an expression may name.

    Attributes:
        derived: the types of the derived columns.
        hints: what a column is read as where its place does not say so.
        bounds: the lower and the upper bound of columns, and their step.
        texts: the public values of columns, where they are text.
        numbers: the public values of columns, where they are numbers or truth values.
        ways: of columns whose public values cells say in several ways, of each the name and these.
    """

    derived: Mapping[str, Kind] = field(default_factory=dict)
    hints: Mapping[str, Kind] = field(default_factory=dict)
    bounds: Mapping[str, tuple[Fraction, Fraction, Fraction]] = field(default_factory=dict)
    texts: Mapping[str, frozenset[str]] = field(default_factory=dict)
    numbers: Mapping[str, Sequence[object]] = field(default_factory=dict)
    ways: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
