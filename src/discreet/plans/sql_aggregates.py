"""What a SELECT asks of a column: COUNT(*), SUM(income), each with its FILTER.

Rules of this module:
- what other systems answer and a release cannot is known by name, with what to write instead;
- a count or a sum of a CASE, and a count of what is there, is that of the rows which its condition
  names: the same number in SQL, whatever the rows are, but for a sum of no row, which is 0 here;
- where SQL may tell a value between two rows, the plan says that it is one of a row here.

Decisions 22, 95.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..errors import InputError, shown
from ..exact.number import text_of as number_text
from ..expressions import Piece, text_of
from ..expressions.kinds import FUNCTIONS
from ..expressions.parser import RESERVED
from ..expressions.refusals import refused
from ..expressions.tokens import Token
from ..fix import BLANK, Do, call
from ..schema import Table
from ..statistic.catalog import LISTED
from ..statistic.statistic import SqlFunction
from .sql_reader import SelectReader

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
    "QUANTILE": ("a share below lies between two rows", "QUANTILE_CONT({0}, 0.5)"),
    "APPROX_QUANTILE": ("a share below lies between two rows", "QUANTILE_CONT({0}, 0.5)"),
    "APPROX_COUNT_DISTINCT": ("only units are told apart", "COUNT(DISTINCT ...) of the unit"),
    **dict.fromkeys(
        ("PERCENTILE", "APPROX_PERCENTILE", "PERCENTILE_APPROX", "APPROX_QUANTILES"),
        ("a share below lies between two rows", "QUANTILE_CONT({0}, 0.5)"),
    ),
    **dict.fromkeys(
        ("GROUPING", "GROUPING_ID"),
        ("each table of a release names its columns", "leave it out: GROUP BY ROLLUP is enough"),
    ),
    **dict.fromkeys(
        ("HISTOGRAM", "WIDTH_BUCKET"),
        ("bins are public: they are named", 'discreet.histogram("{0}", bins=20) in Python'),
    ),
    "N": ("it is COUNT elsewhere", "COUNT({0})"),
    "FREQ": ("it is COUNT elsewhere", "COUNT(*), with GROUP BY {0}"),
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
_COUNTS = ("COUNT", "COUNT_BIG", "COUNT_IF", "COUNTIF")
_TRUTHS = ("and", "or", "not", "in", "between", "is_null", "=", "<>", "<", "<=", ">", ">=")
_BETWEEN = (
    "{0} may lie between two rows in SQL. Here it is the least value that the share of rows does "
    "not exceed."
)
_Read = tuple[str, dict[str, Any], list[Piece]]  # a statistic, its options, and of which rows


def asks(word: str) -> bool:
    """Say whether a word before a parenthesis asks for a number of many rows."""
    return word in (*_COUNTS, *_OF_COLUMNS, *_INSTEAD)


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
        if word in _COUNTS:
            statistic, options, rows = self._count(word)
        elif word in _OF_COLUMNS:
            statistic, options, rows = self._of_columns(word, token)
        else:
            raise self._unknown(token)
        if reader.here.says("OVER", "WITHIN", "IGNORE", "RESPECT"):
            raise self._reader.refused(
                reader.here, "a window looks at rows of others.", "one row could then move "
                "everybody's answer", "ask for groups, with GROUP BY",
            )  # fmt: skip
        if reader.take("FILTER"):
            reader.need("(")
            reader.need("WHERE")
            rows = [reader.whole(), *rows]
            reader.need(")")
        if rows:
            options["where"] = text_of(_all_of(rows), RESERVED)
        return Asked(statistic, options, token.start, reader.tokens[reader.place - 1].end)

    def _count(self, word: str) -> _Read:
        reader, unit = self._reader, self._table.unit.column
        word = "COUNT" if word == "COUNT_BIG" else word  # of T-SQL
        if word == "COUNT" and reader.take("*"):
            reader.need(")")
            return "count", {}, []
        if word == "COUNT" and reader.here.says("DISTINCT"):
            return self._distinct()
        part = reader.whole()
        reader.need(")")
        if word != "COUNT":
            return "count", {}, [part]
        if part.op == "case" and len(part.args) == 2:
            condition, value = part.args
            return "count", {}, [condition, *_there(value, unit)]
        return "count", {}, [*_there(part, unit)]

    def _distinct(self) -> _Read:
        """Read a count of units, which may be those of rows that a CASE names."""
        reader, unit = self._reader, self._table.unit.column
        token = reader.need("DISTINCT")
        part, rows = reader.whole(), list[Piece]()
        reader.need(")")
        if part.op == "case" and len(part.args) == 2:
            rows, part = [part.args[0]], part.args[1]
        if part.op == "column" and part.value == unit:
            return "count_units", {}, rows
        name = part.value if part.op == "column" else self._derived(part)
        if name in self._table.keys and name not in self._table.unknown:
            return "count", {"distinct": name}, rows
        raise self._reader.refused(
            token,
            "only units are told apart, and keys that are listed.",
            "how many different values there are is what one person's rare value changes",
            "COUNT(*)" if unit is None else f"COUNT(DISTINCT {unit})",
        )

    def _of_columns(self, word: str, token: Token) -> _Read:
        reader = self._reader
        if reader.here.says("DISTINCT", "ALL"):
            raise self._reader.refused(
                reader.here, "all rows count.", "who has which values would decide for others",
                f"leave {reader.here.text} out",
            )  # fmt: skip
        args = [reader.whole()]
        while reader.take(","):
            if reader.here.says("[", "ARRAY"):
                raise self._each_alone(word, args[0])
            args.append(reader.whole())
        reader.need(")")
        statistic, function = _OF_COLUMNS[word]
        if word.startswith("PERCENTILE") and len(args) == 1 and reader.here.says("WITHIN"):
            args = self._within_group(word, args)
        if word == "SUM" and len(args) == 1 and (rows := _counted_rows(args[0])) is not None:
            return "count", {}, rows
        if len(args) != len(function.takes):
            many = "one column" if len(function.takes) == 1 else "two arguments"
            raise self._reader.refused(
                token, f"it takes {many}.", f"{len(args)} were given", f"{word} of {many}"
            )
        if word == "MEDIAN" or word.endswith("_CONT"):
            reader.notes[_BETWEEN.format(word)] = None
        args[0], rows = self._rows_of(args[0], word, function)
        return statistic, function.asked(self._arguments(word, token, args, function)), rows

    def _each_alone(self, word: str, column: Piece) -> InputError:
        """Return the error for a list of shares: each quantile is a number of its own."""
        reader = self._reader
        behind = reader.tokens[reader.place :]
        end = next((place for place, token in enumerate(behind) if token.says("]")), 0)
        shares = [token.text for token in behind[:end] if token.kind == "number"] or ["0.5"]
        name = text_of(column, RESERVED)
        return reader.refused(
            reader.here, "a list of shares is several numbers.", "each is asked for by itself, and "
            "quantiles of one column are one question",
            shown(", ".join(f"{word}({name}, {share})" for share in shares), 200),
        )  # fmt: skip

    def _arguments(
        self, word: str, token: Token, args: Sequence[Piece], function: SqlFunction
    ) -> list[str]:
        share = args[-1] if function.takes[-1] == "at" else None
        if share is not None and share.op != "number":
            raise self._reader.refused(
                token, "the share below must be public.", "it says which number is asked for",
                f"{word}({text_of(args[0], RESERVED)}, 0.5)",
            )  # fmt: skip
        return [arg.value if arg is share else self._measured(arg, word) for arg in args]

    def _within_group(self, word: str, args: Sequence[Piece]) -> list[Piece]:
        """Read WITHIN GROUP (ORDER BY x), and return the column and the share below."""
        reader, (share,) = self._reader, args
        for needed in ("WITHIN", "GROUP", "(", "ORDER", "BY"):
            reader.need(needed)
        column = reader.whole()
        down = reader.take("ASC", "DESC")
        reader.need(")")
        if down is None or down.says("ASC") or share.op != "number":
            return [column, share]
        above = number_text(1 - Fraction(share.value))
        if word.endswith("DISC"):
            raise reader.refused(
                down, "of an even number of rows this is another row than from below.",
                "from above the first of the two in the middle is the larger one",
                f"{word}({above}) WITHIN GROUP (ORDER BY {text_of(column, RESERVED)})",
            )  # fmt: skip
        return [column, Piece("number", (), above, share.start, share.end)]

    def _rows_of(self, part: Piece, word: str, function: SqlFunction) -> tuple[Piece, list[Piece]]:
        """Return what is measured, and of which rows, where a CASE says so."""
        is_case = part.op == "case" and function.takes in (("column",), ("column", "at"))
        if not is_case or self._derived(part) is not None or len(part.args) > 3:
            return part, []
        condition, value, *others = part.args
        zero = ("number", "0") if word == "SUM" else ("null", "NULL")
        is_nothing = all((part.op, part.value) in (zero, ("null", "NULL")) for part in others)
        if not is_nothing or value.op in ("number", "null"):
            return part, []
        return value, [condition]

    def _measured(self, part: Piece, word: str) -> str:
        """Return the column that is measured: one of the data, or a derived one."""
        if part.op == "column":
            return part.value
        text = text_of(part, RESERVED)
        name = self._derived(part) or self._reader.made.column(part, None, grouped=False)
        if name is not None:
            return name
        ends = call("discreet.bounds", BLANK, BLANK)
        raise refused(
            self._reader.text,
            part.start,
            part.end,
            "what is added up needs public bounds.",
            kind="not-a-select",
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
            here, (_, share) = self._reader.here, self._reader.tokens[self._reader.place :][1:3]
            if "0.5" in instead and word != "APPROX_QUANTILES" and share.kind == "number":
                instead = instead.replace("0.5", share.text)
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


def _all_of(rows: Sequence[Piece]) -> Piece:
    """Return conditions as one, joined by AND."""
    parts = [arg for row in rows for arg in (row.args if row.op == "and" else (row,))]
    return rows[0] if len(rows) == 1 else Piece("and", tuple(parts))


def _there(part: Piece, unit: str | None) -> Iterator[Piece]:
    """Yield the condition that a part is not missing, where it could be in a row that counts."""
    is_literal = part.op != "column" and not part.args
    if not is_literal and not (part.op == "column" and part.value == unit):
        yield Piece("not", (Piece("is_null", (part,)),))


def _counted_rows(part: Piece) -> list[Piece] | None:
    """Return of which rows a sum is a count: SUM(CASE WHEN ... THEN 1 ELSE 0 END); else None."""
    if part.op == "number" and part.value == "1":
        return []
    if part.op == "cast" and part.value == "INTEGER":
        (part,) = part.args
    if part.op in _TRUTHS:
        return [part]
    condition, *values = part.args if part.op == "case" else (part,)
    numbers = tuple(value.value if value.op in ("number", "null") else None for value in values)
    if numbers in (("1",), ("1", "0"), ("1", "NULL")):
        return [condition]
    no = Piece("coalesce", (condition, Piece("truth", value="FALSE")))
    return [Piece("not", (no,))] if numbers == ("0", "1") else None
