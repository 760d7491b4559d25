"""Conditions that no row can meet: what AND, OR and NOT leave of each value, as intervals.

Rules of this module:
- only what follows from the text alone is told; where it is open, a condition can be met;
- a value is what one part of an expression gives, a column or `hour(entered)`; two parts that
  are written alike are one value, and no others are;
- a condition is met where it is true: of a missing value no comparison is.

Proof. Each part of a condition that has to be true (or, behind NOT, false) leaves some values of
what it compares, and a set of values is never taken smaller than it is: an interval with its ends,
a list, and what is left out of either. AND leaves what all parts leave, so that an empty set is
never met; OR leaves at most the hull of what its parts leave. Days and moments are whole numbers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

from .kinds import Typed, signed

Value = Fraction | str
End = tuple[Fraction, bool]  # and whether it is left out itself

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}  # with its sides exchanged
_DENIED = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_WHOLE = ("day", "moment")


@dataclass(frozen=True, slots=True)
class _Left:
    """What is left of a value.

    Attributes:
        low, high: the ends of an interval; None where it has none.
        listed: the values that it can be; None where no list says it.
        gone: values that it cannot be.
        is_missing: whether it is there in no row.
    """

    low: End | None = None
    high: End | None = None
    listed: frozenset[Value] | None = None
    gone: frozenset[Value] = frozenset()
    is_missing: bool = False

    def holds(self, value: Value) -> bool:
        """Tell whether a value is left."""
        if isinstance(value, str):
            return value not in self.gone
        above = self.low is None or value > self.low[0] or (value, False) == self.low
        below = self.high is None or value < self.high[0] or (value, False) == self.high
        return above and below and value not in self.gone

    def is_empty(self) -> bool:
        """Tell whether nothing is left; False where that is open."""
        if self.is_missing:
            return False
        if self.listed is not None:
            return not any(map(self.holds, self.listed))
        if self.low is None or self.high is None or self.low[0] < self.high[0]:
            return False
        return not (self.low[0] == self.high[0] and self.holds(self.low[0]))


Facts = Mapping[Typed, _Left]


def contradicted(conditions: Iterable[Typed]) -> tuple[str, ...]:
    """Return the columns of which conditions ask, together, what none can be; () if one can.

    Args:
        conditions: all have to be true of a row.
    """
    facts, blocked = _all_of([(one, True) for one in conditions], ({}, ()))
    return tuple(sorted(blocked)) if facts is None else ()


_Told = tuple[Facts | None, tuple[str, ...]]  # None: it is never met, because of these columns
_Part = tuple[Typed, bool]  # a condition, and whether it has to be true, or false


def _all_of(parts: Iterable[_Part], before: _Told) -> _Told:
    """Return what is left where all parts hold, of what was left before.

    Of several ways only those count that what is left otherwise allows.
    """
    plain = [part for one in parts for part in _conjuncts(one)]
    leaves = [_leaf(*part) for part in plain if part[0].op not in ("and", "or")]
    left = _together([before, *leaves])
    for tree, holds in plain:
        if tree.op in ("and", "or"):
            left = _either([_all_of([(one, holds)], left) for one in tree.args])
    return left


def _conjuncts(part: _Part) -> Iterator[_Part]:
    """Return the parts that all have to hold, none of which is such parts again."""
    tree, holds = part
    if tree.op == "not":
        yield from _conjuncts((tree.args[0], not holds))
    elif tree.op == ("and" if holds else "or"):
        for one in tree.args:
            yield from _conjuncts((one, holds))
    else:
        yield part


def _leaf(tree: Typed, holds: bool) -> _Told:  # noqa: FBT001
    """Return what a comparison leaves of a value; of any other condition, that it is met or not."""
    value, left = _compared(tree, holds=holds) or (tree, _Left(listed=frozenset({Fraction(holds)})))
    return _together([({value: left}, ())])


def _compared(tree: Typed, *, holds: bool) -> tuple[Typed, _Left] | None:
    """Return the value that a comparison with literals is about, and what it leaves of it."""
    if tree.op == "is_null":
        return tree.args[0], _Left(is_missing=holds)
    first, *rest = tree.args or (tree,)
    literals = [literal for one in rest if (literal := signed(one)) is not None]
    op = tree.op
    if op in _DENIED and not literals and (turned := signed(first)) is not None:
        first, op, literals = rest[0], _TURNED.get(op, op), [turned]
    if op not in (*_DENIED, "in") or len(literals) < len(rest) or signed(first) is not None:
        return None
    values = frozenset(map(_value, literals))
    if op in ("=", "<>", "in"):
        is_listed = (op != "<>") == holds
        return first, _Left(listed=values) if is_listed else _Left(gone=values)
    return first, _beyond(op if holds else _DENIED[op], next(iter(values)), first.kind in _WHOLE)


def _value(literal: Typed) -> Value:
    return literal.value if literal.kind in ("text", "label") else Fraction(literal.value)


def _beyond(op: str, end: Value, is_whole: bool) -> _Left:  # noqa: FBT001
    """Return what is on one side of an end; whole numbers above 3 are 4 or more."""
    if isinstance(end, str):  # text has no order
        return _Left()
    is_out = len(op) == 1
    if is_whole and is_out:
        end, is_out = end + (1 if op == ">" else -1), False
    return _Left(low=(end, is_out)) if op[0] == ">" else _Left(high=(end, is_out))


def _together(parts: Sequence[_Told]) -> _Told:
    """Return what is left where all parts hold."""
    names = dict.fromkeys(name for facts, blocked in parts if facts is None for name in blocked)
    left: dict[Typed, _Left] = {}
    for facts, _ in parts:
        for value, one in (facts or {}).items():
            before = left.get(value)
            left[value] = one if before is None else _meet(before, one)
            is_never = before is not None and before.is_missing != one.is_missing
            if is_never or left[value].is_empty():
                names |= dict.fromkeys(column.value for column in value.columns())
    is_met = not names and not any(facts is None for facts, _ in parts)
    return (left, ()) if is_met else (None, tuple(names))


def _either(parts: Sequence[_Told]) -> _Told:
    """Return what is left where one of the parts holds."""
    alive = [facts for facts, _ in parts if facts is not None]
    if not alive:
        return None, tuple(dict.fromkeys(name for _, blocked in parts for name in blocked))
    shared = set(alive[0]).intersection(*alive[1:])
    alike = [value for value in shared if len({facts[value].is_missing for facts in alive}) == 1]
    return {value: reduce(_hull, (facts[value] for facts in alive)) for value in alike}, ()


def _meet(one: _Left, other: _Left) -> _Left:
    lows = [end for end in (one.low, other.low) if end is not None]
    highs = [end for end in (one.high, other.high) if end is not None]
    lists = [values for values in (one.listed, other.listed) if values is not None]
    return _Left(
        low=max(lows, default=None),
        high=min(highs, key=lambda end: (end[0], not end[1]), default=None),
        listed=lists[0].intersection(*lists[1:]) if lists else None,
        gone=one.gone | other.gone,
        is_missing=one.is_missing,
    )


def _hull(one: _Left, other: _Left) -> _Left:
    """Return a set that holds both; a list beside an interval is not followed."""
    if one.listed is not None and other.listed is not None:
        kept = {value for side in (one, other) for value in side.listed or () if side.holds(value)}
        return _Left(listed=frozenset(kept), is_missing=one.is_missing)
    if one.listed is not None or other.listed is not None:
        return _Left(is_missing=one.is_missing)
    ends = one.low, other.low, one.high, other.high
    return _Left(
        low=None if ends[0] is None or ends[1] is None else min(ends[0], ends[1]),
        high=None
        if ends[2] is None or ends[3] is None
        else max(ends[2], ends[3], key=lambda end: (end[0], not end[1])),
        gone=one.gone & other.gone,
        is_missing=one.is_missing,
    )
