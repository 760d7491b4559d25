"""What the columns of the query are called, and how a key cell finds its place.

Rules of this module:
- a column of the data is named once, in the scan; from there on it is a letter and a number;
- a group is a whole number made of the positions of its keys, the last column fastest.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from ..aggregate import Coordinate, Point
from ..schema import Table
from . import balls, cells
from .dialect import Dialect

PREFIX = "discreet"


@dataclass(frozen=True, slots=True)
class Names:
    """The columns used: u the unit, k0 ... raw keys, i0 ... key positions, q0 ... values.

    Where sums are made, n0 ... say of each point how long it is, and whether it is there.
    """

    table: Table
    kinds: Mapping[str, str]
    dialect: Dialect
    values: tuple[str, ...]
    by: tuple[str, ...]
    points: tuple[Point, ...] = ()

    def steps(self, value: str) -> exp.Column:
        """Return the column that holds a value on its grid."""
        return exp.column(f"q{self.values.index(value)}")

    def length(self, point: Point) -> exp.Column:
        """Return the column that holds the length of a point; NULL where a cell is missing."""
        return exp.column(f"n{self.points.index(point)}")

    def value(self, column: str | Coordinate) -> exp.Expression:
        """Return a value on its grid, or a coordinate of a point."""
        if isinstance(column, str):
            return self.steps(column)
        point, place = column.point, column.place
        steps, length = self.steps(point.columns[place]), self.length(point)
        if point.ball is None:
            return exp.Case().when(cells.is_there(length), steps)
        width = self.table.columns[point.columns[place]].width
        return balls.moved(steps, length, point.ball, place, width)

    def position(self, key: str, *, joined: bool = False) -> exp.Column:
        """Return the column that holds the position of a key in its public list."""
        number = self.by.index(key)
        return exp.column("position", table=f"p{number}") if joined else exp.column(f"i{number}")

    def key_table(self, key: str) -> str:
        """Return the name of the table of a column's public keys."""
        return f"{PREFIX}_keys_{self.by.index(key)}"

    def by_number(self, key: str) -> bool:
        """Say whether the keys of a column are matched as numbers."""
        first = self.table.keys[key][0]
        return isinstance(first, int) and not isinstance(first, bool)

    def raw_key(self, key: str, cell: exp.Expression) -> exp.Expression:
        """Return a key cell as it is grouped by: text for text, else as stored."""
        kind = self.kinds[key]
        if self.by_number(key) and not cells.is_text(kind):
            return cell
        return self.dialect.as_bytes(cells.text(cell, kind))

    def matched(self, key: str, raw: exp.Expression) -> exp.Expression:
        """Return what of a raw key cell is compared with the public keys."""
        if not self.by_number(key):
            return raw
        kind = "VARCHAR" if cells.is_text(self.kinds[key]) else self.kinds[key]
        return cells.number(raw, kind, lambda cell: cell)

    def group(self, by: Sequence[str], position: Callable[[str], exp.Expression]) -> exp.Expression:
        """Return the number of a group from the positions of its keys.

        In 32 bits where they suffice: sorting by a narrow number makes bounding a third cheaper.
        """
        place: exp.Expression = cells.whole(0)
        for number, key in enumerate(by):
            if number == 0:
                kind = "INT" if self.table.groups(by) < 2**31 else "BIGINT"
                place = exp.cast(position(key), kind)
                continue
            size = cells.whole(len(self.table.keys[key]))
            scaled = exp.Mul(this=exp.paren(place), expression=size)
            place = exp.Add(this=scaled, expression=position(key))
        return place


def column(name: str, table: str) -> exp.Column:
    """Return a column of the data, quoted."""
    return exp.column(exp.to_identifier(name, quoted=True), table=table)


def on_key(
    names: Names, query: exp.Select, key: str, raw: exp.Expression, *, side: str = ""
) -> exp.Select:
    """Return the query joined to the public keys of a column; each key is there once."""
    alias = f"p{names.by.index(key)}"
    public: exp.Expression = exp.column("key", table=alias)
    if names.by_number(key):
        public = exp.cast(public, "DOUBLE")
    match = exp.EQ(this=names.matched(key, raw), expression=public)
    return query.join(exp.to_table(names.key_table(key)).as_(alias), on=match, join_type=side)
