"""How far one unit moves a number of one's own: stated by whoever asks, and proved by nobody.

What is stated is of the number that is counted: of one row whose cell is clamped to its bounds and
rounded to its step. Where the cell itself moves by at most s steps, so does the number: clamping
brings two numbers no further apart, and rounding, which commutes with whole shifts and never turns
an order around, keeps them within s rounded up. That holds as long as every row counts, in a group
that does not depend on its number: no filter, no derived group; joins need units of
many rows. Of several rows of one group the sum is counted;
then the statement is of that sum.

Rules of this module:
- a statement is marked wherever its number is: in the plan, ledger, release, report and `verify`;
- it is public, and never made of the data;
- a row is a number here and no unit: limits on the rows of a unit would take numbers away.

Decision 107.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from ..errors import InputError, as_given
from ..exact.number import Number, rational, text_of
from ..fix import leave_out, write
from ..schema import Bounds, Table
from .ask import Ask
from .statistic import Statistic

STATED = "stated, not proved by discreet"
_LONGEST = 200  # characters


@dataclass(frozen=True, slots=True)
class StatedSensitivity:
    """What whoever asks says of a number of their own.

    Attributes:
        sensitivity: how far one unit moves it at most, in the measure of its column.
        protects: what one unit is, in words.
    """

    sensitivity: Fraction
    protects: str

    def steps(self, bounds: Bounds) -> int:
        """Return the sensitivity in whole steps of the column, rounded up."""
        return ceil(self.sensitivity / bounds.step)

    def plain(self) -> dict[str, object]:
        """Return the statement as plain data."""
        return {"sensitivity": text_of(self.sensitivity), "protects": self.protects}

    def claim(self, label: str, neighbors: str) -> str:
        """Return what is stated, as a clause."""
        another = " in place of another" if neighbors == "replace" else ""
        most = text_of(self.sensitivity)
        return f"that {self.protects}{another} moves each number of {label} by at most {most}"

    def words(self, label: str, neighbors: str) -> str:
        """Return the sentence that marks its numbers."""
        claim = self.claim(label, neighbors)
        return (
            f"{claim[0].upper()}{claim[1:]} is {STATED}: if it moves one further, less is "
            f"protected than is said. In what is said of {label}, a row or unit is {self.protects}."
        )


def statement_of(sensitivity: Number, protects: object) -> StatedSensitivity:
    """Return what somebody states, or raise InputError."""
    amount = rational(sensitivity, "sensitivity")
    if amount <= 0:
        raise InputError(
            f"sensitivity = {as_given(sensitivity, bare=True)} must be above 0.",
            kind="stated-wrong",
            why="it says how far one unit moves the number; what nobody moves needs no noise",
            fix="say in sensitivity how far one unit moves the number at most",
        )
    words = protects.strip() if isinstance(protects, str) else ""
    if not words or len(words) > _LONGEST or not words.isprintable():
        raise InputError(
            f"protects = {as_given(protects)} does not say who is protected.",
            kind="stated-wrong",
            why="a stated sensitivity is of one unit, which stands in no declaration: the plan and "
            "the release name it in these words",
            fix=write(protects="one person with all their rows"),
        )
    return StatedSensitivity(amount, words)


def check_own(table: Table, ask: Ask, label: str) -> None:
    """Refuse a statement on a table whose rows are limited, or whose keys are found."""
    if table.unit.column is not None:
        raise InputError(
            f"{label} needs a table whose unit is a row.",
            kind="stated-wrong",
            why="how many rows of a unit count is limited by chance, and a number of your own has "
            "one row: limits would take it away",
            fix=write(", in a table that holds your own numbers alone", of="table", unit="row"),
        )
    made = any(column in table.derived for column in ask.by)
    if ask.where is not None or table.condition is not None or made:
        raise InputError(
            f"{label} takes no filter and no derived groups.",
            kind="stated-wrong",
            why="a number that moves a little can pass a condition or change its group, and then "
            "what is counted moves by all of it",
            fix="ask of a table that has a row for each number, and its key, as it is",
        )
    if any(column in table.unknown for column in ask.by):
        raise InputError(
            f"{label} groups by keys that nobody knows.",
            kind="keys-unknown-here",
            why="keys are found among the rows of many units, and each number of your own has one",
            fix=leave_out("by"),
            at="by",
        )


def statement_in(question: Statistic) -> StatedSensitivity | None:
    """Return what is stated of a question's numbers; None where all is proved."""
    if "sensitivity" not in question.plain():
        return None
    statement: StatedSensitivity = getattr(question, "statement")  # noqa: B009 - of two kinds
    return statement


def stated_labels(questions: Sequence[Statistic]) -> list[str]:
    """Return the names of the questions of whose numbers something is stated."""
    return [question.label for question in questions if statement_in(question) is not None]
