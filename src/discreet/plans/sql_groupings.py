"""What GROUP BY CUBE, ROLLUP and GROUPING SETS ask for: sets of columns, and tables that add up.

Rules of this module:
- a count over several groupings is one question, a cube or a list of tables, that pays once;
- its tables count the rows of which every key is listed. SQL counts in a grouping the rows whose
  keys it does not show, too: so that both are the same rows, each column that some grouping leaves
  out has a group for other rows, or WHERE names listed keys of it.

Decision 84.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from ..expressions import Expression, Piece, expression
from ..expressions.expression import name_of
from ..expressions.parser import RESERVED
from ..schema import Table

Grouping = tuple[str, ...]
Question = Mapping[str, Any]  # as plain data

MOST_PAID = 64  # groupings, where each is paid for
MOST_COUNTED = 1_024  # groupings of a count, which are paid for together
_CURVES = {"median": "0.5", "quantile": None}


def cubed(sets: Sequence[Grouping]) -> list[Grouping]:
    """Return each choice among sets of columns: all of them first, none of them last.

    Example:
        >>> cubed([("a",), ("b",)])
        [('a', 'b'), ('a',), ('b',), ()]
    """
    sizes = range(len(sets), -1, -1)
    return [merged(some) for size in sizes for some in combinations(sets, size)]


def rolled(sets: Sequence[Grouping]) -> list[Grouping]:
    """Return all sets of columns together, then without the last, and so on to none.

    Example:
        >>> rolled([("a",), ("b", "c")])
        [('a', 'b', 'c'), ('a',), ()]
    """
    return [merged(sets[:size]) for size in range(len(sets), -1, -1)]


def crossed(elements: Sequence[Sequence[Grouping]]) -> list[Grouping]:
    """Return the groupings of elements with a comma between them: each with each, none twice.

    Example:
        >>> crossed([[("a",)], [("b",), ()]])
        [('a', 'b'), ('a',)]
    """
    found: dict[frozenset[str], Grouping] = {}
    for one in map(merged, product(*elements)):
        found.setdefault(frozenset(one), one)
    return [*found.values()]


def merged(sets: Iterable[Grouping]) -> Grouping:
    """Return the columns of several sets, each once."""
    return tuple(dict.fromkeys(column for one in sets for column in one))


def counted(groupings: Sequence[Grouping]) -> Question:
    """Return the count over several groupings as one question, without its filter.

    Example:
        >>> counted([("a", "b"), ("a",)])
        {'statistic': 'tables', 'by': [['a', 'b']]}
    """
    columns = merged(groupings)
    if len(groupings) == 2 ** len(columns):
        return {"statistic": "cube", "by": [*columns]}
    within = [frozenset(one) for one in groupings]
    most = [one for one in groupings if not any(frozenset(one) < other for other in within)]
    return {"statistic": "tables", "by": [[*one] for one in most]}


def left_out(
    table: Table, groupings: Sequence[Grouping], where: Sequence[str | Expression]
) -> list[str]:
    """Return the columns for which tables that add up would count fewer rows than SQL does.

    Args:
        table: the declaration.
        groupings: of a count.
        where: the conditions that the rows keep, all of them.
    """
    shown = [set(one) for one in groupings]
    asked = merged(groupings)
    some = [name for name in asked if any(name not in one for one in shown)]
    named = [pair for text in where for pair in _named(expression(text).part)]
    return [name for name in some if name in table.keys and not _covers(table, name, named)]


def _covers(table: Table, column: str, named: Sequence[tuple[str, Sequence[Piece]]]) -> bool:
    """Tell whether each row that is counted has a key of a column."""
    if column in table.others or column in table.unknown:
        return True  # an unknown key is refused by the cube itself
    keys = set(map(str, table.listed(column)))
    return any(name == column and {_value(one) for one in some} <= keys for name, some in named)


def _value(part: Piece) -> str:
    """Return a literal as its key is said, or what no key is."""
    if part.op == "neg":
        return f"-{_value(part.args[0])}"
    said = part.value.capitalize() if part.op == "truth" else part.value
    return said if part.op in ("text", "number", "truth") else "\n"


def _named(part: Piece) -> Iterator[tuple[str, Sequence[Piece]]]:
    """Yield the columns of which a condition names the values, with these."""
    if part.op == "and":
        for one in part.args:
            yield from _named(one)
    elif part.op in ("in", "=") and part.args[0].op == "column":
        yield part.args[0].value, part.args[1:]


def naming(table: Table, columns: Sequence[str]) -> str:
    """Return the condition that rows have listed keys of some columns.

    Example:
        >>> from discreet.schema import table
        >>> people = table("people.csv", unit="row", keys={"state": ["MA", "O'B"]})
        >>> naming(people, ["state"])
        "state IN ('MA', 'O''B')"
    """
    texts = {name: ", ".join(map(_literal, table.listed(name))) for name in columns}
    return " AND ".join(f"{name_of(name, RESERVED)} IN ({keys})" for name, keys in texts.items())


def _literal(key: object) -> str:
    if isinstance(key, str):
        return "'" + key.replace("'", "''") + "'"
    return str(key).upper() if isinstance(key, bool) else str(key)


def curves(questions: Sequence[Question]) -> list[Question]:
    """Return questions, of which the quantiles of one column and the same rows are one question.

    All quantiles of a curve cost as much as one, and none crosses another.

    Example:
        >>> curves([{"statistic": "median", "column": "x"}, {"statistic": "quantile",
        ...         "column": "x", "at": "0.9"}])
        [{'statistic': 'quantile', 'column': 'x', 'at': ['0.5', '0.9']}]
    """
    alike: dict[tuple[object, object], list[Question]] = {}
    for one in questions:
        if one["statistic"] in _CURVES:
            alike.setdefault((one["column"], one.get("where")), []).append(one)
    found: list[Question] = []
    for one in questions:
        mine = one["statistic"] in _CURVES
        some = alike[one["column"], one.get("where")] if mine else []
        shares = {Fraction(_share(each)): _share(each) for each in some}
        if not mine or len(shares) == 1:
            found.append(one)
        elif one is some[0]:
            at = [shares[share] for share in sorted(shares)]
            found.append({**one, "statistic": "quantile", "at": at})
    return found


def _share(one: Question) -> str:
    return _CURVES[one["statistic"]] or str(one["at"])
