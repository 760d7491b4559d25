"""Whether a query of DuckDB makes each row of one row, and the same in a form that cannot fail.

The functions of DuckDB that a view may call: known one by one, each of its arguments alone.

Rules of this module:
- DuckDB's own parser reads the query, and what is not known to look at one row is refused:
  aggregates, windows, sub-queries, joins, DISTINCT, LIMIT, unions, functions of the user;
- every expression is put into TRY, so that a cell that it fails on is missing, and stops nobody's
  release;
- a view over views is read down to its tables;
- a function is listed only if it looks at its arguments alone, fails in a way that TRY catches, and
  makes no large cell of a small one; what is new in DuckDB is refused until it is looked at;
- a connection whose own macros have the name of one of DuckDB's functions is not read at all.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from sqlglot import exp, parse_one, tokenize
from sqlglot.errors import SqlglotError

from ...errors import InputError, shown
from ...fix import write

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


Node = dict[str, Any]
Address = tuple[str, ...]  # of a database, a schema and a name

_PLAIN = {"COLUMN_REF", "CONSTANT", "STAR"}
_KNOWN = {
    *_PLAIN,
    *("CASE", "CAST", "COLLATE", "COMPARISON", "CONJUNCTION", "BETWEEN", "FUNCTION", "OPERATOR"),
    *("TYPE",),
}
_OPERATORS = {
    *("OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL", "OPERATOR_NOT", "OPERATOR_COALESCE"),
    *("OPERATOR_TRY", "COMPARE_IN", "COMPARE_NOT_IN", "ARRAY_EXTRACT", "ARRAY_SLICE"),
    *("STRUCT_EXTRACT", "ARRAY_CONSTRUCTOR"),
}
_EMPTY = {
    "group_expressions": "GROUP BY",
    "group_sets": "GROUP BY",
    "having": "HAVING",
    "qualify": "QUALIFY",
    "sample": "a sample",
}


class RefusedQuery(Exception):  # noqa: N818 - it never leaves this module
    """What in a query looks at more than one row."""


@dataclass(frozen=True, slots=True)
class Catalog:
    """What a connection knows of its tables and views; names differ in case alone nowhere.

    Attributes:
        here: the current database and schema.
        tables: the address of each table and view, by the address in lower case.
        views: the CREATE statement of each view, by its address.
        macros: the names of macros that are the user's own, in lower case.
    """

    here: Address
    tables: Mapping[Address, Address]
    views: Mapping[Address, str]
    macros: frozenset[str] = frozenset()

    def find(self, parts: Sequence[str], home: Address) -> Address:
        """Return the one table or view that a name means in a view of the schema `home`."""
        *above, last = parts
        if len(above) == 1:
            schema = above[0]
            addresses: list[Address] = [(schema, "main", last)]
            addresses += [(home[0], schema, last), (self.here[0], schema, last)]
        else:
            schemas = [tuple(above)] if above else [("temp", "main"), home[:2], self.here]
            addresses = [(*schema, last) for schema in schemas]
        there = {self.tables[f] for address in addresses if (f := _folded(address)) in self.tables}
        if len(there) != 1:
            raise RefusedQuery("a name of several tables" if there else _UNKNOWN)
        return there.pop()


_UNKNOWN = "a source that is no table of the database"


def _folded(parts: Sequence[str]) -> Address:
    return tuple(part.lower() for part in parts)


def checked(query: str, catalog: Catalog, name: str, *, vouched: bool) -> str | None:
    """Return a query in the form that cannot fail; None where its curator vouches for it instead.

    Args:
        query: a SELECT statement.
        catalog: what its connection knows.
        name: what the data is called, for the message.
        vouched: whether the curator said in words why each row is made of one row.

    Raises:
        InputError: it is not seen to make each row of one row.
    """
    import duckdb

    with duckdb.connect(":memory:") as parser:
        try:
            return _total(query, catalog, parser, catalog.here)
        except RefusedQuery as reason:
            if vouched:
                return None
            raise InputError(
                f"{shown(name)} is not seen to make each of its rows of one row: it has {reason}.",
                kind="rows-not-proved",
                why="a row that is made of many persons' rows protects none of them",
                fix=(
                    "name the table under it",
                    write(
                        "with the reason why each row is made of one row of one unit; releases "
                        "repeat it",
                        of="table",
                        vouched="?",
                    ),
                ),
            ) from None


def catalog_of(ask: Callable[[str], list[Any]]) -> Catalog:
    """Return what a connection knows, from `ask`, which returns the rows of a query on it."""
    if ask(_REPLACED)[0][0]:
        raise InputError(
            "the connection has a macro with the name of one of DuckDB's own functions.",
            kind="rows-not-proved",
            why="the query that counts would call it in the place of DuckDB's",
            fix="DROP MACRO, or name it otherwise",
        )
    views = ask("SELECT database_name, schema_name, view_name, sql FROM duckdb_views()")
    return Catalog(
        here=tuple(ask("SELECT current_database(), current_schema()")[0]),
        tables={_folded(row): tuple(row) for row in ask(_TABLES)},
        views={tuple(parts): sql for *parts, sql in views},
        macros=frozenset(name for (name,) in ask(_MACROS)),
    )


_MACROS = """
    SELECT DISTINCT lower(function_name) FROM duckdb_functions()
    WHERE NOT internal AND function_type IN ('macro', 'table_macro')
"""


_TABLES = """
    SELECT table_catalog, table_schema, table_name FROM information_schema.tables
    WHERE table_catalog IN (SELECT database_name FROM duckdb_databases() WHERE type = 'duckdb')
"""


_REPLACED = """
    SELECT count(*) FROM duckdb_functions() AS theirs
    WHERE NOT internal AND function_type IN ('macro', 'table_macro') AND EXISTS (
        SELECT 1 FROM duckdb_functions() AS own
        WHERE own.internal AND lower(own.function_name) = lower(theirs.function_name))
"""


def bases_of(address: Address, catalog: Catalog) -> frozenset[Address] | None:
    """Return the tables of a connection that a table or a view is made of; itself of a table.

    None where its query does not name all of them: by a function, a macro, a file or a frame.
    """
    bases: set[Address] = set()
    left, seen = [address], set()
    while left:
        current = left.pop()
        create = catalog.views.get(current)
        if create is None:
            bases.add(current)
        elif current not in seen:
            seen.add(current)
            below = None
            with suppress(RefusedQuery, SqlglotError):
                below = named_tables(_select_of(create), catalog, current)
            if not below:
                return None
            left += below
    return frozenset(bases)


def named_tables(query: str, catalog: Catalog, home: Address) -> list[Address] | None:
    """Return the tables and views that a query reads; None where it does not name all plainly.

    Raises:
        RefusedQuery: a name of no table, or of several.
        SqlglotError: it cannot be read.
    """
    if any(token.text.lower() in catalog.macros for token in tokenize(query, read="duckdb")):
        return None  # what a macro reads stands in its own query
    tree, addresses = parse_one(query, dialect="duckdb"), []
    parts_of_query = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        parts = tuple(part.name for part in table.parts)
        if not all(isinstance(part, exp.Identifier) for part in table.parts):
            return None
        try:
            addresses.append(catalog.find(parts, home))
        except RefusedQuery:
            if parts[-1].lower() not in parts_of_query or len(parts) > 1:
                raise
    return addresses


def bases_of_query(query: str, catalog: Catalog) -> frozenset[Address] | None:
    """Return the tables that a query is made of; None where it does not name all of them."""
    below = None
    with suppress(RefusedQuery, SqlglotError):
        below = named_tables(query, catalog, catalog.here)
    listed = [None] if below is None else [bases_of(address, catalog) for address in below]
    known = [bases for bases in listed if bases is not None]
    return frozenset().union(*known) if known and len(known) == len(listed) else None


def _total(
    query: str,
    catalog: Catalog,
    parser: "DuckDBPyConnection",
    home: Address,
    depth: int = 0,
) -> str:
    """Return the query with every expression in TRY, and views in place of their names."""
    if depth > _DEEPEST:
        raise RefusedQuery("too many views below it")
    node = _parsed(query, parser)
    _check_select(node)
    for expression in _expressions(node):
        _check_expression(expression)
    node["select_list"] = [_tried(column) for column in node["select_list"]]
    if node["where_clause"]:
        node["where_clause"] = _try(node["where_clause"])
    node["modifiers"] = []  # an order, which decides nothing
    table = node["from_table"]
    parts = tuple(part for part in table["qualified_name"]["path"] if part)
    address = catalog.find(parts, home)
    create = catalog.views.get(address)
    below = f"discreet_view_{depth}"
    path = address if create is None else ("", "", below)
    table["alias"] = table["alias"] or parts[-1]
    table |= dict(zip(("catalog_name", "schema_name", "table_name"), path, strict=True))
    table["qualified_name"] = {"path": [part for part in path if part]}
    text = json.dumps({"error": False, "statements": [{"node": node, "named_param_map": []}]})
    sql = parser.execute("SELECT json_deserialize_sql(?::JSON)", [text]).fetchall()[0][0]
    if create is None:
        return cast("str", sql)
    inner = _total(_select_of(create), catalog, parser, address, depth + 1)
    return f"WITH {below} {_columns_of(create)} AS ({inner}) {sql}"


_DEEPEST = 20


def _parsed(query: str, parser: "DuckDBPyConnection") -> Node:
    text = parser.execute("SELECT json_serialize_sql(?)", [query]).fetchall()[0][0]
    read = json.loads(text)
    if read["error"] or len(read["statements"]) != 1:
        raise RefusedQuery("another form than SELECT ... FROM ... WHERE")
    return cast("Node", read["statements"][0]["node"])


def _check_select(node: Node) -> None:
    if node["type"] != "SELECT_NODE":
        raise RefusedQuery("a UNION or another form than SELECT ... FROM ... WHERE")
    for modifier in node["modifiers"]:
        kind = modifier["type"].removesuffix("_MODIFIER")
        if kind != "ORDER":
            raise RefusedQuery({"LIMIT": "LIMIT", "DISTINCT": "DISTINCT"}.get(kind, "a modifier"))
    if node["cte_map"]["map"]:
        raise RefusedQuery("WITH")
    for part, words in _EMPTY.items():
        if node[part]:
            raise RefusedQuery(words)
    if node["aggregate_handling"] != "STANDARD_HANDLING":
        raise RefusedQuery("GROUP BY")
    table = node["from_table"]
    if table["type"] != "BASE_TABLE" or table["sample"] or table["column_name_alias"]:
        kinds = {"JOIN": "a join", "SUBQUERY": "a sub-query", "TABLE_FUNCTION": "a table function"}
        raise RefusedQuery(kinds.get(table["type"], "another source than one table"))


def _expressions(node: Node) -> list[Node]:
    return [*node["select_list"], *([node["where_clause"]] if node["where_clause"] else [])]


def _check_expression(expression: Node) -> None:
    for part in _parts(expression):
        kind = part["class"]
        if kind not in _KNOWN:
            raise RefusedQuery(_WORDS.get(kind, "an expression of another kind"))
        if kind == "OPERATOR" and part["type"] not in _OPERATORS:
            raise RefusedQuery("an operator of another kind")
        if kind == "STAR" and part["columns"]:
            raise RefusedQuery("COLUMNS")
        if kind == "COLUMN_REF" and part["column_names"][-1].lower() == "rowid":
            raise RefusedQuery("rowid, which other rows decide")
        if kind == "FUNCTION" and (
            part["function_name"] not in ROW_FUNCTIONS
            or part["distinct"]
            or part["filter"]
            or part["order_bys"]["orders"]
        ):
            raise RefusedQuery(f"the function {shown(part['function_name'], 30)}")


_WORDS = {"WINDOW": "a window", "SUBQUERY": "a sub-query", "PARAMETER": "a parameter"}


def _parts(tree: object) -> Iterator[Node]:
    """Return every expression of a tree."""
    if isinstance(tree, list):
        for branch in tree:
            yield from _parts(branch)
    elif isinstance(tree, dict):
        if "class" in tree:
            yield tree
        for branch in tree.values():
            yield from _parts(branch)


def _tried(expression: Node) -> Node:
    """Return an expression of the list in TRY, under the name that it has."""
    if expression["class"] == "STAR":
        for pair in expression["replace_list"]:
            pair["value"] = _try(pair["value"])
        return expression
    return expression if expression["class"] in _PLAIN else _try(expression)


def _try(expression: Node) -> Node:
    name, inner = expression["alias"], {**expression, "alias": ""}
    return {"class": "OPERATOR", "type": "OPERATOR_TRY", "alias": name, "children": [inner]}


def _select_of(create: str) -> str:
    """Return the query of CREATE VIEW name (columns) AS query."""
    return create[_as_of(create) + 2 :].strip().rstrip(";")


def _columns_of(create: str) -> str:
    """Return the columns in parentheses that a view gives its query, or nothing."""
    tokens = [t for t in tokenize(create, read="duckdb") if t.start < _as_of(create)]
    opens = [token.start for token in tokens if token.text == "("]
    return create[opens[0] : _as_of(create)].strip() if opens else ""


def _as_of(create: str) -> int:
    """Return where AS stands: the first that is a word of its own, outside of quotes."""
    for token in tokenize(create, read="duckdb"):
        if token.text.upper() == "AS" and create[token.start : token.end + 1].upper() == "AS":
            return token.start
    raise RefusedQuery("a form that cannot be read")


_LISTED = """
! !~~ !~~* % & * ** + - / // << <= <> < = > >= >> ^ ^@ | || ~ ~~ ~~* ~~~ abs acos acosh add asin
asinh atan atan2 atanh bit_count bit_length cbrt ceil ceiling cos cosh cot degrees divide even
exp fdiv floor fmod gamma gcd greatest_common_divisor isfinite isinf isnan lcm
least_common_multiple lgamma ln log log10 log2 mod multiply nextafter pi pow power radians round
sign signbit sin sinh sqrt subtract tan tanh trunc xor greatest least if ifnull nullif coalesce
ascii base64 chr char_length character_length concat concat_ws contains damerau_levenshtein
decode editdist3 encode ends_with from_base64 from_hex hamming hex instr jaccard jaro_similarity
jaro_winkler_similarity lcase left left_grapheme len length length_grapheme levenshtein
like_escape lower ltrim md5 mismatches nfc_normalize not_like_escape ord position prefix
regexp_extract regexp_full_match regexp_matches regexp_replace replace reverse right
right_grapheme rtrim sha1 sha256 split split_part starts_with str_split str_split_regex
string_split string_split_regex string_to_array strip_accents strlen strpos substr substring
substring_grapheme suffix to_base64 to_hex translate trim ucase unhex unicode upper url_decode
url_encode century date_add date_diff date_part date_sub date_trunc datediff datepart datesub
datetrunc day dayname dayofmonth dayofweek dayofyear decade epoch epoch_ms epoch_ns epoch_us era
hour isodow isoyear julian last_day make_date make_time make_timestamp microsecond millennium
millisecond minute month monthname nanosecond quarter second strftime strptime to_centuries
to_days to_decades to_hours to_microseconds to_millennia to_milliseconds to_minutes to_months
to_quarters to_seconds to_timestamp to_weeks to_years try_strptime week weekday weekofyear year
yearweek array_contains array_extract array_has list_contains list_element list_extract list_has
list_value struct_extract struct_pack row map_extract map_extract_value
"""

ROW_FUNCTIONS = frozenset(_LISTED.split())
