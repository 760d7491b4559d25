"""Reads one SELECT word by word, and refuses what stands where it must not.

Rules of this module:
- the grammar is that of expressions, and more of the same kind: what it does not name cannot be
  written.
"""

from collections.abc import Sequence

from ..errors import InputError
from ..expressions.literals import unquoted
from ..expressions.parser import RESERVED, Parser, misplaced
from ..expressions.refusals import refused
from ..expressions.tokens import Token
from ..fix import Do

_VERBS = ("leave", "ask", "see", "write", "add", "join", "reckon", "derive")
_WHY = "it is SELECT ... FROM ... WHERE ... GROUP BY, of expressions over a row"
_INSTEAD = {  # what stands where it cannot, and what to do about it
    **dict.fromkeys(
        ("+", "-", "*", "/"), "ask for the number alone, and reckon with what is released"
    ),
    "SETS": "write CUBE or ROLLUP, or one SELECT for each grouping",
    "WITH": "ask of the table itself, with WHERE: there are no sub-queries",
    "SELECT": "ask of the table itself, with WHERE: there are no sub-queries",
}


class SelectReader(Parser):
    """Reads words, expressions among them, and says of a misplaced one what a SELECT is."""

    def wrong(self, wanted: str) -> InputError:
        """Return the error for what stands here."""
        here, before = self.here, self.tokens[max(self.place - 1, 0)]
        if here.says("*", ")") and before.says("("):
            fix = "write COUNT(*), or a column with public bounds between ( and )"
            return self.refused(here, "no column is named.", _WHY, fix)
        instead = None if here.kind == "end" else _INSTEAD.get(here.text.upper())
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
        names = [one.text for one in asked if isinstance(one, Token)]
        if here.kind == "number" and here.text.isdecimal() and 0 < int(here.text) <= len(asked):
            one = asked[int(here.text) - 1]
            names = [one.text] if isinstance(one, Token) else []
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
        return refused(self.text, token.start, token.end, what, why=why, fix=fix)


def said(token: Token) -> str:
    """Return the name that a token says."""
    return unquoted(token.text) if token.kind == "quoted" else token.text
