"""The examples of docstrings run, and say what is so."""

import doctest
import pkgutil
import re
from importlib import import_module

import pytest

import discreet

ELSEWHERE = re.compile(r"help\(discreet.Release\)|Example: noise differs")  # see `test_docstrings`
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
NAMES = [
    one.name
    for one in pkgutil.walk_packages(discreet.__path__, "discreet.")
    if not one.name.endswith("__main__") and ".spark" not in one.name
]


def examples(name):
    """The examples of one module."""
    found = doctest.DocTestFinder(exclude_empty=True).find(import_module(name))
    return [one for one in found if one.examples and not ELSEWHERE.search(one.docstring)]


@pytest.mark.slow
def test_every_example_says_what_is_so(tmp_path, monkeypatch):
    """Some were wrong for weeks, because nobody ran them: a digit, a name, a module that had moved."""
    monkeypatch.chdir(tmp_path)  # where examples write their ledgers
    tried, wrong = 0, []
    for name in NAMES:
        for one in examples(name):
            said = []
            one.globs.setdefault("dp", discreet)
            runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
            failed, of = runner.run(one, out=said.append, clear_globs=False)
            tried += of
            wrong += [f"{one.name}: {''.join(said)}"] * bool(failed)

    assert "".join(wrong) == ""
    assert tried > 300
