"""How far one unit can move an integer vector.

Rules of this module:
- a sensitivity is three integers, proved for the declared neighbor relation; it is never zero;
- what one unit can do is counted here once (`reach`), and every statistic scales it.
"""

from dataclasses import dataclass

from .errors import InputError, InternalError, shown
from .fix import BLANK, call, write
from .schema import Table


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How far one unit can move an integer vector: sum of the moves, of their squares, largest."""

    l1: int
    l2_squared: int
    linf: int

    def __post_init__(self) -> None:
        if min(self.l1, self.l2_squared, self.linf) < 1:
            raise InternalError(
                "a sensitivity below 1 was declared.",
                kind="internal-fault",
                why="no noise would be added",
                fix="please report it, with the plan",
            )

    def times(self, factor: int) -> "Sensitivity":
        """Return the sensitivity of the vector multiplied by `factor`."""
        return Sensitivity(self.l1 * factor, self.l2_squared * factor**2, self.linf * factor)

    def plain(self) -> dict[str, str]:
        """Return the sensitivity as plain data."""
        return {"l1": str(self.l1), "l2_squared": str(self.l2_squared), "linf": str(self.linf)}


@dataclass(frozen=True, slots=True)
class Reach:
    """How many rows one unit has at most in all groups and in one, and in how many groups."""

    rows: int
    rows_per_group: int
    groups: int


def reach(
    table: Table, by: tuple[str, ...], max_groups: int | None, max_rows_per_group: int | None
) -> Reach:
    """Return how far one unit can reach into the groups of `by`.

    Raises:
        InputError: neither the table nor the statistic limits the rows of one unit.
    """
    limits = [limit for limit in (table.unit.max_rows, max_rows_per_group) if limit is not None]
    if not limits:
        raise InputError(
            f"nothing limits how many rows one {shown(table.unit.column)} adds to a group.",
            kind="contributions-unlimited",
            why="without a limit one unit could move the answer without end",
            fix=(
                write(of="table", unit=call("discreet.unit", table.unit.column, max_rows=BLANK)),
                write(of="ask", max_rows_per_group=BLANK),
            ),
        )
    per_group = min(limits)
    spread = [limit for limit in (table.unit.max_rows, max_groups) if limit is not None]
    groups = min([*spread, table.most_groups(by)])
    rows = min(groups * per_group, table.unit.max_rows or groups * per_group)
    return Reach(rows=rows, rows_per_group=per_group, groups=groups)


def row_sensitivity(table: Table, limits: Reach, cells: int) -> Sensitivity:
    """Return the sensitivity of counting rows in `cells` cells, each row in at most one.

    Proof. Let a unit have x_i rows in group i: at most `rows_per_group` each, `rows` in all, in at
    most `groups` groups. add_remove: the vector moves by those counts, so by at most `rows` in l1
    and `rows_per_group` in any cell, and the sum of squares is largest when as many groups as
    possible are full. replace: one unit's counts go and another's come. In one cell they partly
    cancel, because both lie between 0 and `rows_per_group`; with more than one cell they may be
    apart, so l1 and the sum of squares double (2ab >= 0 only helps), while no single cell moves
    further than before.
    """
    full, rest = divmod(limits.rows, limits.rows_per_group)
    squares = full * limits.rows_per_group**2 + rest**2
    once = Sensitivity(l1=limits.rows, l2_squared=squares, linf=limits.rows_per_group)
    if table.neighbors == "add_remove" or cells == 1:
        return once
    return Sensitivity(2 * once.l1, 2 * once.l2_squared, once.linf)
