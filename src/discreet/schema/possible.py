"""Which values an expression can give at all, where that follows from its text.

A key that a derived column can never be is a group of nobody: a plan says so before it is paid for.
"""

from fractions import Fraction
from typing import TYPE_CHECKING

from ..expressions import Typed
from ..expressions.literals import day_of
from .keys import Key

if TYPE_CHECKING:
    from .table import Table

_MOST = 4_096


def impossible(table: "Table", column: str) -> tuple[Key, ...]:
    """Return the keys of a derived column that no row can have; none where that is open."""
    tree = table.derived[column].tree
    found = _values(tree, table)
    if found is None:
        return ()
    return tuple(key for key in table.keys[column] if _value(key, tree.kind) not in found)


def _values(tree: Typed, table: "Table") -> frozenset[object] | None:
    """Return the values that a tree can give, missing apart; None where that is open."""
    if tree.op == "column":
        made = table.derived.get(tree.value)
        return None if made is None else _values(made.tree, table)
    if tree.op == "literal":
        return frozenset({_literal(tree)})
    if tree.op == "search":
        return frozenset(Fraction(value) for _, value in tree.table)
    if tree.op not in ("case", "coalesce"):
        return None
    last = tree.args[-1:] if len(tree.args) % 2 else ()
    pairs = zip(tree.args[0::2], tree.args[1::2], strict=False)
    reached = [value for test, value in pairs if test.op != "literal" or test.value == "1"]
    given = tree.args if tree.op == "coalesce" else (*reached, *last)
    found: set[object] = set()
    for one in given:
        values = _values(one, table)
        if values is None or len(found) > _MOST:
            return None
        found |= values
    return frozenset(found)


def _literal(tree: Typed) -> object:
    return tree.value if tree.kind == "text" else Fraction(tree.value)


def _value(key: Key, kind: str) -> object:
    """Return a key as the value that a row would have to have."""
    if not isinstance(key, str):
        return Fraction(key)
    days = day_of(key) if kind == "day" else None
    return key if days is None else Fraction(days)
