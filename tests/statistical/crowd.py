"""People in a small table of three columns, for tests of tables that add up."""

import numpy as np

KEYS = {"sex": ["F", "M"], "age": range(5), "place": ["a", "b", "c", "d"]}


def people(empty, *, unlisted=0):
    """Rows of a table of which so large a share of the cells is empty."""
    coins = np.random.default_rng(16)
    rows = [
        {"sex": sex, "age": age, "place": place}
        for sex in KEYS["sex"]
        for age in KEYS["age"]
        for place in KEYS["place"]
        if coins.random() >= empty
        for _ in range(coins.integers(1, 30))
    ]
    return rows + [{"sex": "F", "age": 99, "place": "a"}] * unlisted
