"""Long rows that are read apart are those that any reader of JSON sees, or are read with the rest."""

import json

import pytest

from discreet.document.row_text import read_apart
from discreet.document.rows import Rows

MANY = 12_000


def text_of(*tables, **more):
    answers = [{"answer": {"rows": table}} for table in tables]
    return json.dumps({"statistics": answers, **more}, separators=(",", ":"))


def read(text):
    """What is read, rows as lists, and how many tables were read apart."""
    plain = read_apart(text, json.loads)
    answers = [released["answer"] for released in plain["statistics"]]
    apart = sum(isinstance(answer["rows"], Rows) for answer in answers)
    for answer in answers:
        if isinstance(answer["rows"], Rows):
            answer["rows"] = [list(row) for row in answer["rows"]]
    return plain, apart


TABLES = {
    "numbers": [[at, at / 7, None, at % 2 == 0] for at in range(MANY)],
    "read in parts": [[f"key {at}" * 30, at, -at] for at in range(MANY)],
    "other widths behind": [["key" * 40, at] for at in range(MANY)] + [[1, 2, 3, 4]] * MANY,
    "texts": [[f"key {at}", at] for at in range(MANY)],
    "one column": [[at] for at in range(MANY * 2)],
    "quotes, marks of rows, other letters": [['a","b', "],[", "é", at] for at in range(MANY)],
    "ends of rows": [["]]", at] for at in range(MANY)],
    "lists in cells": [[[1, 2], at] for at in range(MANY)],
    "uneven": [[1, 2, 3]] + [[at, 2] for at in range(MANY)] + [[1]],
    "objects": [[{"a": 1}, at] for at in range(MANY)],
}
APART = {"numbers", "read in parts", "texts", "one column"}


@pytest.mark.slow
@pytest.mark.claim("C521")
@pytest.mark.parametrize("name", TABLES)
def test_rows_are_those_of_any_reader(name):
    """Whatever the cells hold; what is no plain table is read with the rest."""
    text = text_of(TABLES[name], [[1, 2]], TABLES["texts"], title="t")

    plain, apart = read(text)

    assert plain == json.loads(text)
    assert apart == (2 if name in APART else 1)


@pytest.mark.slow
@pytest.mark.claim("C521")
@pytest.mark.parametrize(
    "text",
    [
        text_of("rows read apart: 0", plan={"rows": TABLES["numbers"]}),
        text_of(None, plan={"rows": TABLES["numbers"]}),
        text_of(TABLES["numbers"], plan={"rows": TABLES["numbers"]}),
        text_of(TABLES["numbers"], title="rows read apart: 0"),
        text_of(TABLES["numbers"]).replace('"rows":[[', '"rows": [['),
        text_of(TABLES["numbers"]).replace("[[0,", "[[00,"),
        text_of(TABLES["numbers"]).replace('"answer"', '"other"'),
    ],
    ids=["a mark", "none", "two places", "a title", "a blank", "no JSON", "another place"],
)
def test_a_text_that_says_rows_elsewhere_is_read_as_it_is(text):
    """Rows of the plan are never those of an answer; what is no JSON is none."""
    try:
        wanted = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError, match="delimiter"):
            read_apart(text, json.loads)
        return

    plain = read_apart(text, json.loads)

    assert plain == wanted
