"""Each record of a decision can be reached from the module that it decides, and each number is one."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAD = re.compile(r'"""(.*?)"""', re.DOTALL)
NAMED = re.compile(r"^Decisions? ([\d, ]+)\.$", re.MULTILINE)


def head_of(text):
    """The docstring of a module, without a look at what follows."""
    head = HEAD.match(text)
    return head[1] if head else ""


@cache
def named():
    """The numbers at the heads of modules, with the modules."""
    found = {}
    heads = [*(ROOT / "src" / "discreet").rglob("*.py"), *(ROOT / "tools").glob("*.py")]
    heads += (ROOT / "tests").glob("*.py")  # what all tests share
    for path in sorted(heads):
        for numbers in NAMED.findall(head_of(path.read_text("utf-8"))):
            for number in numbers.split(", "):
                found.setdefault(int(number), []).append(path.stem)
    return found


def test_a_head_is_read_and_nothing_else():
    """Neither a function's docstring nor a text."""
    assert NAMED.findall(head_of('"""A head.\n\nDecisions 1, 23.\n"""\nx = 1\n')) == ["1, 23"]
    assert head_of('x = 1\n\n\ndef f():\n    """Decision 9."""\n') == ""


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
