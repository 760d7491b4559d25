"""JOIN in a SELECT: where it says what the table's declaration says, and is refused where not.

Rules of this module:
- a table is joined as its declaration says: by the units of both, or by who owns each row;
- FROM names all tables of the declaration or the first alone, and each is tied to the others by
  the columns of the declaration: only then are the rows those of SQL;
- which table a column is of must be what the declaration says, where the text says it.

Decisions 40, 95.
"""

import re
from collections.abc import Sequence
from pathlib import PurePath

from ..errors import InputError, shown
from ..expressions import Piece
from ..expressions.tokens import Token
from ..fix import Do, call
from ..schema import Join, Table
from .sql_reader import SelectReader, name_said

_KINDS = {  # of joins that are not the plain one
    "LEFT": "a row without a partner would count as one of missing cells",
    "RIGHT": "a row of the other table alone has none of the columns that are declared",
    "FULL": "a row of the other table alone has none of the columns that are declared",
    "CROSS": "each row would be joined with the rows of others",
    "NATURAL": "which columns have the same names is not public",
    "ASOF": "the nearest row can be that of somebody else",
    "LATERAL": "it is asked anew for each row",
    "POSITIONAL": "which rows stand beside each other is chance",
    "SEMI": "it hides how many partners a row has",
    "ANTI": "one row more would take rows of others away",
}
JOINING = ("JOIN", "INNER", *_KINDS)
_TEXT = re.compile(r"'(?:[^']|'')*'")
_DOTTED = re.compile(r"\b([^\W\d]\w*)\.([^\W\d]\w*)")
_LINK = re.compile(r"\.([^\W\d]\w*)\s*=\s*[^\W\d]\w*\.([^\W\d]\w*)")
_DECLARED = (
    "which rows are a person's is declared with the table: of the same units by discreet.join, "
    "and who owns each row by discreet.owner"
)


def names_of(name: str) -> tuple[str, str]:
    """Return how a table may be called in FROM."""
    return name, PurePath(name).stem


def no_join(reader: SelectReader, table: Table, token: Token, second: str) -> InputError:
    """Return the error for a table that is not declared, with the line that declares it."""
    name, unit = name_said(token), table.unit.column
    bare = _TEXT.sub("''", reader.text)
    behind = {column for of, column in _DOTTED.findall(bare) if of in (name, second)}
    pairs = [pair for pair in _LINK.findall(bare) if {*pair} & behind]
    gives = sorted(behind - {column for pair in pairs for column in pair})
    fix: str | Do = "declare it with discreet.join or discreet.owner, and ask of table.joined"
    note = "for the table, and ask again"
    owned = [pair for pair in pairs if unit not in pair and len({*pair}) == 1]
    if owned and unit is not None and unit in gives:
        second_table = call("discreet.owner", f"{name}.csv", on=owned[0][0], gives=gives)
        fix = Do(call("table.joined", second_table), note)
    elif gives:
        keys = {column for pair in pairs if unit in pair for column in pair} - {unit}
        key = {"key": min(keys)} if keys else {}
        second_table = call("discreet.join", f"{name}.csv", gives=gives, **key)
        fix = Do(call("table.joined", second_table), note)
    return reader.refused(
        token, f"{shown(name)} is not joined with the table that was handed over.", _DECLARED, fix
    )


class SqlJoin:
    """The tables of one FROM, and what ties them together."""

    def __init__(self, reader: SelectReader, table: Table, first: frozenset[str]) -> None:
        self._reader = reader
        self._table = table
        self._tables: dict[str, Join | None] = {}  # by the name that stands before a point
        self._called: dict[str, str] = {}  # the same, as FROM writes them
        self._tied: list[set[str]] = []  # tables that conditions tie together
        self._start = reader.tokens[reader.place - 1]
        (name,) = first
        self._first = name
        self._conditions: list[Piece] = []

    @property
    def names(self) -> frozenset[str]:
        """The tables that may stand before a point."""
        return frozenset(self._tables)

    def read(self) -> None:
        """Read all tables behind the first, with their conditions."""
        reader, place = self._reader, self._reader.place
        self._name(self._start_of_first(), self._first)
        while reader.here.says(",", *JOINING):
            self._read_one()
        reader.place, reader.scope = place, self
        while reader.here.says(",", *JOINING):
            self._read_one(again=True)
        declared = {join.name for join in self._table.joins}
        missing = declared - {join.name for join in self._tables.values() if join is not None}
        if missing or None not in self._tables.values():
            name = min(missing) if missing else self._table.name
            raise reader.refused(
                self._start, f"the table is joined with {shown(name)}, too.", _DECLARED,
                f"name {shown(PurePath(name).stem)} in FROM, too, or the table alone",
            )  # fmt: skip

    def _start_of_first(self) -> Token:
        """Return the name of the first table, which may be given another one."""
        reader = self._reader
        place = reader.place - 1
        while not reader.tokens[place - 1].says("FROM"):
            place -= 1
        return reader.tokens[place]

    def _read_one(self, *, again: bool = False) -> None:
        """Read one more table; its condition only when all tables are known."""
        reader = self._reader
        if reader.here.says(*_KINDS):
            self._check_declared()
            reason = _KINDS[reader.here.text.upper()]
            raise reader.refused(
                reader.here, "this is no join of private tables.", reason,
                "JOIN with ON, for rows that have a partner",
            )  # fmt: skip
        is_comma = reader.take(",") is not None
        if not is_comma:
            reader.take("INNER")
            reader.need("JOIN")
        token = reader.name()
        second = token
        if reader.take("AS") or (reader.is_name() and not reader.here.says("USING", *JOINING)):
            second = reader.name()
        if not again:
            self._name(token, name_said(second))
        if not is_comma:
            self._condition(name_said(second), again=again)

    def _check_declared(self) -> None:
        """Refuse a table that is not declared before what is wrong with the join itself."""
        reader, place = self._reader, self._reader.place
        while reader.here.kind == "word" and not reader.take("JOIN"):
            reader.place += 1
        if reader.is_name():
            self._declared(reader.here, reader.here.text)
        reader.place = place

    def _declared(self, token: Token, second: str) -> Join | None:
        """Return the join that a name is that of; None for the table itself."""
        name = name_said(token)
        joins = [join for join in self._table.joins if name in names_of(join.name)]
        if not joins and name not in names_of(self._table.name):
            raise no_join(self._reader, self._table, token, second)
        return joins[0] if joins else None

    def _name(self, token: Token, second: str) -> None:
        """Note which table a name is that of."""
        join = self._declared(token, second)
        if second in self._tables or join in self._tables.values():
            raise self._reader.refused(
                token, "this table is named twice.", "a row would be joined with others of its own "
                "table", "name it once",
            )  # fmt: skip
        self._tables[second] = join
        self._called[second] = token.text if token.text == second else f"{token.text} {second}"

    def _condition(self, name: str, *, again: bool) -> None:
        """Read ON or USING."""
        reader = self._reader
        if not reader.here.says("ON", "USING"):
            raise reader.refused(
                reader.tokens[reader.place - 1], "nothing says how this table is joined.",
                "each row would be joined with the rows of others", self._how(name),
            )  # fmt: skip
        if reader.take("USING"):
            reader.need("(")
            columns = [name_said(reader.name())]
            while reader.take(","):
                columns.append(name_said(reader.name()))
            reader.need(")")
            if again:
                self._use(name, columns)
            return
        reader.need("ON")
        if again:
            self._conditions += self.left_of(reader.whole())
        else:
            self._skip()

    def _skip(self) -> None:
        """Go on behind a condition, which is read when all tables are known."""
        reader, depth = self._reader, 0
        while reader.here.kind != "end":
            if not depth and reader.here.says(",", ")", "WHERE", "GROUP", "ORDER", *JOINING):
                return
            depth += reader.here.says("(") - reader.here.says(")")
            reader.place += 1

    def _use(self, name: str, columns: Sequence[str]) -> None:
        """Tie a table to the others by a column that both call alike."""
        join = self._tables[name]
        sides = [join] if join is not None else list(self._table.joins)
        for side in sides:
            if side is not None and {side.key, side.on} == {*columns}:
                other = next(n for n, of in self._tables.items() if (of is side) != (join is side))
                self._tied.append({name, other})

    def _how(self, name: str) -> str:
        """Return the line that joins a table as it is declared."""
        join = self._tables.get(name)
        owners = [other for other in self._table.joins if other.kind == "owner"]
        link = join or (owners or [*self._table.joins])[0]
        tables = self._tables.items()
        others = [n for n, of in tables if (of is link if join is None else n != name)]
        if not others:
            return "JOIN with ON, as the table was declared"
        if join is None:
            return f"JOIN {self._called[name]} ON {others[0]}.{link.key} = {name}.{link.on}"
        other = self._of_link(link.on) if link.kind == "own" else self._base(others)
        return f"JOIN {self._called[name]} ON {other}.{link.on} = {name}.{link.key}"

    def _base(self, names: Sequence[str]) -> str:
        """Return the name of the table itself, if it is among some; else the first of them."""
        return next((name for name in names if self._tables[name] is None), names[0])

    def column(self, reader: SelectReader, name: str, of: str | None) -> Piece | None:
        """Return the part that a name stands for; None where it is a column of that name."""
        other = self._of_rows(reader, name, of)
        return None if other == name else Piece("column", value=other)

    def _of_rows(self, reader: SelectReader, name: str, of: str | None) -> str:
        """Return the column of the joined rows that a name stands for."""
        joins = self._table.joins
        given = {column: join for join in joins for column in join.gives}
        if of is None:
            keys = [join.on for join in joins if join.key == name and name not in given]
            return keys[0] if keys else name
        join = self._tables[of]
        if join is None and name in given and name not in {link.on for link in joins}:
            raise reader.refused(
                reader.tokens[reader.place - 1], f"this column is read of {given[name].name}.",
                "the table is so declared", f"{PurePath(given[name].name).stem}.{name}",
            )  # fmt: skip
        if join is None or name in join.gives:
            return name
        if name in (join.key, join.on):
            return join.on
        raise reader.refused(
            reader.tokens[reader.place - 1], f"{shown(join.name)} gives no column of this name.",
            "which columns are read of it is declared", f"add {name} to what it gives",
        )  # fmt: skip

    def left_of(self, condition: Piece) -> list[Piece]:
        """Return the conditions that tie no tables together, and note those that do."""
        parts = condition.args if condition.op == "and" else (condition,)
        return [part for part in parts if not self._ties(part)]

    def _ties(self, part: Piece) -> bool:
        """Tell whether a condition ties two tables as they are declared, and note it."""
        if part.op != "=" or any(arg.op != "column" for arg in part.args):
            return False
        left, right = (self._side(arg) for arg in part.args)
        is_link = part.args[0].value in {join.on for join in self._table.joins}
        if not is_link or part.args[0] != part.args[1] or left == right:
            return False
        self._tied.append({left, right})
        return True

    def _side(self, part: Piece) -> str:
        """Return the table that a column in a condition is of."""
        written = self._reader.text[part.start : part.end]
        of, point, name = written.rpartition(".")
        if point:
            return of.strip().strip('"`')
        keys = [n for n, join in self._tables.items() if join and join.key == name != join.on]
        return keys[0] if keys else self._of_link(part.value)

    def _of_link(self, column: str) -> str:
        """Return the table of the declaration that has a column by which others are joined."""
        gives = [n for n, join in self._tables.items() if join and column in join.gives]
        return gives[0] if gives else self._base([*self._tables])

    def settled(self, condition: Piece | None) -> list[Piece]:
        """Return the conditions on rows, when all are known; refuse tables that nothing ties."""
        rest = [*self._conditions, *([] if condition is None else self.left_of(condition))]
        tied = {self._first}
        while more := [both for both in self._tied if both & tied and not both <= tied]:
            tied |= set[str]().union(*more)
        for name in self._tables:
            if name not in tied:
                raise self._reader.refused(
                    self._start, f"nothing ties {shown(name)} to the other tables as they are "
                    "declared.", "each row would be joined with the rows of others",
                    self._how(name),
                )  # fmt: skip
        return rest
