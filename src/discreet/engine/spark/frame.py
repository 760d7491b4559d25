"""What a Spark data frame is, before a row of it is made: its columns' types, and its plan.

Rules of this module:
- a frame is read if each of its rows is a row of a table, file or list, and no cell of it can stop
  what reads it: its plan is looked at, as far as this machine can see it; for all else its curator
  vouches;
- a stream, and a frame of rows drawn by chance, are refused whatever anybody says.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from ...errors import InputError, shown
from ...fix import write
from ...schema import Table
from .stored import is_handed_over, is_stored, what_may_stop

_KINDS = {
    "boolean": "BOOLEAN",
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "VARCHAR",
    "binary": "BLOB",
    "date": "DATE",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ntz": "TIMESTAMP",
    "void": '"NULL"',
}
_BINARY = "UTF8_BINARY"  # the collation that compares bytes
_CHAR = "__CHAR_VARCHAR_TYPE_STRING"  # where Spark notes what a column of text was declared as

_ROWS = {  # nodes of a plan whose rows are those below, or the numbers of a range, as they are
    *("LocalRelation", "Range", "SubqueryAlias", "InMemoryRelation"),
    *("Repartition", "RepartitionByExpression", "ResolvedHint"),
}
_CHANCE = re.compile(r"^[ :|+-]*Sample |\b(rand|randn|random|randstr|uniform|uuid|shuffle)\(", re.M)


def kinds_of(frame: Any) -> dict[str, str]:
    """Return what `cells` calls the type of each column; types that it does not know keep theirs.

    A column of text that is not compared byte by byte has a type of its own, which is refused.
    """
    return {field.name: _kind(field) for field in frame.schema.fields}


def _kind(field: Any) -> str:
    kind = str(field.dataType.simpleString())
    declared = str((field.metadata or {}).get(_CHAR, ""))
    if declared.startswith("char"):
        return "CHAR"
    if kind.startswith("decimal("):
        return kind.upper()
    if kind.startswith("string") and getattr(field.dataType, "collation", _BINARY) != _BINARY:
        return kind
    return _KINDS.get(kind, kind)


def check_frame(frame: Any, table: Table) -> None:
    """Refuse a frame whose rows may not be rows of one thing each.

    Raises:
        InputError: it is a stream, or drawn by chance, or needs its curator's word; or a column
            has a name that Spark would not keep.
    """
    if frame.isStreaming:
        raise InputError(
            f"{shown(table.name)} is a stream.", kind="read-once",
            why="a release counts one state of the data, which a stream does not have",
            fix="write the stream into a table, and count that",
        )  # fmt: skip
    if any("${" in name for name in frame.columns):
        raise InputError(
            f"{shown(table.name)} has a column whose name holds ${{.", kind="column-name",
            why="Spark puts the value of a setting there wherever it reads a query",
            fix="give the column another name: frame.withColumnRenamed",
        )  # fmt: skip
    plan = None
    with suppress(Exception):  # a frame of Spark Connect keeps its plan on the server
        plan = frame._jdf.queryExecution().analyzed()  # noqa: SLF001 - there is no other way
    if _is_by_chance(frame) if plan is None else not plan.deterministic():
        raise InputError(
            f"{shown(table.name)} has columns or rows that are drawn by chance.",
            kind="rows-not-proved", why="Spark may make a row twice, and then differently",
            fix="write the frame into a table, and count that",
        )  # fmt: skip
    if table.vouched is not None:
        return
    word = write("with the reason why none can", of="table", vouched="?")
    if plan is None or not all(_is_plain(node, frame) for node in _nodes(plan)):
        raise InputError(
            f"{shown(table.name)} is a frame, and discreet cannot see that each row is a row of a "
            "table.", kind="rows-not-proved",
            why="a row could be made of several rows, and an expression that fails on a cell would "
            "stop all",
            fix=("pass the table that it reads, as spark.table or spark.read make it", word),
        )  # fmt: skip
    columns = {*frame.columns, *(name for node in _nodes(plan) for name in _renamed(node))}
    for node in _nodes(plan):
        for option, way in what_may_stop(node, frame.sparkSession, columns):
            raise InputError(
                f"{shown(table.name)} is read with {shown(option)}.", kind="engine-settings",
                why="by it one cell can end the count, or take other rows with it",
                fix=(way, word),
            )  # fmt: skip


def _is_by_chance(frame: Any) -> bool:
    """Say whether a server says that a frame of Spark Connect draws columns or rows.

    What a function of its owner draws, nobody can see.
    """
    with suppress(Exception):
        return _CHANCE.search(frame._explain_string(extended=True)) is not None  # noqa: SLF001
    return False


def _nodes(plan: Any) -> Iterator[Any]:
    yield plan
    below = plan.children()
    for place in range(below.size()):
        yield from _nodes(below.apply(place))


def _is_plain(node: Any, frame: Any) -> bool:
    """Say whether the rows of a node are those below it; a projection may pick and rename."""
    name = node.getClass().getSimpleName()
    if name == "Project":
        picked = node.projectList()
        return all(_is_column(picked.apply(place)) for place in range(picked.size()))
    if name == "LogicalRDD":
        return is_handed_over(node, frame.sparkSession)
    return name in _ROWS or is_stored(node)


def _renamed(node: Any) -> Iterator[str]:
    """Yield which columns a projection gives another name."""
    if node.getClass().getSimpleName() != "Project":
        return
    picked = node.projectList()
    for place in range(picked.size()):
        expression = picked.apply(place)
        if expression.getClass().getSimpleName() == "Alias":
            below = expression.references().toSeq()
            yield from (str(below.apply(at).name()) for at in range(below.size()))


def _is_column(expression: Any) -> bool:
    """Say whether an expression is a column, by another name or filled up to its fixed length."""
    name = expression.getClass().getSimpleName()
    if name == "Alias":
        expression = expression.child()
        name = expression.getClass().getSimpleName()
    if name == "StaticInvoke":
        return str(expression.functionName()) == "readSidePadding"
    return bool(name == "AttributeReference")
