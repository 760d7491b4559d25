"""How a list of tables lies, and what is counted for it.

Where the cells of all columns are few enough (`JOINT`), they are counted once, and all tables are
made of them before the door. Else each listed table is counted, and every column must have a group
for all other rows: then each row that is counted is in every table.

Sensitivity of contrasts. One row moves those of attributes of d_i keys by a column of their matrix,
the product of d_i - 1 where a cell agrees with its own in attribute i, and of -1 where it does not.
Its sizes add up to l, the product of 2 (d_i - 1), its squares to q, that of d_i (d_i - 1), and none
is beyond m, that of d_i - 1. Rows of a unit add up: r rows move r times as far at most, and do so
where all lie in one cell. The inner product of two columns is the product of d_i (d_i - 1) where
their cells agree and of -d_i where they do not: at least -q / (d - 1), d the least d_i. So a row in
place of another moves squares by at most 2 q + 2 q / (d - 1) = 2 q d / (d - 1), and no number by
more than m + m / (d - 1); r rows move r times as far at most, by the triangle inequality.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from ..aggregate import Aggregate, Measure, Reach, Sensitivity, row_sensitivity
from ..errors import InputError, as_given, shown
from ..expressions import Typed
from ..fix import call, write
from ..margin import Contrasts, Margin
from ..post.tables.listed import MOST_FITTED
from ..post.tables.margins import CountedTable, Shown, cells, closed
from ..schema import Key, Table
from ..transform import Transform
from .cube_layout import check_cube, rows_of_a_unit
from .statistic import asked, check_groups

JOINT = MOST_FITTED  # cells of all columns that are counted together
_MOST_TABLES = 1_000  # with all margins


@dataclass(frozen=True, slots=True)
class Listing:
    """The tables of a list over a declared table.

    Attributes:
        table: the declaration.
        by: all columns.
        margins: the columns of each listed table.
        where: the condition on the rows that count, in every table the same.
    """

    table: Table
    by: tuple[str, ...]
    margins: tuple[tuple[str, ...], ...]
    where: Typed | None = None

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many keys each column has."""
        return tuple(len(self.table.keys[name]) for name in self.by)

    @property
    def listed(self) -> list[Shown]:
        """The listed tables, by the places of their columns."""
        return [tuple(sorted(map(self.by.index, margin))) for margin in self.margins]

    @property
    def tables(self) -> tuple[Shown, ...]:
        """All tables with their margins."""
        return closed(self.listed)

    @property
    def together(self) -> bool:
        """Whether the cells of all columns are counted."""
        return prod(self.sizes) <= JOINT

    def every(self) -> list[CountedTable]:
        """Return all vectors that may be counted: tables, the cells of all columns, contrasts."""
        tables, sizes = self.tables, self.sizes
        joint = tuple(range(len(sizes)))
        plain = (*tables, joint) if self.together and joint not in tables else tables
        made = [
            CountedTable(n, contrasts=True) for n in tables if n and all(sizes[at] > 1 for at in n)
        ]
        return [*map(CountedTable, plain), *made]

    def aggregates(self) -> tuple[Aggregate, ...]:
        """Return how each of these vectors is counted."""
        rows = rows_of_a_unit(self.table)
        return tuple(self._aggregate(one, rows) for one in self.every())

    def _aggregate(self, one: CountedTable, rows: int) -> Aggregate:
        sizes = self.sizes
        source = tuple(range(len(sizes)))
        if not self.together:
            source = next(margin for margin in self.listed if set(one.shows) <= set(margin))
        margin = Margin(
            tuple(tuple(range(sizes[n])) if n in one.shows else (0,) * sizes[n] for n in source)
        )
        own = [sizes[at] for at in one.shows]
        matrix = Contrasts(margin) if one.contrasts else margin
        return Aggregate(
            by=tuple(self.by[at] for at in source),
            measures=(Measure("rows"),),
            sensitivity=contrast_sensitivity(self.table, rows, own)
            if one.contrasts
            else row_sensitivity(self.table, Reach(rows, rows, 1), prod(own)),
            transform=None if one == CountedTable(source) else Transform(matrix, "vector"),
            where=self.where,
        )

    def index(self) -> Iterator[tuple[Key | None, ...]]:
        """Return the index of all cells of all tables, in their order; None for all of a column."""
        for one in self.tables:
            every = [self.table.keys[n] if at in one else (None,) for at, n in enumerate(self.by)]
            yield from product(*every)

    def start(self, wanted: Shown) -> int:
        """Return how many cells stand before those of a table."""
        before = (one for one in self.tables if (len(one), one) < (len(wanted), wanted))
        return sum(cells(self.sizes, one) for one in before)

    def check(self, *, known: bool) -> None:
        """Refuse lists of which no tables can be made that agree.

        Raises:
            InputError: columns without keys, too many cells, or rows that some tables would lack.
        """
        for columns in (*((name,) for name in self.by), *self.margins):
            check_groups(self.table, asked(columns, None, None, 1))
        check_cube(self.table, self.by, known=known)
        column = next((name for name in self.by if name not in self.table.others), None)
        if not self.together and column is not None:
            raise InputError(
                f"these columns have {prod(self.sizes):,} cells together, and {shown(column)} no "
                "group for other rows.",
                why=f"beyond {JOINT:,} each table is counted by itself, and a row with an unlisted "
                "key would be in some of them, and not in others",
                fix=write(
                    of="table", keys={column: call("discreet.keys", "?", "?", other="other")}
                ),
                at="by",
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


def margins_of(by: object) -> tuple[tuple[str, ...], ...]:
    """Return the lists of columns that a question names: several, one, or one column.

    Raises:
        InputError: it is no such list, names a table twice, or more tables than are planned.
    """
    lists = [by] if isinstance(by, str) or by is None else by
    if not isinstance(lists, (list, tuple)):
        raise _no_list(by)
    if all(isinstance(one, str) for one in lists):
        lists = [lists]
    if not all(isinstance(one, (list, tuple, str)) for one in lists):
        raise _no_list(by)
    found = tuple((one,) if isinstance(one, str) else tuple(one) for one in lists)
    for one in found:
        if not all(isinstance(name, str) for name in one) or len(set(one)) < len(one):
            raise _no_list(by)
    if len(set(map(frozenset, found))) < len(found):
        raise InputError(
            f"by = {as_given(by)} lists a table twice.",
            why="each table is published once",
            fix="name each set of columns once",
            at="by",
        )
    names = list(dict.fromkeys(name for one in found for name in one))
    many = sum(2 ** len(one) for one in found) > _MOST_TABLES
    if many and len(closed([map(names.index, one) for one in found])) > _MOST_TABLES:
        raise InputError(
            f"these tables have more than {_MOST_TABLES:,} margins.",
            why="each margin is published, and all of them are planned together",
            fix="list tables of at most three columns each, or fewer of them",
            at="by",
        )
    return found


def _no_list(by: object) -> InputError:
    return InputError(
        f"by = {as_given(by)} is not a list of tables.",
        why="each table is a list of different columns with public keys",
        fix=write(by=[["?", "?"], ["?"]]),
        at="by",
    )
