"""How far one unit moves a count of rows after a public matrix.

Sensitivity. Let the aggregate count rows in the cells of a group, so that a row adds a column of
the matrix R to the group's block, or nothing. Let a, c be the largest sum of sizes and of squares
of a column, and all entries lie in [-n, p]. A unit's x rows in a block add R h with h >= 0 and
sum(h) <= x: in l1 at most a x, in length at most sqrt(c) x, in one number between -n x and p x.

add_remove: with x_i rows in block i, at most a sum(x_i) in l1, c sum(x_i^2) in squares and
max(n, p) max(x_i) in one number. replace: with the y_i rows of the unit that comes, l1 at most
doubles. A number moves by at most (n + p) max(x_i, y_i). In squares block i moves by at most
c (x_i^2 + y_i^2) - 2 <R h, R h'>. Without negative entries the product is not below 0; else it is
at least -c x_i y_i, and 2 x_i y_i <= x_i^2 + y_i^2: over all blocks 2 c, or 4 c, times the squares
of one unit's rows.

Blocks are groups, of which `row_sensitivity` knows sum(x_i), sum(x_i^2) and max(x_i); or the whole
vector is one block, with all rows of the unit: r, r^2 and r.
"""

from ..schema import Table
from ..sensitivity import Reach, Sensitivity, row_sensitivity
from ..transform import Transform


def transformed_sensitivity(table: Table, found: Reach, transform: Transform) -> Sensitivity:
    """Return the sensitivity of a count of rows, by group and bin, after a transform."""
    rows = row_sensitivity(table, found, 1)  # of one unit's rows alone
    if transform.of == "vector":
        rows = Sensitivity(found.rows, found.rows**2, found.rows)
    matrix = transform.matrix
    size, square = max(matrix.sizes()), max(matrix.squares())
    least, most = matrix.ends()
    if table.neighbors == "add_remove":
        return Sensitivity(
            l1=size * rows.l1,
            l2_squared=square * rows.l2_squared,
            linf=max(-least, most) * rows.linf,
        )
    return Sensitivity(
        l1=2 * size * rows.l1,
        l2_squared=(4 if least < 0 else 2) * square * rows.l2_squared,
        linf=(most - least) * rows.linf,
    )
