"""Filters and derived columns of a table: what an expression makes of each row, and nothing else.

A row becomes one row or none, and only its own cells decide. So with m rows of a unit before there
are at most m after, and what one unit can do to an answer is what the table declares, as before.

Which values an expression can give at all, where that follows from its text.

A key that a derived column can never be is a group of nobody: a plan says so before it is paid for.

Rules of this module:
- a derived column has a name of its own, and bounds or keys of its own: it inherits none;
- an expression sees the columns of the data, and the derived columns declared before it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from ..errors import InputError, as_given, shown
from ..expressions import (
    Expression,
    Formula,
    Kind,
    KnownNames,
    Typed,
    expression,
    settled,
    typed,
)
from ..expressions.kinds import WORDS, signed
from ..expressions.listed import number_of
from ..expressions.literals import day_of
from ..fix import Set, call, write
from ..text import pasted, prompt
from .bounds import STEPS, Bounds, end_text
from .keys import Key, WithOther, check_name, checked_keys, keys_typed

if TYPE_CHECKING:
    from .public_list import PublicList
    from .table import Table


_HINTS: dict[type, Kind] = {str: "text", int: "number", bool: "truth"}
_KEYS: dict[Kind, tuple[type, str]] = {
    "number": (int, "whole numbers"),
    "text": (str, "text"),
    "truth": (bool, "True and False"),
    "day": (str, "days, as in 2026-11-03"),
}


@dataclass(frozen=True, slots=True)
class Derived:
    """A column that an expression makes of each row, with its public bounds or keys;
    `discreet.derived` makes it."""

    expression: Expression
    bounds: Bounds | None = None
    keys: tuple[Key, ...] | None = None
    listed: "PublicList | None" = None  # the file that lists its keys

    def __repr__(self) -> str:
        more: dict[str, object] = {} if self.bounds is None else {"bounds": self.bounds}
        if self.keys is not None:
            more["keys"] = keys_typed(self.keys, self.listed)
        short = prompt("Derived", str(self.expression))
        return pasted(short, "discreet.derived", self.expression.text, **more)


def derived(
    expression_: str,
    *,
    bounds: Bounds | None = None,
    keys: Iterable[object] | WithOther | None = None,
) -> Derived:
    """Declare a column that an expression makes of each row.

    Args:
        expression_: the formula of one row, in the language of docs/rows.md: "floor(age / 10)".
        bounds: the public bounds of the new column, for sums, means or histograms.
        keys: the public values of the new column, for groups.

    Returns: the column, for `table.derive`.

    Raises:
        InputError: the expression is not of the language (the message marks the place), or its
            bounds or keys cannot be kept.

    Example:
        >>> dp.derived("floor(age/10)", keys=range(2, 10))
        discreet.derived('floor(age / 10)', keys=range(2, 10))
    """
    if bounds is not None and not isinstance(bounds, Bounds):
        from ..meant import BOUNDS, bounds_meant

        raise InputError(
            f"bounds = {as_given(bounds)} is not made by bounds(...).",
            kind="derived-column",
            why="the range of a column must be public, exact and on a grid",
            fix=write(bounds=bounds_meant(bounds) or BOUNDS),
        )
    if isinstance(keys, Mapping) or (isinstance(keys, WithOther) and keys.spellings):
        raise InputError(
            "the keys of a derived column are a dict.",
            kind="derived-column",
            why="in which ways cells say a key is part of its expression",
            fix="say it there: CASE WHEN x IN ('Yes', 'YES', '1') THEN 'yes' ELSE 'no' END",
        )
    if isinstance(keys, WithOther) and (keys.has_missing or keys.has_other):
        raise InputError(
            "the keys of a derived column have names for rows of no value.",
            kind="derived-column",
            why="what a row is called that has none is part of its expression",
            fix="say it there: CASE WHEN state IS NULL THEN 'missing' ELSE state END",
        )
    public = None if keys is None else checked_keys("the derived column", keys)
    file = keys.listed if isinstance(keys, WithOther) else None
    return Derived(expression(expression_), bounds, public, file)


def names_of(table: "Table") -> KnownNames:
    """Return what is publicly known of a table's columns."""
    return KnownNames(
        derived={name: formula.tree.kind for name, formula in table.derived.items()},
        hints={name: _kind_of(keys) for name, keys in table.keys.items()}
        | {name: of.kind for name, of in table.columns.items()},
        bounds={
            name: (of.lower, of.upper, of.step)
            for name, of in table.columns.items()
            if of.kind == "number"
        },
        texts={
            name: frozenset(key for key in keys if isinstance(key, str))
            | {text for of in table.spelled.get(name, ()) for text in of}
            for name, keys in table.keys.items()
        },
        numbers={
            name: keys for name, keys in table.keys.items() if keys and not isinstance(keys[0], str)
        },
        ways={
            name: tuple(
                (str(key), *of) for key, of in zip(table.listed(name), spelled, strict=True)
            )
            for name, spelled in table.spelled.items()
        },
    )


def condition_of(table: "Table", text: str | Expression) -> Formula:
    """Return a condition on the rows of a table, or raise InputError."""
    names = names_of(table)
    condition = settled(expression(text), names)
    return Formula(condition, typed(condition, names, "truth"))


def test_of(table: "Table", condition: Expression | None) -> Typed | None:
    """Return the condition of a question, which also knows what the table's own expressions read.

    These do not: a column is what it is there whatever order they are declared in.
    """
    if condition is None:
        return None
    names = names_of(table)
    columns = [column for of in formulas(table) for column in of.tree.columns()]
    read = {column.value: column.kind for column in columns if column.kind != "any"}
    known = replace(names, hints={**read, **names.hints})
    return typed(settled(condition, names), known, "truth")


def both(table: "Table", text: str) -> str | Expression:
    """Return a condition, after one that was declared before."""
    condition, before = expression(text), table.condition
    return condition if before is None else expression(f"({before.expression}) AND ({condition})")


def formula_of(table: "Table", name: str, argument: object) -> Formula:
    """Return how a derived column is made, after all checks of what is declared of it."""
    check_name(name, "derive")
    if not isinstance(argument, Derived):
        raise InputError(
            f"the derived column {shown(name)} is {as_given(argument)}.",
            kind="derived-column",
            why="what is public of it must be declared with it",
            fix=Set(
                {
                    name: call(
                        "discreet.derived",
                        argument if isinstance(argument, str) else "age / 10",
                        keys=["?", "?"],
                    )
                }
            ),
        )
    _check_new(table, name)
    names = names_of(table)
    made = settled(argument.expression, names)
    tree = typed(made, names, hint=_hint_of(argument))
    formula = Formula(made, tree)
    kind = formula.tree.kind
    _check_bounds(name, argument.bounds, kind)
    _check_keys(name, argument.keys, kind)
    return formula


def _hint_of(column: Derived) -> Kind | None:
    """Return what a column is by what is public of it, where its expression leaves that open."""
    if column.keys is None:
        return None if column.bounds is None else column.bounds.kind
    return _kind_of(column.keys)


def _check_bounds(name: str, bounds: Bounds | None, kind: Kind) -> None:
    """Refuse bounds of something else than an expression gives."""
    if bounds is None or bounds.kind == ("number" if kind == "truth" else kind):
        return
    if kind == "text":
        raise InputError(
            f"the derived column {shown(name)} is {WORDS[kind]}, and has bounds.",
            kind="derived-column",
            why="bounds belong to numbers, days, moments, and truth values, which are 0 and 1",
            fix="leave its bounds out, or make a number of it with CASE",
        )
    raise InputError(
        f"the derived column {shown(name)} is {WORDS[kind]}, and its bounds are of "
        f"{STEPS.get(bounds.kind, 'numbers')}.",
        kind="derived-column",
        why="what an expression gives and its bounds are counted alike",
        fix="write its bounds as numbers"
        if kind in ("number", "truth")
        else "write its bounds as it is written, or make a number of it, as days(d) does",
    )


def _kind_of(keys: tuple[Key, ...]) -> Kind:
    """Return what public values are: days where all are; text where none is known yet."""
    if not keys:
        return "text"
    are_days = all(isinstance(key, str) and day_of(key) is not None for key in keys)
    return "day" if are_days else _HINTS[type(keys[0])]


def _check_new(table: "Table", name: str) -> None:
    read = [column.value for formula in formulas(table) for column in formula.tree.columns()]
    read += [part for declared in table.unknown.values() for part in declared.of]
    joined = [column for join in table.joins for column in join.gives]
    if name in {*table.columns, *table.keys, *table.derived, table.unit.column, *read, *joined}:
        raise InputError(
            f"{shown(name)} is a column of the data already.",
            kind="column-twice",
            why="a derived column with an old name would inherit what is declared of that one",
            fix=f"name it {shown(name)}_2"
            + (", or derive it before what is made of it" if name in read else ""),
        )


def _check_keys(name: str, keys: tuple[Key, ...] | None, kind: Kind) -> None:
    if keys is None:
        return
    wanted, words = _KEYS.get(kind, (None, ""))
    are_days = kind != "day" or all(day_of(str(key)) is not None for key in keys)
    if type(keys[0]) is not wanted or not are_days:
        raise InputError(
            f"the derived column {shown(name)} is {WORDS[kind]}, and its keys are not.",
            kind="derived-column",
            why="no row could match such a key" if words else "a moment is in no public list",
            fix=f"list {words}" if words else "derive its day, as in floor(days(d))",
        )


def formulas(table: "Table") -> list[Formula]:
    """Return all that is made of each row of a table: its derived columns, and its condition."""
    return [*table.derived.values(), *([table.condition] if table.condition else [])]


def plain_of(table: "Table") -> list[dict[str, object]]:
    """Return the derived columns as plain data, in the order in which they see each other."""
    columns = []
    for name, formula in table.derived.items():
        facts: dict[str, object] = {"name": name, "expression": formula.expression.text}
        if name in table.columns:
            facts["bounds"] = table.columns[name].plain()
        if name in table.keys:
            facts["keys"] = list(table.keys[name])
        columns.append(facts)
    return columns


def split(columns: Mapping[str, Derived]) -> tuple[dict[str, Bounds], dict[str, tuple[Key, ...]]]:
    """Return the bounds and the keys of derived columns, by name."""
    ranges = {name: column.bounds for name, column in columns.items() if column.bounds is not None}
    return ranges, {
        name: column.keys for name, column in columns.items() if column.keys is not None
    }


_MOST = 4_096


def impossible(table: "Table", column: str) -> tuple[Key, ...]:
    """Return the keys of a derived column that no row can have; none where that is open."""
    tree = table.derived[column].tree
    values = _values(tree, table)
    if values is None:
        return ()
    return tuple(key for key in table.keys[column] if _value(key, tree.kind) not in values)


def unlisted(table: "Table", trees: Iterable[Typed]) -> dict[str, list[str]]:
    """Return the literals that columns with public keys are compared with, and that are no key.

    Args:
        table: what is declared.
        trees: the conditions of questions, beside the table's own expressions.
    """
    of_column: dict[str, dict[str, None]] = {}
    whole = (*trees, *(formula.tree for formula in formulas(table)))
    for comparison in (node for tree in whole for node in tree.compared()):
        names = [arg.value for arg in comparison.args if arg.op == "column"]
        if len(names) == 1 and names[0] in table.keys and names[0] not in table.unknown:
            literals = [arg for arg in map(signed, comparison.args) if arg is not None]
            gone = [_said(arg) for arg in literals if not _is_key(arg, table, names[0])]
            of_column.setdefault(names[0], {}).update(dict.fromkeys(gone))
    return {name: [*texts] for name, texts in of_column.items() if texts}


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
    branches = tree.args if tree.op == "coalesce" else (*reached, *last)
    reachable: set[object] = set()
    for branch in branches:
        values = _values(branch, table)
        if values is None or len(reachable) > _MOST:
            return None
        reachable |= values
    return frozenset(reachable)


def _literal(tree: Typed) -> object:
    return tree.value if tree.kind == "text" else Fraction(tree.value)


def _value(key: Key, kind: str) -> object:
    """Return a key as the value that a row would have to have."""
    if not isinstance(key, str):
        return Fraction(key)
    days = day_of(key) if kind == "day" else None
    return key if days is None else Fraction(days)
