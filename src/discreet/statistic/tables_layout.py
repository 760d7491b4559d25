"""How a list of tables lies, and what is counted for it.

Where the cells of all columns are asked, or few enough (`JOINT`), they are counted once, and all
tables are made of them before the door. Else each listed table is counted, and every column must
have a group for all other rows: then each row that is counted is in every table.

Sensitivity of contrasts. Their groups along attribute i have d_i places each; of keys without a
level above, all are one group. One row moves them by a column of their matrix: 0 beside its group,
inside it the product of d_i - 1 where a cell agrees with its own in attribute i, and of -1 where it
does not. Its sizes add up to l, the product of 2 (d_i - 1), its squares to q, that of
d_i (d_i - 1), and none is beyond m, that of d_i - 1. Rows of a unit add up: r rows move r times as
far at most, and do so where all lie in one cell. The inner product of two columns is the product of
d_i (d_i - 1) where their cells agree, of -d_i where they do not, 0 in different groups: at least
-q / (d - 1), d the least d_i. So a row in place of another moves squares by at most
2 q + 2 q / (d - 1) = 2 q d / (d - 1), and no number by more than m + m / (d - 1); r rows move r
times as far at most, by the triangle inequality.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import prod
from typing import Any

from ..aggregate import Aggregate, Measure
from ..errors import InputError, as_given, shown
from ..expressions import Typed
from ..fix import call, leave_out, write
from ..post.tables.answer import MOST_FITTED
from ..post.tables.attribute import Levels as Shown
from ..post.tables.family import CountedTable, cells, closed, inside, steps
from ..post.tables.fit import Selection
from ..schema import Levels, Table
from ..sensitivity import Reach, Sensitivity, row_sensitivity
from ..transform import Contrasts, Margin, Transform
from .ask import Ask, asked, check_groups
from .cube_layout import CubeLayout, check_cube, layout_of, rows_of_a_unit

JOINT = MOST_FITTED  # cells of all columns that are counted together
_MOST_TABLES = 1_024  # with all margins: those of ten columns


@dataclass(frozen=True, slots=True)
class Listing:
    """The tables of a list over a declared table.

    Attributes:
        table: the declaration.
        by: the columns that are counted by: of a hierarchy its keys.
        asked: the listed tables, without their margins.
        lies: how all of them lie.
        where: the condition on the rows that count, in every table the same.
    """

    table: Table
    by: tuple[str, ...]
    asked: tuple[Shown, ...]
    lies: CubeLayout
    where: Typed | None = None

    @property
    def sizes(self) -> tuple[tuple[int, ...], ...]:
        """Of each attribute, how many groups each level has."""
        return tuple(attribute.sizes for attribute in self.lies.attributes)

    @property
    def tables(self) -> tuple[Shown, ...]:
        """All tables with their margins."""
        return self.lies.listed

    @property
    def joint(self) -> int:
        """How many cells all columns have together."""
        return cells(self.sizes, self.lies.cells)

    @property
    def together(self) -> bool:
        """Whether the cells of all columns are counted."""
        return self.joint <= JOINT or self.lies.cells in self.tables

    @property
    def even(self) -> bool:
        """Whether all groups of each level have as many parts as the others."""
        return all(attribute.even for attribute in self.lies.attributes)

    def every(self) -> list[CountedTable]:
        """Return all vectors that may be counted: tables, the cells of all columns, contrasts."""
        tables, sizes = self.tables, self.sizes
        whole = self.lies.cells
        plain = (*tables, whole) if self.together and whole not in tables else tables
        made = [
            margin
            for margin in tables
            if any(margin) and self.even and min(steps(sizes, margin)) > 1
        ]
        return [
            *map(CountedTable, plain),
            *(CountedTable(margin, contrasts=True) for margin in made),
        ]

    def aggregates(self) -> tuple[Aggregate, ...]:
        """Return how each of these vectors is counted."""
        rows = rows_of_a_unit(self.table)
        return tuple(self._aggregate(vector, rows) for vector in self.every())

    def _aggregate(self, vector: CountedTable, rows: int) -> Aggregate:
        source = tuple(range(len(self.by)))
        if not self.together:
            holder = next(asked for asked in self.asked if inside(vector.shows, asked))
            source = tuple(at for at, level in enumerate(holder) if level)
        attributes = [self.lies.attributes[at] for at in source]
        levels = [vector.shows[at] for at in source]
        pairs = list(zip(attributes, levels, strict=True))
        margin = Margin(tuple(attribute.levels[level] for attribute, level in pairs))
        above = tuple(tuple(a.above(n, max(0, n - 1)).tolist()) for a, n in pairs)
        matrix = Contrasts(margin, above) if vector.contrasts else margin
        counted = all(level == len(attribute.levels) - 1 for attribute, level in pairs)
        return Aggregate(
            by=tuple(self.by[at] for at in source),
            measures=(Measure("rows"),),
            sensitivity=contrast_sensitivity(self.table, rows, steps(self.sizes, vector.shows))
            if vector.contrasts
            else row_sensitivity(self.table, Reach(rows, rows, 1), cells(self.sizes, vector.shows)),
            transform=None if counted and not vector.contrasts else Transform(matrix, "vector"),
            where=self.where,
        )

    def start(self, wanted: Shown) -> int:
        """Return how many cells stand before those of a table."""
        before = self.tables[: self.tables.index(wanted)]
        return sum(cells(self.sizes, margin) for margin in before)

    def chosen(self, only: Any) -> tuple[Shown, Selection, list[int]]:
        """Return the table that has these columns, how often each group is counted, and the places.

        Of a column in `only` these keys are counted; of others, all.
        """
        import numpy as np

        levels, rows = [], []
        for columns, labels in zip(self.lies.columns, self.lies.labels, strict=True):
            level = max((n for n, name in enumerate(columns, start=1) if name in only), default=0)
            levels.append(level)
            rows.append(np.array([_is_in(columns, label, only) for label in labels[level]], float))
        table = tuple(levels)
        places = np.arange(cells(self.sizes, table)).reshape([*map(len, rows)])
        kept = places[np.ix_(*(row > 0 for row in rows))].ravel()
        return table, tuple(rows), (self.start(table) + kept).tolist()

    def check(self, *, known: bool) -> None:
        """Refuse lists of which no tables can be made that agree.

        Raises:
            InputError: columns without keys, too many cells, or rows that some tables would lack.
        """
        named = [
            [name for name, n in zip(self.by, margin, strict=True) if n] for margin in self.asked
        ]
        for columns in named:
            check_groups(self.table, asked(columns, None, None, 1))
        check_cube(self.table, self.by, known=known)
        column = next((name for name in self.by if name not in self.table.others), None)
        if not self.together and column is not None:
            raise InputError(
                f"these columns have {self.joint:,} cells together, and {shown(column)} no "
                "group for other rows.",
                kind="too-many-cells",
                why=f"beyond {JOINT:,} each table is counted by itself, and a row with an unlisted "
                "key would be in some of them, and not in others",
                fix=write(
                    of="table", keys={column: call("discreet.keys", "?", "?", other="other")}
                ),
                at="by",
            )


def _is_in(columns: Sequence[str], label: Sequence[object], only: Any) -> bool:
    pairs = zip(columns, label, strict=True)
    return all(
        str(cell) in map(str, only[name])
        for name, cell in pairs
        if name in only and cell is not None
    )


def listing_of(
    table: Table,
    ask: Ask,
    margins: Sequence[Sequence[str]],
    levels: Sequence[Levels],
) -> Listing:
    """Return how the tables of a list lie.

    Args:
        table: the declaration.
        ask: the question, with the columns that are counted by.
        margins: the columns of each listed table, levels of hierarchies among them.
        levels: the hierarchies.
    """
    for name in ask.by:
        check_groups(table, asked((name,), None, None, 1))
    lies = layout_of(table, ask.by, {hierarchy.name: hierarchy for hierarchy in levels})
    asked_ = tuple(_shown(lies.columns, margin) for margin in margins)
    every = replace(lies, listed=closed(asked_))
    return Listing(table, ask.by, asked_, every, ask.test(table))


def _shown(columns: Sequence[Sequence[str]], margin: Sequence[str]) -> Shown:
    """Return which level of each attribute a table shows: the finest that is named."""
    return tuple(
        max((level for level, name in enumerate(each, start=1) if name in margin), default=0)
        for each in columns
    )


def contrast_sensitivity(table: Table, rows: int, sizes: Sequence[int]) -> Sensitivity:
    """Return the sensitivity of the contrasts of attributes, of which one unit has some rows.

    Args:
        table: the declaration.
        rows: of one unit, at most.
        sizes: how many keys each attribute has, at least 2.
    """
    largest = prod(n - 1 for n in sizes)
    squares, steps, least = prod(sizes) * largest, 2 ** len(sizes) * largest, min(sizes)
    once = Sensitivity(rows * steps, rows**2 * squares, rows * largest)
    if table.neighbors == "add_remove":
        return once
    return Sensitivity(
        2 * once.l1,
        2 * once.l2_squared * least // (least - 1),  # exact: squares hold least - 1
        once.linf * least // (least - 1),
    )


def margins_of(
    by: object, levels: dict[str, Levels]
) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Return the columns of each table that a question names, and those that are counted by.

    Args:
        by: several lists of columns, one, or one column; a hierarchy stands for its keys.
        levels: the hierarchies, by the column of their keys.

    Raises:
        InputError: it is no such list, names a table twice, or more tables than are planned; or a
            hierarchy is of none of them.
    """
    lists = _lists(by)
    above = {column: name for name, each in levels.items() for column in each.columns}
    names = tuple(dict.fromkeys(above.get(name, name) for name in chain.from_iterable(lists)))
    beside = [name for name in levels if name not in names]
    if beside:
        raise InputError(
            f"the hierarchy of {shown(beside[0])} belongs to none of these tables.",
            kind="hierarchy-wrong",
            why="levels group the keys of a column that a table is laid out by",
            fix=leave_out("levels"),
            at="levels",
        )
    columns = [levels[name].columns if name in levels else (name,) for name in names]
    tables = [_shown(columns, margin) for margin in lists]
    if len(set(tables)) < len(tables):
        raise InputError(
            f"by = {as_given(by)} lists a table twice.",
            kind="named-twice",
            why="each table is published once",
            fix="name each set of columns once",
            at="by",
        )
    many = [prod(level + 1 for level in margin) for margin in tables]
    if max(many, default=1) > _MOST_TABLES or (
        sum(many) > _MOST_TABLES and len(closed(tables)) > _MOST_TABLES
    ):
        raise InputError(
            f"these tables have more than {_MOST_TABLES:,} margins.",
            kind="too-many-cells",
            why="each margin is published, and all of them are planned together",
            fix="list tables of at most three columns each, or fewer of them",
            at="by",
        )
    return lists, names


def _lists(by: Any) -> tuple[tuple[str, ...], ...]:
    """Return the columns of each table as they are named."""
    lists = [by] if isinstance(by, (str, Levels)) else by
    if not isinstance(lists, (list, tuple)):
        raise _no_list(by)
    if all(isinstance(entry, (str, Levels)) for entry in lists):
        lists = [lists]
    each = [entry if isinstance(entry, (list, tuple)) else [entry] for entry in lists]
    columns = [tuple(n.name if isinstance(n, Levels) else n for n in entry) for entry in each]
    if not all(
        all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
        for names in columns
    ):
        raise _no_list(by)
    return tuple(columns)


def _no_list(by: object) -> InputError:
    return InputError(
        f"by = {as_given(by)} is not a list of tables.",
        kind="wrong-columns",
        why="each table is a list of different columns with public keys",
        fix="name the columns of each table in a list of its own, each once",
        at="by",
    )
