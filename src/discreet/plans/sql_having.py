"""HAVING of a SELECT: from which number on a group is shown, which is a rule of publication.

Rules of this module:
- SQL compares true numbers; here a rule looks at noisy ones, of each number alone, and the plan
  says so;
- it is taken where one rule says it of all that is selected: a count from a number on, and means
  of the same rows, which are shown by how many noisy rows they have;
- LIMIT behind it and ORDER BY is `most`: the largest of those that are shown.

Decisions 99, 101, 117.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..errors import InputError
from ..exact.number import text_of
from ..expressions.tokens import Token
from ..fix import Do, call
from ..schema import Table
from ..statistic.catalog import statistic_of
from ..statistic.statistic import Telling
from .sql_aggregates import Asked, Asking, asks
from .sql_reader import SelectReader, name_said

Rule = dict[str, Any]
Items = Sequence[tuple[Asked | Token, str | None]]
NOTE = (
    "HAVING is a rule of publication: it looks at noisy numbers, at each by itself, where SQL "
    "looks at true ones."
)
_WHOLE = ("count", "whole")  # what a rule looks at is a whole number
_TURNED = {">=": "<=", ">": "<", "<=": ">=", "<": ">"}
_LATER = "choose among the released numbers: they are public"


class Having:
    """Reads HAVING, and what LIMIT behind it means."""

    def __init__(self, reader: SelectReader, table: Table, items: Items) -> None:
        self._reader = reader
        self._table = table
        self._items = items
        self._number: Asked | None = None
        self._rule: Rule = {}

    def read(self) -> Rule:
        """Read it, and return the rule of all that is selected, as a plan file has it."""
        reader = self._reader
        start = reader.need("HAVING")
        first, sign = self._side(), reader.here.text
        second = self._side() if reader.take(*_TURNED) else None
        number, other = (second, first) if isinstance(first, Fraction) else (first, second)
        turned = _TURNED.get(sign, "") if isinstance(first, Fraction) else sign
        if reader.here.says("AND", "OR") or not (
            isinstance(number, Asked) and isinstance(other, Fraction) and turned in (">=", ">")
        ):
            raise self._refused(
                start, "a rule shows what is large, or what many rows stand behind",
                "HAVING COUNT(*) >= 10, or leave it out, and " + _LATER,
            )  # fmt: skip
        self._number, self._rule = number, {"at_least": self._least(start, number, other, turned)}
        self._check(start, number)
        reader.notes[NOTE] = None
        return self._rule

    def limited(self, first: Asked, *, is_down: bool) -> bool:
        """Read LIMIT behind an order, where it is the largest of what is shown; else say no."""
        reader, number = self._reader, self._number
        count = reader.tokens[reader.place + 1]
        is_rule = number is not None and is_down and self._is_same(first, number)
        if not (is_rule and len(self._asked) == 1 and reader.here.says("LIMIT")):
            return False
        if not _telling(first).sparse:
            return False
        if not count.text.isdecimal() or not int(count.text):
            return False
        reader.place += 2
        self._rule["most"] = int(count.text)
        return True

    @property
    def _asked(self) -> list[Asked]:
        return [entry for entry, _ in self._items if isinstance(entry, Asked)]

    def _side(self) -> Asked | Fraction:
        """Read a number that is typed, or one that is asked for, also by its name."""
        reader, token = self._reader, self._reader.here
        if token.kind == "number":
            reader.place += 1
            return Fraction(token.text)
        if token.kind == "word" and asks(token.text.upper()) and reader.next_says("("):
            return Asking(reader, self._table).read()
        for entry, alias in self._items:
            is_named = reader.is_name() and alias == name_said(token)
            if alias is not None and is_named and isinstance(entry, Asked):
                reader.place += 1
                return entry
        raise self._refused(
            token, "it compares a number that is selected with one that is typed",
            "HAVING COUNT(*) >= 10; a condition of rows stands in WHERE",
        )  # fmt: skip

    def _least(self, start: Token, number: Asked, typed: Fraction, sign: str) -> str:
        """Return the least number that is shown."""
        if sign == ">" and _telling(number).rule in _WHOLE:
            typed = Fraction(typed // 1 + 1)
        elif sign == ">" and _telling(number).rule == "value":
            raise self._refused(
                start, "a rule shows numbers from a threshold on, which is one of them",
                f"HAVING {self._said(number)} >= {text_of(typed)}",
            )  # fmt: skip
        if typed <= 0:
            raise self._refused(start, "every group has that", "leave HAVING out")
        return text_of(typed)

    def _check(self, start: Token, number: Asked) -> None:
        """Refuse a rule that would not say the same of all numbers that are selected."""
        if _telling(number).rule not in (*_WHOLE, "value"):
            raise self._refused(
                start, "a mean, and its like, is shown by how many noisy rows stand behind it",
                "HAVING COUNT(*) >= 10, or leave it out, and " + _LATER,
            )  # fmt: skip
        where = number.options.get("where")
        counts_rows = number.statistic == "count" and "distinct" not in number.options
        for other in self._asked:
            is_of_rows = _telling(other).rule == "rows" and other.options.get("where") == where
            if not self._is_same(other, number) and not (counts_rows and is_of_rows):
                publish = call("discreet.publish", at_least=int(Fraction(self._rule["at_least"])))
                raise self._reader.refused(
                    start, f"it would show {self._said(other)} by another number.", "a rule looks "
                    "at one number alone, and at the noise of no other",
                    Do(publish, "as the publish of each question; or ask in two texts"),
                )  # fmt: skip

    def _is_same(self, number: Asked, other: Asked) -> bool:
        return (number.statistic, number.options) == (other.statistic, other.options)

    def _said(self, number: Asked) -> str:
        return self._reader.text[number.start : number.end]

    def _refused(self, token: Token, why: str, fix: str) -> InputError:
        return self._reader.refused(token, "this is no rule of publication.", why, fix)


def _telling(number: Asked) -> Telling:
    """Return what a statistic says of itself: what a rule looks at, among others."""
    return statistic_of({"statistic": number.statistic, **number.options}).telling()
