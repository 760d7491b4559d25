"""What FROM names: the table, its second name, its declared joins, and what only makes rows of it.

Rules of this module:
- FROM is read before what is selected, so that each name of a column is known where it stands;
- a sub-query, in FROM or behind WITH, filters and derives, and nothing else: each of its rows is
  made of one row of the table, so that all that is proved of a table with conditions holds;
- tables are joined as the table's declaration joins them, or not at all.

Decision 95.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from types import MappingProxyType

from ..errors import InputError
from ..expressions import Piece, text_of
from ..expressions.expression import name_of
from ..expressions.parser import RESERVED
from ..expressions.tokens import Token
from ..schema import Table
from .sql_aggregates import asks
from .sql_joins import JOINING, SqlJoin, names_of, no_join
from .sql_reader import SelectReader, name_said

DRAWN = (
    "this has no place in a question.",
    "rows that are drawn by chance are others each time",
    "leave it out, and ask of all rows",
)
_ONLY = "a sub-query filters and derives here, and nothing else."
_ROW = "each of its rows is then made of one row of the table"
_AFTER = ("GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "UNION", "EXCEPT", "INTERSECT", "QUALIFY")
_BEHIND = (*_AFTER, "TABLESAMPLE")


@dataclass(frozen=True, slots=True)
class SourceRows:
    """The rows that FROM names: which tables they are of, what is made of each, and which count.

    Attributes:
        names: the tables and second names that may stand before a point.
        made: what a sub-query selects, by name.
        passes: whether all other columns of the table are there, too.
        where: the conditions of sub-queries, the innermost first.
        joined: how tables are joined, where FROM names several.
        is_second: whether it is a table that is joined, and not the first one.
    """

    names: frozenset[str]
    made: Mapping[str, Piece] = field(default_factory=lambda: MappingProxyType({}))
    passes: bool = True
    where: tuple[str, ...] = ()
    joined: SqlJoin | None = None
    is_second: bool = False

    def column(self, reader: SelectReader, name: str, of: str | None) -> Piece | None:
        """Return the part that a name stands for; None where it is a column of that name."""
        if self.joined is not None:
            return self.joined.column(reader, name, of)
        if name in self.made:
            return self.made[name]
        if not self.passes:
            token = reader.tokens[reader.place - 1]
            raise reader.refused(
                token, "the sub-query selects no column of this name.", "what is not selected "
                "there is not there", f"add {token.text} to what it selects",
            )  # fmt: skip
        return None


class Sources:
    """Reads WITH and FROM of one text."""

    def __init__(self, reader: SelectReader, table: Table) -> None:
        self._reader = reader
        self._table = table
        self._named: dict[str, SourceRows] = {}
        self._called = f"FROM {name_of(PurePath(table.name).stem, RESERVED)}"

    def name_all(self) -> None:
        """Read WITH, and what it names."""
        reader = self._reader
        if not reader.take("WITH"):
            return
        if reader.here.says("RECURSIVE"):
            raise reader.refused(reader.here, _ONLY, _ROW, "leave RECURSIVE out")
        while True:
            token = reader.name()
            if (name := name_said(token)) in self._named:
                raise reader.refused(token, "two of them have this name.", _ROW, "another name")
            reader.need("AS")
            reader.take("NOT")
            reader.take("MATERIALIZED")
            reader.need("(")
            self._named[name] = self._select()
            if not reader.take(","):
                return

    def enter(self) -> tuple[SourceRows, int] | None:
        """Read FROM, which stands behind what is selected, and go back there.

        Returns: the rows, and the place behind FROM; None where no FROM is there.
        """
        reader, start = self._reader, self._reader.place
        place = _place_of_from(reader.tokens, start)
        if place is None or reader.tokens[place + 1].kind == "end":
            return None
        reader.place, reader.scope = place + 1, None
        rows = self._rows()
        behind, reader.place, reader.scope = reader.place, start, rows
        return rows, behind

    def _rows(self) -> SourceRows:
        """Read the tables that are named."""
        token, first = self._reader.here, self._source()
        if not self._reader.here.says(",", *JOINING):
            if first.is_second:
                raise self._unnamed(token)
            return first
        if first.where or first.made or not first.passes:
            raise self._reader.refused(
                self._reader.here, "a sub-query is not joined.", "tables are joined as the table "
                "was declared", "write its condition under WHERE, and name the tables in FROM",
            )  # fmt: skip
        joined = SqlJoin(self._reader, self._table, first.names)
        joined.read()
        return replace(first, names=joined.names, joined=joined, is_second=False)

    def _source(self) -> SourceRows:
        """Read one table, or one sub-query, and its second name."""
        reader = self._reader
        if reader.take("("):
            rows = self._select()
            return self._second_name(replace(rows, names=frozenset()))
        is_other = reader.here.kind == "text" or reader.here.says("[")  # [dbo].[people]
        token = reader.here if is_other else reader.name()
        name = name_said(token)
        if token.kind != "text" and name in self._named:
            return self._second_name(replace(self._named[name], names=frozenset({name})))
        own = names_of(self._table.name)
        joins = [name for join in self._table.joins for name in names_of(join.name)]
        if token.kind == "text" or name not in (*own, *joins):
            raise self._unnamed(token)
        return self._second_name(SourceRows(frozenset({name}), is_second=name not in own))

    def _unnamed(self, token: Token) -> InputError:
        reader = self._reader
        second = reader.here.text if reader.is_name() and not reader.here.says(*JOINING) else ""
        reader.place += bool(second)
        if token.kind != "text" and reader.here.says(",", *JOINING):
            return no_join(reader, self._table, token, second)
        return self._reader.refused(
            token,
            "this is not the name of the table that was handed over.",
            "names match exactly, and stand in no ' ', which are those of a text",
            self._called,
        )

    def _second_name(self, rows: SourceRows) -> SourceRows:
        """Read the name that a table is given, which then stands in the place of its own."""
        reader = self._reader
        sampled = 1 if reader.here.says("USING") else 0
        if reader.tokens[reader.place + sampled].says("SAMPLE") and _draws(reader, sampled):
            raise reader.refused(reader.here, *DRAWN)
        if not reader.take("AS") and (not reader.is_name() or reader.here.says(*JOINING, *_BEHIND)):
            return rows
        return replace(rows, names=frozenset({name_said(reader.name())}))

    def _select(self) -> SourceRows:
        """Read SELECT ... FROM ... WHERE ... up to the closing parenthesis."""
        reader = self._reader
        outer = reader.scope
        reader.need("SELECT")
        if reader.here.says("DISTINCT", "ALL", "TOP"):
            raise reader.refused(reader.here, _ONLY, _ROW, f"leave {reader.here.text} out")
        entered = self.enter()
        if entered is None:
            raise reader.no_table(self._called)
        rows, behind = entered
        if rows.joined is not None:
            raise reader.refused(
                reader.tokens[behind - 1], "tables are joined in FROM alone.", "a sub-query makes "
                "rows of one table", "join them outside, and write the condition under WHERE",
            )  # fmt: skip
        made, passes = self._selected(rows)
        if not reader.here.says("FROM"):
            raise reader.no_table(self._called)
        reader.place = behind
        conditions = [text_of(reader.whole(), RESERVED)] if reader.take("WHERE") else []
        if reader.here.says(*_AFTER):
            raise reader.refused(
                reader.here, _ONLY, _ROW, "ask of the table itself, with WHERE and GROUP BY outside"
            )
        reader.need(")")
        reader.scope = outer
        return SourceRows(frozenset(), made, passes, (*rows.where, *conditions))

    def _selected(self, rows: SourceRows) -> tuple[Mapping[str, Piece], bool]:
        """Read what a sub-query selects: what it makes, by name, and whether all else is there."""
        reader, passes = self._reader, False
        made: dict[str, Piece] = {}
        while True:
            if self._takes_all():
                passes, made = passes or rows.passes, {**rows.made, **made}
            else:
                self._read_item(made, is_all=passes)
            if not reader.take(","):
                return made, passes

    def _takes_all(self) -> bool:
        """Read * or t.* if it stands here."""
        reader = self._reader
        behind = [token.text for token in reader.tokens[reader.place + 1 : reader.place + 3]]
        if behind == [".", "*"] and reader.is_name():
            reader.place += 2
        return reader.take("*") is not None

    def _read_item(self, made: dict[str, Piece], *, is_all: bool) -> None:
        """Read an expression of one row, and the name that it is given."""
        reader, token = self._reader, self._reader.here
        if token.kind == "word" and asks(token.text.upper()) and reader.next_says("("):
            raise reader.refused(
                token, _ONLY, _ROW, "ask for it of the table itself, and not in a sub-query"
            )
        part = reader.whole()
        last = reader.tokens[reader.place - 1]
        is_name = part.op == "column" and last.kind in ("word", "quoted")
        name = name_said(last) if is_name else None
        if reader.take("AS") or reader.is_name():
            name = name_said(reader.name())
        declared = {*self._table.columns, *self._table.keys} - {*self._table.derived}
        is_twice = name in made or (is_all and name in declared)
        if name is not None and is_twice:
            raise reader.refused(
                token, "two columns would have this name.", "a name says one of them",
                "give it another name behind AS",
            )  # fmt: skip
        if name is not None:
            made[name] = part


def _draws(reader: SelectReader, place: int) -> bool:
    """Say whether SAMPLE draws rows, and is no second name of a table."""
    after = reader.tokens[reader.place + place + 1]
    return after.kind == "number" or after.says("(", "BLOCK", "ROW", "SYSTEM", "BERNOULLI")


def _place_of_from(tokens: Sequence[Token], start: int) -> int | None:
    """Return where the FROM of a SELECT stands, in no parentheses."""
    depth = 0
    for place in range(start, len(tokens)):
        token = tokens[place]
        depth += token.says("(", "[") - token.says(")", "]")
        if depth < 0:
            return None
        is_test = tokens[place - 1].says("DISTINCT") and tokens[place - 2].says("IS", "NOT")
        if token.says("FROM") and not depth and not is_test:
            return place
    return None
