"""What a caller says is publicly known of counts, and the nearest numbers that agree with it.

Rules of this module:
- a fact is checked where it is stated; what cannot hold is refused there;
- counts are whole numbers: that is known of all of them, and not stated.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from ..errors import InputError, as_given, shown
from ..exact.number import Number, rational, text_of
from ..fix import write
from ..post.denoise.known_facts import at_least, monotone, whole, with_total
from ..post.denoise.noise import Vector

FACTS = ("nonnegative", "rising", "falling")


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
        facts = [*sorted(self.known), *totals]
        return [f"Publicly known, as stated: {'; '.join(facts)}."] if facts else []

    def change(self, label: str) -> bool:
        """Tell whether they say anything of a statistic."""
        return bool(self.known) or label in self.totals

    def applied(self, label: str, values: Vector, *, line: bool = False) -> Vector:
        """Return the nearest whole numbers that agree with the facts.

        Rising and falling are said of statistics that are one list in order: `line`.
        """
        for way in ("rising", "falling"):
            if line and way in self.known:
                values = monotone(values, way)
        least = 0.0 if "nonnegative" in self.known else None
        total = self.totals.get(label)
        if total is not None:
            values = with_total(values, float(total), least=least)
        elif least is not None:
            values = at_least(values, least)
        return whole(values, None if total is None else int(total))


def _check_kinds(known: object, totals: object) -> None:
    names = [known] if isinstance(known, str) else known
    listed = isinstance(names, (list, tuple, set, frozenset))
    if not listed or not all(isinstance(name, str) for name in names):  # type: ignore[attr-defined]
        raise InputError(
            f"known = {as_given(known)} is not a list of facts.",
            kind="known-facts",
            why=f"what can be known of counts is {' or '.join(FACTS)}",
            fix=write(known=["nonnegative"]),
        )
    if not isinstance(totals, Mapping) or not all(isinstance(label, str) for label in totals):
        raise InputError(
            f"totals = {as_given(totals)} is not a dict of totals.",
            kind="known-facts",
            why="a total belongs to a statistic, by its name",
            fix=write(totals={"count by ward": 1000}),
        )


def facts_of(known: str | Iterable[str], totals: Mapping[str, Number]) -> Facts:
    """Return the facts that a caller states.

    Raises:
        InputError: a fact that is not known here, or a total that is no number.
    """
    _check_kinds(known, totals)
    names = frozenset([known] if isinstance(known, str) else known)
    for name in sorted(names - set(FACTS)):
        raise InputError(
            f"there is no fact {shown(name)!r}.",
            kind="known-facts",
            why=f"what can be known of counts is {' or '.join(FACTS)}, and their total; they are "
            "whole numbers anyway",
            fix=write(known=["nonnegative"]),
        )
    sums = {
        label: rational(total, f"the total of {shown(label)}") for label, total in totals.items()
    }
    for label, total in sums.items():
        if total.denominator != 1 or total < 0:
            fault = "below 0" if total < 0 else "not whole"
            raise InputError(
                f"counts cannot have the total {text_of(total)}.",
                kind="known-facts",
                why=f"the total of {shown(label)} is {fault}",
                fix="write the total of the counts as a whole number",
            )
    return Facts(names, sums)
