"""One SELECT as the questions that it asks: another way to write a plan, and no second engine.

Rules of this module:
- a grammar of its own reads it, as it reads expressions: what it does not name cannot be written,
  so that no sub-query, join, window or second statement needs to be forbidden;
- what SQL could say and a release cannot is refused where it stands, with the line to type.

Decisions 22, 84.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from math import prod
from pathlib import PurePath
from typing import TypeVar

from ..errors import InputError, as_given, shown
from ..expressions import Piece, text_of
from ..expressions.expression import name_of
from ..expressions.kinds import FUNCTIONS
from ..expressions.parser import RESERVED
from ..expressions.refusals import refused
from ..expressions.tokens import MAX_LETTERS, Token, tokens
from ..fix import Do, Fix, call
from ..schema import Table
from ..statistic.catalog import statistic_of
from ..statistic.statistic import Statistic
from .sql_aggregates import ASKED, Asked, Asking, SelectReader, said
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

Read = TypeVar("Read")
_MOST_SETS = 10  # of CUBE
_MOST_NAMED = 200  # letters of a condition that is written out
_JOINS = ("INNER", "LEFT", "RIGHT", "FULL", "CROSS", "NATURAL", "ASOF", "LATERAL", "POSITIONAL")
_TEXT = re.compile(r"'(?:[^']|'')*'")
_NAME = r'(?:[^\W\d]\w*|"[^"]+")'
_ALIAS = r"(?:AS\s+)?(?!(?:ON|USING|WHERE|GROUP)\b)"
_JOIN = re.compile(  # JOIN b, and FROM a, b
    rf"\b(?:JOIN\s|FROM\s+{_NAME}(?:\s+{_ALIAS}[^\W\d]\w*)?\s*,)\s*(?P<table>{_NAME})"
    rf"(?:\s+{_ALIAS}(?P<alias>[^\W\d]\w*))?",
    re.I,
)
_DOTTED = re.compile(r"\b([^\W\d]\w*)\.([^\W\d]\w*)")
_LINK = re.compile(r"\.([^\W\d]\w*)\s*=\s*[^\W\d]\w*\.([^\W\d]\w*)")
_BEFORE = "this has no place in a question."
_LATER = "it would look at numbers before they are protected, or at those of another question"
_AFTER = {  # of what stands behind: what to do with the released numbers
    "HAVING": "ask without it, and choose among the released numbers: they are public",
    "ORDER": "ask without it, and sort the released numbers: they are public",
    "LIMIT": "ask without it, and show the first of the released numbers: they are public",
    "OFFSET": "ask without it, and show some of the released numbers: they are public",
    "UNION": "write two texts, and hand the questions of both to one plan",
    "EXCEPT": "write a condition under WHERE",
    "INTERSECT": "write a condition under WHERE, with AND",
    "WINDOW": "ask for groups, with GROUP BY",
    "QUALIFY": "ask for groups, with GROUP BY",
}


def sql(text: str, table: Table) -> tuple[Table, *tuple[Statistic, ...]]:
    """Return the table and the questions that one SELECT asks, for `discreet.plan`.

    Nothing is read, and no database is asked: the text is another way to write questions. WHERE
    becomes the table's condition, FILTER (WHERE ...) that of one question; names that are given
    with AS are dropped, because a release names its numbers itself.

    Args:
        text: SELECT of COUNT(*), COUNT(DISTINCT unit), SUM, AVG, VAR_POP, VAR_SAMP, STDDEV_POP,
            STDDEV_SAMP, MEDIAN, QUANTILE_CONT, COVAR_POP, CORR and REGR_SLOPE, FROM the table's
            name, with WHERE and GROUP BY. A COUNT(*) by CUBE, ROLLUP or GROUPING SETS is tables
            that add up (`cube`, `tables`); other numbers are a question a grouping. Quantiles
            of one column are one question.
        table: the declaration.

    Raises:
        InputError: it asks for what no release can hold; the place is marked, and the line to type
            is given.

    Example:
        >>> from discreet.schema import table
        >>> people = table("people.csv", unit="row", keys={"state": ["MA", "NY"]})
        >>> sql("SELECT state, COUNT(*) FROM people WHERE age >= 18 GROUP BY state", people)[1]
        discreet.count(by='state')
    """
    if not isinstance(table, Table):
        raise InputError(
            f"{as_given(table)} is no declared table.",
            why="what is public of its columns must be said before SQL can ask for them",
            fix=Do(call("discreet.table", "people.csv", unit="row")),
        )
    if not isinstance(text, str) or not text.strip() or len(text) > MAX_LETTERS:
        raise InputError(
            f"{as_given(text)} is no SELECT of at most {MAX_LETTERS:,} letters.",
            why="one text asks for the numbers of one release",
            fix='write "SELECT COUNT(*) FROM people"',
        )
    if (second := _joined_name(text)) is not None:
        raise _no_join(*second)
    return _Select(text.rstrip().removesuffix(";"), table).read()


def _joined_name(text: str) -> tuple[str, list[str]] | None:
    """Return the table that is joined, and the columns that are used of it, if any is."""
    bare = _TEXT.sub("''", text)
    joined = _JOIN.search(bare)
    if joined is None:
        return None
    name = joined["table"].strip('"')
    behind = {column for of, column in _DOTTED.findall(bare) if of in (name, joined["alias"])}
    linked = {column for pair in _LINK.findall(bare) for column in pair}
    return name, sorted(behind - linked)


def _no_join(name: str, columns: list[str]) -> InputError:
    """Return the error for a join, with the line that declares one."""
    fix: Fix = "declare it with discreet.join or discreet.owner, and ask of table.joined"
    if columns:
        second = call("discreet.join", f"{name}.csv", gives=columns)
        note = "for the table, and ask FROM one table, without the names before the points"
        fix = Do(call("table.joined", second), note)
    return InputError(
        f"JOIN {shown(name)}: tables are not joined in SQL.",
        why="which rows are a person's is declared with the table: of the same units by "
        "discreet.join, and who owns each row by discreet.owner",
        fix=fix,
    )


class _Select:
    """Reads one SELECT from its start to its end."""

    def __init__(self, text: str, table: Table) -> None:
        self._table = table
        self._reader = SelectReader(text, tokens(text))
        self._asked: list[Asked | Token] = []

    def read(self) -> tuple[Table, *tuple[Statistic, ...]]:
        """Return the table, under its condition, and the questions."""
        reader = self._reader
        self._start()
        if reader.here.says("DISTINCT", "ALL"):
            raise self._reader.refused(
                reader.here, "each group is one line already.", "a release lists its groups once",
                f"leave {reader.here.text} out",
            )  # fmt: skip
        entries = self._asked
        entries.append(self._item())
        while reader.take(","):
            entries.append(self._item())
        self._from()
        table = self._table
        if reader.take("WHERE"):
            table = table.where(text_of(reader.whole(), RESERVED))
        grouped = reader.here
        groupings = self._groupings()
        self._end()
        asked = [one for one in entries if isinstance(one, Asked)]
        self._check([one for one in entries if isinstance(one, Token)], groupings, asked)
        if len(groupings) > 1:
            self._check_groupings(grouped, groupings, asked, table)
        return table, *self._questions(asked, groupings)

    def _start(self) -> None:
        """Read SELECT, behind which something is asked for."""
        reader = self._reader
        if reader.here.says("WITH"):
            raise reader.wrong("SELECT")
        if not reader.take("SELECT") or reader.here.says("FROM"):
            raise reader.nothing_asked(self._called())
        if reader.here.kind in ("end", "number", "text"):
            raise reader.nothing_asked(self._called())

    def _called(self) -> str:
        """Return what names the table."""
        return f"FROM {name_of(PurePath(self._table.name).stem, RESERVED)}"

    def _item(self) -> "Asked | Token":
        """Read a column that is grouped by, or a number that is asked for, and its name."""
        token = self._reader.here
        if token.says("*"):
            raise self._reader.refused(
                token, "rows are never released.", "a release holds counts, sums and means",
                "SELECT COUNT(*)",
            )  # fmt: skip
        if token.says("TOP") and self._reader.tokens[self._reader.place + 1].kind == "number":
            raise self._reader.refused(token, _BEFORE, _LATER, _AFTER["LIMIT"])
        made = self._made()
        if made is not None:
            entry: Asked | Token = made
        elif token.kind == "word" and self._reader.is_name() and self._reader.next_says("("):
            entry = Asking(self._reader, self._table).read()
        else:
            entry = self._reader.name()
        if self._reader.take("AS") or self._reader.is_name():
            self._reader.name()
        return entry

    def _made(self) -> Token | None:
        """Return the name of the derived column whose expression stands here, if one does."""
        reader = self._reader
        if reader.here.kind == "quoted" or not (reader.is_name() or reader.here.says("CASE")):
            return None
        if reader.here.text.upper() in ASKED or not (
            reader.next_says("(", *"+-*/") or reader.here.says("CASE")
        ):
            return None
        if reader.next_says("(") and reader.here.text.lower() not in FUNCTIONS:
            return None
        if reader.tokens[min(reader.place + 2, len(reader.tokens) - 1)].says(*ASKED):
            raise reader.refused(
                reader.here, "a release holds the number itself.", "what is made of it is made "
                "afterwards, of what is public", "ask for the number alone, without this function",
            )  # fmt: skip
        token, part = reader.here, reader.whole()
        name = derived_by(self._table, text_of(part, RESERVED))
        if name is None:
            raise self._not_derived(token, part)
        return Token("word", name, token.start, reader.tokens[reader.place - 1].end)

    def _not_derived(self, token: Token, part: Piece) -> InputError:
        """Return the error for an expression that no derived column has."""
        said_ = text_of(part, RESERVED)
        return refused(
            self._reader.text,
            token.start,
            part.end,
            "rows are grouped by columns with public keys.",
            why="groups never come from the data",
            fix=Do(
                call("table.derive", x=call("discreet.derived", said_, keys=["?", "?"])),
                ", and GROUP BY x",
            ),
        )

    def _from(self) -> None:
        reader = self._reader
        if not reader.take("FROM") or reader.here.kind == "end":
            raise reader.no_table(self._called())
        if reader.here.says("("):
            raise self._reader.refused(
                reader.here, "a sub-query has no place here.", "its rows could be made of several",
                "ask of the table itself, with WHERE",
            )  # fmt: skip
        token = reader.here if reader.here.kind == "text" else reader.name()
        name = said(token)
        if token.kind == "text" or name not in (self._table.name, PurePath(self._table.name).stem):
            raise self._reader.refused(
                token,
                "this is not the name of the table that was handed over.",
                "names match exactly, and stand in no ' ', which are those of a text",
                self._called(),
            )
        if reader.here.says(",", "JOIN", *_JOINS):
            raise self._reader.refused(
                reader.here, "tables are not joined in SQL.", "which rows are a person's is "
                "declared with the table", "join them with table.joined(...), and ask of that",
            )  # fmt: skip
        if reader.is_name() or reader.here.says("AS"):
            raise self._reader.refused(
                reader.here, "a table has no second name here.", "there is one table, so that "
                "columns need none", f"leave {reader.here.text} out, and write columns alone",
            )  # fmt: skip

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
        if prod(map(len, elements)) > MOST_COUNTED:
            raise self._too_many(start)
        return crossed(elements)

    def _element(self) -> list[Grouping]:
        """Read one part of GROUP BY, and return the groupings that it stands for."""
        reader, start = self._reader, self._reader.here
        word = start.text.upper()
        if word in ("CUBE", "ROLLUP") and reader.next_says("("):
            reader.place += 2
            sets = self._sets(self._set)
            if len(sets) > _MOST_SETS:
                raise self._too_many(start)
            return cubed(sets) if word == "CUBE" else rolled(sets)
        if word == "GROUPING" and reader.next_says("SETS"):
            reader.place += 2
            reader.need("(")
            return [one for some in self._sets(self._one_of_sets) for one in some]
        return [(self._grouped(),)]

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

    def _too_many(self, token: Token) -> InputError:
        return self._reader.refused(
            token, "these are too many groupings.", "each of its groupings is published",
            f"write at most {MOST_PAID} of them, or ask for discreet.tables of few columns each",
        )  # fmt: skip

    def _check_groupings(
        self,
        token: Token,
        groupings: Sequence[Grouping],
        asked: Sequence[Asked],
        table: Table,
    ) -> None:
        """Refuse more than are paid for, and counts of other rows than SQL counts."""
        if len(groupings) > MOST_PAID and any(one.statistic != "count" for one in asked):
            raise self._reader.refused(
                token, f"these are more than {MOST_PAID} groupings.", "each of its groupings is "
                "paid for, but of a count", "ask for COUNT(*) alone, or for fewer columns",
            )  # fmt: skip
        rows = [] if table.condition is None else [table.condition.expression]
        for one in asked:
            beside = one.options.get("where")
            kept = [*rows, *([beside] if beside else [])]
            few = left_out(table, groupings, kept) if one.statistic == "count" else []
            if few:
                raise self._other_rows(one, few, table)

    def _other_rows(self, one: Asked, columns: Sequence[str], table: Table) -> InputError:
        """Return the refusal of tables that would not count all rows that SQL counts."""
        condition = naming(table, columns)
        if len(condition) > _MOST_NAMED:
            condition = "a condition"
        return refused(
            self._reader.text,
            one.start,
            one.end,
            "in a grouping without a column SQL counts rows with every key of it.",
            why="tables that add up count the same rows, those with a key of "
            f"{', '.join(columns)} that is listed",
            fix=f"add {condition} to WHERE, for rows with listed keys; or declare a key of "
            "all other rows with the keys of each, for all rows",
        )

    def _grouped(self) -> str:
        reader, token = self._reader, self._reader.here
        if token.kind in ("number", "text", "end") or not (reader.is_name() or token.says("CASE")):
            raise reader.no_group(self._asked)
        part = reader.whole()
        name = part.value if part.op == "column" else None
        name = name or derived_by(self._table, text_of(part, RESERVED))
        if name is None:
            raise self._not_derived(token, part)
        return name

    def _end(self) -> None:
        token = self._reader.here
        if token.kind == "end":
            return
        word = token.text.upper()
        if word in _AFTER:
            raise self._reader.refused(token, _BEFORE, _LATER, _AFTER[word])
        raise self._reader.wrong("WHERE, GROUP BY or the end")

    def _check(
        self, shown_: Sequence[Token], groupings: Sequence[tuple[str, ...]], asked: Sequence[Asked]
    ) -> None:
        """Refuse a column that is shown and not grouped by, and a text that asks for no number."""
        grouped = {column for by in groupings for column in by}
        for token in shown_:
            if said(token) not in grouped:
                is_key = said(token) in (*self._table.keys, *self._table.unknown)
                raise self._reader.refused(
                    token,
                    "this column is neither grouped by nor put together.",
                    "a cell of the data is never released",
                    f"add {token.text} to GROUP BY" if is_key else f"AVG({token.text})",
                )
        if not asked:
            start = self._reader.tokens[0]
            why = "which groups there are is public already: their keys are listed"
            raise self._reader.refused(
                start, "no number is asked for.", why, "add COUNT(*) to what is selected"
            )

    def _questions(
        self, asked: Sequence[Asked], groupings: Sequence[Grouping]
    ) -> Iterator[Statistic]:
        """Yield the questions: a count of several groupings is one, and so are quantiles."""
        plain = curves([{"statistic": one.statistic, **one.options} for one in asked])
        for place, by in enumerate(groupings):
            for one in plain:
                if one["statistic"] != "count" or len(groupings) == 1:
                    yield statistic_of({**one, "by": list(by)})
                elif not place:
                    yield statistic_of({**one, **counted(groupings)})


def derived_by(table: Table, text: str) -> str | None:
    """Return the name of the derived column with public keys that an expression makes."""
    keyed = {*table.keys, *table.unknown}
    names = (n for n, made in table.derived.items() if made.expression.text == text)
    return next((name for name in names if name in keyed), None)
