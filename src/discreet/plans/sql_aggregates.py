"""What a SELECT asks of a column: COUNT(*), SUM(income), each with its FILTER.

Reads one SELECT word by word, and refuses what stands where it must not.

Rules of this module:
- what other systems answer and a release cannot is known by name, with what to write instead;
- the grammar is that of expressions, and more of the same kind: what it does not name cannot be
  written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import InputError
from ..expressions import Piece, text_of
from ..expressions.kinds import FUNCTIONS
from ..expressions.literals import unquoted
from ..expressions.misplaced import misplaced
from ..expressions.parser import RESERVED, Parser
from ..expressions.refusals import refused
from ..expressions.tokens import Token
from ..fix import BLANK, Do, call
from ..schema import Table
from ..statistic.catalog import LISTED

_VERBS = ("leave", "ask", "see", "write", "add", "join", "reckon", "derive")
_WHY = "it is SELECT ... FROM ... WHERE ... GROUP BY, of expressions over a row"
_INSTEAD_OF_CLAUSE = {  # what stands where it cannot, and what to do about it
    **dict.fromkeys(
        ("+", "-", "*", "/"), "ask for the number alone, and reckon with what is released"
    ),
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
        return refused(self.text, token.start, token.end, what, why=why, fix=fix)


def said(token: Token) -> str:
    """Return the name that a token says."""
    return unquoted(token.text) if token.kind == "quoted" else token.text


_OF_COLUMNS = {
    function.name: (entry.name, function) for entry in LISTED.values() for function in entry.sql
}
_ORDER = (
    *("SUM", "AVG", "VAR_POP", "STDDEV_POP", "VAR_SAMP", "VARIANCE", "STDDEV_SAMP", "STDDEV"),
    *("MEDIAN", "QUANTILE_CONT", "COVAR_POP", "COVAR_SAMP", "CORR", "REGR_SLOPE"),
)  # in which they are named; others follow
ASKED = ("COUNT", *sorted(_OF_COLUMNS, key=lambda name: [*_ORDER, name].index(name)))
_EXTREME = "that value is one person's; to hide it takes noise as wide as the bounds"
_INSTEAD = {  # of what is refused: why, and what to write
    "MAX": (_EXTREME, "QUANTILE_CONT({0}, 0.99)"),
    "MIN": (_EXTREME, "QUANTILE_CONT({0}, 0.01)"),
    "MEAN": ("SQL calls it AVG", "AVG({0})"),
    "PERCENTILE_CONT": ("it is written with the column first", "QUANTILE_CONT(x, 0.5)"),
    "QUANTILE": ("a share below lies between two rows", "QUANTILE_CONT({0}, 0.5)"),
    "APPROX_QUANTILE": ("a share below lies between two rows", "QUANTILE_CONT({0}, 0.5)"),
    "PERCENTILE_DISC": ("it is written with the column first", "QUANTILE_CONT(x, 0.5)"),
    "APPROX_COUNT_DISTINCT": ("only units are told apart", "COUNT(DISTINCT ...) of the unit"),
    **dict.fromkeys(
        ("COUNT_IF", "COUNTIF"),
        ("a condition stands in FILTER", "COUNT(*) FILTER (WHERE {0} ...)"),
    ),
    "SUM_IF": ("a condition stands in FILTER", "SUM({0}) FILTER (WHERE ...)"),
    **dict.fromkeys(
        ("MODE", "ANY_VALUE", "FIRST", "LAST", "STRING_AGG", "LISTAGG", "ARRAY_AGG", "LIST"),
        ("it would give a cell of the data", "COUNT(*), with GROUP BY {0}: how many have which"),
    ),
    **dict.fromkeys(
        ("ROW_NUMBER", "RANK", "DENSE_RANK", "NTILE", "LAG", "LEAD", "FIRST_VALUE", "LAST_VALUE"),
        ("a window looks at rows of others", "COUNT(*), with GROUP BY for groups"),
    ),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A number that is asked for: the statistic, its options, and the rows that count for it."""

    statistic: str
    options: Mapping[str, Any]
    start: int
    end: int


class Asking:
    """Reads what is asked of the columns of a table."""

    def __init__(self, reader: SelectReader, table: Table) -> None:
        self._reader = reader
        self._table = table

    def read(self) -> Asked:
        """Read what is asked of a column: SUM(income), with its FILTER."""
        reader = self._reader
        token = reader.here
        word = token.text.upper()
        reader.place += 2
        if word == "COUNT":
            statistic, options = self._count(token)
        elif word in _OF_COLUMNS:
            statistic, options = self._of_columns(word, token)
        else:
            raise self._unknown(token)
        if reader.here.says("OVER", "WITHIN"):
            raise self._reader.refused(
                reader.here, "a window looks at rows of others.", "one row could then move "
                "everybody's answer", "ask for groups, with GROUP BY",
            )  # fmt: skip
        if reader.take("FILTER"):
            reader.need("(")
            reader.need("WHERE")
            options["where"] = text_of(reader.whole(), RESERVED)
            reader.need(")")
        return Asked(statistic, options, token.start, reader.tokens[reader.place - 1].end)

    def _count(self, token: Token) -> tuple[str, dict[str, Any]]:
        reader, unit = self._reader, self._table.unit.column
        if reader.take("*"):
            reader.need(")")
            return "count", {}
        if reader.take("DISTINCT"):
            part = reader.whole()
            reader.need(")")
            if part.op == "column" and part.value == unit:
                return "count_units", {}
            name = part.value if part.op == "column" else self._derived(part)
            if name in self._table.keys and name not in self._table.unknown:
                return "count", {"distinct": name}
            raise self._reader.refused(
                token,
                "only units are told apart, and keys that are listed.",
                "how many different values there are is what one person's rare value changes",
                "COUNT(*)" if unit is None else f"COUNT(DISTINCT {unit})",
            )
        part = reader.whole()
        text = text_of(part, RESERVED)
        fix = f"COUNT(*) FILTER (WHERE {text} IS NOT NULL)"
        if not part.args and part.op != "column":
            fix = "COUNT(*)"
        if part.op == "case" and len(part.args) == 2:
            fix = _filtered(part)
        if part.op == "column" and part.value == unit:
            fix = f"COUNT(*) for rows, or COUNT(DISTINCT {text}) for units"
        raise self._reader.refused(
            token, "a count is of rows.", "COUNT of a column leaves rows out without saying so", fix
        )

    def _of_columns(self, word: str, token: Token) -> tuple[str, dict[str, Any]]:
        reader = self._reader
        if reader.here.says("DISTINCT", "ALL"):
            raise self._reader.refused(
                reader.here, "all rows count.", "who has which values would decide for others",
                f"leave {reader.here.text} out",
            )  # fmt: skip
        args = [reader.whole()]
        while reader.take(","):
            args.append(reader.whole())
        reader.need(")")
        statistic, function = _OF_COLUMNS[word]
        if len(args) != len(function.takes):
            many = "one column" if len(function.takes) == 1 else "two arguments"
            raise self._reader.refused(
                token, f"it takes {many}.", f"{len(args)} were given", f"{word} of {many}"
            )
        share = args[-1] if function.takes[-1] == "at" else None
        if share is not None and share.op != "number":
            raise self._reader.refused(
                token, "the share below must be public.", "it says which number is asked for",
                f"{word}({text_of(args[0], RESERVED)}, 0.5)",
            )  # fmt: skip
        asked = [arg.value if arg is share else self._measured(arg, word) for arg in args]
        return statistic, function.asked(asked)

    def _measured(self, part: Piece, word: str) -> str:
        """Return the column that is measured: one of the data, or a derived one."""
        if part.op == "column":
            return part.value
        text = text_of(part, RESERVED)
        if word == "SUM" and _counts(part):
            raise refused(
                self._reader.text,
                part.start,
                part.end,
                "this counts rows.",
                why="a count needs no bounds, and its noise is least",
                fix=f"write {_filtered(part)}",
            )
        if (name := self._derived(part)) is not None:
            return name
        ends = call("discreet.bounds", BLANK, BLANK)
        raise refused(
            self._reader.text,
            part.start,
            part.end,
            "what is added up needs public bounds.",
            why="how far one row can move a sum follows from them, and not from the data",
            fix=Do(
                call("table.derive", x=call("discreet.derived", text, bounds=ends)),
                f", and {word}(x)",
            ),
        )

    def _derived(self, part: Piece) -> str | None:
        """Return the derived column that an expression makes; None where none is."""
        text, made = text_of(part, RESERVED), self._table.derived.items()
        return next((name for name, column in made if column.expression.text == text), None)

    def _unknown(self, token: Token) -> InputError:
        word = token.text.upper()
        if word in _INSTEAD:
            why, instead = _INSTEAD[word]
            here = self._reader.here
            column = here.text if here.kind in ("word", "quoted") else "x"
            return self._reader.refused(
                token, "this is not asked of a table.", why, instead.format(column)
            )
        if word.lower() in FUNCTIONS:
            ends = "group by it, or ask for SUM(x) of it"
            fix: str | Do = f"derive a column of each row with table.derive, and {ends}"
        else:
            fix = "ask for one of these, and reckon with what is released"
        return self._reader.refused(
            token, "this is no number that can be asked for.", f"there are {', '.join(ASKED)}", fix
        )


def _counts(part: Piece) -> bool:
    """Say whether a sum of this part is a count: CASE WHEN ... THEN 1 ELSE 0 END."""
    values = [argument.value for argument in part.args[1:]] if part.op == "case" else []
    return values in (["1"], ["1", "0"])


def _filtered(part: Piece) -> str:
    """Return the count of the rows of which the condition of a CASE is true."""
    return f"COUNT(*) FILTER (WHERE {text_of(part.args[0], RESERVED)})"
