"""Other private tables whose rows are a unit's own: its second table, and who owns each row.

Rules of this module:
- a row of the result is made of rows of one unit alone; `docs/laws/joins.md` proves it for each
  kind of join, and that the rows of a unit are limited after the join, and not before;
- what would let one unit move the rows of others is refused, with the reason;
- one link alone: a row belongs to whom one table names, and to nobody over a second one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

from ..errors import InputError, as_given, shown
from ..fix import BLANK, Do, Variable, call, leave_out, name_columns, write
from ..text import prompt
from .csv_options import CsvOptions, csv_options
from .dataset_name import checked_name, checked_part, name_of
from .keys import check_name
from .unit import Unit

Kind = Literal["own", "owner"]

_EVERY = "each row of the result is made of one row of each table, and of one unit alone"
_REFUSED = {  # by what people who know other tools may write: why not
    "left": "a row without a partner would count as one of missing cells; a missing cell is better "
    "said by the question that needs it",
    "right": "a row of the other table alone has none of the columns that are declared here",
    "outer": "a row of the other table alone has none of the columns that are declared here",
    "anti": "it asks for what is not there: one row more would take rows away, and where a cell is "
    "missing NOT IN takes everybody's",
    "semi": "it hides how many partners a row has, which max_rows has to limit",
    "cross": "each row would be joined to the rows of others, and one unit could move all of them",
    "asof": "the nearest row can be that of somebody else, who would take it away by leaving",
}

_MANY = 10_000  # columns that may be named


@dataclass(frozen=True, slots=True)
class Join:
    """Another table of the same units, or of the owners of rows; `discreet.join` makes it.

    Attributes:
        source: where it lies.
        name: the name of this table in releases.
        kind: "own" for a second table of the same units, "owner" for a table that names the unit of
            each row.
        gives: the columns that discreet reads from the joined table.
        on: the column by which rows of the earlier tables find their partners; "" is the unit.
        key: the name of the column `on` in the joined table; "" is the same name.
        csv: the options of the file's cells; None: the options of the table.
        part: the name of the table in the file, if the file has several.
    """

    source: object = field(repr=False, compare=False)
    name: str
    kind: Kind
    gives: tuple[str, ...]
    on: str = ""
    key: str = ""
    csv: CsvOptions | None = None
    part: str | None = None

    def plain(self) -> dict[str, object]:
        """Return the join as plain data, without the source."""
        names = {"name": self.name, "kind": self.kind, "on": self.on, "key": self.key}
        own: dict[str, object] = {} if self.csv is None else {"csv": self.csv.plain()}
        own |= {} if self.part is None else {"table": self.part}
        return {**names, "gives": list(self.gives), **own}

    def words(self) -> str:
        """Return how its rows find those of the table."""
        same = shown(self.on) if self.key == self.on else f"{shown(self.on)} = {shown(self.key)}"
        ways = {"own": "each row with all of the same unit", "owner": "who owns each row"}
        return f"{shown(self.name)}, {ways[self.kind]} ({same})"

    def __repr__(self) -> str:
        from .table_call import join_call

        short = prompt("Join", f"{shown(self.name)}: {', '.join(map(shown, self.gives))}")
        return join_call(self, short)


def join(
    source: object,
    *,
    gives: Sequence[str],
    key: str = "",
    name: str | None = None,
    on: str = "",
    how: str = "inner",
    table: str | None = None,
    csv: Mapping[str, object] | None = None,
) -> Join:
    """Declare a second table of the same units: each row is joined with all rows of its own unit.

    A row without a partner does not count. The unit's `max_rows` limits the rows of the result.

    Args:
        source: a source that `table` takes, of the same kind as the first table: both are files or
            frames, or tables of one connection, or lists of dicts.
        gives: the columns that discreet reads from the joined table. Each of these columns is
            declared in the table's columns or keys, or used in an expression.
        key: the column that names the unit here, if it has another name than in the table.
        name: the name of this table in releases, and on a connection; by default the file's name.
        on: always the unit's column; you can leave this option out.
        how: nothing but "inner".
        table: the sheet or table to read, if the file is a workbook or database with several.
        csv: the options of the cells in this file: {"separator": ";"}; by default the options of
            the table.

    Returns: the join, for `table.joined`.

    Raises:
        InputError: one unit could move the rows of others by this join, or an option is not a name.

    Example:
        >>> dp.join("people.csv", gives=["age", "sex"])
        discreet.join('people.csv', gives=['age', 'sex'])
    """
    if not isinstance(how, str) or how != "inner":
        raise InputError(
            f"how = {as_given(how, bare=True)} is no join of private tables.",
            kind="unknown-choice",
            why=_REFUSED.get(how, _EVERY) if isinstance(how, str) else _EVERY,
            fix=leave_out("how"),
        )
    return _made("own", (source, table), name, gives, {"on": on, "key": key}, csv)


def owner(
    source: object,
    *,
    on: str,
    gives: Sequence[str],
    key: str = "",
    name: str | None = None,
    table: str | None = None,
    csv: Mapping[str, object] | None = None,
) -> Join:
    """Declare who owns each row of the table: a second table names the unit of a row, and a column
    links the two tables.

    A row with several owners counts once for each owner, and a row without an owner does not count.
    The release then protects a unit with all of its rows in the second table, and with all rows
    that nobody else owns.

    Args:
        source: a file, a frame, the name of a table of the same connection, or a list of dicts.
        on: the column of the table's rows that refers to an owner: "order_id".
        gives: the columns that discreet reads, with the unit's column.
        key: the column of the second table that refers to the rows, if it has another name than
            `on`.
        name: the name of this table in releases, and on a connection; by default the file's name.
        table: the sheet or table to read, if the file is a workbook or database with several.
        csv: the options of the cells in this file: {"separator": ";"}; by default the options of
            the table.

    Returns: the join, for `table.joined`.

    Raises:
        InputError: what is no name.

    Example:
        >>> dp.owner("orders.csv", on="order_id", gives=["customer"])
        discreet.owner('orders.csv', on='order_id', gives=['customer'])
    """
    check_name(on, "on", alone=True)
    return _made("owner", (source, table), name, gives, {"on": on, "key": key}, csv)


def _made(
    kind: Kind,
    place: tuple[object, object],
    name: object,
    gives: object,
    names: Mapping[str, object],
    csv: object = None,
) -> Join:
    listed = isinstance(gives, (list, tuple)) and all(isinstance(entry, str) for entry in gives)
    if not isinstance(gives, (list, tuple)) or not listed or not 0 < len(set(gives)) == len(gives):
        raise InputError(
            f"gives = {as_given(gives)} is not a list of columns.",
            kind="join-wrong",
            why="what is read of another table is said by name, each once",
            fix=name_columns("gives", gives, most=_MANY, listed=True),
        )
    for column in gives:
        check_name(column, "gives")
    for where, column in names.items():
        if not isinstance(column, str) or column:
            check_name(column, where, alone=True)
    source, part = place
    own = name_of(source, part)
    if name is None and not own:
        raise InputError(
            "a table that is joined has no name.",
            kind="join-wrong",
            why="releases and plans say what was joined, and this is no file",
            fix="give it a name",
        )
    on, key = (str(names[where]) for where in ("on", "key"))
    return Join(
        source=source,
        name=own if name is None else checked_name(name),
        kind=kind,
        gives=tuple(gives),
        on=on,
        key=key or (on if kind == "owner" else ""),
        csv=None if csv is None else _csv(source, csv),
        part=None if part is None else checked_part(source, part),
    )


def _csv(source: object, csv: object) -> CsvOptions:
    """Return how cells of a joined table are written, or refuse to be told it of its source."""
    from .inferred import check_csv

    return check_csv(source, csv_options(csv))


def refuse_one_source(name: str, place: tuple[object, str | None], joins: Sequence[Join]) -> None:
    """Refuse facts that are the very table which says who owns them, as far as that is seen here.

    An engine looks once more, when it has opened both, by files, memory and full names.
    """
    source, part = place
    if not any(link.kind == "owner" for link in joins) or not isinstance(source, (str, list)):
        return
    for link in joins:
        if (part or link.part) and part != link.part:
            continue
        is_path = isinstance(source, str) and "://" not in source
        is_same = is_path and isinstance(link.source, str) and link.source == source
        if link.source is source or is_same:
            raise InputError(
                f"{shown(name)} and {shown(link.name)} are one source.",
                kind="same-source",
                why="whoever comes with a row in it brings a fact that others refer to, and so "
                "moves the rows of others, further than the plan is priced for",
                fix="join rows of one unit by discreet.join, or write facts that name no unit into "
                "a table of their own",
            )


def refuse_one_name(name: str, joins: Sequence[Join]) -> None:
    """Refuse tables of a join that have the same name."""
    if any(join.name == name for join in joins):
        raise InputError(
            "two joined tables have one name.",
            kind="join-wrong",
            why="releases tell them apart by it",
            fix="give each a name of its own",
        )


def two_owners(first: str, joins: Sequence[Join]) -> str:
    """Return what is said first of facts to which several units may refer; "" where none can."""
    owners = [link.name for link in joins if link.kind == "owner"]
    if not owners:
        return ""
    return (
        f"Two units may refer to one row of {shown(first)}, by their rows in {shown(owners[0])}: "
        "it counts for each of them, and stays when one of them goes."
    )


def protected_together(first: str, joins: Sequence[Join]) -> str:
    """Return one sentence: which rows come or go with a unit, for a table of a name.

    Example:
        >>> protected_together("visits", [join("people.csv", gives=["age"])])
        'A unit is protected with all its rows in visits and people.csv together.'
    """
    owners = [link.name for link in joins if link.kind == "owner"]
    own = [link.name for link in joins if link.kind == "own"]
    *some, last = map(shown, owners + own if owners else [first, *own])
    named = f"{', '.join(some)} and {last}" if some else last
    if not owners:
        return f"A unit is protected with all its rows in {named} together."
    return (
        f"A unit is protected with all its rows in {named}, and with those rows of {shown(first)} "
        f"that no other unit's rows in {shown(owners[0])} refer to."
    )


def joins_of(plain: Iterable[Mapping[str, Any]]) -> list[Join]:
    """Return the joins that `Join.plain()` wrote; where their data lies is no part of it."""
    return [
        _made(
            link["kind"],
            (None, link.get("table")),
            link["name"],
            link["gives"],
            {"on": link["on"], "key": link["key"]},
            link.get("csv"),
        )
        for link in plain
    ]


def checked_joins(
    arguments: Sequence[object], unit: Unit, unknown: Iterable[str], csv: CsvOptions
) -> tuple[Join, ...]:
    """Return the joins of a table, who owns its rows first, or raise InputError.

    Cells that are written as those of the table are said to be so, whoever says it in full.
    """
    for link in arguments:
        if not isinstance(link, Join):
            raise InputError(
                f"{as_given(link)} is no join.",
                kind="wrong-type",
                why="a join says how the rows of another table belong to a unit",
                fix="make it by discreet.join, or by discreet.owner",
            )
    joins = sorted(cast("Sequence[Join]", arguments), key=lambda link: link.kind != "owner")
    if not joins:
        return ()
    if unit.column is None:
        raise InputError(
            f"{shown(joins[0].name)} is joined, and the unit is a row.",
            kind="join-wrong",
            why="a row of another table would reach many rows here, which are not one unit's",
            fix=write(of="table", unit=call("discreet.unit", BLANK, max_rows=BLANK)),
        )
    for column in unknown:
        raise InputError(
            f"the keys of {shown(column)} cannot be looked for in joined tables.",
            kind="keys-unknown-here",
            why="finding them reads one table, and no test compares it over several",
            fix="list the keys",
        )
    _check_owners(joins, unit.column)
    _check_names(joins)
    whole = (_whole(link, unit.column) for link in joins)
    return tuple(replace(join, csv=None) if join.csv == csv else join for join in whole)


def _check_owners(joins: Sequence[Join], unit: str) -> None:
    owners = [link for link in joins if link.kind == "owner"]
    if len(owners) > 1:
        raise InputError(
            f"{shown(owners[0].name)} and {shown(owners[1].name)} both say who owns the rows.",
            kind="join-wrong",
            why="over two links a row in the middle can be that of several units, and which rows "
            "come or go with one of them is proved for one link alone",
            fix="put both into one table first, which names the unit of each row",
        )
    for link in owners:
        if unit not in link.gives:
            raise InputError(
                f"{shown(link.name)} says who owns the rows, and does not give {shown(unit)}.",
                kind="join-wrong",
                why="the unit that is protected is the owner",
                fix=write(gives=[*link.gives, unit]),
            )


def _check_names(joins: Sequence[Join]) -> None:
    """Refuse two tables of one name, and a column that two of them give."""
    seen: dict[str, str] = {}
    for link in joins:
        for column in link.gives:
            other = seen.setdefault(column, link.name)
            if other != link.name:
                raise InputError(
                    f"{shown(other)} and {shown(link.name)} both give {shown(column)}.",
                    kind="column-twice",
                    why="then a name does not say which column is meant",
                    fix="leave it out of one of them, or rename it there",
                )
    for number, join in enumerate(joins, 1):
        refuse_one_name(join.name, joins[number:])


def _whole(link: Join, unit: str) -> Join:
    """Return a join with all its names, or refuse one that is not over the unit."""
    if link.kind == "owner":
        return link
    if link.on not in ("", unit):
        raise InputError(
            f"{shown(link.name)} is joined by {shown(link.on)}, which is not the unit "
            f"{shown(unit)}.",
            kind="join-wrong",
            why="rows would be joined with rows of others, so that one unit could move them all",
            fix=(
                leave_out("on"),
                Do(
                    call("discreet.owner", Variable("source"), on=link.on, gives=[unit]),
                    ", if it names the unit of each row",
                ),
            ),
        )
    if unit in link.gives:
        raise InputError(
            f"{shown(link.name)} gives {shown(unit)}, which is the unit.",
            kind="join-wrong",
            why="rows of one unit are joined, so that it is known already",
            fix=name_columns(
                "gives", [name for name in link.gives if name != unit], most=_MANY, listed=True
            ),
        )
    return replace(link, on=unit, key=link.key or unit)
