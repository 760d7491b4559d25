"""Which values an expression can give at all, where that follows from its text.

A key that a derived column can never be is a group of nobody: a plan says so before it is paid for.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from ..expressions import Typed
from ..expressions.listed import number_of
from ..expressions.literals import day_of
from ..expressions.tree import signed
from .derived import formulas
from .ends import end_text
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


def unlisted(table: "Table", trees: Iterable[Typed]) -> dict[str, list[str]]:
    """Return the literals that columns with public keys are compared with, and that are no key.

    Args:
        table: what is declared.
        trees: the conditions of questions, beside the table's own expressions.
    """
    found: dict[str, dict[str, None]] = {}
    whole = (*trees, *(one.tree for one in formulas(table)))
    for one in (one for tree in whole for one in tree.compared()):
        names = [arg.value for arg in one.args if arg.op == "column"]
        if len(names) == 1 and names[0] in table.keys and names[0] not in table.unknown:
            literals = [arg for arg in map(signed, one.args) if arg is not None]
            gone = [_said(arg) for arg in literals if not _is_key(arg, table, names[0])]
            found.setdefault(names[0], {}).update(dict.fromkeys(gone))
    return {name: [*said] for name, said in found.items() if said}


def _is_key(literal: Typed, table: "Table", name: str) -> bool:
    """Say whether a literal is a public key of a column, or a way to say one."""
    if literal.kind == "moment":
        return True
    texts = [*table.keys[name], *(t for of in table.spelled.get(name, ()) for t in of)]
    if len(texts) > _MOST or (literal.kind == "text" and literal.value in texts):
        return True
    if literal.kind == "day":
        days = [day_of(str(key)) for key in texts]
        return None in days or int(literal.value) in days
    value = number_of(literal.value)
    return value is not None and any(
        value == (number_of(key) if isinstance(key, str) else key)
        for key in texts
        if literal.kind != "text" or not isinstance(key, str)
    )


def _said(literal: Typed) -> str:
    if literal.kind == "day":
        return end_text(Fraction(literal.value), "day")
    return repr(literal.value) if literal.kind == "text" else literal.value


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
