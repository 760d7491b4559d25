"""What a caller says is publicly known of counts, and the nearest numbers that agree with it.

Rules of this module:
- a fact is checked where it is stated; what cannot hold is refused there.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from ..errors import InputError, shown
from ..exact.number import Number, rational, text_of
from ..post.denoise.known_facts import at_least, whole, with_total
from ..post.denoise.noise import Vector

FACTS = ("nonnegative", "whole")


@dataclass(frozen=True, slots=True)
class Facts:
    """What is publicly known of the counts.

    Attributes:
        known: which of FACTS.
        totals: the sum of a statistic's numbers, by its label.
    """

    known: frozenset[str]
    totals: Mapping[str, Fraction]

    def words(self) -> list[str]:
        """Return what is known, as sentences."""
        totals = [f"{label} adds up to {text_of(total)}" for label, total in self.totals.items()]
        said = [*sorted(self.known), *totals]
        rounded = " Rounding may add up to 1/2 to an error." if "whole" in self.known else ""
        return [f"Publicly known, as stated: {'; '.join(said)}.{rounded}"] if said else []

    def change(self, label: str) -> bool:
        """Tell whether they say anything of a statistic."""
        return bool(self.known) or label in self.totals

    def applied(self, label: str, values: Vector) -> Vector:
        """Return the nearest numbers that agree with the facts."""
        least = 0.0 if "nonnegative" in self.known else None
        total = self.totals.get(label)
        if total is not None:
            values = with_total(values, float(total), least=least)
        elif least is not None:
            values = at_least(values, least)
        if "whole" not in self.known:
            return values
        return whole(values, None if total is None else int(total))


def facts_of(known: str | Iterable[str], totals: Mapping[str, Number]) -> Facts:
    """Return the facts that a caller states.

    Raises:
        InputError: a fact that is not known here, or a total that is no number.
    """
    names = frozenset([known] if isinstance(known, str) else known)
    for name in sorted(names - set(FACTS), key=str):
        raise InputError(
            f"there is no fact {shown(name)!r}.",
            why=f"what can be known of counts is {' or '.join(FACTS)}, and their total",
            fix='write known=["nonnegative"], or known=["whole"]',
        )
    found = {
        label: rational(total, f"the total of {shown(label)}") for label, total in totals.items()
    }
    for label, total in found.items():
        if "whole" in names and total.denominator != 1:
            raise InputError(
                f"whole numbers cannot have the total {text_of(total)}.",
                why=f"the total of {shown(label)} is not whole",
                fix='leave "whole" away, or check the total',
            )
    return Facts(names, found)
