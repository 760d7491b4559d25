"""One SELECT as the questions that it asks: another way to write a plan, and no second engine.

Rules of this module:
- a grammar of its own reads it, as it reads expressions: what it does not name cannot be written,
  so that no window and no second statement needs to be forbidden;
- what SQL could say and a release cannot is refused where it stands, with the line to type;
- what is left out, or is told in another way than in SQL, is said in the plan.

Decisions 22, 84, 95.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import PurePath
from typing import Any, Literal, TypeVar

from ..errors import InputError, as_given
from ..expressions import Piece, text_of
from ..expressions.expression import name_of
from ..expressions.parser import RESERVED
from ..expressions.refusals import refused
from ..expressions.tokens import MAX_LETTERS, Token, tokens
from ..fix import BLANK, Do, Variable, call
from ..schema import Table
from ..statistic.catalog import statistic_of
from ..statistic.statistic import Statistic
from .sql_after import AFTER, After
from .sql_aggregates import Asked, Asking, asks
from .sql_from import SourceRows, Sources
from .sql_groupings import (
    MOST_COUNTED,
    MOST_PAID,
    Grouping,
    counted,
    crossed,
    cubed,
    curves,
    left_out,
    naming,
    rolled,
)
from .sql_public import MadeColumns
from .sql_reader import SelectReader, name_said

Read = TypeVar("Read")
_MOST_SETS = 10  # of CUBE
_MOST_NAMED = 200  # letters of a condition that is written out


def sql(text: str, table: Table) -> tuple[Table, *tuple[Statistic, ...]]:
    """Return the table and the questions of one SELECT, for `discreet.plan`.

    `sql` reads no data and asks no database: the text is another way to write questions. WHERE
    becomes the table's condition, FILTER (WHERE ...) the condition of one question. ORDER BY and
    names after AS are dropped, because a release orders and names its numbers itself. The plan says
    where an answer differs from SQL.

    Args:
        text: SELECT of COUNT(*), COUNT(x), COUNT(DISTINCT unit), SUM, AVG, VAR_POP, VAR_SAMP,
            STDDEV_POP, STDDEV_SAMP, MEDIAN, QUANTILE_CONT, PERCENTILE_CONT, COVAR_POP, COVAR_SAMP,
            CORR and REGR_SLOPE, FROM the table's name, sub-queries that filter and derive, or its
            declared joins, with WHERE and GROUP BY. A COUNT(*) by CUBE, ROLLUP or GROUPING SETS
            becomes tables that add up (`cube`, `tables`); for other numbers, each grouping becomes
            a question. All quantiles of one column become one question.
        table: the declaration.

    Returns: the table with the conditions of the SELECT, and then its questions:
        `discreet.plan(*discreet.sql(text, table), spend=...)`.

    Raises:
        InputError: the SELECT asks for something that no release can hold. The message marks the
            place, and gives a line to type.

    Example:
        >>> from discreet.schema import table
        >>> people = dp.table("people.csv", unit="row", keys={"state": ["MA", "NY"]})
        >>> dp.sql("SELECT state, COUNT(*) FROM people WHERE age >= 18 GROUP BY state", people)[1]
        discreet.count(by='state')
    """
    if not isinstance(table, Table):
        raise InputError(
            f"{as_given(table)} is no declared table.",
            kind="wrong-type",
            why="what is public of its columns must be said before SQL can ask for them",
            fix=_swapped(text, table),
        )
    if not isinstance(text, str) or not text.strip() or len(text) > MAX_LETTERS:
        raise InputError(
            f"{as_given(text)} is no SELECT of at most {MAX_LETTERS:,} letters.",
            kind="not-a-select",
            why="one text asks for the numbers of one release",
            fix='write "SELECT COUNT(*) FROM people"',
        )
    return _Select(text.rstrip().removesuffix(";"), table).read()


def _swapped(text: object, table: object) -> Do:
    """Return the call with a declared table behind the SELECT."""
    if isinstance(text, Table):
        return Do(call("discreet.sql", table, Variable("table")))
    source = table if isinstance(table, str) else Variable("data")
    return Do(call("discreet.sql", text, call("discreet.table", source, unit=BLANK)))


@dataclass(frozen=True, slots=True)
class _Item:
    """What is selected: a column, or a number that is asked for; and the name it is given."""

    entry: Asked | Token
    alias: str | None


class _Select:
    """Reads one SELECT from its start to its end."""

    def __init__(self, text: str, table: Table) -> None:
        self._table = table
        self._reader = SelectReader(text, tokens(text, is_select=True))
        self._reader.made = MadeColumns(table)
        self._items: list[_Item] = []
        self._rule: Mapping[str, Any] | None = None

    @property
    def _asked(self) -> list[Asked]:
        """The numbers that are asked for."""
        return [item.entry for item in self._items if isinstance(item.entry, Asked)]

    def read(self) -> tuple[Table, *tuple[Statistic, ...]]:
        """Return the table, under its condition, and the questions."""
        reader, sources = self._reader, Sources(self._reader, self._table)
        sources.name_all()
        self._start()
        distinct = reader.take("DISTINCT", "ALL")
        entered = sources.enter()
        self._items.append(self._item())
        while reader.take(","):
            self._items.append(self._item())
        if entered is None or not reader.here.says("FROM"):
            reader.take("FROM")
            raise reader.no_table(self._called())
        rows, reader.place = entered
        table = self._of_rows(rows)
        grouped = reader.here
        groupings = self._groupings()
        table = table.derive(reader.made.columns)
        shown = [(item.entry, item.alias) for item in self._items]
        self._rule = After(reader, table, groupings).read(shown)
        if distinct is not None and distinct.says("DISTINCT"):
            self._check_distinct(distinct, groupings)
        self._check(groupings)
        if len(groupings) > 1:
            self._check_groupings(grouped, groupings, table)
        notes = (*table.notes, *reader.made.notes, *reader.notes)
        return replace(table, notes=notes), *self._questions(groupings)

    def _of_rows(self, rows: SourceRows) -> Table:
        """Return the table under the conditions of sub-queries and of WHERE."""
        condition = self._reader.whole() if self._reader.take("WHERE") else None
        parts = [] if condition is None else [condition]
        if rows.joined is not None:
            parts = rows.joined.settled(condition)
        elif self._table.joins:
            self._reader.notes[_WITH_JOINS.format(self._table.name)] = None
        table = self._table
        for text in rows.where:
            table = table.where(text)
        if not parts:
            return table
        whole = parts[0] if len(parts) == 1 else Piece("and", tuple(parts))
        return table.where(text_of(whole, RESERVED))

    def _start(self) -> None:
        """Read SELECT, behind which something is asked for."""
        reader = self._reader
        if not reader.take("SELECT") or reader.here.says("FROM"):
            raise reader.nothing_asked(self._called())
        is_made = reader.here.kind == "number" and reader.next_says(*"+-*/")
        if is_made:
            self._check_made()
        if not is_made and reader.here.kind in ("end", "number", "text"):
            raise reader.nothing_asked(self._called())

    def _called(self) -> str:
        """Return what names the table."""
        return f"FROM {name_of(PurePath(self._table.name).stem, RESERVED)}"

    def _item(self) -> _Item:
        """Read a column that is grouped by, or a number that is asked for, and its name."""
        reader, token = self._reader, self._reader.here
        behind = [word.text for word in reader.tokens[reader.place + 1 : reader.place + 3]]
        if token.says("*") or behind == [".", "*"]:
            raise self._reader.refused(
                token, "rows are never released.", "a release holds counts, sums and means",
                "SELECT COUNT(*)",
            )  # fmt: skip
        if token.says("TOP") and (behind[:1] == ["("] or behind[0].isdecimal()):
            raise reader.refused(token, *AFTER["TOP"])
        if token.kind == "word" and asks(token.text.upper()) and reader.next_says("("):
            return _Item(Asking(reader, self._table).read(), self._alias())
        is_made = token.kind == "number" and reader.next_says(*"+-*/")
        if is_made:
            self._check_made()
        if not reader.is_name() and not is_made and not token.says("CASE", "CAST", "NOT", "("):
            raise reader.wrong("a column or a number to ask for")
        behind_it = reader.tokens[min(reader.place + 2, len(reader.tokens) - 1)]
        if reader.next_says("(") and behind_it.kind == "word" and asks(behind_it.text.upper()):
            raise reader.refused(
                token, "a release holds the number itself.", "what is made of it is made "
                "afterwards, of what is public", "ask for the number alone, without this function",
            )  # fmt: skip
        part = reader.whole()
        end, alias = reader.tokens[reader.place - 1].end, self._alias()
        name = self._grouped_as(part, alias)
        if name is None:
            raise self._not_derived(token, part, alias)
        written = name_of(name, RESERVED)
        kind: Literal["word", "quoted"] = "word" if written == name else "quoted"
        return _Item(Token(kind, written, token.start, end), alias)

    def _check_made(self) -> None:
        """Refuse a number that is made of one that is asked for: 100.0 * COUNT(*)."""
        reader = self._reader
        behind = reader.tokens[reader.place + 2 : reader.place + 3]
        if behind and asks(behind[0].text.upper()):
            raise reader.refused(
                reader.here, "a release holds the number itself.", "what is made of it is made "
                "afterwards, of what is public", f"leave {reader.here.text} out, and ask for each "
                "number alone",
            )  # fmt: skip

    def _alias(self) -> str | None:
        """Read the name that something selected is given, which a release does not need."""
        if self._reader.take("AS") or self._reader.is_name():
            return name_said(self._reader.name())
        return None

    def _column_of(self, part: Piece) -> str | None:
        """Return the column that a part is, be it one of the data or a derived one with keys."""
        if part.op == "column":
            return part.value
        made = self._reader.made
        return derived_by(self._table, text_of(part, RESERVED)) or made.name_of(part)

    def _grouped_as(self, part: Piece, alias: str | None = None) -> str | None:
        """Return the column that rows are grouped by, which is made here if its keys are public."""
        return self._column_of(part) or self._reader.made.column(part, alias, grouped=True)

    def _not_derived(self, token: Token, part: Piece, alias: str | None = None) -> InputError:
        """Return the error for an expression that no derived column has."""
        written = text_of(part, RESERVED)
        name = alias if alias and alias.isidentifier() else "x"
        derived = call("discreet.derived", written, keys=["?", "?"])
        return refused(
            self._reader.text,
            token.start,
            max(part.end, token.end),
            "rows are grouped by columns with public keys.",
            kind="not-a-select",
            why="groups never come from the data",
            fix=Do(call("table.derive", **{name: derived}), f", and GROUP BY {name}"),
        )

    def _groupings(self) -> list[Grouping]:
        """Read GROUP BY, and return each grouping that it asks for."""
        reader = self._reader
        if not reader.take("GROUP"):
            return [()]
        reader.need("BY")
        start = reader.here
        elements = [self._element()]
        while reader.take(","):
            elements.append(self._element())
        if reader.here.says("WITH") and reader.next_says("CUBE", "ROLLUP"):
            elements = [self._behind(elements)]
        if prod(map(len, elements)) > MOST_COUNTED:
            raise self._too_many(start)
        return crossed(elements)

    def _element(self) -> list[Grouping]:
        """Read one part of GROUP BY, and return the groupings that it stands for."""
        reader, start = self._reader, self._reader.here
        word = start.text.upper()
        if reader.take("ALL"):
            if reader.here.says(",") or not reader.tokens[reader.place - 2].says("BY"):
                raise self._reader.refused(
                    start, "it stands alone.", "it is all columns that are selected", "GROUP BY ALL"
                )
            return [self._shown()]
        if reader.take("("):
            return [() if reader.take(")") else tuple(self._sets(self._grouped))]
        if word in ("CUBE", "ROLLUP") and reader.next_says("("):
            reader.place += 2
            sets = self._sets(self._set)
            if len(sets) > _MOST_SETS:
                raise self._too_many(start)
            return cubed(sets) if word == "CUBE" else rolled(sets)
        if word == "GROUPING" and reader.next_says("SETS"):
            reader.place += 2
            reader.need("(")
            return [by for some in self._sets(self._one_of_sets) for by in some]
        return [(self._grouped(),)]

    def _behind(self, elements: Sequence[Sequence[Grouping]]) -> list[Grouping]:
        """Read WITH ROLLUP, or WITH CUBE, of all columns that are grouped by."""
        reader = self._reader
        reader.place += 2
        word, sets = reader.tokens[reader.place - 1], [by for some in elements for by in some]
        if any(len(some) > 1 for some in elements) or len(sets) > _MOST_SETS:
            raise self._too_many(word)
        return cubed(sets) if word.says("CUBE") else rolled(sets)

    def _sets(self, read: Callable[[], Read]) -> list[Read]:
        """Read what stands between commas, up to the closing parenthesis."""
        sets = [read()]
        while self._reader.take(","):
            sets.append(read())
        self._reader.need(")")
        return sets

    def _one_of_sets(self) -> list[Grouping]:
        """Read one of GROUPING SETS, which may be a CUBE of its own."""
        if self._reader.here.says("CUBE", "ROLLUP", "GROUPING"):
            return self._element()
        return [self._set()]

    def _set(self) -> Grouping:
        """Read a column, or several in parentheses, or none."""
        reader = self._reader
        if not reader.take("("):
            return (self._grouped(),)
        return () if reader.take(")") else tuple(self._sets(self._grouped))

    def _shown(self) -> Grouping:
        """Return the columns that are selected, which GROUP BY ALL means."""
        entries = [item.entry for item in self._items]
        return tuple(name_said(entry) for entry in entries if isinstance(entry, Token))

    def _too_many(self, token: Token) -> InputError:
        return self._reader.refused(
            token, "these are too many groupings.", "each of its groupings is published",
            f"write at most {MOST_PAID} of them, or ask for discreet.tables of few columns each",
        )  # fmt: skip

    def _check_groupings(self, token: Token, groupings: Sequence[Grouping], table: Table) -> None:
        """Refuse more than are paid for, and counts of other rows than SQL counts."""
        asked = self._asked
        if len(groupings) > MOST_PAID and not all(map(_counts_rows, asked)):
            raise self._reader.refused(
                token, f"these are more than {MOST_PAID} groupings.", "each of its groupings is "
                "paid for, but of a count", "ask for COUNT(*) alone, or for fewer columns",
            )  # fmt: skip
        rows = [] if table.condition is None else [table.condition.expression]
        for number in asked:
            beside = number.options.get("where")
            conditions = [*rows, *([beside] if beside else [])]
            if _counts_rows(number) and (few := left_out(table, groupings, conditions)):
                raise self._other_rows(number, few, table)

    def _other_rows(self, number: Asked, columns: Sequence[str], table: Table) -> InputError:
        """Return the refusal of tables that would not count all rows that SQL counts."""
        condition = naming(table, columns)
        if len(condition) > _MOST_NAMED:
            condition = "a condition"
        made = [name for name in columns if name in self._reader.made.columns]
        first = f"declare {' and '.join(made)} with table.derive, then " if made else ""
        return refused(
            self._reader.text,
            number.start,
            number.end,
            "in a grouping without a column SQL counts rows with every key of it.",
            kind="not-a-select",
            why="tables that add up count the same rows, those with a key of "
            f"{', '.join(columns)} that is listed",
            fix=f"{first}add {condition} to WHERE, for rows with listed keys; or declare a key of "
            "all other rows with the keys of each, for all rows",
        )

    def _grouped(self) -> str:
        """Read what is grouped by: a column, an expression, a place or a name of what is shown."""
        reader, token = self._reader, self._reader.here
        entries = [item.entry for item in self._items]
        is_made = token.kind == "number" and reader.next_says(*"+-*/")
        if not is_made and token.kind == "number" and token.text.isdecimal():
            entry = entries[int(token.text) - 1] if 0 < int(token.text) <= len(entries) else None
            if not isinstance(entry, Token):
                raise reader.no_group(entries)
            reader.place += 1
            return name_said(entry)
        is_made |= reader.is_name() or token.says("CASE", "CAST", "NOT")
        if token.kind in ("text", "end") or not is_made:
            raise reader.no_group(entries)
        if (named := self._named_before()) is not None:
            return named
        part = reader.whole()
        name = self._grouped_as(part)
        if name is None:
            raise self._not_derived(token, part)
        return name

    def _named_before(self) -> str | None:
        """Read the name that a column was given where it is selected, if no key is called so."""
        reader, token = self._reader, self._reader.here
        is_alone = reader.tokens[min(reader.place + 1, len(reader.tokens) - 1)].kind != "sign"
        is_alone |= reader.next_says(",", ")")
        if not is_alone or name_said(token) in (*self._table.keys, *self._table.unknown):
            return None
        for item in self._items:
            if item.alias == name_said(token) and isinstance(item.entry, Token):
                reader.place += 1
                return name_said(item.entry)
        return None

    def _check_distinct(self, token: Token, groupings: Sequence[Grouping]) -> None:
        """Refuse DISTINCT where groups could be alike, or where it stands for GROUP BY."""
        shown = self._shown()
        if self._asked and len(groupings) == 1 and {*groupings[0]} <= {*shown}:
            return
        groups = ", ".join(name_of(name, RESERVED) for name in shown)
        instead = f"leave {token.text} out, and select each column that is grouped by"
        if shown and not self._asked:
            instead = f"SELECT {groups}, COUNT(*) {self._called()} GROUP BY {groups}"
        raise self._reader.refused(
            token, "it would leave lines out that are alike.", "which groups there are is public "
            "already: their keys are listed, each once", instead,
        )  # fmt: skip

    def _check(self, groupings: Sequence[Grouping]) -> None:
        """Refuse a column that is shown and not grouped by, and a text that asks for no number."""
        grouped = {column for by in groupings for column in by}
        for token in (item.entry for item in self._items if isinstance(item.entry, Token)):
            if name_said(token) not in grouped:
                is_key = name_said(token) in (*self._table.keys, *self._table.unknown)
                raise self._reader.refused(
                    token,
                    "this column is neither grouped by nor put together.",
                    "a cell of the data is never released",
                    f"add {token.text} to GROUP BY" if is_key else f"AVG({token.text})",
                )
        if not self._asked:
            start = self._reader.tokens[0]
            why = "which groups there are is public already: their keys are listed"
            raise self._reader.refused(
                start, "no number is asked for.", why, "add COUNT(*) to what is selected"
            )

    def _questions(self, groupings: Sequence[Grouping]) -> Iterator[Statistic]:
        """Yield the questions: a count of several groupings is one, and so are quantiles."""
        rule = {} if self._rule is None else {"publish": self._rule}
        asked = [{"statistic": each.statistic, **each.options, **rule} for each in self._asked]
        once = [each for place, each in enumerate(asked) if each not in asked[:place]]
        plain = curves(once)  # a number that is selected twice is told once
        for place, by in enumerate(groupings):
            for question in plain:
                adds_up = question["statistic"] == "count" and "distinct" not in question
                if not adds_up or len(groupings) == 1:
                    yield statistic_of({**question, "by": list(by)})
                elif not place:
                    yield statistic_of({**question, **counted(groupings)})


_WITH_JOINS = "FROM {0} names the table with the tables that are joined with it."


def _counts_rows(one: Asked) -> bool:
    """Tell whether a number is COUNT(*), which adds up over groupings."""
    return one.statistic == "count" and "distinct" not in one.options


def derived_by(table: Table, text: str) -> str | None:
    """Return the name of the derived column with public keys that an expression makes."""
    keyed = {*table.keys, *table.unknown}
    names = (n for n, made in table.derived.items() if made.expression.text == text)
    return next((name for name in names if name in keyed), None)
