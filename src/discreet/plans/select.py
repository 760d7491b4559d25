"""Reads one SELECT word by word, and refuses what stands where it must not.

Rules of this module:
- the grammar is that of expressions, and more of the same kind: what it does not name cannot be
  written.
"""

from ..errors import InputError, shown
from ..expressions.literals import unquoted
from ..expressions.parser import RESERVED, Parser
from ..expressions.refusals import refused
from ..expressions.tokens import Token
from ..fix import Do

_VERBS = ("leave", "ask", "see", "write", "add", "join", "reckon", "derive")
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
        here = self.here
        there = "the end" if here.kind == "end" else shown(here.text, 30)
        fix = "write what is missing at the mark"
        if here.kind != "end":
            fix = _INSTEAD.get(here.text.upper(), "write the marked place in another way")
        return refused(
            self.text,
            here.start,
            here.end,
            f"{wanted} belongs here, not {there}.",
            why="it is SELECT ... FROM ... WHERE ... GROUP BY, of expressions over a row",
            fix=fix,
        )

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
