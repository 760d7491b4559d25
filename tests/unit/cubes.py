"""People whose cubes are asked, and the places that they live in."""

import discreet as dp

KEYS = {"sex": ["F", "M"], "age": range(4), "place": ["a", "b", "=1+1"]}
PLACE = dp.levels(["region", "place"], rows=[("n", "a"), ("n", "b"), ("s", "=1+1")])

ROWS = [
    {"sex": "FM"[i % 2], "age": i % 5, "place": ["a", "b", "=1+1"][i * i % 3]} for i in range(600)
]

PERSON = dp.unit("who", max_rows=3)


def people(unit="row", **how):
    rows = [{**row, "who": i // 3} for i, row in enumerate(ROWS)]
    return dp.table(rows, unit=unit, keys=KEYS, name="people", **how)
