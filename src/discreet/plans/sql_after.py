"""What stands behind the groups of a SELECT: a rule, an order that is left out, what is refused.

Rules of this module:
- HAVING is a rule of publication, where one rule says it (`sql_having.py`);
- an order of groups that are all released is no part of a release: it is left out, and the plan
  says so; it must name what is released, so that the released numbers can be sorted by it;
- the first of them is a choice by numbers that are not protected yet: refused, with the question
  that chooses by protected ones where there is one.

Decisions 95, 117.
"""

from collections.abc import Sequence

from ..errors import InputError
from ..expressions import Piece, text_of
from ..expressions.parser import RESERVED
from ..expressions.tokens import Token
from ..fix import Do, call
from ..schema import Table
from .sql_aggregates import Asked, Asking, asks
from .sql_from import DRAWN
from .sql_groupings import Grouping
from .sql_having import Having, Rule
from .sql_reader import SelectReader, name_said

_BEFORE = "this has no place in a question."
_LATER = "it would look at numbers before they are protected, or at those of another question"
_FIRST = "ask without it, and show the first of the released numbers: they are public"
_WHAT_ELSE = {  # of what stands behind: what to do with the released numbers
    "LIMIT": _FIRST,
    "TOP": _FIRST,
    "FETCH": _FIRST,
    "OFFSET": "ask without it, and show some of the released numbers: they are public",
    "UNION": "write two texts, and hand the questions of both to one plan",
    "EXCEPT": "write a condition under WHERE",
    "INTERSECT": "write a condition under WHERE, with AND",
    "WINDOW": "ask for groups, with GROUP BY",
    "QUALIFY": "ask for groups, with GROUP BY",
}
AFTER = {word: (_BEFORE, _LATER, fix) for word, fix in _WHAT_ELSE.items()}
AFTER["TABLESAMPLE"] = (*DRAWN[:-1], DRAWN[-1].replace("it", "TABLESAMPLE"))
_CHOICE = "the first of several are chosen by numbers that are not protected yet"
_DROPPED = (
    "ORDER BY is left out: a release lists groups as their keys are declared. The released numbers "
    "are public, and can be sorted."
)
_Items = Sequence[tuple[Asked | Token, str | None]]


class After:
    """Reads what stands behind GROUP BY."""

    def __init__(self, reader: SelectReader, table: Table, groupings: Sequence[Grouping]) -> None:
        self._reader = reader
        self._table = table
        self._groupings = groupings

    def read(self, items: _Items) -> Rule | None:
        """Read it to the end of the text, and return the rule by which numbers are shown.

        Args:
            items: what is selected, each with the name that it is given.
        """
        reader, rule, having = self._reader, None, None
        first: tuple[Asked, bool] | None = None
        if reader.here.says("HAVING"):
            self._check_one_grouping()
            having = Having(reader, self._table, items)
            rule = having.read()
        if reader.take("ORDER"):
            reader.need("BY")
            first = self._order(items)
            while reader.take(","):
                self._order(items)
            if having and first and having.limited(first[0], is_down=first[1]):
                first = None
            else:
                reader.notes[_DROPPED] = None
        token = reader.here
        if token.kind == "end":
            return rule
        word = token.text.upper()
        if word in ("LIMIT", "FETCH") and first is not None:
            raise reader.refused(token, _BEFORE, _CHOICE, self._chosen(*first))
        if word in AFTER:
            raise reader.refused(token, *AFTER[word])
        raise reader.wrong("WHERE, GROUP BY, HAVING, ORDER BY or the end")

    def _check_one_grouping(self) -> None:
        """Refuse a rule of numbers that share their noise."""
        if len(self._groupings) > 1:
            raise self._reader.refused(
                self._reader.here, _BEFORE, "numbers of several groupings share their noise, and "
                "a hidden one follows from others", "ask for one grouping, or without HAVING",
            )  # fmt: skip

    def _order(self, items: _Items) -> tuple[Asked, bool] | None:
        """Read what groups are ordered by; return a number, and whether the largest is first."""
        reader, token = self._reader, self._reader.here
        asked = self._ordered_by(items)
        down = reader.take("ASC", "DESC")
        if reader.take("NULLS") and not reader.take("FIRST", "LAST"):
            raise reader.wrong("FIRST")
        if asked is None or isinstance(asked, Asked):
            return None if asked is None else (asked, down is not None and down.says("DESC"))
        raise self._not_shown(token, asked)

    def _ordered_by(self, items: _Items) -> Asked | str | None:
        """Return the number that is ordered by; None for a column that is shown, or else a name."""
        reader, token = self._reader, self._reader.here
        entries = [entry for entry, _ in items]
        if token.kind == "number":
            reader.place += 1
            is_place = token.text.isdecimal() and 0 < int(token.text) <= len(items)
            entry = entries[int(token.text) - 1] if is_place else token
            return entry if isinstance(entry, Asked) else None if is_place else token.text
        if token.kind == "word" and asks(token.text.upper()) and reader.next_says("("):
            number = Asking(reader, self._table).read()
            same = (number.statistic, number.options)
            is_shown = any(
                isinstance(entry, Asked) and (entry.statistic, entry.options) == same
                for entry in entries
            )
            return number if is_shown else reader.text[number.start : number.end]
        for entry, alias in items:
            if alias is not None and reader.is_name() and alias == name_said(token):
                reader.place += 1
                return entry if isinstance(entry, Asked) else None
        return self._column(reader.whole())

    def _column(self, part: Piece) -> str | None:
        """Return nothing for a column that is grouped by, and else its name."""
        made = self._table.derived.items()
        text = text_of(part, RESERVED)
        name = part.value if part.op == "column" else ""
        names = {name, *(n for n, formula in made if formula.expression.text == text)}
        is_grouped = any(names & {*columns} for columns in self._groupings)
        return None if is_grouped else text

    def _not_shown(self, token: Token, name: str) -> InputError:
        return self._reader.refused(
            token, "groups are ordered by what is released.", f"{name} is no number that is "
            "selected, and no column that is grouped by",
            "leave ORDER BY out, or add it to what is selected",
        )  # fmt: skip

    def _chosen(self, asked: Asked, is_down: bool) -> str | Do:  # noqa: FBT001 - of a pair
        """Return the question that chooses the first, where there is one; or what else to do."""
        count = self._reader.tokens[self._reader.place + 1]
        is_first = self._reader.here.says("LIMIT") and count.text.isdecimal()
        rows = {n: asked.options[n] for n in ("where",) if n in asked.options}
        most = {"most": asked.options["column"]} if asked.statistic == "sum" else {}
        can_choose = asked.statistic == "count" or isinstance(most.get("most"), str)
        if not (is_down and is_first and can_choose) or len(self._groupings) != 1:
            return _FIRST
        (by,) = self._groupings
        if not by:
            return "leave LIMIT out: there is one number"
        columns = by[0] if len(by) == 1 else [*by]
        number = int(count.text)
        name = "discreet.choose" if number == 1 else "discreet.top_k"
        many = {} if number == 1 else {"k": number}
        chosen = call(name, columns, **many, **most, **rows)
        note = "for the keys alone; or leave LIMIT out: released numbers can be sorted"
        if asked.statistic == "count":
            text = self._reader.text[asked.start : asked.end]
            note += f"; or HAVING {text} >= 100 before ORDER BY, for large counts, the largest ones"
        return Do(chosen, note)
