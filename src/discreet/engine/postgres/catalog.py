"""What the server's catalog says of a table: where it is, of what kind, and its columns' types.

Rules of this module:
- only the catalog is read, by functions and operators of the server itself;
- a table is counted if it holds its rows itself; what makes rows when it is read (a view, a foreign
  table, a policy on rows) is counted only if its curator vouches for it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from ...errors import InputError, shown
from ...fix import write
from ...schema import Table
from ..sql.cells import DECIMALS
from ..table_names import of_two, readings

if TYPE_CHECKING:
    import psycopg

_MADE = {"v": "a view", "f": "a foreign table", "m": "a materialized view"}

_FIND = """
SELECT c.oid::bigint, n.nspname, c.relname, n.oid = pg_my_temp_schema(), c.relkind,
  row_security_active(c.oid), EXISTS (WITH RECURSIVE below AS (
      SELECT inhrelid FROM pg_inherits WHERE inhparent = c.oid
      UNION SELECT i.inhrelid FROM pg_inherits i JOIN below b ON i.inhparent = b.inhrelid)
    SELECT FROM below JOIN pg_class k ON k.oid = inhrelid WHERE k.relkind = 'f')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN unnest($1::text[], $2::text[]) AS said(space, called) ON c.relname::text = said.called
WHERE c.relkind IN ('r', 'p', 'm', 'v', 'f') AND NOT pg_is_other_temp_schema(n.oid)
  AND CASE said.space WHEN '' THEN n.oid = pg_my_temp_schema() OR n.nspname = ANY ($3::text[])
    WHEN 'pg_temp' THEN n.oid = pg_my_temp_schema() ELSE n.nspname::text = said.space END
ORDER BY array_position($3::text[], n.nspname::text) NULLS LAST
"""

_COLUMNS = """
WITH RECURSIVE base AS (
  SELECT attnum, attname, atttypid AS kind, atttypmod AS size
  FROM pg_attribute WHERE attrelid = $1::bigint::oid AND attnum > 0 AND NOT attisdropped
  UNION ALL
  SELECT b.attnum, b.attname, t.typbasetype, t.typtypmod
  FROM base b JOIN pg_type t ON t.oid = b.kind WHERE t.typtype = 'd')
SELECT b.attname, t.typname, t.typtype, b.size, t.typnamespace = 'pg_catalog'::regnamespace,
  EXISTS (SELECT FROM pg_cast WHERE castsource = t.oid)
FROM base b JOIN pg_type t ON t.oid = b.kind WHERE t.typtype <> 'd' ORDER BY b.attnum
"""

_BELOW = """
WITH RECURSIVE below(oid) AS (
  SELECT unnest($1::bigint[])::oid
  UNION SELECT other.oid FROM below b, LATERAL (
    SELECT d.refobjid AS oid FROM pg_rewrite r JOIN pg_depend d
      ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
      AND d.refclassid = 'pg_class'::regclass
    WHERE r.ev_class = b.oid
    UNION SELECT inhrelid FROM pg_inherits WHERE inhparent = b.oid) AS other)
SELECT b.oid::bigint, coalesce(c.relfilenode::bigint, 0),
  coalesce(pg_relation_filenode(b.oid)::bigint, 0), coalesce(c.relispopulated, false),
  coalesce(c.relkind <> 'f', false) AND NOT EXISTS (SELECT FROM pg_rewrite r JOIN pg_depend d
    ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
    AND d.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass) WHERE r.ev_class = b.oid)
FROM below b LEFT JOIN pg_class c ON c.oid = b.oid
"""

_READABLE = """
SELECT attname FROM pg_attribute WHERE attrelid = $1::bigint::oid AND attnum > 0
  AND NOT attisdropped AND has_column_privilege(attrelid, attnum, 'SELECT')
"""

_KINDS = {
    "bool": "BOOLEAN",
    "int2": "SMALLINT",
    "int4": "INTEGER",
    "int8": "BIGINT",
    "float4": "FLOAT",
    "float8": "DOUBLE",
    "text": "VARCHAR",
    "varchar": "VARCHAR",
    "bytea": "BLOB",
    "date": "DATE",
    "time": "TIME",
    "timetz": "TIME WITH TIME ZONE",
    "timestamp": "TIMESTAMP",
    "timestamptz": "TIMESTAMP WITH TIME ZONE",
    "interval": "INTERVAL",
    "uuid": "UUID",
    "bpchar": "CHAR",
}
_MOST_DIGITS = 38


@dataclass(frozen=True, slots=True)
class ServerTable:
    """A table of the server: its number and full name, and the type of each column."""

    number: int
    schema: str
    name: str
    kinds: Mapping[str, str]

    @property
    def address(self) -> exp.Table:
        """The full name, quoted."""
        schema, name = (exp.to_identifier(part, quoted=True) for part in (self.schema, self.name))
        return exp.Table(this=name, db=schema)


def look(cursor: "psycopg.RawCursor[Any]", path: Sequence[str], table: Table) -> ServerTable:
    """Return the table that is called so; schemas are searched in the order of the path.

    Raises:
        InputError: there is none, or more than one, or its rows are made when it is read.
    """
    number, schema, name, kind, is_filtered, reaches_far = _found(cursor, path, table)
    made = _MADE.get(kind) or ("a table with foreign parts" if reaches_far else None)
    made = "a table with a policy on its rows" if is_filtered else made
    if made is not None and table.vouched is None:
        raise InputError(
            f"{shown(table.name)} is {made}, which makes its rows on each reading.",
            kind="rows-not-proved",
            why="a row could be made of several rows, and a cell could stop all",
            fix=(
                "name the table that it reads",
                write("with the reason why none can", of="table", vouched="?"),
            ),
        )
    columns = cursor.execute(_COLUMNS, (number,)).fetchall()
    return ServerTable(number, schema, name, {column: _kind(*kind) for column, *kind in columns})


def _found(cursor: "psycopg.RawCursor[Any]", path: Sequence[str], table: Table) -> Sequence[Any]:
    """Return what the catalog says of the one table that a name means."""
    addresses = [("", *parts)[-2:] for parts in readings(table.name, 2)]
    spaces, names = [space for space, _ in addresses], [name for _, name in addresses]
    rows = cursor.execute(_FIND, (spaces, names, list(path))).fetchall()
    searched: dict[
        tuple[str, str], tuple[Any, ...]
    ] = {}  # of each name, the first schema of the path
    for number, schema, name, is_own, *facts in rows:
        is_full = (schema, name) in addresses or (is_own and ("pg_temp", name) in addresses)
        place = (schema, name) if is_full or is_own else ("", name)
        searched.setdefault(place, ("pg_temp" if is_own else schema, number, schema, name, *facts))
    matches = {row[1]: row for row in searched.values()}
    if len(matches) > 1:
        raise of_two(table.name, [(row[0], row[3]) for row in matches.values()])
    for row in matches.values():
        return row[1:]
    raise InputError(
        f"the database has no table {shown(table.name)!r}.",
        kind="table-not-found",
        why="the table's name says which table of the connection is read, with its schema or "
        "without; of temporary tables those of this session",
        fix="name a table of the database, with its schema or without",
    )


@dataclass(frozen=True, slots=True)
class Below:
    """A table that another one, or a view, is made of; or that it is itself.

    Attributes:
        number: of the table.
        is_as_seen: whether its rows lie where the transaction's snapshot says that they do: not
            where it was truncated, rewritten, refreshed or made anew since.
        is_filled: whether it holds rows at all: not a materialized view WITH NO DATA.
        is_named: whether the catalog names all that its rows come from: a foreign table can be any
            table, and a function of a user's can read any (those of the server leave no mark).
    """

    number: int
    is_as_seen: bool
    is_filled: bool
    is_named: bool


def below(cursor: "psycopg.RawCursor[Any]", numbers: Sequence[int]) -> tuple[Below, ...]:
    """Return all tables that those of these numbers are made of, themselves among them."""
    rows = cursor.execute(_BELOW, ([*numbers],)).fetchall()
    return tuple(Below(number, seen == now, *facts) for number, seen, now, *facts in rows)


def readable(cursor: "psycopg.RawCursor[Any]", server_table: ServerTable) -> set[str]:
    """Return the columns that this user may read."""
    return {name for (name,) in cursor.execute(_READABLE, (server_table.number,)).fetchall()}


def _kind(name: str, form: str, size: int, is_of_the_server: bool, is_cast: bool) -> str:  # noqa: FBT001
    """Return what `cells` calls a type; types that it does not know keep their name.

    An enum whose owner casts it is none: that function may look at other rows, or fail on a cell.
    """
    if form == "e":
        return f"{name}, with a cast of its owner" if is_cast else "ENUM()"
    if not is_of_the_server:
        return name
    if name == "numeric":
        digits, places = (size - 4) >> 16 & 0xFFFF, (size - 4) & 0x7FF
        is_short = size >= 4 and digits <= _MOST_DIGITS and places <= digits
        return f"DECIMAL({digits},{places})" if is_short else DECIMALS
    return _KINDS.get(name, name)
