"""Each record of a decision can be reached from the module that it decides, and each number is one."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"^Decisions? ([\d, ]+)\.$", re.MULTILINE)


@cache
def named():
    """The numbers at the heads of modules, with the modules."""
    found = {}
    heads = [*(ROOT / "src" / "discreet").rglob("*.py"), *(ROOT / "tools").glob("*.py")]
    heads += (ROOT / "tests").glob("*.py")  # what all tests share
    for path in sorted(heads):
        head = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        for numbers in NAMED.findall(head):
            for number in numbers.split(", "):
                found.setdefault(int(number), []).append(path.stem)
    return found


def records():
    return {int(path.name[:4]) for path in (ROOT / "docs" / "decisions").glob("[0-9]*.md")}


@pytest.mark.slow
def test_each_record_is_named_where_it_decides():
    """At the head of one module at least."""
    assert records() - named().keys() == set()


@pytest.mark.slow
def test_each_number_at_a_head_is_a_record():
    """A reader who follows it finds it."""
    assert named().keys() - records() == set()
