"""The calls that declare a table, and a join, again: what their `repr` says, to be pasted.

Rules of this module:
- what was declared is said, and nothing that was read: neither a frame, nor keys that were found;
- a source that is no path is called `source`, which whoever pastes the call sets.

Decision 98.
"""

import os
from typing import TYPE_CHECKING

from ..text import pasted
from .csv_options import DEFAULT
from .dataset_name import name_of
from .derived import Derived
from .joins import Join
from .keys import WithOther, keys_typed

if TYPE_CHECKING:
    from .table import Table


class _Variable:
    """The name of what cannot be typed."""

    def __repr__(self) -> str:
        return "source"


def _typed(source: object) -> object:
    """Return a source as it is typed: a path, a list of paths, or a name for what is none."""
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    if isinstance(source, (list, tuple)) and source:
        paths = [_typed(each) for each in source]
        return paths if all(type(path) is str for path in paths) else _Variable()
    return _Variable()


def join_call(join: Join, short: str) -> str:
    """Return the call that declares a join; `short` where it cannot be pasted."""
    options: dict[str, object] = {"on": join.on} if join.kind == "owner" else {}
    options["gives"] = [*join.gives]
    if join.key and join.key != join.on:
        options["key"] = join.key
    if join.kind == "own" and join.on:
        options["on"] = join.on
    if join.name != name_of(join.source):
        options["name"] = join.name
    if join.csv is not None:
        options["csv"] = join.csv.plain()
    verb = "owner" if join.kind == "owner" else "join"
    return pasted(short, f"discreet.{verb}", _typed(join.source), **options)


def table_call(table: "Table", short: str) -> str:
    """Return the calls that declare a table; `short` where they cannot be pasted."""
    options: dict[str, object] = {"unit": "row" if table.unit.column is None else table.unit}
    columns = {name: of for name, of in table.columns.items() if name not in table.derived}
    keys = {name: _keys(table, name) for name in table.keys if name not in table.derived}
    unit_is_row = table.unit.column is None
    more = {
        "columns": columns,
        "keys": keys,
        "neighbors": "" if table.neighbors == "add_remove" else table.neighbors,
        "name": "" if table.name == (name_of(table.source) or "table") else table.name,
        "csv": {} if table.csv is DEFAULT else table.csv.plain(),
        "vouched": table.vouched,
        "rows": table.facts.rows,
        "units": None if unit_is_row else table.facts.units,
    }
    options |= {name: value for name, value in more.items() if value}
    parts = [pasted("", "discreet.table", _typed(table.source), **options)]
    if table.joins:
        parts.append(pasted("", ".joined", *table.joins))
    if table.derived:
        parts.append(pasted("", ".derive", {name: _derived(table, name) for name in table.derived}))
    if table.condition is not None:
        parts.append(pasted("", ".where", table.condition.expression.text))
    return "".join(parts) if all(parts) else short


def _keys(table: "Table", name: str) -> object:
    """Return what was declared of the keys of a column."""
    if name in table.unknown:
        return table.unknown[name]
    listed, has_missing = table.lists.get(name), name in table.missing
    spellings = table.spelled.get(name, ())
    if name in table.others or has_missing or spellings:
        return WithOther(table.keys[name], has_missing, name in table.others, spellings, listed)
    return keys_typed(table.keys[name], listed)


def _derived(table: "Table", name: str) -> Derived:
    """Return what was declared of a derived column."""
    expression = table.derived[name].expression
    keys, listed = table.keys.get(name), table.lists.get(name)
    return Derived(expression, table.columns.get(name), keys, listed)
