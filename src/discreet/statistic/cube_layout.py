"""How the tables of a cube lie: its attributes with their levels, and a row for each cell.

Rules of this module:
- it follows from the declaration and the question alone;
- a row of the index has a cell for each column of each attribute; None stands for all of it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, product
from math import ceil

from ..errors import InputError, shown
from ..fix import BLANK, call, leave_out, write
from ..noise.law import Law
from ..post.tables.attribute import Attribute
from ..post.tables.attribute import Levels as Shown
from ..post.tables.fit import Selection, tables
from ..post.tables.widest import above_least
from ..privacy.loss import total
from ..schema import Key, Levels, Table
from ..sensitivity import Sensitivity
from ..transform import Margin, Transform
from .statistic import Axis

_MOST = 2_000  # keys of one attribute: a matrix of their squares is inverted

Label = tuple[Key | None, ...]


@dataclass(frozen=True, slots=True)
class CubeLayout:
    """What the tables of a cube are laid out by.

    Attributes:
        columns: of each attribute, its columns from the coarsest level to the keys.
        attributes: their levels.
        labels: of each attribute, level and group, the cells of the index.
        listed: the tables, where they are not all.
    """

    columns: tuple[tuple[str, ...], ...]
    attributes: tuple[Attribute, ...]
    labels: tuple[tuple[tuple[Label, ...], ...], ...]
    listed: tuple[Shown, ...] = ()

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The axes of an answer: a key column for each level."""
        return tuple(Axis("key", name) for columns in self.columns for name in columns)

    @property
    def tables(self) -> list[Shown]:
        """The tables, those of few attributes first; of all, the cells are the last."""
        return list(self.listed) or tables(self.attributes)

    @property
    def cells(self) -> Shown:
        """The table of all attributes at their keys."""
        return tuple(len(attribute.levels) - 1 for attribute in self.attributes)

    def size(self, table: Shown) -> int:
        """Return how many cells a table has."""
        cells = 1
        for attribute, level in zip(self.attributes, table, strict=True):
            cells *= attribute.sizes[level]
        return cells

    def chosen(self, only: Mapping[str, Sequence[object]]) -> Selection:
        """Return for each attribute which keys are counted: 1, or 0 where others are named."""

        import numpy as np

        masks = []
        for columns, labels in zip(self.columns, self.labels, strict=True):
            kept = [
                all(str(cell) in map(str, only[name]) for name, cell in pairs if name in only)
                for pairs in (list(zip(columns, label, strict=True)) for label in labels[-1])
            ]
            masks.append(np.array(kept, dtype=float))
        return tuple(masks)

    def places(self, chosen: Selection) -> list[int]:
        """Return where the index has the cells that are chosen."""
        import numpy as np

        *above, last = self.tables
        start = sum(map(self.size, above))
        places = np.arange(self.size(last)).reshape([len(kept) for kept in chosen])
        if not chosen:
            return [start]
        indices: list[int] = (
            (start + places[np.ix_(*(kept > 0 for kept in chosen))]).ravel().tolist()
        )
        return indices

    def index(self) -> Iterator[tuple[Key | None, ...]]:
        """Return the index of all cells of all tables, in their order."""
        for table in self.tables:
            yield from self.rows(table)

    def rows(self, table: Shown) -> Iterator[tuple[Key | None, ...]]:
        """Return the index of the cells of one table."""
        shown = [labels[level] for labels, level in zip(self.labels, table, strict=True)]
        if all(len(columns) == 1 for columns in self.columns):
            yield from product(*([cell for (cell,) in labels] for labels in shown))
            return
        for cells in product(*shown):
            yield tuple(chain.from_iterable(cells))


def layout_of(table: Table, by: Sequence[str], levels: Mapping[str, Levels]) -> CubeLayout:
    """Return how the tables of a cube lie.

    Raises:
        InputError: a hierarchy does not hold the keys of its column, or names one twice.
    """
    columns = tuple(levels[name].columns if name in levels else (name,) for name in by)
    names = [name for each in columns for name in each]
    if len(set(names)) < len(names):
        raise InputError(
            "two attributes have a level of the same name.",
            kind="hierarchy-wrong",
            why="each level is a column of the released tables",
            fix="name the levels of one of them differently",
        )
    paths = [_paths(name, table.keys[name], levels.get(name)) for name in by]
    made = [_leveled(path, len(each)) for path, each in zip(paths, columns, strict=True)]
    return CubeLayout(columns, tuple(a for a, _ in made), tuple(labels for _, labels in made))


def _paths(column: str, keys: Sequence[Key], hierarchy: Levels | None) -> list[tuple[Key, ...]]:
    """Return for each key the groups that it lies in, from the coarsest down to itself."""
    if hierarchy is None:
        return [(key,) for key in keys]
    known = {str(row[-1]): row[:-1] for row in hierarchy.rows}
    if set(known) != set(map(str, keys)):
        raise InputError(
            f"the hierarchy of {shown(column)} does not hold its keys, and no others.",
            kind="hierarchy-wrong",
            why="each public key lies in one group of each level, so that tables add up",
            fix=write(of="table", keys={column: ["?", "?"]}),
            at="by",
        )
    return [(*known[str(key)], key) for key in keys]


def _leveled(
    paths: Sequence[tuple[Key, ...]], depth: int
) -> tuple[Attribute, tuple[tuple[Label, ...], ...]]:
    """Return the attribute of these keys, and the cells of each of its groups."""
    levels: list[tuple[int, ...]] = [(0,) * len(paths)]
    labels: list[tuple[Label, ...]] = [((None,) * depth,)]
    for level in range(1, depth + 1):
        starts = [path[:level] for path in paths]
        groups = {start: number for number, start in enumerate(dict.fromkeys(starts))}
        levels.append(tuple(groups[start] for start in starts))
        labels.append(tuple((*start, *(None,) * (depth - level)) for start in groups))
    return Attribute(tuple(levels)), tuple(labels)


def rows_of_a_unit(table: Table) -> int:
    """Return how many rows of one unit are counted at most."""
    if table.unit.max_rows is None:
        raise InputError(
            f"nothing limits how many rows of one {shown(table.unit.column)} a cube counts.",
            kind="contributions-unlimited",
            why="limits by group would differ between its tables, and they would not add up",
            fix=write(of="table", unit=call("discreet.unit", table.unit.column, max_rows=BLANK)),
        )
    return table.unit.max_rows


def margin_of(lies: CubeLayout, margin: Shown) -> Transform | None:
    """Return the matrix that makes a table of the cells; none makes the cells themselves."""
    pairs = list(zip(lies.attributes, margin, strict=True))
    if all(level == len(attribute.levels) - 1 for attribute, level in pairs):
        return None
    return Transform(Margin(tuple(attribute.levels[level] for attribute, level in pairs)), "vector")


def one_by_one(
    counted: Sequence[tuple[Law, Sensitivity]], tables: Sequence[Sensitivity], alpha: Fraction
) -> int:
    """Return the half-width of tables that share the same loss alike, each by itself.

    Args:
        counted: the noise whose loss they share, with what it is added to.
        tables: how far one unit moves each of them.
        alpha: the chance that an interval misses.
    """
    paid = total([law.loss(l1=moved.l1, l2_squared=moved.l2_squared) for law, moved in counted])
    each, law = paid.times(Fraction(1, len(tables))), counted[0][0]
    alone = {(moved.l1, moved.l2_squared) for moved in tables}
    laws = (type(law).calibrated(each, l1=l1, l2_squared=square) for l1, square in alone)
    return max(noise.half_width(alpha) for noise in laws)


def nearness(
    table: Table, noise: Sequence[tuple[Law, Sensitivity]], variance: float, least: float
) -> str:
    """Return how far the widest number of tables with a wanted error is above the least, in words.

    Args:
        table: the declaration.
        noise: of each vector that is counted, with how far a unit moves it.
        variance: the largest of all numbers.
        least: below that of any linear Gaussian noise of price 1; 0 where that is not known.
    """
    if noise[0][0].costs == "pure":
        return "Of Laplace noise nobody knows the least loss that keeps this error."
    if not least or table.neighbors != "add_remove":
        return "The least loss that keeps this error is not known for these tables."
    paid = total([law.loss(l1=moved.l1, l2_squared=moved.l2_squared) for law, moved in noise])
    squares = paid.numbers[0] * (2 if paid.kind == "zcdp" else 1)
    above = above_least(squares / rows_of_a_unit(table) ** 2, variance, least)  # exact: rationals
    return (
        f"The widest number has a variance at most {ceil(1000 * above) / 10} % above the least "
        "that any linear Gaussian noise of this price can have."
    )


def check_cube(table: Table, by: Sequence[str], *, known: bool) -> None:
    """Refuse attributes of which no cube can be made.

    Raises:
        InputError: keys that are not known yet, or too many; or a total alone, which is known.
    """
    hidden = next((name for name in by if name in table.unknown), None)
    if hidden is not None:
        raise InputError(
            f"the keys of {shown(hidden)} are unknown, and a cube needs them all.",
            kind="keys-unknown-here",
            why="its tables are planned together, before any data is read",
            fix=(write(of="table", keys={hidden: ["?", "?"]}), "ask for count by that column"),
            at="by",
        )
    long = next((name for name in by if len(table.keys[name]) > _MOST), None)
    if long is not None:
        raise InputError(
            f"{shown(long)} has {len(table.keys[long]):,} keys, and a cube takes {_MOST:,}.",
            kind="keys-too-many",
            why="the estimates of all tables are solved for together",
            fix="ask for count by that column, or list its keys in groups",
            at="by",
        )
    if known and not by:
        raise InputError(
            "a cube of no attributes and a known total asks nothing.",
            kind="asks-nothing",
            why="all that it would tell is known",
            fix=leave_out("known"),
            at="known",
        )
