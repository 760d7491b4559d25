"""Questions that are asked of the same people."""

import numpy as np

import discreet as dp

WIDE = 10_000
COLUMNS = {name: dp.bounds(0, WIDE, step=1, missing=0) for name in "abcdefgh"}
SMOKER, AGE = dp.bounds(0, 1, step=1, missing=0), dp.bounds(0, 100, step="0.01", missing=40)


def people(neighbors="add_remove", **columns):
    return dp.table(
        "people.csv",
        unit="row",
        neighbors=neighbors,
        columns={
            **COLUMNS,
            "smoker": SMOKER,
            "age": AGE,
            "open": dp.bounds(0, 9, step=1),
            **columns,
        },
        keys={"ward": range(5)},
    )


def mean(column, part, rows):
    """Ask for a mean that is off by a part of its bounds, in groups of so many rows."""
    return dp.mean(column, by="ward", within=f"{part}%", rows=rows)


def count(within):
    return dp.count(by="ward", within=within)


# Questions; half-widths of the count and, in parts of the bounds times rows, of the means; what the
# design's table says in rho apart and together. (Its third line is that of one mean, not of two.)
TABLE = [
    ([count(10), mean("a", 2, 200), mean("b", 2, 200)], 10, [4, 4], ".2593", ".1749"),
    ([count(20), mean("a", 2, 200)], 20, [4], ".1249", ".1201"),
    ([count(5), mean("a", 5, 100)], 5, [5], ".1537", ".1024"),
    ([mean(c, 2, 200) for c in "abcd"], None, [4] * 4, ".4802", ".2701"),
    ([count(10), *(mean(c, 3, 300) for c in "abcdefgh")], 10, [9] * 8, ".2089", ".0869"),
    ([count(10), mean("smoker", 2, 1000), mean("age", 1, 1000)], 10, [20, 10], ".0432", ".0269"),
]


def least(most, means, z=1.96, z_mean=1.96):
    """The least rho of continuous noise, by trying many variances of the count; and that apart."""
    wide = [2 * part / z_mean for part in means]  # in half bounds: each has the width 1
    end = min((most / z) ** 2 if most else np.inf, min(wide) ** 2)
    x = (
        end * (np.arange(1, 200_000) / 200_000)
        if not most
        else np.append(end, end * np.arange(1, 99_999) / 10**5)
    )
    x = x[x < min(wide) ** 2]
    together = (1 / x + sum(1 / (h * h - x) for h in wide)).min() / 2
    apart = sum(2 / (h * h) for h in wide) + ((z / most) ** 2 / 2 if most else 0)
    return apart, together
