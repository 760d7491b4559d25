"""The same strange cells where filters, derived columns and conditions of questions read them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import discreet as dp

from .cases import BOUNDS, ROLES, ROWS, WHOSE, Share, table_of, usual
from .cells import OBJECTS
from .columns import COLUMNS
from .harness import Declared, Found, compared, outcome
from .sources import LOOSE, TYPED, Made

_FEWER = 8  # each cell is tried in other groups, too
_Z = {  # as what z is read: a condition on it
    "text": "NOT contains(z, 'never') AND z <> 'a'",
    "a number": "z * z > 1 OR floor(z) = 0",
    "a day": "year(z) > 1990 OR weekday(z) = 1",
    "a moment": "hour(z) >= 3 AND seconds(z) > -1e9",
    "true or false": "z",
}
_WHERE = "(v IS NULL OR v < 1e9) AND k <> 'nobody'"
_GROUP = "CASE WHEN k = 'A' THEN 'a' WHEN k IS NULL THEN 'gone' ELSE 'b' END"
_VALUE = "floor(v / 2) + coalesce(v * v, 1) - round(least(v, 3), 1)"
_ASKED = ("v > 0 OR k = 'B'", "u <> 'p1' AND v IS NOT NULL")


@dataclass(frozen=True)
class Worked(Declared):
    """A table of which some rows count, with a key and a value that are made of each."""

    z: str = "text"

    def table(self, made: Made) -> Any:
        group = dp.derived(_GROUP, keys=["a", "b", "gone"])
        value = dp.derived(_VALUE, bounds=BOUNDS)
        # a list has no public names: what questions read is named by the table
        names = dp.derived(f"({_Z[self.z]}) IS NULL OR u = 'p1'", keys=[True, False])
        return super().table(made).where(_WHERE).derive(g=group, w=value, named=names)

    def asked(self, table: Any) -> tuple[Any, ...]:
        some = [dp.count("g"), dp.sum("w", "g"), dp.mean("w"), dp.histogram("w", "g", bins=3)]
        some += [
            dp.count("g", where=one) for one in (*_ASKED, _Z[self.z], f"({_Z[self.z]}) IS NULL")
        ]
        return tuple(a for one in some for a in one.aggregates(table))


def expressions(share: Share) -> Iterator[Found]:
    """Cells of their own kinds, and extreme cells of each type, in every role: one case of eight."""
    share = share.fewer(_FEWER)
    for whose, unit in WHOSE.items():
        worked = Worked(unit, BOUNDS, ["A", "B"], has_value=True)
        for source, make in LOOSE.items():
            yield from _loose(source, make, whose, worked, share)
        for source, make in TYPED.items():
            for column in COLUMNS:
                for role in ROLES:
                    yield from _typed(source, make, column, role, (whose, worked), share)


def _loose(source: str, make: Any, whose: str, worked: Worked, share: Share) -> Iterator[Found]:
    rows = [usual(n) for n in range(ROWS)]
    before = outcome(partial(make, rows), worked)
    if before[0] != "answered":  # what is refused alike is no test
        yield Found("", f"{source}, usual rows in expressions, unit {whose}", before[0])
    for role in ROLES:
        for name, cell in OBJECTS:
            case = f"{source}, {name} as {role} in expressions, unit {whose}"
            if share.has(case):
                after = outcome(partial(make, [*rows, {**usual(8), "u": "q", role: cell}]), worked)
                yield from compared("", case, before, after)


def _typed(
    source: str, make: Any, column: Any, role: str, how: tuple[str, Worked], share: Share
) -> Iterator[Found]:
    whose, worked = how
    for kind in _Z if role == "z" else ("text",):
        yield from _of_kind(source, make, column, role, (whose, replace(worked, z=kind)), share)


def _of_kind(
    source: str, make: Any, column: Any, role: str, how: tuple[str, Worked], share: Share
) -> Iterator[Found]:
    whose, worked = how
    rows = [{**usual(n), role: column.usual[n % len(column.usual)]} for n in range(ROWS)]
    before = None
    for name, cell in column.strange:
        case = f"{source}, {column.name} as {role} in expressions, {worked.z}, {name}, unit {whose}"
        if not share.has(case):
            continue
        more = [*rows, {**usual(8), "u": "q", role: cell}]
        try:
            one, other = (table_of(some, role, column) for some in (rows, more))
            before = before or outcome(partial(make, one), worked)
            after = outcome(partial(make, other), worked)
        except Exception:
            continue
        yield from compared(column.finding, case, before, after)
