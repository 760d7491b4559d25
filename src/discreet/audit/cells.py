"""Which cells a made-up row can have: what is declared of a column, its edges, and strange ones.

Rules of this module:
- a cell is text, or None where it is missing; no cell comes from data;
- what is good is read as a value wherever it stands; what is odd is what files hold, too.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..aggregate import Aggregate
from ..engine.protocol import keyed, reads_of, roles_of, value_columns
from ..expressions import Kind, Typed
from ..schema import Bounds, Table
from ..schema.bounds import end_text, value_tree

Cell = str | None

MADE_KEYS = ("k0", "k1", "k2", "k3", "k4")  # of a column whose keys nobody knows
_NUMBERS = ("nan", "inf", "-inf", "1e400", "-1e308", "1e-400", "0x10", " 5", "9007199254740993")
_TEXTS = ("", "nobody", "A ", "1.0", "true", "nan", "k" * 90)
_KEYS = 200  # of one column, at most
_DAYS = ("2026-02-30", "10000-01-01", "0000-00-00", "2026-11-03", "1969-12-31 23:59:59")


@dataclass(frozen=True, slots=True)
class Cells:
    """What stands in a column: its edges first, then other good cells, and odd ones.

    Its kind is what it is where columns have types.
    """

    good: tuple[Cell, ...]
    odd: tuple[Cell, ...] = (None,)
    edges: int = 1
    is_key: bool = False
    kind: str = "text"


def cells_of(table: Table, aggregates: Sequence[Aggregate]) -> dict[str, Cells]:
    """Return for each column of the data that is read which cells made-up rows have in it."""
    wanted = (*aggregates, *(keyed(column) for column in table.unknown))
    roles = roles_of(table, wanted)
    kinds: dict[str, list[Cells]] = {}
    for name in value_columns(wanted):
        if value_tree(table, name) is None or name not in table.derived:
            kinds.setdefault(name, []).append(_of_bounds(table.columns[name]))
    for name in roles["key"]:
        kinds.setdefault(name, []).append(_of_keys(table, name))
    literals = [*_literals(_trees(table, wanted))]
    for leaf in reads_of(table, wanted):
        kinds.setdefault(leaf.value, []).append(_of_leaf(leaf.kind, literals))
    return {name: _together(parts) for name, parts in kinds.items()}


def _of_bounds(bounds: Bounds) -> Cells:
    low, high, step = bounds.lower, bounds.upper, bounds.step
    width = high - low
    places = [low, high, (low + high) / 2, high - step, low + step]  # exact: rationals
    if bounds.kind != "number":
        good = [end_text(Fraction(int(place)), bounds.kind) for place in places]
        return Cells(tuple(dict.fromkeys(good)), (None, *_DAYS), edges=2, kind=bounds.kind)
    beyond = [high + width + 1, low - width - 1, Fraction(0)]
    good = [_written(place) for place in (*places, *beyond)]
    return Cells(tuple(dict.fromkeys(good)), (None, *_NUMBERS), edges=2, kind="number")


def _written(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else repr(float(number))


def _of_keys(table: Table, name: str) -> Cells:
    if name in table.unknown:
        return Cells(MADE_KEYS, (None, *_TEXTS), edges=len(MADE_KEYS), is_key=True)
    listed = [key_cell(key) for key in table.listed(name)[:_KEYS]]
    ways = [text for text, _ in table.texts(name)] if name in table.spelled else []
    odd = (None, *_TEXTS, *(text.upper() for text in listed[:3]))
    good = tuple(dict.fromkeys([*(listed if not ways else ()), *ways]))
    kinds = {type(key) for key in table.listed(name)}
    kind = {frozenset({int}): "whole", frozenset({bool}): "truth"}.get(frozenset(kinds), "text")
    kind = "text" if ways else kind
    return Cells(good or ("nobody",), odd, edges=len(good), is_key=True, kind=kind)


def key_cell(key: object) -> str:
    """Return how a cell says a key."""
    return str(key).lower() if isinstance(key, bool) else str(key)


def _of_leaf(kind: Kind, literals: Iterable[Typed]) -> Cells:
    near = [text for literal in literals if literal.kind == kind for text in _near(literal)]
    base: dict[str, tuple[str, ...]] = {
        "number": ("1", "0", "-1", "2.5", "10", "100"),
        "truth": ("1", "0"),
        "day": ("2026-11-03", "1999-12-31"),
        "moment": ("2026-11-03 10:30:00", "1999-12-31 23:59:59"),
    }
    odd = {"number": _NUMBERS, "day": _DAYS, "moment": _DAYS}.get(kind, _TEXTS)
    good = tuple(dict.fromkeys([*near, *base.get(kind, ("a", "b", "k1"))]))
    typed = kind if kind in ("number", "truth", "day", "moment") else "text"
    return Cells(good, (None, *odd), edges=len(good), kind=typed)


def _near(literal: Typed) -> Iterator[str]:
    """Return cells at a literal and just beside it."""
    if literal.kind in ("number", "day", "moment"):
        value = Fraction(literal.value)
        for place in (value, value - 1, value + 1):
            kind = literal.kind
            yield _written(place) if kind == "number" else end_text(place, kind)
    else:
        yield literal.value


def _trees(table: Table, aggregates: Iterable[Aggregate]) -> Iterator[Typed]:
    yield from table.trees.values()
    yield from [table.condition.tree] if table.condition else []
    yield from (aggregate.where for aggregate in aggregates if aggregate.where is not None)


def _literals(trees: Iterable[Typed]) -> Iterator[Typed]:
    for tree in trees:
        if tree.op == "literal":
            yield tree
        yield from _literals(tree.args)


def _together(parts: Sequence[Cells]) -> Cells:
    """Return the cells of a column that is read in several ways."""
    first = next((part for part in parts if part.is_key), parts[0])
    good = [cell for part in (first, *parts) for cell in part.good]
    odd = [cell for part in parts for cell in part.odd]
    if not first.is_key:
        good = good[:60]
    return Cells(
        tuple(dict.fromkeys(good)), tuple(dict.fromkeys(odd)), first.edges, first.is_key, first.kind
    )
