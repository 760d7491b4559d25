"""The text of a plan file: what is refused before it is parsed, and the line of each name."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.fix import nearest_name
from discreet.plan_file.schema import key_of, toml
from discreet.plan_file.written import parsed

TEXT = '''title = "a"
# a comment with "quotes" = ?
[data]
source = [
  "a",  # [not a part]
  "b = 1",
]
unit = { column = "p", max_rows = 3 }

[columns]
wage.lower = 3
"b c" = { lower = 1 }
note = """
[ask]
x = 1
"""
[[ask]]
statistic = "count"
[[ask]]
 statistic = "mean"
'''
LINES = {
    ("title",): 1,
    ("data",): 3,
    ("data", "source"): 4,
    ("data", "unit", "max_rows"): 8,
    ("data", "nowhere"): 3,
    ("columns", "wage", "lower"): 11,
    ("columns", "b c", "lower"): 12,
    ("columns", "note"): 13,
    ("ask", 0): 17,
    ("ask", 0, "statistic"): 18,
    ("ask", 1, "statistic"): 20,
    ("ask", 1, "by"): 19,
    ("nowhere",): None,
    (): None,
}


@pytest.mark.parametrize("path", LINES, ids=str)
def test_each_name_has_the_line_that_it_stands_in(path):
    """Whatever looks like a name or a part inside a list, a text or a comment."""
    assert parsed(TEXT, "a.toml").line(path) == LINES[path]


@pytest.mark.parametrize(
    "text",
    [
        f"[{'.'.join(['a'] * 50_000)}]",
        f"{'.'.join(['a'] * 50_000)} = 1",
        f"[{' . '.join(['a'] * 50_000)}]",
        f"{'.'.join([chr(34) + 'a.b' + chr(34)] * 50_000)} = 1",
        f"x = {{ {'.'.join(['a'] * 50_000)} = 1 }}",
        "".join(f"a{i} = 1\n" for i in range(200_000)),
        "".join(f"[a{i}]\n" for i in range(200_000)),
        f"x = {{ {', '.join(f'a{i} = 1' for i in range(200_000))} }}",
        "x = " + "[" * 100_000,
        "x = " + "{ a = " * 5_000,
    ],
    ids=lambda text: text[:12],
)
def test_what_is_nested_or_named_without_end_is_refused(text):
    """Before the parser's work grows with the square of it."""
    with pytest.raises(InputError, match="is not TOML") as caught:
        parsed(text, "a.toml")
    assert (
        "nested more than" in caught.value.why
        or "names" in caught.value.why
        or ("too long" in caught.value.why)
    )


def test_many_keys_and_dots_in_texts_are_no_depth():
    """What a plan may hold: long lists, and texts with dots and signs in them."""
    keys = ", ".join(f'"{i}.a=b.c.d.e.f.g"' for i in range(60_000))
    text = f'[keys]\nsite = [{keys}]\nhost = ["{".".join("abcdefgh" * 9)}"]\n'

    assert len(parsed(text, "a.toml").said["keys"]["site"]) == 60_000


TREES = st.recursive(
    st.booleans() | st.integers() | st.text() | st.dates() | st.decimals(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.slow
@given(value=TREES, name=st.text())
def test_what_is_written_as_toml_reads_back_as_the_same(value, name):
    """Names, texts and numbers of any kind, in one line."""
    from decimal import Decimal

    line = f"{key_of(name)} = {toml(value)}"

    assert "\n" not in line
    assert tomllib.loads(line, parse_float=Decimal) == {name: value}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        *(("coutn", "count"), ("mea", "mean"), ("summ", "sum"), ("Count", "count")),
        *(("median", ""), ("variance", ""), ("minimum", ""), ("xyz", "")),
    ],
)
def test_another_word_is_no_misspelling(written, meant):
    """Whoever asks for the median must not be handed the mean."""
    assert nearest_name(written, ["count", "count_units", "sum", "mean", "histogram"]) == meant
