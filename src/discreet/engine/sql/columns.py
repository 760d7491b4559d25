"""What the columns of the query are called, and how a key cell finds its place.

Rules of this module:
- a column of the data is named once, in the scan; from there on it is a letter and a number;
- a group is a whole number made of the positions of its keys, the last column fastest;
- what is summed is clamped where it is named, whatever came before.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from ...aggregate import Bins, Coarse, Coordinate, Point, Value
from ...errors import InputError, shown
from ...expressions import Typed
from ...schema import Table, rest_of
from . import guard
from .cells import LINES, OBJECTS, Reader
from .faster.consecutive_keys import Run
from .grid import Places
from .matching import Match
from .tree import clamped, column, is_there, picked, to_type, whole

PREFIX = "discreet"
_SHORT = {"TINYINT", "SMALLINT", "INTEGER"}  # types of whole numbers that 32 bits hold

Cell = Callable[[str, str], exp.Expression]  # of a role (unit, key, value) and a column's name


def plain_cell(_role: str, name: str) -> exp.Expression:
    """Return the cell of a source that holds each column once, under its own name."""
    return column(name, "s")


@dataclass(frozen=True, slots=True)
class Names:
    """The columns used: u the unit, k0 ... raw keys, i0 ... key positions, q0 ... values, t0 ...
    whether the conditions of questions hold.

    Where sums are made, c0 ... are the values within their bounds, and each point has columns of
    its own: p0_0 ... its coordinates.

    Attributes:
        tests: the conditions of questions that are columns.
        shared: the one condition of all questions where a row is the unit: a filter like the
            table's, because no row is chosen among others and none wants those that it leaves out.
        is_alone: whether rows of units are grouped in one way: then those that have no group, or
            do not pass, are left out where rows are limited, and need not be told apart later.
    """

    table: Table
    kinds: Mapping[str, str]
    reader: Reader
    cell: Cell
    values: tuple[str, ...]
    matches: Mapping[str, Match]
    points: tuple[Point, ...] = ()
    places: tuple[Places, ...] = ()
    tests: tuple[Typed, ...] = ()
    shared: Typed | None = None
    is_alone: bool = False

    @property
    def by(self) -> tuple[str, ...]:
        """The columns that are grouped by."""
        return tuple(self.matches)

    @property
    def are_rows(self) -> bool:
        """Whether each row is a unit, so that no row is chosen among others."""
        return self.table.unit.column is None

    def steps(self, value: str) -> exp.Column:
        """Return the column that holds a value on its grid."""
        return exp.column(f"q{self.values.index(value)}")

    def test(self, where: Typed) -> exp.Column:
        """Return the column that says whether a condition holds: 0, 1, or 2 if it is unknown.

        Where a row is the unit none is chosen, so that the condition itself is enough.
        """
        return exp.column(f"t{self.tests.index(where)}")

    def passes(self, where: Typed | None) -> list[exp.Expression]:
        """Return the condition that a row counts for questions with this condition, if any."""
        if where is None or where == self.shared:
            return []
        test = self.test(where)
        return [test if self.are_rows else exp.EQ(this=test, expression=whole(1))]

    def clamped(self, value: str) -> exp.Column:
        """Return the column that holds a value within its bounds, where sums are made."""
        return exp.column(f"c{self.values.index(value)}")

    def with_clamped(self, source: exp.Expression, values: Iterable[str]) -> exp.Select | None:
        """Return a source with these values clamped beside: c0 ...; None if there are none."""
        columns = []
        for value in dict.fromkeys(values):
            bounds = self.table.columns[value]
            low, high = bounds.lower_step, bounds.upper_step
            kept = clamped(self.steps(value), low, high)
            columns.append(exp.alias_(kept, self.clamped(value).name, copy=False))
        if not columns:
            return None
        return picked(source, exp.Star(), *columns)

    def value(self, of: Value) -> exp.Expression:
        """Return what is summed of a column, or of a coordinate of a point."""
        if isinstance(of, Coordinate):
            return exp.column(f"p{self.points.index(of.point)}_{of.place}")
        if isinstance(of, Coarse):
            return guard.coarse(self.clamped(of.column), of, self.table.columns[of.column])
        return self.clamped(of)

    def places_of(self, bins: Bins) -> Places:
        """Return how the place of a value among bins is found."""
        return next(places for places in self.places if places.bins == bins)

    def position(self, key: str, *, joined: bool = False) -> exp.Expression:
        """Return the position of a key in its public list, which a cell of no key has not.

        With a key for every other row, that is the position of such a cell.
        """
        number = self.by.index(key)
        if not joined:
            return exp.column(f"i{number}")
        place: exp.Expression = exp.column("position", table=f"p{number}")
        run = self.matches[key].run
        if run is not None:
            place = run.position(exp.column(f"k{number}", table="c"))
        if key in self.table.unknown or key not in self.table.others:
            return place
        return exp.Coalesce(this=place, expressions=[whole(rest_of(self.table, key).other or 0)])

    def is_placed(self, key: str) -> exp.Expression:
        """Return the condition that a raw cell of the table c has a position."""
        run = self._own_run(key)
        if run is not None:
            return run.has(exp.column(f"k{self.by.index(key)}", table="c"))
        return is_there(self.found_position(key))

    def position_in_rows(self, key: str) -> exp.Expression:
        """Return the position of a key of the table c, for rows that some question wants.

        Consecutive keys from 0 on are positions, of one column of keys: no engine is trusted to
        look only at cells that are left, and of several columns, or where cells have no place in 32
        bits, the number of a group could overflow.
        """
        run = self._own_run(key)
        is_plain = run is not None and run.first == 0 and self.kinds[key] in _SHORT
        if is_plain and self.is_alone and len(self.by) == 1:
            return exp.column(f"k{self.by.index(key)}", table="c")
        return self.found_position(key)

    def _own_run(self, key: str) -> Run | None:
        """Return the consecutive keys of a column in which no other cell has a position."""
        named = self.table.others | self.table.missing
        return None if key in named else self.matches[key].run

    def found_position(self, key: str) -> exp.Expression:
        """Return the position of a key where it is joined to the table c of raw cells.

        Where keys were found, that of all others stands last, and a missing cell may be a key.
        """
        position = self.position(key, joined=True)
        declared = self.table.unknown.get(key)
        if declared is None or self.kinds.get(key) == OBJECTS:
            return self._with_missing(key, position) if key in self.table.missing else position
        rest = rest_of(self.table, key)
        raw = exp.column(f"k{self.by.index(key)}", table="c")
        there = is_there(self.matches[key].compared(raw))  # looked at where it is no key
        case = (
            exp.Case().when(is_there(position), position.copy()).when(there, whole(rest.other or 0))
        )
        return case if rest.missing is None else case.else_(whole(rest.missing))

    def _with_missing(self, key: str, position: exp.Expression) -> exp.Expression:
        """Return the position of a key, where a missing cell may have one of its own."""
        place = rest_of(self.table, key).missing
        if place is None:
            return position
        raw = exp.column(f"k{self.by.index(key)}", table="c")
        kind = self.kinds[key]
        if kind == OBJECTS:  # the reference has said which key each cell is
            return raw
        cell = raw if kind == LINES else self.matches[key].compared(raw)
        gone = exp.Is(this=cell, expression=exp.Null())
        return exp.Case().when(gone, whole(place)).else_(position)

    def key_table(self, key: str) -> str:
        """Return the name of the table of a column's public keys."""
        return f"{PREFIX}_keys_{self.by.index(key)}"

    def group(self, by: Sequence[str], position: Callable[[str], exp.Expression]) -> exp.Expression:
        """Return the number of a group from the positions of its keys.

        In 32 bits where they suffice: sorting by a narrow number makes bounding a third cheaper.
        """
        place: exp.Expression = whole(0)
        for number, key in enumerate(by):
            if number == 0:
                kind = "INT" if self.table.groups(by) < 2**31 else "BIGINT"
                place = to_type(position(key), kind)
                continue
            size = whole(len(self.table.keys[key]))
            scaled = exp.Mul(this=exp.paren(place), expression=size)
            place = exp.Add(this=scaled, expression=position(key))
        return place

    def on_key(
        self, query: exp.Select, key: str, raw: exp.Expression, *, side: str = ""
    ) -> exp.Select:
        """Return the query joined to the public keys of a column; each key is there once.

        Keys whose position is counted are not joined.

        With a key for every other row, rows of no other key stay.
        """
        alias, match = f"p{self.by.index(key)}", self.matches[key]
        named = self.table.others | self.table.missing
        side = "left" if key in named or key in self.table.unknown else side
        if match.run is not None:
            return query if side else query.where(match.run.has(raw), copy=False)
        equal = match.equal(raw, exp.column("key", table=alias))
        keys = exp.table_(self.key_table(key), alias=alias)
        return query.join(keys, on=equal, join_type=side, copy=False)


def check_free(tables: Iterable[str]) -> None:
    """Refuse tables whose name may be one of ours: a view that is read as it is would find ours.

    Raises:
        InputError: one of the names begins as ours do.
    """
    taken = next((name for name in tables if name.startswith(f"{PREFIX}_")), None)
    if taken is not None:
        raise InputError(
            f"the database has a table called {shown(taken)!r}.",
            kind="table-name-taken",
            why=f"names that begin with {PREFIX}_ are those of the tables that discreet adds, and "
            "a view that is vouched for could read one in the place of the other",
            fix=f'ALTER TABLE "{shown(taken)}" RENAME TO "?"',
        )
