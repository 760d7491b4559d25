"""Films that people have seen: their titles are keys that nobody knows."""

import random

import pandas as pd

import discreet as dp

SPEND = dp.approx(2, "1e-6")


def films(people=4_000, titles=300, each=5):
    """People and what they have seen; title 0 is the most frequent."""
    chance = random.Random(13)
    weights = [1 / (1 + title) for title in range(titles)]
    rows = [
        {"who": f"p{person}", "film": f"film {title}", "stars": chance.randrange(11) / 2}
        for person in range(people)
        for title in set(chance.choices(range(titles), weights, k=each))
    ]
    return pd.DataFrame(rows)


def declared(source=None, **how):
    """Ratings, whose films nobody knows."""
    return dp.table(
        films() if source is None else source,
        unit=dp.unit("who", max_rows=10),
        columns={"stars": dp.bounds(0, 5, step="0.5")},
        keys={"film": dp.unknown(**{"max_groups": 5, **how}), "stars": [0, 1, 2, 3, 4, 5]},
        name="films",
    )


def asked(table=None, *, spend=SPEND):
    """Viewers and mean stars of each film."""
    return dp.plan(
        declared() if table is None else table,
        dp.count_units(by="film"),
        dp.mean("stars", by="film", max_rows_per_group=1),
        spend=spend,
    )


PLAN = """
[data]
source = "films.csv"
unit = { column = "who", max_rows = 10 }
[columns]
stars = { lower = 0, upper = 5, step = "0.5" }
[keys.film]
unknown = true
max_groups = 5
share = "1/3"
[spend]
epsilon = 2
delta = "1e-6"
[[ask]]
statistic = "count_units"
by = "film"
"""
