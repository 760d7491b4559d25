"""Which cases of exhaustive tests `make test` runs: a share whose turn it is at this commit.

Rules of this module:
- a commit's turn is its place in the history of its branch, so that as many commits as there are
  shares run every case; in a clone that holds no history, the commit's hash draws;
- random cases of one test can be several parts (`in_parts`), each with cases of its own, of which
  `make test` takes one;
- each test runs one case at least, whatever the share; cases on Spark, which most machines skip, are
  counted apart, and so are those of engines without what makes them faster (`engine/conftest.py`);
- which case of a test comes first follows from its name: the first ones of all tests, often like each
  other, would else make one turn long and another short;
- tests that ask one thing of several worlds, half a minute each, bear one name: `exhaustive("cubes")`.
  Their cases are counted together, so that one of them is run at least.

Decisions 124, 131.
"""

import subprocess
from collections import defaultdict
from functools import cache
from pathlib import Path
from zlib import crc32

import pytest


def in_parts(count):
    """Mark a test of random cases: it is run so many times, each time with cases of its own.

    Which cases a part has never changes: the part is their seed. `max_examples` says how many a
    part has.
    """

    def marked(test):
        parts = pytest.mark.parametrize("part", range(count), indirect=True, ids="part {}".format)
        return pytest.mark.exhaustive(pytest.mark.usefixtures("part")(parts(test)))

    return marked


def git(*words):
    """What git says; nothing where this is no checkout, as in a trial of a mutant."""
    asked = ["git", "-C", str(Path(__file__).parent), *words]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()


@cache
def commit():
    """The commit that is tested."""
    return git("rev-parse", "HEAD")


@cache
def place():
    """How many commits its branch has; as good as any number where there is no history."""
    if git("rev-parse", "--is-shallow-repository") == "true":
        return int(commit(), 16)
    return int(git("rev-list", "--first-parent", "--count", "HEAD"))


def turn(share):
    """Return which of so many shares has its turn; None where there is no commit."""
    return place() % share if commit() else None


def group_of(item):
    """The cases that are counted together with this one: a name, and what sets them apart."""
    if mark := item.get_closest_marker("exhaustive"):
        test, _, case = item.nodeid.partition("[")
        return " ".join(mark.args) or test, "spark" in case.lower(), "unaided" in case
    return None


def first_turn(name):
    """At which turn the first case of a group is run; any number."""
    return crc32(name.encode())


def left_out(items, share, turn):
    """Return the cases of exhaustive tests that this turn does not run: one a test is run at least."""
    cases = defaultdict(list)
    for item in items:
        if group := group_of(item):
            cases[group].append(item)
    return {
        item
        for (name, *_), same in cases.items()
        for at, item in enumerate(same, first_turn(name))
        if at % min(share, len(same)) != turn % min(share, len(same))
    }
