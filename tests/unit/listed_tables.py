"""Lists of tables that are tried, and the rows that they count."""

from itertools import combinations

import numpy as np

from attributes import flat
from discreet.post.tables.family import CountedTable, closed

FLAT = (flat(2), flat(3), flat(4))
SHOWN = closed([(1, 1, 0), (0, 1, 1)])
KEYS = {"sex": ["F", "M"], "age": range(3), "place": ["a", "b", "c", "d"]}
ROWS = [{"sex": "FM"[i % 2], "age": i % 4, "place": "abcd"[i * i % 4 % 3]} for i in range(300)]


def dense(one, attributes=FLAT):
    """The matrix that makes a counted vector of the cells of all attributes."""
    found = np.ones((1, 1))
    for attribute, level in zip(attributes, one.shows, strict=True):
        own = attribute.matrix(level)
        if one.contrasts and level:
            above = attribute.above(level, level - 1)
            own = (above[:, None] == above) @ -own + len(own) / (max(above) + 1) * own
        found = np.kron(found, own)
    return found


def told(attributes, counted, known):
    """Made-up vectors with noise, and the known tables without any."""
    coins = np.random.default_rng(1)
    sizes = [each.sizes for each in attributes]
    true = coins.integers(0, 40, [each[-1] for each in sizes]).astype(float)
    exact = {one: dense(one, attributes) @ true.ravel() for one in counted}
    margins = {
        one: (dense(CountedTable(one), attributes) @ true.ravel()).reshape(
            [size[level] for size, level in zip(sizes, one, strict=True) if level]
        )
        for one in known
    }
    return {one: v + coins.normal(size=len(v)) for one, v in exact.items()}, margins


def listed(n, many):
    """All tables of so many of n columns."""
    return closed(tuple(int(at in one) for at in range(n)) for one in combinations(range(n), many))


def true(row, names, rows=ROWS, keys=KEYS):
    kept = {n: cell for n, cell in zip(names, row, strict=True) if cell is not None}
    listed = (r for r in rows if all(r[n] in keys[n] for n in keys))
    return sum(kept.items() <= r.items() for r in listed)
