"""Reads one SELECT word by word, and refuses what stands where it must not.

Rules of this module:
- the grammar is that of expressions, and more of the same kind: what it does not name cannot be
  written;
- a column is what the table that FROM names calls so: the scope says which, and the part that a
  sub-query makes of a row stands in the place of its name.

Decisions 22, 95.
"""

from collections.abc import Sequence
from typing import Protocol

from ..errors import InputError
from ..expressions import Piece
from ..expressions.kinds import OF_DAYS
from ..expressions.literals import unquoted
from ..expressions.misplaced import misplaced
from ..expressions.parser import RESERVED, Parser
from ..expressions.refusals import refused
from ..expressions.tokens import Token
from ..fix import Do
from .sql_public import MadeColumns

_VERBS = ("leave", "ask", "see", "write", "add", "join", "reckon", "derive", "declare", "name")
_WHY = "it is SELECT ... FROM ... WHERE ... GROUP BY, of expressions over a row"
_INSTEAD_OF_CLAUSE = {  # what stands where it cannot, and what to do about it
    **dict.fromkeys(
        ("+", "-", "*", "/", "::"), "ask for the number alone, and reckon with what is released"
    ),
    "INTO": "leave it and the name out: a release is saved by discreet sql --release",
    "WITH": "ask of the table itself, with WHERE: there are no sub-queries",
    "SELECT": "ask of the table itself, with WHERE: there are no sub-queries",
}


class Scope(Protocol):
    """What the names of columns stand for where they are written."""

    @property
    def names(self) -> frozenset[str]:
        """The tables that stand before a point."""

    def column(self, reader: "SelectReader", name: str, of: str | None) -> Piece | None:
        """Return the part that a name stands for; None where it is a column of that name."""


class SelectReader(Parser):
    """Reads words, expressions among them, and says of a misplaced one what a SELECT is.

    `scope` is that of the SELECT which is read; `notes` are what a plan says of the text; `made`
    are the columns that are made of each row, because what is public of them follows.
    """

    scope: Scope | None = None
    notes: dict[str, None]  # in their order, each once
    made: MadeColumns

    def __init__(self, text: str, words: Sequence[Token]) -> None:
        super().__init__(text, words)
        self.notes = {}

    def part(self, op: str, args: Sequence[Piece], start: int, value: str = "") -> Piece:
        """Return a part that ends here; of a column what its name stands for."""
        if op != "column" or self.scope is None or self._names_table(value):
            return super().part(op, args, start, value)
        before = self.tokens[max(self.place - 3, 0) : self.place - 1]
        is_dotted = len(before) == 2 and before[1].says(".") and before[0].start == start
        made = self.scope.column(self, value, name_said(before[0]) if is_dotted else None)
        if made is None:
            return super().part(op, args, start, value)
        self.parts += _size(made) - 1
        return super().part(made.op, made.args, start, made.value)

    def _names_table(self, value: str) -> bool:
        """Say whether a name that was just read is a table's, with its column behind a point."""
        names = frozenset[str]() if self.scope is None else self.scope.names
        return self.here.says(".") and value in names and not self.is_call(self.place + 1)

    def _is_qualifier(self, part: Piece) -> bool:
        """Say whether what stands before a point is a table; refuse one that FROM does not name."""
        before = self.tokens[self.place - 2]
        names = frozenset[str]() if self.scope is None else self.scope.names
        if before.kind == "quoted" and part.op == "column" and part.value in names:
            return self.here.kind in ("word", "quoted") and not self.is_call(self.place)
        is_table = super()._is_qualifier(part)
        if is_table and self.scope is not None and part.value not in names:
            raise self.refused(
                before, "FROM names no table that is called so.", "a name before a point is that "
                "of a table, or its second one", self._instead_of(before, min(names)),
            )  # fmt: skip
        return is_table

    def _instead_of(self, before: Token, table: str) -> str:
        behind = self.here.text
        is_of_day = behind.lower() in OF_DAYS
        of_day = f"{behind.lower()}({before.text}) of a day, or " if is_of_day else ""
        return f"{of_day}{table}.{behind}"

    def behind(self, before: Piece, start: int) -> Piece:  # noqa: ARG002
        """Read the column of a table: FROM names all of them."""
        return self.part("column", [], start, self.spelled())

    def wrong(self, wanted: str) -> InputError:
        """Return the error for what stands here."""
        here, before = self.here, self.tokens[max(self.place - 1, 0)]
        if here.says("*", ")") and before.says("("):
            fix = "write COUNT(*), or a column with public bounds between ( and )"
            return self.refused(here, "no column is named.", _WHY, fix)
        instead = None if here.kind == "end" else _INSTEAD_OF_CLAUSE.get(here.text.upper())
        if instead is None:
            return misplaced(self.text, self.tokens, self.place, wanted, why=_WHY)
        what = f"{wanted} belongs here, not {here.text}."
        return self.refused(here, what, _WHY, instead)

    def nothing_asked(self, called: str) -> InputError:
        """Return the error for a text that asks for no number of the table that is called so."""
        return self.refused(
            self.here, "nothing is asked for here.", _WHY, f"SELECT COUNT(*) {called}"
        )

    def no_table(self, called: str) -> InputError:
        """Return the error for a text that names no table where it should."""
        here, before = self.here, self.tokens[self.place - 1]
        if here.says("("):
            what, fix = (
                "a comma is missing before this number.",
                f"write a comma before {before.text}",
            )
            return self.refused(before, what, _WHY, fix)
        if here.kind != "end" and not here.says("WHERE", "GROUP", "ORDER", "HAVING", "LIMIT"):
            return self.wrong("FROM")
        where = "" if here.kind == "end" else f" before {here.text}"
        return self.refused(here, "no table is named.", _WHY, f"{called}{where}")

    def no_group(self, asked: Sequence[object]) -> InputError:
        """Return the error for what is no column to group by, with those that are shown."""
        here = self.here
        names = [entry.text for entry in asked if isinstance(entry, Token)]
        if here.kind == "number" and here.text.isdecimal() and 0 < int(here.text) <= len(asked):
            entry = asked[int(here.text) - 1]
            names = [entry.text] if isinstance(entry, Token) else []
        return self.refused(
            here, "rows are grouped by columns with public keys.",
            "groups never come from the data",
            f"GROUP BY {', '.join(names)}" if names else "write the name of the column",
        )  # fmt: skip

    def next_says(self, *words: str) -> bool:
        """Tell whether the word or sign after the next one is one of these."""
        return self.tokens[min(self.place + 1, len(self.tokens) - 1)].says(*words)

    def is_name(self) -> bool:
        """Tell whether a name of a column or a table stands here."""
        here = self.here
        return here.kind == "quoted" or (here.kind == "word" and here.text.upper() not in RESERVED)

    def name(self) -> Token:
        """Return the name that stands here, and go on behind it."""
        if not self.is_name():
            raise self.wrong("a column or a number to ask for")
        self.place += 1
        return self.tokens[self.place - 1]

    def refused(self, token: Token, what: str, why: str, fix: str | Do) -> InputError:
        """Return the error for a word that is understood, and not asked."""
        if isinstance(fix, str) and not fix.startswith(_VERBS):
            fix = f"write {fix}"
        return refused(
            self.text, token.start, token.end, what, why=why, fix=fix, kind="not-a-select"
        )


def name_said(token: Token) -> str:
    """Return the name that a token says."""
    return unquoted(token.text) if token.kind == "quoted" else token.text


def _size(part: Piece) -> int:
    """Return how many parts a part has, itself among them."""
    return 1 + sum(map(_size, part.args))
